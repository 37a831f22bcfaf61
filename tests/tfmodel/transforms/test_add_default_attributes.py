"""`add_default_attributes`: missing attributes with a default are added."""

from __future__ import annotations

from tests.tfmodel.transforms.graph_notation import graph, spelled
from tfmodel import transform
from tfmodel.messages import OpDef, OpList
from tfmodel.ops import OPS, defaults
from tfmodel.transforms.framework.report import TransformReport


def test_missing_attributes_are_added_and_present_ones_stay() -> None:
    before = graph("""
        x = Placeholder[dtype=float]
        y = Conv2D(x, x)[T=float, data_format="NCHW", mine=7]
    """)
    after = transform(before, "", "", "add_default_attributes")
    assert [spelled(node) for node in after.node] == [
        "x = Placeholder[dtype=float, shape=?]",
        'y = Conv2D(x, x)[T=float, data_format="NCHW", dilations=[1, 1, 1, 1], explicit_paddings=[], mine=7, '
        "use_cudnn_on_gpu=true]",
    ]


def test_nodes_in_functions_are_changed_too() -> None:
    before = graph("""
        f: (a: float) -> (r: float = n:product:0)
        f: n = MatMul(a, a)[T=float]
        x = Placeholder[dtype=float, shape=()]
        y = f(x)
    """)
    report = TransformReport()
    after = transform(before, "", "", "add_default_attributes", report=report)
    assert after.library is not None
    [function] = after.library.function
    expected = "n = MatMul(a, a)[T=float, transpose_a=false, transpose_b=false]"
    assert spelled(function.node_def[0]) == expected
    assert after.node == before.node
    assert (report.steps[0].fired, report.steps[0].refusals) == (1, {})


def test_an_unknown_op_is_left_alone_and_reported() -> None:
    report = TransformReport()
    after = transform(graph("x = Mine[T=float]"), "", "", "add_default_attributes", report=report)
    assert [spelled(node) for node in after.node] == ["x = Mine[T=float]"]
    assert report.steps[0].refusals == {'the op "Mine" is not known': ["x"]}


def test_ops_from_op_defs() -> None:
    default = graph("x = A[n=3]").node[0].attr["n"]
    mine = OpDef(name="Mine", attr=[OpDef.AttrDef(name="n", type="int", default_value=default)])
    after = transform(graph("x = Mine"), "", "", "add_default_attributes", op_defs=[OpList(op=[mine])])
    assert [spelled(node) for node in after.node] == ["x = Mine[n=3]"]


def test_nodes_do_not_share_values_with_each_other_or_the_registry() -> None:
    before = graph("x = MatMul(x, x)[T=float]\ny = MatMul(x, x)[T=float]")
    x, y = transform(before, "", "", "add_default_attributes").node
    x.attr["transpose_a"].b = True
    assert y.attr["transpose_a"].b is False
    assert defaults(OPS["MatMul"])["transpose_a"].b is False
