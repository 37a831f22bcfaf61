"""Printing of special content: undecoded messages, Any, messages that the caller formats, and unknown fields.

The content of undecoded messages and of Any is decoded for printing only.

Unknown fields are printed by number. Whether bytes are a message is a guess, made as in protobuf's Python
implementation so that the text is the same. Bytes are printed as a message if they can be read as fields to the end.
Empty bytes are a message, field number 0 is valid, and the last tag may close a group that was never opened. In 4.25,
the end tag of a group may have another number than its start tag. Bytes that end inside of a group are not a message;
protobuf 6 takes them for one if they happen to end with the bytes of the end tag.
"""

from __future__ import annotations

import re
from typing import Any

from ..behavior import behavior
from ..codec.codegen import function
from ..descriptor import Field, Table
from ..errors import DecodeError, EncodeError, class_name
from ..lazy.messages import decode_with_maps, encoded_span
from ..table import entry_class
from ..wire import MAX_DEPTH, WireType, fail, fail_too_short, read_varint
from .output import MAX_CHUNKS, Output, TooDeep, put_bytes
from .streaming import message_parts

ANY = "google.protobuf.Any"
# The printer of protobuf 4 treats an empty message of these types as absent, so it does not expand an Any with such a
# message. That of protobuf 5 does.
NOT_EXPANDED = ("google.protobuf.Struct", "google.protobuf.ListValue")
# Google's printer prints every URL unchanged, so a URL that contains "] { } name:" prints a further field. Here, an Any
# stays packed if its URL has characters other than these.
_is_url = re.compile(r"[\w!$%&()*+,./:;=?@~-]*", re.ASCII).fullmatch


def print_message(out: Output, line: str, message: Any) -> None:
    """Print a message, with `line` in front of each of its lines.

    Raises EncodeError for a value that its field cannot hold; the text before this value may have been written.
    """
    try:
        put_message(out, line, message, MAX_DEPTH if out.max_depth is None else out.max_depth)
        out.finish()
    except DecodeError:
        raise
    except Exception as error:  # any exception that an invalid value causes
        if error is out.failure:
            raise
        from ..codec.validation import check  # needed after errors only

        check(message)
        if isinstance(error, TooDeep):
            raise
        raise EncodeError(f"cannot be printed ({type(error).__name__}: {error})") from error


def put_message(out: Output, line: str, message: Any, depth: int) -> None:
    """Append all lines of a message of any class. `depth` is the number of further levels that may be nested."""
    table = message.__table__
    if message.__class__ is table.cls:
        function(table, out.printer_name)(out, line, message, depth)
    else:
        put_other(out, line, message, depth, table)


def put_other(out: Output, line: str, message: Any, depth: int, table: Table) -> None:
    """Append a message that is not a direct instance of the class of `table`. An undecoded message stays undecoded."""
    put = function(table, out.printer_name)
    if not isinstance(message, table.cls):
        raise TypeError(f"{class_name(message, table.cls)} where a {table.cls.__name__} belongs")
    span = encoded_span(message)
    if span is None:
        put(out, line, message, depth)
        return
    whole = table.full_name == ANY or table.is_extendable or out.style.formatted or out.style.declared
    unknown: list[bytes] = []
    for part in message_parts(table, span, whole=whole, whole_lists=out.whole_lists):
        if out.unknown and not whole:  # unknown fields come last
            decode_with_maps(part)  # decoding a map may add to them
            unknown.append(part._unknown)
            part._unknown = b""
        put(out, line, part, depth)
    if unknown:
        put_unknown(out, line, b"".join(unknown), depth)


def put_any(out: Output, line: str, message: Any, depth: int) -> bool:
    """Print a google.protobuf.Any expanded if the class of its content is known. Return whether it was printed.

    It is not printed if its content would be nested too deeply for parsers.
    """
    if out.types is None or depth < 1:
        return False
    message.type_url.encode()  # raises UnicodeEncodeError for a lone surrogate
    _, slash, name = message.type_url.rpartition("/")
    expanded = behavior().structs or name not in NOT_EXPANDED
    cls = out.types.get(name) if slash and expanded else None
    if cls is None or not _is_url(message.type_url):
        return False
    try:
        packed = cls.from_bytes(message.value, max_depth=depth - 1)  # type: ignore[attr-defined]  # the caller's `types` have message classes
    except DecodeError:
        return False  # Google's printer in Python raises an error; the printer in C++ prints the Any unexpanded
    out.append(f"{line}[{message.type_url}]{out.style.opening}")
    put_message(out, line + out.step, packed, depth - 1)
    out.append(line + out.style.closing)
    return True


