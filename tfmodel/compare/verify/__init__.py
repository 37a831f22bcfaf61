"""Run two models on the same inputs, and compare what they compute.

    verification.py         `verify`: whether two models compute the same outputs
    graph_verification.py   `Verification`: whether changed graphs compute the same as the first one
    model_pair.py           open two models, match them, and make random inputs for both
    correspondence.py       match the inputs and outputs of two models
    matching_rules.py       the rules that match a tensor of one model with one of the other
    built_in_batch.py       find the batch size that a graph has built in
    comparison.py           compare two tensors; tolerances

The package imports the interpreter, `parameters`, `analysis` and packages below them. `tfmodel.verify`, `Model`,
transforms with `verify=` and `optimize` call it.
"""

from __future__ import annotations

from .graph_verification import Verification
from .verification import verify

__all__ = ["Verification", "verify"]
