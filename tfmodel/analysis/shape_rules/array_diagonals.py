"""Shape rules of diagonals: Diag, MatrixDiag, MatrixBandPart, MatrixSetDiag and their newer versions."""

from __future__ import annotations

from ...errors import GraphError
from ...values.shape import Dim, merge_dims, merge_shapes, rows_shape, shape_to_text
from .table import Call, Result, Rule


def _band_part(call: Call) -> Result:
    return rows_shape(call.shape(0), 2)


def _diag(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 1)
    return None if shape is None else shape + shape


def _diag_part(call: Call) -> Result:
    shape = call.shape(0)
    if shape is None:
        return None
    half, odd = divmod(len(shape), 2)
    if odd or not half:
        raise GraphError(f"a tensor of shape {shape_to_text(shape)} has no diagonal")
    return merge_shapes(shape[:half], shape[half:])


def _matrix_diag(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 1)
    return None if shape is None else (*shape, shape[-1])


def _matrix_diag_part(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 2)
    return None if shape is None else (*shape[:-2], _min_dim(shape[-2], shape[-1]))


def _min_dim(a: Dim, b: Dim) -> Dim:
    return 0 if 0 in (a, b) else None if a is None or b is None else min(a, b)


def _band(value: tuple[int, ...] | None) -> tuple[int, int] | None:
    """Return the lowest and the highest diagonal of the input `k`; None if they are unknown."""
    if value is None or not value:
        return None
    if value[0] > value[-1]:
        raise GraphError(f"k is {value[0]} and {value[-1]}, but the first must not be larger")
    return value[0], value[-1]


def _matrix_diag_v2(call: Call) -> Result:
    shape, band = rows_shape(call.shape(0), 1), _band(call.numbers(1))
    if shape is None:
        return None
    if band is None:
        return None
    low, high = band
    outer = shape[:-1] if low == high else (rows_shape(shape, 2) or ())[:-2]
    if low != high:
        merge_dims(shape[-2], high - low + 1)
    longest, height, width = shape[-1], call.number(2), call.number(3)
    height, width = (None if size == -1 else size for size in (height, width))
    is_default = [call.number(index) == -1 for index in (2, 3)]
    if longest is None or None in (call.number(2), call.number(3)):
        return (*outer, height, width)
    min_height, min_width = longest - min(high, 0), longest + max(low, 0)
    if all(is_default):
        height = width = max(min_height, min_width)
    elif is_default[0]:
        height = min_height
    elif is_default[1]:
        width = min_width
    return (*outer, height, width)


def _matrix_diag_part_v2(call: Call) -> Result:
    shape, band = rows_shape(call.shape(0), 2), _band(call.numbers(1))
    if shape is None or band is None:
        return None
    low, high = band
    height, width = shape[-2:]
    longest = None
    if height is not None and width is not None:
        longest = min(height + min(high, 0), width - max(low, 0))
        if longest < 0:
            raise GraphError(f"{shape_to_text(shape)} has no diagonals from {low} to {high}")
    return (*shape[:-2], *((high - low + 1,) if low != high else ()), longest)


RULES: dict[str, Rule] = {
    "Diag": _diag,
    "DiagPart": _diag_part,
    "MatrixBandPart": _band_part,
    "MatrixDiag": _matrix_diag,
    "MatrixDiagPart": _matrix_diag_part,
    "MatrixDiagPartV2": _matrix_diag_part_v2,
    "MatrixDiagPartV3": _matrix_diag_part_v2,
    "MatrixDiagV2": _matrix_diag_v2,
    "MatrixDiagV3": _matrix_diag_v2,
    "MatrixSetDiag": lambda call: rows_shape(call.shape(0), 2),
    "MatrixSetDiagV2": lambda call: rows_shape(call.shape(0), 2),
    "MatrixSetDiagV3": lambda call: rows_shape(call.shape(0), 2),
}
