"""Constants, placeholders, identities, tensors of one value, and diagonals of matrices.

Ops of diagonals extract them, set them, or keep a band. Several diagonals are the rows of a matrix, the highest first:

    d = column - row      the number of a diagonal: 0 is the main one, diagonals above it are positive

They differ in length: `align` is the side to which short ones are aligned, first for diagonals above the main one, then
for diagonals below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...errors import Hint, RunError
from ...messages import DataType
from ...values.dtypes import DTYPES, dtype_name
from ...values.terminal import escape
from ..runtime.argument_checks import check, int_list, read_scalar, read_shape, show, zeros, zeros_like
from ..runtime.memory_limit import claim_array
from ..runtime.registry import Tensor, kernel


@kernel("Const", "HostConst")
def constant(*, value: Tensor, dtype: DataType) -> Tensor:
    row = DTYPES.get(dtype)
    if row is None or value.dtype != row.numpy:
        raise RunError(f"its value is {value.dtype}, but its type is {dtype_name(dtype)}")
    return value


@kernel(
    "Identity",
    "StopGradient",
    "PreventGradient",
    "Snapshot",
    "DeepCopy",
    "GuaranteeConst",
    "DebugGradientIdentity",
    "PlaceholderWithDefault",
)
def identity(x: Tensor) -> Tensor:
    return x


@kernel("IdentityN")
def identities(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tensors


@kernel("Placeholder", "PlaceholderV2")
def placeholder(*, dtype: DataType, shape: tuple[int | None, ...] | None = None) -> Tensor:
    shape_text = f" and shape {show(shape)}" if shape is not None else ""
    raise RunError(Hint.MUST_BE_FED(dtype=dtype_name(dtype), shape=shape_text))


@kernel("EnsureShape")
def ensure_shape(x: Tensor, *, shape: tuple[int | None, ...] | None) -> Tensor:
    fits = shape is None or (
        len(shape) == x.ndim and all(size in (None, actual) for size, actual in zip(shape, x.shape, strict=True))
    )
    check(fits, f"a tensor of shape {show(x.shape)} is not of the expected shape {show(shape or ())}")
    return x


@kernel("CheckNumerics", "CheckNumericsV2")
def check_numerics(x: Tensor, *, message: bytes) -> Tensor:
    kinds = {"NaN": np.isnan(x).any(), "Inf": np.isinf(x).any()}
    present = " and ".join(name for name, is_present in kinds.items() if is_present)
    check(not present, f"{escape(message.decode('utf-8', 'replace'))} : the tensor has {present} values")
    return x


# --- tensors of one value --------------------------------------------------------------------------------------------


@kernel("ZerosLike")
def zeros_of(x: Any) -> Any:
    return (zeros_like(x),)


@kernel("OnesLike")
def ones_like(x: Tensor) -> Tensor:
    return np.ones_like(x)


@kernel("Fill")
def fill(dims: Tensor, value: Tensor) -> Tensor:
    check(value.shape in ((), (1,)), f"value must be a scalar, not of shape {show(value.shape)}")
    shape = read_shape(dims, "dims")
    claim_array(shape, value.dtype)
    return np.full(shape, value.reshape(()), value.dtype)


@kernel("Empty")
def empty(shape: Tensor, *, dtype: DataType) -> Tensor:
    """Return zeros, with or without `init`; TensorFlow leaves the tensor uninitialized without it."""
    return zeros(read_shape(shape, "shape"), DTYPES[dtype].numpy)


_ALIGNMENTS = (b"LEFT_RIGHT", b"RIGHT_LEFT", b"LEFT_LEFT", b"RIGHT_RIGHT")


class _Band(NamedTuple):
    """The diagonals from `lower` to `upper` of a matrix, and their positions in a matrix of diagonals."""

    rows: int
    columns: int
    lower: int
    upper: int
    align: bytes = b"LEFT_LEFT"

    @property
    def width(self) -> int:
        """The length of the longest diagonal, which is the width of the matrix of diagonals."""
        return min(self.rows + min(self.upper, 0), self.columns - max(self.lower, 0))

    def diagonals(self) -> Iterator[tuple[int, Tensor, Tensor, slice]]:
        """Yield for each diagonal its row in the matrix of diagonals, the rows and columns of its elements, and its
        columns in the matrix of diagonals."""
        check(self.align in _ALIGNMENTS, f"unknown align {escape(self.align.decode('latin1'))}")
        above, below = (side == b"RIGHT" for side in self.align.split(b"_"))
        for d in range(self.upper, self.lower - 1, -1):
            along = np.arange(min(self.rows + min(d, 0), self.columns - max(d, 0)))
            right = (d < 0 or above) and (d > 0 or below)
            first = self.width - along.size if right else 0
            yield self.upper - d, along - min(d, 0), along + max(d, 0), slice(first, first + along.size)


def _read_limits(k: Tensor) -> tuple[int, int]:
    check(k.ndim <= 1 and 1 <= k.size <= 2, f"k must be one or two numbers, not of shape {show(k.shape)}")
    lower, upper = (int_list(k.reshape(-1)) * 2)[:2] if k.size == 1 else int_list(k)
    check(lower <= upper, f"k is {show(int_list(k.reshape(-1)))}, but the first must not be larger")
    return lower, upper


def _check_limits(rows: int, columns: int, lower: int, upper: int) -> None:
    for limit in (lower, upper):
        check(-rows < limit < columns or limit == 0, f"a matrix of {rows} x {columns} has no diagonal {limit}")


# --- diagonals to matrices -------------------------------------------------------------------------------------------


@kernel("MatrixDiag", "BatchMatrixDiag")
def matrix_diag(diagonal: Tensor) -> Tensor:
    check(diagonal.ndim >= 1, "diagonal must not be a scalar")
    size = diagonal.shape[-1]
    return _make_matrix(diagonal[..., np.newaxis, :], _Band(size, size, 0, 0), b"" if diagonal.dtype == object else 0)


@kernel("MatrixDiagV2", "MatrixDiagV3")
def matrix_diag_v3(
    diagonal: Tensor,
    k: Tensor,
    num_rows: Tensor,
    num_cols: Tensor,
    padding_value: Tensor,
    *,
    align: bytes = b"LEFT_LEFT",
) -> Tensor:
    check(diagonal.ndim >= 1, "diagonal must not be a scalar")
    lower, upper = _read_limits(k)
    if lower == upper:
        diagonal = diagonal[..., np.newaxis, :]
    check(
        diagonal.ndim >= 2 and diagonal.shape[-2] == upper - lower + 1,
        f"diagonal of shape {show(diagonal.shape)} must have {upper - lower + 1} rows, one for each diagonal",
    )
    rows, columns = read_scalar(num_rows, "num_rows"), read_scalar(num_cols, "num_cols")
    min_rows, min_columns = diagonal.shape[-1] - min(upper, 0), diagonal.shape[-1] + max(lower, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(min_rows, min_columns)
    rows = min_rows if rows == -1 else rows
    columns = min_columns if columns == -1 else columns
    check(rows >= min_rows, f"num_rows is {rows}, but must be {min_rows} or more")
    check(columns >= min_columns, f"num_cols is {columns}, but must be {min_columns} or more")
    check(
        rows == min_rows or columns == min_columns,
        f"a matrix of {rows} x {columns} has longer diagonals than {diagonal.shape[-1]}",
    )
    return _make_matrix(
        diagonal, _Band(rows, columns, lower, upper, align), read_scalar(padding_value, "padding_value")
    )


def _make_matrix(diagonals: Tensor, band: _Band, padding: object) -> Tensor:
    result = np.full((*diagonals.shape[:-2], band.rows, band.columns), padding, diagonals.dtype)
    return _set_diagonals(result, diagonals, band)


def _set_diagonals(matrix: Tensor, diagonals: Tensor, band: _Band) -> Tensor:
    for number, row, column, span in band.diagonals():
        matrix[..., row, column] = diagonals[..., number, span]
    return matrix


@kernel("MatrixSetDiag", "BatchMatrixSetDiag")
def matrix_set_diag(x: Tensor, diagonal: Tensor) -> Tensor:
    return matrix_set_diag_v3(x, diagonal, np.array(0), align=b"LEFT_LEFT")


@kernel("MatrixSetDiagV2", "MatrixSetDiagV3")
def matrix_set_diag_v3(x: Tensor, diagonal: Tensor, k: Tensor, *, align: bytes = b"LEFT_LEFT") -> Tensor:
    check(x.ndim >= 2, f"the input must have 2 dimensions or more, not {x.ndim}")
    rows, columns = x.shape[-2:]
    lower, upper = _read_limits(k)
    _check_limits(rows, columns, lower, upper)
    band = _Band(rows, columns, lower, upper, align)
    counts = () if lower == upper else (upper - lower + 1,)
    expected = (*x.shape[:-2], *counts, band.width)
    check(diagonal.shape == expected, f"diagonal has shape {show(diagonal.shape)}, but must have {show(expected)}")
    return _set_diagonals(x.copy(), diagonal if counts else diagonal[..., np.newaxis, :], band)


# --- matrices to diagonals -------------------------------------------------------------------------------------------


@kernel("MatrixDiagPart", "BatchMatrixDiagPart")
def matrix_diag_part(x: Tensor) -> Tensor:
    check(x.ndim >= 2, f"the input must have 2 dimensions or more, not {x.ndim}")
    return np.diagonal(x, axis1=-2, axis2=-1)


@kernel("MatrixDiagPartV2", "MatrixDiagPartV3")
def matrix_diag_part_v3(x: Tensor, k: Tensor, padding_value: Tensor, *, align: bytes = b"LEFT_LEFT") -> Tensor:
    check(x.ndim >= 2, f"the input must have 2 dimensions or more, not {x.ndim}")
    rows, columns = x.shape[-2:]
    lower, upper = _read_limits(k)
    _check_limits(rows, columns, lower, upper)
    band = _Band(rows, columns, lower, upper, align)
    fill = read_scalar(padding_value, "padding_value", vector_of_one=True)
    diagonals = np.full((*x.shape[:-2], upper - lower + 1, band.width), fill, x.dtype)
    for number, row, column, span in band.diagonals():
        diagonals[..., number, span] = x[..., row, column]
    return diagonals[..., 0, :] if lower == upper else diagonals


@kernel("MatrixBandPart", "BatchMatrixBandPart")
def matrix_band_part(x: Tensor, num_lower: Tensor, num_upper: Tensor) -> Tensor:
    check(x.ndim >= 2, f"the input must have 2 dimensions or more, not {x.ndim}")
    rows, columns = x.shape[-2:]
    below, above = read_scalar(num_lower, "num_lower"), read_scalar(num_upper, "num_upper")
    check(below <= rows, f"num_lower is {below}, but there are {rows} rows")
    check(above <= columns, f"num_upper is {above}, but there are {columns} columns")
    d = np.arange(columns) - np.arange(rows)[:, np.newaxis]
    inside = ((below < 0) | (d >= -below)) & ((above < 0) | (d <= above))
    return np.where(inside, x, np.array(b"" if x.dtype == object else 0, x.dtype))


# --- tensors ---------------------------------------------------------------------------------------------------------


@kernel("Diag")
def diag(diagonal: Tensor) -> Tensor:
    """Return a tensor of twice the rank, with the elements where both halves of the index are equal, else zeros."""
    check(diagonal.ndim >= 1, "diagonal must not be a scalar")
    return np.diag(diagonal.reshape(-1)).reshape(diagonal.shape * 2)


@kernel("DiagPart")
def diag_part(x: Tensor) -> Tensor:
    half = x.shape[: x.ndim // 2]
    check(x.shape == half * 2, f"both halves of the shape must be equal, not {show(x.shape)}")
    size = math.prod(half)
    return np.diagonal(x.reshape(size, size)).reshape(half)
