"""`run_parts`: parts of a computation in several threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.kernel_cases import Case
from tfmodel.errors import RunError
from tfmodel.ops.runtime import evaluate, threads
from tfmodel.ops.runtime.memory_limit import claim, limit_memory


@pytest.fixture
def blas_threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of threads that were set of a BLAS that has three at first."""
    numbers = [3]
    monkeypatch.setattr(threads, "_blas_functions", lambda: (numbers.append, lambda: numbers[-1]))
    return numbers


def collect(parts: int) -> tuple[list[int], set[int]]:
    """Return the parts that were run, and the threads that ran them. Each thread waits for the others."""
    barrier = threading.Barrier(threads.count_threads(parts))
    done, idents = [], set()

    def run(iterator: Iterator[int]) -> None:
        idents.add(threading.get_ident())
        barrier.wait(timeout=60)
        done.extend(iterator)

    threads.run_parts(run, range(parts))
    return done, idents


def test_each_part_runs_once_in_as_many_threads_as_blas_has(blas_threads: list[int]) -> None:
    done, idents = collect(100)
    assert sorted(done) == list(range(100))
    assert len(idents) == 3


def test_one_part_runs_in_the_calling_thread(blas_threads: list[int]) -> None:
    assert collect(1) == ([0], {threading.get_ident()})


def test_blas_has_one_thread_meanwhile(blas_threads: list[int]) -> None:
    seen: list[int] = []
    threads.run_parts(lambda parts: seen.extend(blas_threads[-1] for _ in parts), range(5))
    assert seen == [1] * 5
    assert blas_threads == [3, 1, 3]


def test_blas_gets_its_threads_back_from_the_last_of_several_callers(blas_threads: list[int]) -> None:
    first, second = threads._one_blas_thread(), threads._one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads == [3, 1]
    second.__exit__(None, None, None)
    assert blas_threads == [3, 1, 3]


def test_parts_within_a_part_run_in_its_thread(blas_threads: list[int]) -> None:
    counts: list[int] = []
    threads.run_parts(lambda parts: counts.extend(threads.count_threads(7) for _ in parts), range(5))
    assert counts == [1] * 5


def test_without_openblas_all_parts_run_in_the_calling_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_blas_functions", lambda: None)
    assert collect(4) == ([0, 1, 2, 3], {threading.get_ident()})


def test_the_limit_of_memory_holds_in_all_threads(blas_threads: list[int]) -> None:
    barrier = threading.Barrier(3)

    def run(parts: Iterator[int]) -> None:
        barrier.wait(timeout=60)
        if threading.current_thread() is not threading.main_thread():
            claim(11)

    with limit_memory(10), pytest.raises(RunError, match="needs 11 bytes"):
        threads.run_parts(run, range(3))
    assert blas_threads == [3, 1, 3]


def test_an_error_in_the_calling_thread_restores_blas(blas_threads: list[int]) -> None:
    def run(parts: Iterator[int]) -> None:
        if threading.current_thread() is threading.main_thread():
            raise RunError("broken")

    with pytest.raises(RunError, match="broken"):
        threads.run_parts(run, range(3))
    assert blas_threads == [3, 1, 3]


CONVOLUTION = {"strides": [1, 1, 1, 1], "padding": "SAME"}


@pytest.mark.parametrize(
    ("op", "shapes", "attributes"),
    [
        ("Conv2D", ([2, 40, 40, 16], [1, 1, 16, 64]), CONVOLUTION),  # blocks of windows, not copied
        ("Conv2D", ([1, 41, 40, 16], [3, 3, 16, 32]), CONVOLUTION | {"strides": [1, 2, 2, 1]}),
        ("Conv2D", ([1, 60, 60, 16], [3, 3, 4, 32]), CONVOLUTION),  # groups of channels
        ("Conv2D", ([1, 7, 7, 256], [3, 3, 256, 384]), CONVOLUTION),  # blocks of output channels
        ("DepthwiseConv2dNative", ([1, 56, 56, 96], [3, 3, 96, 1]), CONVOLUTION),
        ("MatMul", ([1000, 128], [128, 64]), {}),  # blocks of rows
        ("MatMul", ([3, 1024], [1024, 1001]), {}),  # blocks of columns
        ("MatMul", ([1, 2048], [1001, 2048]), {"transpose_b": True}),
    ],
)
def test_results_do_not_depend_on_the_number_of_threads(
    op: str, shapes: tuple[list[int], ...], attributes: dict[str, Any], blas_threads: list[int]
) -> None:
    random = np.random.default_rng(0)
    case = Case(op, [random.standard_normal(shape, np.float32) for shape in shapes], **attributes)
    [several] = evaluate(case.node, case.arrays)
    assert blas_threads[1:] == [1, 3]
    blas_threads.append(1)
    [one] = evaluate(case.node, case.arrays)
    np.testing.assert_array_equal(several, one)
