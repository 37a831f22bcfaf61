"""MessageSet: its items, their order and their names."""

from __future__ import annotations

from typing import Any

import pytest

import pbwire
from pbwire import json, text
from tests.pbwire.extensions.garage import extension, garage, twin
from tests.support.protobuf_twin import IS_4_25

ITEM = b"\x0b\x10\xb0\xa6^\x1a\x02x\x05\x0c"


def store() -> Any:
    return garage()["garage.Store"]


def box() -> Any:
    return garage()["garage.Box"]


def test_an_item_is_a_group_of_a_number_and_a_message() -> None:
    message = store()()
    message.extensions[box().message_set_extension] = box()(size=5)
    assert message.to_bytes() == ITEM
    assert b"".join(message.to_buffers()) == ITEM
    assert text.dumps(message) == "[garage.Box] {\n  size: 5\n}\n"
    assert json.dumps(message, indent=None) == '{"[garage.Box.message_set_extension]": {"size": 5}}'


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize(
    ("data", "size"),
    [
        (ITEM, 5),
        (b"\x0b\x1a\x02x\x05\x10\xb0\xa6^\x0c", 5),  # the message first
        (b"\x0b\x10\xb0\xa6^\x10\x07\x1a\x02x\x05\x1a\x02x\x06\x0c", 5),  # the first ones count
        (b"\x0b\x20\x01\x10\xb0\xa6^\x23\x24\x1a\x02x\x05\x0c", 5),  # with other fields
        (b"\x0b\x10\xb0\xa6\xde\x00\x1a\x82\x00x\x05\x0c", 5),  # numbers longer than needed
        (ITEM + b"\x0b\x10\xb0\xa6^\x1a\x02x\x06\x0c", 6),  # two items are merged
        (b"\x82\xb3\xf2\x05\x02x\x05", 5),  # as a field of another message
        (b"\x0b\x10\xb0\xa6^\x1a\x00\x0c", None),
    ],
)
def test_items_are_read_in_every_form(data: bytes, size: int | None, lazy: bool) -> None:
    message = store().from_bytes(data, lazy=lazy)
    assert message.extensions[box().message_set_extension] == box()(size=size)
    if not (IS_4_25 and data[0] == 0x82):  # which protobuf reads since version 5
        assert twin(store()).FromString(data) == twin(store()).FromString(message.to_bytes(deterministic=True))


@pytest.mark.parametrize(
    "data",
    [
        b"\x0b\x10\xb1\xa6^\x1a\x02x\x05\x0c",  # another number
        b"\x0b\x10\xb0\xa6^\x0c",  # no message
        b"\x0b\x1a\x02x\x05\x0c",  # no number
        b"\x08\x05",
        b"\x2b\x10\xb0\xa6^\x1a\x02x\x05\x2c",  # a group of another number
    ],
)
@pytest.mark.parametrize("lazy", [False, True])
def test_other_fields_are_kept(data: bytes, lazy: bool) -> None:
    message = store().from_bytes(data + ITEM, lazy=lazy)
    assert list(message.extensions) == [box().message_set_extension]
    assert message.to_bytes() == ITEM + data


def test_items_are_written_by_number_and_read_by_either_name() -> None:
    message = text.loads("[garage.bag] { color: 'red' } [garage.Box] { size: 1 } [garage.car] { name: 'x' }", store())
    assert [one.number for one in message.extensions] == [4, 1545008, 2147483646]
    items = [
        b"\x10\x04\x1a\x03\n\x01x",
        b"\x10\xb0\xa6^\x1a\x02x\x01",
        b"\x10\xfe\xff\xff\xff\x07\x1a\x06\xca\x01\x03red",
    ]
    assert message.to_bytes() == b"".join(b"\x0b" + item + b"\x0c" for item in items)
    assert text.loads("[garage.Box.message_set_extension] { size: 1 }", store()) == text.loads(
        "[garage.Box] { size: 1 }", store()
    )
    assert json.loads('{"[garage.Box]": {}}', store()) == json.loads(
        '{"[garage.Box.message_set_extension]": {}}', store()
    )


def test_sets_are_nested() -> None:
    source = "[garage.Box] { store { [garage.Box] { store { [garage.bag] { } } } } }"
    message = text.loads(source, store())
    assert store().from_bytes(message.to_bytes()) == message
    assert store().from_bytes(message.to_bytes(), lazy=True) == message
    large = box()(store=store()())
    large.store.extensions[extension("bag")] = garage()["garage.Bag"](color="x" * 100_000)
    outer = store()()
    outer.extensions[box().message_set_extension] = large
    data = b"".join(outer.to_buffers())
    assert store().from_bytes(data) == outer and twin(store()).FromString(data).SerializeToString() == data


def test_damage_has_its_place() -> None:
    with pytest.raises(pbwire.DecodeError, match=r"truncated inside a number at byte 8: \[garage\.Box\]\.size"):
        store().from_bytes(b"\x0b\x10\xb0\xa6^\x1a\x03x\xff\xff\x0c")
    with pytest.raises(pbwire.EncodeError, match=r"\[garage\.Box\]\.size: expected an integer"):
        message = store()()
        message.extensions[box().message_set_extension] = box()(size="x")
        message.to_bytes()
