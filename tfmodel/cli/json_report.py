"""The option --json of commands that write files: a report of what was read, done and written, on standard output.

`reports.md` documents the keys. Messages go to standard error as without --json, and are in the report too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from ..values.report import report_json
from .messages import UsageError, said
from .parser import Parser


def add_json(parser: Parser) -> None:
    parser.add_flag("--json", help="print what was done as JSON")


def check_json(args: Any, target: str | None) -> None:
    """Raise UsageError if the report and the output would both go to standard output."""
    if args.json and target == "-":
        raise UsageError("--json and the output cannot both go to standard output: name a file with -o")


def print_report(read: Iterable[str], written: Iterable[str], facts: Mapping[str, Any]) -> None:
    """Print the report of a command that is done: the paths that it has read and written, and other facts."""
    files = [{"path": path, "bytes": os.path.getsize(path)} for target in written for path in _files(target)]
    messages = said()
    document = {
        "read": list(read),
        "written": files,
        **facts,
        "notes": [text for text, style in messages if style is None],
        "warnings": [text for text, style in messages if style == "warning"],
    }
    sys.stdout.write(f"{report_json(document)}\n")


def _files(target: str) -> list[str]:
    """Return the path of a file, or those of all files in a folder."""
    if not os.path.isdir(target):
        return [target]
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(target) for name in names)
