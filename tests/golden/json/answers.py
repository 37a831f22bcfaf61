"""Record the verdicts of the newest protobuf on the documents of tests/pbwire/json/cases: answers.jsonl.

    python -m tests.golden.json.answers

Each line is one case, in the order of that module:

    type        the message type that the document is parsed as
    document    the JSON
    ignore      true to ignore unknown fields
    protobuf    the deterministic bytes of the message, in hexadecimal, or "refused"
    ours, why   where pbwire judges otherwise: its bytes or "refused", and the reason

upb orders the entries of maps in its own way, so its results are reordered to match pbwire's order.
"""

from __future__ import annotations

import json
from pathlib import Path

from pbwire.codec.buffers import encode_message
from pbwire.table import Message, table_of
from tests.pbwire.json.cases import CASES, DIFFERS
from tests.support.newest_protobuf import Ask, Refused, newest

__all__ = ["FILE", "rows", "verdict"]

FILE = Path(__file__).with_name("answers.jsonl")
DEEP = 1000  # levels of nesting: more than any case has


def verdict(message: Message | None) -> str:
    """A message as a verdict; required fields may be missing."""
    if message is None:
        return "refused"

    return b"".join(encode_message(message, True, partial=True)).hex()


def rows() -> list[dict[str, object]]:
    questions = [
        Ask(table_of(case.cls).full_name, case.document, "parse", {"ignore_unknown_fields": case.ignore})
        for case in CASES
    ]
    answered: list[dict[str, object]] = []
    for case, answer in zip(CASES, newest(questions), strict=True):
        theirs = None if isinstance(answer, Refused) else case.cls.from_bytes(answer, max_depth=DEEP)
        row: dict[str, object] = {"type": table_of(case.cls).full_name, "document": case.document}
        row |= {"ignore": True} if case.ignore else {}
        row["protobuf"] = verdict(theirs)
        if case in DIFFERS:
            row |= {"ours": verdict(DIFFERS[case].ours), "why": DIFFERS[case].why}
        answered.append(row)
    return answered


if __name__ == "__main__":
    FILE.write_text("".join(json.dumps(row) + "\n" for row in rows()))
