"""Find and load .proto files: `import` names files inside the include folders, and never leaves them.

Google's own files, `google/protobuf/any.proto` and others, are part of this package. A file of the same name in an
include folder takes precedence.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from pkgutil import get_data
from typing import Any, NoReturn

from ..errors import DecodeError, ProtoError
from . import descriptor_messages as d
from .lexer import Token, shown
from .linker import link
from .parser import EDITIONS, parse
from .pool import Pool
from .source import SourceFile

DESCRIPTOR = "google/protobuf/descriptor.proto"
OPTIONS = "google.protobuf.FileOptions"


def load_files(
    paths: Iterable[str | os.PathLike[str]], include: Iterable[str | os.PathLike[str]]
) -> tuple[Pool, list[str]]:
    """Load .proto files with their imports. Return the linked files, and the names of those that `paths` are.

    Raises ProtoError, or OSError for a file that cannot be read.
    """
    loader = Loader([Path(folder) for folder in include])
    names = [loader.name_of(Path(path)) for path in paths]
    for name in names:
        loader.load(name)
    return loader.pool, names


def load_descriptor_set(descriptors: Any) -> Pool:
    """Link the files of a FileDescriptorSet, whose imports come first. Raises ProtoError."""
    pool = Pool()
    for file in descriptors.file:
        if (file.name or "") in pool.files:
            raise ProtoError("the set has this file twice", file=file.name)
        for name in file.dependency:
            if name not in pool.files:
                raise ProtoError(
                    f'the set does not have "{shown(name)}" before this file, which imports it', file=file.name
                )
        link_descriptor(file, pool)
    return pool


def link_descriptor(file: Any, pool: Pool) -> None:
    """Link a FileDescriptorProto, whose imports the pool has. Raises ProtoError."""
    try:
        _check_indices(file)
        file = d.FileDescriptorProto.from_bytes(file.to_bytes())  # linking completes the descriptor
    except (DecodeError, TypeError) as error:
        raise ProtoError(str(error), file=file.name) from None
    link(_with_comments(file), pool)


def _check_indices(file: Any) -> None:
    for index in file.public_dependency:
        if not 0 <= index < len(file.dependency):
            raise ProtoError(f"there is no import {index}", file=file.name)
    if (file.syntax or "proto2") not in ("proto2", "proto3", "editions"):
        raise ProtoError(f'syntax "{shown(file.syntax)}" is unknown', file=file.name)
    if file.syntax == "editions" and file.edition not in EDITIONS.values():
        raise ProtoError(f"edition {file.edition} is unknown; known: {', '.join(EDITIONS)}", file=file.name)


def _imports(file: Any) -> list[str]:
    return [*file.dependency, *file.option_dependency]


def _with_comments(file: Any) -> SourceFile:
    """Return a source without text, with the comments of `source_code_info`."""
    source = SourceFile(file)
    for location in file.source_code_info.location if file.source_code_info else ():
        comment = location.leading_comments or location.trailing_comments
        part = _at_path(file, location.path) if comment else None
        if part is not None:
            source.comments[id(part)] = comment
    return source


def _at_path(part: Any, path: list[int]) -> Any:
    for number, index in zip(path[::2], path[1::2], strict=False):
        field = part.__table__.by_number.get(number)
        values = (
            getattr(part, field.name) if field is not None and field.is_message and field.label == "repeated" else []
        )
        if not 0 <= index < len(values):
            return None
        part = values[index]
    return part if len(path) % 2 == 0 else None


@dataclass(slots=True)
class _Open:
    """A file whose imports are being loaded: `waiting` are those that are left."""

    source: SourceFile
    waiting: Iterator[str]


class Loader:
    """Loads files into `pool`, each once and after its imports."""

    def __init__(self, include: list[Path]) -> None:
        self.include = include
        self.pool = Pool()

    def name_of(self, path: Path) -> str:
        """Return the name by which other files import the file at `path`.

        A path outside of the include folders makes its own folder one of them. Raises OSError.
        """
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        for folder in self.include:
            try:
                name = os.path.relpath(os.path.abspath(path), os.path.abspath(folder))
            except ValueError:  # another drive
                continue
            if not name.startswith(os.pardir) and path.exists():
                return name.replace(os.sep, "/")
        if path.exists():
            self.include.append(path.parent)
            return path.name
        if path.is_absolute() or os.pardir in path.parts:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return str(path).replace(os.sep, "/")  # of an include folder, or built in

    def load(self, name: str) -> None:
        """Load a file, its imports first. Raises ProtoError."""
        if name in self.pool.files:
            return
        opened: dict[str, _Open] = {}
        self._open(name, opened, None)
        if OPTIONS not in self.pool.symbols and not _is_descriptor_proto(opened[name].source.descriptor):
            self.load(DESCRIPTOR)
        self._load_imports(opened)

    def load_text(self, text: str, name: str) -> None:
        """Load a file from its text, its imports first. Raises ProtoError."""
        self.load(DESCRIPTOR)
        source = parse(text, name)
        self._load_imports({name: _Open(source, iter(_imports(source.descriptor)))})

    def _load_imports(self, opened: dict[str, _Open]) -> None:
        while opened:
            current = next(reversed(opened.values()))
            imported = next(current.waiting, None)
            if imported is None:
                link(current.source, self.pool)
                del opened[current.source.name]
            elif imported in opened:
                circle = [*list(opened)[list(opened).index(imported) :], imported]
                shown_circle = " -> ".join(
                    shown(one) for one in (circle if len(circle) < 9 else [*circle[:4], "...", *circle[-4:]])
                )
                current.source.fail(f"the imports are a circle: {shown_circle}", current.source.imports.get(imported))
            elif imported not in self.pool.files:
                self._open(imported, opened, current.source)

    def _open(self, name: str, opened: dict[str, _Open], importer: SourceFile | None) -> None:
        place = importer.imports.get(name) if importer is not None else None
        text = self._read(name, importer, place)
        source = parse(text, name)
        opened[name] = _Open(source, iter(_imports(source.descriptor)))

    def _read(self, name: str, importer: SourceFile | None, place: Token | None) -> str:
        def fail(problem: str) -> NoReturn:
            if importer is not None:
                importer.fail(problem, place)
            raise ProtoError(problem, file=name)

        parts = name.split("/")
        if (
            not name
            or "\0" in name
            or "\\" in name
            or any(part in ("", ".", "..") for part in parts)
            or ":" in parts[0]
        ):
            fail(
                f'"{shown(name)}" is not the name of a file in an include folder: it is relative, without ".." and "\\"'
            )
        for folder in self.include:
            path = folder / name
            try:
                if not path.is_file():
                    continue
                real = path.resolve()
                if not real.is_relative_to(folder.resolve()):
                    fail(f'"{shown(name)}" is a link that leaves the include folder {folder}')
                data = real.read_bytes()
            except (OSError, ValueError) as error:
                fail(f'"{shown(name)}" cannot be read: {error}')
            return _text(data)
        if name.startswith("google/protobuf/") and (built_in := _built_in(name)) is not None:
            return _text(built_in)
        folders = ", ".join(f"{folder}{'' if folder.is_dir() else ' (no such folder)'}" for folder in self.include)
        there = f"include folders: {folders or 'none given'}"
        if importer is None:
            fail(f"there is no such file, neither here nor in the {there}")
        fail(f'"{shown(name)}" is in none of the {there}')


def _is_descriptor_proto(file: Any) -> bool:
    """Return whether a file declares the messages of options itself, whatever its name."""
    package, _, name = OPTIONS.rpartition(".")
    return file.package == package and any(message.name == name for message in file.message_type)


def _text(data: bytes) -> str:
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")


def _built_in(name: str) -> bytes | None:
    """Return a file of Google's that is part of this package, which may be inside of an archive."""
    try:
        return get_data(__package__ or "", f"include/{name}")
    except OSError:
        return None
