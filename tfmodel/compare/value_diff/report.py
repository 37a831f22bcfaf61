"""`ValuesReport`: the differences between the tensors of two models, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any, Literal, TypeAlias

from ...files.checkpoints.index import readable_name
from ...values.report import Report
from ...values.terminal import align_columns, count_of, escape, fit_line
from .operands import Kind

Status: TypeAlias = Literal["same", "changed", "retyped", "reshaped", "renamed", "removed", "added"]
"""How a tensor of the second model differs from that of the first.

    same       equal elements, dtype and shape; with a tolerance, elements that are equal within it
    changed    other elements; also another shape with another number of elements
    retyped    another dtype; its elements are compared as numbers, if that is possible
    reshaped   another shape, and the same elements in the same order, or transposed
    renamed    another name, and the same elements; but "same" if one of the models is frozen, which gives other names
    removed    only in the first model
    added      only in the second model
"""

STATUSES: tuple[Status, ...] = ("changed", "retyped", "reshaped", "renamed", "removed", "added", "same")

MAX_SHOWN = 20
"""The number of tensors of each status in the short text."""

_DIGITS = 4
_COSINE_DIGITS = 6
_WIDTHS = (80, 24, 40, 12, 12, 30, 12, 12, 30, 24)
_COMPARED: tuple[Status, ...] = ("changed", "retyped")


@dataclass(frozen=True, slots=True)
class TensorFacts:
    """A tensor on one side.

    norm, nan, infinite   the L2 norm of the finite elements, and the numbers of NaNs and infinities; None for strings
                          and other objects, and for a tensor that was not read
    """

    name: str
    kind: Kind
    dtype: str
    shape: tuple[int, ...]
    norm: float | None = None
    nan: int | None = None
    infinite: int | None = None

    @property
    def elements(self) -> int:
        return prod(self.shape)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON, with None for an infinite norm."""
        return {
            "name": self.name,
            "kind": self.kind,
            "dtype": self.dtype,
            "shape": list(self.shape),
            "elements": self.elements,
            "norm": _finite(self.norm),
            "nan": self.nan,
            "infinite": self.infinite,
        }


@dataclass(frozen=True, slots=True)
class TensorComparison:
    """One tensor in both models; one of `before` and `after` is None if it was added or removed.

    different      the number of elements that differ; None if elements were not compared one by one
    max_absolute   the largest |a - b| of finite elements, exact for integers; None for strings and other objects
    max_at         the index of that element in `before`; None if the difference is 0
    max_relative   the largest |a - b| / max(|a|, |b|) of finite elements, at most 2
    not_finite     the number of different elements of which one or both are not finite
    cosine         the cosine of the angle between both tensors as vectors; None if a norm is 0, and for elements that
                   are not finite
    distance       the L2 norm of the difference of finite elements
    change         the measure that sorts a report: the distance relative to the larger of both norms, from 0 to 2;
                   infinite if elements differ that are not finite; the share of different elements for strings; None if
                   elements were not compared
    transposed     the order in which the axes of `before` give the elements of `after`
    ties           for a renamed tensor, the number of tensors with its content; if several, the pair is a guess
    """

    status: Status
    before: TensorFacts | None
    after: TensorFacts | None
    different: int | None = None
    max_absolute: float | int | None = None
    max_at: tuple[int, ...] | None = None
    max_relative: float | None = None
    not_finite: int | None = None
    cosine: float | None = None
    distance: float | None = None
    change: float | None = None
    transposed: tuple[int, ...] | None = None
    ties: int = 0

    @property
    def name(self) -> str:
        """The name in the first model; in the second one if it was added."""
        return self._any.name

    @property
    def kind(self) -> Kind:
        return self._any.kind

    @property
    def _any(self) -> TensorFacts:
        facts = self.before or self.after
        assert facts is not None
        return facts

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON, with None for infinity."""
        return {
            "name": self.name,
            "status": self.status,
            "before": self.before.as_dict() if self.before is not None else None,
            "after": self.after.as_dict() if self.after is not None else None,
            "different": self.different,
            "max_absolute": _finite(self.max_absolute),
            "max_at": list(self.max_at) if self.max_at is not None else None,
            "max_relative": _finite(self.max_relative),
            "not_finite": self.not_finite,
            "cosine": self.cosine,
            "distance": _finite(self.distance),
            "change": _finite(self.change),
            "transposed": list(self.transposed) if self.transposed is not None else None,
            "ties": self.ties,
        }


@dataclass(frozen=True, slots=True, repr=False)
class ValuesReport(Report):
    """The tensors of two models.

    before, after   the names of the models
    tensors         all tensors: by status in the order of `STATUSES`, variables before constants. Those whose elements
                    were compared begin with the most changed one, the others have the order of the files
    notes           facts that do not count
    """

    before: str
    after: str
    tensors: Sequence[TensorComparison]
    notes: Sequence[str] = ()

    def __iter__(self) -> Iterator[TensorComparison]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def __getitem__(self, name: str) -> TensorComparison:
        """Return the tensor of that name in the first model or, for an added one, in the second. Raises KeyError."""
        for tensor in self.tensors:
            if tensor.name == name:
                return tensor
        raise KeyError(name)

    @property
    def same(self) -> bool:
        """Return whether all tensors are the same."""
        return all(tensor.status == "same" for tensor in self.tensors)

    def with_status(self, status: Status) -> list[TensorComparison]:
        """Return the tensors with a status."""
        return [tensor for tensor in self.tensors if tensor.status == status]

    @property
    def counts(self) -> dict[Status, int]:
        """The number of tensors of each status."""
        counts = Counter(tensor.status for tensor in self.tensors)
        return {status: counts[status] for status in STATUSES}

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON, of all tensors."""
        return {
            "before": self.before,
            "after": self.after,
            "same": self.same,
            "counts": self.counts,
            "tensors": [tensor.as_dict() for tensor in self.tensors],
            "notes": list(self.notes),
        }

    def to_text(self, *, max_shown: int | None = MAX_SHOWN, all: bool = False) -> str:
        """Return the report as text, safe to show on a terminal: at most `max_shown` tensors of each status.

        Tensors that are the same are counted, and listed only with `all`.
        """
        return "".join(f"{line}\n" for line in self.lines(max_shown=max_shown, all=all))

    def lines(self, *, max_shown: int | None = MAX_SHOWN, all: bool = False) -> Iterator[str]:
        """Yield the lines of `to_text`."""
        if not self.same:
            yield f"--- {escape(self.before)}: {self._count_without('added')}"
            yield f"+++ {escape(self.after)}: {self._count_without('removed')}"
            yield ""
        for status in STATUSES:
            rows = self.with_status(status)
            if not rows or (status == "same" and not all):
                continue
            order = ", most changed first" if status in _COMPARED and len(rows) > 1 else ""
            yield f"{_HEADINGS.get(status, status)} ({len(rows):,}){order}:"
            lines = (_table if status in _COMPARED else _list)(rows[:max_shown])
            yield from lines if max_shown is None else map(fit_line, lines)
            if max_shown is not None and len(rows) > max_shown:
                yield f"  ... and {len(rows) - max_shown:,} more"
            yield ""
        yield self._summary()
        yield from (f"note: {escape(note)}" for note in self.notes)

    def _count_without(self, status: Status) -> str:
        return count_of(sum(tensor.status != status for tensor in self.tensors), "tensor")

    def _summary(self) -> str:
        if self.same:
            return f"the same: {count_of(len(self.tensors), 'tensor')}"
        counts = self.counts
        parts = [f"{counts[status]:,} {status}" for status in STATUSES[:-1] if counts[status]]
        return f"tensors: {', '.join(parts)}, {counts['same']:,} the same"


