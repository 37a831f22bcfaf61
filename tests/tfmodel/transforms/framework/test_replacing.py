"""Patterns, matches, and their replacement."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given

from tests.support.strategies_graphs import Model, models
from tests.tfmodel.transforms.graph_notation import graph as notated
from tests.tfmodel.transforms.graph_notation import spelled
from tests.tfmodel.transforms.run_step import graph_of as parsed
from tfmodel.errors import GraphError
from tfmodel.graph import GraphIndex, check_graph, replace_node
from tfmodel.messages import DataType, FunctionDef, FunctionDefLibrary, GraphDef, NodeDef, OpDef
from tfmodel.transforms.framework.patterns import Anything, Bindings, Match, MatchContext, Op, match_pattern
from tfmodel.transforms.framework.replacing import Finder, Rewrite, replace_matches, replace_subgraphs
from tfmodel.transforms.framework.report import Refusal, StepReport
from tfmodel.values.names import TensorName

SQUARE = Op("Mul", Anything(as_="x"), Anything(as_="x"))
RELU_OF_ADD = Op("Relu", Op("Add|AddV2", Anything(as_="a"), Anything(as_="b"), as_="add"))


def fused(match: Match) -> list[NodeDef]:
    """Relu(Add(a, b)) -> AddRelu(a, b); a, b and their inputs stay in place."""
    return [replace_node(match.head, op="AddRelu", input=[*match["add"].input, *match.head.input[1:]])]


def run(
    text: str,
    pattern: Op,
    rewrite: Callable[[Match], Iterable[NodeDef] | Refusal],
    *,
    keep: str = "",
    fed: str = "",
    allow_inconsistencies: bool = False,
) -> tuple[list[str], StepReport]:
    report = StepReport("test")
    original = parsed(text)
    before = original.to_bytes(deterministic=True)
    kept, inputs = ([TensorName.parse(tensor) for tensor in names.split()] for names in (keep, fed))
    result = replace_matches(
        original, pattern, rewrite, keep=kept, inputs=inputs, report=report, allow_inconsistencies=allow_inconsistencies
    )
    assert original.to_bytes(deterministic=True) == before
    return [spelled(node) for node in result.node], report


# --- what matches ----------------------------------------------------------------------------------------------------

GRAPH = """
    a = Placeholder
    b = Placeholder
    sum = Add(a, b:1, ^c)
    c = Placeholder
    same = Mul(a, a)
    both = Mul(a, sum)
    y = Relu(sum, ^c)
    z = Relu(both)
