"""Doing what a plan says: each step as soon as all that it waits for is there.

Loops and conditionals of TensorFlow 1 are made of tensors that may be dead: a Switch gives its tensor to one side and a
dead one to the other, whatever takes a dead tensor gives dead ones, and a Merge gives the first that is alive. A
ControlTrigger only waits: it is alive whatever is not. A loop runs in a frame of its own, iteration by iteration:

    Enter           leads a tensor into the frame: into its first iteration, or as an invariant into every one
    NextIteration   leads it into the next one, which begins when the present one is over
    Exit            leads it out. One that never had a living tensor gives a dead one when the loop is over

Every step counts against the limit: those of dead tensors, those that only steer, and each tensor that is led into an
iteration. So does a call of a function, since there are loops of functions whose bodies have no nodes.

A tensor is kept until the last step that takes it has run. A step that is the only one to take a new array may change
it, but not if there is an observer, who may keep what he is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..errors import RunError
from ..graph import describe
from ..io.terminal import printable
from ..messages import NodeDef
from ..ops.runtime import Reference, Runtime
from ..ops.runtime.memory_limit import room
from .memory_limit import bytes_needed, bytes_of
from .plan import Kind, Loop, Plan, Step
from .profiling import Watch

__all__ = ["DEAD", "Budget", "execute"]


class _Dead:
    """What there is in place of a tensor that was not computed, since another branch was taken."""

    def __repr__(self) -> str:
        return "DEAD"


DEAD: Final = _Dead()


@dataclass(slots=True)
class Budget:
    """How many more steps may be run, and how many more bytes their outputs may have; None for any number.

    `limit` is how many steps there were at first.
    """

    steps: int | None = None
    bytes: int | None = None
    limit: int = field(init=False)

    def __post_init__(self) -> None:
        self.limit = self.steps or 0

    def spend(self, steps: int, node: NodeDef) -> None:
        """Count steps that are about to be run. Raises RunError, which names the node, if too few are left."""
        if self.steps is not None:
            self.steps -= steps
            if self.steps < 0:
                raise RunError(f"{describe(node)}: stopped at the limit of {self.limit:,} steps")

    def make_room(self, step: Step, needed: int) -> None:
        """Raise RunError if so many bytes are more than are left."""
        if self.bytes is not None and needed > self.bytes:
            problem = f"its outputs need {needed:,} bytes, and of those that were allowed {self.bytes:,} are left"
            raise RunError(f"{describe(step.node)}: {problem}")

    def fill(self, step: Step, outputs: Sequence[Any]) -> None:
        """Count what a step has given."""
        if self.bytes is not None:
            size = sum(map(bytes_of, outputs))
            self.make_room(step, size)
            self.bytes -= size


@dataclass(slots=True, eq=False)
class _Iteration:
    """What has arrived in one iteration of a frame, by the number of the step that waits for it.

    busy   how many steps are ready and not over yet, and how many loops inside run
    """

    frame: _Frame
    values: dict[int, list[Any]] = field(default_factory=dict)
    left: dict[int, int] = field(default_factory=dict)
    dead: dict[int, int] = field(default_factory=dict)
    merged: set[int] = field(default_factory=set)
    busy: int = 0


@dataclass(slots=True, eq=False)
class _Frame:
    """A loop that is running; the outermost frame is everything outside of loops."""

    path: tuple[str, ...] = ()
    around: _Iteration | None = None
    loop: Loop = field(default_factory=Loop)
    now: _Iteration = field(init=False)
    next: list[tuple[int, Any]] = field(default_factory=list)
    invariants: list[tuple[int, Any]] = field(default_factory=list)
    entered: int = 0
    left: set[int] = field(default_factory=set)
    inner: dict[str, _Frame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now = _Iteration(self)


def execute(
    plan: Plan,
    given: Sequence[Any],
    runtime: Runtime | None = None,
    *,
    budget: Budget | None = None,
    watch: Watch | None = None,
) -> list[Any]:
    """The values of a plan's targets: None for a node that only had to run, DEAD for what no side that was taken gives.

    `watch` measures every node that a kernel computes. Raises RunError, which names the node that failed.
    """
    return _Execution(plan, runtime, budget or Budget(), watch).run(given)


class _Execution:
    def __init__(self, plan: Plan, runtime: Runtime | None, budget: Budget, watch: Watch | None) -> None:
        self._plan = plan
        self._steps = plan.steps
        self._runtime = runtime
        self._budget = budget
        self._counts = budget.steps is not None
        self._watch = watch
        self._ready: list[tuple[_Iteration, int]] = []
        self._results: dict[int, Any] = {}
        self._special: dict[Kind, Callable[[_Iteration, int, list[Any]], None]] = {
            Kind.SWITCH: self._switch,
            Kind.MERGE: self._merge,
            Kind.ENTER: self._enter,
            Kind.EXIT: self._exit,
            Kind.NEXT_ITERATION: self._next_iteration,
            Kind.TARGET: self._target,
        }

    def run(self, given: Sequence[Any]) -> list[Any]:
        outermost = _Frame().now
        plan = self._plan
        for number, step in enumerate(self._steps):
            if not step.waits and step.kind is not Kind.GIVEN:
                self._begin(outermost, number)
        for number, value in zip(plan.given, given, strict=True):
            self._give(outermost, number, [value])
        while self._ready:
            iteration, number = self._ready.pop()
            self._step(iteration, number)
            iteration.busy -= 1
            if not iteration.busy:
                self._iteration_over(iteration)
        for number in plan.targets:
            if number not in self._results:
                raise RunError(f'"{printable(self._steps[number].node.name)}" was never reached')
        return [self._results[number] for number in plan.targets]

    # --- one step ----------------------------------------------------------------------------------------------------

    def _begin(self, iteration: _Iteration, number: int) -> None:
        iteration.busy += 1
        self._ready.append((iteration, number))

    def _step(self, iteration: _Iteration, number: int) -> None:
        step = self._steps[number]
        if self._counts:
            self._budget.spend(step.cost, step.node)
        inputs = iteration.values.pop(number, [])
        special = self._special.get(step.kind)
        if special is not None:
            special(iteration, number, inputs)
        elif iteration.dead.pop(number, 0):
            self._give(iteration, number, None)
        else:
            self._give(iteration, number, self._computed(step, inputs))

    def _computed(self, step: Step, inputs: list[Any]) -> list[Any]:
        if step.constant is not None and self._watch is None:
            self._budget.fill(step, step.constant)
            return step.constant
        if self._budget.bytes is None:
            return self._outputs(step, inputs)
        plain = [each.value if isinstance(each, Reference) else each for each in inputs]
        self._budget.make_room(step, bytes_needed(step.node, plain, self._plan.types_of(step)))
        with room(self._budget.bytes):
            outputs = self._outputs(step, inputs)
        self._budget.fill(step, outputs)
        return outputs

    def _outputs(self, step: Step, inputs: list[Any]) -> list[Any]:
        bound = self._plan.bound(step)
        if not bound.kernel.references:
            inputs = [each.value if isinstance(each, Reference) else each for each in inputs]
        if self._watch is None:
            outputs = bound(inputs, self._runtime, own=step.owns)
            if step.node.op == "Const":
                step.constant = outputs
            return outputs
        return self._watch.node(step.node, inputs, lambda: bound(inputs, self._runtime))

    def _give(self, iteration: _Iteration, number: int, outputs: Sequence[Any] | None) -> None:
        """Hand the outputs of a step to its users; None stands for dead ones."""
        step = self._steps[number]
        for port, users in step.users.items():
            if outputs is not None and port >= len(outputs):
                raise RunError(f"{describe(step.node)} has no output {port}")
            value = DEAD if outputs is None else outputs[port]
            for user, place in users:
                self._arrive(iteration, user, place, value)
        for user in step.after:
            self._arrive(iteration, user, -1, DEAD if outputs is None else None)

    def _arrive(self, iteration: _Iteration, number: int, place: int, value: Any) -> None:
        """A tensor, or with the place -1 control, comes to a step."""
        step = self._steps[number]
        if step.kind is Kind.MERGE:
            self._arrive_at_merge(iteration, number, step, place, value)
            return
        if value is DEAD and step.node.op != "ControlTrigger":
            iteration.dead[number] = iteration.dead.get(number, 0) + 1
        if place >= 0:
            values = iteration.values.get(number)
            if values is None:
                values = iteration.values[number] = [None] * step.inputs
            values[place] = value
        left = iteration.left.get(number, step.waits) - 1
        if left:
            iteration.left[number] = left
        else:
            iteration.left.pop(number, None)
            self._begin(iteration, number)

    # --- conditionals ------------------------------------------------------------------------------------------------

    def _arrive_at_merge(self, iteration: _Iteration, number: int, step: Step, place: int, value: Any) -> None:
        """A Merge waits for all control inputs, and for one living tensor or nothing but dead ones."""
        if number in iteration.merged:
            return
        controls = iteration.left.get(number, step.waits - step.inputs)
        if place < 0:
            controls = iteration.left[number] = controls - 1
        elif value is DEAD:
            iteration.dead[number] = iteration.dead.get(number, 0) + 1
        else:
            iteration.values.setdefault(number, [value, np.int32(place)])
        if not controls and (number in iteration.values or iteration.dead.get(number, 0) == step.inputs):
            iteration.merged.add(number)
            self._begin(iteration, number)

    def _merge(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        iteration.dead.pop(number, None)
        self._give(iteration, number, [inputs[0], np.asarray(inputs[1])] if inputs else None)

    def _switch(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        step = self._steps[number]
        if iteration.dead.pop(number, 0):
            self._give(iteration, number, None)
            return
        data, which = inputs
        if isinstance(which, Reference):
            which = which.value
        try:
            taken = int(which)
        except (TypeError, ValueError):
            raise RunError(f"{describe(step.node)}: what decides must be one value") from None
        last = max((*step.users, 1))
        outputs: list[Any] = [DEAD] * (last + 1)
        if step.node.op == "_SwitchN" and not 0 <= taken <= last:
            taken = last
        if 0 <= taken <= last:
            outputs[taken] = data
        self._give(iteration, number, outputs)

    # --- loops -------------------------------------------------------------------------------------------------------

    def _enter(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        step = self._steps[number]
        is_dead = bool(iteration.dead.pop(number, 0))
        around = iteration.frame
        frame = around.inner.get(step.frame)
        if frame is None:
            path = (*around.path, step.frame)
            if path not in self._plan.loops:
                raise RunError(f"{describe(step.node)}: what it takes, or waits for, is in several loops")
            frame = around.inner[step.frame] = _Frame(path, iteration, self._plan.loops[path])
            iteration.busy += 1
        frame.entered += 1
        if step.invariant and not is_dead:
            frame.invariants.append((number, inputs[0]))
        frame.now.busy += 1
        self._give(frame.now, number, None if is_dead else inputs)
        frame.now.busy -= 1
        if not frame.now.busy:
            self._iteration_over(frame.now)

    def _next_iteration(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        if not iteration.dead.pop(number, 0):
            iteration.frame.next.append((number, inputs[0]))

    def _exit(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        frame = iteration.frame
        if not iteration.dead.pop(number, 0) and frame.around is not None:
            frame.left.add(number)
            self._give(frame.around, number, inputs)

    def _iteration_over(self, iteration: _Iteration) -> None:
        """Nothing of an iteration is to be done any more: the next one begins, or the loop is over."""
        frame = iteration.frame
        if frame.around is None or frame.entered < frame.loop.enters:
            return
        if frame.next:
            following, frame.next = frame.next, []
            frame.now = _Iteration(frame)
            frame.now.busy += 1
            for number, value in (*frame.invariants, *following):
                self._budget.spend(self._steps[number].cost, self._steps[number].node)
                self._give(frame.now, number, [value])
            frame.now.busy -= 1
            if not frame.now.busy:
                self._iteration_over(frame.now)
            return
        around = frame.around
        del around.frame.inner[frame.path[-1]]
        for number in frame.loop.exits:
            if number not in frame.left:
                self._give(around, number, None)
        around.busy -= 1
        if not around.busy:
            self._iteration_over(around)

    # --- results -----------------------------------------------------------------------------------------------------

    def _target(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        dead = iteration.dead.pop(number, 0)
        value = DEAD if dead else inputs[0] if inputs else None
        self._results[number] = value.value if isinstance(value, Reference) else value
