"""Kernels of sums, products and convolutions of uniformly quantized tensors.

    UniformQuantizedDot(a, b, scales and zero points)         codes of sums of (a - zero point) * (b - zero point)
    UniformQuantizedDotHybrid(x, b, scales and zero points)   floats: each row of x is quantized to 8 bits first

Refused here, where TensorFlow ends or gives wrong results: sums with a scale for each position of the output, if the
first operand has one scale, or if an operand is repeated along this dimension; floats that are not finite; zero points
of images that are not codes of 8 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...analysis.shape_rules.quantized_uniform import Convolution, convolution_of
from ...errors import GraphError, RunError
from ...messages import DataType, NodeDef
from ..nn.convolutions import convolve
from ..nn.windows import Axis
from ..runtime.argument_checks import check, show
from ..runtime.memory_limit import claim, claim_array
from ..runtime.registry import Tensor, kernel
from .layers import multiply_exactly
from .uniform import REQUANTIZATION_BYTES, Multiplier, along, bounded, check_scales, read_codes, wrap

_F = np.float32


@kernel("UniformQuantizedAdd")
def uniform_quantized_add(
    lhs: Tensor,
    rhs: Tensor,
    lhs_scales: Tensor,
    lhs_zero_points: Tensor,
    rhs_scales: Tensor,
    rhs_zero_points: Tensor,
    output_scales: Tensor,
    output_zero_points: Tensor,
    *,
    T: DataType,
    lhs_quantization_axis: int,
    rhs_quantization_axis: int,
    output_quantization_axis: int,
    output_quantization_min_val: int,
    output_quantization_max_val: int,
) -> Tensor:
    check(lhs.dtype == rhs.dtype == np.int32, f"there is no kernel for {lhs.dtype.name} codes")
    check_scales(lhs_scales, rhs_scales, output_scales)
    low, high = output_quantization_min_val, output_quantization_max_val
    check(low <= high, f"output_quantization_min_val, {low}, is greater than output_quantization_max_val, {high}")
    try:
        shape = np.broadcast_shapes(lhs.shape, rhs.shape)
    except ValueError:
        raise RunError(f"tensors of shapes {show(lhs.shape)} and {show(rhs.shape)} do not fit") from None
    output = np.broadcast_to(np.int32(0), shape)  # takes no memory
    scale, zero_point = along(output, output_scales, output_zero_points, output_quantization_axis)
    fits = output_quantization_axis == -1 or lhs_quantization_axis >= 0
    check(fits, "the first operand needs a scale for each position, as the output has")
    claim(REQUANTIZATION_BYTES * (lhs.size + rhs.size + output.size))
    total: Tensor = np.zeros((), np.int64)
    for codes, scales, zeros, axis in (
        (lhs, lhs_scales, lhs_zero_points, lhs_quantization_axis),
        (rhs, rhs_scales, rhs_zero_points, rhs_quantization_axis),
    ):
        old_scale, old_zero_point = along(codes, scales, zeros, axis)
        if output_quantization_axis >= 0:
            _check_axis(codes, axis, output, output_quantization_axis)
        new_scale = scale.reshape(scale.shape[-codes.ndim :]).astype(np.float64)
        multiplier = Multiplier.of(old_scale.astype(np.float64) / new_scale)
        total = total + read_codes(multiplier.times(wrap(read_codes(codes) - old_zero_point)).astype(np.int32))
    return bounded(total, zero_point, low, high, T)


def _check_axis(codes: Tensor, axis: int, output: Tensor, output_axis: int) -> None:
    """Check that the dimension of the output with several scales is one of an operand, which is not repeated."""
    place = output.ndim - output_axis
    fits = codes.ndim >= place and codes.shape[-place] == output.shape[-place] and axis in (-1, codes.ndim - place)
    check(fits, f"axis {output_axis} of {show(output.shape)} is not that of an operand of shape {show(codes.shape)}")


# --- products of matrices --------------------------------------------------------------------------------------------


@kernel("UniformQuantizedDot")
def uniform_quantized_dot(
    lhs: Tensor,
    rhs: Tensor,
    lhs_scales: Tensor,
    lhs_zero_points: Tensor,
    rhs_scales: Tensor,
    rhs_zero_points: Tensor,
    output_scales: Tensor,
    output_zero_points: Tensor,
    *,
    Tout: DataType,
    lhs_quantization_axis: int,
    rhs_quantization_axis: int,
    output_quantization_axis: int,
    output_quantization_min_val: int,
    output_quantization_max_val: int,
) -> Tensor:
    _check_types(lhs, np.int8, rhs, Tout == DataType.DT_QINT32)
    check(lhs_quantization_axis == -1, "the first matrix must have one scale")
    _check_columns(rhs_quantization_axis)
    _check_columns(output_quantization_axis)
    _check_matrices(lhs, rhs)
    check_scales(lhs_scales, rhs_scales, output_scales)
    channels = rhs.shape[1]
    filter = _channel_parameters(rhs_scales, rhs_zero_points, channels)
    output = _channel_parameters(output_scales, output_zero_points, channels)
    _check_one(lhs_scales, lhs_zero_points)
    function = multiply_exactly if rhs_scales.ndim else _multiply_in_floats
    sums = function(np.matmul, _centred(lhs, lhs_zero_points), _centred(rhs, filter[1]))
    low, high = output_quantization_min_val, output_quantization_max_val
    return _requantize(sums, lhs_scales, filter, output, low, high, Tout)


@kernel("UniformQuantizedDotHybrid")
def uniform_quantized_dot_hybrid(
    lhs: Tensor, rhs: Tensor, rhs_scales: Tensor, rhs_zero_points: Tensor, *, Tout: DataType, rhs_quantization_axis: int
) -> Tensor:
    _check_types(lhs, np.float32, rhs, Tout == DataType.DT_FLOAT)
    _check_columns(rhs_quantization_axis)
    _check_matrices(lhs, rhs)
    check_scales(rhs_scales)
    scales, zero_points = _channel_parameters(rhs_scales, rhs_zero_points, rhs.shape[1])
    codes, lhs_steps = _quantize_rows(lhs)
    sums = multiply_exactly(np.matmul, codes, _centred(rhs, zero_points))
    return np.asarray(sums.astype(_F) * lhs_steps * scales)


def _multiply_in_floats(matmul: Any, a: Tensor, b: Tensor) -> Tensor:
    """Return sums of products that are rounded to single precision after each addition, as TensorFlow's are."""
    largest = [float(np.abs(codes.astype(np.float64)).max(initial=0)) for codes in (a, b)]
    if len(b) * largest[0] * largest[1] <= 2.0**24:
        return multiply_exactly(matmul, a, b)
    total = np.zeros((len(a), b.shape[1]), _F)
    for column, row in zip(a.T, b, strict=True):
        total += np.multiply.outer(column, row).astype(_F)
        total[np.abs(total) >= _F(2.0**31)] = _F(-(2.0**31))
    return total.astype(np.int32)


