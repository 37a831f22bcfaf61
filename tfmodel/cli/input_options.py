"""Options that several commands share.

--type, --tags, --allow-unknown-field, --max-unpacked     how the model is read
--proto, -I                                               messages that tfmodel does not know
--feed, --shape, --batch-size, --seed                     the feeds of a run: files, values, or random
--max-steps, --max-bytes                                  the limits of a run
--bind                                                    tensors that become constants
"""

from __future__ import annotations

import json
import os
from collections import ChainMap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from pbwire.errors import suggestion

from .. import onnx_messages
from ..files.access.special_files import open_regular
from ..files.access.stand_ins import STAND_IN_HEAD, refuse_stand_in
from ..messages import TYPES
from ..values.terminal import escape, quote
from .messages import RequestError, UsageError, warn
from .parser import Parser, byte_size, positive, whole

if TYPE_CHECKING:
    from pbwire.message import Message

    from ..files.checkpoints.renamed import RenamedCheckpoint
    from ..files.model_file import ModelFile
    from ..messages import GraphDef
    from ..source.model_source import ModelSource


def add_bind(parser: Parser) -> None:
    """Add --bind, which turns tensors into constants."""
    bind_help = "make a tensor a constant; VALUE is JSON such as false or 0.5; may be repeated"
    parser.add_argument("--bind", metavar="NAME=VALUE", action="append", default=[], help=bind_help)


def add_reading_options(parser: Parser, file: str, *, also_tags: str = "") -> None:
    """Add the options of a command that reads `file` as a message of any class, and the limit of its size.

    `also_tags` says what the tags are without --type.
    """
    add = parser.add_argument
    type_help = (
        f"the message type of {file}, instead of detecting it; a GraphDef or MetaGraphDef may be part of the file"
    )
    add("--type", metavar="NAME", help=type_help)
    tags_help = "with --type, the tags of the MetaGraph, if there are several"
    add("--tags", "--tag-set", metavar="TAGS", help=f"{tags_help}; otherwise {also_tags}" if also_tags else tags_help)
    unknown_help = "leave out unknown fields in text and JSON instead of refusing them"
    parser.add_flag("--allow-unknown-field", help=unknown_help)
    unpacked_help = (
        "limit for unpacked data, such as 2G; the default is 64 MB or 100 times the file size, and 2 MB or 50 times "
        "the file size for bytes outside of long runs of zeros"
    )
    add("--max-unpacked", type=byte_size, metavar="SIZE", help=unpacked_help)


def add_proto_options(parser: Parser) -> None:
    """Add --proto and -I, for messages that tfmodel does not know; `requested_types` reads them."""
    proto_help = "a .proto file that declares the message of --type, or messages inside Any; may be repeated"
    parser.add_argument("--proto", action="append", default=[], metavar="FILE", help=proto_help)
    include_help = "with --proto, a folder in which imports are found; the default is the current folder"
    parser.add_argument("-I", "--include", action="append", default=[], metavar="FOLDER", help=include_help)


def refuse_allow_unknown_field(args: Any, file: ModelFile) -> None:
    """Refuse --allow-unknown-field for a binary file, whose unknown fields are kept in any case."""
    if args.allow_unknown_field and file.detection.form == "binary":
        problem = "--allow-unknown-field is about text and JSON, and this is binary, whose unknown fields are kept"
        raise RequestError(f"{problem}: leave it out", file=file.name)


def requested_class(args: Any) -> type[Message] | None:
    """Return the message class that --type names; None without --type.

    Raises UsageError for --tags without the --type of a graph, and RequestError for an unknown message.
    """
    cls = message_type(args.type) if args.type is not None else None
    chooses = cls is not None and cls.__table__.full_name in ("tensorflow.GraphDef", "tensorflow.MetaGraphDef")
    if args.tags is not None and not chooses:
        instead = f", and not --type {args.type}" if cls is not None else ""
        raise UsageError(f"--tags chooses a MetaGraph: add --type MetaGraphDef or --type GraphDef{instead}")
    return cls


def requested_types(args: Any) -> tuple[type[Message] | None, Mapping[str, type[Message]]]:
    """Return the message class that --type names, which may be one of --proto, and all messages by full name.

    Raises RequestError for a .proto file that is not valid, and the errors of `requested_class`.
    """
    if not args.proto:
        if args.include:
            raise UsageError("-I names folders for the imports of --proto: add --proto")
        return requested_class(args), TYPES
    from pbwire import proto

    for file in filter(os.path.isfile, args.proto):
        with open_regular(file) as opened:
            refuse_stand_in(file, opened.read(STAND_IN_HEAD))
    try:
        loaded = proto.load(*args.proto, include=args.include or ["."]).messages
    except proto.ProtoError as error:
        raise RequestError(f"--proto: {error}") from error
    types = ChainMap(cast("dict[str, type[Message]]", TYPES), cast("dict[str, type[Message]]", loaded))
    if args.type is not None and args.type not in TYPES and args.type.lstrip(".") in loaded:
        return loaded[args.type.lstrip(".")], types
    return requested_class(args), types


def message_type(name: str) -> type[Message]:
    """Return the message class of this name, which may leave out the package; that of ONNX only in ModelProto.

    Upper and lower case are equal in names without "tensorflow.". Raises RequestError for an unknown name.
    """
    for package in ("", "tensorflow.", "google.protobuf."):
        if cls := TYPES.get(package + name):
            return cls
    if (name.startswith("onnx.") or name == "ModelProto") and (
        cls := onnx_messages.TYPES.get(f"onnx.{name.removeprefix('onnx.')}")
    ):
        return cls
    known = {full_name.removeprefix("tensorflow.").casefold(): full_name for full_name in TYPES}
    if same := known.get(name.casefold()):
        return TYPES[same]
    short = [full_name.removeprefix("tensorflow.") for full_name in TYPES]
    raise RequestError(f'--type: there is no message "{escape(name)}"{suggestion(name, short)}')


