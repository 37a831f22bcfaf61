"""Compare the values of two models tensor by tensor: the report of `compare_values`.

    report = compare_values("model.ckpt-1000", "model.ckpt-2000")
    for tensor in report:
        print(tensor.name, tensor.status, tensor.change, tensor.max_absolute)

Checkpoints are read in chunks, so that their size does not matter.

    compare.py           `compare_values`: compare two checkpoints, or the variables and constants of two models
    operands.py          the tensors of a model: those of its checkpoint, and the constants of its graph and functions
    matching.py          find the tensors that correspond to each other, by name or by content
    variable_names.py    the names of variables in a model, besides their keys
    report.py            `ValuesReport`: text and JSON

It imports `parameters`, `source`, `files`, `values` and packages below them; `cli` and `model` call it.
"""

from __future__ import annotations

from .compare import compare_values
from .report import TensorComparison, TensorFacts, ValuesReport

__all__ = ["TensorComparison", "TensorFacts", "ValuesReport", "compare_values"]
