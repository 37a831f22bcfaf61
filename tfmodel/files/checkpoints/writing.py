"""Writer of version 2 checkpoints with one data file, which TensorFlow can restore.

    write_checkpoint("model.ckpt-7", {"dense/kernel": kernel, "dense/bias": bias})

The output is deterministic. If TensorFlow stores the tensors at the same locations, it writes an identical index.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from pbwire.atomic import replacing_together
from pbwire.wire import Buffer

from ...messages import BundleEntryProto, BundleHeaderProto, DataType, VersionDef
from ...values.dtypes import Dtype, dtype_of, natural_dtype
from ...values.dtypes.conversion import array_of
from ...values.shape import shape_to_proto
from ..access.crc32c import crc32c, mask
from .data_files import shard_name
from .entries import quote
from .strings import encode_strings
from .table_file import table

_STRINGS = dtype_of(DataType.DT_STRING)


def write_checkpoint(
    prefix: str | os.PathLike[str],
    tensors: Mapping[str, npt.ArrayLike],
    *,
    dtypes: Mapping[str, DataType] | None = None,
) -> None:
    """Write `prefix`.index and `prefix`.data-00000-of-00001.

    A tensor is stored in the type of its array (float32, int32, int64 and so on). Strings are `bytes`, or `str`, which
    is encoded as UTF-8. `dtypes` maps names of tensors to other types, such as bfloat16, which NumPy lacks. Floats are
    rounded to a narrower type; a number that its type cannot represent raises ValueError.

    Existing files are replaced after all data is written and synced to disk, the index last. Raises ValueError or
    TypeError for a tensor that cannot be stored, and OSError.
    """
    prefix = os.fspath(prefix)
    dtype_of_name = dtypes or {}
    if unknown := sorted(dtype_of_name.keys() - tensors.keys()):
        raise ValueError(f"dtypes: there is no tensor {quote(unknown[0])}")
    for name in tensors:
        if not isinstance(name, str) or not name or name.startswith("\0"):
            raise ValueError(f"a tensor cannot be called {quote(name)}")
    keys = sorted((name.encode(), name) for name in tensors)
    with replacing_together() as replace:
        data, index = replace(shard_name(prefix, 0, 1)), replace(f"{prefix}.index")
        records = [(b"", BundleHeaderProto(num_shards=1, version=VersionDef(producer=1)).to_bytes())]
        offset = 0
        for key, name in keys:
            entry, pieces = _entry(name, tensors[name], dtype_of_name.get(name))
            entry.offset = offset
            for piece in pieces:
                data.write(piece)
            offset += entry.size
            records.append((key, entry.to_bytes()))
        index.write(table(records))


def _entry(name: str, values: npt.ArrayLike, dtype: DataType | None) -> tuple[BundleEntryProto, list[Buffer]]:
    """Return the entry of a tensor, without its offset, and its bytes in pieces."""
    try:
        array = array_of(values)
        if array.dtype.kind in "SU" and not isinstance(values, np.ndarray):
            array = np.asarray(values, object)  # NumPy strings lose trailing zero bytes
        row = _row(array, dtype)
        pieces: list[Buffer]
        if row is _STRINGS:
            strings, crc = encode_strings(list(_bytes_of(array)))
            pieces = [*strings]
        else:
            pieces, crc = _numbers(row.encode(array))
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"tensor {quote(name)}: {error}") from error
    shape = shape_to_proto(array.shape)
    size = sum(map(len, pieces))
    return BundleEntryProto(dtype=row.number, shape=shape, size=size, crc32c=mask(crc)), pieces


def _row(array: npt.NDArray[Any], dtype: DataType | None) -> Dtype:
    """Return the type in which an array is stored: `dtype`, or by default the type of the array."""
    row = _STRINGS if array.dtype.kind in "SUO" else natural_dtype(array.dtype)
    if dtype is not None:
        requested = dtype_of(dtype)
        if (row is _STRINGS) != (requested is _STRINGS) or (requested.is_object and requested is not _STRINGS):
            raise TypeError(f"an array of {array.dtype} cannot be stored as {requested.name}")
        return requested
    if row is None:
        raise TypeError(f"TensorFlow has no type for NumPy's {array.dtype}")
    return row


def _numbers(stored: npt.NDArray[Any]) -> tuple[list[Buffer], int]:
    flat = np.ascontiguousarray(stored).reshape(-1)
    data = flat.view(np.uint8).data if prod(stored.shape) else b""
    return [data], crc32c(data)


def _bytes_of(array: npt.NDArray[Any]) -> Iterator[bytes]:
    for element in array.reshape(-1):
        if isinstance(element, str):
            yield element.encode()
        elif isinstance(element, bytes):
            yield bytes(element)
        else:
            raise TypeError(f"an element is of type {type(element).__name__}; strings are bytes or str")
