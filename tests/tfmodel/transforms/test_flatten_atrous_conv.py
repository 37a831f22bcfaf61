"""Atrous convolutions become plain ones if the result is the same. Results are compared in the golden cases."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.tfmodel.transforms.run_step import after, graph_of
from tfmodel import run, transform

# A filter of 3 x 3 by steps of 2 reaches 4 pixels further: SAME is 2 before and 2 behind, and 1 that fills up a block.
ATROUS = """
    x = Split[dtype=float]
    block = Const[dtype=int32, value=int32{2, 2}]
    pads = Const[dtype=int32, value=int32{2, 3, 2, 3}(2, 2)]
    crops = Const[dtype=int32, value=int32{0, 1, 0, 1}(2, 2)]
    s = SpaceToBatchND(x:1, block, pads)[T=float]
    w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6, 7, 8, 9}(3, 3, 1, 1)]
    c = Conv2D(s, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]] @ /cpu:0
    y = BatchToSpaceND(c, block, crops)[T=float]
"""


def test_same_padding() -> None:
    nodes, report = after(ATROUS, "flatten_atrous_conv")
    assert report.fired == 1
    assert list(nodes) == ["x", "w", "y"]
    assert nodes["y"] == 'Conv2D(x:1, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]] @ /cpu:0'
    spread = "1, 0, 2, 0, 3, 0, 0, 0, 0, 0, 4, 0, 5, 0, 6, 0, 0, 0, 0, 0, 7, 0, 8, 0, 9"
    assert spread in nodes["w"].replace(".0", "")


def test_dilations_leave_the_weights_as_they_are() -> None:
    nodes, _ = after(ATROUS, "flatten_atrous_conv(dilate=true)")
    assert list(nodes) == ["x", "w", "y"]
    assert nodes["y"].startswith("Conv2D(x:1, w)[T=float, dilations=[1, 2, 2, 1], ")
    x = np.arange(49, dtype=np.float32).reshape(1, 7, 7, 1)
    graph = graph_of(
        ATROUS.replace("x = Split[dtype=float]", "x = Placeholder[dtype=float, shape=(1, 7, 7, 1)]").replace("x:1", "x")
    )
    changed = transform(graph, "x", "y", "flatten_atrous_conv(dilate=true)")
    np.testing.assert_array_equal(run(changed, {"x": x}, "y")["y"], run(graph, {"x": x}, "y")["y"])


def test_no_unused_constants_stay_where_one_convolution_feeds_another() -> None:
    second = re.sub(r"\b(block|pads|crops|s|w|c|y)\b", r"\1\1", ATROUS).replace("x:1", "y").partition("\n")[2]
    second = second.partition("\n")[2]  # x is that of the first
    nodes, report = after(f"{ATROUS}\n{second}", "flatten_atrous_conv")
    assert report.fired == 2
    assert list(nodes) == ["x", "w", "y", "ww", "yy"]


def test_valid_padding() -> None:
    """The original writes SAME."""
    text = ATROUS.replace("{2, 3, 2, 3}", "{0, 1, 0, 1}")
    assert 'padding="VALID"' in after(text, "flatten_atrous_conv")[0]["y"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("{2, 3, 2, 3}", "{1, 3, 1, 3}", "neither to SAME nor to VALID"),
        ("{0, 1, 0, 1}", "{1, 0, 1, 0}", "neither to SAME nor to VALID"),
        ("{2, 3, 2, 3}", "{2, 3, 0, 1}", "neither to SAME nor to VALID"),
        ("pads = Const[", "pads = Placeholder[", "its paddings is not constant"),
        ("(c, block,", "(c, other,", "not the same two sizes"),
        ("strides=[1, 1, 1, 1]", "strides=[1, 2, 2, 1]", "the convolution has strides"),
        ("strides=", "dilations=[1, 2, 2, 1], strides=", "dilations of its own"),
        ('padding="VALID"', 'padding="SAME"', "padding of its own"),
        ("strides=", 'data_format="NCHW", strides=', "not NHWC"),
        ("(3, 3, 1, 1)", "(9)", "four dimensions"),
        (", value=int32{2, 2}", "", 'no attribute "value"'),
        ("dtype=int32, value=int32{2, 2}", 'dtype=string, value=string{"2", "2"}', "is string, not int32 or int64"),
        ("int32, value=int32{2, 3, 2, 3}", "bool, value=bool{true, true, true, true}", "is bool, not int32 or int64"),
        ("int32, value=int32{0, 1, 0, 1}", "uint8, value=uint8{0, 1, 0, 1}", "is uint8, not int32 or int64"),
        ("w = Const[dtype=float, value=float", "w = Const[dtype=int32, value=int32", "not a floating-point type"),
    ],
)
def test_convolutions_that_would_change_are_left_alone(old: str, new: str, reason: str) -> None:
    assert old in ATROUS
    nodes, report = after(ATROUS.replace(old, new) + "    other = Const[value=int32{3, 2}]", "flatten_atrous_conv")
    assert nodes["y"].startswith("BatchToSpaceND(")
    assert report.fired == 0
    assert [reason in refusal for refusal in report.refusals] == [True]


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ("s", "its SpaceToBatchND is an input"),
        ("c", "its Conv2D is an input"),
        *(
            (name, f'Const "{name}" is declared as an input, which may be fed')
            for name in ("w", "block", "pads", "crops")
        ),
    ],
)
def test_declared_inputs_may_be_fed_and_stay(inputs: str, reason: str) -> None:
    nodes, report = after(ATROUS, "flatten_atrous_conv", inputs, "y")
    assert report.refusals == {reason: ["y"]}
    assert nodes["y"] == "BatchToSpaceND(c, block, crops)[T=float]"


def test_shared_weights_stay_as_they_are() -> None:
    nodes, _ = after(ATROUS + "    other = Relu(w)[T=float]", "flatten_atrous_conv")
    assert nodes["w"].endswith("(3, 3, 1, 1)]")
    assert nodes["y"].startswith("Conv2D(x:1, w_1)")


def test_shared_blocks_stay() -> None:
    nodes, report = after(ATROUS + "    other = Neg(block)[T=int32]", "flatten_atrous_conv")
    assert report.fired == 1
    assert list(nodes) == ["block", "x", "w", "y", "other"]


# --- a BiasAdd between -----------------------------------------------------------------------------------------------

BIASED = (
    ATROUS.replace("= Split[dtype=float]", "= Placeholder[dtype=float, shape=(1, 7, 7, 1)]")
    .replace("x:1", "x")
    .replace(
        "y = BatchToSpaceND(c,",
        """n = NoOp
    k = Const[dtype=float, value=float{10}]
    a = BiasAdd(c, k, ^n)[T=float]
    y = BatchToSpaceND(a,""",
    )
)


def test_a_bias_add_moves_behind() -> None:
    nodes, report = after(BIASED, "flatten_atrous_conv")
    assert report.fired == 1
    assert list(nodes) == ["n", "x", "w", "c", "k", "y"]
    assert nodes["c"] == 'Conv2D(x, w, ^n)[T=float, padding="SAME", strides=[1, 1, 1, 1]] @ /cpu:0'
    assert nodes["y"] == "BiasAdd(c, k)[T=float]"
    feeds = {"x": np.arange(49, dtype=np.float32).reshape(1, 7, 7, 1)}
    before = graph_of(BIASED)
    flat = transform(before, "x", "y", "flatten_atrous_conv")
    np.testing.assert_array_equal(run(flat, feeds, "y")["y"], run(before, feeds, "y")["y"])


@pytest.mark.parametrize("norm", ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"])
@pytest.mark.parametrize("bias", ["", "a = BiasAdd(c, k)[T=float]"])
def test_flattening_after_folding_a_batch_norm(norm: str, bias: str) -> None:
    text = BIASED.replace("a = BiasAdd(c, k, ^n)[T=float]", bias)
    text = text if bias else text.replace("(a,", "(c,")
    text += "".join(f"\n{role} = Const[dtype=float, value=float{{2}}]" for role in "gbmv")
    text += f"\nz = {norm}(y, g, b, m, v)[T=float, U=float, is_training=false]"
    nodes, _ = after(text, "fold_old_batch_norms flatten_atrous_conv", "x", "z")
    ops = [re.split(r"[(\[]", text)[0] for text in nodes.values()]
    assert {"BatchToSpaceND", "SpaceToBatchND", norm}.isdisjoint(ops)
    assert ops[-3:] == ["Conv2D", "Const", "BiasAdd"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("y = BatchToSpaceND(a,", "r = Relu(a)\ny = BatchToSpaceND(r,", "not follow a convolution of a SpaceToBatchND"),
        ("y = BatchToSpaceND(a,", "y = BatchToSpaceND(x,", "not follow a convolution of a SpaceToBatchND"),
        ("^n)[T=float", '^n)[T=float, data_format="NCHW"', "its BiasAdd is not NHWC"),
        ("n = NoOp", "n = NoOp\nz = Neg(a)", "its BiasAdd is used elsewhere"),
    ],
)
def test_the_report_says_why_nothing_is_flattened(old: str, new: str, reason: str) -> None:
    assert old in BIASED
    _, report = after(BIASED.replace(old, new), "flatten_atrous_conv")
    assert report.fired == 0
    assert [reason in refusal for refusal in report.refusals] == [True]
