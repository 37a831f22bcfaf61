"""`Checkpoint`: a mapping that reads only the requested tensors."""

from __future__ import annotations

import copy
import gc
import mmap

import numpy as np
import pytest

from tfmodel.errors import CheckpointError
from tfmodel.files.access.crc32c import crc32c, mask
from tfmodel.files.checkpoints.checkpoint import Checkpoint, NoSuchTensor
from tfmodel.files.checkpoints.entries import Entry
from tfmodel.files.checkpoints.index import encode_slice_key
from tfmodel.files.checkpoints.table_file import table
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import (
    BundleEntryProto,
    BundleHeaderProto,
    DataType,
    SavedSlice,
    SavedSliceMeta,
    SavedTensorSliceMeta,
    SavedTensorSlices,
    TensorProto,
    TensorShapeProto,
    TensorSliceProto,
)

from .golden import golden


@pytest.fixture
def prefix(tmp_path):
    write_checkpoint(tmp_path / "m", {"a/b": np.arange(6.0, dtype="f4").reshape(2, 3), "c": [b"x", b"yz"]})
    return tmp_path / "m"


def test_it_is_a_mapping(prefix):
    with Checkpoint(prefix) as checkpoint:
        assert (list(checkpoint), len(checkpoint)) == (["a/b", "c"], 2)
        assert "c" in checkpoint
        assert "d" not in checkpoint
        assert checkpoint.get("d") is None
        assert checkpoint["a/b"].tolist() == [[0, 1, 2], [3, 4, 5]]
        assert {name: array.dtype for name, array in checkpoint.items()} == {"a/b": "float32", "c": object}
        assert repr(checkpoint) == f"<Checkpoint {str(prefix)!r} of 2 tensors>"
        assert (checkpoint.version, checkpoint.prefix, checkpoint.files) == (2, str(prefix), [f"{prefix}.index"])


def test_a_missing_name(prefix):
    checkpoint = Checkpoint(prefix)
    with pytest.raises(KeyError):
        checkpoint["a/bc"]
    with pytest.raises(CheckpointError) as caught:
        checkpoint["a/bc"]
    assert str(caught.value) == f'{prefix}: there is no tensor "a/bc"; did you mean "a/b"?'
    assert isinstance(caught.value, NoSuchTensor)
    assert str(copy.copy(caught.value)).startswith(f'{prefix}: there is no tensor "a/bc"')


def test_entries_do_not_read_the_data(prefix):
    prefix.with_name("m.data-00000-of-00001").unlink()
    checkpoint = Checkpoint(prefix)
    numbers, strings = checkpoint.entries["a/b"], checkpoint.entries["c"]
    assert numbers == Entry(DataType.DT_FLOAT, (2, 3), 0, 0, 24, numbers.crc32c)
    assert strings == Entry(DataType.DT_STRING, (2,), 0, 24, 9, strings.crc32c)
    assert dict(checkpoint.entries) == dict(checkpoint.entries.items()) == {"a/b": numbers, "c": strings}
    assert (len(checkpoint.entries), repr(checkpoint.entries)) == (2, f"<2 entries of {prefix}.index>")


def test_arrays_look_into_the_file_and_outlive_the_checkpoint(prefix):
    with Checkpoint(prefix) as checkpoint:
        array = checkpoint["a/b"]
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base.base.obj, mmap.mmap)
    del checkpoint, base
    gc.collect()
    assert array.sum() == 15
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 1


def test_a_closed_checkpoint(prefix):
    checkpoint = Checkpoint(prefix)
    checkpoint.close()
    checkpoint.close()
    assert list(checkpoint.entries) == ["a/b", "c"]
    with pytest.raises(ValueError, match="closed"):
        checkpoint["a/b"]


def test_checksums_are_verified_when_values_are_read(prefix):
    data = prefix.with_name("m.data-00000-of-00001")
    changed = bytearray(data.read_bytes())
    changed[4:8] = b"\0\0\x80\x40"  # 4.0
    data.write_bytes(changed)
    assert Checkpoint(prefix, verify="index")["a/b"].tolist() == [[0, 4, 2], [3, 4, 5]]
    with pytest.raises(CheckpointError, match=r'm.data-00000-of-00001: tensor "a/b" at byte 0: its 24 bytes have CRC'):
        Checkpoint(prefix)["a/b"]
    assert Checkpoint(prefix)["c"].tolist() == [b"x", b"yz"]
    index = prefix.with_name("m.index")
    changed = bytearray(index.read_bytes())
    changed[changed.index(b"a/b")] = ord("A")
    index.write_bytes(changed)
    assert list(Checkpoint(prefix, verify="off")) == ["A/b", "c"]
    for verify in ("read", "index"):
        with pytest.raises(CheckpointError, match=r"m.index: damaged table at byte 0: the block has CRC"):
            Checkpoint(prefix, verify=verify)
    with pytest.raises(ValueError, match="verify is"):
        Checkpoint(prefix, verify="everything")


