"""Every transform, on graphs that are sound and on graphs that are not.

One file of an input is a graph; the other one says which transform is tried, and which nodes are declared. A sound
graph stays sound, what went in stays what it was, and transforms that promise to change no result change none. Of a
damaged graph nothing is asked but to be refused, or to become something that can be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from hashlib import sha256

from hypothesis import strategies as st

from fuzz.golden import graph_files
from fuzz.graph_edits import damaged_graphs
from fuzz.target import Case, Files, Target
from tests.strategies_graphs import Model, models
from tests.tfmodel.transforms.rows import ROWS
from tfmodel import RunError, transform
from tfmodel.graph import check_graph
from tfmodel.interpreter.verifying import verify
from tfmodel.messages import GraphDef
from tfmodel.ops import registry

NAMES = tuple(ROWS)
FEEDS = {"x": [0.5, -1.0], "p": True}


def _asked(name: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> bytes:
    return "\n".join((name, ",".join(inputs), ",".join(outputs))).encode()


def _files(graph: GraphDef, name: str) -> Files:
    """A graph whose last node, and a node in the middle, are outputs; inputs are its placeholders."""
    inputs = tuple(node.name for node in graph.node if node.op == "Placeholder")
    outputs = tuple(node.name for node in graph.node[-1:] + graph.node[len(graph.node) // 2 :][:1])
    return {"graph.pb": graph.to_bytes(), "asked": _asked(name, inputs, outputs)}


def seeds() -> Iterator[Files]:
    for number, data in enumerate(graph_files()):
        yield _files(GraphDef.from_bytes(data), NAMES[number % len(NAMES)])


def sound() -> st.SearchStrategy[Files]:
    """Generated graphs, with a checksum that tells that nobody damaged them later."""

    def files(model: Model, name: str) -> Files:
        data = ROWS[name].prepare(model.graph).to_bytes()
        asked = _asked(name, model.inputs, model.outputs)
        return {"graph.pb": data, "asked": asked, "sound": _checksum(data, asked)}

    return st.builds(files, models(), st.sampled_from(NAMES))


def _checksum(*contents: bytes) -> bytes:
    return sha256(b"".join(contents)).digest()


def damaged() -> st.SearchStrategy[Files]:
    return st.builds(_files, damaged_graphs(), st.sampled_from(NAMES))


def check(files: Files, case: Case) -> object:
    data, asked = files.get("graph.pb", b""), files.get("asked", b"")
    name, inputs, outputs = (*asked.decode(errors="replace").split("\n", 2), "", "")[:3]
    if name not in ROWS:
        return None
    graph = GraphDef.from_bytes(data, lazy=True)
    case.folder.mkdir(parents=True, exist_ok=True)
    step = ROWS[name].call(name, case.folder)
    before = graph.to_bytes(deterministic=True)
    was_sound = not check_graph(graph, registry=registry(graph))
    result = transform(graph, inputs, outputs, step)
    assert graph.to_bytes(deterministic=True) == before, "the graph that was given has changed"
    written = result.to_bytes(deterministic=True)
    case.allow(len(written) - len(data))
    assert GraphDef.from_bytes(written).to_bytes(deterministic=True) == written
    if was_sound:
        assert not check_graph(result, registry=registry(result))
    if files.get("sound") == _checksum(data, asked) and ROWS[name].keeps:
        _check_same(graph, result, outputs.split(","))
    return result


def _check_same(graph: GraphDef, result: GraphDef, outputs: list[str]) -> None:
    """What a sound graph computes is what the transformed one does."""
    there = {node.name for node in result.node}
    feeds = {name: value for name, value in FEEDS.items() if name in there}
    try:
        report = verify(graph, result, feeds, outputs)
    except RunError as error:
        assert "not taken" in str(error), str(error)
    else:
        assert report.same, report.to_text()


_target = partial(Target, seconds=2.0, seconds_per_byte=200e-6, memory=2000.0)

TARGETS = (
    _target("transforms", "every transform, on sound graphs", seeds, sound, check),
    _target("transforms-damaged", "every transform, on damaged graphs", seeds, damaged, check),
)
