"""Writing named arrays for others to read: as one .npz, or as a folder of .npy files.

    with npz_writer("weights.npz") as add:
        add("dense/kernel", kernel)           # numpy.load("weights.npz")["dense/kernel"]

    with folder_writer("weights") as add:
        add("dense/kernel", kernel)           # weights/dense/kernel.npy

Arrays are written one after another, so that only one has to be in memory. The file or folder is there when the block
ends, whole, or not at all. Names lead nowhere but into the folder, whatever they are.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from .files import writable

__all__ = ["Add", "NotExported", "folder_writer", "npz_writer"]

Add: TypeAlias = Callable[[str, npt.NDArray[Any]], None]

_SUFFIX = ".npy"
_LONGEST_NAME = 200  # bytes of a part of a path
_WIDEST = 16  # how many times longer strings may get by being made equally long
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # so that the same arrays give the same file


class NotExported(Exception):
    """An array that has no form that is safe to load."""


@contextlib.contextmanager
def npz_writer(path: str) -> Iterator[Add]:
    """What is added to is an archive that `numpy.load` opens; "-" is standard output."""
    with writable(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:

        def add(name: str, array: npt.NDArray[Any]) -> None:
            plain = _plain(array)
            if f"{name}{_SUFFIX}" in archive.NameToInfo:
                raise NotExported("there is another array of this name")
            member = zipfile.ZipInfo(f"{name}{_SUFFIX}", _FIRST_DATE)
            with archive.open(member, "w", force_zip64=True) as out:
                np.lib.format.write_array(out, plain, allow_pickle=False)

        yield add


@contextlib.contextmanager
def folder_writer(path: str) -> Iterator[Add]:
    """What is added to is a folder that must not be there yet, or be empty. Slashes in names make folders in it."""
    target = os.path.realpath(path)
    if os.path.isdir(target) and os.listdir(target):
        raise FileExistsError(17, "this folder is there already, and not empty", path)
    temporary = f"{target}.{secrets.token_hex(4)}.tmp"
    written: set[str] = set()

    def add(name: str, array: npt.NDArray[Any]) -> None:
        plain = _plain(array)
        relative = _file_name(name)
        if relative.casefold() in written:  # two names that differ in case are one file for some systems
            relative = f"{relative.removesuffix(_SUFFIX)}~{len(written)}{_SUFFIX}"
        written.add(relative.casefold())
        file = os.path.join(temporary, relative)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "xb") as out:
            np.lib.format.write_array(out, plain, allow_pickle=False)

    os.makedirs(temporary)
    try:
        yield add
        os.replace(temporary, target)
    except BaseException:  # raised again, when nothing is left behind
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array without Python objects, which a file holds only as code that runs when it is loaded."""
    if array.dtype != object:
        return array
    if not all(isinstance(element, bytes) for element in array.flat):
        raise NotExported("its elements are no numbers and no strings")
    lengths = [len(element) for element in array.flat]
    if max(lengths, default=0) * len(lengths) > _WIDEST * sum(lengths) + (1 << 20):
        raise NotExported("its strings differ too much in length")
    plain = array.astype(np.bytes_)
    if any(element.endswith(b"\0") for element in array.flat):
        raise NotExported("NumPy's strings cannot end with a zero")
    return plain


def _file_name(name: str) -> str:
    """A relative path for a name: its parts, with everything escaped that means something to some system."""
    *folders, last = name.split("/")
    parts = [_part(folder + ("%2F" if folder.endswith(_SUFFIX) else "")) for folder in folders]
    return os.path.join(*parts, _part(last) + _SUFFIX)


def _part(part: str) -> str:
    escaped = quote(part, safe=" ()[]{}+,;=@!#$&'^~%-_.").replace("/", "%2F")
    if escaped in ("", ".", "..") or escaped.startswith("."):
        escaped = f"%{escaped}"
    if len(escaped) > _LONGEST_NAME:
        import hashlib

        escaped = f"{escaped[: _LONGEST_NAME - 17]}-{hashlib.sha256(part.encode()).hexdigest()[:16]}"
    return escaped
