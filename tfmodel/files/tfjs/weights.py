"""The weights of a TensorFlow.js model: its manifest, and the files beside model.json that hold the values.

    "weightsManifest": [{
        "paths": ["group1-shard1of2.bin", "group1-shard2of2.bin"],
        "weights": [{"name": "w", "shape": [3, 2], "dtype": "float32"},
                    {"name": "b", "shape": [2], "dtype": "float32",
                     "quantization": {"dtype": "uint8", "min": -0.5, "scale": 0.01}}]
    }]

The files of a group, one after the other, are the values of its weights without gaps, little-endian. A string is its
length, 4 bytes, and its bytes. Of a quantized weight, the integers `q` are stored, and its values are `q * scale + min`
in double precision, rounded to its type; with "float16", half-precision floats are stored.

The handlers of `model.save` get the same entries without files, which some programs write as JSON:

    "weightSpecs": [{"name": "w", ...}, ...], "weightData": ...

`weightData` is the base64 text of all bytes, a list of them, or an object with a byte under each index. JavaScript's
JSON.stringify makes `{}` of an ArrayBuffer, so the values may be lost, or in a file that only the program knows.

The format is that of `tensorflowjs/write_weights.py` and of `io/types.ts` in the repository of TensorFlow.js. The paths
come from a file that may be hostile: only files in the folder of model.json, or in a folder inside of it, are read,
each one once, and nothing is allocated before the sizes of the files are compared with the manifest.
"""

from __future__ import annotations

import base64
import io
import os
import re
import struct
from collections.abc import Iterator
from math import isfinite, nan, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import FileFormatError
from ...messages import DataType
from ...values.dtypes import DTYPES, Dtype
from ...values.terminal import escape, shorten
from ..access.special_files import describe_missing, no_file
from ..access.stand_ins import STAND_IN_HEAD, stand_in

if TYPE_CHECKING:
    import numpy.typing as npt

LENGTH = struct.Struct("<I")
"""The length in front of each string."""

STORED_DTYPES = {
    "float32": DataType.DT_FLOAT,
    "int32": DataType.DT_INT32,
    "bool": DataType.DT_BOOL,
    "string": DataType.DT_STRING,
    "complex64": DataType.DT_COMPLEX64,
    "float16": DataType.DT_HALF,
    "uint8": DataType.DT_UINT8,
    "uint16": DataType.DT_UINT16,
}
"""The element types of a manifest. The last three are those of quantized values; the converter knows them as types of
weights too, though TensorFlow.js does not read such weights."""

_QUANTIZED = {"uint8": ("float32", "int32"), "uint16": ("float32", "int32"), "float16": ("float32",)}
_MAX_DIMENSIONS = 254  # TensorFlow has no tensors with more
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = re.compile(r"[A-Za-z]:")
_SHOWN = 100  # characters of a name or a path in an error
LOST_DATA = "weightData"
"""The name that `missing_files` returns for values that are in no file."""

LOST = (
    "it describes its weights in weightSpecs, and their values, weightData, are not in the file: save the model with "
    "model.save('downloads://model'), and keep model.json and model.weights.bin together"
)
"""The text of the error for weights that are in no file."""


class Quantization(NamedTuple):
    """How the values of a weight are stored; `scale` and `min` have no meaning for float16."""

    dtype: str
    scale: float = 1.0
    min: float = 0.0


