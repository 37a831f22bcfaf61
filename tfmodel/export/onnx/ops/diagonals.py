"""Diagonals of matrices: elements are gathered from flat ones, at places that are constants if all sizes are known."""

from __future__ import annotations

from math import prod

import numpy as np

from ....messages import DataType
from ..conversion import operators
from ..conversion.call import Call
from ..conversion.model import Array, Value
from ..conversion.probing import moved, probe
from ..conversion.registry import converter
from ..conversion.scope import INT32, INT64

_TO_DIAGONAL = ("MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3", "BatchMatrixDiagPart")
_FROM_DIAGONAL = ("MatrixDiag", "MatrixDiagV2", "MatrixDiagV3", "BatchMatrixDiag")
_INTO_MATRIX = ("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3", "BatchMatrixSetDiag")


@converter(*_TO_DIAGONAL, *_FROM_DIAGONAL)
def _one(call: Call) -> Value:
    """Take diagonals of matrices, or make matrices of them."""
    is_taken = call.node.op in _TO_DIAGONAL
    others = [call.constant(index) for index in range(1, call.count - 1)]
    count = 2 if is_taken or (call.count > 1 and _diagonals(call, 1) == 2) else 1
    value, inner = call.input(0), _inner(call, 0, count)
    filler = call.input(call.count - 1) if call.count > 1 else call.like(0, value)
    if inner is None or any(other is None for other in others):
        return call.laid_out(_taken(call, filler) if is_taken else _made(call, count, filler))
    numbers = np.arange(1, prod(inner) + 1, dtype=np.int32).reshape(inner)
    padding = [np.asarray(0, np.int32)] if call.count > 1 else []
    places = probe(call, [numbers, *[other for other in others if other is not None], *padding], T=INT32)
    return call.laid_out(moved(call, [(value, count)], places, filler))


@converter(*_INTO_MATRIX)
def _set(call: Call) -> Value:
    """Put diagonals into matrices."""
    which = np.zeros(1) if call.count == 2 else call.constant(2)
    count = 2 if call.count > 2 and _diagonals(call, 2) == 2 and (which is None or np.ptp(which) > 0) else 1
    matrix, diagonal = _inner(call, 0, 2), _inner(call, 1, count)
    if matrix is None or diagonal is None or which is None:
        return call.laid_out(_into(call, 1, 2, count, _sizes(call, 0), call.input(0)))
    size = prod(matrix)
    numbers = np.arange(1, size + prod(diagonal) + 1, dtype=np.int32)
    pieces = [numbers[:size].reshape(matrix), numbers[size:].reshape(diagonal)]
    places = probe(call, [*pieces, *([which] if call.count > 2 else [])], T=INT32)
    return call.laid_out(moved(call, [(call.input(0), 2), (call.input(1), count)], places))


def _diagonals(call: Call, index: int) -> int:
    """Return how many numbers say which diagonals: 2 for the first and the last one."""
    return prod(call.known_shape(index))


def _inner(call: Call, index: int, count: int) -> list[int] | None:
    """Return the last sizes of an input; None if some are not known."""
    inner = (call.shape(index) or (None,))[-count:]
    return None if None in inner else [int(size or 0) for size in inner]


# --- diagonals of computed places and sizes --------------------------------------------------------------------------


def _sizes(call: Call, index: int) -> list[Value]:
    """Return the last two sizes of an input as scalars."""
    value, rank = call.input(index), call.rank(index)
    ends = [operators.shape_of(call, value, axis, axis + 1) for axis in (rank - 2, rank - 1)]
    return [operators.squeeze(call, size, [0]) for size in ends]


def _ends(call: Call, index: int) -> list[Value]:
    """Return the numbers of the lowest and the highest diagonal; without such an input, the main one is both."""
    known = call.constant(index) if index < call.count else np.zeros(1)
    if known is not None:
        return [call.const(int(known.ravel()[place])) for place in (0, -1)]
    return [call.add("Gather", operators.vector(call, index), call.const(place), axis=0) for place in (0, -1)]


def _length(call: Call, sizes: list[Value], low: Value, high: Value) -> Value:
    """Return the length of the longest of some diagonals."""
    zero = call.const(0)
    rows = operators.counted(call, "Add", sizes[0], operators.counted(call, "Min", high, zero))
    columns = operators.counted(call, "Sub", sizes[1], operators.counted(call, "Max", low, zero))
    return operators.counted(call, "Min", rows, columns)


def _offset(call: Call, sizes: list[Value], longest: Value, number: Value) -> Value:
    """Return how far diagonals are moved to the right in the longest one's place."""
    align = call.attr("align", str, "RIGHT_LEFT") if call.node.op.endswith("V3") else "LEFT_LEFT"
    above, below = (side == "RIGHT" for side in align.split("_"))
    if not above and not below:
        return call.const(0)
    missing = call.add("Sub", longest, _length(call, sizes, number, number))
    if above and below:
        return missing
    is_right = call.add("Greater" if above else "Less", number, call.const(0), dtype=operators.BOOL)
    return call.add("Where", is_right, missing, call.const(0), dtype=INT64)


