"""The files that a part of tfmodel needs, found from the imports of its modules.

`needed` follows the imports of modules, those in functions too, from the roots of a part, but not into what the part
goes without. Blocks for type checkers alone are not followed. `tfmodel.optimize` and `pbwire.json` are imports as
well: the packages import the modules of these names when they are used, and so does `tfmodel.messages` with the tables
of messages. Modules that import others by names which they
compute are listed in `BY_NAME`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache

from .. import PUBLIC_MODULES
from ..message_index import MODULES
from .parts import BY_NAME, Part

_MESSAGES = "tfmodel.messages"
_FRONTS = {"tfmodel": PUBLIC_MODULES}
"""The modules of the public names of packages. Those of `pbwire` are modules themselves, or in `BY_NAME`."""

_IGNORE = b"""
# This copy has not all parts of tfmodel.
# mypy: ignore-errors
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
"""
_SOURCE = ".py"
_INIT = ("/__init__.py", "/__init__.pyi")


def needed(part: Part, files: Mapping[str, bytes]) -> set[str]:
    """Return the paths of the files that a part needs, among all of tfmodel's, such as "tfmodel/cli/dump.py".

    Other files than modules, such as the script of pages, belong to the package around them.
    """
    modules = {module_name(path): path for path in files if path.endswith(_SOURCE)}
    reached: set[str] = set()
    waiting = list(_expanded(part.roots, modules))
    while waiting:
        name = waiting.pop()
        if name in reached or name not in modules or _is_below(name, part.without):
            continue
        reached.add(name)
        waiting.append(name.rpartition(".")[0])
        waiting += imports(modules[name], files[modules[name]])
        waiting += _expanded(BY_NAME.get(name, ()), modules)
    packages = {modules[name].removesuffix("__init__.py") for name in reached if modules[name].endswith(_INIT)}
    data = {path for path in files if not path.endswith(_SOURCE) and _folder_of(path, modules) in packages}
    return {modules[name] for name in reached} | data


def module_name(path: str) -> str:
    """Return the name of the module of a file: "tfmodel.cli" of "tfmodel/cli/__init__.py"."""
    return re.sub(r"(/__init__)?\.pyi?$", "", path).replace("/", ".")


@cache
def imports(path: str, source: bytes) -> tuple[str, ...]:
    """Return the names of what a module imports: those of modules, and those that may be modules of a package."""
    return tuple(_imports(path, source))


def _imports(path: str, source: bytes) -> Iterator[str]:
    package = _package_of(path)
    tree = ast.parse(source)
    for node in _statements(tree):
        for target in _targets(node, package):
            yield target
            yield from _tables(target, tree)
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _used_names(tree, alias.name, _FRONTS.get(alias.name, {}))


def _targets(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
    """Yield the names of what a statement in a module of a package imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    module = ".".join([*above, *([node.module] if node.module else [])])
    yield module
    yield from (f"{module}.{alias.name}" for alias in node.names)


def _tables(target: str, tree: ast.AST) -> Iterator[str]:
    """Yield the tables of messages that a module takes from `tfmodel.messages`, which imports them on first use."""
    front, _, name = target.rpartition(".")
    if target == _MESSAGES:
        nodes = (
            node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        )
        names = [node.attr for node in nodes if ast.unparse(node.value) == "messages"]
    else:
        names = [name] if front == _MESSAGES else []
    yield from (f"tfmodel._schema.{MODULES[name]}" for name in names if name in MODULES)


def _package_of(path: str) -> str:
    return module_name(path) if path.endswith(_INIT) else module_name(path).rpartition(".")[0]


def with_ignored_imports(path: str, source: bytes, missing: Set[str]) -> bytes:
    """Return the source of a module; if it imports missing modules, with a last line that says so to type checkers."""
    package = _package_of(path)
    tree = ast.parse(source)
    targets = {target for node in _statements(tree, for_checkers=True) for target in _targets(node, package)}
    is_complete = missing.isdisjoint(targets) and missing.isdisjoint(imports(path, source))
    return source if is_complete else source.rstrip(b"\n") + b"\n" + _IGNORE


def _used_names(tree: ast.AST, package: str, modules: Mapping[str, str]) -> Iterator[str]:
    """Yield the modules of names of a package that a module uses: `pbwire.json`, `tfmodel.optimize`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == package:
            yield f"{package}.{modules.get(node.attr, node.attr)}"


def _expanded(names: Iterable[str], modules: Mapping[str, str]) -> Iterator[str]:
    """Yield names of modules; "a.b.*" is the package a.b with all modules below."""
    for name in names:
        package = name.removesuffix(".*")
        yield package
        if package != name:
            yield from (module for module in modules if module.startswith(f"{package}."))


def _is_below(name: str, packages: Iterable[str]) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def _folder_of(path: str, modules: Mapping[str, str]) -> str:
    """Return the folder of the package around a file that is not a module."""
    folder = path.rpartition("/")[0]
    while folder and folder.replace("/", ".") not in modules:
        folder = folder.rpartition("/")[0]
    return f"{folder}/"


def _statements(tree: ast.AST, *, for_checkers: bool = False) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements that run, at the top or in functions; `for_checkers`, those of type checkers too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            both = [*(node.body if for_checkers else []), *node.orelse]
            yield from _statements(ast.Module(both, []), for_checkers=for_checkers)
        elif isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):  # these contain statements
            yield from _statements(node, for_checkers=for_checkers)
