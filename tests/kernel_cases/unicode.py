"""Characters and their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernel_cases import Case, i32, i64, strings

__all__ = ["CASES"]

_TEXT = "aé日\U0001f600\x07\x7f\x85\n"
_CODED = [("UTF-8", "utf-8"), ("UTF-16-BE", "utf-16-be"), ("UTF-32-BE", "utf-32-be"), ("ISO-8859-1", "utf-8")]
_BAD = [
    b"a\xffb",
    b"\xe6\x97",
    b"\xe6\x97x",
    b"\x80\x80",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xc0\xaf",
    b"\xf5\x80",
    b"ok",
    b"\xf0\x80\x80\x80",
    b"\xe0\x80x",
    b"\xfe\xff",
    b"\xc3",
    b"\xf4\x90\x80\x80",
]
_WORDS = strings([[_TEXT, ""], ["naïve", "x"]])
_POLICIES: list[dict[str, Any]] = [
    {},
    {"errors": b"ignore"},
    {"errors": b"strict"},
    {"replacement_char": 63},
    {"replace_control_characters": True},
    {"replace_control_characters": True, "replacement_char": 32, "errors": b"ignore"},
    {"replacement_char": 0xD800},
]
_DECODERS = ["UnicodeDecode", "UnicodeDecodeWithOffsets"]


def _coded(coding: str) -> np.ndarray:
    return strings([_TEXT.encode(coding), b"", "xyz".encode(coding)])


CASES = [
    *(
        Case(op, [_coded(coding)], input_encoding=name, **policy)
        for op in _DECODERS
        for name, coding in _CODED
        for policy in _POLICIES
    ),
    *(Case(op, [strings(_BAD)], input_encoding="UTF-8", **policy) for op in _DECODERS for policy in _POLICIES),
    *(
        Case(op, [words], input_encoding="UTF-8")
        for op in _DECODERS
        for words in (_WORDS, strings("one"), np.zeros(0, object))
    ),
    *(Case("UnicodeDecode", [strings("a")], input_encoding=name) for name in ("utf-8", "US-ASCII", "nothing")),
    *(
        Case("UnicodeTranscode", [_coded(coding)], input_encoding=name, output_encoding=other, **policy)
        for name, coding in _CODED
        for other, _ in _CODED[:3]
        for policy in ({}, {"replace_control_characters": True})
    ),
    *(
        Case("UnicodeTranscode", [strings(_BAD)], input_encoding="UTF-8", output_encoding="UTF-8", **policy)
        for policy in _POLICIES
    ),
    Case("UnicodeTranscode", [_WORDS], input_encoding="UTF-8", output_encoding="UTF-16-BE"),
    *(
        Case("UnicodeEncode", [i32(codes), splits], output_encoding=name, note=f"{codes} {splits.tolist()}")
        for name, _ in _CODED[:3]
        for codes, splits in (
            ([97, 233, 0x65E5, 0x1F600, 98], i64([0, 2, 2, 5])),
            ([97], i32([0, 1])),
            ([], i64([0])),
            ([], i64([0, 0])),
            ([97, 98], i64([0, 1])),
            ([97, 98], i64([1, 2])),
            ([97, 98], i64([0, 2, 1, 2])),
        )
    ),
    *(
        Case(
            "UnicodeEncode",
            [i32([97, -1, 0xD800, 0x110000, 0xFFFE]), i64([0, 3, 5])],
            output_encoding="UTF-8",
            **policy,
        )
        for policy in ({}, {"errors": b"ignore"}, {"errors": b"strict"}, {"replacement_char": 63})
    ),
]
