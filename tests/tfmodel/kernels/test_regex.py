"""RegexReplace and RegexFullMatch: rewrites, errors and limits. The answers of TensorFlow are in `test_golden`."""

from __future__ import annotations

import numpy as np
import pytest

from tfmodel.errors import RunError
from tfmodel.kernels.runtime.memory_limit import limit_memory
from tfmodel.kernels.string import strings


@pytest.mark.parametrize(
    ("pattern", "rewrite", "replaced", "once"),
    [  # as TensorFlow 2.12
        (b"b", rb"<\\g<0>\\>", rb"a<\g<0>\>c<\g<0>\>", rb"a<\g<0>\>cb"),
        (b"(b)", rb"\1\1", b"abbcbb", b"abbcb"),
        (b"b", rb"<\1>", b"abcb", b"abcb"),
        (b"(b)", rb"<\1\2>", b"abcb", b"abcb"),
        (b"(b)", rb"<\x>", b"a<c<", b"abcb"),
        (b"(b)", rb"\1\x\1", b"abcb", b"abcb"),
        (b"(b)", rb"\x\2", b"abcb", b"abcb"),
        (b"b", b"\\", b"ac", b"abcb"),
        (b"b", b"\\\xc3", b"ac", b"abcb"),
    ],
)
def test_rewrites(pattern: bytes, rewrite: bytes, replaced: bytes, once: bytes) -> None:
    x = np.array([b"abcb"], object)
    for replace_global, expected in ((True, replaced), (False, once)):
        actual = strings.static_regex_replace(x, pattern=pattern, rewrite=rewrite, replace_global=replace_global)
        assert actual.tolist() == [expected]


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        (b"a(", '"a(" is not a regular expression: missing )'),
        (b"\x1b(", r'"\x1b(" is not a regular expression: missing )'),
        (b"[" + b"a" * 1000, "..."),
    ],
)
def test_errors_are_short_and_printable(pattern: bytes, error: str) -> None:
    with pytest.raises(RunError) as raised:
        strings.static_regex_full_match(np.array([b""], object), pattern=pattern)
    assert error in str(raised.value)
    assert len(str(raised.value)) < 300


def test_too_much_work_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strings, "MAX_WORK", 1_000)
    with pytest.raises(RunError, match=r'matching "\(\?:a\?\)\{100\}b" takes more than 1,000 steps'):
        strings.static_regex_full_match(np.array([b"a" * 100 + b"b"], object), pattern=b"(?:a?){100}b")


def test_work_is_counted_for_all_strings_together(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{number * number:064b}".translate({48: "a", 49: "b"}).encode() for number in range(10**8, 10**8 + 30)]
    monkeypatch.setattr(strings, "MAX_WORK", 15_000)
    strings.static_regex_full_match(np.array(texts[:2], object), pattern=b"[ab]{10}a[ab]*")
    with pytest.raises(RunError, match="takes more than 15,000 steps"):
        strings.static_regex_full_match(np.array(texts, object), pattern=b"[ab]{10}a[ab]*b|[ab]{10}b[ab]*")


def test_replacements_count_against_the_memory_limit() -> None:
    with limit_memory(100_000), pytest.raises(RunError, match="bytes to compute"):
        strings.static_regex_replace(np.array([b"a" * 1_000], object), pattern=b"", rewrite=b"x" * 100)
