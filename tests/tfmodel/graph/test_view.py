"""`GraphView`: users follow every change, names are unique, and the message is made again with its other parts."""

from __future__ import annotations

import pytest

from tests.tfmodel.graph.samples import graph_of
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.errors import GraphError
from tfmodel.graph import replace_node
from tfmodel.graph.function_body import FunctionBodies
from tfmodel.graph.view import GraphView, rename_nodes, users_of
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.ops import OPS
from tfmodel.values.names import TensorName

CHAIN = """
    x   Placeholder
    a   Relu   x
    b   Split  a
    y   Add    b     b:1   ^x
    z   NoOp   ^y    ^a
"""
FUNCTION = """
    x = Placeholder[dtype=float]
    y = f(x)
    f: (v: float) -> (r: float = b:y:0, same: float = v)
    f: a = Relu(v)[T=float]
    f: b = Neg(a:activations:0, ^a)[T=float]
"""


def view() -> GraphView:
    return GraphView(graph_of(CHAIN))


def body(text: str = FUNCTION, *, checked: bool = True) -> GraphView:
    return GraphView(FunctionBodies(graph(text).library, OPS).body("f"), checked=checked)


def inputs(view: GraphView) -> dict[str, list[str]]:
    return {name: list(node.input) for name, node in view.nodes.items()}


# --- reading ---------------------------------------------------------------------------------------------------------


def test_the_users_and_consumers_of_nodes() -> None:
    chain = view()
    assert {name: [*chain.users(name)] for name in chain.nodes} == {
        "x": ["a", "y"],
        "a": ["b", "z"],
        "b": ["y"],
        "y": ["z"],
        "z": [],
    }
    uses = {str(tensor): [(node.name, place) for node, place in uses] for tensor, uses in chain.consumers().items()}
    assert uses == {"x": [("a", 0)], "a": [("b", 0)], "b": [("y", 0)], "b:1": [("y", 1)]}


def test_one_tensor_in_two_spellings_has_its_consumers_in_order() -> None:
    table = "x Const\n a Neg x:0\n b Neg x\n c Neg x:0"
    assert [node.name for node, _ in GraphView(graph_of(table)).consumers()[TensorName("x")]] == ["a", "b", "c"]


def test_ancestors() -> None:
    assert view().with_ancestors(["y", "missing"]) == {"x", "a", "b", "y"}
    assert view().with_ancestors(["y"], stop=["b"]) == {"x", "b", "y"}


def test_a_body_is_spelled_as_a_graph() -> None:
    function = body()
    assert inputs(function) == {"a": ["v"], "b": ["a", "^a"]}
    assert (list(function.arguments), function.results["r"]) == (["v"], TensorName("b"))
    assert [*function.users("v")] == ["a"]
    assert function.index["v"].op == "_Arg"
    assert function.producer("v", function.nodes["a"]) is None


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("a Const\n a Neg", 'the graph has two nodes "a"'),
        ("a Const\n b Neg a:b:c:d", 'Neg "b": its input "a:b:c:d" is not a reference to a node or a tensor'),
    ],
)
def test_a_checked_view_refuses_a_damaged_graph(table: str, problem: str) -> None:
    with pytest.raises(GraphError) as caught:
        GraphView(graph_of(table))
    assert str(caught.value) == problem
    assert list(GraphView(graph_of(table), checked=False).nodes)[:1] == ["a"]


# --- changing --------------------------------------------------------------------------------------------------------


def test_users_follow_all_changes() -> None:
    chain = view()
    assert [*chain.users("x")] == ["a", "y"]
    chain.add(NodeDef(name="new", op="Neg", input=["x"]))
    chain.change(chain.nodes["a"], inputs=[TensorName("new")])
    chain.replace_tensors({TensorName("b", 1): TensorName("a")})
    chain.remove(["z"])
    assert users_of(chain.nodes.values()) == {name: dict.fromkeys(chain.users(name)) for name in ["x", "a", "b", "new"]}
    chain.rename({"new": "first"})
    assert [*chain.users("first")] == ["a"]
    assert [*chain.users("new")] == []


def test_users_of_a_removed_node_wait_for_the_nodes_before_it() -> None:
    table = "a NoOp\n b NoOp ^a\n c NoOp ^b\n d NoOp ^c ^b"
    for order in (["b", "c"], ["c", "b"]):
        chain = GraphView(graph_of(table))
        chain.remove(order)
        assert inputs(chain) == {"a": [], "d": ["^a"]}


def test_nodes_exchange_their_names() -> None:
    nodes = rename_nodes(graph_of("a Const\n b Neg a\n c Add a:0 b ^a").node, {"a": "b", "b": "a"})
    assert [(node.name, list(node.input)) for node in nodes] == [("b", []), ("a", ["b"]), ("c", ["b:0", "a", "^b"])]


def test_a_name_is_free_again_when_its_node_is_gone() -> None:
    chain = view()
    assert [chain.fresh("a"), chain.free("a"), chain.free("a")] == ["a_1", "a_2", "a_2"]
    chain.add(NodeDef(name="a_2", op="NoOp"))
    assert chain.free("a") == "a_3"
    chain.remove(["a_2"])
    assert chain.free("a") == "a_2"
    chain.prune(["x"])
    assert chain.free("a") == "a"


def test_a_new_name_in_a_function_is_not_that_of_an_argument() -> None:
    assert body().fresh("v") == "v_1"


# --- the result ------------------------------------------------------------------------------------------------------


def test_a_graph_keeps_its_other_parts() -> None:
    original = graph(FUNCTION)
    changed = GraphView(original)
    changed.change(changed.nodes["y"], "Neg", attr={})
    assert changed.graph().library is original.library
    assert [node.op for node in original.node] == ["Placeholder", "f"]
    assert [node.op for node in changed.graph().node] == ["Placeholder", "Neg"]


def test_a_function_is_spelled_as_before() -> None:
    function = body()
    assert function.function() is function.message
    function.change(function.nodes["a"], "Exp")
    function.rename({"b": "c"})
    new = function.function()
    assert [(node.name, list(node.input)) for node in new.node_def] == [("a", ["v"]), ("c", ["a:y:0", "^a"])]
    assert new.ret == {"r": "c:y:0", "same": "v"}


def test_the_nodes_that_run_with_every_call_are_renamed() -> None:
    library = graph(FUNCTION).library
    assert library is not None
    library.function[0].control_ret = {"runs": "a"}
    function = GraphView(FunctionBodies(library, OPS).body("f"))
    assert TensorName.control("a") in function.outputs
    function.rename({"a": "first"})
    assert function.function().control_ret == {"runs": "first"}


def test_other_results_alone_make_another_function() -> None:
    function = body()
    function.results["same"] = TensorName("a")
    assert function.function().ret == {"r": "b:y:0", "same": "a:activations:0"}
    assert isinstance(function.message, type(function.function()))


def test_a_new_list_of_nodes_becomes_a_function() -> None:
    function = body(checked=False)
    nodes = [replace_node(node, op="Exp") if node.op == "Neg" else node for node in function.index]
    assert [node.op for node in function.function(nodes).node_def] == ["Relu", "Exp"]


def test_declared_nodes() -> None:
    declared = GraphView(GraphDef(), inputs=[TensorName("x")], outputs=[TensorName("y", 1)]).declared
    assert (declared, body().declared) == ({"x", "y"}, {"b", "v"})