def _check_matrices(lhs: Tensor, rhs: Tensor) -> None:
    fits = lhs.ndim == rhs.ndim == 2 and lhs.shape[1] == rhs.shape[0]
    check(fits, f"matrices {show(lhs.shape)} and {show(rhs.shape)} do not fit")


def _check_columns(axis: int) -> None:
    check(axis in (-1, 1), f"a quantization axis must be -1 or 1, got {axis}")


# --- convolutions ----------------------------------------------------------------------------------------------------


@kernel("UniformQuantizedConvolution")
def uniform_quantized_convolution(
    node: NodeDef,
    lhs: Tensor,
    rhs: Tensor,
    lhs_scales: Tensor,
    lhs_zero_points: Tensor,
    rhs_scales: Tensor,
    rhs_zero_points: Tensor,
    output_scales: Tensor,
    output_zero_points: Tensor,
    *,
    Tout: DataType,
    lhs_quantization_axis: int,
    rhs_quantization_axis: int,
    output_quantization_axis: int,
    output_quantization_min_val: int,
    output_quantization_max_val: int,
) -> Tensor:
    _check_types(lhs, np.int8, rhs, Tout == DataType.DT_QINT32)
    check(lhs_quantization_axis == -1, "the input must have one scale")
    check_scales(lhs_scales, rhs_scales, output_scales)
    convolution = _convolution_of(node, lhs, rhs)
    filter_axis, feature_axis = convolution.filter[0], convolution.output[1]
    check(rhs_quantization_axis in (-1, filter_axis), f"rhs_quantization_axis must be -1 or {filter_axis}")
    check(output_quantization_axis in (-1, feature_axis), f"output_quantization_axis must be -1 or {feature_axis}")
    channels = rhs.shape[filter_axis]
    filter = _axis_parameters(rhs_scales, rhs_zero_points, rhs_quantization_axis, channels)
    output = _axis_parameters(output_scales, output_zero_points, output_quantization_axis, channels)
    _check_one(lhs_scales, lhs_zero_points)
    limits = np.iinfo(np.int8)
    fits = limits.min <= lhs_zero_points.item() <= limits.max
    check(fits, f"the input is padded with its zero point, {lhs_zero_points.item()}, which is not a code of 8 bits")
    codes = _centred(lhs, lhs_zero_points).transpose(_channels_last(convolution.input))
    sums = _convolve(convolution, codes, _filter(convolution, rhs, filter[1]))
    low, high = output_quantization_min_val, output_quantization_max_val
    return _restore(convolution, _requantize(sums, lhs_scales, filter, output, low, high, Tout))


