"""Plan a run: the steps that compute some tensors of a graph, or the results of a function, and their connections.

    plan = Plan.of_graph(graph, feeds=[x], fetches=[y], ops=ops)

A plan has only the nodes that the fetches need, and stops at the feeds. Its steps are numbered; a step sends tensors to
inputs of other steps, and control signals to steps that wait for it. A plan can run many times: it binds each kernel
once, and decodes each constant once, except in runs with an observer.

An op without a kernel is an error only when its step runs; `missing` lists these ops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from ..errors import GraphError, RunError, with_name
from ..graph import attr, describe, instantiate
from ..graph.control_flow import frame_name
from ..graph.error_text import guess, list_names, quote
from ..graph.functions import repeated_argument
from ..kernels.runtime import KERNELS, Bound, Kernel, Runtime, bind
from ..kernels.runtime.binding import check_input_count, output_dtypes
from ..messages import AttrValue, DataType, FunctionDef, GraphDef, NameAttrList, NodeDef, OpDef
from ..ops import OPS, output_types
from ..ops.ports import PortTypes
from ..ops.traits import ENTER, EXIT, MERGE, NEXT_ITERATION, PIPELINES, PLACEHOLDERS, SWITCH
from ..values.names import CONTROL, TensorName


class Kind(Enum):
    """The kind of a step: a node with a kernel, an op of a TensorFlow 1 loop or conditional, or an end of the plan."""

    KERNEL = auto()
    FEED = auto()
    """Its tensor comes from outside: a feed, or an argument of a function."""
    SWITCH = auto()
    MERGE = auto()
    ENTER = auto()
    EXIT = auto()
    NEXT_ITERATION = auto()
    TARGET = auto()
    """It receives the value of a fetch or of a function's result, and has no outputs."""


MAX_LOOP_DEPTH = 1000
"""The limit of nested loops; models rarely have more than five levels."""

MAX_SUBSTITUTED_VALUES = 10_000
"""The maximum number of values nested in an attribute after substitution."""

CONSUMERS_PER_STEP = 32
"""The number of tensors that can be sent in the time that one step of control flow takes."""

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

    inputs     the number of tensors that it takes
    waits      the number of tensors and control inputs that it waits for
    users      for each output that is used, the steps that it is sent to, with the index of the input
    after      the steps that have it as a control input
    frame      for an Enter, the loop that it leads into; `invariant`: whether its value is sent into every iteration
    owns       whether its first input is a new array that no other step takes
    bound      its kernel, after its first run
    constant   the outputs of a Const, after its first run without an observer
    cost       the number of steps it counts as: 1, and 1 more for every 32 of its consumers; 0 for targets, which are
               not nodes
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
    """The number of Enter steps that lead into a loop, and the Exit steps that lead out of it."""

    enters: int = 0
    exits: list[int] = field(default_factory=list)


