"""Transposed convolutions: TensorFlow is given the sizes of the result, ONNX the padding.

Along an axis, `in` elements with stride s and a filter of k reach over (in - 1) * s + k places. TensorFlow cuts the
first `begin` of these off and ends after `out` places, with zeros where the filter does not reach:

    VALID       begin = 0
    SAME        begin = max((in - 1) * s + k - out, 0) // 2
    EXPLICIT    begin is given
"""

from __future__ import annotations

from collections.abc import Sequence

from ..conversion import operators
from ..conversion.call import Call
from ..conversion.model import Attribute, Value
from ..conversion.registry import converter
from .convolutions import Window, operand, placed

_Pads = dict[str, Attribute]


@converter("Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput")
def _transposed_convolution(call: Call) -> Value:
    """Inputs are the sizes of the result, the filter, and the tensor."""
    op = call.node.op
    rank = 5 if "3D" in op else 4
    window = Window(call, rank)
    filters = call.known_shape(1)
    kernel = list(filters[: rank - 2])
    attributes: _Pads = {"kernel_shape": kernel}
    weights = call.input(1)
    if op.startswith("Depthwise"):
        attributes["group"] = filters[2]
        weights = operators.reshape(call, weights, [*kernel, 1, filters[2] * filters[3]])
    weights = call.transposed(weights, [rank - 1, rank - 2, *range(rank - 2)])
    if any(stride != 1 for stride in window.strides):
        attributes["strides"] = window.strides
    if any(dilation != 1 for dilation in window.dilations):
        attributes["dilations"] = window.dilations
    x = operand(call, 2, window)
    reach = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, window.dilations, strict=True)]
    pads = _pads(call, window, reach)
    if pads is not None:
        return placed(call, call.add("ConvTranspose", x, weights, more=attributes | pads), window)
    whole = call.add("ConvTranspose", x, weights, more=attributes)
    return placed(call, _cut(call, window, reach, x, whole), window)


def _pads(call: Call, window: Window, reach: list[int]) -> _Pads | None:
    """Return pads and output_padding that give the asked sizes; None if they are computed, or if zeros are missing."""
    begins, ends, extra = [], [], []
    shape = call.shape(2) or (None,) * (len(reach) + 2)
    for place, (axis, k, s) in enumerate(zip(window.spatial, reach, window.strides, strict=True)):
        size, target = shape[axis], _target(call, window, place)
        if size is not None and target is not None:
            full = (size - 1) * s + k
            begin = _known_begin(call, window, axis, full, target)
            end = full - target - begin
        elif window.padding == "SAME" and _is_multiple(call, window, axis, s):
            begin = max(k - s, 0) // 2
            end = k - s - begin
        else:
            return None
        if -end >= max(s, window.dilations[place]):
            return None
        begins.append(begin)
        ends.append(max(end, 0))
        extra.append(max(-end, 0))
    found: _Pads = {"pads": begins + ends} if any(begins) or any(ends) else {}
    return found | ({"output_padding": extra} if any(extra) else {})


def _known_begin(call: Call, window: Window, axis: int, full: int, target: int) -> int:
    if window.padding == "SAME":
        return max(full - target, 0) // 2
    return call.attr("explicit_paddings", list[int])[2 * axis] if window.padding == "EXPLICIT" else 0


def _target(call: Call, window: Window, place: int) -> int | None:
    """Return the asked size of a spatial axis; None if it is computed."""
    rank = len(window.spatial) + 2
    axis = window.spatial[place]
    asked, output = call.known(0) or (), call.output_shape() or (None,) * rank
    if len(asked) == rank - 2:  # without batch and channels
        asked = tuple(asked[window.spatial.index(a)] if a in window.spatial else None for a in range(rank))
    return asked[axis] if len(asked) == rank and asked[axis] is not None else output[axis]


def _is_multiple(call: Call, window: Window, axis: int, stride: int) -> bool:
    """Return whether a size of the result is that of the tensor times the stride: Shape, StridedSlice, Mul, Pack."""
    body = call.body
    pack = body.producer(call.keys[0])
    if pack is None or pack.op not in ("Pack", "Stack") or len(body.inputs(pack)) != len(window.spatial) + 2:
        return False
    product = body.producer(body.inputs(pack)[axis])
    if product is None:
        return False
    part = body.inputs(pack)[axis] if stride == 1 else None
    if product.op == "Mul":
        a, b = body.inputs(product)
        a, b = (a, b) if body.constant(b) is not None else (b, a)
        factor = body.constant(b)
        part = a if factor is not None and factor.ravel().tolist() == [stride] else None
    piece = body.producer(part) if part is not None else None
    if piece is None or piece.op != "StridedSlice":
        return False
    source, begin = body.inputs(piece)[:2]
    start = body.constant(begin)
    shape = body.producer(source)
    is_of_axis = start is not None and start.ravel().tolist() == [axis]
    return is_of_axis and shape is not None and shape.op == "Shape" and body.inputs(shape) == [call.keys[2]]


def _cut(call: Call, window: Window, reach: Sequence[int], x: Value, whole: Value) -> Value:
    """Cut the asked sizes out of the places that the filter reaches, with zeros behind them."""
    count = len(reach)
    sizes = call.int64(0)
    if call.shape(0) is None or call.known_shape(0) != (count,):
        sizes = operators.slice_axes(call, sizes, [window.spatial[0]], [window.spatial[0] + count], [0])
    strides, lengths = call.const(window.strides), call.const(list(reach))
    last = call.add("Sub", operators.shape_of(call, x, 2), call.const(1))
    full = call.add("Add", call.add("Mul", last, strides), lengths)
    begin = call.const([0] * count)
    if window.padding == "SAME":
        excess = call.add("Max", call.add("Sub", full, sizes), call.const(0))
        begin = call.add("Div", excess, call.const(2))
    elif window.padding == "EXPLICIT":
        listed = call.attr("explicit_paddings", list[int])
        begin = call.const([listed[2 * axis] for axis in window.spatial])
    end = call.add("Add", begin, sizes)
    missing = call.add("Max", call.add("Sub", end, full), call.const(0))
    pads = call.add("Concat", call.const([0] * (count + 4)), missing, axis=0)
    wide = call.add("Pad", whole, pads)
    return operators.slice_axes(call, wide, begin, end, list(range(2, count + 2)))