"""


@pytest.mark.parametrize(
    ("pattern", "heads"),
    [
        (Op("Placeholder"), ["a", "b", "c"]),
        (Op("Add"), ["sum"]),  # whatever its inputs are
        (Op("Add|Mul"), ["sum", "same", "both"]),
        (Op("Add", Anything(), Anything()), ["sum"]),  # control inputs do not count
        (Op("Add", Anything()), []),
        (Op("Add", Anything(), Anything(port=1)), ["sum"]),
        (Op("Add", Anything(), Anything(port=0)), []),
        (SQUARE, ["same"]),  # one name is one node
        (Op("Mul", Op("Add"), Anything()), []),
        (Op("Mul", Op("Add"), Anything(), commutative=True), ["both"]),
        (Op("Mul", Anything(), Op("Add"), commutative=True), ["both"]),
        (Op("Relu", Op("Mul", Op("Add", as_="s"), Anything(as_="x"), commutative=True)), ["z"]),
        (RELU_OF_ADD, ["y"]),
        (Op("*"), ["a", "b", "sum", "c", "same", "both", "y", "z"]),
        (Op("*", Anything(), Anything()), ["sum", "same", "both"]),
        (Op("*", Op("*", Anything(), Anything()), port=0), ["y", "z"]),
        (Op("Relu", Op("*", Anything(), Op("Add"))), ["z"]),
        (Op("Mul|*", Anything(), Op("Add|*", Anything(), Anything())), ["both"]),
    ],
)
def test_patterns_match(pattern: Op, heads: list[str]) -> None:
    index = GraphIndex(parsed(GRAPH))
    matches = [node.name for position, node in enumerate(index) if match_pattern(pattern, index, position)]
    assert matches == heads


def test_any_op_is_rewritten_in_graphs_and_functions() -> None:
    original = notated("""
        f: (a: float, b: float) -> (r: float = y:z:0)
        f: y = Maximum(a, b)[T=float]
        x = Placeholder[dtype=float]
        y = Mul(x, x)[T=float]
        z = Add(x, y)[T=float]
    """)

    def swapped(match: Match) -> list[NodeDef]:
        return [replace_node(match.head, input=match.head.input[::-1])]

    report = StepReport("test")
    result = replace_matches(original, Op("*", Anything(), Anything()), swapped, report=report)
    assert [node.input for node in result.node] == [[], ["x", "x"], ["y", "x"]]
    assert result.library is not None
    assert result.library.function[0].node_def[0].input == ["b", "a"]
    assert report.fired == 3


def test_a_name_in_a_pattern_is_a_node_of_the_match() -> None:
    index = GraphIndex(parsed(GRAPH))
    match = match_pattern(RELU_OF_ADD, index, index.position("y"))
    assert match is not None
    assert {name: index.nodes[position].name for name, position in match.names.items()} == {
        "add": "sum",
        "a": "a",
        "b": "b",
    }


def test_only_two_inputs_can_change_places() -> None:
    with pytest.raises(ValueError, match="two inputs, got 1"):
        Op("Mul", Anything(), commutative=True)


# --- what takes its place --------------------------------------------------------------------------------------------


def test_new_nodes_stand_where_the_head_stood() -> None:
    nodes, report = run("a = P\nb = P\ns = Add(a, b)\nz = P\ny = Relu(s, ^z)\no = Neg(y)", RELU_OF_ADD, fused)
    assert nodes == ["a = P", "b = P", "z = P", "y = AddRelu(a, b, ^z)", "o = Neg(y)"]
    assert report.fired == 1


def test_matches_used_elsewhere_are_left_alone_and_reported() -> None:
    nodes, report = run("a = P\nb = P\ns = Add(a, b)\ny = Relu(s)\no = Neg(s)", RELU_OF_ADD, fused)
    assert nodes == ["y = Relu(s)", "s = Add(a, b)", "a = P", "b = P", "o = Neg(s)"]  # in the original's order
    assert report.refusals == {"its Add is used elsewhere": ["y"]}
    assert not report.fired


def test_matches_used_by_a_control_input_are_left_alone() -> None:
    _, report = run("a = P\nb = P\ns = Add(a, b)\ny = Relu(s)\no = Neg(a, ^s)", RELU_OF_ADD, fused)
    assert report.refusals == {"its Add is used elsewhere": ["y"]}


def test_matches_that_are_outputs_are_left_alone() -> None:
    _, report = run("a = P\nb = P\ns = Add(a, b)\ny = Relu(s)", RELU_OF_ADD, fused, keep="s:0")
    assert report.refusals == {"its Add is an output": ["y"]}


def test_matches_that_may_be_fed_are_left_alone() -> None:
    _, report = run(GRAPH, RELU_OF_ADD, fused, fed="sum:0")
    assert report.refusals == {"its Add is an input": ["y"]}


def test_a_constant_that_may_be_fed_has_no_known_value() -> None:
    def told(match: Match) -> list[NodeDef]:
        return [replace_node(match.head, op=str(match.array("a").tolist()))]

    text = "a = Const[value=float{2}]\ns = Add(a, a)\ny = Relu(s)"
    assert run(text, RELU_OF_ADD, told)[0][-1].startswith("y = [2.0](")
    [reason] = run(text, RELU_OF_ADD, told, fed="a")[1].refusals
    assert reason == 'Const "a" is declared as an input, which may be fed'


def test_matches_with_colocated_nodes_are_left_alone() -> None:
    text = 'a = P\nb = P\ns = Add(a, b)\ny = Relu(s)\no = Neg(a)[_class=["loc:@s"]]'
    assert run(text, RELU_OF_ADD, fused)[1].refusals == {"other nodes must be on the same device as its Add": ["y"]}


def test_nodes_colocated_with_a_removed_constant_stay_together() -> None:
    pattern = Op("Pad", Anything(as_="x"), Op("Const"))
    text = """
        x = P
        p = Const
        y = Pad(x, p)
        z = Neg(y)[_class=["loc:@p"]]
        o = Neg(z)[_class=["loc:@p"]]
    """
    nodes, report = run(text, pattern, lambda match: [replace_node(match.head, op="Crop", input=match.head.input[:1])])
    assert report.fired == 1
    assert nodes == ["x = P", "y = Crop(x)", 'z = Neg(y)[_class=["loc:@z"]]', 'o = Neg(z)[_class=["loc:@z"]]']


@pytest.mark.parametrize(
    ("constant", "waiting", "left"),
    [
        ("p = Const", "w = NoOp(^p, ^x)", ["w = NoOp(^x)"]),
        ("p = Const(^x)", "w = NoOp(^p)", ["p = Const(^x)", "w = NoOp(^p)"]),
        ("p = Const", "w = Neg(p, ^p)", ["p = Const", "w = Neg(p, ^p)"]),
    ],
)
def test_a_constant_used_only_as_control_input_is_removed(constant: str, waiting: str, left: list[str]) -> None:
    """Unless the constant has control inputs itself; then it orders other nodes."""
    pattern = Op("Pad", Anything(as_="x"), Op("Const"))
    text = f"x = P\n{constant}\ny = Pad(x, p)\n{waiting}"
    nodes, _ = run(text, pattern, lambda match: [replace_node(match.head, op="Crop", input=match.head.input[:1])])
    assert [node for node in nodes if node[0] in "pw"] == left


def test_allow_inconsistencies_lets_a_rewrite_drop_used_nodes() -> None:
    text = "a = P\nb = P\ns = Add(a, b)\ny = Relu(s)\no = Neg(s)"
    nodes, report = run(text, RELU_OF_ADD, fused, allow_inconsistencies=True)
    assert nodes == ["a = P", "b = P", "y = AddRelu(a, b)", "o = Neg(s)"]
    assert report.fired == 1


def test_a_refusal_has_its_reason() -> None:
    _, report = run(GRAPH, RELU_OF_ADD, lambda match: Refusal(f"no {match['add'].name}"))
    assert report.refusals == {"no sum": ["y"]}


def test_an_error_of_a_rewrite_is_a_reason_too() -> None:
    def damaged(match: Match) -> list[NodeDef]:
        return [replace_node(match.head, op=str(match.array("a")))]

    _, report = run(GRAPH, RELU_OF_ADD, damaged)
    assert list(report.refusals) == ['Placeholder "a" has no attribute "value"']


def test_matches_may_share_nodes_of_anything() -> None:
    text = "a = P\ns = Add(a, a)\nt = Add(a, a)\ny = Relu(s)\nz = Relu(t)"
    assert run(text, RELU_OF_ADD, fused)[0] == ["a = P", "y = AddRelu(a, a)", "z = AddRelu(a, a)"]


def test_a_match_may_be_an_input_of_the_next() -> None:
    text = "a = P\ns = Add(a, a)\ny = Relu(s)\nt = Add(y, y)\nz = Relu(t)"
    assert run(text, RELU_OF_ADD, fused)[0] == ["a = P", "y = AddRelu(a, a)", "z = AddRelu(y, y)"]


def test_matches_cannot_share_replaced_nodes() -> None:
    text = "a = P\nr = Relu(a)\ns = Relu(r)\nt = Relu(s)"
    nodes, report = run(
        text, Op("Relu", Op("Relu", as_="first")), lambda match: [replace_node(match.head, input=match["first"].input)]
    )
    assert nodes == ["a = P", "s = Relu(a)", "t = Relu(s)"]
    assert report.refusals == {"part of it belongs to another match": ["t"]}


def test_unused_nodes_are_removed() -> None:
    pattern = Op("Pad", Anything(as_="x"), Anything(as_="paddings"))
    text = "x = P\np = Const\ny = Pad(x, p)\nq = Const\nz = Pad(y, q)\no = Neg(q)"

    def rewrite(match: Match) -> list[NodeDef]:
        return [replace_node(match.head, op="Crop", input=match.head.input[:1])]

    assert run(text, pattern, rewrite)[0] == ["x = P", "y = Crop(x)", "q = Const", "z = Crop(y)", "o = Neg(q)"]
    assert "p = Const" in run(text, pattern, rewrite, keep="p")[0]


def test_a_node_in_two_roles_is_emitted_once() -> None:
    pattern = Op("Mul", Anything(as_="a"), Anything(as_="b"))
    text = "x = P\ny = Mul(x, x)"
    assert run(text, pattern, lambda match: [match["a"], match["b"], match.head])[0] == ["x = P", "y = Mul(x, x)"]


def test_a_graph_without_matches_is_the_same_graph() -> None:
    original = parsed(GRAPH)
    assert replace_matches(original, Op("Conv2D"), fused, report=StepReport("test")) is original


def test_subgraphs_that_no_pattern_describes() -> None:
    """A chain of any number of Negs: two of them cancel out."""

    def finder(around: MatchContext) -> Finder:
        def find(head: int) -> tuple[Bindings, Rewrite] | None:
            chain, sources = [head], around.index.sources
            while around.index.nodes[sources[chain[-1]][0]].op == "Neg":
                chain.append(sources[chain[-1]][0])
            if len(chain) < 4:
                return None
            inputs = around.index.nodes[chain[-1]].input[:1]
            return Bindings({}, tuple(chain), tuple(chain)), lambda match: [
                replace_node(match.head, op="Identity" if len(chain) % 2 == 0 else "Neg", input=inputs)
            ]

        return find

    report = StepReport("test")
    original = parsed("x = P\na = Neg(x)\nb = Neg(a)\nc = Neg(b)\ny = Neg(c)\nz = Relu(y)")
    result = replace_subgraphs(original, {"Neg"}, finder, report=report)
    assert [spelled(node) for node in result.node] == ["x = P", "y = Identity(x)", "z = Relu(y)"]
    assert report.fired == 1
    assert replace_subgraphs(original, {"Abs"}, finder, report=report) is original


# --- what a rewrite can ask ------------------------------------------------------------------------------------------


def only_match(text: str, pattern: Op, keep: str = "") -> Match:
    matches: list[Match] = []

    def rewrite(match: Match) -> Refusal:
        matches.append(match)
        return Refusal("only to look at it")

    run(text, pattern, rewrite, keep=keep)
    return matches[0]


def test_a_match_knows_its_surroundings() -> None:
    match = only_match(GRAPH, RELU_OF_ADD, keep="b")
    assert [node.name for node in match.nodes] == ["y", "sum", "a", "b"]
    assert [node.name for node in match.inputs] == ["y", "sum"]  # of c, as control inputs
    assert [node.name for node in match.outputs] == ["sum", "a", "b"]  # sum in both, a in same, b is declared
    assert match.is_declared("b")
    assert not match.is_declared("a")
    assert not match.only_consumer("add")
    assert match.ports_used("b") == {1}
    assert [node.name for node in match.consumers("a")] == ["sum", "same", "both"]
    assert match.control_inputs("add") == ["^c"]


def test_a_constant_has_a_name_of_its_own() -> None:
    match = only_match("a = P\nb = P\ny/c = P\ns = Add(a, b)\ny = Relu(s)", RELU_OF_ADD)
    names = [match.constant("y/c", 1.0, DataType.DT_FLOAT).name for _ in range(2)]
    assert names == ["y/c_1", "y/c_2"]


LOOP = """
    zero = Const
    enter = Enter(zero)[frame_name="loop"]
    merge = Merge(enter, again)
    limit = Const(^merge)
    less = Less(merge, limit)
    cond = LoopCond(less)
    switch = Switch(merge, cond)
    sum = Add(switch:1, switch:1)
    next = Relu(sum)
    again = NextIteration(next)
    exit = Exit(switch)
