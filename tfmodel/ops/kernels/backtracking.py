r"""How long Python may take for a regular expression: it tries one way after another, and there may be many.

    ways_of("(?:ab|b)+c").most(1000)     # 1: each character says which way it is
    ways_of(".*,.*,.*").most(1000)       # 1000 ** 3: each comma may be any

An expression in which the next character always tells where to go on can be matched in one way only. Of others the ways
are counted, as a number and a power of the length of the text: what is repeated has as many as there are repetitions,
and what follows one another has the product. What is repeated without end, and can be matched in several ways itself,
has a number of them that doubles with every character.
"""

from __future__ import annotations

import re
from re import _constants as code  # type: ignore[attr-defined]  # what a pattern means has no public name in Python
from re import _parser as parser  # type: ignore[attr-defined]  # the same
from typing import Any, NamedTuple

__all__ = ["Ways", "narrowest", "ways_of"]

_FOREIGN = 128  # stands for all characters that are not of ASCII
_ALL = frozenset(range(_FOREIGN + 1))
_MOST_NUMBER, _MOST_POWER = 10**15, 50
_MOST_PAIRS = 50_000  # of characters that may follow one another, before it is taken for granted that ways are many


class Ways(NamedTuple):
    """At most `number` times the length of the text to the `power`."""

    number: int = 1
    power: int = 0

    def most(self, length: int) -> int:
        """How many that is for a text of that length."""
        most: int = self.number * length**self.power
        return most

    def times(self, other: Ways) -> Ways:
        """Of what stands one behind the other."""
        return Ways(min(self.number * other.number, _MOST_NUMBER), min(self.power + other.power, _MOST_POWER))

    def plus(self, other: Ways) -> Ways:
        """Of what stands one for the other."""
        return Ways(min(self.number + other.number, _MOST_NUMBER), max(self.power, other.power))


class _Part(NamedTuple):
    """A part of an expression: whether it may be nothing, the places where it begins and ends, and its ways."""

    empty: bool
    first: frozenset[int]
    last: frozenset[int]
    ways: Ways
    is_clear: bool = True


_NOTHING = _Part(True, frozenset(), frozenset(), Ways())


def ways_of(pattern: str) -> Ways:
    """In how many ways a text can be matched from one place on. Raises re.error if they double with every character."""
    whole = _Counting().of(parser.parse(pattern))
    return Ways() if whole.is_clear else whole.ways


def narrowest(pattern: str) -> int:
    """How many characters a match has at the least. Raises re.error if it is no pattern."""
    least: int = parser.parse(pattern).getwidth()[0]
    return least


