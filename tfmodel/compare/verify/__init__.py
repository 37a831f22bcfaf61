"""Run two models on the same inputs, and compare what they compute.

    verification.py         `verify`: whether two models compute the same outputs
    comparison.py           `Comparison`: the results of a reference, with which those of other graphs are compared
    changed_session.py      run a changed graph with the variables of the model that was changed
    shown_runs.py           the share of the kernels that have run, for progress displays
    differences.py          compare two tensors; tolerances
    report.py               `VerifyReport`
    model_pair.py           open two models, match them, and make random inputs for both
    correspondence.py       match the inputs and outputs of two models
    matching_rules.py       the rules that match a tensor of one model with one of the other
    built_in_batch.py       find the batch size that a graph has built in
    likely_feeds.py         shapes of open inputs that fit a graph, and limits of inputs that are indices
    batch_parts.py          run a model with a small batch on the feeds of a graph with a larger one

The package imports the interpreter, `parameters`, `analysis` and packages below them. `tfmodel.verify`, `Model`,
transforms with `verify=` and `optimize` call it.
"""

from __future__ import annotations

from .changed_session import UnknownValueError
from .comparison import Comparison, Verification
from .verification import verify

__all__ = ["Comparison", "UnknownValueError", "Verification", "verify"]
