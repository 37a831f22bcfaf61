"""`summarize_keras`: what is in a Keras file: versions, layers, and the number of parameters of each."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import prod
from typing import Any

from pbwire.errors import without

from ..errors import FileFormatError, with_name
from ..files.keras.config import walk_layers
from ..files.keras.file import ARCHIVE, KerasFile
from ..graph.error_text import quote
from ..source.model_source import ModelSource
from ..values.report import Report
from ..values.terminal import align_columns, escape
from .keras_dangers import dangers

MAX_SHOWN = 20
_MAX_CLASSES = 5


@dataclass(frozen=True, slots=True)
class LayerSummary:
    """A layer: its path, its class, and the number of its parameters; None if the weights were not read."""

    path: str
    class_name: str
    parameters: int | None


@dataclass(frozen=True, slots=True, repr=False)
class KerasSummary(Report):
    """The contents of a Keras file.

    kind          "archive" for a .keras file, "HDF5" for others
    versions      what wrote the file, as far as it says so: "keras_version", "backend", "date_saved"
    model         the name and the class of the model; empty for a file of weights alone
    layers        the layers in the order of the file, those of models in the model included
    parameters    the number of parameters, `count` of weights, and `bytes` of them, without the state of the
                  optimizer; None if the weights were not read
    unread        the reason why they were not read; else empty
    optimizer     the class of the optimizer and the loss, as far as the file has them
    code          the layers with Python code, which Keras runs
    """

    name: str
    kind: str
    versions: dict[str, str]
    model: tuple[str, str]
    layers: Sequence[LayerSummary]
    parameters: int | None
    count: int | None
    bytes: int | None
    unread: str
    optimizer: tuple[str, str]
    code: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        return asdict(self)

    def headline(self) -> str:
        """Return the kind of the file, and the numbers of layers and parameters."""
        facts = [f"{len(self.layers):,} layers"] if self.layers else []
        facts += [f"{self.parameters:,} parameters"] if self.parameters is not None else []
        facts += [f"weights not read: {self.unread}"] if self.unread else []
        return f"{self._title()}: {', '.join(facts)}" if facts else self._title()

    def to_text(self, *, all: bool = False) -> str:
        return "".join(f"{line}\n" for line in self.lines(all=all))

    def lines(self, *, all: bool = False) -> Iterator[str]:
        """Yield the lines of the text, safe to show on a terminal; without `all`, at most MAX_SHOWN layers."""
        yield self._title()
        yield from align_columns([(f"  {name}", text) for name, text in self._facts() if text], names=(1,))
        shown = list(self.layers if all else self.layers[:MAX_SHOWN])
        if shown:
            yield ""
            rows = [("layer", "class", "parameters"), *map(_cells, shown)]
            yield from (line.rstrip() for line in align_columns(rows, right=(2,), names=(0, 1)))
        if len(shown) < len(self.layers):
            yield f"and {len(self.layers) - len(shown):,} more with --all"

    def _title(self) -> str:
        if self.kind == ARCHIVE:
            what = "Keras model (.keras)"
        else:
            what = "Keras model (HDF5)" if self.model[1] else "weights in HDF5, as Keras writes them"
        version = self.versions.get("keras_version", "")
        return what + (f", Keras {escape(version)}" if version else "")

    def _facts(self) -> Iterator[tuple[str, str]]:
        name, class_name = self.model
        yield "model", f"{escape(class_name)} {quote(name)}" if name else escape(class_name)
        classes = Counter(layer.class_name for layer in self.layers if layer.class_name)
        shown = ", ".join(f"{escape(one)} {count:,}" for one, count in classes.most_common(_MAX_CLASSES))
        yield "layers", f"{len(self.layers):,}: {shown}{', ...' * (len(classes) > _MAX_CLASSES)}" if shown else ""
        if self.parameters is not None and self.count is not None and self.bytes is not None:
            yield "parameters", f"{self.parameters:,} in {self.count:,} weights ({self.bytes:,} bytes)"
        yield "weights", f"not read: {self.unread}" if self.unread else ""
        yield "backend", escape(self.versions.get("backend", ""))
        yield "saved", escape(self.versions.get("date_saved", ""))
        yield "training", escape(", ".join(filter(None, self.optimizer)))
        code = ", ".join(map(quote, self.code[:3])) + f" and {len(self.code) - 3:,} more" * (len(self.code) > 3)
        yield "unsafe", f"Keras runs the Python code of {code}" if self.code else ""


def summarize_keras(model: str | os.PathLike[str] | bytes | ModelSource) -> KerasSummary:
    """Describe a Keras file: an .h5 of a model or of weights, or a .keras archive.

    All but the architecture of an archive needs h5py. Raises FileFormatError for other and damaged files, and OSError.
    """
    source = ModelSource.of(model)
    file = source.keras
    if file is None:
        raise FileFormatError(with_name(source.name, "this is not a file of Keras"))
    unread = ""
    try:
        len(file.weights)
    except FileFormatError as error:
        if file.kind != ARCHIVE:
            raise
        unread = without(file.name, error)
    root = file.model
    totals = None if unread else _count(file)
    parameters = totals[0] if totals is not None else None
    layers = [
        LayerSummary(path, layer.class_name, None if parameters is None else parameters.get(path, 0))
        for path, layer in (walk_layers(root) if root is not None else ())
        if layer.class_name
    ]
    if root is None and parameters is not None:
        classes = {origin.layer: origin.class_name for origin in map(file.weights.origin, file.weights)}
        layers = [LayerSummary(path, classes[path], count) for path, count in parameters.items()]
    return KerasSummary(
        file.name,
        file.kind,
        file.versions,
        (root.name, root.class_name) if root is not None else ("", ""),
        layers,
        sum(parameters.values()) if parameters is not None else None,
        totals[1] if totals is not None else None,
        totals[2] if totals is not None else None,
        unread,
        _optimizer(file.training),
        tuple(danger.name for danger in dangers(file.config) if danger.kind == "python"),
    )


def _count(file: KerasFile) -> tuple[dict[str, int], int, int]:
    """Return the parameters by layer, the number of weights, and their bytes."""
    parameters: dict[str, int] = {}
    count = size = 0
    for name, entry in file.weights.entries.items():
        origin = file.weights.origin(name)
        if not origin.purpose:
            parameters[origin.layer] = parameters.get(origin.layer, 0) + prod(entry.shape)
            count, size = count + 1, size + entry.size
    return parameters, count, size


def _optimizer(training: Any) -> tuple[str, str]:
    """Return the optimizer and the loss of a training configuration."""
    if not isinstance(training, dict):
        return "", ""
    optimizer = training.get("optimizer_config", training.get("optimizer"))
    name = optimizer.get("class_name") if isinstance(optimizer, dict) else optimizer
    loss = training.get("loss")
    loss = loss.get("class_name") if isinstance(loss, dict) else loss
    texts = (name if isinstance(name, str) else "", loss if isinstance(loss, str) else "")
    return texts[0].removeprefix("Custom>"), texts[1]


def _cells(layer: LayerSummary) -> tuple[str, str, str]:
    count = "?" if layer.parameters is None else f"{layer.parameters:,}" if layer.parameters else ""
    return escape(layer.path), escape(layer.class_name), count
