"""Kernels that requantize codes with a range for each channel: RequantizePerChannel, RequantizationRangePerChannel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...messages import DataType
from ...values.dtypes import dtype_name
from ..runtime.argument_checks import check, show
from ..runtime.registry import Tensor, kernel
from .conversion import Result, code_dtype, read_number
from .fused_layers import SIGNED, UNSIGNED, largest_of, to_codes

_F = np.float32


@kernel("RequantizePerChannel")
def requantize_per_channel(
    codes: Tensor,
    input_min: Tensor,
    input_max: Tensor,
    requested_output_min: Tensor,
    requested_output_max: Tensor,
    *,
    out_type: DataType,
) -> Result:
    check(codes.dtype == np.int32, f"there is no kernel for {codes.dtype.name} codes")
    check(codes.ndim == 4, f"its input must be of rank 4, and is of shape {show(codes.shape)}")
    low, high = read_number(requested_output_min, "the minimum"), read_number(requested_output_max, "the maximum")
    largest = _channel_limits(codes, input_min, input_max)
    dtype = code_dtype(out_type)
    check(dtype in (np.uint8, np.int8), f"there is no kernel for outputs of type {dtype_name(out_type)}")
    check(dtype != np.int8 or low < 0, f"requested_output_min must be less than 0 for signed codes, got {low}")
    scales = (UNSIGNED if dtype == np.uint8 else SIGNED) * (largest / largest_of(low, high) / _F(2.0**31))
    return to_codes(codes.astype(_F) * scales, dtype, rectify=dtype == np.uint8), low, high


@kernel("RequantizationRangePerChannel")
def requantization_range_per_channel(
    codes: Tensor, input_min: Tensor, input_max: Tensor, *, clip_value_max: float
) -> tuple[Any, Any]:
    """Return the range that the codes use, from 0 if none of them is negative."""
    check(codes.dtype == np.int32, f"there is no kernel for {codes.dtype.name} codes")
    check(codes.ndim == 4 and codes.size, f"its input must be images, and is of shape {show(codes.shape)}")
    scales = _channel_limits(codes, input_min, input_max)
    lowest, highest = codes.min((0, 1, 2)), codes.max((0, 1, 2))
    ranges = scales * np.maximum(np.abs(lowest), np.abs(highest)).astype(_F) / _F(2.0**31)
    largest = min(max(np.finfo(_F).tiny, np.fmax.reduce(ranges)), _F(clip_value_max))
    return (_F(0) if lowest.min() >= 0 else -largest), largest


def _channel_limits(codes: Tensor, low: Tensor, high: Tensor) -> Tensor:
    channels = codes.shape[-1:]
    fits = low.shape == high.shape == channels
    check(
        fits, f"the range must be two vectors of {channels[0]}, not of shapes {show(low.shape)} and {show(high.shape)}"
    )
    return np.asarray(largest_of(low, high))
