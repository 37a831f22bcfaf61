"""Fuse resizing and padding into the convolution after them.

    Conv2D(MirrorPad(ResizeBilinear(x, size), paddings), w)   ->   FusedResizeAndPadConv2D(x, size, paddings, w)
    Conv2D(ResizeBilinear(x, size), w)                        ->   FusedResizeAndPadConv2D(x, size, zeros, w)
    Conv2D(MirrorPad(x, paddings), w)                         ->   FusedPadConv2D(x, paddings, w)

The new node has the name of the convolution. The resized or padded tensor must not be used elsewhere.

Unlike in the original, nodes that the fused ops cannot replace are left alone: nodes with another layout than NHWC,
dilations, explicit padding, half-pixel centers, inputs of another type than the weights, or paddings that are not
int32. Control inputs are kept, and declared inputs stay. The device is lost, as in the original: the fused ops run on
the CPU only. Of a batch of several images, TensorFlow's FusedResizeAndPadConv2D resizes only the first one correctly.
"""

from __future__ import annotations

from ..graph import attr
from ..messages import AttrValue, DataType, GraphDef, NodeDef
from ..names import TensorName
from .framework.patterns import Anything, Match, Op
from .framework.registry import graph_transform
from .framework.replacing import replace_matches
from .framework.report import Refusal, StepReport

__all__ = ["fuse_convolutions", "fuse_pad_and_conv", "fuse_resize_and_conv", "fuse_resize_pad_and_conv"]

WEIGHTS, PADDINGS = Anything(as_="weights"), Anything(as_="paddings")
RESIZE = Op("ResizeBilinear", as_="resize")

RESIZE_PAD_CONV = Op("Conv2D", Op("MirrorPad", RESIZE, PADDINGS, as_="pad"), WEIGHTS, as_="conv")
RESIZE_CONV = Op("Conv2D", RESIZE, WEIGHTS, as_="conv")
PAD_CONV = Op("Conv2D", Op("MirrorPad", Anything(as_="x"), PADDINGS, as_="pad"), WEIGHTS, as_="conv")


@graph_transform
def fuse_resize_pad_and_conv(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...],
    report: StepReport,
) -> GraphDef:
    """Fuse a resize and a mirror padding into the convolution after them.

    Example: fuse_resize_pad_and_conv with inputs x and outputs y

        x = Placeholder[dtype=float]
        size = Const[dtype=int32, value=int32{8, 8}]
        r = ResizeBilinear(x, size)[T=float]
        p = Const[dtype=int32]
        pad = MirrorPad(r, p)[T=float, mode="REFLECT"]
        w = Const[dtype=float]
        y = Conv2D(pad, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]

    becomes

        x = Placeholder[dtype=float]
        size = Const[dtype=int32, value=int32{8, 8}]
        w = Const[dtype=float]
        p = Const[dtype=int32]
        y = FusedResizeAndPadConv2D(x, size, p, w)[
            T=float, mode="REFLECT", padding="VALID", resize_align_corners=false, strides=[1, 1, 1, 1]]
    """
    return replace_matches(graph, RESIZE_PAD_CONV, _resize_pad_conv, keep=outputs, inputs=inputs, report=report)


def _resize_pad_conv(match: Match) -> list[NodeDef] | Refusal:
    resize, pad, conv = match["resize"], match["pad"], match["conv"]
    problem = _conv_problem(conv) or _resize_problem(resize, conv) or _pad_problem(pad, conv)
    if problem:
        return Refusal(problem)
    fused = NodeDef(
        name=conv.name,
        op="FusedResizeAndPadConv2D",
        input=[*resize.input[:2], pad.input[1], conv.input[1], *match.control_inputs("resize", "pad", "conv")],
        attr=_resize_attributes(resize) | {"mode": AttrValue(s=attr(pad, "mode", bytes))} | _conv_attributes(conv),
    )
    return [match["weights"], match["paddings"], fused]


@graph_transform
def fuse_resize_and_conv(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...],
    report: StepReport,
) -> GraphDef:
    """Fuse a resize into the convolution after it.

    Example: fuse_resize_and_conv with inputs x and outputs y

        x = Placeholder[dtype=float]
        size = Const[dtype=int32, value=int32{8, 8}]
        r = ResizeBilinear(x, size)[T=float]
        w = Const[dtype=float]
        y = Conv2D(r, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]

    becomes

        x = Placeholder[dtype=float]
        size = Const[dtype=int32, value=int32{8, 8}]
        w = Const[dtype=float]
        y_dummy_paddings = Const[dtype=int32, value=int32{0, 0, 0, 0, 0, 0, 0, 0}(4, 2)]
        y = FusedResizeAndPadConv2D(x, size, y_dummy_paddings, w)[
            T=float, mode="REFLECT", padding="VALID", resize_align_corners=false, strides=[1, 1, 1, 1]]
    """
    return replace_matches(graph, RESIZE_CONV, _resize_conv, keep=outputs, inputs=inputs, report=report)


