"""Find nodes that look up rows in a table of one column, and the contents of the table.

Gather(Identity(weights), ids)
GatherV2(Identity(weights), ids, 0)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import GraphError, TransformError
from ...freezing.checkpoint_keys import restored_places
from ...freezing.variable_values import Hints, Values
from ...graph import GraphIndex, attr, const_tensor
from ...graph.edit import MutableGraph
from ...graph.error_text import quote
from ...graph.function_body import FunctionBodies
from ...messages import DataType, GraphDef
from ...ops import OPS
from ...ops.traits import REFERENCE_VARIABLES
from ..framework.report import StepReport

if TYPE_CHECKING:
    import numpy as np

    from ...checkpoints.checkpoint import Checkpoint

    Array = np.ndarray[Any, Any]

__all__ = ["Lookup", "VariableReader", "find_lookups", "nonzero_rows"]

GATHERS = ("Gather", "GatherV2")
MIN_MAGNITUDE = 1e-5


@dataclass(frozen=True, slots=True)
class Lookup:
    """A node that looks up rows, by position, and the path from it to the table: the table is the last of `path`."""

    head: int
    path: tuple[int, ...]

    @property
    def weights(self) -> int:
        return self.path[-1]


def find_lookups(index: GraphIndex, report: StepReport) -> list[Lookup]:
    """Return all lookups, in the order in which the original replaces them.

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
        from ...tensors import to_ndarray

        along = to_ndarray(const_tensor(axis))
        if along.size != 1 or along.item():
            return "its axis is not 0"
    return ""


def nonzero_rows(array: Array) -> tuple[Array, Array]:
    """Return the indices and values of the rows that are not almost zero; row 0 if there are none."""
    import numpy as np

    column = array.ravel()
    with np.errstate(invalid="ignore"):
        rows = np.flatnonzero(~(np.abs(column) < np.float32(MIN_MAGNITUDE))).astype(np.int64)
    if not rows.size:
        return np.zeros(1, np.int64), np.zeros(1, np.float32)
    return rows, column[rows]


class VariableReader:
    """Reads the values of a graph's variables from a checkpoint: by the nodes that restore them, or else by their
    names.

    As in the original, a checkpoint that cannot be read is an error even if no value is needed: TransformError, or
    CheckpointError.
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
        """Return whether a value was read."""
        return self._read is not None

    def _make_reader(self, checkpoint: Checkpoint) -> Callable[[str], Array | None]:
        body = MutableGraph(self._graph.node)
        hints = Hints(restored_places(body, FunctionBodies(self._graph.library, OPS)), {})
        values = Values(checkpoint, hints, share=False, name=self._prefix)
        return lambda name: values.array(body.nodes[name])


def _open(prefix: str) -> Checkpoint:
    from ...checkpoints.checkpoint import Checkpoint

    try:
        return Checkpoint(prefix)
    except OSError as error:
        raise TransformError(f"input_checkpoint: cannot read {quote(prefix)}: {error.strerror or error}") from error
