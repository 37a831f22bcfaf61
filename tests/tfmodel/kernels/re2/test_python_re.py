"""`tfmodel.kernels.re2.python_re` and `literals`: the faster paths give the automaton's results, in linear time."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tfmodel.kernels.re2.expressions import expressions
from tfmodel.kernels.re2 import Expression
from tfmodel.kernels.re2.parser import parse
from tfmodel.kernels.re2.python_re import Direct, required_text, translate

_CHARACTERS = (
    "a",
    "b",
    "c",
    "é",
    "日",
    " ",
    "-",
    r"\n",
    "[ab]",
    "[^a]",
    "[b-é]",
    r"\w",
    r"\s",
    ".",
    "(?s:.)",
    "(?i:k)",
    "\u212a",
    r"\W",
    r"[^\x{80}-\x{10ffff}]",
    r"\x{1F600}",
)
_REPEATS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{2,}", "{1,2}", "{0,2}?", "+", "+")
_ASSERTIONS = ("^", "$", r"\A", r"\z", r"\b", r"\B", "(?m:^)", "(?m:$)")
_TEXT = ("a", "b", "c", "é", "日", " ", "-", "\n", "k", "\u212a", "aa", "ab", "a b", "a-b", "\U0001f600", "\x80")


def _expression(rng: random.Random, size: int) -> str:
    if size <= 1:
        return rng.choice(_CHARACTERS if rng.random() < 0.9 else _ASSERTIONS)
    kind = rng.random()
    if kind < 0.25:
        return rng.choice(_CHARACTERS) + rng.choice(_REPEATS)
    if kind < 0.4:
        return f"({_expression(rng, size - 1)})"
    if kind < 0.5:
        return f"(?:{_expression(rng, size - 1)}){rng.choice(_REPEATS)}"
    left = rng.randint(1, size - 1)
    first, second = _expression(rng, left), _expression(rng, size - left)
    return first + second if kind < 0.9 else f"(?:{first}|{second})"


def _text(rng: random.Random) -> bytes:
    text = "".join(rng.choices(_TEXT, k=rng.randint(0, 12))).encode()
    return text + b"\xe9a" if rng.random() < 0.1 else text


def _answers(expression: Expression, text: bytes) -> list[bytes | bool]:
    captured = [part for group in range(expression.groups) for part in (b"|", group + 1)]
    groups: list[bytes | int] = [b"<", 0, *captured, b">"]
    replacements = [b"".join(expression.replace(text, parts)) for parts in (groups, [b"-"])]
    return [expression.matches(text), *replacements, b"".join(expression.replace(text, groups, limit=1))]


def _compare(pattern: str, texts: list[bytes]) -> Direct:
    fast, slow = Expression(parse(pattern.encode())), Expression(parse(pattern.encode()))
    slow._direct, slow._needed = Direct(None, None, False), b""
    for text in texts:
        assert _answers(fast, text) == _answers(slow, text), (pattern, text)
    return fast._direct


@pytest.mark.slow(reason="generates many expressions and compares two engines")
def test_generated_expressions_give_what_the_automaton_gives() -> None:
    rng = random.Random(5)
    taken = [0, 0, 0]
    for number in range(200):
        run = rng.choice(["", "a+", "[^-]+", r"(\w{2,})", r"\s*", r"\b\w+"]) if number % 3 == 0 else ""
        direct = _compare(run + _expression(rng, 2 + number % 3), [_text(rng) for _ in range(3)])
        taken = [count + bool(is_direct) for count, is_direct in zip(taken, direct, strict=True)]
    assert taken[0] > 80
    assert taken[1] > 50
    assert taken[2] > 6


@given(st.integers(0, 2**32), st.integers(1, 8))
def test_any_expression_gives_what_the_automaton_gives(seed: int, size: int) -> None:
    rng = random.Random(seed)
    _compare(rng.choice(["", "[ab]+", r"(\s*)"]) + _expression(rng, size), [_text(rng) for _ in range(2)])


@pytest.mark.parametrize(
    ("pattern", "matching", "finding"),
    [
        (r"\s+", True, True),
        (r"[^a-z0-9]+", True, True),
        (r"(\d+)-(\d+)", True, True),
        (r"(\w+) (\w+)", True, True),
        (r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?", True, True),
        (r"https?://\S+", True, True),
        (r"<[^>]*>", True, False),
        (r"\s+$", True, True),
        (r"^\s+", True, True),
        (r"\b\w+\b", True, True),
        (r"\s*,\s*", True, True),
        (r"^(\w+)\s*=\s*(\w+)$", True, True),
        (r"(?:\d{1,3}\.){3}\d{1,3}", True, True),
        (r"(?:cat|dog)s?", True, True),
        ("", True, False),
        ("x*", True, False),
        (r"(?:aa?)*x", False, False),
        (r"\w+\.\w+\.\w+", True, False),
        (r".*b", False, False),
        (r"a|ab", False, False),
        (r"(a)*", False, False),
        (r"\B", False, False),
        (r"\C", False, False),
        (r"a{65}", False, False),
        (r"a?a", False, False),
        (r"[a ]+\b", True, False),
    ],
)
def test_patterns_that_are_translated(pattern: str, matching: bool, finding: bool) -> None:
    direct = translate(parse(pattern.encode()).root)
    assert (bool(direct.matching), bool(direct.finding)) == (matching, finding)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"a+bcd|e*", b""),
        (r"a*bcd+e", b"bc"),
        (r"(a(?:bc)){2}d?ef", b"abc"),
        (r"(?:x|yz)abé", "abé".encode()),
        (r"^a\bb$", b"ab"),
        (r"(?i)ab", b""),
        (r"(?:ab){0,3}", b""),
    ],
)
def test_text_that_is_needed(pattern: str, text: bytes) -> None:
    assert required_text(parse(pattern.encode()).root) == text


# --- growth ----------------------------------------------------------------------------------------------------------


class _Counting:
    """Matches as Python's `re` does, of its own syntax tree, and counts the characters and conditions it looks at."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.tree = list(re._parser.parse(pattern.pattern))  # type: ignore[attr-defined]  typeshed lacks it
        self.steps = 0

    def find(self, text: str) -> int:
        """Find all matches, and return how many steps that takes."""
        self.steps = position = 0
        while position <= len(text):
            end = next(self._match(self.tree, text, position), None)
            position = position + 1 if end is None else max(end, position + 1)
        return self.steps

    def fullmatch(self, text: str) -> int:
        self.steps = 0
        any(end == len(text) for end in self._match(self.tree, text, 0))
        return self.steps

    def _match(self, tree: list[Any], text: str, position: int) -> Iterator[int]:
        if not tree:
            yield position
            return
        (op, argument), remaining = tree[0], tree[1:]
        for end in self._one(str(op), argument, text, position):
            yield from self._match(remaining, text, end)

    def _one(self, op: str, argument: Any, text: str, position: int) -> Iterator[int]:
        self.steps += 1
        if op == "BRANCH":
            for branch in argument[1]:
                yield from self._match(list(branch), text, position)
        elif op == "SUBPATTERN":
            yield from self._match(list(argument[-1]), text, position)
        elif op in ("MAX_REPEAT", "MIN_REPEAT"):
            yield from self._repeat(op == "MAX_REPEAT", *argument, text, position)
        elif op == "AT":
            at_end = position == len(text)
            if position == 0 if "BEGIN" in str(argument) else at_end:
                yield position
        elif op == "ASSERT":
            if position and text[position - 1] in "ab":
                yield position
        elif position < len(text):
            items = argument if op == "IN" else [(op, argument)]
            code = ord(text[position])
            if any(code == item if str(kind) == "LITERAL" else item[0] <= code <= item[1] for kind, item in items):
                yield position + 1

    def _repeat(self, greedy: bool, least: int, most: int, body: Any, text: str, position: int) -> Iterator[int]:
        ends = [position]
        if greedy:
            while len(ends) <= most and (end := next(self._match(list(body), text, ends[-1]), None)) is not None:
                ends.append(end)
            yield from reversed(ends[least:])
            return
        count = 0
        while True:
            if count >= least:
                yield position
            end = next(self._match(list(body), text, position), None) if count < most else None
            if end is None:
                return
            position, count = end, count + 1


