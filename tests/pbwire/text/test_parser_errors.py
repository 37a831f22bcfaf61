"""Errors of the parser: line, column, the expected token, and the line with the position underlined."""

from __future__ import annotations

import copy
import pickle

import pytest

from pbwire import TextFormatError, text
from pbwire.wellknown import Any
from tests.pbwire.text.reference import TYPES
from tests.support.samples import Choice, ClosedEnums, Groups, Leaf, Recursive
from tfmodel.messages import GraphDef, TensorProto, TensorShapeProto

LEAF = "[type.googleapis.com/sample.Leaf]"

# A text, what is said, and what is underlined in the line that the column is in.
VALUES = [
    (TensorShapeProto, "dim { size: twelve }", '1:13: expected an integer for field "size"', "twelve"),
    (TensorShapeProto, "dim {\n  size: 1.5\n}", '2:9: expected an integer for field "size"', "1.5"),
    (TensorShapeProto, "dim { size: '1' }", '1:13: expected an integer for field "size"', "'1'"),
    (TensorShapeProto, "dim { size: }", '1:13: expected an integer for field "size"', "}"),
    (TensorShapeProto, "dim { size:", '1:12: expected an integer for field "size"', ""),
    (
        TensorShapeProto,
        "dim { size: 9223372036854775808 }",
        '1:13: expected an integer from -9,223,372,036,854,775,808 to 9,223,372,036,854,775,807 for field "size"',
        "9223372036854775808",
    ),
    (TensorProto, "uint32_val: -1", '1:13: expected an integer from 0 to 4,294,967,295 for field "uint32_val"', "-1"),
    (TensorProto, "uint32_val: -0", '1:13: expected an integer from 0 to 4,294,967,295 for field "uint32_val"', "-0"),
    (TensorProto, "int_val: - x", '1:10: expected an integer for field "int_val"', "- x"),
    (TensorProto, "int_val: 1_000", '1:10: expected an integer for field "int_val"', "1_000"),
    (TensorProto, "int_val: 5float_val: 6", '1:10: expected an integer for field "int_val"', "5float_val"),
    (TensorProto, "float_val: 0x10", '1:12: expected a number for field "float_val"', "0x10"),
    (TensorProto, "float_val: +1", '1:12: expected a number for field "float_val"', "+"),
    (TensorProto, "int_val: 08", '1:10: expected octal digits after a leading 0 for field "int_val"', "08"),
    (TensorProto, "float_val: 012", '1:12: expected a number without leading zeros for field "float_val"', "012"),
    (TensorProto, "int_val: 5 6", "1:12: expected the name of a field, found 6", "6"),
    (
        TensorProto,
        "dtype: DT_FLOTE",
        '1:8: expected a value of tensorflow.DataType for field "dtype"; did you mean "DT_FLOAT"?',
        "DT_FLOTE",
    ),
    (TensorShapeProto, "unknown_rank: yes", '1:15: expected true or false for field "unknown_rank"', "yes"),
    (TensorShapeProto, "unknown_rank: 2", '1:15: expected true or false for field "unknown_rank"', "2"),
    (GraphDef, "node { name: a }", '1:14: expected a string in quotes for field "name"', "a"),
    (GraphDef, "node { attr { key: T } }", '1:20: expected a string in quotes for field "key"', "T"),
    (GraphDef, 'node { name: ["a"] }', '1:14: expected a string in quotes for field "name"', "["),
    (Leaf, "number: 1 # ok\n\n\n  text: #what\n  5", '5:3: expected a string in quotes for field "text"', "5"),
    (Leaf, "number: 1\r\ntext: 5\r\n", '2:7: expected a string in quotes for field "text"', "5"),
]
LITERALS = [
    (GraphDef, 'node { name: "a }', '1:14: this string has no closing " on its line', '"a }'),
    (GraphDef, "node { name: 'a\nb' }", "1:14: this string has no closing ' on its line", "'a"),
    (GraphDef, "node { name: 'a' 'b }", "1:18: this string has no closing ' on its line", "'b }"),
    (
        GraphDef,
        "node { name: 'é\\377' }",
        '1:14: the string for field "name" is not UTF-8: invalid start byte at its byte 2',
        "'é\\377'",
    ),
    (GraphDef, r"node { name: 'ab\8c' }", r"1:17: unknown escape \8", r"\8"),
    (GraphDef, r"node { name: '\n\xyz' }", r"1:17: \x needs a hexadecimal digit", r"\x"),
    (GraphDef, r"node { name: 'a' 'é\400' }", r"1:20: \400 is too large for a byte", r"\400"),
    (GraphDef, r"node { name: '\ud800' }", r"1:15: \ud800 is not the number of a character", r"\ud800"),
    (GraphDef, r"node { name: '\u12' }", r"1:15: \u needs 4 hexadecimal digits", r"\u"),
    (GraphDef, r"node { name: '\U0011ffff' }", r"1:15: \U0011ffff is not the number of a character", r"\U0011ffff"),
    (GraphDef, r"node { name: '\é' }", r"1:15: unknown escape \é", r"\é"),
]
STRUCTURE = [
    (TensorShapeProto, "dim { size }", '1:12: expected ":" between "size" and its value', "}"),
    (TensorShapeProto, "dim { size 1 }", '1:12: expected ":" between "size" and its value', "1"),
    (TensorShapeProto, "dim { size = 1 }", '1:12: expected ":" between "size" and its value', "="),
    (GraphDef, 'node { input ["a"] }', '1:14: expected ":" between "input" and its value', "["),
    (TensorShapeProto, "dim: 1", '1:6: expected "{" to open the message "dim"', "1"),
    (TensorShapeProto, "dim", '1:4: expected "{" to open the message "dim"', ""),
    (TensorShapeProto, "dim [1]", '1:6: expected "{" to open the message "dim"', "1"),
    (GraphDef, "versions: [{}]", '1:11: expected "{" to open the message "versions"', "["),
    (TensorShapeProto, "dim [{} {}]", '1:9: expected "," or "]" in the list of "dim"', "{"),
    (TensorProto, "int_val: [1, 2", '1:15: expected "," or "]" in the list of "int_val"', ""),
    (TensorProto, "int_val: [1, 2, x]", '1:17: expected an integer for field "int_val"', "x"),
    (TensorProto, "int_val: [1,, 2]", '1:13: expected an integer for field "int_val"', ","),
    (GraphDef, 'node { input: ["a", ] }', '1:21: expected a string in quotes for field "input"', "]"),
    (GraphDef, 'node { input: ["a"; "b"] }', '1:19: expected "," or "]" in the list of "input"', ";"),
    (GraphDef, 'node {\n  name: "a"\n>\n', '3:1: found ">" where "}" is missing, which closes the "{" of line 1', ">"),
    (GraphDef, "node <\n attr {\n }\n}\n", '4:1: found "}" where ">" is missing, which closes the "<" of line 1', "}"),
    (GraphDef, "node { } }", '1:10: this "}" does not close a message', "}"),
    (GraphDef, 'node { name: "a",, }', "1:18: expected the name of a field, found ,", ","),
    (GraphDef, '{"node": []}', "1:1: expected the name of a field, found {; is this JSON?", "{"),
    (GraphDef, ", node {}", "1:1: expected the name of a field, found ,", ","),
    (GraphDef, 'node: [{"name": "a"}]', '1:9: expected the name of a field, found "name"', '"name"'),
]
FIELDS = [
    (GraphDef, 'node {\n  opp: "b"\n}', '2:3: tensorflow.NodeDef has no field "opp"; did you mean "op"?', "opp"),
    (GraphDef, "nodes { }", '1:1: tensorflow.GraphDef has no field "nodes"; did you mean "node"?', "nodes"),
    (GraphDef, "zzz { }", '1:1: tensorflow.GraphDef has no field "zzz"', "zzz"),
    (Groups, "SINGLE { }", '1:1: sample.Groups has no field "SINGLE"; did you mean "Single"?', "SINGLE"),
    (GraphDef, "node { [foo.bar]: 1 }", "1:8: tensorflow.NodeDef has no extensions", "[foo.bar]"),
    (GraphDef, 'node { name: "a" name: "b" }', '1:18: "name" is set already, and it is not repeated', "name"),
    (GraphDef, "versions { } versions { }", '1:14: "versions" is set already, and it is not repeated', "versions"),
    (
        Choice,
        "leaf { } i: 1",
        '1:10: "leaf" is set already and excludes "i": both are of the oneof "first"',
        "i",
    ),
]
ANIES = [
    (
        Any,
        "[type.googleapis.com/no.Such] { }",
        "1:1: the class of no.Such is not in `types`",
        "[type.googleapis.com/no.Such]",
    ),
    (Any, "[sample.Leaf] { }", "1:1: expected a type such as [type.googleapis.com/package.Message]", "[sample.Leaf]"),
    (Any, f"{LEAF} {{ nope: 1 }}", '1:37: sample.Leaf has no field "nope"', "nope"),
    (Any, f"{LEAF[:-1]} {{ }}", '1:34: expected "]", found {', "{"),
    (Any, f"type_url: 'x' {LEAF} {{ }}", "1:15: this Any has a value already", LEAF),
]


