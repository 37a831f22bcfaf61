"""The automaton: compared with Python's matching on all small expressions, and its work counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import pytest

import tfmodel.kernels.re2
from tests.tfmodel.kernels.re2.expressions import expressions
from tfmodel.kernels.re2 import MAX_WORK, Expression, TooMuchWork, Work, automaton, compile_expression
from tfmodel.kernels.re2.compiler import compile_program
from tfmodel.kernels.re2.parser import parse
from tfmodel.kernels.re2.python_re import Direct

TEXTS = ["".join(letters) for length in range(6) for letters in product("ab", repeat=length)] + ["abxaabx", "xabab"]
SMALL = [pattern for size in range(1, 5) for pattern in expressions(size)]
AMBIGUOUS = [
    "(?:aa?)*x",
    "(?:[ab][ab]?)*x",
    "(?:ab?|bb?)*x",
    "(?i)(?:(é)|(É))*x",
    "(?i)(?:(µ)|(μ))*x",
    "(?i)(?:(s)|(\u017f))*x",
    "(?i)(?:(İ)|(i))*x",
    "(a+)+b",
    "(a|aa)+b",
    "(a*)*b",
    "(a|(a))*b",
    "(a?){99}b",
    "a*a*a*a*a*b",
    "((a|b)*(b|a)*)*c",
    "(?:a{0,9}){0,99}b",
    "(a|a?)+b",
    "(?:.*,){5}x",
]


@pytest.fixture(autouse=True)
def _automaton_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Switch off what is faster for some expressions."""
    monkeypatch.setattr(tfmodel.kernels.re2, "translate", lambda _: Direct(None, None, False))
    monkeypatch.setattr(tfmodel.kernels.re2, "required_text", lambda _: b"")
    compile_expression.cache_clear()
    yield
    compile_expression.cache_clear()


def _replaced(expression: Expression, text: str, parts: tuple[bytes | int, ...] = (b"<", 0, b">")) -> str:
    return b"".join(expression.replace(text.encode(), parts)).decode()


def test_all_small_expressions_match_what_python_matches() -> None:
    tried = 0
    for pattern in SMALL[::5]:
        ours, theirs = Expression(parse(pattern.encode())), re.compile(pattern)
        for text in TEXTS[tried % 7 :: 7]:
            match = theirs.search(text)
            expected = f"{text[: match.start()]}<{match[0]}>{text[match.end() :]}" if match else text
            tried += 1
            assert b"".join(ours.replace(text.encode(), [b"<", 0, b">"], limit=1)).decode() == expected, (pattern, text)
            assert ours.matches(text.encode()) == bool(theirs.fullmatch(text)), (pattern, text)
    assert tried > 1_000


@pytest.mark.parametrize(
    ("pattern", "text", "shown"),
    [  # as RE2
        ("(|a)*", "aaa", "<>a<>a<>a<>"),
        ("(?:a??)*", "aa", "<>a<>a<>"),
        ("x*", "axb", "<>a<x>b<>"),
        (r"\b", "ab c", "<>ab<> <>c<>"),
        ("^*", "aa", "<>a<>a<>"),
        ("a|ab", "ab", "<a>b"),
        ("(?m)^", "a\nb", "<>a\n<>b"),
        ("$", "a\n", "a\n<>"),
        (".", "é\n", "<é>\n"),
        ("(?U)a+", "aa", "<a><a>"),
        (r"\p{Greek}+", "ab\u03b3δ", "ab<\u03b3δ>"),
        ("", "é", "<>é<>"),
    ],
)
def test_replacing_all_matches(pattern: str, text: str, shown: str) -> None:
    assert _replaced(compile_expression(pattern.encode()), text) == shown


@pytest.mark.parametrize(
    ("pattern", "text", "shown"),
    [
        (rb".", b"\xff\xc3\xa9\xe9", b"\xff<\xc3\xa9>\xe9"),
        (rb"\C", b"\xff\xc3\xa9", b"<\xff><\xc3><\xa9>"),
        (rb"[^a]", b"a\xffb", b"a\xff<b>"),
        (rb"\B", b"a\xc3\xa9", b"a\xc3<>\xa9<>"),
        (rb"(?s:.)", b"\xe0\x80\x80", b"<\xe0\x80\x80>"),  # overlong: RE2 takes it for a character
        (rb"", b"\xff", b"<>\xff<>"),
    ],
)
def test_bytes_that_are_not_utf8(pattern: bytes, text: bytes, shown: bytes) -> None:
    assert b"".join(compile_expression(pattern).replace(text, [b"<", 0, b">"])) == shown


