"""Optimize a saved model to one small graph that computes the same: freeze, transform and verify in one call.

optimized = optimize("saved_model/")
save(optimized.graph, "small.pb")
print(optimized.report.to_text())

choosing.py      inputs and outputs: those that are named, those of the signature, or the likely ones
chain.py         `optimize`: choose, freeze, transform by a recipe, verify
outcome.py       what became of the model; as a SavedModel too
verifying.py     model and graph are run on NumPy, with the same feeds
"""

from __future__ import annotations

from .chain import optimize
from .report import Optimized

__all__ = ["Optimized", "optimize"]
