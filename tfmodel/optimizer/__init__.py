"""Optimize a saved model to one small graph that computes the same: freeze, transform and verify in one call.

    optimized = optimize("saved_model/")
    save(optimized.graph, "small.pb")
    print(optimized.report.to_text())

    chain.py         `optimize`: the steps from a model to a verified graph
    batch_norms.py   let batch norms of a training graph use their moving averages
    shaping.py       give inputs new shapes
    naming.py        name inputs and outputs after the keys of the signature
    report.py        the result of `optimize`; conversion to a SavedModel
    verification.py  run model and graph on NumPy, with the same feeds, and compare the outputs

The package imports freezing, transforms, compare, analysis and packages below them. `tfmodel.optimize`, `Model` and the
command call it.
"""

from __future__ import annotations

from .chain import optimize
from .report import Optimized

__all__ = ["Optimized", "optimize"]
