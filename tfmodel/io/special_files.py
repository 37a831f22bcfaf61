"""Paths that are not regular files: devices, pipes, folders and dangling links.

A device is not read, since it may have no end. Errors describe what a path is instead of a file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

from ..errors import FileFormatError
from .terminal import escape, shorten

__all__ = ["check_end", "no_file"]

_LONG = 200  # characters of a link's target that an error shows
_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


def check_end(path: str, status: os.stat_result | None = None) -> None:
    """Raise FileFormatError for a device, except the null device and the device of standard input. Raises OSError.

    Files and pipes are accepted, because they have an end. `status` is the status of the path, if it is known.
    """
    status = status or os.stat(path)
    has_end = (stat.S_ISREG, stat.S_ISFIFO, stat.S_ISDIR)
    if not (any(is_it(status.st_mode) for is_it in has_end) or _ends(status)):
        raise FileFormatError(f"{escape(path)}: this is not a file but {_kind(status.st_mode)}, which is not read")


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
