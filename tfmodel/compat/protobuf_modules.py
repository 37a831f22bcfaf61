"""The modules of google.protobuf, and where each of their names comes from.

A module takes all public names of its sources, which are modules of `pbwire` and of this package. Modules that build
classes from descriptors, and services, are missing on purpose.
"""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import pbwire
from pbwire import errors, wellknown
from pbwire.compat import Message, compat_class, containers
from pbwire.compat.enums import EnumWrapper

from .refusals import MissingName

__all__ = ["MODULES", "WELL_KNOWN", "fill"]

WELL_KNOWN = {
    "any": ("Any",),
    "duration": ("Duration",),
    "empty": ("Empty",),
    "field_mask": ("FieldMask",),
    "struct": ("Struct", "Value", "ListValue", "NullValue"),
    "timestamp": ("Timestamp",),
    "wrappers": (
        "DoubleValue",
        "FloatValue",
        "Int64Value",
        "UInt64Value",
        "Int32Value",
        "UInt32Value",
        "BoolValue",
        "StringValue",
        "BytesValue",
    ),
}
"""The messages of google/protobuf/X.proto."""

_VERSION = "6.31.1"  # the version of protobuf whose behaviour the messages have

_NAMES: dict[str, dict[str, Any]] = {
    "": {"__version__": _VERSION},
    "message": {
        "Message": Message,
        "Error": errors.Error,
        "DecodeError": errors.DecodeError,
        "EncodeError": errors.EncodeError,
    },
    "internal": {},
    "internal.api_implementation": {"Type": lambda: "python", "Version": lambda: 2, "_c_module": None},
    "internal.containers": {
        "RepeatedScalarFieldContainer": containers.RepeatedScalars,
        "RepeatedCompositeFieldContainer": containers.RepeatedMessages,
        "RepeatedScalarContainer": containers.RepeatedScalars,
        "RepeatedCompositeContainer": containers.RepeatedMessages,
        "ScalarMap": containers.ScalarMap,
        "ScalarMapContainer": containers.ScalarMap,
        "MessageMap": containers.MessageMap,
        "MessageMapContainer": containers.MessageMap,
    },
    "internal.enum_type_wrapper": {"EnumTypeWrapper": EnumWrapper},
    "internal.python_message": {"GeneratedProtocolMessageType": type},
    "reflection": {"GeneratedProtocolMessageType": type},
}
"""The names of modules that are defined here."""

_CANDIDATES = {
    "descriptor": "descriptors",
    "json_format": "json_format",
    "message_factory": "message_factory",
    "text_format": "text_format",
    "unknown_fields": "unknown_fields",
    "internal.well_known_types": "wellknown",
    "proto": "proto",
}
_SOURCES = {
    name: source
    for name, source in _CANDIDATES.items()
    if importlib.util.find_spec(f"{pbwire.__name__}.compat.{source}") is not None
}
"""The modules of `pbwire.compat` with the names of others, as far as it has them."""

MODULES = ("", *[name for name in _NAMES if name], *_SOURCES, *(f"{name}_pb2" for name in WELL_KNOWN))


def fill(module: ModuleType, name: str) -> None:
    """Define the names of a module, such as "text_format"; the empty name is google.protobuf itself."""
    if name.endswith("_pb2"):
        _fill_wellknown(module, name.removesuffix("_pb2"))
    elif name in _SOURCES:
        source = importlib.import_module(f"{pbwire.__name__}.compat.{_SOURCES[name]}")
        vars(module).update({key: value for key, value in vars(source).items() if not key.startswith("__")})
        module.__doc__ = source.__doc__
        vars(module)["__all__"] = getattr(source, "__all__", [])
    else:
        vars(module).update(_NAMES[name])
        vars(module)["__all__"] = [key for key in _NAMES[name] if not key.startswith("_")]
    if not name.endswith("_pb2"):
        vars(module).setdefault("__getattr__", _refuse(f"google.protobuf.{name}".rstrip(".")))


def _fill_wellknown(module: ModuleType, name: str) -> None:
    namespace = vars(module)
    for public in WELL_KNOWN[name]:
        value = getattr(wellknown, public)
        if hasattr(value, "__members__"):
            from pbwire.compat.enums import enum_wrapper

            namespace.update({key: int(member) for key, member in value.__members__.items()})
            namespace[public] = enum_wrapper(value)
        else:
            namespace[public] = compat_class(value)
    namespace["__all__"] = list(WELL_KNOWN[name])

    def get_attribute(attribute: str) -> Any:
        if attribute == "DESCRIPTOR":
            return namespace[WELL_KNOWN[name][0]].DESCRIPTOR.file
        raise MissingName(f"google.protobuf.{name}_pb2.{attribute}")

    namespace["__getattr__"] = get_attribute


def _refuse(module: str) -> Any:
    def get_attribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingName(f"{module}.{name}")

    return get_attribute
