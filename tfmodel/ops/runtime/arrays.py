"""Helpers for NumPy arrays that kernels of several groups use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .memory_limit import claim_array
from .registry import Tensor

__all__ = ["blank", "wide"]


def wide(x: Tensor) -> Tensor:
    """Single precision for halves, which NumPy computes slowly; all else as it is."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def blank(shape: Sequence[int], dtype: np.dtype[Any]) -> Tensor:
    """Zeros, or empty strings."""
    claim_array(shape, dtype)
    return np.full(shape, b"", dtype) if dtype.kind == "O" else np.zeros(shape, dtype)