@kernel("UniformQuantizedConvolutionHybrid")
def uniform_quantized_convolution_hybrid(
    node: NodeDef,
    lhs: Tensor,
    rhs: Tensor,
    rhs_scales: Tensor,
    rhs_zero_points: Tensor,
    *,
    Tout: DataType,
    rhs_quantization_axis: int,
) -> Tensor:
    _check_types(lhs, np.float32, rhs, Tout == DataType.DT_FLOAT)
    check_scales(rhs_scales)
    convolution = _convolution_of(node, lhs, rhs)
    axis = convolution.filter[0]
    check(rhs_quantization_axis in (-1, axis), f"rhs_quantization_axis must be -1 or {axis}")
    scales, zero_points = _axis_parameters(rhs_scales, rhs_zero_points, rhs_quantization_axis, rhs.shape[axis])
    codes, steps = _quantize_rows(lhs.transpose(_channels_last(convolution.input)))
    sums = _convolve(convolution, codes, _filter(convolution, rhs, zero_points))
    groups = convolution.batch_groups
    steps = np.repeat(steps.reshape(groups, len(sums)).T, sums.shape[-1] // groups, 1)
    steps = steps.reshape(len(sums), *[1] * (sums.ndim - 2), sums.shape[-1])
    return _restore(convolution, sums.astype(_F) * steps * scales)


def _convolution_of(node: NodeDef, lhs: Tensor, rhs: Tensor) -> Convolution:
    try:
        return convolution_of(node, lhs.shape, rhs.shape)
    except GraphError as error:
        raise RunError(str(error)) from error


def _channels_last(order: tuple[int, ...]) -> list[int]:
    """Return the dimensions of images in the order batch, space, features."""
    return [order[0], *order[2:], order[1]]


def _filter(convolution: Convolution, rhs: Tensor, zero_points: Tensor) -> Tensor:
    """Return the filter as (*space, features in, features out), without its zero points."""
    features_out, features_in, *space = convolution.filter
    return _centred(rhs.transpose([*space, features_in, features_out]), zero_points)


def _restore(convolution: Convolution, images: Tensor) -> Tensor:
    """Return images with the dimensions that the node declares."""
    return np.ascontiguousarray(images.transpose(np.argsort(_channels_last(convolution.output))))


def _convolve(convolution: Convolution, x: Tensor, filter: Tensor) -> Tensor:
    """Return the sums of a convolution of images with channels last. Groups of examples have filters of their own."""
    x = _dilate(x, convolution.input_dilations)
    axes = [
        Axis(size, kernel, stride, dilation, padding[0], convolution.shape[place])
        for size, kernel, stride, dilation, padding, place in zip(
            x.shape[1:-1],
            filter.shape[:-2],
            convolution.strides,
            convolution.filter_dilations,
            convolution.paddings,
            convolution.output[2:],
            strict=True,
        )
    ]
    groups = convolution.batch_groups
    size = filter.shape[-1] // groups
    parts = []
    for number, images in enumerate(np.split(x, groups)):
        own = slice(number * size, (number + 1) * size)
        if convolution.feature_groups == 1:
            parts.append(multiply_exactly(convolve, images, filter[..., own], axes))
        else:
            parts.append(multiply_exactly(convolve, images, filter, axes)[..., own])
    return np.concatenate(parts, -1)


def _dilate(x: Tensor, rates: list[int]) -> Tensor:
    """Return images with zeros between their elements."""
    if set(rates) == {1} or not x.size:
        return x
    sizes = [(size - 1) * rate + 1 for size, rate in zip(x.shape[1:-1], rates, strict=True)]
    shape = (x.shape[0], *sizes, x.shape[-1])
    claim_array(shape, x.dtype)
    result = np.zeros(shape, x.dtype)
    result[(slice(None), *(slice(None, None, rate) for rate in rates))] = x
    return result


# --- codes -----------------------------------------------------------------------------------------------------------


def _check_types(lhs: Tensor, expected: Any, rhs: Tensor, known_output: bool) -> None:
    fits = lhs.dtype == expected and rhs.dtype == np.int8 and known_output
    check(fits, f"there is no kernel for {lhs.dtype.name} with {rhs.dtype.name} codes, or none for the output type")


def _check_one(scales: Tensor, zero_points: Tensor) -> None:
    check(scales.ndim == zero_points.ndim == 0, "the scale and the zero point of the first tensor must be scalars")


def _channel_parameters(scales: Tensor, zero_points: Tensor, channels: int) -> tuple[Tensor, Tensor]:
    """Return scales and zero points: one of each, or one for each of the channels, which are last."""
    fits = scales.shape == zero_points.shape and scales.shape in ((), (channels,))
    check(fits, f"scales {show(scales.shape)} and zero points {show(zero_points.shape)} do not fit {channels} channels")
    return scales, zero_points


def _axis_parameters(scales: Tensor, zero_points: Tensor, axis: int, channels: int) -> tuple[Tensor, Tensor]:
    """Return scales and zero points: one of each if the axis is -1, else one for each of the channels."""
    check(scales.ndim == (axis >= 0), f"scales of shape {show(scales.shape)} do not fit the axis {axis}")
    return _channel_parameters(scales, zero_points, channels)


def _centred(codes: Tensor, zero_points: Tensor) -> Tensor:
    """Return the differences of codes from zero points, as 32-bit integers that wrap around."""
    return np.asarray((codes.astype(np.int64) - zero_points).astype(np.int32))


def _requantize(
    sums: Tensor,
    lhs_scale: Tensor,
    filter: tuple[Tensor, Tensor],
    output: tuple[Tensor, Tensor],
    low: int,
    high: int,
    dtype: DataType,
) -> Tensor:
    """Return sums of products as codes. Filter and output are scales and zero points."""
    check(filter[0].ndim or not output[0].ndim, "the output has several scales, and the second operand has one")
    lhs, rhs, new = (scales.astype(np.float64) for scales in (lhs_scale, filter[0], output[0]))
    multiplier = Multiplier.of(lhs * rhs / new)
    return bounded(multiplier.times(sums), output[1], low, high, dtype)


def _quantize_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return codes of 8 bits less their zero points, and the step of each row, of the shape (rows, 1, ...).

    The range of a row includes 0. Its zero point is counted from the end of the range with the smaller error.
    """
    check(np.isfinite(x).all(), "its first input must be finite")
    axes = tuple(range(1, x.ndim))
    low = x.min(axes, keepdims=True, initial=0).astype(np.float64)
    high = x.max(axes, keepdims=True, initial=0).astype(np.float64)
    steps, inverse = ((high - low) / 255).astype(_F), (255 / (high - low)).astype(_F)
    is_zero = (steps == 0) | ~np.isfinite(inverse)
    steps, inverse = np.where(is_zero, _F(1), steps), np.where(is_zero, _F(0), inverse)
    below, above = low / steps.astype(np.float64), high / steps.astype(np.float64)
    nearest = np.where(128 + np.abs(below) < 127 + np.abs(above), -128 - below, 127 - above)
    zero_points = np.where(is_zero, 0, np.trunc(np.clip(nearest, -128, 127) + np.copysign(0.5, nearest)))
    codes = np.clip(np.floor(x * inverse + _F(0.5)) + zero_points, -128, 127)
    return np.asarray((codes - zero_points).astype(np.int32)), steps
