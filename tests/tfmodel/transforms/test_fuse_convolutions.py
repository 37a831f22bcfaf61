"""Resizes and paddings that can be fused into convolutions, and why not. Results are compared in the golden cases."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tests.tfmodel.transforms.run_step import after
from tfmodel.errors import TransformError
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

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

WORDS = 'p = Const[dtype=string, value=string{"1"}]'
BATCH_PADDINGS = "p = Const[dtype=int32, value=int32{1, 0, 1, 1, 1, 1, 0, 0}(4, 2)]"


@pytest.mark.parametrize(
    ("step", "text", "old", "new", "reason"),
    [
        ("fuse_pad_and_conv", PADDED, '"VALID"', '"VALID", data_format="NCHW"', "not NHWC"),
        ("fuse_pad_and_conv", PADDED, '"VALID"', '"VALID", dilations=[1, 2, 2, 1]', "has dilations"),
        ("fuse_pad_and_conv", PADDED, '"VALID"', '"EXPLICIT"', "has explicit paddings"),
        ("fuse_pad_and_conv", PADDED, 'mode="REFLECT"', 'mode="REFLECT", Tpaddings=int64', "not int32"),
        ("fuse_pad_and_conv", PADDED, 'T=float, mode="REFLECT"', 'T=half, mode="REFLECT"', "another type"),
        ("fuse_pad_and_conv", PADDED, ', mode="REFLECT"', "", 'no attribute "mode"'),
        ("fuse_pad_and_conv", PADDED, "T=float", "T=bfloat16", "no kernel for bfloat16"),
        ("fuse_pad_and_conv", PADDED, "p = Const[dtype=int32]", BATCH_PADDINGS, "height and width only"),
        ("fuse_pad_and_conv", PADDED, "p = Const[dtype=int32]", WORDS, "is string, not int32 or int64"),
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


# --- batches ---------------------------------------------------------------------------------------------------------

FUSIONS = {
    "fuse_pad_and_conv": 'pad = MirrorPad(x, p)[T=float, mode="REFLECT"]',
    "fuse_resize_and_conv": "pad = ResizeBilinear(x, size)[T=float]",
    "fuse_resize_pad_and_conv": """r = ResizeBilinear(x, size)[T=float]
        pad = MirrorPad(r, p)[T=float, mode="SYMMETRIC"]""",
}


def picture(step: str, shape: str, weights: str = "(2, 2, 1, 1)") -> str:
    """Return a graph that a step fuses, with the shape of its input and of its weights."""
    return f"""
        x = Placeholder[dtype=float{shape and f", shape={shape}"}]
        size = Const[dtype=int32, value=int32{{8, 8}}]
        p = Const[dtype=int32, value=int32{{0, 0, 1, 1, 1, 1, 0, 0}}(4, 2)]
        {FUSIONS[step]}
        w = Const[dtype=float, value=float{{2}}{weights}]
        y = Conv2D(pad, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]
    """


@pytest.mark.parametrize("step", FUSIONS)
@pytest.mark.parametrize(
    ("shape", "argument", "outcome"),
    [
        ("(1, 4, 4, 1)", "", "fused"),
        ("(1, -1, -1, 1)", "(batch=2)", "fused"),  # the graph is right
        ("(2, 4, 4, 1)", "", "its batch is 2, and the fused op computes only single images"),
        ("(2, 4, 4, 1)", "(batch=1)", "its batch is 2, and the fused op computes only single images"),
        ("(0, 4, 4, 1)", "", "its batch is 0, and the fused op computes only single images"),
        ("(-1, 4, 4, 1)", "(batch=16)", "its batch is 16, and the fused op computes only single images"),
        ("(-1, 4, 4, 1)", "(batch=1)", "fused"),
        ("(-1, 4, 4, 1)", "", "noted"),
        ("", "", "noted"),
    ],
)
def test_only_batches_of_one_image_are_fused(step: str, shape: str, argument: str, outcome: str) -> None:
    """Of several images, TensorFlow's fused kernels compute only the first result correctly."""
    nodes, report = after(picture(step, shape), step + argument, "x", "y")
    assert ("Fused" in nodes["y"]) is (outcome in ("fused", "noted"))
    assert [*report.refusals] == [outcome] * (outcome not in ("fused", "noted"))
    assert len(report.notes) == (outcome == "noted")
    for note in report.notes:
        assert note.startswith('"y": for a batch of 1 only')


def test_the_batch_of_an_input_that_is_computed_is_open() -> None:
    """The shape of a declared input that is computed says nothing about the tensor that is fed for it."""
    text = (
        picture("fuse_pad_and_conv", "(1, 4, 4, 1)").replace("MirrorPad(x", "MirrorPad(n") + "    n = Neg(x)[T=float]"
    )
    assert after(text, "fuse_pad_and_conv", "x", "y")[1].notes == []
    assert len(after(text, "fuse_pad_and_conv", "n", "y")[1].notes) == 1


def test_the_batch_in_a_function_is_open() -> None:
    body = picture("fuse_pad_and_conv", "").replace("x = Placeholder[dtype=float]", "")
    lines = "\n".join(f"f: {line.strip()}" for line in body.strip().splitlines())
    before = graph(f"f: (x: float) -> (r: float = y:output:0)\n{lines}".replace("(pad,", "(pad:output:0,"))
    report = TransformReport()
    transform(before, "", "", "fuse_pad_and_conv", report=report)
    assert report.steps[0].fired == 1
    assert len(report.steps[0].notes) == 1


def test_all_three_fusions_need_a_batch_of_one() -> None:
    nodes, report = after(picture("fuse_pad_and_conv", "(3, 4, 4, 1)"), "fuse_convolutions", "x", "y")
    assert nodes["y"].startswith("Conv2D(")
    assert [*report.refusals] == ["its batch is 3, and the fused op computes only single images"]


def test_a_batch_without_images_is_an_error() -> None:
    with pytest.raises(TransformError, match="batch must be >= 1, got 0"):
        after(PADDED, "fuse_pad_and_conv(batch=0)")


def test_a_convolution_with_groups_is_left_alone() -> None:
    """The input has two channels, and the weights have one."""
    _, report = after(picture("fuse_pad_and_conv", "(1, 4, 4, 2)", "(2, 2, 1, 2)"), "fuse_pad_and_conv", "x", "y")
    assert [*report.refusals] == ["the convolution has groups, which the fused op does not support"]
