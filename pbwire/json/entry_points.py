"""Code shared by `dumps`, `loads` and their aliases: print or parse a whole document.

`Document` parses strict JSON, while Python's own parser accepts NaN and keeps the last of two equal keys. An object
with a repeated key becomes an `ObjectWithRepeatedKey`. The reader of this object then raises an error with its path. If
the object belongs to an unknown field, which is not read, `Document.finish` raises the error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from ..codec.codegen import function
from ..collection import PausedCollection
from ..descriptor import table_of
from ..errors import DecodeError, EncodeError, JsonError
from ..plain import parse_into_copy, plain
from . import scalars
from .field_lookup import ObjectWithRepeatedKey
from .output import Output, TooDeep
from .scalars import ParseOptions, describe_value, exact_float
from .wellknown import put_message


def print_to(message: Any, write: Callable[[str], object], **options: Any) -> None:
    """Print a message piece by piece; `options` are those of `Output`."""
    message = plain(message)
    out = Output(write, **options)
    try:
        put_message(out, "", out.line, message, out.max_depth)
        out.flush()
    except DecodeError:
        raise
    except Exception as error:  # any exception that an invalid value causes
        if error is out.failure:
            raise
        from ..codec.validation import check  # needed after errors only
        from .printer import raise_unprintable  # slow to import, and loaded if a message is printed

        check(message)
        if isinstance(error, TooDeep):
            raise
        out.write = lambda text: None
        raise_unprintable(out, message)
        raise EncodeError(f"cannot be printed ({type(error).__name__}: {error})") from error


def read(
    document: Any,
    cls: type,
    message: Any = None,
    *,
    ignore_unknown: bool,
    types: Mapping[str, type] | None,
    max_depth: int,
) -> Any:
    """Read a document that `json.loads` returned, and return the message: `message`, or a new one if it is None."""
    table = table_of(cls)
    if not table.is_plain:
        names: dict[str, Any] = {"ignore_unknown": ignore_unknown, "types": types, "max_depth": max_depth}
        return parse_into_copy(cls, message, lambda cls, message: read(document, cls, message, **names))
    read_json = function(table, "read_json")
    options = ParseOptions(ignore_unknown=ignore_unknown, max_depth=max_depth, types=types)
    return read_json(options, document, max_depth, message)


def read_text(text: Any, cls: type, message: Any = None, **options: Any) -> Any:
    """Parse a text, and return the message: `message`, or a new one if it is None.

    Numbers with a fraction or an exponent are parsed as floats first, which is fast. If an integer field gets one of
    them, the text is parsed again with exact numbers. If `message` is not empty, numbers are exact from the start,
    since the text can be parsed into it only once.
    """
    if not table_of(cls).is_plain:
        return parse_into_copy(cls, message, lambda cls, message: read_text(text, cls, message, **options))
    if not isinstance(text, str):
        text = _decode_utf8(text)
    with PausedCollection():
        if message is None or message == cls():
            scalars.rounding.happened = False
            try:
                result = _read_document(Document(text), cls, message, options)
            except JsonError:
                if not scalars.rounding.happened:
                    raise
            if not scalars.rounding.happened:
                return result
            if message is not None:
                message.clear()
        return _read_document(Document(text, exact=True), cls, message, options)


def _read_document(document: Document, cls: type, message: Any, options: dict[str, Any]) -> Any:
    result = read(document.value, cls, message, **options)
    document.finish()
    return result


# --- strict JSON -----------------------------------------------------------------------------------------------------

BOM = "\ufeff"


class Document:
    """The value of a text, and its objects with repeated keys.

    With `exact`, numbers that differ from the nearest float are marked: see `Rounded`.
    """

    def __init__(self, text: str | bytes | bytearray | memoryview, *, exact: bool = False) -> None:
        if not isinstance(text, str):
            text = _decode_utf8(text)
        self.repeated: list[ObjectWithRepeatedKey] = []
        self.exact = exact
        try:
            self.value: Any = self._parse(text)
        except json.JSONDecodeError as error:
            problem = f"{error.msg[:1].lower()}{error.msg[1:]}"
            if text.startswith(BOM):
                problem = "begins with a byte order mark, which JSON does not allow"
            raise JsonError(problem, line=error.lineno, column=error.colno) from None
        except _NotJson as error:
            raise _json_error(text, error) from None
        except RecursionError:
            raise JsonError("nested more deeply than this program's recursion limit allows") from None
        except MemoryError:
            raise JsonError("out of memory") from None

    def _parse(self, text: str) -> Any:
        hooks: dict[str, Any] = {"object_pairs_hook": self._make_object, "parse_constant": _refuse_constant}
        if self.exact:
            hooks["parse_float"] = exact_float
        try:
            return json.loads(text, **hooks)
        except json.JSONDecodeError:
            raise
        except ValueError:  # int() limits the number of digits; parse_int for each integer is slower
            return json.loads(text, parse_int=_parse_integer, **hooks)

    def _make_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        repeated = ObjectWithRepeatedKey(value)
        seen: set[str] = set()
        repeated.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add() returns None, which is false
        self.repeated.append(repeated)
        return repeated

    def finish(self) -> None:
        """Raise JsonError if an object has a repeated key that no reader has reported."""
        if self.repeated:
            raise JsonError(f"duplicate key {describe_value(self.repeated[0].key)} in an object")


def _decode_utf8(data: bytes | bytearray | memoryview) -> str:
    try:
        return str(data, "utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise JsonError("not UTF-8", line=line, column=column) from None


class _NotJson(Exception):
    """A constant or a number that Python accepts and JSON does not, with the problem to report."""

    def __init__(self, token: str, problem: str) -> None:
        super().__init__(problem)
        self.token = token


def _refuse_constant(name: str) -> NoReturn:
    raise _NotJson(name, f'{name} is not JSON; a field of floats takes "{name}", in quotes')


def _parse_integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise _NotJson(
            digits, f"an integer of {len(digits.lstrip('-')):,} digits is out of range for every field"
        ) from None


def _json_error(text: str, error: _NotJson) -> JsonError:
    """Return the JsonError with the position of the token, which is its first occurrence outside of strings."""
    tokens = re.finditer(rf'"[^"\\]*(?:\\.[^"\\]*)*"|({re.escape(error.token)})', text)
    start = next((token.start() for token in tokens if token[1]), 0)
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return JsonError(str(error), line=line, column=column)
