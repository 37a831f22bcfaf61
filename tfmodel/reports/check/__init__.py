"""Check whether a model is sound and safe: the report of `check`.

    report = check("saved_model/")
    report.is_clean
    print(report.to_text())

    checker.py            `check`: all checks, one after the other
    report.py             `CheckReport` and `Finding`: text and JSON
    kinds.py              the kinds of findings, and the choice of some
    sarif.py              findings as SARIF, for services of code scanning
    structure.py          the graph: names, types, ops, attributes, constants, shapes
    metagraph.py          signatures, savers, collections, assets and objects
    values.py             the checkpoint
    safety.py             side effects of ops: files, connections, Python code
    foreign_ops.py        side effects of ops that TensorFlow 2.12 does not have
    loops.py              loops that never end
    endless_datasets.py   datasets without an end
    evaluation.py         values that follow from constants
    op_values.py          results of ops for single numbers
    intervals.py          intervals of values, and counters
    states.py             variables and tables that conditions read
    call_graph.py         functions that call each other, and what calls expand to
    tables.py             lookup tables that nothing fills
    path_origins.py       where the name of a file comes from
    entry_points.py       the signatures and functions that run a node
    keras.py              Python code in the metadata of Keras

It imports `analysis`, `parameters`, `source` and packages below them; `cli` and `model` call it.
"""

from __future__ import annotations

from .checker import check
from .kinds import Level
from .report import CheckReport, Finding

__all__ = ["CheckReport", "Finding", "Level", "check"]
