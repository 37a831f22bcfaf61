"""The names in a table module: its classes, the classes that it imports, and how a row refers to each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import iskeyword

from ..errors import ProtoError
from .classes import is_entry
from .lexer import shown
from .names import Names, class_name, extension_name
from .pool import LinkedFile, Pool, Symbol
from .well_known import FILES

MAX_FOLDERS = 100
"""The most folders around a module: all of them are looked up for each file."""

BUILTINS = ("bool", "bytes", "dict", "float", "int", "list", "str")
KNOWN_MODULES = dict.fromkeys(FILES, "pbwire.wellknown") | {
    "google/protobuf/descriptor.proto": "pbwire.proto.descriptor_messages"
}

REFERENCES = ("type_name", "extendee", "input_type", "output_type")
"""The parts of descriptors of fields, extensions and methods that name messages and enums."""


def module_path(file: str, pool: Pool) -> tuple[str, ...]:
    """Return the folders and the name of the module for a .proto file: names that Python can import.

    The module of "a/b.proto" is "a/b_.py" if there is a file "a/b/c.proto": Python imports a folder before a module.
    """
    *folders, name = path = _importable(file)
    if tuple(part.casefold() for part in path) in pool.folders(_folders):
        name += "_"
    return (*folders, name)


def _importable(file: str) -> tuple[str, ...]:
    if file.count("/") > MAX_FOLDERS:
        folders = f"is in {file.count('/'):,} folders, and a module may be in {MAX_FOLDERS}"
        raise ProtoError(f'the file "{shown(file)}" {folders}')
    return tuple(_module_name(part) for part in file.removesuffix(".proto").split("/"))


def _folders(file: str) -> Iterator[tuple[str, ...]]:
    """Yield the folders around the module of a file, without regard to case, as on some file systems."""
    path = tuple(part.casefold() for part in _importable(file)) if file not in KNOWN_MODULES else ()
    for length in range(1, len(path)):
        yield path[:length]


def _module_name(part: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_]", "_", part)
    if name[:1].isdigit() or not name:
        name = f"_{name}"
    return f"{name}_" if iskeyword(name) or name.startswith("__") else name


class ModuleNames:
    """The names of one module."""

    def __init__(self, file: LinkedFile, pool: Pool) -> None:
        self.file = file
        self.pool = pool
        self.paths: dict[str, str] = {}  # the classes of this module, by full name: "Outer.Inner"
        self.imports: dict[str, dict[str, str]] = {}  # names of classes by module: their names here
        self.own: list[str] = []
        self._imported: dict[str, str] = {}
        self._top = _reserved(file)
        self._name_classes()
        for symbol in self._foreign():
            self._import(symbol)
        self.forbidden = frozenset({*self.own, *self._imported, "pb", "builtins"})
        """Names that a field cannot have, because they would hide a class."""
        used = {*self._top, *self._imported}
        self.extensions = {
            symbol.full_name: extension_name(symbol.proto.name, used)
            for symbol in file.symbols
            if symbol.kind == "extension" and symbol.parent is None
        }
        self.services = {
            symbol.full_name: extension_name(symbol.proto.name, used)
            for symbol in file.symbols
            if symbol.kind == "service"
        }

    def _name_classes(self) -> None:
        """Name the classes of the module: first those of the file, whose names nested ones cannot have."""
        nested: list[Symbol] = []
        for symbol in self.file.symbols:
            if symbol.kind not in ("message", "enum") or is_entry_symbol(symbol):
                continue
            if symbol.parent is not None:
                nested.append(symbol)
                continue
            name = class_name(symbol.proto.name, self._top)
            self.paths[symbol.full_name] = name
            self.own.append(name)
        scopes: dict[str, Names] = {}  # by the full name of the message around them
        for symbol in nested:
            assert symbol.parent is not None
            outer = symbol.parent.full_name
            if outer not in self.paths:  # the type of the entries of a map
                continue
            name = class_name(symbol.proto.name, scopes.setdefault(outer, Names(self._top)))
            self.paths[symbol.full_name] = f"{self.paths[outer]}.{name}"

    def _foreign(self) -> list[Symbol]:
        """Return the types in other files that fields and methods have, and the messages there that are extended."""
        found: dict[str, Symbol] = {}
        for symbol in self.file.symbols:
            for name in (getattr(symbol.proto, reference, None) for reference in REFERENCES):
                target = self.pool.symbols[name[1:]] if name is not None else None
                if target is not None and target.file is not self.file:
                    found[target.full_name] = target
        return list(found.values())

    def _import(self, symbol: Symbol) -> None:
        assert symbol.file is not None
        outermost = symbol
        while outermost.parent is not None:
            outermost = outermost.parent
        names = class_paths(symbol.file, self.pool)
        path, top = names[symbol.full_name], names[outermost.full_name]
        module = self.module_of(symbol.file)
        here = self.imports.setdefault(module, {})
        if top not in here:
            alias = top
            while alias in self._top or alias in self._imported:
                alias = f"{module_path(symbol.file.source.name, self.pool)[-1]}_{alias}"
            here[top] = alias
            self._imported[alias] = top
        self.paths[symbol.full_name] = here[top] + path[len(top) :]

    def module_of(self, file: LinkedFile) -> str:
        """Return the module of another file, as this module imports it."""
        if (known := KNOWN_MODULES.get(file.source.name)) is not None:
            return known
        ours, theirs = (module_path(one.source.name, self.pool) for one in (self.file, file))
        common = 0
        while common < min(len(ours), len(theirs)) - 1 and ours[common] == theirs[common]:
            common += 1
        return "." * (len(ours) - common) + ".".join(theirs[common:])


def _reserved(file: LinkedFile) -> set[str]:
    """Return the names that the classes of a module cannot have."""
    return {*BUILTINS, "pb", "builtins", "annotations", *(["services"] if file.proto.service else [])}


def is_entry_symbol(symbol: Symbol) -> bool:
    return symbol.kind == "message" and is_entry(symbol.proto)


def class_paths(file: LinkedFile, pool: Pool) -> dict[str, str]:
    """Return the paths of the classes in the module of a file, by full name."""
    if file.source.name in KNOWN_MODULES:
        package = len(file.proto.package or "") + 1
        return {symbol.full_name: symbol.full_name[package:] for symbol in file.symbols}
    if file.class_paths is None:
        names = ModuleNames.__new__(ModuleNames)
        names.file, names.pool, names.paths, names.own = file, pool, {}, []
        names._top = _reserved(file)
        names._name_classes()
        file.class_paths = names.paths
    return file.class_paths
