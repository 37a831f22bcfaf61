"""Loops, whatever they were made of, and how they become a Loop of ONNX.

    Loop(M, condition, v...; body) -> v..., stacked...

A loop has variables, each with a value before the first round and a new value for the next one, and a condition.
Variables become one of these:

    invariant    the new value is the old one: what is inside sees the value outside
    counter      a number that grows by 1: the number of the round, plus where it starts
    stacked      a list of which each round writes one place, in order: an output of the body, stacked by Loop
    state        everything else

Source of the operator: https://github.com/onnx/onnx/blob/main/docs/Operators.md#Loop
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from ....messages import DataType
from ....ops.traits import ENTER
from ....values.shape import Shape
from ..conversion.body import Body
from ..conversion.lists import EmptyList, filled_list
from ..conversion.model import OnnxGraph, Value
from ..conversion.nodes import Conversion
from ..conversion.registry import Refusal
from ..conversion.scope import INT64, Scope
from .counters import Limits, find_limits, grows, is_counter, start_of, trace, written_item

BOOL = DataType.DT_BOOL


@dataclass(slots=True)
class Variable:
    """A variable of a loop, by the keys of its tensors.

    initial      its value before the first round, in the graph around the loop
    argument     its value in a round, in the body
    condition    the same in the graph of the condition
    new          its value after a round, in the body
    results      its value after the last round, in the graph around the loop
    """

    initial: str
    argument: str
    condition: str
    new: str
    results: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """A loop in a graph.

    name         the name of its node
    outer        the body that it is in; `scope` is where its results go
    body         where `Variable.argument` and `Variable.new` are
    condition    where `Variable.condition` and `test` are
    test         the key of the condition
    """

    name: str
    outer: Body
    scope: Scope
    body: Body
    condition: Body
    test: str
    variables: list[Variable]


def own_outputs(inner: Scope, values: list[Value], name: str, passed_on: Collection[Value] = ()) -> OnnxGraph:
    """Return the graph of a scope with these outputs, each made by a node of the graph, or passed on."""
    graph = inner.graph
    filled = [filled_list(inner, each, None, name) if isinstance(each, EmptyList) else each for each in values]
    own = {value for node in graph.nodes for value in node.outputs} | {*passed_on}
    for value in filled:
        if value not in own or value in graph.outputs:
            listed, shape = value.listed, value.shape
            (value,) = inner.add("Identity", value, types=[value.dtype], scope=name)
            value.listed, value.shape = listed, shape
        graph.outputs.append(value)
    return graph


def convert_loop(conversion: Conversion, loop: Loop) -> None:
    """Add a Loop to the graph, and bind the results of the variables."""
    conversion.require(loop.outer, loop.scope, [variable.initial for variable in loop.variables])
    _Building(conversion, loop).build()


class _Building:
    def __init__(self, conversion: Conversion, loop: Loop) -> None:
        self.conversion = conversion
        self.loop = loop
        self.outer = loop.scope
        self.inner = self._scope()
        self.round = Value(INT64, (), name=f"{loop.name}/round")
        self.going_on = Value(BOOL, (), name=f"{loop.name}/going_on")
        self.invariant: list[Variable] = []
        self.counters: list[Variable] = []
        self.stacked: list[tuple[Variable, str]] = []
        self.states: list[Variable] = []
        self.limits: Limits | None = None
        self.rounds: Value | None = None

    def _scope(self, graph: OnnxGraph | None = None) -> Scope:
        """Return a scope inside of the loop, for the body or for the condition in a graph."""
        scope = Scope(self.outer, graph)
        scope.outside = self.outer
        return scope

    # --- kinds of variables ------------------------------------------------------------------------------------------

    def build(self) -> None:
        loop = self.loop
        for variable in loop.variables:
            if trace(loop.body, variable.new) == variable.argument:
                self.invariant.append(variable)
            elif is_counter(loop.body, variable.argument, variable.new):
                self.counters.append(variable)
        self.limits = self._find_limits()
        if (
            self.limits is None
        ):  # the number of rounds is not known, so a counter that is read after the loop is a state
            self.states = [counter for counter in self.counters if self._is_read(counter)]
        for variable in loop.variables:
            if variable not in self.invariant and variable not in self.counters:
                item = self._stacked_item(variable)
                if item is None:
                    self.states.append(variable)
                else:
                    self.stacked.append((variable, item))
        self._bind_variables()
        self._compute_body()
        self._add()

    def _is_read(self, variable: Variable) -> bool:
        return any(self.loop.outer.is_used(key) for key in variable.results)

    def _find_limits(self) -> Limits | None:
        loop = self.loop
        counters = {counter.condition: counter for counter in self.counters}
        return find_limits(loop.condition, loop.test, set(counters), self._is_fixed)

    def _is_fixed(self, key: str) -> bool:
        """Return whether a tensor of the condition has one value in all rounds."""
        if self.loop.condition.constant(key) is not None:
            return True
        if any(variable.condition == key for variable in self.invariant):
            return True
        return not any(variable.condition == key for variable in self.loop.variables) and self._comes_from_outside(key)

    def _comes_from_outside(self, key: str) -> bool:
        node = self.loop.condition.producer(key)
        return node is not None and node.op in ENTER

    def _stacked_item(self, variable: Variable) -> str | None:
        """Return the key of what each round writes, if a list is written in order and not read inside."""
        loop, home = self.loop, self.outer.home(variable.initial)
        if not isinstance(home, EmptyList) or (home.places != 0 and grows(loop.body, variable.new)):
            return None
        if loop.condition is not loop.body and loop.condition.is_used(variable.condition):
            return None
        counters = {each.argument for each in self.counters if start_of(loop.outer, each.initial) == 0}
        return written_item(loop.body, variable.argument, variable.new, counters)

    # --- the body ----------------------------------------------------------------------------------------------------

    def _bind_variables(self) -> None:
        loop, inner = self.loop, self.inner
        for variable in self.invariant:
            inner.share(variable.argument, variable.initial, self.outer)
        for variable in self.counters:
            if variable not in self.states:
                inner.bind(variable.argument, self._count(inner, variable), loop.body.dtype(variable.argument))
        inner.graph.inputs = [self.round, self.going_on]
        for variable in self.states:
            value = self._state(variable)
            inner.graph.inputs.append(value)
            inner.bind(variable.argument, value, value.dtype)

    def _count(self, scope: Scope, variable: Variable) -> Value:
        """Return the value of a counter in a round: where it starts, plus the number of the round."""
        if start_of(self.loop.outer, variable.initial) == 0:
            return self.round
        start = self.outer.value(variable.initial, dtype=INT64)
        (value,) = scope.add("Add", self.round, start, types=[INT64], scope=self.loop.name)
        value.shape = ()
        return value

    def _state(self, variable: Variable) -> Value:
        """Return the input of the body for a variable, with a shape that all rounds have."""
        home = self.outer.home(variable.initial)
        name = variable.argument.removesuffix(":0")
        if home.listed:
            return Value(home.dtype, self._list_shape(variable, home), name, listed=True)
        body = self.loop.body
        return Value(body.dtype(variable.argument), body.shape(variable.argument), name)

    def _list_shape(self, variable: Variable, home: Value) -> Shape | None:
        """Return the number of places of a list, if that is known, and unknown sizes of its elements."""
        item = written_item(self.loop.body, variable.argument, variable.new, None)
        element = None if item is None else self.loop.body.shape(item)
        if not isinstance(home, EmptyList) or home.places is None or element is None:
            return None
        places = None if grows(self.loop.body, variable.new) else home.places
        return (places, *[None] * len(element))

    def _compute_body(self) -> None:
        needed = [variable.new for variable in self.states] + [item for _, item in self.stacked]
        self.conversion.require(self.loop.body, self.inner, needed)
        outputs = [self._goes_on()]
        outputs += [self.inner.value(variable.new) for variable in self.states]
        outputs += [self.inner.value(item, dtype=self.loop.body.dtype(item)) for _, item in self.stacked]
        own_outputs(self.inner, outputs, self.loop.name, [self.going_on])

    def _goes_on(self) -> Value:
        """Return whether there is a next round: always, if the number of rounds is known."""
        if self.limits is not None:
            return self.going_on
        scope = self._scope(self.inner.graph)
        for variable in self.loop.variables:
            if variable in self.invariant:
                scope.share(variable.condition, variable.initial, self.outer)
            elif variable in self.counters and variable not in self.states:
                scope.bind(variable.condition, self._next_count(scope, variable), self._dtype(variable))
            elif variable.new in self.inner:
                value = self.inner.home(variable.new)
                scope.bind(variable.condition, value, value.dtype if value.listed else self._dtype(variable))
        return self._test(scope)

    def _dtype(self, variable: Variable) -> DataType:
        return self.loop.body.dtype(variable.argument)

    def _next_count(self, scope: Scope, variable: Variable) -> Value:
        count = self.inner.home(variable.argument)
        (value,) = scope.add("Add", count, scope.constant(1, INT64), types=[INT64], scope=self.loop.name)
        value.shape = ()
        return value

    def _test(self, scope: Scope) -> Value:
        loop = self.loop
        self.conversion.require(loop.condition, scope, [loop.test])
        return scope.value(loop.test)

    # --- the node ----------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        loop, outer = self.loop, self.outer
        rounds = self.rounds = None if self.limits is None else self._rounds(self.limits)
        test = None if rounds is not None else self._test(self._before())
        initial = [self._initial(variable, value) for variable, value in zip(self.states, self._inputs(), strict=True)]
        types = [value.dtype for value in (*self._inputs(), *self.inner.graph.outputs[1 + len(self.states) :])]
        given = [rounds, test, *initial]
        values = outer.add("Loop", *given, types=types, scope=loop.name, attributes={"body": self.inner.graph})
        for variable, value in zip(self.states, values, strict=False):
            value.listed = outer.home(variable.initial).listed
            self._bind_results(variable, value)
        for (variable, item), value in zip(self.stacked, values[len(self.states) :], strict=True):
            value.listed = True
            self._bind_results(variable, self._of_full_size(variable, value, item))
        for variable in self.invariant:
            for key in variable.results:
                outer.share(key, variable.initial)
        for variable in self.counters:
            if variable not in self.states and rounds is not None and self._is_read(variable):
                self._bind_results(variable, self._last_count(variable, rounds))

    def _of_full_size(self, variable: Variable, value: Value, item: str) -> Value:
        """Return a list with zeros for the places that no round wrote, if the loop may end before the list does."""
        outer, home, name = self.outer, self.outer.home(variable.initial), self.loop.name
        assert isinstance(home, EmptyList)
        if home.size is None or home.places == 0:
            return value
        if self.rounds is not None and outer.same_numbers(self.rounds, home.size):
            return value
        shape = self.loop.body.shape(item)
        if shape is None or value.dtype == DataType.DT_STRING:
            raise Refusal("its loop may end before its list is full", "--shape")
        (sizes,) = outer.add("Shape", value, types=[INT64], scope=name)
        zero = outer.constant([0], INT64)
        (rounds,) = outer.add("Slice", sizes, zero, outer.constant([1], INT64), zero, types=[INT64], scope=name)
        (missing,) = outer.add("Sub", home.size, rounds, types=[INT64], scope=name)
        before, after = outer.constant([0] * (len(shape) + 1), INT64), outer.constant([0] * len(shape), INT64)
        parts = [before, missing, *([after] if shape else [])]
        (pads,) = outer.add("Concat", *parts, types=[INT64], scope=name, attributes={"axis": 0})
        (full,) = outer.add("Pad", value, pads, types=[value.dtype], scope=name)
        full.listed = True
        return full

    def _inputs(self) -> list[Value]:
        return self.inner.graph.inputs[2:]

    def _initial(self, variable: Variable, inside: Value) -> Value:
        """Return the value of a state before the first round; a list that is not written yet has zeros."""
        home = self.outer.home(variable.initial)
        if not isinstance(home, EmptyList):
            return self.outer.value(variable.initial)
        item = written_item(self.loop.body, variable.argument, variable.new, None)
        shape = home.element if item is None else self.loop.body.shape(item)
        filled = filled_list(self.outer, home, shape, self.loop.name)
        inside.dtype = filled.dtype
        return filled

    def _before(self) -> Scope:
        """Return a scope in which the condition is computed before the first round."""
        scope = self._scope(self.outer.graph)
        for variable in self.loop.variables:
            scope.share(variable.condition, variable.initial, self.outer)
        return scope

    def _rounds(self, limits: Limits) -> Value:
        """Return the number of rounds: the smallest distance of a counter from its limit, and not less than 0."""
        outer, name = self.outer, self.loop.name
        least: Value | None = None
        before = self._before()
        for key, limit_key in limits:
            counter = next(each for each in self.counters if each.condition == key)
            self.conversion.require(self.loop.condition, before, [limit_key])
            rounds = before.value(limit_key, dtype=INT64)
            start = start_of(self.loop.outer, counter.initial)
            if start != 0:
                begin = outer.value(counter.initial, dtype=INT64)
                (rounds,) = outer.add("Sub", rounds, begin, types=[INT64], scope=name)
            if least is not None:
                (rounds,) = outer.add("Min", least, rounds, types=[INT64], scope=name)
            least = rounds
        assert least is not None
        if least.data is None:
            (least,) = outer.add("Max", least, outer.constant(0, INT64), types=[INT64], scope=name)
        least.shape = ()
        return least

    def _last_count(self, variable: Variable, rounds: Value) -> Value:
        if start_of(self.loop.outer, variable.initial) == 0:
            return rounds
        start = self.outer.value(variable.initial, dtype=INT64)
        (value,) = self.outer.add("Add", rounds, start, types=[INT64], scope=self.loop.name)
        value.shape = ()
        return value

    def _bind_results(self, variable: Variable, value: Value) -> None:
        for key in variable.results:
            if value.shape is None and not value.listed:
                value.shape = self.loop.outer.shape(key)
            if not value.name:
                value.name = key.removesuffix(":0")
            self.outer.bind(key, value, value.dtype if value.listed else self.loop.outer.dtype(key))