def _resize_conv(match: Match) -> list[NodeDef] | Refusal:
    resize, conv = match["resize"], match["conv"]
    problem = _conv_problem(conv) or _resize_problem(resize, conv)
    if problem:
        return Refusal(problem)
    paddings = match.constant(f"{conv.name}_dummy_paddings", [[0, 0]] * 4, DataType.DT_INT32)
    fused = NodeDef(
        name=conv.name,
        op="FusedResizeAndPadConv2D",
        input=[*resize.input[:2], paddings.name, conv.input[1], *match.control_inputs("resize", "conv")],
        attr=_resize_attributes(resize) | {"mode": AttrValue(s=b"REFLECT")} | _conv_attributes(conv),
    )
    return [match["weights"], paddings, fused]


@graph_transform
def fuse_pad_and_conv(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...],
    report: StepReport,
) -> GraphDef:
    """Fuse a mirror padding into the convolution after it.

    Example: fuse_pad_and_conv with inputs x and outputs y

        x = Placeholder[dtype=float]
        p = Const[dtype=int32]
        pad = MirrorPad(x, p)[T=float, mode="SYMMETRIC"]
        w = Const[dtype=float]
        y = Conv2D(pad, w)[T=float, padding="VALID", strides=[1, 2, 2, 1]]

    becomes

        w = Const[dtype=float]
        x = Placeholder[dtype=float]
        p = Const[dtype=int32]
        y = FusedPadConv2D(x, p, w)[T=float, mode="SYMMETRIC", padding="VALID", strides=[1, 2, 2, 1]]
    """
    return replace_matches(graph, PAD_CONV, _pad_conv, keep=outputs, inputs=inputs, report=report)


def _pad_conv(match: Match) -> list[NodeDef] | Refusal:
    pad, conv = match["pad"], match["conv"]
    problem = _conv_problem(conv) or _pad_problem(pad, conv)
    if problem:
        return Refusal(problem)
    fused = NodeDef(
        name=conv.name,
        op="FusedPadConv2D",
        input=[*pad.input[:2], conv.input[1], *match.control_inputs("pad", "conv")],
        attr={"mode": AttrValue(s=attr(pad, "mode", bytes))} | _conv_attributes(conv),
    )
    return [match["weights"], match["x"], match["paddings"], fused]


@graph_transform
def fuse_convolutions(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...],
    report: StepReport,
) -> GraphDef:
    """Fuse resizes and mirror paddings into the convolutions after them: the three fusions, one after the other.

    The documentation of the original mentions this name, but its code has only the three single fusions.

    Example: fuse_convolutions with inputs x and outputs y

        x = Placeholder[dtype=float]
        p = Const[dtype=int32]
        pad = MirrorPad(x, p)[T=float, mode="REFLECT"]
        w = Const[dtype=float]
        y = Conv2D(pad, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]

    becomes

        w = Const[dtype=float]
        x = Placeholder[dtype=float]
        p = Const[dtype=int32]
        y = FusedPadConv2D(x, p, w)[T=float, mode="REFLECT", padding="SAME", strides=[1, 1, 1, 1]]
    """
    for fuse in (fuse_resize_pad_and_conv, fuse_resize_and_conv, fuse_pad_and_conv):
        graph = fuse(graph, inputs=inputs, outputs=outputs, report=report)
    return graph


# --- limits of the fused ops -----------------------------------------------------------------------------------------


def _conv_problem(conv: NodeDef) -> str:
    """Return why a convolution cannot be fused; "" if it can."""
    if attr(conv, "data_format", bytes, b"NHWC") != b"NHWC":
        return "the convolution is not NHWC, as the fused op requires"
    if set(attr(conv, "dilations", list[int], [])) - {1}:
        return "the convolution has dilations, which the fused op does not support"
    if attr(conv, "padding", bytes) not in (b"SAME", b"VALID"):
        return "the convolution has explicit paddings, which the fused op does not support"
    return ""


def _resize_problem(resize: NodeDef, conv: NodeDef) -> str:
    if attr(resize, "half_pixel_centers", bool, False):
        return "the resize has half-pixel centers, which the fused op does not support"
    if attr(resize, "T", DataType) != attr(conv, "T", DataType):
        return "the resized tensor has another type than the weights"
    return ""


def _pad_problem(pad: NodeDef, conv: NodeDef) -> str:
    if attr(pad, "Tpaddings", DataType, DataType.DT_INT32) != DataType.DT_INT32:
        return "the paddings are not int32"
    if attr(pad, "T", DataType) != attr(conv, "T", DataType):
        return "the padded tensor has another type than the weights"
    return ""


def _resize_attributes(resize: NodeDef) -> dict[str, AttrValue]:
    return {"resize_align_corners": AttrValue(b=attr(resize, "align_corners", bool, False))}


def _conv_attributes(conv: NodeDef) -> dict[str, AttrValue]:
    return {name: conv.attr[name] for name in ("T", "padding", "strides") if name in conv.attr}
