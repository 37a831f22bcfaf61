"""Hash tables for lookups: refusals, and the removal of variables. The C++ tool is compared in
test_quantization_golden.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.run_step import after, graph_of
from tfmodel import run
from tfmodel.errors import TransformError
from tfmodel.messages import TensorShapeProto
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

GATHER = """
    w = Const[dtype=float, value=float{0, 2.5, 0, 0, -1}(5, 1)]
    r = Identity(w)[T=float]
    ids = Placeholder[dtype=int64]
    axis = Const[dtype=int32, value=int32{0}()]
    y = GatherV2(r, ids, axis)[Tparams=float, Tindices=int64, Taxis=int32]
"""
SHARED = GATHER + "    z = GatherV2(w, ids, axis)[Tparams=float, Tindices=int64, Taxis=int32]"
VARIABLE = GATHER.replace("Const[dtype=float, value=float{0, 2.5, 0, 0, -1}(5, 1)]", "VariableV2[dtype=float]")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("int32{0}", "int32{1}", "its axis is not 0"),
        ("axis = Const[dtype=int32, value=int32{0}()]", "axis = Placeholder[dtype=int32]", "its axis is not constant"),
        ("(5, 1)", "(1, 5)", "its weights are of shape [1, 5], not [n, 1]"),
        ("w = Const[dtype=float", "w = Const[dtype=double", "its weights are not float32"),
        ("Taxis=int32", "Taxis=int32, batch_dims=1", "it has batch dimensions"),
        ("    y =", "    n = Neg(r)[T=float]\n    y =", 'Neg "n" uses Identity "r" too'),
    ],
)
def test_unsupported_lookups_are_left_alone(old: str, new: str, reason: str) -> None:
    assert old in GATHER
    nodes, report = after(GATHER.replace(old, new), "sparsify_gather", outputs="y")
    assert nodes["y"].startswith("GatherV2")
    assert report.refusals == {reason: ["y"]}


@pytest.mark.parametrize(
    ("name", "sizes", "reason"),
    [
        ("axis", [1 << 40], "its axis is not 0"),
        ("w", [1 << 40, 1], "its 1,099,511,627,776 weights, a repeated number, are too many for a table"),
    ],
)
def test_one_number_repeated_a_trillion_times_is_not_expanded(name: str, sizes: list[int], reason: str) -> None:
    graph = graph_of(GATHER.replace("float{0, 2.5, 0, 0, -1}(5, 1)", "float{7}(1, 1)"))
    tensor = next(node for node in graph.node if node.name == name).attr["value"].tensor
    tensor.tensor_shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])
    report = TransformReport()
    transform(graph, "ids", "y", "sparsify_gather", report=report)
    assert report.steps[0].refusals == {reason: ["y"]}


def test_weights_that_are_an_output_stay() -> None:
    _, report = after(GATHER, "sparsify_gather", outputs="y,w")
    assert report.refusals == {'Const "w" is declared as an input or output': ["y"]}


def test_lookups_in_the_same_weights_share_a_table() -> None:
    nodes, report = after(SHARED, "sparsify_gather", outputs="y,z")
    assert report.fired == 2
    assert [name for name, text in nodes.items() if text.startswith("HashTable")] == ["w/HashTable"]
    assert {"w", "r", "axis"}.isdisjoint(nodes)


def test_tables_return_the_rows_of_the_weights() -> None:
    feeds = {"ids": np.array([4, 0, 1, 1])}
    before, result = graph_of(SHARED), transform(graph_of(SHARED), "ids", "y,z", "sparsify_gather")
    expected = run(before, feeds, ["y", "z"])
    actual = run(result, feeds, ["y", "z"])  # which fills tables first
    assert {name: array.tolist() for name, array in actual.items()} == {
        name: array.tolist() for name, array in expected.items()
    }


def test_control_inputs_move_to_the_lookup() -> None:
    text = GATHER.replace("(r, ids, axis)", "(r, ids, axis, ^n)").replace("Identity(w)", "Identity(w, ^m)")
    nodes, _ = after(text + "    n = NoOp\n    m = NoOp", "sparsify_gather", outputs="y")
    assert nodes["y/LookupTableFind"].startswith("LookupTableFind(w/HashTable, ids, y/Const, ^n, ^m)")


def test_a_graph_without_lookups_stays_as_it_is() -> None:
    graph = graph_of("x = Placeholder[dtype=float]\ny = Relu(x)[T=float]")
    assert transform(graph, "x", "y", "sparsify_gather") == graph


def test_a_variable_needs_a_checkpoint() -> None:
    with pytest.raises(TransformError, match='the weights "w" are a variable: give its checkpoint'):
        after(VARIABLE, "sparsify_gather", outputs="y")


def test_a_missing_checkpoint_is_named() -> None:
    with pytest.raises(TransformError, match='input_checkpoint: cannot read "/nothing/here": No such file'):
        after(VARIABLE, 'sparsify_gather(input_checkpoint="/nothing/here")', outputs="y")


def test_nodes_that_change_a_variable_keep_it() -> None:
    text = VARIABLE + "    d = Const[dtype=float]\n    u = AssignAdd(w, d)[T=float]"
    _, report = after(text, "sparsify_gather", outputs="y")
    assert report.refusals == {'AssignAdd "u" uses VariableV2 "w" too': ["y"]}