class Plan:
    """The steps that compute fetches from feeds.

    feeds      the step of each feed
    targets    the step that takes each fetch
    functions  the names of the functions in the library, which ops of nodes may be
    loops      the loops of TensorFlow 1, by their names from the outermost loop inwards
    """

    def __init__(self, ops: Mapping[str, OpDef], functions: Container[str]) -> None:
        self.ops = ops
        self.functions = functions
        self.steps: list[Step] = []
        self.feeds: list[int] = []
        self.targets: list[int] = []
        self.loops: dict[tuple[str, ...], Loop] = {}

    @classmethod
    def of_graph(
        cls,
        graph: GraphDef,
        feeds: Sequence[TensorName],
        fetches: Sequence[TensorName],
        ops: Mapping[str, OpDef] = OPS,
        functions: Container[str] = (),
    ) -> Plan:
        """Plan the computation of fetches from feeds. A fetch that is a control input is a node that must run.

        Raises GraphError for a node that does not exist, and for invalid loops and conditionals of TensorFlow 1.
        """
        nodes = {node.name: node for node in graph.node}
        plan = cls(ops, functions)
        _Wiring(plan, nodes, _resolve_in_graph).connect({tensor: [tensor] for tensor in feeds}, fetches, [])
        return plan

    @classmethod
    def of_function(
        cls,
        function: FunctionDef,
        attrs: Mapping[str, AttrValue],
        ops: Mapping[str, OpDef],
        functions: Container[str] = (),
    ) -> Plan:
        """Plan the computation of the results of a function from its arguments. `attrs` are the attributes of the call.

        Raises GraphError for an invalid function, such as one with two arguments of one name, and RunError for an
        argument that is a list of tensors, or for attributes that become too large.
        """
        signature = function.signature or OpDef()
        nodes = {node.name: node for node in _instantiate(function, attrs)}
        repeated = repeated_argument(function)
        if repeated is not None:
            raise GraphError(f"function {quote(signature.name)} has two arguments {quote(repeated)}")
        arguments: dict[TensorName, list[TensorName]] = {}
        for argument in signature.input_arg:
            if argument.number_attr or argument.type_list_attr:
                raise RunError(f"function {quote(signature.name)}: lists of arguments are not supported")
            name = argument.name
            arguments[TensorName(name)] = [TensorName(name), TensorName(name, CONTROL)]
        missing = [result.name for result in signature.output_arg if result.name not in function.ret]
        if missing:
            raise GraphError(f"function {quote(signature.name)} does not define its result {quote(missing[0])}")
        results = [TensorName.parse(function.ret[result.name]) for result in signature.output_arg]
        plan = cls(ops, functions)
        _Wiring(plan, nodes, _resolver_in_body(nodes, ops)).connect(
            arguments, results, [*function.control_ret.values()]
        )
        return plan

    @property
    def missing(self) -> Counter[str]:
        """The ops without a kernel, and the number of steps that need each."""
        steps = (step for step in self.steps if step.kind is Kind.KERNEL)
        return Counter(step.node.op for step in steps if step.node.op not in KERNELS and not self.is_call(step.node))

    def targets_that_need(self, op: str) -> set[int]:
        """Return the targets that depend on a node of this op, directly or not."""
        reached = {number for number, step in enumerate(self.steps) if step.node.op == op}
        stack = list(reached)
        while stack:
            step = self.steps[stack.pop()]
            users = {user for inputs in step.users.values() for user, _ in inputs}.union(step.after) - reached
            reached |= users
            stack += users
        return reached.intersection(self.targets)

    def is_call(self, node: NodeDef) -> bool:
        """Return whether the op of a node is a function of the library."""
        return node.op not in KERNELS and node.op not in OPS and node.op in self.functions

    def types_of(self, step: Step) -> Sequence[DataType | None]:
        """Return the types of a step's outputs; empty for an undeclared op."""
        op = self.ops.get(step.node.op)
        return output_dtypes(step.node, op) if op is not None else ()

    def bind_kernel(self, step: Step) -> Bound:
        """Return the kernel of a step, bound to its node. Raises RunError if it has none, which lists all such ops."""
        if step.bound is None and self.is_call(step.node):
            step.bound = Bound(step.node, _CALL, {"function": _called_function(step.node)}, None)
        if step.bound is None:
            try:
                step.bound = bind(step.node, self.ops)
            except RunError:
                missing = self.missing
                if step.node.op not in missing:
                    raise
                raise RunError(_missing_kernel_text(step.node, missing) + self._pipeline_hint()) from None
        return step.bound

    def _pipeline_hint(self) -> str:
        """Return a hint to feed the outputs of queues and iterators; "" if the plan has none."""
        tensors = [
            f"{step.node.name}:{port}" for step in self.steps if step.node.op in PIPELINES for port in step.users
        ]
        return f"; feed the data of queues and iterators: {list_names(tensors)}" if tensors else ""


def _call(*inputs: Any, function: NameAttrList, runtime: Runtime) -> list[Any]:
    return runtime.call(function, inputs)


