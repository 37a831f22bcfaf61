"""Shape rules of uniform quantization, and the windows of its convolutions, which kernels use too.

The attribute `dimension_numbers` says what each dimension of the input, the filter and the output is; without it, the
input and the output are (batch, features, *space), and the filter is (features out, features in, *space).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbwire import errors

from ...errors import GraphError
from ...graph import attr
from ...messages import NodeDef, UniformQuantizedConvolutionDimensionNumbersAttr
from ...values.shape import Dim, Shape, broadcast, merge_dims, with_rank
from .table import Call, Result, Rule, same_shape, share_rule


@dataclass(frozen=True)
class Convolution:
    """A convolution of known shapes. Lists have a number for each spatial dimension; paddings are before and after.

    `input` and `output` are the dimensions in the order batch, features, space; `filter` in the order features out,
    features in, space.
    """

    input: tuple[int, ...]
    filter: tuple[int, ...]
    output: tuple[int, ...]
    strides: list[int]
    input_dilations: list[int]
    filter_dilations: list[int]
    paddings: list[tuple[int, int]]
    feature_groups: int
    batch_groups: int
    shape: tuple[int, ...]
    """The shape of the output."""


def convolution_of(node: NodeDef, x: Sequence[int], filter: Sequence[int]) -> Convolution:
    """Return the convolution of an input and a filter of these shapes. Raises GraphError if they do not fit."""
    rank = len(x)
    if rank != len(filter) or rank < 3:
        raise GraphError(f"an input of rank {rank} and a filter of rank {len(filter)} do not fit: 3 or more are needed")
    input_order, filter_order, output_order = _orders(node, rank)
    strides, input_dilations, filter_dilations = (
        _spatial(node, name, rank - 2) for name in ("window_strides", "lhs_dilation", "rhs_dilation")
    )
    batch, depth, *space = (x[place] for place in input_order)
    features, filter_depth, *kernel = (filter[place] for place in filter_order)
    feature_groups, batch_groups = _groups(node, batch, depth, features, filter_depth)
    sizes = [_dilated(size, rate) for size, rate in zip(space, input_dilations, strict=True)]
    windows = [_dilated(size, rate) for size, rate in zip(kernel, filter_dilations, strict=True)]
    paddings = _paddings(node, sizes, windows, strides)
    shape = [0] * rank
    shape[output_order[0]], shape[output_order[1]] = batch // batch_groups, features
    for place, size, window, stride, (before, after) in zip(
        output_order[2:], sizes, windows, strides, paddings, strict=True
    ):
        shape[place] = _window_count(size + before + after - window + 1, stride)
    return Convolution(
        input_order,
        filter_order,
        output_order,
        strides,
        input_dilations,
        filter_dilations,
        paddings,
        feature_groups,
        batch_groups,
        tuple(shape),
    )


def _orders(node: NodeDef, rank: int) -> list[tuple[int, ...]]:
    """Return the dimensions of input, filter and output in the order of `Convolution`."""
    data = attr(node, "dimension_numbers", bytes, b"")
    try:
        numbers = UniformQuantizedConvolutionDimensionNumbersAttr.from_bytes(data)
    except errors.Error as error:
        raise GraphError(f"its dimension_numbers cannot be read: {error}") from error
    if not numbers.input_spatial_dimensions:
        return [tuple(range(rank))] * 3
    orders = [
        (numbers.input_batch_dimension, numbers.input_feature_dimension, *numbers.input_spatial_dimensions),
        (
            numbers.kernel_output_feature_dimension,
            numbers.kernel_input_feature_dimension,
            *numbers.kernel_spatial_dimensions,
        ),
        (numbers.output_batch_dimension, numbers.output_feature_dimension, *numbers.output_spatial_dimensions),
    ]
    for order in orders:
        if sorted(order) != list(range(rank)):
            raise GraphError(f"its dimension_numbers {list(order)} are not those of {rank} dimensions")
    return orders


def _spatial(node: NodeDef, name: str, count: int) -> list[int]:
    """Return an attribute with a positive number for each spatial dimension; 1 for each, if it is empty."""
    values = attr(node, name, list[int], []) or [1] * count
    if len(values) != count or min(values) < 1:
        raise GraphError(f"its {name} must be {count} positive numbers, and are {values}")
    return values


def _groups(node: NodeDef, batch: int, depth: int, features: int, filter_depth: int) -> tuple[int, int]:
    """Return the number of groups of features, and that of groups of examples."""
    feature_groups, batch_groups = (attr(node, f"{name}_group_count", int, 1) for name in ("feature", "batch"))
    if feature_groups < 1 or batch_groups < 1:
        raise GraphError(f"numbers of groups must be positive, and are {feature_groups} and {batch_groups}")
    if not filter_depth or depth != feature_groups * filter_depth or features % feature_groups:
        raise GraphError(
            f"{depth} features do not fit {feature_groups} groups of a filter from {filter_depth} to {features}"
        )
    if batch % batch_groups or features % batch_groups:
        raise GraphError(f"{batch_groups} groups do not divide {batch} examples and {features} features")
    return feature_groups, batch_groups


def _dilated(size: int, rate: int) -> int:
    return size + (rate - 1) * (size - 1) if size else 0


def _paddings(node: NodeDef, sizes: list[int], windows: list[int], strides: list[int]) -> list[tuple[int, int]]:
    padding, explicit = attr(node, "padding", str), attr(node, "explicit_padding", list[int], [])
    if padding == "EXPLICIT":
        if len(explicit) != 2 * len(sizes) or min(explicit) < 0:
            raise GraphError(f"its explicit_padding must be {2 * len(sizes)} numbers from 0, and are {explicit}")
        return list(zip(explicit[::2], explicit[1::2], strict=True))
    if padding not in ("SAME", "VALID") or explicit:
        raise GraphError(f'its padding is "{padding}", with explicit_padding {explicit}')
    if padding == "VALID":
        return [(0, 0)] * len(sizes)
    totals = [
        max(0, (-(-size // stride) - 1) * stride + window - size)
        for size, window, stride in zip(sizes, windows, strides, strict=True)
    ]
    return [(total - total // 2, total // 2) for total in totals]  # unlike other ops, more of it before


def _window_count(steps: int, stride: int) -> int:
    """Return the number of windows, rounded up; the division rounds towards zero if no window fits."""
    count = (steps + stride - 1) // stride if steps + stride > 0 else -((1 - steps - stride) // stride)
    if count < 0:
        raise GraphError("its windows do not fit into the input")
    return count


# --- rules -----------------------------------------------------------------------------------------------------------


def _convolution(call: Call) -> Result:
    x, filter = call.shape(0), call.shape(1)
    if x is None or filter is None:
        return None if x is None and filter is None else (None,) * len(x or filter or ())
    known, known_filter = _known(x), _known(filter)
    if known is None or known_filter is None:
        return with_rank(None, len(with_rank(x, len(filter))))
    return convolution_of(call.node, known, known_filter).shape


def _known(shape: Shape) -> list[int] | None:
    sizes = [size for size in shape if size is not None]
    return sizes if len(sizes) == len(shape) else None


def _dot(call: Call) -> Result:
    (rows, depth), (other_depth, columns) = with_rank(call.shape(0), 2), with_rank(call.shape(1), 2)
    merge_dims(depth, other_depth)
    result: tuple[Dim, Dim] = (rows, columns)
    return result


RULES: dict[str, Rule] = {
    "UniformQuantizedAdd": lambda call: broadcast(call.shape(0), call.shape(1)),
    **share_rule("UniformDequantize UniformQuantize UniformQuantizedClipByValue UniformRequantize", same_shape),
    **share_rule("UniformQuantizedConvolution UniformQuantizedConvolutionHybrid", _convolution),
    **share_rule("UniformQuantizedDot UniformQuantizedDotHybrid", _dot),
}
