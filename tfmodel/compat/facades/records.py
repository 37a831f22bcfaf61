"""TFRecord files: `tf.io.TFRecordWriter`, `tf.compat.v1.io.tf_record_iterator`, `tf.train.summary_iterator`."""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterator
from typing import Any, Self

from pbwire.compat import compat_class

from ... import messages
from ...io.record_sources import record_bytes
from ...io.records import read_records
from . import errors
from .text import as_bytes, as_str

_WINDOW_BITS = {"GZIP": 31, "ZLIB": 15}

__all__ = [
    "TFRecordCompressionType",
    "TFRecordOptions",
    "TFRecordWriter",
    "summary_iterator",
    "tf_record_iterator",
]


class TFRecordCompressionType:
    """How the records of a file are compressed."""

    NONE, ZLIB, GZIP = 0, 1, 2


class TFRecordOptions:
    """The options of a file; only its compression ("", "GZIP", "ZLIB") has a meaning here."""

    def __init__(self, compression_type: Any = None, **others: Any) -> None:
        names = {None: "", 0: "", 1: "ZLIB", 2: "GZIP"}
        self.compression_type = names.get(compression_type, compression_type)
        if self.compression_type not in ("", "GZIP", "ZLIB"):
            raise ValueError(f"unknown compression {compression_type!r}")


def _compression(options: Any) -> str:
    if options is None or isinstance(options, str):
        return options or ""
    return str((options if isinstance(options, TFRecordOptions) else TFRecordOptions(options)).compression_type)


class TFRecordWriter:
    """Writes records to a file."""

    def __init__(self, path: Any, options: Any = None) -> None:
        compression = _compression(options)
        try:
            file = open(os.fspath(path), "wb")  # noqa: SIM115  # closed by `close`
        except OSError as error:
            raise errors.error_of(error) from error
        self._file: Any = file
        self._packer: Any = zlib.compressobj(wbits=_WINDOW_BITS[compression]) if compression else None

    def write(self, record: Any) -> None:
        """Write one record of bytes."""
        for part in record_bytes(as_bytes(record)):
            self._file.write(part if self._packer is None else self._packer.compress(part))

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        if not self._file.closed:
            if self._packer is not None:
                self._file.write(self._packer.flush())
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """Yield the records of a file, which is compressed as the options say.

    Raises NotFoundError, FailedPreconditionError for a folder, and DataLossError for a damaged file.
    """
    from ...errors import RecordError

    try:
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), as_str(os.fspath(path)))
        yield from read_records(os.fspath(path), compression=_compression(options))
    except OSError as error:
        raise errors.error_of(error) from error
    except RecordError as error:
        raise errors.DataLossError(None, None, str(error)) from error  # type: ignore[attr-defined]  # made by a loop


def summary_iterator(path: Any) -> Iterator[Any]:
    """Yield the Event messages of an event file. Raises the errors of `tf_record_iterator`, and DecodeError."""
    event = compat_class(messages.Event)
    for record in tf_record_iterator(path):
        yield event.FromString(record)
