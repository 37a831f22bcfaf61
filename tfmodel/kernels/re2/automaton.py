"""Matching in time linear in the text for every expression: a backward pass, then a forward pass.

The backward pass finds, for each position of the text, the nodes of the program from which the remaining text can lead
to a match. It is a deterministic automaton whose states are built on first use. The forward pass never backtracks: at
each choice it takes the first alternative that is known to lead to a match, so it finds the match that a backtracking
matcher would find first. (A. Frisch, L. Cardelli: Greedy regular expression matching, 2004.)

One backward pass serves all matches of a text, so replacing all of them is linear too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import accumulate
from operator import attrgetter, getitem
from typing import TypeAlias

from .compiler import MATCH, Program
from .syntax_tree import Where

MAX_POSITIONS = 1 << 15
"""The maximum number of positions of a text whose states are in memory at one time."""

MIN_CHUNK = 256
MAX_CELLS = 200_000  # the limit of numbers in all states of an automaton; beyond it they are dropped
_STATE_CELLS, _STEP_CELLS = 50, 15

# Kinds of context before or after a position: the edge of the text, or a kind of byte.
_OTHER, _WORD, _NEWLINE, _EDGE = range(4)
_KINDS = bytes(
    _WORD if (chr(byte).isalnum() and byte < 128) or byte == ord("_") else _NEWLINE if byte == 10 else _OTHER
    for byte in range(256)
)

_START = -1  # stands for the node before the first one
_Step: TypeAlias = tuple[int, tuple[int, ...]]


class TooMuchWork(Exception):
    """The limit of `Work` is reached."""


class Work:
    """The number of nodes that may still be visited to build states."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, visits: int) -> None:
        """Subtract a number of visits. Raises TooMuchWork if fewer are left."""
        self.left -= visits
        if self.left < 0:
            raise TooMuchWork


class _State(dict[int, "_State"]):
    """The state at a position of the text: the nodes from which the remaining text can lead to a match.

    A state is also a mapping: it maps each byte that may be before the position to the state before that byte.

    alive      the nodes, as a bit for each of the automaton's `leaves`
    kind       the kind of context after the position
    starts     1 if a match may begin at the position, else 0. If the automaton distinguishes kinds of context: bytes
               with this number for each kind of context before the position
    feeders    for each kind of context before the position: the nodes that lead to a match after they take the byte
               before the position. Empty if it must be computed again
    after      steps of the forward pass that begin at the position. A key combines the node that took the byte before
               the position and the kind of context before it. A value is the node that takes the next byte, and the
               slots saved on the way
    """

    __slots__ = ("after", "alive", "automaton", "feeders", "kind", "starts")

    def __init__(self, automaton: Automaton, alive: bytes, kind: int) -> None:
        self.automaton, self.alive, self.kind = automaton, alive, kind
        self.after: dict[int, _Step] = {}
        self.feeders: list[list[int]] = []
        self.starts: bytes | int = 0
        self.expand()

    def expand(self) -> None:
        """Compute `feeders` and `starts`."""
        feeders, starts = [], []
        for kind in self.automaton.kinds:
            nodes = self.automaton.nodes_leading_to(self, kind)
            feeders.append([taker for node in nodes for taker in self.automaton.takers.get(node, ())])
            starts.append(self.automaton.program.start in nodes)
        self.feeders, self.starts = feeders, bytes(starts) if len(starts) > 1 else int(starts[0])

    def __missing__(self, byte: int) -> _State:
        state = self.automaton.before(self, byte)
        self[byte] = state
        return state


