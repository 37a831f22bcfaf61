"""`tfmodel.kernels.re2.syntax_tree` and `utf8`: sets of characters, and their encodings."""

from __future__ import annotations

import unicodedata

import pytest

from tfmodel.kernels.re2.compiler import encode_ranges
from tfmodel.kernels.re2.syntax_tree import LAST, fold_case, merge_ranges, negate_ranges, unicode_group
from tfmodel.kernels.re2.unicode_scripts import SCRIPTS


@pytest.mark.parametrize(
    "orbit",
    [
        "kK\u212a",
        "sS\u017f",
        "µμΜ",
        "éÉ",
        "åÅ\u212b",
        "ǆǅǄ",
        "ςσΣ",
        "iI",
        "ßẞ",
        "ᾀᾈ",
        "ꭰᎠ",
    ],
)
def test_characters_that_differ_in_case_only(orbit: str) -> None:
    everything = merge_ranges((ord(character), ord(character)) for character in orbit)
    for character in orbit:
        assert fold_case(((ord(character), ord(character)),)) == everything


def test_dotted_and_dotless_i_have_no_case() -> None:
    for character in "İı":
        assert fold_case(((ord(character), ord(character)),)) == ((ord(character), ord(character)),)


def test_categories_are_those_of_python() -> None:
    for name in ("Lu", "Nd", "Zs", "Co", "Cs"):
        ranges = unicode_group(name)
        assert ranges
        for code in range(0, LAST + 1, 997):
            assert any(low <= code <= high for low, high in ranges) == (unicodedata.category(chr(code)) == name)


def test_every_character_that_has_a_script_has_one() -> None:
    seen = [pair for name in SCRIPTS for pair in unicode_group(name) or ()]
    assert sum(high - low + 1 for low, high in seen) == sum(high - low + 1 for low, high in merge_ranges(seen))
    assert "Greek" in SCRIPTS
    assert (0x3A3, 0x3E1) in (unicode_group("Greek") or ())


@pytest.mark.slow(reason="tries every character of Unicode")
@pytest.mark.parametrize(
    "ranges",
    [
        ((0x41, 0x5A),),
        ((0x80, 0x80),),
        ((0x7F, 0x800),),
        ((0x7FF, 0x10000),),
        ((0xD7FF, 0xE000),),
        ((0xE9, 0xE9), (0xFFFD, 0x10003)),
        ((0x10000, 0x10FFFE),),
        ((0xFFF, 0x1000), (0x3FFFF, 0x40000)),
        ((0x39, 0x10FFFE),),
    ],
)
def test_an_encoded_set_has_its_characters_and_no_others(ranges: tuple[tuple[int, int], ...]) -> None:
    for code_ranges in (ranges, negate_ranges(ranges)):
        steps, first = encode_ranges(code_ranges)
        edges = {code + change for pair in (*ranges, (0, LAST)) for code in pair for change in (-1, 0, 1, 64, 4096)}
        for code in edges & {*range(LAST + 1)} | {*range(0, LAST, 9973)}:
            places = {*first}
            for byte in chr(code).encode("utf-8", "surrogatepass"):
                behind = [steps[place].next for place in places if byte in steps[place].bytes]
                places = {place for group in behind for place in group}
            assert (() in behind) == any(low <= code <= high for low, high in code_ranges), hex(code)
