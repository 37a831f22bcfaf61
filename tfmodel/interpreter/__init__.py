"""The interpreter: run graphs on NumPy.

    run("frozen.pb", {"x": array}, ["y:0"])
    run("saved_model/", {"x": array})                # all outputs of its signature, by their keys

    session.py          `Session`: a model with its variables, tables and functions; `run`
    initializers.py     the nodes that run before others: initializers, and what fills tables
    saved_values.py     the values of variables in the checkpoint
    readable_files.py   the files that a model may read
    plan.py             the steps that compute some tensors from others
    executor.py         run the steps: loops, conditionals, dead tensors
    feeds.py            convert feeds to arrays, and make random ones
    feed_sources.py     feeds whose values depend on the fed tensor: expressions and pictures
    record_feeds.py     feeds from TFRecord files: serialized examples, or one of their features
    profiling.py        observers, times of nodes, traces

The package imports `kernels`, `analysis`, `files` and packages below them. `tfmodel.run`, `Model`, `compare`, constant
folding and `optimize` call it.
"""

from __future__ import annotations

from .session import Session, run

__all__ = ["Session", "run"]
