"""Invalid and malicious graphs: cycles, floods of edges, endless loops, recursive functions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import tfmodel
from tests.hostile.graphs import FLOAT, call, constant, function, graph, node, placeholder
from tests.hostile.measure import assert_linear, confined
from tfmodel.drawing.graphviz import draw
from tfmodel.graph.functions import growth_problem
from tfmodel.messages import AttrValue, DataType, GraphDef, NameAttrList, NodeDef

BOOL = DataType.DT_BOOL
READERS: dict[str, Callable[[GraphDef], object]] = {
    "summarize": lambda graph: tfmodel.summarize(graph).to_text(),
    "weights": lambda graph: tfmodel.weights(graph),
    "diff": lambda graph: tfmodel.diff(graph, GraphDef()).to_text(),
    "draw": draw,
    "check": lambda graph: tfmodel.check(graph).to_text(),
    "find": lambda graph: tfmodel.find(graph, "shape=? or size>1 or * -> * or upstream of y").to_text(),
    "run": lambda graph: tfmodel.run(graph, {"x": 1.0}, "y", max_steps=1_000),
    "freeze": lambda graph: tfmodel.freeze(graph, outputs="y"),
    "optimize": lambda graph: tfmodel.optimize(graph, inputs="x", outputs="y"),
    "make_meta_graph": lambda graph: tfmodel.make_meta_graph(graph),
    "fold_constants": lambda graph: tfmodel.transform(graph, "x", "y", "fold_constants"),
    "strip_unused_nodes": lambda graph: tfmodel.transform(graph, "x", "y", "strip_unused_nodes"),
    "sort_by_execution_order": lambda graph: tfmodel.transform(graph, "x", "y", "sort_by_execution_order"),
    "merge_duplicate_nodes": lambda graph: tfmodel.transform(graph, "x", "y", "merge_duplicate_nodes"),
    "inline_partitionedcall": lambda graph: tfmodel.transform(graph, "x", "y", "inline_partitionedcall"),
    "remove_nodes": lambda graph: tfmodel.transform(graph, "x", "y", "remove_nodes(op=Identity)"),
    "quantize_nodes": lambda graph: tfmodel.transform(graph, "x", "y", "quantize_nodes"),
    "insert_logging": lambda graph: tfmodel.transform(graph, "x", "y", "insert_logging(op=Neg)"),
}


def colocated(name: str, *others: bytes) -> NodeDef:
    return node(name, "Neg", "x", _class=AttrValue(list=AttrValue.ListValue(s=list(others))))


def loop(frame: bytes = b"f") -> list[NodeDef]:
    """while True: x = x, with the ops of TensorFlow 1."""
    return [
        constant("true", [True], dtype=BOOL),
        node("enter", "Enter", "x", frame_name=frame),
        node("merge", "Merge", "enter", "next", N=2),
        node("always", "LogicalOr", "loop_true", "loop_true"),
        node("loop_true", "Enter", "true", T=BOOL, frame_name=frame, is_constant=True),
        node("cond", "LoopCond", "always"),
        node("switch", "Switch", "merge", "cond"),
        node("next", "NextIteration", "switch:1"),
        node("y", "Exit", "switch:0"),
    ]


def endless_while() -> GraphDef:
    types = AttrValue(list=AttrValue.ListValue(type=[FLOAT]))
    names = {"cond": AttrValue(func=NameAttrList(name="always")), "body": AttrValue(func=NameAttrList(name="same"))}
    always = function("always", [constant("true", [True], dtype=BOOL)], "true:output:0", BOOL)
    loops = NodeDef(name="y", op="While", input=["x"], attr={"T": types, **names})
    return graph(placeholder(), loops, functions=[always, function("same", [], "a")])


GRAPHS: dict[str, GraphDef] = {
    "a node that takes itself": graph(placeholder(), node("y", "AddV2", "y", "x")),
    "a node that waits for itself": graph(placeholder(), node("y", "Neg", "x", "^y")),
    "a circle": graph(placeholder(), node("y", "AddV2", "z", "x"), node("z", "Neg", "y")),
    "a circle of Identity": graph(placeholder(), node("y", "Identity", "z"), node("z", "Identity", "y")),
    "a circle through control": graph(placeholder(), node("y", "Neg", "x", "^z"), node("z", "NoOp", "^y")),
    "no node": GraphDef(),
    "a node of nothing": graph(NodeDef(), placeholder(), node("y", "Neg", "x")),
    "a node without an op": graph(placeholder(), node("y", "", "x")),
    "inputs of nothing": graph(placeholder(), node("y", "Neg", "")),
    "inputs that spell nothing": graph(
        placeholder(), node("y", "AddN", "^", ":", "x:", "x:-1", "x:a:b:c", "^x:0", N=6)
    ),
    "a missing output": graph(placeholder(), node("y", "Neg", "x:999999999")),
    "a missing input": graph(placeholder(), node("y", "Neg", "nowhere")),
    "control before tensors": graph(placeholder(), node("y", "Neg", "^x", "x")),
    "more outputs than memory": graph(placeholder(), node("y", "Unpack", "x", num=2**31 - 2)),
    "more constants than memory": graph(
        placeholder(), constant("c", [1.0], 1), node("s", "Unpack", "c", num=2**31 - 2), node("y", "Mul", "s", "x")
    ),
    "2**62 outputs": graph(placeholder(), node("y", "Unpack", "x", num=2**62)),
    "less than no outputs": graph(placeholder(), node("y", "Unpack", "x", num=-1)),
    "2**62 inputs": graph(placeholder(), node("y", "AddN", "x", N=2**62)),
    "attributes of the wrong kind": graph(placeholder(), node("y", "Neg", "x", T=7, _class=b"x", shape=b"\xff")),
    "a name of a million characters": graph(
        placeholder(), node("n" * 1_000_000, "Neg", "x"), node("y", "Neg", "n" * 1_000_000)
    ),
    "a name of control characters": graph(
        placeholder(), node("\0\x1b[2J\n", "Neg", "x"), node("y", "Neg", "\0\x1b[2J\n")
    ),
    "colocation in a circle": graph(placeholder(), colocated("y", b"loc:@z"), colocated("z", b"loc:@y")),
    "colocation with itself, and nothing": graph(
        placeholder(), colocated("y", b"loc:@y", b"loc:@", b"\xff", b"loc:@gone")
    ),
    "a function that calls itself": graph(
        placeholder(), call("y", "f", "x"), functions=[function("f", [call("n", "f", "a")], "n:output:0")]
    ),
    "functions that call each other": graph(
        placeholder(),
        call("y", "f", "x"),
        functions=[
            function("f", [call("n", "g", "a")], "n:output:0"),
            function("g", [call("n", "f", "a")], "n:output:0"),
        ],
    ),
    "functions a thousand deep": graph(
        placeholder(),
        call("y", "f0", "x"),
        functions=[
            *(function(f"f{n}", [call("n", f"f{n + 1}", "a")], "n:output:0") for n in range(1_000)),
            function("f1000", [node("n", "Neg", "a")], "n:y:0"),
        ],
    ),
    "a function that is not there": graph(placeholder(), call("y", "f", "x")),
    "a function without a signature": graph(
        placeholder(), call("y", "f", "x"), functions=[type(function("f", [], "a"))()]
    ),
    "a function that is its own result": graph(placeholder(), call("y", "f", "x"), functions=[function("f", [], "r")]),
    "a loop of TensorFlow 1 without end": graph(placeholder(), *loop()),
    "a loop of functions without end": endless_while(),
    "a loop that is not left": graph(placeholder(), node("e", "Enter", "x", frame_name=b"f"), node("y", "Neg", "e")),
    "a loop that is not entered": graph(placeholder(), node("y", "Exit", "x")),
    "loops a thousand deep": graph(
        placeholder(),
        *(node(f"e{n}", "Enter", f"e{n - 1}" if n else "x", frame_name=b"%d" % n) for n in range(1_500)),
        node("y", "Exit", "e1499"),
    ),
    "one loop in two places": graph(
        placeholder(),
        node("e", "Enter", "x", frame_name=b"f"),
        node("d", "Enter", "e", frame_name=b"f"),
        node("y", "Exit", "d"),
    ),
}


@pytest.mark.parametrize("kind", GRAPHS)
def test_an_invalid_graph(kind):
    """Attack: cycles, malformed names, huge counts, functions and loops that never end.

    Naive: RecursionError, KeyError, an endless loop, or gigabytes.
    Stopped by: tfmodel.graph.validate, tfmodel.graph.index.GraphIndex, tfmodel.interpreter.session.MAX_CALL_DEPTH,
        tfmodel.interpreter.executor.Budget, tfmodel.graph.functions.enter_function
    """
    for name, reader in READERS.items():
        if name == "optimize" and "without end" in kind:
            continue  # see the test of optimize below
        try:
            reader(GRAPHS[kind])
        except (tfmodel.GraphError, tfmodel.RunError, tfmodel.FreezeError, tfmodel.TransformError) as error:
            assert len(str(error)) < 1_100_000
            assert "\x1b" not in str(error)


def test_optimizing_a_model_that_never_ends():
    """Attack: an endless loop in a model that is run for verification.

    Naive: runs it without a limit.
    Stopped by: tfmodel.interpreter.session.MAX_CHECK_STEPS
    """
    code = """