_CALL = Kernel("", _call, {}, takes_node=False, takes_runtime=True, references=False)
"""The kernel of an op that is a function of the library."""


def _called_function(node: NodeDef) -> NameAttrList:
    return NameAttrList(name=node.op, attr=node.attr)


def _missing_kernel_text(node: NodeDef, missing: Counter[str]) -> str:
    count = missing.pop(node.op)
    nodes = "1 node needs it" if count == 1 else f"{count:,} nodes need it"
    other_ops = ", ".join(f"{op} ({n:,})" for op, n in sorted(missing.items()))
    others = f"; other ops without a kernel: {other_ops}" if missing else ""
    return f"{describe(node)}: there is no kernel for this op, and {nodes}{others}"


def _resolve_in_graph(name: TensorName) -> TensorName:
    if name.output:
        raise GraphError(f'"{name}" is valid only in the body of a function')
    return name


def _resolver_in_body(nodes: Mapping[str, NodeDef], ops: Mapping[str, OpDef]) -> Callable[[TensorName], TensorName]:
    """Return a function that converts a reference in a function body, "node:output:port", to the tensor "node:port"."""

    def resolve(name: TensorName) -> TensorName:
        node = nodes.get(name.node)
        if not name.output or node is None:
            return name
        op = ops.get(node.op)
        if op is None:
            raise GraphError(with_name(describe(node), "the outputs of this op are not known"))
        return TensorName(name.node, output_types(node, op).port(name.output, name.port))

    return resolve


def _instantiate(function: FunctionDef, attrs: Mapping[str, AttrValue]) -> list[NodeDef]:
    """Return the nodes of a function in one call. Attributes without a value stay placeholders; some are never read."""
    nodes = instantiate(function, attrs, partly=True).node_def
    for old, node in zip(function.node_def, nodes, strict=True):
        if node is not old and any(
            value is not old.attr[name] and _is_too_large(value) for name, value in node.attr.items()
        ):
            raise RunError(
                f"{describe(node)}: an attribute would have more than {MAX_SUBSTITUTED_VALUES:,} nested values"
            )
    return nodes


def _is_too_large(value: AttrValue) -> bool:
    """Return whether an attribute has too many nested values. A recursive function can enlarge its own attributes."""
    stack, count = [value], 0
    while stack:
        count += 1
        if count > MAX_SUBSTITUTED_VALUES:
            return True
        value = stack.pop()
        functions = [value.func] if value.func is not None else value.list.func if value.list is not None else []
        for function in functions:
            stack += function.attr.values()
    return False


