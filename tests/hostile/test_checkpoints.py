"""Checkpoints: an index with false statements about itself, the data files, or the parts of tensors."""

from __future__ import annotations

import os
import struct
import time

import pytest

import tfmodel
from tests.hostile.measure import assert_linear, confined, peak
from tests.tfmodel.files.checkpoints.tables import block, table
from tests.tfmodel.models import shape
from tfmodel.errors import CheckpointError
from tfmodel.files.access.crc32c import crc32c, mask
from tfmodel.files.checkpoints.index import encode_slice_key
from tfmodel.messages import (
    BundleEntryProto,
    BundleHeaderProto,
    DataType,
    SavedSlice,
    SavedSliceMeta,
    SavedTensorSliceMeta,
    SavedTensorSlices,
    TensorProto,
    TensorSliceProto,
)

Extent = TensorSliceProto.Extent
FLOAT = DataType.DT_FLOAT
DATA = struct.pack("<4f", 1, 2, 3, 4)


def entry(*sizes: int, data: bytes = DATA, **fields: object) -> BundleEntryProto:
    values = {"dtype": FLOAT, "shape": shape(*sizes), "size": len(data), "crc32c": mask(crc32c(data))}
    return BundleEntryProto(**values | fields)


def parts(*extents: tuple[int, int]) -> list[TensorSliceProto]:
    return [TensorSliceProto(extent=[Extent(start=start, length=length)]) for start, length in extents]


def write(folder, records, *, data: bytes = DATA, shards: int = 1, header: bytes | None = None) -> str:
    """Write a checkpoint with these entries, by key, and one data file."""
    if header is None:
        header = BundleHeaderProto(num_shards=shards).to_bytes()
    rows = {b"": header} | {
        key.encode() if isinstance(key, str) else key: value if isinstance(value, bytes) else value.to_bytes()
        for key, value in records.items()
    }
    (folder / "m.index").write_bytes(table(block(sorted(rows.items()))))
    (folder / "m.data-00000-of-00001").write_bytes(data)
    return str(folder / "m")


def refused(path: str, name: str = "w") -> str:
    """Return the error of reading a tensor, which must not allocate its memory first."""
    errors: list[str] = []

    def read() -> None:
        with pytest.raises(CheckpointError) as raised, tfmodel.Checkpoint(path) as checkpoint:
            checkpoint[name]
        errors.append(str(raised.value))

    read()
    assert peak(read) < 1 << 20
    return errors[0]


def test_sound_checkpoint(tmp_path):
    path = write(tmp_path, {"w": entry(4)})
    assert tfmodel.Checkpoint(path)["w"].tolist() == [1, 2, 3, 4]


# --- entries ---------------------------------------------------------------------------------------------------------

LIES = {
    "offset beyond the file": (entry(4, offset=1), "are not inside of"),
    "offset far beyond the file": (entry(4, offset=2**62), "are not inside of"),
    "offset below zero": (entry(4, offset=-16), "are not inside of"),
    "size beyond the file": (entry(2**30, size=2**32), "are not inside of"),
    "size below zero": (entry(4, size=-16), "are not inside of"),
    "size that wraps around": (entry(4, offset=2**63 - 1, size=2**63 - 1), "are not inside of"),
    "size that is not that of the shape": (entry(3), "3 elements of float32 have 12 bytes, not 16"),
    "shape that overflows": (entry(2**62, 2**62), "more elements than a tensor can have"),
    "shape with a zero and an overflow": (entry(0, 2**62, 2**62, size=0, data=b""), "NumPy has no arrays"),
    "shape below zero": (entry(-4), "has a negative size"),
    "shape of a thousand dimensions": (entry(*[1] * 1000), "1,000 dimensions"),
    "shape of 200 dimensions": (entry(*[1] * 199, 4), "NumPy has no arrays"),
    "missing shard": (entry(4, shard_id=1), "data file 1, but there are 1"),
    "shard below zero": (entry(4, shard_id=-1), "data file -1"),
    "unknown type": (entry(4, dtype=99), "99"),
    "type that has no tensors": (entry(4, dtype=DataType.DT_RESOURCE), "resource"),
    "checksum": (entry(4, crc32c=1), "CRC"),
    "entry that is no message": (b"\xff\xff", "damaged"),
    "string of 2**60 elements": (entry(2**60, dtype=DataType.DT_STRING), "too few"),
}