class _Counting:
    """Goes through an expression once, from the inside to the outside.

    characters    what each place in the expression matches
    behind        the places that may follow each place
    """

    def __init__(self) -> None:
        self._characters: list[frozenset[int]] = []
        self._behind: list[set[int]] = []
        self._unclear: set[int] = set()
        self._pairs = 0

    def of(self, items: Any) -> _Part:
        start, found = len(self._characters), _NOTHING
        for operation, argument in items:
            found = self._then(found, self._item(operation, argument))
        return self._settled(found, start)

    def _item(self, operation: Any, argument: Any) -> _Part:
        if operation in (code.MAX_REPEAT, code.MIN_REPEAT):
            return self._repeated(*argument)
        if operation is code.SUBPATTERN:
            return self.of(argument[-1])
        if operation is code.BRANCH:
            start, found = len(self._characters), None
            for each in argument[1]:
                part = self.of(each)
                found = part if found is None else self._either(found, part)
            return self._settled(found or _NOTHING, start)
        if operation in (code.AT, code.ASSERT, code.ASSERT_NOT):
            return _NOTHING
        place = len(self._characters)
        self._characters.append(_matched(operation, argument))
        self._behind.append(set())
        return _Part(False, frozenset((place,)), frozenset((place,)), Ways())

    def _repeated(self, least: int, most: Any, items: Any) -> _Part:
        start = len(self._characters)
        part = self.of(items)
        if most == 1:
            return self._settled(part._replace(empty=part.empty or not least, ways=part.ways.plus(Ways())), start)
        if least == most and len(self._characters) == start + 1 and not part.empty and part.ways == Ways():
            return part  # so many of one character: there is no choice
        endless = most is code.MAXREPEAT
        clear = self._join(part.last, part.first) and part.is_clear and (not part.empty or (endless and least <= 1))
        if endless and not clear:
            raise re.error("what is repeated without end can be matched in many ways: this could take for ever")
        ways = Ways(1, 1) if endless else Ways(most - least + 1)
        if not clear:
            for _ in range(most if part.ways != Ways() or part.empty else 0):
                ways = ways.times(part.ways.plus(Ways()))
                if ways.number == _MOST_NUMBER or ways.power == _MOST_POWER:
                    break
        return self._settled(_Part(part.empty or not least, part.first, part.last, ways, clear), start)

    def _then(self, one: _Part, other: _Part) -> _Part:
        clear = self._join(one.last, other.first) and one.is_clear and other.is_clear
        first = one.first | other.first if one.empty else one.first
        last = one.last | other.last if other.empty else other.last
        return _Part(one.empty and other.empty, first, last, one.ways.times(other.ways), clear)

    def _either(self, one: _Part, other: _Part) -> _Part:
        clear = one.is_clear and other.is_clear and not (one.empty and other.empty)
        empty, ways = one.empty or other.empty, one.ways.plus(other.ways)
        return _Part(empty, one.first | other.first, one.last | other.last, ways, clear)

    def _join(self, last: frozenset[int], first: frozenset[int]) -> bool:
        """Let some places follow others; False if they did so already, so that there are two ways to get there."""
        self._pairs += len(last) * len(first)
        if self._pairs > _MOST_PAIRS:
            return False
        is_new = True
        for place in last:
            is_new = is_new and self._behind[place].isdisjoint(first)
            self._behind[place] |= first
        return is_new

    def _settled(self, part: _Part, start: int) -> _Part:
        """The part, once all is known of what is inside: if the next character always tells, there is one way to each
        place where it may end."""
        if not part.is_clear or self._pairs > _MOST_PAIRS:
            return part._replace(is_clear=False)
        places = range(start, len(self._characters))
        if not (self._differ(part.first) and all(self._differ(self._behind[place]) for place in places)):
            return part._replace(is_clear=False)
        return part._replace(ways=min(part.ways, Ways(1, 1), key=lambda ways: (ways.power, ways.number)))

    def _differ(self, places: Any) -> bool:
        """Whether each character is matched by no more than one of these places."""
        self._pairs += len(places)
        return len(places) < 2 or (
            sum(len(self._characters[place]) for place in places)
            == len(frozenset().union(*(self._characters[place] for place in places)))
        )


def _matched(operation: Any, argument: Any) -> frozenset[int]:
    """The characters that one place of an expression matches, whatever their case."""
    if operation is code.LITERAL:
        return _any_case(argument, argument)
    if operation is code.NOT_LITERAL:
        return _ALL - {argument}
    if operation is code.IN:
        found: frozenset[int] = frozenset()
        for kind, value in argument:
            if kind is code.NEGATE:
                continue
            found |= _any_case(*value) if kind is code.RANGE else _any_case(value, value)
        return _without(argument) if argument[0][0] is code.NEGATE else found
    return _ALL


def _without(argument: Any) -> frozenset[int]:
    """What a class with ^ matches: letters of either case count as matched if one of them is."""
    excluded: set[int] = set()
    for kind, value in argument[1:]:
        low, high = value if kind is code.RANGE else (value, value)
        excluded.update(range(low, min(high, _FOREIGN - 1) + 1))
    return frozenset(each for each in _ALL if each not in excluded)


def _any_case(low: int, high: int) -> frozenset[int]:
    found = {min(each, _FOREIGN) for each in range(low, min(high, _FOREIGN) + 1)}
    for each in tuple(found):
        if each < _FOREIGN:
            found |= {min(ord(other), _FOREIGN) for other in chr(each).swapcase()}
    if found & {*b"kKsS"}:  # which some foreign letters are taken for
        found.add(_FOREIGN)
    return frozenset(found)