class Weight(NamedTuple):
    """An entry of the manifest. `dtype` is the type of the values, a key of STORED_DTYPES."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    quantization: Quantization | None = None

    @property
    def stored(self) -> Dtype:
        """The type of the elements in the file."""
        return DTYPES[STORED_DTYPES[self.quantization.dtype if self.quantization else self.dtype]]

    @property
    def size(self) -> int | None:
        """The number of bytes in the file; None for strings."""
        return None if self.dtype == "string" else prod(self.shape) * self.stored.itemsize


class Group(NamedTuple):
    """The weights that are in the same files, or in `data`. `is_lost` marks weights whose values are in neither."""

    paths: list[str]
    weights: list[Weight]
    data: bytes | None = None
    is_lost: bool = False


# --- the manifest ----------------------------------------------------------------------------------------------------


def has_groups(model: dict[str, Any]) -> bool:
    """Return whether a model describes its weights at all."""
    return any(model.get(key) not in (None, []) for key in ("weightsManifest", "weightSpecs"))


def weight_groups(model: dict[str, Any]) -> list[Group]:
    """Return the groups of a model, of its manifest or its `weightSpecs`. Raises as `parse_manifest` does."""
    if "weightsManifest" in model or "weightSpecs" not in model:
        return parse_manifest(model.get("weightsManifest"))
    (group,) = parse_manifest([{"paths": [], "weights": model["weightSpecs"]}], "weightSpecs")
    data = _bytes_of(model.get(LOST_DATA))
    return [group._replace(data=data, is_lost=data is None and bool(group.weights))]


def _bytes_of(value: Any) -> bytes | None:
    """Return the content of `weightData`; None if it is missing or empty. Raises FileFormatError for anything else."""
    if isinstance(value, dict):  # {"0": 12, "1": 255}, which JSON.stringify makes of a Uint8Array
        if list(value) != [str(index) for index in range(len(value))]:
            raise FileFormatError(f"{LOST_DATA} must have a byte under each index, from 0 on")
        value = list(value.values())
    if not value:
        return None
    try:
        return base64.b64decode(value, validate=True) if isinstance(value, str) else bytes(value)
    except (TypeError, ValueError):
        raise FileFormatError(f"{LOST_DATA} must be base64 or a list of bytes, not {_shown(value)}") from None


def parse_manifest(manifest: Any, key: str = "weightsManifest") -> list[Group]:
    """Return the groups of a manifest. Raises FileFormatError, without the name of the file, if it is not valid."""
    groups: list[Group] = []
    names: set[str] = set()
    paths: set[str] = set()
    for number, item in enumerate(_list(manifest, key)):
        place = f"{key}[{number}]"
        fields = _object(item, place)
        group = Group([], [])
        for path in _list(fields.get("paths"), f"{place}.paths"):
            _check_path(path, f"{place}.paths")
            if os.path.normpath(path) in paths:  # a small manifest could claim any number of bytes
                raise FileFormatError(f"{place}.paths: {_quote(path)} is listed twice")
            paths.add(os.path.normpath(path))
            group.paths.append(path)
        for index, entry in enumerate(_list(fields.get("weights"), f"{place}.weights")):
            weight = _weight(entry, f"{place}.weights[{index}]")
            if weight.name in names:
                raise FileFormatError(f"{place}.weights[{index}]: there are two weights {_quote(weight.name)}")
            names.add(weight.name)
            group.weights.append(weight)
        groups.append(group)
    return groups


def _weight(entry: Any, place: str) -> Weight:
    fields = _object(entry, place)
    name, dtype = fields.get("name"), fields.get("dtype")
    if not isinstance(name, str):
        raise FileFormatError(f"{place} has no name")
    place = f"{place}, {_quote(name)}"
    if dtype not in STORED_DTYPES:
        raise FileFormatError(f"{place}: its dtype must be one of {', '.join(STORED_DTYPES)}, not {_shown(dtype)}")
    shape = _list(fields.get("shape"), f"{place}: its shape")
    if len(shape) > _MAX_DIMENSIONS or not all(type(size) is int and 0 <= size < 2**63 for size in shape):
        raise FileFormatError(f"{place}: its shape must be a list of sizes, not {_shown(shape)}")
    quantization = fields.get("quantization")
    return Weight(name, dtype, tuple(shape), _quantization(quantization, dtype, place) if quantization else None)


def _quantization(value: Any, dtype: str, place: str) -> Quantization:
    fields = _object(value, f"{place}: its quantization")
    stored = fields.get("dtype")
    if stored not in _QUANTIZED:
        names = ", ".join(_QUANTIZED)
        raise FileFormatError(f"{place}: its quantization must have a dtype of {names}, not {_shown(stored)}")
    if dtype not in _QUANTIZED[stored]:
        raise FileFormatError(f"{place}: {dtype} values are not quantized to {stored}")
    if stored == "float16":
        return Quantization(stored)
    return Quantization(stored, _number(fields.get("scale"), place), _number(fields.get("min"), place))


def _number(value: Any, place: str) -> float:
    try:
        number = float(value) if type(value) in (int, float) else nan
    except OverflowError:
        number = nan
    if not isfinite(number):
        raise FileFormatError(f"{place}: its quantization needs a min and a scale, not {_shown(value)}")
    return number


def _check_path(path: Any, place: str) -> None:
    """Raise FileFormatError unless a path names a file in the folder of the model."""
    if not isinstance(path, str) or not path or "\0" in path:
        raise FileFormatError(f"{place}: {_shown(path)} is not the name of a file")
    if _URL.match(path) and not _DRIVE.fullmatch(path[:2]):
        raise FileFormatError(f"{place}: {_quote(path)} is a URL, and nothing is downloaded: put the file beside it")
    parts = re.split(r"[/\\]", path)
    if path[0] in "/\\" or _DRIVE.match(path) or ".." in parts:
        raise FileFormatError(f"{place}: {_quote(path)} leads out of the folder of the model, and is not read")


def _list(value: Any, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise FileFormatError(f"{place} must be a list, not {_shown(value)}")
    return value


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FileFormatError(f"{place} must be an object, not {_shown(value)}")
    return value


def _quote(text: str) -> str:
    return f'"{escape(shorten(text, _SHOWN))}"'


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, (dict, list)):
        return ("an object" if isinstance(value, dict) else "a list") if value else repr(value)
    return _quote(value) if isinstance(value, str) else shorten(str(value), _SHOWN)


# --- the files -------------------------------------------------------------------------------------------------------


def read_values(groups: list[Group], folder: str | None) -> Iterator[tuple[Weight, bytes | list[bytes]]]:
    """Yield each weight with its stored values: the bytes of its elements, or a list of strings.

    `folder` is that of model.json; None if it is not known, so that no file can be found. Raises FileFormatError,
    without the name of model.json, for files that are missing or do not fit the manifest; OSError if one cannot be
    read.
    """
    if names := [name for name in missing_files(groups, folder) if name != LOST_DATA]:
        put = f"put {'the file' if len(names) == 1 else 'the files'} beside it"
        raise FileFormatError(f"{describe_missing(names)}: {put}")
    for group in groups:
        with _Shards(group, folder) as shards:
            for weight in group.weights:
                yield weight, shards.take_strings(weight) if weight.size is None else shards.take(weight.size, weight)
            shards.finish()


def missing_files(groups: list[Group], folder: str | None) -> list[str]:
    """Return the names of the files of weights that do not exist beside the model, and `weightData` if it is lost."""
    paths = [path for group in groups for path in group.paths]
    lost = [LOST_DATA for group in groups if group.is_lost]
    return lost + [
        path for path in paths if folder is not None and not os.path.lexists(os.path.join(folder, *path.split("/")))
    ]


class _Shards:
    """The files of a group, read as one."""

    def __init__(self, group: Group, folder: str | None) -> None:
        if group.is_lost:
            raise FileFormatError(LOST)
        self._paths = [_find(path, folder) for path in group.paths]
        sizes = [os.path.getsize(path) for path in self._paths]
        self._number = 0
        self._file: Any = None
        self._inside = LOST_DATA if group.data is not None else "no file"
        if group.data is not None:
            self._file, sizes = io.BytesIO(group.data), [len(group.data)]
        self._left = sum(sizes)
        needed = sum(weight.size or 0 for weight in group.weights)
        is_exact = all(weight.size is not None for weight in group.weights)
        if self._left < needed or (is_exact and self._left != needed):
            raise FileFormatError(self._describe_mismatch(sizes, needed, is_exact))

    def __enter__(self) -> _Shards:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def take(self, count: int, weight: Weight) -> bytes:
        """Return the next `count` bytes."""
        if count > self._left:
            raise FileFormatError(f"{self._names()}: cut off in the weight {_quote(weight.name)}")
        pieces: list[bytes] = []
        missing = count
        while missing:
            if self._file is None:
                self._file = open(self._paths[self._number], "rb")  # noqa: SIM115  closed below, or by the block
                self._number += 1
            if piece := self._file.read(missing):
                pieces.append(piece)
                missing -= len(piece)
                continue
            self._file.close()
            self._file = None
            if self._number == len(self._paths):  # a file became shorter meanwhile
                raise FileFormatError(f"{self._names()}: cut off in the weight {_quote(weight.name)}")
        self._left -= count
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def take_strings(self, weight: Weight) -> list[bytes]:
        count = prod(weight.shape)
        if count * LENGTH.size > self._left:
            raise FileFormatError(f"{self._names()}: cut off in the weight {_quote(weight.name)}")
        return [self.take(LENGTH.unpack(self.take(LENGTH.size, weight))[0], weight) for _ in range(count)]

    def finish(self) -> None:
        if self._left:
            raise FileFormatError(f"{self._names()}: {self._left:,} bytes more than its weights need")

    def _names(self) -> str:
        names = [escape(os.path.basename(path)) for path in self._paths]
        return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}" if names else self._inside

    def _describe_mismatch(self, sizes: list[int], needed: int, is_exact: bool) -> str:
        for path, size in zip(self._paths, sizes, strict=False):
            with open(path, "rb") as file:
                head = file.read(STAND_IN_HEAD)
            if found := stand_in(head, size):
                return f"{escape(os.path.basename(path))}: {found}"
        least = "" if is_exact else "at least "
        return f"{self._names()}: {sum(sizes):,} bytes, and the weights need {least}{needed:,}"


def _find(path: str, folder: str | None) -> str:
    """Return the path of a file beside the model. Raises FileFormatError if it is missing or not a regular file."""
    if folder is None:
        raise FileFormatError(f"its weights are in {_quote(path)}, a file beside it: give its path")
    full = os.path.join(folder, *path.split("/"))
    if what := no_file(full):
        raise FileFormatError(f"its weights are in {_quote(path)}, which is not a file but {what}")
    if not os.path.isfile(full):  # a link to a missing file
        raise FileFormatError(f"{describe_missing([path])}: put the file beside it")
    return full


# --- values ----------------------------------------------------------------------------------------------------------


def to_array(weight: Weight, stored: bytes | list[bytes]) -> npt.NDArray[Any]:
    """Return the values of a weight that was read, in its type, dequantized as TensorFlow.js does it."""
    import numpy as np  # names and sizes do not need it

    if isinstance(stored, list):
        strings = np.empty(len(stored), object)
        strings[:] = stored
        return strings.reshape(weight.shape)
    array = np.frombuffer(stored, weight.stored.storage).reshape(weight.shape)
    quantization = weight.quantization
    if quantization is None:
        return weight.stored.decode(array)
    if quantization.dtype == "float16":
        return array.astype(np.float32)
    with np.errstate(over="ignore"):
        values = array * quantization.scale + quantization.min
        if weight.dtype == "float32":
            return values.astype(np.float32)
    values = np.floor(values + 0.5)  # as JavaScript rounds
    if values.size and not (values.min() >= -(2.0**31) and values.max() < 2.0**31):
        raise FileFormatError(f"the weight {_quote(weight.name)}: its scale is too large for int32")
    return values.astype(np.int32)
