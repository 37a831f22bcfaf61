"""Detecting the faults of a graph."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.strategies_graphs import graphs, value_of
from tests.tfmodel.graph.samples import LOOP, graph_of
from tests.tfmodel.transforms.graph_notation import graph as parsed
from tfmodel import GraphError
from tfmodel.graph import GraphIndex, check_graph, raise_faults, replace_node, with_functions, with_nodes
from tfmodel.messages import (
    AttrValue,
    FunctionDef,
    FunctionDefLibrary,
    GradientDef,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
)
from tfmodel.ops import OPS


@pytest.mark.parametrize(
    ("table", "kind", "node", "message"),
    [
        ("a Const\na NoOp", "duplicate", "a", 'NoOp "a": another node has this name'),
        ("-a Const", "name", "-a", 'Const "-a" has a name that nodes cannot have'),
        ("a>_b Const", "name", "a>_b", 'Const "a>_b" has a name that nodes cannot have'),
        (
            "conv Const\nb Neg con:1",
            "missing",
            "b",
            'Neg "b": its input "con:1": there is no node "con"; did you mean "conv"?',
        ),
        (
            "a Const\nb Neg ^a:0",
            "reference",
            "b",
            'Neg "b": its input "^a:0" is not a reference to a node or a tensor: a control input has no port',
        ),
        ("a Const\nb Neg a:", "reference", "b", 'Neg "b": its input "a:" is not a reference to a node or a tensor'),
        (
            "a Const\nb Neg a:output:0",
            "reference",
            "b",
            'Neg "b": its input "a:output:0" is spelled differently in a graph: as "a:0"',
        ),
        ("a Const\nb Neg a:1", "port", "b", 'Neg "b": its input "a:1": Const "a" has 1 output'),
        ("a NoOp\nb Neg a", "port", "b", 'Neg "b": its input "a": NoOp "a" has no output'),
        ("a Const\nb Add ^a a", "order", "b", 'Add "b": its input "a" comes after a control input'),
        ("a Neg a", "cycle", "a", 'Neg "a" waits for itself'),
        ("a Neg c\nb Neg a\nc Neg b\nd Neg c", "cycle", "a", 'Neg "a" waits for itself through "b", "c"'),
        ("a Const\nm Merge a n\nn Neg m", "cycle", "m", 'Merge "m" waits for itself through "n"'),
        ("c Const\ne Enter c\nm Merge n ^e\nn NextIteration m", "cycle", "m", 'Merge "m" has no input from outside'),
        ("a Const\nm Merge ^a", "cycle", "m", 'Merge "m" has no input from outside'),
        (
            "a Const\ne Enter a\nb Add a e",
            "frame",
            "b",
            'Add "b": its input "e" is in the loop "frame", the others are outside of loops',
        ),
        ("a Const\ne Exit a", "frame", "e", 'Exit "e" is not in a loop'),
        ("a PartitionedCall", "function", "a", 'PartitionedCall "a" calls a function "f", which is not in the library'),
        ("a Const", "colocation", "a", 'Const "a" is colocated with "zz", which does not exist'),
    ],
)
def test_every_kind_of_fault(table, kind, node, message):
    attrs = {"function": {"f": NameAttrList(name="f")}, "colocation": {"_class": ["loc:@zz"]}}.get(kind, {})
    graph = graph_of(table, a=attrs)
    faults = check_graph(graph, registry=OPS)
    assert [(fault.kind, fault.node, fault.message) for fault in faults] == [(kind, node, message)]
    with pytest.raises(GraphError) as caught:
        raise_faults(faults)
    assert str(caught.value) == message


def test_a_node_without_a_name_is_a_fault():
    (fault,) = check_graph(GraphDef(node=[NodeDef(op="NoOp")]))
    assert (fault.kind, fault.node, fault.message) == ("name", "", 'NoOp "" has no name')


def test_an_enter_that_does_not_say_where_is_a_fault():
    faults = check_graph(GraphDef(node=[NodeDef(name="a", op="Const"), NodeDef(name="e", op="Enter", input=["a"])]))
    assert [fault.message for fault in faults] == ['Enter "e" has no frame_name, which names its loop']


def test_each_knot_of_cycles_is_one_fault():
    faults = check_graph(graph_of("a X b\nb X a c\nc X d\nd X c e\ne X\nf X b"))
    assert [fault.message for fault in faults] == [
        'X "a" waits for itself through "b"',
        'X "c" waits for itself through "d"',
    ]


def test_a_long_cycle_is_shortened_and_found_without_recursion():
    faults = check_graph(graph_of("\n".join(f"n{i} X n{(i + 1) % 5000}" for i in range(5000))))
    assert len(faults) == 1
    assert faults[0].message.endswith('"n4995" and 4,994 more')


def test_a_sound_loop_has_no_faults():
    assert check_graph(graph_of(LOOP), registry=OPS) == []


def test_the_first_faults_are_listed_and_the_others_counted():
    faults = check_graph(graph_of("\n".join(f"n{i} Neg z{i}" for i in range(5))))
    with pytest.raises(GraphError) as caught:
        raise_faults(faults)
    assert str(caught.value).count("there is no node") == 3
    assert str(caught.value).endswith("; and 2 more faults")
    raise_faults([])


def test_names_of_a_hostile_graph_are_shown_safely():
    (fault,) = check_graph(GraphDef(node=[NodeDef(name="a\x1b[2J", op="NoOp")]))
    assert "\x1b" not in str(fault) and "\\x1b" in str(fault)


# --- functions -------------------------------------------------------------------------------------------------------


def function_of(table, *, args=("x",), ret=None, control_ret=None, name="f", results=("r",)):
    signature = OpDef(
        name=name,
        input_arg=[OpDef.ArgDef(name=argument) for argument in args],
        output_arg=[OpDef.ArgDef(name=result) for result in results],
    )
    nodes = graph_of(table).node if table else []
    return FunctionDef(signature=signature, node_def=nodes, ret=ret or {"r": "x"}, control_ret=control_ret or {})


@pytest.mark.parametrize(
    "function",
    [
        function_of("n Neg x\nm Neg n:y:0 ^x ^n", ret={"r": "m:y:0"}),
        function_of("n Neg x:0\nm Neg n:y", ret={"r": "m:y"}),
        function_of("", ret={"r": "x:0"}),
        function_of("n Neg x", control_ret={"done": "n"}),
    ],
)
def test_graphs_that_tensorflow_accepts_have_no_faults(function):
    assert check_graph(GraphDef(library=FunctionDefLibrary(function=[function])), registry=OPS) == []


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (function_of("n Neg x\nm Neg n"), "reference", 'its input "n" is spelled differently in the body'),
        (function_of("n Neg x\nm Neg n:0"), "reference", 'as "n:output:0", with the name of the output'),
        (function_of("n Neg x:1"), "port", 'its input "x:1" is an argument'),
        (function_of("n Neg x\nm Neg n:z:0"), "port", 'Neg "n" has no such output: it has y'),
        (function_of("n Neg x\nm Neg n:y:1"), "port", 'Neg "n" has 1 output of that name'),
        (function_of("n Neg q:y:0"), "missing", 'there is no node "q"'),
        (function_of("x NoOp"), "duplicate", "an argument has this name"),
        (function_of("n Neg x", args=("x", "y", "x")), "duplicate", 'two arguments have the name "x"'),
        (function_of("n Neg x", ret={"r": "q"}), "missing", 'its result "r", "q": there is no node "q"'),
        (function_of("n Neg x", ret={"r": "n"}), "reference", 'its result "r", "n" is spelled differently'),
        (function_of("n Neg x", ret={"r": "^n"}), "reference", 'its result "r", "^n" is not a tensor'),
        (function_of("n Neg x", ret={"s": "x"}), "result", 'it does not define its result "r"'),
        (function_of("n Neg x", control_ret={"done": "q"}), "missing", 'for its control output "done"'),
        (function_of("a Neg b:y:0\nb Neg a:y:0"), "cycle", 'Neg "a" waits for itself through "b"'),
    ],
)
def test_functions_have_a_grammar_of_their_own(function, kind, message):
    (fault,) = check_graph(GraphDef(library=FunctionDefLibrary(function=[function])), registry=OPS)
    assert (fault.kind, fault.function) == (kind, "f")
    assert message in fault.message
    assert str(fault).startswith('function "f": ')


@pytest.mark.parametrize(
    ("library", "messages"),
    [
        (FunctionDefLibrary(function=[function_of("", results=())] * 2), []),
        (
            FunctionDefLibrary(function=[function_of(""), function_of("n Neg x")]),
            ['function "f": another function has this name'],
        ),
        (FunctionDefLibrary(function=[function_of("", name="")]), ["a function of the library has no name"]),
        (FunctionDefLibrary(function=[function_of("", name="NoOp")]), ['function "NoOp": this is the name of an op']),
        (
            FunctionDefLibrary(
                function=[function_of("")], gradient=[GradientDef(function_name="f", gradient_func="g")]
            ),
            ['the function "g" of a gradient is not in the library'],
        ),
    ],
)
def test_faults_of_the_library(library, messages):
    faults = check_graph(GraphDef(library=library), registry=OPS)
    assert [str(fault) for fault in faults] == messages
    assert check_graph(GraphDef(library=library), library=False) == []


def test_the_outputs_of_a_call_are_those_of_the_function():
    graph = with_functions(graph_of("x Const\ny f x\nz Neg y:1"), [function_of("")])
    assert [fault.message for fault in check_graph(graph)] == ['Neg "z": its input "y:1": f "y" has 1 output']


@pytest.mark.parametrize(
    ("attrs", "port", "sound"),
    [
        ({"num_split": 2}, 1, True),
        ({"num_split": 2}, 2, False),
        ({}, 7, True),  # without the attribute, it is unknown
    ],
)
def test_an_attribute_may_say_how_many_outputs_there_are(attrs, port, sound):
    graph = graph_of(f"d Const\nx Const\ns Split d x\ny Neg s:{port}", s=attrs)
    assert (check_graph(graph, registry=OPS) == []) is sound


# --- properties ------------------------------------------------------------------------------------------------------


@given(graphs())
def test_a_generated_graph_has_no_faults(graph):
    assert check_graph(graph, registry=OPS) == []


def replaced(graph, place, **fields):
    nodes = list(graph.node)
    nodes[place] = replace_node(nodes[place], **fields)
    return with_nodes(graph, nodes)


def duplicate(draw, graph, place):
    return with_nodes(graph, [*graph.node, graph.node[place]])


def rename(draw, graph, place):
    return replaced(graph, place, name=draw(st.sampled_from(["", "^a", "a:0", "a b", "é"])))


def dangle(draw, graph, place):
    return replaced(graph, place, input=["nowhere", *graph.node[place].input])


def misspell(draw, graph, place):
    text = draw(st.sampled_from(["", "^", "^x:0", "x::1", "x:-1", "x:y:0"]))
    return replaced(graph, place, input=[text, *graph.node[place].input])


def wrong_port(draw, graph, place):
    return replaced(graph, place, input=["x:9", *graph.node[place].input])


def wrong_order(draw, graph, place):
    return replaced(graph, place, input=["^x", "x", *graph.node[place].input])


def cycle(draw, graph, place):
    index = GraphIndex(graph)
    place = draw(
        st.sampled_from([node_position for node_position, node in enumerate(index.nodes) if node.op != "NextIteration"])
    )
    behind = [place]
    for position in behind:
        targets = [target for target in index.targets[position] if index.nodes[target].op != "NextIteration"]
        behind.extend(target for target in targets if target not in behind)
    last = graph.node[draw(st.sampled_from(behind))]
    return replaced(graph, place, input=[*graph.node[place].input, f"^{last.name}"])


ELSEWHERE = [
    NodeDef(name="elsewhere/start", op="Const"),
    NodeDef(name="elsewhere/enter", op="Enter", input=["elsewhere/start"], attr={"frame_name": value_of("elsewhere")}),
    NodeDef(name="elsewhere/outside", op="Identity", input=["elsewhere/start"]),
]
"""Nodes within a frame and outside of it, for graphs that have no loop."""


def frame(draw, graph, place):
    graph = with_nodes(graph, [*graph.node, *ELSEWHERE])
    index = GraphIndex(graph)
    place = draw(
        st.sampled_from(
            [
                position
                for position, node in enumerate(index.nodes)
                if index.sources[position] and node.op not in ("Enter", "Placeholder")
            ]
        )
    )
    before = index.forward_order[: index.forward_order.index(place)]  # of what comes behind, it would be a cycle
    others = [
        index.nodes[other].name
        for other in before
        if index.node_frames[other] is not index.node_frames[place] and index.nodes[other].op not in ("Enter", "Exit")
    ]
    others.append("elsewhere/outside" if index.node_frames[place] else "elsewhere/enter")
    return replaced(graph, place, input=[*graph.node[place].input, f"^{draw(st.sampled_from(others))}"])


def function(draw, graph, place):
    call = NodeDef(name="call", op="PartitionedCall", attr={"f": AttrValue(func=NameAttrList(name="nowhere"))})
    return with_nodes(graph, [*graph.node, call])


def colocation(draw, graph, place):
    return replaced(graph, place, attr=graph.node[place].attr | {"_class": value_of(["loc:@nowhere"])})


@pytest.mark.parametrize(
    ("mutilate", "kind"),
    [
        (duplicate, "duplicate"),
        (rename, "name"),
        (dangle, "missing"),
        (misspell, "reference"),
        (wrong_port, "port"),
        (wrong_order, "order"),
        (cycle, "cycle"),
        (frame, "frame"),
        (function, "function"),
        (colocation, "colocation"),
    ],
)
@given(graph=graphs(), data=st.data())
def test_broken_graphs_have_faults(mutilate, kind, graph, data):
    place = data.draw(st.integers(0, len(graph.node) - 1))
    before = graph.to_bytes()
    broken = mutilate(data.draw, graph, place)
    faults = check_graph(broken, registry=OPS)
    assert kind in {fault.kind for fault in faults}
    assert graph.to_bytes() == before


@given(graphs(), st.data())
def test_any_wiring_can_be_indexed_and_checked(graph, data):
    """References at random: nothing is raised but GraphError, and what cannot be sorted has a fault."""
    names = [node.name for node in graph.node]
    texts = st.sampled_from([*names, *(f"^{name}" for name in names), *(f"{name}:1" for name in names), "", "a:b:c"])
    nodes = [replace_node(node, input=data.draw(st.lists(texts, max_size=3))) for node in graph.node]
    broken = with_nodes(graph, nodes)
    index = GraphIndex(broken)
    _ = index.frames, index.node_branches
    faults = check_graph(broken, registry=OPS)
    try:
        assert len(index.execution_order) == len(names)
    except GraphError:
        assert {fault.kind for fault in faults} & {"missing", "reference", "cycle"}


# --- what is new since another graph ---------------------------------------------------------------------------------


def test_nodes_that_a_graph_shares_with_the_one_it_was_made_of_are_only_looked_at_as_they_are_wired() -> None:
    old = GraphDef(node=[NodeDef(name="?"), NodeDef(name="a"), NodeDef(name="b", input=["a"])])
    new = with_nodes(old, [*old.node, NodeDef(name="!")])
    assert [fault.node for fault in check_graph(new)] == ["?", "!"]
    assert [fault.node for fault in check_graph(new, since=old)] == ["!"]
    without_a = with_nodes(old, [node for node in old.node if node.name != "a"])
    assert [(fault.kind, fault.node) for fault in check_graph(without_a, since=old)] == [("missing", "b")]


def test_ports_of_a_node_that_is_new_are_looked_at_where_it_is_used() -> None:
    old = GraphDef(node=[NodeDef(name="a", op="Unique"), NodeDef(name="b", op="Relu", input=["a:1"])])
    new = with_nodes(old, [replace_node(old.node[0], op="Relu"), old.node[1]])
    assert [(fault.kind, fault.node) for fault in check_graph(new, registry=OPS, since=old)] == [("port", "b")]


@pytest.mark.parametrize("op", ["Relu", "NoOp"])
def test_an_op_without_outputs_is_nothing_to_take_from(op: str) -> None:
    graph = GraphDef(node=[NodeDef(name="a", op=op), NodeDef(name="b", op="Relu", input=["a", "^a"])])
    faults = [(fault.kind, fault.node) for fault in check_graph(graph, registry=OPS)]
    assert faults == ([("port", "b")] if op == "NoOp" else [])


def test_functions_that_changed_are_looked_at_and_their_callers_if_they_look_different() -> None:
    def calling(function: FunctionDef, node: NodeDef) -> GraphDef:
        return GraphDef(node=[node], library=FunctionDefLibrary(function=[function]))

    function = FunctionDef(signature=OpDef(name="f"), node_def=[NodeDef(name="n")])
    old = calling(function, NodeDef(name="y", op="PartitionedCall", attr={"f": AttrValue(func=NameAttrList(name="f"))}))
    broken = with_functions(old, [with_nodes(function, [NodeDef(name="n", input=["m"])])])
    assert [(fault.kind, fault.function) for fault in check_graph(broken, since=old)] == [("missing", "f")]
    other = with_functions(old, [FunctionDef(signature=OpDef(name="g"))])
    assert [(fault.kind, fault.node) for fault in check_graph(other, since=old)] == [("function", "y")]


# --- types -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("y = Relu(x)[T=float]", []),
        ("y = Relu(x:0)[T=half]", ['Relu "y": its input "x:0" is float32, not float16']),
        ("y = Reshape(x, x)[T=float, Tshape=int32]", ['Reshape "y": its input "x" is float32, not int32']),
        ("s = Shape(x)[T=float, out_type=int64]\ny = Neg(s)[T=int32]", ['Neg "y": its input "s" is int64, not int32']),
        (
            'e = Enter(x)[T=float, frame_name="f"]\ny = ReadVariableOp(e)[dtype=float]',
            ['ReadVariableOp "y": its input "e" is float32, not resource'],
        ),
        ("v = VariableV2[dtype=float, shape=()]\ny = Relu(v)[T=float]", []),
        ("y = Assign(x, x)[T=float]", ['Assign "y": its input "x" is float32, not float32_ref']),
        ("y = Relu(x)", []),
        ("y = Unknown(x)[T=half]", []),
        ("y = Add(x)[T=half]", []),
    ],
)
def test_types_of_inputs(text: str, problems: list[str]) -> None:
    graph = parsed(f"x = Placeholder[dtype=float]\n{text}")
    faults = [fault for fault in check_graph(graph, registry=OPS) if fault.kind == "type"]
    assert [str(fault) for fault in faults] == problems
    assert not [fault for fault in check_graph(graph, registry=OPS, types=False) if fault.kind == "type"]


def test_types_in_functions() -> None:
    graph = parsed("""
        f: (a: float) -> (r: int32 = relu:activations:0)
        f: unique = Unique(a)[T=float]
        f: relu = Relu(unique:idx:0)[T=float]
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[int32]]
    """)
    assert [str(fault) for fault in check_graph(graph, registry=OPS)] == [
        'function "f": Relu "relu": its input "unique:idx:0" is int32, not float32',
        'function "f": its result "r" is float32, not int32',
    ]
