"""What has to be done to get some tensors out of a graph, or the results of a function: steps, and what goes where.

    plan = Plan.of_graph(graph, fed=[x], wanted=[y], ops=ops)

A plan has only what the wanted tensors need, and stops at those that are fed. Its steps are numbered; a step gives
tensors to the places of others, and control to others that have to wait for it. Constants are made once, kernels are
bound once, so a plan can be run many times.

An op without a kernel is no error before its step is run; `missing` lists them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from ..errors import GraphError, RunError
from ..graph import (
    ENTER,
    EXIT,
    MERGE,
    NEXT_ITERATION,
    SWITCH,
    attr,
    describe,
    instantiate,
)
from ..graph.control_flow import frame_name
from ..graph.error_text import guess, quoted
from ..messages import AttrValue, DataType, FunctionDef, GraphDef, NameAttrList, NodeDef, OpDef
from ..names import CONTROL, TensorName
from ..ops import OPS, output_types
from ..ops.runtime import KERNELS, Bound, Kernel, Runtime, bind
from ..ops.runtime.binding import types_of

__all__ = ["Kind", "Plan", "Step"]


class Kind(Enum):
    """How a step is run: by its kernel, or as one of those that steer loops and conditionals."""

    KERNEL = auto()
    GIVEN = auto()
    """Its tensors come from outside: they are fed, or are the arguments of a function."""
    SWITCH = auto()
    MERGE = auto()
    ENTER = auto()
    EXIT = auto()
    NEXT_ITERATION = auto()
    TARGET = auto()
    """It takes what is wanted, and gives nothing."""


MOST_NESTED = 1000
"""How deep loops may be nested, which a plan knows by all the loops around them; five is deep."""

MOST_NAMED = 10_000
"""How many functions and values the attribute of a call may hold after substitution."""

_CONSUMERS = 32
"""How many tensors are handed on in one step: about as long as a step that only steers takes."""

_KINDS = {
    **dict.fromkeys(SWITCH, Kind.SWITCH),
    **dict.fromkeys(MERGE, Kind.MERGE),
    **dict.fromkeys(ENTER, Kind.ENTER),
    **dict.fromkeys(EXIT, Kind.EXIT),
    **dict.fromkeys(NEXT_ITERATION, Kind.NEXT_ITERATION),
}


@dataclass(slots=True)
class Step:
    """One node as it is run.

    inputs     how many tensors it takes
    waits      how many tensors and control inputs it waits for
    users      of each output that is used: the steps and places that it goes to
    after      the steps that wait for it
    frame      of an Enter: the loop that it leads into; `invariant`: whether its value is there in every iteration
    owns       whether its first input is a new array of which it is the only user
    bound      its kernel, once it is known
    constant   what a constant gives, once it is known
    cost       how much of the allowed steps it takes: 1, and 1 more for every 32 of its consumers. A step that only
               takes what is wanted is no node, and costs nothing
    """

    node: NodeDef
    kind: Kind
    inputs: int = 0
    waits: int = 0
    users: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    after: list[int] = field(default_factory=list)
    frame: str = ""
    invariant: bool = False
    owns: bool = False
    bound: Bound | None = None
    constant: list[Any] | None = None
    cost: int = 1


@dataclass(slots=True)
class Loop:
    """How many Enter steps lead into a loop, and which Exit steps lead out of it."""

    enters: int = 0
    exits: list[int] = field(default_factory=list)


class Plan:
    """Steps that get from given tensors to wanted ones.

    given      the steps of tensors that come from outside, one for each
    targets    the steps that take the wanted tensors, one for each
    loops      the loops of TensorFlow 1, by their names from the outermost to their own
    """

    def __init__(self, ops: Mapping[str, OpDef]) -> None:
        self.ops = ops
        self.steps: list[Step] = []
        self.given: list[int] = []
        self.targets: list[int] = []
        self.loops: dict[tuple[str, ...], Loop] = {}

    @classmethod
    def of_graph(
        cls,
        graph: GraphDef,
        fed: Sequence[TensorName],
        wanted: Sequence[TensorName],
        ops: Mapping[str, OpDef] = OPS,
    ) -> Plan:
        """How to get the wanted tensors from those that are fed. A wanted control input is a node that has to run.

        Raises GraphError if a node is missing.
        """
        nodes = {node.name: node for node in graph.node}
        plan = cls(ops)
        _Wiring(plan, nodes, _in_graph).connect({tensor: [tensor] for tensor in fed}, wanted, [])
        return plan

    @classmethod
    def of_function(cls, function: FunctionDef, attrs: Mapping[str, AttrValue], ops: Mapping[str, OpDef]) -> Plan:
        """How to get the results of a function from its arguments. `attrs` are the attributes of its call.

        Raises GraphError if a node is missing.
        """
        signature = function.signature or OpDef()
        nodes = {node.name: node for node in _instantiated(function, attrs)}
        arguments: dict[TensorName, list[TensorName]] = {}
        for argument in signature.input_arg:
            if argument.number_attr or argument.type_list_attr:
                raise RunError(f"function {quoted(signature.name)}: lists of arguments are not supported")
            name = argument.name
            arguments[TensorName(name)] = [TensorName(name), TensorName(name, CONTROL)]
        missing = [each.name for each in signature.output_arg if each.name not in function.ret]
        if missing:
            raise GraphError(f"function {quoted(signature.name)} does not define its result {quoted(missing[0])}")
        results = [TensorName.parse(function.ret[each.name]) for each in signature.output_arg]
        plan = cls(ops)
        _Wiring(plan, nodes, _in_body(nodes, ops)).connect(arguments, results, [*function.control_ret.values()])
        return plan

    @property
    def missing(self) -> Counter[str]:
        """The ops that have no kernel, and how many steps need each."""
        steps = (step for step in self.steps if step.kind is Kind.KERNEL)
        return Counter(step.node.op for step in steps if step.node.op not in KERNELS and not self.is_call(step.node))

    def targets_behind(self, op: str) -> set[int]:
        """The targets that need a node of an op, directly or not."""
        reached = {number for number, step in enumerate(self.steps) if step.node.op == op}
        waiting = list(reached)
        while waiting:
            step = self.steps[waiting.pop()]
            users = {user for places in step.users.values() for user, _ in places}.union(step.after) - reached
            reached |= users
            waiting += users
        return reached.intersection(self.targets)

    def is_call(self, node: NodeDef) -> bool:
        """Whether the op of a node is a function of the library."""
        return node.op not in KERNELS and node.op not in OPS and node.op in self.ops

    def types_of(self, step: Step) -> Sequence[DataType | None]:
        """The types of a step's outputs; of an op that nobody declares none."""
        op = self.ops.get(step.node.op)
        return types_of(step.node, op) if op is not None else ()

    def bound(self, step: Step) -> Bound:
        """The kernel of a step. Raises RunError if there is none."""
        if step.bound is None and self.is_call(step.node):
            step.bound = Bound(step.node, _CALL, {"function": _called(step.node)}, None)
        if step.bound is None:
            try:
                step.bound = bind(step.node, self.ops)
            except RunError:
                missing = self.missing
                if step.node.op not in missing:
                    raise
                raise RunError(_about_missing(step.node, missing)) from None
        return step.bound


