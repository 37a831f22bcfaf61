"""The files of a copy: read from the running tfmodel, with imports rewritten.

`own_files` reads the files from a checkout, an installed wheel, a copy or a .pyz, and returns them with absolute
imports, by paths such as "tfmodel/cli/dump.py". The schema is always "tfmodel/_schema". `own_copy` returns a copy in
memory: the files of some parts, with relative imports, and their manifest.

In a checkout, a wheel and a .pyz, `pbwire` and `tfmodel` are top-level packages, and `tfmodel/cli/dump.py` says

    from pbwire.errors import DecodeError

In a copy they are side by side in a folder of another package, and the line becomes

    from ...pbwire.errors import DecodeError

This refers to the right package whatever the name of the folder is, even if other versions are imported in the same
process. Python's own parser finds the statements, so text in a string or docstring that looks like an import is left
alone.

`package_of` finds the name under which a folder is imported.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING

import pbwire

from .. import __version__, messages
from .closure import module_name, needed, with_ignored_imports
from .manifest import Entry, Manifest, VendorError, entry_of
from .parts import ALL, PARTS

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

NAMES = ("pbwire", "tfmodel")
"""Our top-level packages."""

_FROM = re.compile(rf"from[ \t]+(\.*)(?={'|'.join(NAMES)})".encode())
_UP = re.compile(rb"from[ \t]+\.+[ \t]+(?=import\b)")

# A line number, the start and end of the bytes to replace, and their replacement.
_Edit = tuple[int, int, int, bytes]


def relative(path: str, source: bytes) -> bytes:
    """Return the source of the module at `path` ("tfmodel/cli/dump.py") with relative imports of our packages.

    Raises ValueError for an import that cannot be rewritten: `import pbwire.text`, which also binds `pbwire`, and an
    import whose beginning takes several lines.
    """
    up = b"." * (path.count("/") + 1)

    def edit(node: ast.Import | ast.ImportFrom, line: bytes) -> _Edit | None:
        column = node.col_offset
        if isinstance(node, ast.Import):
            if not any(_is_ours(alias.name) for alias in node.names):
                return None
            if len(node.names) > 1 or "." in node.names[0].name:
                raise ValueError(f"{path}:{node.lineno}: write this as `from package import module`")
            return node.lineno, column, column, b"from " + up + b" "
        if node.level or not _is_ours(node.module or ""):
            return None
        dots = _match(_FROM, line, column, path, node).end()
        return node.lineno, dots, dots, up

    return _edit(source, edit)


def absolute(path: str, source: bytes) -> bytes:
    """Return the source with absolute imports of our packages: the reverse of `relative`."""
    top = path.count("/") + 1

    def edit(node: ast.Import | ast.ImportFrom, line: bytes) -> _Edit | None:
        column = node.col_offset
        if isinstance(node, ast.Import) or node.level != top:
            return None
        if node.module is None:
            return node.lineno, column, _match(_UP, line, column, path, node).end(), b""
        dots = _match(_FROM, line, column, path, node)
        return node.lineno, dots.start(1), dots.end(1), b""

    return _edit(source, edit)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in NAMES


def _match(pattern: re.Pattern[bytes], line: bytes, column: int, path: str, node: ast.stmt) -> re.Match[bytes]:
    match = pattern.match(line, column)
    if match is None:
        raise ValueError(f"{path}:{node.lineno}: write this import on one line")
    return match


def _edit(source: bytes, edit: Callable[[ast.Import | ast.ImportFrom, bytes], _Edit | None]) -> bytes:
    if not any(name.encode() in source for name in NAMES):
        return source  # without parsing it, to save time
    lines = source.splitlines(keepends=True)
    changes = (edit(node, lines[node.lineno - 1]) for node in _imports(ast.parse(source)))
    edits = [change for change in changes if change is not None]
    for number, start, end, new in sorted(edits, reverse=True):  # from the end, so that earlier positions stay valid
        line = lines[number - 1]
        lines[number - 1] = line[:start] + new + line[end:]
    return b"".join(lines)


def _imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements of a module, nested ones included."""
    pending: list[ast.AST] = [tree]
    while pending:
        for node in ast.iter_child_nodes(pending.pop()):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                yield node
            elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):  # these contain statements
                pending.append(node)


_SOURCES = "src"  # the folder of packages in many projects


def import_line(package: str, parts: tuple[str, ...]) -> str:
    """Return the line that imports a copy of these parts."""
    if any(root.partition(".")[0] == "tfmodel" for part in parts for root in PARTS[part].roots):
        return f"from {package} import tfmodel" if parts[-1] != "schema" else f"from {package}.tfmodel import messages"
    return f"from {package} import pbwire"


def is_package_name(name: str) -> bool:
    """Return whether a name can be imported, such as "app._vendor"."""
    return all(part.isidentifier() and not iskeyword(part) for part in name.split("."))


