"""`DescriptorPool`: the files that generated code registers, and the classes of their messages.

Code that protoc generated calls `AddSerializedFile` with the descriptor of its file, and takes its classes from the
result. The messages of files that have tables already, Google's own and those of `table_sources`, are those of the
tables, and are there without being added.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from ... import wellknown
from ...errors import DecodeError, ProtoError
from ...proto import descriptor_messages as d
from ...proto.classes import MessageTypes
from ...proto.loader import Loader, link_descriptor
from ..classes import Message, compat_class
from ..descriptors import (
    Descriptor,
    EnumDescriptor,
    ExtensionDescriptor,
    FieldDescriptor,
    FileDescriptor,
    MethodDescriptor,
    OneofDescriptor,
    ServiceDescriptor,
    enum_descriptor,
    extension_descriptor,
)
from ..descriptors.features import checked_defaults, defaults_of
from ..descriptors.file_protos import file_proto, google_file, public_classes
from ..values.checks import c_integer
from .added_files import complete_fields, first_lacking
from .loaded_files import LoadedFile

_GOOGLE_FILES = {
    f"google.protobuf.{name}": f"google/protobuf/{file}.proto"
    for file, names in {
        "api": "Api Method Mixin",
        "compiler/plugin": "compiler.Version compiler.CodeGeneratorRequest compiler.CodeGeneratorResponse",
        "source_context": "SourceContext",
        "type": "Type Field Enum EnumValue Option Syntax",
    }.items()
    for name in names.split()
}
"""Google's own files that have no tables, by the full names of their messages and enums."""


class TableFile(NamedTuple):
    """A .proto file that has a table module. `names` gives the name of the file of another table module."""

    module: str
    package: str
    names: Callable[[str], str]


table_sources: list[Callable[[str], TableFile | None]] = []
"""Functions that return the tables of a .proto file by its name, or by the full name of a message or an enum."""


