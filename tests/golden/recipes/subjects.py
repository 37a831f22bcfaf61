"""The frozen models that answers.py applies recipes to, with their feeds. They need no TensorFlow.

    subject = subject_of(whole)                   # a model of whole_models
    after = applied(subject, "deploy")            # the result of a recipe
    values = given(subject, after)                # the interpreter's results for each feed

A subject can be stored as a folder: graph.pb, values.npz with the feeds, and subject.json with everything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tfmodel import load, transform
from tfmodel.graph import attr
from tfmodel.interpreter import Session
from tfmodel.messages import GraphDef, NodeDef
from tfmodel.optimizer import optimize
from tfmodel.transforms.framework.recipes import RECIPES, Recipe
from tfmodel.values.names import TensorName

from ..freezing.answers import runs_of
from ..transforms import models
from ..whole_models.answers import Whole

__all__ = [
    "Subject",
    "anew",
    "applied",
    "batch_norms",
    "batch_norms_left",
    "flow_subjects",
    "given",
    "has_flow",
    "read_subject",
    "subject_of",
    "write_subject",
]

Feeds = dict[str, Any]

BATCH_NORMS = ("BatchNormWithGlobalNormalization", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
FLOW = {
    "Case",
    "Enter",
    "If",
    "RefEnter",
    "RefSwitch",
    "StatelessCase",
    "StatelessIf",
    "StatelessWhile",
    "Switch",
    "While",
}


@dataclass(frozen=True)
class Subject:
    """A frozen graph and what is fed to it, run after run.

    inputs, outputs   tensors
    before            nodes that have to run first, to fill variables and tables: then each feed has a new session
    assets            nodes that hold the paths of files; nothing may replace them
    files             folders that the graph may read files in
    classes           what the largest element of each row should be, feed after feed, if it has been trained
    rtol              how far outputs may be from those of TensorFlow, relative to the largest element
    """

    name: str
    graph: GraphDef
    inputs: list[str]
    outputs: list[str]
    feeds: list[Feeds]
    before: Sequence[str] = ()
    assets: Sequence[str] = ()
    files: Sequence[str] = ()
    classes: np.ndarray[Any, Any] | None = None
    rtol: float = 1e-4


def applied(subject: Subject, recipe: str) -> GraphDef:
    """Apply a recipe to the graph of a subject."""
    kept = [*subject.outputs, *subject.before, *subject.assets]
    return transform(subject.graph, subject.inputs, kept, RECIPES[recipe])


def given(subject: Subject, graph: GraphDef, most: int | None = None) -> list[list[Any]]:
    """Return the interpreter's results for up to `most` feeds."""
    session, values = None, []
    for feeds in subject.feeds[:most]:
        if session is None or subject.before:
            session = Session(graph, files=subject.files, log=_silent)
            for name in subject.before:
                session.run({}, name)
        values.append(list(session.run(feeds, subject.outputs).values()))
    return values


def _silent(text: str) -> None:
    """Discard the printed output of a model."""


# --- what there is ---------------------------------------------------------------------------------------------------


def subject_of(whole: Whole) -> Subject:
    """A model of whole_models, frozen, with the feeds that it has."""
    assert whole.path is not None
    session = Session(whole.path, signature=whole.signature)
    first = whole.runs[0]
    inputs = [_spelled(session.tensor(name, session.inputs)) for name in first.feeds]
    outputs = [_spelled(session.tensor(name, session.outputs)) for name in first.fetches]
    frozen = optimize(whole.path, inputs, outputs, recipe=NOTHING, signature=whole.signature, verify=False)
    feeds = [dict(zip(inputs, run.feeds.values(), strict=True)) for run in whole.runs]
    files = [str(whole.path.parent)]
    return Subject(
        whole.name, frozen.graph, inputs, outputs, feeds, frozen.initializers, [*frozen.assets], files, rtol=whole.rtol
    )


NOTHING = Recipe("to freeze only", ())


def _spelled(tensor: TensorName) -> str:
    """With its port, as TensorFlow wants it."""
    return f"{tensor.node}:{max(tensor.port, 0)}"


def flow_subjects() -> Iterator[Subject]:
    """The models of models.tar.xz that branch or loop."""
    for model in models.models().values():
        graph = model.graph()
        if has_flow(graph):
            here = {node.name for node in graph.node}
            feeds = {f"{name}:0": np.asarray(value) for name, value in model.feeds.items() if name in here}
            outputs = [_spelled(TensorName.parse(name)) for name in model.outputs.split(",")]
            yield Subject(model.name, graph, [*filter(None, model.inputs.split(","))], outputs, [feeds], model.before)


def anew(subject: Subject, count: int, seed: int = 0) -> list[Feeds]:
    """Return `count` more feeds: floats are drawn anew, other values shuffled. Scalars stay: they are sizes and shares.

    If the graph has branches or loops, floats change only a little, since other floats may keep a loop from ending.
    """
    random = np.random.default_rng(seed)
    gently = has_flow(subject.graph)

    def like(value: Any) -> Any:
        array = np.asarray(value)
        if not array.ndim:
            return array
        if array.dtype.kind != "f":
            return random.permutation(array.ravel()).reshape(array.shape)
        changed = array * random.uniform(0.8, 1.25, array.shape) if gently else random.standard_normal(array.shape)
        return changed.astype(array.dtype)

    return [{name: like(value) for name, value in subject.feeds[0].items()} for _ in range(count)]


# --- what a graph is like --------------------------------------------------------------------------------------------


def all_nodes(graph: GraphDef) -> Iterator[NodeDef]:
    """The nodes of a graph and of its functions."""
    yield from graph.node
    for function in graph.library.function if graph.library is not None else ():
        yield from function.node_def


def has_flow(graph: GraphDef) -> bool:
    return any(node.op in FLOW for node in all_nodes(graph))


def batch_norms(graph: GraphDef) -> list[NodeDef]:
    """Count batch norms with constant statistics. Layer norms of Keras compute theirs with the same op."""
    nodes = (node for node in all_nodes(graph) if node.op in BATCH_NORMS)
    return [node for node in nodes if node.op == BATCH_NORMS[0] or not attr(node, "is_training", bool, True)]


def batch_norms_left(graph: GraphDef) -> dict[str, str]:
    """The batch norms of a graph, each with the op of what it normalizes."""
    nodes = {node.name: node for node in all_nodes(graph)}
    return {node.name: nodes[TensorName.parse(node.input[0]).node].op for node in batch_norms(graph)}


# --- as folders ------------------------------------------------------------------------------------------------------

SAID = ("inputs", "outputs", "before", "assets", "files", "rtol")


def write_subject(subject: Subject, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "graph.pb").write_bytes(subject.graph.to_bytes())
    runs = ((f"{run}|feed|{name}", value) for run, feeds in enumerate(subject.feeds) for name, value in feeds.items())
    arrays = {key: value.astype("S") if value.dtype.kind == "O" else value for key, value in runs}
    np.savez(folder / "values.npz", **arrays)
    if subject.classes is not None:
        np.save(folder / "classes.npy", subject.classes)
    said = {name: getattr(subject, name) for name in SAID}
    (folder / "subject.json").write_text(json.dumps(said))


def read_subject(folder: Path) -> Subject:
    said = json.loads((folder / "subject.json").read_text())
    feeds = [dict(run.feeds) for run in runs_of(folder / "values.npz")]
    classes = np.load(folder / "classes.npy") if (folder / "classes.npy").exists() else None
    return Subject(folder.name, load(folder / "graph.pb", GraphDef), feeds=feeds, classes=classes, **said)
