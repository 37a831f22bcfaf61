"""The codec accepts and refuses the same bytes as upb, and reads the same values: upb is asked for each case."""

from __future__ import annotations

import re
import struct
from typing import Any

import pytest
from google.protobuf.internal import api_implementation
from google.protobuf.message import DecodeError as TheirDecodeError

import pbwire
from pbwire.table import Message, table_of
from tests.pbwire.codec.wire_cases import CASES, PREFIXES, WHERE_WE_DIFFER, Case
from tests.support.case_tables import each_case
from tests.support.protobuf_twin import IS_4_25, twin

pytestmark = pytest.mark.skipif(api_implementation.Type() != "upb", reason="protobuf runs without upb here")

ALL = CASES | PREFIXES

NEWER = re.compile(
    r"length in (six|ten) bytes|length with bit 64|overlong lengths|field number 0 in (two bytes .* [15]$|an unknown)"
    r"|group of field number 0|repeated group as"
)
"""The cases that upb judges otherwise since protobuf 4.25: tests.support.protobuf_twin says how."""


SIGNALLING = b"\x01\x00\x80\x7f"
if struct.pack("<f", *struct.unpack("<f", SIGNALLING)) == SIGNALLING:  # since Python 3.14, on some processors
    WHERE_WE_DIFFER = {name: case for name, case in WHERE_WE_DIFFER.items() if name != "float a signalling nan"}


def comparable(cases: dict[str, Case]) -> dict[str, Case]:
    """Return the cases that the installed protobuf judges as 4.25 does."""
    return {name: case for name, case in cases.items() if IS_4_25 or not NEWER.search(name)}


def class_of(case: Case) -> str:
    return case.cls.__name__


def theirs(case: Case) -> Any:
    """upb's message, or None if it refuses the bytes."""
    try:
        return twin(case.cls).FromString(case.data)
    except TheirDecodeError:
        return None


def ours(case: Case, **options: Any) -> Message | None:
    """Return our message, or None if we refuse the bytes, with a position inside the input."""
    try:
        return case.cls.from_bytes(case.data, **options)
    except pbwire.DecodeError as error:
        assert error.offset is not None
        assert 0 <= error.offset <= len(case.data)
        return None


def meaning(message: Any) -> bytes:
    """Return the message that upb reads, as bytes that are equal for equal messages, with unknown fields and NaNs."""
    return message.SerializePartialToString(deterministic=True)


def understood(case: Case, data: bytes) -> bytes:
    """Return the message that upb reads from `data`, or `data` if upb refuses it, as it can even for its own output."""
    message = theirs(case._replace(data=data))
    return data if message is None else meaning(message)


def agree(case: Case, message: Message, expected: Any) -> None:
    """Return whether upb reads the same message from the case and from our output."""
    if not expected.IsInitialized():
        with pytest.raises(pbwire.EncodeError):
            message.to_bytes()
        return
    understanding = understood(case, meaning(expected))
    assert understood(case, message.to_bytes()) == understanding
    assert understood(case, message.to_bytes(deterministic=True)) == understanding


@each_case("case", comparable(CASES), class_of)
def test_upb_accepts_and_refuses_the_same(case):
    message, expected = ours(case), theirs(case)
    assert (message is not None) == (expected is not None)
    if message is not None:
        agree(case, message, expected)


@each_case("case", comparable(PREFIXES), class_of)
def test_upb_accepts_and_refuses_the_same_truncated_messages(case):
    message, expected = ours(case), theirs(case)
    assert (message is not None) == (expected is not None)
    if message is not None:
        agree(case, message, expected)


def agrees(case: Case) -> bool:
    """Return whether upb accepts or refuses a case as we do, and reads the same message."""
    message, expected = ours(case), theirs(case)
    if message is None or expected is None:
        return message is expected
    return not expected.IsInitialized() or understood(case, message.to_bytes()) == understood(case, meaning(expected))


def test_the_cases_that_are_left_out_with_a_newer_protobuf_are_those_in_which_it_differs():
    assert {name for name, case in CASES.items() if not agrees(case)} == CASES.keys() - comparable(CASES).keys()
    without_difference = WHERE_WE_DIFFER.keys() - comparable(WHERE_WE_DIFFER).keys()
    assert all(agrees(WHERE_WE_DIFFER[name]) for name in without_difference)


def outcome(case: Case, lazy: bool) -> bytes | type[pbwire.Error]:
    """Return the bytes of a case after reading it, accessing all fields, and writing it."""
    try:
        return case.cls.from_bytes(case.data, lazy=lazy).to_bytes(deterministic=True)
    except pbwire.Error as error:
        return type(error)


@each_case("case", ALL, class_of)
def test_lazy_or_not_the_outcome_is_the_same(case):
    """Damage in undecoded parts goes unnoticed. Once all is decoded, lazy and eager messages agree."""
    lazy, eager = outcome(case, lazy=True), outcome(case, lazy=False)
    if isinstance(lazy, bytes) and isinstance(eager, bytes) and table_of(case.cls).maps:
        assert sorted(lazy) == sorted(eager)  # map entries that are unknown fields stand in another place among those
    else:
        assert lazy == eager


@each_case("case", CASES, class_of)
def test_encoding_and_decoding_again_gives_the_same(case):
    """Our message is equal after writing and reading, however odd the input was."""
    data = outcome(case, lazy=False)
    if isinstance(data, bytes):
        again = case.cls.from_bytes(data, max_depth=101)  # a map entry without value is written with one
        assert again.to_bytes(deterministic=True) == data
        assert again == case.cls.from_bytes(case.data) or "nan" in repr(again)  # NaN is not equal to itself


@each_case("case", comparable(WHERE_WE_DIFFER), class_of)
def test_every_difference_is_declared(case):
    message, expected = ours(case), theirs(case)
    assert case.why
    if message is not None and expected is not None:
        assert understood(case, message.to_bytes()) != meaning(expected)
    else:
        assert message is not None or expected is not None


def test_there_are_enough_cases_and_both_verdicts_among_them():
    refused = sum(theirs(case) is None for case in CASES.values())
    assert len(CASES) >= 350
    assert refused >= 150
    assert len(CASES) - refused >= 150
    assert {table_of(case.cls).syntax for case in CASES.values()} == {"proto2", "proto3"}
    assert len({(case.cls, case.data) for case in CASES.values()}) > 0.9 * len(CASES)
