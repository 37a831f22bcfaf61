"""Read the values of variables from a checkpoint and make constants of them.

If variables change while the graph runs, `Versions` finds the value that each node reads.

A frozen graph computes what the model computes in its first run after a restore. So a read after an assignment becomes
the assigned value. A read is "after" an assignment if a path leads from the assignment to the read. Without a path,
TensorFlow may execute either of them first; here the read comes first. This is right for training graphs that update
moving averages in separate nodes. The value that a node reads depends on earlier assignments to the variable:

    not assigned before           the value in the checkpoint
    assigned before               the new value
    assigned under a condition    the new value for nodes under the same condition; unknown after the Merge
    assigned in a loop            unknown
    assigned by an op without an equivalent on values, such as ApplyAdam    unknown

Freezing fails if a node reads an unknown value. It does not fail for assignments whose values no node reads.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import CheckpointError, FreezeError, GraphError, TensorError
from ...graph import attr, input_tensors
from ...graph.error_text import guess, quote
from ...graph.view import GraphView
from ...messages import AttrValue, DataType, NodeDef, TensorProto
from ...ops.traits import EMPTY_IS_UNKNOWN, MERGE, NEXT_ITERATION, SWITCH
from ...values.dtypes import dtype_name, dtype_of
from ...values.names import TensorName, control_inputs, node_name
from ...values.output_limit import claim, count_input
from ...values.terminal import escape
from .checkpoint_keys import Hints, Place, VariablePlaces, named_places
from .handle_tracing import ARITHMETIC, ASSIGNS, Trace, Use
from .scopes import find_renames, fits

if TYPE_CHECKING:
    import numpy.typing as npt

MIN_SHARED_BYTES = 1 << 16
"""The minimum size of an array that a constant may share instead of copying it."""

MIN_RELEASED_BYTES = 1 << 20
"""The minimum size of an array whose memory-mapped pages are released after copying."""

MAX_NAMES_SHOWN = 5
"""The maximum number of names in an error."""


class Values:
    """Read the values of variables from `checkpoint`: a Checkpoint, or any mapping from names to arrays.

    share    whether large constants may be views of the checkpoint's arrays instead of copies
    name     the name of the checkpoint in errors
    """

    def __init__(
        self,
        checkpoint: Mapping[str, Any],
        hints: Hints,
        *,
        share: bool,
        name: str,
    ) -> None:
        self._checkpoint = checkpoint
        self._places = VariablePlaces(hints, getattr(getattr(checkpoint, "object_graph", None), "message", None))
        self._share = share
        self._name = name
        self._seen: set[Place] = set()

    def make_constants(self, variables: Iterable[NodeDef]) -> list[NodeDef]:
        """Return a constant for each variable. Raises FreezeError, which names the variables without a value."""
        constants, missing = [], []
        for node in variables:
            place = self._places.find(node, self._checkpoint)
            if place is None:
                missing.append(node)
            else:
                constants.append(self._make_constant(node, place, attr(node, "dtype", DataType)))
        if missing:
            raise FreezeError(self.describe_missing(missing))
        return constants

    def array(self, node: NodeDef) -> npt.NDArray[Any] | None:
        """Return the value of a variable; None if the checkpoint has none."""
        place = self._places.find(node, self._checkpoint)
        if place is None:
            return None
        array = self._value(node, place, attr(node, "dtype", DataType))[0]
        self._check_shape(node, place, array.shape)
        return array

    def without_value(self, variables: Iterable[NodeDef]) -> list[NodeDef]:
        """Return the variables that the checkpoint lacks."""
        return [node for node in variables if self._places.find(node, self._checkpoint) is None]

    def tensor(self, key: str) -> npt.NDArray[Any] | None:
        """Return the tensor under a key; None if the checkpoint has none."""
        tensor: npt.NDArray[Any] | None = self._checkpoint.get(key)
        return tensor

    def make_restored_constant(self, name: str, restore: NodeDef, port: int, place: Place | None) -> NodeDef:
        """Return a constant `name` with the value that a restoring node reads from `place` for its output `port`.

        Raises FreezeError if the value is not known.
        """
        if place is None:
            raise FreezeError(f"{restore.op} {quote(restore.name)} has no constant key or slice for its output {port}")
        if place.key not in self._checkpoint:
            what = f"{restore.op} {quote(restore.name)} reads {quote(place.key)}"
            raise FreezeError(f"{what}, which {escape(self._name)} does not have")
        types = (
            attr(restore, "dtypes", list[DataType]) if restore.op == "RestoreV2" else [attr(restore, "dt", DataType)]
        )
        if port >= len(types):
            raise FreezeError(
                f"{restore.op} {quote(restore.name)} has {len(types)} outputs, and number {port + 1} is used"
            )
        return self._make_constant(NodeDef(name=name, op="Const"), place, types[port])

    def _make_constant(self, node: NodeDef, place: Place, dtype: DataType) -> NodeDef:
        try:
            array, tensor = self._value(node, place, dtype)
        except (GraphError, TensorError, TypeError, ValueError) as error:
            raise FreezeError(f"{_describe_reader(node)}: {error}") from error
        self._check_shape(node, place, array.shape)
        attrs = {"dtype": AttrValue(type=dtype), "value": AttrValue(tensor=tensor)}
        return NodeDef(name=node.name, op="Const", input=list(control_inputs(node)), attr=attrs)

    def _value(self, node: NodeDef, place: Place, dtype: DataType) -> tuple[npt.NDArray[Any], TensorProto]:
        """Return the value of a variable as an array, and as a tensor. Raises FreezeError if it has another type."""
        from ...values.tensors import from_ndarray, share_array  # imports numpy

        array = self._array(node, place)
        row = dtype_of(dtype)
        entry = getattr(self._checkpoint, "entries", {}).get(place.key)
        if entry is not None:
            fits, stored = dtype_of(entry.dtype) is row, dtype_name(entry.dtype)
        else:
            fits, stored = array.dtype == row.numpy, array.dtype.name
        if not fits:
            raise FreezeError(f"{_describe_reader(node)} is {row.name}, but {self._describe_place(place)} is {stored}")
        self._count(place, array)
        if array.dtype == row.storage and not row.codec and array.nbytes >= MIN_SHARED_BYTES and self._share:
            return array, share_array(array, dtype)
        tensor = from_ndarray(array, dtype)
        if array.nbytes >= MIN_RELEASED_BYTES:
            _release(array)
        return array, tensor

    def _count(self, place: Place, array: npt.NDArray[Any]) -> None:
        """Count the bytes that are read from the checkpoint, and claim the bytes of the constant.

        A value that is read again does not count again. Without a stored size, parts of a value count separately.
        """
        entry = getattr(self._checkpoint, "entries", {}).get(place.key)
        size = entry.size if entry is not None else None
        counted = place if size is None else Place(place.key)
        if counted not in self._seen:
            self._seen.add(counted)
            count_input(array.nbytes if size is None else size)
        claim(array.nbytes, "its value")

    def _array(self, node: NodeDef, place: Place) -> npt.NDArray[Any]:
        import numpy as np  # finding values does not need it

        if place.part is not None:
            place = self._part(node, place)
        read = getattr(self._checkpoint, "read", None)
        if place.extents is None or read is None:
            array: npt.NDArray[Any] = np.asarray(self._checkpoint[place.key])
            if place.extents is not None:
                array = array[
                    tuple([slice(start, None if size == -1 else start + size) for start, size in place.extents])
                ]
            return array
        try:
            return read(place.key, place.extents)  # type: ignore[no-any-return]  # `checkpoint` may be any mapping
        except CheckpointError as error:
            raise FreezeError(f"{_describe_reader(node)}: {error}") from error

    def _part(self, node: NodeDef, place: Place) -> Place:
        """Return the place of part number `place.part`, with its extents, whose order is the order of the parts."""
        entry = getattr(self._checkpoint, "entries", {}).get(place.key)
        parts = sorted(entry.slices, key=lambda part: part.extents) if entry is not None else []
        if place.part is None or place.part >= len(parts):
            problem = f"part {place.part} of {self._describe_place(place)}, which has {len(parts) or 'no'} parts"
            raise FreezeError(f"{_describe_reader(node)} is {problem}")
        return Place(place.key, parts[place.part].extents)

    def _check_shape(self, node: NodeDef, place: Place, stored: tuple[int, ...]) -> None:
        """Raise FreezeError if a value does not have the shape of its variable, which may be partly unknown."""
        declared = node.attr.get("shape")
        if declared is None or declared.shape is None or declared.shape.unknown_rank:
            return
        sizes = [dim.size for dim in declared.shape.dim]
        if not sizes and node.op in EMPTY_IS_UNKNOWN:
            return
        if not fits(sizes, stored):
            raise FreezeError(
                f"{_describe_reader(node)} has shape {sizes}, but {self._describe_place(place)} has {list(stored)}"
            )

    def _describe_place(self, place: Place) -> str:
        return f"{quote(place.key)} of {escape(self._name)}"

    def describe_missing(self, nodes: list[NodeDef], command: str = "") -> str:
        """Return the text of an error about variables that the checkpoint lacks, with similar names that it has.

        `command` is the command that has the option --rename, with a blank, if that is not the one that runs.
        """
        what = "variable" if len(nodes) == 1 else f"{len(nodes):,} variables:"
        names = [quote(node.name) for node in nodes[:MAX_NAMES_SHOWN]] + ["..."] * (len(nodes) > MAX_NAMES_SHOWN)
        key = [*self._places.hints.places.get(nodes[0].name, ()), *named_places(nodes[0])][0].key
        hint = self._describe_renames(nodes, command) or guess(key, self._checkpoint)
        return f"{escape(self._name)} has no value for the {what} {', '.join(names)}{hint}"

    def _describe_renames(self, nodes: list[NodeDef], command: str) -> str:
        """Return which tensors of the same shapes are in the checkpoint under another scope; "" if any has none."""
        hints = self._places.hints.places
        places = [(*hints.get(node.name, ()), *named_places(node)) for node in nodes]
        wanted = [([place.key for place in some], _sizes(node)) for node, some in zip(nodes, places, strict=True)]
        rules, tensors = find_renames(wanted, {name: self._stored_shape(name) for name in self._checkpoint})
        if not rules:
            return ""
        options = command + " ".join(f"--rename '{old}={new}'" for old, new in rules.items())
        examples = ", ".join(map(quote, tensors))
        return f"; it has tensors of these shapes with other names, such as {examples}: {escape(options)} takes them"

    def _stored_shape(self, name: str) -> tuple[int, ...]:
        entry = getattr(self._checkpoint, "entries", {}).get(name)
        return tuple(entry.shape) if entry is not None else tuple(getattr(self._checkpoint[name], "shape", ()))


def _sizes(node: NodeDef) -> list[int] | None:
    """Return the declared sizes of a variable, with -1 for those not known; None if not even their number is known."""
    declared = node.attr["shape"].shape if "shape" in node.attr else None
    return None if declared is None or declared.unknown_rank else [dim.size for dim in declared.dim]


def _describe_reader(node: NodeDef) -> str:
    """Describe the variable, or the output of a restoring node, that gets a value."""
    kind = "restored tensor" if node.op == "Const" else "variable"
    return f"the {kind} {quote(node.name)}"


def _release(array: npt.NDArray[Any]) -> None:
    """Release the memory of an array that was copied, if it is a view of a memory-mapped file."""
    base: Any = array
    while (under := getattr(base, "base", None)) is not None:
        base = under
    mapped = base.obj if isinstance(base, memoryview) else None
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


_IDENTITIES = ("Identity", "IdentityN", "RefIdentity")


class Versions:
    """The successive values of variables, each named by the node that produces it: the variable itself, an assignment,
    or a Merge that chooses between assignments."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._body = trace.body
        self._producers = {source: list(nodes) for source, nodes in trace.mutators.items()}
        for use in trace.uses:
            producers = self._producers.get(use.source)
            if producers is not None and self._chooses(use) and all(node is not use.node for node in producers):
                producers.append(use.node)
        names = {node.name for nodes in self._producers.values() for node in nodes}
        self._bits = {name: 1 << index for index, name in enumerate(names)}
        self._order = _Order(self._body, self._bits)
        self._uses = {(use.node.name, use.source): use for use in trace.uses}

    def _chooses(self, use: Use) -> bool:
        """Return whether a node is a Merge of references or handles, not of values."""
        return use.node.op in MERGE and TensorName(use.node.name) in self._trace.aliases

    def version_of(self, use: Use) -> str:
        """Return the name of the version that a node reads. Raises FreezeError if it is unknown."""
        producers = self._producers.get(use.source)
        if producers is None:
            return use.source
        order = self._order
        before = order.of_edge(use.tensor.node) if use.node.op in MERGE else order.before[use.node.name]
        earlier = [node for node in producers if before & self._bits[node.name]]
        if not earlier:
            return use.source
        mask = sum(self._bits[node.name] for node in earlier)
        last = [node for node in earlier if not mask & ~(order.before[node.name] | self._bits[node.name])]
        if not last:
            names = " and ".join(quote(node.name) for node in earlier[:2])
            raise FreezeError(f"{self._reads(use)}, which is changed by {names} in no defined order")
        self._check_version(use, last[0])
        return last[0].name

    def unordered(self, use: Use) -> list[str]:
        """Return the nodes that change the variable and have no order with a node that reads it."""
        producers = [node for node in self._producers.get(use.source, ()) if node.op not in MERGE]
        before = self._order.before[use.node.name]
        after = self._leads_to(use.node.name) if producers else frozenset()
        return [
            node.name
            for node in producers
            if node is not use.node and not before & self._bits[node.name] and node.name not in after
        ]

    def _leads_to(self, name: str) -> frozenset[str]:
        """Return the nodes to which a path leads from a node."""
        found = {name: None}
        for node_before in (queue := [name]):  # the loop appends to it
            for consumer in self._body.users(node_before):
                if consumer not in found:
                    found[consumer] = None
                    queue.append(consumer)
        return frozenset(found)

    def _check_version(self, use: Use, producer_node: NodeDef) -> None:
        """Raise FreezeError if the value that a node gives to the variable is unknown where `use` reads it."""
        order, bit = self._order, self._bits[producer_node.name]
        if producer_node is use.node or producer_node.op in MERGE:
            return
        if producer_node.op not in ASSIGNS and producer_node.op not in ARITHMETIC:
            raise FreezeError(
                f"{self._reads(use)} after {self._body.describe(producer_node)} has changed it; "
                "this new value cannot be frozen"
            )
        if order.before[producer_node.name] & bit:
            raise FreezeError(f"{self._reads(use)}, which {quote(producer_node.name)} changes in a loop")
        direct = order.of_edge(use.tensor.node) if use.node.op in MERGE else order.unmerged[use.node.name]
        if producer_node.name in order.conditional and not direct & bit:
            raise FreezeError(f"{self._reads(use)} after {quote(producer_node.name)} has changed it under a condition")

    def is_conditional(self, node: NodeDef) -> bool:
        """Return whether a path leads from a Switch to a node, so that it may be skipped or run several times.

        Nodes after the conditional or the loop count too.
        """
        return node.name in self._order.conditional

    def tensor(self, use: Use) -> TensorName:
        """Return the tensor that replaces the input of a node. Raises FreezeError if its value is unknown."""
        if use.source not in self._producers:
            return use.tensor
        version = self.version_of(use)
        producer = use.tensor.node
        while producer != use.source and producer not in self._bits:
            passed_on = self._uses.get((producer, use.source))  # None for a reference as in functions: "n:output:0"
            if passed_on is None or self.version_of(passed_on) == version:
                return use.tensor  # nodes pass the value on, and do not change it
            node = self._body.nodes[producer]
            if node.op not in _IDENTITIES:
                raise FreezeError(f"{self._reads(use)} in a loop or branch, after it was changed outside of it")
            producer = input_tensors(node)[use.tensor.port if node.op == "IdentityN" else 0].node
        return use.tensor if producer == version else TensorName(version)

    def _reads(self, use: Use) -> str:
        return f"{self._body.describe(use.node)} reads the variable {quote(use.source)}"