"""


def test_a_constant_of_a_match_in_a_loop_is_in_the_loop() -> None:
    def rewrite(match: Match) -> list[NodeDef]:
        one = match.constant("one", 1.0, DataType.DT_FLOAT)
        return [one, replace_node(match.head, op="AddRelu", input=[match["add"].input[0], one.name])]

    report = StepReport("test")
    result = replace_matches(parsed(LOOP), RELU_OF_ADD, rewrite, report=report)
    assert report.fired == 1
    assert {node.name: node.input for node in result.node}["one"] == ["^switch"]
    assert not check_graph(result)


# --- in functions ----------------------------------------------------------------------------------------------------


def library(*nodes: NodeDef, ret: str) -> GraphDef:
    signature = OpDef(name="f", input_arg=[OpDef.ArgDef(name="x")], output_arg=[OpDef.ArgDef(name="y")])
    function = FunctionDef(signature=signature, node_def=list(nodes), ret={"y": ret})
    return GraphDef(library=FunctionDefLibrary(function=[function]))


def test_bodies_of_functions_are_rewritten_and_spelled_as_bodies() -> None:
    original = library(
        NodeDef(name="n", op="Identity", input=["x"]),
        NodeDef(name="s", op="AddV2", input=["x", "n:output:0"]),
        NodeDef(name="y", op="Relu", input=["s:z:0"]),
        ret="y:activations:0",
    )

    def to_max(match: Match) -> list[NodeDef]:
        return [replace_node(match.head, op="Maximum", input=match["add"].input)]

    report = StepReport("test")
    body = replace_matches(original, RELU_OF_ADD, to_max, report=report).library.function[0]
    assert [(node.name, node.op, node.input) for node in body.node_def] == [
        ("n", "Identity", ["x"]),
        ("y", "Maximum", ["x", "n:output:0"]),
    ]
    assert body.ret == {"y": "y:z:0"}  # as the new op calls it


def test_the_results_of_a_function_are_outputs() -> None:
    original = library(
        NodeDef(name="s", op="Add", input=["x", "x"]), NodeDef(name="y", op="Relu", input=["s:z:0"]), ret="s:z:0"
    )
    report = StepReport("test")
    replace_matches(original, RELU_OF_ADD, fused, report=report)
    assert report.refusals == {"its Add is an output": ["y"]}


def test_a_function_with_unknown_outputs_is_left_alone() -> None:
    original = library(
        NodeDef(name="n", op="Mystery"), NodeDef(name="y", op="Relu", input=["n:out:0"]), ret="y:activations:0"
    )
    report = StepReport("test")
    assert replace_matches(original, Op("Relu"), lambda match: match.nodes, report=report) is original
    assert report.refusals == {'function "f": the outputs of Mystery "n" are not known': ["f"]}


# --- any graph -------------------------------------------------------------------------------------------------------


@given(models())
def test_returning_every_match_changes_only_the_order(model: Model) -> None:
    pattern = Op("Add|AddV2|Mul", Anything(), Anything(), commutative=True)
    result = replace_matches(model.graph, pattern, lambda match: match.nodes, report=StepReport("test"))
    assert sorted(map(NodeDef.to_bytes, result.node)) == sorted(map(NodeDef.to_bytes, model.graph.node))
    assert not check_graph(result)


def test_a_graph_without_an_order_is_an_error() -> None:
    with pytest.raises(GraphError, match="cycle"):
        run("a = Relu(b)\nb = Relu(a)", Op("Relu"), lambda match: match.nodes)