def put_formatted(out: Output, line: str, message: Any, depth: int) -> bool:
    """Print the text that the caller's function returns for a message. Return False if it returns None."""
    text = _call_formatter(out, line, message)
    if text is not None:
        out.append(text)
    return text is not None


def put_entry(out: Output, head: str, line: str, end: str, field: Field, key: Any, value: Any) -> bool:
    """Print the text that the caller's function returns for an entry of a map, between `head` and `end`.

    The function gets the entry as a message with the fields `key` and `value`. Return False if it returns None.
    """
    text = _call_formatter(out, line, entry_class(field)(key=key, value=value))
    if text is not None:
        out.append(head + text + end)
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()
    return text is not None


def _call_formatter(out: Output, line: str, message: Any) -> str | None:
    try:
        text = out.formatter(message, len(line) - 1, not out.step)  # type: ignore[misc]  # styles with `formatted` have a formatter
        return None if text is None else line + text
    except BaseException as error:  # errors of the formatter are passed to the caller
        out.failure = error
        raise


# --- unknown fields --------------------------------------------------------------------------------------------------

_VARINT, _FIXED64, _LENGTH, _START_GROUP, _END_GROUP, _FIXED32 = map(int, WireType)
_UNTIL_END_TAG = -1  # the position of a group's end is not known yet


def put_unknown(out: Output, line: str, data: bytes, depth: int) -> None:
    """Append the unknown fields in `data`, which are complete. Messages are guessed at most `depth` levels deeper."""
    ends = [len(data)]  # of the enclosing messages and groups, outermost first
    pos = 0
    while True:
        while pos == ends[-1]:
            ends.pop()
            if not ends:
                return
            line = _close(out, line)
        number, wire_type, start, pos = _read_field(data, pos, len(data))
        if wire_type == _START_GROUP:
            ends.append(_UNTIL_END_TAG)
            line = _open(out, line, number)
        elif wire_type == _END_GROUP:
            if ends[-1] == _UNTIL_END_TAG:
                ends.pop()
                line = _close(out, line)
        elif wire_type != _LENGTH:
            value = int.from_bytes(data[start:pos], "little") if wire_type else read_varint(data, start, pos)[0]
            out.append(f"{line}{number}: {value}")
        elif len(ends) <= depth and _is_message(data, start, pos, depth - len(ends)):
            ends.append(pos)
            line = _open(out, line, number)
            pos = start
        else:
            put_bytes(out, f"{line}{number}: ", memoryview(data)[start:pos])
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()


def _open(out: Output, line: str, number: int) -> str:
    out.append(f"{line}{number} {{")
    return line + out.step


def _close(out: Output, line: str) -> str:
    line = line[: len(line) - len(out.step)]
    out.append(f"{line}}}")
    return line


def _is_message(data: bytes, pos: int, end: int, depth: int) -> bool:
    groups: list[int] = []
    are_checked = behavior().group_numbers
    try:
        while pos < end:
            number, wire_type, _, pos = _read_field(data, pos, end)
            if wire_type == _START_GROUP:
                groups.append(number)
                if len(groups) > depth:
                    return False
            elif wire_type == _END_GROUP:
                if not groups:
                    return pos == end
                if groups.pop() != number and are_checked:
                    return False
    except DecodeError:
        return False
    return not groups


def _read_field(data: bytes, pos: int, end: int) -> tuple[int, int, int, int]:
    """Return the number and wire type of a field, and the start and end of its value. Tags of groups have no value."""
    tag, pos = read_varint(data, pos, end)
    number, wire_type = tag >> 3, tag & 7
    start = pos
    if wire_type == _VARINT:
        pos = read_varint(data, pos, end)[1]
    elif wire_type == _LENGTH:
        size, start = read_varint(data, pos, end)
        pos = start + size
    elif wire_type == _FIXED64:
        pos += 8
    elif wire_type == _FIXED32:
        pos += 4
    elif wire_type > _FIXED32:
        fail("no wire type", pos)
    if pos > end:
        fail_too_short(pos - start, start, end)
    return number, wire_type, start, pos
