"""What is this model? What goes in and comes out, what it consists of, what it takes to run it.

    report = summarize("saved_model/", batch_size=1)
    print(report.to_text())
    report.output_names, report.parameters, report.flops

This replaces two of TensorFlow's tools, neither of which is in its packages any more: the C++ `summarize_graph`, whose
lines `compat_lines` gives, and the Python `graph_metrics`. Both are made after a description of what they did, not
after their output: see `compat.py` for what differs.

    summarizing.py   `summarize`: from a model to its report
    report.py        `Summary`, the report
    facts.py         what it is made of
    text.py          the report as a page
    signatures.py    the ways to call a model, which it tells itself
    endpoints.py     likely inputs and outputs, where it does not
    losses.py        what a loss compares with the truth
    aside.py         what saves, initialises, trains and checks a model
    op_kinds.py      tables of ops for these three
    counting.py      ops, parameters, bytes, devices, functions, control flow
    flops.py         the work of nodes, a table by op
    work.py          the rules in that table
    supported.py     the list of ops that a runtime has
    compat.py        the lines of `summarize_graph`
"""

from __future__ import annotations

from .analysis import summarize
from .report import Summary
from .summarize_graph import compat_lines, structure_lines
from .supported_ops import supported_ops

__all__ = ["Summary", "compat_lines", "structure_lines", "summarize", "supported_ops"]
