"""Kernels that concatenate codes, which they convert to one range: QuantizedConcat, QuantizedConcatV2.

Difference from TensorFlow: behind an empty tensor, QuantizedConcatV2 there takes the ranges of other tensors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...values.quantization import Dequantizer, Quantizer, limits
from ..runtime.argument_checks import check, normalize_axis, read_scalar
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from .conversion import Result, read_range

_F = np.float32
_Range = tuple[np.float32, np.float32]

_SAME_RANGE = 1e-6
"""The difference of ends below which QuantizedConcatV2 takes ranges of images for the same."""


@kernel("QuantizedConcat")
def concat(concat_dim: Tensor, *tensors: Tensor, N: int) -> Result:
    values, ranges = _read_list(tensors, N)
    axis = read_scalar(concat_dim, "concat_dim")
    check(0 <= axis < values[0].ndim, f"concat_dim is {axis}, but the tensors have {values[0].ndim} dimensions")
    low, high = min(_F(0), *(low for low, _ in ranges)), max(high for _, high in ranges)
    if limits(values[0].dtype)[0] < 0:
        high = max(abs(low), abs(high))
        low = -high
    return _concatenate(values, ranges, axis, (low, high))


@kernel("QuantizedConcatV2")
def concat_v2(*tensors: Tensor, N: int) -> Result:
    """Concatenate codes. Images of one range keep it; the range of other unsigned codes begins at 0."""
    check(len(tensors) == 3 * N + 1, f"{N} tensors need {3 * N + 1} inputs, not {len(tensors)}")
    values, ranges = _read_list((*tensors[:N], *tensors[N + 1 :]), N)
    axis = normalize_axis(read_scalar(tensors[N], "axis"), values[0].ndim)
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    near = all(np.abs(np.subtract(one, ranges[0])).max() <= _SAME_RANGE for one in ranges)
    if near and values[0].ndim == 4 and any(codes.size for codes in values):
        return _concatenate(values, [ranges[0]] * N, axis, ranges[0])
    if limits(values[0].dtype)[0] < 0:
        high = max(abs(low), abs(high))
        low = -high
    else:
        low = _F(0)
    return _concatenate(values, ranges, axis, (low, high))


def _read_list(tensors: Sequence[Tensor], count: int) -> tuple[list[Tensor], list[_Range]]:
    """Return tensors of codes and their ranges from a list of tensors, minimums and maximums."""
    check(len(tensors) == 3 * count, f"{count} tensors need {3 * count} inputs with their ranges, not {len(tensors)}")
    values, lows, highs = (list(tensors[start : start + count]) for start in range(0, 3 * count, count))
    return values, [read_range(low, high) for low, high in zip(lows, highs, strict=True)]


def _concatenate(values: Sequence[Tensor], ranges: Sequence[_Range], axis: int, new_range: _Range) -> Result:
    """Convert codes to a range, and concatenate them."""
    claim(24 * sum(codes.size for codes in values))  # floats, and codes of 32 bits
    converted = [
        codes if old == new_range else Quantizer.of(*new_range, codes.dtype)(Dequantizer.of(*old, codes.dtype)(codes))
        for codes, old in zip(values, ranges, strict=True)
    ]
    return np.concatenate(converted, axis), *new_range
