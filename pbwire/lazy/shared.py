"""Messages that many parents share until one of them is read.

Eager decoders remember short map entries that repeat, as AttrValues do by the thousand. If a message has nothing but
one oneof, and its member is a message, all copies get one member: an instance of a hidden subclass. A program never
sees it. When the member is read from one of its parents, the property of the field puts a copy in its place, which has
the ordinary class. So it looks as if each parent had been decoded with a member of its own.

If such a member has nothing but a list of messages, its slot has a tuple of shared messages in place of the list, and
so have the slots of its copies. The property of the list puts a list of copies in its place.

Code that only reads messages uses shared members directly. Encoders and printers recognize them, and write the bytes or
text that they remember: the encoding is exactly the one that would be written. Code that moves values to another
message, or returns them to a program, calls `own_member` first.
"""

from __future__ import annotations

from collections.abc import Callable

from ..codec.codegen import stub
from ..descriptor import Table
from ..kept import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Copier:
    """How to copy some of the shared messages of a class."""

    copy: Callable[[Any], Any]  # returns a copy of the message that has the ordinary class


@kept
def copier(table: Table, what: str) -> Copier:
    """Return the copier of a class that calls its generated function `what`, which is compiled on the first call."""
    made = Copier()
    made.copy = stub(vars(made), "copy", table, what)
    return made


class _SharedClass(type):
    """The class of the classes of shared messages, by which they are recognized."""


@kept
def shared_class(table: Table) -> Any:
    """Return the class of the shared messages of a message class. Instances have two more slots."""
    cls = table.cls
    names: dict[str, Any] = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    return _SharedClass(cls.__name__, (cls,), names | {"__slots__": ("_copier", "_encoding")})


def can_be_shared(table: Table) -> bool:
    """Return whether messages of a class can be shared. They cannot if a field has the name of one of their slots."""
    return not (hasattr(table.cls, "_encoding") or hasattr(table.cls, "_copier"))


def shared_encoding(message: Any) -> bytes | None:
    """Return the encoding of a shared message, None for any other object."""
    return message._encoding if message.__class__.__class__ is _SharedClass else None


def own_member(value: Any) -> Any:
    """Return a copy of a shared message, any other value as it is.

    The caller puts the copy in its place. It calls no function between the check that no other thread has replaced the
    value and the assignment.
    """
    if value.__class__.__class__ is _SharedClass:
        return value._copier.copy(value)
    return value
