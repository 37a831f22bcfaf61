"""`compare_values`: compare the tensors of two checkpoints, or the variables and constants of two models."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import permutations
from typing import Any, TypeGuard

import numpy as np

from ...files.checkpoints.checkpoint import Checkpoint
from ...files.checkpoints.locate import is_checkpoint
from ...files.decoding import Tags
from ...source.model_source import Given, ModelSource, source_pair
from ...values.elements import Array, ElementDifferences, Side, aligned, index_at
from ...values.output_limit import limit_output
from ...values.steps import in_steps
from ...values.terminal import count_of
from ..tolerances import check_tolerances
from .matching import Match, Matching, match_by_content, match_by_name
from .operands import Operand, Operands, operands_of
from .report import STATUSES, Status, TensorComparison, TensorFacts, ValuesReport


def compare_values(
    a: Given,
    b: Given,
    *,
    tags: Tags = None,
    atol: float = 0.0,
    rtol: float = 0.0,
    progress: Callable[[str], object] | None = None,
) -> ValuesReport:
    """Return how the values of model `b` differ from those of `a`: variables by their keys, and constants by name.

    Both are checkpoints (a prefix, a file or the folder of one), models with a graph, whatever `Model` takes, or
    mappings from names to arrays. Two checkpoints are compared by their tensors alone, even if a .meta is beside them.
    Constants are those of the graph and of its functions. `matching` says which tensors correspond to each other. Two
    kinds of tensors without a partner do not count, if others have one: constants, if the other side is a checkpoint
    alone; and the tensors of a model with variables that a frozen graph on the other side does not have. Nor do the
    names that a frozen graph gives to its constants.

    Elements are the same if their bits are equal or, with a tolerance, if |a - b| <= atol + rtol * |b|. The report is
    sorted by `TensorComparison.change`. `tags` select one of several MetaGraphs (default: "serve"). `progress` is
    called with the name of each tensor before it is read. Checkpoints are read in chunks.

    Raises ValueError for invalid tolerances; CheckpointError, FileFormatError, GraphError and TensorError for damage,
    with the name of the file and of the tensor; and OSError.
    """
    check_tolerances(rtol, atol)
    reading = progress or _ignore
    one, other, with_graph, notes = _open(a, b, tags)
    with limit_output(lambda: sum(source.graph.ByteSize() for source in (one, other) if source.has_graph)):
        before = operands_of(one, one.name or "<a>", with_graph=with_graph)
        after = operands_of(other, other.name or "<b>", with_graph=with_graph)
        notes += _notes(before, after)
        matching = match_by_name(before, after, notes)
        rows = []
        begin = in_steps(reading, sum(match.before.elements or 0 for match in matching.pairs))
        for match in matching.pairs:
            begin(match.before.name, match.before.elements or 0)
            rows.append(_compare(match, atol, rtol))
        matching = match_by_content(replace(matching, pairs=[]), reading)
        status: Status = "same" if before.is_frozen != after.is_frozen else "renamed"
        rows += [_with_other_name(match, status) for match in matching.pairs]
        removed, added = matching.removed, matching.added
        if rows:
            removed, added = _counted(matching, before, after, notes)
    rows += [TensorComparison("removed", _facts(tensor), None) for tensor in removed]
    rows += [TensorComparison("added", None, _facts(tensor)) for tensor in added]
    return ValuesReport(before.name, after.name, sorted(rows, key=_rank), notes)


def _ignore(name: str) -> None:
    pass


def _is_checkpoint(given: Given) -> TypeGuard[str | os.PathLike[str] | Mapping[str, Any]]:
    return isinstance(given, Mapping) or (isinstance(given, (str, os.PathLike)) and is_checkpoint(given))


def _open(a: Given, b: Given, tags: Tags) -> tuple[ModelSource, ModelSource, bool, list[str]]:
    """Return two models, whether their graphs are compared, and notes."""
    if not (_is_checkpoint(a) and _is_checkpoint(b)) or tags is not None:
        return *source_pair(a, b, tags=tags), True, []
    one, other = (ModelSource.of(given if isinstance(given, Mapping) else Checkpoint(given)) for given in (a, b))
    prefixes = [getattr(source.checkpoint, "prefix", "") for source in (one, other)]
    notes = []
    if all(prefix and os.path.isfile(f"{prefix}.meta") for prefix in prefixes):
        notes.append("only the tensors of the checkpoints were compared; name the .meta files to compare the graphs")
    return one, other, False, notes


def _notes(before: Operands, after: Operands) -> list[str]:
    notes = [
        f"not compared: {count_of(side.unread, 'variable')} of {side.name}: it has no checkpoint"
        for side in (before, after)
        if side.unread
    ]
    graphs = before.object_graph, after.object_graph
    if None not in graphs and graphs[0] != graphs[1]:
        notes.append("the object graphs of the checkpoints differ, which does not count")
    return notes


def _counted(
    matching: Matching, before: Operands, after: Operands, notes: list[str]
) -> tuple[list[Operand], list[Operand]]:
    """Return the tensors without a partner that count as removed and added; `notes` get the numbers of the others.

    A checkpoint alone has no constants. A frozen graph has only what its outputs need.
    """
    sides = []
    for tensors, side, other in ((matching.removed, before, after), (matching.added, after, before)):
        if other.is_frozen and not side.is_frozen:
            counted, reason = [], f"{other.name} is frozen without them"
        elif not other.source.has_graph:
            counted, reason = [tensor for tensor in tensors if tensor.kind != "constant"], f"{other.name} has no graph"
        else:
            counted, reason = tensors, ""
        if left_out := len(tensors) - len(counted):
            notes.append(f"not compared: {count_of(left_out, 'tensor')} of {side.name}: {reason}")
        sides.append(counted)
    return sides[0], sides[1]


def _rank(row: TensorComparison) -> tuple[int, bool, float]:
    change = math.inf if row.change is None else row.change
    return STATUSES.index(row.status), row.kind == "constant", -change


# --- one tensor ------------------------------------------------------------------------------------------------------

_MAX_TRANSPOSED = 1 << 23  # elements of a tensor that is compared with its transpositions, which needs it in memory
_MAX_AXES = 5
_SAMPLES = 64


def _facts(tensor: Operand, side: Side | None = None) -> TensorFacts:
    facts = TensorFacts(tensor.name, tensor.kind, tensor.dtype.name, tensor.shape)
    if side is None or tensor.dtype.is_object:
        return facts
    return replace(facts, norm=side.norm, nan=side.nan, infinite=side.infinite)


def _with_other_name(match: Match, status: Status) -> TensorComparison:
    before, after = _facts(match.before), _facts(match.after)
    return TensorComparison(status, before, after, different=0, change=0.0, ties=match.ties)


def _compare(match: Match, atol: float, rtol: float) -> TensorComparison:
    x, y = match.before, match.after
    is_retyped = x.dtype.number != y.dtype.number
    other: Status = "retyped" if is_retyped else "changed"
    if x.elements != y.elements or (is_retyped and (x.dtype.is_object or y.dtype.is_object)):
        return TensorComparison(other, _facts(x, _read_side(x)), _facts(y, _read_side(y)))
    differences = _compare_elements(x.read(), y.read(), atol, rtol)
    row = TensorComparison(other, _facts(x, differences.before), _facts(y, differences.after))
    order = _find_transposition(x, y, differences, atol, rtol) if differences.different else None
    if order is not None:
        row = replace(row, transposed=order, different=0, change=0.0)
    elif x.shape == y.shape or not differences.different:
        row = _with_differences(row, x, differences)
    if is_retyped or row.different != 0:
        return row
    if x.shape != y.shape or order is not None:
        return replace(row, status="reshaped")
    return replace(row, status="renamed" if x.base_name != y.base_name and x.kind == y.kind else "same")


def _with_differences(row: TensorComparison, x: Operand, differences: ElementDifferences) -> TensorComparison:
    row = replace(row, different=differences.different, change=differences.change)
    if x.dtype.is_object:
        return row
    return replace(
        row,
        max_absolute=differences.max_absolute,
        max_at=index_at(differences.max_at, x.shape) if differences.max_at >= 0 else None,
        max_relative=differences.max_relative,
        not_finite=differences.not_finite,
        cosine=differences.cosine,
        distance=differences.distance,
    )


def _read_side(tensor: Operand) -> Side | None:
    if tensor.dtype.is_object:
        return None
    side = Side()
    for chunk in tensor.read():
        side.add(chunk)
    return side


def _compare_elements(chunks: Iterable[Array], others: Iterable[Array], atol: float, rtol: float) -> ElementDifferences:
    """Compare the elements of two tensors; numbers of different types in a type that can represent both."""
    differences = ElementDifferences(atol=atol, rtol=rtol)
    for a, b, weight in aligned(chunks, others):
        if a.dtype != b.dtype:
            common = np.result_type(a.dtype, b.dtype)
            a, b = a.astype(common), b.astype(common)
        differences.add(a, b, weight)
    return differences


def _find_transposition(
    x: Operand, y: Operand, differences: ElementDifferences, atol: float, rtol: float
) -> tuple[int, ...] | None:
    """Return the order of axes in which the elements of `x` are those of `y`; None without any, or for large tensors.

    Equal norms are necessary, which saves most of the work.
    """
    rank = len(x.shape)
    if len(y.shape) != rank or not 2 <= rank <= _MAX_AXES or x.elements > _MAX_TRANSPOSED or x.dtype.is_object:
        return None
    orders = [order for order in permutations(range(rank)) if tuple(x.shape[axis] for axis in order) == y.shape]
    orders = [order for order in orders if order != tuple(range(rank))]
    norms = differences.before.norm, differences.after.norm
    if not orders or not (atol or rtol or math.isclose(*norms, rel_tol=1e-9)):
        return None
    one, other = (np.concatenate(list(tensor.read())).reshape(tensor.shape) for tensor in (x, y))
    places = np.linspace(0, x.elements - 1, _SAMPLES).astype(int)
    samples = other.reshape(-1)[places]
    for order in orders:
        turned = one.transpose(order)
        sampled = turned[np.unravel_index(places, y.shape)]
        if _compare_elements([sampled], [samples], atol, rtol).different:
            continue
        if not _compare_elements([turned.reshape(-1)], [other.reshape(-1)], atol, rtol).different:
            return order
    return None
