"""Merge nodes that compute the same.

    Add(Relu(x), Relu(x))   ->   r = Relu(x), Add(r, r)

Nodes compute the same if they have the same op, inputs, control inputs, device and attributes. Inputs are the same if
they are the same output of one node, or of nodes that compute the same. Of nodes that compute the same, the first one
in the graph stays. The order of the nodes does not change. Nodes are left alone if

    they are declared as inputs or outputs, or a function returns them
    they are Placeholders, which are fed separately
    their op is stateful (random numbers, variables, files), takes a reference to a variable, or is not known
    one of their inputs is not in the graph

Attributes are compared by their encoded values. As in the original, a tensor stored as bytes and the same tensor stored
as numbers are not equal.

Differences from the original:

    A name declared with a port ("y:0") stands for its node.
    Ops that take a reference to a variable, such as AssignAdd, are not merged.
    An unknown op is not an error.
    Names of attributes are compared too.
    Colocation attributes refer to the node that stays.
    Nodes in functions are merged, each function by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Mapping
from functools import cached_property
from hashlib import blake2b

from pbwire.codec.buffers import Buffer
from pbwire.lazy.undecoded_maps import wire_entries

from ..graph import UNKNOWN, ColocationRenames, GraphIndex
from ..graph.function_body import ARGUMENT_OP
from ..graph.view import GraphView
from ..messages import GraphDef, NodeDef, OpDef
from ..ops import OPS, is_stateful
from ..ops.traits import FED_OPS
from ..values.names import TensorName
from .framework.bodies import rewrite_bodies
from .framework.node_edits import rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport


@graph_transform
def merge_duplicate_nodes(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef] = OPS,
    report: StepReport,
) -> GraphDef:
    """Merge nodes that compute the same: the first of them replaces the others.

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
    mergeable = _MergeableOps(ops)

    def merge(view: GraphView) -> list[NodeDef] | None:
        if view.body is not None and len(view.ops) == len(view.body.message.node_def):
            return None
        merged = _merged(view.index, view.declared, mergeable, report)
        if not merged:
            return view.index.nodes
        report.fire(len(merged))
        if view.body is None:
            report.node_renames = merged
        remaining = (node for node in view.index.nodes if node.name not in merged)
        renamed = rename_inputs(remaining, {f"{old}:*": new for old, new in merged.items()})
        return [*map(ColocationRenames(merged).rename, renamed)]

    return rewrite_bodies(graph, merge, ops=OPS, report=report, inputs=inputs, outputs=outputs)


class _MergeableOps:
    """Decides which ops can be merged."""

    def __init__(self, ops: Mapping[str, OpDef]) -> None:
        self._ops = ops
        self._is_mergeable: dict[str, bool] = {}

    def is_known(self, op: str) -> bool:
        return op in self._ops or op == ARGUMENT_OP

    def includes(self, op: str) -> bool:
        is_mergeable = self._is_mergeable.get(op)
        if is_mergeable is None:
            declared = self._ops.get(op)
            takes_reference = declared is not None and any(argument.is_ref for argument in declared.input_arg)
            is_mergeable = self._is_mergeable[op] = not (is_stateful(declared) or takes_reference or op in FED_OPS)
        return is_mergeable


def _merged(
    index: GraphIndex, declared: Collection[str], mergeable: _MergeableOps, report: StepReport
) -> dict[str, str]:
    """Return the nodes that are removed, each with the one that computes the same and stays."""
    candidates = [
        position
        for position in index.forward_order
        if mergeable.includes(index.nodes[position].op)
        and index.nodes[position].name not in declared
        and UNKNOWN not in index.sources[position]
    ]
    for node in index.nodes:
        if not mergeable.is_known(node.op):
            report.refuse(node.name, "its op is not known")
    renames: dict[str, str] = {}
    for group in _Groups(index, candidates).find():
        first, *others = sorted(group)
        renames |= {index.nodes[position].name: index.nodes[first].name for position in others}
    return renames


class _Groups:
    """Groups of nodes that compute the same, joined step by step.

    At first every node is a group of its own. Producers are visited before consumers, so that the groups of the inputs
    are known, except for edges that lead back in a loop. To correct the latter, when two groups are joined, those
    consumers of the smaller group that were visited before are visited again.
    """

    def __init__(self, index: GraphIndex, positions: list[int]) -> None:
        self._index = index
        self._positions = positions
        self._group: list[int] = list(range(len(index)))  # by node: the number of its group
        self._members: dict[int, list[int]] = {}  # of groups with more than one node
        self._ports = _Ports()
        self._own: dict[int, Hashable] = {}  # by node: its key without inputs

    def find(self) -> list[list[int]]:
        """Return the groups of more than one node, by position."""
        keys: dict[Hashable, int] = {}
        queue = deque(self._positions)
        visited: set[int] = set()
        while queue:
            position = queue.popleft()
            visited.add(position)
            first = self._group[keys.setdefault(self._key(position), self._group[position])]
            if first != self._group[position]:
                for member in self._join(self._group[position], first):
                    queue.extend(target for target in self._index.targets[member] if target in visited)
        return list(self._members.values())

    def _join(self, one: int, other: int) -> list[int]:
        """Add the smaller of two groups to the larger one; return the nodes of the smaller one."""
        small, large = sorted((self._members.pop(group, [group]) for group in (one, other)), key=len)
        group = self._group[large[0]]
        for position in small:
            self._group[position] = group
        large.extend(small)
        self._members[group] = large
        return small

    def _key(self, position: int) -> Hashable:
        own = self._own.get(position)
        node = self._index.nodes[position]
        if own is None:
            own = self._own[position] = node.op, node.device, attributes_key(node)
        groups = tuple(map(self._group.__getitem__, self._index.sources[position]))
        return own, groups, tuple(map(self._ports.__getitem__, node.input))


class _Ports(dict[str, int]):
    """Cache of the port of each reference; CONTROL for control inputs."""

    def __missing__(self, text: str) -> int:
        port = self[text] = TensorName.parse(text).port
        return port


_MAX_COPIED = 1024  # smaller values, in bytes, become part of a key
_ENDS = 64  # bytes of a larger value that are hashed at each end


def attributes_key(node: NodeDef) -> Hashable:
    """Return a hashable key of the attributes of a node. Nodes with equal attributes have equal keys.

    Undecoded attributes stay undecoded, and large values are not copied. The key does not depend on how the input file
    encodes the attributes.
    """
    key: list[tuple[bytes, bytes | _LargeValue]] = []
    for name, value in wire_entries(node, "attr").items():
        size = sum(map(len, value))
        key.append((name, b"".join(value) if size < _MAX_COPIED else _LargeValue(value, size)))
    key.sort(key=lambda entry: entry[0])
    return tuple(key)


class _LargeValue:
    """A large value. Its hash depends on its size and both ends. Values are read in full only if these are equal."""

    def __init__(self, value: list[Buffer], size: int) -> None:
        self._value = value
        first = b"".join(bytes(part[:_ENDS]) for part in value)[:_ENDS]
        last = b"".join(bytes(part[-_ENDS:]) for part in value)[-_ENDS:]
        self._summary = size, first, last

    def __hash__(self) -> int:
        return hash(self._summary)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _LargeValue) and self._summary == other._summary and self._digest == other._digest

    @cached_property
    def _digest(self) -> bytes:
        digest = blake2b()
        for part in self._value:
            digest.update(part)
        return digest.digest()
