"""Tensors of every type of TensorFlow 2.12, in every form: the cases of tests/golden/tensors/conversions.py.

No module of ours is imported here, so that the Python that has TensorFlow can read this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["READ", "WRITE", "Read", "Write"]


@dataclass(frozen=True)
class Read:
    """A TensorProto for tf.make_ndarray, by its fields."""

    name: str
    dtype: int
    shape: list[int] | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    unknown_rank: bool = False


@dataclass(frozen=True)
class Write:
    """Arguments for tf.make_tensor_proto."""

    name: str
    values: Any
    dtype: int | None = None


@dataclass(frozen=True)
class Sample:
    """Six elements of a type, as its field lists them, and as NumPy's `numpy` has them in `tensor_content`."""

    name: str
    dtype: int
    field: str
    numpy: str
    values: list[Any]

    @property
    def parts(self) -> int:
        return 2 if self.numpy[1] == "c" else 1

    def listed(self, start: int, end: int) -> Any:
        if self.field == "float8_val":
            return bytes(self.values[start:end])
        return self.values[self.parts * start : self.parts * end]

    def content(self, start: int, end: int) -> bytes:
        listed = self.values[self.parts * start : self.parts * end]
        kind = {"half_val": "<u2", "scomplex_val": "<f4", "dcomplex_val": "<f8"}.get(self.field, self.numpy)
        return np.array(listed, kind).tobytes()

    def array(self) -> Any:
        """All six, in two rows. What NumPy does not have is float32, in values that the type has."""
        if self.field in ("float8_val",) or self.name == "bfloat16":
            return np.array([[0, -0.5, 1], [1.5, 2, np.inf if self.name != "float8_e4m3fn" else 448]], "<f4")
        return np.frombuffer(self.content(0, 6), self.numpy).reshape(2, 3)


NAN, INF = float("nan"), float("inf")
FLOATS = [0.0, -0.0, 1.5, INF, -INF, NAN]

SAMPLES = [
    Sample("float32", 1, "float_val", "<f4", [*FLOATS[:3], 0.1, NAN, INF]),
    Sample("float64", 2, "double_val", "<f8", [*FLOATS[:3], 0.1, 1e300, INF]),
    Sample("int32", 3, "int_val", "<i4", [0, 1, -1, 2**31 - 1, -(2**31), 77]),
    Sample("uint8", 4, "int_val", "|u1", [0, 1, 128, 255, 7, 77]),
    Sample("int16", 5, "int_val", "<i2", [0, 1, -1, 2**15 - 1, -(2**15), 77]),
    Sample("int8", 6, "int_val", "|i1", [0, 1, -1, 127, -128, 77]),
    Sample("complex64", 8, "scomplex_val", "<c8", [0.0, 1.0, -1.5, 0.5, INF, 0.0, 2.0, -2.0, 0.0, -0.0, 3.0, 4.0]),
    Sample("int64", 9, "int64_val", "<i8", [0, 1, -1, 2**63 - 1, -(2**63), 77]),
    Sample("bool", 10, "bool_val", "|b1", [True, False, False, True, True, False]),
    Sample("qint8", 11, "int_val", "|i1", [0, 1, -1, 127, -128, 77]),
    Sample("quint8", 12, "int_val", "|u1", [0, 1, 128, 255, 7, 77]),
    Sample("qint32", 13, "int_val", "<i4", [0, 1, -1, 2**31 - 1, -(2**31), 77]),
    Sample("bfloat16", 14, "half_val", "<u2", [0, 0x8000, 0x3F80, 0x7F80, 0x7FC0, 0x0001]),
    Sample("qint16", 15, "int_val", "<i2", [0, 1, -1, 2**15 - 1, -(2**15), 77]),
    Sample("quint16", 16, "int_val", "<u2", [0, 1, 2**15, 2**16 - 1, 7, 77]),
    Sample("uint16", 17, "int_val", "<u2", [0, 1, 2**15, 2**16 - 1, 7, 77]),
    Sample("complex128", 18, "dcomplex_val", "<c16", [0.0, 1.0, -1.5, 0.1, INF, 0.0, 2.0, -2.0, 1e300, -0.0, 3.0, 4.0]),
    Sample("float16", 19, "half_val", "<f2", [0, 0x8000, 0x3C00, 0x7C00, 0x7E00, 0x0001]),
    Sample("uint32", 22, "uint32_val", "<u4", [0, 1, 2**31, 2**32 - 1, 7, 77]),
    Sample("uint64", 23, "uint64_val", "<u8", [0, 1, 2**63, 2**64 - 1, 7, 77]),
    Sample("float8_e5m2", 24, "float8_val", "|u1", [0, 0x80, 0x3C, 0x7C, 0x7E, 0x01]),
    Sample("float8_e4m3fn", 25, "float8_val", "|u1", [0, 0x80, 0x38, 0x7E, 0x7F, 0x01]),
]