def test_v1_values_are_verified_when_they_are_read(tmp_path):
    path = tmp_path / "model"
    whole = bytearray(golden("large_v1").path.read_bytes())
    offset = whole.rindex(golden("large_v1").tensors["large_2"].tobytes())
    whole[offset + 2] ^= 1
    path.write_bytes(whole)
    assert Checkpoint(path, verify="index")["large_2"][0, 0] != -50
    assert Checkpoint(path)["large_0"][0, 0] == -50
    with pytest.raises(CheckpointError, match='model: tensor "large_2": damaged table at byte'):
        Checkpoint(path)["large_2"]


@pytest.mark.parametrize("extents", [((0, 2), (1, 2)), ((1, 1), (0, -1)), ((0, 0), (0, 3))])
def test_a_part_of_a_whole_tensor(prefix, extents):
    array = Checkpoint(prefix).read("a/b", extents)
    index = tuple(slice(start, None if length == -1 else start + length) for start, length in extents)
    assert array.tolist() == np.arange(6.0).reshape(2, 3)[index].tolist()


@pytest.mark.parametrize("value", [np.float32(3), np.array(b"text", object)])
def test_a_part_of_a_scalar_is_an_array(tmp_path, value):
    write_checkpoint(tmp_path / "m", {"x": value})
    whole, part = Checkpoint(tmp_path / "m").read("x"), Checkpoint(tmp_path / "m").read("x", ())
    assert (type(part), part.shape, part.dtype, part.tolist()) == (type(whole), (), whole.dtype, whole.tolist())


@pytest.mark.parametrize("extents", [(), ((0, 2),), ((0, 3), (0, 3)), ((-1, 1), (0, 3)), ((0, -2), (0, 3))])
def test_a_missing_part(prefix, extents):
    with pytest.raises(CheckpointError, match='tensor "a/b": it'):
        Checkpoint(prefix).read("a/b", extents)


def test_a_part_of_a_scalar(tmp_path):
    write_checkpoint(tmp_path / "m", {"a": 1.5})
    assert Checkpoint(tmp_path / "m").read("a", ()).item() == 1.5


class TestBigEndian:
    """Checkpoints of big-endian machines: only numbers and the checksums of strings differ."""

    @pytest.fixture
    def checkpoint(self, tmp_path):
        lengths = b"".join(length.to_bytes(4, "big") for length in (1, 2))
        inner = crc32c(lengths)
        stored = mask(inner).to_bytes(4, "big")
        parts = {
            "complex": (DataType.DT_COMPLEX64, (1,), np.array([1 + 2j], ">c8").tobytes()),
            "float": (DataType.DT_FLOAT, (2,), np.array([1.5, -2], ">f4").tobytes()),
            "half": (DataType.DT_BFLOAT16, (2,), b"\x3f\x80\xc0\x00"),
            "int": (DataType.DT_INT16, (2,), b"\0\1\0\2"),
            "text": (DataType.DT_STRING, (2,), b"\1\2" + stored + b"abc"),
            "variant": (DataType.DT_VARIANT, (1,), bytes(6)),
        }
        records, data = [], b""
        for name, (dtype, sizes, content) in parts.items():
            crc = crc32c(b"abc", crc32c(stored, inner)) if name == "text" else crc32c(content)
            shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])
            entry = BundleEntryProto(dtype=dtype, shape=shape, offset=len(data), size=len(content), crc32c=mask(crc))
            records.append((name.encode(), entry.to_bytes()))
            data += content
        header = BundleHeaderProto(num_shards=1, endianness=1)
        (tmp_path / "m.index").write_bytes(table([(b"", header.to_bytes()), *records]))
        (tmp_path / "m.data-00000-of-00001").write_bytes(data)
        return Checkpoint(tmp_path / "m")

    def test_numbers(self, checkpoint):
        names = ("complex", "float", "half", "int")
        assert [checkpoint[name].tolist() for name in names] == [[1 + 2j], [1.5, -2], [1, -2], [1, 2]]
        assert all(checkpoint[name].dtype.isnative for name in names)

    def test_strings(self, checkpoint):
        assert checkpoint["text"].tolist() == [b"a", b"bc"]

    def test_variants_are_refused(self, checkpoint):
        with pytest.raises(CheckpointError, match="variants of a big-endian machine cannot be read"):
            checkpoint["variant"]


