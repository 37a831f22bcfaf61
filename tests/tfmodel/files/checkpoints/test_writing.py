"""The writer: accepted and refused values; after an error no partial checkpoint is left."""

from __future__ import annotations

import os

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.files.checkpoints.checkpoint import Checkpoint
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import DataType


def written(folder, tensors, **options):
    write_checkpoint(folder / "m", tensors, **options)
    return Checkpoint(folder / "m")


def test_numbers_strings_and_lists(tmp_path):
    tensors = {
        "float": 1.5,
        "list": [1, 2],
        "array": np.eye(2, dtype="f2"),
        "strided": np.arange(12, dtype="i4").reshape(3, 4)[::2, ::-1],
        "big-endian": np.array([1, 2], ">i2"),
        "bool": True,
        "bytes": b"ends with a zero\0",
        "str": "\u00e9",
        "strings": [["a", "bc"], ["", "d"]],
        "S": np.array([b"ab", b"c"]),
        "empty": np.zeros((2, 0), "c8"),
    }
    with written(tmp_path, tensors) as checkpoint:
        values = {name: array.tolist() for name, array in checkpoint.items()}
        dtypes = {name: entry.dtype.name[3:] for name, entry in checkpoint.entries.items()}
    assert values == {
        "float": 1.5,
        "list": [1, 2],
        "array": [[1, 0], [0, 1]],
        "strided": [[3, 2, 1, 0], [11, 10, 9, 8]],
        "big-endian": [1, 2],
        "bool": True,
        "bytes": b"ends with a zero\0",
        "str": "\u00e9".encode(),
        "strings": [[b"a", b"bc"], [b"", b"d"]],
        "S": [b"ab", b"c"],
        "empty": [[], []],
    }
    assert dtypes == {
        "float": "DOUBLE",
        "list": "INT64",
        "array": "HALF",
        "strided": "INT32",
        "big-endian": "INT16",
        "bool": "BOOL",
        "bytes": "STRING",
        "str": "STRING",
        "strings": "STRING",
        "S": "STRING",
        "empty": "COMPLEX64",
    }


def test_types_that_numpy_does_not_have(tmp_path):
    tensors = {
        "narrow": np.float32([1, 1 / 3]),
        "ml": np.array([1, 1 / 3], ml_dtypes.bfloat16),
        "float8": np.float32([448, 0.1]),
        "int4": np.int8([-8, 7]),
        "qint8": np.int8([-8, 7]),
    }
    dtypes = {
        "narrow": DataType.DT_BFLOAT16,
        "float8": DataType.DT_FLOAT8_E4M3FN,
        "int4": DataType.DT_INT4,
        "qint8": DataType.DT_QINT8,
    }
    with written(tmp_path, tensors, dtypes=dtypes) as checkpoint:
        assert {name: entry.dtype for name, entry in checkpoint.entries.items()} == {
            **dtypes,
            "ml": DataType.DT_BFLOAT16,
        }
        third = np.float32(ml_dtypes.bfloat16(1 / 3))
        assert checkpoint["narrow"].tolist() == checkpoint["ml"].tolist() == [1, third]
        assert checkpoint["float8"].tolist() == [448, np.float32(ml_dtypes.float8_e4m3fn(0.1))]
        assert checkpoint["int4"].tolist() == checkpoint["qint8"].tolist() == [-8, 7]


def test_the_same_tensors_give_the_same_bytes(tmp_path):
    tensors = {name: np.full(3, number) for number, name in enumerate("bca")}
    write_checkpoint(tmp_path / "one", tensors)
    write_checkpoint(tmp_path / "two", dict(sorted(tensors.items())))
    for suffix in (".index", ".data-00000-of-00001"):
        assert (tmp_path / f"one{suffix}").read_bytes() == (tmp_path / f"two{suffix}").read_bytes()


def test_no_tensors(tmp_path):
    assert dict(written(tmp_path, {})) == {}


ANY_NAME = st.text(min_size=1, max_size=40).map(lambda name: f".{name}" if name[0] == "\0" else name)


@given(names=st.lists(ANY_NAME, unique=True, max_size=40))
def test_any_name(names, tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    with written(folder, {name: number for number, name in enumerate(names)}) as checkpoint:
        assert {name: array.item() for name, array in checkpoint.items()} == {n: index for index, n in enumerate(names)}
        assert list(checkpoint) == sorted(names, key=str.encode)


@pytest.mark.parametrize(
    ("tensors", "dtypes", "error", "words"),
    [
        ({"": 1}, {}, ValueError, 'a tensor cannot be called ""'),
        ({"\0a": 1}, {}, ValueError, 'a tensor cannot be called "\\x00a"'),
        ({"\ud800": 1}, {}, ValueError, "surrogates not allowed"),
        ({"a": object()}, {}, TypeError, 'tensor "a": an element is of type object; strings are bytes or str'),
        ({"a": [1, "x", None]}, {}, TypeError, 'tensor "a"'),
        ({"a": np.datetime64("2020-01-01")}, {}, TypeError, "TensorFlow has no type for NumPy's datetime64[D]"),
        ({"a": np.longdouble(1)}, {}, TypeError, "TensorFlow has no type for NumPy's"),
        ({"a": ["\ud800"]}, {}, ValueError, 'tensor "a"'),
        ({"a": [[1, 2], [3]]}, {}, ValueError, 'tensor "a"'),
        ({"a": 300}, {"a": DataType.DT_UINT8}, ValueError, 'tensor "a"'),
        ({"a": "x"}, {"a": DataType.DT_FLOAT}, TypeError, 'tensor "a": an array of object cannot be stored as float32'),
        ({"a": 1.0}, {"a": DataType.DT_STRING}, TypeError, "cannot be stored as string"),
        ({"a": 1.0}, {"a": DataType.DT_VARIANT}, TypeError, "cannot be stored as variant"),
        ({"a": 1.0}, {"b": DataType.DT_FLOAT}, ValueError, 'dtypes: there is no tensor "b"'),
    ],
)
def test_values_that_cannot_be_stored_are_refused(tmp_path, tensors, dtypes, error, words):
    write_checkpoint(tmp_path / "m", {"old": 1})
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(error) as caught:
        write_checkpoint(tmp_path / "m", {"fine": 1, **tensors}, dtypes=dtypes)
    assert words in str(caught.value)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_index_comes_last(tmp_path, monkeypatch):
    replaced = []
    real = os.replace

    def replace(source, target):
        replaced.append(os.fspath(target))
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    write_checkpoint(tmp_path / "m", {"a": 1})
    assert [path.rpartition(".")[2] for path in replaced] == ["data-00000-of-00001", "index"]


def test_a_checkpoint_may_be_rewritten_in_place(tmp_path):
    """Its arrays look into the old file, which is replaced and not overwritten."""
    checkpoint = written(tmp_path, {"a": [1, 2]})
    old = checkpoint["a"]
    write_checkpoint(tmp_path / "m", {**checkpoint, "a": old + 1})
    assert old.tolist() == [1, 2]
    assert Checkpoint(tmp_path / "m")["a"].tolist() == [2, 3]
