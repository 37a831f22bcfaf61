"""`weights`: from a model to the report of what numbers it has.

The rows of `weights`: every constant and variable of a graph, and the tensors of a checkpoint that are left over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from ..dtypes import dtype_name, dtype_of
from ..errors import CheckpointError, FreezeError, GraphError, TensorError
from ..messages import NodeDef
from ..ops.registry import registry
from ..ops.state import VARIABLES
from ..printable import printable
from ..source import CheckpointSource, Given, ModelSource, Tags
from ..tensor_header import bytes_of, head_of, shape_of
from .layouts import arrangement_of, parse_layout
from .quantized import Found, find_quantized
from .report import WeightsReport
from .uses import Uses, Wiring
from .weight import NO_CHECKPOINT, Distribution, Weight

if TYPE_CHECKING:
    import numpy.typing as npt

    from .variables import Places, Stored, Tensors

__all__ = ["SORTS", "parse_size", "rows_of", "weights"]


Reading: TypeAlias = Callable[[str], None]

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


def weights(
    model: Given,
    *,
    checkpoint: CheckpointSource = None,
    tags: Tags = None,
    name: str | Iterable[str] | None = None,
    min_size: int | str = 0,
    sort: str = "size",
    layout: str | None = None,
    statistics: bool = False,
    histogram: bool = False,
    as_stored: bool = False,
    reading: Reading = lambda name: None,
) -> WeightsReport:
    """Every constant and every variable of a model: what it is for, type, shape, size, and where the values are.

    `model` is a path (a graph in any form, a SavedModel, a .meta, a checkpoint), a message, a Checkpoint, or a Model.
    The values of variables come from `checkpoint`: a path, a Checkpoint, or any mapping from names to arrays; a
    SavedModel and a .meta have theirs beside them. Without one, variables have no values. Tensors of the checkpoint
    that belong to no variable are listed too. `tags` choose a MetaGraph of several; "serve" goes without saying.

    `name` is a glob, or several, of which one has to fit; `min_size` a number of bytes, or "10k", "1.5 MiB". `sort` is
    one of SORTS. `layout` turns the filters of convolutions to another order of axes: see `tfmodel.parameters.layouts`.
    With `statistics` or `histogram`, all values are read; `reading` is told the name of each. Then it is told of floats
    too if they have few values, such as `round_weights` leaves.

    Codes with a range, such as `quantize_weights` writes, are the weight that they stand for: their values are floats,
    and the constants of the range are part of it; see `tfmodel.parameters.quantized`. With `as_stored` they are
    what they are in the file: codes, and two constants.

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
    source = ModelSource.of(model, checkpoint=checkpoint, tags=tags)
    with source.naming():
        if layout is not None and not source.has_graph:
            problem = "a checkpoint alone does not tell which tensors are filters: a layout needs the graph"
            raise CheckpointError(f"{source.name}: {problem}" if source.name else problem)
        rows = list(rows_of(source, as_stored=as_stored))
        chosen = [
            row
            for row in rows
            if (globs is None or any(fnmatchcase(row.name, glob) for glob in globs)) and (row.size or 0) >= least
        ]
        if words or statistics or histogram:
            chosen = [_with_values(row, words, statistics or histogram, histogram, reading) for row in chosen]
    return WeightsReport(
        source.name,
        sorted(chosen, key=SORTS[sort]),
        count=len(rows),
        size=sum(row.size or 0 for row in rows),
        parameters=sum(row.elements or 0 for row in rows if row.is_parameter),
        layout=layout,
        with_statistics=statistics,
        with_histogram=histogram,
        read=_bytes_read(source, rows),
    )


def _bytes_read(source: ModelSource, rows: Iterable[Weight]) -> int:
    """The bytes of the graph, and of each tensor of the checkpoint once."""
    sizes = {row.key: row.size or 0 for row in rows if row.key is not None}
    return sum(sizes.values()) + (source.graph.ByteSize() if source.has_graph else 0)


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


def _with_values(row: Weight, layout: Mapping[str, str], statistics: bool, histogram: bool, reading: Reading) -> Weight:
    """The row in the layout that is asked for, and with statistics of its values."""
    found = distribution = distinct = None
    if statistics and row.read is not None and row.given.kind in "fiub":
        from .statistics import distinct_of, histogram_of, statistics_of

        reading(row.name)
        array = row.read()
        found = statistics_of(array)
        distinct = distinct_of(array) if row.quantized is None and row.element.kind == "f" else None
        if histogram and found.min is not None and found.max is not None:
            counts = histogram_of(array, found.min, found.max)
            distribution = Distribution(float(found.min), float(found.max), counts)
    arrangement = arrangement_of(row.uses[0], row.shape, layout) if layout and row.uses else None
    return replace(
        row,
        statistics=found,
        distribution=distribution,
        distinct=distinct,
        arrangement=arrangement,
        letters=arrangement.letters if arrangement is not None else "",
        shape=arrangement.shape if arrangement is not None else row.shape,
    )


_FILLED = "too large for a few values that repeat"
_NOT_THERE = "not in the checkpoint"


def rows_of(source: ModelSource, *, as_stored: bool) -> Iterator[Weight]:
    """All rows, in the order of the file. With `as_stored`, codes and their ranges are what they are, and no weights.

    Raises GraphError, TensorError, CheckpointError and DecodeError.
    """
    taken: set[str] = set()
    names: set[str] = set()
    tensors = None
    if source.checkpoint is not None:
        from .variables import Tensors

        tensors = Tensors(source.checkpoint)
    order = count()
    for row in _of_graph(source, tensors, order, as_stored) if source.has_graph else ():
        names.add(row.name)
        taken.update([row.key] if row.key is not None else [])
        yield row
    for key in tensors or ():
        if key not in taken and tensors is not None:
            yield replace(_of_tensor(tensors, key, names), order=next(order))


def _of_graph(source: ModelSource, tensors: Tensors | None, order: Iterator[int], as_stored: bool) -> Iterator[Weight]:
    wiring = Wiring(source.graph)
    ops = registry(source.meta or source.graph)
    uses = Uses(wiring, ops)
    places: Places | None = None
    for body in wiring.bodies:
        codes = Found() if as_stored else find_quantized(body, ops)
        for node in body.nodes.values():
            if node.op == "Const" and node.name not in codes.ranges:
                row = _decoded(_constant(node, source), codes)
            elif node.op in VARIABLES:
                if places is None and tensors is not None and not body.name:
                    places = _places(source, tensors)
                row = _variable(node, None if body.name else places, tensors)
            else:
                continue
            name = f"{body.name}/{row.name}" if body.name else row.name
            found = uses.of(body, node.name, row.shape)
            yield replace(row, name=name, function=body.name, uses=found, order=next(order))


def _decoded(row: Weight, codes: Found) -> Weight:
    """The weight that a constant of codes is, if it is one; what it is not, if that is known."""
    quantized, read = codes.weights.get(row.name), row.read
    if quantized is None:
        return replace(row, problem=problem) if (problem := codes.problems.get(row.name)) else row
    floats = None if read is None else lambda: quantized.floats(read())
    return replace(row, name=quantized.name, quantized=quantized, read=floats)


def _places(source: ModelSource, tensors: Tensors) -> Places:
    from .variables import Places

    try:
        return Places(source.graph, source.meta, tensors)
    except FreezeError as error:  # of code that is shared with freezing: the graph contradicts itself
        raise GraphError(str(error)) from error


def _constant(node: NodeDef, source: ModelSource) -> Weight:
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

        with source.naming():
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
    from ..freezing.checkpoint_keys import Place

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
