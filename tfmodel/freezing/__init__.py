"""Freezing: turn the variables of a model into constants, so that one file holds the graph and its values.

    graph = freeze("saved_model/")                                  # its default signature
    graph = freeze("model.ckpt-1000", "logits")                     # a .meta with its checkpoint
    graph = freeze("graph.pbtxt", "logits", checkpoint="model.ckpt-1000")

The package imports `analysis`, `source`, `files` and packages below them. `tfmodel.freeze`, `Model` and `optimize` call
it.

    pipeline.py               `freeze`, step by step; `analysis.choice` chooses its outputs
    repair.py                 repair graphs that were frozen with nodes that still need variables
    table_initializers.py     keep the nodes that fill lookup tables
    variable_conversion.py    convert nodes that take variables to nodes that take values, also in functions
    opencv.py                 the text beside a frozen graph that OpenCV reads
    dead_writes.py            detect writes that never run, since a bound predicate leads to another branch
"""

from __future__ import annotations

from .pipeline import freeze

__all__ = ["freeze"]
