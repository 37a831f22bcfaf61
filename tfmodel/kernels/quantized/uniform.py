"""Kernels of uniform quantization with scales and zero points: UniformQuantize, UniformDequantize, clipping.

    code = floor(x / scale + 0.5) + zero point, within quantization_min_val and quantization_max_val

Scales and zero points are one number each, or vectors with a number for each position along `quantization_axis`. Scales
that are not positive are refused, where TensorFlow quantizes with them.
"""

from __future__ import annotations

import numpy as np

from ...messages import DataType
from ..runtime.argument_checks import check, show
from ..runtime.registry import Tensor, kernel
from .conversion import code_dtype


def _along(x: Tensor, first: Tensor, second: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Return two parameters in a shape that fits x: scales and zero points, or limits."""
    check(axis >= -1 and axis < x.ndim, f"quantization_axis is {axis}, for a tensor of shape {show(x.shape)}")
    expected = x.shape[axis : axis + 1] if axis >= 0 else ()
    check(
        first.shape == second.shape == expected,
        f"parameters of shapes {show(first.shape)} and {show(second.shape)} do not fit axis {axis} of {show(x.shape)}",
    )
    shape = [-1 if place == axis else 1 for place in range(x.ndim)] if axis >= 0 else []
    return first.reshape(shape), second.reshape(shape)


def _check_scales(scales: Tensor) -> None:
    check((np.isfinite(scales) & (scales > 0)).all(), "scales must be positive and finite")


@kernel("UniformQuantize")
def uniform_quantize(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    *,
    Tout: DataType,
    quantization_axis: int,
    quantization_min_val: int,
    quantization_max_val: int,
) -> Tensor:
    _check_scales(scales)
    scale, zero_point = _along(input, scales, zero_points, quantization_axis)
    steps = np.floor(input.astype(np.float32) * (np.float32(1) / scale) + np.float32(0.5)) + zero_point
    return np.asarray(np.clip(steps, quantization_min_val, quantization_max_val), code_dtype(Tout))


@kernel("UniformDequantize")
def uniform_dequantize(
    input: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    *,
    quantization_axis: int,
    quantization_min_val: int,
    quantization_max_val: int,
) -> Tensor:
    _check_scales(scales)
    scale, zero_point = _along(input, scales, zero_points, quantization_axis)
    return np.asarray((input.astype(np.int64) - zero_point).astype(np.float32) * scale)


@kernel("UniformQuantizedClipByValue")
def uniform_quantized_clip(
    operand: Tensor,
    min: Tensor,
    max: Tensor,
    scales: Tensor,
    zero_points: Tensor,
    *,
    quantization_axis: int,
    quantization_min_val: int,
    quantization_max_val: int,
) -> Tensor:
    low, high = _along(operand, min, max, quantization_axis)
    return np.asarray(np.minimum(np.maximum(operand, low), high))
