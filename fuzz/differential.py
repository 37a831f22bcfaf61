"""The differential mode: compare results with protobuf's; each difference needs a documented reason.

    wire(cls, data)                 # "" if upb agrees, else the reason; AssertionError for an unknown difference
    text(cls, data, "pbtxt")        # the same with text_format; of wire bytes ("pb"), printed text byte for byte
    json(cls, data, "json")         # the same with the newest json_format, in a separate process
    extensions(cls, data, "pb")     # wire bytes of messages with extensions, and their text

protobuf is imported on first use: the fuzzer works without it.
"""

from __future__ import annotations

import contextlib
import json as plain_json
import re
import warnings
from fractions import Fraction
from functools import cache
from typing import Any

from pbwire import DecodeError, EncodeError, JsonError, Message, TextFormatError
from pbwire import json as our_json
from pbwire import text as our_text
from pbwire.codec.buffers import encode_message
from pbwire.message import MAX_DEPTH
from pbwire.table import table_of

from .messages import TYPES, reachable, without_unknown

__all__ = ["extensions", "json", "text", "wire"]

UTF8 = "proto2 strings are text here, and upb does not look"
GROUPS = "a repeated group with a length is an unknown field here"
QUIET = "a signalling NaN becomes a quiet one"
ENTRIES = "upb has an order of its own for the entries of maps"
ANEW = "unknown fields stay as they stood; upb writes those anew that were an entry of a map or of a closed enum"
ROUNDED = "integers are exact, also with a fraction or an exponent"
NESTED = "nesting stops at 100 levels, of unknown messages too"
SPELLED = "protobuf prints nothing as null in a list: that is what the specification calls an error"
"""The differences that README and tests/pbwire/codec/wire_cases.py state."""


def _theirs(cls: type[Message]) -> Any:
    """Return Google's class, or None if the pool lacks the name."""
    from tests.support.protobuf_twin import twin

    try:
        return twin(cls)
    except KeyError:
        return None


def wire(cls: type[Message], data: bytes) -> str | None:
    """Compare wire bytes: both accept or refuse them, and write the same deterministic bytes and the same text."""
    google = _theirs(cls)
    if google is None:
        return None
    expected = _upb_reads(google, data)
    try:
        message = cls.from_bytes(data)
    except DecodeError as error:
        if expected is None:
            return ""
        assert error.message == "not UTF-8", f"upb reads what we refuse: {error}"
        return UTF8
    if expected is None:
        assert _may_have_groups(cls), "upb refuses what we read"
        return GROUPS
    if not expected.IsInitialized():
        with contextlib.suppress(EncodeError):
            message.to_bytes()
            raise AssertionError("we write what lacks required fields")
        return ""
    return _same(google, expected, message.to_bytes(deterministic=True), message) or _same_text(cls, google, data)


def _upb_reads(google: Any, data: bytes) -> Any:
    from google.protobuf.message import DecodeError as TheirDecodeError

    try:
        return google.FromString(data)
    except TheirDecodeError:
        return None


def _same(google: Any, expected: Any, ours: bytes, message: Message) -> str:
    """Return "" if our deterministic bytes are upb's, else the reason."""
    theirs = expected.SerializePartialToString(deterministic=True)
    if ours == theirs:
        return ""
    again = _upb_reads(google, ours)
    assert again is not None, "upb refuses what we wrote"
    if again.SerializePartialToString(deterministic=True) == theirs:
        if sorted(ours) == sorted(theirs):
            return ENTRIES
        read = type(message).from_bytes(theirs, max_depth=MAX_DEPTH + 1)
        assert _canonical(without_unknown(message)) == _canonical(without_unknown(read)), "upb writes other bytes"
        return ANEW
    if _may_have_groups(type(message)):
        return GROUPS
    assert "nan" in _repr_of(again) and _repr_of(again) == _repr_of(expected), "upb means something else"
    return QUIET


def _repr_of(message: Any) -> str:
    from google.protobuf import text_format

    return str(text_format.MessageToString(message, as_one_line=True, print_unknown_fields=True))


def _may_have_groups(cls: type[Message]) -> bool:
    """Return whether a message can hold a repeated group at any depth."""
    return any(field.kind == "group" and field.label == "repeated" for field in reachable(cls))


# --- extensions --------------------------------------------------------------------------------------------------

ZERO = "upb makes an extension 0 if its closed enum lacks the number"
NO_MATERIAL = "[garage.material]: 0"  # an enum without 0
OF_WIRE_REFUSAL = {
    "not UTF-8": UTF8,
    "field number 0": "upb does not look at the numbers of fields that it skips in items",
}
FIELDS = "an item of a MessageSet may be an ordinary field, as in C++ and Java; upb does not know it then"
LAST = "extensions are written after the fields of the class"
ITEMS = ("[garage.car]", "[garage.bag]", "[garage.Box")  # paths of items of the MessageSet
ITEM_NAMES = {"[garage.Car]": "[garage.car]", "[garage.Bag]": "[garage.bag]"}
"""protobuf's Python names all items of a MessageSet by their types, and cannot read these two; C++ prints the names of
the extensions."""


