"""The hierarchy of the page: scopes, groups, stacks and parts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tfmodel.drawing.entries import Entry, members
from tfmodel.drawing.hierarchy import build_hierarchy, find_hosts
from tfmodel.drawing.long_lists import MAX_CHILDREN
from tfmodel.drawing.wiring import build_wiring
from tfmodel.messages import GraphDef, NodeDef


def graph_of(*nodes: str) -> GraphDef:
    """Return a graph of nodes written as "name = Op(input, input)"."""
    result = []
    for text in nodes:
        name, _, call = text.partition(" = ")
        op, _, inputs = call.removesuffix(")").partition("(")
        result.append(NodeDef(name=name, op=op, input=[part for part in inputs.split(", ") if part]))
    return GraphDef(node=result)


def hierarchy(graph: GraphDef, needed=None, roles=None) -> Entry:
    return build_hierarchy(build_wiring(graph), {}, needed, roles or {})


def outline(entry: Entry):
    """Return labels: a string for a node, a pair of label and children for other entries."""
    if entry.kind == "node":
        return entry.label
    return (entry.label, [outline(child) for child in entry.children])


def test_scopes_are_entries_and_chains_of_scopes_are_one():
    graph = graph_of("a/b/x = NoOp", "a/b/y = NoOp", "z = NoOp")
    assert outline(hierarchy(graph)) == ("", [("a/b", ["x", "y"]), "z"])


def test_a_node_with_the_name_of_a_scope_is_in_the_scope():
    graph = graph_of("a = NoOp", "a/x = NoOp")
    assert outline(hierarchy(graph)) == ("", [("a", ["a", "x"])])


def test_nodes_that_compute_no_output_are_grouped_by_role():
    graph = graph_of("x = Placeholder", "y = Relu(x)", "s = SaveV2(y)", "r = RestoreV2", "m = NoOp")
    entry = hierarchy(graph, {0, 1}, {2: "saving", 3: "saving"})
    assert outline(entry) == ("", ["x", "y", ("saving", ["s", "r"]), "m"])


def test_many_equal_blocks_are_one_stack_and_others_are_not_in_it():
    blocks = [f"block_{n}/{name} = {op}" for n in range(70) for name, op in (("a", "Relu"), ("b", "Tanh"))]
    other = ["block_70/a = Relu", "block_70/b = Sigmoid"]
    labels = [child.label for child in hierarchy(graph_of(*blocks, *other)).children]
    assert labels == ["block_*_times_70".replace("_times_", " \N{MULTIPLICATION SIGN}"), "block_70"]


def test_a_long_chain_is_cut_where_one_tensor_is_alive():
    nodes = ["n0 = Placeholder"] + [f"n{i} = Relu(n{i - 1})" for i in range(1, 1000)]
    root = hierarchy(graph_of(*nodes))
    assert {child.kind for child in root.children} == {"part"}
    assert 8 <= len(root.children) <= 40
    order = [number for child in root.children for number in sorted(members(child))]
    assert order == list(range(1000))


NAMES = st.lists(st.text("ab/1", min_size=1, max_size=9), min_size=1, max_size=400, unique=True)


@given(NAMES, st.randoms(use_true_random=False))
def test_every_node_is_in_the_hierarchy_once_and_no_entry_is_too_long(names, random):
    nodes = [
        NodeDef(name=name, op=random.choice("AB"), input=random.sample(names[:place], min(place, 2)))
        for place, name in enumerate(names)
    ]
    graph = GraphDef(node=nodes)
    needed = {number for number in range(len(names)) if random.random() < 0.5}
    root = hierarchy(graph, needed)
    assert sorted(members(root)) == list(range(len(names)))
    pending = [root]
    while pending:
        entry = pending.pop()
        assert len(entry.children) <= MAX_CHILDREN
        assert bool(entry.children) == (entry.node < 0)
        pending += entry.children


def test_chains_in_which_nothing_changed_are_parts_of_a_difference():
    nodes = ["x = Placeholder"] + [f"n{i} = Relu({f'n{i - 1}' if i else 'x'})" for i in range(9)]
    nodes += ["w = Const", "y = Mul(n8, w)", "z = Relu(y)"]
    graph = graph_of(*nodes)
    wiring = build_wiring(graph)
    names = [vertex.name for vertex in wiring.vertices]

    def labels(*changed):
        hosts = find_hosts(wiring, None)
        root = build_hierarchy(wiring, hosts, None, {}, {names.index(name) for name in changed})
        assert sorted(members(root)) == sorted({*range(len(names))} - hosts.keys())
        return [child.label for child in root.children]

    dots = " \N{HORIZONTAL ELLIPSIS} "
    assert labels("n4") == [f"x{dots}n3", "n4", f"n5{dots}z"]
    assert labels("n1", "n4") == ["x", "n0", "n1", "n2", "n3", "n4", f"n5{dots}z"]
    assert labels("w") == [f"x{dots}n8", "y", "z"]
    assert labels() == [f"x{dots}z"]


def test_branches_are_not_in_a_chain_of_a_difference():
    graph = graph_of("x = Placeholder", "a = Relu(x)", "b = Tanh(a)", "c = Tanh(a)", "d = Add(b, c)", "e = Relu(d)")
    cycle = graph_of("p = Relu(r)", "q = Relu(p)", "r = Relu(q)", "s = Placeholder")
    for nodes, expected in ((graph, "x a b c d e"), (cycle, "p q r s")):
        root = build_hierarchy(build_wiring(nodes), {}, None, {}, set())
        assert " ".join(child.label for child in root.children) == expected


def test_many_variables_are_a_group_beside_what_computes():
    variables = [f"v{n}/value = VariableV2" for n in range(6)] + [f"v{n}/read = Identity(v{n}/value)" for n in range(6)]
    entry = hierarchy(graph_of("x = Placeholder", "y = AddN(x, v0/read, v1/read)", *variables))
    assert [child.label for child in entry.children] == ["x", "y", "variables"]


def test_a_model_of_variables_only_has_no_groups():
    entry = hierarchy(graph_of(*(f"v{n} = VariableV2" for n in range(10))))
    assert len(entry.children) == 10


def test_a_variable_is_inside_the_node_that_reads_it():
    graph = graph_of("x = Placeholder", "w = VariableV2", "i = Const", "w/init = Assign(w, i)", "r = Identity(w)")
    graph.node.append(NodeDef(name="y", op="MatMul", input=["x", "r"]))
    assert find_hosts(build_wiring(graph), {0, 1, 4, 5}) == {1: 5, 2: 3, 4: 5}


def test_a_variable_that_two_nodes_read_has_its_own_box():
    graph = graph_of("x = Placeholder", "w = VariableV2", "y = MatMul(x, w)", "z = MatMul(x, w)")
    assert find_hosts(build_wiring(graph), None) == {}


def test_equal_blocks_with_other_nodes_between_them_are_not_a_stack():
    nodes = ["x_0 = Placeholder"]
    for n in range(60):
        nodes += [f"a{n}/p = Relu(x_{n})", f"a{n}/q = Relu(a{n}/p)", f"x_{n + 1} = Tanh(a{n}/q)"]
    kinds = {child.kind for child in hierarchy(graph_of(*nodes)).children}
    assert "stack" not in kinds


def test_a_scope_with_many_nodes_joins_those_with_one_consumer():
    chains = [f"c{n}_{k} = Relu({f'c{n}_{k - 1}' if k else 'x'})" for n in range(30) for k in range(2)]
    root = hierarchy(graph_of("x = Placeholder", *chains, f"y = AddN({', '.join(f'c{n}_1' for n in range(30))})"))
    labels = [child.label for child in root.children]
    assert len(labels) <= MAX_CHILDREN and "c0_0 \N{HORIZONTAL ELLIPSIS} c0_1" in labels


def test_a_node_that_many_take_is_in_no_part():
    nodes = ["flag = Placeholder", "n0 = Placeholder"]
    nodes += [f"n{i} = Relu(n{i - 1}{', flag' if i % 10 == 0 else ''})" for i in range(1, 300)]
    assert "flag" in [child.label for child in hierarchy(graph_of(*nodes)).children]


def test_inputs_and_outputs_of_the_model_are_in_no_part():
    nodes = ["image = Placeholder"] + [f"n{i} = Relu({f'n{i - 1}' if i else 'image'})" for i in range(200)]
    root = build_hierarchy(build_wiring(graph_of(*nodes)), {}, None, {}, ends={0, 200})
    assert {"image", "n199"} <= {child.label for child in root.children if child.kind == "node"}
