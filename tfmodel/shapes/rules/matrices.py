"""Products of matrices, Einsum, and linear algebra."""

from __future__ import annotations

from ...errors import GraphError
from ...ops.shape_rules import Call, Result, Rule, alike
from ...shape import Dim, Shape, broadcast, broadcast_dim, merged, merged_dim, ranked, rows, text

__all__ = ["RULES", "matmul"]


# --- products --------------------------------------------------------------------------------------------------------


def _product(call: Call, a: Shape, b: Shape, turn_a: bool, turn_b: bool) -> Shape:
    if turn_a:
        a = a[::-1]
    if turn_b:
        b = b[::-1]
    try:
        merged_dim(a[1], b[0])
    except GraphError:
        raise GraphError(f"{text(call.shape(0))} and {text(call.shape(1))} cannot be multiplied") from None
    return a[0], b[1]


def matmul(call: Call) -> Shape:
    a, b = ranked(call.shape(0), 2), ranked(call.shape(1), 2)
    return _product(call, a, b, call.attr("transpose_a", bool, False), call.attr("transpose_b", bool, False))


def _batch_matmul(a_name: str, b_name: str) -> Rule:
    def rule(call: Call) -> Result:
        a, b = rows(call.shape(0), 2), rows(call.shape(1), 2)
        if a is None or b is None:
            return None
        if call.node.op == "BatchMatMul":
            outer = merged(a[:-2], b[:-2])
        else:
            outer = broadcast(a[:-2], b[:-2])
        turned = call.attr(a_name, bool, False), call.attr(b_name, bool, False)
        return (*(outer or ()), *_product(call, a[-2:], b[-2:], *turned))

    return rule


def _sparse_dense(call: Call) -> Result:
    """A sparse matrix comes as indices, values and shape."""
    ranked(call.shape(0), 2)
    a = ranked(call.sizes(2), 2)
    b = ranked(call.shape(3), 2)
    a = a[::-1] if call.attr("adjoint_a", bool, False) else a
    b = b[::-1] if call.attr("adjoint_b", bool, False) else b
    merged_dim(a[1], b[0])
    return a[0], b[1]


# --- Einsum ----------------------------------------------------------------------------------------------------------

_ELLIPSIS = "..."


def _einsum(call: Call) -> Result:
    left, arrow, right = call.attr("equation", str).replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow or len(terms) != len(call.inputs):
        raise GraphError(f"its equation has {len(terms)} terms, for {len(call.inputs)} inputs")
    found: dict[str, Dim] = {}
    outer: Shape | None = ()
    for term, shape in zip(terms, call.shapes, strict=True):
        outer = broadcast(outer, _labelled(term, shape, found))
    before, dots, behind = right.partition(_ELLIPSIS)
    for label in before + behind:
        if label not in found:
            raise GraphError(f'its equation gives "{label}", which no input has')
    if dots and outer is None:
        return None
    return (*(found[label] for label in before), *(outer or () if dots else ()), *(found[label] for label in behind))


def _labelled(term: str, shape: Shape | None, found: dict[str, Dim]) -> Shape | None:
    """Note the sizes that a term gives names to. What is left are the dimensions of its ellipsis."""
    before, dots, behind = term.partition(_ELLIPSIS)
    named = len(before) + len(behind)
    if shape is None:
        for label in before + behind:
            found.setdefault(label, None)
        return None if dots else ()
    if len(shape) < named or (len(shape) > named and not dots):
        raise GraphError(f"{text(shape)} is not {term}")
    for label, size in zip(before + behind, (*shape[: len(before)], *shape[len(shape) - len(behind) :]), strict=True):
        found[label] = broadcast_dim(found[label], size) if label in found else size
    return shape[len(before) : len(shape) - len(behind)]


# --- linear algebra --------------------------------------------------------------------------------------------------


def _square(call: Call) -> Shape | None:
    shape = rows(call.shape(0), 2)
    if shape is None:
        return None
    size = merged_dim(shape[-1], shape[-2])
    return (*shape[:-2], size, size)


def _determinant(call: Call) -> Shape | None:
    shape = _square(call)
    return None if shape is None else shape[:-2]


def _log_determinant(call: Call) -> Result:
    return [_determinant(call)] * 2


def _solve(square: bool) -> Rule:
    """The x of a @ x = b; if a is not square, the x that comes closest."""

    def rule(call: Call) -> Result:
        a, b = rows(call.shape(0), 2), rows(call.shape(1), 2)
        if a is None or b is None:
            return None
        height, width = (merged_dim(a[-2], a[-1]),) * 2 if square else a[-2:]
        merged_dim(height, b[-2])
        outer = broadcast(a[:-2], b[:-2]) if call.node.op == "MatrixTriangularSolve" else merged(a[:-2], b[:-2])
        return (*(outer or ()), width, b[-1])

    return rule


def _svd(call: Call) -> Result:
    shape = rows(call.shape(0), 2)
    if shape is None:
        return [None, *[None if call.attr("compute_uv", bool, True) else (0,)] * 2]
    *outer, m, n = shape
    least = 0 if 0 in (m, n) else None if m is None or n is None else min(m, n)
    if not call.attr("compute_uv", bool, True):
        return [(*outer, least), (0,), (0,)]
    if call.attr("full_matrices", bool, False):
        return [(*outer, least), (*outer, m, m), (*outer, n, n)]
    return [(*outer, least), (*outer, m, least), (*outer, n, least)]


