"""Handmade texts with protobuf's verdict, and the specification's where that differs: see tests/golden/text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import pytest

from pbwire import EncodeError, TextFormatError, text
from tests.golden.text import FILE, REFUSED, Case, cases
from tests.golden.text.answers import lines, verdict
from tests.pbwire.text.reference import TYPES
from tests.support.case_tables import each_case
from tests.support.protobuf_twin import IS_4_25, twin

CASES = cases()


def named(cases: Iterable[Case]) -> dict[str, Case]:
    return {f"{number}: {case.cls}, {case.text[:40]!r}": case for number, case in enumerate(cases)}


def read(case: Case) -> Any:
    options = dict(case.options)
    if options.pop("types", False):
        options["types"] = TYPES
    return text.loads(case.text, TYPES[case.cls], **options)


def meaning(cls: str, data: bytes) -> bytes:
    """The message in the order in which protobuf writes it."""
    return twin(cls).FromString(data).SerializePartialToString(deterministic=True)


@each_case("case", named(CASES), attrgetter("family"))
def test_a_text_means_what_it_means_to_protobuf_or_to_the_specification(case):
    if case.ours == REFUSED or (case.text in REFUSED_BY_NEWEST and not IS_4_25):
        with pytest.raises(TextFormatError) as caught:
            read(case)
        points_into(caught.value, case.text)
        return
    message, expected = read(case), bytes.fromhex(case.ours)
    if case.partial:
        assert message == type(message).from_bytes(expected)
        with pytest.raises(EncodeError):
            message.to_bytes()
    else:
        assert meaning(case.cls, message.to_bytes()) == expected


def points_into(error: TextFormatError, document: str | bytes) -> None:
    """Errors have a position inside the text or at its end, and show the line."""
    if isinstance(document, bytes):
        document = document.decode(errors="replace")
    rows = document.split("\n")
    assert error.line is not None and 1 <= error.line <= len(rows)
    row = rows[error.line - 1]
    assert error.column is not None and 1 <= error.column <= len(row) + 1
    assert error.source == row.removesuffix("\r")
    assert error.width >= 1
    assert str(error).startswith(f"{error.line}:{error.column}: ")


def is_printed(case):
    """Return whether there is a message to print, without NaNs, whose signs would be lost."""
    return case.ours != REFUSED and not case.partial and "-nan" not in str(case.text).lower()


@each_case("case", named(filter(is_printed, CASES)), attrgetter("family"))
def test_a_parsed_message_is_printed_as_text_with_the_same_meaning(case):
    cls = TYPES[case.cls]
    message = cls.from_bytes(bytes.fromhex(case.ours))
    assert text.loads(text.dumps(message), cls).to_bytes(deterministic=True) == message.to_bytes(deterministic=True)


def test_there_are_many_cases_of_each_family():
    families = Counter(case.family for case in CASES)
    assert sum(families.values()) > 2_000
    assert min(families.values()) >= 15
    assert {case.google == REFUSED for case in CASES} == {True, False}


def test_where_we_differ_a_reason_is_given():
    for case in CASES:
        assert (case.ours != case.google) == bool(case.because), case


@pytest.mark.filterwarnings("ignore:.*invalid.*escape:DeprecationWarning")  # protobuf has Python unescape literals
def test_protobuf_says_today_what_the_file_says():
    if IS_4_25:
        assert [json.loads(line) for line in lines()] == [json.loads(line) for line in FILE.read_text().splitlines()]
    else:
        verdicts = [(case, verdict(case.cls, case.text, case.options)[0]) for case in CASES]
        of_neither = {case.text for case, said in verdicts if said not in (case.google, case.ours)}
        assert of_neither == OF_NEWEST
        assert sum(said == case.ours != case.google for case, said in verdicts) > 150


REFUSED_BY_NEWEST = {"a_double:-0.0 a_double:1"}
"""The texts that only 4.25 takes, where -0.0 does not count as a value."""

OF_NEWEST = {
    'a_string:"\\€"',  # it reads the code point's escape
    'a_bytes:"\\€"',
    *REFUSED_BY_NEWEST,
    "x:[1,{}]",  # and reads lists of unknown messages and numbers
    "x:[{},1]",
}
"""The texts for which newer protobufs agree neither with 4.25 nor with pbwire."""
