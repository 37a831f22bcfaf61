"""Options that say which model is meant: --checkpoint, --signature, --tags and --op-defs."""

from __future__ import annotations

from .parser import Parser


def add_checkpoint(
    parser: Parser, *aliases: str, help: str = "the checkpoint with the values, if it is not beside the model"
) -> None:
    """Add --checkpoint, the values of variables. The library refuses it for models that read none."""
    parser.add_argument("--checkpoint", *aliases, metavar="PREFIX", help=help)


def add_signature(
    parser: Parser,
    help: str = "use the inputs and outputs of this signature, or of this function if there are no signatures",
) -> None:
    """Add --signature, which chooses inputs and outputs."""
    parser.add_argument("--signature", "--function", metavar="NAME", help=help)


def add_tags(parser: Parser, *aliases: str) -> None:
    """Add --tags, which chooses a graph of a SavedModel. The library refuses tags for other models."""
    tags_help = "the tags of the graph in a SavedModel, separated by commas"
    parser.add_argument("--tags", "--tag-set", *aliases, dest="tags", metavar="TAGS", help=tags_help)


def add_op_defs(parser: Parser) -> None:
    """Add --op-defs, files that declare ops which TensorFlow does not have."""
    ops_help = "an OpList that declares custom ops; may be repeated"
    parser.add_argument("--op-defs", metavar="FILE", action="append", default=[], help=ops_help)
