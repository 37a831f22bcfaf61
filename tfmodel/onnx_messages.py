"""All messages and enums of ONNX, and `TYPES`, which maps full names to message classes.

    from tfmodel.onnx_messages import ModelProto, TensorProto

They are apart from TensorFlow's, which are in `tfmodel.messages`, because the same names mean other things: both have
a TensorProto and a TensorShapeProto, with different fields, and `TensorProto.DataType` has other numbers than
TensorFlow's DataType. Neither `tfmodel.messages` nor its `TYPES` has these messages, and no message of TensorFlow
refers to one of them.

The tables are imported when the first name is used, all at once, because most of the classes refer to each other. So
other modules import this one without a cost.
"""

from __future__ import annotations

import importlib

from . import messages as _tensorflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from pbwire.table import Message

    from ._schema.onnx.onnx_ml import *  # noqa: F403  every message, for type checkers

    TYPES: Mapping[str, type[Message]]


def _types(scope: Any, module: str) -> Iterator[tuple[str, type[Message]]]:
    """Yield the full names and the classes of the messages that a module or a class defines, at any depth."""
    for value in vars(scope).values():
        if isinstance(value, type) and value.__module__ == module and (table := vars(value).get("__table__")):
            yield table.full_name, value
            yield from _types(value, module)


def _import_tables() -> None:
    """Make all messages attributes of this module."""
    tables = importlib.import_module(f"{_tensorflow._schema.__name__}.onnx.onnx_ml")
    globals().update({name: getattr(tables, name) for name in tables.__all__})
    globals().update({"TYPES": dict(_types(tables, tables.__name__)), "__all__": ["TYPES", *tables.__all__]})


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if "TYPES" not in globals() and (name == "__all__" or not name.startswith("_")):
            _import_tables()
        try:
            return globals()[name]
        except KeyError:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    if "TYPES" not in globals():
        _import_tables()
    return sorted(globals()["__all__"])