class DescriptorPool:
    """Files, their messages and enums by full name, and their classes.

    A pool over a database takes the files that it lacks from there: `descriptor_db` has the methods FindFileByName and
    FindFileContainingSymbol, and may have FindFileContainingExtension and FindAllExtensionNumbers.
    """

    def __init__(self, descriptor_db: Any = None, types: MessageTypes | None = None) -> None:
        self._database = descriptor_db
        self._feature_defaults: Any = None
        self._loader = Loader([])
        if types is not None:
            self._loader.pool = types.pool
        self._types = types or MessageTypes(self._loader.pool, [])
        self._packages: set[str] = set()
        self._files: dict[str, LoadedFile] = {}
        self._own_files: dict[str, bytes] = {}
        self._types.descriptor_pool = self

    # --- adding files --------------------------------------------------------------------------------------------

    def AddSerializedFile(self, serialized_file_desc_proto: bytes) -> FileDescriptor:
        """Add an encoded FileDescriptorProto, and return its descriptor. Raises TypeError for one that is not valid.

        Raises ValueError in a pool over a database, which has the files.

        A file that the pool has already is returned. It is an error if the other one differs, or is one of the tables
        and lacks something. Google's own files are always those of the tables.
        """
        self._refuse_database("AddSerializedFile")
        try:
            proto = d.FileDescriptorProto.from_bytes(serialized_file_desc_proto)
        except DecodeError as error:
            raise TypeError(f"Couldn't parse file content!: {error}") from None
        return self._add(proto)

    def Add(self, file_desc_proto: Any) -> FileDescriptor:
        """Add a FileDescriptorProto as `AddSerializedFile` does."""
        self._refuse_database("Add")
        return self.AddSerializedFile(file_desc_proto.SerializeToString())

    def _refuse_database(self, method: str) -> None:
        if self._database is not None:
            raise ValueError(
                f"Cannot call {method} on a DescriptorPool that uses a DescriptorDatabase. "
                "Add your file to the underlying database."
            )

    def _add(self, proto: Any) -> FileDescriptor:
        name = proto.name or ""
        complete_fields(proto)
        pool = self._loader.pool
        if name in _google_classes() or name in _GOOGLE_FILES.values():
            return self.FindFileByName(name)
        if name in pool.files:
            self._check_known(proto)
            return self.FindFileByName(name)
        if self._feature_defaults is not None:
            defaults_of(proto, self._feature_defaults)
        for imported in proto.dependency:
            if imported not in pool.files and not self._load(imported, "FindFileByName"):
                raise TypeError(
                    "Couldn't build proto file into descriptor pool: "
                    f"Depends on file '{imported}', but it has not been loaded"
                )
        try:
            link_descriptor(proto, pool)
        except ProtoError as error:
            raise TypeError(f"Couldn't build proto file into descriptor pool: {error}") from None
        self._own_files[name] = proto.to_bytes()
        self._types.add_file(name)
        return self.FindFileByName(name)

    def _check_known(self, proto: Any) -> None:
        """Raise TypeError if a file of this name is another one. Tables have another version, which must have more."""
        own = self._own_files.get(proto.name)
        lacking = first_lacking(proto, self._loader.pool.files[proto.name].proto) if own is None else ""
        if lacking or (own is not None and own != proto.to_bytes()):
            problem = f": the version that tables have lacks {lacking}" if lacking else ""
            raise TypeError(
                f"Couldn't build proto file into descriptor pool: duplicate file name '{proto.name}'{problem}"
            )

    def _load_tables(self, name: str) -> bool:
        """Load a file that has tables, with its imports; return False if there is none of this name.

        The name may be the full name of a message or an enum instead. A name that a file had in another version of
        TensorFlow becomes a file that imports it publicly.
        """
        pool = self._loader.pool
        if name in pool.files:
            return True
        if name.startswith("google.protobuf."):
            files = _google_classes().items()
            name = next((file for file, classes in files if name in classes), _GOOGLE_FILES.get(name, name))
        if name in _google_classes() or name in _GOOGLE_FILES.values():
            self._loader.load(name)
            for loaded in pool.files:
                if loaded not in self._types.files and loaded.startswith("google/protobuf/"):
                    self._types.add_file(loaded, _google_classes().get(loaded))
            return True
        tables = next((found for source in table_sources if (found := source(name)) is not None), None)
        if tables is None:
            return False
        own_name = tables.names(tables.module)
        if name.endswith(".proto") and name != own_name:
            self._load_tables(own_name)
            moved = d.FileDescriptorProto(name=name, syntax="proto3", dependency=[own_name], public_dependency=[0])
            link_descriptor(moved, pool)
            return True
        if own_name in pool.files:
            return True
        module = importlib.import_module(tables.module)
        proto = file_proto(module, tables.package, own_name, tables.names)
        for imported in proto.dependency:
            self._load_tables(imported)
        link_descriptor(proto, pool)
        prefix = f"{proto.package}." if proto.package else ""
        self._packages |= {tables.package} - {""}
        self._types.add_file(proto.name, _classes_below(module, module.__name__, prefix))
        return True

    def _load(self, name: str, method: str) -> bool:
        """Load a file by its name, or by that of a declaration, from the tables or the database.

        Return False if there is none. `method` is that of the database.
        """
        return self._load_tables(name) or self._ask_database(method, name)

    def _ask_database(self, method: str, *arguments: Any) -> bool:
        """Add the file that a method of the database finds. Return False if there is none."""
        if self._database is None:
            return False
        try:
            proto = getattr(self._database, method)(*arguments)
        except KeyError:
            return False
        if proto is None:
            return False
        if not isinstance(proto, Message):
            raise TypeError(f"Expected a message object, but got {proto!r}.")
        self._add(d.FileDescriptorProto.from_bytes(proto.SerializeToString()))
        return True

    # --- finding -------------------------------------------------------------------------------------------------

    def FindFileByName(self, file_name: str) -> FileDescriptor:
        """Return the descriptor of a file. Raises KeyError, as all methods that find something."""
        _check_name(file_name)
        if file_name not in self._loader.pool.files:
            self._load(file_name, "FindFileByName")
            if file_name not in self._loader.pool.files:  # the name of a message
                raise KeyError(f"Couldn't find file {file_name}")
        return self._file(file_name)

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:
        """Return the file that declares something."""
        found = self._symbol(symbol, "symbol")
        if found.file is None:
            raise KeyError(f"Couldn't find symbol {symbol}")
        return self._file(found.file.source.name)

    def file_of(self, cls: Any, full_name: str) -> FileDescriptor | None:
        """Return the file of a message or an enum, a dataclass; None if this pool has no such class."""
        try:
            file = self.FindFileContainingSymbol(full_name)
        except KeyError:
            return None
        return file if self._types.get(full_name) is cls else None

    def FindMessageTypeByName(self, full_name: str) -> Descriptor:
        """Return the descriptor of a message."""
        symbol = self._symbol(full_name, "message", "message")
        if symbol.proto.options is not None and symbol.proto.options.map_entry:
            outer = self.FindMessageTypeByName(symbol.parent.full_name)
            return outer.nested_types_by_name[symbol.proto.name]
        return self._class(full_name).DESCRIPTOR  # type: ignore[no-any-return]  # a class made here

    def FindEnumTypeByName(self, full_name: str) -> EnumDescriptor:
        """Return the descriptor of an enum."""
        self._symbol(full_name, "enum", "enum")
        return enum_descriptor(self._types[full_name])

    def FindFieldByName(self, full_name: str) -> FieldDescriptor:
        """Return the descriptor of a field."""
        self._symbol(full_name, "field", "field")
        message, _, name = full_name.rpartition(".")
        return self.FindMessageTypeByName(message).fields_by_name[name]

    def FindOneofByName(self, full_name: str) -> OneofDescriptor:
        """Return the descriptor of a oneof."""
        self._symbol(full_name, "oneof", "oneof")
        message, _, name = full_name.rpartition(".")
        return self.FindMessageTypeByName(message).oneofs_by_name[name]

    def FindExtensionByName(self, full_name: str) -> ExtensionDescriptor:
        """Return the descriptor of an extension."""
        symbol = self._symbol(full_name, "extension", "extension")
        extension = self._types.extensions.get(symbol.full_name)
        if extension is None:  # its number is that of another pool's extension
            raise KeyError(f"Couldn't find extension {full_name}")
        return extension_descriptor(extension, self._package(symbol.full_name))

    def FindExtensionByNumber(self, message_descriptor: Any, number: int) -> ExtensionDescriptor:
        """Return the descriptor of the extension of a message that has this number."""
        number = c_integer(number, 32)
        table = message_descriptor._table
        if table.is_extendable and number not in table.extensions:
            with contextlib.suppress(Exception):  # as protobuf: what a database raises here is ignored
                self._ask_database("FindFileContainingExtension", message_descriptor.full_name, number)
        extension = table.extensions.get(number) if table.is_extendable else None
        if extension is None:
            raise KeyError(f"Couldn't find Extension {number}")
        return extension_descriptor(extension, table.package)

    def FindAllExtensions(self, message_descriptor: Any) -> list[ExtensionDescriptor]:
        """Return the descriptors of the extensions of a message."""
        table = message_descriptor._table
        if self._database is not None:
            with contextlib.suppress(Exception):  # as protobuf: what a database raises here is ignored
                for number in self._database.FindAllExtensionNumbers(message_descriptor.full_name):
                    self.FindExtensionByNumber(message_descriptor, number)
        found = table.extensions.values() if table.is_extendable else ()
        return [extension_descriptor(extension, table.package) for extension in found]

    def FindServiceByName(self, full_name: str) -> ServiceDescriptor:
        """Return the descriptor of a service."""
        symbol = self._symbol(full_name, "service", "service")
        found: ServiceDescriptor = self._file(symbol.file.source.name).services_by_name[symbol.proto.name]
        return found

    def FindMethodByName(self, full_name: str) -> MethodDescriptor:
        """Return the descriptor of a method of a service."""
        self._symbol(full_name, "method", "method")
        service, _, name = full_name.rpartition(".")
        return self.FindServiceByName(service).methods_by_name[name]

    def SetFeatureSetDefaults(self, defaults: Any) -> None:
        """Replace the built-in features of editions, for `_GetFeatures`, by those of a FeatureSetDefaults.

        Raises TypeError for other objects, and ValueError for editions out of order and in a pool that has files.
        """
        if self._loader.pool.files or self is default_pool():
            raise ValueError("Feature set defaults can't be changed once the pool has started building files")
        self._feature_defaults = checked_defaults(defaults)

    def _symbol(self, full_name: str, what: str, kind: str = "") -> Any:
        _check_name(full_name)
        name = full_name.removeprefix(".")
        found = self._loader.pool.symbols.get(name)
        if found is None and self._load(name, "FindFileContainingSymbol"):
            found = self._loader.pool.symbols.get(name)
        if found is None or (kind and found.kind != kind):
            raise KeyError(f"Couldn't find {what} {full_name}")
        return found

    def _class(self, full_name: str) -> Any:
        return compat_class(self._types[full_name], self._package(full_name))

    def _package(self, full_name: str) -> str:
        """Return the package that the classes of a full name are given: see `compat_class`."""
        first = full_name.partition(".")[0]
        return first if first in self._packages else ""

    def dataclass(self, full_name: str) -> Any:
        """Return the dataclass of a message."""
        self._symbol(full_name, "message", "message")
        return self._types[full_name]

    @property
    def loaded_messages(self) -> Mapping[str, Any]:
        """The dataclasses of the messages of all files that have been added or used."""
        return self._types.messages

    def _file(self, name: str) -> FileDescriptor:
        if name not in self._files:
            self._files[name] = LoadedFile(self, name)
        return self._files[name]


