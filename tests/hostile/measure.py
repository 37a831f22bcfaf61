"""Measure the cost of attacks: memory, growth of time, or the end of a separate process.

Times are compared only with each other, not with fixed limits: the machine may be slow or busy with other tests.
"""

from __future__ import annotations

import gc
import math
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

__all__ = ["assert_linear", "confined", "peak"]

T = TypeVar("T")

_LARGER = 4
_MAX_RATIO = 9.0  # factor of time for four times the size: 4 if linear, 16 if quadratic
_ROUNDS = 20
_ROOT = Path(__file__).parents[2]


def peak(action: Callable[[], object]) -> int:
    """Return the peak of bytes that an action allocates, NumPy's included.

    Objects of other tests are hidden from the garbage collector: the moments of its runs would depend on them.
    """
    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def assert_linear(action: Callable[[T], object], make: Callable[[int], T], size: int) -> None:
    """Assert that an action takes at most nine times as long for an input of four times the size.

    One linear measurement of several is enough: a busy machine only makes an action look slower.
    """
    small, large = make(size), make(_LARGER * size)
    action(small)  # caches are filled now
    best = [math.inf, math.inf]
    for _ in range(_ROUNDS):
        best = [min(pair) for pair in zip(best, (_seconds(action, small), _seconds(action, large)), strict=True)]
        if best[1] < _MAX_RATIO * best[0]:
            return
        time.sleep(0.1)  # a busy machine may become idle meanwhile
    raise AssertionError(f"four times as much takes {best[1] / best[0]:.1f} times as long")


def _seconds(action: Callable[[T], object], argument: T) -> float:
    gc.disable()  # it would traverse the objects of all other tests
    try:
        start = time.thread_time()
        action(argument)
        return max(time.thread_time() - start, 1e-4)
    finally:
        gc.enable()


def confined(code: str, *arguments: object, memory: int = 2 << 30, seconds: float = 60) -> str:
    """Return the output of a Python process with a memory limit. Raises AssertionError if it fails or does not end."""
    limit = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))\n" if os.name == "posix" else ""
    )
    command = [sys.executable, "-c", limit + code, *map(str, arguments)]
    try:
        done = subprocess.run(
            command,
            cwd=_ROOT,
            capture_output=True,
            text=True,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired as error:
        raise AssertionError(f"it does not end; so far it printed {error.stdout!r}") from None
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
