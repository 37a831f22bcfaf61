"""The modules of google.protobuf, and where each of their names comes from.

A module takes names of its source, which is a module of `pbwire`. gRPC is missing on purpose.
"""

from __future__ import annotations

import importlib
from types import ModuleType, SimpleNamespace
from typing import Any

import pbwire
from pbwire import errors, wellknown
from pbwire.behavior import behavior
from pbwire.compat import Message, compat_class
from pbwire.compat.classes import place
from pbwire.compat.classes.message import set_allow_oversize_protos
from pbwire.compat.generated import build_descriptors, build_messages
from pbwire.compat.pools import default_pool
from pbwire.compat.values import containers
from pbwire.compat.values.enums import EnumWrapper, enum_wrapper
from pbwire.proto import descriptor_messages

from .proto_modules import descriptor_named
from .refusals import MissingName

WELL_KNOWN = wellknown.FILES

_NAMES: dict[str, dict[str, Any]] = {
    "": {},
    "message": {
        "Message": Message,
        "Error": errors.Error,
        "DecodeError": errors.DecodeError,
        "EncodeError": errors.EncodeError,
    },
    "compiler": {},
    "internal": {},
    "internal.api_implementation": {
        "Type": lambda: "upb",  # whose behaviour the messages have
        "Version": lambda: 2,
        "_c_module": SimpleNamespace(SetAllowOversizeProtos=set_allow_oversize_protos),
    },
    "internal.containers": {
        "RepeatedScalarFieldContainer": containers.RepeatedScalarContainer,
        "RepeatedCompositeFieldContainer": containers.RepeatedCompositeContainer,
        "RepeatedScalarContainer": containers.RepeatedScalarContainer,
        "RepeatedCompositeContainer": containers.RepeatedCompositeContainer,
        "ScalarMap": containers.ScalarMap,
        "ScalarMapContainer": containers.ScalarMap,
        "MessageMap": containers.MessageMap,
        "MessageMapContainer": containers.MessageMap,
    },
    "internal.enum_type_wrapper": {"EnumTypeWrapper": EnumWrapper},
}
"""The names of modules that are defined here."""

_SOURCES = {
    "any": ("functions", "pack unpack unpack_as type_name is_type"),
    "descriptor": ("descriptors", "*"),
    "descriptor_pool": ("pools", "DescriptorPool Default=default_pool _USE_C_DESCRIPTORS=USE_C_DESCRIPTORS"),
    "duration": ("functions:duration", "*"),
    "json_format": ("json_format", "*"),
    "message_factory": (
        "generated",
        "GetMessageClass=message_class GetMessageClassesForFiles=message_classes GetMessages=messages_of",
    ),
    "descriptor_database": ("databases", "*"),
    "proto": (
        "functions",
        "serialize parse serialize_length_prefixed parse_length_prefixed byte_size clear_message clear_field",
    ),
    "proto_json": ("proto_formats:proto_json", "*"),
    "proto_text": ("proto_formats:proto_text", "*"),
    "proto_builder": ("generated", "MakeSimpleProtoClass=make_simple_class"),
    "reflection": ("generated", "GeneratedProtocolMessageType=GeneratedMessageType"),
    "runtime_version": ("versions", "*"),
    "service_reflection": ("services", "GeneratedServiceType GeneratedServiceStubType"),
    "symbol_database": ("generated", "SymbolDatabase Default=default_symbols"),
    "text_encoding": ("text_tokens", "CEscape CUnescape"),
    "text_format": ("text_format", "*"),
    "timestamp": ("functions:timestamp", "*"),
    "unknown_fields": ("unknown_fields", "*"),
    "internal.builder": (
        "generated",
        "BuildMessageAndEnumDescriptors=build_descriptors BuildTopDescriptorsAndMessages=build_messages "
        "BuildServices=build_services AddHelpersToExtensions=no_helpers",
    ),
    "internal.decoder": (
        "delimited",
        "_DecodeVarint _DecodeVarint32 _DecodeSignedVarint _DecodeSignedVarint32 ReadTag DEFAULT_RECURSION_LIMIT "
        "SetRecursionLimit IsDefaultScalarValue",
    ),
    "internal.encoder": (
        "delimited",
        "_EncodeVarint _EncodeSignedVarint _VarintBytes _VarintEncoder _VarintSize TagBytes",
    ),
    "internal.field_mask": ("classes.field_masks", "FieldMask"),
    "internal.python_message": ("generated", "GeneratedProtocolMessageType=GeneratedMessageType"),
    "internal.type_checkers": (
        "wire_formats",
        "FIELD_TYPE_TO_WIRE_TYPE GetTypeChecker ToShortestFloat TruncateToFourByteFloat",
    ),
    "internal.well_known_types": ("classes.wellknown", "*"),
    "internal.wire_format": ("wire_formats", "*"),
}
"""The modules whose names are those of a module of `pbwire.compat`, or of an object in one, as MODULE:OBJECT.

These are all names, or those listed, as NAME or NAME=OWN.
"""

