"""Texts to parse, the same for all contenders: as printers write them, on one line, and as people do.

Free form is what a printer writes with comments, spacing of all kinds and two fields on a line: it still
is one field after another, but hardly a line that comes twice.
"""

from __future__ import annotations

import random
from pathlib import Path

from pbwire import text
from tfmodel.messages import TYPES

__all__ = ["FORMS", "spelled"]

FORMS = ("as printed", "one line", "free form")


def spelled(full_name: str, file: Path, form: str) -> str:
    """The message of a file as text in one of the forms."""
    message = TYPES[full_name].from_bytes(file.read_bytes())
    printed = text.dumps(message, types=TYPES, as_one_line=form == "one line")
    return free_form(printed) if form == "free form" else printed


def free_form(printed: str) -> str:
    chance = random.Random(1)
    parts = []
    for line in printed.splitlines():
        content = line.strip()
        name, space, value = content.partition(" ")
        if space and chance.random() < 0.5:  # around what stands between name and value, which is ":" or nothing
            content = name.replace(":", chance.choice([":", " :", ":   "])) + chance.choice(["", " ", "\n"]) + value
        comment = "# a comment\n" * (chance.random() < 0.05)
        parts.append(comment + " " * chance.randrange(9) + content + chance.choice(["\n", "  \n", " ", " # note\n"]))
    return "".join(parts)
