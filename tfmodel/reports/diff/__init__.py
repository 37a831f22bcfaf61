"""Compare two models node by node and attribute by attribute: the report of `diff`.

    report = diff("before.pb", "after.pb")
    report.same
    print(report.to_text())

Two nodes are the same if they have the same op, device, inputs (`n` and `n:0` are equal), control inputs (in any
order) and attributes. Tensors are compared by their elements, however they are stored. This is the rule of TensorFlow's
own compare_graphs, so attributes that begin with `_`, versions and the order of nodes count only on request. Functions
count, and so do the signatures, tags and collections of MetaGraphs. Two rules are less strict than TensorFlow's: a
repeated control input counts once, and tensors in a list are compared by their elements too.

Encodings are compared first, so unchanged weights are never decoded.

    compare.py    `diff`: compare two models, their function libraries and MetaGraphs
    nodes.py      the nodes of two graphs or functions; detection of renamed nodes
    values.py     two attributes, two tensors
    elements.py   the elements of two tensors
    report.py     `DiffReport`: text and JSON; `Change`, and the rules that decide which differences count

It imports `source`, `graph`, `ops.traits`, `files` and `values`; `cli` and `model` call it. NumPy is
imported only where tensors differ.
"""

from __future__ import annotations

from .compare import diff
from .report import BodyReport, Change, DiffReport, FunctionReport, NodeReport, Rules
from .values import TensorDifference

__all__ = [
    "BodyReport",
    "Change",
    "DiffReport",
    "FunctionReport",
    "NodeReport",
    "Rules",
    "TensorDifference",
    "diff",
]
