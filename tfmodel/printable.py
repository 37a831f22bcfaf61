"""Words for people: what is safe to show on a terminal, which obeys the control characters in a name."""

from __future__ import annotations

from pbwire.printable import is_visible

__all__ = ["printable", "shortened"]


def printable(text: str) -> str:
    """The text with everything that cannot be seen (line ends too) as an escape, such as \\x1b."""
    if is_visible(text):
        return text
    return "".join(character if is_visible(character) else _escape(character) for character in text)


def shortened(text: str, longest: int) -> str:
    """A long text without its middle."""
    return text if len(text) <= longest else f"{text[: longest // 2 - 2]}...{text[-longest // 2 + 1 :]}"


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return ascii(character)[1:-1]
