"""Kernels give what TensorFlow gives with any BLAS: each rounds differently, and no answer may become wrong by that.

The sums of products that NumPy leaves to a BLAS, and what it leaves to LAPACK, are moved by about as much as they may
differ between two implementations; the answers must still be within the tolerance of the case.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.golden.kernels.answers import answers
from tests.kernel_cases import cases_of, families, named_cases
from tests.tfmodel.kernels.test_kernels import difference
from tfmodel.kernels.runtime import KERNELS

PRODUCTS = ("matmul", "einsum", "dot")
DECOMPOSITIONS = ("inv", "det", "slogdet", "cholesky", "solve", "qr", "svd", "eigh", "eigvalsh")
LAPACK = 4
"""By how many units of the largest element results of LAPACK differ."""

Array = np.ndarray[Any, Any]


def _is_rounded(*arrays: Any) -> bool:
    """Return whether a sum of products is rounded at all: of small whole numbers it is exact in every BLAS."""
    return any(np.asarray(array).dtype.kind in "fc" and bool((array != np.round(array)).any()) for array in arrays)


def _moved(result: Any, room: Any) -> Any:
    """The result, one element a little larger and the next one a little smaller."""
    signs = np.where(np.arange(np.size(result)) % 2, -1, 1).reshape(np.shape(result))
    moved = result + signs * room * np.finfo(result.dtype).eps
    return np.where(np.isfinite(result), moved, result).astype(result.dtype)


def _product(compute: Callable[..., Any]) -> Callable[..., Any]:
    """A sum of products, moved by the last place of the sum of the absolute products."""

    def moved(*arguments: Any, out: Any = None, **more: Any) -> Any:
        result = compute(*arguments, **more)
        operands = [value for value in arguments if isinstance(value, np.ndarray)]
        if len(operands) == 2 and _is_rounded(*operands):
            absolute = [np.abs(value) if isinstance(value, np.ndarray) else value for value in arguments]
            result = _moved(result, compute(*absolute, **more))
        if out is None:
            return result
        out[...] = result
        return out

    return moved


def _decomposition(compute: Callable[..., Any]) -> Callable[..., Any]:
    def moved(*arguments: Any, **more: Any) -> Any:
        result = compute(*arguments, **more)
        parts = result if isinstance(result, tuple) else (result,)
        moved_parts = [_moved(part, LAPACK * np.abs(part).max(initial=0)) for part in parts]
        return tuple(moved_parts) if isinstance(result, tuple) else moved_parts[0]

    return moved


@pytest.fixture
def other_blas(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in PRODUCTS:
        monkeypatch.setattr(np, name, _product(getattr(np, name)))
    for name in DECOMPOSITIONS:
        monkeypatch.setattr(np.linalg, name, _decomposition(getattr(np.linalg, name)))
    yield


def _modules() -> dict[str, ast.Module]:
    """The modules with kernels."""
    names = sorted({kernel.function.__module__ for kernel in KERNELS.values()})
    return {name: ast.parse(inspect.getsource(importlib.import_module(name))) for name in names}


def _takes_products(module: ast.Module) -> bool:
    functions = {f"np.{name}" for name in PRODUCTS} | {f"np.linalg.{name}" for name in DECOMPOSITIONS}
    return any(isinstance(node, ast.Attribute) and ast.unparse(node) in functions for node in ast.walk(module))


@cache
def _modules_with_products() -> frozenset[str]:
    return frozenset(name for name, module in _modules().items() if _takes_products(module))


def test_sums_of_products_go_through_functions_that_can_be_replaced() -> None:
    """The operator cannot be: it is for integers alone, which are exact."""
    operators = {
        name.rpartition(".")[2]
        for name, module in _modules().items()
        if any(isinstance(node, ast.MatMult) for node in ast.walk(module))
    }
    assert operators == {"decoding", "gather_scatter"}


@pytest.mark.slow(reason="computes hundreds of models on NumPy")
@pytest.mark.usefixtures("other_blas")
@pytest.mark.parametrize("family", families())
def test_no_answer_depends_on_how_a_blas_rounds(family: str) -> None:
    if not any(KERNELS[case.op].function.__module__ in _modules_with_products() for case in cases_of(family)):
        pytest.skip("the kernels of this family compute no sums of products")
    recorded = answers(family)
    wrong = [
        f"{name}: {problem}"
        for name, case in named_cases(family).items()
        if (problem := difference(case, recorded[name]))
    ]
    assert not wrong, f"{len(wrong)} are too exact:\n" + "\n".join(wrong[:20])
