"""Print messages, lists, maps and single values for `tfmodel dump`, shortened unless --full is given."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pbwire
from pbwire.descriptor import Field
from pbwire.message import Message

from ..reports.field_paths import Selected
from ..reports.tree import tree
from ..values.formatting import scalar_text

LONGEST = 200  # characters or bytes of a string
MOST = 20  # elements of a list of numbers or strings


def write_lines(lines: Iterable[str]) -> None:
    write = sys.stdout.write
    for line in lines:
        write(line + "\n")


def print_message(message: Message, args: Any) -> None:
    if args.format == "tree" and (lines := tree(message, full=args.full, op_defs=args.op_defs)) is not None:
        write_lines(lines)
        return
    write_text(message, args)


def write_text(message: Message, args: Any) -> None:
    pbwire.text.dump(
        message, sys.stdout, types=args.types, longest=None if args.full else LONGEST, most=None if args.full else MOST
    )


def print_fields(selected: Iterator[Selected], args: Any, *, labelled: bool) -> None:
    """Print messages as text, and single values without quotes.

    With `labelled`, print the path before each, and strings in quotes.
    """
    for field in selected:
        if isinstance(field.value, (list, dict)):
            _print_whole(field, args, labelled)
        elif isinstance(field.value, Message):
            if labelled:
                write_lines([f"# {field.path}"])
            print_message(field.value, args)
        else:
            assert field.field is not None
            _print_value(field.value, field.field, field.path, args, labelled)


def _print_whole(field: Selected, args: Any, labelled: bool) -> None:
    """Print a list or map: single values one per line, messages as the text of a message with only this field."""
    assert field.field is not None
    if isinstance(field.value, dict) or field.field.kind in ("message", "group"):
        if labelled:
            write_lines([f"# {field.path}"])
        write_text(type(field.owner)(**{field.field.name: field.value}), args)
        return
    visible = field.value if args.full else field.value[:MOST]
    for index, value in enumerate(visible):
        _print_value(value, field.field, f"{field.path}[{index}]", args, labelled)
    if len(visible) < len(field.value):
        write_lines([f"# {len(field.value):,} in all"])


def _print_value(value: Any, field: Field, path: str, args: Any, labelled: bool) -> None:
    longest = None if args.full else LONGEST
    text = scalar_text(value, field, bare=not labelled, longest=longest)
    unit = "bytes" if field.kind == "bytes" else "characters"
    cut = longest is not None and field.kind in ("string", "bytes") and len(value) > longest
    write_lines([(f"{path}: " if labelled else "") + text + (f" # {len(value):,} {unit} in all" if cut else "")])