@pytest.mark.parametrize(
    ("pattern", "text", "groups"),
    [
        ("(a)|(b)", "ab", "[a|][|b]"),
        ("(a|ab)(c|bcd)?", "abcd", "[a|bcd]"),
        ("(?:(a)|(b))*", "ab", "[a|b]"),
        ("(a*)(a*?)", "aa", "[aa|]"),
        ("(?:(a)|b){2}(c)?", "abba", "[a|]ba"),
    ],
)
def test_groups(pattern: str, text: str, groups: str) -> None:
    shown = _replaced(compile_expression(pattern.encode()), text, (b"[", 1, b"|", 2, b"]"))
    expected = re.sub(pattern, lambda match: f"[{match[1] or ''}|{match[2] or ''}]", text)
    assert shown == (groups if "*" in pattern else expected)


# --- work ------------------------------------------------------------------------------------------------------------


def _work(pattern: str, text: bytes) -> tuple[int, int]:
    """Return the number of nodes visited to replace and match without a cache, and the number of nodes."""
    parsed = parse(pattern.encode())
    expression, left = Expression(parsed), Work(MAX_WORK)
    b"".join(expression.replace(text, [1 if parsed.groups else 0], work=left))
    expression.matches(text, left)
    return MAX_WORK - left.left, len(compile_program(parsed.root, saves=True).successors)


def test_work_is_linear_for_all_small_expressions_and_all_that_are_ambiguous() -> None:
    """The number of ways to match would be exponential for many of these: 2 ** 28 of "(?:aa?)*x" for 40 letters."""
    for number, pattern in enumerate([*AMBIGUOUS, *(f"(?:{small})*x" for small in SMALL[::11])]):
        for length in (20, 24, 28, 32) if number % 20 < 2 else (32,):
            for letters in ("a", "ab", "aab") if number < len(AMBIGUOUS) else ("ab", "aab")[number % 2 :][:1]:
                text = (letters * length)[:length].encode()
                work, nodes = _work(pattern, text)
                assert work <= 8 * nodes * (length + 1), (pattern, text)


@pytest.mark.parametrize("pattern", ["a*b|a", "(?:a|b)*?b|a", "(a)(?:a*b)?", "[ab]*c|a", r"a*\b|a", "(?:a*)*b|a{3}"])
def test_all_matches_together_take_linear_time_too(pattern: str) -> None:
    """Each of n matches looks at the rest of the text in RE2, for a b that does not come."""
    work = [_work(pattern, b"a" * length + b"c")[0] for length in (1_000, 2_000)]
    assert work[1] <= 2 * work[0] + 100


@pytest.mark.parametrize("pattern", ["(a|ab)(c|bcd)", "abc"])
def test_a_limit_is_at_least_one(pattern: str) -> None:
    with pytest.raises(ValueError, match="limit must be >= 1, got 0"):
        list(compile_expression(pattern.encode()).replace(b"xabc", [b"-"], limit=0))


def test_work_is_limited() -> None:
    with pytest.raises(TooMuchWork):
        compile_expression(b"(?:a?){100}b").matches(b"a" * 100 + b"b", Work(1_000))


# --- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", [r"(a+)(b)?", r"\b\w+\b", "(?m)^.*$", "x*", "(?:ab|b)*c|a"])
def test_long_texts_are_matched_chunk_by_chunk(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["", "a", "abb\naab b\n\na" * 3, "abab" * 10 + "c" + "x" * 9]
    parts = (b"<", 0, b"|", 1 if "(a" in pattern else 0, b">")
    whole = [_replaced(Expression(parse(pattern.encode())), text, parts) for text in texts]
    monkeypatch.setattr(automaton, "MIN_CHUNK", 1)
    for chunk in (1, 2, 3, 7):
        monkeypatch.setattr(automaton, "MAX_POSITIONS", chunk)
        expression = Expression(parse(pattern.encode()))
        assert [_replaced(expression, text, parts) for text in texts] == whole


@pytest.mark.parametrize("pattern", [r"(a+)(b)?", r"\b\w+\b", "(?:a|b){0,9}a(?:a|b){5}"])
def test_states_are_dropped_when_there_are_many(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "abbaabbbabab aabab b ab" * 9
    whole = _replaced(Expression(parse(pattern.encode())), text)
    monkeypatch.setattr(automaton, "MAX_CELLS", 200)
    expression = Expression(parse(pattern.encode()))
    assert _replaced(expression, text) == whole
    assert len(expression._finding._states) < 10
