"""Detect the message type of binary data: the type whose fields explain most of the bytes.

The fields of each candidate are compared with the first few records of the outer levels of nesting. A record is an
encoded field. It counts as explained if its field number is known, its wire type fits, and its value is plausible: text
is UTF-8 without control characters, an enum has a name, and a sub-message is explained in the same way. Wrong
candidates fail soon, because a field that is a number in one message is a string in another.

Bytes beyond the end of the examined part count neither for nor against a candidate, so a truncated file is still
recognised.

Files that are not messages, such as images and archives, are identified by their first and last bytes.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbwire.descriptor import KINDS, Field, table_of
from pbwire.errors import DecodeError
from pbwire.wire import WireType, read_tag, read_varint, skip_field

from ..access.stand_ins import stand_in
from . import onnx
from .formats import IN_RECORDS, SURE, best_class, classes

RECORDS = (16, 16, 8, 8, 4)  # examined records in each message, by level; deeper messages count as explained
WEIGHT = 64  # maximum weight of a value in bytes: a large tensor should not decide alone
DAMAGE = 24  # maximum weight of bytes that cannot be read
TEXT = 256  # examined bytes of a string

FIRST_RECORDS = 8  # records of a TFRecord file that determine their class

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def best(data: bytes) -> Any:
    """Return the most likely class of the message that begins with `data`; None if no class is likely."""
    return best_class(lambda cls: explain_share(data, cls), onnx=onnx.guess_from_fields(data))


def explain_share(data: bytes, cls: Any) -> float:
    """Return the share of a file's beginning that the fields of `cls` explain, from 0 to 1; 1 for an empty file."""
    known, total = _explain(memoryview(data), 0, len(data), table_of(cls).by_number, 0, True)
    return known / total if total else float(not data)


def first_fields(data: bytes, size: int) -> str:
    """Describe the first fields of wire-format data: "1: number, 4: 1,200 bytes"; empty for other data."""
    fields: list[str] = []
    pos = 0
    try:
        while pos < len(data) and len(fields) < 5:
            number, wire_type, pos = read_tag(data, pos, len(data))
            if wire_type == WireType.LENGTH:
                length, start = read_varint(data, pos, len(data))
                pos = start + length
                if pos > size:
                    return ""
                fields.append(f"{number}: {length:,} bytes")
            else:
                pos = skip_field(data, pos, len(data), number, wire_type)
                fields.append(f"{number}: {'group' if wire_type == WireType.START_GROUP else 'number'}")
    except DecodeError:
        return ""
    # Random bytes often begin like one or two records, so these alone are not enough.
    return f"fields {', '.join(fields)}{', ...' if pos < size else ''}" if pos == size or len(fields) == 5 else ""


def _explain(
    view: memoryview, pos: int, end: int, fields: Mapping[int, Field], level: int, open_ended: bool
) -> tuple[float, int]:
    """Return how many bytes of the message at `pos` are explained, and how many were examined.

    `fields` are the candidate's fields by number, and `level` is the depth of nesting. An open-ended message continues
    after `end`, where the examined part of the file ends.
    """
    known, total = 0.0, 0
    for _ in range(RECORDS[level]):
        if pos >= end:
            break
        start, field = pos, None
        try:
            number, code, pos = read_tag(view, pos, end)
            field = fields.get(number)
            value = pos
            if code == WireType.LENGTH:
                length, value = read_varint(view, pos, end)
                pos = value + length
            else:
                pos = skip_field(view, pos, end, number, code)
        except DecodeError as error:
            if not (open_ended and error.is_truncated and (field or end - start < DAMAGE)):
                total += min(DAMAGE, end - start)
            break
        if pos > end and not open_ended:
            total += min(DAMAGE, end - start)
            break
        stop = min(pos, end)
        weight = min(WEIGHT, stop - start)
        inside = None if field is None else _fields_inside(field)
        if inside is not None and code == WireType.LENGTH and level + 1 < len(RECORDS):
            inner_known, inner_total = _explain(view, value, stop, inside, level + 1, pos > end)
            known += value - start + inner_known
            total += value - start + inner_total
        else:
            plausibility = 0.0 if field is None else _plausibility(field, code, view[value:stop], pos > end)
            if pos <= end or plausibility < 1:
                known += weight * plausibility
                total += weight
    return known, total


