"""`tfmodel.values.terminal`: escaping of text for the terminal."""

from __future__ import annotations

import pytest

from pbwire.errors import is_visible
from tests.support.invisible_characters import is_invisible
from tfmodel.values.terminal import escape, shorten


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain/name:0", "plain/name:0"),
        ("größe 模型", "größe 模型"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\x00\x7f\x9b", r"\x00\x7f\x9b"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\udcff\udc80", r"\xff\x80"),
        ("\ud800", r"\ud800"),
    ],
)
def test_only_what_a_terminal_may_see(text, shown):
    assert escape(text) == shown


@pytest.mark.slow(reason="tries every character of Unicode")
@pytest.mark.parametrize("plane", range(17))
def test_all_of_unicode(plane):
    """Every character is shown as it is or as an escape, as Unicode's properties say."""
    codes = range(plane << 16, (plane + 1) << 16)
    if not 2 <= plane < 14:  # elsewhere all characters of a block are alike
        escaped = {chr(code) for code in codes if escape(chr(code)) != chr(code)}
        assert escaped == {chr(code) for code in codes if is_invisible(chr(code))}
    assert is_visible("".join(escape(chr(code)) for code in codes[::7]))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0123456789", "0123456789"),
        ("0123456789a", "012...789a"),
        ("a" * 1_000_000 + "z", "aaa...aaaz"),
    ],
)
def test_long_text_is_cut_in_the_middle(text, shown):
    assert shorten(text, 10) == shown
