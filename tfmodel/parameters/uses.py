"""Find the nodes that use a constant or a variable, its role in each of them, and the relevance of each use.

`DataFlow` follows a tensor to its consumers, through nodes that pass it on, and into functions. `UseFinder` determines
the role: the op's name for that input, or for general ops its meaning in the graph. For example, any addition may add a
bias, and a batch norm may consist of additions and multiplications:

    y = x * m + (beta - moving_mean * m)        m = rsqrt(moving_variance + epsilon) * gamma

Uses are ranked by `Relevance`: being the filter of a layer says more about a weight than being saved.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import GraphError
from ..graph.functions import named_functions
from ..io.terminal import escape
from ..messages import GraphDef, NodeDef
from ..names import TensorName, data_inputs, is_control_input, node_name
from ..ops.input_roles import LAYER_OPS, input_role, is_maintenance, is_update
from ..ops.ports import input_types
from ..ops.traits import ENTER, MERGE, PASS_THROUGH, SWITCH, TRAITS, VARIABLES, WHILE_LOOPS, Calls
from ..tensor_header import Shape

if TYPE_CHECKING:
    from ..messages import OpDef

__all__ = ["Body", "Consumer", "DataFlow", "Relevance", "Use", "UseFinder", "find_needed_nodes", "is_gradient_name"]


class Relevance(IntEnum):
    """How much a use of a weight tells about its purpose; the lowest number tells most."""

    WEIGHT = 0
    SLOT = 1  # of an optimizer
    OTHER = 2
    GRADIENT = 3
    UPDATE = 4
    MAINTENANCE = 5  # initializing, saving, restoring, summaries


_GRADIENT = re.compile(r"(^|/)gradient(s|_tape)([_/\d]|$)|_grad/")
_STATE_ROLES = ("beta1 power", "beta2 power", "counter", "moving average")

_WEIGHT_ROLES = {
    "filter",
    "depthwise filter",
    "transposed filter",
    "structuring element",
    "matrix",
    "bias",
    "gamma",
    "beta",
    "moving mean",
    "moving variance",
    "scale",
    "embedding",
    "recurrent kernel",
    "recurrent bias",
    "peephole",
}


def rate_relevance(op: str, role: str, node: str) -> Relevance:
    """Return the relevance of a use in the role `role` by the node named `node`, whose op is `op`."""
    if is_maintenance(op):
        return Relevance.MAINTENANCE
    if is_update(op) and role in ("trained variable", ""):
        return Relevance.UPDATE
    if role.endswith(" slot") or role in _STATE_ROLES:
        return Relevance.SLOT
    if is_gradient_name(node):
        return Relevance.GRADIENT
    return Relevance.WEIGHT if role in _WEIGHT_ROLES else Relevance.OTHER


def is_gradient_name(node: str) -> bool:
    """Return whether the name of a node says that it computes gradients."""
    return _GRADIENT.search(node) is not None


_ADDS = ("Add", "AddV2")
_MAX_USES = 1000


@dataclass(frozen=True, slots=True)
class Use:
    """The use of a weight as an input of a node.

    node      the name of the node, and `function` that of the function that contains it, if any
    role      such as "filter", "bias", "axis"; empty if unknown
    through   the ops in between that reshaped, split or joined it; then the role is that of the result of these ops
    in_loop   whether it is used in every iteration of a loop
    """

    node: str
    op: str
    role: str
    function: str = ""
    in_loop: bool = False
    through: tuple[str, ...] = ()
    relevance: Relevance = Relevance.OTHER


class UseFinder:
    """A search for the uses of constants and variables of a graph. `ops` are the declarations of its ops."""

    def __init__(self, flow: DataFlow, ops: Mapping[str, OpDef]) -> None:
        self._flow = flow
        self._ops = ops
        self._uses: dict[tuple[str, str, Shape | None], tuple[Use, ...]] = {}
        self._counts: dict[int, int] = {}  # by the id of a node: the number of its data inputs, which may be large

    def find(self, body: Body, name: str, shape: Shape | None) -> tuple[Use, ...]:
        """Return the uses of a constant or variable, the most relevant first."""
        key = body.name, name, shape
        if key not in self._uses:
            self._uses[key] = self._find(body, name, shape)
        return self._uses[key]

    def _find(self, body: Body, name: str, shape: Shape | None) -> tuple[Use, ...]:
        uses: dict[Use, None] = {}
        for consumer in self._flow.consumers(body, name):
            use = self._use(consumer, shape)
            if use.through and use.relevance is not Relevance.WEIGHT:
                continue  # the op that changed the shape is more relevant
            uses[use] = None
            if len(uses) == _MAX_USES:
                break
        return tuple(sorted(uses, key=lambda use: (use.relevance, len(use.through))))

    def _use(self, consumer: Consumer, shape: Shape | None) -> Use:
        node = consumer.node
        role = self._role(consumer)
        rank = sum(size != 1 for size in shape) if shape is not None else -1
        role = _specific_role(consumer, role, rank, len(shape) if shape is not None else -1) or role
        relevance = rate_relevance(node.op, role, f"{consumer.body.name}/{node.name}")
        return Use(node.name, node.op, role, consumer.body.name, consumer.in_loop, consumer.through, relevance)

    def _role(self, consumer: Consumer) -> str:
        node = consumer.node
        count = self._counts.get(id(node))
        if count is None:
            count = self._counts[id(node)] = sum(1 for _ in data_inputs(node))
        fused: tuple[str, ...] = ()
        if "fused_ops" in node.attr and node.attr["fused_ops"].list is not None:
            fused = tuple(op.decode("utf-8", "replace") for op in node.attr["fused_ops"].list.s)
        role = input_role(node.op, consumer.index, count, fused)
        return self._declared_role(node, consumer.index) if role is None else role

    def _declared_role(self, node: NodeDef, index: int) -> str:
        declared = self._ops.get(node.op)
        if declared is None:
            return ""
        try:
            name, _ = input_types(node, declared).locate(index)
        except GraphError:  # a node that contradicts its op is reported elsewhere
            return ""
        return name.replace("_", " ")


def _specific_role(consumer: Consumer, role: str, rank: int, dimensions: int) -> str:
    """Return a specific role in place of a general one, such as "operand"; empty if no specific role is known.

    `rank` counts the dimensions whose size is not 1, and `dimensions` all of them; -1 if unknown.
    """
    op = consumer.node.op
    if role == "embedding" and dimensions < 2:
        return "table"
    if role == "counter" and dimensions > 0:
        return "sum"
    if role != "operand" or rank > 1:
        return ""
    if op in _ADDS:
        return _role_in_addition(consumer, rank)
    if op == "Mul":
        return _role_in_product(consumer, rank)
    other = _other_operand(consumer)
    if op == "Sub" and consumer.index == 0 and other is not None and other.op == "Mul" and rank == 1:
        return "beta" if any(_is_scale(consumer.body, text) for text in _first_inputs(other)) else ""
    return ""


def _role_in_addition(consumer: Consumer, rank: int) -> str:
    if any(user.node.op == "Rsqrt" for user in consumer.body.users(consumer.node.name)):
        return "moving variance" if rank == 1 else "epsilon"
    other = _other_operand(consumer)
    if other is None or rank != 1:
        return ""
    if other.op in LAYER_OPS or (
        other.op == "Mul" and any(_is_layer(consumer.body, text) for text in _first_inputs(other))
    ):
        return "bias"
    return ""


def _role_in_product(consumer: Consumer, rank: int) -> str:
    other = _other_operand(consumer)
    if other is None or rank != 1:
        return ""
    if other.op in LAYER_OPS:
        return "scale"
    if not _is_scale(consumer.body, consumer.node.input[1 - consumer.index]):
        return ""
    users = consumer.body.users(consumer.node.name)
    if any(user.node.op == "Neg" or (user.node.op == "Sub" and user.input_index == 1) for user in users):
        return "moving mean"
    return "gamma" if other.op == "Rsqrt" else ""


def _other_operand(consumer: Consumer) -> NodeDef | None:
    """Return the node that produces the other operand of a binary op; None if it is unknown."""
    inputs = list(islice(data_inputs(consumer.node), 3))
    return consumer.body.origin(inputs[1 - consumer.index]) if len(inputs) == 2 and consumer.index < 2 else None


def _first_inputs(node: NodeDef) -> Iterator[str]:
    """Return the first two data inputs of a node."""
    return islice(data_inputs(node), 2)


def _is_layer(body: Body, text: str) -> bool:
    origin = body.origin(text)
    return origin is not None and origin.op in LAYER_OPS


def _is_scale(body: Body, text: str) -> bool:
    """Return whether an input is rsqrt(variance), or a product with it, such as rsqrt(variance) * gamma."""
    origin = body.origin(text)
    if origin is not None and origin.op == "Mul":
        return any((factor := body.origin(text)) is not None and factor.op == "Rsqrt" for text in _first_inputs(origin))
    return origin is not None and origin.op == "Rsqrt"


_MAX_STEPS = 1 << 12  # for one tensor
_MAX_PASS_THROUGH = 64  # nodes in a row that pass a tensor on
_MAX_CALL_DEPTH = 64

# The last input of TPUPartitionedCall is the device; the others are the arguments of its function.
_CALLS = {op: record.calls for op, record in TRAITS.items() if record.calls} | {"TPUPartitionedCall": Calls(("f",))}

# Ops whose output has the numbers of an input in another shape, with the index of this input.
_RESHAPES = {"Reshape": 0, "ExpandDims": 0, "Squeeze": 0}
# Ops whose output has the numbers of an input in another order, or some of them.
_REARRANGES = {"Transpose": 0, "Split": 1, "SplitV": 0, "Unpack": 0, "Slice": 0, "StridedSlice": 0}
_JOINS = ("ConcatV2", "Concat", "Pack", "ParallelConcat")
_STORED = VARIABLES | {"Const"}


class User(NamedTuple):
    """A node, and the index of one of its inputs."""

    node: NodeDef
    input_index: int


class Body:
    """The nodes of the graph, or of one of its functions, by name, with the users of each."""

    def __init__(self, name: str, nodes: Iterable[NodeDef], arguments: Iterable[str] = (), returns: Any = ()) -> None:
        self.name = name
        self.arguments = list(arguments)
        self.returns: list[str] = list(returns)
        self.nodes: dict[str, NodeDef] = {}
        self._by_port: dict[str, dict[int, list[User]]] = {}
        self._joins: dict[str, bool] = {}
        for node in nodes:
            if node.name in self.nodes:
                where = f"the function {escape(name)}" if name else "the graph"
                raise GraphError(f'{where} has two nodes "{escape(node.name)}"')
            self.nodes[node.name] = node

    @cached_property
    def _users(self) -> dict[str, list[User]]:
        users: dict[str, list[User]] = {}
        for node in self.nodes.values():
            for index, text in enumerate(node.input):
                if not is_control_input(text):
                    users.setdefault(node_name(text), []).append(User(node, index))
        return users

    def users(self, name: str, port: int | None = None) -> list[User]:
        """Return the users of output `port` of a node; of all its outputs if `port` is None."""
        users = self._users.get(name, [])
        if port is None:
            return users
        if name not in self._by_port:
            ports: dict[int, list[User]] = {}
            for user in users:
                ports.setdefault(TensorName.parse(user.node.input[user.input_index]).port, []).append(user)
            self._by_port[name] = ports
        return self._by_port[name].get(port, [])

    def joins_stored(self, node: NodeDef) -> bool:
        """Return whether all inputs of a node are constants or variables, so that it joins the parts of one weight."""
        if node.name not in self._joins:
            origins = [self.origin(text) for text in data_inputs(node)]
            self._joins[node.name] = all(origin is not None and origin.op in _STORED for origin in origins)
        return self._joins[node.name]

    def origin(self, text: str) -> NodeDef | None:
        """Return the producer of an input, before nodes that pass it on; None if it does not exist or is too far."""
        for _ in range(_MAX_PASS_THROUGH):
            node = self.nodes.get(TensorName.parse(text).node)
            if node is None or node.op not in PASS_THROUGH or not node.input:
                return node
            text = node.input[0]
        return None


@dataclass(frozen=True, slots=True)
class Consumer:
    """A node that has a tensor as its input number `index`.

    through   the ops on the way that reshaped, split or joined the tensor
    in_loop   whether the node is in a loop
    """

    body: Body
    node: NodeDef
    index: int
    through: tuple[str, ...] = ()
    in_loop: bool = False


class _CallFrame(NamedTuple):
    """A body in which a tensor is followed: the first one, or a function that the node `node` of `caller` calls.

    The results of the function are the outputs of the node. The first body has no caller.
    """

    body: Body
    caller: _CallFrame | None = None
    node: str = ""
    depth: int = 0


class _Position(NamedTuple):
    """An output of a node in a frame, to which a tensor is passed on; `port` is None for all outputs."""

    frame: _CallFrame
    name: str
    port: int | None
    through: tuple[str, ...]
    in_loop: bool


class DataFlow:
    """The data flow of a graph and its functions."""

    def __init__(self, graph: GraphDef) -> None:
        self.graph = Body("", graph.node)
        self.functions: dict[str, Body] = {}
        for function in graph.library.function if graph.library is not None else ():
            signature = function.signature
            if signature is None:
                continue
            arguments = [arg.name for arg in signature.input_arg]
            returns = [function.ret.get(arg.name, "") for arg in signature.output_arg]
            self.functions[signature.name] = Body(signature.name, function.node_def, arguments, returns)

    @property
    def bodies(self) -> Iterator[Body]:
        yield self.graph
        yield from self.functions.values()

    def consumers(self, body: Body, name: str) -> Iterator[Consumer]:
        """Yield the consumers of output 0 of a node, also behind nodes that pass it on, the nearest first."""
        queue = deque([_Position(_CallFrame(body), name, 0, (), False)])
        seen: set[tuple[str, str, int | None]] = set()
        steps = 0
        while queue and steps < _MAX_STEPS:
            position = queue.popleft()
            key = (position.frame.body.name, position.name, position.port)
            if key in seen:
                continue
            seen.add(key)
            queue.extend(self._return(position))
            users = position.frame.body.users(position.name, position.port)
            steps += len(users)
            for user in users[:_MAX_STEPS]:
                outputs = list(self._pass_on(position, user))
                queue.extend(outputs)
                if not outputs or user.node.op == "PlaceholderWithDefault" or outputs[0].through != position.through:
                    yield Consumer(position.frame.body, user.node, user.input_index, position.through, position.in_loop)

    def _pass_on(self, position: _Position, user: User) -> Iterator[_Position]:
        """Yield the outputs to which a node passes its input on, if any."""
        node, index = user.node, user.input_index
        op = node.op
        if op in PASS_THROUGH:
            if index == 0 or op in MERGE:
                yield position._replace(
                    name=node.name, port=None if op in SWITCH else 0, in_loop=position.in_loop or op in ENTER
                )
        elif op == "IdentityN":
            yield position._replace(name=node.name, port=index)
        elif op in _CALLS:
            attrs, first, _ = _CALLS[op]
            if index >= first:
                names = [name for attr in attrs for name in _called_functions(node, attr)]
                yield from self._enter(position, node, names, index - first)
        elif op in self.functions:
            yield from self._enter(position, node, [op], index)
        elif _RESHAPES.get(op, _REARRANGES.get(op, -1)) == index or (
            op in _JOINS and position.frame.body.joins_stored(node)
        ):
            yield position._replace(name=node.name, port=None, through=(*position.through[:_MAX_PASS_THROUGH], op))

    def _enter(
        self, position: _Position, node: NodeDef, functions: Iterable[str], argument: int
    ) -> Iterator[_Position]:
        """Yield argument number `argument` of each function that a node calls."""
        for name in functions:
            body = self.functions.get(name)
            if body is not None and argument < len(body.arguments) and position.frame.depth < _MAX_CALL_DEPTH:
                frame = _CallFrame(body, position.frame, node.name, position.frame.depth + 1)
                in_loop = position.in_loop or node.op in WHILE_LOOPS
                yield _Position(frame, body.arguments[argument], 0, position.through, in_loop)

    def _return(self, result: _Position) -> Iterator[_Position]:
        """Yield the outputs of the calling node for which the function returns `result`; none for a loop."""
        frame = result.frame
        if frame.caller is None or frame.caller.body.nodes[frame.node].op in WHILE_LOOPS:
            return
        for index, text in enumerate(frame.body.returns):
            if not text or is_control_input(text) or node_name(text) != result.name:
                continue
            if result.port in (None, TensorName.parse(text).port):
                yield result._replace(frame=frame.caller, name=frame.node, port=index)


def _called_functions(node: NodeDef, attr: str) -> list[str]:
    value = node.attr.get(attr)
    if value is None:
        return []
    if value.list is not None:
        return [function.name for function in value.list.func]
    return [value.func.name] if value.func is not None else []


def find_needed_nodes(flow: DataFlow, outputs: Iterable[str], inputs: Iterable[str]) -> set[tuple[str, str]]:
    """Return the nodes that compute `outputs` from `inputs`, as pairs of a function name and a node name.

    The function name is "" for nodes of the graph. Only data inputs are followed. In a function, only the nodes that
    the used results need are included; in a loop, or if the op of the call is the name of the function, those that any
    result needs. Of the arguments of a call, only those that these nodes use are followed.
    """
    search = _Search(flow, inputs)
    search.follow(outputs)
    return search.needed


class _Search:
    """A search backwards through a graph and its functions; each function is visited once for all its calls."""

    def __init__(self, flow: DataFlow, inputs: Iterable[str]) -> None:
        self.needed: set[tuple[str, str]] = set()
        self._flow = flow
        self._fed = {(tensor.node, tensor.port) for tensor in map(TensorName.parse, inputs)}
        self._reached: set[tuple[str, str]] = set()
        self._stack: list[tuple[Body, str]] = []
        self._calls: dict[str, dict[tuple[str, str], tuple[list[str], int, Body]]] = {}
        self._positions: dict[str, dict[str, int]] = {}  # by function: the positions of its arguments
        self._needed_arguments: dict[str, dict[str, int]] = {}  # by function: the positions of needed arguments

    def follow(self, outputs: Iterable[str]) -> None:
        self._stack += [(self._flow.graph, output) for output in outputs]
        while self._stack:
            body, text = self._stack.pop()
            reached = body.name, text
            if reached in self._reached:
                continue
            self._reached.add(reached)
            tensor = TensorName.parse(text)
            if tensor.is_control:
                continue
            if body.name or (tensor.node, tensor.port) not in self._fed:
                self._visit(body, tensor)

    def _visit(self, body: Body, tensor: TensorName) -> None:
        node = body.nodes.get(tensor.node)
        if node is None:
            self._visit_argument(body, tensor.node)
            return
        is_new = (body.name, node.name) not in self.needed
        self.needed.add((body.name, node.name))
        inputs = data_inputs(node) if is_new or node.op in _CALLS or node.op in self._flow.functions else []
        if node.op in self._flow.functions:
            self._call(body, node, [node.op], inputs, 0, None)
        elif node.op in _CALLS:
            attributes, first, _ = _CALLS[node.op]
            names = [name for attribute in attributes for name in _called_functions(node, attribute)]
            port = None if node.op in WHILE_LOOPS else tensor.port
            self._call(body, node, names, inputs, first, port)
        elif is_new:
            if self._flow.functions:
                for name in named_functions(node.attr.values()):  # such as the function of a dataset
                    self._call(body, node, [name], [], 0, None)
            self._stack += [(body, text) for text in inputs]

    def _call(
        self, body: Body, node: NodeDef, names: Iterable[str], inputs: list[str], first: int, port: int | None
    ) -> None:
        """Follow the results of the functions that a node calls, and their needed arguments.

        `first` is the number of the input that is the first argument. With `port`, only the result of this number is
        followed.
        """
        callees = [self._flow.functions[name] for name in names if name in self._flow.functions]
        self._stack += [(body, text) for text in (inputs[:first] if callees else inputs)]
        for callee in callees:
            returns = callee.returns if port is None else callee.returns[port : port + 1]
            self._stack += [(callee, text) for text in returns if text]
            calls = self._calls.setdefault(callee.name, {})
            if (body.name, node.name) not in calls:
                calls[body.name, node.name] = (inputs, first, body)
                for position in self._needed_arguments.get(callee.name, {}).values():
                    self._pass(inputs, first + position, body)

    def _visit_argument(self, body: Body, name: str) -> None:
        needed = self._needed_arguments.setdefault(body.name, {})
        if body.name not in self._positions:
            self._positions[body.name] = {argument: index for index, argument in enumerate(body.arguments)}
        if name in needed or name not in self._positions[body.name]:
            return
        needed[name] = self._positions[body.name][name]
        for inputs, first, caller in self._calls.get(body.name, {}).values():
            self._pass(inputs, first + needed[name], caller)

    def _pass(self, inputs: list[str], position: int, body: Body) -> None:
        if position < len(inputs):
            self._stack.append((body, inputs[position]))
