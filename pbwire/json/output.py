"""What generated printers print to: pieces of JSON on their way out, and the options that were asked for.

Layout is that of `json.dumps`. A piece begins with what comes *before* it: a comma or an opening bracket, a newline and
the indentation. Every function takes that as `head`, and `line`, the newline and indentation of the value itself, for
what closes it. Pieces are joined and handed on whenever many have gathered, so the text is never in memory as a whole.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NoReturn

from ..descriptor import Table
from ..errors import DecodeError, EncodeError, class_name
from ..lazy.messages import detached, positions, span_of
from ..varints import as_bytes
from .scalars import float_texts

__all__ = [
    "FULL",
    "LARGE",
    "LONG",
    "Output",
    "TooDeep",
    "base64",
    "put_bytes",
    "put_bytes_list",
    "put_key",
    "put_list",
    "put_string",
    "put_strings",
    "readable",
    "too_deep",
]

FULL = 256  # so many pieces are handed on
TOGETHER = 64  # so many values of a list make one piece
LONG = 6 << 10  # so many characters or bytes of a value do; base64 takes three at a time
REMEMBERED_KEYS = 4096  # of maps, in quotes; they are few and come again and again
REMEMBERED_KEY_SIZE = 64
LARGE = 1 << 16  # bytes: above that, an untouched message is decoded level by level


class Output:
    """The text of one call, and how it should look.

    Of what generated code uses, `append` adds a piece and `chunks` are those that have gathered, `step` is how far the
    inside of a value is indented and `comma` what parts two values, `escape` puts a string in quotes, `floats` spells
    numbers of four bytes, and `keys` has the keys that were met before, as they are printed. `what` names the function
    that prints a message with these options, and `line` is what that is given for the outermost one.
    """

    __slots__ = (
        "append",
        "chunks",
        "comma",
        "escape",
        "failure",
        "floats",
        "keys",
        "line",
        "max_depth",
        "step",
        "types",
        "what",
        "write",
    )

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        indent: int | str | None,
        always_print_fields_with_no_presence: bool,
        preserving_proto_field_name: bool,
        use_integers_for_enums: bool,
        sort_keys: bool,
        ensure_ascii: bool,
        types: Mapping[str, type] | None,
        max_depth: int,
        float_precision: int | None = None,
        unquote_int64_if_possible: bool = False,
    ) -> None:
        self.write = write
        self.failure: BaseException | None = None
        self.chunks: list[str] = []
        self.append = self.chunks.append
        self.step = indent if isinstance(indent, str) else " " * (indent or 0)
        self.line = "" if indent is None else "\n"
        self.comma = ", " if indent is None else ","
        self.escape = encode_basestring_ascii if ensure_ascii else encode_basestring
        self.floats = float_texts(float_precision)
        self.types = types
        self.max_depth = max_depth
        self.keys: dict[str, str] = {}
        flags = {
            "a": always_print_fields_with_no_presence,
            "i": use_integers_for_enums,
            "n": preserving_proto_field_name,
            "s": sort_keys,
            "u": unquote_int64_if_possible,
        }
        asked_for = "".join(flag for flag, asked in flags.items() if asked)
        self.what = f"print_json:{asked_for}" if asked_for else "print_json"

    def flush(self) -> None:
        """Hand on what has gathered."""
        text = "".join(self.chunks)
        self.chunks.clear()
        try:
            self.write(text)
        except BaseException as error:  # whatever a file raises is the caller's
            self.failure = error
            raise

    def quote(self, value: str) -> str:
        """A string in quotes. Raises UnicodeEncodeError for one that holds half of a surrogate pair."""
        if not value.isascii():
            value.encode()
        return self.escape(value)


# --- strings -----------------------------------------------------------------------------------------------------


def put_string(out: Output, head: str, value: Any) -> None:
    """Append `head` and a string, however long and whatever is in it."""
    value = str.__str__(value)
    if len(value) <= LONG:
        out.append(head + out.quote(value))
        return
    out.append(head + '"')
    for start in range(0, len(value), LONG):
        out.append(out.quote(value[start : start + LONG])[1:-1])
        out.flush()
    out.append('"')


def put_bytes(out: Output, head: str, value: Any) -> None:
    """The same for a value of a bytes field, in base64."""
    value = as_bytes(value)
    if len(value) <= LONG:
        out.append(f'{head}"{base64(value)}"')
        return
    out.append(head + '"')
    for start in range(0, len(value), LONG):
        out.append(base64(value[start : start + LONG]))
        out.flush()
    out.append('"')


def base64(value: Any) -> str:
    return b2a_base64(value, newline=False).decode()


def put_key(out: Output, head: str, key: str) -> None:
    """Append `head`, the key of a map, which may be remembered, and a colon."""
    if key.__class__ is not str or len(key) > REMEMBERED_KEY_SIZE:
        put_string(out, head, key)
        out.append(": ")
        return
    text = f"{out.quote(key)}: "
    if len(out.keys) < REMEMBERED_KEYS:
        out.keys[key] = text
    out.append(head + text)


# --- lists -------------------------------------------------------------------------------------------------------


def put_list(
    out: Output, head: str, line: str, values: list[Any], texts: Callable[[Output, list[Any]], list[str]]
) -> None:
    """Append a list of values that are not messages; `texts` is what spells some of them."""
    inner = line + out.step
    before, between = f"{head}[{inner}", out.comma + inner
    for start in range(0, len(values), TOGETHER):
        out.append(before + between.join(texts(out, values[start : start + TOGETHER])))
        before = between
        if len(out.chunks) > FULL:
            out.flush()
    out.append(line + "]")


def put_strings(out: Output, head: str, line: str, values: list[Any]) -> None:
    """The same for strings, each of which may be long."""
    if all(map(str.isascii, values)) and sum(map(len, values)) <= LONG * TOGETHER:
        put_list(out, head, line, values, _quoted)
    else:
        _put_each(out, head, line, values, put_string)


def put_bytes_list(out: Output, head: str, line: str, values: list[Any]) -> None:
    """The same for values of a bytes field."""
    _put_each(out, head, line, values, put_bytes)


def _quoted(out: Output, values: list[str]) -> list[str]:
    return list(map(out.escape, values))


def _put_each(out: Output, head: str, line: str, values: list[Any], put: Callable[[Output, str, Any], None]) -> None:
    inner = line + out.step
    before, between = f"{head}[{inner}", out.comma + inner
    for value in values:
        put(out, before, value)
        before = between
        if len(out.chunks) > FULL:
            out.flush()
    out.append(line + "]")


# --- messages ----------------------------------------------------------------------------------------------------


def readable(message: Any, table: Table) -> Any:
    """What to print for a message that is not simply of its class.

    An untouched one stays so: what is decoded here is not kept, and is little, for a large one is decoded in parts.
    """
    if not isinstance(message, table.cls):
        raise TypeError(f"{class_name(message, table.cls)} where a {table.cls.__name__} belongs")
    span = span_of(message)
    if span is None:
        return message
    where = positions(span)
    size = sum(where[1::2]) - sum(where[::2])
    try:
        return detached(table, span, "decode" if size < LARGE else "decode_lazily")
    except DecodeError as error:
        raise error.within(table.cls.__name__) from None


class TooDeep(EncodeError):
    """More messages one inside the other than the caller allows."""


def too_deep(out: Output) -> NoReturn:
    """Refuse to print what `loads` would refuse to read."""
    raise TooDeep(
        f"nested too deeply: more than {out.max_depth:,} messages, one inside the other; "
        "a larger max_depth prints it, and is needed to read it too"
    )
