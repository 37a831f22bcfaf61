"""Which message has no form in JSON, and where it is: asked only when a printer has failed."""

from __future__ import annotations

from typing import Any

from ..codec.codegen import function
from ..descriptor import Field
from ..errors import EncodeError
from ..printable import quoted_key
from .field_lookup import SPECIAL, WRAPPERS
from .output import Output, readable
from .wellknown import packed_in

__all__ = ["refuse"]


def refuse(out: Output, message: Any) -> None:
    """Raise the EncodeError for the first message, in the order of printing, that JSON cannot spell.

    All values are such as their fields can hold. What is printed on the way goes nowhere.
    """
    table = message.__table__
    message = readable(message, table)
    if table.full_name == "google.protobuf.Any":
        if message.type_url or message.value:
            refuse(out, packed_in(message, out))
    elif table.full_name in SPECIAL - WRAPPERS:
        out.chunks.clear()
        function(table, out.what)(out, "", "", message, out.max_depth)
    else:
        for field in table.by_number.values():
            if (field.value or field).is_message:
                _refuse_in(out, field, getattr(message, field.name))


def _refuse_in(out: Output, field: Field, value: Any) -> None:
    """The same for each message of a field."""
    if field.label == "map":
        items = [(f"{field.name}[{quoted_key(key)}]", value[key]) for key in sorted(value)]
    elif field.label == "repeated":
        items = [(f"{field.name}[{index}]", item) for index, item in enumerate(value)]
    else:
        items = [(field.name, value)] if value is not None else []
    for segment, item in items:
        try:
            refuse(out, item)
        except EncodeError as error:
            raise error.within(segment) from None