@pytest.mark.parametrize("lie", LIES)
def test_an_entry_with_wrong_values(lie, tmp_path):
    """Attack: an entry whose offset, size, shape, type or checksum fits no tensor in the files.

    Naive: slices the mapped file with these numbers (in Python, negative ones count from the end), or allocates them.
    Stopped by: tfmodel.files.checkpoints.v2.Bundle, tfmodel.files.checkpoints.data_files.DataFiles.bytes_of
    """
    value, problem = LIES[lie]
    assert problem in refused(write(tmp_path, {"w": value}))


def test_entries_that_overlap(tmp_path):
    """Attack: a thousand tensors of one megabyte, all of them the same megabyte.

    Naive: an export writes a gigabyte. (Reading is harmless, since arrays are views of the file.)
    Stopped by: tfmodel.files.checkpoints.data_files.map_file
    """
    data = bytes(1 << 20)
    same = entry(1 << 18, data=data)
    path = write(tmp_path, {f"w{n:04}": same for n in range(1_000)}, data=data)
    with tfmodel.Checkpoint(path, verify="index") as checkpoint:
        assert peak(lambda: [checkpoint[name] for name in checkpoint]) < 4 << 20


def test_impossible_numbers_of_shards(tmp_path):
    """Attack: a header with two billion data files, or with a negative number.

    Naive: opens all of them, or makes a list.
    Stopped by: tfmodel.files.checkpoints.data_files.DataFiles
    """
    for count in (2**31 - 1, 0, -1):
        path = write(tmp_path, {"w": entry(4, shard_id=max(count - 1, 0))}, shards=count)
        assert "which is missing" in refused(path) or "but there are" in refused(path)


@pytest.mark.parametrize(
    "header", [b"\xff", b"\x10\x05", b"\x1a\x04\x08\x09\x10\x09"], ids=["no message", "byte order", "version"]
)
def test_a_header_of_another_format(header, tmp_path):
    """Attack: a damaged header, one with an unknown byte order, or one for readers of a later version.

    Naive: reads on and misinterprets the values.
    Stopped by: tfmodel.files.checkpoints.entries.check_version, tfmodel.files.checkpoints.v2.Bundle
    """
    refused(write(tmp_path, {"w": entry(4)}, header=header))


# --- tensors in parts ------------------------------------------------------------------------------------------------

TILINGS = {
    "a hole": (4, [(0, 1), (2, 2)], "do not cover"),
    "an overlap": (4, [(0, 3), (2, 2)], "overlap"),
    "an overlap and a hole": (4, [(0, 2), (1, 2)], "overlap|no part"),
    "one part twice": (4, [(0, 2), (0, 2)], "overlap|again|only"),
    "beyond the end": (4, [(0, 2), (3, 2)], "not inside of a dimension of 4"),
    "below zero": (4, [(-2, 2), (0, 2)], "not inside of a dimension of 4|start"),
    "far beyond the end": (4, [(2**62, 2**62)], "not inside of a dimension of 4"),
    "a negative length": (4, [(0, -2), (0, 4)], "not inside|length"),
    "more than there is": (2**40, [(0, 2**39), (2**39, 2**39)], "are not inside of|elements of float32"),
}


@pytest.mark.parametrize("tiling", TILINGS)
def test_inconsistent_parts(tiling, tmp_path):
    """Attack: a tensor in parts that overlap, leave holes, exceed it, or have terabytes.

    Naive: a hole shows uninitialized memory; a part outside of the tensor is written elsewhere.
    Stopped by: tfmodel.files.checkpoints.arrays.check_tiling, tfmodel.files.checkpoints.entries.region_of
    """
    size, extents, problem = TILINGS[tiling]
    records: dict[str | bytes, BundleEntryProto] = {
        encode_slice_key("w", [extent]): entry(extent[1], data=DATA[: 4 * max(extent[1], 0)]) for extent in extents
    }
    records["w"] = BundleEntryProto(dtype=FLOAT, shape=shape(size), slices=parts(*extents))
    import re

    assert re.search(problem, refused(write(tmp_path, records)))


def test_many_parts_of_the_same_bytes(tmp_path):
    """Attack: a tensor of 2**20 parts that all refer to the same bytes of the file.

    Naive: a few kilobytes become gigabytes.
    Stopped by: tfmodel.files.checkpoints.v2.Bundle.check
    """
    extents = [(4 * n, 4) for n in range(1_000)]
    records: dict[str | bytes, BundleEntryProto] = {encode_slice_key("w", [extent]): entry(4) for extent in extents}
    records["w"] = BundleEntryProto(dtype=FLOAT, shape=shape(4_000), slices=parts(*extents))
    assert "its parts have 16,000 bytes, but there are only 16" in refused(write(tmp_path, records))


