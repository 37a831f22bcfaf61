"""Maps and repeated fields, compared with protobuf's."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass
from typing import Any

import pytest
from google.protobuf import struct_pb2
from google.protobuf.field_mask_pb2 import FieldMask

from pbwire import wellknown
from pbwire.compat import compat_class
from pbwire.compat.values.containers import MessageMap, RepeatedCompositeContainer, ScalarMap

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


@pytest.mark.parametrize("struct", STRUCTS)
@pytest.mark.parametrize("nothing", [{}, [], (), "", b"", set(), {}.keys(), None], ids=repr)
def test_maps_are_made_of_anything_that_is_empty(struct: Any, nothing: Any) -> None:
    assert struct(fields=nothing) == struct()


@pytest.mark.parametrize("struct", STRUCTS)
@pytest.mark.parametrize("values", ["ab", 5, 0, True, ["a"], [("a", 1)], [0], {"a"}, {"a": 5}, {5: {}}], ids=repr)
def test_maps_of_messages_are_made_of_no_other_values(struct: Any, values: Any) -> None:
    with pytest.raises(TypeError):
        struct(fields=values)


class Keyed:
    """Keys and values without the other methods of a mapping."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def __iter__(self) -> Any:
        return iter(self.values)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]


@pytest.mark.parametrize("struct", STRUCTS)
def test_maps_of_messages_are_made_of_keys_with_values(struct: Any) -> None:
    value = struct().fields["a"]
    value.number_value = 1
    assert struct(fields=Keyed({"a": value})) == struct(fields={"a": value})
    assert struct(fields=struct(fields={"a": value}).fields).fields["a"] == value


@pytest.mark.parametrize("struct", STRUCTS)
def test_a_map_of_messages_is_updated_with_nothing_only(struct: Any) -> None:
    value = struct().fields["a"]
    fields = struct().fields
    for entries in ({"a": value}, [("a", value)], struct(fields={"a": value}).fields):
        with pytest.raises(ValueError, match="assigned"):
            fields.update(entries)
    with pytest.raises(ValueError, match="assigned"):
        fields.update(a=value)
    fields.update({})
    fields.update()
    assert not fields


@pytest.mark.parametrize("struct", STRUCTS)
def test_pop_gives_a_missing_key_the_value_that_reading_adds(struct: Any) -> None:
    fields = struct().fields
    fields["a"].number_value = 1
    assert fields.pop("a").number_value == 1
    assert fields.pop("a", None) == fields["b"]
    assert list(fields) == ["b"]


@dataclass
class Held:
    """Values of fields, as programs keep them."""

    values: Any
    more: Any = None


@pytest.mark.parametrize(("struct", "mask"), [(STRUCTS[0], compat_class(wellknown.FieldMask)), (STRUCTS[1], FieldMask)])
def test_dataclasses_copy_lists_of_messages(struct: Any, mask: Any) -> None:
    message = struct()
    message["a"] = [1, 2]
    held = Held(mask(paths=["x", "y"]).paths, message["a"].values)
    found = asdict(held)
    assert found["values"] == ["x", "y"] and astuple(held)[0] == ["x", "y"]
    assert [value.number_value for value in found["more"]] == [1, 2]
    found["values"].append("z")
    found["more"][0].number_value = 5
    assert held.values == ["x", "y"] and message["a"][0] == 1


def test_dataclasses_copy_maps_of_messages() -> None:
    message = STRUCTS[0]()
    message["a"] = 1
    found = asdict(Held(message.fields))
    assert [*found["values"]] == ["a"] and found["values"]["a"] == message.fields["a"]
    found["values"]["a"].Clear()
    assert message["a"] == 1


def test_a_list_that_belongs_to_no_field_makes_no_messages() -> None:
    with pytest.raises(TypeError, match="belongs to no field"):
        RepeatedCompositeContainer().add()
    with pytest.raises(TypeError, match="belongs to no field"):
        MessageMap()["a"]
    with pytest.raises(TypeError, match="belongs to no field"):
        ScalarMap({"a": 1})["b"]
