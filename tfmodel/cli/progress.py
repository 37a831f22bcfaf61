"""A progress line on a terminal, which disappears at the end of the command.

    with Progress() as progress:
        progress.doing("reading model.pbtxt")
        ...
        progress.doing("writing model.pb", lambda: f"{file.size:,} bytes")

Nothing is shown in the first second, or if stderr is not a terminal. A thread updates the line, so the work itself does
not have to.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable
from shutil import get_terminal_size
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self, TextIO

from ..values.terminal import escape

if TYPE_CHECKING:
    from threading import Event, Thread

FIRST = 1.0  # seconds before the line is shown
AGAIN = 0.25  # seconds between updates


class Progress:
    """A line with the current step, which `doing` sets. Nothing is shown if `quiet`, or without a terminal."""

    def __init__(self, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_shown = not quiet and self._stream is not None and self._stream.isatty()
        self._width = 0
        self._thread: Thread | None = None
        self._done: Event | None = None
        self.doing("")

    def doing(self, what: str, amount: Callable[[], str] | None = None) -> None:
        """Set the current step to `what`. `amount` is called at each update and returns the progress as text."""
        self._now = (escape(what), amount, time.monotonic())

    def __enter__(self) -> Self:
        if self._is_shown:
            from threading import Event, Thread  # only terminals need it

            self._done = Event()
            self._thread = Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._done is not None and self._thread is not None:
            self._done.set()
            self._thread.join()

    def _show(self) -> None:
        assert self._done is not None
        pause = FIRST
        with contextlib.suppress(OSError):  # a closed terminal is not an error
            while not self._done.wait(pause):
                if self._now[0]:  # a step has begun
                    self._put(self._line())
                pause = AGAIN
            self._put("")

    def _line(self) -> str:
        what, amount, since = self._now
        facts = [amount()] if amount else []
        return f"{what}: {', '.join([*facts, f'{time.monotonic() - since:.0f} s'])}"

    def _put(self, line: str) -> None:
        """Replace the previous line completely."""
        visible = line[: get_terminal_size().columns - 1]
        if visible or self._width:
            self._stream.write("\r" + visible.ljust(self._width) + ("" if visible else "\r"))
            self._stream.flush()
        self._width = len(visible)


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
