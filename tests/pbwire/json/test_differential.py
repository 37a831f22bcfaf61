"""JSON compared with Google's newest json_format, both ways: generated messages of every class, and real files."""

from __future__ import annotations

import json as plain_json

import pytest

from pbwire import EncodeError, json
from pbwire.table import table_of
from tests.pbwire.json.generated import SAMPLES, TYPES, generated
from tests.pbwire.json.kinds import Named, Special
from tests.pbwire.test_corpus import FILES
from tests.support import newest_protobuf
from tests.support.effort import LONG, scaled
from tests.support.newest_protobuf import Ask, Refused
from tfmodel import messages as schema

OPTIONS = [
    {},
    {"preserving_proto_field_name": True},
    {"always_print_fields_with_no_presence": True},
    {"use_integers_for_enums": True},
]
COUNTS = dict.fromkeys(SAMPLES, scaled(40)) | {Special: scaled(150), Named: scaled(20)}
NOT_READ_BACK = ('"nulls"', '"nullByFlag"', "3.4028235e+38")  # by the newest protobuf itself: see cases.py
SMALL = 200_000  # bytes: what is larger is printed with default options only


def newest(questions):
    try:
        return newest_protobuf.newest(questions)
    except newest_protobuf.Unavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def of_samples():
    return [message for cls, count in COUNTS.items() for message in generated(cls, count)]


@pytest.fixture(scope="module")
def of_tensorflow():
    classes = [cls for name, cls in schema.TYPES.items() if name.startswith("tensorflow.")]
    return [message for cls in classes for message in generated(cls, max(3, scaled(8)), max_depth=2)]


@pytest.fixture(scope="module")
def of_special_fields():
    return generated(Special, COUNTS[Special])


def all_of(messages, options):
    """Return the documents that the newest protobuf prints, in one form."""
    questions = [Ask(table_of(type(m)).full_name, m.to_bytes(), "print", options) for m in messages]
    return newest(questions)


SLOW = pytest.mark.slow(reason="generates hundreds of messages and asks the newest protobuf in a process of its own")
GROUPS = ["of_samples", "of_tensorflow"]
PRINTED = [("of_samples", options) for options in OPTIONS]
PRINTED += [("of_tensorflow", options) for options in (OPTIONS if LONG else OPTIONS[:1])]


@SLOW
@pytest.mark.parametrize(("group", "options"), PRINTED, ids=lambda option_set: "".join(option_set) or "default")
def test_documents_are_those_of_the_newest_protobuf(group, options, request):
    messages = request.getfixturevalue(group)
    assert len(messages) >= scaled(600)
    for message, theirs in zip(messages, all_of(messages, options), strict=True):
        ours = json.dumps(message, types=TYPES, **options)
        assert plain_json.dumps(plain_json.loads(ours), sort_keys=True) == theirs, message
        again = json.loads(theirs, type(message), types=TYPES)
        assert again.to_bytes(deterministic=True) == message.to_bytes(deterministic=True)


@pytest.mark.parametrize("group", ["of_special_fields", *(pytest.param(group, marks=SLOW) for group in GROUPS)])
def test_the_newest_protobuf_reads_what_we_print(group, request):
    messages = request.getfixturevalue(group)
    names = [table_of(type(message)).full_name for message in messages]
    texts = [json.dumps(message, types=TYPES, sort_keys=True, indent=None) for message in messages]
    answers = newest([Ask(name, text, "parse") for name, text in zip(names, texts, strict=True)])
    for message, text, theirs in zip(messages, texts, answers, strict=True):
        if any(word in text for word in NOT_READ_BACK):
            continue
        assert isinstance(theirs, bytes), (theirs, message)
        read = type(message).from_bytes(theirs)  # upb has an order of its own for the entries of maps
        assert read.to_bytes(deterministic=True) == message.to_bytes(deterministic=True), message


@SLOW
@pytest.mark.parametrize(
    "options",
    [
        {"sort_keys": True},
        {"sort_keys": True, "indent": None},
        {"sort_keys": True, "indent": 0},
        {"sort_keys": True, "indent": 7, "ensure_ascii": False},
        {"sort_keys": True, "unquote_int64_if_possible": True},
        {"sort_keys": True, "always_print_fields_with_no_presence": True, "preserving_proto_field_name": True},
    ],
    ids=str,
)
def test_with_members_in_one_order_the_text_is_the_same(of_samples, options):
    questions = [Ask(table_of(type(m)).full_name, m.to_bytes(), "pretty", options) for m in of_samples]
    for message, theirs in zip(of_samples, newest(questions), strict=True):
        assert json.MessageToJson(message, descriptor_pool=TYPES, **options) == theirs


def test_real_files():
    questions, expected = [], []
    for path, cls in FILES:
        data = path.read_bytes()
        message = cls.from_bytes(data)
        for options in OPTIONS if len(data) < SMALL else OPTIONS[:1]:
            questions.append(Ask(table_of(cls).full_name, data, "print", options))
            expected.append((path, message, options))
    for (path, message, options), theirs in zip(expected, newest(questions), strict=True):
        if isinstance(theirs, Refused):  # an Any of a type that neither knows
            with pytest.raises(EncodeError, match="types= does not contain this name"):
                json.dumps(message, types=TYPES, **options)
            continue
        ours = json.dumps(message, types=TYPES, **options)
        assert plain_json.dumps(plain_json.loads(ours), sort_keys=True) == theirs, path
        again = json.loads(theirs, type(message), types=TYPES)
        assert again.to_bytes(deterministic=True) == message.to_bytes(deterministic=True)
