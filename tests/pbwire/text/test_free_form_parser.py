"""The parser of free-form text gives the results and the errors of the parser of repeated lines."""

from __future__ import annotations

import random
from unittest import mock

import pytest

from pbwire import TextFormatError, text
from pbwire.text import fast_parser
from pbwire.text.fast_parser import Parser
from pbwire.text.free_form_parser import MAX_REMEMBERED, RUN_INTERVAL, FreeFormParser
from tests.golden.text import cases
from tests.hostile.test_hash_collisions import keys_that_collide
from tests.pbwire.text.reference import TYPES
from tests.pbwire.text.test_damaged_text import DEEP
from tests.pbwire.text.test_parser_errors import ANIES, FIELDS, LITERALS, STRUCTURE, VALUES
from tests.support.damaged_text import damaged_text, pieces
from tests.support.samples import Leaf, Maps, Recursive, Repeated
from tfmodel.messages import AttrValue, FunctionDef, GraphDef, NodeDef


def free_form(printed):
    """Return printed text with comments, spacing of all kinds and two fields on a line."""
    chance = random.Random(1)
    parts = []
    for line in printed.splitlines():
        content = line.strip()
        name, space, value = content.partition(" ")
        if space and chance.random() < 0.5:  # around what stands between name and value, which is ":" or nothing
            content = name.replace(":", chance.choice([":", " :", ":   "])) + chance.choice(["", " ", "\n"]) + value
        comment = "# a comment\n" * (chance.random() < 0.05)
        parts.append(comment + " " * chance.randrange(9) + content + chance.choice(["\n", "  \n", " ", " # note\n"]))
    return "".join(parts)


def outcome(document, cls, **options):
    """Return the parsed message, or the error with its position."""
    try:
        return text.loads(document, cls, **options)
    except TextFormatError as error:
        return str(error), error.line, error.column, error.source, error.width


def free_outcome(document, cls, **options):
    with mock.patch.object(Parser, "parse_body", FreeFormParser.parse_free_form):
        return outcome(document, cls, **options)


@pytest.mark.parametrize("options", [{}, {"merge": True}, {"allow_unknown_field": True}])
def test_all_texts_have_the_same_outcome(options):
    for case in cases():
        more = dict(case.options) | options
        if more.pop("types", False):
            more["types"] = TYPES
        assert repr(free_outcome(case.text, TYPES[case.cls], **more)) == repr(
            outcome(case.text, TYPES[case.cls], **more)
        ), case.text


def test_errors_are_the_same():
    for cls, document, said, _ in (*VALUES, *LITERALS, *STRUCTURE, *FIELDS, *ANIES):
        error = free_outcome(document, cls, types=TYPES)
        assert error == outcome(document, cls, types=TYPES)
        assert error[0].startswith(said)


@pytest.mark.slow(reason="damages inputs in thousands of ways")
def test_damaged_texts_have_the_same_outcome():
    rng = random.Random(11)
    errors = 0
    for cls, document in rng.choices(pieces(), k=2_000):
        damaged = damaged_text(document, rng)
        options = rng.choice([{}, {"merge": True}, {"allow_unknown_field": True}])
        got = free_outcome(damaged, cls, **options)
        assert repr(got) == repr(outcome(damaged, cls, **options)), damaged
        errors += isinstance(got, tuple)
    assert 200 < errors < 1_900


@pytest.mark.parametrize(("cls", "opening", "closing"), DEEP.values(), ids=DEEP)
def test_nesting_stops_at_the_limit(cls, opening, closing):
    for count in (1, 5, 49, 50, 51, 99, 100, 101, 1_000):
        document = opening * count + closing * count
        assert free_outcome(document, cls, allow_unknown_field=True) == outcome(document, cls, allow_unknown_field=True)


@pytest.mark.parametrize("separator", [" ", "\n", ", ", ",\n", " # note\n", " # note\n,"])
@pytest.mark.parametrize("count", [RUN_INTERVAL - 1, RUN_INTERVAL, RUN_INTERVAL + 1, 100])
def test_long_lists(separator, count):
    values = list(range(1_000, 1_000 + count))
    document = separator.join(f"a_int32: {value}" for value in values)
    assert free_outcome(document, Repeated).a_int32 == values
    for end in (",", ";", " ,"):
        assert free_outcome(document + end, Repeated).a_int32 == values
        error = free_outcome(document + end + end, Repeated)
        assert error == outcome(document + end + end, Repeated)
        assert "expected the name of a field" in error[0]


