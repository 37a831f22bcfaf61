""" "Did you mean ...?" suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["suggestion"]

MAX_COMPARED_LENGTH = 100  # a name from a hostile file may have millions of characters


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" with the most similar known word, or "" if none is similar enough."""
    from difflib import get_close_matches  # importing it takes longer than decoding most files

    folded = {name.casefold(): name for name in known}
    close = get_close_matches(word[:MAX_COMPARED_LENGTH].casefold(), folded, n=1, cutoff=0.7)
    return f'; did you mean "{folded[close[0]]}"?' if close else ""
