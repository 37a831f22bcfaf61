"""The example graphs of every transform, with edits of the parts that transforms read: see `fuzz.example_edits`.

The result for a mutated example is a graph that can be written, or an error of the project; the input stays unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from fuzz.example_edits import Example, examples, mutate_example
from fuzz.target import Case, Files, Target
from tfmodel import transform
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.report import TransformReport


def _files(example: Example) -> Files:
    request = "\n".join((example.transforms, example.inputs, example.outputs))
    return {"graph.pb": example.graph.to_bytes(), "asked": request.encode()}


def seeds() -> Iterator[Files]:
    for variants in examples().values():
        yield from map(_files, variants[:2])


def damaged() -> st.SearchStrategy[Files]:
    """Return a strategy that first draws a transform, so that all are tried equally often."""
    name = st.sampled_from(sorted(examples()))
    example = name.flatmap(lambda key: st.sampled_from(examples()[key]))
    return st.builds(lambda example, seed: _files(mutate_example(example, seed)), example, st.integers(0, 2**32 - 1))


def check(files: Files, case: Case) -> object:
    data, request = files.get("graph.pb", b""), files.get("asked", b"")
    steps, inputs, outputs = (*request.decode(errors="replace").split("\n", 2), "", "")[:3]
    if any(word in steps for word in ("file", "log")) and "ranges.log" not in steps:
        return None  # the transform would read files that the list names
    graph = GraphDef.from_bytes(data, lazy=True)
    before = graph.to_bytes(deterministic=True)
    report = TransformReport()
    result = transform(graph, inputs, outputs, steps, report=report)
    assert graph.to_bytes(deterministic=True) == before, "the graph that was given has changed"
    written = result.to_bytes(deterministic=True)
    case.allow(len(written) - len(data))
    assert GraphDef.from_bytes(written).to_bytes(deterministic=True) == written
    assert report.to_text() or not report.steps
    return result


TARGETS = (
    Target(
        "examples",
        "transforms on damaged copies of their example graphs",
        seeds,
        damaged,
        check,
        seconds=1.0,
        memory=1500,
        memory_base=32 << 20,
    ),
)