_FILES = ("api", "compiler.plugin", "source_context", "type")
"""The modules of Google's own .proto files that have no tables."""

MODULES = (
    "",
    *(name for name in _NAMES if name),
    *_SOURCES,
    *(f"{name}_pb2" for name in (*WELL_KNOWN, "descriptor", *_FILES)),
)


def fill(module: ModuleType, name: str) -> None:
    """Define the names of a module, such as "text_format"; the empty name is google.protobuf itself."""
    if name.removesuffix("_pb2") in _FILES:
        _fill_from_file(module, f"google/protobuf/{name.removesuffix('_pb2').replace('.', '/')}.proto")
    elif name.endswith("_pb2"):
        _fill_wellknown(module, name.removesuffix("_pb2"))
    elif name in _SOURCES:
        _fill_from(module, *_SOURCES[name])
    else:
        vars(module).update(_NAMES[name])
        vars(module)["__all__"] = [key for key in _NAMES[name] if not key.startswith("_")]
    if not name:
        vars(module)["__getattr__"] = _version_or_module
    elif not name.endswith("_pb2"):
        vars(module).setdefault("__getattr__", _refuse(name))


def _fill_from(module: ModuleType, path: str, names: str) -> None:
    file, colon, attribute = path.partition(":")
    source: Any = importlib.import_module(f"{pbwire.__name__}.compat.{file}")
    module.__doc__ = source.__doc__
    if colon:
        source = getattr(source, attribute)
    if names == "*":
        vars(module).update({key: value for key, value in vars(source).items() if not key.startswith("__")})
        vars(module)["__all__"] = getattr(source, "__all__", [])
        return
    pairs = [name.partition("=") for name in names.split()]
    vars(module).update({name: getattr(source, own or name.lstrip("_")) for name, _, own in pairs})
    vars(module)["__all__"] = [name for name, _, _ in pairs if not name.startswith("_")]


def _fill_from_file(module: ModuleType, file_name: str) -> None:
    """Define what code of protoc for a file defines."""
    namespace = vars(module)
    namespace["DESCRIPTOR"] = file = default_pool().FindFileByName(file_name)
    build_descriptors(file, namespace)
    build_messages(file, module.__name__, namespace)
    namespace["__all__"] = [name for name in namespace if not name.startswith("_")]


def _fill_wellknown(module: ModuleType, name: str) -> None:
    namespace = vars(module)
    source: Any = wellknown
    if name == "descriptor":
        source = descriptor_messages
    names = WELL_KNOWN.get(name) or source.__all__
    for public in names:
        value = getattr(source, public)
        if hasattr(value, "__members__"):
            namespace.update({key: int(member) for key, member in value.__members__.items()})
            namespace[public] = enum_wrapper(value)
        else:
            namespace[public] = place(compat_class(value), module.__name__)
    namespace["__all__"] = list(names)

    def get_attribute(attribute: str) -> Any:
        if attribute == "DESCRIPTOR":
            return default_pool().FindFileByName(f"google/protobuf/{name}.proto")
        if attribute.startswith("_") and attribute[1:2].isupper():
            return descriptor_named(attribute, module)
        raise MissingName(f"google.protobuf.{name}_pb2.{attribute}")

    namespace["__getattr__"] = get_attribute


def _version_or_module(name: str) -> Any:
    return behavior().version if name == "__version__" else _refuse("")(name)


def _refuse(module: str) -> Any:
    """Return the `__getattr__` of a module: it imports the modules below it, and refuses other names."""

    def get_attribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        below = f"{module}.{name}".lstrip(".")
        if below in MODULES:
            return importlib.import_module(f"{__package__}.google.protobuf.{below}")
        raise MissingName(f"google.protobuf.{below}")

    return get_attribute