def test_a_string_continues_after_any_element():
    for document, value in (
        ("text: 'a' 'b'", "ab"),
        ("number: 1 text: 'a' # c\n 'b' \"c\"", "abc"),
    ):
        assert free_outcome(document, Leaf).text == value
    for document in ("number: 1 'b'", "leaf { } 'b'", "text: 'a', 'b'", "text: 'a' }"):
        assert free_outcome(document, Repeated) == outcome(document, Repeated)


def test_entries_without_keys_or_values_and_repeated_ones():
    document = "by_string { key: 'a' value: 'x' } by_string { value: 'y' } by_string { key: 'b' } "
    document += "by_string { key: 'a' value: 'z' } of_leaf { key: 'c' }"
    message = free_outcome(document, Maps)
    assert message == outcome(document, Maps)
    assert message.by_string["a"] == "z"


def test_a_map_with_keys_that_collide_is_refused():
    document = "".join(f"arg_attr {{ key: {key} value {{ }} }} " for key in keys_that_collide())
    error = free_outcome(document, FunctionDef)
    assert error == outcome(document, FunctionDef)
    assert "the keys of this map collide" in error[0]


def test_lazily_decoded_messages_can_be_merged_into():
    data = GraphDef(node=[NodeDef(name="a", attr={"x": AttrValue(i=1)})]).to_bytes()
    for parse_body in (Parser.parse_body, FreeFormParser.parse_free_form):
        with mock.patch.object(Parser, "parse_body", parse_body):
            node = GraphDef.from_bytes(data, lazy=True).node[0]
            text.Merge("attr { key: 'y' value { i: 2 } } input: 'b'", node)
            assert node == NodeDef(name="a", input=["b"], attr={"x": AttrValue(i=1), "y": AttrValue(i=2)})


def test_the_number_of_remembered_words_is_limited():
    document = " ".join(f"a_int32: {n}" for n in range(MAX_REMEMBERED + 100))
    parser = Parser(
        document, merge=False, allow_unknown_field=False, allow_field_number=False, types=None, max_depth=100
    )
    parser.parse_free_form(Repeated.__table__, Repeated(), 0, "", 100)
    assert len(parser.class_memory(Repeated.__table__).words) == MAX_REMEMBERED


# --- when it is used ---------------------------------------------------------------------------------------------


def calls_of(document, cls=GraphDef):
    """Return how often messages are parsed as free-form text, and the result."""
    with mock.patch.object(
        FreeFormParser, "parse_free_form", autospec=True, side_effect=FreeFormParser.parse_free_form
    ) as spy:
        message = text.loads(document, cls)
    return spy.call_count, message


def graph(count):
    return GraphDef(node=[NodeDef(name=f"n{n}", input=[f"i{n}"], attr={f"a{n}": AttrValue(i=n)}) for n in range(count)])


def test_text_that_does_not_repeat_itself_is_parsed_as_free_form():
    message = graph(2_000)
    for document in (text.dumps(message), text.dumps(message, as_one_line=True), free_form(text.dumps(message))):
        calls, parsed = calls_of(document)
        assert calls > 1_000
        assert parsed == message


def test_text_that_repeats_itself_is_not():
    message = GraphDef(node=[NodeDef(name="a", op="Const", attr={"T": AttrValue(i=1)})] * 5_000)
    assert calls_of(text.dumps(message)) == (0, message)


def test_a_short_text_is_not():
    message = graph(200)
    assert len(text.dumps(message)) < fast_parser.SAMPLE_LENGTH
    assert calls_of(text.dumps(message)) == (0, message)


def test_the_parser_is_chosen_again_for_other_parts_of_a_text(monkeypatch):
    monkeypatch.setattr(fast_parser, "FREE_FORM_LENGTH", fast_parser.SAMPLE_LENGTH)
    different, same = text.dumps(graph(2_000)), text.dumps(GraphDef(node=[NodeDef(name="a", op="Const")])) * 20_000
    calls, message = calls_of(different + same)
    assert 500 < calls < 2_000
    assert len(message.node) == 22_000
    assert calls_of(same + different)[0] > 500


def test_recursive_messages_are_closed_in_order():
    document = "children { depth: 1 children { depth: 2 } children { depth: 3 } child { depth: 4 } } depth: 5"
    assert free_outcome(document, Recursive) == outcome(document, Recursive)
