"""Smaller inputs that go wrong in the same way.

    for smaller, outcome in shrunk(target, files, outcome, folder, seconds=30):
        ...                                   # each smaller than the one before; the last one is the best

Files are left out, then fields of wire format with all that is in them, then ranges of bytes: halves, quarters and so
on down to single bytes, again and again until nothing can be left out (delta debugging). What hangs or kills the
process is tried in a process of its own.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .fields import places, without
from .target import Files, Target
from .trying import HANGS, Outcome, crash, size_of, tried

__all__ = ["shrunk"]

SLACK = 0.5  # seconds beyond three times its budget after which an input is taken to hang, being known for that


def shrunk(
    target: Target, files: Files, outcome: Outcome, folder: Path, *, seconds: float, compare: bool = False
) -> Iterator[tuple[Files, Outcome]]:
    """Ever smaller inputs with the same finding, while there is time; none if it does not come again."""
    until = time.monotonic() + seconds
    apart = outcome.kind in ("hang", "crash")
    latest = outcome

    def fails(candidate: Files) -> bool:
        nonlocal latest
        if time.monotonic() > until:
            raise TimeoutError
        attempt = _tried_apart if apart else tried
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
        while size_of(files) < size:  # something was left out the last time
            size = size_of(files)
            for smaller in _smaller(files, fails):
                files = smaller
                yield files, latest


def _same(one: Outcome, other: Outcome) -> bool:
    """Whether two findings are one. What takes too much may end in different ways."""
    return one.kind == other.kind if other.kind in ("slow", "memory", "hang") else one.shape == other.shape


def _smaller(files: Files, fails: Callable[[Files], bool]) -> Iterator[Files]:
    for name in sorted(files):
        rest = {key: content for key, content in files.items() if key != name}
        if rest and fails(rest):
            files = rest
            yield files
    for name in sorted(files):
        for step in (_without_fields, _without_ranges):
            for content in step(files[name], _with(files, name, fails)):
                files = {**files, name: content}
                yield files


def _with(files: Files, name: str, fails: Callable[[Files], bool]) -> Callable[[bytes], bool]:
    """Whether other content of one file, all others being as they are, fails."""
    return lambda content: fails({**files, name: content})


def _without_fields(data: bytes, fails: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Leave out fields of wire format, if it is that, the outer ones first."""
    at = 0
    while at < len(found := sorted(places(data), key=lambda place: (-(place.end - place.offset), place.offset))):
        smaller = without(data, found[at])
        if len(smaller) < len(data) and fails(smaller):
            data = smaller
            yield data
        else:
            at += 1


def _without_ranges(data: bytes, fails: Callable[[bytes], bool]) -> Iterator[bytes]:
    """Leave out ranges of bytes: large ones first."""
    size = len(data)
    while size:
        at = 0
        while at < len(data):
            smaller = data[:at] + data[at + size :]
            if fails(smaller):
                data = smaller
                yield data
            else:
                at += size
        size = min(size // 2, len(data))


def _tried_apart(
    target: Target, files: Files, folder: Path, *, measured: bool = False, compare: bool = False
) -> Outcome:
    """The same as `tried`, in a copy of this process. Where there is no fork, it is not tried and passes."""
    if not hasattr(os, "fork"):
        return Outcome("accepted", "not tried")
    patience = 3 * target.time_for(size_of(files)) + SLACK
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        signal.setitimer(signal.ITIMER_REAL, 2 * patience)  # its end even if nobody is there any more to end it
        status = 1
        try:
            os.write(writer, pickle.dumps(tried(target, files, folder, measured=measured, compare=compare)))
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
    """The status with which a process ended, or None if it had to be ended after so many seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None
