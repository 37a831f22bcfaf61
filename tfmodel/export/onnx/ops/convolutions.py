"""Convolutions and pools. TensorFlow has the channels of filters last, ONNX has them first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....values.shape import Shape
from ..conversion import operators
from ..conversion.call import Call
from ..conversion.model import Attribute, Value
from ..conversion.registry import converter


class Window:
    """The spatial attributes of a convolution or pool: strides, dilations and padding, without batch and channels.

    inputs            those that are constant inputs, with their places
    channels_first    whether the tensor itself has its channels in second place in TensorFlow
    """

    def __init__(
        self, call: Call, rank: int, *, dilations: str = "dilations", inputs: Mapping[str, int] | None = None
    ) -> None:
        layout = call.attr("data_format", str, "NHWC")
        self.call = call
        self.inputs = inputs or {}
        self.channels_first = layout.startswith("NC")
        self.spatial = range(2, rank) if self.channels_first else range(1, rank - 1)
        self.strides = self._sizes("strides", rank)
        self.dilations = self._sizes(dilations, rank)
        self.padding = call.attr("padding", str)

    def _sizes(self, name: str, rank: int) -> list[int]:
        sizes = self.call.attr(name, list[int], None) or [1] * rank
        if name in self.inputs:
            sizes = [int(size) for size in self.call.required(self.inputs[name], f"its {name}").ravel()]
        if len(sizes) != rank or any(size != 1 for axis, size in enumerate(sizes) if axis not in self.spatial):
            self.call.refuse(f"its {name} reach over batch or channels")
        return [sizes[axis] for axis in self.spatial]

    def kernel_of(self, name: str, rank: int) -> list[int]:
        return self._sizes(name, rank)

    def pads(self, kernel: Sequence[int | None], sizes: Sequence[int | None]) -> dict[str, Attribute] | None:
        """Return the attributes of the padding; None if the pads must be computed from sizes."""
        if self.padding == "VALID":
            return {}
        if self.padding == "EXPLICIT":
            listed = self.call.attr("explicit_paddings", list[int])
            return _listed([listed[2 * axis] for axis in self.spatial], [listed[2 * axis + 1] for axis in self.spatial])
        begins, ends = [], []
        for size, k, s, d in zip(sizes, kernel, self.strides, self.dilations, strict=True):
            total = same_padding(size, k, s, d)
            if total is None:
                return {"auto_pad": "SAME_UPPER"} if all(each == 1 for each in self.dilations) else None
            begins.append(total // 2)
            ends.append(total - total // 2)
        return _listed(begins, ends)


def same_padding(size: int | None, kernel: int | None, stride: int, dilation: int) -> int | None:
    """Return how much "SAME" pads an axis in all; None if that depends on an unknown size."""
    if kernel is None:
        return None
    reach = (kernel - 1) * dilation
    if stride == 1:
        return reach
    if size is None:
        return None
    return max((-(-size // stride) - 1) * stride + reach + 1 - size, 0)


def _listed(begins: list[int], ends: list[int]) -> dict[str, Attribute]:
    return {"pads": begins + ends} if any(begins) or any(ends) else {}


def attributes_of(window: Window, pads: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """Return strides, dilations and pads as ONNX has them; ones are left out."""
    found: dict[str, Attribute] = dict(pads)
    if any(stride != 1 for stride in window.strides):
        found["strides"] = window.strides
    if any(dilation != 1 for dilation in window.dilations):
        found["dilations"] = window.dilations
    return found


def operand(call: Call, index: int, window: Window) -> Value:
    """Return the tensor with its channels in second place."""
    home = call.home(index)
    if home.shape is None and home.data is None:
        home.shape = (None,) * (len(window.spatial) + 2)  # TensorFlow computes with no other rank
    return call.input(index, first=not window.channels_first)


def placed(call: Call, value: Value, window: Window, port: int = 0) -> Value:
    """Return the result in the layout that it was computed in."""
    return call.laid_out(value, not window.channels_first, port)


def padded_operand(call: Call, x: Value, window: Window, kernel: Sequence[int], filler: Value | None = None) -> Value:
    """Pad the spatial axes as "SAME" does where the sizes are computed and dilations forbid auto_pad."""
    rank = len(window.spatial) + 2
    sizes = operators.shape_of(call, x, 2)
    strides, reach = (
        call.const(window.strides),
        call.const([(k - 1) * d for k, d in zip(kernel, window.dilations, strict=True)]),
    )
    one, zero = call.const(1), call.const(0)
    steps = call.add("Div", call.add("Sub", sizes, one), strides)  # one less than the size of the result
    needed = call.add("Add", call.add("Mul", steps, strides), call.add("Add", reach, one))
    total = call.add("Max", call.add("Sub", needed, sizes), zero)
    before = call.add("Div", total, call.const(2))
    none = call.const([0] * (rank - len(kernel)))
    pads = call.add("Concat", none, before, none, call.add("Sub", total, before), axis=0)
    return call.add("Pad", x, pads, filler)


@converter("Conv2D", "Conv3D")
def _convolution(call: Call) -> Value:
    """A convolution, in groups if the tensor has several times the channels of the filter."""
    rank = 4 if call.node.op == "Conv2D" else 5
    filters = call.shape(1) or (None,) * rank
    weights = call.transposed(call.input(1), [rank - 1, rank - 2, *range(rank - 2)])
    shape = call.shape(0) or (None,) * rank
    channels = shape[1 if call.attr("data_format", str, "NHWC").startswith("NC") else rank - 1]
    filter_channels = filters[rank - 2]
    if None in filters[: rank - 2] and filter_channels is None and channels is None:
        call.refuse("the sizes of its filter are not known", "--shape")
    if filter_channels is None and channels is not None:
        call.note("a filter with an unknown number of channels is taken to be as deep as its input")
    return _convolved(call, rank, weights, filters[: rank - 2], filter_channels or channels or 1)


@converter("DepthwiseConv2dNative")
def _depthwise(call: Call) -> Value:
    """One group a channel: filters [h, w, channels, multiplier] become [channels * multiplier, 1, h, w]."""
    height, width, channels, multiplier = call.known_shape(1)
    flat = operators.reshape(call, call.input(1), [height, width, 1, channels * multiplier])
    return _convolved(call, 4, call.transposed(flat, [3, 2, 0, 1]), (height, width), 1)


def _convolved(call: Call, rank: int, weights: Value, kernel: Shape, filter_channels: int) -> Value:
    window = Window(call, rank)
    x = operand(call, 0, window)
    shape = call.shape(0) or (None,) * rank
    channels = shape[1 if window.channels_first else rank - 1]
    if channels is None and call.node.op == "DepthwiseConv2dNative":
        channels = call.known_shape(1)[2]
    group = 1 if channels is None else channels // max(filter_channels, 1)
    pads = window.pads(kernel, [shape[axis] for axis in window.spatial])
    sizes = [size for size in kernel if size is not None]
    if pads is None:
        if len(sizes) < len(kernel):
            call.refuse("the sizes of its filter are not known", "--shape")
        x, pads = padded_operand(call, x, window, sizes), {}
    attributes = attributes_of(window, pads) | ({"kernel_shape": sizes} if len(sizes) == len(kernel) else {})
    if group != 1:
        return placed(call, call.add("Conv", x, weights, group=group, more=attributes), window)
    return placed(call, call.add("Conv", x, weights, more=attributes), window)


@converter("MaxPool", "MaxPoolV2", "MaxPool3D", "AvgPool", "AvgPool3D")
def _pool(call: Call) -> Value:
    """A pool; average pools do not count the padding, as in TensorFlow."""
    rank = 5 if call.node.op.endswith("3D") else 4
    inputs = {"ksize": 1, "strides": 2} if call.node.op == "MaxPoolV2" else {}
    window = Window(call, rank, inputs=inputs)
    kernel = window.kernel_of("ksize", rank)
    x = operand(call, 0, window)
    shape = call.shape(0) or (None,) * rank
    pads = window.pads(kernel, [shape[axis] for axis in window.spatial]) or {}
    if all(size == 1 for size in kernel):
        pads = {}
    attributes = attributes_of(window, pads) | {"kernel_shape": kernel}
    is_max = call.node.op.startswith("Max")
    short = "auto_pad" in pads and any(k < s for k, s in zip(kernel, window.strides, strict=True))
    if short:  # onnxruntime fails for some sizes where the kernel is below the stride
        attributes.pop("auto_pad")
        if not is_max:
            call.refuse("an average pool with a window below its stride and unknown sizes", "--shape")
        x = padded_operand(call, x, window, kernel, call.like(operators.limits(x.dtype)[0], x))
    return placed(call, call.add("MaxPool" if is_max else "AveragePool", x, more=attributes), window)
