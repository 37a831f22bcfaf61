"""Names of groups and of delimited fields in text: the name of the type only for what proto2 declares as a group."""

from __future__ import annotations

import pytest

import pbwire
from pbwire import json, text
from pbwire import table as pb
from tests.pbwire.extensions.garage import garage


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("inside", "Inside"),  # as a group of proto2: named as its type, which is declared in the same message
        ("other", "other"),
        ("elsewhere", "elsewhere"),  # the type is declared elsewhere
        ("mixed_case", "Mixed_Case"),
        ("prefixed", "prefixed"),
        ("[garage.editions.extension]", "[garage.editions.extension]"),
        ("[garage.editions.inside]", "[garage.editions.inside]"),
    ],
)
def test_a_delimited_field_has_its_name(name: str, printed: str) -> None:
    cls = garage()["garage.editions.Delimited"]
    message = text.loads(f"{name} {{ n: 1 }}", cls)
    assert text.dumps(message) == f"{printed} {{\n  n: 1\n}}\n"
    assert text.loads(text.dumps(message), cls) == message
    assert cls.from_bytes(message.to_bytes()) == message
    assert json.to_dict(message) == {name if name[0] == "[" else pb_json_name(name): {"n": 1}}


def pb_json_name(name: str) -> str:
    return name.replace("_c", "C")


@pytest.mark.parametrize("name", ["Other", "Elsewhere", "elseWhere", "Insides"])
def test_other_fields_do_not_have_the_names_of_types(name: str) -> None:
    with pytest.raises(pbwire.TextFormatError, match="has no field"):
        text.loads(f"{name} {{ }}", garage()["garage.editions.Delimited"])


def test_a_delimited_list_has_its_name() -> None:
    cls = garage()["garage.editions.Delimited"]
    message = text.loads("insides { n: 1 } insides { } [garage.editions.extensions]: [{ n: 2 }, { }]", cls)
    assert text.dumps(message, as_one_line=True).startswith("insides { n: 1 } insides { } [garage.editions.ext")


def test_a_group_of_a_table_is_named_by_its_type_if_it_is_its_own() -> None:
    @pb.message("test.Outside", syntax="proto2")
    class Outside(pb.Message):
        n: int | None = pb.int32(1)

    @pb.message("test.Groups", syntax="proto2")
    class Groups(pb.Message):
        @pb.message("test.Groups.Own", syntax="proto2")
        class Own(pb.Message):
            n: int | None = pb.int32(1)

        own: Own | None = pb.field(Own, 1, group=True)
        outside: Outside | None = pb.field(Outside, 2, group=True)

    message = Groups(own=Groups.Own(n=1), outside=Outside(n=2))
    assert text.dumps(message, as_one_line=True) == "Own { n: 1 } outside { n: 2 }"
    assert text.loads("own { n: 1 } outside { n: 2 }", Groups) == message
