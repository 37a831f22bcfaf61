"""JSON as protobuf maps it (https://protobuf.dev/programming-guides/json), both ways.

    print(json.dumps(graph))
    graph = json.loads(text, GraphDef)

Printed is what `google.protobuf.json_format` of the newest protobuf prints: the same document, and where the order of
members is the same, the same bytes. Fields stand by number, the entries of maps by key. Read is what the specification
allows and no more: Google's Python takes booleans for numbers, what is hardly base64 and other things that we refuse.

There is no registry of types: `types`, a mapping from full names to classes, says what an Any may hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from ..message import MAX_DEPTH, Message
from .aliases import MessageToDict, MessageToJson, Parse, ParseDict
from .entry_points import print_to, read, read_text

__all__ = [
    "MessageToDict",
    "MessageToJson",
    "Parse",
    "ParseDict",
    "dump",
    "dumps",
    "from_dict",
    "loads",
    "to_dict",
]

M = TypeVar("M", bound=Message)
Types = Mapping[str, type[Message]]


class Writer(Protocol):
    """What `dump` needs of a file."""

    def write(self, text: str, /) -> object: ...


def dumps(
    message: Message,
    *,
    indent: int | str | None = 2,
    always_print_fields_with_no_presence: bool = False,
    preserving_proto_field_name: bool = False,
    use_integers_for_enums: bool = False,
    sort_keys: bool = False,
    ensure_ascii: bool = True,
    types: Types | None = None,
    max_depth: int = MAX_DEPTH + 1,
) -> str:
    """The message as JSON.

    indent                               how far what is inside stands to the right; None: all on one line
    always_print_fields_with_no_presence fields that cannot be absent are printed even if zero or empty
    preserving_proto_field_name          names are those of the .proto file, not lowerCamelCase
    use_integers_for_enums               numbers, not names
    sort_keys                            members of all objects are sorted by their names
    ensure_ascii                         characters that are not ASCII are escaped
    types                                from full names to classes: what an Any may hold
    max_depth                            so many messages may stand one inside the other: what `loads` reads by default

    Raises EncodeError for a value that its field cannot hold or that JSON cannot spell: a Timestamp out of range, a
    Value with nothing set, an Any whose type is not among `types`. Raises it too for messages nested more deeply than
    `max_depth`: made so by hand, or in an Any, whose content counts where it stands though `from_bytes` counts it
    afresh. Unknown fields have no names and are not printed.
    """
    parts: list[str] = []
    dump(
        message,
        parts.append,
        indent=indent,
        always_print_fields_with_no_presence=always_print_fields_with_no_presence,
        preserving_proto_field_name=preserving_proto_field_name,
        use_integers_for_enums=use_integers_for_enums,
        sort_keys=sort_keys,
        ensure_ascii=ensure_ascii,
        types=types,
        max_depth=max_depth,
    )
    return "".join(parts)


def dump(
    message: Message,
    file: Writer | Callable[[str], object],
    *,
    indent: int | str | None = 2,
    always_print_fields_with_no_presence: bool = False,
    preserving_proto_field_name: bool = False,
    use_integers_for_enums: bool = False,
    sort_keys: bool = False,
    ensure_ascii: bool = True,
    types: Types | None = None,
    max_depth: int = MAX_DEPTH + 1,
) -> None:
    """Print the message to a file, or give the text piece by piece to a function. No newline follows it.

    Options are those of `dumps`. The text is never in memory as a whole, and what a lazy message has not decoded is
    decoded a part at a time and not kept.
    """
    print_to(
        message,
        file if callable(file) else file.write,
        indent=indent,
        always_print_fields_with_no_presence=always_print_fields_with_no_presence,
        preserving_proto_field_name=preserving_proto_field_name,
        use_integers_for_enums=use_integers_for_enums,
        sort_keys=sort_keys,
        ensure_ascii=ensure_ascii,
        types=types,
        max_depth=max_depth,
    )


def loads(
    text: str | bytes,
    cls: type[M],
    *,
    ignore_unknown_fields: bool = False,
    types: Types | None = None,
    max_depth: int = MAX_DEPTH + 1,
) -> M:
    """The message that a text holds: str, or UTF-8 in bytes, which may begin with a byte order mark.

    ignore_unknown_fields   fields, and names of enums, that the class does not know are passed over
    types                   from full names to classes: what an Any may hold
    max_depth               so many messages may stand one inside the other, the outermost included; the default is
                            what `from_bytes` allows, which does not count the outermost

    Raises JsonError, with line and column where the text is not JSON, else with the path of the field.
    """
    return read_text(  # type: ignore[no-any-return]  # generated code has no types
        text, cls, ignore_unknown=ignore_unknown_fields, types=types, max_depth=max_depth
    )


def to_dict(
    message: Message,
    *,
    always_print_fields_with_no_presence: bool = False,
    preserving_proto_field_name: bool = False,
    use_integers_for_enums: bool = False,
    types: Types | None = None,
    max_depth: int = MAX_DEPTH + 1,
) -> Any:
    """What `json.loads` would make of the message as JSON: a dict, but for some of Google's own messages."""
    return json.loads(
        dumps(
            message,
            indent=None,
            always_print_fields_with_no_presence=always_print_fields_with_no_presence,
            preserving_proto_field_name=preserving_proto_field_name,
            use_integers_for_enums=use_integers_for_enums,
            types=types,
            max_depth=max_depth,
        )
    )


def from_dict(
    document: Any,
    cls: type[M],
    *,
    ignore_unknown_fields: bool = False,
    types: Types | None = None,
    max_depth: int = MAX_DEPTH + 1,
) -> M:
    """The message that a document holds, such as `to_dict` and `json.loads` make; else as `loads`."""
    return read(  # type: ignore[no-any-return]  # generated code has no types
        document, cls, ignore_unknown=ignore_unknown_fields, types=types, max_depth=max_depth
    )