def package_of(folder: str) -> tuple[str, str]:
    """Return the package name of a folder, and the folder that has to be on sys.path to import it.

    The name begins at the outermost parent with an __init__.py. Without such a parent, it begins in the current folder
    or its folder "src", or is the name of a folder outside of these. It may be invalid. If the name of a folder has a
    dot, the path is returned instead: "./app/v1.2".
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


_PACKAGE = __package__.rpartition(".")[0]
_TABLES = "_schema"
_SOURCES_OF_PYTHON = (".py", ".pyi")
_SUFFIXES = (*_SOURCES_OF_PYTHON, ".gz", ".html", ".css", ".js", ".proto")
_OTHERS = ("py.typed",)


def own_files() -> dict[str, bytes]:
    """Return the files of all our packages by path, sorted. Raises VendorError if the sources are missing."""
    tables = importlib.import_module(f".{_TABLES}", messages.__package__)  # made importable by `messages`
    is_linked = tables.__spec__ is not None  # else `messages` loaded the folder of a checkout that lost its link
    sources = {
        **dict(_files_in(files(pbwire), "pbwire/")),
        **dict(_files_in(files(_PACKAGE), "tfmodel/", leaving_out=_TABLES)),
        **dict(_files_in(files(tables) if is_linked else Path(tables.__path__[0]), f"tfmodel/{_TABLES}/")),
    }
    for path in ("pbwire/__init__.py", "tfmodel/__init__.py", f"tfmodel/{_TABLES}/__init__.py"):
        if path not in sources:
            raise VendorError(f"{path}: this tfmodel has no source files, so there is nothing to copy")
    if pbwire.__name__ != "pbwire":  # this is a copy
        sources = {
            path: absolute(path, data) if path.endswith(_SOURCES_OF_PYTHON) else data for path, data in sources.items()
        }
    return dict(sorted(sources.items()))


def _files_in(folder: Traversable, path: str, leaving_out: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name.isidentifier() and entry.name not in ("__pycache__", leaving_out):
                yield from _files_in(entry, f"{path}{entry.name}/")
        elif entry.name[0] != "." and (entry.name.endswith(_SUFFIXES) or entry.name in _OTHERS):
            yield path + entry.name, entry.read_bytes()


def license_text() -> bytes:
    """Return tfmodel's license: from the metadata of the installed distribution, or the file next to the packages.

    Raises VendorError if the license is missing.
    """
    installed = _license_of_distribution()
    if installed is not None:
        return installed
    license_file = _license_next_to(files(_PACKAGE))
    if license_file is None:
        raise VendorError("LICENSE: this tfmodel has no license file, and copies need it: install tfmodel again")
    return license_file


def _license_of_distribution() -> bytes | None:
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import

    try:
        installed = distribution("tfmodel")
    except PackageNotFoundError:
        return None
    is_this = str(installed.locate_file("tfmodel")) == str(files(_PACKAGE))  # another tfmodel may be installed
    text = installed.read_text("licenses/LICENSE") if is_this else None
    return text.encode() if text else None


def _license_next_to(package: Traversable) -> bytes | None:
    parent = getattr(package, "parent", None)  # of folders and archives
    path = parent / "LICENSE" if parent is not None else None
    return path.read_bytes() if path is not None and path.is_file() else None


_INIT_SOURCE = '''\
"""A copy of tfmodel {version} ({parts}), made by `python -m tfmodel vendor`, which also checks and updates it.

Do not edit its files, which MANIFEST.json lists. They are under the license in LICENSE.
"""
'''


@dataclass(frozen=True)
class Copy:
    """A copy in memory: `files` by path, sorted, without the manifest."""

    version: str
    parts: tuple[str, ...]
    files: dict[str, bytes]

    @cached_property
    def manifest(self) -> Manifest:
        """The content of MANIFEST.json."""
        return Manifest(self.version, self.parts, self.entries)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries of the manifest, by path."""
        return {path: entry_of(data) for path, data in self.files.items()}


def own_copy(parts: tuple[str, ...]) -> Copy:
    """Return a copy of parts of the running tfmodel. Raises VendorError if its sources or license are missing."""
    files = {path: _as_copied(path, data) for path, data in files_of(parts).items()}
    files["LICENSE"] = license_text()
    files["__init__.py"] = _INIT_SOURCE.format(version=__version__, parts=", ".join(parts)).encode()
    return Copy(__version__, parts, dict(sorted(files.items())))


def files_of(parts: tuple[str, ...]) -> dict[str, bytes]:
    """Return the files of parts by path, sorted, with absolute imports. Raises VendorError if sources are missing."""
    files = own_files()
    if ALL in parts:
        return files
    paths = set().union(*(needed(PARTS[part], files) for part in parts))
    missing = {module_name(path) for path in files.keys() - paths if path.endswith(".py")}
    chosen = {path: files[path] for path in sorted(paths)}
    for path, data in chosen.items():
        if path.endswith(_SOURCES_OF_PYTHON):
            chosen[path] = with_ignored_imports(path, data, missing)
    return chosen


def _as_copied(path: str, data: bytes) -> bytes:
    return relative(path, data) if path.endswith(_SOURCES_OF_PYTHON) else data
