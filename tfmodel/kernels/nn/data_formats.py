"""Kernels that translate the positions of dimensions from one data format to another: NHWC, NCHW, NDHWC and others."""

from __future__ import annotations

import numpy as np

from ...values.terminal import escape
from ..runtime.argument_checks import check, show
from ..runtime.registry import Tensor, kernel


@kernel("DataFormatDimMap")
def data_format_dim_map(x: Tensor, *, src_format: bytes, dst_format: bytes) -> Tensor:
    """Return the positions that dimensions have in the other format. Positions count modulo the length of a format."""
    source, target = _formats(src_format, dst_format)
    positions = np.array([target.index(letter) for letter in source], x.dtype)
    return np.asarray(positions[x % len(source)])


@kernel("DataFormatVecPermute")
def data_format_vec_permute(x: Tensor, *, src_format: bytes, dst_format: bytes) -> Tensor:
    """Return a row for each dimension, or for each spatial one, in the order of the other format."""
    source, target = _formats(src_format, dst_format)
    check(x.ndim in (1, 2), f"the input must be a vector or a matrix, not of shape {show(x.shape)}")
    check(x.ndim == 1 or x.shape[1] == 2, f"a matrix must have 2 columns, not be of shape {show(x.shape)}")
    if len(x) == len(source) - 2:
        source, target = ([letter for letter in letters if letter not in "NC"] for letters in (source, target))
    check(len(x) == len(source), f"an input of shape {show(x.shape)} has no row for each of {len(source)} dimensions")
    return x[[source.index(letter) for letter in target]]


def _formats(src_format: bytes, dst_format: bytes) -> tuple[list[str], list[str]]:
    """Return the letters of both formats, which must be the same."""
    source, target = list(src_format.decode("latin-1")), list(dst_format.decode("latin-1"))
    given = f'"{escape("".join(source))}" and "{escape("".join(target))}"'
    check(
        len(source) in (4, 5) and len({*source}) == len(source) and sorted(source) == sorted(target),
        f"the formats {given} must have the same 4 or 5 letters",
    )
    return source, target
