"""Loops that never end: conditions that stay true, functions that call each other.

    EndlessLoops(Evaluator(bodies)).problem("", 3)    # "is a loop whose condition is always true"; "" if there is none

A condition is computed as far as it follows from constants: the variables of the loop have their initial values until
an iteration changes them. A value that is not known is a `Token`: two equal tokens are the same value, so `x == x` is
true. The condition of a loop that depends on constants only, but is not computed here, counts too: such a loop never
runs, or never ends. A loop in a function is judged for the arguments of each call.

Variables of a loop that change have intervals, and count by how much each iteration changes them: `n >= 0` is true for
long while `n` increases from 0. What a variable of the model holds, which no node in the loop changes, stays: its value
in the checkpoint and the values that nodes write to it count, if they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from pbwire.errors import Error

from ...graph import GraphIndex
from ...graph.control_flow import Frame
from ...messages import NodeDef
from ...ops.traits import CALLS, ENTER, EXIT, LOOP_COND, MERGE, NEXT_ITERATION, SWITCH
from ...values.names import TensorName, data_inputs, node_name
from .call_graph import MAX_EXPANDED, expanded_sizes, nodes_before, running_nodes
from .endless_datasets import EndlessDatasets, has_many
from .evaluation import LOOPS, MAX_ITERATIONS, MAX_OTHER_STEPS, MAX_ROUNDS, MAX_STEPS, Environment, Evaluator, Request
from .intervals import NUMBERS, Counter, Interval, is_inside, joined, widened
from .op_values import Token, Value, are_same, is_same
from .states import Scope

MAX_ALL_STEPS = 1_000_000
"""The maximum number of values that are computed for all conditions of a model."""

MAX_FIRST = 3
"""The number of iterations after which the variables of a loop may stay as they are."""

MAX_SIMULATED = 32
"""The number of iterations after which the variables of a loop may have the values again that they had before."""

_KEPT = NEXT_ITERATION | EXIT | LOOP_COND
"""The nodes of a loop of TensorFlow 1 that need the others in it: what they do not depend on does not run with them."""

ALWAYS_TRUE = "is a loop whose condition is always true"
NEVER_CHANGES = "is a loop whose condition never changes: it does not run, or it does not end"
CALLS_ITSELF = "belongs to functions that call each other without end"
TOO_MANY = f"calls functions that run more than {MAX_EXPANDED:,} nodes"
TOO_LONG = f"is a loop of more than {MAX_ITERATIONS:,} iterations"
NO_CONDITION = "is a loop without a condition"
NOT_KNOWN = "is a loop whose condition takes too long to follow, and that may have no end"


class EndlessLoops:
    """Finds loops without end, with the values that an Evaluator computes."""

    def __init__(self, values: Evaluator) -> None:
        self._values = values
        self._datasets = EndlessDatasets(values)
        self._all_steps = 0
        self._solved: set[str] = set()
        self._conditionals: dict[str, set[int]] = {}
        self._running: dict[tuple[str, bool], set[int]] = {}
        self._recursive = values.recursive
        self._sizes = expanded_sizes(values.bodies, values.called_by, self._recursive)

    def problem(self, function: str, position: int) -> str:
        """Return the rest of a sentence about a node that never ends; "" for other nodes."""
        body = self._values.bodies[function]
        node = body.nodes[position]
        circle = self._recursive.get(function)
        called = self._values.called_by[function].get(position, ())
        if circle is not None and not circle.isdisjoint(called):
            return CALLS_ITSELF
        if any(self._sizes[name] > MAX_EXPANDED for name in called):
            return TOO_MANY
        self._values.enter_scope({})
        if problem := self._datasets.problem(function, node):
            return problem
        if node.op == "For" and has_many(self._values, function, data_inputs(node)[:3]):
            return TOO_LONG
        if node.op in NEXT_ITERATION:
            return self._without_condition(function, node)
        if node.op not in LOOP_COND and node.op not in LOOPS:
            return ""
        self._values.enter_scope(self._scope_of(function, node))
        return next(filter(None, (self._loop(function, node, row) for row in self._values.callers(function, 0))), "")

    def _loop(self, function: str, node: NodeDef, arguments: Environment) -> str:
        if node.op in LOOPS:
            with suppress(Error):  # a fault of its own
                return self._while_loop(function, node, arguments)
            return ""
        self._solve_merges(function)
        texts = data_inputs(node)
        return self._judge(Request(function, texts[0], arguments, 0)) if texts else ""

    def _judge(self, condition: Request) -> str:
        self._values.limit(MAX_STEPS)
        value = self._values.compute(condition)
        self._all_steps += self._values.steps
        if isinstance(value, Token):
            if self._values.steps > MAX_STEPS or self._all_steps > MAX_ALL_STEPS:
                return NOT_KNOWN
            return "" if value.changes else NEVER_CHANGES
        return ALWAYS_TRUE if value else ""

    # --- the nodes of a loop -----------------------------------------------------------------------------------------

    def _scope_of(self, function: str, node: NodeDef) -> Scope:
        if node.op in LOOPS:
            names = [node.attr[name].func for name in ("cond", "body") if name in node.attr]
            return self._scope([(called.name, False) for called in names if called is not None])
        frame = self._values.bodies[function].node_frames[self._values.bodies[function].position(node.name)]
        return self._scope_of_frames(function, lambda other: _is_in(other, frame))

    def _scope_of_frames(self, function: str, is_inside: Callable[[Frame | None], bool]) -> Scope:
        """Return the scope of the nodes of a body that run in certain frames."""
        body = self._values.bodies[function]
        inside = {position for position, frame in enumerate(body.node_frames) if is_inside(frame)}
        ends = [position for position in inside if body.nodes[position].op in _KEPT]
        positions = inside & nodes_before(body, ends)
        scope = self._scope(self._calls(function, positions))
        own = frozenset(body.nodes[position].name for position in positions)
        return {**scope, function: own.union(scope.get(function, ()))}

    def _scope(self, functions: Iterable[tuple[str, bool]]) -> Scope:
        """Return the nodes that run in functions, each with whether it is inlined, and in those that they call."""
        queue = list(dict.fromkeys(functions))
        seen = set(queue)
        scope: dict[str, frozenset[str]] = {}
        for name, is_inlined in queue:  # the loop appends to it
            if name not in self._values.bodies:
                continue
            if (name, is_inlined) not in self._running:
                positions = running_nodes(name, self._values.bodies[name], is_inlined=is_inlined)
                self._running[name, is_inlined] = positions
            positions = self._running[name, is_inlined]
            names = (self._values.bodies[name].nodes[position].name for position in positions)
            scope[name] = scope.get(name, frozenset()).union(names)
            for row in self._calls(name, positions):
                if row not in seen:
                    seen.add(row)
                    queue.append(row)
        return scope

    def _calls(self, function: str, positions: Iterable[int]) -> Iterator[tuple[str, bool]]:
        """Yield the functions that nodes run, each with whether TensorFlow inlines it."""
        body, called = self._values.bodies[function], self._values.called_by[function]
        for position in positions:
            for name in called.get(position, ()):
                yield name, body.nodes[position].op in CALLS

    # --- intervals ---------------------------------------------------------------------------------------------------

    def _widened(
        self, key: object, first: Sequence[Value], now: Sequence[Value], after: Callable[[Sequence[Value]], list[Value]]
    ) -> tuple[Value, ...] | None:
        """Return the variables of a loop with intervals for those that change from a number; None if there are none.

        `first` are their initial values, `now` those that hold in all iterations, and `after` computes the values after
        an iteration.
        """
        changing = [
            number
            for number, value in enumerate(first)
            if isinstance(now[number], Token) and not isinstance(value, Token | bool)
        ]
        intervals: dict[int, Interval] = {number: self._values.interval(first[number]) for number in changing}
        for round_ in range(MAX_ROUNDS if changing else 0):
            values = list(now)
            for number, interval in intervals.items():
                own = values[number] = self._values.token("interval", key, number, round_, tuple(map(repr, first)))
                self._values.intervals[own.number] = interval
            is_stable = True
            for number, result in zip(changing, after(values), strict=True):
                token = values[number]
                grown = self._grown(first[number], token, result)
                before = intervals[number]
                if not is_inside(grown, before):
                    is_stable = False
                    is_counter = isinstance(token, Token) and token.number in self._values.counters
                    intervals[number] = joined(grown, before) if is_counter else widened(grown, before)
            if is_stable:
                return tuple(values)
        return None

    def _grown(self, first: Value, token: Value, result: Value) -> Interval:
        """Return the interval of a variable after any iteration; for a counter, that of many iterations."""
        assert isinstance(token, Token) and not isinstance(first, Token)
        total = self._values.sums.get(result.number) if isinstance(result, Token) else None
        if total is None or total.token != token.number or not total.number or total.dtype not in NUMBERS:
            return self._values.interval(result)
        counter = Counter(first, total.number, total.dtype, MAX_ITERATIONS)
        self._values.counters[token.number] = counter
        return counter.interval

    # --- loops that call functions -----------------------------------------------------------------------------------

    def _while_loop(self, function: str, node: NodeDef, outer: Environment) -> str:
        """Return the problem of a While, whose functions are called repeatedly with the values of its variables."""
        cond, loop = (node.attr[name].func if name in node.attr else None for name in ("cond", "body"))
        if cond is None or loop is None or cond.name not in self._values.bodies or loop.name not in self._values.bodies:
            return ""
        self._values.limit(MAX_OTHER_STEPS)
        values = tuple(self._values.compute(Request(function, text, outer, 0)) for text in data_inputs(node))
        conditions, results = self._values.results(cond.name), self._values.results(loop.name)
        if len(conditions) != 1 or len(results) != len(values):
            return ""  # a fault of its own
        earlier: list[Environment] = []
        for number in range(MAX_SIMULATED):
            if number <= MAX_FIRST:
                unchanged = self._unchanged(function, node, loop.name, values)
                if problem := self._judge(Request(cond.name, conditions[0], unchanged, 1)):
                    return problem
                widened = self._widened(
                    (function, node.name), values, unchanged, partial(self._after, loop.name, values, unchanged)
                )
                if widened and self._judge(Request(cond.name, conditions[0], widened, 1)) == ALWAYS_TRUE:
                    return TOO_LONG
            self._values.limit(MAX_OTHER_STEPS)
            now = self._values.compute(Request(cond.name, conditions[0], values, 1))
            if not now or (isinstance(now, Token) and number >= MAX_FIRST):
                break
            earlier = [] if isinstance(now, Token) else [*earlier, values]
            values = tuple(self._values.compute(Request(loop.name, text, values, 1)) for text in results)
            if any(are_same(values, before) for before in earlier):
                return ALWAYS_TRUE
        return ""

    def _unchanged(self, function: str, node: NodeDef, loop: str, first: Environment) -> Environment:
        """Return the values of the variables of a While that hold in all iterations; tokens for those that change."""
        values, results = list(first), self._values.results(loop)
        self._values.limit(MAX_OTHER_STEPS)
        for round_ in range(MAX_ROUNDS + 1):
            before = tuple(values)
            for number, text in enumerate(results[: len(values)]):
                after = self._values.compute(Request(loop, text, before, 1))
                if not is_same(after, before[number]) or round_ == MAX_ROUNDS:
                    values[number] = self._values.token("variable", function, node.name, number)
            if are_same(before, values):
                break
        return tuple(values)

    def _after(self, loop: str, first: Sequence[Value], now: Sequence[Value], values: Sequence[Value]) -> list[Value]:
        """Return the values that an iteration gives to the variables of a While that change from a number."""
        self._values.limit(MAX_OTHER_STEPS)
        return [
            self._values.compute(Request(loop, text, tuple(values), 1))
            for text, before, value in zip(self._values.results(loop), first, now, strict=True)
            if isinstance(value, Token) and not isinstance(before, Token | bool)
        ]

    # --- loops of TensorFlow 1 ---------------------------------------------------------------------------------------

    def _solve_merges(self, function: str) -> None:
        """Find the values of the variables of all loops of a body: those that no iteration changes keep theirs."""
        if function in self._solved:
            return
        self._solved.add(function)
        body = self._values.bodies[function]
        scope = self._values.scope
        self._values.enter_scope(self._scope_of_frames(function, lambda frame: frame is not None))
        arguments = self._values.callers(function, MAX_ROUNDS)[0]
        self._values.limit(MAX_OTHER_STEPS + 10 * len(body.nodes))
        loops: dict[int, list[str]] = {}  # by position of the Merge: what iterations give it
        for position, node in enumerate(body.nodes):
            if node.op in MERGE:
                inputs = data_inputs(node)
                back = [text for text in inputs if _op(body, text) in NEXT_ITERATION]
                if back:
                    loops[position] = back
                    self._values.variables[function, position] = self._values.token("loop", function, position)
                    first = [text for text in inputs if text not in back]
                    if len(first) == 1:
                        self._values.variables[function, position] = self._values.compute(
                            Request(function, first[0], arguments, 0)
                        )
        initial = [self._values.variables[function, position] for position in loops]
        for round_ in range(MAX_ROUNDS + 1):
            stable = True
            self._values.forget()
            for position, back in loops.items():
                old, changing = (
                    self._values.variables[function, position],
                    self._values.token("loop", function, position),
                )
                after = [self._values.compute(Request(function, text, arguments, 0)) for text in back]
                if old != changing and (round_ == MAX_ROUNDS or not all(is_same(value, old) for value in after)):
                    stable = False
                    self._values.variables[function, position] = changing
            if stable:
                break
        now = [self._values.variables[function, position] for position in loops]
        widened = self._widened(function, initial, now, partial(self._after_iteration, function, loops, initial, now))
        for position, value in zip(loops, widened or now, strict=True):
            self._values.variables[function, position] = value
        self._values.forget()
        self._values.enter_scope(scope)

    def _after_iteration(
        self,
        function: str,
        loops: Mapping[int, list[str]],
        first: Sequence[Value],
        now: Sequence[Value],
        values: Sequence[Value],
    ) -> list[Value]:
        """Return the values that an iteration gives to the variables of loops that change from a number."""
        self._values.forget()
        self._values.limit(MAX_OTHER_STEPS)
        for position, value in zip(loops, values, strict=True):
            self._values.variables[function, position] = value
        arguments = self._values.callers(function, MAX_ROUNDS)[0]
        results = []
        for back, before, value in zip(loops.values(), first, now, strict=True):
            if isinstance(value, Token) and not isinstance(before, Token | bool):
                found = [self._values.compute(Request(function, text, arguments, 0)) for text in back]
                results.append(found[0] if len(found) == 1 else self._values.token("several", function, *back))
        return results

    def _without_condition(self, function: str, node: NodeDef) -> str:
        """Return the problem of an iteration that goes on without a LoopCond; "" if there is one."""
        body = self._values.bodies[function]
        if body.position(node.name) in self._conditional(function):
            return ""
        self._values.enter_scope(self._scope_of(function, node))
        self._solve_merges(function)
        arguments = self._values.callers(function, MAX_ROUNDS)[0]
        queue = data_inputs(node)
        seen = set(queue)
        problem = NO_CONDITION
        for text in queue:  # the loop appends to it
            name = TensorName.parse(text)
            before = body.get(name.node)
            self._all_steps += 1
            if before is None or len(seen) > MAX_STEPS or self._all_steps > MAX_ALL_STEPS:
                return NOT_KNOWN if before is not None else ""
            if before.op in MERGE or before.op in ENTER:
                continue
            inputs = data_inputs(before)
            if before.op in SWITCH and len(inputs) == 2:
                self._values.limit(MAX_OTHER_STEPS)
                choice = self._values.compute(Request(function, inputs[1], arguments, 0))
                if choice.changes if isinstance(choice, Token) else bool(choice) is not bool(name.port):
                    return ""
                problem = NEVER_CHANGES if isinstance(choice, Token) or problem == NEVER_CHANGES else ALWAYS_TRUE
            for other in inputs:
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
        return problem

    def _conditional(self, function: str) -> set[int]:
        """Return the positions of the nodes of a body that run only while the condition of a loop is true."""
        if function in self._conditionals:
            return self._conditionals[function]
        body = self._values.bodies[function]
        found: set[int] = set()
        for position in body.forward_order:
            node = body.nodes[position]
            rows = [row for row in zip(node.input, body.sources[position], strict=True) if row[1] >= 0]
            if node.op in MERGE:
                rows = [row for row in rows if body.nodes[row[1]].op not in NEXT_ITERATION]
                if rows and all(self._is_conditional(body, found, *row) for row in rows):
                    found.add(position)
            elif any(self._is_conditional(body, found, *row) for row in rows):
                found.add(position)
        self._conditionals[function] = found
        return found

    def _is_conditional(self, body: GraphIndex, found: Collection[int], text: str, source: int) -> bool:
        """Return whether a tensor exists only while the condition of a loop is true."""
        node = body.nodes[source]
        inputs = data_inputs(node)
        if source in found or node.op not in SWITCH or len(inputs) != 2 or TensorName.parse(text).port != 1:
            return source in found
        condition = body.get(node_name(inputs[1]))
        while condition is not None and condition.op == "Identity" and condition.input:
            condition = body.get(node_name(condition.input[0]))
        return condition is not None and condition.op in LOOP_COND


def _is_in(inner: Frame | None, frame: Frame | None) -> bool:
    """Return whether a frame is another one, or in it."""
    while inner is not None and inner is not frame:
        inner = inner.parent
    return inner is frame


def _op(body: GraphIndex, text: str) -> str:
    node = body.get(node_name(text))
    return node.op if node is not None else ""
