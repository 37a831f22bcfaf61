"""Kernels of matrix products, and of the cross product of vectors."""

from __future__ import annotations

import numpy as np

from ...messages import DataType
from ...values.dtypes import dtype_of
from ..runtime.argument_checks import check, check_kind, show, widen_halves
from ..runtime.registry import Tensor, kernel
from .elementwise import broadcastable


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
    for matrix in (x, y):
        check_kind(matrix, "iufc" if dtype.kind == "c" else "iuf")
    return batch_mat_mul_v2(x.astype(dtype, copy=False), y.astype(dtype, copy=False), adj_x=adj_x, adj_y=adj_y)


def adjoint(x: Tensor) -> Tensor:
    """Transpose matrices, and conjugate complex ones."""
    return np.conj(np.swapaxes(x, -1, -2)) if x.dtype.kind == "c" else np.swapaxes(x, -1, -2)


def product(a: Tensor, b: Tensor) -> Tensor:
    """Return products of matrices; the batch dimensions are broadcast."""
    fits = a.shape[-1] == b.shape[-2] and broadcastable(a.shape[:-2], b.shape[:-2])
    check(fits, f"matrices of shapes {show(a.shape)} and {show(b.shape)} cannot be multiplied")
    return np.asarray(np.matmul(widen_halves(a), widen_halves(b)))


@kernel("Cross")
def cross(a: Tensor, b: Tensor) -> Tensor:
    check(
        a.shape == b.shape and a.shape[-1:] == (3,),
        f"{show(a.shape)} and {show(b.shape)} must be equal, with a last dimension of 3",
    )
    next_axis, previous_axis = [1, 2, 0], [2, 0, 1]
    return np.asarray(a[..., next_axis] * b[..., previous_axis] - a[..., previous_axis] * b[..., next_axis])
