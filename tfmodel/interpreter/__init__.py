"""The interpreter: run graphs on NumPy, and compare the outputs of two models.

    run("frozen.pb", {"x": array}, ["y:0"])
    run("saved_model/", {"x": array})                # all outputs of its signature, by their keys

The package imports `ops`, `shapes`, `freezing` and `parameters`, and, to find outputs, `inspection`. `tfmodel.run`,
`verify`, `Model`, transforms with `verify=`, constant folding and `optimize` call it.

    session.py          `Session`: a model with its variables, tables and functions; `run`
    plan.py             the steps that compute some tensors from others
    executor.py         run the steps: loops, conditionals, dead tensors
    feeds.py            convert feeds to arrays, and make random ones
    feed_sources.py     feeds whose values depend on the fed tensor: expressions and pictures
    record_feeds.py     feeds from TFRecord files: serialized examples, or one of their features
    profiling.py        observers, times of nodes, traces
    verification.py     `verify`: whether two models compute the same outputs
    correspondence.py   match the inputs and outputs of two models
    comparison.py       compare two tensors; tolerances
"""

from __future__ import annotations

from .session import Session, run
from .verification import Verification, verify

__all__ = ["Session", "Verification", "run", "verify"]
