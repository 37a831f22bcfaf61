"""The functions of `google.protobuf.text_format` for protobuf-style messages: they convert to dataclasses and back."""

from __future__ import annotations

from typing import Any

from ..codec.codegen import function
from ..errors import TextFormatError
from ..text import aliases

__all__ = [
    "Error",
    "Merge",
    "MergeLines",
    "MessageToBytes",
    "MessageToString",
    "Parse",
    "ParseError",
    "ParseLines",
    "PrintMessage",
]

Error = ParseError = TextFormatError


def _plain(message: Any) -> Any:
    return function(message.__table__, "unwrap")(message)


def MessageToString(message: Any, as_utf8: bool = True, *arguments: Any, **options: Any) -> str:
    """Return the message as text. Options are those of `pbwire.text.aliases.MessageToString`."""
    return aliases.MessageToString(_plain(message), as_utf8, *arguments, **options)


def MessageToBytes(message: Any, **options: Any) -> bytes:
    """Return the text of `MessageToString` in UTF-8."""
    return aliases.MessageToBytes(_plain(message), **{"as_utf8": True} | options)


def PrintMessage(message: Any, out: Any, *arguments: Any, **options: Any) -> None:
    """Print the message to a file. Options are those of `pbwire.text.aliases.PrintMessage`."""
    aliases.PrintMessage(_plain(message), out, *arguments, **options)


def Parse(text: str | bytes, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse a text into `message`, and return it. Raises ParseError."""
    return _read(aliases.Parse, text, message, *arguments, **options)


def Merge(text: str | bytes, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse a text into `message`, replace scalars that are present, and return `message`. Raises ParseError."""
    return _read(aliases.Merge, text, message, *arguments, **options)


def ParseLines(lines: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse lines as `Parse` does."""
    return _read(aliases.ParseLines, lines, message, *arguments, **options)


def MergeLines(lines: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    """Parse lines as `Merge` does."""
    return _read(aliases.MergeLines, lines, message, *arguments, **options)


def _read(parse: Any, text: Any, message: Any, *arguments: Any, **options: Any) -> Any:
    plain = parse(text, _plain(message), *arguments, **options)
    message.CopyFrom(function(message.__table__, "wrap")(plain))
    return message
