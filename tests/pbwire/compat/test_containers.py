"""Maps and repeated fields, compared with protobuf's."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import struct_pb2

from pbwire import wellknown
from pbwire.compat import compat_class

STRUCTS = [compat_class(wellknown.Struct), struct_pb2.Struct]


@pytest.mark.parametrize("struct", STRUCTS)
def test_maps_are_merged_from_maps_only(struct: Any) -> None:
    first, second = struct(), struct()
    first.fields["a"].number_value = 1
    second.fields["a"].string_value = "x"
    second.fields["b"].bool_value = True
    first.fields.MergeFrom(second.fields)
    assert first == second
    with pytest.raises(AttributeError):
        first.fields.MergeFrom({"a": second.fields["a"]})
