"""Threads of kernels: the parts of a computation run in several threads, each with a BLAS of one thread.

    run_parts(multiply_rows, [slice(0, 512), slice(512, 1024)])

The threads of a BLAS wait for each other in busy loops after each product, which takes several times the time of the
product itself if other processes use the same processors. Here, the calling thread and the threads of a pool take one
part after the other, and the calling thread does not wait for a thread that has not started.

The caller chooses the parts, so results do not depend on the number of threads. This number is the one that OpenBLAS
would use: OPENBLAS_NUM_THREADS sets it. With another BLAS, parts run in the calling thread.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from glob import escape, glob
from threading import Lock
from typing import Any, TypeVar

import numpy as np

__all__ = ["count_threads", "run_parts"]

T = TypeVar("T")

_FOLDERS = ("../numpy.libs", ".dylibs")
"""The folders of libraries in a wheel of NumPy, seen from the package."""

_AFFIXES = [(prefix, suffix) for prefix in ("scipy_", "") for suffix in ("64_", "")]
"""The prefixes and suffixes of the functions of OpenBLAS, which depend on how it was built."""


def run_parts(run: Callable[[Iterator[T]], None], parts: Sequence[T]) -> None:
    """Call `run` in one or more threads, each time with an iterator of the parts that no other thread takes.

    The threads share the context of the caller, with its limit of memory. Raises the exception of any of them.
    """
    shared = iter(parts)
    threads = count_threads(len(parts))
    if threads < 2:
        run(shared)
        return
    with _one_blas_thread():
        futures = [_pool().submit(copy_context().run, _run_quietly, run, shared) for _ in range(threads - 1)]
        try:
            run(shared)
        finally:
            errors = [future.exception() for future in futures if not future.cancel()]
    for error in errors:
        if error is not None:
            raise error


def count_threads(parts: int) -> int:
    """Return the number of threads for this many parts: 1 within a part."""
    functions = _blas_functions()
    return min(parts, max(1, functions[1]())) if functions is not None and parts > 1 else 1


def _run_quietly(run: Callable[[Iterator[T]], None], parts: Iterator[T]) -> None:
    with np.errstate(all="ignore"):  # in NumPy 1, threads have separate settings
        run(parts)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count(), "tfmodel")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child process has none of the threads


# --- OpenBLAS --------------------------------------------------------------------------------------------------------


class _SingleThreaded:
    """Makes OpenBLAS compute in the thread that calls it, until the last of several callers leaves."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._callers = 0
        self._threads = 1

    @contextmanager
    def __call__(self) -> Iterator[None]:
        functions = _blas_functions()
        if functions is None:
            yield
            return
        set_threads, get_threads = functions
        with self._lock:
            if not self._callers:
                self._threads = get_threads()
                set_threads(1)
            self._callers += 1
        try:
            yield
        finally:
            with self._lock:
                self._callers -= 1
                if not self._callers:
                    set_threads(self._threads)


_one_blas_thread = _SingleThreaded()


@cache
def _blas_functions() -> tuple[Callable[[int], Any], Callable[[], int]] | None:
    """Return the functions of OpenBLAS that set and get its number of threads; None if NumPy has another BLAS."""
    for folder in _FOLDERS:
        for path in glob(os.path.join(escape(os.path.dirname(np.__file__)), folder, "*openblas*")):
            try:
                library = ctypes.CDLL(path)
            except OSError:
                continue
            for prefix, suffix in _AFFIXES:
                set_threads = getattr(library, f"{prefix}openblas_set_num_threads{suffix}", None)
                get_threads = getattr(library, f"{prefix}openblas_get_num_threads{suffix}", None)
                if set_threads is not None and get_threads is not None:
                    return set_threads, get_threads
    return None