class _Order:
    """For each node, the producers of versions from which a path leads to it, as bits of an integer.

    before        all such producers
    unmerged      producers with a path without a Merge: if one of them does not run, the node does not run either
    conditional   the nodes to which a path leads from a Switch
    """

    def __init__(self, body: GraphView, bits: dict[str, int]) -> None:
        self.before: dict[str, int] = dict.fromkeys(body.nodes, 0)
        self.unmerged: dict[str, int] = dict.fromkeys(body.nodes, 0)
        self.conditional: set[str] = set()
        self._bits = bits
        order = list(_topological(body))
        while self._pass(order, body):  # one more pass for each level of nested loops
            pass

    def of_edge(self, producer: str) -> int:
        """Return the bits of a node and of the producers before it."""
        return self.before.get(producer, 0) | self._bits.get(producer, 0)

    def _pass(self, order: list[NodeDef], body: GraphView) -> bool:
        changed = False
        for node in order:
            before = unmerged = 0
            conditional = node.op in SWITCH
            for name in map(node_name, node.input):
                if name in body.nodes:
                    bit = self._bits.get(name, 0)
                    before |= self.before[name] | bit
                    unmerged |= self.unmerged[name] | bit
                    conditional = conditional or name in self.conditional
            if node.op in MERGE:
                unmerged = 0
            changed = changed or before != self.before[node.name] or unmerged != self.unmerged[node.name]
            self.before[node.name], self.unmerged[node.name] = before, unmerged
            if conditional:
                self.conditional.add(node.name)
        return changed


def _topological(body: GraphView) -> Iterator[NodeDef]:
    """Yield all nodes, producers first; the edges from NextIteration nodes are ignored.

    Raises FreezeError for a cycle that is not a loop.
    """
    waiting = {}
    for node in body.nodes.values():
        producers = {node_name(name) for name in node.input}
        needed = {name for name in producers if name in body.nodes and body.nodes[name].op not in NEXT_ITERATION}
        waiting[node.name] = len(needed)
    ready = [node for node in body.nodes.values() if not waiting[node.name]]
    for node in ready:
        yield node
        for user in body.users(node.name) if node.op not in NEXT_ITERATION else ():
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(body.nodes[user])
    if len(ready) != len(body.nodes):
        stuck = next(node for node in body.nodes.values() if waiting[node.name])
        raise FreezeError(f"{body.describe(stuck)} is in a cycle that is not a loop")
