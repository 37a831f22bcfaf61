"""One node in place of several that compute the same.

    Add(Relu(x), Relu(x))   ->   r = Relu(x), Add(r, r)

Nodes compute the same if they have the same op, inputs, control inputs, device and attributes; inputs are the same if
they are the same output of one node, or of nodes that compute the same. The first of them in the graph stays, and the
order of all. Nodes are left alone if

    they are declared as inputs or outputs, or a function returns them
    they are Placeholders: each is fed by itself
    their op keeps or changes something (random numbers, variables, files), or is not known

Unlike in the original, a name that is declared with a port is that of its node; an op that changes what it takes as a
reference is not merged, such as AssignAdd; an op that is not known is no error; names of attributes count; nodes that
have to be on the same device as one that goes are told the name of the one that stays; and nodes in functions are
merged, each function by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from hashlib import blake2b

from pbwire.codec.buffers import Buffer
from pbwire.lazy.undecoded_maps import wire_entries

from ..errors import GraphError
from ..graph import UNKNOWN, ColocationRenames, Functions, GraphIndex, with_functions, with_nodes
from ..graph.function_body import ARGUMENT_OP, FunctionBody
from ..graph.functions import function_name
from ..messages import FunctionDef, GraphDef, NodeDef, OpDef
from ..names import TensorName
from ..ops import OPS, is_stateful
from .framework.node_edits import rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["attributes_key", "merge_duplicate_nodes"]


_FED = frozenset({"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", ARGUMENT_OP})


@graph_transform
def merge_duplicate_nodes(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef] = OPS,
    report: StepReport,
) -> GraphDef:
    """Merge nodes that compute the same: the first of them takes the place of all.

    Example: merge_duplicate_nodes with outputs y

        x = Placeholder[dtype=float]
        a = Relu(x)[T=float]
        b = Relu(x:0)[T=float]
        y = Add(a, b)[T=float]

    becomes

        x = Placeholder[dtype=float]
        a = Relu(x)[T=float]
        y = Add(a, a)[T=float]
    """
    kinds = _Kinds(ops)
    declared = {tensor.node for tensor in (*inputs, *outputs)}
    result = with_nodes(graph, _merged(GraphIndex(graph), declared, kinds, report))
    if graph.library is None:
        return result
    known = Functions(graph.library)
    functions = [_in_function(each, known, kinds, report) for each in graph.library.function]
    same = all(new is old for new, old in zip(functions, graph.library.function, strict=True))
    return result if same else with_functions(result, functions)


def _in_function(function: FunctionDef, known: Functions, kinds: _Kinds, report: StepReport) -> FunctionDef:
    ops = [node.op for node in function.node_def]
    if len(set(ops)) == len(ops):
        return function
    try:
        body = FunctionBody(function, known, OPS)
        return body.rebuilt(_merged(body.index, body.results, kinds, report))
    except GraphError as error:
        report.refuse(function_name(function), str(error))
        return function


class _Kinds:
    """Which ops can be merged."""

    def __init__(self, ops: Mapping[str, OpDef]) -> None:
        self._ops = ops
        self._found: dict[str, bool] = {}

    def is_known(self, op: str) -> bool:
        return op in self._ops or op == ARGUMENT_OP

    def can_be_merged(self, op: str) -> bool:
        found = self._found.get(op)
        if found is None:
            declared = self._ops.get(op)
            changes = declared is not None and any(each.is_ref for each in declared.input_arg)
            found = self._found[op] = not (is_stateful(declared) or changes or op in _FED)
        return found


def _merged(index: GraphIndex, declared: Iterable[str], kinds: _Kinds, report: StepReport) -> list[NodeDef]:
    """The nodes that stay, with inputs from each other."""
    kept = set(declared)
    merging = [
        position
        for position in index.forward_order
        if kinds.can_be_merged(index.nodes[position].op)
        and index.nodes[position].name not in kept
        and UNKNOWN not in index.sources[position]
    ]
    for node in index.nodes:
        if not kinds.is_known(node.op):
            report.refuse(node.name, "its op is not known")
    renames: dict[str, str] = {}
    for group in _Groups(index, merging).found():
        first, *others = sorted(group)
        renames |= {index.nodes[position].name: index.nodes[first].name for position in others}
    if not renames:
        return index.nodes
    report.fire(len(renames))
    left = (node for node in index.nodes if node.name not in renames)
    renamed = rename_inputs(left, {f"{old}:*": new for old, new in renames.items()})
    return [*map(ColocationRenames(renames).applied, renamed)]


class _Groups:
    """Nodes that compute the same, put together step by step.

    Every node is in a group, at first by itself. Producers come before consumers, so that these can tell whether their
    inputs are the same: but for what comes back in a loop. So when two groups become one, those who took something of
    the lesser and were looked at before are looked at again.
    """

    def __init__(self, index: GraphIndex, positions: list[int]) -> None:
        self._index = index
        self._positions = positions
        self._group: list[int] = list(range(len(index)))  # of each node, the first that was found of its group
        self._members: dict[int, list[int]] = {}  # of groups of more than one
        self._ports = _Ports()
        self._own: dict[int, Hashable] = {}  # what is the same of a node whatever its inputs are

    def found(self) -> list[list[int]]:
        """The groups of more than one node, by position."""
        keys: dict[Hashable, int] = {}
        queue = deque(self._positions)
        seen: set[int] = set()
        while queue:
            position = queue.popleft()
            seen.add(position)
            first = self._group[keys.setdefault(self._key(position), self._group[position])]
            if first != self._group[position]:
                for member in self._join(self._group[position], first):
                    queue.extend(target for target in self._index.targets[member] if target in seen)
        return list(self._members.values())

    def _join(self, one: int, other: int) -> list[int]:
        """Put all of the smaller of two groups into the other: the nodes that changed theirs."""
        moved, grown = sorted((self._members.pop(group, [group]) for group in (one, other)), key=len)
        group = self._group[grown[0]]
        for position in moved:
            self._group[position] = group
        grown.extend(moved)
        self._members[group] = grown
        return moved

    def _key(self, position: int) -> Hashable:
        own = self._own.get(position)
        node = self._index.nodes[position]
        if own is None:
            own = self._own[position] = node.op, node.device, attributes_key(node)
        groups = tuple(map(self._group.__getitem__, self._index.sources[position]))
        return own, groups, tuple(map(self._ports.__getitem__, node.input))


class _Ports(dict[str, int]):
    """Which port of a node a reference takes: CONTROL may be one."""

    def __missing__(self, text: str) -> int:
        port = self[text] = TensorName.parse(text).port
        return port


_SMALL = 1024  # bytes
_ENDS = 64  # bytes


def attributes_key(node: NodeDef) -> Hashable:
    """What the attributes of a node are, names and values, as a key of a dict."""
    key: list[tuple[bytes, bytes | _Large]] = []
    for name, value in wire_entries(node, "attr").items():
        size = sum(map(len, value))
        key.append((name, b"".join(value) if size < _SMALL else _Large(value, size)))
    key.sort(key=lambda entry: entry[0])
    return tuple(key)


class _Large:
    """A large value: its size and its ends are its hash. Only those that have these in common are read."""

    def __init__(self, value: list[Buffer], size: int) -> None:
        self._value = value
        first = b"".join(bytes(part[:_ENDS]) for part in value)[:_ENDS]
        last = b"".join(bytes(part[-_ENDS:]) for part in value)[-_ENDS:]
        self._outline = size, first, last

    def __hash__(self) -> int:
        return hash(self._outline)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Large) and self._outline == other._outline and self._digest == other._digest

    @cached_property
    def _digest(self) -> bytes:
        digest = blake2b()
        for part in self._value:
            digest.update(part)
        return digest.digest()
