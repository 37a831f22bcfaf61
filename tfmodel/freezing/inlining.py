"""Calls of functions in a graph, replaced by what is inside of the functions.

    y = PartitionedCall(x, w, f=f)        ->        y/MatMul = MatMul(x, w), ...

A node of the function is called `<call>/<node>`. In a call that has the name of its caller, as StatefulPartitionedCall
has inside of most SavedModels, it is called as if it were in the caller: so TensorFlow's own freezing calls it.

Whoever used a result uses the tensor inside that it is. What ran before the call runs before everything in it, and what
ran after it runs after `<call>`, a NoOp that runs after all that the function has to do. A result that is itself an
output of the graph keeps its name: `<call>` is then an Identity, or an IdentityN where the function has several.

Calls inside of functions are inlined in turn. Loops and branches remain calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..errors import FreezeError, GraphError
from ..graph import given_by_call, substituted
from ..graph.edit import TakenNames
from ..graph.functions import growth_problem
from ..messages import AttrValue, DataType
from ..names import TensorName
from ..ops.state import VARIABLES
from .library import Function, Library, deeper
from .mutable_graph import Body, Node, attr, quoted

__all__ = ["forget_order", "inline_calls"]

_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_ENTERS = ("Enter", "RefEnter")
_PIVOTS = ("Enter", "RefEnter", "Switch", "RefSwitch", "_SwitchN")


class _Pending(NamedTuple):
    node: Node
    callers: tuple[str, ...]


def inline_calls(body: Body, library: Library, outputs: Iterable[TensorName]) -> set[str]:
    """Inline all calls in `body`, in place. Returns the names of the nodes that come from functions."""
    return _Inliner(body, library, outputs).run()


class _Inliner:
    def __init__(self, body: Body, library: Library, outputs: Iterable[TensorName]) -> None:
        self._body = body
        self._library = library
        self._wanted: dict[str, int] = {}  # by call: the highest port that is an output of the graph
        for tensor in outputs:
            self._wanted[tensor.node] = max(tensor.port, self._wanted.get(tensor.node, 0))
        self._taken = TakenNames(body.nodes)
        self._followed = {name for node in body.nodes.values() for name in node.controls}
        self._results: dict[TensorName, TensorName] = {}
        self._has_frames = any(node.op in _PIVOTS for node in body.nodes.values())
        self._made: set[str] = set()
        self._prefixes: dict[str, str] = {}  # of what is inside of a call

    def run(self) -> set[str]:
        count = len(self._body.nodes) + self._library.node_count
        characters = 0
        done: dict[str, Node] = {}
        pending = [_Pending(node, ()) for node in reversed(self._body.nodes.values())]
        while pending:
            node, callers = pending.pop()
            function = self._called(node)
            if function is None:
                done[node.name] = node
            else:
                inside = deeper(callers, function.name)
                made = list(self._inside(node, function))
                pending += [_Pending(each, inside) for each in reversed(made)]
                characters += sum(len(each.name) for each in made)
                if problem := growth_problem(count, len(done) + len(pending), characters):
                    raise FreezeError(problem)
        self._body.replace(done)
        if self._results:
            self._reconnect()
        return self._made & done.keys()

    def _called(self, node: Node) -> Function | None:
        if node.op in _CALLS:
            return self._library[attr(node, "f", "func").name]
        return self._library[node.op] if node.op in self._library else None  # noqa: SIM401  which raises

    # --- one call ----------------------------------------------------------------------------------------------------

    def _inside(self, call: Node, function: Function) -> Iterator[Node]:
        """The nodes that stand for a call."""
        if len(call.inputs) != len(function.args):
            raise FreezeError(
                f"{call.op} {quoted(call.name)} has {len(call.inputs)} inputs, "
                f"function {quoted(function.name)} takes {len(function.args)}"
            )
        body = function.body()
        prefix = self._prefix(call)
        names = {name: self._taken.fresh(f"{prefix}/{name}") for name in body.nodes}
        given = dict(zip(function.args, call.inputs, strict=True))
        own = attr(call, "f", "func").attr if call.op in _CALLS else call.attrs
        calling = given_by_call(function.message, own)

        def outside(tensor: TensorName) -> TensorName:
            if tensor.node in names:
                return TensorName(names[tensor.node], tensor.port)
            if tensor.node in given:
                return given[tensor.node]
            raise FreezeError(f"function {quoted(function.name)} has no node {quoted(tensor.node)}")

        first = self._before(call)
        if first is not None:
            yield first
        for node in body.nodes.values():
            is_source = all(tensor.node in given for tensor in node.inputs) and not node.controls
            for name in node.controls:
                if name not in names and name not in given:
                    raise FreezeError(f"function {quoted(function.name)} has no node {quoted(name)}")
            controls = [names[name] for name in node.controls if name in names]
            controls += [given[name].node for name in node.controls if name in given]
            if is_source and first is not None and (self._has_frames or node.op != "Const"):
                controls.append(first.name)
            made = Node(names[node.name], node.op, source=node.source)
            try:
                attrs = substituted(node.attrs, calling)
            except GraphError as error:
                raise FreezeError(f"{call.op} {quoted(call.name)}: {error}") from None
            if node.op in _ENTERS and "frame_name" in attrs:  # a function that is called twice has its loop twice
                made.become(attrs=attrs)
                frame = f"{call.name}/".encode(errors="replace") + attr(made, "frame_name", "s")
                attrs = attrs | {"frame_name": AttrValue(s=frame)}
            made.become(inputs=map(outside, node.inputs), controls=dict.fromkeys(controls), attrs=_moved(attrs, names))
            self._made.add(made.name)
            yield made
        returns = [outside(tensor) for tensor in function.returns]
        yield self._after(call, function, returns, [names[name] for name in function.controls if name in names])

    def _prefix(self, call: Node) -> str:
        caller, _, name = call.name.rpartition("/")
        prefix = self._prefixes.get(caller, caller)
        if caller not in self._prefixes or prefix.rpartition("/")[2] != name:
            prefix = call.name
        self._prefixes[call.name] = prefix
        return prefix

    def _before(self, call: Node) -> Node | None:
        """A node that has to run before what is inside of a call, if anything has to: which is also what puts a node
        without inputs into the loop or branch that the call is in."""
        if self._has_frames and call.inputs:
            node = Node(self._taken.fresh(f"{call.name}/inputs"), "Identity", call.inputs[:1], call.controls)
            node.become(attrs={"T": AttrValue(type=self._type_of(call))})
        elif call.controls:
            node = Node(self._taken.fresh(f"{call.name}/inputs"), "NoOp", (), call.controls, {})
        else:
            return None
        self._made.add(node.name)
        return node

    def _type_of(self, call: Node) -> DataType:
        """The type of a call's first input."""
        if call.op in _CALLS:
            return attr(call, "Tin", "types")[0]
        signature = self._library[call.op].message.signature
        assert signature is not None
        arg = signature.input_arg[0]
        return attr(call, arg.type_attr, "type") if arg.type_attr else arg.type

    def _after(self, call: Node, function: Function, returns: list[TensorName], controls: list[str]) -> Node:
        """The node that has the name of the call."""
        for port, tensor in enumerate(returns):
            self._results[TensorName(call.name, port)] = tensor
        controls = controls or list(dict.fromkeys([*(tensor.node for tensor in returns), *call.controls]))
        if call.name not in self._wanted or call.name in self._made:
            node = Node(call.name, "NoOp", (), tuple(controls), {})
            self._made.add(call.name)
            return node
        count = self._wanted[call.name] + 1
        if count > len(returns):
            raise FreezeError(f"{quoted(call.name)} has {len(returns)} results: there is no {call.name}:{count - 1}")
        types = self._result_types(call, function)[:count]
        if len(types) < count:
            raise FreezeError(f"{call.op} {quoted(call.name)} does not say of which types its {count} results are")
        kept = tuple(controls) if call.name in self._followed else ()
        if count == 1:
            return Node(call.name, "Identity", tuple(returns[:1]), kept, {"T": AttrValue(type=types[0])})
        attrs = {"T": AttrValue(list=AttrValue.ListValue(type=types))}
        return Node(call.name, "IdentityN", tuple(returns[:count]), kept, attrs)

    def _result_types(self, call: Node, function: Function) -> list[DataType]:
        if call.op in _CALLS:
            return attr(call, "Tout", "types")
        assert function.message.signature is not None
        args = function.message.signature.output_arg
        return [attr(call, arg.type_attr, "type") if arg.type_attr else arg.type for arg in args]

    def _reconnect(self) -> None:
        """Let everybody who used the result of a call use what it is now."""
        for node in self._body.nodes.values():
            for index, tensor in enumerate(node.inputs):
                if tensor in self._results:
                    node.reconnect(index, self._final(tensor))

    def _final(self, tensor: TensorName) -> TensorName:
        way: dict[TensorName, None] = {}
        while tensor in self._results:
            if tensor in way:
                raise FreezeError(f"the result {quoted(str(tensor))} is made of itself")
            way[tensor] = None
            tensor = self._results[tensor]
        self._results.update(dict.fromkeys(way, tensor))  # so that no part of a long chain is followed twice
        return tensor


