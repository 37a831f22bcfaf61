"""Follow tensors through a graph and its functions: forwards to their consumers, backwards to the nodes they need.

`DataFlow` follows the value of a constant or variable to its consumers, through nodes that pass it on, reshape, split
or join it, and into functions and out of them. `find_needed_nodes` finds the nodes that compute outputs from inputs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ..errors import GraphError
from ..graph.functions import named_functions
from ..graph.view import User, consumers_by
from ..messages import GraphDef, NodeDef
from ..ops.traits import ENTER, MERGE, PASS_THROUGH, SWITCH, TRAITS, VARIABLES, WHILE_LOOPS, Calls
from ..values.names import TensorName, data_inputs, is_control_input, is_plain_name, node_name
from ..values.terminal import escape

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
_PASSING = PASS_THROUGH.union(["IdentityN"], _CALLS, _RESHAPES, _REARRANGES, _JOINS)
"""Ops that may pass an input on: see `DataFlow._pass_on`."""
_STORED = VARIABLES | {"Const"}


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
        return consumers_by(node_name, self.nodes.values())

    def users(self, name: str, port: int | None = None) -> list[User]:
        """Return the users of output `port` of a node; of all its outputs if `port` is None."""
        users = self._users.get(name, [])
        if port is None:
            return users
        if name not in self._by_port:
            ports: dict[int, list[User]] = {}
            nodes = {user.node.name: user.node for user in users}
            inputs = {name: data_inputs(node) for name, node in nodes.items()}
            for user in users:
                text = inputs[user.node.name][user.input_index]
                ports.setdefault(0 if is_plain_name(text) else TensorName.parse(text).port, []).append(user)
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


class Consumer(NamedTuple):
    """A node that has a tensor as its input number `input_index`.

    through   the ops on the way that reshaped, split or joined the tensor
    in_loop   whether the node is in a loop
    """

    body: Body
    node: NodeDef
    input_index: int
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
        self._passing = _PASSING.union(self.functions)

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
            if position.frame.caller is not None:
                queue.extend(self._return(position))
            users = position.frame.body.users(position.name, position.port)
            steps += len(users)
            for user in users[:_MAX_STEPS]:
                outputs = list(self._pass_on(position, user)) if user.node.op in self._passing else []
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
