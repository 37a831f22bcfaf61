"""The data of the summary of the page: facts, inputs and outputs, costs of nodes, ops, findings, commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from shlex import quote
from typing import Any, TypeAlias

from ...errors import Error
from ...graph.error_text import list_names
from ...reports.check import check
from ...reports.summary import Summary, flops_of_nodes, suggested_commands, summarize
from ...source.model_source import ModelSource
from ...values.names import node_name
from ..outlines import cut, title_of

Numbers: TypeAlias = "Mapping[str, Mapping[str, int]]"

MAX_CHECKED = 20_000
"""The maximum number of nodes of a model that is checked: larger ones take seconds."""

MAX_ROWS, MAX_ENDS, MAX_FINDINGS = 300, 100, 100


def report_data(source: ModelSource, numbers: Numbers) -> dict[str, Any]:
    """Return the summary of a model. `numbers` are those of the nodes on the page, by function and name.

    text        the report of `summarize`; of a damaged model, the error, and nothing else
    facts       pairs of what and a text
    inputs      rows of name, tensor, dtype, shape, reason, whether it is likely, and node; `outputs` likewise
    ops         rows of op, needed nodes, all nodes, parameters, FLOPs (None without a rule), and nodes without shapes
    flops       pairs of a node and its FLOPs, the largest first
    findings    rows of level, kind, sentence, and node
    commands    lines for a shell

    No path of a file is in it.
    """
    hide = _without_paths(source)
    try:
        summary = summarize(source)
        text = summary.to_text()
    except (Error, TypeError) as error:
        return {"text": hide(str(error))}
    number = _numbering(numbers)
    costs = sorted(flops_of_nodes(source), key=lambda row: -row[2])
    located = ((number(function, name), count) for function, name, count in costs)
    findings, note = _findings(source, number)
    return {
        "text": hide(text),
        "facts": [[label, cut(hide(value))] for label, value in _facts(summary) if value],
        "inputs": _ends(summary.inputs, number),
        "outputs": _ends(summary.outputs, number),
        "ops": [
            [cut(row.op), row.nodes, row.all_nodes, row.parameters, row.flops, row.unshaped] for row in summary.ops
        ],
        "flops": [*islice(([node, count] for node, count in located if node is not None), MAX_ROWS)],
        "findings": [[row[0], row[1], cut(hide(row[2]), 2000), row[3]] for row in findings],
        "unchecked": note,
        "commands": [cut(hide(command), 2000) for command in _commands(source, summary)],
    }


def _without_paths(source: ModelSource) -> Callable[[str], str]:
    """Return a function that puts titles in place of paths in a text."""
    paths = [(source.name, title_of(source)), (source.prefix, os.path.basename(source.prefix))]

    def hide(text: str) -> str:
        for path, shown in paths:
            text = text.replace(quote(path), quote(shown)).replace(path, shown) if path else text  # as in commands
        return text

    return hide


def _numbering(numbers: Numbers) -> Callable[[str, str], int | None]:
    return lambda function, name: numbers.get(function, {}).get(name)


def _facts(summary: Summary) -> Iterable[tuple[str, str]]:
    """Yield what a model is, in a few words each."""
    is_meta = summary.what != "GraphDef"
    yield "kind", summary.what + (f", tags {', '.join(summary.tags) or '(none)'}" if is_meta else "")
    yield "other MetaGraphs", "; ".join(", ".join(tags) or "(no tags)" for tags in summary.other_tags)
    yield "written by", f"TensorFlow {summary.written_by}" if summary.written_by else ""
    because = f", for {list_names(summary.needs.because)}" if summary.needs.because else ""
    yield "runs in", f"TensorFlow {summary.needs.release} or later{because}"
    yield "runs on NumPy", _runs(summary)
    yield "signatures", list_names([signature.name for signature in summary.signatures]) if summary.signatures else ""
    inside = f", and {summary.function_nodes:,} in {len(summary.functions):,} functions" if summary.functions else ""
    needed = f"; {summary.needed_nodes:,} compute the outputs" if summary.output_names else ""
    yield "nodes", f"{summary.nodes:,}{inside}{needed}"
    yield "parameters", f"{summary.parameters:,} ({summary.parameter_bytes:,} bytes)" if summary.parameters else ""
    unshaped = f", without {summary.unshaped:,} nodes of unknown shapes" if summary.unshaped else ""
    batch = f" at batch {summary.flops_batch}" if summary.flops_batch is not None else ""
    yield "FLOPs", f"{summary.flops:,}{batch}{unshaped}" if summary.flops or summary.unshaped else ""
    yield "checkpoint", summary.checkpoint
    yield "missing weights", summary.missing_weights
    yield "zero weights", summary.zero_weights
    yield "control flow", list_names([*summary.control_flow.loops, *summary.control_flow.functional])


def _runs(summary: Summary) -> str:
    """Return whether `tfmodel run` can run the model."""
    if summary.no_kernel is None:
        return ""
    if summary.no_kernel:
        return f"no: there is no kernel for {list_names([use.op for use in summary.no_kernel])}"
    return "yes, with tfmodel run" if summary.output_names else ""


def _ends(ends: Sequence[Any], number: Callable[[str, str], int | None]) -> list[list[Any]]:
    rows = []
    for end in ends[:MAX_ENDS]:
        shape = None if end.shape is None else [None if size is None else size for size in end.shape]
        reason = end.reason + (f"; {end.binding} in a deployed model" if end.binding else "")
        rows.append([cut(end.name), end.dtype, shape, cut(reason), end.is_likely, number("", node_name(end.tensor))])
    return rows


def _findings(
    source: ModelSource, number: Callable[[str, str], int | None]
) -> tuple[list[tuple[str, str, str, int | None]], str]:
    """Return the findings of `check`, and why there are none; "" if they are all there."""
    library = source.graph.library
    count = len(source.graph.node) + sum(len(item.node_def) for item in (library.function if library else ()))
    if count > MAX_CHECKED:
        return [], f"models of more than {MAX_CHECKED:,} nodes are not checked here"
    try:
        found = check(source)
    except Error as error:
        return [], f"the check failed: {error}"
    more = len(found) - MAX_FINDINGS
    rows = [(row.level, row.kind, row.sentence, number(row.function, row.node)) for row in found[:MAX_FINDINGS]]
    return rows, f"and {more:,} more" if more > 0 else ""


def _commands(source: ModelSource, summary: Summary) -> Iterable[str]:
    lines = [line.strip() for line in suggested_commands(summary) if line.startswith("  ")]
    yield from (line for line in lines if "tfmodel" in line)
    if source.name:
        yield f"tfmodel check {quote(source.name)}"
        yield f"tfmodel weights {quote(source.name)} -o weights.npz"
