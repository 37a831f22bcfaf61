"""Run a function over many items in several processes, with the answers in the order of the items.

    with WorkerPool("tfmodel.cli.many_files:answerer", setup, jobs=4) as pool:
        for item, answer in pool.map(items):
            ...

`many_files.answerer(setup)` is called once in each process, and returns the function that answers items. Items, answers
and the setup are data of JSON.

The processes are new ones of Python, not forks, so they are the same on every system, and safe beside threads. They are
started with -P, so that they import nothing from the current folder. An item during which a process ends unexpectedly,
since it was killed or ran out of memory, is answered with a `Lost`; the other items go on in another process. If this
process ends, the others read the end of their input, and end too.
"""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar

from .messages import RequestError

WAITING = 16  # items of each process that are given out or answered, and not taken yet
_POLLED = 0.5  # seconds; on Windows, control-C does not end a longer wait
_READY = b"ready\n"
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from importlib import import_module; import_module(sys.argv[2]).serve()"
)
_FLAGS = {
    "isolated": "-I",
    "ignore_environment": "-E",
    "no_user_site": "-s",
    "no_site": "-S",
    "dont_write_bytecode": "-B",
}
"""The options of this Python that the processes get too."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Lost:
    """The answer of a process that ended: why it ended."""

    reason: str


class WorkerPool:
    """At most `jobs` processes; see above. `function` is the name "module:function" of what makes the answers."""

    def __init__(self, function: str, setup: Any, *, jobs: int) -> None:
        self._function, self._setup, self._jobs = function, setup, jobs
        self._threads = ThreadPoolExecutor(jobs)  # each thread waits for one process
        self._of_thread = threading.local()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            self._is_closed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.ending()

    def map(self, items: Iterable[T]) -> Iterator[tuple[T, Any]]:
        """Yield each item with its answer, or with a `Lost`. Raises RequestError if no process can be started."""
        waiting: deque[tuple[T, Future[Any]]] = deque()
        rest = iter(items)
        while True:
            for item in islice(rest, WAITING * self._jobs - len(waiting)):
                waiting.append((item, self._threads.submit(self._answer, item)))
            if not waiting:
                return
            item, future = waiting.popleft()
            yield item, _result(future)

    def _answer(self, item: Any) -> Any:
        """Return the answer to an item. It is called in a thread of the pool."""
        worker: _Worker | None = getattr(self._of_thread, "worker", None)
        if worker is None or worker.has_ended:
            worker = self._of_thread.worker = self._start()
        try:
            return worker.answer(item)
        except (OSError, EOFError):
            return Lost(worker.ending())

    def _start(self) -> _Worker:
        with self._lock:
            if self._is_closed:
                raise EOFError
            self._workers = {other for other in self._workers if not other.has_ended}
            worker = _Worker()
            self._workers.add(worker)
        worker.prepare(self._function, self._setup)
        return worker


def _result(future: Future[Any]) -> Any:
    while True:
        with contextlib.suppress(TimeoutError):
            return future.result(_POLLED)


class _Worker:
    """A process, and the two pipes to it."""

    def __init__(self) -> None:
        flags = [option for name, option in _FLAGS.items() if getattr(sys.flags, name)]
        flags += ["-X", "utf8"] * bool(sys.flags.utf8_mode)
        if not sys.executable:
            raise RequestError("--jobs starts Python, and the path of this one is not known: leave it out")
        words = [sys.executable, *flags, "-P", "-c", _PROGRAM, json.dumps(sys.path), __name__]
        try:
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise RequestError(f"--jobs: a process cannot be started: {error.strerror}") from error
        self._to, self._from = self._process.stdin, self._process.stdout

    def prepare(self, function: str, setup: Any) -> None:
        """Wait until the process is ready. Raises RequestError if it is not."""
        try:
            self._write([function, setup])
            line = self._from.readline() if self._from is not None else b""
        except OSError:
            line = b""
        if line != _READY:
            raise RequestError(f"--jobs: a process that reads files did not start: {self.ending()}")

    def answer(self, item: Any) -> Any:
        """Return the answer to an item. Raises OSError and EOFError if the process ends before that."""
        self._write(item)
        line = self._from.readline() if self._from is not None else b""
        if not line.endswith(b"\n"):
            raise EOFError
        return json.loads(line)

    def _write(self, data: Any) -> None:
        assert self._to is not None
        self._to.write(json.dumps(data).encode() + b"\n")
        self._to.flush()

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def kill(self) -> None:
        self._process.kill()

    def ending(self) -> str:
        """Close the pipes, wait for the end of the process, and return how it ended."""
        for pipe in (self._to, self._from):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        status = self._process.wait()
        if status >= 0:
            return f"it ended with status {status}"
        names = {number.value: number.name for number in signal.Signals}
        return f"it was ended by {names.get(-status, f'signal {-status}')}"


def serve() -> None:
    """Answer items from standard input until it ends: the program of a worker. Its output goes to standard error."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one ends it
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    function, setup = json.loads(sys.stdin.buffer.readline())
    answer: Callable[[Any], Any] = pkgutil.resolve_name(function)(setup)
    with contextlib.suppress(BrokenPipeError):
        _put(answers, _READY)
        for line in sys.stdin.buffer:
            _put(answers, json.dumps(answer(json.loads(line))).encode() + b"\n")


def _put(file: BinaryIO, line: bytes) -> None:
    file.write(line)
    file.flush()
