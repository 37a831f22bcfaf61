"""Rows of the tables of texts.

A row is a class, texts for it, and options. The tables hold pbwire's differences, not protobuf's results: such a text
has a second one, which protobuf parses as the specification requires for the first one, or None if the text must be
refused; and the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Row", "Text", "each", "on", "otherwise", "refused", "words"]

Text = str | bytes


class Row(NamedTuple):
    """Texts for one class and set of options. `means` says of some of them what is the same to protobuf."""

    cls: str
    texts: tuple[Text, ...]
    options: Mapping[str, Any]
    because: str = ""
    means: Mapping[Text, str | None] = {}


def on(cls: str, *texts: Text, **options: Any) -> Row:
    """Texts of which we think as protobuf does."""
    return Row(cls, texts, options)


def otherwise(cls: str, because: str, means: Mapping[Text, str | None], **options: Any) -> Row:
    """Texts that we read as protobuf reads other ones."""
    return Row(cls, tuple(means), options, because, means)


def refused(cls: str, because: str, *texts: Text, **options: Any) -> Row:
    """Texts that protobuf takes and we do not."""
    return otherwise(cls, because, dict.fromkeys(texts), **options)


def each(head: str, *tails: str, end: str = "") -> tuple[str, ...]:
    """`head` before each of `tails`, and `end` behind."""
    return tuple(f"{head}{tail}{end}" for tail in tails)


def words(text: str) -> list[str]:
    """Split at blanks."""
    return text.split()
