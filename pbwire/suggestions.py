"""What was probably meant by a name that is none."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["suggestion"]

LONGEST = 100  # characters that are compared: a name from a hostile file may have millions


def suggestion(word: str, known: Iterable[str]) -> str:
    """ "; did you mean ...?" if one of the known words is close, else nothing. It is as printable as these are."""
    from difflib import get_close_matches  # takes longer to import than most files to read

    folded = {name.casefold(): name for name in known}
    close = get_close_matches(word[:LONGEST].casefold(), folded, n=1, cutoff=0.7)
    return f'; did you mean "{folded[close[0]]}"?' if close else ""