@pytest.mark.parametrize(("cls", "document", "said", "underlined"), [*VALUES, *LITERALS, *STRUCTURE, *FIELDS, *ANIES])
def test_an_error_says_what_was_expected_and_underlines_what_was_found(cls, document, said, underlined):
    with pytest.raises(TextFormatError) as caught:
        text.loads(document, cls, types=TYPES)
    error = caught.value
    line, column = map(int, said.split(":")[:2])
    source = document.split("\n")[line - 1].removesuffix("\r")
    assert (error.line, error.column, error.source) == (line, column, source)
    assert source[column - 1 :].startswith(underlined)
    carets = " " * (column - 1) + "^" * max(1, len(underlined))
    assert str(error) == f"{said}\n    {source}\n    {carets}"


def test_an_error_on_line_3_000_can_be_acted_on_at_once():
    node = 'node {\n  name: "a"\n  op: "Const"\n}\n'
    with pytest.raises(TextFormatError) as caught:
        text.loads(node * 749 + '\n\nnode {\n  name: "b"\n  inputs: "a"\n}\n' + node, GraphDef)
    assert str(caught.value) == (
        '3001:3: tensorflow.NodeDef has no field "inputs"; did you mean "input"?\n      inputs: "a"\n      ^^^^^^'
    )


def test_a_message_that_is_not_closed_says_where_it_was_opened():
    with pytest.raises(TextFormatError) as caught:
        text.loads('node {\n  name: "a"\n  attr {\n    key: "b"\n  }\n', GraphDef)
    assert str(caught.value) == '6:1: the text ends where "}" is missing, which closes the "{" of line 1'


