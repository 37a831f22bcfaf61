"""Words for people: what is safe to show on a terminal, which obeys the control characters in a name."""

from __future__ import annotations

__all__ = ["printable"]


def printable(text: str) -> str:
    """The text with everything that is not printable (line ends too) as an escape, such as \\x1b."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return ascii(character)[1:-1]
