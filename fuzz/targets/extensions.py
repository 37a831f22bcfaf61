"""Messages with extensions and MessageSets, in wire format, text format and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from fuzz import differential
from fuzz.messages import EXTENDED_NAMES, TYPES, as_files, classes, odd_bytes, open_message
from fuzz.target import Case, Files, Target
from fuzz.targets import json as json_target
from fuzz.targets import text as text_target
from fuzz.targets import wire as wire_target
from pbwire import DecodeError, EncodeError, Message, json, text
from pbwire.extensions import ExtendableMessage
from pbwire.message import MAX_DEPTH
from tests.support.strategies import messages

__all__ = ["TARGETS"]

TEXTS = {
    "Car": [
        '[garage.part] { number: 1 [garage.inner] { label: "x" } } [garage.numbers]: [1] [garage.lights] { watts: 3 }',
        "[garage.a_double]: nan [garage.material]: STEEL [garage.trailer] < mileage: 5 towed { [garage.tags]: 'a' } >",
        'by_owner { key: "k" value { [garage.some_bytes]: "\\377" } } motor: "" [garage.wheel] { width: 0.5 }',
    ],
    "Part": ["[garage.permit] { id: 7 }", "[garage.permit] {}"],
    "Later": ["[garage.Scope.scoped]: 1 [garage.Scope.scopes] { x: 2 } [garage.Scope.scopes] {}"],
    "Store": [
        '[garage.Box] { size: 1 store { [garage.bag] { color: "red" } } } [garage.car] { [garage.a_bool]: true }'
    ],
    "Box": ["store {} size: -1"],
    "editions.Delimited": ["[garage.editions.extension] { n: 1 } inside { n: 2 } [garage.editions.extensions] {}"],
}
STORES = [
    b"\x0b\x10\x04\x1a\x02\x0a\x00\x0c",  # an item of type 4
    b"\x0b\x1a\x02\x0a\x00\x10\x04\x0c",  # the message before its type
    b"\x0b\x10\x04\x1a\x00\x10\x05\x1a\x00\x0c",  # two types in an item
    b"\x0b\x10\x07\x1a\x03abc\x0c\x22\x02\x0a\x00",  # an unknown type, and an item as an ordinary field
    b"\x0b\x10\x04\x20\x01\x1a\x00\x0c\x0b\x0c\x0b\x1a\x00\x0c",  # unknown fields in items, and items without a type
    b"\x0b\x10\xff\xff\xff\xff\x0f\x1a\x00\x0c\x0b\x10\x80\x80\x80\x80\x10\x1a\x00\x0c",  # types beyond all numbers
]
CARS = [
    b"\xa2\x07\x00\xa3\x07\x08\x01\xa4\x07",  # an extension with the wire type of another
    b"\xc0\x07\x01\xc2\x07\x02\x02\x03\xca\x07\x01\x04\xc8\x07\x05",  # lists, packed and not
    b"\xaa\x07\x02\x08\x01\xab\x07\x08\x02\xac\x07",  # a group with a length, and as it should be
    b"\x98\x07\x02\x98\x07\x07",  # a member of a closed enum, and a number that it lacks
    b"\xfa\xff\xff\xff\x0f\x03\xa2\x07\x00",  # an extension inside of the extension with the largest number
]


def seeds() -> Iterator[Files]:
    for name, documents in TEXTS.items():
        cls = TYPES[f"garage.{name}"]
        for document in documents:
            yield as_files(cls, document.encode(), "pbtxt")
            message = text.loads(document, cls, allow_field_number=True, allow_unknown_field=True)
            try:
                yield as_files(cls, message.to_bytes())
            except EncodeError:  # a required field is missing
                continue
            yield as_files(cls, json.dumps(message).encode(), "json")
    yield from (as_files(TYPES["garage.Store"], data) for data in STORES)
    yield from (as_files(TYPES["garage.Car"], data) for data in CARS)


def strategy() -> st.SearchStrategy[Files]:
    printed = classes(EXTENDED_NAMES).flatmap(lambda cls: st.builds(_printed, messages(cls), st.booleans()))
    return odd_bytes(EXTENDED_NAMES) | printed


def _printed(message: Message, as_json: bool) -> Files:
    if as_json:
        return as_files(type(message), json.dumps(message).encode(), "json")
    return as_files(type(message), text.dumps(message).encode(), "pbtxt")


def check(files: Files, case: Case) -> None:
    cls, data, form = open_message(files)
    if form == "json":
        json_target.check(files, case)
    elif form == "pbtxt":
        text_target.check(files, case)
    else:
        wire_target.check(files, case)
        message = cls.from_bytes(data)
        text_target.check(files, case)
        json_target.check(files, case)
        for part in _extendable(message):
            _check_extensions(part)


def _extendable(message: Any) -> Iterator[Any]:
    """Yield all messages with extensions in a message."""
    if isinstance(message, ExtendableMessage):
        yield message
    for field, value in message.ListFields():
        if (field.value or field).is_message:
            parts = value.values() if field.label == "map" else value if field.label == "repeated" else [value]
            for part in parts:
                yield from _extendable(part)


def _check_extensions(message: Any) -> None:
    """Assert that a message without one of its extensions is the same again after this extension has been set."""
    cls = type(message)
    expected = message.to_bytes(deterministic=True)
    assert len([*message.extensions]) == len(message.extensions)
    for extension in message.extensions:
        other = deepcopy(message)
        value = other.extensions[extension]
        del other.extensions[extension]
        assert extension in message.extensions and extension not in other.extensions
        assert len(other.to_bytes(deterministic=True)) < len(expected)
        other.extensions[extension] = value
        assert other.to_bytes(deterministic=True) == expected
    undeclared = cls()
    undeclared.unknown_fields = message.unknown_fields
    assert {*undeclared.extensions} == {*message.extensions}
    lazy = cls.from_bytes(expected, lazy=True, max_depth=MAX_DEPTH + 1)
    try:
        present = {*lazy.extensions}
    except DecodeError as error:
        raise AssertionError(f"written and not read: {error}") from error
    assert present == {*message.extensions}


TARGETS = (
    Target(
        "extensions",
        "messages with extensions and MessageSets in every form",
        seeds,
        strategy,
        check,
        memory=1200,
        seconds=0.5,
        seconds_per_byte=100e-6,  # every form is read and printed, and every extension taken out and put back
        compare=lambda files: differential.extensions(*open_message(files)),
    ),
)
