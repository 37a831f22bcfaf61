"""Regular expressions, which are constants of a graph and are matched against fed strings."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

import tfmodel
from tests.hostile.graphs import constant, graph, node
from tests.hostile.measure import assert_linear, confined, peak
from tfmodel.kernels.re2 import SyntaxFault, automaton, compile_expression
from tfmodel.messages import DataType

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
    b"(?:aa?)*x",
    b"(?:[ab][ab]?)*x",
    b"(?:ab?|bb?)*x",
    "(?i)(?:(é)|(É))*x".encode(),
    "(?i)(?:(µ)|(μ))*x".encode(),
    "(?i)(?:(s)|(\u017f))*x".encode(),
    "(?i)(?:(İ)|(i))*x".encode(),
]
_RUN = """
from tests.hostile.test_regexes import FOR_EVER
from tfmodel.kernels.re2 import SyntaxFault, automaton, compile_expression

for pattern in FOR_EVER:
    try:
        expression = compile_expression(pattern)
    except SyntaxFault as error:
        assert "repetition size" in str(error), error
        print("refused")
        continue
    for text in ("a" * 2_000, "ab" * 1_000, "éÉ" * 500, "µμ" * 500, "s\u017fS" * 400, "iI" * 1_000):
        expression.matches(text.encode())
        assert "".join(part.decode() for part in expression.replace(text.encode(), [0])) == text
    print("done")
"""


def test_expressions_of_exponential_time():
    """Attack: expressions that a text of n letters can match in 2**n ways: (a+)+b, (a|a)*b, (?:aa?)*x, (a?){99}b, and
    .*.*.*.*.*.*.*b, and pairs of letters that differ only in case.

    Naive: uses Python's `re`, which backtracks; RE2, TensorFlow's matcher, does not.
    Stopped by: tfmodel.kernels.re2.automaton.Automaton
    """
    assert len(confined(_RUN, seconds=100).split()) == len(FOR_EVER)


@pytest.mark.parametrize("pattern", [b"a*b|a", b"(?:aa?)*x|a", b"", b"(a)|a*c", rb"\b|a"])
def test_replacing_all_matches_takes_linear_time(pattern):
    """Attack: an expression that scans to the end of the text for a b at each match.

    Naive: restarts the search after each match, as RE2 does, which is quadratic.
    Stopped by: tfmodel.kernels.re2.automaton.Trace
    """
    assert_linear(
        lambda text: b"".join(compile_expression(pattern).replace(text, [b"-"])), lambda size: b"a" * size, 2_000
    )


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

    Naive: raises RecursionError, or compares all pairs of states.
    Stopped by: tfmodel.kernels.re2.compile_expression, tfmodel.kernels.re2.compiler.compile_program
    """

    def read(pattern: bytes) -> None:
        compile_expression.cache_clear()
        with suppress(SyntaxFault):
            compile_expression(pattern).matches(b"")

    assert_linear(read, make, 500)


@pytest.mark.parametrize(
    "pattern", [b"a{1001}", b"a{999999999}", rb"\x{FFFFFFFF}", b"a{2}{3}", b"(?P<a>", rb"\8", b"(?<=a)b"]
)
def test_invalid_expressions(pattern):
    """Attack: counts above a thousand, characters that do not exist, and syntax that only Python has.

    Naive: raises OverflowError, or takes gigabytes for a{99999999}.
    Stopped by: tfmodel.kernels.re2.parser.parse
    """
    with pytest.raises(SyntaxFault):
        compile_expression(pattern)


@pytest.mark.parametrize("pattern", [b"((a{100}){10}b){2}", b"a{1000}" * 101, b"(?:" * 99 + b"a" + b"{9})" * 99])
def test_small_expressions_of_many_states(pattern):
    """Attack: nested or sequential repetitions with millions of states.

    Naive: copies the repeated part until memory is exhausted.
    Stopped by: tfmodel.kernels.re2.parser.parse, tfmodel.kernels.re2.compiler.compile_program
    """
    with pytest.raises(SyntaxFault, match=r"repetition size|too large"):
        compile_expression(pattern)


def test_states_do_not_pile_up(monkeypatch):
    """Attack: an expression whose automaton has 2**18 states, and a text that visits them.

    Naive: caches all states.
    Stopped by: tfmodel.kernels.re2.automaton.MAX_CELLS, tfmodel.kernels.re2.automaton.MAX_POSITIONS
    """
    text = bytes(random.Random(1).choices(b"ab", k=6_000))
    taken = []
    for cells in (10_000, 10**9):
        monkeypatch.setattr(automaton, "MAX_CELLS", cells)
        monkeypatch.setattr(automaton, "MAX_POSITIONS", 256)
        compile_expression.cache_clear()
        taken.append(peak(lambda: b"".join(compile_expression(b"[ab]{17}a|aa").replace(text, [b"-"]))))
    assert taken[0] < taken[1] / 3


def test_an_expression_in_a_graph():
    """Attack: the same in a graph.

    Naive: runs it.
    Stopped by: tfmodel.kernels.re2.compile_expression
    """
    nodes = [
        constant("x", [b"a" * 100], dtype=STRING),
        constant("p", [b"(a|a)*b"], dtype=STRING),
        constant("r", [b""], dtype=STRING),
        node("y", "RegexReplace", "x", "p", "r"),
    ]
    assert tfmodel.run(graph(*nodes), {}, "y")["y"] == b"a" * 100
