"""Run a target on one input: accepted, refused, or a finding, which is any broken guarantee.

    outcome = run_input(target, files, folder)
    outcome.verdict, outcome.shape          # "refused", "DecodeError: truncated"

Time is the processor time of this process; if it exceeds the budget, three more measurements must confirm that before
it becomes a finding. Memory is the peak of Python's allocations (tracemalloc), measured if `measured` is set, and
whenever the process has grown by more than the budget.
"""

from __future__ import annotations

import contextlib
import gc
import linecache
import re
import shutil
import signal
import sys
import threading
import time
import traceback
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pbwire

from .target import Case, Files, Target

__all__ = ["HANGS", "ROOT", "Outcome", "crash", "run_input", "size_of"]

ROOT = Path(__file__).resolve().parent.parent
MAX_SHAPE_CHARS = 200  # characters of a shape
STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Outcome:
    """The outcome of an input.

    verdict     "accepted", "refused" or "finding"
    shape       a description that outcomes of one kind share: an error's type and message without names and numbers, or
                for a finding, the fault and its location
    what        for a finding: the traceback, or the measurement
    compared    in the differential mode: "" if protobuf agrees, else the documented reason; otherwise None
    """

    verdict: str
    shape: str
    what: str = ""
    compared: str | None = None

    @property
    def kind(self) -> str:
        """The kind of a finding: "error", "slow", "memory", "hang" or "crash"."""
        return self.shape.partition(":")[0] if self.verdict == "finding" else ""


HANGS = Outcome("finding", "hang: it does not end", "it had to be ended")


def crash(code: int, error: str = "") -> Outcome:
    """Return the finding for an input that killed the process."""
    return Outcome("finding", f"crash: {code}", f"the process died: {code}\n{error}")


def size_of(files: Files) -> int:
    """Return the bytes of an input."""
    return sum(map(len, files.values()))


def run_input(target: Target, files: Files, folder: Path, *, measured: bool = False, compare: bool = False) -> Outcome:
    """Run an input. `folder` holds its files for readers of files, and is removed afterwards."""
    run = _Run(target, files, folder, compare)
    before = _peak()
    outcome = run.once()
    if outcome.verdict != "finding" and (measured or _peak() - before > run.memory_allowed):
        seconds = run.seconds
        outcome = run.with_memory(outcome)
        run.seconds = seconds
    if outcome.verdict != "finding" and run.seconds > run.seconds_allowed:
        outcome = run.with_time(outcome)
    return outcome


