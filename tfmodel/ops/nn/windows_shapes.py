"""Shape rules of ops with sliding windows: convolutions, pooling, their gradients and fused forms.

The size of an output dimension, for an input of size n, a window of size k, stride s and dilation d:

    SAME       ceil(n / s)
    VALID      ceil((n - (k - 1) * d) / s)
    EXPLICIT   as VALID, with the padding added to n
"""

from __future__ import annotations

from ...errors import GraphError
from ...shape import Dim, Shape, added, merged, merged_dim, ranked, text
from ..image.shapes import resized
from ..math.shapes import matmul
from ..partial_tensors import Tensor
from ..shape_rules import Call, Result, Rule, window_count

__all__ = ["RULES", "conv2d", "depthwise", "pool"]


def _padded_convolution(resize: bool) -> Rule:
    def rule(call: Call) -> Result:
        """Images, maybe sizes to make them, paddings, filter."""
        shape = ranked(call.shape(0), 4)
        at = 2 if resize else 1
        if resize:
            shape = resized(shape, call.sizes(1))
        value = call.integers(at)
        if value is not None and len(value) != 8:
            raise GraphError("the paddings of an image are four pairs")
        paddings = value or (None,) * 8
        padded = tuple(added([size, *paddings[2 * place : 2 * place + 2]]) for place, size in enumerate(shape))
        moved = Call(call.node, [Tensor(padded), call.tensor(at + 1)], call.producer, call.run)
        layout = Layout(moved, "NHWC", "HW")
        kernels = ranked(call.shape(at + 1), 4)
        return convolved(moved, layout, padded, kernels, kernels[3], groups=False)

    return rule


class Layout:
    """The order of the dimensions of images, as letters: N, C, and D, H, W for space."""

    def __init__(self, call: Call, default: str, space: str) -> None:
        self.name = call.attr("data_format", str, default)
        letters = self.name.replace("NCHW_VECT_C", "NCHWV").replace("NCHW_VECT_W", "NCHWV")
        if sorted(letters.replace("V", "")) != sorted("NC" + space):
            raise GraphError(f'there is no layout "{self.name}"')
        self.letters = letters
        self.space = [letters.index(letter) for letter in space]

    def read(self, shape: Shape | None) -> tuple[Dim, Dim, list[Dim]]:
        """Batch, channels and space of a shape."""
        sizes = ranked(shape, len(self.letters))
        channels = sizes[self.letters.index("C")]
        if "V" in self.letters and channels is not None:
            channels *= 4
        return sizes[self.letters.index("N")], channels, [sizes[place] for place in self.space]

    def made(self, batch: Dim, channels: Dim, space: list[Dim]) -> Shape:
        sizes: dict[str, Dim] = {"N": batch, "C": channels, "V": 4}
        if "V" in self.letters and channels is not None:
            sizes["C"] = channels // 4
        sizes.update(zip((self.letters[place] for place in self.space), space, strict=True))
        return tuple(sizes[letter] for letter in self.letters)

    def of_attribute(self, call: Call, name: str, default: list[int] | None = None) -> list[int]:
        """The elements of an attribute, such as strides, that belong to space."""
        values = call.attr(name, list[int], default) if default is not None else call.attr(name, list[int])
        if len(values) != len(self.letters.replace("V", "")):
            raise GraphError(f"its {name} are {len(values)} numbers, for {self.name}")
        return [values[place] for place in self.space]

    def around(self, call: Call) -> list[int]:
        """The explicit paddings of space, before and behind together."""
        values = call.attr("explicit_paddings", list[int], [])
        if len(values) != 2 * len(self.letters):
            raise GraphError(f"it has {len(values)} explicit paddings, for {self.name}")
        return [values[2 * place] + values[2 * place + 1] for place in self.space]


def convolved(call: Call, layout: Layout, shape: Shape | None, kernels: Shape, channels: Dim, groups: bool) -> Shape:
    """The output of a convolution with a filter of sizes (*space, in, out)."""
    batch, depth, space = layout.read(shape)
    padding = call.attr("padding", str)
    ones = [1] * len(layout.letters.replace("V", ""))
    strides = layout.of_attribute(call, "strides")
    dilations = layout.of_attribute(call, "dilations", ones)
    around = layout.around(call) if padding == "EXPLICIT" else [0] * len(space)
    if depth is not None and kernels[-2] is not None and (kernels[-2] < 1 or depth % kernels[-2]):
        raise GraphError(f"{depth} channels come in, and the filter is {text(kernels)}")
    if not groups:
        merged_dim(depth, kernels[-2])
    made = [
        window_count(size, kernel, stride, padding, dilation, extra)
        for size, kernel, stride, dilation, extra in zip(space, kernels, strides, dilations, around, strict=False)
    ]
    return layout.made(batch, channels, made)


def conv2d(call: Call) -> Shape:
    layout = Layout(call, "NHWC", "HW")
    kernels = _filter(call, layout, 4)
    return convolved(call, layout, call.shape(0), kernels, kernels[3], groups=True)


def _filter(call: Call, layout: Layout, rank: int) -> Shape:
    """The sizes of a filter as (*space, in, out)."""
    if "V" not in layout.letters:
        return ranked(call.shape(1), rank)
    out, depth, height, width, four = ranked(call.shape(1), 5)  # OIHW_VECT_I
    return height, width, None if depth is None or four is None else depth * four, out


def _conv3d(call: Call) -> Result:
    layout = Layout(call, "NDHWC", "DHW")
    kernels = ranked(call.shape(1), 5)
    return convolved(call, layout, call.shape(0), kernels, kernels[4], groups=True)


