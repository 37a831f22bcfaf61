"""`tfmodel.reports.query`: the language."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel import QueryError
from tfmodel.reports.query import (
    MAX_DEPTH,
    MAX_LENGTH,
    Both,
    Chain,
    Comparison,
    Either,
    Near,
    Not,
    Path,
    Text,
    parse_query,
)


def part(text):
    return Comparison("name", "part", Text(text))


def named(text):
    return Comparison("name", "=", Text(text))


def op(text):
    return Comparison("op", "=", Text(text))


A, B, C = map(part, "abc")


@pytest.mark.parametrize(
    ("query", "parsed"),
    [
        ("a", A),
        ("a b", Both((A, B))),
        ("a and b", Both((A, B))),
        ("a or b", Either((A, B))),
        ("a b or c", Either((Both((A, B)), C))),
        ("a (b or c)", Both((A, Either((B, C))))),
        ("not a b", Both((Not(A), B))),
        ("not (a b)", Not(Both((A, B)))),
        ("not not a", Not(Not(A))),
        ("op=Conv2D|MatMul", op("Conv2D|MatMul")),
        ("dtype!=float32", Comparison("dtype", "!=", Text("float32"))),
        ("size>=1M", Comparison("size", ">=", Text("1M"))),
        ("attr.strides=2", Comparison("attr.strides", "=", Text("2"))),
        ("attr.strides", Comparison("attr.strides", "has")),
        ('function=""', Comparison("function", "=", Text("", True))),
        ('"not"', Comparison("name", "part", Text("not", True))),
        ('name="a \\"b\\" (c)"', Comparison("name", "=", Text('a "b" (c)', True))),
        ('x"y z"', Comparison("name", "part", Text("xy z", True))),
        ("a -> b", Chain((op("a"), op("b")))),
        ("a->b->c", Chain((op("a"), op("b"), op("c")))),
        ("(a or name=b) -> c", Chain((Either((op("a"), named("b"))), op("c")))),
        ("a -> b c", Both((Chain((op("a"), op("b"))), C))),
        ("not a -> b", Not(Chain((op("a"), op("b"))))),
        ("upstream of a", Near(named("a"), True)),
        ("downstream of (a or op=b) within 2 c", Both((Near(Either((named("a"), op("b"))), False, 2), C))),
        ("path a to b", Path(named("a"), named("b"))),
        ("path (upstream of a) to (b -> c)", Path(Near(named("a"), True), Chain((op("b"), op("c"))))),
    ],
)
def test_queries(query, parsed):
    assert parse_query(query) == parsed


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "expected a word"),
        ("a or", "expected a word"),
        ("or", 'expected a word; to search for a name, quote it: "or"'),
        ("(a", "this parenthesis is not closed"),
        ("a)", "this parenthesis was not opened"),
        ("()", "expected a word"),
        ('"a', "this quote has no end"),
        ("a ->", 'expected an op or a test on each side of "->"'),
        ("-> a", "expected a word"),
        ("upstream of a -> b", 'put what is before "->" into parentheses'),
        ("(upstream of a -> b)", 'put what is before "->" into parentheses'),
        ("upstream", 'expected "upstream of" and a node; to search for a name, quote it: "upstream"'),
        ("path", 'expected "path", a node, "to" and a node; to search for a name, quote it: "path"'),
        ("path a b", 'expected "path", a node, "to" and a node; to search for a name, quote it: "path"'),
        ("upstream of a within", 'expected a number of edges after "within", 1 or more'),
        ("upstream of a within 0", 'expected a number of edges after "within", 1 or more'),
        ("ops=Conv2D", 'there is no field "ops"; did you mean "op"?'),
        (
            "zzzzzz=1",
            'there is no field "zzzzzz"; the fields are name, op, function, device, input, dtype, shape, size, inputs, '
            "controls, outputs, consumers and attr.NAME",
        ),
        ("op=", "expected a value after op="),
        ("op>Conv", "op is not a number: compare it with = or !="),
        ("size=big", '"big" is not a size: give bytes, or 10k, 1.5M, 2Gi'),
        ("inputs>x", '"x" is not a size: give bytes, or 10k, 1.5M, 2Gi'),
        ("attr.N>x", '"x" is not a number'),
        ("attr.=1", 'there is no field "attr."; did you mean "attr.NAME"?'),
        ("shape=1,x", '"1,x" is not a shape such as ?,224,224,3, or *,3, or [] for a scalar'),
        ("shape=*,3,*", '"*,3,*" is not a shape such as ?,224,224,3, or *,3, or [] for a scalar'),
    ],
)
def test_errors(query, problem):
    with pytest.raises(QueryError) as caught:
        parse_query(query)
    assert str(caught.value).splitlines()[0] == f"query: {problem}"


def test_an_error_shows_the_place():
    with pytest.raises(QueryError) as caught:
        parse_query("conv ops=Conv2D")
    assert str(caught.value).splitlines()[1:] == ["    conv ops=Conv2D", "         ^"]


def test_an_error_escapes_control_characters():
    with pytest.raises(QueryError) as caught:
        parse_query("\x1b31m\x1b )")
    assert str(caught.value).splitlines()[1:] == ["    \\x1b31m\\x1b )", "                ^"]


@pytest.mark.parametrize(
    ("query", "operator"),
    [
        ("op~Relu", "~"),
        ("op=~Relu", "=~"),
        ("op==Relu", "=="),
        ("op:Relu", ":"),
        ("name!~x", "!~"),
        ("attr.T~float", "~"),
        ("attr.T~=float", "~="),
        ("size=>5", "=>"),
        ("not (op~Relu or x)", "~"),
        ("Conv2D -> op~Relu", "~"),
    ],
)
def test_an_unknown_operator_is_an_error(query, operator):
    with pytest.raises(QueryError, match=f'there is no operator "{re.escape(operator)}"; the operators are =, !=, <, '):
        parse_query(query)


@pytest.mark.parametrize("query", ["=Relu", "!op=Relu", "a & b", "Relu6~", "conv1,conv2", "'Relu'", "block[12]", "a+b"])
def test_characters_that_no_name_has_are_errors_outside_of_quotes(query):
    with pytest.raises(QueryError, match="is in no name: write FIELD OPERATOR VALUE for a test"):
        parse_query(query)
    parse_query(f'"{query}"')


@pytest.mark.parametrize("query", ["a||b", "op=Relu|", "|"])
def test_alternatives_without_text_are_errors(query):
    with pytest.raises(QueryError, match="has an alternative without text"):
        parse_query(query)


@pytest.mark.parametrize("query", ["upstream of input:0", "input:0", "shape=[1,2]", "a.b/c-d_e", "conv*|Mat?ul", "öp"])
def test_words_that_may_be_names_are_not_errors(query):
    parse_query(query)


def test_the_depth_is_limited():
    parse_query("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH)
    for query in ["(" * 10_000 + "a" + ")" * 10_000, "not " * 10_000 + "a"]:
        with pytest.raises(QueryError, match=f'more than {MAX_DEPTH} parentheses and "not" in each other'):
            parse_query(query)


def test_the_length_is_limited():
    with pytest.raises(QueryError, match="the query has 100,001 characters; the limit is 100,000"):
        parse_query("a" * (MAX_LENGTH + 1))


WORDS = ["a", "not", "or", "and", "(", ")", "->", "upstream", "of", "path", "to", "within", "2", "op=x", '"', "shape=?"]


@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=30))
def test_any_text_is_parsed_or_refused(query):
    with contextlib.suppress(QueryError):
        parse_query(query)
