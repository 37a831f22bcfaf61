"""Local files with the functions of `tf.io.gfile`, of `tf.gfile`, and of `tensorflow.python.lib.io.file_io`.

Files are opened at the first read or write, errors are those of `errors.py`, and text is UTF-8 without translation of
line ends, as in TensorFlow. Paths of other file systems, such as "gs://bucket", are an UnimplementedError.
"""

from __future__ import annotations

import glob as _glob
import os
import re as _re
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Self, cast

from . import errors
from .text import as_bytes, as_str_any, path_to_str

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "FileIO",
    "FileStatistics",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
    "atomic_write_string_to_file",
    "get_registered_schemes",
    "has_atomic_move",
    "join",
    "read_file_to_string",
    "write_string_to_file",
]

_MODES = ("r", "w", "a", "r+", "w+", "a+")


def _error(name: str, message: str) -> Exception:
    made: Exception = getattr(errors, name)(None, None, message)
    return made


def _local(path: Any) -> str:
    """Return a path as a str. Raises UnimplementedError for a path of another file system."""
    text = as_str_any(path_to_str(path))
    scheme, separator, rest = text.partition("://")
    if separator and scheme.isalnum():
        if scheme != "file":
            problem = f"File system scheme '{scheme}' not implemented (file: '{text}')"
            raise _error("UnimplementedError", problem)
        return rest
    return text


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise errors.error_of(error) from error