def _gathered(call: Call, index: int, inner: list[Value], places: Value, is_there: Value, filler: Value) -> Value:
    """Return the elements of an input at places in its last dimensions, or the filler where there is none.

    With two sizes in `inner`, two dimensions are joined.
    """
    value = call.input(index)
    if len(inner) == 2:
        before = operators.shape_of(call, value, 0, call.rank(index) - 2)
        size = operators.unsqueeze(call, operators.counted(call, "Mul", *inner), [0])
        value = call.add("Reshape", value, operators.join(call, before, size))
    safe = call.add("Where", is_there, places, call.const(0), dtype=INT64)
    return operators.where(call, is_there, call.add("Gather", value, safe, axis=-1), filler)


def _between(call: Call, value: Value, low: Value, high: Value) -> Value:
    sides = [call.add("LessOrEqual", *pair, dtype=operators.BOOL) for pair in ((low, value), (value, high))]
    return call.add("And", *sides)


def _how_many(call: Call, low: Value, high: Value) -> Value:
    return operators.counted(call, "Add", operators.counted(call, "Sub", high, low), call.const(1))


def _taken(call: Call, filler: Value) -> Value:
    """Return some diagonals of matrices."""
    sizes, (low, high) = _sizes(call, 0), _ends(call, 1)
    longest, zero, one = _length(call, sizes, low, high), call.const(0), call.const(1)
    count = _how_many(call, low, high)
    number = operators.unsqueeze(call, operators.counted(call, "Sub", high, operators.line(call, count)), [1])
    place = call.add("Sub", operators.line(call, longest), _offset(call, sizes, longest, number))
    last = call.add("Sub", _length(call, sizes, number, number), one)
    row = call.add("Sub", place, operators.counted(call, "Min", number, zero))
    column = call.add("Add", place, operators.counted(call, "Max", number, zero))
    places = call.add("Add", call.add("Mul", row, sizes[1]), column)
    taken = _gathered(call, 0, sizes, places, _between(call, place, zero, last), filler)
    if call.count == 1 or _diagonals(call, 1) == 1 or (count.data is not None and count.data == 1):
        return operators.squeeze(call, taken, [-2])
    if count.data is not None:
        return taken
    is_one = operators.unsqueeze(call, call.cast(call.add("Equal", count, one, dtype=operators.BOOL), INT64), [0])
    inner = operators.slice_axes(call, call.add("Shape", taken, dtype=INT64), [-2], [operators.MAX], [0])
    before = operators.shape_of(call, call.input(0), 0, call.rank(0) - 2)
    shown = operators.slice_axes(call, inner, is_one, call.const([2]), [0])
    return call.add("Reshape", taken, operators.join(call, before, shown))


def _made(call: Call, count: int, filler: Value) -> Value:
    """Return matrices with some diagonals: as small as they fit in, where no size is given."""
    low, high = _ends(call, 1)
    longest = operators.squeeze(call, operators.shape_of(call, call.input(0), call.rank(0) - 1), [0])
    zero, auto = call.const(0), call.const(-1)
    least = [
        operators.counted(call, "Sub", longest, operators.counted(call, "Min", high, zero)),
        operators.counted(call, "Add", longest, operators.counted(call, "Max", low, zero)),
    ]
    square = operators.counted(call, "Max", *least)
    if call.count == 1:
        return _into(call, 0, 1, count, [square, square], filler)
    asked = [operators.reshape(call, call.int64(index), []) for index in (2, 3)]
    sizes = []
    for own, other, fitting in zip(asked, asked[::-1], least, strict=True):
        is_auto, is_square = (call.add("Equal", size, auto, dtype=operators.BOOL) for size in (own, other))
        automatic = call.add("Where", is_square, square, fitting, dtype=INT64)
        sizes.append(call.add("Where", is_auto, automatic, own, dtype=INT64))
    return _into(call, 0, 1, count, sizes, filler)


def _into(call: Call, index: int, which: int, count: int, sizes: list[Value], filler: Value) -> Value:
    """Return matrices with the diagonals that an input holds, and the filler elsewhere."""
    low, high = _ends(call, which)
    longest = operators.squeeze(call, operators.shape_of(call, call.input(index), call.rank(index) - 1), [0])
    row, column = operators.unsqueeze(call, operators.line(call, sizes[0]), [1]), operators.line(call, sizes[1])
    number = call.add("Sub", column, row)
    place = call.add("Add", call.add("Min", row, column), _offset(call, sizes, longest, number))
    inner = [longest]
    if count == 2:
        place = call.add("Add", call.add("Mul", call.add("Sub", high, number), longest), place)
        inner = [_how_many(call, low, high), longest]
    return _gathered(call, index, inner, place, _between(call, number, low, high), filler)


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
        return call.laid_out(operators.where(call, _computed_band(call), value, call.like(0, value)))
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


def _computed_band(call: Call) -> Value:
    """Return which elements of a matrix are in a band of computed widths."""
    rows, columns = (operators.line(call, size) for size in _sizes(call, 0))
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
