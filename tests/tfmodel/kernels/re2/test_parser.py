"""`tfmodel.kernels.re2.parser`: the syntax of RE2."""

from __future__ import annotations

import pytest

from tfmodel.kernels.re2 import SyntaxFault, compile_expression
from tfmodel.kernels.re2.parser import parse


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (b"(", "missing )"),
        (b")", "unexpected )"),
        (b"[a", "missing ]: [a"),
        (b"*a", "no argument for repetition operator: *"),
        (b"a**", "bad repetition operator: * behind another one"),
        (b"a{2}{3}", "bad repetition operator: {3} behind another one"),
        (b"a{1001}", "invalid repetition size: {1001}"),
        (b"a{2,1}", "invalid repetition size: {2,1}"),
        (b"((a{100}){11})", "invalid repetition size: {11}, of a part that is repeated itself"),
        (b"[b-a]", "invalid character class range: b-a"),
        (b"[[:vowel:]]", "invalid character class range: [:vowel:]"),
        (rb"\p{Klingon}", r"invalid character class range: \p{Klingon}"),
        (rb"\p", r"invalid character class range: \p"),
        (b"\\", "trailing \\ at end of expression"),
        (rb"\y", r"invalid escape sequence: \y"),
        (rb"(a)\1", r"invalid escape sequence: \1"),
        (rb"\x{110000}", r"invalid escape sequence: \x{110000}"),
        (rb"\x{99999999999999999999}", r"invalid escape sequence: \x{99999999999999999"),
        (b"(?=a)", "invalid perl operator: (?=a)"),
        (b"(?-)a", "invalid perl operator: (?-)a"),
        (b"(?P<>a)", "invalid named capture group: (?P<>a)"),
        (b"\xff", "invalid UTF-8"),
        (rb"\pL{1000}", "pattern too large: it has more than 100,000 states"),
    ],
)
def test_patterns_that_re2_refuses_are_refused(pattern: bytes, reason: str) -> None:
    with pytest.raises(SyntaxFault) as error:
        compile_expression(pattern)
    assert str(error.value) == reason


@pytest.mark.parametrize(
    ("pattern", "same"),
    [
        (b"a|b|[c-d]", b"[a-d]"),
        (rb"\d", b"[0-9]"),
        (b"[^a]", rb"[\x00-`b-\x{10FFFF}]"),
        (b"(?i:k)", "[kK\u212a]".encode()),
        (b"(?i)[^k]", "[^kK\u212a]".encode()),
        (b"(?i)\xc2\xb5", "[µμΜ]".encode()),
        (rb"(?i)\w", "[0-9A-Za-z_\u017f\u212a]".encode()),
        (b"a{,2}", rb"a\{,2\}"),
        (b"a{01}", rb"a\{01\}"),
        (b"a{1234567890}", rb"a\{1234567890\}"),
        (rb"\Qa.b\E+", rb"a\.b+"),
        (rb"\Qa.b", rb"a\.b"),
        (b"(?U)a+b+?", b"a+?b+"),
        (b"(?m)^a$(?-m)$", b"(?m:^)a(?m:$)$"),
        (b"(?:(?i)a)a", b"[aA]a"),
        (rb"\pN", rb"\p{N}"),
        (rb"\P{^Greek}", rb"\p{Greek}"),
        (rb"\p{^Lu}", rb"\PL|\p{Lo}|\p{Lm}|\p{Lt}|\p{Ll}"),
        (rb"[[:^alpha:]]", b"[^A-Za-z]"),
        (rb"\_\-\x41\x{41}\101", b"_-AAA"),
        (b"a(?i)*", b"a*"),
        (b"(?P<n>a)(?P<n>b)", b"(a)(b)"),
        (b"\xed\xa0\x80", rb"\x{d800}"),
    ],
)
def test_two_spellings(pattern: bytes, same: bytes) -> None:
    assert parse(pattern) == parse(same)


def test_groups_are_counted() -> None:
    assert parse(rb"(a)(?:b)(?P<name>(c))\(").groups == 3


@pytest.mark.parametrize("pattern", [b"(" * 1_000 + b"a" + b")" * 1_000, b"(?:" * 1_000 + b"a" + b")*" * 1_000])
def test_deep_nesting(pattern: bytes) -> None:
    assert compile_expression(pattern).matches(b"a")
