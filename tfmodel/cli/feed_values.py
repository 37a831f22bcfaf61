"""The values of --feed: arrays in .npy and .npz files, JSON, expressions, pictures, and records."""

from __future__ import annotations

import json
import os
import zipfile
from math import prod
from typing import IO, Any

from numpy.lib import format

from pbwire.errors import suggestion

from ..files.access.special_files import open_regular
from ..files.access.stand_ins import STAND_IN_HEAD, refuse_stand_in
from ..interpreter.feed_sources import Expression, MediaFile, is_media_file
from ..interpreter.record_feeds import RecordFeed
from ..values.terminal import shorten
from .messages import RequestError, tell

_MAX_NAMES = 10
_LONG = 300  # characters of a text from a file that an error shows


def parse_feed(name: str, text: str, seed: int | None) -> Any:
    """Return the value of a --feed: an array, or an object that makes it when the input is known."""
    file, colon, member = text.rpartition(":") if ".npz:" in text else (text, "", "")
    if file.endswith((".npy", ".npz")):
        return _load_array(file, member if colon else None)
    if is_media_file(text):
        if not os.path.lexists(text):
            raise RequestError(f"--feed {name}: there is no such file", file=text)
        return MediaFile(text, report=tell)
    try:
        if feed := RecordFeed.parse(text, report=tell) or Expression.parse(text, seed):
            return feed
    except ValueError as error:
        raise RequestError(f"--feed {name}: {error}") from None
    try:
        return json.loads(text)
    except RecursionError:
        raise RequestError(f"--feed {name}: its brackets are nested too deeply") from None
    except ValueError:
        if os.path.exists(text):
            raise RequestError(
                f"--feed {name}: arrays are read from .npy, .npz and TFRecord files", file=text
            ) from None
        if ".tfrecord" in text.lower():
            raise RequestError(f"--feed {name}: there is no such file", file=text) from None
        problem = f'"{text}" is neither a .npy or .npz file nor JSON; strings are written "like this", in quotes'
        raise RequestError(f"--feed {name}: {problem}") from None


def _load_array(file: str, member: str | None) -> Any:
    with open_regular(file) as opened:
        size = os.fstat(opened.fileno()).st_size
        refuse_stand_in(file, opened.peek(STAND_IN_HEAD), size)
        return _array_in(opened, size, file, member)


def _array_in(opened: IO[bytes], size: int, file: str, member: str | None) -> Any:
    """Return the only array in an open file, or that with the name `member`. `file` is the name of the file."""
    try:
        if not zipfile.is_zipfile(opened):
            opened.seek(0)
            return _array(opened, size)
        with zipfile.ZipFile(opened) as archive:
            names = [info.filename.removesuffix(".npy") for info in archive.infolist()]
            if len({*names}) < len(names):
                raise RequestError("it has two arrays with the same name", file=file)
            if member is None and len(names) == 1:
                member = names[0]
            if member not in names:
                arrays = ", ".join([*map(_short, names[:_MAX_NAMES])] + ["..."] * (len(names) > _MAX_NAMES)) or "none"
                problem = f"choose an array, as in {file}:NAME; it has {arrays}"
                if member is not None:
                    near = suggestion(member, names) or f"; it has {arrays}"
                    problem = f'there is no array "{member}" in it{near}'
                raise RequestError(problem, file=file)
            info = archive.infolist()[names.index(member)]
            with archive.open(info) as inside:
                return _array(inside, info.file_size)
    except RequestError:
        raise
    except Exception as error:  # NumPy, zipfile, zlib, bz2 and Python's parser raise many types
        if isinstance(error, OSError) and error.filename is not None:
            raise  # the file could not be opened or read
        problem = getattr(error, "strerror", None) or str(error)
        raise RequestError(f"the array cannot be read: {_short(problem)}", file=file) from error


def _short(text: str) -> str:
    return shorten(text, _LONG)


def _array(file: IO[bytes], size: int) -> Any:
    """Return the array of a .npy file of `size` bytes. Raises ValueError if it is cut off or damaged.

    The sizes in its headers are checked before memory is allocated.
    """
    major, _ = format.read_magic(file)
    start = file.tell()
    if int.from_bytes(file.read(2 if major == 1 else 4), "little") > size:
        raise ValueError("its header is cut off")
    file.seek(start)
    read_header = format.read_array_header_1_0 if major == 1 else format.read_array_header_2_0
    shape, _, dtype = read_header(file)
    if prod(shape) * dtype.itemsize > size:
        raise ValueError(f"its shape is {list(shape)}, and it has {size:,} bytes")
    file.seek(0)
    return format.read_array(file, allow_pickle=False)
