"""Open the files that users and options name: what a path is that is not a regular file, and what is read of it.

    open_user_file("model.pb")         a file, or a pipe to which a program writes
    open_regular("state.json")    a file that is read twice, replaced, or named by a model

A device is not read, since it may have no end, and a pipe to which no program writes is not waited for. Errors describe
what a path is instead of a file.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import time
from collections.abc import Sequence
from typing import Any

from ...errors import FileFormatError, with_name
from ...values.terminal import escape, shorten

WRITER_SECONDS = 5.0
"""The time that a program has to open a named pipe for writing."""

_POLLED = 0.02  # seconds between two looks for a writer
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_PIPE_PIECE = 1 << 16

_LONG = 200  # characters of a link's target that an error shows
_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


def describe_missing(files: Sequence[str]) -> str:
    """Return the text of an error or note about the files of weights that a model names and that do not exist."""
    first, others = escape(shorten(files[0], _LONG)), len(files) - 1
    return f"its weights are in {first}{f' and {others:,} more, which are' if others else ', which is'} missing"


def check_end(path: str, status: os.stat_result | None = None) -> None:
    """Raise FileFormatError for a device, except the null device and the device of standard input. Raises OSError.

    Files and pipes are accepted, because they have an end. `status` is the status of the path, if it is known.
    """
    status = status or os.stat(path)
    has_end = (stat.S_ISREG, stat.S_ISFIFO, stat.S_ISDIR)
    if not (any(is_it(status.st_mode) for is_it in has_end) or _ends(status)):
        raise FileFormatError(
            with_name(escape(path), f"this is not a file but {_kind(status.st_mode)}, which is not read")
        )


def open_user_file(path: str) -> io.BufferedReader:
    """Open a file that the user named, for reading.

    A pipe is read once, as in `<(gzip -d < model.gz)`. Raises FileFormatError for a folder, for a device as `check_end`
    does, and for a pipe that no program opens for writing within `WRITER_SECONDS`. Raises OSError.
    """
    status = os.stat(path)
    check_end(path, status)
    if stat.S_ISDIR(status.st_mode):
        raise FileFormatError(with_name(escape(path), "this is not a file but a folder"))
    if not stat.S_ISFIFO(status.st_mode):
        return _open_checked(path, check_end)
    file = open(path, "rb", buffering=0, opener=_open_without_waiting)  # noqa: SIM115  the caller closes it
    try:
        return io.BufferedReader(_Pipe(file, _first_piece(path, file)))
    except BaseException:
        file.close()
        raise


def open_regular(path: str) -> io.BufferedReader:
    """Open a regular file for reading. Raises FileFormatError for anything else, and OSError."""
    if what := no_file(path):
        raise FileFormatError(with_name(escape(path), f"this is not a file but {what}"))
    return _open_checked(path, _check_regular)


def _open_checked(path: str, check: Any) -> io.BufferedReader:
    """Open a path that is not a pipe. The open file is checked too, because the path may lead elsewhere meanwhile."""
    file = open(path, "rb", buffering=0, opener=_open_without_waiting)  # noqa: SIM115  the caller closes it
    try:
        check(path, os.fstat(file.fileno()))
        os.set_blocking(file.fileno(), True)  # for a terminal
    except BaseException:
        file.close()
        raise
    return io.BufferedReader(file)


def _check_regular(path: str, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileFormatError(with_name(escape(path), f"this is not a file but {_kind(status.st_mode)}"))


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | _NONBLOCK)


def _first_piece(path: str, file: io.FileIO) -> bytes:
    """Return the first bytes of a pipe; b"" if its writer has not written yet. Reading waits for more afterwards."""
    end = time.monotonic() + WRITER_SECONDS
    while (piece := file.read(_PIPE_PIECE)) == b"":  # None if there is a writer, which has not written yet
        if time.monotonic() > end:
            raise FileFormatError(with_name(escape(path), "this is a pipe, and no program writes to it"))
        time.sleep(_POLLED)
    os.set_blocking(file.fileno(), True)
    return piece or b""


class _Pipe(io.RawIOBase):
    """A pipe of which the first bytes have been read."""

    def __init__(self, file: io.FileIO, first: bytes) -> None:
        self._file, self._first = file, first

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def readinto(self, buffer: Any) -> int | None:
        if not self._first:
            return self._file.readinto(buffer)
        view = memoryview(buffer).cast("B")
        piece, self._first = self._first[: len(view)], self._first[len(view) :]
        view[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._file.close()
        super().close()


def no_file(path: str) -> str:
    """Return what a path is that is not a regular file, for an error; "" if it is a regular file or does not exist.

    Dangling links are described, because an interrupted download or a cleared cache leaves them.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        to = shorten(os.readlink(path), _LONG) if os.path.islink(path) else ""
        return f"a link to {escape(to)}, which does not exist" if to else ""
    except OSError as error:
        return "a link that leads to itself" if error.errno == errno.ELOOP else ""
    except ValueError:  # a path cannot contain a zero character
        return ""
    return "" if stat.S_ISREG(mode) else _kind(mode)


def _kind(mode: int) -> str:
    return next((name for is_it, name in _KINDS if is_it(mode)), "a device")


def _ends(status: os.stat_result) -> bool:
    """Return whether this is the null device or the device of standard input. Input typed at a terminal has an end."""
    for source in (os.devnull, 0):
        with contextlib.suppress(OSError):  # standard input may be closed
            if os.path.samestat(status, os.stat(source)):
                return True
    return False
