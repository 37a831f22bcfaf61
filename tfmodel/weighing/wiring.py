"""Where a tensor goes: to the nodes that do something with it, through those that pass it on, and into functions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import GraphError
from ..messages import GraphDef, NodeDef
from ..names import TensorName
from ..printable import printable
from .roles import PASSES

__all__ = ["Body", "End", "Wiring"]

_MOST_STEPS = 1 << 12  # for one tensor
_MOST_BACK = 64  # nodes that pass on, one behind the other
_MOST_CALLS = 64  # functions, one inside the other

# Ops that call functions: the attributes that name them, and how many inputs come before the arguments.
_CALLS = {
    "PartitionedCall": (("f",), 0),
    "StatefulPartitionedCall": (("f",), 0),
    "TPUPartitionedCall": (("f",), 0),
    "If": (("then_branch", "else_branch"), 1),
    "StatelessIf": (("then_branch", "else_branch"), 1),
    "Case": (("branches",), 1),
    "StatelessCase": (("branches",), 1),
    "While": (("cond", "body"), 0),
    "StatelessWhile": (("cond", "body"), 0),
}
_LOOPS = ("While", "StatelessWhile")
_FORKS = ("Switch", "RefSwitch", "_SwitchN")  # every output is the input

# Ops that give the same numbers in another shape, or a part of them, or more of them; with the input that is meant.
_RESHAPES = {"Reshape": 0, "ExpandDims": 0, "Squeeze": 0}
_REARRANGES = {"Transpose": 0, "Split": 1, "SplitV": 0, "Unpack": 0, "Slice": 0, "StridedSlice": 0}
_JOINS = ("ConcatV2", "Concat", "Pack", "ParallelConcat")
_STORED = ("Const", "Variable", "VariableV2", "VarHandleOp")


class User(NamedTuple):
    """A node, and which of its inputs it is about."""

    node: NodeDef
    at: int


class Body:
    """The nodes of the graph, or of one of its functions, by name, with those that use each."""

    def __init__(self, name: str, nodes: Iterable[NodeDef], arguments: Iterable[str] = (), returns: Any = ()) -> None:
        self.name = name
        self.arguments = list(arguments)
        self.returns: list[str] = list(returns)
        self.nodes: dict[str, NodeDef] = {}
        self._users: dict[str, list[User]] = {}
        self._by_port: dict[str, dict[int, list[User]]] = {}
        self._joins: dict[str, bool] = {}
        users = self._users
        for node in nodes:
            if node.name in self.nodes:
                where = f"the function {printable(name)}" if name else "the graph"
                raise GraphError(f'{where} has two nodes "{printable(node.name)}"')
            self.nodes[node.name] = node
            for index, text in enumerate(node.input):
                if text[:1] != "^":
                    users.setdefault(text.partition(":")[0], []).append(User(node, index))

    def users(self, name: str, port: int | None = None) -> list[User]:
        """Who has output `port` of a node as an input; None stands for every output."""
        users = self._users.get(name, [])
        if port is None:
            return users
        if name not in self._by_port:
            ports: dict[int, list[User]] = {}
            for user in users:
                ports.setdefault(TensorName.parse(user.node.input[user.at]).port, []).append(user)
            self._by_port[name] = ports
        return self._by_port[name].get(port, [])

    def joins_stored(self, node: NodeDef) -> bool:
        """Whether all inputs of a node are stored and none is computed: it puts parts of one thing together."""
        if node.name not in self._joins:
            origins = [self.origin(text) for text in node.input if text[:1] != "^"]
            self._joins[node.name] = all(origin is not None and origin.op in _STORED for origin in origins)
        return self._joins[node.name]

    def origin(self, text: str) -> NodeDef | None:
        """The node that an input comes from, before anything passed it on; None for an argument of the function."""
        for _ in range(_MOST_BACK):
            node = self.nodes.get(TensorName.parse(text).node)
            if node is None or node.op not in PASSES or not node.input:
                return node
            text = node.input[0]
        return None


@dataclass(frozen=True, slots=True)
class End:
    """A node that takes the tensor, as its input number `index`.

    through   the ops on the way that changed its shape or what belongs to it
    in_loop   whether that happens in a loop
    """

    body: Body
    node: NodeDef
    index: int
    through: tuple[str, ...] = ()
    in_loop: bool = False


@dataclass(frozen=True, slots=True)
class _Frame:
    """Which call of which function: what it returns goes on there."""

    body: Body
    caller: _Frame | None = None
    node: str = ""
    depth: int = 0


class _At(NamedTuple):
    frame: _Frame
    name: str
    port: int | None
    through: tuple[str, ...]
    in_loop: bool


class Wiring:
    """The graph and its functions."""

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

    def ends(self, body: Body, name: str) -> Iterator[End]:
        """Where output 0 of a node goes, the nearest first."""
        queue = deque([_At(_Frame(body), name, 0, (), False)])
        seen: set[tuple[str, str, int | None]] = set()
        steps = 0
        while queue and steps < _MOST_STEPS:
            at = queue.popleft()
            key = (at.frame.body.name, at.name, at.port)
            if key in seen:
                continue
            seen.add(key)
            queue.extend(self._returned(at))
            users = at.frame.body.users(at.name, at.port)
            steps += len(users)
            for user in users[:_MOST_STEPS]:
                onward = list(self._onward(at, user))
                queue.extend(onward)
                if not onward or user.node.op == "PlaceholderWithDefault" or onward[0].through != at.through:
                    yield End(at.frame.body, user.node, user.at, at.through, at.in_loop)

    def _onward(self, at: _At, user: User) -> Iterator[_At]:
        """What a node passes on of its input, if it does."""
        node, index = user.node, user.at
        op = node.op
        if op in PASSES:
            if index == 0 or op in ("Merge", "RefMerge"):
                yield at._replace(
                    name=node.name, port=None if op in _FORKS else 0, in_loop=at.in_loop or op in ("Enter", "RefEnter")
                )
        elif op == "IdentityN":
            yield at._replace(name=node.name, port=index)
        elif op in _CALLS:
            attrs, first = _CALLS[op]
            if index >= first:
                names = [name for attr in attrs for name in _called(node, attr)]
                yield from self._into(at, node, names, index - first)
        elif op in self.functions:
            yield from self._into(at, node, [op], index)
        elif _RESHAPES.get(op, _REARRANGES.get(op, -1)) == index or (op in _JOINS and at.frame.body.joins_stored(node)):
            yield at._replace(name=node.name, port=None, through=(*at.through[:_MOST_BACK], op))

    def _into(self, at: _At, node: NodeDef, functions: Iterable[str], argument: int) -> Iterator[_At]:
        for name in functions:
            body = self.functions.get(name)
            if body is not None and argument < len(body.arguments) and at.frame.depth < _MOST_CALLS:
                frame = _Frame(body, at.frame, node.name, at.frame.depth + 1)
                in_loop = at.in_loop or node.op in _LOOPS
                yield _At(frame, body.arguments[argument], 0, at.through, in_loop)

    def _returned(self, at: _At) -> Iterator[_At]:
        """The outputs of the call that a function's own result goes to."""
        frame = at.frame
        if frame.caller is None or frame.caller.body.nodes[frame.node].op in _LOOPS:
            return
        for position, text in enumerate(frame.body.returns):
            if text and text.partition(":")[0] == at.name and at.port in (None, TensorName.parse(text).port):
                yield at._replace(frame=frame.caller, name=frame.node, port=position)


def _called(node: NodeDef, attr: str) -> list[str]:
    value = node.attr.get(attr)
    if value is None:
        return []
    if value.list is not None:
        return [each.name for each in value.list.func]
    return [value.func.name] if value.func is not None else []
