"""JSON documents that a reader has to judge, made by hand: one table, read by the test and by what asks protobuf.

    CASES    Case(class, document, ignore): `ignore` asks for unknown fields to be passed over
    DIFFERS  from cases to the reason why our verdict is not that of Google's Python, and what ours is

Google's verdicts stand in golden/json/answers.jsonl: see there.
"""

from __future__ import annotations

from . import values, structure, special  # isort: skip  # this is the order of the golden file
from .table import CASES, DIFFERS, Case, Differs

__all__ = ["CASES", "DIFFERS", "Case", "Differs", "special", "structure", "values"]
