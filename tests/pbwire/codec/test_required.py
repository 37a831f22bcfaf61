"""Missing required fields are found in every place that can hold one; sub-messages that cannot stay undecoded."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from pbwire import EncodeError
from pbwire import table as pb
from pbwire.codec.codegen import function
from pbwire.compat import wrap
from pbwire.proto import load_text
from tests.support.samples import Required, Shade
from tests.support.strategies import wire_bytes
from tfmodel.messages import GraphDef


def missing(message: Any) -> str:
    """Return the names of the missing fields of a dataclass, as the error has them; "" if there are none."""
    try:
        message.to_bytes()
    except EncodeError as error:
        return error.message.removeprefix("required and missing: ")
    return ""


PART = Required.Part(weight=1.0, shade=Shade.DARK)
WHOLE: dict[str, Any] = {"id": 1, "name": "", "part": PART}
EMPTY = Required.Part()
PLACES = {
    "part": ({"part": EMPTY}, "part.weight, part.shade"),
    "list": ({"parts": [PART, EMPTY]}, "parts[1].weight, parts[1].shade"),
    "map": ({"named": {"a": PART, "b": EMPTY}}, 'named["b"].weight, named["b"].shade'),
    "optional": ({"spare": EMPTY}, "spare.weight, spare.shade"),
    "oneof": ({"either": EMPTY}, "either.weight, either.shade"),
    "another member of the oneof": ({"other": 1}, ""),
    "nothing": ({}, ""),
    "scalars": ({"id": None, "name": None}, "id, name"),
}


@pytest.mark.parametrize("name", PLACES)
def test_each_place(name: str) -> None:
    changes, expected = PLACES[name]
    message = Required(**WHOLE | changes)
    assert missing(message) == expected
    assert wrap(message).IsInitialized() == (not expected)


@given(wire_bytes(Required))
def test_lazy_and_protobuf_style_messages_lack_the_same(data: bytes) -> None:
    message = Required.from_bytes(data)
    assert missing(message) == missing(Required.from_bytes(data, lazy=True))
    assert wrap(message).IsInitialized() == (not missing(message))
    assert len(wrap(message).FindInitializationErrors()) == len(list(filter(None, missing(message).split(", "))))


MIXED = load_text(
    """
    syntax = "proto2"; package mixed;
    message Outer { optional Strict strict = 1; optional Free free = 2; optional Open open = 3; }
    message Strict { required int32 n = 1; }
    message Free { optional Free inner = 1; map<string, Free> named = 2; }
    message Open { extensions 100 to 200; }
    extend Open { optional Strict inside = 100; }
    """
)
Outer, Strict, Free, Open = (MIXED[f"mixed.{name}"] for name in ("Outer", "Strict", "Free", "Open"))


def test_only_paths_to_required_fields_are_visited() -> None:
    data = Outer(strict=Strict(n=1), free=Free(inner=Free())).to_bytes()
    lazy = Outer.from_bytes(data, lazy=True)
    assert lazy.to_bytes() == data
    assert type(lazy.strict) is Strict
    assert type(lazy.free) is not Free  # it is undecoded


def test_classes_without_required_fields_are_not_visited_at_all() -> None:
    graph = GraphDef()
    graph.to_bytes()
    assert not pb.table_of(GraphDef).may_lack_fields
    assert "lacks_required" not in pb.table_of(GraphDef).functions


@pytest.mark.parametrize("number", [None, 0])
def test_extensions_may_lack_fields(number: int | None) -> None:
    message = Outer(open=Open())
    message.open.extensions[MIXED.extensions["mixed.inside"]] = Strict(n=number)
    expected = "open[mixed.inside].n" if number is None else ""
    assert missing(message) == expected
    assert function(pb.table_of(Outer), "lacks_required")(message) == bool(expected)
