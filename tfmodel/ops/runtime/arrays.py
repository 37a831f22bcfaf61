"""Helpers for NumPy arrays that kernels of several groups use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .memory_limit import claim_array
from .registry import Tensor

__all__ = ["widen_halves", "zeros"]


def widen_halves(x: Tensor) -> Tensor:
    """Convert float16 arrays to float32, since NumPy is slow with float16; return others unchanged."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def zeros(shape: Sequence[int], dtype: np.dtype[Any]) -> Tensor:
    """Return an array of zeros, or of empty strings. Claims its memory."""
    claim_array(shape, dtype)
    return np.full(shape, b"", dtype) if dtype.kind == "O" else np.zeros(shape, dtype)
