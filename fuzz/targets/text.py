"""Text format: texts that are parsed, printed and parsed again, and messages in unusual notation."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any
from zlib import crc32

from hypothesis import strategies as st

from fuzz import differential
from fuzz.messages import TYPES, as_files, classes, odd_bytes, open_message, pieces, without_unknown
from fuzz.target import Case, Files, Target
from pbwire import EncodeError, Message, TextFormatError, text
from pbwire.message import MAX_DEPTH
from tests.golden.text import cases
from tests.pbwire.codec.wire_cases import CASES
from tests.support.damaged_text import checked_text
from tests.support.damaged_text import pieces as texts_of_files
from tests.support.strategies import messages
from tests.support.strategies_text import Speller, outline, texts

__all__ = ["TARGETS"]

LENIENT: dict[str, Any] = dict.fromkeys(("merge", "allow_unknown_field", "allow_field_number"), True) | {"types": TYPES}
SPELLED: dict[str, Any] = dict.fromkeys(("allow_unknown_field", "allow_field_number"), True)
STYLES: list[dict[str, Any]] = [
    {},
    {"as_one_line": True, "as_utf8": True, "use_short_repeated_primitives": True},
]


def seeds() -> Iterator[Files]:
    yield from (as_files(cls, document.encode(), "pbtxt") for cls, document in texts_of_files())
    for case in cases():
        if case.cls in TYPES:
            document = case.text if isinstance(case.text, bytes) else case.text.encode("utf-8", "surrogatepass")
            yield as_files(TYPES[case.cls], document, "pbtxt")
    yield from (as_files(cls, data) for cls, data in pieces())
    yield from (as_files(case.cls, case.data) for case in list(CASES.values())[::20])


def strategy() -> st.SearchStrategy[Files]:
    free = classes().flatmap(
        lambda cls: texts(cls, numbers=True, unknown=True).map(
            lambda document: as_files(cls, document.encode(), "pbtxt")
        )
    )
    spelled = classes().flatmap(lambda cls: st.builds(_spelled, messages(cls), st.integers(0, 1 << 20)))
    again = st.builds(_outline, st.integers(0, 1 << 32), st.sampled_from([1, 1, 2, 5]))
    return free | spelled | again | odd_bytes()


def _spelled(message: Message, seed: int) -> Files:
    """Return an input of a message and the seed of its notation; the meaning of mutated inputs is known, too."""
    return as_files(type(message), message.to_bytes(), f"spelled-{seed}")


def _outline(seed: int, times: int) -> Files:
    """Return repeated lines, which the parser reads on another path than lines that it sees first."""
    return as_files(TYPES["sample.Recursive"], (outline(Random(seed)) * times).encode(), "pbtxt")


def check(files: Files, case: Case) -> None:
    cls, data, form = open_message(files)
    if form == "pb":
        _check_printing(cls.from_bytes(data))
        return
    if form.startswith("spelled-"):
        _check_spelled(without_unknown(cls.from_bytes(data)), int(form[8:]))
        return
    document = _as_given(data)
    checked_text(cls, document, **LENIENT)
    checked_text(cls, document)  # refuses more


def _check_spelled(message: Message, seed: int) -> None:
    """Assert that any notation of a message is parsed to that message."""
    expected = message.to_bytes(deterministic=True)
    document = Speller(seed, (0.0, 0.1, 0.3, 0.6)[seed % 4], numbers=True, unknown=True).text(message)
    read = text.loads(document, type(message), max_depth=MAX_DEPTH + 1, **SPELLED)
    assert read.to_bytes(deterministic=True) == expected or "nan" in text.dumps(message)


def _as_given(data: bytes) -> str | bytes:
    """Return some texts as bytes, others as str, with surrogates for invalid UTF-8."""
    return data if crc32(data) & 1 else data.decode("utf-8", "surrogateescape")


def _check_printing(message: Message) -> None:
    """Assert that printed text is read back, except unknown fields."""
    known = without_unknown(message)
    try:
        expected = known.to_bytes(deterministic=True)
    except EncodeError as error:
        assert "required" in str(error), error
        raise
    for style in STYLES:
        printed = text.dumps(message, **style)
        again = text.loads(printed, type(message), max_depth=MAX_DEPTH + 1)
        assert again.to_bytes(deterministic=True) == expected or "nan" in printed
    text.dumps(message, print_unknown_fields=True)
    parts: list[str] = []
    text.dump(message, parts.append, longest=20, most=3)
    expanded = text.dumps(message, types=TYPES)
    try:
        text.loads(expanded, type(message), types=TYPES, max_depth=3 * MAX_DEPTH)
    except TextFormatError as error:
        raise AssertionError(f"printed and not read: {error}") from error


TARGETS = (
    Target(
        "text",
        "messages in text format",
        seeds,
        strategy,
        check,
        memory=800,
        seconds=0.3,
        seconds_per_byte=40e-6,  # it is parsed and printed several times; a text of one-letter words takes 22
        compare=lambda files: differential.text(*open_message(files)),
    ),
)
