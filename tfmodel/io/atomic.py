"""Write files atomically: at every moment a path has the complete old or the complete new content.

    with replacing("model.pb") as file:
        file.write(data)                      # until the block ends, model.pb is what it was

    with new_folder("weights") as folder:
        ...                                   # files are made in `folder`, which becomes "weights"

The content is first written to a temporary file in the same folder: `.model.pb.4711-0f3a9c21.tmp`, with the number of
the process. This file is removed on any error or, if the process was killed, by the next writer of the same path.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO

__all__ = ["fillable", "is_temporary", "new_folder", "replacing", "replacing_together"]

_NAME = 150  # bytes of the target's name in the name of its temporary file, which must not become too long
_OLD = 24 * 3600.0  # seconds after which a temporary file counts as abandoned
_BEGAN = time.time() - 1  # older files are of other processes; some file systems round down

_WRITER = r"(\d+)-[0-9a-f]{8}\.tmp"  # the end of the name of a temporary file


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a file that becomes `path` when the block ends; if the block raises, `path` is unchanged.

    The content is on the disk before the file is renamed. The new file gets the permissions of the old one, and its
    owner where that is allowed; other hard links to the old file keep the old content. A symbolic link stays: the file
    that it leads to is replaced. A special file, such as a pipe or /dev/null, is written to directly.

    Raises OSError, which names `path`.
    """
    with replacing_together() as replace:
        yield replace(path)


@contextlib.contextmanager
def replacing_together() -> Iterator[Callable[[str], BinaryIO]]:
    """Replace several files, opened by calling the function that this yields: when the block ends, and all of them are
    on the disk, they take their names in the order in which they were opened; control-C is then too late.

    A process that is killed in between leaves some of them unchanged: open the file that refers to the others last.
    """
    files: list[_Temporary] = []

    def replace(path: str) -> BinaryIO:
        files.append(_Temporary(path))
        return files[-1].open()

    try:
        yield replace
        for file in files:
            file.finish()
        try:
            for file in files:
                file.take_name()
        except KeyboardInterrupt:
            for file in files:
                with contextlib.suppress(FileNotFoundError):  # it has the name already
                    file.take_name()
            raise
    except BaseException as error:  # raised again, when nothing is left behind
        for file in files:
            file.remove()
        if isinstance(error, OSError) and error.errno is not None and error.filename is None and files:
            raise OSError(error.errno, error.strerror, files[-1].path) from error
        raise
    for folder in dict.fromkeys(os.path.dirname(file.target) for file in files if file.name):
        _sync_folder(folder)


class _Temporary:
    """A file that will replace another. Until then it has a name of its own; none if the other is written directly."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.old = _replaceable(path)
        self.target = os.path.realpath(path)
        is_direct = self.old is not None and not stat.S_ISREG(self.old.st_mode)
        self.name = "" if is_direct else _temporary(self.target, _remove_file)
        self._file: BinaryIO | None = None

    def open(self) -> BinaryIO:
        with _with_name(self.path, self.name):
            if self.name:
                opener = _open if self.old is None else _open_for_us
                self._file = open(self.name, "xb", opener=opener)  # noqa: SIM115  `finish` or `remove` closes it
            else:
                self._file = open(self.path, "wb")  # noqa: SIM115  the same
        return self._file

    def finish(self) -> None:
        """Write the content to the disk."""
        assert self._file is not None
        with _with_name(self.path, self.name), self._file as file:
            file.flush()
            if self.name and self.old is not None:
                _make_alike(file, self.name, self.old)
            if self.name:
                os.fsync(file.fileno())

    def take_name(self) -> None:
        """Replace the other file."""
        if self.name:
            with _with_name(self.path, self.name):
                os.replace(self.name, self.target)

    def remove(self) -> None:
        with contextlib.suppress(OSError):
            if self._file is not None:
                self._file.close()
        if self.name:
            with contextlib.suppress(OSError):
                os.unlink(self.name)


@contextlib.contextmanager
def new_folder(path: str) -> Iterator[str]:
    """Yield the name of a folder that becomes `path` when the block ends; if the block raises, nothing is left.

    There must be nothing at `path` yet but an empty folder, whose permissions are kept. Raises OSError.
    """
    old = fillable(path)
    target = os.path.realpath(path)
    parents = list(_missing(os.path.dirname(target)))
    temporary = ""
    try:
        with _with_name(path, *parents):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            temporary = _temporary(target, _remove_folder)
        with _with_name(path, temporary):
            os.mkdir(temporary, 0o777 if old is None else 0o700)
            yield temporary
            if old is not None:
                os.chmod(temporary, stat.S_IMODE(old.st_mode))
            os.replace(temporary, target)
    except BaseException:  # raised again, when nothing is left behind
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)
        for parent in parents:
            with contextlib.suppress(OSError):
                os.rmdir(parent)
        raise
    _sync_folder(os.path.dirname(target))


def fillable(path: str) -> os.stat_result | None:
    """Return the existing empty folder that files go to; None if the path does not exist. Raises OSError otherwise."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        raise FileExistsError(errno.EEXIST, "this exists already, and is not a folder", path)
    if os.listdir(path):
        raise FileExistsError(errno.EEXIST, "this folder is there already, and not empty", path)
    return status


