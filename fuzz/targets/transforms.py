"""Every transform, on valid and on invalid graphs.

One file of an input is a graph; the other one has the name of the transform and the declared nodes. A valid graph must
stay valid, the input graph must stay unchanged, and transforms that promise equal results must keep them: a valid graph
that runs, mutated or not, is run before and after. An invalid graph must be refused, or the result must be a graph that
can be written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from hypothesis import strategies as st

from fuzz.golden_models import graph_files
from fuzz.graph_edits import damaged_graphs
from fuzz.target import Case, Files, Target
from pbwire import Error
from tests.support.strategies_graphs import Model, models
from tests.tfmodel.transforms.property_cases import ROWS
from tfmodel import TransformReport, transform
from tfmodel.compare.verify.differences import compare
from tfmodel.graph import check_graph
from tfmodel.interpreter import Session
from tfmodel.interpreter.feeds import feeds_needed, random_feeds
from tfmodel.messages import GraphDef
from tfmodel.ops import registry
from tfmodel.values.names import TensorName

NAMES = tuple(ROWS)
FEEDS = {"x": [0.5, -1.0], "p": True}
MAX_STEPS, MAX_BYTES = 2000, 1 << 22


def _asked(name: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> bytes:
    return "\n".join((name, ",".join(inputs), ",".join(outputs))).encode()


def _files(graph: GraphDef, name: str) -> Files:
    """Return a graph with its last node and a node in the middle as outputs, and its placeholders as inputs."""
    inputs = tuple(node.name for node in graph.node if node.op == "Placeholder")
    outputs = tuple(node.name for node in graph.node[-1:] + graph.node[len(graph.node) // 2 :][:1])
    return {"graph.pb": graph.to_bytes(), "asked": _asked(name, inputs, outputs)}


def seeds() -> Iterator[Files]:
    for number, data in enumerate(graph_files()):
        yield _files(GraphDef.from_bytes(data), NAMES[number % len(NAMES)])


def sound() -> st.SearchStrategy[Files]:
    """Return a strategy for generated graphs with their inputs and outputs."""

    def files(model: Model, name: str) -> Files:
        graph = ROWS[name].prepare(model.graph)
        return {"graph.pb": graph.to_bytes(), "asked": _asked(name, model.inputs, model.outputs)}

    return st.builds(files, models(), st.sampled_from(NAMES))


def damaged() -> st.SearchStrategy[Files]:
    return st.builds(_files, damaged_graphs(), st.sampled_from(NAMES))


def check(files: Files, case: Case) -> object:
    data, request = files.get("graph.pb", b""), files.get("asked", b"")
    name, inputs, outputs = (*request.decode(errors="replace").split("\n", 2), "", "")[:3]
    if name not in ROWS:
        return None
    graph = GraphDef.from_bytes(data, lazy=True)
    case.folder.mkdir(parents=True, exist_ok=True)
    step = ROWS[name].call(name, case.folder)
    before = graph.to_bytes(deterministic=True)
    was_sound = not check_graph(graph, registry=registry(graph))
    report = TransformReport()
    result = transform(graph, inputs, outputs, step, report=report)
    assert graph.to_bytes(deterministic=True) == before, "the graph that was given has changed"
    written = result.to_bytes(deterministic=True)
    case.allow(len(written) - len(data))
    assert GraphDef.from_bytes(written).to_bytes(deterministic=True) == written
    if was_sound:
        assert not check_graph(result, registry=registry(result))
    is_typed = all("dtype" in node.attr for node in graph.node if node.op == "Placeholder")  # else types are unchecked
    is_renamed = any(TensorName.parse(output) in report.renames for output in outputs.split(",") if output)
    if was_sound and is_typed and ROWS[name].keeps and not is_renamed:
        renames = name == "obfuscate_names"
        _check_same(graph, result, inputs.split(","), outputs.split(","), renames=renames)
    return result


def _check_same(graph: GraphDef, result: GraphDef, inputs: list[str], outputs: list[str], *, renames: bool) -> None:
    """Assert that a graph, if it runs, and its transformed graph compute the same.

    `renames`: the transform may rename nodes that are neither inputs nor outputs.

    Outputs are run one by one: a dead branch has no result, but the others have.
    """
    for output in dict.fromkeys(outputs):
        try:
            feeds, expected = _run(graph, inputs, output)
        except Error:
            continue
        names = {node.name for node in result.node}
        undeclared = {TensorName.parse(name).node for name in feeds if name not in inputs}
        if (renames and undeclared) or not undeclared <= names:
            continue  # undeclared inputs may be renamed, or gone; another node may have got the name
        fed = {name: value for name, value in feeds.items() if TensorName.parse(name).node in names}
        try:
            value = _session(result).run(fed, output, max_steps=10 * MAX_STEPS, max_bytes=10 * MAX_BYTES)[output]
        except Error as error:
            raise AssertionError(f"{output} is computed, and afterwards it is not: {error}") from error
        report = compare(output, expected, value)
        if not report.within and compare(output, expected, _run(graph, inputs, output)[1]).within:  # not random
            raise AssertionError(f"{output} is something else afterwards: {report}")


def _run(graph: GraphDef, inputs: list[str], output: str) -> tuple[dict[str, Any], Any]:
    """Return feeds for all inputs of a graph, and the results."""
    session = _session(graph)
    names = [name for name in inputs if name]
    needed = {*names, *feeds_needed(session, [output], names)}
    feeds = random_feeds(session, sorted(needed - FEEDS.keys()), max_bytes=MAX_BYTES)
    feeds |= {name: value for name, value in FEEDS.items() if name in needed}
    return feeds, session.run(feeds, output, max_steps=MAX_STEPS, max_bytes=MAX_BYTES)[output]


def _session(graph: GraphDef) -> Session:
    return Session(graph, log=lambda text: None)


_target = partial(Target, seconds=2.0, seconds_per_byte=200e-6, memory=2000.0)

TARGETS = (
    _target("transforms", "every transform, on sound graphs", seeds, sound, check),
    _target("transforms-damaged", "every transform, on damaged graphs", seeds, damaged, check),
)
