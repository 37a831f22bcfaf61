"""Resizes and paddings that can be fused into convolutions, and why not. Results are compared in the golden cases."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.run_step import after

PADDED = """
    x = Placeholder[dtype=float]
    p = Const[dtype=int32]
    pad = MirrorPad(x, p)[T=float, mode="REFLECT"]
    w = Const[dtype=float]
    y = Conv2D(pad, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]
"""
RESIZED = """
    x = Placeholder[dtype=float]
    size = Const[dtype=int32]
    r = ResizeBilinear(x, size)[T=float]
    w = Const[dtype=float]
    y = Conv2D(r, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]
"""


@pytest.mark.parametrize(
    ("step", "text", "old", "new", "reason"),
    [
        ("fuse_pad_and_conv", PADDED, '"VALID"', '"VALID", data_format="NCHW"', "not NHWC"),
        ("fuse_pad_and_conv", PADDED, '"VALID"', '"VALID", dilations=[1, 2, 2, 1]', "has dilations"),
        ("fuse_pad_and_conv", PADDED, '"VALID"', '"EXPLICIT"', "has explicit paddings"),
        ("fuse_pad_and_conv", PADDED, 'mode="REFLECT"', 'mode="REFLECT", Tpaddings=int64', "not int32"),
        ("fuse_pad_and_conv", PADDED, 'T=float, mode="REFLECT"', 'T=half, mode="REFLECT"', "another type"),
        ("fuse_pad_and_conv", PADDED, ', mode="REFLECT"', "", 'no attribute "mode"'),
        ("fuse_resize_and_conv", RESIZED, "(x, size)[T=float", "(x, size)[T=uint8", "another type"),
        ("fuse_resize_and_conv", RESIZED, "size)[", "size)[half_pixel_centers=true, ", "half-pixel centers"),
        ("fuse_resize_and_conv", RESIZED, "w = Const", "o = Relu(r)\n    w = Const", "is used elsewhere"),
    ],
)
def test_unsupported_convolutions_are_left_alone(step: str, text: str, old: str, new: str, reason: str) -> None:
    assert old in text
    nodes, report = after(text.replace(old, new), step)
    assert "Conv2D(" in nodes["y"]
    assert report.fired == 0
    assert [reason in refusal for refusal in report.refusals] == [True]
    assert after(text, step)[1].fired == 1  # and without that it is not


def test_control_inputs_of_all_fused_nodes_are_kept() -> None:
    text = PADDED.replace("MirrorPad(x, p)", "MirrorPad(x, p, ^first)").replace("(pad, w)", "(pad, w, ^second)")
    nodes, _ = after(text + "    first = NoOp\n    second = NoOp", "fuse_pad_and_conv")
    assert nodes["y"].startswith("FusedPadConv2D(x, p, w, ^first, ^second)")


def test_several_convolutions_of_one_input_are_all_fused() -> None:
    """In the original, the first match keeps the others from being fused."""
    more = """    pad2 = MirrorPad(x, p)[T=float, mode="REFLECT"]
    y2 = Conv2D(pad2, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]"""
    nodes, report = after(PADDED + more, "fuse_pad_and_conv")
    assert report.fired == 2
    assert list(nodes) == ["w", "x", "p", "y", "y2"]


def test_an_output_with_a_port_is_kept() -> None:
    _, report = after(PADDED, "fuse_pad_and_conv", outputs="pad:0,y")
    assert report.refusals == {"its MirrorPad is an output": ["y"]}


@pytest.mark.parametrize(("inputs", "is_fused"), [("pad", False), ("x,p,w", True), ("y", True)])
def test_declared_inputs_may_be_fed_and_stay(inputs: str, is_fused: bool) -> None:
    nodes, report = after(PADDED, "fuse_convolutions", inputs, "y" if inputs != "y" else "")
    assert report.fired == is_fused
    assert report.refusals == ({} if is_fused else {"its MirrorPad is an input": ["y"]})
    assert set(inputs.split(",")) <= nodes.keys()


def test_the_documented_name_does_all_three() -> None:
    nodes, report = after(
        RESIZED.replace("y =", "y0 =")
        + PADDED.replace("x =", "x1 =").replace("w =", "w1 =").replace("(x,", "(x1,").replace(", w)", ", w1)"),
        "fuse_convolutions",
    )
    assert report.fired == 2
    assert nodes["y0"].startswith("FusedResizeAndPadConv2D(x, size, y0_dummy_paddings, w)")
    assert nodes["y"].startswith("FusedPadConv2D(x1, p, w1)")