def test_many_parts(tmp_path):
    """Attack: a tensor in thousands of parts, which must not overlap.

    Naive: compares all pairs.
    Stopped by: tfmodel.files.checkpoints.arrays.check_tiling
    """

    def make(size: int) -> str:
        folder = tmp_path / str(size)
        folder.mkdir()
        records: dict[str | bytes, BundleEntryProto] = {
            encode_slice_key("w", [(n, 1)]): entry(1, data=DATA[:4], offset=4 * n) for n in range(size)
        }
        records["w"] = BundleEntryProto(dtype=FLOAT, shape=shape(size), slices=parts(*((n, 1) for n in range(size))))
        return write(folder, records, data=DATA[:4] * size)

    assert_linear(lambda path: tfmodel.Checkpoint(path)["w"], make, 500)


# --- the files -------------------------------------------------------------------------------------------------------


def test_invalid_names(tmp_path):
    """Attack: names that are invalid UTF-8, a megabyte long, or full of zero bytes.

    Naive: UnicodeDecodeError, or a name that ends earlier for C code than for Python.
    Stopped by: tfmodel.files.checkpoints.v2.Bundle, tfmodel.values.terminal.escape
    """
    assert "not UTF-8" in refused(write(tmp_path, {b"w\xff": entry(4)}))
    long = "x" * 1_000_000
    path = write(tmp_path, {long: entry(3)})
    with pytest.raises(CheckpointError) as raised:
        tfmodel.Checkpoint(path)[long]
    assert len(str(raised.value)) < 1_000
    with pytest.raises(CheckpointError) as raised:
        tfmodel.Checkpoint(write(tmp_path, {"a\0\x1b[2Jb": entry(3)}))["a\0\x1b[2Jb"]
    assert "\x1b" not in str(raised.value) and "\0" not in str(raised.value)


