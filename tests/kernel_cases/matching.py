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

_LINEAR = [  # what needs a matcher of its own: classes of Unicode, bytes, flags inside groups, ambiguous repetitions
    r"\pL+", r"\PL+", r"\p{Greek}", r"\p{^Lu}", r"\P{Han}", r"[\pL\pN]+", r"\p{Klingon}", r"\C", "(?U)a+",
    "a(?i)B",
    "(?i)k", "(?i)[^k]", "(?i)s+", "(?i)µ", r"(?i)\w+", r"(?i)\W", "(?i-s:A.)", "(|a)*", "(|a)+", "(?:a??)*", "^*",
    "(a+)+b",
    "(?:aa?)*x", "(?:[ab][ab]?)*x", "(a|aa)+b", "(?i)(?:(é)|(É))*", "(a*)(b*)*", "(?:(a)|b)*c?", r"\B", r"(?:\b|a)+",
    "(?m)^|$", "[^a]", "(?s).", "a{1,2}{2}", "(a{10}){101}", "(?P<é>a)", "(?<n>a)", "(?P<n>a)(?P<n>b)",
    "a{01}", "a{1000000000}",
]
_STRANGE = strings([
    b"ab\xff\xc3", b"\xe0\x80\x80a", b"\xed\xa0\x80", b"k\xe2\x84\xaaK s\xc5\xbfS", "a\u03b1\u03a9 Éé".encode(),
    "µμΜ".encode(),
    b"aabab", b"a\nb\n",
])

_REWRITES = [rb"<\0>", b"", rb"\\", b"x"]
_GROUPS = [
    (r"(\w+) (\w+)", rb"\2 \1"), (r"(a)|(b)", rb"[\1\2]"), (r"(\w)(\w)(\w)", rb"\3\2\1\0"), ("(a)", rb"\1\\\1"),
    (r"(\d+)", b"\xc3\xa9\\1"), ("b", rb"$1"), ("(a)", b"\\1\n"),
]

CASES = [
    *(Case("StaticRegexFullMatch", [_TEXTS], pattern=each.encode()) for each in _PATTERNS),
    *(Case("StaticRegexReplace", [_TEXTS], pattern=each.encode(), rewrite=rb"<\0>") for each in _PATTERNS),
    *(Case("StaticRegexFullMatch", [_STRANGE], pattern=each.encode()) for each in _LINEAR),
    *(Case("StaticRegexReplace", [_STRANGE], pattern=each.encode(), rewrite=rb"<\0>") for each in _LINEAR),
    *(Case("StaticRegexReplace", [_TEXTS], pattern=b"(a)", rewrite=rewrite, replace_global=each)
      for rewrite in (rb"\2", rb"<\x>", b"\\") for each in (True, False)),
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
