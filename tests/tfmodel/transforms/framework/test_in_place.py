"""A function that changes the graph it gets is refused, and the graph is as before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tfmodel
from tests.support.process_state import plugins_forgotten
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.errors import TransformError
from tfmodel.graph import replace_node, with_nodes
from tfmodel.messages import AttrValue, DataType, FunctionDef, GraphDef, NodeDef, TensorShapeProto
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

TEXT = """
    f: (a: float) -> (r: float = n:y:0)
    f: n = Neg(a)[T=float]
    x = Placeholder[dtype=float, shape=(2)]
    w = Const[dtype=float, value=float{1, 2}]
    y = Add(x, w)[T=float, _class=["loc:@x"]]
"""


def sample(*, lazy: bool = False) -> GraphDef:
    made = graph(TEXT)
    made.versions = tfmodel.messages.VersionDef(producer=21)
    return GraphDef.from_bytes(made.to_bytes(), lazy=lazy)


def node(graph: GraphDef, name: str) -> NodeDef:
    return next(node for node in graph.node if node.name == name)


def function(graph: GraphDef) -> FunctionDef:
    assert graph.library is not None
    return graph.library.function[0]


def set_dim(graph: GraphDef) -> None:
    shape = node(graph, "x").attr["shape"].shape
    assert shape is not None
    shape.dim.append(TensorShapeProto.Dim(size=3))


def set_content(graph: GraphDef) -> None:
    tensor = node(graph, "w").attr["value"].tensor
    assert tensor is not None
    tensor.tensor_content = bytes(8)


def set_list(graph: GraphDef) -> None:
    values = node(graph, "y").attr["_class"].list
    assert values is not None
    values.s[0] = b"loc:@w"


def set_type(graph: GraphDef) -> None:
    node(graph, "x").attr["dtype"].type = DataType.DT_HALF


def set_producer(graph: GraphDef) -> None:
    assert graph.versions is not None
    graph.versions.producer = 5


def add_function(graph: GraphDef) -> None:
    assert graph.library is not None
    graph.library.function.append(FunctionDef())


CHANGES: dict[str, tuple[Callable[[GraphDef], object], str]] = {
    "name": (lambda graph: setattr(node(graph, "y"), "name", "z"), 'changes the node "y" in place'),
    "op": (lambda graph: setattr(node(graph, "y"), "op", "Sub"), 'changes the node "y" in place'),
    "device": (lambda graph: setattr(node(graph, "w"), "device", "/cpu:0"), 'changes the node "w" in place'),
    "input": (lambda graph: setattr(node(graph, "y"), "input", ["w", "x"]), 'changes the node "y" in place'),
    "one input": (lambda graph: node(graph, "y").input.reverse(), 'changes the node "y" in place'),
    "new input": (lambda graph: node(graph, "y").input.append("^w"), 'changes the node "y" in place'),
    "new attribute": (lambda graph: node(graph, "y").attr.update(a=AttrValue(i=1)), 'changes the node "y" in place'),
    "no attribute": (lambda graph: node(graph, "y").attr.pop("T"), 'changes the node "y" in place'),
    "value of an attribute": (set_type, 'changes the node "x" in place'),
    "list in an attribute": (set_list, 'changes the node "y" in place'),
    "shape": (set_dim, 'changes the node "x" in place'),
    "tensor": (set_content, 'changes the node "w" in place'),
    "invalid value": (lambda graph: setattr(node(graph, "y"), "op", 3), 'changes the node "y" in place'),
    "node of a function": (
        lambda graph: setattr(function(graph).node_def[0], "op", "Abs"),
        'changes the node "n" of the function "f" in place',
    ),
    "result of a function": (lambda graph: function(graph).ret.update(r="a"), 'changes the function "f" in place'),
    "new function": (add_function, "changes the library of functions in place"),
    "versions": (set_producer, "changes the versions of the graph in place"),
}


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_in_place_is_refused_and_undone(kind: str, lazy: bool) -> None:
    change, problem = CHANGES[kind]

    def careless(graph: GraphDef) -> GraphDef:
        change(graph)
        return graph

    original, expected = sample(lazy=lazy), sample()
    nodes = list(original.node)
    with pytest.raises(TransformError, match=f"careless: refused, it {problem}"):
        transform(original, "x", "y", careless)
    assert original == expected
    assert all(new is old for new, old in zip(original.node, nodes, strict=True))


@plugins_forgotten()
def test_a_registered_transform_is_checked_too() -> None:
    @tfmodel.graph_transform
    def careless_plugin(graph: GraphDef, *, to: str) -> GraphDef:
        """Set the device of all nodes."""
        for node in graph.node:
            node.device = to
        return graph

    original = sample()
    with pytest.raises(TransformError, match='careless_plugin: refused, it changes the node "x" in place'):
        transform(original, "x", "y", 'careless_plugin(to="/gpu:0")')
    report = TransformReport()
    result = transform(original, "x", "y", 'careless_plugin(to="/gpu:0", ignore_errors=true)', report=report)
    assert result == original == sample()
    assert "in place" in report.steps[0].error


def test_a_change_before_an_error_is_undone() -> None:
    def failing(graph: GraphDef) -> GraphDef:
        graph.node[0].name = "z"
        raise ValueError("no")

    original = sample()
    with pytest.raises(TransformError, match='failing: refused, it changes the node "x" in place'):
        transform(original, "", "", failing)
    assert original == sample()


def test_new_nodes_in_the_list_of_the_argument_are_fine() -> None:
    """Functions that were written for TensorFlow extend the graph that they get."""

    def extend(graph: GraphDef) -> GraphDef:
        graph.node.append(NodeDef(name="n", op="NoOp"))
        graph.node[2] = replace_node(graph.node[2], device="/cpu:0")
        return graph

    original = sample()
    result = transform(original, "x", "y", extend)
    assert [node.name for node in result.node] == ["x", "w", "y", "n"]
    assert original == sample()


@pytest.mark.parametrize("lazy", [False, True])
def test_reading_changes_nothing(lazy: bool) -> None:
    """Parts that are read are encoded anew: fields in another order or written twice become canonical."""
    odd = sample().to_bytes() + GraphDef(version=3).to_bytes()
    odd += b"\x0a\x0c\x12\x04NoOp\x0a\x01b\x0a\x01c"  # a node with its op first, and two names

    def read(graph: GraphDef) -> GraphDef:
        assert repr([dict(node.attr) for node in graph.node])
        return with_nodes(graph, graph.node)

    original = GraphDef.from_bytes(odd, lazy=lazy)
    assert transform(original, "x", "y", read) == GraphDef.from_bytes(odd)


def test_a_model_that_is_compared_after_a_change_in_place() -> None:
    """Both would be changed, so they would be the same."""

    def double(graph: GraphDef) -> GraphDef:
        node(graph, "y").op = "Mul"
        return graph

    model = tfmodel.Model(sample())
    with pytest.raises(TransformError, match="in place"):
        model.transform(double, inputs="x", outputs="y")
    assert node(model.graph, "y").op == "Add"
