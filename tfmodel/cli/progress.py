"""A progress line on a terminal, which disappears at the end of the command.

    with Progress() as progress:
        progress.doing("reading model.pbtxt")
        ...
        progress.doing("writing model.pb", lambda: f"{file.size:,} bytes")
        ...
        problems(checkpoint, reading=progress.each("reading"))   # reading layer/kernel: 42 %, 3 s, 4 s left

Nothing is shown in the first second, or if stderr is not a terminal. A thread updates the line, so the work itself does
not have to.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from shutil import get_terminal_size
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self, TextIO

from ..values.terminal import escape
from .messages import hiding

if TYPE_CHECKING:
    from threading import Event, Thread

FIRST = 1.0  # seconds before the line is shown
AGAIN = 0.25  # seconds between updates


class Progress:
    """A line with the current step, which `doing` sets. Nothing is shown if `quiet`, or without a terminal.

    is_shown    whether there is a terminal to show it
    """

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self.is_shown = not quiet and self._stream is not None and self._stream.isatty()
        self._width = 0
        self._thread: Thread | None = None
        self._done: Event | None = None
        self._lock: AbstractContextManager[Any] = contextlib.nullcontext()
        self._messages = contextlib.ExitStack()
        self._now = _Now()
        self._begin = 0.0

    def doing(self, what: str, amount: Callable[[], str] | None = None, share: float | None = None) -> None:
        """Set the current step to `what`. `amount` is called at each update and returns the progress as text.

        `share` of the work is done before it. The time that is left follows from the time since the first step that has
        a share.
        """
        now = time.monotonic()
        if share is None or self._now.share is None:
            self._begin = now
        self._now = _Now(escape(what), amount, share, self._begin)

    def each(self, verb: str) -> Callable[[str], None]:
        """Return a function that sets the current step to the verb and a name, with its share if it is a `Step`."""
        return lambda name: self.doing(f"{verb} {name}".lstrip(), share=getattr(name, "share", None))

    def __enter__(self) -> Self:
        if self.is_shown:
            from threading import Event, RLock, Thread  # only terminals need it

            self._done, self._lock = Event(), RLock()
            self._messages.enter_context(hiding(self._hidden))
            self._thread = Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._done is not None and self._thread is not None:
            self._done.set()
            self._thread.join()
            self._messages.close()

    @contextlib.contextmanager
    def _hidden(self) -> Iterator[None]:
        """Erase the line, and keep it from being shown."""
        with self._lock:
            self._put("")
            yield

    def _show(self) -> None:
        assert self._done is not None
        pause = FIRST
        with contextlib.suppress(OSError):  # a closed terminal is not an error
            while not self._done.wait(pause):
                with self._lock:
                    if self._now.what:  # a step has begun
                        self._put(self._line())
                pause = AGAIN
            with self._lock:
                self._put("")

    def _line(self) -> str:
        now = self._now
        seconds = time.monotonic() - now.begin
        facts = [now.amount()] if now.amount else []
        facts += [f"{100 * now.share:.0f} %"] if now.share is not None else []
        facts += [_duration(seconds)]
        facts += [f"{_duration(seconds / now.share - seconds)} left"] if now.share else []
        return f"{now.what}: {', '.join(facts)}"

    def _put(self, line: str) -> None:
        """Replace the previous line completely."""
        visible = line[: get_terminal_size().columns - 1]
        if visible or self._width:
            self._stream.write("\r" + visible.ljust(self._width) + ("" if visible else "\r"))
            self._stream.flush()
        self._width = len(visible)


class _Now(NamedTuple):
    """The current step: its name, its amount and its share as given to `doing`, and when it began."""

    what: str = ""
    amount: Callable[[], str] | None = None
    share: float | None = None
    begin: float = 0.0


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Counting:
    """A writable file that counts the bytes written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = 0

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)

    def writelines(self, parts: Iterable[bytes]) -> None:
        for part in parts:
            self.write(part)
