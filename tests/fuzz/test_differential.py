"""The differential mode agrees with the tables of cases: exactly the differences listed there have a reason."""

from __future__ import annotations

import functools
import re

import pytest
from google.protobuf.internal import api_implementation

import pbwire.json as our_json
from fuzz import differential
from pbwire.errors import JsonError
from pbwire.varints import write_varint
from tests.golden.text import cases as text_cases
from tests.pbwire.codec.test_wire_cases import WHERE_WE_DIFFER, comparable
from tests.pbwire.codec.wire_cases import CASES
from tests.pbwire.json.cases import CASES as JSON_CASES
from tests.pbwire.json.cases import DIFFERS
from tests.pbwire.json.generated import TYPES
from tests.support.newest_protobuf import Unavailable, newest
from tests.support.protobuf_twin import IS_4_25

needs_upb = pytest.mark.skipif(api_implementation.Type() != "upb", reason="protobuf runs without upb here")
HOW_IT_IS_WRITTEN = {differential.ENTRIES, differential.ANEW}
"""Cases in which upb writes maps and unknown fields as other bytes with the same meaning."""


@needs_upb
def test_upb_agrees_on_every_case_without_a_documented_difference():
    wrong = {name: differential.wire(case.cls, case.data) for name, case in comparable(CASES).items()}
    assert {name: why for name, why in wrong.items() if why and why not in HOW_IT_IS_WRITTEN} == {}


@needs_upb
def test_a_difference_in_wire_format_has_its_reason():
    reasons = {differential.wire(case.cls, case.data) for case in comparable(WHERE_WE_DIFFER).values()}
    expected = {differential.UTF8, differential.QUIET, differential.GROUPS}
    assert reasons == (expected if IS_4_25 else expected - {differential.GROUPS})


@needs_upb
def test_a_difference_without_a_reason_is_a_finding(monkeypatch):
    cls = TYPES["sample.Leaf"]
    monkeypatch.setattr(cls, "to_bytes", lambda self, deterministic=False: b"\x08\x02")
    with pytest.raises(AssertionError, match=r"upb means something else|upb writes other bytes"):
        differential.wire(cls, b"\x08\x01")


@pytest.mark.filterwarnings("ignore:.*invalid.*escape:DeprecationWarning")  # protobuf's, of literals
def test_text_is_judged_as_the_table_says():
    for case in text_cases():
        if isinstance(case.text, str) and case.cls in TYPES and not case.options and case.text.isascii():
            reason = differential.text(TYPES[case.cls], case.text.encode(), "pbtxt")
            assert not case.because or reason or not IS_4_25, case  # newer ones agree with us more often


@pytest.mark.parametrize("document", ["9{1e-{1:5}}", '1-9:""', "t#\n[]", "1d#\n:l"])
def test_odd_names_of_unknown_fields_have_their_reason(document):
    assert differential.text(TYPES["sample.Maps"], document.encode(), "pbtxt")


def test_json_is_judged_as_the_table_says():
    try:
        newest([])
    except Unavailable as reason:
        pytest.skip(str(reason))
    for case in JSON_CASES:
        if not case.ignore and case.document.isascii():
            reason = differential.json(case.cls, case.document.encode(), "json")
            assert bool(reason) == (case in DIFFERS), (case, reason)


@pytest.mark.parametrize("pattern", differential.OF_OUR_REFUSAL)
def test_every_reason_of_a_refusal_is_of_a_message_that_we_print(pattern):
    """The test above needs the newest protobuf; this one finds a message that was reworded without it."""
    assert any(re.search(pattern, error) for error in _json_errors())


@functools.cache
def _json_errors() -> list[str]:
    errors = []
    for case in JSON_CASES:
        try:
            our_json.loads(case.document, case.cls, types=TYPES)
        except JsonError as error:
            errors.append(str(error))
    return errors


def test_deeply_nested_unknown_messages_are_a_known_difference():
    cls = TYPES["sample.Leaf"]
    assert differential.text(cls, b"x {" * 100 + b"}" * 100, "pbtxt") == ""
    assert differential.text(cls, b"x {" * 101 + b"}" * 101, "pbtxt") == differential.NESTED


@needs_upb
def test_unknown_fields_are_compared_however_deep_they_are():
    """upb's own DiscardUnknownFields stops at 64 levels."""
    data = b"\x22\x04\x0a\x00KL"  # an entry of a map, with a group in it
    for _ in range(70):
        data = b"\x12" + write_varint(len(data)) + data
    assert differential.wire(TYPES["sample.Recursive"], data) == differential.ANEW