def is_temporary(name: str) -> bool:
    """Return whether a file is named like the temporary file of a killed writer."""
    return re.fullmatch(rf"\..+\.{_WRITER}", name, re.DOTALL) is not None


# --- existing files --------------------------------------------------------------------------------------------------


def _replaceable(path: str) -> os.stat_result | None:
    """Return the file to be replaced; None if it does not exist. Raises OSError if it is not writable."""
    try:
        status = os.stat(path)  # not of where the link leads: the system may forbid to follow a stranger's in /tmp
    except FileNotFoundError:
        if path.endswith((os.sep, os.altsep or os.sep)):
            raise IsADirectoryError(errno.EISDIR, "this is the name of a folder", path) from None
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return status


def _open(name: str, flags: int) -> int:
    return os.open(name, flags, 0o666)


def _open_for_us(name: str, flags: int) -> int:
    """Open a file that only its owner can read until it gets the permissions of the file that it replaces."""
    return os.open(name, flags, 0o600)


def _make_alike(file: BinaryIO, name: str, old: os.stat_result) -> None:
    handle = file.fileno() if os.chmod in os.supports_fd else name
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):  # only root may give files away
            os.chown(handle, old.st_uid, old.st_gid)
    os.chmod(handle, stat.S_IMODE(old.st_mode) & 0o777)


def _missing(folder: str) -> Iterator[str]:
    """Return the missing parent folders of a folder, the deepest first."""
    while not os.path.lexists(folder):
        yield folder
        folder = os.path.dirname(folder)


# --- temporaries -----------------------------------------------------------------------------------------------------


def _temporary(target: str, remove: Callable[[str], None]) -> str:
    """Return a temporary name for `target`. Abandoned temporaries of `target` are removed."""
    folder, name = os.path.split(target)
    prefix = f".{os.fsencode(name)[:_NAME].decode(errors='ignore')}."
    left_over = re.compile(re.escape(prefix) + _WRITER)
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if match := left_over.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    if _is_abandoned(entry, int(match[1])):
                        remove(entry.path)
    return os.path.join(folder, f"{prefix}{os.getpid()}-{os.urandom(4).hex()}.tmp")


def _remove_file(path: str) -> None:
    if stat.S_ISREG(os.lstat(path).st_mode):
        os.unlink(path)


def _remove_folder(path: str) -> None:
    if stat.S_ISDIR(os.lstat(path).st_mode):
        shutil.rmtree(path)


def _is_abandoned(entry: os.DirEntry[str], writer: int) -> bool:
    written = entry.stat(follow_symlinks=False).st_mtime
    if writer == os.getpid():
        return written < _BEGAN  # in containers, all processes have the same number
    if os.name == "posix":  # elsewhere os.kill does not ask, it kills
        try:
            os.kill(writer, 0)
        except (ProcessLookupError, OverflowError):
            return True
        except OSError:
            pass
    return time.time() - written > _OLD


# --- errors, and the disk --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _with_name(path: str, *hidden: str) -> Iterator[None]:
    """Make errors name the requested path instead of the temporary or of nothing."""
    try:
        yield
    except OSError as error:
        name = error.filename
        place = next(
            (prefix for prefix in hidden if prefix and isinstance(name, str) and name.startswith(prefix)), None
        )
        if error.errno is None or (name is not None and place is None):
            raise
        raise OSError(error.errno, error.strerror, path if place is None else path + name[len(place) :]) from error


def _sync_folder(folder: str) -> None:
    """Write the new name to the disk too, where a folder can be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