def _check_name(name: Any) -> None:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"bad argument type for built-in operation: a name is a str, not a {type(name).__name__}")


def _classes_below(scope: Any, module: str, prefix: str) -> dict[str, Any]:
    """Return the messages and enums of a scope, with those inside of them, by full names that begin with `prefix`."""
    classes: dict[str, Any] = {}
    for name, cls in public_classes(scope, module):
        own = prefix + name.rpartition(".")[2]
        classes[own] = cls
        classes |= _classes_below(cls, module, f"{own}.")
    return classes


@cache
def _google_classes() -> dict[str, dict[str, Any]]:
    """Return the classes of Google's own files, by the names of the files."""
    well_known = _classes_below(wellknown, wellknown.__name__, "google.protobuf.")
    files: dict[str, dict[str, Any]] = {}
    for name, cls in well_known.items():
        files.setdefault(google_file(cls), {})[name] = cls
    files["google/protobuf/descriptor.proto"] = _classes_below(d, d.__name__, "google.protobuf.")
    return files


@cache
def default_pool() -> DescriptorPool:
    """Return the pool of all generated code of the process."""
    return DescriptorPool()


def pool_of(types: MessageTypes) -> DescriptorPool:
    """Return the pool of classes that were made at run time."""
    return types.descriptor_pool or DescriptorPool(types=types)