def _fields_inside(field: Field) -> Mapping[int, Field] | None:
    if field.key is not None and field.value is not None:
        return {1: field.key, 2: field.value}
    return table_of(field.type).by_number if field.kind == "message" else None


def _plausibility(field: Field, code: int, value: memoryview, cut: bool) -> float:
    """Return a score from 0 (the value cannot belong to the field) to 1 (the value is typical of the field).

    `code` is the wire type. `cut` is true if the end of the value is not in the examined part.
    """
    kind = KINDS[field.kind]
    if code == WireType.LENGTH and field.label == "repeated" and kind.packable:
        width = 4 if kind.wire_type == WireType.FIXED32 else 8
        is_complete = len(value) % width == 0 if kind.format else not len(value) or value[-1] < 128
        return 1 if is_complete or cut else 0
    if code != (WireType.LENGTH if field.label == "map" else kind.wire_type):
        return 0
    if field.kind == "string":
        try:
            text = codecs.utf_8_decode(value[:TEXT], "strict", len(value) <= TEXT and not cut)[0]
        except UnicodeDecodeError:
            return 0
        return 0.5 if _CONTROL.search(text) else 1
    if code == WireType.VARINT:
        number = read_varint(value, 0, len(value))[0]
        if field.kind == "enum":
            return 1 if number in field.type.__numbers__ else 0.5
        return 0.5 if field.kind == "bool" and number > 1 else 1
    return 1


_TABLE_END = bytes.fromhex("57fb808b247547db")

_KERAS = "its weights can be listed, exported and compared, by its path; for everything else, export it as a SavedModel"
_HDF5 = b"\x89HDF\r\n\x1a\n"
_UNPACK = "unpack it and give the model inside"
_UTF_16 = 'save it as UTF-8 (some editors call UTF-16 "Unicode", and PowerShell\'s > writes it)'

# The first bytes of a file, the kind of file, and advice to the user.
_STARTS: list[tuple[bytes, str, str]] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image", ""),
    (b"\xff\xd8\xff", "a JPEG image", ""),
    (b"GIF8", "a GIF image", ""),
    (b"%PDF-", "a PDF document", ""),
    (_HDF5, "an HDF5 file, as Keras writes them (.h5)", _KERAS),
    (b"BZh", "bzip2-compressed data", _UNPACK),
    (b"\xfd7zXZ\0", "xz-compressed data", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "Zstandard-compressed data", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"\x93NUMPY", "a NumPy array (.npy)", ""),
    (b"GGUF", "a GGUF model", "that is a format of llama.cpp"),
    (b"SQLite format 3\0", "an SQLite database", ""),
    (b"\x7fELF", "a program or library (ELF)", ""),
    (b"MZ\x90\0", "a Windows program or library", ""),
    (b"\xff\xfe\0\0", "text in UTF-32", "save it as UTF-8"),
    (b"\xff\xfe", "text in UTF-16", _UTF_16),
    (b"\xfe\xff", "text in UTF-16", _UTF_16),
    (
        bytes.fromhex("83af70d10d884a3f"),
        "a chunked model (.cpb), written by TensorFlow's proto splitter as Riegeli records",
        "it cannot be read here; save the model without SaveOptions(experimental_image_format=True)",
    ),
]

_IN_KERAS = (b"metadata.json", b"config.json")
"""The first member of a .keras archive."""

_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<(?:\?xml\b|svg\b|Error>)")
_WIDE = re.compile(rb"(?:[\t\n\r -~]\0){8}|(?:\0[\t\n\r -~]){8}")


def is_table(tail: bytes) -> bool:
    """Return whether a file with this end is a table file: a checkpoint index or a V1 checkpoint."""
    return len(tail) >= 48 and tail.endswith(_TABLE_END)


def is_keras(head: bytes) -> bool:
    """Return whether a file with this beginning is an HDF5 file, or a .keras archive."""
    return head.startswith((_HDF5, *(b"PK\x03\x04%b%b" % (head[4:30], name) for name in _IN_KERAS)))


