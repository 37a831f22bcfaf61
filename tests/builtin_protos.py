"""Write the .proto files of Google's own messages, `pbwire/proto/include`, from their descriptors.

    python -m tests.builtin_protos FOLDER

FOLDER has the .proto files of a protobuf release, below `google/protobuf`. What is written are the declarations of
their descriptors, in a layout of our own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pbwire
from pbwire import text
from pbwire.proto.descriptor_messages import FieldDescriptorProto
from pbwire.proto.loader import load_files

INCLUDE = Path(pbwire.__file__).parent / "proto" / "include"
FILES = sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.proto"))
PRINTED = [name for name in FILES if not name.endswith("_options.proto")]  # those of editions are written by hand
MAX_NUMBER = (1 << 29) - 1
MAX_ENUM_NUMBER = (1 << 31) - 1


def print_file(file: Any) -> str:
    """Return the text of a descriptor; of what Google's own files have: no services, groups or extensions."""
    lines = [f'syntax = "{file.syntax or "proto2"}";', f"package {file.package};"]
    lines += [f'import "{name}";' for name in file.dependency]
    lines += [f"option {option};" for option in options(file.options)]
    for enum in file.enum_type:
        lines += ["", *print_enum(enum)]
    for message in file.message_type:
        lines += ["", *print_message(message, file.syntax == "proto3")]
    return "\n".join(lines) + "\n"


def print_message(message: Any, proto3: bool) -> Iterator[str]:
    yield f"message {message.name} {{"
    yield from (f"  option {option};" for option in options(message.options))
    entries = {nested.name: nested for nested in message.nested_type if nested.options and nested.options.map_entry}
    for enum in message.enum_type:
        yield from indent(print_enum(enum))
    for nested in message.nested_type:
        if nested.name not in entries:
            yield from indent(print_message(nested, proto3))
    for field in message.field:
        if field.oneof_index is None:
            yield f"  {print_field(field, entries, proto3)}"
    for index, oneof in enumerate(message.oneof_decl):
        yield f"  oneof {oneof.name} {{"
        for field in message.field:
            if field.oneof_index == index:
                yield f"    {print_field(field, entries, True)}"
        yield "  }"
    for numbers in message.extension_range:
        yield f"  extensions {span(numbers.start, numbers.end - 1, MAX_NUMBER)}{brackets(options(numbers.options))};"
    yield from reserved(message, [span(part.start, part.end - 1, MAX_NUMBER) for part in message.reserved_range])
    yield "}"


def print_field(field: Any, entries: dict[str, Any], implicit: bool) -> str:
    label = FieldDescriptorProto.Label(field.label).name.removeprefix("LABEL_").lower()
    entry = entries.get((field.type_name or "").rpartition(".")[2])
    if entry is not None:
        kind = f"map<{type_name(entry.field[0])}, {type_name(entry.field[1])}>"
    else:
        kind = type_name(field) if implicit and label == "optional" else f"{label} {type_name(field)}"
    found = list(options(field.options))
    if field.default_value is not None:
        string = FieldDescriptorProto.Type(field.type).name == "TYPE_STRING"
        found.insert(0, f'default = "{field.default_value}"' if string else f"default = {field.default_value}")
    return f"{kind} {field.name} = {field.number}{brackets(found)};"


def print_enum(enum: Any) -> Iterator[str]:
    yield f"enum {enum.name} {{"
    yield from (f"  option {option};" for option in options(enum.options))
    for value in enum.value:
        yield f"  {value.name} = {value.number}{brackets(options(value.options))};"
    yield from reserved(enum, [span(part.start, part.end, MAX_ENUM_NUMBER) for part in enum.reserved_range])
    yield "}"


def reserved(declaration: Any, numbers: list[str]) -> Iterator[str]:
    if numbers:
        yield f"  reserved {', '.join(numbers)};"
    if declaration.reserved_name:
        names = ", ".join(f'"{name}"' for name in declaration.reserved_name)
        yield f"  reserved {names};"


def span(first: int, last: int, most: int) -> str:
    """Return a range of numbers, both ends included."""
    return str(first) if first == last else f"{first} to {'max' if last == most else last}"


def type_name(field: Any) -> str:
    return field.type_name or FieldDescriptorProto.Type(field.type).name.removeprefix("TYPE_").lower()


def options(message: Any) -> Iterator[str]:
    """Yield `name = value` for each option."""
    for line in text.dumps(message, as_one_line=False).splitlines() if message is not None else []:
        if line.startswith(" ") or line == "}":
            continue
        name = line.partition(":")[0].removesuffix(" {")
        if line.endswith("{"):
            continue
        yield f"{name} = {line.partition(': ')[2]}"
    for name in ("features", "edition_defaults", "feature_support", "declaration"):
        values = getattr(message, name, None) or []
        for value in values if isinstance(values, list) else [values]:
            yield f"{name} = {{ {text.dumps(value, as_one_line=True)} }}"


def brackets(found: Any) -> str:
    found = list(found)
    return f" [{', '.join(found)}]" if found else ""


def indent(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" if line else line for line in lines)


def main() -> None:
    """Write all files."""
    folder = Path(sys.argv[1])
    for name in PRINTED:
        pool, _ = load_files([folder / name], [folder])
        (INCLUDE / name).write_text(print_file(pool.files[name].proto), encoding="utf-8")


if __name__ == "__main__":
    main()
