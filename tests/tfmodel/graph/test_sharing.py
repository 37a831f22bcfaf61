"""New graphs that share with old ones, functions, colocation."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.support.strategies_graphs import graphs, value_of
from tests.tfmodel.graph.samples import graph_of
from tfmodel import GraphError
from tfmodel.graph import (
    Functions,
    GraphIndex,
    check_graph,
    colocated_with,
    colocation_groups,
    replace_node,
    with_functions,
    with_nodes,
    with_renamed_colocation,
)
from tfmodel.messages import (
    AttrValue,
    FunctionDef,
    FunctionDefLibrary,
    GradientDef,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    VersionDef,
)


def test_a_graph_with_other_nodes_keeps_everything_else():
    graph = graph_of("a X\nb X a")
    graph.versions = VersionDef(producer=27)
    graph.library = FunctionDefLibrary(function=[FunctionDef(signature=OpDef(name="f"))])
    graph.unknown_fields = b"\xa0\x06\x01"
    data = graph.to_bytes()
    new = with_nodes(graph, graph.node[:1])
    assert new.node[0] is graph.node[0]
    assert (new.versions, new.library, new.unknown_fields) == (graph.versions, graph.library, graph.unknown_fields)
    assert len(new.node) == 1
    new.node.append(NodeDef(name="c"))
    assert graph.to_bytes() == data


def test_a_function_with_other_nodes_keeps_everything_else():
    function = FunctionDef(signature=OpDef(name="f"), node_def=[NodeDef(name="a")], ret={"r": "a:y:0"})
    new = with_nodes(function, [NodeDef(name="b")])
    assert [node.name for node in new.node_def] == ["b"]
    assert new.ret == {"r": "a:y:0"} and new.signature is function.signature
    assert [node.name for node in function.node_def] == ["a"]


def test_a_graph_with_other_functions_keeps_gradients():
    graph = GraphDef(library=FunctionDefLibrary(gradient=[GradientDef(function_name="f", gradient_func="g")]))
    new = with_functions(graph, [FunctionDef(signature=OpDef(name="f"))])
    assert new.library.gradient == graph.library.gradient
    assert list(Functions(new.library)) == ["f"] and not graph.library.function
    assert list(Functions(with_functions(GraphDef(), new.library.function).library)) == ["f"]


def test_a_changed_node_leaves_the_old_one_alone():
    node = NodeDef(name="a", op="X", input=["b"], attr={"T": AttrValue(i=1)}, unknown_fields=b"\xa0\x06\x01")
    new = replace_node(node, op="Y", input=["c"])
    assert (new.name, new.op, new.input, new.attr, new.unknown_fields) == ("a", "Y", ["c"], node.attr, b"\xa0\x06\x01")
    assert (node.op, node.input) == ("X", ["b"])


@given(graphs())
def test_looking_at_a_graph_never_changes_it_and_reads_no_attributes_of_most_nodes(graph):
    data = graph.to_bytes()
    lazy = GraphDef.from_bytes(data, lazy=True)
    index = GraphIndex(lazy)
    _ = index.execution_order, index.frames, index.node_branches, check_graph(lazy, colocation=False)
    assert lazy.to_bytes() == data
    slot = NodeDef.__table__.by_name["attr"].slot
    read = {node.op for node in lazy.node if isinstance(getattr(node, slot), dict)}
    assert read <= {"Enter", "PartitionedCall", "StatefulPartitionedCall"}


# --- functions -------------------------------------------------------------------------------------------------------


def library():
    def function(name, *nodes):
        return FunctionDef(signature=OpDef(name=name), node_def=list(nodes))

    def call(name):
        return NodeDef(name="call", op="PartitionedCall", attr={"f": AttrValue(func=NameAttrList(name=name))})

    branches = AttrValue(list=AttrValue.ListValue(func=[NameAttrList(name="one"), NameAttrList(name="two")]))
    hidden = NameAttrList(name="one", attr={"g": AttrValue(func=NameAttrList(name="gradient"))})
    return FunctionDefLibrary(
        function=[
            function("one", NodeDef(name="by_op", op="two")),
            function("two", call("one")),
            function("outer", NodeDef(name="case", op="Case", attr={"branches": branches})),
            function("custom", NodeDef(name="n", op="MyOp", attr={"f": AttrValue(func=hidden)})),
            function("gradient"),
            function("unused"),
        ],
        gradient=[GradientDef(function_name="two", gradient_func="gradient")],
    )


def test_functions_are_found_by_name():
    functions = Functions(library())
    assert functions["two"].node_def[0].op == "PartitionedCall"
    assert "two" in functions and functions.get("nope") is None and len(functions) == 6
    with pytest.raises(GraphError, match=r'^there is no function "outter"; did you mean "outer"\?$'):
        functions["outter"]
    assert list(Functions(None)) == []


def test_functions_that_a_node_calls():
    functions = Functions(library())
    assert functions.called_by(functions["outer"].node_def[0]) == ["one", "two"]
    assert functions.called_by(functions["one"].node_def[0]) == ["two"]
    assert functions.called_by(functions["custom"].node_def[0]) == []


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("one", {"one", "two", "gradient"}),
        ("outer", {"one", "two", "outer", "gradient"}),
        ("custom", {"one", "two", "custom", "gradient"}),
        ("gradient", {"gradient"}),
        ("nope", set()),
    ],
)
def test_reachable_functions(name, needed):
    assert Functions(library()).reachable([NodeDef(name="n", op=name)]) == needed


# --- colocation ------------------------------------------------------------------------------------------------------


def test_nodes_that_have_to_be_together():
    classes = {name: {"_class": [f"loc:@{other}", "other"]} for name, other in ("ab", "cb", "de")}
    graph = graph_of("a X\nb X\nc X\nd X\ne X\nf X", **classes)
    assert [colocated_with(node) for node in graph.node] == [["b"], [], ["b"], ["e"], [], []]
    assert colocation_groups(graph.node) == [["a", "b", "c"], ["d", "e"]]


def test_colocation_follows_a_new_name():
    node = NodeDef(name="a", attr={"_class": value_of(["loc:@b", "loc:@c", "b"]), "T": AttrValue(i=1)})
    new = with_renamed_colocation(node, {"b": "c"})
    assert new.attr["_class"].list.s == [b"loc:@c", b"b"]
    assert colocated_with(node) == ["b", "c"] and new.attr["T"] is node.attr["T"]
    assert with_renamed_colocation(node, {"x": "y"}) is node


@pytest.mark.parametrize("sizes", [[1], [1, 60], [110], [111], [121], [127], [128, 3], [40, 41, 42], [300]])
def test_colocation_with_names_of_any_length(sizes):
    names = [str(number) * size for number, size in enumerate(sizes, 1)]
    node = NodeDef(name="a", attr={"_class": value_of([f"loc:@{name}" for name in names])})
    assert colocated_with(node) == names
    new = with_renamed_colocation(node, {name: name.replace(name[0], "x") for name in names})
    assert new.attr["_class"] == value_of([f"loc:@{'x' * size}" for size in sizes])
