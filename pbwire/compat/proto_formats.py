"""`google.protobuf.proto_json` and `proto_text`: the functions of `json_format` and `text_format` in another form."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .classes import Message
from .json_format import MessageToDict, ParseDict
from .text_format import MessageToString, Parse


def _json_document(message: Message, **options: Any) -> Any:
    """Return the message as a document. Options are those of `json_format.MessageToDict`."""
    return MessageToDict(message, **options)


def _message_of_document(message_class: type[Message], js_dict: Any, **options: Any) -> Any:
    """Return the message of a document. Options are those of `json_format.ParseDict`."""
    return ParseDict(js_dict, message_class(), **options)


def _message_text(message: Message, **options: Any) -> str:
    """Return the message as text. Options are those of `text_format.MessageToString`."""
    return MessageToString(message, **options)


def _message_of_text(message_class: type[Message], text: str | bytes, **options: Any) -> Any:
    """Return the message of a text. Options are those of `text_format.Parse`."""
    return Parse(text, message_class(), **options)


_NAMES = ["parse", "serialize"]
proto_json = SimpleNamespace(serialize=_json_document, parse=_message_of_document, __all__=_NAMES)
proto_text = SimpleNamespace(serialize=_message_text, parse=_message_of_text, __all__=_NAMES)
