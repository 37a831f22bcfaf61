"""Compute values in a model as far as they follow from constants.

    values = Evaluator(bodies)
    values.compute(Request("cond", "q:z:0", (3, True)))      # for these arguments: True, or a Token if it is not known

Two equal tokens are the same value. A token may lie in an interval, or be the sum of another one and a number. The
value of a variable is known if its value in the checkpoint and all values that nodes write to it are the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from pbwire.errors import Error

from ...errors import GraphError
from ...graph import GraphIndex
from ...graph.functions import FunctionCall
from ...messages import NodeDef
from ...ops.traits import CONSTS, REFERENCE_VARIABLES, WHILE_LOOPS
from ...values.names import TensorName, data_inputs
from .call_graph import called_functions, recursive_functions
from .intervals import ANY, Counter, Interval, compare, interval_of, number_type, range_of
from .op_values import (
    COMPARISONS,
    SAME,
    SAME_NUMBER,
    Token,
    Value,
    apply,
    is_from_outside,
    is_same,
    number_of,
    opposite,
)
from .path_origins import shared_name
from .states import READS, Scope, States, is_resource

MAX_ROUNDS = 8
"""The number of iterations after which all variables of a loop that still change count as changing."""

MAX_STEPS = 20_000
"""The maximum number of values that are computed for one condition; others count as loops that may not end."""

MAX_OTHER_STEPS = 5_000
"""The maximum number of values that are computed for the variables of one loop; others count as changing."""

MAX_ITERATIONS = 100_000_000
"""The number of iterations from which on a loop counts as one that does not end."""

MAX_CALLERS = 8
"""The maximum number of calls of a function for whose arguments its loops are judged."""

MAX_CALLS = 32
"""The maximum depth of calls that are followed."""

LOOPS = WHILE_LOOPS | {"_While", "XlaWhile", "RiscWhile"}

Environment: TypeAlias = tuple[Value, ...]
_Steps: TypeAlias = "Generator[Request, Value, Value]"


class Sum(NamedTuple):
    """A token and the number that is added to it, in a type."""

    token: int
    number: int | float
    dtype: int


class Request(NamedTuple):
    """A value to compute: of a reference in a body, whose arguments have known values."""

    body: str
    text: str
    arguments: Environment
    depth: int


class Evaluator:
    """Computes values. `bodies` are the graph, as "", and the functions by name.

    `captured` names the variable that is an argument of a function, counted from the last; `stored` returns the number
    that is the value of a variable in the checkpoint.
    """

    def __init__(
        self,
        bodies: Mapping[str, GraphIndex],
        captured: Callable[[str, int], str | None] = lambda function, number: None,
        stored: Callable[[str], bool | int | float | None] = lambda name: None,
    ) -> None:
        self.bodies = bodies
        self.called_by = {name: called_functions(body) for name, body in bodies.items()}
        self.recursive = recursive_functions(self.called_by)
        self.variables: dict[tuple[str, int], Value] = {}  # of loops of TensorFlow 1, by the position of the Merge
        self.intervals: dict[int, Interval] = {}  # by the number of a token
        self.sums: dict[int, Sum] = {}  # by the number of a token that is the sum of another one and a number
        self.counters: dict[int, Counter] = {}  # by the number of a token
        self.steps = 0
        self._limit = MAX_STEPS
        self._states = States(bodies, captured)
        self._stored = stored
        self.scope: Scope = {}
        self._has_reads = False
        self._known: dict[Any, Value] = {}
        self._tokens: dict[Any, int] = {}
        self._environments: dict[str, list[Environment]] = {}

    def limit(self, steps: int) -> None:
        """Compute at most so many values from here on; others are not known."""
        self.steps, self._limit = 0, steps

    def forget(self) -> None:
        """Compute all values anew: `variables` have changed."""
        self._known.clear()

    def token(self, *key: Any, changes: bool = True) -> Token:
        """Return the token of a value: the same one for the same key."""
        return Token(self._tokens.setdefault(key, len(self._tokens) + 1), changes)

    def enter_scope(self, scope: Scope) -> None:
        """Judge the following conditions for a loop that runs certain nodes: they may change what it reads."""
        if scope != self.scope:
            self.scope = scope
            if self._has_reads:
                self._known.clear()
                self._has_reads = False

    def results(self, function: str) -> list[str]:
        """Return the references of the results of a function, in order."""
        declared = self.bodies[""].functions[function]
        signature = declared.signature
        names = [result.name for result in signature.output_arg] if signature is not None else []
        return [declared.ret[name] for name in names if name in declared.ret]

    # --- arguments of functions --------------------------------------------------------------------------------------

    def callers(self, function: str, depth: int) -> list[Environment]:
        """Return the arguments with which a function may run: unknown ones, and those of its calls."""
        if function in self._environments:
            return self._environments[function]
        unknown = tuple(self.token("argument", function, name) for name in self.bodies[function].arguments)
        found = self._environments[function] = [unknown]
        calls = self._calls.get(function, ()) if depth < MAX_CALLS and unknown else ()
        self.limit(MAX_OTHER_STEPS)
        for caller, texts in calls:
            for outer in self.callers(caller, depth + 1):
                arguments = tuple(self.compute(Request(caller, text, outer, 0)) for text in texts)
                if arguments not in found and len(found) <= MAX_CALLERS and len(arguments) == len(unknown):
                    found.append(arguments)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[tuple[str, list[str]]]]:
        """The calls of each function except by loops, with the inputs that are its arguments."""
        calls: dict[str, list[tuple[str, list[str]]]] = {}
        for caller, body in self.bodies.items():
            for node in body.nodes:
                with suppress(Error):  # a fault of its own
                    call = body.functions.call(node) if node.op not in LOOPS else None
                    for name in call.names if call is not None and caller not in self.recursive else ():
                        rows = calls.setdefault(name, [])
                        if call is not None and len(rows) < MAX_CALLERS:
                            rows.append((caller, data_inputs(node)[call.first :]))
        return calls

    def interval(self, value: Value) -> Interval:
        return self.intervals.get(value.number, ANY) if isinstance(value, Token) else (value, value)

    def _learn(self, node: NodeDef, token: Token, values: Sequence[Value]) -> None:
        """Record the interval of the result of a node, and the sum that it is."""
        self.intervals.pop(token.number, None)
        self.sums.pop(token.number, None)
        interval = interval_of(node, [self.interval(value) for value in values])
        if interval != ANY:
            self.intervals[token.number] = interval
        match node.op, len(values):
            case "Sub", 2:
                self._add(token, node, values[0], values[1], -1)
            case "Add" | "AddV2", 2:
                first, second = values if isinstance(values[0], Token) else values[::-1]
                self._add(token, node, first, second, 1)

    def _add(self, token: Token, node: NodeDef, value: Value, number: Value, sign: int) -> None:
        """Record that a token is the sum of another one and a number, or the difference, if it is."""
        if isinstance(value, Token) and not isinstance(number, Token):
            before = self.sums.get(value.number, Sum(value.number, 0, 0))
            self.sums[token.number] = Sum(before.token, before.number + sign * number, number_type(node))

    def _compared(self, node: NodeDef, first: Value, second: Value) -> bool | None:
        """Return the result of a comparison that follows from intervals and counters."""
        low, high = range_of(number_type(node))
        sides = [self.interval(first), self.interval(second)]
        result = compare(node.op, *((max(start, low), min(end, high)) for start, end in sides))
        if result is not None:
            return result
        counters = [self._counter(first), self._counter(second)]
        if counters[0] is not None and counters[1] is not None and counters[0].keeps_distance(counters[1]):
            return bool(COMPARISONS[node.op].function(counters[0].first, counters[1].first))
        if not COMPARISONS[node.op].of_equality:
            return None
        for counter, target in zip(counters, (second, first), strict=True):
            if counter is not None and counter.bits and not isinstance(target, Token):
                steps = counter.steps_until(target)
                return node.op == "NotEqual" if steps is None or steps > MAX_ITERATIONS else None
        return None

    def _counter(self, value: Value) -> Counter | None:
        """Return the counter that a value is, perhaps with a number added to it."""
        if not isinstance(value, Token):
            return None
        total = self.sums.get(value.number, Sum(value.number, 0, 0))
        counter = self.counters.get(total.token)
        return counter._replace(first=counter.first + total.number) if counter is not None else None

    # --- values ------------------------------------------------------------------------------------------------------

    def compute(self, request: Request) -> Value:
        """Return a value. Requests wait on a stack for those that they need, so no chain is too long."""
        stack: list[tuple[Any, _Steps]] = [self._start(request)]
        value: Value | None = self._known.get(stack[0][0])
        if value is not None:
            return value
        waiting = {stack[0][0]}
        while stack:
            key, steps = stack[-1]
            try:
                wanted = steps.send(value) if value is not None else next(steps)
            except StopIteration as end:
                self._known[key] = value = end.value
                waiting.discard(key)
                stack.pop()
                continue
            new_key, new_steps = self._start(wanted)
            self.steps += 1
            value = self._known.get(new_key)
            if value is not None:
                continue
            if new_key in waiting or self.steps > self._limit or wanted.depth > MAX_CALLS:
                value = self.token("unknown", new_key)
            else:
                waiting.add(new_key)
                stack.append((new_key, new_steps))
        assert value is not None
        return value

    def _start(self, request: Request) -> tuple[Any, _Steps]:
        try:
            name = TensorName.parse(request.text)
        except GraphError:
            name = TensorName("")
        arguments = tuple((type(value), value) for value in request.arguments)  # True and 1 are different values
        return (request.body, name, arguments), self._value(request, name)

    def _value(self, request: Request, name: TensorName) -> _Steps:
        """Compute a value: yield the requests for those that it needs, and return it."""
        function, _, arguments, _ = request
        body = self.bodies[function]
        if name.node not in body.positions:
            number = body.arguments.index(name.node) if name.node in body.arguments else -1
            return arguments[number] if 0 <= number < len(arguments) else self.token(function, name)
        position = body.positions[name.node]
        node = body.nodes[position]
        inputs = data_inputs(node)
        if node.op in CONSTS:
            constant = number_of(node)
            return constant if constant is not None else self.token(function, name, changes=False)
        if (function, position) in self.variables:
            return self.variables[function, position]
        if is_resource(node) or node.op in READS:
            return (yield from self._state(request, name, node))
        if node.op == "Assign" and len(inputs) > 1:
            return (yield request._replace(text=inputs[1]))
        if called := self._called(body, node):
            return (yield from self._call(request, name, node, called))
        values: list[Value] = []
        for text in inputs[:1] if node.op in SAME or node.op in SAME_NUMBER else inputs:
            values.append((yield request._replace(text=text)))
        known = apply(node, values) if values else None
        if known is None and node.op in COMPARISONS and len(values) == 2:
            known = self._comparison(node, *values)
        if known is not None:
            return known
        changes = is_from_outside(node) or any(isinstance(value, Token) and value.changes for value in values)
        token = self.token(function, name, tuple((type(value), value) for value in arguments), changes=changes)
        self._learn(node, token, values)
        return token

    def _state(self, request: Request, name: TensorName, node: NodeDef) -> _Steps:
        """Compute what a variable or table holds. A handle stands for the same resource everywhere."""
        inputs = data_inputs(node)
        changes = False
        if node.op in READS:
            names = self._states.names(request.body, inputs[0]) if inputs else frozenset({None})
            for text in inputs[1:]:
                value: Value | None = yield request._replace(text=text)
                changes |= isinstance(value, Token) and value.changes
        else:
            names = frozenset({shared_name(node)})
            if node.op not in REFERENCE_VARIABLES:
                return self.token("resource", names, changes=False)
        self._has_reads = True
        if node.op == "ReadVariableOp" or node.op in REFERENCE_VARIABLES:
            held: list[Value] = [value for own in names if own is not None and (value := self._stored(own)) is not None]
            for body, text in self._states.values(names):
                unknown = tuple(self.token("argument", body, argument) for argument in self.bodies[body].arguments)
                held.append((yield Request(body, text, unknown, request.depth + 1)))
            is_same_number = None not in names and all(is_same(value, held[0]) for value in held)
            if held and is_same_number and not isinstance(held[0], Token):
                return held[0]
        changes = changes or None in names or self._states.are_changed(names, self.scope)
        token = self.token(request.body, name, request.arguments, changes=changes)
        self._learn(node, token, [])
        return token

    def _comparison(self, node: NodeDef, first: Value, second: Value) -> Value:
        """Return the token of a comparison, such that `x < y` is the opposite of `x >= y`, and the same as `y > x`."""
        changes = any(isinstance(value, Token) and value.changes for value in (first, second))
        row = COMPARISONS[node.op]
        known = self._compared(node, first, second)
        if known is not None:
            return known
        if row.swapped or (row.of_equality and repr(second) < repr(first)):
            first, second = second, first
        token = self.token("comparison", row.of_equality, first, second, changes=changes)
        return opposite(token) if row.opposite else token

    def _called(self, body: GraphIndex, node: NodeDef) -> FunctionCall | None:
        """Return the functions that a node calls once with its inputs; None if it calls none."""
        with suppress(Error):  # a fault of its own
            call = body.functions.call(node) if node.op not in LOOPS else None
            if call is not None and call.names and all(name in self.bodies for name in call.names):
                return call
        return None

    def _call(self, request: Request, name: TensorName, node: NodeDef, call: FunctionCall) -> _Steps:
        """Compute the result of a call: of all functions that may be called, if their results are the same."""
        inputs, names, start = data_inputs(node), call.names, call.first
        if start and inputs:
            choice = yield request._replace(text=inputs[0])
            if not isinstance(choice, Token):
                place = (0 if choice else 1) if node.op in ("If", "StatelessIf") else int(choice)
                names = names[place : place + 1] or names[-1:]
        arguments: list[Value] = []
        for text in inputs[start:]:
            arguments.append((yield request._replace(text=text)))
        values: list[Value] = []
        for function in names:
            results = self.results(function)
            port = name.port
            if port < len(results):
                values.append((yield Request(function, results[port], tuple(arguments), request.depth + 1)))
        if values and all(is_same(value, values[0]) for value in values):
            return values[0]
        return self.token("call", request.body, name, request.arguments)
