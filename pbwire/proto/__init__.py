"""Message classes and tables from .proto files, without protoc.

    types = proto.load("a.proto", include=["."])
    types["pkg.Message"](name="x").to_bytes()

    lexer.py, token_reader.py  from text to tokens, and to their values
    option_parser.py           options and defaults
    parser.py                  from tokens to the descriptor of one file
    source.py                  where the parts of a descriptor are in the text, and their comments
    defaults.py                defaults in descriptors
    descriptor_messages.py     descriptor.proto as a table module
    features.py                the differences between proto2, proto3 and editions
    editions.py                checks of editions since 2024: the style of names, visibility
    pool.py, linker.py         symbols; the names of types are resolved
    options.py, checks.py      options are interpreted; declarations are checked as protoc does
    loader.py                  find files in include folders
    names.py, classes.py       message classes at run time
    well_known.py              Google's well-known messages, whose classes are those of pbwire.wellknown
    retention.py               options that are left out of descriptors
    layout.py, module_names.py lines and names of Python source
    documentation.py           docstrings and comments of a module, which a new version keeps
    module_writer.py           table modules as people write them

proto2, proto3 and the editions 2023, 2024 and 2026 are supported. Errors are `pbwire.errors.ProtoError`, which begin as
those of compilers: "a.proto:12:5: ...". The extensions of a message are declared with its class:
`types.extensions["pkg.name"]`.

The package imports descriptors, messages and tables of pbwire, neither text format nor JSON. Users call it, and
`pbwire.commands`; `import pbwire` does not import it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path as FilePath
from typing import Any

from ..errors import DecodeError, ProtoError
from .classes import MessageTypes
from .descriptor_messages import FileDescriptorSet
from .loader import Loader, load_descriptor_set, load_files
from .pool import with_imports
from .retention import descriptor_set

__all__ = [
    "FileDescriptorSet",
    "MessageTypes",
    "ProtoError",
    "descriptors",
    "is_set",
    "load",
    "load_set",
    "load_text",
    "read_set",
]

Path = str | os.PathLike[str]
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")


def load(*paths: Path, include: Iterable[Path] = (".",)) -> MessageTypes:
    """Return the message classes and enums of .proto files and of all files that they import, by full name.

    `include` are the folders in which imports are found. Google's own files need none. Raises ProtoError, or OSError.
    """
    return MessageTypes(*load_files(paths, include))


def load_text(text: str, name: str = "input.proto", *, include: Iterable[Path] = ()) -> MessageTypes:
    """Return the message classes and enums of the text of a .proto file. Raises ProtoError."""
    loader = Loader([FilePath(folder) for folder in include])
    loader.load_text(text, name)
    return MessageTypes(loader.pool, [name])


def load_set(data: Any) -> MessageTypes:
    """Return the classes of a FileDescriptorSet, or of its bytes: what `protoc --descriptor_set_out` writes.

    The set needs the imports too (`--include_imports`). Raises ProtoError.
    """
    pool = load_descriptor_set(data if isinstance(data, FileDescriptorSet) else read_set(data))
    return MessageTypes(pool, list(pool.files))


def is_set(data: bytes) -> bool:
    """Return whether bytes are a FileDescriptorSet, possibly a damaged one, rather than the text of a .proto file.

    A set begins with the tag of its first file. The text of a .proto file may begin with the same byte, a line feed,
    but has no control characters, and is not a set with a named file.
    """
    if not data.startswith(b"\n"):
        return False
    if _CONTROL.search(data):
        return True
    try:
        files = FileDescriptorSet.from_bytes(data).file
    except DecodeError:
        return False
    return all(file.name for file in files)


def read_set(data: bytes) -> FileDescriptorSet:
    """Decode a FileDescriptorSet. Raises ProtoError."""
    try:
        return FileDescriptorSet.from_bytes(data)
    except DecodeError as error:
        raise ProtoError(f"these bytes are not a FileDescriptorSet: {error}") from None


def descriptors(*paths: Path, include: Iterable[Path] = (".",), imports: bool = True) -> FileDescriptorSet:
    """Return the FileDescriptorSet of .proto files, and with `imports`, of all files that they import, imports first.

    Raises ProtoError, or OSError.
    """
    pool, names = load_files(paths, include)
    return FileDescriptorSet(descriptor_set(pool, with_imports(pool, names) if imports else names).file)
