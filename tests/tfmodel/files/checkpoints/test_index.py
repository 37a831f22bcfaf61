"""Contents of an index: headers and entries of both versions, parts of tensors, and damaged records."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.corpus import corpus, corpus_files, needs_corpus
from tfmodel.errors import CheckpointError
from tfmodel.files.checkpoints.index import BundleIndex, SliceKey, SlicesIndex, encode_slice_key, read_index
from tfmodel.files.checkpoints.table_file import is_table
from tfmodel.messages import (
    BundleEntryProto,
    BundleHeaderProto,
    DataType,
    SavedSliceMeta,
    SavedTensorSliceMeta,
    SavedTensorSlices,
    TensorShapeProto,
    TensorSliceProto,
    VersionDef,
)

from .tables import COUNTER, block, table

HEADER = BundleHeaderProto(num_shards=2, version=VersionDef(producer=1))
META = SavedTensorSliceMeta(
    tensor=[
        SavedSliceMeta(name="b", shape=TensorShapeProto(), type=DataType.DT_FLOAT, slice=[TensorSliceProto()]),
        SavedSliceMeta(name="a", shape=TensorShapeProto(), type=DataType.DT_INT64),
    ],
    versions=VersionDef(producer=1),
)


def bundle(*entries: tuple[bytes, bytes], header: bytes | None = None) -> bytes:
    return table(block([(b"", HEADER.to_bytes() if header is None else header), *sorted(entries)]))


def problem(data: bytes) -> str:
    with pytest.raises(CheckpointError) as caught:
        read_index(data)
    return str(caught.value)


def test_a_real_index():
    index = read_index(COUNTER)
    assert index == BundleIndex(
        BundleHeaderProto(num_shards=1, version=VersionDef(producer=1)),
        {"counter": BundleEntryProto(dtype=DataType.DT_FLOAT, shape=TensorShapeProto(), size=4, crc32c=0x3A117BA6)},
        {},
    )


def test_entries_keep_their_order_and_parts_stand_apart():
    entry = BundleEntryProto(dtype=DataType.DT_FLOAT, size=4).to_bytes()
    keys = [
        b"w",
        "é".encode(),
        b"w/b",
        encode_slice_key("w", [(0, 2), (0, -1)]),
        encode_slice_key("w", [(2, 2), (0, -1)]),
    ]
    index = read_index(bundle(*((key, entry) for key in keys)))
    assert isinstance(index, BundleIndex)
    assert index.header == HEADER
    assert list(index.entries) == ["w", "w/b", "é"]
    assert list(index.slices) == [SliceKey("w", ((0, 2), (0, -1))), SliceKey("w", ((2, 2), (0, -1)))]
    assert [str(key) for key in index.slices] == ["w[0,2:-]", "w[2,2:-]"]
    assert set(map(BundleEntryProto.to_bytes, (*index.entries.values(), *index.slices.values()))) == {entry}


def test_a_v1_file_is_its_table_of_contents():
    data = table(
        block([(b"", SavedTensorSlices(meta=META).to_bytes()), (encode_slice_key("b", []), b"not looked at")]),
    )
    index = read_index(data)
    assert index == SlicesIndex(META)
    assert list(index.entries) == ["b", "a"]
    assert index.entries["a"].type == DataType.DT_INT64


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"", BundleIndex),
        (b"\x08\x01", BundleIndex),
        (b"\x1a\x02\x08\x01", BundleIndex),
        (b"\x0a\x00", SlicesIndex),
        (b"\x12\x00\x0a\x00", SlicesIndex),
    ],
)
def test_the_version_is_in_the_first_record(first, kind):
    assert type(read_index(bundle(header=first))) is kind


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (table(), "not a checkpoint: the table has no record under the empty key"),
        (table(block([(b"a", b"")])), "not a checkpoint: the table has no record under the empty key"),
        (bundle(header=b"\x08"), "damaged index: in the first record, which begins at byte 3: truncated"),
        (bundle(header=b"\x1a\x01\x08"), "damaged index: in the header, which begins at byte 3: truncated"),
        (bundle(header=b"\x0a\x01\x0a"), "damaged index: in the table of contents, which begins at byte 3: truncated"),
        (bundle((b"w", b"\x2d\x00")), 'damaged index: in the entry "w", which begins at byte 13: truncated'),
        (bundle((b"\x1b[1m", b"\x2d\x00")), "in the entry '\\x1b[1m', which begins at byte 16: truncated"),
        (bundle((b"\xff", b"")), "damaged index: the key '\\xff' at byte 13 is not UTF-8"),
        (bundle((b"\0w", b"")), "the key '\\x00w' at byte 14 is not the key of a slice: it does not begin with"),
        (bundle((encode_slice_key("w", []), b"\x00")), 'in the entry "w[]", which begins at byte 17: field number 0'),
        (COUNTER[:-1], "truncated, or not a checkpoint: no magic number at byte 114"),
    ],
)
def test_damage(data, text):
    assert text in problem(data)


def test_every_changed_byte_and_every_truncation_is_noticed_or_harmless():
    expected = read_index(COUNTER)
    for offset in range(len(COUNTER)):
        problem(COUNTER[:offset])
        for change in (1, 0x80, 0xFF):
            data = bytearray(COUNTER)
            data[offset] ^= change
            try:
                assert read_index(data) == expected
                assert 75 <= offset < 115  # the footer's padding, and handles that can be spelled in two ways
            except CheckpointError:
                pass
            with suppress(CheckpointError):
                read_index(data, checksums=False)


@given(st.binary(max_size=40), st.dictionaries(st.binary(min_size=1, max_size=20), st.binary(max_size=30), max_size=3))
def test_nothing_but_checkpoint_errors_comes_out(first, records):
    try:
        index = read_index(bundle(*records.items(), header=first))
    except CheckpointError:
        return
    assert isinstance(index, SlicesIndex) or len(index.entries) + len(index.slices) == len(records)


@needs_corpus
def test_real_checkpoints():
    assert corpus is not None
    indices = {
        "/".join(path.relative_to(corpus).parts[1:]): read_index(path.read_bytes())
        for path in corpus_files(".index", "export", "-of-00001")
        if is_table(path.read_bytes())
    }
    names = {path: (type(index), list(index.entries)) for path, index in indices.items()}
    assert names == {
        "bad_half_plus_two/00000123/export": (SlicesIndex, ["Variable", "Variable_1"]),
        "saved_model_counter/00000123/variables/variables.index": (BundleIndex, ["counter"]),
        "saved_model_half_plus_three/00000123/variables/variables.index": (BundleIndex, ["a", "b", "c"]),
        "saved_model_half_plus_two_cpu/00000123/variables/variables.index": (BundleIndex, ["a", "a2", "b", "c", "c2"]),
        "saved_model_half_plus_two_mkl/00000123/variables/variables.index": (
            BundleIndex,
            ["a", "b", "c", *(f"conv2d{n}/{part}" for n in ("", "_1", "_2") for part in ("bias", "kernel"))],
        ),
        "saved_model_half_plus_two_tf2_cpu/00000123/variables/variables.index": (
            BundleIndex,
            ["_CHECKPOINTABLE_OBJECT_GRAPH", *(f"{name}/.ATTRIBUTES/VARIABLE_VALUE" for name in "abc")],
        ),
        "session_bundle/half_plus_two/00000123/export-00000-of-00001": (SlicesIndex, ["a", "b"]),
        "regression/checkpoint/model.index": (BundleIndex, ["W", "b"]),
        "regression/saved_model/variables/variables.index": (BundleIndex, ["W", "b"]),
    }
