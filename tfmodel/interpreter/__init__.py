"""The interpreter: run graphs on NumPy, and compare what two models compute.

    run("frozen.pb", {"x": array}, ["y:0"])
    run("saved_model/", {"x": array})                # all outputs of its signature, by their keys

The package imports kernels and shape inference, and freezing's search for the values of variables. `tfmodel.run`,
`verify`, `Model`, transforms with `verify=`, constant folding and `optimize` call it.

    session.py          `Session`: a model with its variables, tables and functions; `run`
    plan.py             the steps that compute some tensors from others
    executor.py         run the steps: loops, conditionals, dead tensors
    feeds.py            convert feeds to arrays, and make random ones
    feed_sources.py     feeds that depend on their tensor: expressions and pictures
    memory_limit.py     estimate the memory of outputs before they are computed
    profiling.py        observers, times of nodes, traces
    verification.py     `verify`: whether two models compute the same
    correspondence.py   match the inputs and outputs of two models
    comparison.py       compare two tensors; tolerances
"""

from __future__ import annotations

from .session import Session, run
from .verification import Verification, verify

__all__ = ["Session", "Verification", "run", "verify"]
