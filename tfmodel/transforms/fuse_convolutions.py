"""Fuse resizing and padding into the convolution after them.

    Conv2D(MirrorPad(ResizeBilinear(x, size), paddings), w)   ->   FusedResizeAndPadConv2D(x, size, paddings, w)
    Conv2D(ResizeBilinear(x, size), w)                        ->   FusedResizeAndPadConv2D(x, size, zeros, w)
    Conv2D(MirrorPad(x, paddings), w)                         ->   FusedPadConv2D(x, paddings, w)

The new node has the name of the convolution. The resized or padded tensor must not be used elsewhere.

The fused ops are for single images. Of a batch of several images, TensorFlow's kernels compute only the first result
correctly, and they refuse an empty batch. So a convolution is left alone if its batch is known and not 1. If its batch
is not known, it is fused, as in the original, and a note says so. The argument `batch` says what is not known: with
`batch=1` there is no note, and with another batch nothing is fused. A batch that the graph tells has precedence.

Unlike in the original, nodes that the fused ops cannot replace are left alone: nodes with another layout than NHWC,
dilations, explicit padding, groups, half-pixel centers, inputs of another type than the weights, weights of bfloat16,
paddings that are not int32, and paddings of the batch or the channels. Control inputs are kept, and declared inputs
stay. The device is lost, as in the original: the fused ops run on the CPU only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..errors import TransformError
from ..graph import attr
from ..graph.error_text import quote
from ..messages import AttrValue, DataType, GraphDef, NodeDef
from ..values.names import TensorName, data_inputs
from .framework.constants import INTEGERS
from .framework.patterns import Anything, Match, Op
from .framework.registry import graph_transform
from .framework.replacing import replace_matches
from .framework.report import Refusal, StepReport

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
    batch: int | None = None,
) -> GraphDef:
    """Fuse a resize and a mirror padding into the convolution after them.

    Only batches of one image are fused. `batch` is the number of images, for a graph that leaves it open.

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
    return _replace(graph, RESIZE_PAD_CONV, _resize_pad_conv, inputs, outputs, report, batch)


def _resize_pad_conv(match: Match, batches: _Batches) -> list[NodeDef] | Refusal:
    resize, pad, conv = match["resize"], match["pad"], match["conv"]
    problem = (
        _conv_problem(match) or _resize_problem(resize, conv) or _pad_problem(match) or batches.problem(match, resize)
    )
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
    batch: int | None = None,
) -> GraphDef:
    """Fuse a resize into the convolution after it.

    Only batches of one image are fused. `batch` is the number of images, for a graph that leaves it open.

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
    return _replace(graph, RESIZE_CONV, _resize_conv, inputs, outputs, report, batch)


def _resize_conv(match: Match, batches: _Batches) -> list[NodeDef] | Refusal:
    resize, conv = match["resize"], match["conv"]
    problem = _conv_problem(match) or _resize_problem(resize, conv) or batches.problem(match, resize)
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
    batch: int | None = None,
) -> GraphDef:
    """Fuse a mirror padding into the convolution after it.

    Only batches of one image are fused. `batch` is the number of images, for a graph that leaves it open.

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
    return _replace(graph, PAD_CONV, _pad_conv, inputs, outputs, report, batch)