def extensions(cls: type[Message], data: bytes, form: str) -> str | None:
    """Compare wire bytes of messages with extensions: the verdict, the message and its text."""
    from google.protobuf import text_format
    from google.protobuf.descriptor_pool import DescriptorPool

    from tests.pbwire.extensions.garage import twin

    if form != "pb":
        return None
    try:
        google = twin(cls)
    except KeyError:  # a class of editions
        return None
    expected = _upb_reads(google, data)
    try:
        message = cls.from_bytes(data)
    except DecodeError as error:
        if expected is None:
            return ""
        if any(name in error.path for name in ITEMS):
            return FIELDS
        assert error.message in OF_WIRE_REFUSAL, f"upb reads what we refuse: {error}"
        return OF_WIRE_REFUSAL[error.message]
    if expected is None:
        return GROUPS
    if not expected.IsInitialized():
        return ""

    def print_theirs(theirs: Any) -> str:
        printed = str(text_format.MessageToString(theirs, descriptor_pool=DescriptorPool()))
        for name, other in ITEM_NAMES.items():
            printed = printed.replace(name, other)
        return printed

    ours, printed = message.to_bytes(deterministic=True), our_text.dumps(message, max_depth=3 * MAX_DEPTH)
    theirs = print_theirs(expected)
    if printed != theirs:
        if NO_MATERIAL in theirs:
            return ZERO
        assert print_theirs(google.FromString(ours)) == printed, "protobuf prints another text"
        return FIELDS
    reason = _same(google, expected, ours, message)
    return LAST if reason == ENTRIES else reason


# --- text --------------------------------------------------------------------------------------------------------


def text(cls: type[Message], data: bytes, form: str) -> str | None:
    """Compare the verdict and the message of a text; of wire bytes that both read, the printed text."""
    google = _theirs(cls)
    if google is None:
        return None
    if form != "pbtxt":
        return _same_text(cls, google, data)
    from tests.golden.text.reasons import GROUP_NAMES
    from tests.support.damaged_text import explanations, verdicts

    try:
        document = data.decode()
    except UnicodeDecodeError:
        return ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # protobuf unescapes literals with Python's decoder
        for options in ({}, {"merge": True, "allow_field_number": True}, {"allow_unknown_field": True}):
            ours, theirs = verdicts(document, cls, **options)
            if ours != theirs:
                reasons = explanations(document)
                if ours is None and _is_too_deep(document, cls, options):
                    reasons.append(NESTED)
                if any(field.kind == "group" and field.name in document for field in reachable(cls)):
                    reasons.append(GROUP_NAMES)
                assert reasons, f"protobuf says {_short(theirs)}, we say {_short(ours)}"
                return reasons[0]
    return ""


def _is_too_deep(document: str, cls: type[Message], options: dict[str, bool]) -> bool:
    try:
        our_text.loads(document, cls, max_depth=3 * MAX_DEPTH, **options)  # type: ignore[arg-type]  # all options are bool
    except TextFormatError as error:
        return "levels" in str(error)
    return True


def _short(data: bytes | None) -> str:
    return "no" if data is None else repr(data[:60])


def _same_text(cls: type[Message], google: Any, data: bytes) -> str:
    from google.protobuf import text_format
    from google.protobuf.descriptor_pool import DescriptorPool

    from tests.support.protobuf_twin import followed

    expected = _upb_reads(google, data)
    try:
        message = cls.from_bytes(data)
    except DecodeError:
        return ""  # that is for the target "wire"
    if expected is None:
        return GROUPS
    layout = {"as_one_line": True, "use_short_repeated_primitives": True}
    every: list[dict[str, Any]] = [{"as_utf8": False}, {"as_utf8": True, **layout}]
    for options in every:
        theirs = text_format.MessageToString(expected, descriptor_pool=DescriptorPool(), **options)
        with followed():
            ours = our_text.dumps(message, max_depth=3 * MAX_DEPTH, **options)
        if ours != theirs:
            assert _may_have_groups(cls), "protobuf prints another text"
            return GROUPS
    return ""


# --- JSON --------------------------------------------------------------------------------------------------------

MAX_JSON_BYTES = 20_000  # bytes: protobuf is slow for some documents