def test_v1_values_that_are_not_packed_or_come_in_pieces(tmp_path):
    """All that the encoding allows."""
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=3)])
    whole = TensorSliceProto(extent=[TensorSliceProto.Extent()])
    kinds = {"f": DataType.DT_FLOAT, "i": DataType.DT_INT32, "s": DataType.DT_STRING}
    tensors = [SavedSliceMeta(name=name, shape=shape, type=dtype, slice=[whole]) for name, dtype in kinds.items()]
    values = {
        "f": b"\x2d" + np.float32(1.5).tobytes() + b"\x2a\x08" + np.float32([2.5, 3.5]).tobytes(),
        "i": b"\x38\x01\x3a\x0b\x02" + b"\xff" * 9 + b"\x01",
        "s": b"\x42\x01a\x42\x00\x42\x02bc",
    }
    records = [(b"", SavedTensorSlices(meta=SavedTensorSliceMeta(tensor=tensors)).to_bytes())]
    for name, tensor in values.items():
        slice_ = b"\x1a" + bytes([len(tensor)]) + tensor
        records.append((encode_slice_key(name, [(0, -1)]), b"\x12" + bytes([len(slice_)]) + slice_))
    (tmp_path / "m").write_bytes(table(sorted(records)))
    with Checkpoint(tmp_path / "m") as checkpoint:
        assert {name: array.tolist() for name, array in checkpoint.items()} == {
            "f": [1.5, 2.5, 3.5],
            "i": [1, 2, -1],
            "s": [b"a", b"", b"bc"],
        }


def test_v1_numbers_of_all_lengths_in_many_pieces(tmp_path, monkeypatch):
    """The payload is read in pieces; a number at the end of a piece is not cut."""
    monkeypatch.setattr("tfmodel.files.checkpoints.arrays._PIECE", 64)
    values = [(-1) ** n * 2 ** (n % 63) + n for n in range(300)]
    tensor = TensorProto(int64_val=values)
    whole = TensorSliceProto(extent=[TensorSliceProto.Extent()])
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=len(values))])
    meta = SavedSliceMeta(name="w", shape=shape, type=DataType.DT_INT64, slice=[whole])
    records = [
        (b"", SavedTensorSlices(meta=SavedTensorSliceMeta(tensor=[meta])).to_bytes()),
        (encode_slice_key("w", [(0, -1)]), SavedTensorSlices(data=SavedSlice(data=tensor)).to_bytes()),
    ]
    (tmp_path / "m").write_bytes(table(records))
    assert Checkpoint(tmp_path / "m")["w"].tolist() == values


def test_a_file_system_without_maps(prefix, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(19, "No such device")

    monkeypatch.setattr(mmap, "mmap", refuse)
    assert Checkpoint(prefix)["a/b"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_an_index_that_spells_things_unusually(tmp_path):
    """Fields in another order, overlong numbers and unknown fields are read."""
    shape = bytes.fromhex("12 04 12 02 08 02")
    crc = b"\x35" + mask(crc32c(np.float32([1, 2]).tobytes())).to_bytes(4, "little")
    spellings = {
        b"order": crc + b"\x28\x08" + shape + b"\x08\x01",
        b"needless": b"\x08\x81\x00" + shape + b"\x28\x88\x80\x80\x00" + crc,
        b"unknown": b"\x08\x01" + shape + b"\x28\x08" + crc + b"\xa0\x06\x01",
        b"twice": b"\x08\x02\x08\x01" + shape + b"\x28\x07\x28\x08" + crc,
        b"zeros": b"\x08\x01" + shape + b"\x18\x00\x20\x00\x28\x08" + crc,
        b"split": b"\x08\x01\x12\x00" + shape + b"\x28\x08" + crc,
    }
    (tmp_path / "m.index").write_bytes(table([(b"", b"\x08\x01"), *sorted(spellings.items())]))
    (tmp_path / "m.data-00000-of-00001").write_bytes(np.float32([1, 2]).tobytes())
    with Checkpoint(tmp_path / "m") as checkpoint:
        assert len(set(checkpoint.entries.values())) == 1
        assert [array.tolist() for array in checkpoint.values()] == [[1, 2]] * 6