def _call(*inputs: Any, function: NameAttrList, runtime: Runtime) -> list[Any]:
    return runtime.call(function, inputs)


_CALL = Kernel("", _call, {}, takes_node=False, takes_runtime=True, references=False)
"""The kernel of an op that is a function of the library."""


def _called(node: NodeDef) -> NameAttrList:
    return NameAttrList(name=node.op, attr=node.attr)


def _about_missing(node: NodeDef, missing: Counter[str]) -> str:
    count = missing.pop(node.op)
    nodes = "1 node needs it" if count == 1 else f"{count:,} nodes need it"
    others = f"; nor are there for {', '.join(f'{op} ({n:,})' for op, n in sorted(missing.items()))}" if missing else ""
    return f"{describe(node)}: there is no kernel for this op, and {nodes}{others}"


def _in_graph(name: TensorName) -> TensorName:
    if name.output:
        raise GraphError(f'"{name}" is spelled as in the body of a function')
    return name


def _in_body(nodes: Mapping[str, NodeDef], ops: Mapping[str, OpDef]) -> Callable[[TensorName], TensorName]:
    """Counts the outputs of a node from its first one."""

    def counted(name: TensorName) -> TensorName:
        node = nodes.get(name.node)
        if not name.output or node is None:
            return name
        op = ops.get(node.op)
        if op is None:
            raise GraphError(f"{describe(node)}: what the outputs of this op are is not known")
        return TensorName(name.node, output_types(node, op).port(name.output, name.port))

    return counted


def _instantiated(function: FunctionDef, attrs: Mapping[str, AttrValue]) -> list[NodeDef]:
    """Return the nodes of a function in one call; placeholders without a value stay, and some kernels ignore them."""
    nodes = instantiate(function, attrs, partly=True).node_def
    for old, node in zip(function.node_def, nodes, strict=True):
        if node is not old and any(
            value is not old.attr[name] and _is_too_large(value) for name, value in node.attr.items()
        ):
            raise RunError(f"{describe(node)}: its attributes would name more than {MOST_NAMED:,} functions")
    return nodes


def _is_too_large(value: AttrValue) -> bool:
    """Whether functions that call themselves with attributes made of their own have made too much of one."""
    waiting, count = [value], 0
    while waiting:
        count += 1
        if count > MOST_NAMED:
            return True
        value = waiting.pop()
        functions = [value.func] if value.func is not None else value.list.func if value.list is not None else []
        for function in functions:
            waiting += function.attr.values()
    return False