def test_a_tab_before_the_place_is_one_column():
    with pytest.raises(TextFormatError) as caught:
        text.loads("\tnumber: x", Leaf)
    assert str(caught.value) == '1:10: expected an integer for field "number"\n     number: x\n             ^'


@pytest.mark.parametrize(
    ("document", "line", "column"),
    [
        (b'text: "\xff"', 1, 8),
        (b"number: 1\n# \xc3", 2, 3),
        ("text: '\u00e9\u20ac'\n".encode() + b"# \xe2\x82", 2, 3),
        ("text: '\u00e9\U0001f600".encode() + b"\xed\xa0\x80'", 1, 10),
        ("number: 1\ntext: '\u00e9\ud800'", 2, 9),
        ("# \udfff", 1, 3),
    ],
)
def test_bytes_that_are_not_text_are_refused_with_their_position(document, line, column):
    with pytest.raises(TextFormatError) as caught:
        text.loads(document, Leaf)
    assert (caught.value.line, caught.value.column) == (line, column)
    str(caught.value).encode()


@pytest.mark.parametrize("char", "\0\x01\x07\x1b\x7f\x85\xad\u200b\u202e\u2028\ufeff\ufffe")
def test_invisible_characters_do_not_reach_the_terminal(char):
    for before, after in (
        ("", ""),
        ("number", ": 1"),
        ("number: ", ""),
        ("leaf { ", "}"),
        ("text: 'a' ", ""),
        ("[", "]"),
    ):
        document = before + char + after
        with pytest.raises(TextFormatError) as caught:
            text.loads(document, Leaf)
        assert all(shown.isprintable() for shown in str(caught.value).split("\n")), document


LONG = ["x" * 100_000 + ": 1", "number: " + "1" * 100_000, "text: '" + "a" * 100_000, "a " * 100_000, "leaf" * 30_000]


@pytest.mark.parametrize("document", LONG)
def test_a_long_line_is_not_quoted_in_full(document):
    with pytest.raises(TextFormatError) as caught:
        text.loads(document, Leaf)
    assert len(str(caught.value)) < 500
    assert all(len(line) < 250 for line in str(caught.value).splitlines())


def test_an_error_survives_copying_and_pickling():
    with pytest.raises(TextFormatError) as caught:
        text.loads("leaf {\n  number: x\n}", Leaf)
    for other in (copy.copy(caught.value), copy.deepcopy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert str(other) == str(caught.value)
        assert (other.line, other.column, other.source, other.width) == (2, 11, "  number: x", 1)


@pytest.mark.parametrize("wrong", [None, 5, ["number: 1"], object(), ("number: 1",)])
def test_text_of_another_type_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        text.loads(wrong, Leaf)


@pytest.mark.parametrize("wrong", [None, int, "sample.Leaf", Leaf()])
def test_a_class_that_is_not_a_message_is_a_type_error(wrong):
    with pytest.raises(TypeError):
        text.loads("number: 1", wrong)


def test_closed_enums_refuse_strange_numbers_and_names():
    for value in ("7", "LIGTH", "light", "2147483648"):
        with pytest.raises(TextFormatError, match=r'^1:9: expected a value of sample.Shade for field "single"'):
            text.loads(f"single: {value}", ClosedEnums)


def test_too_many_levels_say_how_many_are_allowed():
    with pytest.raises(TextFormatError, match=r"^1:3\d: messages are nested more than 3 levels deep"):
        text.loads("child { child { child < child { } > } }", Recursive, max_depth=3)


@pytest.mark.parametrize(
    ("character", "shown"), [("\ufeff", r"\ufeff"), ("\0", r"\x00"), ("\x1b", r"\x1b"), ("\u202e", r"\u202e")]
)
def test_invisible_characters_are_shown_as_escapes(character, shown):
    with pytest.raises(TextFormatError) as caught:
        text.loads(f"{character}node {{}}", GraphDef)
    assert str(caught.value) == f"1:1: expected the name of a field, found {shown}\n    ?node {{}}\n    ^"