def test_prefixes_that_lead_out_of_the_folder(tmp_path):
    """Attack: a state file that names a checkpoint by an absolute path, or with "..", or with zero bytes.

    Naive: opens any named file. (Here it must be a checkpoint, and the names of shards are computed.)
    Stopped by: tfmodel.files.checkpoints.locate.find_checkpoint, tfmodel.files.checkpoints.data_files.shard_name
    """
    for name in ("/etc/passwd", "../../../../../../etc/passwd", "a\\000b", "", ".", "/", "x" * 5_000):
        (tmp_path / "checkpoint").write_text(f'model_checkpoint_path: "{name}"')
        with pytest.raises((tfmodel.Error, OSError)):
            tfmodel.Checkpoint(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_data_files_that_are_pipes(tmp_path):
    """Attack: a data file that is a pipe, a device, a folder, or a link to itself.

    Naive: waits forever for a writer, or reads zeros until the memory is full.
    Stopped by: tfmodel.files.checkpoints.data_files.map_file
    """
    path = write(tmp_path, {"w": entry(4)})
    data = tmp_path / "m.data-00000-of-00001"
    data.unlink()
    code = (
        "import sys, tfmodel\ntry: tfmodel.Checkpoint(sys.argv[1])['w']\nexcept (tfmodel.Error, OSError) as e: print(e)"
    )
    os.mkfifo(data)
    assert "this is not a file" in confined(code, path)
    data.unlink()
    data.symlink_to("/dev/zero")
    assert "this is not a file" in refused(path)
    data.unlink()
    data.symlink_to(data.name)
    with pytest.raises(OSError, match="symbolic links"):
        tfmodel.Checkpoint(path)["w"]
    data.unlink()
    data.mkdir()
    assert "this is not a file" in refused(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("what", ["pipe", "zeros", "folder", "loop", "nothing"])
def test_an_index_that_is_a_special_file(what, tmp_path):
    """Attack: an index that is a pipe, a device, a folder, a link to itself or a dangling link.

    Naive: waits forever, reads zeros until the memory is full, or assumes that the name is a file's.
    Stopped by: tfmodel.files.checkpoints.locate.find_checkpoint
    """
    path = write(tmp_path, {"w": entry(4)})
    index = tmp_path / "m.index"
    index.unlink()
    match what:
        case "pipe":
            os.mkfifo(index)
        case "zeros":
            index.symlink_to("/dev/zero")
        case "folder":
            index.mkdir()
        case "loop":
            index.symlink_to(index.name)
        case "nothing":
            index.symlink_to("nowhere")
    code = """
import sys, tfmodel
for path in sys.argv[1:]:
    try: tfmodel.Checkpoint(path)
    except tfmodel.CheckpointError as e: print(e)
"""
    data = tmp_path / "m.data-00000-of-00001"
    assert confined(code, path, tmp_path, data).count("m.index: this is not a file but a ") == 3


def test_a_state_file_of_megabytes(tmp_path):
    """Attack: a state file with a path of ten megabytes.

    Naive: searches files with it as a pattern, for a minute, and prints all of it in an error.
    Stopped by: tfmodel.files.checkpoints.locate.find_checkpoint, tfmodel.files.locate.locate
    """

    def make(size: int) -> str:
        (tmp_path / "checkpoint").write_text(f'model_checkpoint_path: "{"[?*" * size}"')
        return str(tmp_path)

    make(3_500_000)
    start = time.thread_time()
    with pytest.raises(CheckpointError) as raised:
        tfmodel.Checkpoint(tmp_path)
    with pytest.raises(tfmodel.FileFormatError):
        tfmodel.load(tmp_path)
    assert time.thread_time() - start < 5  # patterns take a minute
    assert len(str(raised.value)) < 1_000


def test_sound_checkpoints_beside_a_link_that_leads_nowhere(tmp_path):
    path = write(tmp_path, {f"w{number}": entry(4, offset=16 * number) for number in range(20)}, data=DATA * 20)
    try:
        (tmp_path / "m.data-old").symlink_to("nowhere")
    except OSError as error:
        pytest.skip(f"links cannot be made here: {error}")
    with tfmodel.Checkpoint(path) as checkpoint:
        assert {name: checkpoint[name].sum() for name in checkpoint} == {f"w{number}": 10 for number in range(20)}


# --- version 1 -------------------------------------------------------------------------------------------------------


def write_v1(folder, meta: SavedSliceMeta, records: dict[bytes, SavedSlice]) -> str:
    first = SavedTensorSlices(meta=SavedTensorSliceMeta(tensor=[meta]))
    rows = [
        (b"", first.to_bytes()),
        *((key, SavedTensorSlices(data=value).to_bytes()) for key, value in records.items()),
    ]
    (folder / "v1").write_bytes(table(block(rows)))
    return str(folder / "v1")


def slice_of(size: int, values: list[float]) -> SavedSlice:
    return SavedSlice(name="w", data=TensorProto(dtype=FLOAT, float_val=values))


V1 = {
    "fewer values than elements": (4, [(0, 4)], [1.0], "4"),
    "more values than elements": (1, [(0, 1)], [1.0] * 9, "its shape needs 4"),
    "2**40 elements": (2**40, [(0, 2**40)], [1.0], "are not in files of"),
    "a hole": (4, [(0, 1), (2, 2)], [1.0], "do not cover"),
    "an overlap": (4, [(0, 3), (2, 2)], [1.0] * 3, "overlap"),
    "beyond the end": (4, [(2, 4)], [1.0], "not inside of a dimension of 4"),
    "2**40 elements in parts": (2**40, [(0, 2**39), (2**39, 2**39)], [1.0], "are not in files of"),
    "below zero": (-4, [(0, 4)], [1.0], "has a negative size"),
}


@pytest.mark.parametrize("lie", V1)
def test_version_1(lie, tmp_path):
    """Attack: the same in a checkpoint of version 1, whose table of contents and records contradict each other.

    Naive: allocates the shape, or trusts one of the two.
    Stopped by: tfmodel.files.checkpoints.v1.SavedSlices, tfmodel.files.checkpoints.arrays.slice_values
    """
    size, extents, values, problem = V1[lie]
    meta = SavedSliceMeta(name="w", shape=shape(size), type=FLOAT, slice=parts(*extents))
    records = {encode_slice_key("w", [extent]): slice_of(extent[1], values) for extent in extents}
    assert problem in refused(write_v1(tmp_path, meta, dict(sorted(records.items()))))


def test_version_1_without_records(tmp_path):
    """Attack: a table of contents that lists missing records.

    Naive: KeyError.
    Stopped by: tfmodel.files.checkpoints.v1.SavedSlices
    """
    meta = SavedSliceMeta(name="w", shape=shape(4), type=FLOAT, slice=[TensorSliceProto(extent=[Extent()])])
    assert "its values are missing" in refused(write_v1(tmp_path, meta, {}))