def _table(rows: Sequence[TensorComparison]) -> Iterator[str]:
    """Yield a table of tensors whose elements were compared."""
    headings = ["name", "tensor", "change", "largest", "at", "relative", "cosine", "different", "norm", ""]
    cells = [headings, *map(_cells, rows)]
    optional = [headings.index(name) for name in ("norm", "cosine", "relative", "at", "different")]
    lines = align_columns(
        cells, widest=_WIDTHS, right=(2, 3, 5, 6, 7), names=(0,), kept=(1, 4), optional=optional, indent=2
    )
    yield from (line.rstrip() for line in lines)


def _cells(row: TensorComparison) -> list[str]:
    before, after = row.before, row.after
    assert before is not None and after is not None
    different = "" if row.different is None else f"{row.different:,} of {before.elements:,}"
    return [
        _name(before),
        _change(_tensor(before), _tensor(after)),
        _number(row.change),
        _number(row.max_absolute),
        f"[{','.join(map(str, row.max_at))}]" if row.max_at is not None else "",
        _number(row.max_relative),
        "" if row.cosine is None else f"{row.cosine:.{_COSINE_DIGITS}g}",
        different,
        _change(_number(before.norm), _number(after.norm)),
        ", ".join(_remarks(row, before, after)),
    ]


def _list(rows: Sequence[TensorComparison]) -> Iterator[str]:
    """Yield a line for each tensor whose elements were not compared, or are the same."""
    for row in rows:
        before, after = row.before, row.after
        if before is not None and after is not None:
            names = _change(_name(before), _name(after))
            remarks = ", ".join(_remarks(row, before, after, named=True))
            yield f"  {names}  {_change(_tensor(before), _tensor(after))}  {remarks}".rstrip()
        elif before is not None:
            yield f"- {_name(before)}  {_tensor(before)}"
        elif after is not None:
            yield f"+ {_name(after)}  {_tensor(after)}"


def _remarks(row: TensorComparison, before: TensorFacts, after: TensorFacts, *, named: bool = False) -> Iterator[str]:
    if before.name != after.name and not named:
        yield f"now {_name(after)}"
    if before.kind != after.kind:
        yield f"{before.kind} -> {after.kind}"
    if row.transposed is not None:
        yield f"transposed [{','.join(map(str, row.transposed))}]"
    if row.ties > 1:
        yield f"one of {row.ties:,} with this content"
    if row.not_finite:
        yield f"{row.not_finite:,} not finite"
    for word, one, other in (("NaN", before.nan, after.nan), ("infinite", before.infinite, after.infinite)):
        if one is not None and other is not None and one != other:
            yield f"{one:,} -> {other:,} {word}"


def _name(facts: TensorFacts) -> str:
    """Return the readable name: a key of a TF2 checkpoint without its constant parts."""
    return escape(readable_name(facts.name) if facts.kind == "variable" else facts.name)


def _tensor(facts: TensorFacts) -> str:
    return f"{facts.dtype}[{','.join(map(str, facts.shape))}]"


def _change(before: str, after: str) -> str:
    return before if before == after else f"{before} -> {after}"


def _number(value: float | int | None) -> str:
    return "" if value is None else f"{value:.{_DIGITS}g}"


def _finite(value: float | int | None) -> float | int | None:
    return value if value is not None and isfinite(value) else None


_HEADINGS: dict[Status, str] = {
    "reshaped": "reshaped, with the same elements",
    "renamed": "renamed, with the same elements",
}
