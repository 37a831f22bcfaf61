r"""Translate simple expressions for Python's `re`, which is fast, if its backtracking cannot take long.

    translate(parse(rb"(\d+)-(\d+)").root).finding      a pattern for str; None where only the automaton is safe

The pattern is made from the parsed parts and applied to the decoded text. Both matchers prefer the same alternatives,
and in valid UTF-8 no character begins inside another one, so they find the same matches. `re` must also take linear
time. A run is a repetition without limit. An expression is translated only if it has at most 64 parts, if only sets of
characters are repeated without limit, and if condition 1 and one of the conditions 2 to 4 hold:

1.  The next character decides every choice. The alternatives of a choice, and the parts that may follow the choice,
    begin with disjoint sets of characters. At most one alternative may match the empty string. So at each position, at
    most one alternative can take the next character. An attempt to match at one position costs at most 64 * 64 steps
    outside of runs.

2.  The whole text must match, or the expression begins with \A: then there is only one attempt. Giving back a
    character of a run costs 64 steps, since the next part does not begin with such a character. So time is linear.

3.  The parts after a run cannot fail: they can always match the empty string. So all characters that a run takes
    belong to a match, and are not read again.

4.  The expression begins with a run C+, and the remainder of the expression matches only at the end of a run of C,
    because it begins with a character not in C, or with an assertion such as $. The remainder fulfils conditions 1 and
    3. If the remainder fails after a run, it fails for every start within this run. So the pattern is
    `C+(?:remainder()|)`, which also matches a run without the remainder. The empty group did not take part in such a
    match, so the match is ignored, and the search continues after the run. For C*, the pattern is
    `C*(?:remainder()|(?<=C))`, if the remainder begins with a character. Assertions may precede the run.

Only expressions that match at least one character are searched this way, since RE2 and Python count empty matches
differently.

`required_text` finds literal text that every match contains: searching for it first is much faster than matching.

    required_text(parse(rb"a+bcd|e*").root)      b"": matches have no text in common
    required_text(parse(rb"a*bcd+e").root)       b"bc"
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from . import syntax_tree
from .syntax_tree import PERL, Part, Ranges, Where, merge_ranges

_MAX_TRANSLATED_PARTS = 64
_MAX_DEPTH = 8
_ASSERTIONS = {
    Where.TEXT_BEGIN: r"\A",
    Where.TEXT_END: r"\Z",
    Where.LINE_BEGIN: "(?m:^)",
    Where.LINE_END: "(?m:$)",
    Where.BOUNDARY: r"\b",
}  # without \B, which Python does not find in an empty text
_NEWLINE = ((10, 10),)


class Direct(NamedTuple):
    """Patterns for `re`. A pattern is None if matching might take long.

    matching    the pattern for matches of the whole text
    finding     the pattern for searching
    runs        true if matches of `finding` without its last group must be ignored (condition 4)
    """

    matching: re.Pattern[str] | None
    finding: re.Pattern[str] | None
    runs: bool


class _Unfit(Exception):
    """The expression cannot be translated."""


class _Rest(NamedTuple):
    """The remainder of an expression after a part.

    first      the characters with which it may begin
    certain    whether it matches at every position
    """

    first: Ranges
    certain: bool


class _Piece(NamedTuple):
    """A translated part.

    text       the pattern
    first      the characters with which a match may begin
    nullable   whether it may match the empty string
    certain    whether it can match the empty string at every position, so that it cannot fail
    """

    text: str
    first: Ranges
    nullable: bool
    certain: bool


_END = _Rest((), True)


def translate(root: Part) -> Direct:
    """Return the patterns of an expression for `re`."""
    parts = root.parts if isinstance(root, syntax_tree.Sequence) else (root,)
    matching = _pattern(parts, free=True)
    if matching is None:  # condition 1 does not hold, so searching could take long too
        return Direct(None, None, False)
    if parts and parts[0] == syntax_tree.Assertion(Where.TEXT_BEGIN):
        return Direct(matching, _pattern(parts, free=True, finding=True), False)
    finding = _pattern(parts, free=False, finding=True)
    if finding:
        return Direct(matching, finding, False)
    try:
        return Direct(matching, re.compile(_Translator(free=False).run_and_rest(parts), re.ASCII), True)
    except _Unfit:
        return Direct(matching, None, False)


def _pattern(parts: tuple[Part, ...], *, free: bool, finding: bool = False) -> re.Pattern[str] | None:
    try:
        piece = _Translator(free).sequence(parts, _END, 0)
    except _Unfit:
        return None
    return None if finding and piece.nullable else re.compile(piece.text, re.ASCII)


class _Translator:
    """Translates parts. Its methods raise _Unfit. With `free`, the remainder after a run may fail (condition 2)."""

    def __init__(self, free: bool) -> None:
        self._free = free
        self._left = _MAX_TRANSLATED_PARTS
        self._groups: set[int] = set()

    def sequence(self, parts: tuple[Part, ...], following: _Rest, depth: int) -> _Piece:
        result = _Piece("", (), True, True)
        for part in reversed(parts):
            piece = self.part(part, following, depth)
            first = merge_ranges([*piece.first, *result.first]) if piece.nullable else piece.first
            behind = merge_ranges([*piece.first, *following.first]) if piece.nullable else piece.first
            following = _Rest(behind, piece.certain and following.certain)
            nullable, certain = piece.nullable and result.nullable, piece.certain and result.certain
            result = _Piece(piece.text + result.text, first, nullable, certain)
        return result

    def part(self, part: Part, following: _Rest, depth: int) -> _Piece:
        self._spend(1)
        if depth > _MAX_DEPTH:
            raise _Unfit
        match part:
            case syntax_tree.Characters(ranges) if ranges:
                return _Piece(_set(ranges), ranges, False, False)
            case syntax_tree.Assertion(where) if where in _ASSERTIONS:
                return _Piece(_ASSERTIONS[where], (), True, False)
            case syntax_tree.Group(number, body) if number not in self._groups:
                self._groups.add(number)
                piece = self.part(body, following, depth + 1)
                return piece._replace(text=f"({piece.text})")
            case syntax_tree.Sequence(parts):
                return self.sequence(parts, following, depth + 1)
            case syntax_tree.Choice(parts):
                return self._choice(parts, following, depth)
            case syntax_tree.Repeat(syntax_tree.Characters(ranges), min_count, max_count) if ranges and max_count != 0:
                return self._repeat(part, ranges, min_count, max_count, following)
            case syntax_tree.Repeat(body, 0, 1, greedy):
                empty = syntax_tree.Sequence(())
                return self._choice((body, empty) if greedy else (empty, body), following, depth)
            case syntax_tree.Repeat(body, min_count, max_count) if min_count == max_count != 0:
                piece = self.sequence((body,) * min_count, following, depth + 1)
                return piece._replace(text=f"(?:{piece.text})")
        raise _Unfit

    def _choice(self, parts: tuple[Part, ...], following: _Rest, depth: int) -> _Piece:
        pieces = [self.part(part, following, depth + 1) for part in parts]
        nullable = sum(piece.nullable for piece in pieces)
        firsts = [piece.first for piece in pieces]
        if nullable > 1 or not _disjoint(*firsts, *([following.first] if nullable else [])):
            raise _Unfit
        text = "|".join(piece.text for piece in pieces)
        first = merge_ranges(pair for characters in firsts for pair in characters)
        return _Piece(f"(?:{text})", first, bool(nullable), any(piece.certain for piece in pieces))

    def _repeat(
        self, part: syntax_tree.Repeat, ranges: Ranges, minimum: int, maximum: int | None, following: _Rest
    ) -> _Piece:
        self._spend(minimum if maximum is None else maximum)
        if minimum != maximum and not _disjoint(ranges, following.first):
            raise _Unfit
        if maximum is None and not (self._free or following.certain):
            raise _Unfit
        count = f"{{{minimum},{'' if maximum is None else maximum}}}" + ("" if part.greedy else "?")
        return _Piece(_set(ranges) + count, ranges, not minimum, not minimum)

    def run_and_rest(self, parts: tuple[Part, ...]) -> str:
        """Return the pattern of an expression that begins with a run, or with assertions and a run: condition 4."""
        place = next(
            (place for place, part in enumerate(parts) if not isinstance(part, syntax_tree.Assertion)), len(parts)
        )
        before, following = parts[:place], parts[place + 1 :]
        if not following:
            raise _Unfit
        run, groups = parts[place], 0
        while isinstance(run, syntax_tree.Group) and groups < _MAX_DEPTH:
            run, groups = run.body, groups + 1
        if (
            not isinstance(run, syntax_tree.Repeat)
            or not isinstance(run.body, syntax_tree.Characters)
            or run.max_count is not None
        ):
            raise _Unfit
        behind, ranges = self.sequence(following, _END, 0), run.body.ranges
        if not (run.min_count and _ends_run(ranges, following[0])) and (
            behind.nullable or not _disjoint(ranges, behind.first)
        ):
            raise _Unfit
        self._spend(run.min_count + len(before))
        start = self.sequence(before, _Rest((), False), 0).text
        run_text = "(" * groups + _set(ranges) + f"{{{run.min_count},}}" + ")" * groups
        return f"{start}{run_text}(?:{behind.text}()|{'' if run.min_count else f'(?<={_set(ranges)})'})"

    def _spend(self, parts: int) -> None:
        self._left -= parts
        if self._left < 0:
            raise _Unfit


def _ends_run(ranges: Ranges, part: Part) -> bool:
    """Return whether a part cannot match between two characters of a set."""
    if not isinstance(part, syntax_tree.Assertion):
        return False
    match part.where:
        case Where.TEXT_END:
            return True
        case Where.LINE_END:
            return _disjoint(ranges, _NEWLINE)
        case Where.BOUNDARY:
            return merge_ranges([*ranges, *PERL["w"]]) == PERL["w"]
    return False


def _set(ranges: Ranges) -> str:
    if ranges[0][0] == ranges[-1][1]:
        return f"\\U{ranges[0][0]:08x}"
    return "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges) + "]"


def _disjoint(*sets: Ranges) -> bool:
    return _count(merge_ranges(pair for characters in sets for pair in characters)) == sum(map(_count, sets))


def _count(ranges: Ranges) -> int:
    return sum(high - low + 1 for low, high in ranges)


_MAX_SEARCHED_PARTS = 1000


def required_text(root: Part) -> bytes:
    """Return a text that every match contains: the longest sequence of single characters in the first 1000 parts.

    A repeated part is not joined with its neighbours.
    """
    longest = literal = b""
    for part in islice(_in_order(root), _MAX_SEARCHED_PARTS):
        literal = literal + part if part else b""
        longest = max(longest, literal, key=len)
    return longest


def _in_order(root: Part) -> Iterator[bytes]:
    """Yield the bytes of each character that every match contains, in order; b"" where a match may have other text."""
    waiting: list[Part | None] = [root]
    while waiting:
        match waiting.pop():
            case syntax_tree.Characters(((low, high),)) if low == high:
                yield chr(low).encode("utf-8", "surrogatepass")
            case syntax_tree.Group(_, body):
                waiting.append(body)
            case syntax_tree.Sequence(parts):
                waiting += reversed(parts)
            case syntax_tree.Repeat(body, min_count, max_count) if min_count:
                waiting += [*([] if max_count == min_count == 1 else [None]), body, None]
            case syntax_tree.Assertion():
                pass
            case _:
                yield b""
