"""Minimize inputs that fail.

    for smaller, outcome in shrink(target, files, outcome, folder, seconds=30):
        ...                                   # each smaller than the one before; the last one is the best

Delta debugging: first files are left out, then fields of wire format with their content, the outermost ones first, then
bytes; of each, halves, quarters and so on down to single ones, repeatedly until nothing can be left out. Inputs that
hang or kill the process are run in a process of their own.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from .execute import HANGS, Outcome, crash, run_input, size_of
from .field_mutation import Place, places, without
from .target import Files, Target

__all__ = ["shrink"]

S = TypeVar("S", bytes, list[str], list[Place])

MAX_FIELDS = 200_000  # of one file
COARSE = 16
SLACK = 0.5  # seconds beyond three times its budget until an input that hung before counts as hanging


def shrink(
    target: Target,
    files: Files,
    outcome: Outcome,
    folder: Path,
    *,
    seconds: float,
    tries: int | None = None,
    compare: bool = False,
) -> Iterator[tuple[Files, Outcome]]:
    """Yield ever smaller inputs with the same finding; none if the finding is not reproducible."""
    until = time.monotonic() + seconds
    tried_so_far = 0
    apart = outcome.kind in ("hang", "crash")
    latest = outcome

    def fails(candidate: Files) -> bool:
        nonlocal latest, tried_so_far
        tried_so_far += 1
        if time.monotonic() > until or (tries is not None and tried_so_far > tries):
            raise TimeoutError
        attempt = _tried_apart if apart else run_input
        result = attempt(target, candidate, folder, measured=outcome.kind == "memory", compare=compare)
        if result.verdict == "finding" and _same(result, outcome):
            latest = result
            return True
        return False

    with contextlib.suppress(TimeoutError):
        if not fails(files):
            return
        yield files, latest
        size = size_of(files) + 1
        while size_of(files) < size:  # the last round removed something
            size = size_of(files)
            for smaller in _smaller(files, fails):
                files = smaller
                yield files, latest


def _same(one: Outcome, other: Outcome) -> bool:
    """Return whether two findings are the same. Excessive cost may end in different ways."""
    return one.kind == other.kind if other.kind in ("slow", "memory", "hang") else one.shape == other.shape


def _smaller(files: Files, fails: Callable[[Files], bool]) -> Iterator[Files]:
    whole = files
    for names in _fewer(sorted(whole), lambda names: bool(names) and fails({name: whole[name] for name in names})):
        files = {name: whole[name] for name in names}
        yield files
    for name in sorted(files):
        for step in (_coarsely, _without_fields, _fewer):
            for content in step(files[name], _with(files, name, fails)):
                files = {**files, name: content}
                yield files


def _with(files: Files, name: str, fails: Callable[[Files], bool]) -> Callable[[bytes], bool]:
    """Return a predicate: whether other content of one file still fails."""
    return lambda content: fails({**files, name: content})


def _coarsely(data: bytes, fails: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Yield ever smaller data in few, large steps: time may allow few tries on large inputs."""
    return _fewer(data, fails, max(1, len(data) // COARSE))


def _fewer(items: S, fails: Callable[[S], bool], least: int = 1) -> Iterator[S]:
    """Yield ever fewer items that still fail: without halves, then without quarters, at last without single items, or
    without `least` items."""
    size = len(items)
    while size >= least:
        at = 0
        while at < len(items):
            remaining = items[:at] + items[at + size :]
            if fails(remaining):
                items = remaining
                yield items
            else:
                at += size
        size = min(size // 2, len(items))


def _without_fields(data: bytes, fails: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Remove fields of wire format, level by level: first those of the message, then those of its messages, ..."""
    depth = 0
    while level := [place for place in places(data, MAX_FIELDS) if place.depth == depth]:
        whole = data

        def left(kept: list[Place], whole: bytes = whole, level: list[Place] = level) -> bytes:
            kept_places = set(kept)
            return without(whole, *(place for place in level if place not in kept_places))

        def still(kept: list[Place], left: Callable[[list[Place]], bytes] = left) -> bool:
            return fails(left(kept))

        for kept in _fewer(level, still):
            data = left(kept)
            yield data
        depth += 1


def _tried_apart(
    target: Target, files: Files, folder: Path, *, measured: bool = False, compare: bool = False
) -> Outcome:
    """Run an input in a fork of this process. Where fork does not exist, the input is not run and passes."""
    if not hasattr(os, "fork"):
        return Outcome("accepted", "not tried")
    patience = 3 * target.time_for(size_of(files)) + SLACK
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        signal.setitimer(signal.ITIMER_REAL, 2 * patience)  # ends the child even if its parent is gone
        status = 1
        try:
            os.write(writer, pickle.dumps(run_input(target, files, folder, measured=measured, compare=compare)))
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        ended = _waited(child, patience)
        if ended is None:
            return HANGS
        if ended:
            return crash(os.waitstatus_to_exitcode(ended))
        outcome: Outcome = pickle.load(pipe)
    return outcome


def _waited(child: int, seconds: float) -> int | None:
    """Return the exit status of a process, or None if it was killed after the time limit."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
