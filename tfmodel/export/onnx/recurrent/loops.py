"""Take recurrent cells out of Loops.

    Loop(M, h0, c0; x[t] -> cell -> h[t])   ->   LSTM(x[:M], W, R, B, h0, c0), Loop(M; h[t])

A cell is taken if each round gives it the next row of a sequence, and if the rest of the loop needs nothing of it but
its outputs, or its states after the last round. With lengths, the states of a row stay as they are once the row has
ended, and its outputs are zero, which is how the operators treat lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from ....messages import DataType
from ..conversion.model import Initializers, OnnxGraph, OnnxNode, Value
from ..conversion.scope import INT32, INT64
from ..conversion.sizes import Sizes, same_number
from ..passes.uses import replace_values
from .affine import Step, operand, source
from .cells import Cell, find_cell

BOOL, FLOAT = DataType.DT_BOOL, DataType.DT_FLOAT


def take_cells(graph: OnnxGraph, initializers: Initializers) -> None:
    """Replace the recurrent cells in the Loops of a graph, and of the graphs inside of its nodes."""
    known = Sizes()
    known.follow(graph.walk())
    for each in list(graph.walk()):
        for node in list(each.nodes):
            if node.op == "Loop":
                while _take_one(known, each, node, initializers):
                    pass


@dataclass
class _State:
    """A variable of a loop: its number, its value in a round, and the value that the round computes.

    ended    for rows of different lengths: the condition that a row has ended, and keeps its state
    """

    number: int
    value: Value
    new: Value
    ended: Value | None = None


def _take_one(known: Sizes, outer: OnnxGraph, loop: OnnxNode, initializers: Initializers) -> bool:
    """Take one cell out of a loop, if there is one, and return whether there was."""
    body: Any = loop.attributes["body"]
    if loop.inputs[0] is None or loop.inputs[1] is not None or body.outputs[0] is not body.inputs[1]:
        return False  # the number of rounds is not known before
    step = Step(body)
    pairs = zip(body.inputs[2:], body.outputs[1:], strict=False)  # the other outputs are stacked
    states = [_state(step, number, *pair) for number, pair in enumerate(pairs)]
    for chosen in (*permutations(states, 2), *((state,) for state in states)):
        if any(state.value.dtype != FLOAT or state.ended is not chosen[0].ended for state in chosen):
            continue
        cell = find_cell(step, [state.value for state in chosen], [state.new for state in chosen])
        if cell is not None:
            taking = _Taking(known, outer, loop, body, step, initializers, cell, list(chosen), states)
            if taking.take():
                return True
    return False


def _state(step: Step, number: int, value: Value, result: Value) -> _State:
    new = source(result)
    where = step.node(new, "Where")
    if where is not None and source(operand(where, 1)) is value:
        return _State(number, value, source(operand(where, 2)), source(operand(where, 0)))
    return _State(number, value, new)


@dataclass
class _Taking:
    """A cell on its way out of a loop."""

    known: Sizes
    outer: OnnxGraph
    loop: OnnxNode
    body: OnnxGraph
    step: Step
    initializers: Initializers
    cell: Cell
    chosen: list[_State]
    states: list[_State]

    def take(self) -> bool:
        """Replace the cell, unless the loop needs more of it than an operator gives."""
        sequence, lengths = self._sequence(), self._lengths()
        if sequence is None or (self.chosen[0].ended is not None and lengths is None):
            return False
        shown = self._shown()
        last = [] if lengths is not None else [state for state in self.states if self._is_last(state)]
        gone = [*self.chosen, *last]
        kept = [value for number, value in enumerate(self.body.outputs) if number - 1 not in {s.number for s in gone}]
        if self._reaches(kept, shown, {state.value for state in gone}):
            return False
        self._replace(sequence, lengths, shown, last)
        return True

    # --- conditions --------------------------------------------------------------------------------------------------

    def _sequence(self) -> Value | None:
        """Return the sequence whose next row a round takes."""
        node = self.step.node(self.cell.x, "Gather")
        if node is None or node.attributes.get("axis", 0) != 0 or operand(node, 1) is not self.body.inputs[0]:
            return None
        sequence = operand(node, 0)
        ranks = {sequence.rank} - {None}, {state.value.rank for state in self.chosen} - {None}
        is_of_rows = any(ranks) and ranks[0] <= {3} and ranks[1] <= {2}
        return sequence if self._is_outside(sequence) and is_of_rows and sequence.dtype == FLOAT else None

    def _is_outside(self, value: Value) -> bool:
        return value not in self.step.own and value not in self.body.inputs

    def _lengths(self) -> Value | None:
        """Return the lengths, if rows have ended where the number of the round is not less."""
        ended = self.chosen[0].ended
        node = None if ended is None else self.step.node(ended, "Unsqueeze")
        test = None if node is None else self.step.node(operand(node, 0), "GreaterOrEqual")
        if node is None or test is None or not _is_constant(operand(node, 1), [1], [-1]):
            return None
        count, lengths = operand(test, 0), operand(test, 1)
        cast = self.step.node(count, "Cast")
        is_round = (operand(cast, 0) if cast is not None else count) is self.body.inputs[0]
        is_vector = self._is_outside(lengths) and lengths.rank == 1 and lengths.dtype in (INT32, INT64)
        return lengths if is_round and is_vector else None

    def _shown(self) -> set[Value]:
        """Return the values of a round that are the output of the cell."""
        ended, new = self.chosen[0].ended, self.cell.new[0]
        if ended is None:
            return {new}
        return {
            node.outputs[0]
            for node in self.body.nodes
            if node.op == "Where"
            and [source(operand(node, index)) for index in (0, 2)] == [ended, new]
            and _is_zero(operand(node, 1))
        }

    def _is_last(self, state: _State) -> bool:
        """Return whether a variable holds the last output alone: a list of one place, which nothing reads."""
        node = self.step.node(state.new, "Unsqueeze")
        if node is None or state.value in self._inputs() or not _is_constant(operand(node, 1), [0]):
            return False
        return source(operand(node, 0)) is self.cell.new[0]

    def _inputs(self) -> set[Value | None]:
        return {value for graph in self.body.walk() for node in graph.nodes for value in node.inputs}

    def _reaches(self, values: list[Value], stops: set[Value], forbidden: set[Value]) -> bool:
        """Return whether values depend on forbidden ones, other than through `stops`."""
        pending, seen = list(values), set()
        while pending:
            value = pending.pop()
            if value in forbidden:
                return True
            if value in seen or value in stops or value not in self.step.own:
                continue
            seen.add(value)
            node = value.producer
            assert node is not None
            pending += [each for each in node.inputs if each is not None]
            pending += [each for graph in node.graphs for part in graph.walk() for each in _taken(part)]
        return False

    # --- replacement -------------------------------------------------------------------------------------------------

    def _replace(self, sequence: Value, lengths: Value | None, shown: set[Value], last: list[_State]) -> None:
        loop, body, cell = self.loop, self.body, self.cell
        before = len(self.outer.nodes)
        rounds = operand(loop, 0)
        if same_number(self.known.number(rounds), (self.known.shape(sequence) or (None,))[0]):
            rounds = self._add("Gather", self._add("Shape", sequence, dtype=INT64), self._int64([0]))
        else:
            rounds = rounds if rounds.rank == 1 else self._add("Unsqueeze", rounds, self._int64([0]))
            sequence = self._add("Slice", sequence, self._int64([0]), rounds, self._int64([0]))
        if lengths is not None:
            lengths = self._clipped(lengths, rounds)
        outputs, *ends = self._cell(sequence, lengths)
        rows = self._add("Squeeze", outputs, self._int64([1]))
        rows.shape = (None, *(cell.new[0].shape or (None, cell.hidden)))
        none = self._without_steps(lengths, rounds)
        results = {state.number: self._end(state, end, none) for state, end in zip(self.chosen, ends, strict=True)}
        results.update((state.number, ends[0]) for state in last)
        (row,) = body.add("Gather", [rows, body.inputs[0]], types=[FLOAT], attributes={"axis": 0}, scope=loop.scope)
        row.shape = cell.new[0].shape
        body.nodes.insert(0, body.nodes.pop())
        replace_values(body, dict.fromkeys(shown, row))
        kept = [number for number in range(len(body.outputs) - 1) if number not in results]
        scans = [number for number in kept if number >= len(self.states) and source(body.outputs[1 + number]) is row]
        for number, old in enumerate(loop.outputs):
            if number in results or number in scans:
                self._let(old, results.get(number, rows))
        kept = [number for number in kept if number not in scans]
        body.outputs = [body.outputs[0], *(body.outputs[1 + number] for number in kept)]
        inner = [number for number in kept if number < len(self.states)]
        body.inputs = [*body.inputs[:2], *(body.inputs[2 + number] for number in inner)]
        loop.inputs = [*loop.inputs[:2], *(loop.inputs[2 + number] for number in inner)]
        loop.outputs = [loop.outputs[number] for number in kept]
        place = self.outer.nodes.index(loop)
        added = self.outer.nodes[before:]
        for node in added:
            self.known.learn(node)
        self.outer.nodes[before:] = []
        self.outer.nodes[place:place] = added

    def _cell(self, sequence: Value, lengths: Value | None) -> list[Value]:
        """Add the operator and return its outputs: all rows, and the last states."""
        cell = self.cell
        arrays = [self._weight(array) for array in cell.arrays]
        initial = [self._initial(state) for state in self.chosen]
        inputs = [sequence, *arrays[:3], lengths, *initial, *arrays[3:]]
        while inputs[-1] is None:
            inputs.pop()
        attributes = {"hidden_size": cell.hidden, **cell.attributes}
        types = [FLOAT] * (1 + len(self.chosen))
        scope = self.loop.scope
        return self.outer.add(cell.op, inputs, types=types, attributes=attributes, scope=scope)

    def _clipped(self, lengths: Value, rounds: Value) -> Value:
        """Return lengths within the number of rounds, as the operators want them."""
        wide = lengths if lengths.dtype == INT64 else self._cast(lengths, INT64)
        return self._cast(self._add("Min", self._add("Max", wide, self._int64([0])), rounds), INT32)

    def _cast(self, value: Value, dtype: DataType) -> Value:
        number = {INT32: 6, INT64: 7}[dtype]
        attributes = {"to": number}
        return self.outer.add("Cast", [value], types=[dtype], attributes=attributes, scope=self.loop.scope)[0]

    def _weight(self, array: Any) -> Value:
        return self.initializers.value(np.ascontiguousarray(array[None], np.float32), FLOAT)

    def _initial(self, state: _State) -> Value | None:
        """Return the state before the first step; None for zeros."""
        value = operand(self.loop, 2 + state.number)
        return None if _is_zero(value) else self._add("Unsqueeze", value, self._int64([0]))

    def _end(self, state: _State, value: Value, none: Value | None) -> Value:
        """Return the last state. Rows without steps keep their state, of which onnxruntime makes anything."""
        end = self._add("Squeeze", value, self._int64([0]))
        if none is None:
            return end
        initial = operand(self.loop, 2 + state.number)
        kept = self.initializers.value(np.zeros((), np.float32), FLOAT) if _is_zero(initial) else initial
        return self._add("Where", none, kept, end, dtype=FLOAT)

    def _without_steps(self, lengths: Value | None, rounds: Value) -> Value | None:
        """Return which rows have no steps; None if all have some."""
        if lengths is not None:
            wide = self._add("Unsqueeze", self._cast(lengths, INT64), self._int64([1]))
            return self._add("Equal", wide, self._int64([0]), dtype=BOOL)
        known = operand(self.loop, 0).data
        if known is not None and known.all():
            return None
        return self._add("Equal", rounds, self._int64([0]), dtype=BOOL)

    def _add(self, op: str, *inputs: Value, dtype: DataType | None = None) -> Value:
        return self.outer.add(op, inputs, types=[dtype or inputs[0].dtype], scope=self.loop.scope)[0]

    def _int64(self, elements: list[int]) -> Value:
        return self.initializers.value(np.array(elements, np.int64), INT64)

    def _let(self, old: Value, new: Value) -> None:
        """Let an output of the loop be another value; an Identity that later passes remove keeps names and users."""
        node = OnnxNode("Identity", [new], [old], scope=self.loop.scope)
        old.producer = node
        self.outer.nodes.append(node)


def _taken(graph: OnnxGraph) -> Iterator[Value]:
    yield from graph.outputs
    for node in graph.nodes:
        yield from (value for value in node.inputs if value is not None)


def _is_constant(value: Value, *elements: list[int]) -> bool:
    return value.data is not None and value.data.ravel().tolist() in elements


def _is_zero(value: Value) -> bool:
    """Return whether all elements of a value are zero."""
    value = source(value)
    if value.data is not None:
        return not value.data.any()
    node = value.producer
    if node is None or node.op != "ConstantOfShape":
        return False
    filler: Any = node.attributes.get("value")
    return filler is None or not filler.any()
