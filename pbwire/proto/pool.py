"""Linked files: symbols by full name, and the rules by which a name is looked up.

A name is looked up in its own scope, then in the scopes around it. A file sees its own symbols, those of its imports,
and those that these import publicly.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .features import DEFAULTS, Features, syntax_of
from .source import SourceFile

AGGREGATES = ("package", "message", "enum", "service")


@dataclass(slots=True, eq=False)
class Symbol:
    """A declaration: its descriptor `proto`, and the symbol of the message around it.

    `kind` is "package", "message", "enum", "value", "field", "extension", "oneof", "service" or "method".
    """

    kind: str
    full_name: str
    proto: Any
    file: LinkedFile | None
    parent: Symbol | None = None
    features: Features = DEFAULTS["editions"]
    fields: dict[str, Any] | None = None
    by_number: dict[int, Any] | None = None


@dataclass(slots=True, eq=False)
class LinkedFile:
    """A file whose names are resolved.

    visible              the names of the files whose symbols it sees
    visible_to_options   the same, and those of the files that are imported for options
    symbols              its own, in the order of their declaration
    """

    source: SourceFile
    visible: set[str]
    visible_to_options: set[str]
    symbols: list[Symbol] = field(default_factory=list)
    features: Features = DEFAULTS["editions"]
    class_paths: dict[str, str] | None = None

    @property
    def proto(self) -> Any:
        return self.source.descriptor

    @property
    def syntax(self) -> str:
        return syntax_of(self.source.descriptor)


class Pool:
    """Linked files by name, imports first, and their symbols by full name, without a leading dot."""

    def __init__(self) -> None:
        self.files: dict[str, LinkedFile] = {}
        self.symbols: dict[str, Symbol] = {}
        self.packages: dict[str, set[str]] = {}
        self.extensions: dict[str, dict[int, Symbol]] = {}
        self.extension_ranges: dict[str, list[tuple[int, int]]] = {}
        self._folders: tuple[int, frozenset[tuple[str, ...]]] = (0, frozenset())

    def folders(self, folders_of: Callable[[str], Iterable[tuple[str, ...]]]) -> frozenset[tuple[str, ...]]:
        """Return the folders of all files, which `folders_of` gives for the name of each."""
        if self._folders[0] != len(self.files):
            self._folders = (len(self.files), frozenset(folder for file in self.files for folder in folders_of(file)))
        return self._folders[1]

    def imports(self, name: str) -> list[str]:
        """Return the names of the files that a file imports."""
        file = self.files[name].proto
        return [*file.dependency, *(one for one in file.option_dependency if one in self.files)]

    def forget(self, file: LinkedFile) -> None:
        """Remove what a file that is not in the pool has declared so far."""
        for symbol in file.symbols:
            del self.symbols[symbol.full_name]
            self.extension_ranges.pop(symbol.full_name, None)
        for numbers in self.extensions.values():
            for number in [number for number, symbol in numbers.items() if symbol.file is file]:
                del numbers[number]
        for package, files in list(self.packages.items()):
            files.discard(file.source.name)
            if not files:
                del self.packages[package], self.symbols[package]

    def messages(self) -> Iterator[Symbol]:
        return (symbol for symbol in self.symbols.values() if symbol.kind == "message")

    def find(self, full_name: str, visible: set[str]) -> Symbol | None:
        """Return a symbol of the files with the names `visible`."""
        symbol = self.symbols.get(full_name)
        if symbol is None or (symbol.file is not None and symbol.file.source.name not in visible):
            return None
        if symbol.kind == "package" and self.packages[full_name].isdisjoint(visible):
            return None
        return symbol

    def look_up(self, name: str, scope: str, visible: set[str], kinds: tuple[str, ...]) -> Symbol | str | None:
        """Return the symbol for `name` in `scope`; if only its first part is found, the whole name that is missing."""
        if name.startswith("."):
            return self.find(name[1:], visible)
        first, dot, _ = name.partition(".")
        while True:
            prefix = f"{scope}." if scope else ""
            symbol = self.find(prefix + first, visible)
            if symbol is not None and dot:
                if symbol.kind in AGGREGATES:
                    return self.find(prefix + name, visible) or prefix + name
            elif symbol is not None and symbol.kind in kinds:
                return symbol
            if not scope:
                return None
            scope = scope.rpartition(".")[0]

    def fields_of(self, symbol: Symbol) -> dict[str, Any]:
        """Return the fields of a message by name."""
        if symbol.fields is None:
            symbol.fields = {field.name: field for field in symbol.proto.field}
        return symbol.fields

    def parts_by_number(self, symbol: Symbol) -> dict[int, Any]:
        """Return the fields of a message, or the values of an enum, by number; of two with one number the first."""
        if symbol.by_number is None:
            parts = symbol.proto.value if symbol.kind == "enum" else symbol.proto.field
            symbol.by_number = {part.number or 0: part for part in reversed(parts)}
        return symbol.by_number

    def numbers_of(self, symbol: Symbol) -> dict[str, int]:
        """Return the numbers of an enum by the names of its values."""
        if symbol.fields is None:
            symbol.fields = {value.name: value.number or 0 for value in symbol.proto.value}
        return symbol.fields

    def allows_extension(self, full_name: str, number: int) -> bool:
        """Return whether a message declares a number as one of extensions. Its ranges do not overlap."""
        ranges = self.extension_ranges.get(full_name)
        if ranges is None:
            declared = self.symbols[full_name].proto.extension_range
            ranges = self.extension_ranges[full_name] = sorted((one.start or 0, one.end or 0) for one in declared)
        index = bisect_right(ranges, (number, 1 << 32)) - 1
        return index >= 0 and ranges[index][0] <= number < ranges[index][1]


def with_imports(pool: Pool, names: list[str]) -> list[str]:
    """Return the names of files and of all files that they import, in the order of the depth-first search of protoc."""
    order: dict[str, None] = {}
    opened = [(name, iter(pool.imports(name))) for name in reversed(names)]
    seen = set()
    while opened:
        name, imports = opened[-1]
        seen.add(name)
        following = next((one for one in imports if one not in seen), None)
        if following is not None:
            opened.append((following, iter(pool.imports(following))))
        else:
            order[name] = None
            opened.pop()
    return list(order)


def is_message_set(message: Any) -> bool:
    """Return whether a descriptor is of a MessageSet. One without numbers for extensions is an ordinary message."""
    is_marked = message.options is not None and bool(message.options.message_set_wire_format)
    return is_marked and bool(message.extension_range)
