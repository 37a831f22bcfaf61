"""The further methods of google.protobuf.* messages: Any, Timestamp, Duration, FieldMask, Struct and ListValue.

`WKTBASES` maps full names to classes that are bases of the protobuf-style class. Behaviour is that of the public
documentation of `google.protobuf.internal.well_known_types`.
"""

from __future__ import annotations

from typing import Any

from .field_masks import FieldMask
from .structs import ListValue, Struct
from .times import Duration, Timestamp

__all__ = ["WKTBASES", "AnyMixin", "Duration", "FieldMask", "ListValue", "Struct", "Timestamp"]


class AnyMixin:
    """Methods of google.protobuf.Any."""

    type_url: str
    value: bytes

    def Pack(self, msg: Any, type_url_prefix: str = "type.googleapis.com/", deterministic: bool | None = None) -> None:
        """Store a message with the name of its type."""
        if not type_url_prefix.endswith("/"):
            type_url_prefix += "/"
        self.type_url = f"{type_url_prefix}{msg.DESCRIPTOR.full_name}"
        self.value = msg.SerializeToString(deterministic=bool(deterministic))

    def Unpack(self, msg: Any) -> bool:
        """Read the content into a message of its type, and return True; return False for another type."""
        if not self.Is(msg.DESCRIPTOR):
            return False
        msg.ParseFromString(self.value)
        return True

    def TypeName(self) -> str:
        """Return the full name of the type."""
        return self.type_url.rpartition("/")[2]

    def Is(self, descriptor: Any) -> bool:
        """Return whether the content is of this type."""
        return "/" in self.type_url and self.TypeName() == descriptor.full_name


WKTBASES: dict[str, type] = {
    "google.protobuf.Any": AnyMixin,
    "google.protobuf.Duration": Duration,
    "google.protobuf.FieldMask": FieldMask,
    "google.protobuf.ListValue": ListValue,
    "google.protobuf.Struct": Struct,
    "google.protobuf.Timestamp": Timestamp,
}