class Automaton:
    """The states of a program. With `whole_text`, a match must end at the end of the text."""

    def __init__(self, program: Program, *, whole_text: bool) -> None:
        self.program, self.whole = program, whole_text
        self.work = Work(0)
        conditions = {*program.conditions.values()}
        lines = not conditions.isdisjoint((Where.LINE_BEGIN, Where.LINE_END))
        words = not conditions.isdisjoint((Where.BOUNDARY, Where.NO_BOUNDARY))
        distinguished = {_OTHER, *([_WORD] if words else []), *([_NEWLINE] if lines else [])}
        self.kind_of = bytes(kind if kind in distinguished else _OTHER for kind in _KINDS)
        self.edge = _EDGE if conditions else _OTHER
        self.kinds = range(_EDGE + 1) if conditions else range(1)
        self.leaves = [MATCH, *sorted(program.sets)]
        self._bit = {node: number for number, node in enumerate(self.leaves)}
        self._size = (len(self.leaves) + 7) // 8
        self.takers: dict[int, list[int]] = {}
        self._before: list[list[int]] = [[] for _ in program.successors]
        for node, successors in enumerate(program.successors):
            for successor in successors:
                if node in program.sets:
                    self.takers.setdefault(successor, []).append(node)
                else:
                    self._before[successor].append(node)
        self._states: dict[tuple[bytes, int], _State] = {}
        self._cells = 0
        self.chunk = max(MIN_CHUNK, min(MAX_POSITIONS, (1 << 25) // self._size))

    @property
    def end(self) -> _State:
        """The state after the last byte of a text."""
        return self._state([MATCH], self.edge)

    def before(self, state: _State, byte: int) -> _State:
        """Return the state at the position before a byte. `state` is the state after the byte."""
        if not state.feeders:
            state.expand()
        kind = self.kind_of[byte]
        sets, feeders = self.program.sets, state.feeders[kind]
        self.work.spend(len(feeders))
        alive = [node for node in feeders if byte in sets[node]]
        if not self.whole:
            alive.append(MATCH)
        self._cells += _STEP_CELLS
        return self._state(alive, kind)

    def _state(self, alive: list[int], kind: int) -> _State:
        bits = bytearray(self._size)
        for node in alive:
            number = self._bit[node]
            bits[number >> 3] |= 1 << (number & 7)
        key = bytes(bits), kind
        state = self._states.get(key)
        if state is None:
            if self._cells > MAX_CELLS:
                self._forget()
            state = self._states[key] = _State(self, *key)
            self._cells += _STATE_CELLS + self._size // 8 + sum(map(len, state.feeders))
        return state

    def _forget(self) -> None:
        """Drop all states. States that a `Trace` still uses remain valid, but no longer refer to each other."""
        for state in self._states.values():
            state.clear()
            state.after.clear()
            state.feeders = []
        self._states = {}
        self._cells = 0

    def nodes_leading_to(self, state: _State, kind: int) -> set[int]:
        """Return the nodes from which a live node of the state can be reached without taking a byte.

        `kind` is the kind of context before the position, which decides whether conditions hold.
        """
        nodes = self._alive(state)
        waiting = [*nodes]
        conditions = self.program.conditions
        while waiting:
            for node in self._before[waiting.pop()]:
                if node not in nodes and (node not in conditions or _is_fulfilled(conditions[node], kind, state.kind)):
                    nodes.add(node)
                    waiting.append(node)
        self.work.spend(len(nodes))
        return nodes

    def _alive(self, state: _State) -> set[int]:
        digits = bin(int.from_bytes(state.alive, "little"))[:1:-1]
        return {node for node, digit in zip(self.leaves, digits, strict=False) if digit == "1"}

    def step(self, state: _State, node: int, kind: int) -> _Step:
        """Return the preferred live node of the state that follows `node`, and the slots saved on the way.

        `node` took the byte before the position; it is _START at the beginning of a match. `kind` is the kind of
        context before the position.
        """
        origin = self.program.start if node == _START else self.program.successors[node][0]
        step = state.after[node << 2 | kind] = self._step(state, origin, kind)
        self._cells += _STEP_CELLS + len(step[1])
        if self._cells > MAX_CELLS:
            self._forget()
        return step

    def _step(self, state: _State, origin: int, kind: int) -> _Step:
        alive = self._alive(state)
        program, seen = self.program, set[int]()
        waiting: list[tuple[int, _Saved]] = [(origin, None)]
        while waiting:
            node, saved = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if node in program.sets or node == MATCH:
                if node in alive:
                    self.work.spend(len(seen))
                    return node, _slots(saved)
                continue
            if node in program.conditions and not _is_fulfilled(program.conditions[node], kind, state.kind):
                continue
            if node in program.slots:
                saved = program.slots[node], saved
            waiting += [(successor, saved) for successor in reversed(program.successors[node])]
        raise AssertionError("the backward pass said that there is a match")


_Saved: TypeAlias = "tuple[int, _Saved] | None"


def _slots(saved: _Saved) -> tuple[int, ...]:
    slots = []
    while saved:
        slots.append(saved[0])
        saved = saved[1]
    return tuple(slots)


def _is_fulfilled(where: Where, before: int, behind: int) -> bool:
    """Return whether a condition holds at a position, given the kinds of context before and after it."""
    match where:
        case Where.TEXT_BEGIN:
            return before == _EDGE
        case Where.TEXT_END:
            return behind == _EDGE
        case Where.LINE_BEGIN:
            return before >= _NEWLINE
        case Where.LINE_END:
            return behind >= _NEWLINE
        case Where.BOUNDARY:
            return (before == _WORD) != (behind == _WORD)
        case Where.NO_BOUNDARY:
            return (before == _WORD) == (behind == _WORD)


class Trace:
    """The states of all positions of a text, one chunk at a time: from `_begin` to `_end`, both inclusive.

    `_kinds` holds the kind of context before each of these positions, `_starts` a 1 where a match may begin. For texts
    longer than a chunk the backward pass runs twice; the first run computes the states at the ends of chunks.
    """

    def __init__(self, automaton: Automaton, data: bytes, work: Work) -> None:
        self._automaton, self._data = automaton, data
        automaton.work = work
        chunk, state = automaton.chunk, automaton.end
        self._ends = [(len(data), state)]
        for begin in range((len(data) - 1) // chunk * chunk, 0, -chunk):
            state = deque(accumulate(data[begin : begin + chunk][::-1], getitem, initial=state), 1)[0]
            self._ends.append((begin, state))
        self._end = 0
        self._states: list[_State] = []
        self._starts = self._kinds = b""
        self._load()

    def _load(self) -> None:
        """Load the next chunk."""
        self._begin = self._end
        self._end, state = self._ends.pop()
        automaton, data = self._automaton, self._data[self._begin : self._end]
        self._states = [*accumulate(data[::-1], getitem, initial=state)]
        self._states.reverse()
        before = automaton.kind_of[self._data[self._begin - 1]] if self._begin else automaton.edge
        self._kinds = bytes([before]) + data.translate(automaton.kind_of)
        starts = map(attrgetter("starts"), self._states)
        self._starts = bytes(starts if len(automaton.kinds) == 1 else map(getitem, starts, self._kinds))

    def matches(self) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
        """Yield the start and the end of each match, and the pairs of slot and position that it saves, in order.

        An empty match directly after another match does not count.
        """
        position, last = 0, -1
        while True:
            index = self._starts.find(1, position - self._begin)
            if index < 0:
                if not self._ends:
                    return
                self._load()
                position = max(position, self._begin)
                continue
            start = self._begin + index
            end, saved = self._match(index)
            if start == end == last:
                position = start + _character_length(self._data, start)
            else:
                yield start, end, saved
                position = last = end

    def _match(self, index: int) -> tuple[int, list[tuple[int, int]]]:
        """Return the end of the match that begins at an index of the chunk, and the slots it saves."""
        states, kinds, saved = self._states, self._kinds, list[tuple[int, int]]()
        node = _START
        while True:
            state = states[index]
            try:
                node, slots = state.after[node << 2 | kinds[index]]
            except KeyError:
                node, slots = self._automaton.step(state, node, kinds[index])
            if slots:
                saved += [(slot, self._begin + index) for slot in slots]
            if node == MATCH:
                return self._begin + index, saved
            index += 1
            if index == len(states):
                self._load()
                states, kinds, index = self._states, self._kinds, 1


def _character_length(data: bytes, position: int) -> int:
    """Return the number of bytes of the character at a position; 1 if the bytes are not a valid character."""
    lead = data[position : position + 1]
    if lead < b"\xc2":
        return 1
    length = 2 if lead < b"\xe0" else 3 if lead < b"\xf0" else 4
    try:
        return length if len(data[position : position + length].decode("utf-8", "surrogatepass")) == 1 else 1
    except UnicodeDecodeError:
        return 1
