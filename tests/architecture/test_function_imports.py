"""Imports inside functions: few, and each at a door or with its reason.

A door is a module that leads to many others, of which a call needs few: `Model`, the commands, the faces of packages.
Everywhere else, an import stands at the top unless a measured start-up, an optional dependency or a circle needs it
inside, which a comment says. Doors reach public functions by their names in `tfmodel`, which imports them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.architecture.source import modules

LIMIT = 160
"""The number of import statements in functions of pbwire and tfmodel together."""

_INDENTED = re.compile(r"^ +(?:import|from) ", re.M)
_NOQA = re.compile(r"noqa: \w+")

DOORS = ("pbwire.commands", "tfmodel.model", "tfmodel.model_editing", "tfmodel.cli")


class FunctionImport(NamedTuple):
    """An import statement in a function. `reason` is the comment on its lines, or on the line above."""

    module: str
    line: int
    reason: str


def function_imports(module: str) -> Iterator[FunctionImport]:
    text = modules("pbwire", "tfmodel")[module].read_text(encoding="utf-8")
    if not _INDENTED.search(text):
        return
    lines = text.splitlines()
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found = {
        node.lineno: node.end_lineno or node.lineno
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    for first, last in sorted(found.items()):
        above = lines[first - 2].strip()
        comments = [line.partition("#")[2] for line in lines[first - 1 : last]]
        comments += [above] if above.startswith("#") else []
        yield FunctionImport(module, first, _NOQA.sub("", " ".join(comments)).strip("# "))


def is_door(module: str) -> bool:
    is_face = modules("pbwire", "tfmodel")[module].name == "__init__.py"
    return is_face or any(f"{module}.".startswith(f"{door}.") for door in DOORS)


def test_few_imports_stand_in_functions() -> None:
    found = [statement for module in modules("pbwire", "tfmodel") for statement in function_imports(module)]
    assert len(found) <= LIMIT, "import at the top, or move the code that needs an import into a module of its own"


def test_each_import_in_a_function_is_at_a_door_or_has_its_reason() -> None:
    unexplained = [
        f"{statement.module}, line {statement.line}"
        for module in modules("pbwire", "tfmodel")
        if not is_door(module)
        for statement in function_imports(module)
        if not statement.reason
    ]
    assert unexplained == []
