"""Recipes: lists of transforms by name."""

from __future__ import annotations

import pytest

from tests.support.corpus import corpus, needs_corpus
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel import load, transform
from tfmodel.errors import TransformError
from tfmodel.interpreter import run
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.parameters import parse
from tfmodel.transforms.framework.recipes import RECIPES, find_recipe
from tfmodel.transforms.framework.report import TransformReport

# y = Relu((x @ w) * scale + offset), with what a deployed model does not need.
GRAPH = """
    x = Placeholder[dtype=float, shape=(-1, 2)]
    w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6}(2, 3)]
    w/read = Identity(w)[T=float]
    m = MatMul(x, w/read)[T=float]
    a = Const[dtype=float, value=float{1, 2, 3}]
    b = Const[dtype=float, value=float{2, 2, 2}]
    scale = Mul(a, b)[T=float]
    scaled = Mul(m, scale)[T=float]
    offset = Const[dtype=float, value=float{-1, 0, 1}]
    same_offset = Const[dtype=float, value=float{-1, 0, 1}]
    shifted = Add(scaled, offset)[T=float]
    checked = CheckNumerics(shifted)[T=float, message="nan"]
    again = Sub(checked, same_offset)[T=float]
    y = Relu(again)[T=float]
    loss = Sum(y, axes)[T=float, Tidx=int32]
    axes = Const[dtype=int32, value=int32{0}]
"""
X = [[1.0, -1.0], [0.5, 2.0]]


def outputs_of(graph):
    return run(graph, {"x": X}, ["y"])["y"]


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_keep_the_outputs_of_a_small_graph(name):
    graph = graph_of(GRAPH)
    changed = transform(graph, "x", "y", RECIPES[name])
    tolerance = 1e-6 if RECIPES[name].is_exact else 0.5
    assert outputs_of(changed) == pytest.approx(outputs_of(graph), rel=1e-6, abs=tolerance)


def test_deploy_keeps_only_nodes_that_depend_on_inputs():
    deployed = transform(graph_of(GRAPH), "x", "y", RECIPES["deploy"])
    assert sorted(node.op for node in deployed.node) == ["Const", "MatMul", "Placeholder", "Relu"]


def test_obfuscate_keeps_only_the_names_of_inputs_and_outputs():
    before = {node.name for node in graph_of(GRAPH).node}
    after = {node.name for node in transform(graph_of(GRAPH), "x", "y", RECIPES["obfuscate"]).node}
    assert after & before == {"x", "y"}


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_a_list_of_steps_and_reads_like_one(name):
    assert [step.name for step in parse(str(RECIPES[name]))] == [parse(text)[0].name for text in RECIPES[name]]
    assert RECIPES[name].line


def test_further_steps_follow_those_of_a_recipe():
    report = TransformReport()
    renamed = transform(
        graph_of(GRAPH), "x", "y", [*RECIPES["deploy"], "rename_op(old_op_name=Relu, new_op_name=Elu)"], report=report
    )
    assert [step.name for step in report.steps] == [*(step.name for step in parse(str(RECIPES["deploy"]))), "rename_op"]
    assert "Elu" in [node.op for node in renamed.node]


def test_an_unknown_recipe_is_an_error():
    with pytest.raises(TransformError, match='unknown recipe "deplyo"; did you mean "deploy"'):
        find_recipe("deplyo")


@needs_corpus
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_keeps_the_outputs_of_a_trained_network(name):
    graph = load(corpus / "tf2onnx/fc-layers/frozen.pb", GraphDef, lazy=True)
    changed = transform(graph, "X", "output", RECIPES[name])
    x = [[(7 * place % 11) / 11 for place in range(784)]]
    before, after = (run(model, {"X": x}, ["output"])["output"] for model in (graph, changed))
    assert abs(before - after).max() <= (1e-5 if RECIPES[name].is_exact else 0.1) * abs(before).max()
    assert before.argmax() == after.argmax()
    if name in ("mobile", "eight-bit"):
        assert changed.ByteSize() < 0.3 * graph.ByteSize()
