"""TFRecord files: `tf.io.TFRecordWriter`, `tf.compat.v1.io.tf_record_iterator`, `tf.train.summary_iterator`."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator
from typing import Any, Self

from pbwire.compat import compat_class

from ... import messages
from ...errors import RecordError
from ...files.tfrecords.records import Damage, Record, RecordReader
from ...files.tfrecords.sources import FOOTER, HEADER, record_bytes
from . import errors
from .text import as_bytes, as_str

_WINDOW_BITS = {"GZIP": 31, "ZLIB": 15}

__all__ = [
    "RecordIterator",
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


def read(path: Any, compression: str) -> Iterator[bytes]:
    """Yield the records of a file, which is opened for the first one. Raises the errors of `RecordIterator`."""
    with contextlib.closing(RecordIterator(path, compression)) as records:
        yield from records


class RecordIterator:
    """The records of a file, one after the other. At the end of the file, more of them are read if it has grown.

    A part of a header at the end is left for later, without an error, and everything is tried again after an error.
    Raises NotFoundError, FailedPreconditionError for a folder, and DataLossError for a damaged or truncated record.
    The file is closed by `close`, and with the last reference to this object, as in TensorFlow.
    """

    _file: Any = None
    _reader: RecordReader | None = None

    def __init__(self, path: Any, compression_type: Any = "") -> None:
        self._path = os.fspath(path)
        self._compression = as_str(compression_type or "")
        self._end = 0  # of the last record
        self._base = 0  # where the data of the reader begin
        self._read_size = -1  # of the file when it was read to its end
        self._entries: Iterator[Record | Damage] = iter(())
        self._error: Exception | None = None  # of all calls
        try:
            self.reopen()
            self._reader = RecordReader(self._path, compression=self._compression, damaged="skip")
            self._entries = iter(self._reader)
        except errors.FailedPreconditionError as error:  # type: ignore[attr-defined]  # made by a loop
            self._error = error

    def __del__(self) -> None:
        self.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        if self._error is not None:
            raise self._error
        try:
            entry = next(self._entries, None) or self._later_entry()
        except OSError as error:
            raise errors.error_of(error) from error
        except RecordError as error:
            raise self._data_loss(str(error)) from error
        if isinstance(entry, Damage):
            if entry.kind != "end" or self._compression or self._size() - self._base - entry.offset >= HEADER:
                raise self._data_loss(str(entry))
            entry = None
        if entry is None:
            raise StopIteration
        self._end = self._base + entry.offset + HEADER + len(entry.data) + FOOTER
        return entry.data

    def _data_loss(self, problem: str) -> Exception:
        """Return an error, after which the file is read again from the end of the last record on."""
        error: Exception = errors.DataLossError(None, None, problem)  # type: ignore[attr-defined]  # made by a loop
        self._entries, self._read_size = iter(()), -1
        self._error = error if self._compression else None
        return error

    def _size(self) -> int:
        return os.fstat(self._file.fileno()).st_size

    def _later_entry(self) -> Record | Damage | None:
        """Return the next entry of a file that has grown; None if it has not."""
        if self._file is None or self._compression:
            return None
        size = self._size()
        if size in (self._end, self._read_size):
            return None
        self._read_size = size
        self._base = self._file.seek(self._end)
        self._entries = iter(RecordReader(self._file.read(), compression="", damaged="skip"))
        return next(self._entries, None)

    def close(self) -> None:
        """Close the file, until `reopen`."""
        if self._file is not None:
            self._file.close()
        if self._reader is not None:
            self._reader.close()
        self._file, self._reader, self._entries = None, None, iter(())

    def reopen(self) -> None:
        """Open the file again, and read on after the last record."""
        self.close()
        self._read_size = -1
        try:
            self._file = open(self._path, "rb")  # noqa: SIM115  # closed by `close`
        except OSError as error:
            raise errors.error_of(error) from error


def tf_record_iterator(path: Any, options: Any = None) -> RecordIterator:
    """Return an iterator over the records of a file, which is compressed as the options say."""
    return RecordIterator(path, _compression(options))


def summary_iterator(path: Any) -> Iterator[Any]:
    """Yield the Event messages of an event file. Raises the errors of `RecordIterator`, and DecodeError."""
    event = compat_class(messages.Event)
    with contextlib.closing(tf_record_iterator(path)) as records:
        for record in records:
            yield event.FromString(record)
