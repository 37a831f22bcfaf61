"""The modules of the packages, their imports and their sizes, read from the source without importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["ROOT", "Import", "imports", "logic_lines", "modules", "trees"]

ROOT = Path(__file__).resolve().parents[2]


class Import(NamedTuple):
    """An import of one module by another."""

    importer: str
    imported: str
    line: int
    in_function: bool


@cache
def modules(*packages: str) -> dict[str, Path]:
    """Return the modules of packages, by their dotted names. The schema is a package of its own, tfmodel._schema."""
    paths = (path for package in packages for path in sorted((ROOT / package).rglob("*.py")))
    return {_name(path): path for path in paths if not path.is_relative_to(ROOT / "tfmodel" / "_schema")}


def trees(*words: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the name and the syntax of the modules of tfmodel whose source has one of the words: not all are parsed."""
    for name, path in modules("tfmodel").items():
        source = path.read_text(encoding="utf-8")
        if any(word in source for word in words):
            yield name, ast.parse(source)


@cache
def imports(name: str) -> tuple[Import, ...]:
    """Return the imports of a module at run time, those inside functions included, and not those for type checkers."""
    return tuple(_imports(name))


def _imports(name: str) -> Iterator[Import]:
    path = _all_modules()[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node, in_function in _import_nodes(ast.parse(path.read_text(encoding="utf-8")), False):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(name, _module_of(alias.name), node.lineno, in_function)
            continue
        base = package[: len(package) - node.level + 1] if node.level else []
        source = ".".join([*base, *([node.module] if node.module else [])])
        for alias in node.names:
            yield Import(name, _module_of(f"{source}.{alias.name}"), node.lineno, in_function)


def logic_lines(path: Path) -> int:
    """Return the number of lines of a module that hold code: no blank lines, comments or docstrings."""
    source = path.read_text(encoding="utf-8")
    lines = {number for number, line in enumerate(source.splitlines(), 1) if line.strip() and line.strip()[0] != "#"}
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


@cache
def _all_modules() -> dict[str, Path]:
    return modules("pbwire", "tfmodel")


def _name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _module_of(target: str) -> str:
    """Return the module that `import target` or `from ... import name` loads: the longest prefix that is one."""
    parts = target.split(".")
    while len(parts) > 1 and ".".join(parts) not in _all_modules():
        parts.pop()
    return ".".join(parts)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Return the statements inside a module or statement at any depth; expressions, most of a tree, hold none."""
    for child in _inner_statements(node):
        if isinstance(child, ast.stmt):
            yield child
        yield from _statements(child)


def _inner_statements(node: ast.AST) -> Iterator[ast.AST]:
    """Return the statements, exception handlers and cases directly inside a node."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        children = getattr(node, name, ())
        yield from children if isinstance(children, list) else ()  # the body of a lambda is an expression


def _import_nodes(node: ast.AST, in_function: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    for child in _inner_statements(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, in_function
        elif isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for other in child.orelse:
                yield from _import_nodes(other, in_function)
        else:
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _import_nodes(child, in_function or is_function)
