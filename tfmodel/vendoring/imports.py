"""Rewriting how our packages import each other, so that a copy of them works wherever it is put.

In a checkout, a wheel and a .pyz `pbwire` and `tfmodel` are top-level, and `tfmodel/cli/dump.py` says

    from pbwire.errors import DecodeError

In a copy they stand beside each other in a folder of somebody's package, and there it says

    from ...pbwire.errors import DecodeError

which means the right one under any name that the folder has, and beside any other version in the same process.

Python's own parser finds the statements, so that what looks like one in a string or a docstring is left alone.

Under which name a folder is imported.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator
from keyword import iskeyword

from .parts import IMPORTS

__all__ = ["NAMES", "absolute", "import_line", "is_package_name", "package_of", "relative"]


NAMES = ("pbwire", "tfmodel")
"""Our top-level packages."""

_FROM = re.compile(rf"from[ \t]+(\.*)(?={'|'.join(NAMES)})".encode())
_UP = re.compile(rb"from[ \t]+\.+[ \t]+(?=import\b)")

# Where a line is to be changed, which bytes of it go, and which come in their place.
_Edit = tuple[int, int, int, bytes]


def relative(path: str, source: bytes) -> bytes:
    """The source of the module at `path` ("tfmodel/cli/dump.py"), with relative imports of our packages.

    Raises ValueError for an import that cannot be written so: `import pbwire.text`, which also binds `pbwire`.
    """
    up = b"." * (path.count("/") + 1)

    def edit(node: ast.Import | ast.ImportFrom, line: bytes) -> _Edit | None:
        at = node.col_offset
        if isinstance(node, ast.Import):
            if not any(_is_ours(alias.name) for alias in node.names):
                return None
            if len(node.names) > 1 or "." in node.names[0].name:
                raise ValueError(f"{path}:{node.lineno}: write this as `from package import module`")
            return node.lineno, at, at, b"from " + up + b" "
        if node.level or not _is_ours(node.module or ""):
            return None
        dots = _matched(_FROM, line, at, path, node).end()
        return node.lineno, dots, dots, up

    return _edited(source, edit)


def absolute(path: str, source: bytes) -> bytes:
    """The reverse of `relative`: the source as it is where our packages are top-level."""
    top = path.count("/") + 1

    def edit(node: ast.Import | ast.ImportFrom, line: bytes) -> _Edit | None:
        at = node.col_offset
        if isinstance(node, ast.Import) or node.level != top:
            return None
        if node.module is None:
            return node.lineno, at, _matched(_UP, line, at, path, node).end(), b""
        dots = _matched(_FROM, line, at, path, node)
        return node.lineno, dots.start(1), dots.end(1), b""

    return _edited(source, edit)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in NAMES


def _matched(pattern: re.Pattern[bytes], line: bytes, at: int, path: str, node: ast.stmt) -> re.Match[bytes]:
    match = pattern.match(line, at)
    if match is None:
        raise ValueError(f"{path}:{node.lineno}: write this import on one line")
    return match


def _edited(source: bytes, edit: Callable[[ast.Import | ast.ImportFrom, bytes], _Edit | None]) -> bytes:
    if not any(name.encode() in source for name in NAMES):
        return source  # which saves the time to parse it
    lines = source.splitlines(keepends=True)
    edits = [found for node in _imports(ast.parse(source)) if (found := edit(node, lines[node.lineno - 1]))]
    for number, start, end, new in sorted(edits, reverse=True):  # the last of a line first, so that the others stay
        line = lines[number - 1]
        lines[number - 1] = line[:start] + new + line[end:]
    return b"".join(lines)


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements of a module, wherever they stand."""
    pending: list[ast.AST] = [tree]
    while pending:
        for node in ast.iter_child_nodes(pending.pop()):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield node
            elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):  # what may have statements in it
                pending.append(node)


_SOURCES = "src"  # the folder in which many projects have their packages


def import_line(package: str, parts: tuple[str, ...]) -> str:
    """The line that imports a copy of those parts."""
    below, name = IMPORTS[parts[-1]]
    return f"from {package}{below} import {name}"


def is_package_name(name: str) -> bool:
    """Is this a name that can be imported, such as "app._vendor"?"""
    return all(part.isidentifier() and not iskeyword(part) for part in name.split("."))


def package_of(folder: str) -> tuple[str, str]:
    """What a folder is called when it is imported, and the folder that has to be on sys.path for that.

    The packages around it count, as far as they have an __init__.py; or else the folders from the current one on. The
    name may be none that can be imported; if a folder's name has a dot it is the path, "./app/v1.2".
    """
    path, here = os.path.realpath(folder), os.path.realpath(os.curdir)
    root = os.path.dirname(path)
    while os.path.isfile(os.path.join(root, "__init__.py")) and os.path.dirname(root) != root:
        root = os.path.dirname(root)
    inside = path.startswith(os.path.join(here, ""))
    if root == os.path.dirname(path) and inside:
        root = here
        if os.path.relpath(path, here).startswith(_SOURCES + os.sep):
            root = os.path.join(here, _SOURCES)
    below = os.path.relpath(path, root)
    if "." in below:
        return os.path.join(os.curdir, below), root
    return below.replace(os.sep, "."), root
