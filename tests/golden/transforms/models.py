"""Make models.tar.xz: the graphs that transforms are tested on, with their feeds.

    python -m tests.golden.transforms.models         # with a Python that has TensorFlow 2.12

A model is NAME.pb, a GraphDef in deterministic bytes, and an entry of models.json:

    inputs, outputs    the declared tensors, "a,b:1"
    before             nodes to run first: initializers, which fill variables and tables
    feeds              by node: [dtype, nested list]
    fetches            TensorFlow's values of the outputs, in the same form
    files              texts that a transform reads, by the word that stands for the path in a list of transforms

`models()` reads the file without TensorFlow.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tfmodel.messages import GraphDef

from ..packing import pack

__all__ = ["ARCHIVE", "Model", "models"]

ARCHIVE = Path(__file__).with_name("models.tar.xz")


@dataclass(frozen=True)
class Model:
    """A graph and how to run it."""

    name: str
    data: bytes
    inputs: str
    outputs: str
    before: list[str]
    feeds: dict[str, Any]
    fetches: dict[str, Any]
    files: dict[str, str]

    def graph(self, *, lazy: bool = False) -> GraphDef:
        return GraphDef.from_bytes(self.data, lazy=lazy)

    @property
    def live(self) -> bool:
        """Return whether the model has variables or tables to initialize."""
        return bool(self.before)

    @property
    def declared(self) -> str:
        """The outputs, and what has to be run first: nothing may remove that."""
        return ",".join([self.outputs, *self.before])


@cache
def models() -> dict[str, Model]:
    """Return all models by name."""
    with tarfile.open(ARCHIVE) as archive:
        content = {member.name: archive.extractfile(member).read() for member in archive.getmembers()}
    rows = json.loads(content["models.json"])
    return {name: Model(name, content[f"{name}.pb"], **_read(row)) for name, row in rows.items()}


def _read(row: dict[str, Any]) -> dict[str, Any]:
    for key in ("feeds", "fetches"):
        row[key] = {name: _array(*value) for name, value in row[key].items()}
    return row


def _array(dtype: str, value: Any) -> Any:
    if dtype == "object":
        return np.array([text.encode() for text in value], object)
    return np.array(value, dtype)


def _written(value: Any) -> list[Any]:
    array = np.asarray(value)
    if array.dtype.kind in "SO":
        return ["object", [element.decode() for element in array]]
    array = array.astype(np.float32) if array.dtype == np.float64 else array
    return [array.dtype.name, array.tolist()]


def _made() -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    import tensorflow as tf

    from . import programs_control_flow, programs_wiring
    from .programs import PROGRAMS

    assert programs_control_flow and programs_wiring  # which fill PROGRAMS
    tf1 = tf.compat.v1
    tf1.disable_control_flow_v2()
    for name, program in PROGRAMS.items():
        with tf1.Graph().as_default() as graph:
            tf1.set_random_seed(5)
            model = program()
            names = [output if ":" in output else f"{output}:0" for output in model.outputs.split(",")]
            feeds = {f"{key}:0": value for key, value in model.feeds.items()}
            with tf1.Session() as session:
                for operation in model.before:
                    session.run(operation)
                values = session.run(names, feeds)
            data = graph.as_graph_def().SerializeToString(deterministic=True)
        yield (
            name,
            data,
            {
                "inputs": model.inputs,
                "outputs": model.outputs,
                "before": list(model.before),
                "feeds": {key: _written(value) for key, value in model.feeds.items()},
                "fetches": {key: _written(value) for key, value in zip(model.outputs.split(","), values, strict=True)},
                "files": model.files,
            },
        )


def _edited(data: bytes, change: Callable[[Any], Any]) -> bytes:
    import tensorflow as tf

    graph = tf.compat.v1.GraphDef.FromString(data)
    for node in graph.node:
        change(node)
    return graph.SerializeToString(deterministic=True)


def _spell(node: Any) -> None:
    """Output 0 as `node:0`, which TensorFlow reads and never writes."""
    node.input[:] = [text if ":" in text or text[0] == "^" else f"{text}:0" for text in node.input]


def _shorten(node: Any) -> None:
    """Without the attributes that have the values that ops give them."""
    import tensorflow as tf

    definition = tf.compat.v1.get_default_graph()._get_op_def(node.op)
    for attr in definition.attr:
        if attr.HasField("default_value") and node.attr[attr.name] == attr.default_value:
            del node.attr[attr.name]


EDITS = {
    "identities_spelled": ("identities", _spell),
    "outputs_spelled": ("outputs", _spell),
    "loops_spelled": ("loops", _spell),
    "convolutions_short": ("convolutions", _shorten),
    "training_ref_short": ("training_ref", _shorten),
    "tensor_arrays_short": ("tensor_arrays", _shorten),
}


def main() -> None:
    models = list(_made())
    plain = {name: (data, row) for name, data, row in models}
    for name, (base, change) in EDITS.items():
        data, row = plain[base]
        models.append((name, _edited(data, change), row))
    rows = {name: row for name, _, row in models}
    files = {f"{name}.pb": data for name, data, _ in models} | {"models.json": json.dumps(rows, indent=1).encode()}
    pack(ARCHIVE, files)
    print(f"{len(models)} models, {ARCHIVE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
