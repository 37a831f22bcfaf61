"""Declarations of extensions in tables: what they allow, and when they are registered."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

import pbwire
from pbwire import table as pb


@pb.message("test.Other", syntax="proto2")
class Other(pb.Message):
    n: int | None = pb.int32(1)


def extendable(*ranges: range, **options: Any) -> Any:
    """Return a new message class with ranges of extensions."""
    body = type("Base", (pb.ExtendableMessage,), {"__annotations__": {}, "__module__": __name__})
    return pb.message("test.Base", syntax="proto2", extensions=ranges, **options)(body)  # type: ignore[arg-type]  # made here


def with_field(*ranges: range) -> Any:
    namespace = {"__annotations__": {"n": "int"}, "__module__": __name__, "n": pb.int32(5)}
    body = type("Base", (pb.ExtendableMessage,), namespace)
    return pb.message("test.Base", syntax="proto2", extensions=ranges)(body)  # type: ignore[arg-type]  # made here


def test_an_extension_is_an_attribute_of_no_message() -> None:
    cls = extendable(range(100, 200))
    pb.Extension("test.speed", cls, pb.int32(126))
    assert not hasattr(cls(), "speed")
    with pytest.raises(TypeError, match="has no field 'speed'"):
        cls(speed=3)


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda cls: pb.Extension("test.x", cls, pb.int32(99)), "declares no range of extensions with the number 99"),
        (lambda cls: pb.Extension("test.x", cls, pb.int32(200)), "declares no range of extensions with the number 200"),
        (lambda cls: pb.Extension("test.x", cls, pb.int32(100)), "100 is already the number of test.first"),
        (lambda cls: pb.Extension("test.x", cls, pb.int32(101, required=True)), "is a singular or repeated field"),
        (lambda cls: pb.Extension("test.x", cls, pb.int32(101, oneof="o")), "is a singular or repeated field"),
        (lambda cls: pb.Extension("test.x", cls, pb.map(pb.string, pb.int32, 101)), "is a singular or repeated field"),
        (lambda cls: pb.Extension("test.x", cls, 101), "is a singular or repeated field"),
        (lambda cls: pb.Extension("test.x", Other, pb.int32(101)), "Other declares no numbers for extensions"),
    ],
)
def test_a_wrong_extension_is_refused(declare: Any, words: str) -> None:
    cls = extendable(range(100, 200))
    pb.Extension("test.first", cls, pb.int32(100))
    with pytest.raises((TypeError, ValueError), match=words):
        declare(cls)


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (lambda: extendable(), "a message with extensions is a pb.ExtendableMessage, and no other message is one"),
        (lambda: extendable(range(5)), "is not a range of numbers from 1 to 536,870,911"),
        (lambda: extendable(range(5, 5)), "is not a range of numbers"),
        (lambda: extendable(range(5, 50, 2)), "is not a range of numbers"),
        (lambda: extendable(range(5, 2**29 + 1)), "is not a range of numbers from 1 to 536,870,911"),
        (lambda: extendable(range(5, 2**31), message_set=True), "is not a range of numbers from 1 to 2,147,483,646"),
        (lambda: extendable(range(5, 9), range(8, 12)), "overlap"),
        (lambda: with_field(range(5, 9)), "5 is the number of a field, and in the range"),
    ],
)
def test_wrong_ranges_are_refused(declare: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        declare()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (pb.int32(100), "an extension of a MessageSet is a single message"),
        (pb.repeated(Other, 100), "an extension of a MessageSet is a single message"),
        (pb.field(Other, 100, group=True), "an extension of a MessageSet is a single message"),
    ],
)
def test_a_message_set_has_messages_only(row: Any, words: str) -> None:
    cls = extendable(range(4, 2**31 - 1), message_set=True)
    with pytest.raises(ValueError, match=words):
        pb.Extension("test.x", cls, row)


def test_a_field_cannot_hide_the_extensions() -> None:
    with pytest.raises(TypeError, match=r"would hide ExtendableMessage\.extensions; call the attribute extensions_"):

        @pb.message("test.Hiding", syntax="proto2", extensions=[range(100, 200)])
        class Hiding(pb.ExtendableMessage):
            extensions: int | None = pb.int32(1)  # type: ignore[assignment]  # made here


def test_a_message_without_extensions_may_have_a_field_of_that_name() -> None:
    @pb.message("test.Named")
    class Named(pb.Message):
        extensions: int = pb.int32(1)

    assert Named(extensions=3).to_bytes() == b"\x08\x03"


def test_an_extension_that_is_declared_again_replaces_the_first() -> None:
    cls = extendable(range(100, 200))
    first = pb.Extension[int]("test.x", cls, pb.int32(100))
    again = pb.Extension[int]("test.x", cls, pb.int32(100))
    message = cls.from_bytes(b"\xa0\x06\x05")
    assert message.extensions[again] == 5
    with pytest.raises(ValueError, match="was declared again"):
        message.extensions[first]


FORWARD = """
from __future__ import annotations
from pbwire import table as pb

@pb.message("forward.Scope", syntax="proto2")
class Scope(pb.Message):
    inner = pb.Extension["Scope | None"]("forward.Scope.inner", "Later.Base", pb.field("Scope", 100))
    n: int | None = pb.int32(1)

@pb.message("forward.Later", syntax="proto2")
class Later(pb.Message):
    @pb.message("forward.Later.Base", syntax="proto2", extensions=[range(100, 200)])
    class Base(pb.ExtendableMessage):
        own = pb.Extension[int | None]("forward.Later.Base.own", "Later.Base", pb.int32(101))
"""


def test_a_class_body_may_extend_a_message_that_is_defined_later(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("forward_extensions")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(FORWARD, vars(module))
    base = module.Later.Base.from_bytes(b"\xa2\x06\x02\x08\x07\xa8\x06\x03")
    assert base.extensions[module.Scope.inner] == module.Scope(n=7)
    assert base.extensions[module.Later.Base.own] == 3
    assert module.Scope.inner.scope is module.Scope


def test_a_name_of_no_class_is_an_error_when_the_extension_is_used() -> None:
    @pb.message("test.Wrong", syntax="proto2")
    class Wrong(pb.Message):
        x = pb.Extension[int]("test.Wrong.x", "Nowhere", pb.int32(100))

    with pytest.raises(TypeError, match="refers to 'Nowhere'"):
        Wrong.x.extendee  # noqa: B018  # the name is looked up
    cls = extendable(range(100, 200))
    with pytest.raises(TypeError, match="refers to 'Nowhere'"):
        cls().extensions[Wrong.x]


def test_a_registration_changes_whether_fields_are_required() -> None:
    extended = extendable(range(100, 200))

    @pb.message("test.Outer", syntax="proto2")
    class Outer(pb.Message):
        base: Any = pb.field(extended, 1)

    @pb.message("test.Strict", syntax="proto2")
    class Strict(pb.Message):
        n: int | None = pb.int32(1, required=True)

    outer = Outer(base=extended())
    outer.to_bytes()
    strict = pb.Extension[Any]("test.strict", extended, pb.field(Strict, 100))
    outer.base.extensions[strict] = Strict()
    with pytest.raises(pbwire.EncodeError, match=r"Outer: required and missing: base\[test\.strict\]\.n"):
        outer.to_bytes()
    outer.base.extensions[strict].n = 0
    assert Outer.from_bytes(outer.to_bytes()) == outer
