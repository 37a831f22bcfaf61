"""Writing .safetensors, read back by a reader of a few lines, written from the description of the format."""

from __future__ import annotations

import io
import json
from math import prod

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tfmodel.files.array_files import Tensor, type_in_safetensors, write_safetensors
from tfmodel.values.dtypes import DTYPES, dtype_named, natural_dtype

NUMPY = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "U16": "<u2",
    "I16": "<i2",
    "U32": "<u4",
    "I32": "<i4",
    "U64": "<u8",
    "I64": "<i8",
    "F16": "<f2",
    "F32": "<f4",
    "F64": "<f8",
    "C64": "<c8",
    "BF16": ml_dtypes.bfloat16,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
    "F8_E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "F8_E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}


def read(data):
    """The arrays, and the metadata. Whatever the format forbids fails."""
    size = int.from_bytes(data[:8], "little")
    assert data[8:9] == b"{"
    header = json.loads(data[8 : 8 + size])
    body = data[8 + size :]
    metadata = header.pop("__metadata__", None)
    arrays, places = {}, []
    for name, facts in header.items():
        assert set(facts) == {"dtype", "shape", "data_offsets"}
        start, end = facts["data_offsets"]
        dtype = np.dtype(NUMPY[facts["dtype"]])
        assert end - start == prod(facts["shape"]) * dtype.itemsize
        assert (8 + size + start) % dtype.itemsize == 0, "aligned"
        places.append((start, end))
        arrays[name] = np.frombuffer(body[start:end], dtype).reshape(facts["shape"])
    position = 0
    for start, end in sorted(places):
        assert start == position, "no gaps"
        position = end
    assert position == len(body)
    assert (8 + size) % 8 == 0
    return arrays, metadata


def written(tensors, metadata=None):
    file = io.BytesIO()
    write_safetensors(file, tensors, metadata)
    return file.getvalue()


def tensor(name, array, dtype=None):
    array = np.asarray(array)
    return Tensor(name, dtype_named(dtype) if dtype else natural_dtype(array.dtype), array.shape, lambda: array)


@pytest.mark.parametrize("spelled", ["?", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8"])
@given(data=st.data())
def test_numbers_of_numpy(spelled, data):
    array = data.draw(arrays.arrays(np.dtype(spelled), arrays.array_shapes(min_dims=0, min_side=0)))
    (actual,) = read(written([tensor("x", array)]))[0].values()
    assert (actual.dtype, actual.shape, actual.tobytes()) == (array.dtype, array.shape, array.tobytes())


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_small_floats_are_what_they_are(name):
    bits = np.arange(1 << (16 if name == "bfloat16" else 8)).astype("u2" if name == "bfloat16" else "u1")
    expected = bits.view(getattr(ml_dtypes, name))
    original = dtype_named(name).decode(bits)
    assert original.dtype == np.float32
    actual = read(written([tensor("x", original, name)]))[0]["x"]
    assert actual.dtype == expected.dtype
    assert np.array_equal(actual.astype("f4"), expected.astype("f4"), equal_nan=True)
    assert actual[~np.isnan(original)].tobytes() == bits[~np.isnan(original)].tobytes()


@pytest.mark.parametrize(
    ("name", "array", "kind"),
    [
        ("int4", np.int8([-8, 7]), "I8"),
        ("uint4", np.uint8([15]), "U8"),
        ("qint8", np.int8([-3]), "I8"),
        ("quint16", np.uint16([3]), "U16"),
        ("qint32", np.int32([3]), "I32"),
        ("float8_e4m3b11fnuz", np.float32([0.5]), "F32"),
        ("float4_e2m1fn", np.float32([1.5]), "F32"),
    ],
)
def test_types_that_become_others(name, array, kind):
    assert type_in_safetensors(dtype_named(name)) == kind
    actual = read(written([tensor("x", array, name)]))[0]["x"]
    assert np.array_equal(actual, array)


def test_types_that_it_has_not():
    lacking = {row.name for row in DTYPES.values() if type_in_safetensors(row) is None}
    assert lacking == {"string", "resource", "variant", "complex128"}
    with pytest.raises(ValueError, match='"x" is string, for which safetensors has no type'):
        written([tensor("x", [b"a"], "string")])


def test_tensors_are_aligned_in_any_order():
    tensors = [
        tensor("flags", [True, False, True]),
        tensor("half", np.float16([1])),
        tensor("double", [0.5]),
        tensor("bytes", np.uint8([1])),
        tensor("long", [1, 2]),
        tensor("empty", np.zeros((0, 3), "f4")),
        tensor("scalar", np.float32(2)),
    ]
    arrays, metadata = read(written(tensors))
    assert metadata is None
    assert set(arrays) == {source.name for source in tensors}
    for source in tensors:
        assert np.array_equal(arrays[source.name], source.array())


def test_any_layout_in_memory():
    array = np.arange(24, dtype="f4").reshape(2, 3, 4)
    splat = np.broadcast_to(array[0], (5, 3, 4))
    views = {"t": array.T, "strided": array[:, ::2], "big": array.astype(">f4"), "splat": splat}
    arrays, _ = read(written([tensor(name, view, "float32") for name, view in views.items()]))
    for name, view in views.items():
        assert np.array_equal(arrays[name], view)


def test_equal_tensors_give_equal_files():
    def make():
        return written([tensor("b", np.float32([1, 2])), tensor("a", [1])], {"layout": "OIHW"})

    assert make() == make()
    assert read(make())[1] == {"layout": "OIHW"}


def test_any_name():
    names = ["a/b:0", "", 'ä\n"\\', "\x1b[31m", "日本"]
    assert list(read(written([tensor(name, [1]) for name in names]))[0]) == names


def test_no_tensors():
    assert written([]) == b"\x08\0\0\0\0\0\0\0{}      "


def test_one_tensor_is_in_memory_at_a_time():
    order = []

    class File:
        def write(self, data):
            order.append(len(data))

    def make(name):
        def array():
            order.append(name)
            return np.zeros(100, "f4")

        return Tensor(name, dtype_named("float32"), (100,), array)

    write_safetensors(File(), [make("a"), make("b")])
    assert order[2:] == ["a", 400, "b", 400]


@pytest.mark.parametrize(
    ("tensors", "problem"),
    [
        ([tensor("a", [1]), tensor("a", [2])], 'there cannot be another tensor called "a"'),
        ([tensor("__metadata__", [1])], 'there cannot be another tensor called "__metadata__"'),
        ([tensor("a", [1])._replace(shape=(2,))], r'"a" has shape \[1\], not \[2\]'),
        (
            [
                tensor("a", [300], "bfloat16")._replace(
                    dtype=dtype_named("float8_e4m3fn"), array=lambda: np.float32([1e9])
                )
            ],
            "has no counterpart",
        ),
    ],
)
def test_tensors_that_cannot_be_written_are_refused(tensors, problem):
    with pytest.raises(ValueError, match=problem):
        written(tensors)
