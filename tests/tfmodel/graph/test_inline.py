"""The naming schemes of inlined nodes, and function bodies with references as in a graph."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.errors import GraphError
from tfmodel.graph import Functions, replace_node
from tfmodel.graph.function_body import ARGUMENT_OP, FunctionBodies, FunctionBody, Outputs
from tfmodel.graph.inline import FreezingNames, ToolNames
from tfmodel.graph.view import GraphView
from tfmodel.ops import OPS
from tfmodel.values.names import TensorName

BODY = """
    f: (a: float) -> (mean: float = n:batch_mean:0, same: float = a)
    f: n = FusedBatchNorm(a, a, a, a, a)[T=float]
    f: m = Neg(n:y:0, ^n)[T=float]
    x = Placeholder[dtype=float]
"""


def function_body(text: str = BODY) -> FunctionBody:
    return FunctionBodies(graph(text).library, OPS).body("f")


@pytest.mark.parametrize(
    ("calls", "prefix"),
    [
        (["c"], "c"),
        (["c", "c/d"], "c/d"),
        (["c", "c/c"], "c"),
        (["c", "c/c", "c/c/c"], "c"),
        (["a/c", "a/c/c"], "a/c"),
        (["c", "c/d", "c/d/c"], "c/d/c"),
        (["c/c"], "c/c"),
    ],
)
def test_a_call_with_the_name_of_its_caller_adds_nothing_to_the_names_of_freezing(
    calls: list[str], prefix: str
) -> None:
    names = FreezingNames()
    assert [names.prefix(call) for call in calls][-1] == prefix
    assert names.spell(TensorName("n")) == "n"


def test_the_names_of_the_tool_are_nested_and_output_0_is_spelled() -> None:
    names = ToolNames()
    assert names.prefix("c/c") == "c/c"
    assert (names.spell(TensorName("n")), names.spell(TensorName("n", 2))) == ("n:0", "n:2")


def test_references_in_a_body_become_output_numbers() -> None:
    body = function_body()
    assert body.returns == [TensorName("n", 1), TensorName("a")]
    assert body.references[1] == [TensorName("n"), TensorName.control("n")]
    assert body.index["a"].op == ARGUMENT_OP
    assert body.index["m"].input == ["n", "^n"]
    assert body.roots == {"n", "a"}
    assert list(GraphView(body).nodes) == ["n", "m"]


def test_a_body_that_does_not_change_gives_its_own_function_back() -> None:
    body = function_body()
    assert body.rebuild(body.index.nodes) is body.message


def test_a_rebuilt_function_names_the_outputs_of_its_nodes() -> None:
    body = function_body()
    nodes = [replace_node(node, input=["n:2"]) if node.name == "m" else node for node in body.index]
    function = body.rebuild(nodes, body.ret | {"mean": TensorName("m")})
    assert function.node_def[0] is body.message.node_def[0]
    assert function.node_def[1].input == ["n:batch_variance:0"]
    assert function.ret == {"mean": "m:y:0", "same": "a"}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("n:y:0, ^n", "q:y:0", 'function "f": there is no node "q"'),
        ("n:y:0, ^n", "n:z:0", 'function "f": FusedBatchNorm "n" has no output "z"'),
        ("n:y:0, ^n", "n:y:1", 'function "f": FusedBatchNorm "n" has no tensor "y:1"'),
    ],
)
def test_a_wrong_reference_in_a_body_is_an_error(old: str, new: str, problem: str) -> None:
    body = function_body(BODY.replace(old, new))
    for read in (lambda: body.index, lambda: body.references, lambda: GraphView(body)):
        with pytest.raises(GraphError) as caught:
            read()
        assert str(caught.value) == problem


def test_outputs_of_unknown_ops_are_an_error_unless_they_are_assumed() -> None:
    text = BODY.replace("Neg(n:y:0", "Mine(n:y:0").replace("n:batch_mean:0", "m:one:1")
    assert function_body(text).ret["mean"] == TensorName("m", 1)
    functions = Functions(graph(text).library)
    body = FunctionBody(functions["f"], Outputs(functions, OPS))
    with pytest.raises(GraphError, match='function "f": the outputs of Mine "m" are not known'):
        print(body.ret)
