"""Freezing: a graph whose variables have become constants, in one file, ready to be run or made smaller.

graph = freeze("saved_model/")                                  # its default signature
graph = freeze("model.ckpt-1000", "logits")                     # a .meta with its checkpoint
graph = freeze("graph.pbtxt", "logits", checkpoint="model.ckpt-1000")

steps.py        `freeze`, step by step
bodies.py       working copies of graphs and functions
library.py      the functions of a graph
inlining.py     calls become what is inside of functions
restoring.py    which tensor of the checkpoint belongs to which variable, by the nodes that restore it
captured.py     the same, by the objects of a TF2 model
tracing.py      where variables go in a graph
versions.py     what a variable holds at a node, if it changes meanwhile
conversion.py   whatever takes a variable takes its value
functions.py    the same inside of branches, loops and calls
values.py       constants
"""

from __future__ import annotations

from .pipeline import freeze

__all__ = ["freeze"]
