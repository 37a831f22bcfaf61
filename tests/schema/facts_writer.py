"""Write schema facts from descriptors: see `tests.support.schema_facts` for the form of the lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from pbwire.proto import descriptor_messages as d
from pbwire.proto.classes import entry_of, is_closed, kind_name
from pbwire.proto.pool import Pool, Symbol
from tests.support.schema_facts import SCALARS

__all__ = ["facts_text"]

_REPEATED = d.FieldDescriptorProto.Label.LABEL_REPEATED
_REQUIRED = d.FieldDescriptorProto.Label.LABEL_REQUIRED
_PACKABLE = SCALARS - {"string", "bytes"}


def facts_text(old: str, pool: Pool, names: set[str]) -> str:
    """Return the facts of the types `names` and of those that have facts already. What `pool` lacks stays as it is."""
    blocks = {_key(block): block for block in _blocks(old)}
    for symbol in pool.symbols.values():
        if symbol.kind in ("message", "enum") and (
            symbol.full_name in names or (symbol.kind, symbol.full_name) in blocks
        ):
            is_entry = symbol.kind == "message" and symbol.proto.options is not None and symbol.proto.options.map_entry
            if not is_entry:
                key = (symbol.kind, symbol.full_name)
                blocks[key] = _merged(blocks.get(key, ""), list(_lines(symbol, pool)))
    return "".join(blocks[key] for key in sorted(blocks, key=lambda key: _order(blocks[key])))


def _merged(old: str, lines: list[str]) -> str:
    """Return the lines of a type, and those rows of its old lines that it lacks: earlier versions have them."""
    rows = {_row(line) for line in lines[1:]}
    lines += [line for line in old.splitlines()[1:] if _row(line) not in rows]
    if lines[0].startswith("message"):
        lines[1:] = sorted(lines[1:], key=lambda line: int(line.split("\t")[1]))
    return "".join(f"{line}\n" for line in lines)


def _row(line: str) -> str:
    """Return what identifies a row: the number of a field, the name of a value."""
    kind, number, name = line.split("\t")[:3]
    return number if kind == "field" else name


def _blocks(text: str) -> Iterator[str]:
    block: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith(("message\t", "enum\t")) and block:
            yield "".join(block)
            block = []
        block.append(line)
    if block:
        yield "".join(block)


def _key(block: str) -> tuple[str, str]:
    kind, name = block.split("\t", 2)[:2]
    return kind, name


def _order(block: str) -> tuple[Any, ...]:
    kind, name, file = block.partition("\n")[0].split("\t")[:3]
    return (1, name) if kind == "enum" else (0, file, name)


def _lines(symbol: Symbol, pool: Pool) -> Iterator[str]:
    assert symbol.file is not None
    file = symbol.file.source.name
    if symbol.kind == "enum":
        yield _line("enum", symbol.full_name, file, *(["closed"] if is_closed(symbol) else []))
        for value in symbol.proto.value:
            yield _line("value", value.number or 0, value.name)
        return
    notes = [",".join(f"{one.start}-{(one.end or 0) - 1}" for one in symbol.proto.reserved_range)]
    yield _line("message", symbol.full_name, file, symbol.file.syntax, *(f"reserved {note}" for note in notes if note))
    for field in sorted(symbol.proto.field, key=lambda field: field.number):
        repeated = field.label == _REPEATED
        entry = entry_of(field, pool)
        type_name = _type(field) if entry is None else f"map<{','.join(map(_type, entry.field))}>"
        label = "repeated" if repeated and entry is None else ""
        yield _line("field", field.number, field.name, type_name, label, " ".join(_notes(field, symbol, pool, entry)))


def _line(*columns: Any) -> str:
    return "\t".join(map(str, columns))


def _type(field: Any) -> str:
    return field.type_name[1:] if field.type_name is not None else str(kind_name(field))


def _notes(field: Any, symbol: Symbol, pool: Pool, entry: Any) -> Iterator[str]:
    packable = (
        field.label == _REPEATED and entry is None and (kind_name(field) in _PACKABLE or kind_name(field) == "enum")
    )
    if packable and _is_packed(field, pool.symbols[f"{symbol.full_name}.{field.name}"]):
        yield "packed"
    if field.proto3_optional:
        yield "optional"
    elif field.oneof_index is not None:
        yield f"oneof={symbol.proto.oneof_decl[field.oneof_index].name}"
    if field.label == _REQUIRED:
        yield "required"
    if kind_name(field) == "group":
        yield "group"
    if field.options is not None and field.options.deprecated:
        yield "deprecated"
    if field.default_value is not None:
        yield shlex.quote(f"default={field.default_value}")


def _is_packed(field: Any, symbol: Symbol) -> bool:
    assert symbol.file is not None
    if field.options is not None and field.options.packed is not None:
        return bool(field.options.packed)
    return symbol.file.syntax == "proto3"
