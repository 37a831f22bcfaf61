"""Single ops against tests/golden/shapes/answers.jsonl.gz, where TensorFlow says what shapes their outputs have."""

from __future__ import annotations

import base64
import gzip
import json
from operator import itemgetter

import pytest

from tests.golden.shapes import cases
from tests.golden.shapes.cases import FILE
from tests.support.case_tables import each_case
from tfmodel.analysis.shapes import infer_shapes
from tfmodel.messages import GraphDef

ROWS = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]
ALLOWED = {row["op"]: row for row in ROWS if "shapes" in row}
REFUSED = {row["name"]: row for row in ROWS if "refused" in row}

WRONG_IN_TENSORFLOW = {
    "ExtractVolumePatches": "of volumes of unknown size it says that patches have four dimensions; they have five",
    "FractionalAvgPool": "it says that the borders are as many as the windows; there is one more",
    "FractionalMaxPool": "it says that the borders are as many as the windows; there is one more",
    "GatherV2": "of an unknown axis it adds negative batch_dims to the rank, which count from the back",
}

LESS_KNOWN = {
    "EncodePng": "newer versions take several images, and give as many strings",
    "Equal": "with incompatible_shape_error=false, shapes that are not all known may not fit and give a scalar",
    "MatrixDiagV3": "TensorFlow counts a diagonal of unknown length as -1 long",
    "NotEqual": "as Equal",
    "SplitV": "of an unknown axis TensorFlow takes the last one",
}


initial = itemgetter(0)
"""The first letter of the name of an op, which groups ops."""


def told(sizes):
    return None if sizes is None else tuple(None if size == -1 else size for size in sizes)


def contradicts(ours, theirs):
    if ours is None or theirs is None:
        return False
    return len(ours) != len(theirs) or any(a != b and None not in (a, b) for a, b in zip(ours, theirs, strict=True))


def is_less(ours, theirs):
    """True if TensorFlow knows a rank or dimension that we do not."""
    if ours is None or theirs is None:
        return ours is None and theirs is not None
    return any(a is None and b is not None for a, b in zip(ours, theirs, strict=True))


def pairs(op):
    """Return our shape and TensorFlow's shape of each output of each case."""
    row = ALLOWED[op]
    graph = GraphDef.from_bytes(base64.b64decode(row["graph"]))
    shapes = infer_shapes(graph)
    assert shapes.problems == []
    shape_pairs = []
    for name, theirs in row["shapes"].items():
        ours = shapes.of(name)
        assert len(ours) == len(theirs), name
        shape_pairs += [(name, a, told(b)) for a, b in zip(ours, theirs, strict=True)]
    return shape_pairs


@each_case("op", {op: op for op in ALLOWED if op not in WRONG_IN_TENSORFLOW | LESS_KNOWN}, initial)
def test_all_shapes_that_tensorflow_knows_are_known_and_equal(op):
    assert [pair for pair in pairs(op) if contradicts(*pair[1:]) or is_less(*pair[1:])] == []


@pytest.mark.parametrize("op", WRONG_IN_TENSORFLOW)
def test_shapes_that_tensorflow_gets_wrong(op):
    assert any(contradicts(*pair[1:]) for pair in pairs(op))


@pytest.mark.parametrize("op", LESS_KNOWN)
def test_fewer_known_inputs_never_give_another_shape(op):
    assert not any(contradicts(*pair[1:]) for pair in pairs(op))
    assert any(is_less(*pair[1:]) for pair in pairs(op))


@each_case("row", REFUSED, lambda row: initial(row["name"]))
def test_graphs_that_tensorflow_refuses_have_problems(row):
    shapes = infer_shapes(GraphDef.from_bytes(base64.b64decode(row["graph"])))
    assert [node.name for node, _ in shapes.problems] == ["case0"]
    assert set(shapes.of("case0")) <= {None}


def test_the_table_is_that_of_the_cases():
    assert [row["op"] for row in ROWS if "shapes" in row] == list(cases.CASES)
    assert sum(len(row["shapes"]) for row in ALLOWED.values()) > 4_000
