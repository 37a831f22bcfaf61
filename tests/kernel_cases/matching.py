"""Regular expressions on strings."""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, strings

__all__ = ["CASES"]

_TEXTS = strings([
    "", "a", "abc", "aaa bbb", "Hello, World 123!", "foo.bar@example.com", "line\nend", "tail\n", "a\tb\vc",
    "été ß 日本", "((x))", "a-b_c", "[x]^\\", "{2,3}", "  spaces  ", "ABC abc", "x" * 30, "aXbXc", "10.5e3", "$1 \\0",
])

_PATTERNS = [
    "", "a", ".", ".*", "a+", "[a-z]+", "[^a-z]+", r"\d+", r"\D", r"\w+", r"\W+", r"\s", r"\S+", r"\bb", r"\Bb", "^a",
    "c$", "end$", "tail$", r"tail\z", r"\Aa", "(?m)^end$", "(?m)line$", "(?i)hello", "(?i:ABC)", "(?s)line.end",
    "line.end", "(a)(b)(c)", "(?P<one>a)b", "(?:ab)c", "a|b|c", "ab|abc", "(a|ab)(c|bcd)?", "x*", "a*?", "b??", "x{3}",
    "x{2,}", "x{2,5}", "x{,5}", "x{", "{2,3}", "a{2}{3}", "[[:alpha:]]+", "[[:space:]]", "[^[:digit:][:punct:]]+",
    "[[:word:]]+", "[[:^alpha:]]", "[[:nothing:]]", "[]x]+", "[^]x]+", r"[\]\\^]+", "[a-]", "[-a]", r"[\w.]+",
    r"[\d\s]+", r"[^\s]+", r"[\S]+", r"[\D]", "[[]", "[a&&b]", r"\Q((x))\E", r"\Q[", r"\.", r"\@", r"\x41",
    r"\x{65e5}", r"\101", r"\0", r"\t", r"\v", "é", "[é-ï]", "日.", r"(a)\1", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b",
    "a**", "a*+", "a++", "*a", "+", "(", ")", "[", "[z-a]", "\\", r"\y", r"\Z", "(?x)a b", "x{1001}", "(?i)É",
    r"(?P<n>\d+)", "a|", "|a", "()", "(|a)b", r"(\w+)@(\w+)\.com", "^$", "$", "^", "(?i)^h.*!$", "(foo|bar)+",
    "(?:[a-c]|[0-9])*", "(?-s).", "(?i)(?m)^END", "(?i-s:HELLO.)", "[a-c]{2}", "(ab)?c", "(?:)a",
]

_REWRITES = [rb"<\0>", b"", rb"\\", b"x"]
_GROUPS = [
    (r"(\w+) (\w+)", rb"\2 \1"), (r"(a)|(b)", rb"[\1\2]"), (r"(\w)(\w)(\w)", rb"\3\2\1\0"), ("(a)", rb"\1\\\1"),
    (r"(\d+)", b"\xc3\xa9\\1"), ("b", rb"$1"), ("(a)", b"\\1\n"),
]

CASES = [
    *(Case("StaticRegexFullMatch", [_TEXTS], pattern=each.encode()) for each in _PATTERNS),
    *(Case("StaticRegexReplace", [_TEXTS], pattern=each.encode(), rewrite=rb"<\0>") for each in _PATTERNS),
    *(Case("RegexFullMatch", [_TEXTS, strings(each)], note=each) for each in _PATTERNS[::5]),
    *(Case("RegexReplace", [_TEXTS, strings(each), strings(rb"<\0>")], note=each, replace_global=False)
      for each in _PATTERNS[::5]),
    *(Case("StaticRegexReplace", [_TEXTS], pattern=pattern, rewrite=rewrite, replace_global=each)
      for pattern in (b"[a-c]", b"x*", b"b*?") for rewrite in _REWRITES for each in (True, False)),
    *(Case("StaticRegexReplace", [_TEXTS], pattern=pattern.encode(), rewrite=rewrite) for pattern, rewrite in _GROUPS),
    Case("RegexReplace", [_TEXTS.reshape(4, 5), strings("a"), strings("b")]),
    Case("RegexReplace", [_TEXTS, strings(["a"]), strings("b")]),
    Case("RegexReplace", [_TEXTS, strings("a"), strings(["b"])]),
    Case("RegexFullMatch", [_TEXTS, strings(["a", "b"])]),
    Case("RegexFullMatch", [np.zeros((0, 2), object), strings("a")]),
]
