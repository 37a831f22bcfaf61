"""Kernels of linear maps: matrix products, the cross product of vectors, and Fourier transforms.

Fourier transforms are along the last one, two or three dimensions. RFFT and IRFFT (and their 2D and 3D forms) take the
length of each dimension as the input `fft_length`; elements beyond it are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...dtypes import dtype_of
from ...messages import DataType
from ..runtime.argument_checks import check, read_vector, show, widen_halves
from ..runtime.registry import Tensor, kernel
from ..runtime.threads import run_parts
from .elementwise import broadcastable

__all__ = ["product"]

_MIN_PART_SIZE = 128
"""The minimum number of rows or columns of a part of a matrix product that is computed in several threads."""

_MIN_PRODUCTS = 1 << 19
"""The minimum number of products of such a part: with fewer, starting a thread takes most of the time."""


@kernel("MatMul", "SparseMatMul", fresh=True)
def mat_mul(a: Tensor, b: Tensor, *, transpose_a: bool, transpose_b: bool) -> Tensor:
    for name, matrix in (("a", a), ("b", b)):
        check(matrix.ndim == 2, f"{name} must be a matrix, not of shape {show(matrix.shape)}")
    return product(a.T if transpose_a else a, b.T if transpose_b else b)


@kernel("BatchMatMul")
def batch_mat_mul(x: Tensor, y: Tensor, *, adj_x: bool, adj_y: bool) -> Tensor:
    check(x.shape[:-2] == y.shape[:-2], f"the batch dimensions of {show(x.shape)} and {show(y.shape)} differ")
    return batch_mat_mul_v2(x, y, adj_x=adj_x, adj_y=adj_y)


@kernel("BatchMatMulV2", fresh=True)
def batch_mat_mul_v2(x: Tensor, y: Tensor, *, adj_x: bool, adj_y: bool) -> Tensor:
    for name, matrix in (("x", x), ("y", y)):
        check(matrix.ndim >= 2, f"{name} must hold matrices, not be of shape {show(matrix.shape)}")
    return product(adjoint(x) if adj_x else x, adjoint(y) if adj_y else y)


@kernel("BatchMatMulV3")
def batch_mat_mul_v3(x: Tensor, y: Tensor, *, adj_x: bool, adj_y: bool, Tout: DataType) -> Tensor:
    dtype = dtype_of(Tout).numpy
    return batch_mat_mul_v2(x.astype(dtype, copy=False), y.astype(dtype, copy=False), adj_x=adj_x, adj_y=adj_y)


def adjoint(x: Tensor) -> Tensor:
    """Return the matrices in the last two dimensions transposed, with complex elements conjugated."""
    return np.conj(np.swapaxes(x, -1, -2)) if x.dtype.kind == "c" else np.swapaxes(x, -1, -2)


def product(a: Tensor, b: Tensor) -> Tensor:
    """Return the products of the matrices in `a` and `b`. The batch dimensions are broadcast."""
    fits = a.shape[-1] == b.shape[-2] and broadcastable(a.shape[:-2], b.shape[:-2])
    check(fits, f"matrices of shapes {show(a.shape)} and {show(b.shape)} cannot be multiplied")
    a, b = widen_halves(a), widen_halves(b)
    parts = _parts(a.shape[0], a.shape[1], b.shape[1]) if a.ndim == b.ndim == 2 else []
    if len(parts) < 2:
        return np.asarray(np.matmul(a, b))
    out = np.empty((a.shape[0], b.shape[1]), np.result_type(a, b))

    def multiply(parts: Iterator[tuple[slice, slice]]) -> None:
        for rows, columns in parts:
            np.matmul(a[rows], b[:, columns], out=out[rows, columns])

    run_parts(multiply, parts)
    return out


def _parts(rows: int, depth: int, columns: int) -> list[tuple[slice, slice]]:
    """Return the parts of a product of two matrices: blocks of rows if it has many, else of columns."""
    size, is_tall = max(rows, columns), rows >= columns
    count = min(size // _MIN_PART_SIZE, rows * depth * columns // _MIN_PRODUCTS)
    step = -(-size // max(1, count))
    blocks = [slice(start, start + step) for start in range(0, size, step)] if size else []
    return [(block, slice(None)) if is_tall else (slice(None), block) for block in blocks]


@kernel("Cross")
def cross(a: Tensor, b: Tensor) -> Tensor:
    check(
        a.shape == b.shape and a.shape[-1:] == (3,),
        f"{show(a.shape)} and {show(b.shape)} must be equal, with a last dimension of 3",
    )
    next_axis, previous_axis = [1, 2, 0], [2, 0, 1]
    return np.asarray(a[..., next_axis] * b[..., previous_axis] - a[..., previous_axis] * b[..., next_axis])


# --- Fourier transforms ----------------------------------------------------------------------------------------------


def _axes(x: Tensor, rank: int) -> tuple[int, ...]:
    check(x.ndim >= rank, f"the input must have {rank} dimensions or more, not the shape {show(x.shape)}")
    return tuple(range(-rank, 0))


def _complex_kernel(rank: int, transform: Callable[..., Tensor]) -> Callable[[Tensor], Tensor]:
    def compute(input: Tensor) -> Tensor:
        axes = _axes(input, rank)
        return transform(input, axes=axes) if input.size else input

    return compute


def _real_kernel(rank: int) -> Callable[[Tensor, Tensor], Tensor]:
    def compute(input: Tensor, fft_length: Tensor) -> Tensor:
        axes, lengths = _axes(input, rank), _read_lengths(fft_length, rank)
        _check_sizes(input, lengths, lengths)
        if not input.size:
            return np.zeros((*input.shape[:-rank], *_half_lengths(lengths)), np.complex128)
        return np.asarray(np.fft.rfftn(input, lengths, axes))

    return compute


def _inverse_real_kernel(rank: int) -> Callable[[Tensor, Tensor], Tensor]:
    def compute(input: Tensor, fft_length: Tensor) -> Tensor:
        axes, lengths = _axes(input, rank), _read_lengths(fft_length, rank)
        _check_sizes(input, lengths, _half_lengths(lengths))
        if not input.size:
            return np.zeros((*input.shape[:-rank], *lengths))
        return np.asarray(np.fft.irfftn(input, lengths, axes))

    return compute


def _read_lengths(fft_length: Tensor, rank: int) -> list[int]:
    lengths = read_vector(fft_length, "fft_length", rank)
    check(min(lengths) >= 0, f"fft_length is {show(lengths)}, but must not be negative")
    return lengths


def _half_lengths(lengths: list[int]) -> list[int]:
    """Return the sizes of the transform of real numbers with these lengths.

    Of the last dimension only n // 2 + 1 elements are stored; the others are their complex conjugates.
    """
    return [*lengths[:-1], lengths[-1] // 2 + 1 if lengths[-1] else 0]


def _check_sizes(x: Tensor, lengths: list[int], min_sizes: list[int]) -> None:
    check(not x.size or 0 not in lengths, f"fft_length must be positive for an input of shape {show(x.shape)}")
    fits = all(size >= min_size for size, min_size in zip(x.shape[-len(min_sizes) :], min_sizes, strict=True))
    check(
        fits or not x.size,
        f"the input has shape {show(x.shape)}, but fft_length {show(lengths)} needs at least {show(min_sizes)}",
    )


for _rank, _name in enumerate(("", "2D", "3D"), 1):
    kernel(f"FFT{_name}")(_complex_kernel(_rank, np.fft.fftn))
    kernel(f"IFFT{_name}")(_complex_kernel(_rank, np.fft.ifftn))
    kernel(f"RFFT{_name}")(_real_kernel(_rank))
    kernel(f"IRFFT{_name}")(_inverse_real_kernel(_rank))
