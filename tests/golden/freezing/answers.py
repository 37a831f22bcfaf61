"""The models of answers.tar.xz: inputs of freezing, and the values and frozen graphs of TensorFlow.

models.py makes the archive; check.py runs the graphs that tfmodel freezes in TensorFlow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tfmodel.freezing import freeze
from tfmodel.messages import GraphDef, NodeDef

__all__ = ["ARCHIVE", "Case", "Run", "cases", "difference", "runs_of"]

ARCHIVE = Path(__file__).with_name("answers.tar.xz")


class Run(NamedTuple):
    """The feeds and results of a run: arrays by tensor."""

    feeds: Mapping[str, np.ndarray]
    fetches: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A model, and runs of it. `reference` is TensorFlow's frozen GraphDef, where it has one."""

    folder: Path
    asked: Mapping[str, Any]
    runs: Sequence[Run]
    reference: bytes | None

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def model(self) -> Path:
        saved_model = self.folder / "saved_model"
        return saved_model if saved_model.exists() else self.folder / "model.meta"

    @property
    def initializers(self) -> list[str]:
        return self.asked.get("initializers", [])

    def freeze(self, **more: Any) -> GraphDef:
        options = {"signature": self.asked.get("signature"), "tags": self.asked.get("tags")} | more
        return freeze(self.model, self.asked.get("outputs"), **options)


def cases(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.iterdir()):
        reference = path / "reference.pb"
        yield Case(
            path,
            json.loads((path / "case.json").read_text()),
            runs_of(path / "values.npz"),
            reference.read_bytes() if reference.exists() else None,
        )


def runs_of(path: Path) -> list[Run]:
    """The runs of a model, from a file that `freezing_recording.record` wrote."""
    runs: list[Run] = []
    with np.load(path) as arrays:
        for key, array in arrays.items():
            number, kind, name = key.split("|")
            if int(number) == len(runs):
                runs.append(Run({}, {}))
            values = getattr(runs[int(number)], f"{kind}s" if kind == "feed" else "fetches")
            values[name] = array.astype(object) if array.dtype.kind == "S" else array
    return runs


def difference(ours: GraphDef, theirs: GraphDef) -> str:
    """In what the nodes of two frozen graphs differ, in words; "" if they are the same nodes, in any order."""
    a, b = ({node.name: _normal(node) for node in graph.node} for graph in (ours, theirs))
    missing, added = sorted(b.keys() - a.keys()), sorted(a.keys() - b.keys())
    changed = sorted(name for name in a.keys() & b.keys() if a[name] != b[name])
    parts = [("without", missing), ("more", added), ("other", changed)]
    return "; ".join(f"{word} {', '.join(names[:3])}{' ...' * (len(names) > 3)}" for word, names in parts if names)


def _normal(node: NodeDef) -> bytes:
    attr = {name: value for name, value in node.attr.items() if name != "_output_shapes"}
    return NodeDef(name=node.name, op=node.op, input=list(node.input), attr=attr).to_bytes(deterministic=True)
