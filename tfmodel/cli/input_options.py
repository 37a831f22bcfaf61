"""Options for the input of a command: --tags, --type, --allow-unknown-field, --max-unpacked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pbwire.suggestions import suggestion

from ..io.terminal import printable
from .argument_types import byte_size
from .messages import RequestError, UsageError
from .parser import Parser

if TYPE_CHECKING:
    from pbwire.message import Message

    from ..io.files import ModelFile

__all__ = ["add_reading_options", "add_tags", "message_type", "refuse_allowing", "wanted_class"]


def add_tags(parser: Parser, *aliases: str) -> None:
    """Add --tags, which choose a graph of a SavedModel. The library refuses them for anything else."""
    tags_help = "which graph of a SavedModel, with commas"
    parser.add_argument("--tag-set", "--tags", *aliases, dest="tags", metavar="TAGS", help=tags_help)


def add_reading_options(parser: Parser, file: str) -> None:
    """Add the options of a command that reads `file` as a message of any class: --type and what belongs to it."""
    add = parser.add_argument
    type_help = f"the message that {file} holds, whatever it looks like; GraphDef and MetaGraphDef may be inside of it"
    add("--type", metavar="NAME", help=type_help)
    add("--tags", metavar="TAGS", help="with --type, which MetaGraph of several: the one with these tags")
    unknown_help = "leave out what text and JSON have of fields that are not known here, instead of refusing them"
    parser.add_flag("--allow-unknown-field", help=unknown_help)
    unpacked_help = "limit for unpacked data, such as 2G; the default is 64 MB or 100 times the file size"
    add("--max-unpacked", type=byte_size, metavar="SIZE", help=unpacked_help)


def refuse_allowing(args: Any, file: ModelFile) -> None:
    """Refuse --allow-unknown-field for a binary file, whose unknown fields are kept in any case."""
    if args.allow_unknown_field and file.found.form == "binary":
        problem = "--allow-unknown-field is about text and JSON, and this is binary, whose unknown fields are kept"
        raise RequestError(f"{problem}: leave it out", file=file.name)


def wanted_class(args: Any) -> type[Message] | None:
    """The message class that --type asks for, if it does."""
    cls = message_type(args.type) if args.type is not None else None
    chooses = cls is not None and cls.__table__.full_name in ("tensorflow.GraphDef", "tensorflow.MetaGraphDef")
    if args.tags is not None and not chooses:
        instead = f", and not --type {args.type}" if cls is not None else ""
        raise UsageError(f"--tags chooses a MetaGraph: add --type MetaGraphDef or --type GraphDef{instead}")
    return cls


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
