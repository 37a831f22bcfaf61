"""Shape rules of ops with sliding windows: convolutions, pooling, their gradients and fused forms.

The number of windows along a dimension of size n, for windows of size k, stride s and dilation d:

    SAME       ceil(n / s)
    VALID      ceil((n - (k - 1) * d) / s)
    EXPLICIT   as VALID, with the padding added to n
"""

from __future__ import annotations

from ...errors import GraphError
from ...values.shape import Dim, Shape, merge_dims, merge_shapes, shape_to_text, sum_sizes, with_rank
from .image import resize_shape
from .math import matmul
from .partial_tensors import Tensor
from .table import Call, Result, Rule, window_count


def _padded_convolution(resize: bool) -> Rule:
    def rule(call: Call) -> Result:
        """Return the shape of a fused convolution.

        The inputs are the images, their new size (only if the op resizes), the paddings and the filter.
        """
        shape = with_rank(call.shape(0), 4)
        index = 2 if resize else 1
        if resize:
            shape = resize_shape(shape, call.sizes(1))
        value = call.integers(index)
        if value is not None and len(value) != 8:
            raise GraphError("the paddings of an image must be four pairs")
        paddings = value or (None,) * 8
        padded = tuple(sum_sizes([size, *paddings[2 * axis : 2 * axis + 2]]) for axis, size in enumerate(shape))
        convolution = Call(call.node, [Tensor(padded), call.tensor(index + 1)], call.producer, call.run)
        layout = Layout(convolution, "NHWC", "HW")
        kernels = with_rank(call.shape(index + 1), 4)
        return convolution_shape(convolution, layout, padded, kernels, kernels[3], allow_groups=False)

    return rule


class Layout:
    """The order of the dimensions of images, as letters: N, C, and D, H, W for space.

    V is the last dimension of NCHW_VECT_C and NCHW_VECT_W. Its size is 4.
    """

    def __init__(self, call: Call, default: str, space: str) -> None:
        self.name = call.attr("data_format", str, default)
        letters = self.name.replace("NCHW_VECT_C", "NCHWV").replace("NCHW_VECT_W", "NCHWV")
        if sorted(letters.replace("V", "")) != sorted("NC" + space):
            raise GraphError(f'unknown data_format "{self.name}"')
        self.letters = letters
        self.space = [letters.index(letter) for letter in space]

    def read(self, shape: Shape | None) -> tuple[Dim, Dim, list[Dim]]:
        """Return the batch, the channels and the spatial dimensions of a shape."""
        sizes = with_rank(shape, len(self.letters))
        channels = sizes[self.letters.index("C")]
        if "V" in self.letters and channels is not None:
            channels *= 4
        return sizes[self.letters.index("N")], channels, [sizes[axis] for axis in self.space]

    def shape(self, batch: Dim, channels: Dim, space: list[Dim]) -> Shape:
        """Return the shape with these dimensions: the inverse of `read`."""
        sizes: dict[str, Dim] = {"N": batch, "C": channels, "V": 4}
        if "V" in self.letters and channels is not None:
            sizes["C"] = channels // 4
        sizes.update(zip((self.letters[axis] for axis in self.space), space, strict=True))
        return tuple(sizes[letter] for letter in self.letters)

    def read_attribute(self, call: Call, name: str, default: list[int] | None = None) -> list[int]:
        """Return the spatial elements of an attribute, such as strides."""
        values = call.attr(name, list[int], default) if default is not None else call.attr(name, list[int])
        self._check_length(name, values, len(self.letters.replace("V", "")))
        return [values[axis] for axis in self.space]

    def read_paddings(self, call: Call, name: str = "explicit_paddings") -> list[int]:
        """Return the explicit padding of each spatial dimension: the sum of both sides."""
        values = call.attr(name, list[int], [])
        self._check_length(name, values, 2 * len(self.letters))
        return [values[2 * axis] + values[2 * axis + 1] for axis in self.space]

    def _check_length(self, name: str, values: list[int], expected: int) -> None:
        if len(values) != expected:
            raise GraphError(f"its attribute {name} has {len(values)} numbers, but {self.name} needs {expected}")


