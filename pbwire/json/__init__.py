"""JSON as protobuf maps it (https://protobuf.dev/programming-guides/json): printing and parsing.

    print(json.dumps(graph))
    graph = json.loads(text, GraphDef)

The output is the same document as that of `google.protobuf.json_format` in the newest protobuf. If the order of members
is also the same, the bytes are equal. Fields are sorted by number, entries of maps by key. The parser accepts exactly
the input that the specification allows. Google's Python also accepts booleans for numbers, malformed base64 and other
input that is refused here.

The package has no registry of types. The content of an Any needs `types`, a mapping from full names to classes.

    printer.py        the generated printer, and the search for a message that JSON cannot express
    output.py         the pieces of a document while it is printed
    parser.py         the generated reader of documents, which Python's own parser makes of a text
    field_lookup.py   fields by the names that JSON may use for them
    scalars.py        scalars in both directions, with exact integers
    wellknown.py      messages with a JSON of their own: Timestamp, Struct, Any, ...
    entry_points.py   printing and parsing as a whole; strict JSON
    aliases.py        the functions of `google.protobuf.json_format`

The package imports `codec`, `lazy`, descriptors, messages and the scalars of `text`. Users of pbwire and
`tfmodel.files` call it.
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
    """The part of a file that `dump` needs."""

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
    """Return the message as JSON.

    indent                               indentation of nested values; None: all on one line
    always_print_fields_with_no_presence fields without presence are printed even if zero or empty
    preserving_proto_field_name          names are those of the .proto file, not lowerCamelCase
    use_integers_for_enums               enums are printed as numbers
    sort_keys                            members of all objects are sorted by name
    ensure_ascii                         non-ASCII characters are escaped
    types                                mapping from full names to classes, for the content of Any
    max_depth                            maximum nesting of messages; the default is the maximum that `loads` accepts

    Unknown fields have no names and are not printed.

    Raises EncodeError for a value that its field cannot hold or that JSON cannot express: a Timestamp out of range, a
    Value without content, an Any whose type is not in `types`. Also raises EncodeError for messages nested more deeply
    than `max_depth`. A decoded message can be too deep if it contains an Any: `dumps` counts the content of an Any as
    levels below the Any, while `from_bytes` does not decode it.
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
    """Print the message to a file, or pass the text piece by piece to a function. The text does not end with a newline.

    Options are those of `dumps`. The text is never in memory as a whole, and undecoded parts of a lazy message are
    decoded one at a time and not kept.
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
    """Parse a text, a str or bytes in UTF-8, and return the message of class `cls`. Bytes may begin with a byte order
    mark.

    ignore_unknown_fields   unknown fields and unknown names of enums are skipped
    types                   mapping from full names to classes, for the content of Any
    max_depth               maximum nesting of messages, including the outermost; the default is the maximum of
                            `from_bytes`, which does not count the outermost

    Raises JsonError. It has a line and a column if the text is not JSON, else the path of the field.
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
    """Return the message as `json.loads` would read it: a dict, except for some of Google's well-known messages."""
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
    """Return the message of a document that `to_dict` or `json.loads` returned. Options are those of `loads`."""
    return read(  # type: ignore[no-any-return]  # generated code has no types
        document, cls, ignore_unknown=ignore_unknown_fields, types=types, max_depth=max_depth
    )
