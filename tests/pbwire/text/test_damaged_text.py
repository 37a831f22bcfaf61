"""Damaged, hostile and huge texts: nothing but TextFormatError, protobuf's verdict, time linear in the text.

`python -m fuzz` has longer runs, tests/support/growth.py measures time.
"""

from __future__ import annotations

import random

import pytest

from pbwire import TextFormatError, text
from tests.golden.text import REFUSED, cases
from tests.pbwire.text.reference import TYPES
from tests.support.damaged_text import damaged_text, explanations, pieces, read_text, verdicts
from tests.support.huge_text import HUGE, read_huge
from tests.support.samples import Groups, Leaf, Recursive, Repeated, Scalars
from tfmodel.messages import GraphDef

OPTIONS = [{}, {"merge": True}, {"allow_unknown_field": True}, {"allow_field_number": True}]
PIECES = pieces()
SMALL = [case for case in cases() if case.ours == case.google != REFUSED and isinstance(case.text, str)]

pythons_escapes = pytest.mark.filterwarnings("ignore:.*invalid.*escape:DeprecationWarning")  # protobuf's, of literals


@pytest.mark.slow(reason="damages inputs in thousands of ways")
def test_a_damaged_file_is_read_or_refused():
    rng = random.Random(7)
    chosen = rng.choices(PIECES, k=3_000)
    read = [read_text(cls, damaged_text(document, rng), **rng.choice(OPTIONS)) for cls, document in chosen]
    assert 0 < sum(read) < len(read)


@pytest.mark.slow(reason="damages inputs in thousands of ways")
@pythons_escapes
def test_damaged_files_have_protobufs_verdict():
    rng = random.Random(8)
    agreed = [
        agree(cls, damaged_text(document, rng), rng.choice(OPTIONS)) for cls, document in rng.choices(PIECES, k=1_500)
    ]
    assert sum(agreed) > 0.9 * len(agreed)


@pythons_escapes
def test_damaged_tricky_texts_have_protobufs_verdict():
    rng = random.Random(9)
    chosen = [case for case in rng.choices(SMALL, k=4_000) if not (case.partial or "types" in case.options)]
    agreed = [agree(TYPES[case.cls], damaged_text(case.text, rng), case.options) for case in chosen]
    assert sum(agreed) > 0.9 * len(agreed)


def agree(cls, document, options):
    """Check that both parsers read the same, or that a known reason explains the difference."""
    ours, theirs = verdicts(document, cls, **options)
    assert ours == theirs or explanations(document), document
    return ours == theirs


def test_known_reasons_explain_what_they_should_and_nothing_else():
    for case in cases():
        if isinstance(case.text, str) and case.because and "types" not in case.options and case.cls != "sample.Groups":
            assert explanations(case.text), case.text
    assert not explanations("name: 'a' # - 1.5F\nsize: [-1, 0, 17] f: 1.5e+3f s: '-0F \\377\\n +' leaf { } <>")


@pytest.mark.slow(reason="damages inputs in thousands of ways")
def test_every_character_changed_into_every_awkward_one():
    document = "leaf {\n  text: \"a\\n\" 'b'\n  numbers: [-1, 0x2]\n} # c\nnumber: 3"
    for at in range(len(document)):
        for char in "{}<>[]:;,\"'\\#-+0x1.\n \0\r\x85é\ud800":
            read_text(Leaf, document[:at] + char + document[at + 1 :])
            read_text(Leaf, document[:at] + char + document[at:])


@pytest.mark.slow(reason="damages inputs in thousands of ways")
def test_every_beginning_of_a_text():
    for cls, document in [*PIECES[-3:], (Leaf, "leaf {\n  text: 'a\\303\\251' # c\n}\nnumbers: [1, 2]\n")]:
        accepted = [read_text(cls, document[:end]) for end in range(len(document))]
        assert accepted[0] and not all(accepted)


# --- nesting -----------------------------------------------------------------------------------------------------

DEEP = {
    "braces": (Recursive, "child {", "}"),
    "pointed brackets": (Recursive, "child <", ">"),
    "lines": (Recursive, "child {\n", "}\n"),
    "elements": (Recursive, "children {\n", "}\n"),
    "indented elements": (Recursive, "  children {\n", "  }\n"),
    "lists": (Recursive, "children: [{", "}]"),
    "map entries": (Recursive, "named { value {", "} }"),
    "oneofs": (Recursive, "left { ", "}"),
    "groups": (Groups, "Single { again {", "} }"),
    "unknown messages": (Leaf, "x {", "}"),
    "unknown lists": (Leaf, "x: [<", ">]"),
}
each_depth = pytest.mark.parametrize(("cls", "opening", "closing"), DEEP.values(), ids=DEEP)