QUOTED = "numbers in quotes must have the syntax of JSON numbers"
OF_OUR_REFUSAL = {
    r"-?(NaN|Infinity) is not JSON": "bare NaN and Infinity are not JSON",
    r"got (true|false)$": "a boolean is not a number",
    r"are the same field$": "a field must not occur twice, not even under its other name",
    r"in another spelling": "a key must not occur twice, not even in another spelling",
    r"expected an object": "a message must be an object",
    r"expected bytes in base64": "text that is not base64 is refused",
    r"out of range": "range checks apply everywhere, and to all spellings",
    r"expected (an integer|a number).*, got \"|the key of this map": QUOTED,
    r"has no value \"([-+ \d._eE]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4})+\"": QUOTED,
    r"expected a name or number of": "enum numbers must be integers",
    r"expected a point in time|is not in the years": "RFC 3339 fixes the width and the range of each number",
    r"expected an integer, got -?(\d+\.(\d*[1-9]|0{20})|\d[\d.]*[eE]-)": "a fraction is not rounded to an integer",
    r"expected a length of time": "a duration has digits, up to nine decimals, and ends with s",
    r"expected a slash": "type URLs must contain a slash",
    r'needs the key "value"|may have only the keys "@type" and "value"': "an Any of special JSON has two members",
    r'has no (field|value) "[^"]*\\x00': "a name does not end at a null character",
    r"cannot be combined with": "null sets a NullValue or a Value, which is then a second member of its oneof",
}
OF_THEIR_REFUSAL = {
    r"Float value too": "the printed form of the largest float rounds to it",
    r"Invalid enum value [-+\d.eE]+ for": "numbers in quotes may have a fraction or an exponent",
    r"no attribute 'null_value'": "null makes any repeated field absent",
    r"Message too deep": "the limit of nesting is that of the wire format, which is one level more",
    r"surrogates not allowed": "strings are validated when they are written",
    r"used as an element|not 'NoneType'": "null is the value of a NullValue, in lists and maps too",
}
"""Patterns of errors, ours or theirs, with the reason why the other accepts the input: see tests/pbwire/json/cases."""


def json(cls: type[Message], data: bytes, form: str) -> str | None:
    """Compare the verdict and the message of JSON; of wire bytes that both read, the printed document."""
    from tests.support.newest_protobuf import Ask, Refused, Unavailable

    name = table_of(cls).full_name
    if len(data) > MAX_JSON_BYTES:
        return None
    try:
        if form == "pb":
            return _same_document(cls, name, data)
        document = data.decode()
        (theirs,) = _newest().ask(Ask(name, document, "parse"))
    except (Unavailable, UnicodeDecodeError):
        return None
    try:
        message = our_json.loads(document, cls, types=TYPES)
    except JsonError as error:
        if isinstance(theirs, Refused):
            return ""
        reasons = [why for pattern, why in OF_OUR_REFUSAL.items() if re.search(pattern, str(error))]
        assert reasons, f"protobuf reads what we refuse: {error}"
        return reasons[0]
    ours = _canonical(message)
    if isinstance(theirs, Refused):
        problem = f"protobuf refuses what we read: {theirs}"
        reasons = [why for pattern, why in OF_THEIR_REFUSAL.items() if re.search(pattern, theirs.error)]
        if reasons:
            return reasons[0]
    else:
        problem = "protobuf reads something else"
        if ours == _read(cls, theirs):
            return ""
    (theirs,) = _newest().ask(Ask(name, _NUMBER.sub(_without_fraction, document), "parse"))
    assert not isinstance(theirs, Refused) and ours == _read(cls, theirs), problem
    return ROUNDED


def _read(cls: type[Message], theirs: bytes | str) -> Any:
    assert isinstance(theirs, bytes)
    return _canonical(cls.from_bytes(theirs, max_depth=MAX_DEPTH * 3))


_NUMBER = re.compile(r"(?<![0-9.eE])-?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:[eE][-+]?[0-9]{1,3})?(?![0-9.eE])")


def _without_fraction(number: re.Match[str]) -> str:
    """Return a number; of a large integer without the fraction or exponent, which would cause rounding."""
    value = Fraction(number.group())
    return str(value) if value.denominator == 1 and abs(value) > 2**53 else number.group()


@cache
def _newest() -> Any:
    from tests.support.newest_protobuf import Conversation

    return Conversation()


def _canonical(message: Message) -> bytes:
    return b"".join(encode_message(message, True, partial=True))


def _same_document(cls: type[Message], name: str, data: bytes) -> str | None:
    from tests.support.newest_protobuf import Ask, Refused

    try:
        message = cls.from_bytes(data)
    except DecodeError:
        return None  # that is for the target "wire"
    (theirs,) = _newest().ask(Ask(name, data, "print"))
    if isinstance(theirs, Refused) and "DecodeError" in theirs.error:
        return None  # the newest upb is stricter than 4.25, the reference of the codec
    try:
        ours = our_json.dumps(message, types=TYPES)
    except EncodeError as error:
        if isinstance(theirs, Refused):
            return ""
        assert "nothing is set in this Value" in str(error), f"protobuf prints what we refuse: {error}"
        return SPELLED
    assert isinstance(theirs, str), f"protobuf refuses what we print: {theirs}"
    document = plain_json.dumps(plain_json.loads(ours), sort_keys=True)
    assert document == theirs, "protobuf prints another document"
    return ""
