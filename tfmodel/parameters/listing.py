"""`weights`: list the learned weights of a model, or all constants, variables and tensors of its checkpoint."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from ..analysis.choice import choose_if_readable
from ..analysis.facts import Facts
from ..analysis.uses import Relevance, Use
from ..errors import CheckpointError, GraphError, with_name
from ..files.decoding import Tags
from ..source.model_source import CheckpointSource, Given, ModelSource
from ..values.sizes import parse_size
from ..values.steps import Begin, in_steps
from ..values.terminal import quote
from .optimizer_state import OptimizerState
from .report import WeightsReport
from .weight import BINS, Distribution, Purpose, Weight, axes_in_layout, find_transposition, parse_layout
from .weight_rows import NOT_IN_CHECKPOINT, list_rows

Progress: TypeAlias = Callable[[str], object]
"""A callback that is called with a line of text or a name whenever the next step begins."""

SORTS: dict[str, Callable[[Weight], Any]] = {
    "size": lambda weight: -(weight.bytes or 0),
    "order": lambda weight: weight.order,
    "name": lambda weight: weight.name,
    "dtype": lambda weight: (weight.dtype, -(weight.bytes or 0)),
    "use": lambda weight: (weight.uses[0].relevance if weight.uses else 9, weight.role, weight.op),
    "min": lambda weight: _statistic_key(weight, "min"),
    "max": lambda weight: _statistic_key(weight, "max"),
    "mean": lambda weight: _statistic_key(weight, "mean"),
    "std": lambda weight: _statistic_key(weight, "std"),
}
"""Sort keys by name: sizes and statistics sort from large to small, others from small to large."""

BY_STATISTICS = ("min", "max", "mean", "std")


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
    all: bool = False,
    progress: Progress | None = None,
) -> WeightsReport:
    """List the learned weights of a model: role, dtype, shape, size, and access to the values of each.

    Learned weights are the variables, and in a frozen graph the constants, that hold weights and that the outputs of
    the model (`Model.outputs`) use. If no output is certain enough, weights that outputs do not use are listed too. The
    other constants and variables (axes, shapes, counters, optimizer slots, moving averages, unused weights) are in
    `not_listed` of the report. With `all`, all constants and variables are listed, and outputs are not looked for.

    In a checkpoint alone, slots, averages and counters are recognized by the names and objects that TensorFlow writes.

    `model` is a path (a graph in any format, a SavedModel, a .meta, a checkpoint), a message, a Checkpoint, or a Model.
    The values of variables come from `checkpoint`: a path, a Checkpoint, or any mapping from names to arrays. The
    default is the checkpoint that belongs to a SavedModel or a .meta. Without a checkpoint, variables have no values.
    Checkpoint tensors that belong to no variable are listed too, unless the outputs are certain and all listed
    variables have values: then they are unused. `tags` select one of several MetaGraphs (default: "serve").

    `name` is a glob pattern, or several; at least one must match. `min_size` is a number of bytes, or "10k", "1.5 MiB".
    `sort` is one of SORTS. `layout` transposes filters and matrices: see `tfmodel.parameters.weight`.
    `statistics` and `histogram` read all values, and detect floats with few distinct values, as `round_weights` writes
    them; `progress` is called with the name of each weight.

    Quantized values with a range, such as `quantize_weights` writes, are listed as the weight that they represent. The
    values of this weight are floats, and the constants of the range belong to it: see `tfmodel.parameters.quantized`.
    With `as_stored`, they are listed as three constants: integers, and the two ends of the range.

    Raises ValueError for wrong arguments; GraphError and TensorError, which name the node, for an inconsistent graph;
    CheckpointError and FileFormatError for files, and OSError.
    """
    globs = None if name is None else [name] if isinstance(name, str) else list(name)
    min_bytes = parse_size(min_size)
    axes_by_kind = {} if layout is None else parse_layout(layout)
    if sort not in SORTS:
        raise ValueError(f"sort must be one of {', '.join(SORTS)}, got {quote(sort)}")
    if sort in BY_STATISTICS and not (statistics or histogram):
        raise ValueError(f"sort={sort!r} needs statistics")
    source = ModelSource.of(model, checkpoint=checkpoint, tags=tags)
    with source.naming():
        if layout is not None and not source.has_graph:
            problem = "a checkpoint alone does not say which tensors are filters: a layout needs the graph"
            raise CheckpointError(with_name(source.name, problem))
        all_rows, outputs = _with_purposes(source, as_stored, selects_outputs=not all)
        rows = [row for row in all_rows if all or not row.purpose]
        selected = [
            row
            for row in rows
            if (globs is None or any(fnmatchcase(row.name, glob) for glob in globs)) and (row.bytes or 0) >= min_bytes
        ]
        if axes_by_kind or statistics or histogram:
            with_statistics, bins = statistics or histogram, BINS if histogram else 0
            begin = in_steps(progress or _ignore, sum(row.bytes or 0 for row in selected))
            selected = [_with_values(row, axes_by_kind, with_statistics, bins, begin) for row in selected]
    return WeightsReport(
        source.name,
        sorted(selected, key=SORTS[sort]),
        count=len(rows),
        bytes=sum(row.bytes or 0 for row in rows),
        parameters=sum(row.elements or 0 for row in rows if row.is_parameter),
        layout=layout,
        with_statistics=statistics,
        with_histogram=histogram,
        read=lambda: _bytes_read(source, all_rows),
        not_listed=() if all else [row for row in all_rows if row.purpose],
        outputs=outputs,
        is_uncertain=source.has_graph and outputs is None and not all,
    )


def _bytes_read(source: ModelSource, rows: Iterable[Weight]) -> int:
    """Return the number of bytes of the graph, plus those of the checkpoint's tensors, each counted once."""
    sizes = {row.key: row.bytes or 0 for row in rows if row.key is not None}
    return sum(sizes.values()) + (source.graph.ByteSize() if source.has_graph else 0)


