"""What a command reads: the options --tags and --type, which tell what of a file is meant, and what is said of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pbwire.guessing import suggestion

from ..errors import Error
from ..printable import printable
from .common import Parser, RequestError, UsageError, warn
from .numbers import byte_size

if TYPE_CHECKING:
    from pbwire.message import Message

__all__ = ["add_reading_options", "add_tags", "message_type", "note_tags", "wanted_class"]


def add_tags(parser: Parser, *files: str, aliases: Sequence[str] = ()) -> None:
    """Add --tags, which choose a graph of a SavedModel; `files` are the arguments that name such."""
    tags_help = "which graph of a SavedModel, with commas"
    parser.add_argument("--tag-set", "--tags", *aliases, dest="tags", metavar="TAGS", help=tags_help)
    parser.set_defaults(tagged=files)


def note_tags(args: Any) -> None:
    """Say so if --tags choose nothing, because there is but one graph in what they are for."""
    only = [(path, _only_graph(path)) for name in args.tagged if (path := getattr(args, name))]
    if all(what for _, what in only):
        for path, what in only:
            warn(f"{path}: --tags choose nothing here: this is {what}")


def _only_graph(path: str) -> str:
    """What a file is that has one graph; empty if it may have several, or cannot be told without using it up."""
    from ..detection import HEAD, TAIL, detect
    from ..messages import GraphDef, MetaGraphDef
    from ..paths import locate

    try:
        path = locate(path) if path != "-" else ""
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            head, size = file.read(HEAD), file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            found = detect(head, tail=file.read(TAIL), size=size, name=os.path.basename(path))
    except (OSError, Error):
        return ""  # whoever reads it says what is wrong
    return found.what if found.cls in (GraphDef, MetaGraphDef) else ""


def add_reading_options(parser: Parser, dest: str, file: str) -> None:
    """Add the options of a command that reads a file, the argument `dest`, as a message of whatever class: --type and
    what belongs to it."""
    add = parser.add_argument
    type_help = f"the message that {file} holds, whatever it looks like; GraphDef and MetaGraphDef may be inside of it"
    add("--type", metavar="NAME", help=type_help)
    add("--tags", metavar="TAGS", help="with --type, which MetaGraph of several: the one with these tags")
    parser.set_defaults(tagged=(dest,))
    unknown_help = "leave out what text and JSON have of fields that are not known here, instead of refusing them"
    parser.add_flag("--allow-unknown-field", help=unknown_help)
    unpacked_help = "how much, such as 2G, may come out of what is compressed; else 64 MB or 100 times its size"
    add("--max-unpacked", type=byte_size, metavar="SIZE", help=unpacked_help)


def wanted_class(args: Any) -> type[Message] | None:
    """The message class that --type asks for, if it does."""
    if args.type is not None:
        return message_type(args.type)
    if args.tags is not None:
        raise UsageError("--tags choose a MetaGraph: add --type MetaGraphDef or --type GraphDef")
    return None


def message_type(name: str) -> type[Message]:
    """The message class that a user means: by its full name, or without the package."""
    from ..messages import TYPES

    for package in ("", "tensorflow.", "google.protobuf."):
        if found := TYPES.get(package + name):
            return found
    known = {full_name.removeprefix("tensorflow.").casefold(): full_name for full_name in TYPES}
    if same := known.get(name.casefold()):
        return TYPES[same]
    short = [full_name.removeprefix("tensorflow.") for full_name in TYPES]
    raise RequestError(f'--type: there is no message "{printable(name)}"{suggestion(name, short)}')
