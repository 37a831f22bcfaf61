"""Suggestions for unknown names."""

from __future__ import annotations

import pytest

from pbwire.errors import suggestion


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("graphdeff", '; did you mean "GraphDef"?'),
        ("NodeDeph", '; did you mean "NodeDef"?'),
        ("banana", ""),
        ("G" * 10_000_000, ""),
    ],
)
def test_a_close_word_is_suggested(word: str, words: str) -> None:
    assert suggestion(word, ["GraphDef", "NodeDef"]) == words


def test_nothing_is_suggested_without_known_words() -> None:
    assert suggestion("x", []) == ""
