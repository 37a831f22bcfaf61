"""Malicious WAV files, for graphs that decode sound."""

from __future__ import annotations

import struct

import pytest

import tfmodel
from tests.hostile.graphs import constant, graph, node
from tests.hostile.measure import assert_linear, peak
from tests.kernel_cases.audio import wav
from tfmodel.messages import DataType


def decoded(data: bytes, **attributes: int):
    attributes = {"desired_channels": -1, "desired_samples": -1} | attributes
    nodes = [constant("x", [data], dtype=DataType.DT_STRING), node("y", "DecodeWav", "x", **attributes)]
    return tfmodel.run(graph(*nodes), {}, "y", max_bytes=1 << 24)["y"]


def test_sound_file():
    assert decoded(wav([0, 16384])).tolist() == [[0.0], [0.5]]


@pytest.mark.parametrize("size", [2**31 - 1, 2**31, 2**32 - 1])
def test_a_wrong_size(size):
    """Attack: a file of a few bytes whose header declares gigabytes of samples.

    Naive: allocates the samples before it reads them.
    Stopped by: tfmodel.kernels.parsing.audio
    """

    def read() -> None:
        with pytest.raises(tfmodel.RunError, match=r"truncated|a chunk of"):
            decoded(wav(size=size))

    read()
    assert peak(read) < 1 << 20


@pytest.mark.parametrize(
    "attributes",
    [{"desired_samples": 2**31 - 1}, {"desired_channels": 2**31 - 1}, {"desired_channels": 2**62}],
)
def test_wrong_attributes(attributes):
    """Attack: a node that asks for more samples or channels than there is memory.

    Naive: pads the sound to this size.
    Stopped by: tfmodel.kernels.runtime.memory_limit
    """

    def read() -> None:
        with pytest.raises(tfmodel.RunError, match="bytes"):
            decoded(wav([0, 16384]), **attributes)

    read()
    assert peak(read) < 1 << 20


def test_many_chunks():
    """Attack: a file of thousands of empty chunks.

    Naive: copies the rest of the file at each chunk.
    Stopped by: tfmodel.kernels.parsing.audio
    """
    assert_linear(decoded, lambda size: wav([0], after=struct.pack("<4sI", b"LIST", 0) * size), 20_000)
