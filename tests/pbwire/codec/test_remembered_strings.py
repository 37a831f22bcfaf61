"""Decoders remember long runs of strings in repeated fields: the lists are equal, and share nothing."""

from __future__ import annotations

import mmap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbwire import DecodeError
from pbwire.codec.codegen import function
from pbwire.codec.decoder import RUN_LIMITS
from tests.support.wire_bytes import ld
from tfmodel.messages import GraphDef, NodeDef

CONTROL_INPUTS = [f"^update_{i}" for i in range(20)]


@pytest.fixture
def runs():
    """Return what the decoder of NodeDef remembers, which is empty at first."""
    remembered = function(NodeDef.__table__, "decode").__globals__["runs_input"]
    remembered.clear()
    return remembered


NODES = {
    "the same inputs": ["a", "b", *CONTROL_INPUTS],
    "other inputs before": ["c:1", "", *CONTROL_INPUTS],
    "more inputs after": ["a", "b", *CONTROL_INPUTS, "^last"],
    "fewer inputs": ["a", "b", *CONTROL_INPUTS[:-1]],
    "another last input": ["a", "b", *CONTROL_INPUTS[:-1], "^other"],
    "other letters": ["a", "b", *CONTROL_INPUTS[:-1], "^gewählt"],
}


@pytest.mark.parametrize("name", NODES)
def test_inputs_are_read_as_if_nothing_were_remembered(name, runs):
    first = NodeDef(name="first", input=NODES["the same inputs"], device="/cpu:0").to_bytes()
    data = NodeDef(name="second", input=NODES[name], device="/gpu:0").to_bytes()
    NodeDef.from_bytes(first)
    assert len(runs) == 1
    for _ in range(2):
        node = NodeDef.from_bytes(data)
        assert (node.input, node.device) == (NODES[name], "/gpu:0")
        node.input.append("changed")
    assert NodeDef.from_bytes(first).input == NODES["the same inputs"]


def test_a_remembered_run_that_ends_behind_the_message_is_damage(runs):
    data = NodeDef(input=["a", "b", *CONTROL_INPUTS]).to_bytes()
    NodeDef.from_bytes(data)
    graph = ld(1, data)
    assert GraphDef.from_bytes(graph).node[0].input[-1] == CONTROL_INPUTS[-1]
    cut = graph[:1] + bytes([graph[1] - 3 & 127 | 128]) + graph[2:]  # the node ends three bytes before its last input
    with pytest.raises(DecodeError):
        GraphDef.from_bytes(cut)


def test_runs_of_mapped_files_are_recalled(runs, tmp_path):
    graph = GraphDef(node=[NodeDef(name=str(i), input=["a", "b", *CONTROL_INPUTS]) for i in range(3)])
    (tmp_path / "graph.pb").write_bytes(graph.to_bytes())
    with open(tmp_path / "graph.pb", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert GraphDef.from_bytes(mapped) == graph  # type: ignore[arg-type]  # a mmap is a buffer
        assert len(runs) == 1
        lazy = GraphDef.from_bytes(mapped, lazy=True)  # type: ignore[arg-type]  # as above
        assert [node.input for node in lazy.node] == [node.input for node in graph.node]


@pytest.mark.parametrize("cut", range(1, 12))
def test_runs_that_are_cut_off_are_not_remembered(cut, runs):
    data = NodeDef(input=["a", "b", *CONTROL_INPUTS]).to_bytes()
    assert any(_is_damaged(data[:-i]) for i in range(1, cut + 1))
    assert NodeDef.from_bytes(data).input == ["a", "b", *CONTROL_INPUTS]


def _is_damaged(data: bytes) -> bool:
    try:
        NodeDef.from_bytes(data)
    except DecodeError:
        return True
    return False


def test_the_number_and_size_of_remembered_runs_are_limited(runs):
    for i in range(2 * int(RUN_LIMITS["max_runs"])):
        NodeDef.from_bytes(NodeDef(input=["a", "b", f"node_{i}", *CONTROL_INPUTS]).to_bytes())
        assert 0 < len(runs) <= int(RUN_LIMITS["max_runs"])
    runs.clear()
    NodeDef.from_bytes(NodeDef(input=["a", "b", "x" * int(RUN_LIMITS["max_bytes"])]).to_bytes())
    NodeDef.from_bytes(NodeDef(input=["a", "b", "short"]).to_bytes())
    assert not runs


inputs = st.lists(st.sampled_from([*CONTROL_INPUTS[:6], "", "a:0", "ä", "long " * 30]), max_size=30)


@given(st.lists(st.tuples(inputs, inputs), max_size=6), inputs)
def test_lists_with_equal_ends_are_read_as_they_were_written(parts, end):
    for before, after in parts:
        node = NodeDef(name="n", input=[*before, *end, *after], device="d")
        assert NodeDef.from_bytes(node.to_bytes()) == node
