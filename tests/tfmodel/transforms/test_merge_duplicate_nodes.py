"""Nodes that compute the same are merged; all others stay."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.effort import scaled
from tests.support.strategies_graphs import Model, models
from tests.tfmodel.transforms.graph_notation import graph
from tests.tfmodel.transforms.run_step import after
from tfmodel.graph import GraphIndex, check_graph, references, replace_node, with_nodes
from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import StepReport
from tfmodel.transforms.merge_duplicate_nodes import merge_duplicate_nodes
from tfmodel.values.names import TensorName

MERGE = "merge_duplicate_nodes"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Relu(x)", "Relu(x)"),
        ("Relu(x)", "Relu(x:0)"),
        ("Relu(x, ^x)", "Relu(x, ^x)"),
        ("Relu(x)[T=float]", "Relu(x)[T=float]"),
        ("Const[value=float{1.0, 2.0}]", "Const[value=float{1.0, 2.0}]"),
        ("Relu(x) @ /cpu:0", "Relu(x) @ /cpu:0"),
    ],
)
def test_nodes_that_are_merged(a: str, b: str) -> None:
    nodes, report = after(f"x = Placeholder\na = {a}\nb = {b}\ny = IdentityN(b, b:0, a, ^b)[T=[float]]", MERGE)
    assert nodes == {"x": "Placeholder", "a": a, "y": "IdentityN(a, a:0, a, ^a)[T=[float]]"}
    assert report.fired == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Relu(x)", "Neg(x)"),
        ("Relu(x)", "Relu(x, ^x)"),
        ("Split(x, x)[num_split=2]", "Split(x, x)[num_split=3]"),
        ("Relu(x)[T=float]", "Relu(x)[T=half]"),
        ("Relu(x)[T=float]", "Relu(x)[S=float]"),
        ("Const[value=float{1.0, 2.0}]", "Const[value=float{1.0, 3.0}]"),
        ("Relu(x) @ /cpu:0", "Relu(x)"),
        ("Relu(x) @ /cpu:0", "Relu(x) @ /gpu:0"),
        ('Relu(x)[_class=["loc:@x"]]', "Relu(x)"),
        ("RandomUniform(x)", "RandomUniform(x)"),
        ("VariableV2", "VariableV2"),
        ("Assign(x, x)", "Assign(x, x)"),
        ("Placeholder", "Placeholder"),
        ("PlaceholderWithDefault(x)", "PlaceholderWithDefault(x)"),
        ("MyOwnOp(x)", "MyOwnOp(x)"),
    ],
)
def test_nodes_that_are_not_merged(a: str, b: str) -> None:
    nodes, report = after(f"x = Placeholder\na = {a}\nb = {b}", MERGE)
    assert nodes == {"x": "Placeholder", "a": a, "b": b}
    assert report.fired == 0


def test_unknown_ops_are_reported() -> None:
    _, report = after("a = MyOwnOp\nb = NoOp", MERGE)
    assert report.refusals == {"its op is not known": ["a"]}


def test_consumers_of_merged_nodes_are_merged_into_the_first() -> None:
    nodes, report = after(
        "y = Add(r2, r1)\nr2 = Relu(n2)\nx = Placeholder\nn1 = Neg(x)\nn2 = Neg(x)\nr1 = Relu(n1)", MERGE
    )
    assert nodes == {"y": "Add(r2, r2)", "r2": "Relu(n1)", "x": "Placeholder", "n1": "Neg(x)"}
    assert report.fired == 2


def test_declared_nodes_stay() -> None:
    nodes, _ = after("x = Placeholder\na = Relu(x)\nb = Relu(x)\nc = Relu(x)\nd = Relu(x)", MERGE, "x", "c, d:0")
    assert [*nodes] == ["x", "a", "c", "d"]


def test_equal_nodes_of_loops_are_merged() -> None:
    """Merges are known to be equal only when the nodes that lead back to them are."""
    nodes, _ = after(
        """
        x = Placeholder
        enter = Enter(x)[frame_name="f"]
        m1 = Merge(enter, n1)[N=2]
        m2 = Merge(enter, n2)[N=2]
        r1 = Relu(m1)
        r2 = Relu(m2)
        c = Neg(enter)
        n1 = NextIteration(c)
        n2 = NextIteration(c)
        """,
        MERGE,
    )
    assert [*nodes] == ["x", "enter", "m1", "r1", "c", "n1"]


def test_colocation_attributes_refer_to_the_node_that_stays() -> None:
    nodes, _ = after('x = Placeholder\na = Relu(x)\nb = Relu(x)\ny = Neg(x)[_class=["loc:@b"]]', MERGE)
    assert nodes["y"] == 'Neg(x)[_class=["loc:@a"]]'


def test_functions_are_merged_each_by_itself() -> None:
    before = graph(
        """
        f: (a: float) -> (r: float = add:z:0, s: float = n:y:0)
        f: i = Relu(a)[T=float]
        f: j = Relu(a)[T=float]
        f: m = Neg(a)[T=float]
        f: n = Neg(a)[T=float]
        f: add = AddV2(i:activations:0, j:activations:0, ^m)[T=float]
        x = Placeholder[dtype=float]
        y = f(x)
        """
    )
    result = merge_duplicate_nodes(before, report=StepReport("test"))
    assert not check_graph(result)
    assert result.library is not None
    [function] = result.library.function
    assert {node.name: node.input for node in function.node_def} == {
        "i": ["a"],
        "m": ["a"],
        "n": ["a"],
        "add": ["i:activations:0", "i:activations:0", "^m"],
    }


@pytest.mark.parametrize("lazy", [False, True])
def test_large_constants_are_compared_to_the_last_byte(lazy: bool) -> None:
    start, end = bytes(1 << 17), b"end" * 100
    contents = {"a": b"1", "b": b"2", "c": b"1", "d": b"1" + end}
    before = GraphDef(
        node=[
            NodeDef(name=name, op="Const", attr={"value": AttrValue(tensor=TensorProto(tensor_content=content))})
            for name, content in ((name, start + middle + end) for name, middle in contents.items())
        ]
    )
    before = GraphDef.from_bytes(before.to_bytes(), lazy=lazy)
    result = merge_duplicate_nodes(before, report=StepReport("test"))
    assert [node.name for node in result.node] == ["a", "b", "d"]


def test_attributes_are_compared_whether_they_were_decoded_or_not() -> None:
    text = 'a = Relu(x)[T=float, b=[1, 2], c="d"]\nx = Placeholder\nb = Relu(x)[c="d", T=float, b=[1, 2]]'
    before = GraphDef.from_bytes(graph(text).to_bytes(), lazy=True)
    assert before.node[2].attr["T"] is not None
    assert len(merge_duplicate_nodes(before, report=StepReport("test")).node) == 2


@pytest.mark.slow(reason="reads or transforms inputs that are large")
def test_a_long_chain_of_duplicates() -> None:
    nodes = [NodeDef(name="n0", op="Placeholder"), NodeDef(name="m0", op="Relu", input=["n0"])]
    nodes.append(NodeDef(name="l0", op="Relu", input=["n0"]))
    for number in range(1, 10_000):
        nodes += [NodeDef(name=f"{row}{number}", op="Relu", input=[f"{row}{number - 1}"]) for row in "lm"]
    result = merge_duplicate_nodes(GraphDef(node=nodes), report=StepReport("test"))
    assert len(result.node) == 10_001


@settings(max_examples=scaled(30))
@given(models(control_flow=False), st.randoms(use_true_random=False))
def test_merging_keeps_the_outputs(model: Model, choose: Any) -> None:
    graph = with_twins(model, choose)
    result = transform(graph, model.inputs, model.outputs, MERGE)
    outputs = {TensorName.parse(output).node for output in model.outputs}
    alone = outputs | {node.name for node in graph.node if node.op in ("Placeholder", "StatefulPartitionedCall")}
    terms: dict[Any, int] = {}
    before, after = computed(graph, alone, terms), computed(result, alone, terms)
    assert all(before[name] == after[name] for name in outputs)
    assert len(set(after.values())) == len(after)
    assert set(after.values()) == set(before.values())


def with_twins(model: Model, choose: Any) -> GraphDef:
    """A graph with each node twice; consumers take either of them. Nodes may have any device."""
    twins = {node.name: f"{node.name}_twin" for node in model.graph.node if node.name not in model.inputs}

    def either(text: str) -> str:
        tensor = TensorName.parse(text)
        return str(tensor._replace(node=choose.choice([tensor.node, twins.get(tensor.node, tensor.node)])))

    nodes = []
    for node in model.graph.node:
        names = [node.name, twins[node.name]] if node.name in twins else [node.name]
        attributes = {key: value for key, value in node.attr.items() if key != "_class"}
        nodes += [replace_node(node, name=name, input=[*map(either, node.input)], attr=attributes) for name in names]
    return with_nodes(model.graph, nodes)


def computed(graph: GraphDef, alone: set[str], terms: dict[Any, int]) -> dict[str, int]:
    """Return a number for what each node computes: equal numbers for equal results, in all graphs with the same
    `terms`.

    Nodes that are `alone` are not equal to any other.
    """
    numbers: dict[str, int] = {}
    for node in GraphIndex(graph).execution_order:
        inputs = [(numbers[tensor.node], tensor.port) for tensor in references(node)]
        attributes = sorted((name, value.to_bytes(deterministic=True)) for name, value in node.attr.items())
        name = node.name if node.name in alone else ""
        numbers[node.name] = terms.setdefault(repr((node.op, name, node.device, inputs, attributes)), len(terms))
    return numbers
