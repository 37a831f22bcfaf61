"""Handmade JSON documents, valid and invalid: one table for the test and for the golden script.

    CASES    Case(class, document, ignore): `ignore` skips unknown fields
    DIFFERS  the cases with a verdict other than that of Google's Python: the reason, and pbwire's verdict

Google's verdicts are in golden/json/answers.jsonl.
"""

from __future__ import annotations

from . import values, structure, special  # isort: skip  # this is the order of the golden file
from .table import CASES, DIFFERS, Case, Differs

__all__ = ["CASES", "DIFFERS", "Case", "Differs", "special", "structure", "values"]
