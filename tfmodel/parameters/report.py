"""`WeightsReport`: the constants and variables of a model, as text, as JSON, and as files for other programs.

These files are an .npz, a .safetensors, or a folder of .npy files.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..analysis.uses import Relevance
from ..values.output_limit import limit_output
from ..values.report import Report
from ..values.terminal import align_columns, escape
from .quantized import Quantized
from .weight import NO_CHECKPOINT, Weight

if TYPE_CHECKING:
    pass

_MAX_WIDTHS = (48, 32, 24)


@dataclass(frozen=True, slots=True, repr=False)
class WeightsReport(Report):
    """The weights of a model.

    weights                   the selected weights, sorted
    count, bytes, parameters   totals of all learned weights, selected or not; if all were requested, totals of all
                              constants and variables
    not_listed                the constants, variables and tensors that are left out, with their `purpose`
    outputs                   the outputs that use the weights; None if no output is certain enough, if all were
                              requested, or without a graph
    is_uncertain              whether weights that no output uses are listed too, since no output is certain enough
    with_statistics           whether statistics were requested
    read                      returns the bytes of the graph and of the checkpoint: see `tfmodel.values.output_limit`
    """

    name: str
    weights: Sequence[Weight]
    count: int
    bytes: int
    parameters: int
    layout: str | None = None
    with_statistics: bool = False
    with_histogram: bool = False
    read: Callable[[], int] = field(default=int, compare=False, repr=False)
    not_listed: Sequence[Weight] = ()
    outputs: Sequence[str] | None = None
    is_uncertain: bool = False

    def __iter__(self) -> Iterator[Weight]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, name: str | int) -> Weight:
        """Return the weight of that name, or at that place in the list. Raises KeyError or IndexError."""
        if isinstance(name, int):
            return self.weights[name]
        for weight in self.weights:
            if weight.name == name:
                return weight
        raise KeyError(name)

    def save(
        self, path: str | os.PathLike[str], *, progress: Callable[[str], None] = lambda name: None
    ) -> ExportResult:
        """Write the arrays of the weights to an .npz, a .safetensors, or otherwise a folder of .npy files.

        Weights that cannot be written are left out, and named in the result. `progress` is called with each name.
        Raises GraphError if far more would be written than was read, since few stored numbers can stand for many;
        ValueError for another file extension; TensorError, CheckpointError and OSError.
        """
        with limit_output(self.read()):
            from .export import export_weights  # imports numpy

            return export_weights(sorted(self.weights, key=lambda weight: weight.order), os.fspath(path), progress)

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        document: dict[str, Any] = {
            "name": self.name,
            "weights": [weight.as_dict(self.bytes) for weight in self.weights],
            "count": self.count,
            "bytes": self.bytes,
            "parameters": self.parameters,
        }
        document |= self._count_savings()
        document["outputs"] = None if self.outputs is None else list(self.outputs)
        document["not_listed"] = {"count": len(self.not_listed), **Counter(row.purpose for row in self.not_listed)}
        if self.layout is not None:
            document["layout"] = self.layout
        return document

    def to_text(self, *, ascii: bool = False) -> str:
        """Return a table and a line of totals, safe to show on a terminal; `ascii` limits histograms to ASCII."""
        return "".join(f"{line}\n" for line in self.lines(ascii=ascii))

    def headline(self) -> str:
        """Return the totals."""
        return self._totals()

    def lines(self, *, ascii: bool = False) -> Iterator[str]:
        """Yield the lines of `to_text`."""
        if not self.count:
            if self.not_listed:
                yield "no learned weights"
                yield from self.notes()
            else:
                yield "no weights: there are no constants and no variables"
            return
        headings = ["name", "used by", "as", "dtype", "shape", "bytes", "share"]
        if self.with_histogram:
            headings += ["min", "distribution", "max"]
        elif self.with_statistics:
            headings += ["min", "max"]
        if self.with_statistics:
            headings += ["mean", "std", "zeros"]
        right = [column for column, name in enumerate(headings) if name in _RIGHT]
        rows = [[*headings, ""], *(self._cells(weight, ascii) for weight in self.weights)]
        shape, share = headings.index("shape"), headings.index("share")
        lines = align_columns(rows, widest=_MAX_WIDTHS, right=right, names=(0,), kept=(shape,), optional=(share,))
        yield from (line.rstrip() for line in lines)
        yield ""
        yield self._totals()
        saved = self._count_savings()
        if quantized := saved.get("quantized"):
            size, float_size = quantized["bytes"], quantized["bytes_as_float32"]
            yield f"{quantized['count']:,} quantized: {size:,} bytes instead of {float_size:,}"
        if few := saved.get("few_values"):
            size, packed = few["bytes"], few["packed_bytes"]
            yield f"{few['count']:,} with few distinct values: {size:,} bytes, at least {packed:,} in an archive"
        if without := sum(weight.missing == NO_CHECKPOINT for weight in self.weights):
            yield f"{without:,} without values: {NO_CHECKPOINT}"
        yield from self.notes()

    def notes(self) -> Iterator[str]:
        """Yield lines about entries that are not listed, and about outputs that are not certain enough."""
        if self.not_listed:
            yield f"{len(self.not_listed):,} more with --all: {self._describe_not_listed()}"
        if self.is_uncertain:
            yield "no output is certain enough: weights that outputs do not use are listed too"

    def _describe_not_listed(self) -> str:
        """Describe the entries that are left out: how many there are of each kind, such as "2 Adam slots"."""
        slots = Counter[str]()
        for weight in (*self.weights, *self.not_listed):
            slots.update(weight.slots)
        counts = Counter[str](row.purpose for row in self.not_listed)
        described_counts = dict.fromkeys(counts, 0)
        texts = []
        for kind, count in slots.most_common():
            purpose = "moving average" if kind == "moving average" else "slot"
            if purpose in described_counts and described_counts[purpose] + count <= counts[purpose]:
                described_counts[purpose] += count
                texts.append(_plural(count, escape(kind)))
        for purpose, (one, several) in _PURPOSES.items():
            if remaining := counts[purpose] - described_counts.get(purpose, 0):
                texts.append(f"{remaining:,} {one if remaining == 1 else several}")
        return ", ".join(texts)

    def _count_savings(self) -> dict[str, dict[str, int]]:
        """Count the weights that need less space than plain floats, by kind, and their bytes in both forms."""
        quantized = [weight for weight in self.weights if weight.quantized is not None]
        few = [weight for weight in self.weights if weight.packed_size is not None]
        savings = {
            "quantized": {
                "count": len(quantized),
                "bytes": _sum(weight.bytes for weight in quantized),
                "bytes_as_float32": _sum(weight.value_size for weight in quantized),
            },
            "few_values": {
                "count": len(few),
                "bytes": _sum(weight.bytes for weight in few),
                "packed_bytes": _sum(weight.packed_size for weight in few),
            },
        }
        return {kind: facts for kind, facts in savings.items() if facts["count"]}

    def _cells(self, weight: Weight, ascii: bool) -> list[str]:
        size = "?" if weight.bytes is None else f"{weight.bytes:,}"
        share = "" if weight.bytes is None else _percent(weight.bytes, self.bytes)
        op = "" if _is_only_saved(weight) else escape(weight.op)
        cells = [escape(weight.name), op, _role_text(weight), weight.dtype, _shape(weight), size, share]
        statistics = weight.statistics
        low, high = (_number(statistics.min), _number(statistics.max)) if statistics else ("", "")
        if self.with_histogram:
            cells += [low, weight.distribution.bar(ascii=ascii) if weight.distribution else "", high]
        elif self.with_statistics:
            cells += [low, high]
        if self.with_statistics:
            zeros = _percent(statistics.zeros, weight.elements or 0) if statistics and statistics.zeros else ""
            cells += [_number(statistics.mean), _number(statistics.std), zeros] if statistics else ["", "", ""]
        slots = ", ".join(_plural(count, escape(kind)) for kind, count in sorted(weight.slots.items()))
        notes = [_notes(weight), f"+ {slots}" if slots and self.not_listed else ""]
        return [*cells, ", ".join(note for note in notes if note)]

    def _totals(self) -> str:
        if len(self.weights) == self.count:
            return f"{_count(self.count)}, {self.bytes:,} bytes, {self.parameters:,} parameters"
        size = sum(weight.bytes or 0 for weight in self.weights)
        parameters = sum(weight.elements or 0 for weight in self.weights if weight.is_parameter)
        return (
            f"{len(self.weights):,} of {_count(self.count)}, {size:,} of {self.bytes:,} bytes, "
            f"{parameters:,} of {self.parameters:,} parameters"
        )


_PURPOSES = {
    "slot": ("optimizer slot", "optimizer slots"),
    "moving average": ("moving average", "moving averages"),
    "state": ("counter or other value", "counters and other values"),
    "constant": ("other constant", "other constants"),
    "unused": ("weight that no output uses", "weights that no output uses"),
}
"""The texts for one and for several entries with a purpose."""

_RIGHT = {"bytes", "share", "min", "mean", "std", "zeros"}  # columns that are aligned at the right


def _plural(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _count(count: int) -> str:
    return f"{count:,} weight{'' if count == 1 else 's'}"


def _shape(weight: Weight) -> str:
    if weight.shape is None:
        return "?"
    sizes = ",".join("?" if size < 0 else str(size) for size in weight.shape)
    return f"[{sizes}] {weight.axes}".rstrip()


def _role_text(weight: Weight) -> str:
    """Return the role in the most relevant use, and the number of uses that are as relevant, if there are several."""
    if not weight.uses:
        return "" if weight.kind == "tensor" else "(unused)"
    if _is_only_saved(weight):
        return "(only saved)"
    first = weight.uses[0]
    words = [escape(first.role)] if first.role else []
    if first.in_loop:
        words.append("(loop)")
    times = len({(use.function, use.node) for use in weight.uses if use.relevance == first.relevance})
    if times > 1:
        words.append(f"({times:,} uses)")
    return " ".join(words)


def _is_only_saved(weight: Weight) -> bool:
    """Return whether a variable is only initialized, saved and restored."""
    return weight.kind == "variable" and bool(weight.uses) and weight.uses[0].relevance is Relevance.MAINTENANCE


def _sum(sizes: Iterable[int | None]) -> int:
    return sum(size or 0 for size in sizes)


def _notes(weight: Weight) -> str:
    notes = [weight.missing] if weight.missing not in ("", NO_CHECKPOINT) else []
    notes += [escape(weight.problem)] if weight.problem else []
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
    low, high, step = (_number(values[0]) for values in (quantized.low, quantized.high, quantized.steps))
    return f"{low} to {high} in steps of {step}"


def _number(value: float | int | None) -> str:
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    return f"{value:.4g}"


def _percent(part: int, total: int) -> str:
    if not total or not part:
        return "0%"
    percent = 100 * part / total
    return f"{percent:.1f}%" if percent >= 0.1 else "<0.1%"


_UNSUPPORTED = (
    ".npy",
    ".json",
    ".csv",
    ".h5",
    ".hdf5",
    ".keras",
    ".pb",
    ".pbtxt",
    ".ckpt",
    ".zip",
    ".pt",
    ".pth",
    ".bin",
    ".onnx",
    ".tflite",
    ".txt",
)


@dataclass(frozen=True, slots=True)
class ExportResult:
    """The number and bytes of the arrays that were written; and the names of the other arrays, each with a reason."""

    count: int
    size: int
    left_out: Sequence[tuple[str, str]]


def check_export_path(path: str) -> None:
    """Raise ValueError for a path whose extension is that of an unsupported format."""
    if path.lower().endswith(_UNSUPPORTED):
        raise ValueError(f"{escape(path)} is not an .npz, a .safetensors or the name of a folder")
