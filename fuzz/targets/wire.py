"""Messages in wire format: decoded eagerly and lazily, encoded, decoded again, copied, compared and printed."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from fuzz import differential
from fuzz.messages import as_files, odd_bytes, open_message, pieces, reachable
from fuzz.target import Case, Files, Target
from pbwire import DecodeError, EncodeError, Message
from pbwire.message import MAX_DEPTH
from tests.pbwire.codec.wire_cases import CASES, WHERE_WE_DIFFER

__all__ = ["TARGETS"]


def seeds() -> Iterator[Files]:
    yield from (as_files(cls, data) for cls, data in pieces())
    yield from (as_files(case.cls, case.data) for case in [*CASES.values(), *WHERE_WE_DIFFER.values()])


def check(files: Files, case: Case) -> None:
    cls, data, _ = open_message(files)
    try:
        message = cls.from_bytes(data)
    except DecodeError as error:
        assert error.offset is not None and 0 <= error.offset <= len(data), error
        assert "cannot be read" not in str(error), f"not explained: {error}"
        assert _refused_lazily(cls, data), "lazy accepts what eager refuses"
        raise
    try:
        canonical = message.to_bytes(deterministic=True)
    except EncodeError as error:
        assert "required" in str(error), error
        raise
    _comes_back(message, canonical)
    _lazily_the_same(cls, data, canonical)
    _behaves(message, cls, data, canonical)


def _refused_lazily(cls: type[Message], data: bytes) -> bool:
    """Return whether decoding all of a lazy message raises an error.

    It does, unless the damage is in a value that another one replaced before it was decoded.
    """
    try:
        deepcopy(cls.from_bytes(data, lazy=True))
        repr(cls.from_bytes(data, lazy=True))
        written = cls.from_bytes(data, lazy=True).to_bytes(deterministic=True)
    except (DecodeError, EncodeError):
        return True
    cls.from_bytes(written, max_depth=MAX_DEPTH + 1)
    return _replaces_messages(cls)


def _replaces_messages(cls: type[Message]) -> bool:
    """Return whether, at any depth, a oneof or a map may replace one message by another."""
    return any(
        (field.oneof or field.label == "map") and (field.value or field).kind in ("message", "group")
        for field in reachable(cls)
    )


def _comes_back(message: Message, canonical: bytes) -> None:
    """Assert that written bytes are read back to the same message."""
    again = type(message).from_bytes(canonical, max_depth=MAX_DEPTH + 1)  # an entry without a value is written with one
    assert again.to_bytes(deterministic=True) == canonical
    assert b"".join(message.to_buffers(deterministic=True)) == canonical
    written = message.to_bytes()
    assert message.ByteSize() == len(written)
    assert type(message).from_bytes(written, max_depth=MAX_DEPTH + 1).to_bytes(deterministic=True) == canonical


def _lazily_the_same(cls: type[Message], data: bytes, canonical: bytes) -> None:
    """Assert that a lazy message, decoded or not, is written as the eager one; invalid map entries may move."""
    untouched = cls.from_bytes(data, lazy=True).to_bytes()
    assert sorted(cls.from_bytes(untouched, max_depth=MAX_DEPTH + 1).to_bytes(deterministic=True)) == sorted(canonical)
    assert sorted(cls.from_bytes(data, lazy=True).to_bytes(deterministic=True)) == sorted(canonical)


def _behaves(message: Message, cls: type[Message], data: bytes, canonical: bytes) -> None:
    assert len(repr(message)) < 100_000_000
    copied = deepcopy(message)
    assert copied.to_bytes(deterministic=True) == canonical
    same = message == cls.from_bytes(data)  # a message with a NaN does not equal itself
    assert (copied == message) >= same
    assert (cls.from_bytes(canonical, max_depth=MAX_DEPTH + 1) == message) == same
    merged = cls()
    merged.merge_from_bytes(data)
    assert merged.to_bytes(deterministic=True) == canonical


TARGETS = (
    Target(
        "wire",
        "messages of every class in wire format",
        seeds,
        odd_bytes,
        check,
        memory=400,
        seconds=0.3,
        seconds_per_byte=30e-6,
        compare=lambda files: differential.wire(*open_message(files)[:2]),
    ),
)
