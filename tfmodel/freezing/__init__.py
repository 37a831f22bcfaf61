"""Freezing: turn the variables of a model into constants, so that one file holds the graph and its values.

    graph = freeze("saved_model/")                                  # its default signature
    graph = freeze("model.ckpt-1000", "logits")                     # a .meta with its checkpoint
    graph = freeze("graph.pbtxt", "logits", checkpoint="model.ckpt-1000")

The package imports `graph`, `ops`, `checkpoints` and packages below them. `tfmodel.freeze`, `Model` and `optimize` call
it. Sessions, transforms and reports of weights use it to find the values of variables and to bind tensors.

    pipeline.py               `freeze`, step by step, with the choice of outputs
    preparation.py            replace tensors by constants; inline the calls of functions
    repair.py                 repair graphs that were frozen with nodes that still need variables
    table_initializers.py     keep the nodes that fill lookup tables
    handle_tracing.py         follow the handles of variables through a graph
    variable_conversion.py    convert nodes that take variables to nodes that take values, also in functions
    checkpoint_keys.py        find the key of each variable in a checkpoint
    opencv.py                 the text beside a frozen graph that OpenCV reads
    dead_writes.py            detect writes that never run, since a bound predicate leads to another branch
    variable_values.py        read the values of variables, make constants, order the assignments in a graph
"""

from __future__ import annotations

from .pipeline import freeze

__all__ = ["freeze"]
