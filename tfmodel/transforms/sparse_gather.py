"""The parts of `sparsify_gather`: find lookups of rows in a table of one column, and remove nodes that become unused.

Lookups:

    Gather(Identity(weights), ids)
    GatherV2(Identity(weights), ids, 0)

Nodes that become unused, for a variable `w`:

    w, w/read              are removed
    w/Assign(w, value)     is removed, and `value` too if nothing else uses it and it is not a RestoreV2
    init(^w/Assign)        loses the control input; a NoOp is removed if that was its last input
    save/SaveV2(..., w)    saves the other variables, and is removed if there are none
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..analysis.variables.checkpoint_keys import Hints, restored_places
from ..analysis.variables.variable_values import Values
from ..errors import GraphError, TensorError, TransformError
from ..files.checkpoints.checkpoint import Checkpoint
from ..graph import GraphIndex, attr, replace_node
from ..graph.error_text import describe, quote
from ..graph.function_body import FunctionBodies
from ..graph.view import GraphView
from ..messages import AttrValue, DataType, GraphDef, NodeDef
from ..ops import OPS
from ..ops.traits import REFERENCE_VARIABLES, SAVES
from ..values.names import TakenNames, TensorName, data_inputs, is_control_input
from .framework.constants import INTEGERS, STRINGS, read_constant
from .framework.node_edits import const_node
from .framework.report import StepReport

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]


GATHERS = ("Gather", "GatherV2")
MIN_MAGNITUDE = 1e-5


@dataclass(frozen=True, slots=True)
class Lookup:
    """A node that looks up rows, by its position `head`; `path` has the positions from its input to the table."""

    head: int
    path: tuple[int, ...]

    @property
    def weights(self) -> int:
        return self.path[-1]


def find_lookups(index: GraphIndex, report: StepReport) -> list[Lookup]:
    """Return the supported lookups, in the order in which the original replaces them; report the others.

    All Gather nodes come before all GatherV2 nodes. Of lookups with the same ids, the original replaces one in each
    pass, in execution order.
    """
    ranked: list[tuple[tuple[int, int, int], Lookup]] = []
    shared: Counter[int] = Counter()
    if not any(node.op in GATHERS for node in index.nodes):
        return []
    for node in index.execution_order:
        if node.op not in GATHERS:
            continue
        position = index.positions[node.name]
        path = _path(index, position)
        if not path:
            continue
        try:
            problem = _problem(index, position, path[-1])
        except GraphError as error:
            problem = str(error)
        if problem:
            report.refuse(node.name, problem)
            continue
        ids = index.sources[position][1]
        ranked.append(((GATHERS.index(node.op), shared[ids], position), Lookup(position, path)))
        shared[ids] += 1
    return [lookup for _, lookup in sorted(ranked, key=lambda item: item[0])]


def _path(index: GraphIndex, position: int) -> tuple[int, ...]:
    """Return the positions from a node to the constant or variable whose rows it takes; () for anything else."""
    sources = index.sources[position]
    path = sources[:1]
    while path and path[-1] >= 0 and index.nodes[path[-1]].op == "Identity":
        path.append(next(iter(index.sources[path[-1]]), -1))
    is_table = bool(path) and path[-1] >= 0 and index.nodes[path[-1]].op in {"Const", *REFERENCE_VARIABLES}
    return tuple(path) if is_table and len(sources) > 1 and sources[1] >= 0 else ()


def _problem(index: GraphIndex, position: int, weights: int) -> str:
    node = index.nodes[position]
    if attr(index.nodes[weights], "dtype", DataType) != DataType.DT_FLOAT:
        return "its weights are not float32"
    if index.control_flow and index.node_frames[position] is not None:
        return "it is in a loop, where a table would not be"
    if attr(node, "batch_dims", int, 0):
        return "it has batch dimensions"
    if node.op == "GatherV2":
        axis = index.nodes[index.sources[position][2]] if len(index.sources[position]) > 2 else None
        if axis is None or axis.op != "Const" or index.sources[position][2] < 0:
            return "its axis is not constant"
        along = read_constant(axis, INTEGERS)
        if along.size != 1 or along.item():
            return "its axis is not 0"
    return ""


def nonzero_rows(array: Array) -> tuple[Array, Array]:
    """Return the indices and values of the rows that are not almost zero; index 0 and value 0 if there are none."""
    column = array.ravel()
    with np.errstate(invalid="ignore"):
        rows = np.flatnonzero(~(np.abs(column) < np.float32(MIN_MAGNITUDE))).astype(np.int64)
    if not rows.size:
        return np.zeros(1, np.int64), np.zeros(1, np.float32)
    return rows, column[rows]


class VariableReader:
    """Reads the values of a graph's variables from a checkpoint.

    The nodes that restore a variable determine its key; without such nodes, its name is the key. As in the original, a
    checkpoint that cannot be read is an error even if no value is needed: TransformError, or CheckpointError.
    """

    def __init__(self, graph: GraphDef, prefix: str) -> None:
        self._graph = graph
        self._prefix = prefix
        self._checkpoint = _open(prefix) if prefix else None
        self._read: Callable[[str], Array | None] | None = None

    def __call__(self, name: str) -> Array:
        """Return the value of a variable. Raises TransformError if it is missing, CheckpointError if damaged."""
        if self._checkpoint is None:
            problem = f"the weights {quote(name)} are a variable: give its checkpoint"
            raise TransformError(f"{problem}, as input_checkpoint")
        if self._read is None:
            self._read = self._make_reader(self._checkpoint)
        array = self._read(name)
        if array is None:
            raise TransformError(f"input_checkpoint: {quote(self._prefix)} has no value for {quote(name)}")
        return array

    @property
    def is_used(self) -> bool:
        """Whether a value was read."""
        return self._read is not None

    def _make_reader(self, checkpoint: Checkpoint) -> Callable[[str], Array | None]:
        body = GraphView(self._graph)
        hints = Hints(restored_places(body, FunctionBodies(self._graph.library, OPS)), {})
        values = Values(checkpoint, hints, share=False, name=self._prefix)
        return lambda name: values.array(body.nodes[name])


def _open(prefix: str) -> Checkpoint:
    try:
        return Checkpoint(prefix)
    except OSError as error:
        raise TransformError(f"input_checkpoint: cannot read {quote(prefix)}: {error.strerror or error}") from error


FOLLOWING = frozenset({"Assign", "Equal", "HistogramSummary", "Mean", "Reshape", "ScalarSummary"})
"""Ops whose nodes are removed with a variable: they assign its initial or restored value, and report on it."""

SAVE, RESTORE = "SaveV2", "RestoreV2"
SAVE_TENSORS = SAVES[SAVE]


def find_removable(
    index: GraphIndex, start: Iterable[int], heads: Collection[int], declared: Collection[str]
) -> set[int] | str:
    """Return the positions of the nodes to remove: those in `start`, and those that only exist for them.

    The nodes at `heads` are lookups, which will no longer use the nodes in `start`. If another node needs one of these,
    or if a node is declared, return a text that says why they must stay.
    """
    removed = set(start)
    queue = [*removed]
    for position in queue:
        node = index.nodes[position]
        if node.name in declared:
            return f"{describe(node)} is declared as an input or output"
        for target in index.targets[position]:
            user = index.nodes[target]
            if target in removed or target in heads:
                continue
            if _waits_only(user, node.name):
                continue
            if user.op == SAVE:
                if problem := _save_problem(index, target, position, declared):
                    return problem
                continue
            if user.op not in FOLLOWING:
                return f"{describe(user)} uses {describe(node)} too"
            removed.add(target)
            queue.append(target)
    return removed


def _waits_only(user: NodeDef, name: str) -> bool:
    return all(is_control_input(text) or TensorName.parse(text).node != name for text in user.input)


def _save_problem(index: GraphIndex, save: int, tensor: int, declared: Collection[str]) -> str:
    sources = index.sources[save]
    if index.nodes[save].name in declared:
        return f"{describe(index.nodes[save])}, which saves it, is declared as an input or output"
    if tensor in sources[:SAVE_TENSORS]:
        return f"{describe(index.nodes[save])} takes its names or slices from it"
    try:
        _saved_tensors(index, save)
    except (GraphError, TensorError) as error:
        return str(error)
    return ""


def _saved_tensors(index: GraphIndex, save: int) -> tuple[list[bytes], list[bytes], list[DataType]]:
    """Return the names, slices and types of the tensors that a SaveV2 saves.

    Raises GraphError if their numbers differ, or if names and slices are not constants; TensorError if these are
    damaged.
    """
    node, sources = index.nodes[save], index.sources[save]
    types = attr(node, "dtypes", list[DataType])
    count = len(data_inputs(node)) - SAVE_TENSORS
    lists: list[list[bytes]] = []
    for source in sources[1:SAVE_TENSORS]:
        if source < 0 or index.nodes[source].op != "Const":
            raise GraphError(f"{describe(node)}: its names and slices are not constants")
        strings = read_constant(index.nodes[source], STRINGS)
        if strings.size == count:
            lists.append(strings.ravel().tolist())
    if len(lists) != 2 or len(types) != count:
        raise GraphError(f"{describe(node)}: the numbers of its names, slices, types and tensors differ")
    return lists[0], lists[1], types


def drop_references(
    index: GraphIndex, removed: set[int], declared: Collection[str], taken: TakenNames
) -> dict[int, list[NodeDef]]:
    """Return the nodes that replace nodes with references to removed nodes, by position.

    A SaveV2 that loses all tensors and a NoOp that loses all inputs are removed too, unless they are declared:
    `removed` gets their positions.
    """
    changes: dict[int, list[NodeDef]] = {}
    queue = sorted({target for position in removed for target in index.targets[position]} - removed)
    for position in queue:
        node, sources = index.nodes[position], index.sources[position]
        kept = [place for place, source in enumerate(sources) if source not in removed]
        if len(kept) == len(sources):
            continue
        saves_less = node.op == SAVE and any(place >= SAVE_TENSORS for place in {*range(len(sources))}.difference(kept))
        if saves_less:
            new = _save_without(index, position, kept, taken)
        else:
            new = [replace_node(node, input=[node.input[place] for place in kept])]
        if node.name not in declared and (not new or (node.op == "NoOp" and not kept)):
            removed.add(position)
            queue += [target for target in index.targets[position] if target not in removed]
        else:
            changes[position] = new or [node]
    return {position: new for position, new in changes.items() if position not in removed}


def _save_without(index: GraphIndex, position: int, kept: list[int], taken: TakenNames) -> list[NodeDef]:
    """Return new constants of names and slices, and a SaveV2 of the tensors at the places `kept`; [] if none are left.

    `position` is that of the old SaveV2.
    """
    node = index.nodes[position]
    saved = [place for place in kept if place >= SAVE_TENSORS and not is_control_input(node.input[place])]
    if not saved:
        return []
    names, slices, types = _saved_tensors(index, position)
    constants = []
    for place, values in enumerate((names, slices), 1):
        name = taken.fresh(index.nodes[index.sources[position][place]].name)
        values = [values[place - SAVE_TENSORS] for place in saved]
        constants.append(const_node(name, values, DataType.DT_STRING))
    inputs = [
        node.input[0],
        *(constant.name for constant in constants),
        *(node.input[place] for place in kept[SAVE_TENSORS:]),
    ]
    listed = AttrValue.ListValue(type=[types[place - SAVE_TENSORS] for place in saved])
    return [*constants, replace_node(node, input=inputs, attr={**node.attr, "dtypes": AttrValue(list=listed)})]


def remove_unused(nodes: Sequence[NodeDef], suspects: Iterable[str], declared: Collection[str]) -> list[NodeDef]:
    """Return the nodes without unused `suspects`, and without nodes that become unused in turn.

    Declared nodes and RestoreV2 nodes stay.
    """
    by_name = {node.name: node for node in nodes}
    uses = Counter(TensorName.parse(text).node for node in nodes for text in node.input)
    unused: set[str] = set()
    queue = [*suspects]
    while queue:
        name = queue.pop()
        node = by_name.get(name)
        if node is None or uses[name] or name in unused or name in declared or node.op == RESTORE:
            continue
        unused.add(name)
        for text in node.input:
            source = TensorName.parse(text).node
            uses[source] -= 1
            queue.append(source)
    return [node for node in nodes if node.name not in unused]