def depthwise(call: Call) -> Shape:
    layout = Layout(call, "NHWC", "HW")
    kernels = ranked(call.shape(1), 4)
    _, depth, _ = layout.read(call.shape(0))
    depth = merged_dim(depth, kernels[2])
    channels = None if depth is None or kernels[3] is None else depth * kernels[3]
    return convolved(call, layout, call.shape(0), kernels, channels, groups=False)


def _input_sizes(rank: int) -> Rule:
    """The gradient of a convolution for its input, which transposed convolutions are: of the sizes that are given."""

    def rule(call: Call) -> Result:
        sizes = call.sizes(0)
        shape = call.shape(0)
        if shape is not None and len(shape) == 1 and shape[0] == 2 and rank == 4:
            return _space_only(call, sizes)
        made, outer = ranked(sizes, rank), ranked(call.shape(2), rank)
        return (outer[0], *made[1:]) if made[0] is None else made

    return rule


def _space_only(call: Call, sizes: Shape | None) -> Shape:
    """Height and width only: batch and channels are those of the gradient and of the filter."""
    layout = Layout(call, "NHWC", "HW")
    batch, _, _ = layout.read(call.shape(2))
    return layout.made(batch, ranked(call.shape(1), 4)[2], list(ranked(sizes, 2)))


def _filter_sizes(rank: int) -> Rule:
    def rule(call: Call) -> Result:
        return ranked(call.sizes(1), rank)

    return rule


def _pooled(call: Call, shape: Shape | None, layout: Layout, kernels: list[int], strides: list[int]) -> Shape:
    batch, channels, space = layout.read(shape)
    padding = call.attr("padding", str)
    around = layout.around(call) if padding == "EXPLICIT" else [0] * len(space)
    made = [
        window_count(size, kernel, stride, padding, 1, extra)
        for size, kernel, stride, extra in zip(space, kernels, strides, around, strict=True)
    ]
    return layout.made(batch, channels, made)


def pool(call: Call) -> Shape:
    layout = Layout(call, "NHWC", "HW")
    deep = call.attr("ksize", list[int])
    at = layout.letters.index("C")
    kernels, strides = layout.of_attribute(call, "ksize"), layout.of_attribute(call, "strides")
    shape = _pooled(call, call.shape(0), layout, kernels, strides)
    across = deep[at] if at < len(deep) else 1
    if across == 1 or shape[at] is None:
        return shape
    channels = window_count(shape[at], across, call.attr("strides", list[int])[at], call.attr("padding", str))
    return (*shape[:at], channels, *shape[at + 1 :])


def _pool_v2(call: Call) -> Result:
    """The sizes of the window come as inputs."""
    layout = Layout(call, "NHWC", "HW")
    kernels, strides = call.numbers(1), call.numbers(2)
    batch = layout.read(call.shape(0))[0]
    if kernels is None or strides is None or len(kernels) != 4 or len(strides) != 4:
        return layout.made(batch, None, [None, None])
    ksize, steps = ([values[place] for place in layout.space] for values in (kernels, strides))
    return _pooled(call, call.shape(0), layout, ksize, steps)


def _pool_with_argmax(call: Call) -> Result:
    return [pool(call)] * 2


def _pool3d(call: Call) -> Result:
    layout = Layout(call, "NDHWC", "DHW")
    kernels, strides = layout.of_attribute(call, "ksize"), layout.of_attribute(call, "strides")
    return _pooled(call, call.shape(0), layout, kernels, strides)


def _fractional_pool(call: Call) -> Result:
    """Sizes are divided by ratios, and cut."""
    sizes = ranked(call.shape(0), 4)
    ratios = call.attr("pooling_ratio", list[float])
    if len(ratios) != 4 or any(not ratio >= 1 for ratio in ratios):
        raise GraphError(f"it has the ratios {ratios}")
    made = tuple(None if size is None else int(size / ratio) for size, ratio in zip(sizes, ratios, strict=True))
    return [made, *((None if size is None else size + 1,) for size in made[1:3])]


def _dilation2d(call: Call) -> Result:
    batch, height, width, depth = ranked(call.shape(0), 4)
    rows, columns, channels = ranked(call.shape(1), 3)
    strides, rates = call.attr("strides", list[int]), call.attr("rates", list[int])
    if len(strides) != 4 or len(rates) != 4:
        raise GraphError("it needs four strides and four rates")
    padding = call.attr("padding", str)
    depth = merged_dim(depth, channels)
    return (
        batch,
        window_count(height, rows, strides[1], padding, rates[1]),
        window_count(width, columns, strides[2], padding, rates[2]),
        depth,
    )


def _of_input(place: int, rank: int) -> Rule:
    def rule(call: Call) -> Result:
        return ranked(call.shape(place), rank)

    return rule


def _merged_of(*places: int, rank: int) -> Rule:
    def rule(call: Call) -> Result:
        shape: Shape | None = (None,) * rank
        for place in places:
            shape = merged(shape, call.shape(place))
        return shape

    return rule


def _first_sizes(rank: int) -> Rule:
    def rule(call: Call) -> Result:
        return ranked(call.sizes(0), rank)

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
    "Conv3DBackpropFilter": _of_input(1, 5),
    "Conv3DBackpropFilterV2": _filter_sizes(5),
    "Conv3DBackpropInput": _of_input(0, 5),
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
    "MaxPool3DGrad": _of_input(0, 5),
    "MaxPoolGrad": _of_input(0, 4),
    "MaxPoolGradGrad": _merged_of(1, rank=4),
    "MaxPoolGradV2": _of_input(0, 4),
    "MaxPoolV2": _pool_v2,
    "MaxPoolWithArgmax": _pool_with_argmax,
    "_FusedConv2D": conv2d,
    "_FusedDepthwiseConv2dNative": depthwise,
    "_FusedMatMul": matmul,
}