class _Wiring:
    """Makes the steps of a plan, backwards from what is wanted."""

    def __init__(self, plan: Plan, nodes: Mapping[str, NodeDef], spelled: Callable[[TensorName], TensorName]) -> None:
        self._plan = plan
        self._nodes = nodes
        self._spelled = spelled
        self._numbers: dict[str, int] = {}
        self._outside: dict[TensorName, int] = {}
        self._queue: list[int] = []

    def connect(
        self, given: Mapping[TensorName, list[TensorName]], wanted: Iterable[TensorName], also: Iterable[str]
    ) -> None:
        """`given` has what else stands for each tensor that comes from outside; `also` are nodes that have to run."""
        plan = self._plan
        for name, spellings in given.items():
            node = self._nodes.get(name.node) or NodeDef(name=name.node, op="_Arg")
            plan.given.append(self._add(Step(node, Kind.GIVEN)))
            self._outside |= dict.fromkeys(spellings, plan.given[-1])
            if name.port == 0 and node.op.startswith("Placeholder"):
                self._outside[TensorName(name.node, CONTROL)] = plan.given[-1]
        for tensor in wanted:
            plan.targets.append(self._add(Step(NodeDef(op="_Target", name=tensor.node), Kind.TARGET)))
            self._lead(self._spelled(tensor), plan.targets[-1])
        for other in dict.fromkeys(also):
            self._number(other)
        while self._queue:
            number = self._queue.pop()
            node = plan.steps[number].node
            for text in node.input:
                try:
                    self._lead(self._spelled(TensorName.parse(text)), number)
                except GraphError as error:
                    raise GraphError(f"{describe(node)}: its input {quoted(text)}: {error}") from error
        _check_inputs(plan)
        _find_loops(plan)
        _find_owners(plan)
        _count_consumers(plan)

    def _lead(self, source: TensorName, number: int) -> None:
        """Let what a reference means go to a step."""
        plan = self._plan
        target = plan.steps[number]
        target.waits += 1
        outside = self._outside.get(source)
        giver = self._number(source.node) if outside is None else outside
        if source.is_control:
            plan.steps[giver].after.append(number)
            return
        port = source.port if outside is None else 0
        plan.steps[giver].users.setdefault(port, []).append((number, target.inputs))
        target.inputs += 1

    def _number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            node = self._nodes.get(name)
            if node is None:
                raise GraphError(f"there is no node {quoted(name)}{guess(name, self._nodes)}")
            number = self._numbers[name] = self._add(Step(node, _KINDS.get(node.op, Kind.KERNEL)))
            self._queue.append(number)
        return number

    def _add(self, step: Step) -> int:
        plan = self._plan
        plan.steps.append(step)
        if step.kind is Kind.ENTER:
            step.frame = frame_name(step.node)
            step.invariant = attr(step.node, "is_constant", bool, False)
        return len(plan.steps) - 1


_TAKEN = {Kind.SWITCH: 2, Kind.ENTER: 1, Kind.EXIT: 1, Kind.NEXT_ITERATION: 1}
"""How many tensors they take. What kernels take is for them to say."""


def _check_inputs(plan: Plan) -> None:
    for step in plan.steps:
        wanted = _TAKEN.get(step.kind, step.inputs)
        if step.inputs != wanted:
            raise GraphError(f"{describe(step.node)} takes {wanted} tensor{'s' * (wanted > 1)}, not {step.inputs}")


def _find_loops(plan: Plan) -> None:
    """Follow all tensors from the Enter steps on to see what is in which loop."""
    steps = plan.steps
    outermost = [number for number, step in enumerate(steps) if step.kind is Kind.ENTER]
    if not outermost:
        return
    paths: dict[int, tuple[str, ...]] = {}
    queue: list[tuple[int, tuple[str, ...]]] = [(number, ()) for number, step in enumerate(steps) if not step.waits]
    while queue:
        number, path = queue.pop()
        if number in paths:
            continue
        paths[number] = path
        step = steps[number]
        if step.kind is Kind.ENTER:
            if len(path) == MOST_NESTED:
                raise GraphError(f"{describe(step.node)}: loops are nested more than {MOST_NESTED:,} deep")
            path = (*path, step.frame)
            plan.loops.setdefault(path, Loop()).enters += 1
        elif step.kind is Kind.EXIT:
            if not path:
                raise GraphError(f"{describe(step.node)} is in no loop")
            plan.loops.setdefault(path, Loop()).exits.append(number)
            path = path[:-1]
        queue += [(user, path) for users in step.users.values() for user, _ in users]
        queue += [(user, path) for user in step.after]


def _find_owners(plan: Plan) -> None:
    """Whoever is alone in taking a new array may do with it what it wants."""
    for step in plan.steps:
        users = step.users.get(0, ())
        if step.kind is Kind.KERNEL and len(users) == 1:
            kernel = KERNELS.get(step.node.op)
            user, place = users[0]
            plan.steps[user].owns |= place == 0 and kernel is not None and kernel.fresh


def _count_consumers(plan: Plan) -> None:
    """Let nodes that hand their tensors to very many others cost more: a loop of one such node is not one step."""
    for step in plan.steps:
        consumers = sum(map(len, step.users.values())) + len(step.after)
        step.cost = 0 if step.kind is Kind.TARGET else 1 + consumers // _CONSUMERS
