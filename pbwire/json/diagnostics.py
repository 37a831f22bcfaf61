"""Find the message that JSON cannot express, and its path. Called only after a printer has failed."""

from __future__ import annotations

from typing import Any

from ..codec.codegen import function
from ..descriptor import Field
from ..errors import EncodeError
from ..printable import quoted_key
from .field_lookup import SPECIAL, WRAPPERS
from .output import Output, decoded_message
from .wellknown import packed_in

__all__ = ["raise_unprintable"]


def raise_unprintable(out: Output, message: Any) -> None:
    """Raise the EncodeError for the first message, in the order of printing, that JSON cannot express.

    All values are valid for their fields. Text that is printed on the way is discarded.
    """
    table = message.__table__
    message = decoded_message(message, table)
    if table.full_name == "google.protobuf.Any":
        if message.type_url or message.value:
            raise_unprintable(out, packed_in(message, out))
    elif table.full_name in SPECIAL - WRAPPERS:
        out.chunks.clear()
        function(table, out.what)(out, "", "", message, out.max_depth)
    else:
        for field in table.by_number.values():
            if (field.value or field).is_message:
                _raise_unprintable_in(out, field, getattr(message, field.name))


def _raise_unprintable_in(out: Output, field: Field, value: Any) -> None:
    """Raise the EncodeError for the first such message in a field."""
    if field.label == "map":
        items = [(f"{field.name}[{quoted_key(key)}]", value[key]) for key in sorted(value)]
    elif field.label == "repeated":
        items = [(f"{field.name}[{index}]", item) for index, item in enumerate(value)]
    else:
        items = [(field.name, value)] if value is not None else []
    for segment, item in items:
        try:
            raise_unprintable(out, item)
        except EncodeError as error:
            raise error.within(segment) from None
