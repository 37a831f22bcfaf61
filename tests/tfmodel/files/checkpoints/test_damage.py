"""Damaged and hostile checkpoints raise only CheckpointError, with the fault and its position."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import prod
from pathlib import Path

import numpy as np
import pytest

from tests.support.effort import scaled, some
from tests.support.wire_bytes import varint
from tests.tfmodel.models import shape
from tfmodel.errors import CheckpointError
from tfmodel.files.access.crc32c import crc32c, mask
from tfmodel.files.checkpoints.checkpoint import Checkpoint, problems
from tfmodel.files.checkpoints.index import OBJECT_GRAPH_KEY, encode_slice_key
from tfmodel.files.checkpoints.table_file import table as write_table
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
    TensorSliceProto,
    VersionDef,
)

from .golden import golden
from .tables import block, literal, table, trailer

Extent = TensorSliceProto.Extent
HUGE = 1 << 62


def extents(*pairs):
    return TensorSliceProto(extent=[Extent(start=start, length=length) for start, length in pairs])


def entry(dtype=DataType.DT_FLOAT, sizes=(2,), *, size=8, **fields):
    return BundleEntryProto(dtype=dtype, shape=shape(*sizes), size=size, **fields)


def parts(sizes, *pairs, dtype=DataType.DT_FLOAT, **fields):
    """Records of a tensor "w" of floats in parts along its first axis, each with bytes of its own."""
    records = {b"w": BundleEntryProto(dtype=dtype, shape=shape(*sizes), slices=[extents(pair) for pair in pairs])}
    offset = 0
    for start, length in pairs:
        part = {"offset": offset, "size": min(4 * length, 2**63 - 1), **fields}
        records[encode_slice_key("w", [(start, length)])] = entry(dtype, (length,), **part)
        offset += 4 * length
    return records


@pytest.fixture
def bundle(tmp_path):
    """A function that writes a V2 checkpoint of any records and data, without checksums of tensors, and opens it."""

    def write(records, data=bytes(64), *, header=None, count=1, verify="index"):
        header = BundleHeaderProto(num_shards=count, version=VersionDef(producer=1)) if header is None else header
        stored = {key if isinstance(key, bytes) else key.encode(): value.to_bytes() for key, value in records.items()}
        index = write_table([(b"", header.to_bytes()), *sorted(stored.items())])
        (tmp_path / "model.index").write_bytes(index)
        for number in range(count):
            (tmp_path / f"model.data-{number:05d}-of-{count:05d}").write_bytes(data)
        return Checkpoint(tmp_path / "model", verify=verify)

    return write


def read_everything(path, verify="read"):
    with Checkpoint(path, verify=verify) as checkpoint:
        for name in checkpoint:
            checkpoint[name]
        return checkpoint.object_graph


def small_checkpoint(prefix):
    tensors = {"a": np.arange(3, dtype="f4"), "b/c": np.array(["x", "yz"], object), "d": np.zeros((0, 2), "i8")}
    write_checkpoint(prefix, tensors)


def copy_of(name, folder):
    """A copy of a golden checkpoint, to be changed; its prefix."""
    source = golden(name).path
    for path in source.parent.glob(source.name + "*"):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder / source.name


def v1_file(path, tensors):
    """A V1 checkpoint: for each name its SavedSliceMeta, and for each of its keys a TensorProto."""
    meta = SavedTensorSliceMeta(tensor=[meta for meta, _ in tensors], versions=VersionDef(producer=1))
    records = [(b"", SavedTensorSlices(meta=meta).to_bytes())]
    for meta, values in tensors:
        for pairs, tensor in values.items():
            slices = SavedTensorSlices(data=SavedSlice(name=meta.name, data=tensor))
            records.append((encode_slice_key(meta.name, pairs), slices.to_bytes()))
    path.write_bytes(write_table(sorted(records)))
    return path


# --- every byte ------------------------------------------------------------------------------------------------------


def with_one_byte_changed(path: Path, flip: int, places: Sequence[int]) -> Iterator[int]:
    """Yield each offset while its byte in the file is changed; only that byte is written, not the whole file."""
    whole = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        for offset in places:
            file.seek(offset)
            file.write(bytes([whole[offset] ^ flip]))
            yield offset
            file.seek(offset)
            file.write(whole[offset : offset + 1])


def truncated(path: Path) -> Iterator[int]:
    """The sizes that a file has when it loses one byte after another."""
    with path.open("r+b", buffering=0) as file:
        for size in reversed(range(path.stat().st_size)):
            file.truncate(size)
            yield size


@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
@pytest.mark.parametrize("verify", ["read", "off"])
def test_every_byte_of_an_index(tmp_path, flip, verify):
    small_checkpoint(tmp_path / "m")
    path = tmp_path / "m.index"
    harmless = 0
    for _ in with_one_byte_changed(path, flip, range(path.stat().st_size)):
        try:
            read_everything(tmp_path / "m", verify)
            harmless += 1
        except CheckpointError as error:
            assert str(tmp_path) in str(error)
    assert verify == "off" or harmless < 40  # zeros that fill the footer up


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
@pytest.mark.parametrize("verify", ["read", "off"])
@pytest.mark.parametrize("name", ["sliced_v1", "shapes_v1"])
def test_every_byte_of_a_v1_file(tmp_path, name, flip, verify):
    """By default one byte of every eight, in each of which there is a field."""
    path = copy_of(name, tmp_path)
    harmless = 0
    whole = range(path.stat().st_size)
    places = some(whole, 8)
    for _ in with_one_byte_changed(path, flip, places):
        try:
            read_everything(path, verify)
            harmless += 1
        except CheckpointError as error:
            assert str(tmp_path) in str(error)
    assert verify == "off" or harmless < max(10, 40 * len(places) // len(whole))


def test_every_byte_of_a_data_file(tmp_path):
    small_checkpoint(tmp_path / "m")
    path = tmp_path / "m.data-00000-of-00001"
    for _ in with_one_byte_changed(path, 1, range(path.stat().st_size)):
        with pytest.raises(CheckpointError, match=r"m\.data-00000-of-00001: tensor \".*\" at byte"):
            read_everything(tmp_path / "m")
        read = [str(error) for error in problems(tmp_path / "m")]
        assert len(read) == 1


def test_every_truncation(tmp_path):
    small_checkpoint(tmp_path / "m")
    for path in (tmp_path / "m.index", tmp_path / "m.data-00000-of-00001"):
        whole = path.read_bytes()
        for _ in truncated(path):
            with pytest.raises(CheckpointError):
                read_everything(tmp_path / "m")
        path.write_bytes(whole)
    path = copy_of("sliced_v1", tmp_path)
    for _ in truncated(path):
        with pytest.raises(CheckpointError):
            read_everything(path)


@pytest.mark.parametrize("name", ["objects_v2", "grid_v2", "variants_v2", "types_v1", "sliced_v1"])
def test_random_changes_without_checksums(name, tmp_path):
    """Several bytes at once, in all files, with nothing to notice them but what they say."""
    prefix = copy_of(name, tmp_path)
    wholes = {path: path.read_bytes() for path in tmp_path.iterdir()}
    rng = random.Random(name)
    for _ in range(scaled(300)):
        path = rng.choice(list(wholes))
        data = bytearray(wholes[path])
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        path.write_bytes(data)
        with suppress(CheckpointError):
            read_everything(prefix, "off")
        path.write_bytes(wholes[path])


# --- what an index says ----------------------------------------------------------------------------------------------

BAD_ENTRIES = {
    "the offset is behind the end": (entry(offset=60), "its 8 bytes at 60 are not inside of"),
    "the offset is negative": (entry(offset=-1), "its 8 bytes at -1 are not inside of"),
    "the offset overflows": (entry(offset=2**63 - 1), "are not inside of"),
    "the size is negative": (entry(size=-8), "its -8 bytes at 0 are not inside of"),
    "the size does not fit the shape": (entry(size=12), "2 elements of float32 have 8 bytes, not 12"),
    "the size is huge": (entry(sizes=(HUGE,), size=HUGE * 2 - 1), "are not inside of"),
    "the shape is huge": (entry(sizes=(HUGE,)), "elements of float32 have 18,446,744,073,709,551,616 bytes, not 8"),
    "the shape overflows": (entry(sizes=(HUGE, 4)), "more elements than a tensor can have"),
    "the shape overflows to nothing": (entry(sizes=(HUGE, 4), size=0), "more elements than a tensor can have"),
    "the shape has a zero and is huge": (
        entry(sizes=(0, HUGE, HUGE), size=0, crc32c=mask(0)),
        "NumPy has no arrays of shape",
    ),
    "a dimension is negative": (entry(sizes=(-1,)), 'the entry "w": its shape [-1] has a negative size'),
    "two dimensions are negative": (entry(sizes=(-1, -2)), 'the entry "w": its shape [-1, -2] has a negative size'),
    "the rank is too high": (
        entry(sizes=(1,) * 100, size=4, crc32c=mask(crc32c(bytes(4)))),
        "NumPy has no arrays of shape",
    ),
    "the rank is absurd": (entry(sizes=(HUGE,) * 10_000), "10,000 dimensions, more than 254"),
    "the type is not known": (entry(99), "there is no type of number 99"),
    "the type is not set": (entry(0), "the type is not set"),
    "handles are not stored": (entry(DataType.DT_RESOURCE), "there are no tensors of type resource in checkpoints"),
    "the data file is one too many": (entry(shard_id=1), "it is in data file 1, but there are 1"),
    "the data file is negative": (entry(shard_id=-1), "it is in data file -1, but there are 1"),
    "more strings than bytes": (entry(DataType.DT_STRING, (HUGE,)), "8 bytes are too few for"),
    "no bytes for strings": (entry(DataType.DT_STRING, (1,), size=0), "0 bytes are too few for 1 strings"),
    "more variants than bytes": (entry(DataType.DT_VARIANT, (HUGE,)), "8 bytes are too few for"),
}


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@pytest.mark.parametrize("case", BAD_ENTRIES)
@pytest.mark.parametrize("verify", ["read", "index", "off"])
def test_entries_that_cannot_be_right(bundle, case, verify):
    record, words = BAD_ENTRIES[case]
    assert bundle({"w": entry()})["w"].tolist() == [0, 0]  # what is imported is not counted
    checkpoint = bundle({"w": record}, verify=verify)
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError) as caught:
            checkpoint["w"]
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert words in str(caught.value)
    assert '"w"' in str(caught.value)
    assert "model.index" in str(caught.value) or "at byte 0" in str(caught.value)


BAD_PARTS = {
    "one is missing": (parts((6,), (0, 2), (4, 2)), "its parts do not cover it: they have 4 elements, it has 6"),
    "one comes twice": (parts((6,), (0, 2), (0, 2), (4, 2)), "its parts overlap: 0 to 2 along axis 0 comes twice"),
    "two overlap": (parts((6,), (0, 3), (2, 3)), "its parts overlap: 2 to 3 along axis 0 comes twice"),
    "too many": (parts((4,), (0, 3), (1, 3)), "its parts overlap or are too many: they have 6 elements, it has 4"),
    "one is outside": (
        parts((4,), (0, 2), (3, 2)),
        "its part w[3,2]: its 2 elements from 3 are not inside of a dimension of 4",
    ),
    "one is negative": (parts((4,), (0, 2), (-1, 2)), "its 2 elements from -1 are not inside of a dimension of 4"),
    "one has a negative length": (parts((4,), (0, 4), (3, -2)), "its -2 elements from 3 are not inside of"),
    "one has a huge length": (parts((HUGE,), (0, 4), (4, HUGE - 4)), "are not inside of"),
    "their bytes are the same": (parts((40,), *((n, 2) for n in range(0, 40, 2)), offset=0), "have 160 bytes, but"),
    "the whole is huge": (parts((HUGE,), (0, 4)), "its parts do not cover it: they have 4 elements"),
    "more strings than bytes": (
        parts((2**34,), (0, 2**33), (2**33, 2**33), dtype=DataType.DT_STRING, size=0, offset=0),
        "0 bytes are too few for 8,589,934,592 strings",
    ),
    "more variants than bytes": (
        parts((2**34,), (0, 2**33), (2**33, 2**33), dtype=DataType.DT_VARIANT, size=8, offset=0),
        "8 bytes are too few for 8,589,934,592 variants",
    ),
    "a record is missing": (
        {"w": BundleEntryProto(dtype=1, shape=shape(2), slices=[extents((0, 1)), extents((1, 1))])},
        "its part w[0,1] is missing",
    ),
    "the rank is another": (
        {"w": BundleEntryProto(dtype=1, shape=shape(2, 2), slices=[extents((0, 2))])}
        | {encode_slice_key("w", [(0, 2)]): entry()},
        "it has 1 dimensions, the tensor has 2",
    ),
    "the type is another": (
        {"w": BundleEntryProto(dtype=1, shape=shape(2), slices=[extents((0, 2))])}
        | {encode_slice_key("w", [(0, 2)]): entry(DataType.DT_INT32)},
        "its type or shape does not fit the whole",
    ),
    "the shape is another": (
        {"w": BundleEntryProto(dtype=1, shape=shape(2), slices=[extents((0, 2))])}
        | {encode_slice_key("w", [(0, 2)]): entry(sizes=(1, 2))},
        "its type or shape does not fit the whole",
    ),
}


@pytest.mark.parametrize("case", BAD_PARTS)
def test_parts_that_make_no_whole(bundle, case):
    records, words = BAD_PARTS[case]
    checkpoint = bundle(records)
    with pytest.raises(CheckpointError) as caught:
        checkpoint["w"]
    assert words in str(caught.value)
    assert 'model.index: tensor "w"' in str(caught.value) or 'model.index: the entry "w"' in str(caught.value)


@pytest.mark.parametrize(
    ("tiles", "words"),
    [
        ([((0, 1), (0, 2)), ((1, 1), (1, 2)), ((1, 1), (0, 2))], "overlap: the one of shape [1, 2] at [1, 0]"),
        ([((0, 2), (0, 1)), ((0, 1), (1, 2)), ((0, 1), (0, 2))], "its parts overlap"),
    ],
)
def test_parts_of_a_grid_that_overlap(bundle, tiles, words):
    """As many elements as the tensor has, but not the right ones."""
    records = {"w": BundleEntryProto(dtype=1, shape=shape(2, 3), slices=[extents(*tile) for tile in tiles])}
    for number, tile in enumerate(tiles):
        sizes = tuple(length for _, length in tile)
        records[encode_slice_key("w", tile)] = entry(sizes=sizes, size=4 * prod(sizes), offset=8 * number)
    with pytest.raises(CheckpointError, match=words.replace("[", r"\[")):
        bundle(records)["w"]


def test_an_object_graph_in_slices(bundle):
    records = {OBJECT_GRAPH_KEY: BundleEntryProto(dtype=DataType.DT_STRING, shape=shape(), slices=[TensorSliceProto()])}
    checkpoint = bundle(records | {encode_slice_key(OBJECT_GRAPH_KEY, []): entry(DataType.DT_STRING, ())})
    with pytest.raises(CheckpointError, match='tensor "_CHECKPOINTABLE_OBJECT_GRAPH": it is stored in slices'):
        checkpoint.object_graph  # noqa: B018  it is read now


def test_many_parts_take_linear_time(bundle):
    count = 4000
    records = parts((count,), *((n, 1) for n in range(count)))
    assert bundle(records, np.arange(count, dtype="<f4").tobytes())["w"].tolist() == list(range(count))


def test_missing_shards(tmp_path):
    path = copy_of("sharded_v2", tmp_path)
    lost = tmp_path / "model.ckpt.data-00001-of-00003"
    whole = lost.read_bytes()
    lost.write_bytes(whole[:-1])
    assert [str(error).replace(str(tmp_path), "") for error in problems(path)] == [
        '/model.ckpt.index: tensor "layer_1/v1": its 24 bytes at 12 are not inside of '
        "/model.ckpt.data-00001-of-00003, which has 35"
    ]
    lost.unlink()
    existing = "model.ckpt.data-00000-of-00003, model.ckpt.data-00002-of-00003"
    assert [str(error).replace(str(tmp_path), "") for error in problems(path)] == [
        f"/model.ckpt.data-00001-of-00003: this data file is missing; there is {existing}; "
        '2 tensors are in it: "layer_1/v0", "layer_1/v1"'
    ]


def test_a_count_of_files_that_is_too_high_is_accepted(bundle, tmp_path):
    """Merged checkpoints count files that were never needed."""
    bundle({"w": entry()}, np.array([1, 2], "<f4").tobytes(), count=1)
    index = (tmp_path / "model.index").read_bytes()
    (tmp_path / "model.data-00000-of-00001").rename(tmp_path / "model.data-00000-of-00002")
    (tmp_path / "model.index").write_bytes(index)
    assert Checkpoint(tmp_path / "model", verify="index")["w"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (BundleHeaderProto(num_shards=-1), "it is in data file 0, but there are -1"),
        (BundleHeaderProto(), "it is in data file 0, but there are 0"),
        (BundleHeaderProto(num_shards=1, endianness=2), "the header has the unknown byte order 2"),
        (BundleHeaderProto(version=VersionDef(producer=2, min_consumer=2)), "unknown format"),
        (BundleHeaderProto(version=VersionDef(bad_consumers=[1])), "unknown format"),
    ],
)
def test_headers(bundle, header, words):
    with pytest.raises(CheckpointError, match=words):
        bundle({"w": entry()}, header=header)["w"]


@pytest.mark.parametrize(
    ("blocks", "words"),
    [
        ([], "the index has no header"),
        ([block([(b"a", b"")])], "the index has no header"),
        ([block([(b"", b"\x08\x01"), (b"b", b""), (b"a", b"")])], "key b'a' comes after b'b'"),
        ([block([(b"", b"\x08\x01"), (b"b", b"")]), block([(b"b", b"")])], "key b'b' comes after b'b'"),
        ([block([(b"", b"\x08\x01"), (b"\xff\xfe", b"")])], "a name is not UTF-8"),
        ([block([(b"", b"\x1a\x01")])], "in the header, which begins at byte"),
    ],
)
def test_indexes(tmp_path, blocks, words):
    (tmp_path / "model.index").write_bytes(table(*blocks))
    with pytest.raises(CheckpointError) as caught:
        Checkpoint(tmp_path / "model")
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "model.index"))
    assert [str(error) for error in problems(tmp_path / "model")][-1].startswith(str(tmp_path / "model.index"))


def test_a_compressed_block_that_would_fill_the_memory(tmp_path):
    contents = varint(1 << 31) + b"\xfe\x01\x00" * 1000
    path = tmp_path / "model.index"
    path.write_bytes(table(contents, compression=1))
    tracemalloc.start()
    try:
        with pytest.raises(CheckpointError, match="damaged Snappy data at byte 0: 3,005 bytes cannot hold"):
            Checkpoint(path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    good = block([(b"", BundleHeaderProto(num_shards=1).to_bytes())])
    path.write_bytes(table(literal(good), compression=1))
    assert list(Checkpoint(path)) == []
    assert trailer(b"")  # imported for the tables that are made by hand


# --- strings ---------------------------------------------------------------------------------------------------------


def strings(lengths, data, *, check=None):
    crc = crc32c(b"".join(length.to_bytes(4, "little") for length in lengths if length < 1 << 32))
    stored = mask(crc if check is None else check).to_bytes(4, "little")
    return b"".join(map(varint, lengths)) + stored + data, mask(crc32c(data, crc32c(stored, crc)))


@pytest.mark.parametrize(
    ("lengths", "data", "check", "words"),
    [
        ([1, 3], b"abc", None, "its strings have 4 bytes, 3 are there"),
        ([1, 1], b"abc", None, "its strings have 2 bytes, 3 are there"),
        ([1, 2**62], b"abc", None, "its strings have"),
        ([1, 2**32], b"abc", None, "its strings have"),
        ([1, 2], b"abc", 7, "the lengths of its strings have CRC"),
    ],
)
def test_wrong_lengths_of_strings(bundle, lengths, data, check, words):
    stored, crc = strings(lengths, data, check=check)
    record = entry(DataType.DT_STRING, (len(lengths),), size=len(stored), crc32c=crc)
    with pytest.raises(CheckpointError) as caught:
        bundle({"w": record}, stored, verify="read")["w"]
    assert words in str(caught.value)
    assert 'model.data-00000-of-00001: tensor "w" at byte 0: ' in str(caught.value)


@pytest.mark.parametrize("stored", [b"\x80" * 12, b"\x01" * 5, (b"\xff" * 9 + b"\x7f") * 2])
def test_strings_that_end_too_early(bundle, stored):
    record = entry(DataType.DT_STRING, (2,), size=len(stored))
    with pytest.raises(CheckpointError, match='tensor "w" at byte 0'):
        bundle({"w": record}, stored)["w"]


# --- version 1 -------------------------------------------------------------------------------------------------------

WHOLE = TensorSliceProto(extent=[Extent()])


def v1_tensor(tensor, *, dtype=DataType.DT_INT32, sizes=(2,), slices=(WHOLE,), pairs=((0, -1),)):
    return SavedSliceMeta(name="w", shape=shape(*sizes), type=dtype, slice=list(slices)), {pairs: tensor}


BAD_VALUES = {
    "too few": (v1_tensor(TensorProto(int_val=[1])), "it has 1 values, its shape needs 2"),
    "too many": (v1_tensor(TensorProto(int_val=[1, 2, 3])), "it has 3 values, its shape needs 2"),
    "in another field": (v1_tensor(TensorProto(float_val=[1, 2])), "it has 0 values, its shape needs 2"),
    "a huge shape": (v1_tensor(TensorProto(int_val=[1, 2]), sizes=(HUGE,)), "it has 2 values, its shape needs"),
    "floats": (
        v1_tensor(TensorProto(float_val=[1]), dtype=DataType.DT_FLOAT),
        "its values have 4 bytes, its shape needs 8",
    ),
    "strings": (
        v1_tensor(TensorProto(string_val=[b""]), dtype=DataType.DT_STRING),
        "it has 1 values, its shape needs 2",
    ),
    "out of range": (
        v1_tensor(TensorProto(int_val=[1, 300]), dtype=DataType.DT_UINT8),
        "one of its values does not fit into uint8",
    ),
    "negative out of range": (
        v1_tensor(TensorProto(int_val=[-1, -129]), dtype=DataType.DT_INT8),
        "one of its values does not fit into int8",
    ),
    "a type that V1 has not": (
        v1_tensor(TensorProto(), dtype=DataType.DT_VARIANT),
        "there are no tensors of type variant in V1 checkpoints",
    ),
    "no type": (v1_tensor(TensorProto(), dtype=0), "the type is not set"),
    "under another key": (
        v1_tensor(TensorProto(int_val=[1, 2]), pairs=((0, 2),)),
        "the table of contents has it, but its values are missing",
    ),
    "a negative dimension": (v1_tensor(TensorProto(), sizes=(-2,)), "its shape [-2] has a negative size"),
    "no part at all": (v1_tensor(TensorProto(), slices=()), "no part of it is there"),
    "a part outside": (
        v1_tensor(TensorProto(), slices=(extents((1, 2)),), pairs=((1, 2),)),
        "one of its parts: its 2 elements from 1 are not inside of a dimension of 2",
    ),
    "parts too huge": (
        v1_tensor(TensorProto(), sizes=(HUGE,), slices=(extents((0, 1)), extents((1, HUGE - 1))), pairs=((0, 1),)),
        "elements are not in files of",
    ),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_v1_values_that_cannot_be_right(tmp_path, case):
    tensor, words = BAD_VALUES[case]
    path = v1_file(tmp_path / "model", [tensor])
    with pytest.raises(CheckpointError) as caught:
        read_everything(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(f'{path}: tensor "w"')
    assert [str(error) for error in problems(path)] == [str(caught.value)]


@pytest.mark.parametrize(
    "payload",
    [b"\x80", b"\x01\x80", b"\xff" * 10 + b"\x01", b"\xff" * 9 + b"\x02\x01"],
)
def test_malformed_v1_numbers(tmp_path, payload):
    meta = SavedTensorSliceMeta(tensor=[v1_tensor(TensorProto())[0]])
    tensor = b"\x3a" + varint(len(payload)) + payload  # int_val
    record = b"\x1a" + varint(len(tensor)) + tensor
    data = b"\x12" + varint(len(record)) + record
    records = [(b"", SavedTensorSlices(meta=meta).to_bytes()), (encode_slice_key("w", [(0, -1)]), data)]
    (tmp_path / "model").write_bytes(write_table(records))
    with pytest.raises(CheckpointError, match='tensor "w" at byte'):
        read_everything(tmp_path / "model")


def test_v1_files_that_do_not_agree(tmp_path):
    for number, sizes in enumerate([(2,), (3,)]):
        v1_file(tmp_path / f"m-{number:05d}-of-00002", [v1_tensor(TensorProto(int_val=[1, 2]), sizes=sizes)])
    with pytest.raises(CheckpointError, match="two files do not agree on its type and shape"):
        Checkpoint(tmp_path / "m")
    (tmp_path / "m-00001-of-00002").unlink()
    with pytest.raises(CheckpointError, match="1 of its 2 files are there: m-00000-of-00002"):
        Checkpoint(tmp_path / "m")


def test_one_of_several_v1_files_is_damaged(tmp_path):
    """The other files are still read; each damaged block is reported once."""
    path = copy_of("cut_and_sharded_v1", tmp_path)
    lost = tmp_path / "model-00001-of-00003"
    whole = lost.read_bytes()
    lost.write_bytes(whole[:-1])
    errors = [str(error).replace(str(tmp_path), "") for error in problems(path)]
    assert errors == [
        f"/model-00001-of-00003: truncated, or not a checkpoint: no magic number at byte {len(whole) - 9}",
        '/model-00000-of-00003: tensor "rows": its parts do not cover it: they have 8 elements, it has 12',
    ]
    lost.write_bytes(whole[:20] + bytes([whole[20] ^ 1]) + whole[21:])
    errors = [str(error).replace(str(tmp_path), "") for error in problems(path)]
    assert len(errors) == 2
    assert errors[0].startswith("/model-00001-of-00003: damaged table at byte 0: the block has CRC")


def test_all_damage_is_found(tmp_path):
    """Not only the first bad tensor or block."""
    rng = np.random.default_rng(1)
    names = [f"{n}/{rng.bytes(150).hex()}" for n in range(2000)]
    write_checkpoint(tmp_path / "m", {name: np.float32(1) for name in names})
    index = tmp_path / "m.index"
    whole = bytearray(index.read_bytes())
    whole[1000] ^= 1
    index.write_bytes(whole)
    data = tmp_path / "m.data-00000-of-00001"
    changed = bytearray(data.read_bytes())
    for offset in (7996, 7990, 7000):
        changed[offset] ^= 1
    data.write_bytes(changed)
    errors = [str(error).replace(str(tmp_path), "") for error in problems(tmp_path / "m")]
    assert "damaged table at byte 0: the block has CRC" in errors[0]
    assert "the index has no header" in errors[1]  # which was in that block
    whole[1000] ^= 1
    whole[300_000] ^= 1
    index.write_bytes(whole)
    errors = [str(error).replace(str(tmp_path), "") for error in problems(tmp_path / "m")]
    assert "m.index: damaged table at byte 262," in errors[0]
    assert [error.split(" at byte ")[1].split(":")[0] for error in errors[1:]] == ["7,000", "7,988", "7,996"]


def test_tensors_that_are_all_the_same_bytes_are_not_read_again_and_again(bundle):
    same = {f"w{n:02}": entry(sizes=(16,), size=64, crc32c=mask(crc32c(bytes(64)))) for n in range(40)}
    records = same | {"damaged": entry(sizes=(-1,))}
    checkpoint = bundle(records, verify="read")
    for name in list(same)[:15]:
        assert checkpoint[name].shape == (16,)
    for name in list(same)[15:]:
        with pytest.raises(CheckpointError, match="its tensors have 2,560 bytes, in data files of 64: they overlap"):
            checkpoint[name]
    views = bundle(records, verify="index")
    assert all(views[name].shape == (16,) for name in same)


def test_a_shape_of_more_elements_than_can_be_counted(bundle):
    checkpoint = bundle({"w": entry(sizes=(HUGE,) * 254)})
    with pytest.raises(CheckpointError, match="has more elements than a tensor can have"):
        checkpoint["w"]
