"""Strings. (`strings` would hide the function of that name.)"""

from __future__ import annotations

import numpy as np

from tests.kernel_cases import Case, i32, i64, strings

__all__ = ["CASES"]

_NONE = np.zeros((0, 2), object)
_WORDS = [
    strings(["", "a", "Hello, World", "  spaces \t\n", "\x00nul\x00", "UPPER lower 123"]),
    strings([["Grüße", "ÄÖÜß"], ["日本語", "naïve café"]]),
    strings([b"\xff\xfe", b"a\xc3", b"\xe6\x97", b"\x80\x80b"]),
    strings("scalar"),
    _NONE,
    strings(["ǅ", "İstanbul", "ὈΔΥΣΣΕΎΣ", "ŉ", "ﬁ"]),
    strings([["\U0001d4b3y", "e\u0301"]]),
    strings(["\v\f\r both \v\f\r", "\x1c\x85", "\u00a0nbsp\u00a0"]),
]
_MANY = [*_WORDS, strings(["x" * 300]), strings([[["a"], ["B"]]])]

_SIMPLE = [
    *(Case(op, [words]) for op in ("StringLower", "StringUpper", "StringStrip", "StringLength") for words in _MANY),
    *(Case(op, [words], encoding=b"utf-8") for op in ("StringLower", "StringUpper") for words in _MANY),
    Case("StringLower", [_WORDS[0]], encoding=b"latin-1"),
    *(Case("StringLength", [words], unit=b"UTF8_CHAR") for words in _MANY),
    *(Case("EncodeBase64", [words], pad=pad) for words in _MANY for pad in (True, False)),
    *(
        Case("DecodeBase64", [strings(text)], note=repr(text))
        for text in (
            "",
            "YQ",
            "YQ==",
            "YWI",
            "YWI=",
            "YWJj",
            "-_-_",
            "+/+/",
            "Y",
            "YQ=",
            "Y===",
            "YQ==YQ==",
            "YR",
            "Y W I",
        )
    ),
    Case("DecodeBase64", [strings([["YQ", "YWI"], ["", "YWJjZA"]])]),
]

_PLACES = [(-2, -1), (0, 3), (1, 2), (-2, 1), (-3, 10), (5, 0), (0, 100), (3, -1), (6, 1), (-6, 1), (7, 1), (-7, 1)]
_SUBSTR = [
    *(
        Case("Substr", [strings(text), i32(at), i32(size)], unit=unit, note=f"{at} {size} {text!r}")
        for text in ("abcdef", "aäß日\U0001d4b3f", b"\x80a\xffbcde")
        for unit in (b"BYTE", b"UTF8_CHAR")
        for at, size in _PLACES
    ),
    Case("Substr", [strings(["hello", "world"]), i32([0, 1]), i32([2, 3])]),
    Case("Substr", [strings([["hello", "world"], ["three", "fours"]]), i64(1), i64(3)]),
    Case("Substr", [strings([["hello", "world"], ["three", "fours"]]), i64([1, 2]), i64([3, 2])]),
    Case("Substr", [strings([["hello", "world"], ["three", "fours"]]), i64([[1], [2]]), i64([[3], [2]])]),
    Case("Substr", [strings("thirteen"), i32([1, 5, 7]), i32([3, 2, 1])]),
    Case("Substr", [strings(["hello", "world"]), i32([0, 1]), i32([2])]),
    Case("Substr", [strings(["hello", "world"]), i32([0, 1, 2]), i32([2, 3, 4])]),
    Case("Substr", [_NONE, i32(0), i32(1)]),
]

