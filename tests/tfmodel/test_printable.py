"""`tfmodel.printable`: what is safe to show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfmodel.printable import printable, shortened


@pytest.mark.parametrize(("text", "shown"), [
    ("plain/name:0", "plain/name:0"),
    ("größe 模型", "größe 模型"),
    ("\x1b[31mred", r"\x1b[31mred"),
    ("a\nb\tc\r", r"a\nb\tc\r"),
    ("\x00\x7f\x9b", r"\x00\x7f\x9b"),
    ("\u202egnp.exe", r"\u202egnp.exe"),
    ("\udcff\udc80", r"\xff\x80"),
    ("\ud800", r"\ud800"),
])
def test_only_what_a_terminal_may_see(text, shown):
    assert printable(text) == shown


@given(st.text())
def test_the_result_is_always_printable(text):
    assert printable(text).isprintable()


@pytest.mark.parametrize(("text", "shown"), [
    ("0123456789", "0123456789"),
    ("0123456789a", "012...789a"),
    ("a" * 1_000_000 + "z", "aaa...aaaz"),
])
def test_what_is_long_loses_its_middle(text, shown):
    assert shortened(text, 10) == shown
