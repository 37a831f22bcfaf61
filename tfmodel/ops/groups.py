"""The groups of ops, and the modules in them that have kernels or shape rules.

A group is a package next to this module, named after a group of TensorFlow's *_ops.cc: `array`, `math`, `nn`, ...

    pooling.py          kernels; needs NumPy
    windows_shapes.py   shape rules of some ops of the group; must not import NumPy
    shapes.py           shape rules of the other ops of the group; must not import NumPy

Modules are listed from the packages themselves, so that a new one needs no registration; this also works in vendored
copies and in zip files.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

__all__ = ["GROUPS_WITHOUT_OPS", "group_of", "groups", "import_kernels", "import_shape_rules"]

GROUPS_WITHOUT_OPS = frozenset({"runtime"})
"""Packages next to this module that are not groups of ops."""


def groups() -> list[str]:
    """Return the names of the groups."""
    path = importlib.import_module(__package__).__path__
    return [module.name for module in pkgutil.iter_modules(path) if module.ispkg and _is_group(module.name)]


def group_of(module: str) -> str:
    """Return the group that contains a module; "" for modules outside of `tfmodel.ops` and of groups without ops.

    `module` is the full name of a group, or of a module in a package next to this module.
    """
    name = module.removeprefix(f"{__package__}.").partition(".")[0]
    return name if module.startswith(f"{__package__}.") and _is_group(name) else ""


def import_kernels() -> list[ModuleType]:
    """Import and return all modules of the groups except those of shape rules. Needs NumPy."""
    return _import_modules(shape_rules=False)


def import_shape_rules() -> list[ModuleType]:
    """Import and return the modules of shape rules of all groups."""
    return _import_modules(shape_rules=True)


def _is_group(name: str) -> bool:
    return name not in GROUPS_WITHOUT_OPS


def _import_modules(*, shape_rules: bool) -> list[ModuleType]:
    modules = []
    for group in groups():
        package = importlib.import_module(f"{__package__}.{group}")
        for module in pkgutil.iter_modules(package.__path__):
            if (module.name == "shapes" or module.name.endswith("_shapes")) == shape_rules:
                modules.append(importlib.import_module(f"{__package__}.{group}.{module.name}"))
    return modules