_GRID = strings([[["a", "b", "c"], ["d", "e", "f"]], [["g", "h", "i"], ["j", "k", "l"]]])
_JOINS = [
    *(
        Case("StringJoin", [list(strings_to_join)], separator=separator)
        for separator in (b"", b"--")
        for strings_to_join in (
            [strings(["a", "b"]), strings(["c", "d"])],
            [strings("s"), strings([["x", "y"]])],
            [strings("a"), strings("b"), strings("c")],
            [_NONE, _NONE],
            [strings(["only"])],
        )
    ),
    Case("StringJoin", [[strings(["a", "b"]), strings(["c", "d", "e"])]]),
    *(
        Case("ReduceJoin", [_GRID, i32(axes)], separator=b"+", keep_dims=keep, note=str(axes))
        for axes in ([0], [1], [2], [-1], [0, 1], [1, 0], [2, 0], [0, 1, 2], [2, 1, 0], [], 1)
        for keep in (False, True)
    ),
    *(Case("ReduceJoin", [_GRID, i32(axes)], note=str(axes)) for axes in ([3], [-4], [0, 0], [0, -3])),
    Case("ReduceJoin", [strings(["a", "b"]), i32(0)]),
    Case("ReduceJoin", [strings("a"), i32([])]),
    Case("ReduceJoin", [_NONE, i32(0)]),
    Case("ReduceJoin", [_NONE, i32(1)]),
    *(
        Case("UnsortedSegmentJoin", [words, ids, i32(count)], separator=b":", note=f"{ids.tolist()} {count}")
        for words, ids, count in (
            (strings(["a", "b", "c", "d"]), i32([0, 1, 0, 2]), 4),
            (strings(["a", "b", "c"]), i64([2, 2, 0]), 3),
            (strings(["a", "b"]), i32([0, 3]), 3),
            (strings(["a", "b"]), i32([-1, 0]), 3),
            (strings([["a", "b"], ["c", "d"]]), i32([1, 0]), 2),
            (strings([["a", "b"], ["c", "d"]]), i32([1, 1]), 3),
            (strings([["a", "b"], ["c", "d"]]), i32([[1, 0], [1, 1]]), 2),
            (strings(["a", "b"]), i32([0, 0, 0]), 2),
            (_GRID, i32([[0, 1], [1, 0]]), 2),
            (strings(["a"]), i32([0]), 0),
            (strings(["a"]), i32([0]), -1),
            (np.zeros(0, object), i32([]), 2),
            (strings("a"), i32(0), 1),
        )
    ),
]

_LINES = strings(["a b c", "", "  x,,y  ", "one", ",a,b,", "t\tu\nv", "a  b   c d "])
_SPLITS = [
    *(
        Case("StringSplit", [_LINES, strings(mark)], skip_empty=skip, note=repr(mark))
        for mark in (" ", ",", " ,", "", "]^-\\")
        for skip in (True, False)
    ),
    *(
        Case("StringSplitV2", [_LINES, strings(mark)], maxsplit=most, note=repr(mark))
        for mark in ("", " ", ",", ", ", "  ", "b c")
        for most in (-1, 0, 1, 2, -5)
    ),
    *(
        Case(op, [words, strings(mark)], note=repr(mark))
        for op in ("StringSplit", "StringSplitV2")
        for words, mark in (
            (np.zeros(0, object), " "),
            (strings("a b"), " "),
            (strings([["a b"]]), " "),
            (strings(["a b"]), [" ", ","]),
            (strings(["a b"]), ["a"]),
        )
    ),
]


def _grams(words: np.ndarray, splits: np.ndarray, widths: list[int], width: int, keep: bool) -> Case:
    return Case(
        "StringNGrams",
        [words, splits],
        separator=b"|",
        ngram_widths=widths,
        left_pad=b"L",
        right_pad=b"R",
        pad_width=width,
        preserve_short_sequences=keep,
        note=str(splits.tolist()),
    )


_ABC = strings(["a", "b", "c", "d", "e", "f"])
_NGRAMS = [
    *(
        _grams(_ABC, i64([0, 4, 4, 6]), widths, pad, keep)
        for widths in ([1], [2], [3], [2, 3], [3, 1], [5], [])
        for pad in (0, -1, 1, 5)
        for keep in (False, True)
    ),
    _grams(_ABC, i32([0, 6]), [2], 0, False),
    _grams(_ABC, i64([0, 7]), [2], 0, False),
    _grams(_ABC, i64([1, 6]), [2], 0, False),
    _grams(_ABC, i64([0, 4, 3, 6]), [2], 0, False),
    _grams(strings([]).reshape(0), i64([0, 0, 0]), [2], 1, True),
    _grams(strings([]).reshape(0), i64([0]), [2], 0, False),
    _grams(strings([]).reshape(0), i64([]), [2], 0, False),
    _grams(_ABC, i64([0, 6]), [0], 0, False),
    _grams(_ABC, i64([0, 3]), [2], 0, False),
]

CASES = [*_SIMPLE, *_SUBSTR, *_JOINS, *_SPLITS, *_NGRAMS]
