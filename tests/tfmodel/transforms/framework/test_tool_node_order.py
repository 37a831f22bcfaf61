"""The node order after removal is that of the C++ tool's passes over the whole graph."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.graph import GraphIndex, with_nodes
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.transforms.framework.tool_node_order import tool_order_after_removal


def remaining(graph: GraphDef, stay: frozenset[str] = frozenset(), op: str = "Identity", count: int = 1) -> list[str]:
    """Return the names of the nodes that remain after a round for nodes of an op with that many inputs."""
    matching = [position for position, node in enumerate(graph.node) if node.op == op and len(data_of(node)) == count]
    kept = {position for position in matching if graph.node[position].name in stay}
    return [graph.node[position].name for position in tool_order_after_removal(GraphIndex(graph), [matching], kept)]


def data_of(node: NodeDef) -> list[str]:
    return [text for text in node.input if text[:1] != "^"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = P; a = P; i = Identity(x); y = Relu(i)", "a x y"),
        ("x = P; i = Identity(x); a = P; j = Identity(i); b = P; k = Identity(j); c = P", "a b x c"),
        ("x = P; i = Identity(x); a = P; j = Identity(x); b = P", "x a b"),  # j goes first, then i
        ("x = P; i = Identity(x); a = P; j = Identity(x, ^a); b = P", "x a b"),
        ("x = P; a = P; i = Identity(x, ^b); b = Relu(a); j = Identity(x, ^y); y = Relu(a)", "a x b y"),
        ("x = P; a = P; kept = Identity(x)", "a kept x"),
        ("i = Identity(kept); x = P; kept = Identity(x)", "i kept x"),  # a node that stays always comes first
    ],
)
def test_nodes_move_to_the_places_of_removed_nodes(before: str, after: str) -> None:
    graph = graph_of(before.replace("; ", "\n"))
    assert remaining(graph, frozenset({"kept"})) == after.split() == remaining_by_passes(graph, frozenset({"kept"}))


def test_a_node_that_stays_claims_all_of_its_inputs() -> None:
    graph = graph_of("x = P\na = P\nb = P\nkept = Identity(b, x)")
    assert remaining(graph, frozenset({"kept"}), count=2) == ["a", "kept", "b", "x"]


@st.composite
def graphs_of_identities(draw: st.DrawFn) -> GraphDef:
    """Identities in chains and stars, some with control inputs, and other ops."""
    nodes = [NodeDef(name="n0", op="P")]
    for number in range(1, draw(st.integers(1, 14))):
        names = [node.name for node in nodes]
        op = draw(st.sampled_from(["Identity", "Identity", "Identity", "Add", "P"]))
        inputs = [draw(st.sampled_from(names)) for _ in range(["P", "Identity", "Add"].index(op))]
        inputs += [f"^{name}" for name in draw(st.lists(st.sampled_from(names), max_size=1))]
        nodes.append(NodeDef(name=f"n{number}", op=op, input=inputs))
    return GraphDef(node=draw(st.permutations(nodes)))


@given(graphs_of_identities(), st.frozensets(st.integers(0, 13).map("n{}".format), max_size=3))
def test_random_graphs_have_the_order_of_the_plain_algorithm(graph: GraphDef, stay: frozenset[str]) -> None:
    assert remaining(graph, stay) == remaining_by_passes(graph, stay)


def remaining_by_passes(graph: GraphDef, stay: frozenset[str]) -> list[str]:
    """The plain algorithm: pass by pass, sorting the whole graph before each."""
    while True:
        heads: dict[str, str] = {}
        claimed: set[str] = set()
        for node in GraphIndex(graph).execution_order:
            source = data_of(node)[0] if node.op == "Identity" else ""
            if source and claimed.isdisjoint({node.name, source}):
                heads[node.name] = source
                claimed |= {node.name, source}
        gone = heads.keys() - stay
        nodes = {node.name: node for node in graph.node}
        order: list[str] = []
        for name in nodes:
            if name in heads:
                order += [heads[name]] if name in gone else [name, heads[name]]
            elif name not in claimed:
                order.append(name)
        if not gone:
            return order
        graph = with_nodes(
            graph, [rewired(nodes[name], {removed: heads[removed] for removed in gone}) for name in order]
        )


def rewired(node: NodeDef, instead: dict[str, str]) -> NodeDef:
    inputs = [f"{text[: text[0] == '^']}{instead.get(text.strip('^'), text.strip('^'))}" for text in node.input]
    return NodeDef(name=node.name, op=node.op, input=inputs)


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("waits", ["", ", ^c"])
def test_many_consumers_of_one_node(waits: str) -> None:
    takers = "\n".join(f"i{number} = Identity(x{waits if number % 2 else ''})" for number in range(1_000))
    assert remaining(graph_of(f"c = P\nx = P\n{takers}")) == ["c", "x"]
