"""As what a constant or a variable is used: what the op calls its input, or what that means where the op is general.

A bias may be added by any addition, and a batch norm may be spelled out in ops that add and multiply:

    y = x * m + (beta - moving_mean * m)        m = rsqrt(moving_variance + epsilon) * gamma

Where a tensor goes: to the nodes that do something with it, through those that pass it on, and into functions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import GraphError
from ..messages import GraphDef, NodeDef
from ..names import TensorName
from ..ops.ports import input_types
from ..printable import printable
from ..tensor_header import Shape
from .roles import LAYERS, PASSES, Standing, role_in, standing

if TYPE_CHECKING:
    from ..messages import OpDef

__all__ = ["Body", "End", "Use", "Uses", "Wiring"]


_ADDS = ("Add", "AddV2")
_MOST_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Use:
    """That a node has something as an input.

    node      its name, and `function` that of the function it is in, if it is
    role      as what: "filter", "bias", "axis"; empty if that is not known
    through   the ops in between that gave it another shape or put it together with others: a role is that of the whole
    in_loop   whether it is used again and again
    """

    node: str
    op: str
    role: str
    function: str = ""
    in_loop: bool = False
    through: tuple[str, ...] = ()
    standing: Standing = Standing.OTHER


class Uses:
    """Finds out, for a graph. `ops` are the declarations of its ops: they name inputs too."""

    def __init__(self, wiring: Wiring, ops: Mapping[str, OpDef]) -> None:
        self._wiring = wiring
        self._ops = ops
        self._counts: dict[int, int] = {}  # of tensors that a node takes, by its id: one may take all that there are

    def of(self, body: Body, name: str, shape: Shape | None) -> tuple[Use, ...]:
        """Who uses a constant or variable, the use that tells most first."""
        uses: dict[Use, None] = {}
        for end in self._wiring.ends(body, name):
            use = self._use(end, shape)
            if use.through and use.standing is not Standing.WEIGHT:
                continue  # the op that changed the shape tells more
            uses[use] = None
            if len(uses) == _MOST_KEPT:
                break
        return tuple(sorted(uses, key=lambda use: (use.standing, len(use.through))))

    def _use(self, end: End, shape: Shape | None) -> Use:
        node = end.node
        role = self._role(end)
        rank = sum(size != 1 for size in shape) if shape is not None else -1
        role = _meant(end, role, rank, len(shape) if shape is not None else -1) or role
        found = standing(node.op, role, f"{end.body.name}/{node.name}")
        return Use(node.name, node.op, role, end.body.name, end.in_loop, end.through, found)

    def _role(self, end: End) -> str:
        node = end.node
        count = self._counts.get(id(node))
        if count is None:
            count = self._counts[id(node)] = sum(1 for _ in _inputs(node))
        fused: tuple[str, ...] = ()
        if "fused_ops" in node.attr and node.attr["fused_ops"].list is not None:
            fused = tuple(each.decode("utf-8", "replace") for each in node.attr["fused_ops"].list.s)
        role = role_in(node.op, end.index, count, fused)
        return self._declared_role(node, end.index) if role is None else role

    def _declared_role(self, node: NodeDef, index: int) -> str:
        declared = self._ops.get(node.op)
        if declared is None:
            return ""
        try:
            name, _ = input_types(node, declared).place(index)
        except GraphError:  # a node that does not fit its op is no matter here
            return ""
        return name.replace("_", " ")


def _meant(end: End, role: str, rank: int, dimensions: int) -> str:
    """What a general role means here; empty if it means nothing else. `rank` counts dimensions that are not 1."""
    op = end.node.op
    if role == "embedding" and dimensions < 2:
        return "table"
    if role == "counter" and dimensions > 0:
        return "sum"
    if role != "operand" or rank > 1:
        return ""
    if op in _ADDS:
        return _of_addition(end, rank)
    if op == "Mul":
        return _of_product(end, rank)
    other = _other(end)
    if op == "Sub" and end.index == 0 and other is not None and other.op == "Mul" and rank == 1:
        return "beta" if any(_is_scale(end.body, text) for text in _two(other)) else ""
    return ""


def _of_addition(end: End, rank: int) -> str:
    if any(user.node.op == "Rsqrt" for user in end.body.users(end.node.name)):
        return "moving variance" if rank == 1 else "epsilon"
    other = _other(end)
    if other is None or rank != 1:
        return ""
    if other.op in LAYERS or (other.op == "Mul" and any(_is_layer(end.body, text) for text in _two(other))):
        return "bias"
    return ""


def _of_product(end: End, rank: int) -> str:
    other = _other(end)
    if other is None or rank != 1:
        return ""
    if other.op in LAYERS:
        return "scale"
    if not _is_scale(end.body, end.node.input[1 - end.index]):
        return ""
    if any(user.node.op == "Neg" or (user.node.op == "Sub" and user.at == 1) for user in end.body.users(end.node.name)):
        return "moving mean"
    return "gamma" if other.op == "Rsqrt" else ""


def _other(end: End) -> NodeDef | None:
    """Where the other operand of an op on two comes from."""
    inputs = list(islice(_inputs(end.node), 3))
    return end.body.origin(inputs[1 - end.index]) if len(inputs) == 2 and end.index < 2 else None


def _inputs(node: NodeDef) -> Iterator[str]:
    return (text for text in node.input if text[:1] != "^")


def _two(node: NodeDef) -> Iterator[str]:
    """The operands of an op on two, whatever else it is given."""
    return islice(_inputs(node), 2)


def _is_layer(body: Body, text: str) -> bool:
    origin = body.origin(text)
    return origin is not None and origin.op in LAYERS


def _is_scale(body: Body, text: str) -> bool:
    """Whether this is rsqrt(variance), or that times gamma."""
    origin = body.origin(text)
    if origin is not None and origin.op == "Mul":
        return any((factor := body.origin(each)) is not None and factor.op == "Rsqrt" for each in _two(origin))
    return origin is not None and origin.op == "Rsqrt"


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
