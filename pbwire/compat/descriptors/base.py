"""The base class of descriptors, the places of declarations, and the descriptors of services.

Code that older versions of protoc generated calls the classes with the parts of a declaration: it gets the descriptors
of its file from the default pool, as in protobuf's C implementation.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeVar

from ...proto.classes import declaration_of
from ..classes import compat_class, unwrap, wrap
from ..values import above
from .features import features_of

K = TypeVar("K")
V = TypeVar("V")


class DescriptorMap(dict[K, V]):
    """The parts of a declaration by name or number. As in protobuf, keys, values and items are lists."""

    def keys(self) -> list[K]:  # type: ignore[override]  # a list, as in protobuf
        return [*self]

    def values(self) -> list[V]:  # type: ignore[override]  # a list, as in protobuf
        return [*super().values()]

    def items(self) -> list[tuple[K, V]]:  # type: ignore[override]  # a list, as in protobuf
        return [*super().items()]


class _DescriptorType(type):
    """The type of descriptor classes: calls of generated code, by keywords, find what is there already."""

    def __call__(cls, *args: Any, **keywords: Any) -> Any:
        if "serialized_pb" in keywords or "full_name" in keywords or "type" in keywords:
            return above.pools().find_declared(cls.__name__, keywords)
        return super().__call__(*args, **keywords)


class Base(metaclass=_DescriptorType):
    """Base class of all descriptors. `proto` is the message of descriptor.proto that says all about it."""

    name: str
    full_name: str

    @cached_property
    def proto(self) -> Any:
        raise NotImplementedError

    @cached_property  # generated code assigns it
    def has_options(self) -> bool:
        return self.proto.options is not None

    def GetOptions(self) -> Any:
        """Return the options: a message, such as MessageOptions, with the custom options of the pool as extensions.

        It is always the same message, and without `features`: see `_GetFeatures`.
        """
        return self._shown_options

    @cached_property
    def _shown_options(self) -> Any:  # generated code of protoc 3.14 assigns None to `_options`
        declared = self._declared_options
        if not declared.HasField("features"):
            return declared
        options = type(declared)()
        options.CopyFrom(declared)
        options.ClearField("features")
        return options

    def _GetFeatures(self) -> Any:
        """Return the features of the declaration, as a FeatureSet: those that it sets and those that it inherits."""
        return self._features

    @cached_property
    def _features(self) -> Any:
        return features_of(self)

    @property
    def _outer(self) -> Any:
        """The declaration around this one; None for a file."""
        return getattr(self, "containing_type", None) or self.file  # type: ignore[attr-defined]  # all but files have it

    @cached_property
    def _declared_options(self) -> Any:
        options = self.proto.options or self.proto.__table__.by_name["options"].type()
        file = getattr(self, "file", self)
        types = file.pool._types if hasattr(file, "pool") else {}
        own = types.get(options.__table__.full_name, type(options))  # a class of its own, in a pool of `pbwire.proto`
        return wrap(options if own is type(options) else own.from_bytes(options.to_bytes()))

    def CopyToProto(self, proto: Any) -> None:
        """Copy the declaration to a message of descriptor.proto, such as DescriptorProto."""
        if type(unwrap(proto)) is not type(self.proto):
            raise TypeError(f"CopyToProto of {self.full_name} takes a {type(self.proto).__name__}")
        proto.CopyFrom(wrap(as_given(self)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.full_name!r}>"


def as_given(descriptor: Base) -> Any:
    """Return the proto of a descriptor, without the names in JSON that linking has added to its file."""
    linked = getattr(getattr(descriptor, "file", descriptor), "_linked", None)
    if linked is None or linked.source.lexer is not None:
        return descriptor.proto
    copy = type(descriptor.proto).from_bytes(descriptor.proto.to_bytes())
    waiting = [(descriptor.proto, copy)]
    while waiting:
        own, copied = waiting.pop()
        if id(own) in linked.source.json_names:
            copied.json_name = None
        for parts in ("message_type", "nested_type", "field", "extension"):
            waiting += zip(getattr(own, parts, ()), getattr(copied, parts, ()), strict=True)
    return copy


def named(protos: Sequence[Any], name: str) -> Any:
    """Return the one that has this name."""
    return next(proto for proto in protos if proto.name == name)


class ServiceDescriptor(Base):
    """A service, for reading: services cannot be called."""

    def __init__(self, file: Any, proto: Any, full_name: str, index: int) -> None:
        self.file, self.proto, self.name, self.full_name, self.index = file, proto, proto.name, full_name, index
        self.containing_type = None
        self.methods = [MethodDescriptor(self, method, place) for place, method in enumerate(proto.method)]
        self.methods_by_name = DescriptorMap({method.name: method for method in self.methods})

    def FindMethodByName(self, name: str) -> MethodDescriptor:
        """Return a method. Raises KeyError."""
        return self.methods_by_name[name]


class MethodDescriptor(Base):
    """A method of a service."""

    @property
    def _outer(self) -> ServiceDescriptor:
        return self.containing_service

    def __init__(self, service: ServiceDescriptor, proto: Any, index: int) -> None:
        self.containing_service, self.proto, self.name, self.index = service, proto, proto.name, index
        self.full_name = f"{service.full_name}.{proto.name}"
        self.client_streaming = bool(proto.client_streaming)
        self.server_streaming = bool(proto.server_streaming)
        pool = service.file.pool
        self.input_type = pool.FindMessageTypeByName(proto.input_type.removeprefix("."))
        self.output_type = pool.FindMessageTypeByName(proto.output_type.removeprefix("."))


def in_declared_order(found: list[Any], cls: Any, kind: str) -> list[Any]:
    """Return what is inside of a message in the order of its descriptor; that of a table is kept."""
    declared = declaration_of(cls)
    if declared is None:
        return found
    places = {proto.name: place for place, proto in enumerate(getattr(declared.symbol.proto, kind))}
    return sorted(found, key=lambda descriptor: places[descriptor.name])


def containing_type(cls: Any, package: str) -> Any:
    """Return the descriptor of the message around a message or an enum; None at the top of a file."""
    declared = declaration_of(cls)
    if declared is not None:
        outer = declared.symbol.parent
        if outer is None or outer.kind != "message":
            return None
        return compat_class(declared.types[outer.full_name], package).DESCRIPTOR
    *names, _ = cls.__qualname__.split(".")
    scope: Any = sys.modules.get(cls.__module__)
    for name in names:
        scope = getattr(scope, name, None)
    if not names or not isinstance(scope, type) or "__table__" not in vars(scope):
        return None
    return compat_class(scope, package).DESCRIPTOR
