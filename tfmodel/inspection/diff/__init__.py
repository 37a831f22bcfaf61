"""What changed from one model to another: node by node, attribute by attribute.

    report = diff("before.pb", "after.pb")
    report.same
    print(report.to_text())

Two nodes are the same if they have the same op, device, inputs (`n` and `n:0` are one), control inputs (in any order)
and attributes, tensors by what they hold and not by how it is stored. It is the equality of TensorFlow's own
compare_graphs, so attributes that begin with `_`, versions and the order of nodes do not count unless that is asked
for; but functions do, and of MetaGraphs the signatures, tags and collections. In two things it is less strict: a
control input that is there twice is there, and tensors in a list are compared by what they hold too.

What has equal bytes is equal: weights that did not change are never decoded. Modules:

    diffing.py        `diff`: what of two models is compared
    matching.py       the nodes of a graph or a function: which are new, gone, changed
    nodes.py          two nodes of one name
    values.py         two attributes
    tensors.py        two tensors: how many elements differ, and by how much
    functions.py      two function libraries
    surroundings.py   what is around the graphs: signatures, tags, collections, versions
    renaming.py       which new node is an old one with another name
    report.py         what was found, as text and as JSON
    changes.py        one thing that differs, and the rules by which it does
"""

from __future__ import annotations

from .changes import Change, Rules
from .compare import diff
from .report import BodyReport, DiffReport, FunctionReport, NodeReport
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
