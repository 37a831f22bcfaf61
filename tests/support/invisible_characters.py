"""Invisible characters by Unicode's properties, a criterion independent of `pbwire.errors`."""

from __future__ import annotations

import unicodedata

__all__ = ["is_invisible"]

_IGNORABLE = (  # Default_Ignorable_Code_Point of DerivedCoreProperties.txt, Unicode 15
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_EMPTY_GLYPHS = ("BRAILLE PATTERN BLANK", "MUSICAL SYMBOL NULL NOTEHEAD", "KHITAN SMALL SCRIPT FILLER")
_CATEGORIES = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}


def is_invisible(character: str) -> bool:
    """Return whether a character is invisible, looks like a space other than U+0020, or is a control character."""
    if character == " ":
        return False
    code = ord(character)
    return (
        unicodedata.category(character) in _CATEGORIES
        or any(low <= code <= high for low, high in _IGNORABLE)
        or unicodedata.name(character, "").endswith((*_EMPTY_GLYPHS, "HIEROGLYPH FULL BLANK", "HIEROGLYPH HALF BLANK"))
    )