def is_gzip(head: bytes) -> bool:
    return head.startswith(b"\x1f\x8b\x08")


def foreign(head: bytes, size: int) -> tuple[str, None, str] | None:
    """Return the description of another file format, None for the class, and advice; None if it may be a model."""
    for start, what, advice in _STARTS:
        if head.startswith(start):
            return what, None, advice
    for question in (_stand_in, _xml, _zip, _pickle, _tar, _inside_header, _utf_16):
        if answer := question(head, size):
            return answer[0], None, answer[1]
    return None


def _stand_in(head: bytes, size: int) -> tuple[str, str] | None:
    return stand_in(head)


def _xml(head: bytes, size: int) -> tuple[str, str] | None:
    if _XML.match(head):
        return "an XML document", ""
    return None


def _zip(head: bytes, size: int) -> tuple[str, str] | None:
    if not head.startswith(b"PK\x03\x04"):
        return None
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if first.endswith((b"data.pkl", b"/version", b"/byteorder")) or b"data.pkl" in head[:4096]:
        return "a PyTorch model (.pt)", ""
    if first in _IN_KERAS:
        return "a Keras model (.keras)", _KERAS
    if first.endswith(b".npy"):
        return "NumPy arrays (.npz)", ""
    return "a zip archive", _UNPACK


def _pickle(head: bytes, size: int) -> tuple[str, str] | None:
    if head[:1] != b"\x80" or head[1:2] not in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return None
    framed = head[1] >= 4 and head[2:3] == b"\x95"
    return ("a Python pickle", "it may run code when it is loaded") if framed or head[2:3] in b"cX}](\x8c\x8a" else None


def _tar(head: bytes, size: int) -> tuple[str, str] | None:
    return ("a tar archive", _UNPACK) if head[257:262] == b"ustar" else None


def _inside_header(head: bytes, size: int) -> tuple[str, str] | None:
    if head[2:8] == b"\0\0TFL3":
        return "a TensorFlow Lite model (.tflite)", "it is a format of its own; give the model it was converted from"
    if 2 <= int.from_bytes(head[:8], "little") <= size - 8 and head[8:10] == b'{"':
        return "a safetensors file", ""
    if b"_tf_keras_" in head[:4096] and head[:1] == b"\n" and b'"class_name"' in head:
        return "the Keras metadata beside a SavedModel", "give the folder or its saved_model.pb"
    return None


def records(head: bytes, size: int) -> tuple[str, Any] | None:
    """Return the description of a TFRecord file, and the class of its records, which may be None; else None.

    A record begins with a length and its checksum. The first record tells which messages the records are.
    """
    from ..tfrecords.sources import HEADER, begins_with_record, unpack_head  # only files that are read need it

    head = unpack_head(head)
    if not begins_with_record(head) or int.from_bytes(head[:8], "little") > max(size, len(head)):
        return None
    firsts = list(_first_records(head, HEADER))
    cls = record_class(firsts)
    if cls is not None and cls.__name__ == "Event":
        return "an event file of TensorBoard", cls
    if cls is not None:
        return f"a TFRecord file of tf.{cls.__name__} messages", cls
    return "a TFRecord file", None


def record_class(records: Sequence[bytes]) -> Any:
    """Return the class of the first records of a file: Example, SequenceExample, Event; None if they are other data."""
    if any(records):
        for cls in classes(IN_RECORDS):
            if all(explain_share(record, cls) >= SURE for record in records):
                return cls
    return None


def _first_records(head: bytes, header: int) -> Iterator[bytes]:
    """Yield the data of the first complete records of a TFRecord file, or of the first one alone if it is cut off."""
    pos = 0
    for number in range(FIRST_RECORDS):
        length = int.from_bytes(head[pos : pos + 8], "little")
        if number and pos + header + length > len(head):
            break
        yield head[pos + header : pos + header + length]
        pos += header + length + 4


def _utf_16(head: bytes, size: int) -> tuple[str, str] | None:
    """Detect UTF-16 without a byte order mark: every other byte is zero, and between them are letters."""
    start = _WIDE.match(head)
    return ("text in UTF-16", _UTF_16) if start and any(map(str.isalpha, start[0].decode())) else None
