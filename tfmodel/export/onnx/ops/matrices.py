"""Matrix products and biases, diagonals and bands of matrices.

The elements of diagonals are gathered from flat matrices, at constant places.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ....messages import DataType
from ..conversion import operators
from ..conversion.call import FLOAT, Call
from ..conversion.model import Array, Value
from ..conversion.probing import moved, probe
from ..conversion.registry import converter
from ..conversion.scope import INT32

_TO_DIAGONAL = ("MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3", "BatchMatrixDiagPart")
_FROM_DIAGONAL = ("MatrixDiag", "MatrixDiagV2", "MatrixDiagV3", "BatchMatrixDiag")
_INTO_MATRIX = ("MatrixSetDiag", "MatrixSetDiagV2", "MatrixSetDiagV3", "BatchMatrixSetDiag")

# --- products ---------------------------------------------------------------------------------------------------------


@converter("MatMul", "SparseMatMul")
def _matmul(call: Call) -> Value:
    """A product of matrices; constant ones are transposed when they are written."""
    a = _matrix(call, 0, transposed=call.attr("transpose_a", bool, False))
    b = _matrix(call, 1, transposed=call.attr("transpose_b", bool, False))
    if call.node.op == "SparseMatMul":  # bfloat16 too gives float32
        a, b = call.cast(a, FLOAT), call.cast(b, FLOAT)
    return call.laid_out(call.add("MatMul", a, b))


def _matrix(call: Call, index: int, *, transposed: bool) -> Value:
    value = call.input(index)
    return call.transposed(value, [1, 0]) if transposed else value


@converter("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul(call: Call) -> Value:
    a, b = (_adjoint(call, index, name) for index, name in enumerate(("adj_x", "adj_y")))
    dtype = call.output_dtype()
    return call.laid_out(call.add("MatMul", call.cast(a, dtype), call.cast(b, dtype)))


def _adjoint(call: Call, index: int, name: str) -> Value:
    value = call.input(index)
    if not call.attr(name, bool, False):
        return value
    rank = call.rank(index)
    return call.transposed(value, [*range(rank - 2), rank - 1, rank - 2])


@converter("Einsum")
def _einsum(call: Call) -> Value:
    """A product in Einstein's notation. ONNX does not repeat a letter of the result, and broadcasts no ellipsis."""
    equation = call.attr("equation", str).replace(" ", "")
    terms, _, result = equation.partition("->")
    letters = result.replace("...", "")
    if len(set(letters)) != len(letters):
        call.refuse("a letter stands twice in its result")
    if not equation.translate(_PUNCTUATION).isalpha():
        call.refuse("its equation has other signs than letters")
    covered = {
        len(shape) - len(term.replace("...", ""))
        for term, shape in zip(terms.split(","), map(call.shape, range(call.count)), strict=True)
        if "..." in term and shape is not None
    }
    if len(covered) > 1:
        call.refuse("its ellipses stand for different numbers of dimensions")
    return call.add("Einsum", *(call.input(index) for index in range(call.count)), equation=equation)


_PUNCTUATION = str.maketrans("", "", ".,->")


@converter("BiasAdd")
def _bias(call: Call) -> Value:
    """Add a vector to the channels, which are in the last place, or in the second with data_format NCHW."""
    in_second_place = call.attr("data_format", str, "NHWC").startswith("NC")
    if not in_second_place:
        (x, bias), order = call.aligned()
        return call.laid_out(call.add("Add", x, bias), order)
    rank = call.rank(0)
    bias = operators.unsqueeze(call, call.input(1), list(range(1, rank - 1)))
    return call.laid_out(call.add("Add", call.input(0), bias))


# --- diagonals and bands ----------------------------------------------------------------------------------------------


@converter(*_TO_DIAGONAL, *_FROM_DIAGONAL)
def _one(call: Call) -> Value:
    """Take diagonals of matrices, or make matrices of them."""
    others = [call.required(index, "which diagonals it takes or makes") for index in range(1, call.count - 1)]
    is_wide = call.node.op in _TO_DIAGONAL or (call.count > 1 and others[0].size == 2)
    count = 2 if is_wide else 1
    value, inner = call.input(0), _inner(call, 0, count)
    numbers = np.arange(1, prod(inner) + 1, dtype=np.int32).reshape(inner)
    padding = [np.asarray(0, np.int32)] if call.count > 1 else []
    places = probe(call, [numbers, *others, *padding], T=INT32)
    filler = call.input(call.count - 1) if call.count > 1 else call.like(0, value)
    return call.laid_out(moved(call, [(value, count)], places, filler))


@converter(*_INTO_MATRIX)
def _set(call: Call) -> Value:
    """Put diagonals into matrices."""
    which = [call.required(2, "which diagonals it sets")] if call.count > 2 else []
    count = 2 if which and np.ptp(which[0]) > 0 else 1
    matrix, diagonal = _inner(call, 0, 2), _inner(call, 1, count)
    size = prod(matrix)
    numbers = np.arange(1, size + prod(diagonal) + 1, dtype=np.int32)
    places = probe(call, [numbers[:size].reshape(matrix), numbers[size:].reshape(diagonal), *which], T=INT32)
    return call.laid_out(moved(call, [(call.input(0), 2), (call.input(1), count)], places))


def _inner(call: Call, index: int, count: int) -> list[int]:
    """Return the last sizes of an input; refuse the node if some are not known."""
    inner = (call.shape(index) or (None,))[-count:]
    if None in inner:
        call.refuse("the sizes of its matrices are not known", "--shape")
    return [int(size or 0) for size in inner]


@converter("MatrixBandPart", "BatchMatrixBandPart")
def _band(call: Call) -> Value:
    """Keep a band of each matrix; a negative width keeps all on that side."""
    value = call.input(0)
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


def _mask(low: int, high: int, shape: list[int]) -> Array:
    rows, columns = np.indices(shape)
    return np.asarray(((low < 0) | (rows - columns <= low)) & ((high < 0) | (columns - rows <= high)))