@each_depth
def test_nesting_stops_at_the_limit(cls, opening, closing):
    """An entry of a map is a level, as it is on the wire; so are the two messages of other rows."""
    levels = sum(opening.count(bracket) for bracket in "{<")
    for limit in (10, 100):
        deepest = limit // levels
        options = {"allow_unknown_field": True, "max_depth": limit}
        text.loads(opening * deepest + closing * deepest, cls, **options)
        with pytest.raises(TextFormatError, match=f"more than {limit} levels"):
            text.loads(opening * (deepest + 1) + closing * (deepest + 1), cls, **options)


@each_depth
def test_100_000_levels_are_refused_at_the_limit(cls, opening, closing):
    for document in (opening * 100_000, opening * 100_000 + closing * 100_000):
        with pytest.raises(TextFormatError, match="more than 100 levels") as caught:
            text.loads(document, cls, allow_unknown_field=True)
        assert caught.value.line <= 101
        assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    "document",
    ["{", "[", "<", "}", "x:[", "x{", "[a.", "(", "'", '"a"', "\\", "x:-", "number:", ";", "a", "1", "-", "é"],
)
def test_100_000_brackets_of_any_kind_are_refused(document):
    with pytest.raises(TextFormatError) as caught:
        text.loads(document * 100_000 + "}", Leaf, allow_unknown_field=True)
    assert len(str(caught.value)) < 1_000


@each_depth
def test_a_limit_above_pythons_recursion_limit_gives_an_error(cls, opening, closing):
    with pytest.raises(TextFormatError, match="nested"):
        text.loads(opening * 20_000 + closing * 20_000, cls, allow_unknown_field=True, max_depth=1_000_000)


def test_a_remembered_block_is_refused_below_the_limit():
    block = "  children {\n    depth: 1\n    children {\n      depth: 2\n    }\n  }\n"
    for levels, refused in ((3, False), (4, True)):
        document = block + "child {\n" * levels + block + "}\n" * levels
        if refused:
            with pytest.raises(TextFormatError, match="more than 5 levels"):
                text.loads(document, Recursive, max_depth=5)
        else:
            assert text.loads(document, Recursive, max_depth=5).children[0].children[0].depth == 2


# --- size --------------------------------------------------------------------------------------------------------


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("name", HUGE)
def test_huge_texts_are_read_or_refused(name):
    """If time grew with the square of the size, these would take minutes. See `python -m tests.support.growth text`."""
    assert read_huge(HUGE[name], 20_000) >= 0


def test_numbers_of_many_digits():
    for digits in ("9" * 10_000, "0" * 10_000 + "9", "0x" + "f" * 10_000, "0" + "7" * 10_000, "1e" + "9" * 10_000):
        with pytest.raises(TextFormatError):
            text.loads(f"a_int32: {digits}", Scalars)
    assert text.loads("a_int32: 0x" + "0" * 10_000 + "7", Scalars).a_int32 == 7
    assert text.loads("a_double: " + "9" * 10_000, Scalars).a_double == float("inf")
    assert text.loads("a_double: 0." + "0" * 10_000 + "1", Scalars).a_double == 0.0


@pytest.mark.slow(reason="reads or transforms inputs that are large")
def test_a_million_elements_and_a_long_string():
    assert len(text.loads("a_int32: [" + "1," * 999_999 + "1]", Repeated).a_int32) == 1_000_000
    assert len(text.loads('a_bytes: "' + "\\000" * 1_000_000 + '"', Scalars).a_bytes) == 1_000_000
    assert len(text.loads("a_string: '" + "é" * 1_000_000 + "'", Scalars).a_string) == 1_000_000


ROWS = {
    "lines": (Repeated, "a_int32: 1\n", "a_int32: one\n"),
    "blocks": (Repeated, "a_leaf {\n  number: 1\n}\n", "a_leaf {\n  number: 1\n  number: 2\n}\n"),
    "closing brackets": (Repeated, "a_leaf {\n  number: 1\n}\n", "  }\n"),
    "comments": (Repeated, "# a\n\n\n# b\n", "]"),
    "windows": (Repeated, "a_int32: 1\r\n", "a_int32 1\r\n"),
}


@pytest.mark.parametrize("name", ROWS)
def test_an_error_far_down_is_shown_where_it_is(name):
    cls, row, wrong = ROWS[name]
    document = row * 3_000
    with pytest.raises(TextFormatError) as alone:
        text.loads(wrong, cls)
    with pytest.raises(TextFormatError) as caught:
        text.loads(document + wrong, cls)
    first, error = alone.value, caught.value
    assert error.line == document.count("\n") + first.line
    assert (error.column, error.source, error.width) == (first.column, first.source, first.width)


def test_a_line_of_megabytes_is_shown_in_part():
    document = "node { name: 'a' } " * 50_000
    with pytest.raises(TextFormatError) as caught:
        text.loads(document + "node { nome: 'b' }" + document, GraphDef)
    assert caught.value.line == 1
    assert caught.value.column == len(document) + 8
    assert "nome: 'b'" in str(caught.value)
    assert len(str(caught.value)) < 500
