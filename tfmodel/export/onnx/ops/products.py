"""Matrix products and biases."""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import FLOAT, Call
from ..conversion.model import Value
from ..conversion.registry import converter


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
