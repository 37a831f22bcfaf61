"""The module `json_format` of protobuf, for protobuf-style messages.

Printing and parsing is that of `pbwire.json.aliases`, which works on dataclasses. This module adds what protobuf-style
messages need. An Any is printed and parsed with the class of its content, which the pool must have: that of
`descriptor_pool`, or the default pool. The option `including_default_value_fields`, which protobuf had before 26, is
another name of `always_print_fields_with_no_presence`. Bytes are read as protobuf reads them: letters outside of
base64's alphabet are ignored, and too much padding is.
"""

from __future__ import annotations

from typing import Any

from ..errors import EncodeError, JsonError
from ..json import aliases
from ..json.scalars import base64_reading
from .pool_types import named_options

__all__ = ["Error", "MessageToDict", "MessageToJson", "Parse", "ParseDict", "ParseError", "SerializeToJsonError"]

Error = ParseError = JsonError


class SerializeToJsonError(JsonError, EncodeError):
    """A message that has no JSON: an Any of an unknown class, or a value that JSON cannot hold."""


def MessageToJson(message: Any, *arguments: Any, **options: Any) -> str:
    """Return the message as JSON. Options are those of `pbwire.json.aliases.MessageToJson`."""
    return _print(aliases.MessageToJson, message, arguments, options)  # type: ignore[no-any-return]  # a str


def MessageToDict(message: Any, *arguments: Any, **options: Any) -> Any:
    """Return the message as a document. Options are those of `pbwire.json.aliases.MessageToDict`."""
    return _print(aliases.MessageToDict, message, arguments, options)


def _print(alias: Any, message: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if "including_default_value_fields" in options:
        include = options.pop("including_default_value_fields")
        options["always_print_fields_with_no_presence"] = include or options.get("always_print_fields_with_no_presence")
    given = named_options(alias, arguments, options)
    try:
        return alias(message, **given)
    except EncodeError as error:
        raise SerializeToJsonError(error.message, path=error.path) from error


def Parse(text: str | bytes, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse JSON into `message`, and return it. Raises ParseError."""
    return _read(aliases.Parse, text, message, *arguments, **options)


def ParseDict(js_dict: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    """Read a document into `message`, and return it. Raises ParseError."""
    return _read(aliases.ParseDict, js_dict, message, *arguments, **options)


def _read(parse: Any, source: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    given = named_options(parse, arguments, options)
    before, base64_reading.is_lenient = base64_reading.is_lenient, True
    try:
        return parse(source, message, **given)
    finally:
        base64_reading.is_lenient = before
