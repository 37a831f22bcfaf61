"""What `weights` finds: a row for every constant and variable, as text to read, as JSON, as files of arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..dtypes import Dtype, dtype_named
from ..errors import TensorError
from ..inspection.columns import aligned
from ..printable import printable
from .constants import Shape
from .export import Exported, export
from .layouts import Arrangement
from .roles import Standing
from .uses import Use

if TYPE_CHECKING:
    import numpy.typing as npt

    from .statistics import Statistics

__all__ = ["NO_CHECKPOINT", "Distribution", "Weight", "WeightsReport"]

Kind: TypeAlias = Literal["constant", "variable", "tensor"]

NO_CHECKPOINT = "there is no checkpoint"

_UNICODE = " ▁▂▃▄▅▆▇█"
_ASCII = " .:-=+*#@"
_WIDEST = (48, 32, 24)


@dataclass(frozen=True, slots=True)
class Distribution:
    """How many numbers lie in each of equal parts of what is between the smallest and the largest finite one."""

    low: float
    high: float
    counts: tuple[int, ...]

    def bar(self, *, ascii: bool = False) -> str:
        """A block for each part, the higher the more numbers there are in it; a blank is none."""
        levels = _ASCII if ascii else _UNICODE
        most = max(self.counts, default=0) or 1
        steps = len(levels) - 1
        return "".join(levels[-(-count * steps // most)] for count in self.counts)


@dataclass(frozen=True, slots=True)
class Weight:
    """A constant, a variable, or (kind "tensor") a tensor of a checkpoint that belongs to no variable that is known.

    name          of its node; after the name of a function and a slash if it is in one; or its name in the checkpoint
    dtype         as TensorFlow's Python spells it
    shape         in the layout that was asked for; None if it is not known, -1 for a dimension that is not
    size          its bytes; None if they are not known
    uses          who has it as an input, and as what, the most telling first
    key           of a variable, the name of its value in the checkpoint
    letters       what the axes are, of a filter that was turned to another layout
    missing       why there are no values; empty if there are
    """

    name: str
    kind: Kind
    dtype: str
    shape: Shape | None
    size: int | None
    uses: Sequence[Use] = ()
    function: str = ""
    key: str | None = None
    letters: str = ""
    missing: str = ""
    statistics: Statistics | None = None
    distribution: Distribution | None = None
    order: int = 0
    arrangement: Arrangement | None = field(default=None, repr=False, compare=False)
    read: Callable[[], npt.NDArray[Any]] | None = field(default=None, repr=False, compare=False)

    @property
    def op(self) -> str:
        """The op that uses it, in the most telling way; empty if none does."""
        return self.uses[0].op if self.uses else ""

    @property
    def role(self) -> str:
        """As what: "filter", "bias", "axis"; empty if that is not known."""
        return self.uses[0].role if self.uses else ""

    @property
    def element(self) -> Dtype:
        """The row of its element type."""
        row = dtype_named(self.dtype)
        if row is None:
            raise TensorError(f"{self.name}: there is no element type {self.dtype}")
        return row

    @property
    def elements(self) -> int | None:
        if self.shape is None or any(size < 0 for size in self.shape):
            return None
        return prod(self.shape)

    @property
    def is_parameter(self) -> bool:
        """Whether its elements are something that was trained, as far as that can be told.

        Of constants, those that are used as weights; of variables, those of floats that something is computed with or
        that are trained, and that are not an optimizer's; of a checkpoint alone, all floats but a TF2 optimizer's.
        """
        standing = self.uses[0].standing if self.uses else None
        if self.kind == "constant":
            return standing is Standing.WEIGHT
        if self.kind == "variable" and standing in (None, Standing.SLOT, Standing.KEEPING):
            return False
        if self.key is not None and "/.OPTIMIZER_SLOT/" in self.key:
            return False
        return self.element.given[1] in "fc" or self.element.name.startswith("q")

    def array(self) -> npt.NDArray[Any]:
        """The values, in the layout that was asked for. Raises TensorError and CheckpointError, also without values."""
        if self.read is None:
            raise TensorError(f"{printable(self.name)} has no value: {self.missing}")
        array = self.read()
        return array if self.arrangement is None else self.arrangement.apply(array)

    def facts(self, total: int) -> dict[str, Any]:
        """What JSON says of it."""
        facts: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "op": self.op or None,
            "role": self.role or None,
            "dtype": self.dtype,
            "shape": None if self.shape is None else [None if size < 0 else size for size in self.shape],
            "bytes": self.size,
            "share": None if self.size is None else _share(self.size, total),
            "parameter": self.is_parameter,
        }
        optional = {"function": self.function, "key": self.key, "axes": self.letters, "missing": self.missing}
        facts |= {name: value for name, value in optional.items() if value}
        facts["uses"] = [_use_facts(use) for use in self.uses]
        if self.statistics is not None:
            names = ("min", "max", "mean", "std", "zeros", "nan", "inf")
            facts["statistics"] = {name: getattr(self.statistics, name) for name in names}
        if self.distribution is not None:
            facts["histogram"] = {
                "from": self.distribution.low, "to": self.distribution.high, "counts": list(self.distribution.counts)
            }
        return facts


@dataclass(frozen=True, slots=True)
class WeightsReport:
    """The rows that were asked for, in order, and what all rows of the model come to.

    count, size, parameters   of all constants and variables, whether they were asked for or not
    with_statistics           whether they were
    """

    name: str
    weights: Sequence[Weight]
    count: int
    size: int
    parameters: int
    layout: str | None = None
    with_statistics: bool = False
    with_histogram: bool = False

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

        What cannot be written is left out, and named in the result. `doing` is told what is being written.
        """
        return export(sorted(self.weights, key=lambda weight: weight.order), os.fspath(path), doing)

    def to_json(self) -> str:
        document = {
            "model": self.name,
            "weights": [weight.facts(self.size) for weight in self.weights],
            "count": self.count,
            "bytes": self.size,
            "parameters": self.parameters,
        }
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
        if without := sum(weight.missing == NO_CHECKPOINT for weight in self.weights):
            yield f"{without:,} without values: {NO_CHECKPOINT}"

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


def _use_facts(use: Use) -> dict[str, Any]:
    facts: dict[str, Any] = {"node": use.node, "op": use.op, "role": use.role or None}
    if use.function:
        facts["function"] = use.function
    if use.in_loop:
        facts["in_loop"] = True
    if use.through:
        facts["through"] = list(use.through)
    return facts


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


def _notes(weight: Weight) -> str:
    notes = [weight.missing] if weight.missing not in ("", NO_CHECKPOINT) else []
    if weight.statistics is not None:
        notes += [f"{weight.statistics.nan:,} NaN"] if weight.statistics.nan else []
        notes += [f"{weight.statistics.inf:,} infinite"] if weight.statistics.inf else []
    return ", ".join(notes)


def _number(value: float | int | None) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    return f"{value:.4g}"


def _share(size: int, total: int) -> float:
    return round(size / total, 6) if total else 0.0


def _percent(part: int, whole: int) -> str:
    if not whole or not part:
        return "0%"
    percent = 100 * part / whole
    return f"{percent:.1f}%" if percent >= 0.1 else "<0.1%"
