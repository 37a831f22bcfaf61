"""Which transforms there are.

    @graph_transform
    def rename_op(graph: GraphDef, *, old_op_name: str, new_op_name: str) -> GraphDef:
        ...

registers a function under its name and gives it back. Its first parameter is the graph. Those called `inputs`,
`outputs` and `report` are supplied by the framework; all others can be given in a list of transforms: see `parameters`.

Modules beside `framework` register what is in them when they are imported, which happens when a transform is asked for
by name: the module that is called like it first, and if that does not help all of them. Others are registered by
importing the module that has them.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeVar

from pbwire.guessing import suggestion

from ...errors import TransformError
from ...printable import printable
from .parameters import Parameter, parameters_of

__all__ = ["SUPPLIED", "Transform", "find", "graph_transform", "names"]

SUPPLIED = ("inputs", "outputs", "report")

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
    def document(self) -> str:
        """All that its author says of it."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The first line of that."""
        return self.document.partition("\n")[0]

    def __str__(self) -> str:
        """`remove_nodes(op=STR ..., max_inputs=1)`."""
        return f"{self.name}({', '.join(map(str, self.parameters.values()))})"


def graph_transform(function: F) -> F:
    """Register a function as the transform of its name. Raises ValueError if there is another one of that name."""
    name = function.__name__
    other = _REGISTERED.get(name)
    if other is not None and (other.function.__module__, other.function.__qualname__) != (
        function.__module__,
        function.__qualname__,
    ):
        raise ValueError(f"there is a transform {name} already, in {other.function.__module__}")
    _REGISTERED[name] = Transform(name, function)
    return function


def find(name: str) -> Transform:
    """The transform of a name. Raises TransformError if there is none."""
    if name not in _REGISTERED and name in _modules():
        importlib.import_module(f"{_PACKAGE}.{name}")
    if name not in _REGISTERED and name not in names():
        raise TransformError(f'there is no transform "{printable(name)}"{suggestion(name, names())}')
    return _REGISTERED[name]


def names() -> list[str]:
    """The names of all transforms, sorted."""
    for module in _modules():
        importlib.import_module(f"{_PACKAGE}.{module}")
    return sorted(_REGISTERED)


@cache
def _modules() -> frozenset[str]:
    package = importlib.import_module(_PACKAGE)
    return frozenset(module.name for module in pkgutil.iter_modules(package.__path__) if not module.ispkg)
