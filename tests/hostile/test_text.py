"""Texts that are slow to parse, or contradictory."""

from __future__ import annotations

import pytest

import tfmodel
from pbwire import TextFormatError, text
from tests.hostile.measure import assert_linear, peak
from tfmodel.messages import AttrValue, GraphDef, NodeDef, TensorProto

LONG = 200_000


def refused(document: str, cls: type = GraphDef, **options: bool) -> str:
    with pytest.raises(TextFormatError) as raised:
        text.loads(document, cls, **options)
    return str(raised.value)


FLOODS = {
    "a line": lambda size: 'name: "' + "x" * size + '"',
    "blanks": lambda size: "name: " + " " * size + '"x"',
    "blanks before separators": lambda size: ('input: "x"' + " " * 50 + ",\n") * (size // 60),
    "blank lines": lambda size: "\n" * size + 'name: "x"',
    "a comment": lambda size: "#" * size + '\nname: "x"',
    "comments": lambda size: "#x\n" * (size // 3) + 'name: "x"',
    "comments between": lambda size: 'input: "x" #x\n' * (size // 13),
    "literals": lambda size: "name: " + '"x" ' * (size // 4),
    "literals in lines": lambda size: "name: " + '"x"\n' * (size // 4),
    "escapes": lambda size: 'name: "' + "\\141" * (size // 4) + '"',
    "inputs": lambda size: 'input: "x" ' * (size // 10),
    "a list of inputs": lambda size: "input: [" + '"x",' * (size // 5) + '"x"]',
    "attributes": lambda size: "".join(f'attr {{ key: "{n}" value {{ i: {n} }} }}' for n in range(size // 40)),
    "separators": lambda size: 'input: "x";' * (size // 10),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood(flood):
    """Attack: a text that is long in one way: one line, blanks, comments, literals behind one another, escapes.

    Naive: for each token, searches from the start, counts lines, or appends to a growing string.
    Stopped by: pbwire.text.lexer, pbwire.text.field_readers
    """
    assert_linear(lambda document: text.loads(document, NodeDef), FLOODS[flood], 100_000)


OPEN = {
    "a string": lambda size: 'name: "' + "x" * size,
    "a string of escapes": lambda size: 'name: "' + "\\\\" * (size // 2),
    "a string of quotes": lambda size: 'name: "' + "\\'" * (size // 2),
    "a list": lambda size: "input: [" + '"x",' * (size // 4),
    "a list of lists": lambda size: "input: " + "[" * size,
    "an unknown field": lambda size: "x: [" + "1," * (size // 2),
    "a type name": lambda size: "[" + "a." * (size // 2),
    "a comment": lambda size: "#" * size,
    "minus signs": lambda size: "name: " + "-" * size,
    "blanks": lambda size: "attr {" + " " * size,
}


@pytest.mark.parametrize("kind", OPEN)
def test_unclosed_brackets(kind):
    """Attack: a string, a list or a name without an end in a long text.

    Naive: a regular expression backtracks over all positions, or the error shows a megabyte.
    Stopped by: pbwire.text.lexer
    """

    def read(document: str) -> None:
        try:
            text.loads(document, NodeDef, allow_unknown_field=True)
        except TextFormatError as error:
            assert len(error.message) < 1_000

    assert_linear(read, OPEN[kind], 70_000)  # above the length from which literals are read apart


def test_an_error_that_quotes_its_line():
    """Attack: a syntax error in a line of a megabyte, full of control characters.

    Naive: prints the line unescaped.
    Stopped by: pbwire.errors.TextFormatError
    """
    problem = refused("node { name: \x1b[2J" + "x" * 1_000_000)
    assert len(problem) < 2_000
    assert "\x1b" not in problem


def test_integers_of_many_digits():
    """Attack: numbers of a hundred thousand digits.

    Naive: calls int(), which takes quadratic time, or raises ValueError above 4,300 digits.
    Stopped by: pbwire.text.scalars
    """
    for prefix in ("", "-", "0x", "0"):
        problem = refused(f"i: {prefix}{'7' * LONG}", AttrValue)
        assert len(problem) < 2_000
    assert_linear(lambda document: refused(document, AttrValue), lambda size: f"i: {'7' * size}", 50_000)
    refused(f"[type.googleapis.com/x]: {'7' * LONG}", allow_unknown_field=True)
    assert not text.loads(f"unknown: {'7' * LONG}", GraphDef, allow_unknown_field=True).node


def test_floats_of_many_digits():
    """Attack: floats with a hundred thousand digits, and exponents with as many.

    Naive: computes 10 ** 99999999999.
    Stopped by: pbwire.text.scalars
    """
    assert text.loads(f"f: 0.{'7' * LONG}", AttrValue).f == text.loads(f"f: 0.{'7' * 30}", AttrValue).f
    assert text.loads("f: 1e99999999999", AttrValue).f == float("inf")
    assert text.loads("f: 1e-99999999999", AttrValue).f == 0
    assert_linear(lambda document: text.loads(document, AttrValue), lambda size: f"f: 1.{'7' * size}e5", 50_000)
    assert text.loads(f"f: 1e{'9' * LONG}", AttrValue).f == float("inf")


@pytest.mark.parametrize(
    "document",
    [
        r'name: "\x"',
        r'name: "\400"',
        r'name: "\ud800"',
        r'name: "\U00110000"',
        r'name: "\u12"',
        'name: "\\',
        "name: 'a\"",
        'name: "a\nb"',
        r'name: "\377"',
        'name: "\udcff"',
    ],
)
def test_invalid_escapes(document):
    """Attack: escapes that are truncated, too large, or not valid UTF-8.

    Naive: raises ValueError or UnicodeDecodeError of Python's decoder.
    Stopped by: pbwire.text.literals.unescape_literal
    """
    refused(document, NodeDef)


def test_bytes_that_are_not_text():
    """Attack: a text file with invalid UTF-8, in names and between tokens.

    Naive: raises UnicodeDecodeError.
    Stopped by: pbwire.text.loads
    """
    for data in (
        b'node { name: "\xff" }',
        b"node { \xff }",
        b"# \xff\nnode { }",
        b"\xff\xfe" + "node {}".encode("utf-16-le"),
    ):
        with pytest.raises(TextFormatError):
            text.loads(data, GraphDef)
        with pytest.raises(tfmodel.FileFormatError):
            tfmodel.load(data, GraphDef)


def test_an_any_of_an_unknown_type():
    """Attack: an expanded Any of an unknown type, with deeply nested or endless content.

    Naive: imports the name as a module, or resolves the URL over the network, as the specification suggests.
    Stopped by: pbwire.text.parser
    """
    from pbwire.wellknown import Any

    assert "os.system" in refused("[type.googleapis.com/os.system] { a: 1 }", Any)
    refused("[type.googleapis.com/" + "x" * LONG + "] { a: 1 }", Any)


def test_memory():
    """Attack: a text with a field per byte.

    Naive: makes a list of all tokens, objects of a hundred bytes each.
    Stopped by: pbwire.text.fast_parser
    """
    document = "float_val:1 " * 5_000
    assert peak(lambda: text.loads(document, TensorProto)) < 20 * len(document)
