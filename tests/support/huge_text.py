"""Texts of any size, whose elements must all be parsed, in linear time.

HUGE       name -> Huge: lists, lines, blocks, comments, literals, and texts that are refused at their end
growth()   seconds, and the exponent with which they grow with the size
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from pbwire import Message, TextFormatError, text
from tests.support.samples import Leaf, Maps, Repeated, Scalars

__all__ = ["HUGE", "Huge", "growth", "read_huge"]


class Huge(NamedTuple):
    """`make(n)` has n elements; `count` counts them in the message, and is None for texts to be refused."""

    cls: type[Message]
    make: Callable[[int], str]
    count: Callable[[Any], int] | None
    merge: bool = False


def _numbers(message: Any) -> int:
    return len(message.a_int32)


def _leaves(message: Any) -> int:
    return len(message.a_leaf)


def _characters(message: Any) -> int:
    return len(message.a_string)


def _each(template: str) -> Callable[[int], str]:
    """Return a maker of texts in which every element has its own number."""
    return lambda n: "".join(template % i for i in range(n))


_LEAF = "a_leaf {\n  number: 1\n}\n"
_UNKNOWN = "x: [1, 'a'] a_int32: 1 y { z < > }\n"
_COMMENTED = "# one, {\na_int32: 1 # two\n , # three;\n\n"

HUGE = {
    "numbers in a list": Huge(Repeated, lambda n: "a_int32: [" + "1, " * (n - 1) + "1]", _numbers),
    "numbers in a list over lines": Huge(Repeated, lambda n: "a_int32: [" + "1,\n" * (n - 1) + "- 1]", _numbers),
    "lists of one number": Huge(Repeated, lambda n: "a_int32: [7]\n" * n, _numbers),
    "lines": Huge(Repeated, lambda n: "a_int32: 1\n" * n, _numbers),
    "lines that differ": Huge(Repeated, _each("a_int32: %d\n"), _numbers),
    "fields on one line": Huge(Repeated, lambda n: "a_int32: 1; " * n, _numbers),
    "comments": Huge(Repeated, lambda n: _COMMENTED * n, _numbers),
    "unknown fields": Huge(Repeated, lambda n: _UNKNOWN * n, _numbers),
    "messages": Huge(Repeated, lambda n: _LEAF * n, _leaves),
    "messages that differ": Huge(Repeated, _each("a_leaf {\n  number: %d\n}\n"), _leaves),
    "messages on one line": Huge(Repeated, lambda n: "a_leaf { number: 1 leaf < > } " * n, _leaves),
    "messages in a list": Huge(Repeated, lambda n: "a_leaf [" + "{}, " * (n - 1) + "<>]", _leaves),
    "a long message": Huge(Leaf, lambda n: "leaf {\n" + "  numbers: 1\n" * n + "}", lambda m: len(m.leaf.numbers)),
    "a message in pieces": Huge(
        Leaf, lambda n: "leaf {\n  numbers: 1\n}\n" * n, lambda m: len(m.leaf.numbers), merge=True
    ),
    "entries of a map": Huge(Maps, _each("of_int32 {\n  key: '%d'\n  value: 1\n}\n"), lambda m: len(m.of_int32)),
    "one literal": Huge(Scalars, lambda n: "a_string: '" + "x" * n + "'", _characters),
    "one literal of escapes": Huge(Scalars, lambda n: "a_bytes: '" + "\\001" * n + "'", lambda m: len(m.a_bytes)),
    "one literal of odd escapes": Huge(Scalars, lambda n: "a_string: '" + "\\u20ac" * n + "'", _characters),
    "many literals": Huge(Scalars, lambda n: "a_string:" + " 'x'" * n, _characters),
    "many literals on lines": Huge(Scalars, lambda n: "a_string: " + "'x' # c\n" * n, _characters),
    "literals that go on": Huge(Repeated, lambda n: "a_string: 'x'\n'y'\n" * n, _characters),
    "a list that stays open": Huge(Repeated, lambda n: "a_int32: [" + "1," * n, None),
    "a literal that stays open": Huge(Scalars, lambda n: "a_string: '" + "\\x41" * n, None),
    "a literal with a bad end": Huge(Scalars, lambda n: "a_string: '" + "a" * n + "\\8'", None),
    "literals that are not UTF-8": Huge(Scalars, lambda n: "a_string: " + "'\\377'" * n, None),
    "signs": Huge(Scalars, lambda n: "a_int32: " + "- " * n, None),
    "signs and comments": Huge(Scalars, lambda n: "a_int32: " + "-#c\n" * n, None),
    "a long name": Huge(Scalars, lambda n: "a_int32" * n + "-", None),
    "a long number": Huge(Scalars, lambda n: "a_double: " + "1." * n, None),
    "zeros": Huge(Scalars, lambda n: "a_int32: " + "0" * n + "9", None),
    "hexadecimal zeros": Huge(Scalars, lambda n: "a_int32: 0x" + "0" * n + "g", None),
    "names in brackets": Huge(Scalars, lambda n: "[" + "a." * n, None),
    "blanks and nothing": Huge(Scalars, lambda n: " \n" * n + "}", None),
    "comments and nothing": Huge(Scalars, lambda n: "#\n" * n + "}", None),
    "separators": Huge(Scalars, lambda n: "a_int32: 0" + "\n#,\n" * n + ", ,", None),
    "messages that stay open": Huge(Leaf, lambda n: "leaf {\n" * n, None),
    "unknown messages that stay open": Huge(Leaf, lambda n: "x <" * n, None),
}


def read_huge(huge: Huge, size: int) -> float:
    """Return the time to parse a text of that size. Assert that every element was read, or the text refused."""
    document = huge.make(size)
    start = time.perf_counter()
    try:
        message = text.loads(document, huge.cls, allow_unknown_field=True, merge=huge.merge)
    except TextFormatError:
        assert huge.count is None
        return time.perf_counter() - start
    taken = time.perf_counter() - start
    assert huge.count is not None, "should be refused"
    assert huge.count(message) == size, huge.count(message)
    return taken


def growth() -> str:
    """Return a table of all of `HUGE`."""
    lines = ["seconds for 1,000,000 elements, and the exponent (1 is linear) of the time"]
    for name, huge in HUGE.items():
        small, large = (min(read_huge(huge, size) for _ in range(2)) for size in (200_000, 1_000_000))
        exponent = math.log(large / small) / math.log(5)
        lines.append(f"{large:6.2f} {exponent:6.2f}  {name} ({huge.cls.__name__})")
    lines.append(f"{read_huge(HUGE['one literal'], 50_000_000):6.2f}         one literal of 50 MB")
    return "\n".join(lines)
