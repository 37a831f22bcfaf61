"""Protobuf's spelling of JSON, for dataclasses: functions named and called like those of its `json_format`.

They print and parse messages of this package, with all options of protobuf; `dumps` and `loads` have the usual ones.
`pbwire.compat.json_format` calls these functions for protobuf-style messages. `descriptor_pool` is a mapping from full
names to classes, like `types` of other functions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from sys import maxsize
from typing import Any, TypeVar

from ..message import Message
from .entry_points import print_to, read, read_text

M = TypeVar("M", bound=Message)
Pool = Mapping[str, type[Message]]


def MessageToJson(
    message: Message,
    preserving_proto_field_name: bool = False,
    indent: int | str | None = 2,
    sort_keys: bool = False,
    use_integers_for_enums: bool = False,
    descriptor_pool: Pool | None = None,
    ensure_ascii: bool = True,
    always_print_fields_with_no_presence: bool = False,
    *,
    float_precision: int | None = None,
    unquote_int64_if_possible: bool = False,
) -> str:
    """Return the message as JSON, as `dumps` does.

    Options beyond those of `dumps`: `float_precision` is the maximum number of digits of a float (protobuf before 26);
    with `unquote_int64_if_possible`, 64-bit integers that a double represents exactly are printed as numbers. As in
    protobuf, messages may be nested more deeply than `Parse` accepts, and a Value in which nothing is set is null.
    """
    parts: list[str] = []
    print_to(
        message,
        parts.append,
        indent=indent,
        always_print_fields_with_no_presence=always_print_fields_with_no_presence,
        preserving_proto_field_name=preserving_proto_field_name,
        use_integers_for_enums=use_integers_for_enums,
        sort_keys=sort_keys,
        ensure_ascii=ensure_ascii,
        types=descriptor_pool,
        max_depth=maxsize,
        float_precision=float_precision,
        unquote_int64_if_possible=unquote_int64_if_possible,
        unset_value_is_null=True,
    )
    return "".join(parts)


def MessageToDict(
    message: Message,
    always_print_fields_with_no_presence: bool = False,
    preserving_proto_field_name: bool = False,
    use_integers_for_enums: bool = False,
    descriptor_pool: Pool | None = None,
    *,
    float_precision: int | None = None,
    unquote_int64_if_possible: bool = False,
) -> Any:
    """Return the message as a document, as `to_dict` does."""
    text = MessageToJson(
        message,
        preserving_proto_field_name,
        indent=None,
        use_integers_for_enums=use_integers_for_enums,
        descriptor_pool=descriptor_pool,
        always_print_fields_with_no_presence=always_print_fields_with_no_presence,
        float_precision=float_precision,
        unquote_int64_if_possible=unquote_int64_if_possible,
    )
    return json.loads(text)


def Parse(
    text: str | bytes,
    message: M,
    ignore_unknown_fields: bool = False,
    descriptor_pool: Pool | None = None,
    max_recursion_depth: int = 100,
) -> M:
    """Parse the text into `message`, and return it.

    Scalars, lists and maps are replaced, sub-messages are parsed into existing ones, and null makes a field absent.
    After an error, the message may have part of the content.
    """
    return read_text(  # type: ignore[no-any-return]  # generated code has no types
        text,
        type(message),
        message,
        ignore_unknown=ignore_unknown_fields,
        types=descriptor_pool,
        max_depth=max_recursion_depth,
    )


def ParseDict(
    js_dict: Any,
    message: M,
    ignore_unknown_fields: bool = False,
    descriptor_pool: Pool | None = None,
    max_recursion_depth: int = 100,
) -> M:
    """Read `js_dict`, a document that `json.loads` returned, into `message` as `Parse` does, and return `message`."""
    return read(  # type: ignore[no-any-return]  # generated code has no types
        js_dict,
        type(message),
        message,
        ignore_unknown=ignore_unknown_fields,
        types=descriptor_pool,
        max_depth=max_recursion_depth,
    )
