"""Words for people: what is safe to show on a terminal, which obeys the control characters in a name, and guesses."""

from __future__ import annotations

__all__ = ["printable", "suggestion"]


def printable(text: str) -> str:
    """The text with everything that is not printable (line ends too) as an escape, such as \\x1b."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return ascii(character)[1:-1]


def suggestion(word: str, known: list[str]) -> str:
    """"; did you mean ...?" if one of the known words is close, else nothing."""
    from difflib import get_close_matches

    folded = {name.casefold(): name for name in known}
    close = get_close_matches(word.casefold(), folded, n=1, cutoff=0.7)
    return f"; did you mean {printable(folded[close[0]])}?" if close else ""
