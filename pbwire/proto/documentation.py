"""Read the documentation in a table module: docstrings and comments, so that a new version of the module keeps them."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from typing import Any


class Documentation:
    """The documentation of a table module.

    module     its docstring
    comments   docstrings of classes and comments of rows, by the full names of messages, enums, fields, values,
               extensions, services and methods
    """

    def __init__(self, module: str, comments: dict[str, str]) -> None:
        self.module = module
        self.comments = comments


def read_documentation(source: str) -> Documentation:
    """Return the documentation of a table module. Raises SyntaxError if `source` is not Python.

    The comment of a row is beside it, or in lines above it.
    """
    tree = ast.parse(source)
    comments = _Comments(source)
    found: dict[str, str] = {}
    for full_name, declaration in _declarations(tree):
        if text := ast.get_docstring(declaration):
            found[full_name] = text
        for name, row in _rows(declaration):
            if text := comments.of(row):
                found[f"{full_name}.{name}"] = text
    for full_name, declared in (*_extensions(tree), *_services(tree)):
        if text := comments.of(declared):
            found[full_name] = text
    return Documentation(ast.get_docstring(tree) or "", found)


def _declarations(scope: ast.AST) -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the messages and enums in a module or class, at any depth, with their full names."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.ClassDef):
            for decorator in node.decorator_list:
                match decorator:
                    case ast.Call(args=[ast.Constant(value=str(full_name))]):
                        yield full_name, node
            yield from _declarations(node)


def _rows(declaration: ast.ClassDef) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the rows of a message or an enum with their names in the .proto file."""
    renamed = _keyword(declaration.decorator_list[-1], "names")
    for node in declaration.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call):
                yield _keyword(call, "name") or name, node
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield (renamed or {}).get(name, name), node


def _extensions(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the declarations of extensions in a module, at any depth, with their full names."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                value=ast.Call(
                    func=ast.Subscript(value=ast.Attribute(attr="Extension")),
                    args=[ast.Constant(value=str(full_name)), *_],
                )
            ):
                yield full_name, node


def _services(tree: ast.Module) -> Iterator[tuple[str, ast.stmt | ast.expr]]:
    """Yield the declarations of services in a module and those of their methods, with their full names."""
    for node in tree.body:
        match node:
            case ast.Assign(
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id="services"), attr="Service"),
                    args=[ast.Constant(value=str(full_name)), *methods],
                )
            ):
                yield full_name, node
                for method in methods:
                    match method:
                        case ast.Call(args=[ast.Constant(value=str(name)), *_]):
                            yield f"{full_name}.{name}", method


def _keyword(call: ast.expr, name: str) -> Any:
    """Return the value of a keyword of a call, a string or a dict; None without it."""
    for keyword in call.keywords if isinstance(call, ast.Call) else []:
        if keyword.arg == name:
            return _literal(keyword.value)
    return None


def _literal(node: ast.expr | None) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Dict(keys=keys, values=values):
            return dict(zip(map(_literal, keys), map(_literal, values), strict=True))
    return None


class _Comments:
    """The comments of a source by line."""

    def __init__(self, source: str) -> None:
        self.beside: dict[int, str] = {}
        self.alone: dict[int, str] = {}
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                is_alone = not token.line[: token.start[1]].strip()
                (self.alone if is_alone else self.beside)[token.start[0]] = token.string[1:].removeprefix(" ")

    def of(self, row: ast.stmt | ast.expr) -> str:
        line = row.lineno - 1
        above: list[str] = []
        while line in self.alone:
            above.insert(0, self.alone[line])
            line -= 1
        beside = self.beside.get(row.end_lineno or row.lineno)
        return "\n".join([*above, *([beside] if beside is not None else [])])
