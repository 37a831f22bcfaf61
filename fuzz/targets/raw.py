"""Raw dumps of wire bytes: with a table, with guesses, with both, and truncated anywhere."""

from __future__ import annotations

from typing import Any

from fuzz import reference
from fuzz.messages import odd_bytes, open_message
from fuzz.target import Case, Files, Target
from pbwire import DecodeError, Message
from pbwire.raw import Record, looks_like_message, walk

from . import wire

__all__ = ["TARGETS"]


def check(files: Files, case: Case) -> None:
    cls, data, _ = open_message(files)
    ways: list[dict[str, Any]] = [{}, {"cls": cls}, {"guess": True}, {"cls": cls, "guess": True, "max_depth": 3}]
    errors = [_covered(data, **way) for way in ways]
    assert looks_like_message(data) == (errors[0] is None)
    if _is_read(cls, data):
        assert errors[1] is None, "the walk refuses what the decoder reads"
    for error in errors:
        if error is not None:
            raise error


def _covered(data: bytes, **way: Any) -> DecodeError | None:
    """Assert that a walk shows every byte up to the end or to the damage once. Return the error, if any."""
    at = 0
    try:
        for record in walk(data, **way):
            assert record.offset == at, "a byte is shown twice, or not at all"
            at = _alone(record)
            _is_there(record, data)
    except DecodeError as error:
        assert error.offset is not None and 0 <= error.offset <= len(data)
        assert str(error)
        return error
    assert at == len(data)
    return None


def _is_there(record: Record, data: bytes) -> None:
    """Assert that a record equals the bytes at its offset."""
    tag, pos = reference.varint(data, record.offset)
    assert (record.number, record.wire_type, record.end) == (tag >> 3, tag & 7, record.start + record.length)
    match tag & 7:
        case 0:
            assert (record.value, record.end) == reference.varint(data, pos)
        case 2:
            assert (record.length, record.start) == reference.varint(data, pos)
            value = record.value
            assert isinstance(value, memoryview) and value == data[record.start :][: len(value)]
            assert len(value) == record.length or record.cut  # the enclosing message ends before it
        case 1 | 5:
            assert (record.start, record.length) == (pos, 8 if tag & 7 == 1 else 4)
            assert record.value == int.from_bytes(data[pos : record.end], "little")


def _alone(record: Record) -> int:
    """Return the end of a record's own bytes: a nested payload belongs to the records inside of it."""
    return record.start if record.nested else record.end


def _is_read(cls: type[Message], data: bytes) -> bool:
    try:
        cls.from_bytes(data)
    except DecodeError:
        return False
    return True


TARGETS = (
    # Four walks, each checked record by record: some 20 microseconds a byte on an idle machine.
    Target(
        "raw",
        "wire bytes walked without decoding them",
        wire.seeds,
        odd_bytes,
        check,
        seconds=0.3,
        seconds_per_byte=80e-6,
    ),
)