def add_feed_options(parser: Parser, *, random_flag: str | None = "--random", sets_shapes: bool = False) -> None:
    """Add --feed, the options for random inputs, and a flag that requests random inputs.

    `random_flag` is the name of the flag; None for commands that always generate the inputs that are not fed. With
    `sets_shapes`, --shape and --batch-size change the shapes of inputs in the graph that the command writes.
    """
    add = parser.add_argument
    add(
        "--feed",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="the value of a tensor: a .npy file, FILE.npz:NAME, JSON such as 0.5 or [[1, 2]], ones(1,4), zeros(2,3), "
        "random(1,4), arange(6), a picture, or records of a TFRecord file, FILE[0:32] or FILE[0:32]:FEATURE; may be "
        "repeated",
    )
    if random_flag:
        parser.add_flag(random_flag, help="generate inputs that are not fed: see below")
    shape_help = "the shape of a generated input, such as x=1,224,224,3; may be repeated"
    batch_help = "the first dimension of generated inputs; the default is 1"
    if sets_shapes:
        shape_help = "give an input this shape, such as x=1,224,224,3, or x=?,224,224,3; may be repeated"
        batch_help = "give inputs with a batch this first dimension"
    add("--shape", "--input-shape", metavar="NAME=SIZES", action="append", default=[], help=shape_help)
    add("--batch-size", type=positive, metavar="N", help=batch_help)
    add(
        "--seed",
        type=whole,
        metavar="N",
        help="the seed of generated inputs and of the model's random numbers; the default is 0",
    )


def verifying_options(args: Any) -> list[str]:
    """Return the options on the command line that only affect --verify."""
    values = {
        "--rtol": args.rtol,
        "--feed": args.feed,
        "--seed": args.seed,
    }
    return [option for option, value in values.items() if value is not None and value != []]


def add_limits(parser: Parser) -> None:
    """Add --max-steps and --max-bytes, the limits of a run."""
    steps_help = "stop after N nodes have run; nodes of loops and functions count each time"
    parser.add_argument("--max-steps", type=whole, metavar="N", help=steps_help)
    bytes_help = "stop when all outputs, and the temporary arrays of a node, exceed SIZE bytes: 1000, 10k, 1.5M, 2Gi"
    parser.add_argument("--max-bytes", type=byte_size, metavar="SIZE", help=bytes_help)


def warn_of_zeros(file: str, graph: GraphDef) -> None:
    """Warn if most large constants of a graph are zero, because its outputs then mean little."""
    from ..parameters.zero_weights import zero_weights

    if zeros := zero_weights(graph):
        warn(f"{file}: {zeros}")


def parse_feeds(options: Iterable[str], seed: int | None) -> dict[str, Any]:
    """Return the values of --feed by tensor name; `seed` is the seed of random expressions."""
    texts = pairs(options, "--feed")
    if not texts:
        return {}
    from .feed_values import parse_feed  # imports numpy

    return {name: parse_feed(name, text, seed) for name, text in texts.items()}


def parse_shapes(args: Any, *, unknown: bool = False) -> dict[str, tuple[int, ...]]:
    """Return the sizes of --shape by tensor name. With `unknown`, "?" and "-1" are unknown sizes, -1."""
    shapes = {}
    for name, text in pairs(args.shape, "--shape").items():
        try:
            pieces = text.removesuffix(",").split(",") if text else []
            sizes = tuple(-1 if unknown and piece.strip() == "?" else int(piece) for piece in pieces)
        except ValueError:
            sizes = (-2,)
        if any(size < (-1 if unknown else 0) for size in sizes):
            raise UsageError(f"--shape takes sizes with commas, not {quote(text)}")
        shapes[name] = sizes
    return shapes


def pairs(options: Iterable[str], what: str) -> dict[str, str]:
    """Return the values of NAME=VALUE options by name. Raises UsageError for other texts and repeated names."""
    values: dict[str, str] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals or not name:
            raise UsageError(f"{what} takes NAME=VALUE, not {quote(option)}")
        if name in values:
            raise UsageError(f"{what} is given twice for {quote(name)}")
        values[name] = value
    return values


def add_rename(parser: Parser) -> None:
    """Add --rename, for the names of tensors in a checkpoint."""
    text = "change the names of tensors in the checkpoint, as re.sub does; may be repeated"
    parser.add_argument("--rename", metavar="REGEX=NEW", action="append", default=[], help=text)


def renamed_checkpoint(args: Any, source: ModelSource) -> RenamedCheckpoint | str | None:
    """Return the checkpoint of a model with the names that --rename gives; without the option, that of --checkpoint."""
    if not args.rename:
        return args.checkpoint or None
    from ..files.checkpoints import checkpoint, renamed

    tensors = source.checkpoint
    if not isinstance(tensors, checkpoint.Checkpoint):
        raise RequestError("--rename is for the tensors of a checkpoint, and there is none", file=source.name)
    return renamed.RenamedCheckpoint(tensors, pairs(args.rename, "--rename"))


def parse_bindings(args: Any) -> dict[str, Any]:
    """Return the values of --bind by tensor name."""
    return {name: _json(name, text) for name, text in pairs(args.bind, "--bind").items()}


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        problem = f'{quote(text)} is not JSON: a number, true, false, or "text", or lists of these'
        raise RequestError(f"--bind {name}: {problem}") from None
