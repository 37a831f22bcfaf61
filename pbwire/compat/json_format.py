"""The functions of `google.protobuf.json_format` for protobuf-style messages: they convert to dataclasses and back."""

from __future__ import annotations

from typing import Any

from ..codec.codegen import function
from ..errors import JsonError
from ..json import aliases

__all__ = ["Error", "MessageToDict", "MessageToJson", "Parse", "ParseDict", "ParseError", "SerializeToJsonError"]

Error = ParseError = SerializeToJsonError = JsonError


def _plain(message: Any) -> Any:
    return function(message.__table__, "unwrap")(message)


def MessageToJson(message: Any, *arguments: Any, **options: Any) -> str:
    """Return the message as JSON. Options are those of `pbwire.json.aliases.MessageToJson`."""
    return aliases.MessageToJson(_plain(message), *arguments, **options)


def MessageToDict(message: Any, *arguments: Any, **options: Any) -> Any:
    """Return the message as a document. Options are those of `pbwire.json.aliases.MessageToDict`."""
    return aliases.MessageToDict(_plain(message), *arguments, **options)


def Parse(text: str | bytes, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse JSON into `message`, and return it. Raises ParseError."""
    return _read(aliases.Parse, text, message, *arguments, **options)


def ParseDict(js_dict: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    """Read a document into `message`, and return it. Raises ParseError."""
    return _read(aliases.ParseDict, js_dict, message, *arguments, **options)


def _read(parse: Any, source: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    plain = parse(source, _plain(message), *arguments, **options)
    message.CopyFrom(function(message.__table__, "wrap")(plain))
    return message