def convolution_shape(
    call: Call, layout: Layout, shape: Shape | None, kernels: Shape, channels: Dim, allow_groups: bool
) -> Shape:
    """Return the shape of a convolution with a filter of shape (*space, in, out).

    With `allow_groups`, the number of channels may be a multiple of `in`.
    """
    batch, depth, space = layout.read(shape)
    padding = call.attr("padding", str)
    ones = [1] * len(layout.letters.replace("V", ""))
    strides = layout.read_attribute(call, "strides")
    dilations = layout.read_attribute(call, "dilations", ones)
    paddings = layout.read_paddings(call) if padding == "EXPLICIT" else [0] * len(space)
    if call.attr("padding_list", list[int], []):  # of quantized convolutions, which have no other explicit padding
        padding, paddings = "EXPLICIT", layout.read_paddings(call, "padding_list")
    is_empty = not allow_groups and depth == kernels[-2]
    if not is_empty and depth is not None and kernels[-2] is not None and (kernels[-2] < 1 or depth % kernels[-2]):
        raise GraphError(f"a filter of shape {shape_to_text(kernels)} does not fit {depth} channels")
    if not allow_groups:
        merge_dims(depth, kernels[-2])
    elif depth is not None and kernels[-2]:
        groups = depth // kernels[-2]
        if not groups or (channels is not None and channels % groups):
            raise GraphError(f"{groups:,} groups of {kernels[-2]:,} channels do not fit {shape_to_text(kernels)}")
    sizes = [
        window_count(size, kernel, stride, padding, dilation, extra)
        for size, kernel, stride, dilation, extra in zip(space, kernels, strides, dilations, paddings, strict=False)
    ]
    return layout.shape(batch, channels, sizes)


def conv2d(call: Call) -> Shape:
    layout = Layout(call, "NHWC", "HW")
    kernels = _filter(call, layout, 4)
    return convolution_shape(call, layout, call.shape(0), kernels, kernels[3], allow_groups=True)


def _filter(call: Call, layout: Layout, rank: int) -> Shape:
    """Return the shape of the filter as (*space, in, out)."""
    if "V" not in layout.letters:
        return with_rank(call.shape(1), rank)
    out, depth, height, width, four = with_rank(call.shape(1), 5)  # OIHW_VECT_I
    return height, width, None if depth is None or four is None else depth * four, out


def _conv3d(call: Call) -> Result:
    layout = Layout(call, "NDHWC", "DHW")
    kernels = with_rank(call.shape(1), 5)
    return convolution_shape(call, layout, call.shape(0), kernels, kernels[4], allow_groups=True)


def depthwise(call: Call) -> Shape:
    layout = Layout(call, "NHWC", "HW")
    kernels = with_rank(call.shape(1), 4)
    _, depth, _ = layout.read(call.shape(0))
    depth = merge_dims(depth, kernels[2])
    channels = None if depth is None or kernels[3] is None else depth * kernels[3]
    return convolution_shape(call, layout, call.shape(0), kernels, channels, allow_groups=False)


def _input_sizes(rank: int) -> Rule:
    """Return the shape rule of the gradient with respect to a convolution's input.

    Input 0 of the op holds the shape of the result.
    """

    def rule(call: Call) -> Result:
        sizes = call.sizes(0)
        shape = call.shape(0)
        if shape is not None and len(shape) == 1 and shape[0] == 2 and rank == 4:
            return _space_only(call, sizes)
        input_shape, gradient_shape = with_rank(sizes, rank), with_rank(call.shape(2), rank)
        return (gradient_shape[0], *input_shape[1:]) if input_shape[0] is None else input_shape

    return rule


def _space_only(call: Call, sizes: Shape | None) -> Shape:
    """Return the shape if input 0 holds only height and width.

    The batch size comes from the gradient, the channels from the filter.
    """
    layout = Layout(call, "NHWC", "HW")
    batch, _, _ = layout.read(call.shape(2))
    return layout.shape(batch, with_rank(call.shape(1), 4)[2], list(with_rank(sizes, 2)))


def _filter_sizes(rank: int) -> Rule:
    """Return the shape rule of the gradient with respect to a filter. Input 1 holds the shape of the result."""

    def rule(call: Call) -> Result:
        return with_rank(call.sizes(1), rank)

    return rule


def _pool_shape(call: Call, shape: Shape | None, layout: Layout, kernels: list[int], strides: list[int]) -> Shape:
    batch, channels, space = layout.read(shape)
    padding = call.attr("padding", str)
    paddings = layout.read_paddings(call) if padding == "EXPLICIT" else [0] * len(space)
    sizes = [
        window_count(size, kernel, stride, padding, 1, extra)
        for size, kernel, stride, extra in zip(space, kernels, strides, paddings, strict=True)
    ]
    return layout.shape(batch, channels, sizes)


def pool(call: Call) -> Shape:
    layout = Layout(call, "NHWC", "HW")
    ksize = call.attr("ksize", list[int])
    axis = layout.letters.index("C")
    kernels, strides = layout.read_attribute(call, "ksize"), layout.read_attribute(call, "strides")
    shape = _pool_shape(call, call.shape(0), layout, kernels, strides)
    channel_window = ksize[axis] if axis < len(ksize) else 1
    if channel_window == 1 or shape[axis] is None:
        return shape
    channels = window_count(
        shape[axis], channel_window, call.attr("strides", list[int])[axis], call.attr("padding", str)
    )
    return (*shape[:axis], channels, *shape[axis + 1 :])


