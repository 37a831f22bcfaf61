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

These modules compare models:

    verification.py         `verify`: whether two models compute the same outputs
    graph_verification.py   `Verification`: whether changed graphs compute the same as the first one
    model_pair.py           open two models, match them, and make random inputs for both
    correspondence.py       match the inputs and outputs of two models
    matching_rules.py       the rules that match a tensor of one model with one of the other
    built_in_batch.py       find the batch size that a graph has built in
    comparison.py           compare two tensors; tolerances
"""

from __future__ import annotations

from .graph_verification import Verification
from .session import Session, run
from .verification import verify

__all__ = ["Session", "Verification", "run", "verify"]
