"""The parser compared with Google's: printed texts, and free-form texts."""

from __future__ import annotations

import random

import pytest
from google.protobuf import text_format
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire import TextFormatError, text
from pbwire.wellknown import Any
from tests.pbwire.test_corpus import each_file
from tests.pbwire.text.reference import SAMPLES, TYPES, google, parsed
from tests.support.corpus import corpus_files, needs_corpus
from tests.support.damaged_text import verdicts
from tests.support.effort import scaled
from tests.support.protobuf_twin import pool, twin
from tests.support.samples import Choice, Empty, Leaf, Leaf2, Optionals, Recursive, Repeated, Required, Scalars
from tests.support.strategies import messages
from tests.support.strategies_text import outline, spellings, texts
from tfmodel.messages import AttrValue, CollectionDef, GraphDef, MetaGraphDef, NodeDef, OpDef, RunMetadata, TensorProto

CLASSES = [*SAMPLES, AttrValue, GraphDef, MetaGraphDef, NodeDef, OpDef, TensorProto]
each_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)

PRINTED = {
    "lines": {},
    "one line": {"as_one_line": True},
    "UTF-8": {"as_utf8": True},
    "short lists": {"use_short_repeated_primitives": True},
    "pointed": {"pointy_brackets": True},
    "colons": {"force_colon": True},
    "numbers": {"use_field_number": True},
    "expanded": {"types": TYPES},
    "all": dict.fromkeys(("as_utf8", "as_one_line", "use_short_repeated_primitives", "pointy_brackets"), True),
}


def meaning(cls: type, data: bytes) -> bytes:
    """Return the message as Google writes it, sorted: the order of a map's entries has no meaning."""
    return twin(cls).FromString(data).SerializePartialToString(deterministic=True)


def theirs(spelled: str, cls: type, *, merge: bool = False, **options: object) -> bytes:
    """The message that Google's parser reads."""
    read = text_format.Merge if merge else text_format.Parse
    message = read(spelled, twin(cls)(), descriptor_pool=pool(), **options)
    return message.SerializePartialToString(deterministic=True)


def both_read(spelled: str, cls: type, expected: bytes | None = None, **options: object) -> None:
    """Ours and Google's parser read the same message, which is the expected one if there is one."""
    known = {"types": TYPES} if options.pop("types", False) else {}
    message = text.loads(spelled, cls, **options, **known)
    assert meaning(cls, message.to_bytes()) == theirs(spelled, cls, **options)
    if expected is not None:
        assert message.to_bytes(deterministic=True) == expected


# --- what printers print -----------------------------------------------------------------------------------------


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@each_class
@given(data=st.data())
def test_text_that_google_prints_is_parsed(cls, data):
    message = data.draw(messages(cls))
    for printed in PRINTED.values():
        numbers = "use_field_number" in printed
        read = text.loads(google(message, **printed), cls, types=TYPES, allow_field_number=numbers)
        assert read.to_bytes(deterministic=True) == message.to_bytes(deterministic=True)


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@each_class
@given(data=st.data())
def test_printed_text_is_parsed_by_both(cls, data):
    message = data.draw(messages(cls))
    for options in ({}, {"as_utf8": True, "use_short_repeated_primitives": True}, {"as_one_line": True}):
        both_read(text.dumps(message, **options), cls, message.to_bytes(deterministic=True))


@st.composite
def packed(draw):
    """An Any, or several, one in another."""
    cls = draw(st.sampled_from([Empty, Leaf, Leaf2, Scalars, Choice]))  # no maps: their order is anybody's
    content = draw(messages(cls, max_depth=2))
    name = cls.__table__.full_name
    for _ in range(draw(st.integers(0, 2))):
        content, name = Any(type_url=f"type.googleapis.com/{name}", value=content.to_bytes()), "google.protobuf.Any"
    return Any(type_url=f"type.googleapis.com/{name}", value=content.to_bytes())


@given(packed(), st.sampled_from(sorted(PRINTED)))
def test_an_any_that_google_expanded_is_packed_again(message, how):
    options = PRINTED[how] | {"types": TYPES}
    read = text.loads(google(message, **options), Any, types=TYPES, allow_field_number=True)
    assert (read.type_url, read.value) == (message.type_url, message.value)


@each_file
def test_every_model_survives_being_printed_and_read(path, cls):
    message = cls.from_bytes(path.read_bytes())
    data = message.to_bytes(deterministic=True)
    for options in ({}, {"as_one_line": True, "as_utf8": True}) if len(data) < 1_000_000 else ({},):
        assert text.loads(text.dumps(message, **options), cls).to_bytes(deterministic=True) == data


