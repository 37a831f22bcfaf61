"""The registry of transforms.

    @graph_transform
    def rename_op(graph: GraphDef, *, old_op_name: str, new_op_name: str) -> GraphDef:
        ...

registers a function under its name and returns it. Its first parameter is the graph. The framework supplies the
parameters called `inputs`, `outputs`, `report` and `ops`; all others are arguments in a list of transforms: see
`parameters`.

A built-in transform is registered when its module is imported. Looking up a name imports the module of that name first,
and then, if that did not register it, all modules beside `framework`. Plugins are registered by importing their module,
with `load_plugin` or in any other way; plugins that are installed as entry points are imported when a lookup fails. A
plugin cannot replace a built-in transform.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeVar

from pbwire.suggestions import suggestion

from ...errors import TransformError
from ...io.terminal import printable
from .parameters import Parameter, read_parameters
from .plugins import FILE_PREFIX, describe_error, import_plugin, installed

__all__ = ["SUPPLIED", "Transform", "find", "graph_transform", "is_builtin", "load_installed", "load_plugin", "names"]

SUPPLIED = ("inputs", "ops", "outputs", "report")

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = __name__.rsplit(".", 2)[0]

_REGISTERED: dict[str, Transform] = {}


@dataclass(eq=False)
class Transform:
    """A registered transform: its function, parameters and documentation."""

    name: str
    function: Callable[..., Any]

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters that can be given in a list of transforms."""
        return read_parameters(self.function, SUPPLIED)

    @cached_property
    def supplied(self) -> frozenset[str]:
        """The names in `SUPPLIED` that the function takes."""
        return frozenset(SUPPLIED) & inspect.signature(self.function).parameters.keys()

    @property
    def is_builtin(self) -> bool:
        """Return whether the transform is part of tfmodel."""
        return is_builtin(self.function)

    @property
    def origin(self) -> str:
        """The module that defines the transform, or the path of the file that was given as a plugin."""
        module = _module(self.function)
        return inspect.unwrap(self.function).__code__.co_filename if module.startswith(FILE_PREFIX) else module

    @property
    def docstring(self) -> str:
        """The docstring of the function."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.docstring.partition("\n")[0]

    @property
    def details(self) -> str:
        """The docstring of the module without its first line: conditions, and differences from the C++ tool.

        Empty for a plugin, whose module may be about anything.
        """
        module = sys.modules.get(_module(self.function)) if self.is_builtin else None
        return (inspect.getdoc(module) or "").partition("\n")[2].strip("\n")

    def __str__(self) -> str:
        """Return `remove_nodes([op=STR ...], max_inputs=1)`."""
        return f"{self.name}({', '.join(map(str, self.parameters.values()))})"


def graph_transform(function: F) -> F:
    """Register a function as the transform of its name.

        @tfmodel.graph_transform
        def rename_op(graph: GraphDef, *, outputs, old_op_name: str, new_op_name: str = "Relu") -> GraphDef:
            ...

    It takes a graph and returns one; --list and --help-transform show its docstring. All other parameters are
    keyword-only (behind the `*`). The framework supplies `inputs`, `outputs`, `report` and `ops`; the others are
    arguments in a list of transforms and have a type: int, float, bool, str, Shape, DataType, or `tuple[str, ...]` for
    an argument that may be repeated.

    Raises ValueError if another transform has that name, and TypeError for a parameter that cannot be given in a list
    of transforms.
    """
    transform = Transform(function.__name__, function)
    if not transform.is_builtin:
        _import_builtins()  # so that the plugin cannot take the name of one of them
        transform.parameters  # noqa: B018  report a wrong signature at registration
    other = _REGISTERED.get(transform.name)
    if other is not None and _definition(other.function) != _definition(function):
        raise ValueError(f"the transform {transform.name} exists already, in {other.origin}")
    _REGISTERED[transform.name] = transform
    return function


def find(name: str) -> Transform:
    """Return the transform of that name. Raises TransformError if the name is unknown."""
    if name not in _REGISTERED and name in _modules():
        importlib.import_module(f"{_PACKAGE}.{name}")
    if name not in _REGISTERED:
        _import_builtins()
    if name not in _REGISTERED:
        broken = load_installed()
        if name not in _REGISTERED:
            problem = f'there is no transform "{printable(name)}"{suggestion(name, _REGISTERED)}'
            raise TransformError("; ".join([problem, *broken]))
    return _REGISTERED[name]


def names() -> list[str]:
    """Return the sorted names of all known transforms: built-in ones, and those of loaded plugins."""
    _import_builtins()
    return sorted(_REGISTERED)


# --- plugins ---------------------------------------------------------------------------------------------------------


def load_plugin(name: str) -> list[str]:
    """Import a module by its name, or a .py file by its path, and return the names of the transforms that it registers.

    Raises TransformError with the problem and its place; then none of the plugin's transforms is registered.
    """
    return _load(name, lambda: import_plugin(name))


def load_installed() -> list[str]:
    """Load the plugins that are installed as entry points of `tfmodel.transforms`. Return the errors of those that
    fail.
    """
    problems = []
    for name, load in installed():
        try:
            _load(name, load)
        except TransformError as error:
            problems.append(str(error))
    return problems


def _load(name: str, load: Callable[[], object]) -> list[str]:
    _import_builtins()
    before = dict(_REGISTERED)
    try:
        load()
    except (Exception, SystemExit) as error:  # importing foreign code may raise anything
        _REGISTERED.clear()
        _REGISTERED.update(before)
        problem = str(error) if isinstance(error, TransformError) else describe_error(error)
        raise TransformError(f'the plugin "{printable(name)}" cannot be loaded: {problem}') from error
    return [name for name, transform in _REGISTERED.items() if before.get(name) is not transform]


# --- built-in transforms ---------------------------------------------------------------------------------------------


def is_builtin(function: Callable[..., Any]) -> bool:
    """Return whether a function is one of tfmodel's own transforms."""
    return _module(function).startswith(f"{_PACKAGE}.")


def _module(function: Callable[..., Any]) -> str:
    return getattr(function, "__module__", None) or "__main__"  # None where code is run without a module around it


def _definition(function: Callable[..., Any]) -> tuple[str, str]:
    return _module(function), function.__qualname__


def _import_builtins() -> None:
    for module in _modules():
        importlib.import_module(f"{_PACKAGE}.{module}")


@cache
def _modules() -> frozenset[str]:
    package = importlib.import_module(_PACKAGE)
    return frozenset(module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg)
