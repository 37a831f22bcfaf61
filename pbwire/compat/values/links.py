"""The link between an absent sub-message and its parent: the first write makes the sub-message present.

Reading a sub-message that is absent returns a detached message, and changes nothing. Its parent remembers it, so that
two reads return one object. A write to it, or to a list or map in it, attaches it to its parent, and its parent to the
parent's parent, and so on. Each message has four slots for this:

_parent    the message in which this one is absent; None if it is present, or has no parent
_field     the field of the parent
_sibling   the next message that was read from an absent field of the same parent
_child     the first message that was read from an absent field of this one

Programs read absent fields of every attribute of a graph. Such a linked list is fast to extend, and takes no objects of
its own, for each of which garbage collection would take time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

LINK_SLOTS = {"_parent": None, "_field": None, "_sibling": None, "_child": None}
"""The slots of each message that hold its links, with their values in a new message."""


def child_reader(field: Any) -> Callable[[Any], Any]:
    """Return the function that returns the message that stands for an absent field of a message."""

    def read_child(message: Any) -> Any:
        first = child = message._child
        while child is not None:
            if child._field is field:
                return child
            child = child._sibling
        message._child = child = field.create()
        child._parent = message
        child._field = field
        child._sibling = first
        return child

    return read_child


def attach(message: Any) -> None:
    """Make a message present in its parent, if it is detached. Call this before any write to a message."""
    parent = message._parent
    if parent is not None:
        field = message._field
        attach(parent)
        _unlink(message)
        if field.case_slot:
            setattr(parent, field.case_slot, field.number)
        setattr(parent, field.slot, message)


def adopt(message: Any) -> None:
    """Let messages that were read from absent fields stand for the content that these fields have been given."""
    for child in list(children_of(message)):
        field = child._field
        if field.case_slot and getattr(message, field.case_slot) != field.number:
            continue
        new = getattr(message, field.slot)
        if new is not None and new is not child:
            _unlink(child)
            for slot in child.__table__.slots:
                if slot not in LINK_SLOTS:
                    setattr(child, slot, getattr(new, slot))
            child._unknown = new._unknown
            setattr(message, field.slot, child)
            adopt(child)


def children_of(message: Any) -> Iterator[Any]:
    """Yield the messages that were read from absent fields of a message."""
    child = message._child
    while child is not None:
        yield child
        child = child._sibling


def forget_child(message: Any, number: int) -> Any:
    """Release the message that stands for an absent field, if there is one, and return it. It has no parent then."""
    for child in children_of(message):
        if child._field.number == number:
            _unlink(child)
            return child
    return None


def forget_children(message: Any) -> None:
    """Release all messages that stand for absent fields of a message."""
    while message._child is not None:
        _unlink(message._child)


def _unlink(message: Any) -> None:
    """Take a detached message from its parent."""
    parent = message._parent
    if parent._child is message:
        parent._child = message._sibling
    else:
        before = next(child for child in children_of(parent) if child._sibling is message)
        before._sibling = message._sibling
    message._parent = message._field = message._sibling = None
