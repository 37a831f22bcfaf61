"""Fields of text whose names a message reserves are skipped: they existed once."""

from __future__ import annotations

import pytest

import pbwire
from pbwire import json, proto, text
from pbwire import table as pb


@pb.message("test.Reserving", reserved=["gone", "lost"])
class Reserving(pb.Message):
    n: int = pb.int32(1)
    inner: Reserving | None = pb.field("Reserving", 2)


@pytest.mark.parametrize(
    "field",
    ["gone: 1", "gone: 'x'\n'y'", "gone: [1, -2]", "gone { a: 1 }", "gone: < b { } >", "lost: inf", "gone: [{}, {}]"],
)
@pytest.mark.parametrize("source", ["n: 3\n{}\ninner {{ n: 4 }}", "{}, n: 3 inner {{ {} n: 4 }}"])
def test_reserved_fields_are_skipped(source: str, field: str) -> None:
    expected = Reserving(n=3, inner=Reserving(n=4))
    assert text.loads(source.format(field, field), Reserving) == expected
    assert text.loads(source.format(field, field), Reserving, allow_unknown_field=True) == expected


@pytest.mark.parametrize("source", ["other: 1", "gone: ]", "gone", "gone { ", "[gone]: 1", "Gone: 1"])
def test_other_names_and_invalid_values_are_refused(source: str) -> None:
    with pytest.raises(pbwire.TextFormatError):
        text.loads(source, Reserving)


def test_json_has_no_reserved_names() -> None:
    with pytest.raises(pbwire.JsonError, match="no field"):
        json.loads('{"gone": 1}', Reserving)


def test_a_loaded_message_reserves_its_names() -> None:
    cls = proto.load_text('syntax = "proto3"; message M { reserved 5; reserved "gone"; int32 n = 1; }')["M"]
    assert text.loads("gone: 1 n: 2", cls) == cls(n=2)