def _is_linear(count: Callable[[str], int]) -> bool:
    makers: list[Callable[[int], str]] = [
        lambda n: "a" * n,
        lambda n: "ab" * (n // 2),
        lambda n: "a" * n + "c",
        lambda n: "aab" * (n // 3) + "c",
        lambda n: "b" * (n // 2) + "a" * (n // 2),
        lambda n: ("a" * 9 + "c") * (n // 10),
    ]
    return all(count(make(120)) <= 2.3 * count(make(60)) + 40 for make in makers)


def test_the_counter_detects_work_that_is_not_linear() -> None:
    for pattern in ("a{1,}b", "(?:a|ab){0,}?c", "[ab]{1,}c"):
        assert not _is_linear(_Counting(re.compile(pattern)).find)
    assert not _is_linear(_Counting(re.compile("[ab]{0,}[ab]{0,}c")).fullmatch)
    assert _is_linear(_Counting(re.compile("[ab]{1,}")).find)


def test_all_small_expressions_that_are_translated_take_linear_time() -> None:
    small = [pattern for size in range(1, 5) for pattern in expressions(size)]
    patterns = [
        *small[::23],
        *(f"{expression}c" for expression in small[::29]),
        *(f"(?:c{expression})?" for expression in small[::53]),
    ]
    patterns += [f"{expression}$" for expression in small[::53]] + [f"^{expression}c" for expression in small[::53]]
    patterns += ["a+c[ab]*", "([ab]+)c([ab]+)", "a*c", "[ab]+$", "a+(?:b+)?", "a?b?a?c?c", "(?:a+|b)c?"]
    translated = 0
    for pattern in patterns:
        direct = translate(parse(pattern.encode()).root)
        if direct.matching:
            assert _is_linear(_Counting(direct.matching).fullmatch), pattern
        if direct.finding:
            translated += 1
            assert _is_linear(_Counting(direct.finding).find), pattern
    assert translated > 20