def _moved(attrs: object, names: dict[str, str]) -> dict[str, AttrValue]:
    """Attributes of a node of a function, with colocations that name the nodes as they are called now."""
    moved: dict[str, AttrValue] = dict(attrs)  # type: ignore[call-overload]  # calls were found by having it; dict() of a map has no overload
    found = moved.get("_class")
    if found is not None and found.list is not None:
        places = [place.decode("utf-8", "replace").removeprefix("loc:@") for place in found.list.s]
        kept = [f"loc:@{names[place]}".encode() for place in places if place in names]
        if kept:
            moved["_class"] = AttrValue(list=AttrValue.ListValue(s=kept))
        else:
            del moved["_class"]
    return moved


# --- afterwards ------------------------------------------------------------------------------------------------------

_HARMLESS = ("Identity", "Shape")


def forget_order(body: Body, made: set[str]) -> None:
    """Drop control inputs that mean nothing any more, when the variables are constants.

    TF2 functions let all their results wait for every read of a variable. What came from functions (`made`) does not
    wait for nodes that have no effect and have nothing to wait for themselves.
    """
    waiting: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    for node in body.nodes.values():
        needed = {*(tensor.node for tensor in node.inputs), *node.controls}
        waiting[node.name] = len(needed)
        for name in needed:
            users.setdefault(name, []).append(node.name)
    idle: set[str] = set()
    queue = [name for name, count in waiting.items() if not count and _is_harmless(body.nodes[name], made)]
    while queue:
        name = queue.pop()
        idle.add(name)
        for user in users.get(name, ()):
            waiting[user] -= 1
            if not waiting[user] and _is_harmless(body.nodes[user], made):
                queue.append(user)
    for name in made & body.nodes.keys():
        node = body.nodes[name]
        if not idle.isdisjoint(node.controls):
            node.become(controls=[each for each in node.controls if each not in idle])


def _is_harmless(node: Node, made: set[str]) -> bool:
    return node.op in ("Const", "NoOp", *VARIABLES) or (node.op in _HARMLESS and node.name in made)
