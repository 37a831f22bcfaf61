"""What generated printers leave to others: messages that are untouched, of a subclass, Any, or formatted by the caller.

Of untouched ones and of Any nothing is kept: what they hold is decoded for printing only.
"""

from __future__ import annotations

import re
from typing import Any

from ..codec.codegen import function
from ..descriptor import Field, Table
from ..errors import DecodeError, EncodeError, class_name
from ..lazy.messages import settle, span_of
from ..map_entries import entry_class
from ..wire import MAX_DEPTH
from .output import FULL, Output, TooDeep
from .streaming import parts
from .unknown_fields import put_unknown

__all__ = ["print_message", "put_any", "put_entry", "put_formatted", "put_other"]

ANY = "google.protobuf.Any"
# Google's printer mistakes an empty one of these for no message at all, and so never expands an Any that holds one.
NOT_EXPANDED = ("google.protobuf.Struct", "google.protobuf.ListValue")
# It also prints a URL as it is, whatever is in it: with "] { } name:" in it the text is that of another message.
_is_url = re.compile(r"[\w!$%&()*+,./:;=?@~-]*", re.ASCII).fullmatch


def print_message(out: Output, line: str, message: Any) -> None:
    """Print all of a message, `line` before each of its lines. Raises EncodeError for a value that has no place there.

    What was printed before it may have been written.
    """
    try:
        put_message(out, line, message, MAX_DEPTH if out.max_depth is None else out.max_depth)
        out.finish()
    except DecodeError:
        raise
    except Exception as error:  # whatever a wrong value makes of Python's own operations
        if error is out.failure:
            raise
        from ..codec.validation import check  # not needed while all is well

        check(message)
        if isinstance(error, TooDeep):
            raise
        raise EncodeError(f"cannot be printed ({type(error).__name__}: {error})") from error


def put_message(out: Output, line: str, message: Any, depth: int) -> None:
    """Append all lines of a message of whatever class, in which `depth` more levels may be nested."""
    table = message.__table__
    if message.__class__ is table.cls:
        function(table, out.printer)(out, line, message, depth)
    else:
        put_other(out, line, message, depth, table)


def put_other(out: Output, line: str, message: Any, depth: int, table: Table) -> None:
    """Append a message that is not simply of the class of `table`: an untouched one stays so."""
    put = function(table, out.printer)
    if not isinstance(message, table.cls):
        raise TypeError(f"{class_name(message, table.cls)} where a {table.cls.__name__} belongs")
    span = span_of(message)
    if span is None:
        put(out, line, message, depth)
        return
    in_one = table.full_name == ANY or out.style.formatted or out.style.declared
    strangers: list[bytes] = []
    for part in parts(table, span, in_one=in_one, lists_in_one=out.lists_in_one):
        if out.unknown and not in_one:  # unknown fields come last
            settle(part)  # reading a map may add to them
            strangers.append(part._unknown)
            part._unknown = b""
        put(out, line, part, depth)
    if strangers:
        put_unknown(out, line, b"".join(strangers), depth)


def put_any(out: Output, line: str, message: Any, depth: int) -> bool:
    """Print a google.protobuf.Any as the message that it holds, if its class is known.

    It stays packed, and so can be read again, if that message would be nested too deeply where the Any stands.
    """
    if out.types is None or depth < 1:
        return False
    message.type_url.encode()  # raises where there is no UTF-8 form
    _, slash, name = message.type_url.rpartition("/")
    cls = out.types.get(name) if slash and name not in NOT_EXPANDED else None
    if cls is None or not _is_url(message.type_url):
        return False
    try:
        packed = cls.from_bytes(message.value, max_depth=depth - 1)  # type: ignore[attr-defined]  # the class, or the formatter, is the caller's
    except DecodeError:
        return False  # Google's Python printer raises its own, the one in C++ prints what there is
    out.append(f"{line}[{message.type_url}]{out.style.opening}")
    put_message(out, line + out.step, packed, depth - 1)
    out.append(line + out.style.closing)
    return True


def put_formatted(out: Output, line: str, message: Any, depth: int) -> bool:
    """Print what the caller's function makes of a message, unless that is None."""
    text = _formatted(out, line, message)
    if text is not None:
        out.append(text)
    return text is not None


def put_entry(out: Output, head: str, line: str, end: str, field: Field, key: Any, value: Any) -> bool:
    """The same for an entry of a map, as the message that it is on the wire; `head` and `end` stand around it."""
    text = _formatted(out, line, entry_class(field)(key=key, value=value))
    if text is not None:
        out.append(head + text + end)
        if len(out.chunks) > FULL:
            out.flush()
    return text is not None


def _formatted(out: Output, line: str, message: Any) -> str | None:
    try:
        text = out.formatter(message, len(line) - 1, not out.step)  # type: ignore[misc]  # the class, or the formatter, is the caller's
        return None if text is None else line + text
    except BaseException as error:  # whatever the formatter raises is the caller's
        out.failure = error
        raise
