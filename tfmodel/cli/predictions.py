"""The best classes of an output: --top and --labels of `run`.

softmax: float32[1,1001] = ...
  1.  0.9032  653  military uniform
  2.  0.0261  668  mortarboard
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..io.locate import no_file
from ..io.terminal import align_columns, escape, shorten
from .messages import RequestError, UsageError
from .parser import Parser, positive

__all__ = ["Best", "add_predictions", "find_best", "print_best", "read_labels"]

_MAX_LABEL_FILE = 1 << 24
_MAX_LABEL = 200  # characters that are printed

Best = Mapping[str, list[list[dict[str, Any]]]]
"""The best elements of each row of each output that is a vector or a batch of vectors."""


def add_predictions(parser: Parser) -> None:
    """Add --top and --labels."""
    top_help = "print the N largest values of each vector among the outputs, with their indices"
    parser.add_argument("--top", type=positive, metavar="N", help=top_help)
    labels_help = "with --top, the names of the classes: a text file with a line for each"
    parser.add_argument("--labels", metavar="FILE", help=labels_help)


def read_labels(args: Any) -> list[str] | None:
    """Return the lines of the file of --labels; None without it. Raises RequestError if it is not text."""
    if args.labels is None:
        return None
    if args.top is None:
        raise UsageError("--labels names the classes that --top prints: add --top 5")
    file = args.labels
    if what := no_file(file):
        raise RequestError(f"this is not a file but {what}", file=file)
    with open(file, "rb") as opened:
        data = opened.read(_MAX_LABEL_FILE + 1)
    if len(data) > _MAX_LABEL_FILE:
        raise RequestError(f"labels are read from files of up to {_MAX_LABEL_FILE:,} bytes", file=file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(f"labels are text in UTF-8, and byte {error.start:,} is not", file=file) from error
    lines = [line.rstrip("\r") for line in text.rstrip("\r\n").split("\n")]
    if lines == [""]:
        raise RequestError("it has no labels", file=file)
    return lines


def find_best(results: Mapping[str, Any], count: int, labels: Sequence[str] | None, file: str, model: str) -> Best:
    """Return index, value and label of the largest values of each vector; of equal ones, the first.

    Raises RequestError if no output is a vector, or if the number of labels is another than that of the values.
    """
    import numpy as np

    best: dict[str, list[list[dict[str, Any]]]] = {}
    for name, value in results.items():
        if not _is_vectors(value):
            continue
        size = value.shape[-1]
        if labels is not None and len(labels) != size:
            raise RequestError(_describe_misfit(name, size, len(labels)), file=file)
        rows = []
        for row in np.asarray(value).reshape(-1, size):
            numbers = np.flatnonzero(row == row)  # NaN is in no order
            order = numbers[::-1][np.argsort(row[numbers][::-1], kind="stable")][::-1][:count]
            rows.append([_entry(index, row[index].item(), labels) for index in order.tolist()])
        best[name] = rows
    if not best:
        shapes = ", ".join(f"{escape(name)} {list(getattr(value, 'shape', ()))}" for name, value in results.items())
        raise RequestError(
            f"--top is for vectors of numbers, or batches of them, and no output is one: {shapes}", file=model
        )
    return best


def _is_vectors(value: Any) -> bool:
    """Return whether an output is a vector of numbers or a batch of vectors, perhaps with dimensions of size 1."""
    shape: tuple[int, ...] = getattr(value, "shape", ())
    dtype = getattr(value, "dtype", None)
    is_number = dtype is not None and dtype.kind in "biuf"
    return is_number and len(shape) > 0 and shape[-1] > 0 and math.prod(shape[1:-1]) == 1


def _entry(index: int, value: float, labels: Sequence[str] | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"index": index, "value": value if math.isfinite(value) else str(value)}
    return entry if labels is None else entry | {"label": labels[index]}


def _describe_misfit(name: str, size: int, count: int) -> str:
    problem = f"it has {count:,} labels, and {escape(name)} has {size:,} values"
    if size == count + 1:
        return f"{problem}: class 0 is probably the background, add a line for it at the beginning"
    if size == count - 1:
        return f"{problem}: the first label is probably the background, which this model does not have; remove it"
    return problem


def print_best(rows: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the lines of the rows of one output."""
    for number, row in enumerate(rows):
        if len(rows) > 1:
            yield f"  [{number}]"
        cells = [
            (f"{rank}.", _value_text(entry["value"]), str(entry["index"]), _label_text(entry.get("label", "")))
            for rank, entry in enumerate(row, 1)
        ]
        yield from align_columns(cells, right=[0, 1, 2], indent=2, widest=[60, 60, 60, 2 * _MAX_LABEL])


def _value_text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _label_text(label: str) -> str:
    return escape(shorten(label, _MAX_LABEL))
