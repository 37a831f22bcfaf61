"""Import the modules of the tree: one finder for all names below a prefix.

The finder comes first in `sys.meta_path`, but answers for names below its prefix only. `install("tfmodel.compat")`
serves `tfmodel.compat.tensorflow`. With an empty prefix it serves `tensorflow` itself, which `script.py` uses in the
process of a script; the modules are the same objects, so that both names have the same classes.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

from . import tree
from .refusals import MissingModule

_HERE = __name__.rpartition(".")[0]


class TreeFinder(MetaPathFinder):
    """Finds the modules of the tree below a prefix such as "tfmodel.compat.", or at the top if it is empty.

    `roots` are the first names below the prefix that it answers for, and `below` is what precedes these in the tree.
    """

    generated_code = False  # in a script: run that of installed packages if the tree lacks a module

    def __init__(self, prefix: str, roots: Iterable[str], below: str = "") -> None:
        self.prefix = prefix
        self.roots = frozenset(roots)
        self.below = below

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module of the tree; None for other names. Raises MissingModule for a missing one."""
        if not fullname.startswith(self.prefix):
            return None
        name = fullname[len(self.prefix) :]
        if name.partition(".")[0] not in self.roots:
            return None
        name = self.below + name
        kind = tree.kind_of(name)
        if kind is None:
            spec = _installed_spec(fullname, name) if self.generated_code else None
            if spec is None:
                raise MissingModule(name)
            return spec
        return ModuleSpec(fullname, _TreeLoader(name), is_package=kind == "package")


def is_installed(name: str) -> bool:
    """Return whether a script can import a module that the tree lacks: generated code of an installed package."""
    return _installed_spec(name, name) is not None


def _installed_spec(fullname: str, name: str) -> ModuleSpec | None:
    """Return the spec of installed generated code, such as tensorboardX.proto.layout_pb2; None if there is none."""
    if not name.endswith("_pb2"):
        return None
    first, *folders, _ = name.split(".")
    top = PathFinder.find_spec(first)
    places = top.submodule_search_locations if top is not None else None
    return PathFinder.find_spec(fullname, [os.path.join(place, *folders) for place in places]) if places else None


class _TreeLoader(Loader):
    """Makes a module of the tree, or takes the one that was made under another name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        canonical = f"{_HERE}.{tree.canonical_name(self.name)}"
        if canonical == spec.name:
            return None
        module = importlib.import_module(canonical)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        if self.spec is not None:
            module.__spec__ = self.spec
            return
        tree.fill(module, self.name)


def install(package: str) -> None:
    """Make the tree importable below a package."""
    prefix = f"{package}."
    if not any(isinstance(finder, TreeFinder) and finder.prefix == prefix for finder in sys.meta_path):
        sys.meta_path.insert(0, TreeFinder(prefix, tree.ROOTS))
