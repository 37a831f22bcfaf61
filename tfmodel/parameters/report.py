"""What `weights` finds: a row for every constant and variable, as text to read, as JSON, as files of arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..growth import growth_limit
from ..printable import printable
from ..text_table import aligned
from .export import Exported, export
from .quantized import Quantized
from .roles import Standing
from .weight import NO_CHECKPOINT, Weight

__all__ = ["WeightsReport"]

_WIDEST = (48, 32, 24)


@dataclass(frozen=True, slots=True)
class WeightsReport:
    """The rows that were asked for, in order, and what all rows of the model come to.

    count, size, parameters   of all constants and variables, whether they were asked for or not
    with_statistics           whether they were
    read                      the bytes of the graph and of the checkpoint: see `tfmodel.growth`
    """

    name: str
    weights: Sequence[Weight]
    count: int
    size: int
    parameters: int
    layout: str | None = None
    with_statistics: bool = False
    with_histogram: bool = False
    read: int = 0

    def __iter__(self) -> Iterator[Weight]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, name: str) -> Weight:
        """The row of that name. Raises KeyError."""
        for weight in self.weights:
            if weight.name == name:
                return weight
        raise KeyError(name)

    def save(self, path: str | os.PathLike[str], *, doing: Callable[[str], None] = lambda name: None) -> Exported:
        """Write the arrays of the rows to an .npz, a .safetensors, or else a folder of .npy files.

        What cannot be written is left out, and named in the result. `doing` is told what is being written. Raises
        GraphError if very much more would be written than was read, since few numbers stand for many.
        """
        with growth_limit(self.read):
            return export(sorted(self.weights, key=lambda weight: weight.order), os.fspath(path), doing)

    def to_json(self) -> str:
        document: dict[str, Any] = {
            "model": self.name,
            "weights": [weight.facts(self.size) for weight in self.weights],
            "count": self.count,
            "bytes": self.size,
            "parameters": self.parameters,
        }
        document |= self._saved()
        if self.layout is not None:
            document["layout"] = self.layout
        return json.dumps(document, indent=2, allow_nan=False)

    def to_text(self, *, ascii: bool = False) -> str:
        """A table, and a line of totals. It is safe to show on a terminal; with `ascii` it has no other characters in
        its histograms."""
        return "".join(f"{line}\n" for line in self.lines(ascii=ascii))

    def lines(self, *, ascii: bool = False) -> Iterator[str]:
        if not self.count:
            yield "no weights: there are no constants and no variables"
            return
        headings = ["name", "used by", "as", "dtype", "shape", "bytes", "share"]
        if self.with_histogram:
            headings += ["min", "distribution", "max"]
        elif self.with_statistics:
            headings += ["min", "max"]
        if self.with_statistics:
            headings += ["mean", "std", "zeros"]
        right = [at for at, name in enumerate(headings) if name in _RIGHT]
        rows = [[*headings, ""], *(self._cells(weight, ascii) for weight in self.weights)]
        yield from (line.rstrip() for line in aligned(rows, widest=_WIDEST, right=right))
        yield ""
        yield self._totals()
        saved = self._saved()
        if codes := saved.get("quantized"):
            yield f"{codes['count']:,} quantized: {codes['bytes']:,} bytes instead of {codes['bytes_as_float32']:,}"
        if few := saved.get("few_values"):
            size, packed = few["bytes"], few["packed_bytes"]
            yield f"{few['count']:,} of few values: {size:,} bytes, at least {packed:,} in an archive"
        if without := sum(weight.missing == NO_CHECKPOINT for weight in self.weights):
            yield f"{without:,} without values: {NO_CHECKPOINT}"

    def _saved(self) -> dict[str, dict[str, int]]:
        """How many of the rows take less than plain numbers, by the ways in which they do, and how much less."""
        codes = [weight for weight in self.weights if weight.quantized is not None]
        few = [weight for weight in self.weights if weight.packed_size is not None]
        found = {
            "quantized": {
                "count": len(codes),
                "bytes": _sum(weight.size for weight in codes),
                "bytes_as_float32": _sum(weight.given_size for weight in codes),
            },
            "few_values": {
                "count": len(few),
                "bytes": _sum(weight.size for weight in few),
                "packed_bytes": _sum(weight.packed_size for weight in few),
            },
        }
        return {way: facts for way, facts in found.items() if facts["count"]}

    def _cells(self, weight: Weight, ascii: bool) -> list[str]:
        size = "?" if weight.size is None else f"{weight.size:,}"
        share = "" if weight.size is None else _percent(weight.size, self.size)
        op = "" if _is_only_kept(weight) else printable(weight.op)
        cells = [printable(weight.name), op, _as(weight), weight.dtype, _shape(weight), size, share]
        found = weight.statistics
        low, high = (_number(found.min), _number(found.max)) if found else ("", "")
        if self.with_histogram:
            cells += [low, weight.distribution.bar(ascii=ascii) if weight.distribution else "", high]
        elif self.with_statistics:
            cells += [low, high]
        if self.with_statistics:
            zeros = _percent(found.zeros, weight.elements or 0) if found and found.zeros else ""
            cells += [_number(found.mean), _number(found.std), zeros] if found else ["", "", ""]
        return [*cells, _notes(weight)]

    def _totals(self) -> str:
        if len(self.weights) == self.count:
            return f"{_count(self.count)}, {self.size:,} bytes, {self.parameters:,} parameters"
        size = sum(weight.size or 0 for weight in self.weights)
        parameters = sum(weight.elements or 0 for weight in self.weights if weight.is_parameter)
        return (
            f"{len(self.weights):,} of {_count(self.count)}, {size:,} of {self.size:,} bytes, "
            f"{parameters:,} of {self.parameters:,} parameters"
        )


_RIGHT = {"bytes", "share", "min", "mean", "std", "zeros"}


def _count(count: int) -> str:
    return f"{count:,} weight{'' if count == 1 else 's'}"


def _shape(weight: Weight) -> str:
    if weight.shape is None:
        return "?"
    sizes = ",".join("?" if size < 0 else str(size) for size in weight.shape)
    return f"[{sizes}] {weight.letters}".rstrip()


def _as(weight: Weight) -> str:
    """The role, and how often it has that, if that is more than once."""
    if not weight.uses:
        return "" if weight.kind == "tensor" else "(unused)"
    if _is_only_kept(weight):
        return "(only saved)"
    first = weight.uses[0]
    words = [printable(first.role)] if first.role else []
    if first.in_loop:
        words.append("(loop)")
    times = len({(use.function, use.node) for use in weight.uses if use.standing == first.standing})
    if times > 1:
        words.append(f"({times:,} uses)")
    return " ".join(words)


def _is_only_kept(weight: Weight) -> bool:
    """Whether nothing is done with a variable but to initialise, save and restore it."""
    return weight.kind == "variable" and bool(weight.uses) and weight.uses[0].standing is Standing.KEEPING


def _sum(sizes: Iterable[int | None]) -> int:
    return sum(size or 0 for size in sizes)


def _notes(weight: Weight) -> str:
    notes = [weight.missing] if weight.missing not in ("", NO_CHECKPOINT) else []
    notes += [printable(weight.problem)] if weight.problem else []
    if weight.quantized is not None:
        notes.append(_range(weight.quantized))
    if weight.distinct is not None:
        values, bits = weight.distinct
        notes.append(f"{values:,} value{'' if values == 1 else 's'}, {bits:.1f} bits each")
    if weight.statistics is not None:
        notes += [f"{weight.statistics.nan:,} NaN"] if weight.statistics.nan else []
        notes += [f"{weight.statistics.inf:,} infinite"] if weight.statistics.inf else []
    return ", ".join(notes)


def _range(quantized: Quantized) -> str:
    if quantized.axis is not None:
        return f"{len(quantized.low):,} ranges along axis {quantized.axis}"
    low, high, step = (_number(each[0]) for each in (quantized.low, quantized.high, quantized.steps))
    return f"{low} to {high} in steps of {step}"


def _number(value: float | int | None) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    return f"{value:.4g}"


def _percent(part: int, whole: int) -> str:
    if not whole or not part:
        return "0%"
    percent = 100 * part / whole
    return f"{percent:.1f}%" if percent >= 0.1 else "<0.1%"
