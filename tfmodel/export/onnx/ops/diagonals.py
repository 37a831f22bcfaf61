"""Diagonals of matrices. Where elements go is known from sizes: they are gathered from a flat matrix."""

from __future__ import annotations

from math import prod

import numpy as np

from ....messages import DataType
from ..conversion import operators
from ..conversion.call import Call
from ..conversion.model import Array, Value
from ..conversion.probing import moved, probe
from ..conversion.registry import converter
from ..conversion.scope import INT32

_TO_DIAGONAL = ("MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3", "BatchMatrixDiagPart")
_FROM_DIAGONAL = ("MatrixDiag", "MatrixDiagV2", "MatrixDiagV3", "BatchMatrixDiag")
_INTO_MATRIX = ("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3", "BatchMatrixSetDiag")


@converter(*_TO_DIAGONAL, *_FROM_DIAGONAL)
def _one(call: Call) -> Value:
    """Take diagonals of matrices, or make matrices of them."""
    op = call.node.op
    if op in _FROM_DIAGONAL and None in (call.shape(0) or (None,))[-1:] and _is_main(call):
        return _square(call)
    others = [call.required(index, "where its diagonals are") for index in range(1, call.count - 1)]
    count = 2 if op in _TO_DIAGONAL or (others and others[0].size == 2) else 1
    value, inner = call.input(0), _inner(call, 0, count)
    numbers = np.arange(1, prod(inner) + 1, dtype=np.int32).reshape(inner)
    filler = call.input(call.count - 1) if call.count > 1 else call.like(0, value)
    padding = [np.asarray(0, np.int32)] if call.count > 1 else []
    places = probe(call, [numbers, *others, *padding], T=INT32)
    return call.laid_out(moved(call, [(value, count)], places, filler))


def _is_main(call: Call) -> bool:
    """Return whether a vector becomes the main diagonal of a square matrix, with zeros around it."""
    if call.count == 1:
        return True
    defaults = (None, 0, -1, -1, 0)  # the vector, which diagonal, rows, columns, padding
    return all(
        (array := call.constant(index)) is not None and not (array.ravel() != defaults[index]).any()
        for index in range(1, call.count)
    )


def _square(call: Call) -> Value:
    """Return square matrices with a vector of unknown size as the main diagonal."""
    value = call.input(0)
    count = operators.squeeze(call, operators.shape_of(call, value, call.rank(0) - 1), [0])
    places = call.add("Range", call.const(0), count, call.const(1))
    is_main = call.add("Equal", operators.unsqueeze(call, places, [1]), places, dtype=operators.BOOL)
    rows = operators.unsqueeze(call, value, [-1])
    return call.laid_out(operators.where(call, is_main, rows, call.like(0, value)))


@converter(*_INTO_MATRIX)
def _set(call: Call) -> Value:
    """Put diagonals into matrices."""
    sizes = (call.shape(0) or (None, None))[-2:]
    which = np.zeros(1) if call.count == 2 else call.constant(2)
    if None in sizes and which is not None and not which.any():
        return _set_main(call)
    others = [call.required(index, "where its diagonals are") for index in range(2, call.count)]
    count = 2 if others and others[0].size == 2 and others[0].ravel()[0] != others[0].ravel()[1] else 1
    matrix, diagonal = _inner(call, 0, 2), _inner(call, 1, count)
    size = prod(matrix)
    numbers = np.arange(1, size + prod(diagonal) + 1, dtype=np.int32)
    places = probe(call, [numbers[:size].reshape(matrix), numbers[size:].reshape(diagonal), *others], T=INT32)
    return call.laid_out(moved(call, [(call.input(0), 2), (call.input(1), count)], places))


def _inner(call: Call, index: int, count: int) -> list[int]:
    """Return the last sizes of an input, which must be known."""
    shape = call.shape(index)
    if shape is None or len(shape) < count or None in shape[len(shape) - count :]:
        call.refuse("the sizes of its matrices are not known", "--shape")
    return [int(size or 0) for size in shape[len(shape) - count :]]


def _set_main(call: Call) -> Value:
    """Put a main diagonal into matrices of unknown sizes, with anything behind it where there are more rows."""
    matrix, diagonal = call.input(0), call.input(1)
    rank = call.rank(0)
    rows, columns = (operators.shape_of(call, matrix, axis, axis + 1) for axis in (rank - 2, rank - 1))
    missing = call.add("Sub", rows, operators.shape_of(call, diagonal, rank - 2))
    wide = call.add("Pad", diagonal, operators.join(call, call.const([0] * (2 * rank - 3)), missing))
    places = [
        call.add("Range", call.const(0), operators.squeeze(call, size, [0]), call.const(1)) for size in (rows, columns)
    ]
    is_main = call.add("Equal", operators.unsqueeze(call, places[0], [1]), places[1], dtype=operators.BOOL)
    return call.laid_out(operators.where(call, is_main, operators.unsqueeze(call, wide, [-1]), matrix))


@converter("Diag", "DiagPart")
def _whole(call: Call) -> Value:
    """The same for a tensor of any rank as a whole."""
    shape = call.known_shape(0)
    numbers = np.arange(1, prod(shape) + 1, dtype=np.int32).reshape(shape)
    places = probe(call, [numbers], T=INT32)
    value = call.input(0)
    return call.laid_out(moved(call, [(value, len(shape))], places, call.like(0, value)))


@converter("MatrixBandPart", "BatchMatrixBandPart")
def _band(call: Call) -> Value:
    """Keep a band of each matrix; a negative width keeps all on that side."""
    value = call.input(0)
    if call.constant(1) is None or call.constant(2) is None:
        return call.laid_out(operators.where(call, _computed_band(call, value), value, call.like(0, value)))
    low, high = (int(call.required(index, "the width").ravel()[0]) for index in (1, 2))
    if low < 0 and high < 0:
        return call.home(0)
    shape = (call.shape(0) or ())[-2:]
    if value.dtype not in (DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_INT64) and None not in shape:
        mask = _mask(low, high, [int(size or 0) for size in shape])
        return call.laid_out(operators.where(call, call.const(mask, operators.BOOL), value, call.like(0, value)))
    if high >= 0:
        value = call.add("Trilu", value, call.const(high), upper=0)
    if low >= 0:
        value = call.add("Trilu", value, call.const(-low), upper=1)
    return call.laid_out(value)


def _computed_band(call: Call, value: Value) -> Value:
    """Return which elements of a matrix are in a band of computed widths."""
    rank = call.rank(0)
    sizes = [operators.shape_of(call, value, axis, axis + 1) for axis in (rank - 2, rank - 1)]
    counts = [operators.squeeze(call, size, [0]) for size in sizes]
    rows, columns = (call.add("Range", call.const(0), count, call.const(1)) for count in counts)
    below = call.add("Sub", operators.unsqueeze(call, rows, [1]), columns)
    sides = []
    for index, distance in ((1, below), (2, call.add("Neg", below))):
        width = operators.reshape(call, call.int64(index), [])
        is_open = call.add("Less", width, call.const(0), dtype=operators.BOOL)
        sides.append(call.add("Or", is_open, call.add("LessOrEqual", distance, width, dtype=operators.BOOL)))
    return call.add("And", *sides)


def _mask(low: int, high: int, shape: list[int]) -> Array:
    rows, columns = np.indices(shape)
    return np.asarray(((low < 0) | (rows - columns <= low)) & ((high < 0) | (columns - rows <= high)))


@converter("MatrixDeterminant", "BatchMatrixDeterminant")
def _determinant(call: Call) -> Value:
    return call.add("Det", call.input(0))