import tfmodel
from tests.hostile.test_graphs import endless_while
from tfmodel.compare.verify import Verification

Verification.__init__.__kwdefaults__["max_steps"] = 1_000
print(tfmodel.optimize(endless_while(), inputs="x", outputs="y").unverified)
"""
    assert "stopped at the limit of" in confined(code)


def test_functions_that_call_each_other_twice():
    """Attack: forty functions, each of which calls the next one twice: a page of text becomes 2**40 nodes.

    Naive: inlines, counts or draws each call.
    Stopped by: tfmodel.graph.functions.growth_problem, tfmodel.analysis.shapes.inference
    """
    functions = [
        function(f"f{n}", [call("n", f"f{n + 1}", "a"), call("m", f"f{n + 1}", "n:output:0")], "m:output:0")
        for n in range(40)
    ]
    model = graph(
        placeholder(), call("y", "f0", "x"), functions=[*functions, function("f40", [node("n", "Neg", "a")], "n:y:0")]
    )
    for name in ("summarize", "weights", "draw", "diff", "fold_constants"):
        READERS[name](model)
    for name in ("freeze", "inline_partitionedcall"):
        with pytest.raises(tfmodel.Error, match=r"would make more than|would make names"):
            READERS[name](model)
    with pytest.raises(tfmodel.RunError, match="stopped at the limit of"):
        READERS["run"](model)
    assert growth_problem(10, 2**40, 0)


def wide(size: int) -> GraphDef:
    adding = node("y", "AddN", *["x"] * size, N=size)
    return graph(placeholder(), adding)


def controls(size: int) -> GraphDef:
    waiting = [node(f"k{n}", "NoOp") for n in range(size)]
    return graph(placeholder(), *waiting, node("y", "Neg", "x", *(f"^k{n}" for n in range(size))))


def one_control(size: int) -> GraphDef:
    return graph(placeholder(), node("k", "NoOp"), node("y", "Neg", "x", *["^k"] * size))


def numbered(size: int) -> GraphDef:
    return graph(placeholder(), node("y", "Neg", "x"), *(node(f"y_{n}", "Neg", "x") for n in range(size)))


def colocations(size: int) -> GraphDef:
    return graph(
        placeholder(), *(colocated(f"n{n}", b"loc:@n%d" % ((n + 1) % size)) for n in range(size)), node("y", "Neg", "x")
    )


def diamonds(size: int) -> GraphDef:
    adding = (node(f"n{n}", "AddV2", *[f"n{n - 1}" if n else "x"] * 2) for n in range(size))
    return graph(placeholder(), *adding, node("y", "Neg", f"n{size - 1}"))


@pytest.mark.parametrize(
    "make", [wide, controls, one_control, numbered, colocations, diamonds], ids=lambda make: make.__name__
)
def test_a_flood_of_edges(make):
    """Attack: thousands of inputs or control inputs of one node, of numbered names, of colocations, of paths from one
    node to another.

    Naive: follows all paths, searches all nodes for each node, or counts from 1 for each new name.
    Stopped by: tfmodel.graph.index.GraphIndex, tfmodel.values.names.TakenNames
    """

    def everything(model: GraphDef) -> None:
        for name, reader in READERS.items():
            try:
                reader(model)
            except (tfmodel.GraphError, tfmodel.RunError, tfmodel.FreezeError, tfmodel.TransformError):
                assert name in ("freeze", "run")

    assert_linear(everything, make, 200)


def layers(size: int, *before: NodeDef, weights: str = "w", numbers: str = "k") -> GraphDef:
    """MatMul(x, w) * k, many times."""
    nodes = [placeholder(), constant("w", [0.5], 2, 2), constant("k", [1.0, 2.0], 2), *before]
    for n in range(size):
        nodes += [node(f"m{n}", "MatMul", "x", weights), node(f"y{n}", "Mul", f"m{n}", numbers)]
    return graph(*nodes)


def shared_weights(size: int) -> GraphDef:
    return layers(size)


def shared_expression(size: int) -> GraphDef:
    return layers(size, node("r", "Rsqrt", "k"), numbers="r")


def large_numbers(size: int) -> GraphDef:
    """Factors that fit no layer, and that grow with the size."""
    return layers(size, constant("many", [1.0] * 100 * size, 100 * size), numbers="many")


def large_weights(size: int) -> GraphDef:
    """Weights with one channel, for which the factors are too many."""
    return layers(size, constant("many", [1.0] * 100 * size, 100 * size, 1), weights="many")


def weights_that_wait(size: int) -> GraphDef:
    waiting = constant("late", [0.5], 2, 2)
    waiting.input.extend(f"^n{n}" for n in range(size))
    return layers(size, waiting, *(node(f"n{n}", "NoOp") for n in range(size)), weights="late")


def one_layer(size: int) -> GraphDef:
    return graph(
        placeholder(),
        constant("w", [0.5], 2, 2),
        constant("k", [1.0, 2.0], 2),
        node("m", "MatMul", "x", "w"),
        *(node(f"y{n}", "Mul", "m", "k") for n in range(size)),
    )


def joined_layers(size: int) -> GraphDef:
    """A concatenation of layers, each with a bias that has a control input."""
    nodes = [placeholder(), constant("k", [1.0, 2.0], 2), constant("one", [1], dtype=DataType.DT_INT32)]
    for n in range(size):
        nodes += [constant(f"w{n}", [0.5], 2, 2), node(f"n{n}", "NoOp"), node(f"m{n}", "MatMul", "x", f"w{n}")]
        nodes.append(node(f"b{n}", "BiasAdd", f"m{n}", "k", f"^n{n}"))
    joined = node("c", "ConcatV2", *(f"b{n}" for n in range(size)), "one", N=size)
    return graph(*nodes, joined, constant("s", [1.0] * 2 * size, 2 * size), node("y0", "Mul", "c", "s"))


SHARING = [shared_weights, shared_expression, large_numbers, large_weights, weights_that_wait, one_layer, joined_layers]


@pytest.mark.parametrize("make", SHARING, ids=lambda make: make.__name__)
def test_batch_norms_that_share_what_they_need(make):
    """Attack: thousands of layers with the same weights, or of multiplications by the same numbers or of one layer, all
    declared as outputs; a layer that joins thousands.

    Naive: for each of them searches all consumers of its inputs or all outputs, decodes the weights again, or builds a
    set of all replaced nodes.
    Stopped by: tfmodel.graph.index.GraphIndex, tfmodel.transforms.batch_norms.constants.Constants
    """

    def fold(model: GraphDef) -> None:
        outputs = [node.name for node in model.node if node.name.startswith("y")]
        tfmodel.transform(model, "x", outputs, "fold_batch_norms")

    assert_linear(fold, make, 500)


def test_constants_that_wait_for_something_else_each():
    """Attack: a sum of thousands of constants, each with a control input of its own: the folded sum needs all these
    control inputs.

    Naive: builds a set for each partial sum, each larger by one than the previous one.
    Stopped by: tfmodel.transforms.constant_folding.evaluation.Constants
    """

    def make(size: int) -> GraphDef:
        nodes = [placeholder()]
        for number in range(size):
            one = constant(f"c{number}", [1.0])
            one.input.append(f"^k{number}")
            before = f"s{number - 1}" if number else "c0"
            nodes += [node(f"k{number}", "Foo"), one, node(f"s{number}", "AddV2", before, f"c{number}")]
        return graph(*nodes, node("y", "Mul", f"s{size - 1}", "x"))

    with pytest.raises(tfmodel.TransformError, match="constants have too many control inputs"):
        tfmodel.transform(make(4_000), "x", "y", "fold_constants")
    assert tfmodel.transform(make(100), "x", "y", "fold_constants").node
