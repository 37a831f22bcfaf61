"""Regular expressions, which stand in a graph as constants and are run on what is fed."""

from __future__ import annotations

import re

import pytest

import tfmodel
from tests.hostile.graphs import constant, graph, node
from tests.hostile.measuring import assert_linear, confined
from tfmodel.messages import DataType
from tfmodel.ops.kernels.backtracking import ways_of
from tfmodel.ops.kernels.patterns import compiled

STRING = DataType.DT_STRING

FOR_EVER = [
    b"(a+)+b",
    b"(a|a)*b",
    b"(a|aa)+b",
    b"(a*)*b",
    b"(a|(a))*b",
    b"([a]|a)*b",
    rb"(\x61|a)*b",
    rb"(\Qa\E|a)*b",
    b"(a?){99}b",
    b"((a?){30}){30}b",
    b"(a{0,9}){0,99}b",
    b"(a{1,30}){1,30}b",
    b"(?:a?a?a?a?){40}b",
    b"a?" * 60 + b"b",
    b".*.*.*.*.*.*.*.*.*b",
    b"a*a*a*a*a*a*a*a*a*b",
    b"(((a?){1000}){1000}){1000}b",
    b"(?i)(K|\xe2\x84\xaa)*b",
    b"(a|a?)*b",
    b"(a|b|ab)*c",
    b"([^b]|a|aa)*c",
    b"(a.|.a)*b",
    b"(aa|aaa)*b",
]
_RUN = """
import sys, tfmodel
from tests.hostile.test_regexes import FOR_EVER
from tfmodel.ops.kernels.patterns import compiled

for pattern in FOR_EVER:
    try:
        compiled(pattern).search("a" * 100)
        compiled(pattern).fullmatch("a" * 100)
    except tfmodel.RunError as error:
        assert "for ever" in str(error), error
        print("refused")
    else:
        print("done")
"""


def test_expressions_that_take_for_ever():
    """Attack: expressions of which Python tries 2**100 ways for a text of a hundred letters: (a+)+b, (a|a)*b,
    (a?){99}b, and .*.*.*.*.*.*.*b.

    Naive: re.compile. RE2, which TensorFlow has, does not try ways; there is none in Python.
    Stopped by: tfmodel.ops.kernels.backtracking.ways_of, tfmodel.ops.kernels.patterns.Expression
    """
    assert len(confined(_RUN, seconds=30).split()) == len(FOR_EVER)


def test_harmless_expressions():
    """Attack: none. What people write for a tokenizer must not be taken for one.

    Naive: refuses whatever has two stars.
    Stopped by: tfmodel.ops.kernels.backtracking.ways_of
    """
    text = "some words, and 127.0.0.1; " * 400
    for pattern in (
        rb"\s+",
        rb"[^a-z0-9]+",
        rb"(\d{1,3}\.){3}\d{1,3}",
        rb"'s|'t| ?\w+| ?\d+|\s+",
        b"(foo|bar)+",
        rb"<[^>]*>",
        rb"^\s+|\s+$",
        rb"[^,]*,[^,]*,[^,]*",
        rb"(\w{1,10} ){0,50}\w",
        rb"\bwords\b.*",
    ):
        compiled(pattern).search(text)
        assert ways_of(compiled(pattern).pattern.pattern).power < 2


@pytest.mark.parametrize(
    "make",
    [
        lambda size: b"a" * size,
        lambda size: b"(" * size,
        lambda size: b"[a" * size,
        lambda size: b"(a|b)" * size,
        lambda size: b"a?b" * size,
        lambda size: b"(?:" + b"|".join(b"a%d" % n for n in range(size)) + b")*",
        lambda size: b"\\Q" + b"a" * size,
        lambda size: b"(?i:" * size,
    ],
    ids=[
        "letters",
        "parentheses",
        "brackets",
        "alternatives",
        "options",
        "one alternative after another",
        "quoted",
        "flags",
    ],
)
def test_long_expressions(make):
    """Attack: an expression of a hundred thousand characters, or parentheses.

    Naive: RecursionError of Python's parser; an analysis that compares all with all.
    Stopped by: tfmodel.ops.kernels.patterns.compiled, tfmodel.ops.kernels.backtracking.ways_of
    """

    def read(pattern: bytes) -> None:
        compiled.cache_clear()
        re.purge()
        try:
            compiled(pattern)
        except tfmodel.RunError as error:
            assert len(str(error)) < 2_000

    assert_linear(read, make, 500)


@pytest.mark.parametrize(
    "pattern", [b"a{1001}", b"a{99999999999999999999}", rb"\x{FFFFFFFF}", b"a{2}{3}", b"(?P<a>", rb"\8", b"(?<=a)b"]
)
def test_what_is_no_expression(pattern):
    """Attack: counts above a thousand, characters that there are not, what only Python has.

    Naive: an OverflowError, or gigabytes for a{99999999}.
    Stopped by: tfmodel.ops.kernels.patterns.compiled
    """
    with pytest.raises(tfmodel.RunError):
        compiled(pattern)


def test_an_expression_in_a_graph():
    """Attack: the same in a graph, where nobody sees it.

    Naive: runs it.
    Stopped by: tfmodel.ops.kernels.patterns.compiled
    """
    nodes = [
        constant("x", [b"a" * 100], dtype=STRING),
        constant("p", [b"(a|a)*b"], dtype=STRING),
        constant("r", [b""], dtype=STRING),
        node("y", "RegexReplace", "x", "p", "r"),
    ]
    with pytest.raises(tfmodel.RunError, match=r'RegexReplace "y".*for ever'):
        tfmodel.run(graph(*nodes), {}, "y")