def _reads() -> list[Read]:
    cases = []
    for sample in SAMPLES:

        def add(what: str, shape: list[int] | None, sample: Sample = sample, **fields: Any) -> None:
            cases.append(Read(f"{sample.name}: {what}", sample.dtype, shape, fields))

        key = sample.field
        add("content", [2, 3], tensor_content=sample.content(0, 6))
        add("content of a scalar", [], tensor_content=sample.content(2, 3))
        add("content, no shape", None, tensor_content=sample.content(2, 3))
        add("content, one dimension unknown", [3, -1], tensor_content=sample.content(0, 6))
        add("content with less", [2, 3], tensor_content=sample.content(0, 5))
        add("content with more", [2, 2], tensor_content=sample.content(0, 5))
        add("listed", [3, 2], **{key: sample.listed(0, 6)})
        add("listed scalar", [], **{key: sample.listed(2, 3)})
        add("one of one", [1], **{key: sample.listed(2, 3)})
        add("one for all", [2, 3], **{key: sample.listed(2, 3)})
        add("some, the last one goes on", [2, 3], **{key: sample.listed(0, 3)})
        add("none", [2, 2], **{key: sample.listed(0, 0)})
        add("none, scalar", [], **{key: sample.listed(0, 0)})
        add("listed, empty", [2, 0], **{key: sample.listed(0, 0)})
        add("too many", [2], **{key: sample.listed(0, 3)})
        add("listed, one dimension unknown", [-1, 2], **{key: sample.listed(0, 6)})
        add("both", [2], tensor_content=sample.content(0, 2), **{key: sample.listed(2, 4)})
        cases.append(
            Read(f"{sample.name}: reference", 100 + sample.dtype, [2], {"tensor_content": sample.content(0, 2)})
        )

    strings = [b"", b"a\0", "é".encode(), b"\xff" * 200]
    for what, shape, listed in [
        ("listed", [2, 2], strings),
        ("scalar", [], strings[1:2]),
        ("one for all", [3], strings[1:2]),
        ("some, the last one goes on", [3, 2], strings),
        ("empty", [0], []),
        ("none", [2], []),
        ("too many", [3], strings),
    ]:
        cases.append(Read(f"string: {what}", 7, shape, {"string_val": listed}))
    cases += [
        Read("string: reference", 107, [1], {"string_val": [b"a"]}),
        Read("float32: listed, reference", 101, [1], {"float_val": [1.0]}),
        Read("uint8: listed, out of range", 4, [3], {"int_val": [256, -1, 300]}),
        Read("int8: listed, out of range", 6, [3], {"int_val": [128, -129, 255]}),
        Read("float16: listed, out of range", 19, [2], {"half_val": [0x13C00, -1]}),
        Read("complex64: listed, half a number", 8, [1], {"scomplex_val": [1.0, 2.0, 3.0]}),
        Read("float32: in the field of another type", 1, [2], {"double_val": [1.0, 2.0]}),
        Read("float32: two dimensions unknown", 1, [-1, -1], {"tensor_content": bytes(16)}),
        Read("float32: negative dimension", 1, [-2, 2], {"tensor_content": bytes(16)}),
        Read("float32: unknown dimension beside none", 1, [-1, 0], {"tensor_content": bytes(16)}),
        Read("float32: unknown rank", 1, None, {"tensor_content": bytes(4)}, unknown_rank=True),
        Read("float32: content where there is nothing", 1, [0], {"tensor_content": bytes(4)}),
        Read("float32: dimensions whose product overflows", 1, [2**33, 2**31], {"tensor_content": bytes(4)}),
        Read("float32: many dimensions", 1, [1] * 40, {"float_val": [1.0]}),
        Read("float32: version and names are passed over", 1, [1], {"float_val": [1.0], "version_number": 7}),
        Read("no type", 0, [1], {"float_val": [1.0]}),
        Read("no such type", 99, [1], {"float_val": [1.0]}),
        Read("bool: content of twos", 10, [2], {"tensor_content": b"\2\0"}),
    ]
    return cases


