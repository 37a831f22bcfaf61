"""JSON: documents that are parsed, printed and parsed again, and messages that are printed and parsed back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

import pbwire
from fuzz import differential
from fuzz.messages import CLASSES, TYPES, as_files, classes, odd_bytes, open_message, pieces
from fuzz.target import Case, Files, Target
from pbwire import JsonError, Message, json
from tests.pbwire.json.cases import CASES
from tests.pbwire.json.generated import sound
from tests.support.strategies import messages

__all__ = ["TARGETS"]

NAMES = [*CLASSES, *["kinds.Special"] * 40]
STYLES: list[dict[str, Any]] = [
    {"indent": None, "ensure_ascii": False},
    {"preserving_proto_field_name": True, "use_integers_for_enums": True},
    {"always_print_fields_with_no_presence": True},
]


def seeds() -> Iterator[Files]:
    for case in CASES:
        yield as_files(case.cls, case.document.encode("utf-8", "surrogatepass"), "json")
    for cls, data in pieces():
        yield as_files(cls, data)
        try:
            yield as_files(cls, json.dumps(cls.from_bytes(data), types=TYPES).encode(), "json")
        except pbwire.Error:  # an Any of an unknown type; a damaged file
            continue


@st.composite
def _documents(draw: Any) -> Files:
    """Draw messages as JSON in various styles."""
    message = sound(draw(messages(draw(classes(NAMES)), nan=True)))
    style = draw(st.sampled_from([{}, *STYLES]))
    return as_files(type(message), json.dumps(message, types=TYPES, **style).encode(), "json")


def strategy() -> st.SearchStrategy[Files]:
    return _documents() | _documents() | odd_bytes(NAMES)


def check(files: Files, case: Case) -> None:
    cls, data, form = open_message(files)
    if form == "pb":
        _check_printing(cls.from_bytes(data))
        return
    document = data if crc32(data) & 1 else data.decode("utf-8", "surrogateescape")
    _read(cls, document, ignore_unknown_fields=True)
    _read(cls, document)  # refuses more


def _read(cls: type[Message], document: str | bytes, **options: Any) -> None:
    try:
        message = json.loads(document, cls, types=TYPES, **options)
    except JsonError as error:
        assert str(error)
        if error.line is not None:
            lines = (document if isinstance(document, str) else document.decode("utf-8", "replace")).split("\n")
            assert 1 <= error.line <= len(lines), error
        raise
    _check_printing(message)


def _check_printing(message: Message) -> None:
    """Assert that printed JSON is read back and printed again without change."""
    printed = json.dumps(message, types=TYPES)  # raises EncodeError if JSON cannot represent the message
    message = _again(printed, message)
    if "null" not in printed:  # a NullValue is printed as null whatever its number, and read as absent
        assert json.dumps(message, types=TYPES) == printed
    printed = json.dumps(message, types=TYPES)
    for style in STYLES:
        other = json.dumps(message, types=TYPES, **style)
        assert json.dumps(_again(other, message), types=TYPES) == printed
    assert json.to_dict(message, types=TYPES) is not None or printed == "null"


def _again(printed: str, message: Message) -> Message:
    try:
        return json.loads(printed, type(message), types=TYPES, max_depth=101)
    except JsonError as error:
        raise AssertionError(f"printed and not read: {error}") from error


TARGETS = (
    Target(
        "json",
        "messages in JSON",
        seeds,
        strategy,
        check,
        memory=800,
        seconds=0.3,
        seconds_per_byte=30e-6,
        compare=lambda files: differential.json(*open_message(files)),
    ),
)
