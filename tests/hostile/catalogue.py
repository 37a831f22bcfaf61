"""The attacks of this folder, read from the docstrings of the tests."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Case", "cases", "resolve"]

_FOLDER = Path(__file__).parent
_LINES = re.compile(r"Attack: (?P<attack>.+?)\s+Naive: (?P<naive>.+?)\s+Stopped by: (?P<stopped>.+)", re.DOTALL)


class Case(NamedTuple):
    """A test. `attack`, `naive` and `stopped_by` are empty if its docstring has no such line."""

    file: str
    test: str
    attack: str
    naive: str
    stopped_by: list[str]


def cases() -> Iterator[Case]:
    """Return the tests of all files in which at least one test describes an attack."""
    for path in sorted(_FOLDER.glob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        of_file = [_case(path.name, node) for node in module.body if _is_test(node)]
        if any(case.stopped_by for case in of_file):
            yield from of_file


def resolve(name: str) -> Any:
    """Return the object that a dotted name after "Stopped by" names. Raises ImportError or AttributeError."""
    module, value = name, None
    attributes: list[str] = []
    while value is None:
        try:
            value = importlib.import_module(module)
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            if not module:
                raise
            attributes.insert(0, last)
    for attribute in attributes:
        value = getattr(value, attribute)
    return value


def _is_test(node: ast.stmt) -> bool:
    """Return whether a node is the test of an attack. Tests of valid input (`test_sound...`) are controls."""
    return (
        isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not node.name.startswith("test_sound")
    )


def _case(file: str, node: Any) -> Case:
    match = _LINES.fullmatch((ast.get_docstring(node) or "").strip())
    if match is None:
        return Case(file, node.name, "", "", [])
    attack, naive, stopped = (" ".join(match[name].split()).rstrip(".") for name in ("attack", "naive", "stopped"))
    return Case(file, node.name, attack, naive, [name.strip() for name in stopped.split(",")])
