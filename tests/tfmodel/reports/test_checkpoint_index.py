"""`tfmodel.reports.wire`: the tensors that a checkpoint's index lists."""

from __future__ import annotations

import textwrap

import pytest

from tests.support.corpus import corpus, corpus_files, needs_corpus
from tests.tfmodel.models import shape
from tfmodel.files.checkpoints.index import BundleIndex, SliceKey, SlicesIndex, read_index
from tfmodel.messages import (
    BundleEntryProto,
    BundleHeaderProto,
    DataType,
    SavedSliceMeta,
    SavedTensorSliceMeta,
    TensorSliceProto,
    VersionDef,
)
from tfmodel.reports.wire import index_lines


def page(index, **options):
    return "\n".join(index_lines(index, **options))


def part(start=0, length=None):
    return TensorSliceProto(extent=[TensorSliceProto.Extent(start=start, length=length), TensorSliceProto.Extent()])


BUNDLE = BundleIndex(
    header=BundleHeaderProto(num_shards=2, version=VersionDef(producer=1)),
    entries={
        "bias": BundleEntryProto(dtype=DataType.DT_FLOAT, shape=shape(4), size=16, crc32c=0xAB),
        "split": BundleEntryProto(dtype=DataType.DT_INT64, shape=shape(6, 2), slices=[part(0, 4), part(4, 2)]),
        "\x1b": BundleEntryProto(dtype=DataType.DT_STRING, shape=shape(), shard_id=1, offset=1200, size=7),
    },
    slices={
        SliceKey("split", ((0, 4), (0, -1))): BundleEntryProto(
            dtype=DataType.DT_INT64, shape=shape(4, 2), offset=16, size=64
        ),
        SliceKey("split", ((4, 2), (0, -1))): BundleEntryProto(
            dtype=DataType.DT_INT64, shape=shape(2, 2), offset=80, size=32
        ),
    },
)


def test_a_bundle():
    assert page(BUNDLE) == textwrap.dedent(r"""
        checkpoint index (V2): 3 tensors in 2 data files, little-endian, version 1

        name            type        shard  offset  size
        bias            float32[4]      0       0    16
        split           int64[6,2]                       in 2 slices
          split[0,4:-]  int64[4,2]      0      16    64
          split[4,2:-]  int64[2,2]      0      80    32
        \x1b            string[]        1    1200     7
    """).strip("\n")


def test_checksums_when_full():
    line = next(line for line in index_lines(BUNDLE, full=True) if line.startswith("bias"))
    assert line.split() == ["bias", "float32[4]", "0", "0", "16", "000000ab"]


def test_a_v1_checkpoint():
    meta = SavedTensorSliceMeta(
        tensor=[
            SavedSliceMeta(name="w", shape=shape(6, 2), type=DataType.DT_FLOAT, slice=[part(0, 4), part(4, 2)]),
            SavedSliceMeta(name="step", shape=shape(), type=DataType.DT_INT64, slice=[TensorSliceProto()]),
        ]
    )
    assert page(SlicesIndex(meta)) == textwrap.dedent("""
        checkpoint (V1): 2 tensors

        name  type          slices
        w     float32[6,2]  0,4:- 4,2:-
        step  int64[]       all
    """).strip("\n")


@needs_corpus
@pytest.mark.parametrize("path", corpus_files(".index", "export-00000-of-00001"), ids=str)
def test_the_corpus(path):
    lines = list(index_lines(read_index(path.read_bytes())))
    assert lines[0].startswith("checkpoint")
    assert len(lines) > 3


@needs_corpus
def test_a_compressed_index():
    path = corpus / "serving/saved_model_half_plus_two_tf2_cpu/00000123/variables/variables.index"
    assert "_CHECKPOINTABLE_OBJECT_GRAPH" in page(read_index(path.read_bytes()))
