"""The output of generated JSON printers: buffered chunks of text, and the options of the call.

The layout is that of `json.dumps`. A chunk begins with the text *in front* of a value: a comma or an opening bracket, a
newline and the indentation. Functions take this text as `head`. They take the newline and the indentation of the value
itself as `line`, for its closing bracket. Lists and maps write the buffer when it has more than MAX_CHUNKS chunks, and
long strings are cut into several chunks. So a large text is not in memory as a whole.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NoReturn

from ..descriptor import Table
from ..errors import DecodeError, EncodeError, class_name
from ..lazy.messages import decode_copy, encoded_span, span_positions
from ..text.scalars import Speller
from ..varints import as_bytes
from .scalars import float_texts

MAX_CHUNKS = 256  # chunks that are buffered before they are written
VALUES_PER_CHUNK = 64  # of a list, in one chunk
MAX_CHUNK_LENGTH = 6 << 10  # characters or bytes of a value in one chunk; a multiple of 3 for base64
MAX_REMEMBERED_KEYS = 4096  # quoted keys of maps: keys such as attribute names are few and repeat
MAX_REMEMBERED_KEY_LENGTH = 64
MIN_LAZY_BYTES = 1 << 16  # an undecoded message of that size is decoded level by level


class Output:
    """The buffered output of one printing call, and its options.

    Attributes for generated code:

    append         adds a chunk
    chunks         the buffered chunks
    step           the indentation that is added on each level
    comma          separates two values
    escape         quotes a string
    floats         prints 32-bit floats
    keys           the quoted keys that occurred before
    printer_name   the name of the function that prints a message with these options
    line           the argument `line` for the outermost message
    unset_value_is_null   a google.protobuf.Value in which nothing is set is null, and no error
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
        "printer_name",
        "step",
        "types",
        "unset_value_is_null",
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
        unset_value_is_null: bool = False,
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
        self.unset_value_is_null = unset_value_is_null
        self.keys: dict[str, str] = {}
        flags = {
            "a": always_print_fields_with_no_presence,
            "i": use_integers_for_enums,
            "n": preserving_proto_field_name,
            "s": sort_keys,
            "u": unquote_int64_if_possible,
        }
        letters = "".join(flag for flag, is_set in flags.items() if is_set)
        self.printer_name = f"print_json:{letters}" if letters else "print_json"

    def flush(self) -> None:
        """Write the buffered chunks."""
        text = "".join(self.chunks)
        self.chunks.clear()
        try:
            self.write(text)
        except BaseException as error:  # remembered: it is an error of the file, not of a value
            self.failure = error
            raise

    def quote(self, value: str) -> str:
        """Return a string in quotes. Raises UnicodeEncodeError for a lone surrogate."""
        if not value.isascii():
            value.encode()
        return self.escape(value)


# --- strings -----------------------------------------------------------------------------------------------------


def put_string(out: Output, head: str, value: Any) -> None:
    """Append `head` and a string of any length and content."""
    value = str.__str__(value)
    if len(value) <= MAX_CHUNK_LENGTH:
        out.append(head + out.quote(value))
        return
    out.append(head + '"')
    for start in range(0, len(value), MAX_CHUNK_LENGTH):
        out.append(out.quote(value[start : start + MAX_CHUNK_LENGTH])[1:-1])
        out.flush()
    out.append('"')


def put_bytes(out: Output, head: str, value: Any) -> None:
    """Append `head` and a value of a bytes field in base64."""
    value = as_bytes(value)
    if len(value) <= MAX_CHUNK_LENGTH:
        out.append(f'{head}"{base64(value)}"')
        return
    out.append(head + '"')
    for start in range(0, len(value), MAX_CHUNK_LENGTH):
        out.append(base64(value[start : start + MAX_CHUNK_LENGTH]))
        out.flush()
    out.append('"')


def base64(value: Any) -> str:
    return b2a_base64(value, newline=False).decode()


def put_key(out: Output, head: str, key: str) -> None:
    """Append `head`, the key of a map and a colon. A short key is remembered in `out.keys`."""
    if key.__class__ is not str or len(key) > MAX_REMEMBERED_KEY_LENGTH:
        put_string(out, head, key)
        out.append(": ")
        return
    text = f"{out.quote(key)}: "
    if len(out.keys) < MAX_REMEMBERED_KEYS:
        out.keys[key] = text
    out.append(head + text)


# --- lists -------------------------------------------------------------------------------------------------------


def put_list(out: Output, head: str, line: str, values: list[Any], texts: Speller) -> None:
    """Append a list of scalars, some at a time. `texts` is a function that prints them."""
    inner = line + out.step
    before, between = f"{head}[{inner}", out.comma + inner
    if len(values) <= VALUES_PER_CHUNK:
        out.append(f"{before}{texts(values, between)}{line}]")
        return
    for start in range(0, len(values), VALUES_PER_CHUNK):
        out.append(before + texts(values[start : start + VALUES_PER_CHUNK], between))
        before = between
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()
    out.append(line + "]")


def put_strings(out: Output, head: str, line: str, values: list[Any]) -> None:
    """Append a list of strings, each of any length."""
    if all(map(str.isascii, values)) and sum(map(len, values)) <= MAX_CHUNK_LENGTH * VALUES_PER_CHUNK:
        put_list(out, head, line, values, lambda values, between: between.join(map(out.escape, values)))
    else:
        _put_values(out, head, line, values, put_string)


def put_bytes_list(out: Output, head: str, line: str, values: list[Any]) -> None:
    """Append a list of values of a bytes field."""
    _put_values(out, head, line, values, put_bytes)


def _put_values(out: Output, head: str, line: str, values: list[Any], put: Callable[[Output, str, Any], None]) -> None:
    inner = line + out.step
    before, between = f"{head}[{inner}", out.comma + inner
    for value in values:
        put(out, before, value)
        before = between
        if len(out.chunks) > MAX_CHUNKS:
            out.flush()
    out.append(line + "]")


# --- messages ----------------------------------------------------------------------------------------------------


def decoded_message(message: Any, table: Table) -> Any:
    """Return the message to print in place of an undecoded message or an instance of a subclass.

    An undecoded message stays undecoded: the result is a decoded copy, which callers neither keep nor change. The
    sub-messages of a large message stay undecoded in the copy, so it is small.
    """
    if not isinstance(message, table.cls):
        raise TypeError(f"{class_name(message, table.cls)} where a {table.cls.__name__} belongs")
    span = encoded_span(message)
    if span is None:
        return message
    positions = span_positions(span)
    size = sum(positions[1::2]) - sum(positions[::2])
    try:
        return decode_copy(table, span, "decode" if size < MIN_LAZY_BYTES else "decode_lazily")
    except DecodeError as error:
        raise error.within(table.cls.__name__) from None


class TooDeep(EncodeError):
    """Messages are nested more deeply than the caller allows."""


def refuse_depth(out: Output) -> NoReturn:
    """Raise TooDeep, because messages are nested more deeply than `out.max_depth`."""
    raise TooDeep(
        f"nested too deeply: more than {out.max_depth:,} levels of messages; "
        "a larger max_depth prints it, and is needed to read it too"
    )
