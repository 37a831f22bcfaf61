r"""Text of error messages: escapes for invisible characters, and suggestions for unknown names.

    is_visible("a\u3164b")          False: a Hangul filler is invisible
    escape_invisible("a\u3164b")    "a\\u3164b"
    suggestion("sofmax", names)     '; did you mean "softmax"?'

`str.isprintable` is false for control, format, surrogate, private-use and unassigned characters, and for all spaces but
U+0020. Some letters, marks and symbols are invisible too: most of them have the Unicode property
Default_Ignorable_Code_Point, and a few have an empty glyph.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["escape_invisible", "is_visible", "quoted_key", "suggestion"]

MAX_KEY_LENGTH = 100  # characters of a key that an error shows
MAX_COMPARED_LENGTH = 100  # a name from a hostile file may have millions of characters

# --- escapes ---------------------------------------------------------------------------------------------------------

_RANGES = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # inherent vowels of Khmer
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x2800, 0x2800),  # Braille pattern without dots
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0x13441, 0x13442),  # blanks of Egyptian hieroglyphs
    (0x16FE4, 0x16FE4),  # filler of the Khitan small script
    (0x1D159, 0x1D159),  # musical null notehead
    (0xE0100, 0xE01EF),  # variation selectors
)
_BLANK = frozenset(chr(code) for low, high in _RANGES for code in range(low, high + 1))


def is_visible(text: str) -> bool:
    """Return whether all characters are visible or U+0020."""
    return text.isprintable() and (text.isascii() or _BLANK.isdisjoint(text))


def escape_invisible(text: str) -> str:
    r"""Return the text with a Python escape in place of each invisible character: \n, \x1b, \u202e."""
    if is_visible(text):
        return text
    return "".join(character if is_visible(character) else ascii(character)[1:-1] for character in text)


def quoted_key(key: object) -> str:
    """Return the key of a map for the path of an error. A string is in quotes, cut to 100 characters."""
    if not isinstance(key, str):
        return str(key)
    return '"' + escape_invisible(key[:MAX_KEY_LENGTH]).replace('"', '\\"') + '"'


# --- suggestions -----------------------------------------------------------------------------------------------------


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return '; did you mean "..."?' with the known word most similar to `word`; "" if all are too different."""
    from difflib import get_close_matches  # importing it takes longer than decoding most files

    folded = {name.casefold(): name for name in known}
    close = get_close_matches(word[:MAX_COMPARED_LENGTH].casefold(), folded, n=1, cutoff=0.7)
    return f'; did you mean "{folded[close[0]]}"?' if close else ""