class _Wiring:
    """The construction of a plan's steps, backwards from the fetches. `resolve` converts references to tensor names."""

    def __init__(self, plan: Plan, nodes: Mapping[str, NodeDef], resolve: Callable[[TensorName], TensorName]) -> None:
        self._plan = plan
        self._nodes = nodes
        self._resolve = resolve
        self._numbers: dict[str, int] = {}
        self._feed_steps: dict[TensorName, int] = {}
        self._queue: list[int] = []

    def connect(
        self,
        feeds: Mapping[TensorName, list[TensorName]],
        fetches: Iterable[TensorName],
        control_results: Iterable[str],
    ) -> None:
        """Connect the steps. `feeds` has all references to each fed tensor; nodes in `control_results` must run."""
        plan = self._plan
        for name, references in feeds.items():
            node = self._nodes.get(name.node) or NodeDef(name=name.node, op="_Arg")
            plan.feeds.append(self._add_step(Step(node, Kind.FEED)))
            self._feed_steps |= dict.fromkeys(references, plan.feeds[-1])
            if name.port == 0 and node.op in PLACEHOLDERS:
                self._feed_steps[TensorName(name.node, CONTROL)] = plan.feeds[-1]
        for tensor in fetches:
            plan.targets.append(self._add_step(Step(NodeDef(op="_Target", name=tensor.node), Kind.TARGET)))
            self._connect_input(self._resolve(tensor), plan.targets[-1])
        for node_name in dict.fromkeys(control_results):
            self._number(node_name)
        while self._queue:
            number = self._queue.pop()
            node = plan.steps[number].node
            for text in node.input:
                try:
                    self._connect_input(self._resolve(TensorName.parse(text)), number)
                except GraphError as error:
                    raise GraphError(with_name(describe(node), f"its input {quote(text)}: {error}")) from error
        _check_inputs(plan)
        _find_loops(plan)
        _find_owners(plan)
        _count_consumers(plan)

    def _connect_input(self, source: TensorName, number: int) -> None:
        """Connect the tensor or control signal that `source` refers to with the next input of a step."""
        plan = self._plan
        target = plan.steps[number]
        target.waits += 1
        feed_step = self._feed_steps.get(source)
        sender = self._number(source.node) if feed_step is None else feed_step
        if source.is_control:
            plan.steps[sender].after.append(number)
            return
        port = source.port if feed_step is None else 0
        plan.steps[sender].users.setdefault(port, []).append((number, target.inputs))
        target.inputs += 1

    def _number(self, name: str) -> int:
        """Return the number of the step of a node; add the step if it is missing."""
        number = self._numbers.get(name)
        if number is None:
            node = self._nodes.get(name)
            if node is None:
                raise GraphError(f"there is no node {quote(name)}{guess(name, self._nodes)}")
            number = self._numbers[name] = self._add_step(Step(node, _KINDS.get(node.op, Kind.KERNEL)))
            self._queue.append(number)
        return number

    def _add_step(self, step: Step) -> int:
        plan = self._plan
        plan.steps.append(step)
        if step.kind is Kind.ENTER:
            step.frame = frame_name(step.node)
            step.invariant = attr(step.node, "is_constant", bool, False)
        return len(plan.steps) - 1


def _check_inputs(plan: Plan) -> None:
    """Check that each node has as many inputs as its op takes. Raises GraphError, which names the node."""
    declared = PortTypes(plan.ops.get)
    for step in plan.steps:
        types = None if step.kind in (Kind.FEED, Kind.TARGET) else declared.of_inputs(step.node)
        if types is not None:
            check_input_count(step.node, len(types), step.inputs)


def _find_loops(plan: Plan) -> None:
    """Find the loops of a plan by following all tensors and control signals through Enter and Exit steps."""
    steps = plan.steps
    if not any(step.kind is Kind.ENTER for step in steps):
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
            if len(path) == MAX_LOOP_DEPTH:
                raise GraphError(with_name(describe(step.node), f"loops are nested more than {MAX_LOOP_DEPTH:,} deep"))
            path = (*path, step.frame)
            plan.loops.setdefault(path, Loop()).enters += 1
        elif step.kind is Kind.EXIT:
            if not path:
                raise GraphError(f"{describe(step.node)} is not in a loop")
            plan.loops.setdefault(path, Loop()).exits.append(number)
            path = path[:-1]
        queue += [(user, path) for users in step.users.values() for user, _ in users]
        queue += [(user, path) for user in step.after]


def _find_owners(plan: Plan) -> None:
    """Mark steps that are the only consumer of a new array: they may change it in place."""
    for step in plan.steps:
        users = step.users.get(0, ())
        if step.kind is Kind.KERNEL and len(users) == 1:
            kernel = KERNELS.get(step.node.op)
            user, input_index = users[0]
            plan.steps[user].owns |= input_index == 0 and kernel is not None and kernel.fresh


def _count_consumers(plan: Plan) -> None:
    """Count a node with very many consumers as several steps, since each of its runs takes long."""
    for step in plan.steps:
        consumers = sum(map(len, step.users.values())) + len(step.after)
        step.cost = 0 if step.kind is Kind.TARGET else 1 + consumers // CONSUMERS_PER_STEP
