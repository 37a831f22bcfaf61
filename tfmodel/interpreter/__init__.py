"""Running graphs on NumPy.

run("frozen.pb", {"x": array}, ["y:0"])
run("saved_model/", {"x": array})                # all outputs of its signature, by their keys

session.py     a model with its variables, tables and functions; `Session`
plan.py        which nodes have to run, and what goes where
executor.py    doing that: loops, conditionals, dead tensors
running.py     `run`
verifying.py   `verify`: whether two models compute the same
precision.py   how much outputs may differ because of rounding
fitting.py     values that are fed, as arrays of the right type and shape
feeding.py     values that are made up
tracing.py     what happened in a run
capability.py  which models can be run
"""

from __future__ import annotations

from .session import Session, run
from .verification import Verification, verify

__all__ = ["Session", "Verification", "run", "verify"]