class FileIO:
    """A file that is opened at the first read or write."""

    def __init__(self, name: Any, mode: str, encoding: str = "utf-8") -> None:
        self._reader: BinaryIO | None = None
        self._writer: BinaryIO | None = None
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise _error("InvalidArgumentError", "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._name, self._mode, self._encoding = name, mode, encoding
        self._is_binary = "b" in mode
        self._can_read = plain in ("r", "r+", "w+", "a+")
        self._can_write = plain != "r"

    @property
    def name(self) -> Any:
        return self._name

    @property
    def mode(self) -> str:
        return self._mode

    def _open_reader(self) -> BinaryIO:
        if self._reader is None:
            if not self._can_read:
                raise _error("PermissionDeniedError", "File isn't open for reading")
            with _translated():
                self._reader = open(_local(self._name), "rb")  # noqa: SIM115  # closed by `close`
        return self._reader

    def _open_writer(self) -> BinaryIO:
        writer = self._writer
        if writer is None:
            if not self._can_write:
                raise _error("PermissionDeniedError", "File isn't open for writing")
            mode = "ab" if self._mode[0] in "ar" else "wb"
            with _translated():
                writer = self._writer = cast(BinaryIO, open(_local(self._name), mode))  # noqa: SIM115  # see `close`
        return writer

    def _value(self, data: bytes) -> Any:
        return data if self._is_binary else data.decode(self._encoding)

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return Stat(self._name).length

    def read(self, n: int = -1) -> Any:
        """Return the next `n` bytes, or all: bytes in a binary mode, else a str."""
        with _translated():
            return self._value(self._open_reader().read(n))

    def readline(self) -> Any:
        with _translated():
            return self._value(self._open_reader().readline())

    def readlines(self) -> list[Any]:
        return list(self)

    def write(self, file_content: Any) -> None:
        """Write bytes or text."""
        data = as_bytes(file_content, self._encoding)
        with _translated():
            self._open_writer().write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        if (offset is None) == (position is None):
            raise TypeError("seek(): takes an offset, or a position")
        if whence not in (0, 1, 2):
            problem = f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            raise _error("InvalidArgumentError", problem)
        self._open_reader().seek(position if offset is None else offset, whence)  # type: ignore[arg-type]  # one is set

    def tell(self) -> int:
        return (self._open_reader() if self._can_read else self._open_writer()).tell()

    def seekable(self) -> bool:
        return True

    def flush(self) -> None:
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        for file in (self._reader, self._writer):
            if file is not None:
                with _translated():
                    file.close()
        self._reader = self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        while line := self.readline():
            yield line

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __del__(self) -> None:
        self.close()


class GFile(FileIO):
    """A file, by default opened for reading text."""

    def __init__(self, name: Any, mode: str = "r") -> None:
        super().__init__(name, mode)


Open = FastGFile = GFile


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """Return the content of a file."""
    with FileIO(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Write a file."""
    with FileIO(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: Any, contents: Any, overwrite: bool = True) -> None:
    """Write a file under another name, and rename it."""
    temporary = f"{_local(filename)}.tmp{uuid.uuid4().hex}"
    write_string_to_file(temporary, contents)
    try:
        Rename(temporary, filename, overwrite)
    except errors.OpError:
        Remove(temporary)
        raise


def Exists(path: Any) -> bool:
    """Return whether a file or folder exists."""
    return os.path.exists(_local(path))


def IsDirectory(path: Any) -> bool:
    """Return whether a folder exists."""
    return os.path.isdir(_local(path))


def Remove(path: Any) -> None:
    """Delete a file. Raises NotFoundError."""
    with _translated():
        os.remove(_local(path))


def Glob(pattern: Any) -> list[str]:
    """Return the paths that match a pattern, or one of several patterns; "./a" for "a", as TensorFlow does."""
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else pattern
    return [path for one in patterns for path in sorted(_glob.glob(_with_folder(_local(one))))]


def _with_folder(pattern: str) -> str:
    """Return a pattern with wildcards that begins with a folder, which may be "."."""
    beginning = _re.split(r"[*?\[\\]", pattern, maxsplit=1)[0]
    return pattern if "/" in beginning or beginning == pattern else f"./{pattern}"


def MkDir(path: Any) -> None:
    """Make a folder; nothing for an empty path. Raises AlreadyExistsError, NotFoundError if its parent is missing."""
    if not os.fspath(path):
        return
    with _translated():
        os.mkdir(_local(path))


def MakeDirs(path: Any) -> None:
    """Make a folder and its parents; nothing if it exists. The empty path is the current folder."""
    with _translated():
        os.makedirs(_local(path) or ".", exist_ok=True)


def Copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file. Raises AlreadyExistsError if `dst` exists and must not be overwritten."""
    _move(shutil.copyfile, src, dst, overwrite)


def Rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Rename a file. Raises AlreadyExistsError if `dst` exists and must not be overwritten."""
    _move(os.replace, src, dst, overwrite)


def _move(function: Callable[[str, str], Any], src: Any, dst: Any, overwrite: bool) -> None:
    if not overwrite and Exists(dst):
        raise _error("AlreadyExistsError", f"file already exists: {as_str_any(dst)}")
    with _translated():
        function(_local(src), _local(dst))


def DeleteRecursively(path: Any) -> None:
    """Delete a folder with its content. Raises NotFoundError."""
    with _translated():
        if os.path.isdir(_local(path)):
            shutil.rmtree(_local(path))
        else:
            os.remove(_local(path))


def ListDirectory(path: Any) -> list[str]:
    """Return the names in a folder. Raises NotFoundError."""
    if not IsDirectory(path):
        raise _error("NotFoundError", f"Could not find directory {as_str_any(path)}")
    with _translated():
        return os.listdir(_local(path))


def Walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the path, the folders and the files of a folder and of all folders in it."""
    path = _local(top)
    if not os.path.isdir(path):
        if onerror:
            onerror(_error("NotFoundError", f"Could not find directory {path}"))
        return
    yield from os.walk(path, topdown)


@dataclass(frozen=True)
class FileStatistics:
    """Size in bytes, time of the last change in nanoseconds, and whether this is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def Stat(path: Any) -> FileStatistics:
    """Return the statistics of a file. Raises NotFoundError."""
    with _translated():
        status = os.stat(_local(path))
    is_directory = os.path.isdir(_local(path))
    return FileStatistics(status.st_size, status.st_mtime_ns, is_directory)


def join(path: Any, *paths: Any) -> Any:
    """Join parts of a path."""
    return os.path.join(path, *paths)


def has_atomic_move(path: Any) -> bool:
    """Return True: local files can be renamed at once."""
    return True


def get_registered_schemes() -> list[str]:
    """Return the schemes of paths: local files have none, or "file"."""
    return ["", "file"]
