"""Write files atomically: at every moment a path has either the complete old content or the complete new content.

    with replacing("model.pb") as file:
        file.write(data)                      # until the block ends, model.pb has its old content

    with new_folder("weights") as folder:
        ...                                   # write files to `folder`, which is then renamed to "weights"

The content is first written to a temporary file in the same folder: `.model.pb.4711-0f3a9c21.tmp`, where 4711 is the
number of the process. After an error, this process removes the temporary file. If the process was killed, the next
writer of the same path removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO

_NAME = 150  # bytes of the target's name in the name of its temporary file, which must not become too long
_OLD = 24 * 3600.0  # seconds after which a temporary file counts as abandoned
_BEGAN = time.time() - 1  # older files are not ours; 1 second less, as some file systems round times down

_WRITER = r"(\d+)-[0-9a-f]{8}\.tmp"  # the end of the name of a temporary file


@contextlib.contextmanager
def writable(path: str) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block ends without an error. "-" is standard output."""
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with replacing(path) as file:
        yield file


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a file that becomes `path` when the block ends; if the block raises, `path` is unchanged.

    The content is on the disk before the file is renamed. The new file gets the permissions of the old file, and its
    owner if the system allows it. Other hard links to the old file keep the old content. If `path` is a symbolic link,
    the link stays and its target is replaced. A special file, such as a pipe or /dev/null, is written directly.

    Raises OSError with `path` as its file name.
    """
    with replacing_together() as replace:
        yield replace(path)


@contextlib.contextmanager
def replacing_together() -> Iterator[Callable[[str], BinaryIO]]:
    """Replace several files together. Yields a function that opens the replacement of a path.

    When the block ends, the content of all files is written to the disk. Then the files are renamed, in the order in
    which they were opened. Control-C cannot stop the renaming, but if the process is killed then, the last files keep
    their old content. So open a file that refers to the others last.
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
    except BaseException as error:  # raised again after the temporary files are removed
        for file in files:
            file.remove()
        if isinstance(error, OSError) and error.errno is not None and error.filename is None and files:
            raise OSError(error.errno, error.strerror, files[-1].path) from error
        raise
    for folder in dict.fromkeys(os.path.dirname(file.target) for file in files if file.name):
        _sync_folder(folder)


class _Temporary:
    """A file that will replace the file at `path`.

    name      the temporary name of the new file; empty if the file at `path` is written directly
    target    the path to replace, with symbolic links resolved
    old       the status of the file to replace; None if it does not exist
    """

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
        """Rename the new file to the path that it replaces."""
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

    `path` must not exist, or must be an empty folder. The new folder gets the permissions of the empty one. Missing
    parent folders are made. Raises OSError.
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
    except BaseException:  # raised again after the new folders are removed
        if temporary:
            shutil.rmtree(temporary, ignore_errors=True)
        for parent in parents:
            with contextlib.suppress(OSError):
                os.rmdir(parent)
        raise
    _sync_folder(os.path.dirname(target))


def fillable(path: str) -> os.stat_result | None:
    """Return the status of an empty folder at `path`; None if `path` does not exist. Raises OSError otherwise."""
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
    """Return the status of the file to be replaced; None if it does not exist. Raises OSError if it is not writable."""
    try:
        status = os.stat(path)  # not of the resolved path: the system may forbid following another user's link in /tmp
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
    """Yield the folder and its parent folders that do not exist, the deepest first."""
    while not os.path.lexists(folder):
        yield folder
        folder = os.path.dirname(folder)


# --- temporaries -----------------------------------------------------------------------------------------------------


def _temporary(target: str, remove: Callable[[str], None]) -> str:
    """Remove abandoned temporary files of `target`, and return a new temporary path for it."""
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
        return written < _BEGAN  # in containers, another process may have had the same number
    if os.name == "posix":  # on other systems, os.kill with signal 0 ends the process
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
    """Make errors in the block name the requested `path` if they name a temporary path or no file.

    `hidden` are the paths that the user does not know.
    """
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
    """Write the names in a folder to the disk too, if the system can open folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
