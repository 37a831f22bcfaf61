"""Describe a model: its inputs and outputs, its ops, parameters and FLOPs: the report of `summarize`.

    report = summarize("saved_model/", batch_size=1)
    print(report.to_text())
    report.output_names, report.parameters, report.flops

It replaces two tools that TensorFlow's packages no longer contain: the C++ `summarize_graph`, whose output
`compat_lines` prints, and the Python `graph_metrics`. Both are written from descriptions of these tools and were never
compared with their output: `summarize_graph.py` lists the known differences.

    analysis.py          `summarize`: build the report of a model
    report.py            `Summary` and its records
    text.py              the report as text
    statistics.py        numbers of ops, parameters, bytes, devices, functions, control flow
    summarize_graph.py   the output of `summarize_graph`

It imports `analysis`, `parameters` and packages below them; `cli`, `model` and `optimizer` call it. No weights are
read.
"""

from __future__ import annotations

from ..op_support import load_supported_ops
from .analysis import flops_of_nodes, summarize
from .report import Summary
from .summarize_graph import compat_lines, structure_lines
from .text import suggested_commands

__all__ = [
    "Summary",
    "compat_lines",
    "flops_of_nodes",
    "load_supported_ops",
    "structure_lines",
    "suggested_commands",
    "summarize",
]
