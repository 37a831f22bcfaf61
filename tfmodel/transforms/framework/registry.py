"""Which transforms there are.

    @graph_transform
    def rename_op(graph: GraphDef, *, old_op_name: str, new_op_name: str) -> GraphDef:
        ...

registers a function under its name and gives it back. Its first parameter is the graph. Those called `inputs`,
`outputs`, `report` and `ops` are supplied by the framework; all others can be given in a list of transforms: see
`parameters`.

Modules beside `framework` register what is in them when they are imported, which happens when a transform is asked for
by name: the module that is called like it first, and if that does not help all of them. Others are registered by
importing the module that has them, with `load_plugin` or in any other way. Plugins that are installed as entry points
are imported when a name is looked for in vain. None of them can take the place of a transform of ours.
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
from ...printable import printable
from . import plugins
from .parameters import Parameter, parameters_of

__all__ = ["SUPPLIED", "Transform", "find", "graph_transform", "is_ours", "load_installed", "load_plugin", "names"]

SUPPLIED = ("inputs", "ops", "outputs", "report")

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = __name__.rsplit(".", 2)[0]

_REGISTERED: dict[str, Transform] = {}


@dataclass(eq=False)
class Transform:
    """A registered transform: its function and what can be told of it."""

    name: str
    function: Callable[..., Any]

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """What can be given in a list of transforms."""
        return parameters_of(self.function, SUPPLIED)

    @cached_property
    def supplied(self) -> frozenset[str]:
        """Which of `SUPPLIED` the function takes."""
        return frozenset(SUPPLIED) & inspect.signature(self.function).parameters.keys()

    @property
    def is_ours(self) -> bool:
        """Is it one of tfmodel itself?"""
        return is_ours(self.function)

    @property
    def home(self) -> str:
        """Where it is from: a module, or the path of a file that a plugin was given as."""
        module = _module(self.function)
        return inspect.unwrap(self.function).__code__.co_filename if module.startswith(plugins.NO_MODULE) else module

    @property
    def document(self) -> str:
        """All that its author says of it."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The first line of that."""
        return self.document.partition("\n")[0]

    @property
    def details(self) -> str:
        """The docstring of the module without its first line: conditions, and differences from the C++ tool.

        Empty for a plugin, whose module may be about anything.
        """
        module = sys.modules.get(_module(self.function)) if self.is_ours else None
        return (inspect.getdoc(module) or "").partition("\n")[2].strip("\n")

    def __str__(self) -> str:
        """`remove_nodes([op=STR ...], max_inputs=1)`."""
        return f"{self.name}({', '.join(map(str, self.parameters.values()))})"


def graph_transform(function: F) -> F:
    """Register a function as the transform of its name.

        @tfmodel.graph_transform
        def rename_op(graph: GraphDef, *, outputs, old_op_name: str, new_op_name: str = "Relu") -> GraphDef:
            ...

    It takes the graph and gives one; its docstring is what --list and --help-transform show. All other parameters stand
    behind the `*`. What is called `inputs`, `outputs`, `report` or `ops` is supplied; the others are arguments in a
    list of transforms and have a type: int, float, bool, str, Shape, DataType, or `tuple[str, ...]` for what may be
    given several times.

    Raises ValueError if there is another one of that name, and TypeError if it has a parameter that cannot be given in
    a list of transforms.
    """
    new = Transform(function.__name__, function)
    if not new.is_ours:
        _import_ours()  # or it could take the place of one of them
        new.parameters  # noqa: B018  a signature that is wrong is its author's to know, now
    other = _REGISTERED.get(new.name)
    if other is not None and _place(other.function) != _place(function):
        raise ValueError(f"there is a transform {new.name} already, in {other.home}")
    _REGISTERED[new.name] = new
    return function


def find(name: str) -> Transform:
    """The transform of a name. Raises TransformError if there is none."""
    if name not in _REGISTERED and name in _modules():
        importlib.import_module(f"{_PACKAGE}.{name}")
    if name not in _REGISTERED:
        _import_ours()
    if name not in _REGISTERED:
        broken = load_installed()
        if name not in _REGISTERED:
            problem = f'there is no transform "{printable(name)}"{suggestion(name, _REGISTERED)}'
            raise TransformError("; ".join([problem, *broken]))
    return _REGISTERED[name]


def names() -> list[str]:
    """The names of all transforms that are known, sorted: ours, and those of plugins that were loaded."""
    _import_ours()
    return sorted(_REGISTERED)


# --- plugins ---------------------------------------------------------------------------------------------------------


def load_plugin(name: str) -> list[str]:
    """Import a module by its name, or a .py file by its path, and return the names of the transforms that it brings.

    Raises TransformError, which says what is wrong with it and where. Then none of its transforms is there.
    """
    return _load(name, lambda: plugins.import_plugin(name))


def load_installed() -> list[str]:
    """Load the plugins that are installed, as entry points of `tfmodel.transforms`. Returns what is wrong with some."""
    problems = []
    for name, load in plugins.installed():
        try:
            _load(name, load)
        except TransformError as error:
            problems.append(str(error))
    return problems


def _load(name: str, load: Callable[[], object]) -> list[str]:
    _import_ours()
    before = dict(_REGISTERED)
    try:
        load()
    except (Exception, SystemExit) as error:  # code of others may raise anything when it is imported
        _REGISTERED.clear()
        _REGISTERED.update(before)
        problem = str(error) if isinstance(error, TransformError) else plugins.blame(error)
        raise TransformError(f'the plugin "{printable(name)}" cannot be loaded: {problem}') from error
    return [each for each, found in _REGISTERED.items() if before.get(each) is not found]


# --- what is ours ----------------------------------------------------------------------------------------------------


def is_ours(function: Callable[..., Any]) -> bool:
    """Is a function one of tfmodel's own transforms?"""
    return _module(function).startswith(f"{_PACKAGE}.")


def _module(function: Callable[..., Any]) -> str:
    return getattr(function, "__module__", None) or "__main__"  # None where code is run without a module around it


def _place(function: Callable[..., Any]) -> tuple[str, str]:
    return _module(function), function.__qualname__


def _import_ours() -> None:
    for module in _modules():
        importlib.import_module(f"{_PACKAGE}.{module}")


@cache
def _modules() -> frozenset[str]:
    package = importlib.import_module(_PACKAGE)
    return frozenset(module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg)
