"""The link between an absent sub-message and its parent: the first write makes the sub-message present.

Reading a sub-message that is absent returns a detached message, and changes nothing. Its parent remembers it, so that
two reads return one object. A write to it, or to a list or map in it, attaches it to its parent, and its parent to the
parent's parent, and so on.
"""

from __future__ import annotations

from typing import Any

from ..descriptor import Field

__all__ = ["Link", "adopt", "attach", "children_of", "detached_child", "forget_child", "owner_for"]


class Link(dict[int, Any]):
    """The relatives of a message. A message without relatives has none.

    parent     the message in which this one is absent; None if it is present, or has no parent
    field      the field of the parent

    The items are the messages that were read from absent fields of this message, by field number. Links are the
    dictionaries themselves because garbage collection takes time for each object.
    """

    __slots__ = ("field", "parent")

    def __init__(self, parent: Any = None, field: Field | None = None) -> None:
        self.parent = parent
        self.field = field


def detached_child(message: Any, field: Field) -> Any:
    """Return the message that stands for an absent field."""
    link = message._link
    if link is None:
        link = message._link = Link()
    child = link.get(field.number)
    if child is None:
        child = link[field.number] = field.type.__create__()
        child._link = Link(message, field)
    return child


def attach(message: Any) -> None:
    """Make a message present in its parent, if it is detached. Call this before any write to a message."""
    link = message._link
    if link is None or link.parent is None:
        return
    parent, field = link.parent, link.field
    link.parent = link.field = None
    attach(parent)
    parent._link.pop(field.number, None)
    for one in (message, parent):
        if not one._link:
            one._link = None
    if field.case_slot:
        setattr(parent, field.case_slot, field.number)
    setattr(parent, field.slot, message)


def adopt(message: Any) -> None:
    """Let messages that were read from absent fields stand for the content that these fields have been given."""
    for number, child in list(children_of(message).items()):
        field = message.__table__.by_number[number] if number else message.__table__.set_field
        if field.case_slot and getattr(message, field.case_slot) != number:
            continue
        new = getattr(message, field.slot)
        if new is not None and new is not child:
            forget_child(message, number)
            for slot in child.__table__.slots:
                if slot != "_link":
                    setattr(child, slot, getattr(new, slot))
            child._unknown = new._unknown
            setattr(message, field.slot, child)
            adopt(child)


def owner_for(message: Any) -> Any:
    """Return the owner of a list or map of a message: the message while it is detached, otherwise None."""
    link = message._link
    return message if link is not None and link.parent is not None else None


def children_of(message: Any) -> dict[int, Any]:
    """Return the detached messages that stand for absent fields, by field number."""
    return message._link or {}


def forget_child(message: Any, number: int) -> Any:
    """Release the message that stands for an absent field, if there is one, and return it. It has no parent then."""
    child = children_of(message).pop(number, None)
    if child is not None:
        child._link.parent = child._link.field = None
    return child
