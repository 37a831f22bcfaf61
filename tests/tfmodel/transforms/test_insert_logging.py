"""Print nodes for the values of other nodes."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph, spelled
from tfmodel.graph import check_graph
from tfmodel.messages import GraphDef
from tfmodel.ops import OPS
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import StepReport, TransformReport


def logged(before: str, transforms: str = "insert_logging") -> tuple[GraphDef, StepReport]:
    report = TransformReport()
    after = transform(graph(before), "", "", transforms, report=report)
    assert not check_graph(after, registry=OPS)
    return after, report.steps[0]


def wired(graph: GraphDef) -> dict[str, str]:
    return {node.name: f"{node.op}({', '.join(node.input)})" for node in graph.node}


PAIR = """
    x = Placeholder[dtype=float]
    t = TopKV2(x, k)[T=float, sorted=true]
    k = Const[dtype=int32, value=int32{2}()]
"""


def test_a_print_shows_the_used_outputs() -> None:
    after, _ = logged(PAIR + "    y = Relu(t)[T=float]\n    z = Neg(t:1)[T=int32]", "insert_logging(op=TopKV2)")
    assert [spelled(node) for node in after.node[2:]] == [
        't__print__ = Print(t:0, t:0, t:1)[T=float, U=[float, int32], first_n=-1, message="", summarize=1024]',
        "k = Const[dtype=int32, value=int32{2}()]",
        "y = Relu(t__print__:0)[T=float]",
        "z = Neg(t:1)[T=int32]",
    ]


def test_a_print_runs_if_only_another_output_is_used() -> None:
    after, _ = logged(PAIR + "    z = Neg(t:1)[T=int32]", "insert_logging(op=TopKV2)")
    assert spelled(after.node[2]).startswith("t__print__ = Print(t:1, t:1)[T=int32, U=[int32]")
    assert wired(after)["z"] == "Neg(t__print__:0)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", b""),
        ('message="a b"', b"a b"),
        ("show_name=true", b";a/r__print__;"),
        ("show_op=true", b";Relu;"),
        ('message="m", show_name=true, show_op=true', b";Relu;;a/r__print__;m"),
    ],
)
def test_the_text_before_the_values(arguments: str, message: bytes) -> None:
    text = "x = Placeholder[dtype=float]\na/r = Relu(x)[T=float]\ny = Neg(a/r)[T=float]"
    after, _ = logged(text, f"insert_logging(op=Relu, {arguments})" if arguments else "insert_logging(op=Relu)")
    assert {node.name: node for node in after.node}["a/r__print__"].attr["message"].s == message


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("op=Relu", ["a/r", "b/r"]),
        ("op=Relu, op=Placeholder", ["x", "a/r", "b/r"]),
        ('prefix="a/"', ["a/r", "a/n"]),
        ('prefix="a/n", prefix=b', ["a/n", "b/r"]),
        ('op=Relu, prefix="a/"', ["a/r"]),
        ("op=Conv2D", []),
    ],
)
def test_ops_and_prefixes_select_nodes(arguments: str, names: list[str]) -> None:
    text = """
    x = Placeholder[dtype=float]
    a/r = Relu(x)[T=float]
    a/n = Neg(a/r)[T=float]
    b/r = Relu(a/n)[T=float]
    y = Neg(b/r)[T=float]
    """
    after, report = logged(text, f"insert_logging({arguments})")
    assert [node.name.removesuffix("__print__") for node in after.node if node.op == "Print"] == names
    assert report.fired == len(names)


LOOP = """
    x = Placeholder[dtype=float]
    enter = Enter(x)[T=float, frame_name="loop"]
    merge = Merge(enter, next)[T=float, N=2]
    zero = Const(^merge)[dtype=float, value=float{0}()]
    less = Less(merge, zero)[T=float]
    cond = LoopCond(less)
    switch = Switch(merge, cond)[T=float]
    body = Neg(switch:1)[T=float]
    next = NextIteration(body)[T=float]
    y = Exit(switch)[T=float]
"""


@pytest.mark.parametrize(
    ("text", "refusals"),
    [
        ("x = Placeholder[dtype=float]", {"its outputs are not used": ["x"]}),
        ("n = NoOp\nm = NoOp(^n)", {"its outputs are not used": ["n", "m"]}),
        (
            "x = Mine\ny = Neg(x)[T=float]",
            {'the op "Mine" is not known': ["x"], "its outputs are not used": ["y"]},
        ),
        (
            "x = Placeholder\ny = Neg(x)[T=float]",
            {"its attributes do not determine its output types": ["x"], "its outputs are not used": ["y"]},
        ),
        (
            "v = VariableV2[dtype=float, shape=()]\ny = Identity(v)[T=float]",
            {"its output is a reference to a variable": ["v"], "its outputs are not used": ["y"]},
        ),
        (
            "x = Placeholder[dtype=float]\nx__print__ = Neg(x)[T=float]",
            {"its Print would have the name of another node": ["x"], "its outputs are not used": ["x__print__"]},
        ),
        (
            LOOP,
            {
                "its consumer must stand directly after it": ["cond", "next"],
                "only one of its outputs has a value at a time": ["switch"],
                "its outputs are not used": ["y"],
            },
        ),
    ],
)
def test_nodes_that_are_left_alone(text: str, refusals: dict[str, list[str]]) -> None:
    assert logged(text)[1].refusals == refusals


def test_control_inputs_do_not_count_as_uses() -> None:
    after, _ = logged("x = Placeholder[dtype=float]\ny = NoOp(^x)")
    assert wired(after) == {"x": "Placeholder()", "y": "NoOp(^x)"}


def test_print_nodes_are_logged_too() -> None:
    text = "x = Placeholder[dtype=float]\ny = Relu(x)[T=float]"
    after, _ = logged(text, "insert_logging insert_logging(op=Print)")
    assert wired(after)["y"] == "Relu(x__print____print__:0)"
