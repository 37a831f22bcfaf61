"""Shape rules of decompositions, linear systems and Einsum."""

from __future__ import annotations

from ...errors import GraphError
from ...values.shape import Dim, Shape, broadcast, broadcast_dim, merge_dims, merge_shapes, rows_shape, shape_to_text
from .table import Call, Result, Rule, share_rule

_ELLIPSIS = "..."


def _einsum(call: Call) -> Result:
    left, arrow, right = call.attr("equation", str).replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow or len(terms) != len(call.inputs):
        raise GraphError(f"its equation has {len(terms)} terms, for {len(call.inputs)} inputs")
    sizes: dict[str, Dim] = {}
    outer: Shape | None = ()
    for term, shape in zip(terms, call.shapes, strict=True):
        outer = broadcast(outer, _read_term(term, shape, sizes))
    before, dots, after = right.partition(_ELLIPSIS)
    for label in before + after:
        if label not in sizes:
            raise GraphError(f'the result of its equation has "{label}", which no input has')
    if dots and outer is None:
        return None
    return (*(sizes[label] for label in before), *(outer or () if dots else ()), *(sizes[label] for label in after))


def _read_term(term: str, shape: Shape | None, sizes: dict[str, Dim]) -> Shape | None:
    """Add the sizes of the labels of a term to `sizes`, and return the dimensions of its ellipsis."""
    before, dots, after = term.partition(_ELLIPSIS)
    label_count = len(before) + len(after)
    if shape is None:
        for label in before + after:
            sizes.setdefault(label, None)
        return None if dots else ()
    if len(shape) < label_count or (len(shape) > label_count and not dots):
        raise GraphError(f"{shape_to_text(shape)} does not fit the term {term}")
    for label, size in zip(before + after, (*shape[: len(before)], *shape[len(shape) - len(after) :]), strict=True):
        sizes[label] = broadcast_dim(sizes[label], size) if label in sizes else size
    return shape[len(before) : len(shape) - len(after)]


def _square(call: Call) -> Shape | None:
    shape = rows_shape(call.shape(0), 2)
    if shape is None:
        return None
    size = merge_dims(shape[-1], shape[-2])
    return (*shape[:-2], size, size)


def _determinant(call: Call) -> Shape | None:
    shape = _square(call)
    return None if shape is None else shape[:-2]


def _log_determinant(call: Call) -> Result:
    return [_determinant(call)] * 2


def _solve(square: bool) -> Rule:
    """Return the rule of the solution of a @ x = b, or of its least-squares solution if a is not square."""

    def rule(call: Call) -> Result:
        a, b = rows_shape(call.shape(0), 2), rows_shape(call.shape(1), 2)
        if a is None or b is None:
            return None
        height, width = (merge_dims(a[-2], a[-1]),) * 2 if square else a[-2:]
        merge_dims(height, b[-2])
        outer = broadcast(a[:-2], b[:-2]) if call.node.op == "MatrixTriangularSolve" else merge_shapes(a[:-2], b[:-2])
        return (*(outer or ()), width, b[-1])

    return rule


def _banded_solve(call: Call) -> Result:
    """Return the shape of the solution: that of the right side, whose rows are as long as the diagonals."""
    bands, b = rows_shape(call.shape(0), 2), rows_shape(call.shape(1), 2)
    if bands is None or b is None:
        return None
    outer = broadcast(bands[:-2], b[:-2])
    return None if outer is None else (*outer, merge_dims(bands[-1], b[-2]), b[-1])


def _svd(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 2)
    if shape is None:
        return [None, *[None if call.attr("compute_uv", bool, True) else (0,)] * 2]
    *outer, m, n = shape
    smaller = 0 if 0 in (m, n) else None if m is None or n is None else min(m, n)
    if not call.attr("compute_uv", bool, True):
        return [(*outer, smaller), (0,), (0,)]
    if call.attr("full_matrices", bool, False):
        return [(*outer, smaller), (*outer, m, m), (*outer, n, n)]
    return [(*outer, smaller), (*outer, m, smaller), (*outer, n, smaller)]


def _qr(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 2)
    if shape is None:
        return [None, None]
    *outer, m, n = shape
    smaller = 0 if 0 in (m, n) else None if m is None or n is None else min(m, n)
    if call.attr("full_matrices", bool, False):
        return [(*outer, m, m), (*outer, m, n)]
    return [(*outer, m, smaller), (*outer, smaller, n)]


def _eigen(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 2)
    if shape is None:
        return [None, None if call.attr("compute_v", bool, True) else (0,)]
    size = merge_dims(shape[-1], shape[-2])
    values = (*shape[:-2], size)
    return [values, (*values, size) if call.attr("compute_v", bool, True) else (0,)]


def _lu(call: Call) -> Result:
    shape = rows_shape(call.shape(0), 2)
    if shape is None:
        return [None, None]
    size = merge_dims(shape[-1], shape[-2])
    return [(*shape[:-2], size, size), (*shape[:-2], size)]


RULES: dict[str, Rule] = {
    "Eig": _eigen,
    "Einsum": _einsum,
    "LogMatrixDeterminant": _log_determinant,
    "BandedTriangularSolve": _banded_solve,
    "Lu": _lu,
    "MatrixDeterminant": _determinant,
    "MatrixSolve": _solve(square=True),
    "MatrixSolveLs": _solve(square=False),
    "MatrixTriangularSolve": _solve(square=True),
    "Qr": _qr,
    "SelfAdjointEigV2": _eigen,
    "Svd": _svd,
    **share_rule(
        """
        Cholesky CholeskyGrad MatrixExponential MatrixInverse MatrixLogarithm MatrixSquareRoot
        """,
        _square,
    ),
}