@needs_corpus
def test_text_files_mean_what_they_mean_to_google():
    paths = corpus_files(".pbtxt")
    for path in paths:
        cls = RunMetadata if "metadata" in path.name else GraphDef
        for given_text in (path.read_text(), path.read_bytes(), path.read_bytes().replace(b"\n", b"\r\n")):
            assert meaning(cls, text.loads(given_text, cls).to_bytes()) == parsed(path.read_text(), cls)
    assert len(paths) >= 3


# --- free form ---------------------------------------------------------------------------------------------------


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@each_class
@settings(max_examples=scaled(60))
@given(data=st.data())
def test_free_form_text_means_the_message_that_it_spells(cls, data):
    message, spelled = data.draw(spellings(cls))
    both_read(spelled, cls, message.to_bytes(deterministic=True))


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@each_class
@given(data=st.data())
def test_two_texts_in_a_row_are_merged_as_google_merges_them(cls, data):
    pieces = [data.draw(texts(cls)) for _ in range(data.draw(st.integers(2, 3)))]
    both_read("\n".join(pieces), cls, merge=True)


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@each_class
@given(data=st.data())
def test_without_merging_two_texts_in_a_row_have_googles_verdict(cls, data):
    spelled = "\n".join(data.draw(texts(cls, max_depth=2)) for _ in range(2))
    try:
        expected = theirs(spelled, cls)
    except text_format.ParseError:
        with pytest.raises(TextFormatError):
            text.loads(spelled, cls)
        return
    assert meaning(cls, text.loads(spelled, cls).to_bytes()) == expected


@pytest.mark.slow(reason="generates many messages and compares them with protobuf")
@each_class
@given(data=st.data())
def test_numbers_as_names_and_unknown_fields(cls, data):
    message, spelled = data.draw(spellings(cls, numbers=True, unknown=True))
    expected = message.to_bytes(deterministic=True)
    both_read(spelled, cls, expected, allow_field_number=True, allow_unknown_field=True)


@given(st.data())
def test_an_any_in_free_form(data):
    content = packed() | st.builds(Any, type_url=st.just("unknown/x"), value=st.binary(max_size=9))
    message, spelled = data.draw(spellings(Any, types=TYPES, contents=content))
    read = text.loads(spelled, Any, types=TYPES)
    assert (read.type_url, read.value) == (message.type_url, message.value)
    assert meaning(Any, read.to_bytes()) == theirs(spelled, Any)


@given(st.lists(packed(), max_size=3))
def test_anies_inside_of_a_model(values):
    collection = CollectionDef(any_list=CollectionDef.AnyList(value=values))
    assert text.loads(google(collection, types=TYPES), CollectionDef, types=TYPES) == collection
    assert text.loads(google(collection), CollectionDef) == collection


@pytest.mark.parametrize("cls", [Scalars, Optionals, Repeated, Leaf2], ids=lambda cls: cls.__name__)
@settings(max_examples=scaled(60))
@given(data=st.data())
def test_every_kind_of_value_in_odd_spellings(cls, data):
    """No messages below, so that there are more values."""
    message, spelled = data.draw(spellings(cls, max_depth=1))
    both_read(spelled, cls, message.to_bytes(deterministic=True))


# --- text that repeats itself ------------------------------------------------------------------------------------


@settings(max_examples=scaled(60))
@given(st.data())
def test_repeated_text_means_the_same_each_time(data):
    """Lines and blocks that occurred before are parsed by another path, in other places and at other depths."""
    few = data.draw(st.lists(messages(Recursive, max_depth=2), min_size=1, max_size=3))
    order = data.draw(st.lists(st.sampled_from(few), min_size=2, max_size=12))
    deep = Recursive(children=order, child=order[0], named={"a": order[0], "b": order[1]})
    message = Recursive(children=[deep, *order, deep], child=Recursive(child=deep))
    both_read(text.dumps(message), Recursive, message.to_bytes(deterministic=True))


@settings(max_examples=scaled(300))
@given(st.integers(0, 1 << 32), st.booleans(), st.integers(1, 3))
def test_repeated_lines_in_other_places_mean_what_they_mean_to_google(seed, merge, times):
    given_text = outline(random.Random(seed)) * times
    ours, theirs = verdicts(given_text, Recursive, merge=merge)
    assert ours == theirs


def test_required_fields_may_be_missing():
    message = text.loads("parts { } parts { weight: 1 }", Required)
    assert message == Required(parts=[Required.Part(), Required.Part(weight=1.0)])
