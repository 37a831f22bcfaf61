"""`weights`: from a model to the report of what numbers it has."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from pbwire.errors import DecodeError

from ..dtypes import dtype_name, dtype_of
from ..errors import CheckpointError, FreezeError, GraphError, TensorError
from ..messages import GraphDef, NodeDef
from ..ops.registry import registry
from ..printable import printable
from .constants import bytes_of, head_of, shape_of
from .layouts import arrangement_of, parse_layout
from .opening import CheckpointSource, ModelSource, Opened, Tags, open_weights
from .report import NO_CHECKPOINT, Distribution, Weight, WeightsReport
from .uses import Uses
from .wiring import Wiring

if TYPE_CHECKING:
    import numpy.typing as npt

    from .variables import Places, Stored, Tensors

__all__ = ["SORTS", "parse_size", "weights"]

Reading: TypeAlias = Callable[[str], None]

VARIABLES = ("Variable", "VariableV2", "VarHandleOp")

SORTS: dict[str, Callable[[Weight], Any]] = {
    "size": lambda weight: -(weight.size or 0),
    "order": lambda weight: weight.order,
    "name": lambda weight: weight.name,
    "dtype": lambda weight: (weight.dtype, -(weight.size or 0)),
    "use": lambda weight: (weight.uses[0].standing if weight.uses else 9, weight.role, weight.op),
    "min": lambda weight: _rank(weight, "min"),
    "max": lambda weight: _rank(weight, "max"),
    "mean": lambda weight: _rank(weight, "mean"),
    "std": lambda weight: _rank(weight, "std"),
}
"""What rows can be sorted by: sizes and statistics from large to small, others from small to large."""

BY_STATISTICS = ("min", "max", "mean", "std")

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_DIGITS = 20
_FILLED = "too large for a few values that repeat"
_NOT_THERE = "not in the checkpoint"


def weights(
    model: ModelSource,
    *,
    checkpoint: CheckpointSource = None,
    tags: Tags = None,
    name: str | Iterable[str] | None = None,
    min_size: int | str = 0,
    sort: str = "size",
    layout: str | None = None,
    statistics: bool = False,
    histogram: bool = False,
    reading: Reading = lambda name: None,
) -> WeightsReport:
    """Every constant and every variable of a model: what it is for, type, shape, size, and where the values are.

    `model` is a path (a graph in any form, a SavedModel, a .meta, a checkpoint), a message, or a Checkpoint. The values
    of variables come from `checkpoint`: a path, a Checkpoint, or any mapping from names to arrays; a SavedModel and a
    .meta have theirs beside them. Without one, variables have no values. Tensors of the checkpoint that belong to no
    variable are listed too. `tags` choose a MetaGraph of several; "serve" goes without saying.

    `name` is a glob, or several, of which one has to fit; `min_size` a number of bytes, or "10k", "1.5 MiB". `sort` is
    one of SORTS. `layout` turns the filters of convolutions to another order of axes: see `tfmodel.weighing.layouts`.
    With `statistics` or `histogram`, all values are read; `reading` is told the name of each.

    Raises ValueError for wrong arguments; GraphError and TensorError, which name the node, for a graph that contradicts
    itself; CheckpointError and FileFormatError for files, and OSError.
    """
    globs = None if name is None else [name] if isinstance(name, str) else list(name)
    least = parse_size(min_size)
    words = {} if layout is None else parse_layout(layout)
    if sort not in SORTS:
        raise ValueError(f"sort is one of {', '.join(SORTS)}, not {sort!r}")
    if sort in BY_STATISTICS and not (statistics or histogram):
        raise ValueError(f"to sort by {sort}, statistics are needed")
    opened = open_weights(model, checkpoint, tags)
    with _naming(opened):
        if layout is not None and opened.graph is None:
            problem = "a checkpoint alone does not tell which tensors are filters: a layout needs the graph"
            raise CheckpointError(f"{opened.name}: {problem}" if opened.name else problem)
        rows = list(_rows(opened))
        chosen = [
            row for row in rows
            if (globs is None or any(fnmatchcase(row.name, glob) for glob in globs)) and (row.size or 0) >= least
        ]
        if words or statistics or histogram:
            chosen = [_with_values(row, words, statistics or histogram, histogram, reading) for row in chosen]
    return WeightsReport(
        opened.name,
        sorted(chosen, key=SORTS[sort]),
        count=len(rows),
        size=sum(row.size or 0 for row in rows),
        parameters=sum(row.elements or 0 for row in rows if row.is_parameter),
        layout=layout,
        with_statistics=statistics,
        with_histogram=histogram,
    )


def parse_size(size: int | str) -> int:
    """Bytes, of a number or of words such as "10k", "1.5MB", "2GiB": k is 1,000, Ki 1,024. Raises ValueError."""
    if isinstance(size, int):
        if size < 0:
            raise ValueError(f"a size is not negative: {size}")
        return size
    found = _SIZE.fullmatch(size.strip())
    if found is None or len(found[1]) > _DIGITS or (found[3] and not found[2]):
        raise ValueError(f"{printable(size[:50])!r} is no size: give bytes, or 10k, 1.5M, 2Gi")
    power = " kmgt".index(found[2].lower() or " ")
    return int(float(found[1]) * (1024 if found[3] else 1000) ** power)


def _rank(weight: Weight, statistic: str) -> float:
    value = getattr(weight.statistics, statistic, None)
    return float("inf") if value is None else -value


@contextlib.contextmanager
def _naming(opened: Opened) -> Iterator[None]:
    """Let errors say which file they are about."""
    file = opened.name
    try:
        yield
    except DecodeError as error:
        raise opened.explain(error) from error
    except FreezeError as error:  # of what is shared with freezing: that a graph contradicts itself
        raise GraphError(f"{file}: {error}" if file else str(error)) from error
    except (GraphError, TensorError) as error:
        if not file or str(error).startswith(f"{file}: "):
            raise
        raise type(error)(f"{file}: {error}") from error


# --- rows ------------------------------------------------------------------------------------------------------------


def _rows(opened: Opened) -> Iterator[Weight]:
    taken: set[str] = set()
    names: set[str] = set()
    tensors = None
    if opened.tensors is not None:
        from .variables import Tensors

        tensors = Tensors(opened.tensors)
    order = count()
    for row in _of_graph(opened, opened.graph, tensors, order) if opened.graph is not None else ():
        names.add(row.name)
        taken.update([row.key] if row.key is not None else [])
        yield row
    for key in tensors or ():
        if key not in taken and tensors is not None:
            yield replace(_of_tensor(tensors, key, names), order=next(order))


def _of_graph(opened: Opened, graph: GraphDef, tensors: Tensors | None, order: Iterator[int]) -> Iterator[Weight]:
    wiring = Wiring(graph)
    uses = Uses(wiring, registry(opened.meta or graph))
    places: Places | None = None
    for body in wiring.bodies:
        for node in body.nodes.values():
            if node.op == "Const":
                row = _constant(node, opened)
            elif node.op in VARIABLES:
                if places is None and tensors is not None and not body.name:
                    places = _places(opened, tensors)
                row = _variable(node, None if body.name else places, tensors)
            else:
                continue
            name = f"{body.name}/{node.name}" if body.name else node.name
            found = uses.of(body, node.name, row.shape)
            yield replace(row, name=name, function=body.name, uses=found, order=next(order))


def _places(opened: Opened, tensors: Tensors) -> Places:
    from .variables import Places

    assert opened.graph is not None
    return Places(opened.graph, opened.meta, tensors)


def _constant(node: NodeDef, opened: Opened) -> Weight:
    value = node.attr.get("value")
    tensor = value.tensor if value is not None else None
    if tensor is None:
        raise GraphError(f"{_called(node)} has no value")
    try:
        head = head_of(tensor)
    except TensorError as error:
        raise TensorError(f"{_called(node)}: {error}") from error

    def read() -> npt.NDArray[Any]:
        from ..tensors import to_ndarray

        with _naming(opened):
            try:
                return to_ndarray(tensor)
            except TensorError as error:
                raise TensorError(f"{_called(node)}: {error}") from error

    name = dtype_name(dtype_of(head.dtype).number)
    if head.is_filled:
        return Weight(node.name, "constant", name, head.shape, head.size, missing=_FILLED)
    return Weight(node.name, "constant", name, head.shape, head.size, read=read)


def _variable(node: NodeDef, places: Places | None, tensors: Tensors | None) -> Weight:
    dtype = node.attr["dtype"].type if "dtype" in node.attr else None
    if dtype is None:
        raise GraphError(f"{_called(node)} has no type")
    try:
        number = dtype_of(dtype).number
    except TensorError as error:
        raise GraphError(f"{_called(node)}: {error}") from error
    declared = node.attr["shape"].shape if "shape" in node.attr else None
    shape = shape_of(declared) if declared is not None else None
    if shape == () and node.op == "Variable":
        shape = None  # so the first op says that it does not know
    stored = places.of(node.name) if places is not None else None
    if stored is None or tensors is None:
        missing = NO_CHECKPOINT if tensors is None else _NOT_THERE
        size = bytes_of(number, shape)
        return Weight(node.name, "variable", dtype_name(number), shape, size, missing=missing)
    from .variables import misfit

    if problem := misfit(stored, number, shape):
        raise CheckpointError(f"{tensors.name}: {_called(node)} {problem}")
    return _with_tensor(Weight(node.name, "variable", dtype_name(number), stored.shape, stored.size), tensors, stored)


def _of_tensor(tensors: Tensors, key: str, names: set[str]) -> Weight:
    """A tensor of the checkpoint that no variable was found for."""
    from ..freezing.restoring import Place

    stored = tensors.stored(Place(key))
    name = tensors.name_of(key)
    if name in names:
        name = key
    names.add(name)
    row = Weight(name, "tensor", dtype_name(stored.dtype), stored.shape, stored.size)
    return _with_tensor(row, tensors, stored)


def _with_tensor(row: Weight, tensors: Tensors, stored: Stored) -> Weight:
    return replace(row, key=stored.key, read=lambda: tensors.read(stored))


def _called(node: NodeDef) -> str:
    return f'{node.op} "{printable(node.name)}"'


# --- values ----------------------------------------------------------------------------------------------------------


def _with_values(
    row: Weight, layout: Mapping[str, str], statistics: bool, histogram: bool, reading: Reading
) -> Weight:
    """The row in the layout that is asked for, and with statistics of its values."""
    found = distribution = None
    if statistics and row.read is not None and row.element.kind in "fiub":
        from .statistics import histogram_of, statistics_of

        reading(row.name)
        array = row.read()
        found = statistics_of(array)
        if histogram and found.min is not None and found.max is not None:
            counts = histogram_of(array, found.min, found.max)
            distribution = Distribution(float(found.min), float(found.max), counts)
    arrangement = arrangement_of(row.uses[0], row.shape, layout) if layout and row.uses else None
    return replace(
        row,
        statistics=found,
        distribution=distribution,
        arrangement=arrangement,
        letters=arrangement.letters if arrangement is not None else "",
        shape=arrangement.shape if arrangement is not None else row.shape,
    )
