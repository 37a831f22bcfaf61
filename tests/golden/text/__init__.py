"""Golden verdicts of protobuf on tricky texts, and pbwire's where the text-format specification differs.

    cases()      the cases of answers.jsonl, which `python -m tests.golden.text` makes

Each line of that file is one case:

    family, class, options    its place in the tables; the option `types` holds the known types of an Any
    text, or hex              the input: a str, or bytes in hexadecimal
    google                    the message, as deterministic bytes in hexadecimal, or "refused"
    ours, because             pbwire's result where it differs, and the reason
    partial                   required fields are missing: the message cannot be written, only compared
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FILE", "REFUSED", "Case", "cases"]

FILE = Path(__file__).parent / "answers.jsonl"
REFUSED = "refused"


class Case(NamedTuple):
    """A text, and the message that it is, in hexadecimal, for protobuf and for us."""

    family: str
    cls: str
    options: Mapping[str, Any]
    text: str | bytes
    google: str
    ours: str
    because: str
    partial: bool


def _case(line: Mapping[str, Any]) -> Case:
    text = bytes.fromhex(line["hex"]) if "hex" in line else line["text"]
    ours = line.get("ours", line["google"])
    options = line.get("options", {})
    return Case(
        line["family"], line["class"], options, text, line["google"], ours, line.get("because", ""), "partial" in line
    )


def cases() -> list[Case]:
    """Every case of answers.jsonl."""
    with FILE.open() as file:
        return [_case(json.loads(line)) for line in file]
