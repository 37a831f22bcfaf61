"""A singular message that comes in many parts: merging takes time linear in their size."""

from __future__ import annotations

import pytest

from pbwire import DecodeError
from pbwire.codec import unknown_fields
from pbwire.codec.codegen import function
from tests.support.samples import Leaf, Recursive, Scalars
from tests.support.wire_bytes import ld, number

UNKNOWN = number(99, 7)


@pytest.mark.parametrize(
    ("cls", "part", "inside"),
    [
        (Scalars, ld(17, UNKNOWN), lambda message: message.a_leaf),
        (Scalars, ld(17, number(1, 1) + UNKNOWN + ld(3, b"\1")), lambda message: message.a_leaf),
        (Recursive, ld(2, ld(2, UNKNOWN) + UNKNOWN), lambda message: message.child),
        (Recursive, ld(2, ld(2, ld(2, UNKNOWN))), lambda message: message.child.child.child),
        (Recursive, ld(5, UNKNOWN), lambda message: message.left),
    ],
)
def test_unknown_fields_are_put_together_in_order(cls, part, inside):
    data = b"".join(part.replace(UNKNOWN, number(99, n)) for n in range(50))
    eager = cls.from_bytes(data)
    assert inside(eager).unknown_fields == b"".join(number(99, n) for n in range(50))
    assert eager == cls.from_bytes(data, lazy=True)


def test_unknown_fields_in_map_entries_are_put_together():
    message = Recursive.from_bytes(ld(4, *(ld(2, number(99, n)) for n in range(50))))
    assert message.named[""].unknown_fields == b"".join(number(99, n) for n in range(50))


def test_each_byte_is_copied_once(monkeypatch):
    copied = []

    def counting(*arguments):
        copied.append(len(join_spans(*arguments)))
        return join_spans(*arguments)

    join_spans = unknown_fields.join_spans
    monkeypatch.setattr(unknown_fields, "join_spans", counting)
    Scalars.from_bytes(ld(17, UNKNOWN))  # so that all is compiled
    monkeypatch.setitem(function(Leaf.__table__, "decode").__globals__, "join_spans", counting)
    leaf = Scalars.from_bytes(ld(17, UNKNOWN) * 2000).a_leaf
    assert len(leaf.unknown_fields) == sum(copied) == 2000 * len(UNKNOWN)


def test_merging_into_a_message_that_is_there():
    message = Scalars.from_bytes(ld(17, UNKNOWN))
    message.merge_from_bytes(ld(17, number(99, 8)) + number(99, 9) + ld(17, number(99, 10)))
    assert message.a_leaf.unknown_fields == UNKNOWN + number(99, 8) + number(99, 10)
    assert message.unknown_fields == number(99, 9)
    message.merge_from(message)
    assert message.a_leaf.unknown_fields == (UNKNOWN + number(99, 8) + number(99, 10)) * 2


def test_a_failure_leaves_unknown_fields_as_they_were():
    message = Scalars.from_bytes(ld(17, UNKNOWN))
    with pytest.raises(DecodeError, match="truncated"):
        message.merge_from_bytes(ld(17, number(99, 8)) + b"\x8a")
    assert message.a_leaf.unknown_fields == UNKNOWN
