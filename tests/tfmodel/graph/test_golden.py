"""Order, loops and conditionals agree with TensorFlow's answers for the same graphs."""

from __future__ import annotations

import base64
import gzip
import json
import re
from functools import cache

import pytest

from tests.golden.graph.answers import FILE, digest
from tests.support.corpus import corpus, needs_corpus
from tfmodel import GraphError, load
from tfmodel.graph import GraphIndex, check_graph
from tfmodel.messages import GraphDef
from tfmodel.ops.traits import SWITCH

ROWS = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]
MADE = [row for row in ROWS if "graph" in row]
FILES = [row for row in ROWS if "file" in row]
PROGRAMS = [row for row in ROWS if "frames" in row]


def by_name(rows):
    return pytest.mark.parametrize("row", rows, ids=[row["name"] for row in rows])


@cache
def index_of(name):
    row = next(row for row in ROWS if row["name"] == name)
    source = base64.b64decode(row["graph"]) if "graph" in row else corpus / row["file"]
    return GraphIndex(load(source, GraphDef, lazy=True))


@by_name(MADE)
def test_the_order_is_that_of_the_tool(row):
    index = index_of(row["name"])
    if "error" not in row:
        assert [node.name for node in index.execution_order] == row["order"]
        return
    with pytest.raises(GraphError) as caught:
        _ = index.execution_order
    stuck = re.fullmatch(r"(\d+) nodes in a cycle", row["error"])
    missing = re.fullmatch(r"Node '(.*)': Unknown input node '(.*)'", row["error"])
    if stuck:
        assert str(caught.value).startswith(f"{stuck[1]} nodes are part of a cycle")
    else:
        assert f'"{missing[1]}": there is no node' in str(caught.value)
        assert f'for its input "{missing[2]}"' in str(caught.value)


@needs_corpus
@by_name(FILES)
def test_the_order_of_real_graphs_is_that_of_the_tool(row):
    assert digest([node.name for node in index_of(row["name"]).execution_order]) == row["order"]


@by_name(PROGRAMS)
def test_frames_are_those_that_the_program_made(row):
    index = index_of(row["name"])
    frames = {node.name: list(frame.path) for node, frame in zip(index.nodes, index.node_frames, strict=True) if frame}
    assert frames == row["frames"]


def chain(branch):
    """A branch as the golden has it, from the outermost."""
    sides = []
    while branch is not None:
        sides.append([f"{branch.pred.node}:{branch.pred.port}", branch.taken])
        branch = branch.outer
    return sides[::-1]


@by_name([row for row in PROGRAMS if "gradient" not in row["name"]])
def test_branches_are_those_that_the_program_made(row):
    """A Switch stands outside of the sides that it leads into; to the program it is in one."""
    index = index_of(row["name"])
    for node, branch in zip(index.nodes, index.node_branches, strict=True):
        if node.op not in SWITCH:
            assert chain(branch) == row["branches"].get(node.name, []), node.name


@by_name([row for row in PROGRAMS if "gradient" in row["name"]])
def test_branches_of_gradients_are_those_that_the_program_knows_of(row):
    """Programs do not note which side the nodes of a gradient are on, but for some. An Enter that is noted takes what
    is the same on both sides."""
    index = index_of(row["name"])
    for node, branch in zip(index.nodes, index.node_branches, strict=True):
        if node.op not in SWITCH | {"Enter"} and node.name in row["branches"]:
            assert chain(branch) == row["branches"][node.name], node.name


@by_name([row for row in ROWS if row in PROGRAMS or (row in FILES and corpus)])
def test_graphs_of_tensorflow_have_no_faults(row):
    assert check_graph(index_of(row["name"]).graph) == []
