"""The stable interface: `python -m tests.public_surface` writes tests/data/public_surface.txt, which a test compares.

Lines name a parameter of a public function or method, an option of a command, or a key of a JSON report. Types,
defaults and texts are not in it.
"""

from __future__ import annotations

import inspect
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

import pbwire
import tfmodel
from tfmodel import cli
from tfmodel.cli.parser import Parser

__all__ = ["FILE", "surface"]

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tests" / "data" / "public_surface.txt"
MODEL, CHECKPOINT = "tests/data/trained/model", "tests/data/trained/model"
REPORTS = {
    "check": ["tests/data/unsafe.pbtxt"],
    "checkpoint": [CHECKPOINT],
    "diff": [MODEL, "tests/data/linear.pb"],
    "events": ["tests/data/logs"],
    "find": [MODEL, "op=MatMul"],
    "ops": [MODEL],
    "records": ["tests/data/examples.tfrecord"],
    "run": [MODEL, "--random"],
    "summarize": [MODEL],
    "transform": [MODEL, "--dry-run", "--transforms=remove_device"],
    "verify": [MODEL, MODEL],
    "weights": [MODEL],
}
"""The commands that print JSON, with arguments for one report that has most keys."""
BY_NAME = {"collections", "feeds", "outputs", "shapes", "renames", "types"}
"""Keys of objects whose own keys are names from the model."""


def surface() -> Iterator[str]:
    """Yield the lines of the list."""
    for owner, name in ((tfmodel, "tfmodel"), (tfmodel.Model, "tfmodel.Model"), (pbwire, "pbwire")):
        for member in sorted(entry for entry in dir(owner) if not entry.startswith("_")):
            value = inspect.getattr_static(owner, member, None) if isinstance(owner, type) else getattr(owner, member)
            yield f"{name}.{member}"
            yield from (f"{name}.{member}({parameter})" for parameter in _parameters(value))
    for command in sorted(cli.COMMANDS):
        for action in _parser(command)._actions:
            yield from (f"{command} {option}" for option in action.option_strings)
    for command, arguments in REPORTS.items():
        yield from (f"{command} --json: {key}" for key in sorted(set(_keys(_report(command, arguments)))))


def _parser(command: str) -> Parser:
    parser = Parser(prog=command)
    import_module(cli.COMMANDS[command][0], "tfmodel.cli").add_arguments(parser)
    return parser


def _parameters(value: Any) -> list[str]:
    if not callable(value) or (isinstance(value, type) and issubclass(value, (BaseException, Enum))):
        return []  # those of enumerations are of Python, whose versions have different ones
    return [name for name in inspect.signature(value).parameters if name != "self" and not name.startswith("_")]


def _report(command: str, arguments: list[str]) -> Any:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        cli.main([command, *arguments, "--json"])
    return json.loads(out.getvalue())


def _keys(value: Any, before: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            name = "*" if before.removesuffix(".").rpartition(".")[2] in BY_NAME else key
            yield before + name
            yield from _keys(inner, f"{before}{name}.")
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner, before)


if __name__ == "__main__":
    FILE.write_text("".join(f"{line}\n" for line in surface()), encoding="utf-8")