class _Run:
    """An input, and the cost of its last run."""

    def __init__(self, target: Target, files: Files, folder: Path, compare: bool) -> None:
        self.target, self.files, self.folder, self.compare = target, files, folder, compare
        self.refusals: tuple[type[Exception], ...] = (pbwire.Error, *target.refusals)
        self.size = size_of(files)
        self.seconds = 0.0
        self.allowed = 0

    @property
    def seconds_allowed(self) -> float:
        return self.target.time_for(self.size, self.allowed)

    @property
    def memory_allowed(self) -> int:
        return self.target.memory_for(self.size, self.allowed)

    def once(self) -> Outcome:
        """Run the input without checking its cost."""
        case = Case(self.folder)
        started = time.process_time()
        try:
            self.target.check(dict(self.files), case)
            self.seconds = time.process_time() - started
            compared = self.target.compare(dict(self.files)) if self.compare and self.target.compare else None
            return Outcome("accepted", "accepted", compared=compared)
        except self.refusals as error:
            self.seconds = time.process_time() - started
            return self._refused(error)
        except Exception as error:  # any other exception is a finding
            self.seconds = time.process_time() - started
            return _found(error)
        finally:
            self.allowed = case.allowed
            if self.folder.exists():
                shutil.rmtree(self.folder, ignore_errors=True)

    def _refused(self, error: Exception) -> Outcome:
        outcome = Outcome("refused", _shape(error))
        if not (self.compare and self.target.compare):
            return outcome
        try:
            return replace(outcome, compared=self.target.compare(dict(self.files)))
        except Exception as difference:  # an AssertionError, or a bug in the comparison
            return _found(difference)

    def with_memory(self, outcome: Outcome) -> Outcome:
        """Return the outcome, or a finding if the input exceeds its memory budget with warm caches, too."""
        for _ in range(2):
            peak = self._traced()
            if peak <= self.memory_allowed:
                return outcome
        what = f"{peak:,} bytes of memory for {self.size:,} bytes of input; {self.memory_allowed:,} are allowed"
        return Outcome("finding", f"memory: {outcome.shape}"[:MAX_SHAPE_CHARS], what)

    def with_time(self, outcome: Outcome) -> Outcome:
        """Return the outcome, or a finding if the input exceeds its time budget three times in a row."""
        places: list[str] = []
        for _ in range(3):
            gc.collect()
            with _sampled(self.seconds_allowed * 0.7) as sampled:
                self._alone()
            places += sampled
            if self.seconds <= self.seconds_allowed:
                return outcome
        what = f"{self.seconds:.2f} s for {self.size:,} bytes of input; {self.seconds_allowed:.2f} s are allowed"
        return Outcome("finding", f"slow: {''.join(places[:1])}", what)

    def _traced(self) -> int:
        """Return the peak of allocated bytes."""
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            self._alone()
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()

    def _alone(self) -> None:
        """Run the input once more, without protobuf."""
        compare, self.compare = self.compare, False
        self.once()
        self.compare = compare


# --- descriptions of outcomes ------------------------------------------------------------------------------------

_NAMES = re.compile(r"""b?"(?:[^"\\\n]|\\.)*"?|b?'(?:[^'\\\n]|\\.)*'?""", re.DOTALL)
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d[\d,.]*")


def _shape(error: Exception) -> str:
    """Return the type of an error and its message without names and numbers."""
    said = str(error)  # str() of an error must not fail either
    said = str(getattr(error, "message", said))
    said = _NUMBERS.sub("N", _NAMES.sub("Q", said[: 10 * MAX_SHAPE_CHARS]))
    return f"{type(error).__name__}: {said}"[:MAX_SHAPE_CHARS]


def _found(error: Exception) -> Outcome:
    """Return the finding for an error: its type, and the function that raised it."""
    if isinstance(error, MemoryError):
        return Outcome("finding", f"memory: MemoryError: {_place(error)}", _traceback(error))
    return Outcome("finding", f"error: {type(error).__name__}: {_place(error)}", _traceback(error))


def _place(error: BaseException) -> str:
    """Return the innermost function of the project in the traceback; for an assertion, its line."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_ours(frame.filename)]
    if not frames:
        return "?"
    frame = frames[-1]
    where = f"{Path(frame.filename).resolve().relative_to(ROOT)}:{frame.name}"
    if isinstance(error, AssertionError):
        where += f": {linecache.getline(frame.filename, frame.lineno or 0).strip()}"
    return where


def _is_ours(filename: str) -> bool:
    return filename.startswith(str(ROOT)) and "site-packages" not in filename


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error, limit=-12))[-6000:]


@contextlib.contextmanager
def _sampled(seconds: float) -> Iterator[list[str]]:
    """Return the location of the program after some seconds of processor time."""
    places: list[str] = []

    def note(_: int, frame: Any) -> None:
        while frame is not None and not _is_ours(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None:
            code = frame.f_code
            places.append(f"{Path(code.co_filename).resolve().relative_to(ROOT)}:{code.co_name}")

    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():  # Windows
        yield places
        return
    before = signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.001))
    try:
        yield places
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _peak() -> int:
    """Return the peak memory of this process in bytes; 0 if the system does not report it."""
    with contextlib.suppress(OSError, ValueError):  # Linux only; `getrusage` includes the parent's peak there
        said = STATUS.read_bytes()
        return int(said[said.index(b"VmHWM:") + 6 :].split(None, 1)[0]) << 10
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