def _pool_v2(call: Call) -> Result:
    """Return the shape of a pool whose window sizes and strides are inputs."""
    layout = Layout(call, "NHWC", "HW")
    kernels, strides = call.numbers(1), call.numbers(2)
    batch = layout.read(call.shape(0))[0]
    if kernels is None or strides is None or len(kernels) != 4 or len(strides) != 4:
        return layout.shape(batch, None, [None, None])
    ksize, steps = ([values[axis] for axis in layout.space] for values in (kernels, strides))
    return _pool_shape(call, call.shape(0), layout, ksize, steps)


def _pool_with_argmax(call: Call) -> Result:
    return [pool(call)] * 2


def _pool3d(call: Call) -> Result:
    layout = Layout(call, "NDHWC", "DHW")
    kernels, strides = layout.read_attribute(call, "ksize"), layout.read_attribute(call, "strides")
    return _pool_shape(call, call.shape(0), layout, kernels, strides)


def _fractional_pool(call: Call) -> Result:
    """Return the shape of the result (the sizes divided by the ratios, rounded down) and those of the row and column
    sequences."""
    sizes = with_rank(call.shape(0), 4)
    ratios = call.attr("pooling_ratio", list[float])
    if len(ratios) != 4 or any(not ratio >= 1 for ratio in ratios):
        raise GraphError(f"pooling_ratio must be four numbers of 1 or more, not {ratios}")
    shape = tuple(None if size is None else int(size / ratio) for size, ratio in zip(sizes, ratios, strict=True))
    return [shape, *((None if size is None else size + 1,) for size in shape[1:3])]


def _dilation2d(call: Call) -> Result:
    batch, height, width, depth = with_rank(call.shape(0), 4)
    rows, columns, channels = with_rank(call.shape(1), 3)
    strides, rates = call.attr("strides", list[int]), call.attr("rates", list[int])
    if len(strides) != 4 or len(rates) != 4:
        raise GraphError("it needs four strides and four rates")
    padding = call.attr("padding", str)
    depth = merge_dims(depth, channels)
    return (
        batch,
        window_count(height, rows, strides[1], padding, rates[1]),
        window_count(width, columns, strides[2], padding, rates[2]),
        depth,
    )


def _shape_of_input(index: int, rank: int) -> Rule:
    """Return the rule of an op whose result has the shape of input number `index`."""

    def rule(call: Call) -> Result:
        return with_rank(call.shape(index), rank)

    return rule


def _merge_shapes(*indices: int, rank: int) -> Rule:
    """Return the rule of an op whose inputs `indices` and result have the same shape."""

    def rule(call: Call) -> Result:
        shape: Shape | None = (None,) * rank
        for index in indices:
            shape = merge_shapes(shape, call.shape(index))
        return shape

    return rule


def _first_sizes(rank: int) -> Rule:
    """Return the rule of an op whose input 0 holds the shape of the result."""

    def rule(call: Call) -> Result:
        return with_rank(call.sizes(0), rank)

    return rule


RULES: dict[str, Rule] = {
    "AvgPool": pool,
    "AvgPool3D": _pool3d,
    "AvgPool3DGrad": _first_sizes(5),
    "AvgPoolGrad": _first_sizes(4),
    "Conv2D": conv2d,
    "Conv2DBackpropFilter": _filter_sizes(4),
    "Conv2DBackpropInput": _input_sizes(4),
    "Conv3D": _conv3d,
    "Conv3DBackpropFilter": _shape_of_input(1, 5),
    "Conv3DBackpropFilterV2": _filter_sizes(5),
    "Conv3DBackpropInput": _shape_of_input(0, 5),
    "Conv3DBackpropInputV2": _input_sizes(5),
    "DepthwiseConv2dNative": depthwise,
    "DepthwiseConv2dNativeBackpropFilter": _filter_sizes(4),
    "DepthwiseConv2dNativeBackpropInput": _input_sizes(4),
    "Dilation2D": _dilation2d,
    "Dilation2DBackpropFilter": lambda call: call.shape(1),
    "Dilation2DBackpropInput": lambda call: call.shape(0),
    "FractionalAvgPool": _fractional_pool,
    "FractionalMaxPool": _fractional_pool,
    "FusedPadConv2D": _padded_convolution(False),
    "FusedResizeAndPadConv2D": _padded_convolution(True),
    "MaxPool": pool,
    "MaxPool3D": _pool3d,
    "MaxPool3DGrad": _shape_of_input(0, 5),
    "MaxPoolGrad": _shape_of_input(0, 4),
    "MaxPoolGradGrad": _merge_shapes(1, rank=4),
    "MaxPoolGradV2": _shape_of_input(0, 4),
    "MaxPoolV2": _pool_v2,
    "MaxPoolWithArgmax": _pool_with_argmax,
    "_FusedConv2D": conv2d,
    "_FusedDepthwiseConv2dNative": depthwise,
    "_FusedMatMul": matmul,
}
