"""Find what a script needs of protobuf and TensorFlow that the tree lacks, without running it.

The scan follows imports of the script's own modules in its folder. It knows `import x.y as z`, `from x import y`, and
chains of attributes of names that are bound by imports: `tf.Session(...)`. What it cannot tell, it leaves to the run.
Imports in a `try` with an `except ImportError` are optional, and code in `if TYPE_CHECKING:` does not run.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass

from . import tree
from .importer import is_installed
from .refusals import hint_for

__all__ = ["Need", "scan"]

_MAX_FILES = 2_000
_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception"}


@dataclass(frozen=True)
class Need:
    """A name that the tree lacks, and where it is used."""

    file: str
    line: int
    name: str

    def __str__(self) -> str:
        hint = hint_for(self.name)
        return f"{self.file}:{self.line}: {self.name}{f': {hint}' if hint else ''}"


def scan(script: str) -> list[Need]:
    """Return what a script and its own modules need that the tree lacks, by file and line.

    Raises OSError and SyntaxError for the script itself; its modules are skipped if they cannot be read.
    """
    folder = os.path.dirname(os.path.abspath(script))
    needs: list[Need] = []
    pending, seen = [script], {os.path.abspath(script)}
    while pending and len(seen) < _MAX_FILES:
        path = pending.pop(0)
        try:
            with open(path, "rb") as file:
                module = ast.parse(file.read(), path)
        except (OSError, SyntaxError, ValueError):
            if path == script:
                raise
            continue
        visitor = _Visitor(path)
        visitor.visit(module)
        needs += visitor.needs
        for name in visitor.imported:
            for found in _own_files(folder, os.path.dirname(path), name):
                if os.path.abspath(found) not in seen:
                    seen.add(os.path.abspath(found))
                    pending.append(found)
    return needs


def _own_files(*folders_and_name: str) -> Iterator[str]:
    *folders, name = folders_and_name
    for folder in dict.fromkeys(folders):
        base = os.path.join(folder, *name.split("."))
        for path in (f"{base}.py", os.path.join(base, "__init__.py")):
            if os.path.isfile(path):
                yield path


class _Visitor(ast.NodeVisitor):
    """Collects the needs of one file. `bound` maps names of the file to modules of the tree."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.needs: list[Need] = []
        self.imported: list[str] = []
        self.bound: dict[str, str] = {}

    def _need(self, node: ast.AST, name: str) -> None:
        need = Need(self.file, getattr(node, "lineno", 0), name)
        if all(other.name != name for other in self.needs):
            self.needs.append(need)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if not _is_of_tree(alias.name):
                self.imported.append(alias.name)
                continue
            if tree.kind_of(alias.name) is None:
                if not is_installed(alias.name):
                    self._need(node, alias.name)
                continue
            name = alias.asname or alias.name.partition(".")[0]
            self.bound[name] = alias.name if alias.asname else name

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level or not _is_of_tree(module):
            self.imported += [module, *(f"{module}.{alias.name}".strip(".") for alias in node.names)]
            return
        if tree.kind_of(module) is None:
            if not is_installed(module):
                self._need(node, module)
            return
        for alias in node.names:
            full_name = f"{module}.{alias.name}"
            if tree.kind_of(full_name) is not None:
                self.bound[alias.asname or alias.name] = full_name
            elif alias.name != "*" and not is_installed(full_name) and not tree.has_name(module, alias.name):
                self._need(node, full_name)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain: list[str] = []
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            chain.insert(0, root.attr)
            root = root.value
        if not isinstance(root, ast.Name) or root.id not in self.bound or not isinstance(node.ctx, ast.Load):
            self.generic_visit(node)
            return
        module = self.bound[root.id]
        for attribute in chain:
            full_name = f"{module}.{attribute}"
            if tree.kind_of(full_name) is None:
                if not tree.has_name(module, attribute):
                    self._need(node, full_name)
                return
            module = full_name

    def visit_Try(self, node: ast.Try) -> None:
        names = {name.id for handler in node.handlers for name in ast.walk(handler) if isinstance(name, ast.Name)}
        is_optional = any(handler.type is None for handler in node.handlers) or names & _IMPORT_ERRORS
        count = len(self.needs)
        for statement in node.body:
            self.visit(statement)
        if is_optional:
            del self.needs[count:]
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    def visit_If(self, node: ast.If) -> None:
        is_typing = any(name in ast.dump(node.test) for name in ("'TYPE_CHECKING'",))
        for statement in node.orelse if is_typing else [node.test, *node.body, *node.orelse]:
            self.visit(statement)


def _is_of_tree(module: str) -> bool:
    root, _, rest = module.partition(".")
    if root == "google":
        return rest == "protobuf" or rest.startswith("protobuf.")
    return root in ("tensorflow", "tensorboardX", "tsl", "xla") or module.startswith("tensorboard.compat")
