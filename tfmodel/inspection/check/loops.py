"""Loops that never end: conditions that stay true, functions that call each other, datasets without an end.

    EndlessLoops(bodies).problem("", position)      # "is a loop whose condition is always true"; "" if there is none

A condition is computed as far as it follows from constants: the variables of the loop have their initial values until
an iteration changes them. A value that is not known is a `Token`: two equal tokens are the same value, so `x == x` is
true. The condition of a loop that depends on constants only, but is not computed here, counts too: such a loop never
runs, or never ends. A loop in a function is judged for the arguments of each call.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import inf
from typing import Any, NamedTuple, TypeAlias

from pbwire.errors import Error

from ...errors import GraphError
from ...graph import GraphIndex
from ...graph.functions import FunctionCall
from ...messages import NodeDef
from ...names import TensorName, data_inputs, node_name
from ...ops.traits import CONSTS, LOOP_COND, MERGE, NEXT_ITERATION, WHILE_LOOPS
from .call_graph import MAX_EXPANDED, called_functions, expanded_sizes, recursive_functions
from .op_values import (
    COMPARISONS,
    POSITIVE,
    SAME,
    SAME_NUMBER,
    Token,
    Value,
    apply,
    are_same,
    is_from_outside,
    is_same,
    number_of,
    opposite,
)

__all__ = ["EndlessLoops"]

MAX_STEPS = 20_000
"""The maximum number of values that are computed for one condition; others count as loops that may not end."""

MAX_ALL_STEPS = 1_000_000
"""The maximum number of values that are computed for all conditions of a model."""

MAX_OTHER_STEPS = 5_000
"""The maximum number of values that are computed for the variables of one loop; others count as changing."""

MAX_FIRST = 3
"""The number of iterations after which the variables of a loop may stay as they are."""

MAX_SIMULATED = 32
"""The number of iterations after which the variables of a loop may have the values again that they had before."""

MAX_ITERATIONS = 1_000_000_000
"""The maximum number of iterations of a For."""

MAX_CALLERS = 8
"""The maximum number of calls of a function for whose arguments its loops are judged."""

MAX_ROUNDS = 8
"""The number of iterations after which all variables of a loop that still change count as changing."""

MAX_CALLS = 32
"""The maximum depth of calls that are followed."""

ALWAYS_TRUE = "is a loop whose condition is always true"
NEVER_CHANGES = "is a loop whose condition never changes: it does not run, or it does not end"
CALLS_ITSELF = "belongs to functions that call each other without end"
NO_END = "reads a dataset that has no end to its end"
TOO_MANY = f"calls functions that run more than {MAX_EXPANDED:,} nodes"
TOO_LONG = f"is a loop of more than {MAX_ITERATIONS:,} iterations"
NOT_KNOWN = "is a loop whose condition takes too long to follow, and that may have no end"

_LOOPS = WHILE_LOOPS | {"_While", "XlaWhile", "RiscWhile"}


_Environment: TypeAlias = tuple[Value, ...]
_Steps: TypeAlias = "Generator[_Request, Value, Value]"


class _Request(NamedTuple):
    """A value to compute: of a reference in a body, whose arguments have known values."""

    body: str
    text: str
    arguments: _Environment
    depth: int


class EndlessLoops:
    """Finds loops without end. `bodies` are the graph, as "", and the functions by name."""

    def __init__(self, bodies: Mapping[str, GraphIndex]) -> None:
        self._bodies = bodies
        self._known: dict[Any, Value] = {}
        self._variables: dict[tuple[str, int], Value] = {}  # of loops of TensorFlow 1
        self._tokens: dict[Any, int] = {}
        self._positive: set[int] = set()  # the numbers of tokens that are never negative
        self._environments: dict[str, list[_Environment]] = {}
        self._steps = self._all_steps = 0
        self._limit = MAX_STEPS
        self._solved: set[str] = set()
        self._called_by = {name: called_functions(body) for name, body in bodies.items()}
        self._recursive = recursive_functions(self._called_by)
        self._sizes = expanded_sizes(bodies, self._called_by, self._recursive)

    def problem(self, function: str, position: int) -> str:
        """Return the rest of a sentence about a node that never ends; "" for other nodes."""
        body = self._bodies[function]
        node = body.nodes[position]
        circle = self._recursive.get(function)
        called = self._called_by[function].get(position, ())
        if circle is not None and not circle.isdisjoint(called):
            return CALLS_ITSELF
        if any(self._sizes[name] > MAX_EXPANDED for name in called):
            return TOO_MANY
        if node.op in _DRAINS and self._reads_without_end(function, node):
            return NO_END
        if node.op == "For" and self._is_long(function, data_inputs(node)[:3], MAX_ITERATIONS):
            return TOO_LONG
        if node.op not in LOOP_COND and node.op not in _LOOPS:
            return ""
        return next(filter(None, (self._loop(function, node, row) for row in self._callers(function, 0))), "")

    def _loop(self, function: str, node: NodeDef, arguments: _Environment) -> str:
        if node.op in _LOOPS:
            with suppress(Error):  # a fault of its own
                return self._while_loop(function, node, arguments)
            return ""
        self._solve_merges(function)
        texts = data_inputs(node)
        return self._judge(_Request(function, texts[0], arguments, 0)) if texts else ""

    def _judge(self, condition: _Request) -> str:
        self._steps, self._limit = 0, MAX_STEPS
        value = self._compute(condition)
        self._all_steps += self._steps
        if isinstance(value, Token):
            if self._steps > MAX_STEPS or self._all_steps > MAX_ALL_STEPS:
                return NOT_KNOWN
            return "" if value.changes else NEVER_CHANGES
        return ALWAYS_TRUE if value else ""

    def _token(self, *key: Any, changes: bool = True) -> Token:
        """Return the token of a value: the same one for the same key."""
        return Token(self._tokens.setdefault(key, len(self._tokens) + 1), changes)

    # --- arguments of functions --------------------------------------------------------------------------------------

    def _callers(self, function: str, depth: int) -> list[_Environment]:
        """Return the arguments with which a function may run: unknown ones, and those of its calls."""
        if function in self._environments:
            return self._environments[function]
        unknown = tuple(self._token("argument", function, name) for name in self._bodies[function].arguments)
        found = self._environments[function] = [unknown]
        calls = self._calls.get(function, ()) if depth < MAX_CALLS and unknown else ()
        self._steps, self._limit = 0, MAX_OTHER_STEPS
        for caller, texts in calls:
            for outer in self._callers(caller, depth + 1):
                arguments = tuple(self._compute(_Request(caller, text, outer, 0)) for text in texts)
                if arguments not in found and len(found) <= MAX_CALLERS and len(arguments) == len(unknown):
                    found.append(arguments)
        return found

    @cached_property
    def _calls(self) -> dict[str, list[tuple[str, list[str]]]]:
        """The calls of each function except by loops, with the inputs that are its arguments."""
        calls: dict[str, list[tuple[str, list[str]]]] = {}
        for caller, body in self._bodies.items():
            for node in body.nodes:
                with suppress(Error):  # a fault of its own
                    call = body.functions.call(node) if node.op not in _LOOPS else None
                    for name in call.names if call is not None and caller not in self._recursive else ():
                        rows = calls.setdefault(name, [])
                        if call is not None and len(rows) < MAX_CALLERS:
                            rows.append((caller, data_inputs(node)[call.first :]))
        return calls

    # --- loops that call functions -----------------------------------------------------------------------------------

    def _while_loop(self, function: str, node: NodeDef, outer: _Environment) -> str:
        """Return the problem of a While, whose functions are called repeatedly with the values of its variables."""
        cond, loop = (node.attr[name].func if name in node.attr else None for name in ("cond", "body"))
        if cond is None or loop is None or cond.name not in self._bodies or loop.name not in self._bodies:
            return ""
        self._steps, self._limit = 0, MAX_OTHER_STEPS
        values = tuple(self._compute(_Request(function, text, outer, 0)) for text in data_inputs(node))
        conditions, results = self._results(cond.name), self._results(loop.name)
        if len(conditions) != 1 or len(results) != len(values):
            return ""  # a fault of its own
        earlier: list[_Environment] = []
        for number in range(MAX_SIMULATED):
            if number <= MAX_FIRST:
                unchanged = self._unchanged(function, node, loop.name, values)
                if problem := self._judge(_Request(cond.name, conditions[0], unchanged, 1)):
                    return problem
            self._steps, self._limit = 0, MAX_OTHER_STEPS
            now = self._compute(_Request(cond.name, conditions[0], values, 1))
            if not now or (isinstance(now, Token) and number >= MAX_FIRST):
                break
            earlier = [] if isinstance(now, Token) else [*earlier, values]
            values = tuple(self._compute(_Request(loop.name, text, values, 1)) for text in results)
            if any(are_same(values, before) for before in earlier):
                return ALWAYS_TRUE
        return ""

    def _unchanged(self, function: str, node: NodeDef, loop: str, first: _Environment) -> _Environment:
        """Return the values of the variables of a While that hold in all iterations; tokens for those that change."""
        values, results = list(first), self._results(loop)
        self._steps, self._limit = 0, MAX_OTHER_STEPS
        for round_ in range(MAX_ROUNDS + 1):
            before = tuple(values)
            for number, text in enumerate(results[: len(values)]):
                after = self._compute(_Request(loop, text, before, 1))
                if not is_same(after, before[number]) or round_ == MAX_ROUNDS:
                    values[number] = self._token("variable", function, node.name, number)
            if are_same(before, values):
                break
        return tuple(values)

    def _results(self, function: str) -> list[str]:
        """Return the references of the results of a function, in order."""
        declared = self._bodies[""].functions[function]
        signature = declared.signature
        names = [result.name for result in signature.output_arg] if signature is not None else []
        return [declared.ret[name] for name in names if name in declared.ret]

    # --- loops of TensorFlow 1 ---------------------------------------------------------------------------------------

    def _solve_merges(self, function: str) -> None:
        """Find the values of the variables of all loops of a body: those that no iteration changes keep theirs."""
        if function in self._solved:
            return
        self._solved.add(function)
        body = self._bodies[function]
        arguments = self._callers(function, MAX_ROUNDS)[0]
        self._steps, self._limit = 0, MAX_OTHER_STEPS + 10 * len(body.nodes)
        loops: dict[int, list[str]] = {}  # by position of the Merge: what iterations give it
        for position, node in enumerate(body.nodes):
            if node.op in MERGE:
                inputs = data_inputs(node)
                back = [text for text in inputs if _op(body, text) in NEXT_ITERATION]
                if back:
                    loops[position] = back
                    self._variables[function, position] = self._token("loop", function, position)
                    first = [text for text in inputs if text not in back]
                    if len(first) == 1:
                        self._variables[function, position] = self._compute(_Request(function, first[0], arguments, 0))
        for round_ in range(MAX_ROUNDS + 1):
            stable = True
            self._known.clear()
            for position, back in loops.items():
                old, changing = self._variables[function, position], self._token("loop", function, position)
                after = [self._compute(_Request(function, text, arguments, 0)) for text in back]
                if old != changing and (round_ == MAX_ROUNDS or not all(is_same(value, old) for value in after)):
                    stable = False
                    self._variables[function, position] = changing
            if stable:
                break
        self._known.clear()

    # --- datasets ----------------------------------------------------------------------------------------------------

    def _is_long(self, function: str, texts: Sequence[str], limit: int) -> bool:
        """Return whether a range has more than `limit` numbers: from the first to the second, in steps of the third."""
        self._steps, self._limit = 0, MAX_OTHER_STEPS
        arguments = self._callers(function, 0)[0]
        bounds = [self._compute(_Request(function, text, arguments, 0)) for text in texts]
        numbers = [bound for bound in bounds if not isinstance(bound, Token)]
        return len(numbers) == 3 and abs(numbers[1] - numbers[0]) > limit * max(abs(numbers[2]), 1)

    def _reads_without_end(self, function: str, node: NodeDef) -> bool:
        """Return whether a node reads a dataset that repeats itself without end, or for years, or is one of such."""
        place = 1 if node.op == "InitializeTableFromDataset" else 0
        queue = [(function, text) for text in data_inputs(node)[place : place + 1]]
        seen = set(queue)
        for function, text in queue:  # the loop appends to it
            body = self._bodies[function]
            before = body.get(node_name(text))
            if before is None or before.op in _ENDS or len(seen) > MAX_OTHER_STEPS:
                continue
            texts = data_inputs(before)
            if before.op in _ENDLESS or self._repeats(function, before.op, texts):
                return True
            found = [(function, other) for other in texts[: 2 if before.op == "ConcatenateDataset" else 1]]
            if before.op not in _CONSUMES:
                called = self._called_by[function].get(body.position(before.name), ())
                found += [(name, result) for name in called for result in self._results(name)]
            for row in found:
                if row not in seen:
                    seen.add(row)
                    queue.append(row)
        return False

    def _repeats(self, function: str, op: str, texts: list[str]) -> bool:
        """Return whether a dataset repeats its input without end, or is a range of too many numbers."""
        if op == "RangeDataset" and len(texts) == 3:
            return self._is_long(function, texts, _MAX_ELEMENTS)
        if op not in _REPEATS or len(texts) <= _REPEATS[op]:
            return False
        self._steps, self._limit = 0, MAX_OTHER_STEPS
        count = self._compute(_Request(function, texts[_REPEATS[op]], self._callers(function, 0)[0], 0))
        return not isinstance(count, Token) and not 0 <= count <= _MAX_ELEMENTS

    # --- values ------------------------------------------------------------------------------------------------------

    def _compute(self, request: _Request) -> Value:
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
            self._steps += 1
            value = self._known.get(new_key)
            if value is not None:
                continue
            if new_key in waiting or self._steps > self._limit or wanted.depth > MAX_CALLS:
                value = self._token("unknown", new_key)
            else:
                waiting.add(new_key)
                stack.append((new_key, new_steps))
        assert value is not None
        return value

    def _start(self, request: _Request) -> tuple[Any, _Steps]:
        try:
            name = TensorName.parse(request.text)
        except GraphError:
            name = TensorName("")
        arguments = tuple((type(value), value) for value in request.arguments)  # True and 1 are different values
        return (request.body, name, arguments), self._value(request, name)

    def _value(self, request: _Request, name: TensorName) -> _Steps:
        """Compute a value: yield the requests for those that it needs, and return it."""
        function, _, arguments, _ = request
        body = self._bodies[function]
        if name.node not in body.positions:
            number = body.arguments.index(name.node) if name.node in body.arguments else -1
            return arguments[number] if 0 <= number < len(arguments) else self._token(function, name)
        position = body.positions[name.node]
        node = body.nodes[position]
        inputs = data_inputs(node)
        if node.op in CONSTS:
            constant = number_of(node)
            return constant if constant is not None else self._token(function, name, changes=False)
        if (function, position) in self._variables:
            return self._variables[function, position]
        if called := self._called(body, node):
            return (yield from self._call(request, name, node, called))
        values: list[Value] = []
        for text in inputs[:1] if node.op in SAME or node.op in SAME_NUMBER else inputs:
            values.append((yield request._replace(text=text)))
        known = apply(node, values) if values else None
        if known is None and node.op in COMPARISONS and len(values) == 2:
            known = self._comparison(node.op, *values)
        if known is not None:
            return known
        changes = is_from_outside(node) or any(isinstance(value, Token) and value.changes for value in values)
        token = self._token(function, name, tuple((type(value), value) for value in arguments), changes=changes)
        if node.op in POSITIVE:
            self._positive.add(token.number)
        return token

    def _of_positive(self, op: str, first: Value, second: Value) -> bool | None:
        """Return the result of comparing a value that is never negative with a number below it; None for others."""
        function = COMPARISONS[op].function
        for token, number, compare in ((first, second, function), (second, first, lambda x, y: function(y, x))):
            if isinstance(token, Token) and token.number in self._positive and not isinstance(number, Token):
                results = {compare(value, number) for value in (0, 0.5, 1, number + 1, inf) if value >= 0}
                return results.pop() if number <= 0 and len(results) == 1 else None
        return None

    def _comparison(self, op: str, first: Value, second: Value) -> Value:
        """Return the token of a comparison, such that `x < y` is the opposite of `x >= y`, and the same as `y > x`."""
        changes = any(isinstance(value, Token) and value.changes for value in (first, second))
        row = COMPARISONS[op]
        positive = self._of_positive(op, first, second)
        if positive is not None:
            return positive
        if row.swapped or (row.of_equality and repr(second) < repr(first)):
            first, second = second, first
        token = self._token("comparison", row.of_equality, first, second, changes=changes)
        return opposite(token) if row.opposite else token

    def _called(self, body: GraphIndex, node: NodeDef) -> FunctionCall | None:
        """Return the functions that a node calls once with its inputs; None if it calls none."""
        with suppress(Error):  # a fault of its own
            call = body.functions.call(node) if node.op not in _LOOPS else None
            if call is not None and call.names and all(name in self._bodies for name in call.names):
                return call
        return None

    def _call(self, request: _Request, name: TensorName, node: NodeDef, call: FunctionCall) -> _Steps:
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
            results = self._results(function)
            port = name.port
            if port < len(results):
                values.append((yield _Request(function, results[port], tuple(arguments), request.depth + 1)))
        if values and all(is_same(value, values[0]) for value in values):
            return values[0]
        return self._token("call", request.body, name, request.arguments)


def _op(body: GraphIndex, text: str) -> str:
    node = body.get(node_name(text))
    return node.op if node is not None else ""


# --- datasets --------------------------------------------------------------------------------------------------------

_DRAINS = frozenset(
    {"ReduceDataset", "InitializeTableFromDataset", "DatasetToTFRecord", "ExperimentalDatasetToTFRecord"}
    | {"SaveDataset", "SaveDatasetV2"}
)
"""Ops that read a dataset to its end."""

_ENDS = frozenset({"TakeDataset", "TakeWhileDataset", "ExperimentalTakeWhileDataset", "ZipDataset"})
"""Ops whose dataset may end although that of their input does not."""

_CONSUMES = frozenset({"MapDataset", "ParallelMapDataset", "ParallelMapDatasetV2", "FilterDataset", "ScanDataset"})
"""Ops whose functions make elements, not datasets."""

_ENDLESS = frozenset({"RandomDataset", "RandomDatasetV2", "ExperimentalRandomDataset"})
_REPEATS = {"RepeatDataset": 1, "ShuffleAndRepeatDataset": 4, "ShuffleAndRepeatDatasetV2": 4}
"""The input that is the number of repetitions; without end if it is negative."""

_MAX_ELEMENTS = 1 << 40
