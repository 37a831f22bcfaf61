"""Folded graphs are those of the C++ tool, or better; TensorFlow has run both.

Products are compared in units in the last place. An offset is a difference, beta - mean * scale: its units are those of
the larger term, and the exact value is computed in double precision.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from operator import attrgetter

import numpy as np
import numpy.typing as npt
import pytest

from tests.golden.batch_norms.answers import Golden, goldens
from tests.golden.batch_norms.cases import CASES, Case
from tests.golden.graph_digests import is_recorded
from tests.support.case_tables import each_case
from tests.tfmodel.transforms.graph_notation import graph, spelled
from tfmodel import run, to_ndarray
from tfmodel.graph import attr, replace_node
from tfmodel.messages import GraphDef, NodeDef, TensorProto
from tfmodel.transforms.framework.pipeline import transform

AGAIN = "made anew by `python -m tests.golden.batch_norms.answers`"
MOST_ULP = 2
TERMS = 4.0  # the terms of offsets are below

# Cases that the tool breaks: it fails or crashes, or its graph fails or computes other values.
BROKEN = {
    "one number": "fails unless there is a number for each channel",
    "a shape with ones": "likewise",
    "numbers that do not fit": "likewise",
    "numbers for each column": "likewise",
    "more axes than the layer has": "likewise",
    "a MatMul that transposes": "likewise, since it looks at the other axis",
    "NCHW with numbers for channels": "likewise",
    "a square MatMul that transposes": "multiplies the wrong axis of the weights",
    "NCHW with numbers for columns": "takes the numbers of columns for those of channels",
    "the output of the conv is an output": "loses a declared output",
    "conv is an output": "changes a declared output",
    "layer c is fed": "loses a declared input, or changes what it stands for",
    "weights w is fed": "multiplies weights that others may take the place of",
    "numbers m is fed": "loses a declared input",
    "numbers mean is fed": "likewise",
    "double": "crashes, weights must be float",
    "half, of small numbers": "likewise",
    "in a loop": "lets the weights fall out of the loop",
    "training": "takes no notice",
    "training by default": "takes no notice",
    "statistics are used": "lets others refer to outputs that a BiasAdd does not have",
    "through ConcatV2 of one input": "has the input of both layers twice",
    "through ConcatV2, counted from the end": "crashes",
    "shared numbers": "never ends",
    "shared weights": "changes them for others",
    "weights shared by two batch norms": "scales them twice",
    "shared conv": "changes it for others",
}

# Here both give what the graph gives, but ours waits for what the tool forgets.
WAITS = {
    "the Mul waits",
    "the batch norm waits",
    "in a conditional",
    "in a conditional that holds",
    "a conditional picks what is multiplied",
    "a conditional that holds picks what is multiplied",
}

# Here we fold nothing, and the tool makes a model of nothing but NaNs into another one.
LEFT = {"a scale that is no number"}

FOLDABLE = {"Mul", "RealDiv", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}


def ours(golden: Golden) -> GraphDef:
    return made(golden.case)


@cache
def made(case: Case) -> GraphDef:
    return transform(graph(case.text), case.inputs, case.outputs, case.transform)


def is_the_same(golden: Golden) -> bool:
    """True if our graph and the tool's have the same nodes in the same order, apart from the contents of tensors."""
    return golden.nodes is not None and list(map(shell, ours(golden).node)) == list(map(shell, golden.nodes))


def shell(node: NodeDef) -> str:
    return spelled(replace_node(node, attr={name: value for name, value in node.attr.items() if value.tensor is None}))


def tensor(node: NodeDef) -> npt.NDArray[np.float64]:
    return to_ndarray(attr(node, "value", TensorProto)).astype(np.float64)


def name_of(golden: Golden) -> str:
    return golden.case.name


each_golden = each_case("golden", {str(golden): golden for golden in goldens()}, attrgetter("case.transform"))


@each_golden
def test_nodes_and_values_are_those_of_the_tool_or_better(golden: Golden) -> None:
    if is_the_same(golden) and name_of(golden) not in BROKEN:
        assert_the_same_numbers(golden)
    else:
        assert_better(golden)


def assert_the_same_numbers(golden: Golden) -> None:
    assert golden.nodes is not None
    for mine, tools in zip(ours(golden).node, golden.nodes, strict=True):
        if mine.op == "Const":
            actual, expected = tensor(mine), tensor(tools)
            assert actual.shape == expected.shape
            least = TERMS if mine.name.endswith("_bn_offset") else 0
            ulp = np.spacing(np.maximum(np.abs(expected), least).astype(np.float32))
            assert (np.abs(actual - expected) <= MOST_ULP * ulp).all()


@pytest.mark.slow(reason="computes hundreds of models on NumPy")
@each_golden
def test_tensorflow_computes_the_same_from_our_results(golden: Golden) -> None:
    assert golden.ours == "same"
    assert is_recorded(ours(golden), graph(golden.case.text), golden.result), AGAIN


@pytest.mark.slow(reason="computes hundreds of models on NumPy")
@each_golden
def test_the_interpreter_computes_the_same_from_our_results(golden: Golden) -> None:
    before = graph(golden.case.text)
    feeds, fetches = golden.feeds, golden.case.outputs.split(",")
    expected = run(before, feeds, fetches)
    actual = run(ours(golden), feeds, fetches)
    for name in fetches:
        np.testing.assert_allclose(actual[name], expected[name], rtol=1e-4, atol=1e-5)


def assert_better(golden: Golden) -> None:
    if name_of(golden) in BROKEN:
        assert golden.tools != "same"
        return
    assert golden.tools == "same"
    assert golden.nodes is not None
    mine, tools = (Counter(node.op for node in nodes) for nodes in (ours(golden).node, golden.nodes))
    folds_more = sum(mine[op] for op in FOLDABLE) < sum(tools[op] for op in FOLDABLE)
    if name_of(golden) not in WAITS | LEFT and not folds_more:
        # left alone by both, which the tool's pattern does not even match
        assert sorted(map(shell, ours(golden).node)) == sorted(map(shell, golden.nodes))


def test_the_answers_are_those_of_the_present_cases() -> None:
    """Apart from the numbers, which another NumPy may draw differently."""
    numbers = re.compile(r"\{[^}]*\}")
    recorded = [golden.case._replace(text=numbers.sub("{}", golden.case.text)) for golden in goldens()]
    assert recorded == [case._replace(text=numbers.sub("{}", case.text)) for case in CASES.values()], AGAIN


def test_there_are_enough_cases() -> None:
    assert len(goldens()) > 200
    assert sum(is_the_same(golden) and name_of(golden) not in BROKEN for golden in goldens()) > 120
    assert {*BROKEN} <= set(map(name_of, goldens()))
