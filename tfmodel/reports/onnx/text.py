"""An `OnnxSummary` as text: what is fed and computed, parameters, ops, and the rest on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...values.terminal import align_columns, count_of, escape, shorten

if TYPE_CHECKING:
    from .summary import OnnxSummary
    from .types import OnnxValue

_MAX_ENDS = 4
_MAX_OPS = 5
_MAX_PROBLEMS = 5
_LABEL = 13
_LONG = 200  # characters of a text of the model
_MAX_WIDTHS = (48, 40)


def headline(summary: OnnxSummary) -> str:
    """Return the line "ONNX model: 3 nodes, 10 parameters, x float32[batch,4] -> y float32[batch,2]"."""
    facts = [count_of(_all_nodes(summary), "node"), count_of(summary.parameters, "parameter")]
    facts += [f"{_line_of_ends(summary.inputs)} -> {_line_of_ends(summary.outputs)}"]
    problems = f"; {count_of(len(summary.problems), 'problem')}" if summary.problems else ""
    return f"ONNX model: {', '.join(facts)}{problems}"


def summary_lines(summary: OnnxSummary, *, all: bool = False) -> Iterator[str]:
    """Yield the lines of the text; without `all`, about ten."""
    yield escape(_heading(summary))
    shown = summary.problems if all else summary.problems[:_MAX_PROBLEMS]
    yield from (f"problem: {escape(shorten(problem, _LONG))}" for problem in shown)
    if len(shown) < len(summary.problems):
        yield f"and {len(summary.problems) - len(shown):,} more problems"
    for label, ends in (("inputs", summary.inputs), ("outputs", summary.outputs)):
        yield from _ends(label, ends, all)
    for label, text in _facts(summary, all):
        if text:
            yield _line(label, escape(text))
    if all:
        yield from _tables(summary)
    elif len(summary.ops) > _MAX_OPS or summary.metadata or summary.functions:
        yield "more with --all"


def _heading(summary: OnnxSummary) -> str:
    parts = [f'ONNX model "{shorten(summary.graph, _LONG)}"' if summary.graph else "ONNX model"]
    parts += [f"IR version {summary.ir_version}"] if summary.ir_version is not None else []
    parts += [_opset(opset.domain, opset.version) for opset in summary.opsets]
    producer = f"{summary.producer} {summary.producer_version}".strip()
    parts += [f"written by {shorten(producer, _LONG)}"] if producer else []
    return ", ".join(parts)


def _opset(domain: str, version: int) -> str:
    return f"opset {version}" if domain == "ai.onnx" else f"opset {version} of {domain}"


def _line(label: str, text: str) -> str:
    return f"  {label:{_LABEL}}  {text}".rstrip()


def _ends(label: str, ends: Sequence[OnnxValue], all: bool) -> Iterator[str]:
    if not ends:
        yield _line(label, "none")
    shown = ends if all else ends[:_MAX_ENDS]
    rows = [(escape(end.name), escape(end.type)) for end in shown]
    for line in align_columns(rows, widest=_MAX_WIDTHS, names=(0,), whole_names=True):
        yield _line(label, line)
        label = ""
    if len(shown) < len(ends):
        yield _line("", f"and {len(ends) - len(shown):,} more")


def _facts(summary: OnnxSummary, all: bool) -> Iterator[tuple[str, str]]:
    """Yield the labels and the texts of the facts; empty texts are left out."""
    kinds = [row for row in summary.tensors if row.kind != "constant"]
    count = sum(row.count for row in kinds)
    in_tensors = f" in {count_of(count, 'initializer')} ({summary.parameter_bytes:,} bytes)" if count else ""
    yield "parameters", f"{summary.parameters:,}{in_tensors}"
    yield "", f"{count_of(summary.defaults, 'initializer')} may be fed instead" if summary.defaults else ""
    shown = [f"{row.op} {row.nodes:,}" for row in summary.ops[:_MAX_OPS]]
    yield "ops", ", ".join(shown) + ", ..." * (len(summary.ops) > len(shown))
    yield "nodes", _node_counts(summary)
    yield "other files", "; ".join(_files(summary)) if summary.external else ""
    yield "quantized", f"{count_of(summary.quantized, 'tensor')} with annotations" if summary.quantized else ""
    yield "training", f"{count_of(summary.training, 'graph')}" if summary.training else ""
    version = "" if summary.model_version is None else f"version {summary.model_version}"
    yield "model", " ".join(filter(None, (summary.domain, version)))
    yield "about", shorten(summary.doc, _LONG).strip() if all else ""


def _node_counts(summary: OnnxSummary) -> str:
    """Return "29, and 122 in 14 graphs inside of nodes, 7 in 2 functions"."""
    parts = []
    if summary.subgraphs:
        parts.append(f"{summary.subgraph_nodes:,} in {count_of(summary.subgraphs, 'graph')} inside of nodes")
    if summary.functions:
        nodes = sum(function.nodes for function in summary.functions)
        parts.append(f"{nodes:,} in {count_of(len(summary.functions), 'function')}")
    return f"{summary.nodes:,}{', and ' if parts else ''}{', '.join(parts)}"


def _all_nodes(summary: OnnxSummary) -> int:
    return summary.nodes + summary.subgraph_nodes + sum(function.nodes for function in summary.functions)


def _files(summary: OnnxSummary) -> Iterator[str]:
    for file in summary.external[:_MAX_ENDS]:
        state = f", {file.state}" if file.state != "present" else ""
        yield f"{shorten(file.location, _LONG)} ({count_of(file.tensors, 'tensor')}, {file.bytes:,} bytes{state})"
    if len(summary.external) > _MAX_ENDS:
        yield f"and {len(summary.external) - _MAX_ENDS:,} more"


def _line_of_ends(ends: Sequence[OnnxValue]) -> str:
    shown = [f"{escape(end.name)} {escape(end.type)}".rstrip() for end in ends[:_MAX_ENDS]]
    return ", ".join(shown + [f"{len(ends) - _MAX_ENDS:,} more"] * (len(ends) > _MAX_ENDS)) or "(none)"


def _tables(summary: OnnxSummary) -> Iterator[str]:
    yield from _table(("op", "nodes"), ((row.op, f"{row.nodes:,}") for row in summary.ops), right=(1,))
    rows = ((row.kind, row.dtype, f"{row.count:,}", f"{row.elements:,}", f"{row.bytes:,}") for row in summary.tensors)
    yield from _table(("tensors", "type", "count", "elements", "bytes"), rows, right=(2, 3, 4))
    functions = ((row.name, f"{row.nodes:,}", f"{row.calls:,}") for row in summary.functions)
    yield from _table(("function", "nodes", "calls"), functions, right=(1, 2))
    metadata = ((key, shorten(value, _LONG)) for key, value in summary.metadata.items())
    yield from _table(("metadata", ""), metadata)


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> Iterator[str]:
    """Yield an empty line and a table; nothing without rows."""
    cells = [tuple(map(escape, row)) for row in rows]
    if cells:
        yield ""
        yield from (line.rstrip() for line in align_columns([heading, *cells], right=right, names=(0,)))