def _qr(call: Call) -> Result:
    shape = rows(call.shape(0), 2)
    if shape is None:
        return [None, None]
    *outer, m, n = shape
    least = 0 if 0 in (m, n) else None if m is None or n is None else min(m, n)
    if call.attr("full_matrices", bool, False):
        return [(*outer, m, m), (*outer, m, n)]
    return [(*outer, m, least), (*outer, least, n)]


def _eigen(call: Call) -> Result:
    shape = rows(call.shape(0), 2)
    if shape is None:
        return [None, None if call.attr("compute_v", bool, True) else (0,)]
    size = merged_dim(shape[-1], shape[-2])
    values = (*shape[:-2], size)
    return [values, (*values, size) if call.attr("compute_v", bool, True) else (0,)]


def _lu(call: Call) -> Result:
    shape = rows(call.shape(0), 2)
    if shape is None:
        return [None, None]
    size = merged_dim(shape[-1], shape[-2])
    return [(*shape[:-2], size, size), (*shape[:-2], size)]


def _cross(call: Call) -> Result:
    shape = rows(merged(call.shape(0), call.shape(1)), 1)
    if shape is not None and shape[-1] not in (3, None):
        raise GraphError(f"{text(shape)} are no vectors of 3")
    return shape


def _band_part(call: Call) -> Result:
    return rows(call.shape(0), 2)


# --- diagonals -------------------------------------------------------------------------------------------------------


def _diag(call: Call) -> Result:
    shape = rows(call.shape(0), 1)
    return None if shape is None else shape + shape


def _diag_part(call: Call) -> Result:
    shape = call.shape(0)
    if shape is None:
        return None
    half, rest = divmod(len(shape), 2)
    if rest or not half:
        raise GraphError(f"{text(shape)} has no diagonal")
    return merged(shape[:half], shape[half:])


def _matrix_diag(call: Call) -> Result:
    shape = rows(call.shape(0), 1)
    return None if shape is None else (*shape, shape[-1])


def _matrix_diag_part(call: Call) -> Result:
    shape = rows(call.shape(0), 2)
    return None if shape is None else (*shape[:-2], _least(shape[-2], shape[-1]))


def _least(a: Dim, b: Dim) -> Dim:
    return 0 if 0 in (a, b) else None if a is None or b is None else min(a, b)


def _band(value: tuple[int, ...] | None) -> tuple[int, int] | None:
    """The lowest and the highest of the diagonals that are meant."""
    if value is None or not value:
        return None
    if value[0] > value[-1]:
        raise GraphError(f"there are no diagonals from {value[0]} to {value[-1]}")
    return value[0], value[-1]


def _matrix_diag_v2(call: Call) -> Result:
    shape, band = rows(call.shape(0), 1), _band(call.numbers(1))
    if shape is None:
        return None
    if band is None:
        return None
    low, high = band
    outer = shape[:-1] if low == high else (rows(shape, 2) or ())[:-2]
    if low != high:
        merged_dim(shape[-2], high - low + 1)
    longest, height, width = shape[-1], call.number(2), call.number(3)
    height, width = (None if size == -1 else size for size in (height, width))
    unset = [call.number(place) == -1 for place in (2, 3)]
    if longest is None or None in (call.number(2), call.number(3)):
        return (*outer, height, width)
    least_height, least_width = longest - min(high, 0), longest + max(low, 0)
    if all(unset):
        height = width = max(least_height, least_width)
    elif unset[0]:
        height = least_height
    elif unset[1]:
        width = least_width
    return (*outer, height, width)


def _matrix_diag_part_v2(call: Call) -> Result:
    shape, band = rows(call.shape(0), 2), _band(call.numbers(1))
    if shape is None or band is None:
        return None
    low, high = band
    height, width = shape[-2:]
    longest = None
    if height is not None and width is not None:
        longest = min(height + min(high, 0), width - max(low, 0))
        if longest < 0:
            raise GraphError(f"{text(shape)} has no diagonals from {low} to {high}")
    return (*shape[:-2], *((high - low + 1,) if low != high else ()), longest)


RULES: dict[str, Rule] = {
    "BatchMatMul": _batch_matmul("adj_x", "adj_y"),
    "BatchMatMulV2": _batch_matmul("adj_x", "adj_y"),
    "BatchMatMulV3": _batch_matmul("adj_x", "adj_y"),
    "Cross": _cross,
    "Diag": _diag,
    "DiagPart": _diag_part,
    "Eig": _eigen,
    "Einsum": _einsum,
    "LogMatrixDeterminant": _log_determinant,
    "Lu": _lu,
    "MatMul": matmul,
    "MatrixBandPart": _band_part,
    "MatrixDeterminant": _determinant,
    "MatrixDiag": _matrix_diag,
    "MatrixDiagPart": _matrix_diag_part,
    "MatrixDiagPartV2": _matrix_diag_part_v2,
    "MatrixDiagPartV3": _matrix_diag_part_v2,
    "MatrixDiagV2": _matrix_diag_v2,
    "MatrixDiagV3": _matrix_diag_v2,
    "MatrixSetDiag": lambda call: rows(call.shape(0), 2),
    "MatrixSetDiagV2": lambda call: rows(call.shape(0), 2),
    "MatrixSetDiagV3": lambda call: rows(call.shape(0), 2),
    "MatrixSolve": _solve(square=True),
    "MatrixSolveLs": _solve(square=False),
    "MatrixTriangularSolve": _solve(square=True),
    "Qr": _qr,
    "SelfAdjointEigV2": _eigen,
    "SparseMatMul": matmul,
    "SparseTensorDenseMatMul": _sparse_dense,
    "Svd": _svd,
    **alike("Cholesky CholeskyGrad MatrixExponential MatrixInverse MatrixLogarithm MatrixSquareRoot", _square),
}
