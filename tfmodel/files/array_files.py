"""Write named arrays as one .npz, as a folder of .npy files, or as one .safetensors.

    with npz_writer("weights.npz") as add:
        add("dense/kernel", kernel)           # numpy.load("weights.npz")["dense/kernel"]

    with folder_writer("weights") as add:
        add("dense/kernel", kernel)           # weights/dense/kernel.npy

Arrays are written one after another, so only one has to be in memory. The complete file or folder appears when the
block ends; after an error it does not appear. Names of arrays are escaped so that all files are inside the folder.

A .safetensors file has named tensors in a format that many programs read:

    with open("weights.safetensors", "wb") as file:
        write_safetensors(file, [Tensor("kernel", dtype_of(DataType.DT_FLOAT), kernel.shape, lambda: kernel)])

It consists of the length of the header (8 bytes, little-endian), the header, and the bytes of the tensors without
gaps. The header is a JSON object with the type, shape and place of every tensor:

    {"kernel": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}

Blanks after the header align the first tensor to a multiple of 8 bytes. Tensors with larger elements come first, so
that each tensor is aligned to the size of its elements. Equal tensors give equal files.

bfloat16 and float8 keep their types. Types that the format lacks are written as the NumPy type that users get: integers
of 4 and 2 bits as int8 and uint8, other small floats as float32, and quantized types as their integers.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod
from types import SimpleNamespace
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeAlias
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from pbwire.atomic import new_folder, writable

from ..values.dtypes import Dtype
from ..values.tensors import elements_of

Add: TypeAlias = Callable[[str, npt.NDArray[Any]], None]

_SUFFIX = ".npy"
_LONGEST_NAME = 200  # bytes of a part of a path
_LONGEST_PATH = 1000  # bytes of a path in a folder or an archive
_WIDEST = 16  # the maximum ratio by which padding to equal length may enlarge strings
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that the same arrays give the same file


class NotExported(Exception):
    """An array cannot be written in a form that is safe to load."""


@contextlib.contextmanager
def npz_writer(path: str) -> Iterator[Add]:
    """Write an archive that `numpy.load` opens; "-" is standard output. Yields a function that adds an array.

    Arrays keep their names, with two exceptions: names that would lead out of the folder in which the archive is
    unpacked, and names that the format cannot hold. These are escaped as in `folder_writer`.
    """
    with writable(path) as file, zipfile.ZipFile(_in_order(file), "w", zipfile.ZIP_STORED, allowZip64=True) as archive:

        def add(name: str, array: npt.NDArray[Any]) -> None:
            plain = _plain(array)
            member = f"{name}{_SUFFIX}" if _is_harmless(name) else _file_name(name)
            if member in archive.NameToInfo:
                raise NotExported("there is another array of this name")
            with archive.open(zipfile.ZipInfo(member, _FIRST_DATE), "w", force_zip64=True) as out:
                np.lib.format.write_array(out, plain, allow_pickle=False)

        yield add


@contextlib.contextmanager
def folder_writer(path: str) -> Iterator[Add]:
    """Write .npy files to a new or empty folder. Yields a function that adds an array.

    Slashes in the names of arrays make folders inside the folder.
    """
    written: dict[str, int] = {}
    with new_folder(path) as folder:

        def add(name: str, array: npt.NDArray[Any]) -> None:
            plain = _plain(array)
            relative = _other_than(written, _file_name(name))
            written[relative.casefold()] = 1
            file = os.path.join(folder, *relative.split("/"))
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "xb") as out:
                _write_array(out, plain)

        yield add


def _other_than(written: dict[str, int], relative: str) -> str:
    """Return `relative`, with a number if a name that differs at most in case is in use.

    Some systems treat names that differ only in case as one file. `written` maps each name in use to the next number to
    try, so that a number is not tried twice.
    """
    name, stem, other = relative.casefold(), relative.removesuffix(_SUFFIX), relative
    while other.casefold() in written:
        other = f"{stem}~{written[name]}{_SUFFIX}"
        written[name] += 1
    return other


def _in_order(file: BinaryIO) -> Any:
    """Return the file if it is a regular file; else a wrapper that cannot seek.

    /dev/null claims to be seekable, but does not report a position.
    """
    with contextlib.suppress(OSError):  # of an object that is not a file of the system
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return SimpleNamespace(write=file.write, flush=file.flush)
    return file


def _write_array(file: BinaryIO, array: npt.NDArray[Any]) -> None:
    """Write an array through Python's `write`. If NumPy writes to a file itself, its errors lack the reason."""
    np.lib.format.write_array(SimpleNamespace(write=file.write), array, allow_pickle=False)


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array, with strings of a NumPy type if its elements are Python objects.

    Files would store Python objects as code that runs on loading. Raises NotExported if elements are not strings, or
    cannot be stored as NumPy's strings.
    """
    if array.dtype != object:
        return array
    if not all(isinstance(element, bytes) for element in elements_of(array)):
        raise NotExported("its elements are neither numbers nor strings")
    lengths = [len(element) for element in elements_of(array)]
    if max(lengths, default=0) * len(lengths) > _WIDEST * sum(lengths) + (1 << 20):
        raise NotExported("its strings differ too much in length")
    plain = array.astype(np.bytes_)
    if any(element.endswith(b"\0") for element in elements_of(array)):
        raise NotExported("NumPy's strings cannot end with a zero")
    return plain


def _is_harmless(name: str) -> bool:
    """Return whether an archive can keep a name as a path that does not lead out of the folder."""
    return (
        len(name) <= _LONGEST_PATH
        and _LEADS_OUT.search(name) is None
        and not any("\ud800" <= character <= "\udfff" or character < " " for character in name)
    )


_LEADS_OUT = re.compile(r"^[/\\]|^\w:[/\\]|(?:^|[/\\])\.\.[/\\]")  # a last part ".." is harmless: it becomes "...npy"


def _file_name(name: str) -> str:
    """Return a relative path for a name. Characters and parts that are special on any system are escaped."""
    *folders, last = name.split("/")
    parts = [_part(folder + ("%2F" if folder.lower().endswith(_SUFFIX) else "")) for folder in folders]
    path = "/".join([*parts, _part(last)])
    return (path if len(path) <= _LONGEST_PATH else _shorten(path.replace("/", "%2F"), name)) + _SUFFIX


_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$) *(\..*)?", re.IGNORECASE)  # of Windows


def _part(part: str) -> str:
    escaped = quote(part, safe=" ()[]{}+,;=@!#$&'^~%-_.", errors="surrogatepass")
    if escaped in ("", ".", "..") or escaped.startswith(".") or _DEVICES.fullmatch(escaped):
        escaped = f"%{escaped}"
    if escaped.endswith((" ", ".")):  # Windows removes these at the end
        escaped += "%"
    return escaped if len(escaped) <= _LONGEST_NAME else _shorten(escaped, part)


def _shorten(escaped: str, name: str) -> str:
    import hashlib  # slow to import, and few names are so long

    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:16]
    return f"{escaped[: _LONGEST_NAME - 17]}-{digest}"


METADATA = "__metadata__"
"""The reserved name that a tensor must not have."""

_ALIGNED = 8

# The types that are stored unchanged, by their names.
_TYPES = {
    "bool": "BOOL",
    "int8": "I8",
    "uint8": "U8",
    "int16": "I16",
    "uint16": "U16",
    "int32": "I32",
    "uint32": "U32",
    "int64": "I64",
    "uint64": "U64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "float8_e4m3fnuz": "F8_E4M3FNUZ",
    "float8_e5m2fnuz": "F8_E5M2FNUZ",
    "complex64": "C64",
}

# For all other types: the type of the arrays that users get, by NumPy's spelling.
_GIVEN = {"|i1": "I8", "|u1": "U8", "<i2": "I16", "<u2": "U16", "<i4": "I32", "<f4": "F32"}


class Sink(Protocol):
    """The part of a binary file that `write_safetensors` needs."""

    def write(self, data: Any, /) -> object: ...


class Tensor(NamedTuple):
    """A tensor to write. `array` is a function that returns the elements; it is called when they are written."""

    name: str
    dtype: Dtype
    shape: tuple[int, ...]
    array: Callable[[], npt.NDArray[Any]]


def type_in_safetensors(dtype: Dtype) -> str | None:
    """Return the name of an element type in the format; None for types that it lacks, such as strings."""
    return _TYPES.get(dtype.name) or _GIVEN.get(dtype.given)


def write_safetensors(file: Sink, tensors: Iterable[Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors one after another, so that only one has to be in memory. `metadata` is stored in the header.

    Raises ValueError for duplicate names, for the name "__metadata__", for a type that the format lacks, and for an
    array whose shape differs from the declared one.
    """
    ordered = sorted(tensors, key=lambda tensor: -_itemsize(tensor))
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    end = 0
    for tensor in ordered:
        if tensor.name in header or tensor.name == METADATA:
            raise ValueError(f"there cannot be another tensor called {quote(tensor.name)}")
        start, end = end, end + prod(tensor.shape) * _itemsize(tensor)
        header[tensor.name] = {
            "dtype": type_in_safetensors(tensor.dtype),
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
    data = json.dumps(header, separators=(",", ":")).encode()
    data += b" " * (-len(data) % _ALIGNED)
    file.write(len(data).to_bytes(8, "little"))
    file.write(data)
    for tensor in ordered:
        _write(file, tensor)


def _itemsize(tensor: Tensor) -> int:
    if type_in_safetensors(tensor.dtype) is None:
        raise ValueError(f"{quote(tensor.name)} is {tensor.dtype.name}, for which safetensors has no type")
    if tensor.dtype.name in _TYPES:
        return tensor.dtype.itemsize
    return int(tensor.dtype.given[2:])


def _write(file: Sink, tensor: Tensor) -> None:
    array = tensor.array()
    if array.shape != tensor.shape:
        raise ValueError(f"{quote(tensor.name)} has shape {list(array.shape)}, not {list(tensor.shape)}")
    row = tensor.dtype
    if row.name in _TYPES and row.codec:
        stored = row.encode(array)
    else:
        stored = np.asarray(array, dtype=row.given)  # little-endian, on any machine
    if stored.size:
        file.write(np.ascontiguousarray(stored).reshape(-1).view(np.uint8).data)