def _writes() -> list[Write]:
    cases = []
    for sample in SAMPLES:
        array = sample.array()
        in_numpy = sample.name == np.dtype(sample.numpy).name
        for what, values in [
            ("rows", array),
            ("transposed", array.T),
            ("every second", array.reshape(-1)[::2]),
            ("one", array.reshape(-1)[2:3]),
            ("scalar", array.reshape(-1)[2]),
            ("no dimension", array.reshape(-1)[2].reshape(())),
            ("empty", array[:, :0]),
            ("big-endian", array.astype(array.dtype.newbyteorder(">"))),
            ("all the same", np.full((2, 2), array[0, 1])),
        ]:
            if in_numpy:
                cases.append(Write(f"{sample.name}: {what}", values))
            cases.append(Write(f"{sample.name}: {what}, asked for", values, sample.dtype))
    words = [b"", b"a", "é", b"\xff" * 200]
    lists: dict[str, Any] = {
        "int": 5,
        "large int": 2**31,
        "negative int": -(2**31),
        "unsigned int": 2**63,
        "too large an int": 2**64,
        "float": 0.1,
        "bool": True,
        "complex": 1 + 2j,
        "bytes": b"a\0b\0",
        "text": "é",
        "ints": [1, 2, 3],
        "large ints": [1, 2**31],
        "rows of ints": [[1, 2], [3, 4]],
        "tuples": ((1, 2), (3, 4)),
        "floats": [0.1, 2.0],
        "ints and floats": [1, 0.5],
        "bools": [True, False],
        "complexes": [1j, 2],
        "strings": words,
        "rows of strings": [[b"a", b"b\0"], ["c", ""]],
        "empty": [],
        "rows of nothing": [[], []],
        "ragged": [[1, 2], [3]],
        "strings and ints": ["a", 1],
        "none": None,
        "none in a list": [1, None],
        "an object": [object],
        "array of text": np.array(["a", "é"]),
        "array of bytes": np.array([b"a", b"\xff\0"]),
        "array of objects": np.array(words, object),
        "scalar of NumPy": np.float64(0.1),
        "bytearray": bytearray(b"ab"),
        "dates": np.array(["2020-01-01"], "datetime64[D]"),
    }
    cases += [Write(f"Python: {what}", values) for what, values in lists.items()]
    conversions: list[tuple[str, Any, int]] = [
        ("ints as float32", [1, 2, 3], 1),
        ("ints as float64", [1, 2, 3], 2),
        ("ints as int64", [1, 2, 3], 9),
        ("ints as uint8", [1, 255], 4),
        ("ints too large for uint8", [1, 256], 4),
        ("ints as uint64", [2**63, 2**64 - 1], 23),
        ("floats as bfloat16", [0.1, 1 / 3, -2.5], 14),
        ("floats as float16", [0.1, 1 / 3, 65504.0], 19),
        ("floats too large for float16", [65520.0], 19),
        ("floats as int32", [1.5], 3),
        ("whole floats as int32", [1.0, 2.0], 3),
        ("ints as bool", [0, 1], 10),
        ("ints as complex64", [1, 2], 8),
        ("ints as string", [1, 2], 7),
        ("text as float32", ["a"], 1),
        ("text as string", "a", 7),
        ("float64 array as float32", np.array([0.1, 1e-50, 1e30]), 1),
        ("float64 array too large for float32", np.array([1e39]), 1),
        ("float32 array as float64", np.array([0.1, 2], "f4"), 2),
        ("float32 array as int32", np.array([1, -2], "f4"), 3),
        ("float32 array with fractions as int32", np.array([1.5], "f4"), 3),
        ("int32 array as int64", np.array([1, -2], "i4"), 9),
        ("int64 array as int32", np.array([1, -2], "i8"), 3),
        ("int64 array too large for int32", np.array([2**31], "i8"), 3),
        ("int32 array as float32", np.array([1, 2**24], "i4"), 1),
        ("int32 array too precise for float32", np.array([2**24 + 1], "i4"), 1),
        ("bool array as float32", np.array([True, False]), 1),
        ("bool array as int32", np.array([True, False]), 3),
        ("complex array as float32", np.array([1 + 1j]), 1),
        ("int array as string", np.array([1, 2]), 7),
        ("objects as string", np.array([b"a", "b"], object), 7),
        ("reference type", [1.0, 2.0], 101),
        ("no type", [1.0], 99),
        ("float32 halfway as bfloat16", np.array([1.00390625, 1.01171875, 1.0039063, 3.3895314e38], "f4"), 14),
        ("float32 halfway as float8_e5m2", np.array([1.125, 1.375, 1.1250001, 2**-17, 3 * 2**-17, 57344], "f4"), 24),
        ("float32 halfway as float8_e4m3fn", np.array([1.0625, 1.1875, 1.0625001, 2**-10, 3 * 2**-10, 448], "f4"), 25),
        ("infinity as float8_e4m3fn", np.array([np.inf], "f4"), 25),
        ("float32 too large for float8_e5m2", np.array([70000], "f4"), 24),
        ("NaN as float8_e4m3fn", np.array([np.nan, -np.nan], "f4"), 25),
    ]
    return cases + [Write(f"Python: {what}", values, dtype) for what, values, dtype in conversions]


READ = _reads()
WRITE = _writes()
