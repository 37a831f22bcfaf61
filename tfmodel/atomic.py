"""Writing a file so that at every moment there is a whole one under its name: the old one or the new one."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["replacing"]

_NAME = 150  # bytes of the target's name that a temporary's name has, so that it does not become too long itself
_OLD = 24 * 3600.0  # seconds after which nobody is still writing


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A file to write to that becomes `path` when the block ends; if it raises, `path` is as it was.

    What is written goes to a temporary file in the same folder and onto the disk before it takes the name. It gets
    the permissions of the file that it replaces. A symbolic link stays one: the file that it leads to is replaced. What
    is no regular file, such as a pipe or /dev/null, is written to directly.

    Temporaries of earlier writers of the same file that were killed are removed.
    """
    target = os.path.realpath(path)
    mode = _permissions(target, path)
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as file:
            yield file
        return
    folder, name = os.path.split(target)
    prefix = f".{os.fsencode(name)[:_NAME].decode(errors='ignore')}."
    _remove_abandoned(folder, prefix)
    temporary = os.path.join(folder, f"{prefix}{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb", opener=_open if mode is None else _open_for_us) as file:
            yield file
            file.flush()
            if mode is not None:
                os.chmod(temporary, stat.S_IMODE(mode))
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:  # raised again, when nothing is left behind
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.filename in (None, temporary):
            raise OSError(error.errno, error.strerror, path) from error  # nobody knows the temporary
        raise
    _sync_folder(folder)


def _open(name: str, flags: int) -> int:
    return os.open(name, flags, 0o666)


def _open_for_us(name: str, flags: int) -> int:
    """Nobody else may read it until it has the permissions of the file that it replaces."""
    return os.open(name, flags, 0o600)


def _permissions(target: str, path: str) -> int | None:
    """The mode of the file to be replaced, None if there is none. Raises OSError if it is not to be written to."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return mode


def _remove_abandoned(folder: str, prefix: str) -> None:
    ours = re.compile(re.escape(prefix) + r"(\d+)-[0-9a-f]{8}\.tmp")
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder or "."):
            if (match := ours.fullmatch(entry.name)) and _is_abandoned(entry, int(match[1])):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _is_abandoned(entry: os.DirEntry[str], writer: int) -> bool:
    if not entry.is_file(follow_symlinks=False):
        return False
    if os.name == "posix":  # elsewhere os.kill does not ask, it kills
        try:
            os.kill(writer, 0)
        except (ProcessLookupError, OverflowError):
            return True
        except OSError:
            pass
    return time.time() - entry.stat().st_mtime > _OLD


def _sync_folder(folder: str) -> None:
    """Bring the new name onto the disk too, where a folder can be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
