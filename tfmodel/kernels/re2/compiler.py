"""Compile a parsed expression to a nondeterministic automaton over bytes, as Thompson described it.

A node leads to its successors if its condition holds:

node kind    successors   condition
bytes        one          the next byte is in its set; the node takes the byte
split        any number   none; the first successor that leads to a match is preferred
save         one          none; the node saves the position as the begin or the end of a group
assertion    one          the position fulfils the assertion
match        none         the expression has matched

Sets of characters become automata over the bytes of their UTF-8 encodings:

    encode_ranges(((0xE9, 0xE9),))     lead byte C3, then byte A9

As in RE2, a set that contains all characters from U+0080 on is encoded loosely: it also matches overlong forms of three
and four bytes, and codes over U+10FFFF whose lead byte is F4.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from . import syntax_tree
from .syntax_tree import LAST, Part, Ranges, SyntaxFault, Where, merge_ranges

MATCH = 0
_MAX_NODES = 100_000
_ANY_BYTE = frozenset(range(256))


@dataclass(slots=True)
class Program:
    """The nodes of an automaton. Each has a number; MATCH is the number of one of them.

    start         the first node
    successors    the successors of each node, in order of preference
    sets          for nodes that take a byte: the bytes that they can take
    slots         for nodes that save a position: 2 * group for the begin of a group, 2 * group + 1 for its end
    conditions    for assertions: the condition
    """

    start: int = MATCH
    successors: list[tuple[int, ...]] = field(default_factory=lambda: [()])
    sets: dict[int, frozenset[int]] = field(default_factory=dict)
    slots: dict[int, int] = field(default_factory=dict)
    conditions: dict[int, Where] = field(default_factory=dict)


class _Fragment(NamedTuple):
    """The nodes of a part: the first one, and the last one, which is a split without successors until it is connected.

    `nullable` is true if the part can match without taking a byte.
    """

    entry: int
    exit: int
    nullable: bool


def compile_program(root: Part, *, saves: bool) -> Program:
    """Compile an expression to an automaton. Without `saves`, the positions of groups are not saved.

    Raises SyntaxFault if the automaton has too many nodes.
    """
    compiler = _Compiler(saves)
    fragment = compiler.compile(root)
    program = compiler.program
    program.successors[fragment.exit] = (MATCH,)
    program.start = fragment.entry
    _skip_jumps(program)
    return program


class _Compiler:
    """Compiles without recursion: `_tasks` is a stack of pending tasks, which push their results on `_results`."""

    def __init__(self, saves: bool) -> None:
        self.program = Program()
        self._saves = saves
        self._tasks: list[tuple[str, Any]] = []
        self._results: list[_Fragment] = []

    def compile(self, root: Part) -> _Fragment:
        self._tasks.append(("part", root))
        while self._tasks:
            name, argument = self._tasks.pop()
            getattr(self, f"_do_{name}")(argument)
        return self._results.pop()

    def _node(self, *successors: int) -> int:
        nodes = self.program.successors
        if len(nodes) >= _MAX_NODES:
            raise SyntaxFault(f"pattern too large: it has more than {_MAX_NODES:,} states")
        nodes.append(successors)
        return len(nodes) - 1

    def _schedule(self, *tasks: tuple[str, Any]) -> None:
        """Push tasks on the stack, so that they are done next, in this order."""
        self._tasks += reversed(tasks)

    def _do_part(self, part: Part) -> None:
        match part:
            case syntax_tree.Characters(ranges):
                self._results.append(self._characters(ranges))
            case syntax_tree.AnyByte():
                leave = self._node()
                take = self._node(leave)
                self.program.sets[take] = _ANY_BYTE
                self._results.append(_Fragment(take, leave, False))
            case syntax_tree.Assertion(where):
                leave = self._node()
                check = self._node(leave)
                self.program.conditions[check] = where
                self._results.append(_Fragment(check, leave, True))
            case syntax_tree.Group(number, body):
                self._schedule(("part", body), *([("save", number)] if self._saves else []))
            case syntax_tree.Sequence(parts):
                self._schedule(*(("part", element) for element in parts), ("join", len(parts)))
            case syntax_tree.Choice(parts):
                self._schedule(*(("part", element) for element in parts), ("choose", len(parts)))
            case syntax_tree.Repeat():
                self._repeat(part)

    def _repeat(self, part: syntax_tree.Repeat) -> None:
        """Schedule copies of the repeated part: x{2,} becomes xx+, and x{1,3} becomes x(x(x)?)?."""
        minimum, maximum, greedy = part.min_count, part.max_count, part.greedy
        if maximum is None:
            copies, last = max(minimum, 1), ("plus" if minimum else "star", greedy)
            self._schedule(*[("part", part.body)] * copies, last, ("join", copies))
            return
        tasks: list[tuple[str, Any]] = [("part", part.body)] * maximum
        if maximum > minimum:
            tasks += [("maybe", greedy), *[("join", 2), ("maybe", greedy)] * (maximum - minimum - 1)]
        self._schedule(*tasks, ("join", minimum + (maximum > minimum)))

    def _characters(self, ranges: Any) -> _Fragment:
        steps, first = encode_ranges(ranges)
        leave = self._node()
        numbers = [self._node() for _ in steps]
        for number, step in zip(numbers, steps, strict=True):
            behind = [numbers[step_number] for step_number in step.next] or [leave]
            self.program.successors[number] = (behind[0] if len(behind) == 1 else self._node(*behind),)
            self.program.sets[number] = step.bytes
        entry = numbers[first[0]] if len(first) == 1 else self._node(*(numbers[step_number] for step_number in first))
        return _Fragment(entry, leave, False)

    def _do_save(self, group: int) -> None:
        body = self._results.pop()
        leave = self._node()
        begin, end = self._node(body.entry), self._node(leave)
        self.program.slots |= {begin: 2 * group, end: 2 * group + 1}
        self.program.successors[body.exit] = (end,)
        self._results.append(_Fragment(begin, leave, body.nullable))

    def _do_join(self, count: int) -> None:
        parts = self._take(count)
        if not parts:
            leave = self._node()
            self._results.append(_Fragment(leave, leave, True))
            return
        for before, behind in pairwise(parts):
            self.program.successors[before.exit] = (behind.entry,)
        self._results.append(_Fragment(parts[0].entry, parts[-1].exit, all(part.nullable for part in parts)))

    def _do_choose(self, count: int) -> None:
        parts = self._take(count)
        leave = self._node()
        for part in parts:
            self.program.successors[part.exit] = (leave,)
        entry = self._node(*(part.entry for part in parts))
        self._results.append(_Fragment(entry, leave, any(part.nullable for part in parts)))

    def _do_maybe(self, greedy: bool) -> None:
        body = self._results.pop()
        leave = self._node()
        self.program.successors[body.exit] = (leave,)
        entry = self._node(*self._in_order(body.entry, leave, greedy))
        self._results.append(_Fragment(entry, leave, True))

    def _do_plus(self, greedy: bool) -> None:
        body = self._results.pop()
        leave = self._node()
        self.program.successors[body.exit] = self._in_order(body.entry, leave, greedy)
        self._results.append(_Fragment(body.entry, leave, body.nullable))

    def _do_star(self, greedy: bool) -> None:
        if self._results[-1].nullable:  # one split would give the wrong preference, so compile x* as (?:x+)?
            self._do_plus(greedy)
            self._do_maybe(greedy)
            return
        body = self._results.pop()
        leave = self._node()
        self.program.successors[body.exit] = self._in_order(body.entry, leave, greedy)
        self._results.append(_Fragment(body.exit, leave, True))

    def _in_order(self, body: int, leave: int, greedy: bool) -> tuple[int, int]:
        return (body, leave) if greedy else (leave, body)

    def _take(self, count: int) -> list[_Fragment]:
        parts = self._results[len(self._results) - count :]
        del self._results[len(self._results) - count :]
        return parts


def _skip_jumps(program: Program) -> None:
    """Connect nodes directly: if a successor is a split with only one successor, replace it by its successor."""
    nodes = program.successors
    special = program.sets.keys() | program.slots.keys() | program.conditions.keys() | {MATCH}
    target: dict[int, int] = {}

    def resolve(node: int) -> int:
        path = []
        while node not in target and node not in special and len(nodes[node]) == 1:
            path.append(node)
            node = nodes[node][0]
        end = target.get(node, node)
        target.update(dict.fromkeys(path, end))
        return end

    for number, successors in enumerate(nodes):
        nodes[number] = tuple(resolve(successor) for successor in successors)
    program.start = resolve(program.start)


_CONTINUATION = range(0x80, 0xC0)
_LENGTHS = ((0x00, 0x7F, 1), (0x80, 0x7FF, 2), (0x800, 0xFFFF, 3), (0x10000, LAST, 4))
_LEADS = {2: 0xC0, 3: 0xE0, 4: 0xF0}


class ByteStep(NamedTuple):
    """A set of bytes, and the indices of the steps for the next byte. `next` is empty at the end of a character."""

    bytes: frozenset[int]
    next: tuple[int, ...]


class Encoded(NamedTuple):
    """The steps, and the indices of those that begin a character."""

    steps: tuple[ByteStep, ...]
    first: tuple[int, ...]


@lru_cache(1000)
def encode_ranges(ranges: Ranges) -> Encoded:
    """Return an automaton that matches one character in the ranges, encoded as UTF-8."""
    return _Encoder().encode(ranges)


class _Encoder:
    def __init__(self) -> None:
        self.steps: list[ByteStep] = []
        self.known: dict[tuple[int, Ranges], tuple[int, ...]] = {}

    def encode(self, ranges: Ranges) -> Encoded:
        first: list[int] = []
        if ranges and ranges[-1][1] == LAST and ranges[-1][0] <= 0x80:
            first += self._add_loose()
            ranges = merge_ranges([*ranges[:-1], *([(ranges[-1][0], 0x7F)] if ranges[-1][0] < 0x80 else [])])
        for low, high, length in _LENGTHS:
            part = tuple((max(low, begin), min(high, end)) for begin, end in ranges if begin <= high and end >= low)
            if part and length == 1:
                first.append(self._step(frozenset(code for begin, end in part for code in range(begin, end + 1))))
            elif part:
                first += self._add_tails(length, part, _LEADS[length])
        return Encoded(tuple(self.steps), tuple(first))

    def _add_loose(self) -> list[int]:
        """Add the loose encodings of all characters from U+0080 on; return the steps that begin them."""
        behind: tuple[int, ...] = ()
        first = []
        for leads in (range(0xC2, 0xE0), range(0xE0, 0xF0), range(0xF0, 0xF5)):
            behind = (self._step(frozenset(_CONTINUATION), behind),)
            first.append(self._step(frozenset(leads), behind))
        return first

    def _add_tails(self, length: int, ranges: Ranges, lead: int) -> tuple[int, ...]:
        """Add steps for the last `length` bytes of the encodings of characters, and return the first of them.

        `ranges` are the values of the bits in these bytes. `lead` is added to the bits in the first of the bytes.
        """
        if (length, ranges) in self.known:
            return self.known[length, ranges]
        shift = 6 * (length - 1)
        branches: dict[Ranges, set[int]] = {}
        for byte, remaining in _split_ranges(ranges, shift):
            branches.setdefault(remaining, set()).update(lead + value for value in byte)
        first = []
        for remaining, values in branches.items():
            behind = self._add_tails(length - 1, remaining, 0x80) if length > 1 else ()
            first.append(self._step(frozenset(values), behind))
        self.known[length, ranges] = tuple(first)
        return self.known[length, ranges]

    def _step(self, values: frozenset[int], behind: tuple[int, ...] = ()) -> int:
        self.steps.append(ByteStep(values, behind))
        return len(self.steps) - 1


def _split_ranges(ranges: Ranges, shift: int) -> list[tuple[range, Ranges]]:
    """Split ranges of numbers by their upper bits. Returns pairs of upper values and the ranges of lower bits.

    The lower bits are the last `shift` bits. All upper values in one pair have the same lower ranges.
    """
    if not shift:
        return [(range(low, high + 1), ()) for low, high in ranges]
    full = (1 << shift) - 1
    lower: dict[int, list[tuple[int, int]]] = {}
    blocks: list[range] = []
    for low, high in ranges:
        top, last = low >> shift, high >> shift
        if low & full or top == last:
            lower.setdefault(top, []).append((low & full, high & full if top == last else full))
            top += 1
        if top <= last and (high & full) != full:
            lower.setdefault(last, []).append((0, high & full))
            last -= 1
        if top <= last:
            blocks.append(range(top, last + 1))
    parts = [(values, ((0, full),)) for values in blocks]
    return parts + [(range(top, top + 1), merge_ranges(pairs)) for top, pairs in lower.items()]