def _statistic_key(weight: Weight, statistic: str) -> float:
    value = getattr(weight.statistics, statistic, None)
    return float("inf") if value is None else -value


def with_values(row: Weight, bins: int) -> Weight:
    """Return a weight with the statistics of its values, and a histogram with a number of bins."""
    return _with_values(row, {}, True, bins, in_steps(_ignore, 0))


def _with_values(row: Weight, layout: Mapping[str, str], statistics: bool, bins: int, begin: Begin) -> Weight:
    """Return a row in the requested layout, with the requested statistics; with `bins`, also with a histogram."""
    result = distribution = distinct = None
    if statistics and row.reader is not None and row.value_dtype.kind in "fiub":
        from .statistics import compute_histogram, compute_statistics, count_distinct_values  # imports numpy

        begin(row.name, row.bytes or 0)
        array = row.read()
        result = compute_statistics(array)
        distinct = count_distinct_values(array) if row.quantized is None and row.stored_dtype.kind == "f" else None
        if bins and result.min is not None and result.max is not None:
            counts = compute_histogram(array, result.min, result.max, bins)
            distribution = Distribution(float(result.min), float(result.max), counts)
    use = row.uses[0] if row.uses else None
    transposition = find_transposition(use, row.shape, layout) if layout else None
    return replace(
        row,
        statistics=result,
        distribution=distribution,
        distinct=distinct,
        transposition=transposition,
        axes=axes_in_layout(use, transposition, layout),
        shape=transposition.shape if transposition is not None else row.shape,
    )


def _ignore(name: str) -> None:
    pass


def _with_purposes(
    source: ModelSource, as_stored: bool, *, selects_outputs: bool
) -> tuple[list[Weight], list[str] | None]:
    """Return all rows with their purposes, and the outputs of the model.

    The outputs are None if no output is certain enough, without `selects_outputs`, and for a checkpoint alone. Then no
    row has the purpose "unused".
    """
    facts = Facts.of(source) if source.has_graph else None
    outputs = needed = None
    if facts is not None and selects_outputs:
        choice = choose_if_readable(source, facts, guess=False)  # or weights of the model may be missing
        outputs, inputs = choice.outputs or None, choice.inputs
        with suppress(GraphError):  # an invalid reference: then it is unknown which weights are used
            needed = facts.needed_nodes(outputs, inputs) if outputs is not None else None
    rows = list(list_rows(source, facts, needed, as_stored))
    state = None
    if any(row.kind != "constant" for row in rows):
        objects = getattr(source.checkpoint, "object_graph", None)
        full_names = {key: name for name, key in objects.full_names.items()} if objects is not None else {}
        state = OptimizerState((row for row in rows if row.kind != "constant"), full_names)
    slots: dict[str, Counter[str]] = {}
    result = []
    for row in rows:
        if state is None or row.kind == "constant" or row.purpose in ("slot", "state"):  # known from the file
            result.append(row)
            continue
        purpose, kind, owner = state.purpose(row)
        if row.purpose != "" or needed is None:
            use = row.uses[0] if row.uses else None
            if not purpose and use is not None and use.relevance is Relevance.SLOT:
                purpose, kind, owner = _slot_by_use(row, use, facts)
            if purpose or not row.holds_weights():
                row = replace(row, purpose=purpose or "state")
            if owner:
                slots.setdefault(owner, Counter())[kind] += 1
        result.append(row)
    is_complete = not any(not row.purpose and row.missing == NOT_IN_CHECKPOINT for row in result)
    if needed is not None and not is_complete:  # a tensor without a variable may be the value of a needed variable
        result = [
            replace(row, purpose="") if row.kind == "tensor" and row.purpose == "unused" else row for row in result
        ]
    return [replace(row, slots=dict(slots[row.name])) if row.name in slots else row for row in result], outputs


def _slot_by_use(row: Weight, use: Use, facts: Facts | None) -> tuple[Purpose, str, str]:
    """Return the purpose, kind and owner of the state of an optimizer, as `OptimizerState.purpose` does."""
    if not use.role.endswith(" slot"):
        return ("state" if row.shape == () or "beta" in use.role else ""), "", ""
    kind = f"{_APPLIES.sub('', use.op)} slot"
    body = facts.flow.graph if facts is not None else None
    node = body.nodes.get(use.node) if body is not None and not use.function else None
    trained = body.origin(node.input[0]) if body is not None and node is not None and node.input else None
    return "slot", kind, trained.name if trained is not None else ""


_APPLIES = re.compile("^(Resource)?(Sparse)?Apply")
