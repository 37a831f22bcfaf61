"""`weights`: from a model to the report of what numbers it has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from ..errors import CheckpointError
from ..printable import printable
from ..source import CheckpointSource, Given, ModelSource, Tags
from .layouts import arrangement_of, parse_layout
from .report import WeightsReport
from .rows import rows_of
from .weight import Distribution, Weight

__all__ = ["SORTS", "parse_size", "weights"]

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
    one of SORTS. `layout` turns the filters of convolutions to another order of axes: see `tfmodel.weighing.layouts`.
    With `statistics` or `histogram`, all values are read; `reading` is told the name of each. Then it is told of floats
    too if they have few values, such as `round_weights` leaves.

    Codes with a range, such as `quantize_weights` writes, are the weight that they stand for: their values are floats,
    and the constants of the range are part of it; see `tfmodel.weighing.quantized`. With `as_stored` they are what they
    are in the file: codes, and two constants.

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
        from .distinct import distinct_of
        from .statistics import histogram_of, statistics_of

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
