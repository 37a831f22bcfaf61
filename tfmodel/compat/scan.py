"""Find what a script needs of protobuf and TensorFlow that the tree lacks, without running it.

The scan follows imports of the script's own modules in its folder. It knows `import x.y as z`, `from x import y`, and
chains of attributes of names that are bound by imports: `tf.Session(...)`. What it cannot tell, it leaves to the run.
Imports in a `try` with an `except ImportError` are optional, and code in `if TYPE_CHECKING:` does not run.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from . import tree
from .importer import is_installed
from .refusals import hint_for

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
        except (RecursionError, MemoryError):  # nested so deeply that Python, if it can run the file, cannot parse it
            continue
        scanner = _Scanner(path)
        scanner.scan(module)
        needs += scanner.needs.values()
        for name in scanner.imported:
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


class _Scanner:
    """Collects the needs of one file. `bound` maps names of the file to modules of the tree.

    `pending` is the stack of nodes to visit next, the first one last, so that expressions and blocks may be nested as
    deeply as Python's own compiler takes them. A function there is called in its turn.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.needs: dict[str, Need] = {}
        self.imported: list[str] = []
        self.bound: dict[str, str] = {}
        self.pending: list[ast.AST | Callable[[], None]] = []

    def scan(self, module: ast.Module) -> None:
        self.pending = [module]
        while self.pending:
            node = self.pending.pop()
            if not isinstance(node, ast.AST):
                node()
                continue
            match node:
                case ast.Import():
                    self._import(node)
                case ast.ImportFrom():
                    self._import_from(node)
                case ast.Attribute():
                    self._attribute(node)
                case ast.Try() | ast.TryStar():
                    self._try(node)
                case ast.If() if any(_name_of(part) == "TYPE_CHECKING" for part in ast.walk(node.test)):
                    self._visit_next(node.orelse)
                case _:
                    self._visit_next(ast.iter_child_nodes(node))

    def _visit_next(self, nodes: Iterable[ast.AST | Callable[[], None]]) -> None:
        self.pending += [*nodes][::-1]

    def _need(self, node: ast.AST, name: str) -> None:
        self.needs.setdefault(name, Need(self.file, getattr(node, "lineno", 0), name))

    def _import(self, node: ast.Import) -> None:
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

    def _import_from(self, node: ast.ImportFrom) -> None:
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

    def _attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):  # assigned or deleted: only the object before the dot is read
            self._visit_next([node.value])
            return
        chain: list[str] = []
        root: ast.expr = node
        while isinstance(root, ast.Attribute):
            chain.append(root.attr)
            root = root.value
        if not isinstance(root, ast.Name):
            self._visit_next([root])
            return
        module = self.bound.get(root.id)
        while module is not None and chain:
            attribute = chain.pop()
            full_name = f"{module}.{attribute}"
            if tree.kind_of(full_name) is None:
                if not tree.has_name(module, attribute):
                    self._need(node, full_name)
                return
            module = full_name

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        types = [handler.type for handler in node.handlers]
        names = {_name_of(part) for type_ in types if type_ is not None for part in ast.walk(type_)}
        is_optional = None in types or not names.isdisjoint(_IMPORT_ERRORS)
        before = len(self.needs)

        def forget_needs() -> None:
            while len(self.needs) > before:
                self.needs.popitem()

        after = [forget_needs] if is_optional else []
        self._visit_next([*node.body, *after, *node.handlers, *node.orelse, *node.finalbody])


def _name_of(node: ast.AST) -> str | None:
    """Return the name, or the last of a dotted name, that a node is; None if it is neither."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None


def _is_of_tree(module: str) -> bool:
    root, _, rest = module.partition(".")
    if root == "google":
        return rest == "protobuf" or rest.startswith("protobuf.")
    return root in ("tensorflow", "tensorboardX", "tsl", "xla") or module.startswith("tensorboard.compat")
