"""Classes for each library from one FileDescriptorSet: by its protoc plugin, or by a generator here."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pbwire.proto import descriptor_messages as d

from .environment import ROOT, TOOLS, Environment, Failure, Library, run

__all__ = ["generate", "protobug_module"]

PLUGINS = {
    "protobuf": "",  # part of protoc
    "protobuf_py": "protoc-gen-py",
    "betterproto": "protoc-gen-python_betterproto",
    "betterproto2": "protoc-gen-python_betterproto2",
}
_TYPES = d.FieldDescriptorProto.Type
_LABELS = d.FieldDescriptorProto.Label


def generate(environment: Environment, library: Library, files: Any, folder: Path) -> None:
    """Write a library's code for a FileDescriptorSet to a folder. Raises Failure."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptors = folder / "descriptors.binpb"
    descriptors.write_bytes(files.to_bytes())
    if library.kind in ("pbwire", "lazy"):
        python = [str(environment.python), "-m", "pbwire", "compile", str(descriptors), "-o", str(folder)]
        run(python, PYTHONPATH=str(ROOT))
    elif library.kind == "protobug":
        (folder / "messages.py").write_text(protobug_module(files), encoding="utf-8")
    else:
        _run_protoc(environment, library, files, folder, descriptors)


def _run_protoc(environment: Environment, library: Library, files: Any, folder: Path, descriptors: Path) -> None:
    for tool in (*TOOLS, library.compiler):
        environment.add_tool(tool)
    plugin = PLUGINS[library.kind]
    output = folder
    if plugin.startswith("protoc-gen-python_better"):  # these write relative imports that leave the folder
        output = folder / "generated"
        output.mkdir(exist_ok=True)
    options = [f"--python_out={output}"]
    if plugin:
        options = [f"--plugin=protoc-gen-peer={environment.tools / plugin}", f"--peer_out={output}"]
    protoc = [str(environment.tools / "python"), "-m", "grpc_tools.protoc", f"--descriptor_set_in={descriptors}"]
    names = [file.name for file in files.file if not file.name.startswith("google/protobuf/")]
    path = f"{environment.tools}:/usr/bin:/bin"  # plugins start formatters
    run([*protoc, *options, *names], PATH=path)


_SCALARS = {
    _TYPES.TYPE_DOUBLE: ("Double", "0.0"),
    _TYPES.TYPE_FLOAT: ("Float", "0.0"),
    _TYPES.TYPE_INT64: ("Int64", "0"),
    _TYPES.TYPE_UINT64: ("UInt64", "0"),
    _TYPES.TYPE_INT32: ("Int32", "0"),
    _TYPES.TYPE_FIXED64: ("Fixed64", "0"),
    _TYPES.TYPE_FIXED32: ("Fixed32", "0"),
    _TYPES.TYPE_BOOL: ("Bool", "False"),
    _TYPES.TYPE_STRING: ("String", "''"),
    _TYPES.TYPE_BYTES: ("Bytes", "b''"),
    _TYPES.TYPE_UINT32: ("UInt32", "0"),
    _TYPES.TYPE_SFIXED32: ("SFixed32", "0"),
    _TYPES.TYPE_SFIXED64: ("SFixed64", "0"),
    _TYPES.TYPE_SINT32: ("SInt32", "0"),
    _TYPES.TYPE_SINT64: ("SInt64", "0"),
}


def protobug_module(files: Any) -> str:
    """Return a module of protobug's classes for all messages; protobug has no generator.

    A class is named after the message, with "_" for dots. protobug resolves the types of a class when it is declared,
    but these messages refer to each other: all are decorated at the end, and are dataclasses to each other until then.
    The names of types begin with "_", because those of fields hide others: AttrValue has a field "list".
    """
    lines = ["from typing import Dict as _Dict, List as _List", "import protobug as _pb", ""]
    messages: list[str] = []
    entries: dict[str, Any] = {}
    scopes = [scope for file in files.file for scope in _scopes(file)]
    for _, enums, _ in scopes:
        for name, enum in enums:
            lines += [f"class {_class(name)}(_pb.Enum, strict=False):"]
            lines += [f"    {_attribute(value.name)} = {value.number}" for value in enum.value] + [""]
    for _, _, found in scopes:
        entries.update({f".{name}": message for name, message in found if _is_entry(message)})
    for syntax, _, found in scopes:
        for name, message in found:
            if not _is_entry(message):
                messages.append(_class(name))
                lines += [f"class {_class(name)}:", "    __dataclass_fields__ = {}"]
                lines += [f"    {_field(field, syntax, entries)}" for field in message.field] + [""]
    return "\n".join([*lines, f"for _cls in ({', '.join(messages)},):", "    _pb.message(_cls)", ""])


def _scopes(file: Any) -> Iterator[tuple[str, list[tuple[str, Any]], list[tuple[str, Any]]]]:
    """Yield the syntax, the enums and the messages of a file and of each message in it, with full names."""

    def inner(prefix: str, enums: Any, messages: Any) -> Iterator[Any]:
        yield file.syntax, [(prefix + enum.name, enum) for enum in enums], [(prefix + m.name, m) for m in messages]
        for message in messages:
            yield from inner(f"{prefix}{message.name}.", message.enum_type, message.nested_type)

    return inner(f"{file.package}." if file.package else "", file.enum_type, file.message_type)


def _is_entry(message: Any) -> bool:
    return bool(message.options and message.options.map_entry)


def _class(full_name: str) -> str:
    return "_" + full_name.lstrip(".").replace(".", "_")


def _attribute(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or name == "mro" else name


def _type(field: Any) -> str:
    if field.type == _TYPES.TYPE_GROUP:
        raise Failure("protobug has no groups")
    scalar = _SCALARS.get(field.type)
    return f"_pb.{scalar[0]}" if scalar else _class(field.type_name)


def _field(field: Any, syntax: str, entries: dict[str, Any]) -> str:
    if field.type_name in entries:
        key, value = entries[field.type_name].field
        annotation, default = f"_Dict[{_type(key)}, {_type(value)}]", "default_factory=dict"
    elif field.label == _LABELS.LABEL_REPEATED:
        annotation, default = f"_List[{_type(field)}]", "default_factory=list"
    elif syntax != "proto3" or field.oneof_index is not None or field.type == _TYPES.TYPE_MESSAGE:
        annotation, default = f"{_type(field)} | None", "default=None"
    else:
        zero = f"{_type(field)}(0)" if field.type == _TYPES.TYPE_ENUM else _SCALARS[field.type][1]
        annotation, default = _type(field), f"default={zero}"
    return f"{_attribute(field.name)}: '{annotation}' = _pb.field({field.number}, {default})"
