r"""Parse the syntax of RE2, as TensorFlow configures it: UTF-8, Perl classes, Unicode classes.

    parse(rb"(\w+)@(\w+)")     Parsed(root=Sequence(...), groups=2)

The syntax is described at https://github.com/google/re2/wiki/Syntax. It has no look-around and no back references.
Expressions may nest to any depth: the parser keeps its own stack.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from . import syntax_tree
from .syntax_tree import (
    LAST,
    PERL,
    POSIX,
    Part,
    Ranges,
    SyntaxFault,
    Where,
    fold_case,
    merge_ranges,
    negate_ranges,
    unicode_group,
)

_FOLD, _LINES, _DOT_ALL, _LAZY = 1, 2, 4, 8
_FLAGS = {"i": _FOLD, "m": _LINES, "s": _DOT_ALL, "U": _LAZY}
_MAX_REPEATS = 1000  # RE2's limit, also for the product of nested counts
_NEWLINE = ((10, 10),)
_REPEAT = re.compile(r"[*+?]|\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}")
_MAX_COUNT_DIGITS = 9  # RE2 treats longer counts as literal text
_PERL_GROUP = re.compile(r"\(\?([imsU]*)(?:(-)([imsU]+))?([:)])")
_NAMED_GROUP = re.compile(r"\(\?P<([^>]*)>")
_POSIX_CLASS = re.compile(r"\[:(\^?)(.*?):\]", re.DOTALL)
_UNICODE_GROUP = re.compile(r"\\([pP])(?:\{(\^?)([^}]*)\}|([^{]))", re.DOTALL)
_CODE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]+)\}|(0[0-7]{0,2}|[1-7][0-7]{1,2}))")
_LETTERS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_CONDITIONS = {"A": Where.TEXT_BEGIN, "z": Where.TEXT_END, "b": Where.BOUNDARY, "B": Where.NO_BOUNDARY}
_MAX_QUOTED = 20  # characters of an expression in an error


class Parsed(NamedTuple):
    """A parsed expression, and the number of its groups."""

    root: Part
    groups: int


def parse(pattern: bytes) -> Parsed:
    """Parse an expression. If it is invalid, raise SyntaxFault with the reason that RE2 would give."""
    try:
        return _Parser(pattern.decode("utf-8", "surrogatepass")).parse()
    except UnicodeDecodeError as error:
        raise SyntaxFault("invalid UTF-8") from error


@dataclass(slots=True)
class _Open:
    """A group, or the whole expression, whose end has not been read yet."""

    number: int | None
    flags_outside: int
    branches: list[list[Part]] = field(default_factory=lambda: [[]])
    counts: list[int] = field(default_factory=list)
    """The largest product of nested repeat counts in each part of the last branch."""
    most_counts: int = 1
    """The largest such product in the earlier branches."""

    def add(self, part: Part, count: int = 1) -> None:
        self.branches[-1].append(part)
        self.counts.append(count)

    def end_branch(self) -> None:
        self.most_counts = max(self.most_counts, *self.counts, 1)
        self.counts = []

    @property
    def body(self) -> Part:
        parts = _unite(
            [branch[0] if len(branch) == 1 else syntax_tree.Sequence(tuple(branch)) for branch in self.branches]
        )
        return parts[0] if len(parts) == 1 else syntax_tree.Choice(tuple(parts))


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.position, self.flags = text, 0, 0
        self.groups = 0
        self.open = [_Open(None, 0)]
        self.repeated = False  # whether a repetition has just been read

    def parse(self) -> Parsed:
        while self.position < len(self.text):
            repeated, self.repeated = self.repeated, False
            self._token(repeated)
        if len(self.open) > 1:
            raise SyntaxFault("missing )")
        return Parsed(self.open[0].body, self.groups)

    def _token(self, repeated: bool) -> None:
        mark, group = self.text[self.position], self.open[-1]
        repeat = _REPEAT.match(self.text, self.position) if mark in "*+?{" else None
        if repeat and all(len(count or "") <= _MAX_COUNT_DIGITS for count in repeat.groups()):
            self._repeat(repeat, repeated)
            return
        if mark == "\\":
            self._escape()
            return
        if mark == "[":
            group.add(syntax_tree.Characters(self._class()))
            return
        if mark == "(":
            self._open_group()
            return
        self.position += 1
        if mark == ")":
            self._close_group()
        elif mark == "|":
            group.end_branch()
            group.branches.append([])
        elif mark == "^":
            group.add(syntax_tree.Assertion(Where.LINE_BEGIN if self.flags & _LINES else Where.TEXT_BEGIN))
        elif mark == "$":
            group.add(syntax_tree.Assertion(Where.LINE_END if self.flags & _LINES else Where.TEXT_END))
        elif mark == ".":
            group.add(syntax_tree.Characters(((0, LAST),) if self.flags & _DOT_ALL else negate_ranges(_NEWLINE)))
        else:
            self._literal(ord(mark))

    def _literal(self, code: int) -> None:
        self.open[-1].add(syntax_tree.Characters(self._fold_case(((code, code),))))

    def _fold_case(self, ranges: Ranges) -> Ranges:
        return fold_case(ranges) if self.flags & _FOLD else ranges

    # --- groups and repetitions --------------------------------------------------------------------------------------

    def _open_group(self) -> None:
        outside = self.flags
        if not self.text.startswith("(?", self.position):
            self.position += 1
            self.groups += 1
            self.open.append(_Open(self.groups, outside))
        elif self.text.startswith("(?P", self.position):
            self._open_named()
        else:
            match = _PERL_GROUP.match(self.text, self.position)
            if not match:
                raise SyntaxFault(f"invalid perl operator: {self._next_text()}")
            for letter in match[1]:
                self.flags |= _FLAGS[letter]
            for letter in match[3] or "":
                self.flags &= ~_FLAGS[letter]
            self.position = match.end()
            if match[4] == ":":
                self.open.append(_Open(None, outside))

    def _open_named(self) -> None:
        match = _NAMED_GROUP.match(self.text, self.position)
        name = match[1] if match else ""
        if not match or not name or not all(character == "_" or _is_name(character) for character in name):
            raise SyntaxFault(f"invalid named capture group: {self._next_text()}")
        self.groups += 1
        self.position = match.end()
        self.open.append(_Open(self.groups, self.flags))

    def _close_group(self) -> None:
        if len(self.open) == 1:
            raise SyntaxFault("unexpected )")
        group = self.open.pop()
        group.end_branch()
        self.flags = group.flags_outside
        body = group.body if group.number is None else syntax_tree.Group(group.number, group.body)
        self.open[-1].add(body, group.most_counts)

    def _repeat(self, match: re.Match[str], repeated: bool) -> None:
        self.position = match.end()
        lazy = self.text.startswith("?", self.position)
        self.position += lazy
        text, group = self.text[match.start() : self.position][:_MAX_QUOTED], self.open[-1]
        if repeated:
            raise SyntaxFault(f"bad repetition operator: {text} behind another one")
        minimum, maximum = _counts(match)
        if max(minimum, maximum or 0) > _MAX_REPEATS or (maximum is not None and maximum < minimum):
            raise SyntaxFault(f"invalid repetition size: {text}")
        if not group.branches[-1]:
            raise SyntaxFault(f"no argument for repetition operator: {text}")
        count = group.counts.pop()
        if match[1]:
            count *= max(minimum if maximum is None else maximum, 1)
            if max(minimum, maximum or 0) > 1 and count > _MAX_REPEATS:
                raise SyntaxFault(f"invalid repetition size: {text}, of a part that is repeated itself")
        greedy = lazy == bool(self.flags & _LAZY)
        group.add(syntax_tree.Repeat(group.branches[-1].pop(), minimum, maximum, greedy), count)
        self.repeated = True

    # --- escapes and classes -----------------------------------------------------------------------------------------

    def _escape(self) -> None:
        name, group = self.text[self.position + 1 : self.position + 2], self.open[-1]
        if name == "Q":
            literal, _, _ = self.text[self.position + 2 :].partition("\\E")
            self.position += 2 + len(literal) + 2
            for character in literal:
                self._literal(ord(character))
        elif name == "C":
            self.position += 2
            group.add(syntax_tree.AnyByte())
        elif name in _CONDITIONS and name:
            self.position += 2
            group.add(syntax_tree.Assertion(_CONDITIONS[name]))
        elif (ranges := self._named_class()) is not None:
            group.add(syntax_tree.Characters(ranges))
        else:
            self._literal(self._character())

    def _named_class(self) -> Ranges | None:
        r"""Read a class such as \d or \pL; return None if the next characters are not a class."""
        name = self.text[self.position + 1 : self.position + 2]
        if name and name.lower() in PERL:
            self.position += 2
            ranges = self._fold_case(PERL[name.lower()])
            return ranges if name.islower() else negate_ranges(ranges)
        if name not in ("p", "P"):
            return None
        match = _UNICODE_GROUP.match(self.text, self.position)
        group = match and unicode_group(match[4] or match[3])
        if not match or group is None:
            raise SyntaxFault(f"invalid character class range: {self._next_text()}")
        self.position = match.end()
        ranges = self._fold_case(group)
        return ranges if (name == "p") != bool(match[2]) else negate_ranges(ranges)

    def _character(self) -> int:
        """Read a character or an escape, and return its code point."""
        if self.text[self.position] != "\\":
            self.position += 1
            return ord(self.text[self.position - 1])
        name = self.text[self.position + 1 : self.position + 2]
        if match := _CODE.match(self.text, self.position):
            code = int(match[3], 8) if match[3] else int(match[1] or match[2][-9:], 16)
            if code <= LAST and not (match[2] and match[2][:-9].strip("0")):
                self.position = match.end()
                return code
        elif name in _LETTERS:
            self.position += 2
            return _LETTERS[name]
        elif name == "_" or (name.isascii() and name and not name.isalnum()):
            self.position += 2
            return ord(name)
        raise SyntaxFault(
            f"invalid escape sequence: {self._next_text()}" if name else "trailing \\ at end of expression"
        )

    def _class(self) -> Ranges:
        """Read a class, from [ to ], and return its characters."""
        start = self.position
        self.position += 1
        negative = self.text.startswith("^", self.position)
        self.position += negative
        first, pairs = self.position, list[tuple[int, int]]()
        while self.position == first or not self.text.startswith("]", self.position):
            if self.position >= len(self.text):
                self.position = start
                raise SyntaxFault(f"missing ]: {self._next_text()}")
            pairs += self._class_item()
        self.position += 1
        return negate_ranges(merge_ranges(pairs)) if negative else merge_ranges(pairs)

    def _class_item(self) -> Ranges:
        if match := _POSIX_CLASS.match(self.text, self.position):
            if match[2] not in POSIX:
                raise SyntaxFault(f"invalid character class range: {match[0][:_MAX_QUOTED]}")
            self.position = match.end()
            ranges = self._fold_case(POSIX[match[2]])
            return negate_ranges(ranges) if match[1] else ranges
        if self.text[self.position] == "\\" and (named_ranges := self._named_class()) is not None:
            return named_ranges
        start = self.position
        low = high = self._character()
        text = self.text[self.position : self.position + 2]
        if len(text) == 2 and text[0] == "-" and text[1] != "]":
            self.position += 1
            high = self._character()
            if high < low:
                raise SyntaxFault(f"invalid character class range: {self.text[start : self.position]}")
        return self._fold_case(((low, high),))

    def _next_text(self) -> str:
        return self.text[self.position : self.position + _MAX_QUOTED]


def _unite(alternatives: list[Part]) -> list[Part]:
    """Merge neighbouring alternatives that match one character each into one set, as RE2 does."""
    united: list[Part] = []
    for is_set, run in groupby(alternatives, lambda part: isinstance(part, syntax_tree.Characters)):
        if is_set:
            ranges = [pair for part in run if isinstance(part, syntax_tree.Characters) for pair in part.ranges]
            united.append(syntax_tree.Characters(merge_ranges(ranges)))
        else:
            united += run
    return united


def _counts(match: re.Match[str]) -> tuple[int, int | None]:
    """Return the minimum and maximum count of a repetition; None if it has no maximum."""
    if not match[1]:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[match[0]]
    if not match[2]:
        return int(match[1]), int(match[1])
    return int(match[1]), int(match[3]) if match[3] else None


def _is_name(character: str) -> bool:
    """Return whether a character is allowed in the name of a group."""
    return unicodedata.category(character) in {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Nd", "Pc"}
