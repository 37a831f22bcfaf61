"""Execute a plan: run each step as soon as all of its inputs have arrived.

Loops and conditionals of TensorFlow 1 use dead tensors: a Switch sends its tensor to one branch and a dead one to the
other, a node with a dead input has dead outputs, and a Merge passes on the first live tensor. A ControlTrigger only
waits: its outputs are alive even if its inputs are dead. A loop runs in a frame of its own, iteration by iteration:

    Enter           sends a tensor into the frame: into its first iteration, or as an invariant into every iteration
    NextIteration   sends a tensor into the next iteration, which begins when the current one is done
    Exit            sends a tensor out of the frame. An Exit that never got a live tensor sends a dead one when the loop
                    is done

Every step counts against the limit: steps with dead tensors, steps of control flow, and each tensor that is sent into
an iteration. So does a call of a function: loops may call functions whose bodies have no nodes.

A tensor is kept until its last consumer has run. A step that is the only consumer of a new array may change it in
place, unless there is an observer, which may keep the arrays that it gets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ..errors import RunError, with_name
from ..graph import describe
from ..kernels.runtime import Reference, Runtime
from ..kernels.runtime.memory_limit import bytes_needed, bytes_of, limit_memory
from ..messages import NodeDef
from ..values.terminal import escape
from .plan import Kind, Loop, Plan, Step
from .profiling import NodeTimer


class _Dead:
    """The value of tensors that are not computed because another branch was taken."""

    def __repr__(self) -> str:
        return "DEAD"


DEAD: Final = _Dead()


@dataclass(slots=True)
class Budget:
    """The number of steps that may still run, and of bytes that their outputs may still take; None without a limit.

    `limit` is the initial number of steps.
    """

    steps: int | None = None
    bytes: int | None = None
    limit: int = field(init=False)

    def __post_init__(self) -> None:
        self.limit = self.steps or 0

    def spend(self, steps: int, node: NodeDef) -> None:
        """Count steps that are about to run. Raises RunError, which names the node, if too few are left."""
        if self.steps is not None:
            self.steps -= steps
            if self.steps < 0:
                raise RunError(with_name(describe(node), f"stopped at the limit of {self.limit:,} steps"))

    def require(self, step: Step, needed: int) -> None:
        """Raise RunError if fewer bytes are left than `needed`."""
        if self.bytes is not None and needed > self.bytes:
            problem = f"its outputs need {needed:,} bytes, and {self.bytes:,} of the allowed bytes are left"
            raise RunError(with_name(describe(step.node), problem))

    def charge(self, step: Step, outputs: Sequence[Any]) -> None:
        """Count the bytes of the outputs of a step. Raises RunError if too few are left."""
        if self.bytes is not None:
            size = sum(map(bytes_of, outputs))
            self.require(step, size)
            self.bytes -= size


@dataclass(slots=True, eq=False)
class _Iteration:
    """The state of one iteration of a frame. The dicts are keyed by the number of the waiting step.

    values     the tensors that have arrived, by input
    pending    the number of inputs that have not arrived; for a Merge, only of control inputs
    dead       the number of dead inputs
    merged     the Merge steps that are ready or done
    busy       the number of steps that are ready but not done, and of inner loops that run
    """

    frame: _Frame
    values: dict[int, list[Any]] = field(default_factory=dict)
    pending: dict[int, int] = field(default_factory=dict)
    dead: dict[int, int] = field(default_factory=dict)
    merged: set[int] = field(default_factory=set)
    busy: int = 0


@dataclass(slots=True, eq=False)
class _Frame:
    """A loop that is running; the outermost frame is the graph outside of loops.

    current        the running iteration
    next_values    the NextIteration steps that ran, with the live tensors for the next iteration
    invariants     the Enter steps whose tensors are sent into every iteration, with the tensors
    enter_count    the number of Enter steps that ran
    live_exits     the Exit steps that sent a live tensor
    inner          the running loops inside this one, by name
    """

    path: tuple[str, ...] = ()
    outer: _Iteration | None = None
    loop: Loop = field(default_factory=Loop)
    current: _Iteration = field(init=False)
    next_values: list[tuple[int, Any]] = field(default_factory=list)
    invariants: list[tuple[int, Any]] = field(default_factory=list)
    enter_count: int = 0
    live_exits: set[int] = field(default_factory=set)
    inner: dict[str, _Frame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.current = _Iteration(self)


def execute(
    plan: Plan,
    feeds: Sequence[Any],
    runtime: Runtime | None = None,
    *,
    budget: Budget | None = None,
    timer: NodeTimer | None = None,
) -> list[Any]:
    """Return the values of a plan's targets: None for a node without outputs, DEAD for a tensor of a skipped branch.

    `timer` measures every node that a kernel computes. Raises RunError, which names the node that failed, or GraphError
    for a missing or wrong attribute.
    """
    return _Execution(plan, runtime, budget or Budget(), timer).run(feeds)


class _Execution:
    def __init__(self, plan: Plan, runtime: Runtime | None, budget: Budget, timer: NodeTimer | None) -> None:
        self._plan = plan
        self._steps = plan.steps
        self._runtime = runtime
        self._budget = budget
        self._counts_steps = budget.steps is not None
        self._timer = timer
        self._ready: list[tuple[_Iteration, int]] = []
        self._results: dict[int, Any] = {}
        self._handlers: dict[Kind, Callable[[_Iteration, int, list[Any]], None]] = {
            Kind.SWITCH: self._switch,
            Kind.MERGE: self._merge,
            Kind.ENTER: self._enter,
            Kind.EXIT: self._exit,
            Kind.NEXT_ITERATION: self._next_iteration,
            Kind.TARGET: self._target,
        }

    def run(self, feeds: Sequence[Any]) -> list[Any]:
        outermost = _Frame().current
        plan = self._plan
        for number, step in enumerate(self._steps):
            if not step.waits and step.kind is not Kind.FEED:
                self._begin(outermost, number)
        for number, value in zip(plan.feeds, feeds, strict=True):
            self._send(outermost, number, [value])
        while self._ready:
            iteration, number = self._ready.pop()
            self._step(iteration, number)
            iteration.busy -= 1
            if not iteration.busy:
                self._finish_iteration(iteration)
        for number in plan.targets:
            if number not in self._results:
                raise RunError(f'"{escape(self._steps[number].node.name)}" was never reached')
        return [self._results[number] for number in plan.targets]

    # --- one step ----------------------------------------------------------------------------------------------------

    def _begin(self, iteration: _Iteration, number: int) -> None:
        iteration.busy += 1
        self._ready.append((iteration, number))

    def _step(self, iteration: _Iteration, number: int) -> None:
        step = self._steps[number]
        if self._counts_steps:
            self._budget.spend(step.cost, step.node)
        inputs = iteration.values.pop(number, [])
        handler = self._handlers.get(step.kind)
        if handler is not None:
            handler(iteration, number, inputs)
        elif iteration.dead.pop(number, 0):
            self._send(iteration, number, None)
        else:
            self._send(iteration, number, self._compute(step, inputs))

    def _compute(self, step: Step, inputs: list[Any]) -> list[Any]:
        if step.constant is not None and self._timer is None:
            self._budget.charge(step, step.constant)
            return step.constant
        if self._budget.bytes is None:
            return self._run_kernel(step, inputs)
        plain = [value.value if isinstance(value, Reference) else value for value in inputs]
        needed = bytes_needed(step.node, plain, self._plan.types_of(step))
        self._budget.require(step, needed)
        with limit_memory(self._budget.bytes, needed) as limit:
            outputs = self._run_kernel(step, inputs)
        self._budget.bytes -= limit.held if limit is not None else 0
        self._budget.charge(step, outputs)
        return outputs

    def _run_kernel(self, step: Step, inputs: list[Any]) -> list[Any]:
        bound = self._plan.bind_kernel(step)
        if not bound.kernel.references:
            inputs = [value.value if isinstance(value, Reference) else value for value in inputs]
        if self._timer is None:
            outputs = bound(inputs, self._runtime, own=step.owns)
            if step.node.op == "Const":
                step.constant = outputs
            return outputs
        return self._timer.node(step.node, inputs, lambda: bound(inputs, self._runtime))

    def _send(self, iteration: _Iteration, number: int, outputs: Sequence[Any] | None) -> None:
        """Send the outputs of a step to its users. `outputs` is None if all of them are dead."""
        step = self._steps[number]
        for port, users in step.users.items():
            if outputs is not None and port >= len(outputs):
                raise RunError(f"{describe(step.node)} has no output {port}")
            value = DEAD if outputs is None else outputs[port]
            for user, input_index in users:
                self._deliver(iteration, user, input_index, value)
        for user in step.after:
            self._deliver(iteration, user, -1, DEAD if outputs is None else None)

    def _deliver(self, iteration: _Iteration, number: int, input_index: int, value: Any) -> None:
        """Deliver a tensor to an input of a step, or a control signal if `input_index` is -1."""
        step = self._steps[number]
        if step.kind is Kind.MERGE:
            self._deliver_to_merge(iteration, number, step, input_index, value)
            return
        if value is DEAD and step.node.op != "ControlTrigger":
            iteration.dead[number] = iteration.dead.get(number, 0) + 1
        if input_index >= 0:
            values = iteration.values.get(number)
            if values is None:
                values = iteration.values[number] = [None] * step.inputs
            values[input_index] = value
        pending = iteration.pending.get(number, step.waits) - 1
        if pending:
            iteration.pending[number] = pending
        else:
            iteration.pending.pop(number, None)
            self._begin(iteration, number)

    # --- conditionals ------------------------------------------------------------------------------------------------

    def _deliver_to_merge(self, iteration: _Iteration, number: int, step: Step, input_index: int, value: Any) -> None:
        """Deliver a tensor or a control signal to a Merge.

        A Merge is ready when all control inputs have arrived, and either one live tensor or only dead tensors.
        """
        if number in iteration.merged:
            return
        controls = iteration.pending.get(number, step.waits - step.inputs)
        if input_index < 0:
            controls = iteration.pending[number] = controls - 1
        elif value is DEAD:
            iteration.dead[number] = iteration.dead.get(number, 0) + 1
        else:
            iteration.values.setdefault(number, [value, np.int32(input_index)])
        if not controls and (number in iteration.values or iteration.dead.get(number, 0) == step.inputs):
            iteration.merged.add(number)
            self._begin(iteration, number)

    def _merge(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        iteration.dead.pop(number, None)
        self._send(iteration, number, [inputs[0], np.asarray(inputs[1])] if inputs else None)

    def _switch(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        step = self._steps[number]
        if iteration.dead.pop(number, 0):
            self._send(iteration, number, None)
            return
        data, predicate = inputs
        if isinstance(predicate, Reference):
            predicate = predicate.value
        try:
            branch = int(predicate)
        except (TypeError, ValueError):
            raise RunError(with_name(describe(step.node), "its predicate must be one value")) from None
        last = max((*step.users, 1))
        outputs: list[Any] = [DEAD] * (last + 1)
        if step.node.op == "_SwitchN" and not 0 <= branch <= last:
            branch = last
        if 0 <= branch <= last:
            outputs[branch] = data
        self._send(iteration, number, outputs)

    # --- loops -------------------------------------------------------------------------------------------------------

    def _enter(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        step = self._steps[number]
        is_dead = bool(iteration.dead.pop(number, 0))
        outer = iteration.frame
        frame = outer.inner.get(step.frame)
        if frame is None:
            path = (*outer.path, step.frame)
            if path not in self._plan.loops:
                raise RunError(with_name(describe(step.node), "its inputs are in several loops"))
            frame = outer.inner[step.frame] = _Frame(path, iteration, self._plan.loops[path])
            iteration.busy += 1
        frame.enter_count += 1
        if step.invariant and not is_dead:
            frame.invariants.append((number, inputs[0]))
        frame.current.busy += 1
        self._send(frame.current, number, None if is_dead else inputs)
        frame.current.busy -= 1
        if not frame.current.busy:
            self._finish_iteration(frame.current)

    def _next_iteration(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        if not iteration.dead.pop(number, 0):
            iteration.frame.next_values.append((number, inputs[0]))

    def _exit(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        frame = iteration.frame
        if not iteration.dead.pop(number, 0) and frame.outer is not None:
            frame.live_exits.add(number)
            self._send(frame.outer, number, inputs)

    def _finish_iteration(self, iteration: _Iteration) -> None:
        """Begin the next iteration of a loop, or leave the loop, after an iteration is done."""
        frame = iteration.frame
        if frame.outer is None or frame.enter_count < frame.loop.enters:
            return
        if frame.next_values:
            next_values, frame.next_values = frame.next_values, []
            frame.current = _Iteration(frame)
            frame.current.busy += 1
            for number, value in (*frame.invariants, *next_values):
                self._budget.spend(self._steps[number].cost, self._steps[number].node)
                self._send(frame.current, number, [value])
            frame.current.busy -= 1
            if not frame.current.busy:
                self._finish_iteration(frame.current)
            return
        outer = frame.outer
        del outer.frame.inner[frame.path[-1]]
        for number in frame.loop.exits:
            if number not in frame.live_exits:
                self._send(outer, number, None)
        outer.busy -= 1
        if not outer.busy:
            self._finish_iteration(outer)

    # --- results -----------------------------------------------------------------------------------------------------

    def _target(self, iteration: _Iteration, number: int, inputs: list[Any]) -> None:
        dead = iteration.dead.pop(number, 0)
        value = DEAD if dead else inputs[0] if inputs else None
        self._results[number] = value.value if isinstance(value, Reference) else value
