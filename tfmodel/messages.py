"""All messages and enums of TensorFlow, and `TYPES`, which maps full names to message classes.

    from tfmodel.messages import DataType, GraphDef

Nothing is imported before it is used, because making all classes takes longer than most commands. A table module
defines the messages of one .proto file. The first use of a name imports the table module that defines it, and the
table modules to which this one refers. Type checkers see ordinary imports.

The table modules are in the folder `schema`. They are imported as the package `tfmodel._schema`, because another
distribution owns the top-level name `schema`. Wheels, copies and the .pyz of `tfmodel vendor` have the folder inside
`tfmodel`. In a checkout the folder is beside `tfmodel`, and a symbolic link, `tfmodel/_schema -> ../schema`, lets the
import system, type checkers and editors find it. If the link was lost (in a zip file, or on some file systems), this
module loads the folder beside the package under the same name. All other modules import messages from here; only
`tfmodel.vendoring`, which copies the folder, knows where the folder is.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import ModuleType

import pbwire

from .message_index import MODULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Protocol

    from pbwire.table import Message

    from .message_types import *  # noqa: F403  every message, for type checkers; there is no such module

    class ProtobufMessage(Protocol):
        """A protobuf-style message, of `pbwire.compat`."""

        DESCRIPTOR: ClassVar[Any]

        def SerializeToString(self) -> bytes: ...  # noqa: N802  the name of protobuf


if not TYPE_CHECKING:
    __all__ = ["TYPES", *sorted(MODULES)]


def _import_schema() -> ModuleType:
    """Import the package of the table modules, but not the table modules, and return it."""
    name = f"{__package__}._schema"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "schema")
        if error.name != name or not os.path.isdir(folder):
            raise

    # By hand, since importlib.util and pathlib import more than pbwire does. A package needs only its path.
    package = sys.modules[name] = ModuleType(name)
    package.__file__ = os.path.join(folder, "__init__.py")
    package.__path__ = [folder]
    return package


_schema = _import_schema()


def _table_module(name: str) -> ModuleType:
    return importlib.import_module(f"{_schema.__name__}.{name}")


class _Types(Mapping[str, "type[Message]"]):
    """A mapping from full names to message classes: `TYPES["tensorflow.AttrValue.ListValue"]`.

    It has every message of this module, also nested ones, and the messages of `pbwire.wellknown`. A look-up imports one
    table module; iteration and `len` import all. Functions that expand an Any take this mapping as an argument.
    """

    def __getitem__(self, full_name: str) -> type[Message]:
        cls = _find(full_name) if isinstance(full_name, str) else None
        if cls is None:
            raise KeyError(full_name)
        return cls

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"{__name__}.TYPES"

    @cached_property
    def _names(self) -> tuple[str, ...]:
        modules = [pbwire.wellknown, *map(_table_module, sorted(set(MODULES.values())))]
        return tuple(sorted(name for module in modules for name in _full_names(module, module.__name__)))


TYPES: Mapping[str, type[Message]] = _Types()


def as_dataclass(value: Any) -> Any:
    """Return the dataclass of a protobuf-style message (`pbwire.compat`); any other value as it is.

    All functions that take messages call this. It imports nothing unless the value is a protobuf-style message.
    """
    table = getattr(type(value), "__table__", None)
    if not hasattr(table, "dataclass"):
        return value
    from pbwire.compat import unwrap  # slow to import, and loaded if there is such a message

    return unwrap(value)


def _find(full_name: str) -> type[Message] | None:
    scope: Any
    if full_name.startswith("google.protobuf."):
        scope, path = pbwire.wellknown, full_name.split(".")[2:]
    else:
        path = full_name.split(".")[1:]
        if path and path[0] not in MODULES:  # "profiler" in "tensorflow.profiler.XSpace"
            del path[0]
        if not path or path[0] not in MODULES:
            return None
        scope = _table_module(MODULES[path[0]])
    for name in path:
        scope = vars(scope).get(name)
        if not isinstance(scope, type):
            return None
    return scope if _full_name(scope) == full_name else None


def _full_names(scope: Any, module: str) -> Iterator[str]:
    """Yield the full names of the messages that a module or a class defines, at any depth."""
    for value in vars(scope).values():
        if isinstance(value, type) and value.__module__ == module and (name := _full_name(value)):
            yield name
            yield from _full_names(value, module)


def _full_name(cls: type) -> str | None:
    """Return the full name of a message class; None for any other class."""
    table = vars(cls).get("__table__")
    return table and table.full_name


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(_table_module(MODULES[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted(["TYPES", *MODULES])