def _pad_conv(match: Match, batches: _Batches) -> list[NodeDef] | Refusal:
    pad, conv = match["pad"], match["conv"]
    problem = _conv_problem(match) or _pad_problem(match) or batches.problem(match, pad)
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
    batch: int | None = None,
) -> GraphDef:
    """Fuse resizes and mirror paddings into the convolutions after them: the three fusions, one after the other.

    Only batches of one image are fused. `batch` is the number of images, for a graph that leaves it open.

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
        graph = fuse(graph, inputs=inputs, outputs=outputs, report=report, batch=batch)
    return graph


_Fusion: TypeAlias = "Callable[[Match, _Batches], list[NodeDef] | Refusal]"


def _replace(
    graph: GraphDef,
    pattern: Op,
    fuse: _Fusion,
    inputs: tuple[TensorName, ...],
    outputs: tuple[TensorName, ...],
    report: StepReport,
    batch: int | None,
) -> GraphDef:
    batches = _Batches(batch)
    result = replace_matches(
        graph, pattern, lambda match: fuse(match, batches), keep=outputs, inputs=inputs, report=report
    )
    report.notes += batches.notes()
    return result


# --- limits of the fused ops -----------------------------------------------------------------------------------------


def _conv_problem(match: Match) -> str:
    """Return why a convolution cannot be fused; "" if it can."""
    conv = match["conv"]
    if attr(conv, "data_format", bytes, b"NHWC") != b"NHWC":
        return "the convolution is not NHWC, as the fused op requires"
    if set(attr(conv, "dilations", list[int], [])) - {1}:
        return "the convolution has dilations, which the fused op does not support"
    if attr(conv, "padding", bytes) not in (b"SAME", b"VALID"):
        return "the convolution has explicit paddings, which the fused op does not support"
    if attr(conv, "T", DataType) == DataType.DT_BFLOAT16:
        return "the fused op has no kernel for bfloat16"
    depth, filter_depth = (_size(match, text, axis) for text, axis in zip(conv.input[:2], (3, 2), strict=True))
    if None not in (depth, filter_depth) and depth != filter_depth:
        return "the convolution has groups, which the fused op does not support"
    return ""


def _size(match: Match, text: str, axis: int) -> int | None:
    """Return the size of a tensor along an axis; None if it is not known."""
    shape = match.shape(text)
    return shape[axis] if shape is not None and axis < len(shape) else None


def _resize_problem(resize: NodeDef, conv: NodeDef) -> str:
    if len(data_inputs(resize)) != 2:
        return "the resize has not two inputs"
    if attr(resize, "half_pixel_centers", bool, False):
        return "the resize has half-pixel centers, which the fused op does not support"
    if attr(resize, "T", DataType) != attr(conv, "T", DataType):
        return "the resized tensor has another type than the weights"
    return ""


def _pad_problem(match: Match) -> str:
    pad, conv = match["pad"], match["conv"]
    if attr(pad, "Tpaddings", DataType, DataType.DT_INT32) != DataType.DT_INT32:
        return "the paddings are not int32"
    if attr(pad, "T", DataType) != attr(conv, "T", DataType):
        return "the padded tensor has another type than the weights"
    if not match.has_value("paddings"):
        return ""
    paddings = match.array("paddings", INTEGERS)
    is_plain = paddings.shape == (4, 2) and not paddings[[0, 3]].any()
    return "" if is_plain else "the paddings are not those of height and width only"


def _resize_attributes(resize: NodeDef) -> dict[str, AttrValue]:
    return {"resize_align_corners": AttrValue(b=attr(resize, "align_corners", bool, False))}


def _conv_attributes(conv: NodeDef) -> dict[str, AttrValue]:
    return {name: conv.attr[name] for name in ("T", "padding", "strides") if name in conv.attr}


_MAX_NAMED = 3  # convolutions in a note


class _Batches:
    """The batches of convolutions, of which the fused ops can be used for one image only.

    `given` is the batch of those convolutions whose batch the graph does not tell; None if it is not known.
    """

    def __init__(self, given: int | None) -> None:
        if given is not None and given < 1:
            raise TransformError(f"batch must be >= 1, got {given}")
        self._given = given
        self._open: list[str] = []

    def problem(self, match: Match, first: NodeDef) -> str:
        """Return why the batch of a match cannot be computed by the fused op; "" if it can be, or if it is not known.

        `first` is the first node of the match.
        """
        conv = match["conv"]
        sizes = (_size(match, text, 0) for text in (first.input[0], conv.input[0], conv.name))
        batch = next((size for size in sizes if size is not None), self._given)
        if batch is None:
            self._open.append(conv.name)
        return "" if batch in (None, 1) else f"its batch is {batch:,}, and the fused op computes only single images"

    def notes(self) -> list[str]:
        """Return a note for the convolutions that were fused although their batch is not known."""
        if not self._open:
            return []
        more = f" and {len(self._open) - _MAX_NAMED:,} more" if len(self._open) > _MAX_NAMED else ""
        names = ", ".join(map(quote, self._open[:_MAX_NAMED])) + more
        return [
            f"{names}: for a batch of 1 only, since of several images TensorFlow's fused op computes only the first "
            "correctly; batch=1 confirms it"
        ]
