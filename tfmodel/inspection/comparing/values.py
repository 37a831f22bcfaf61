"""Two values of an attribute: whether they mean the same, and if not, how to say that.

Tensors are the same by what they hold, functions by their names and attributes, all else by what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..describing import attr_text
from .changes import Change, Rules, same_bytes
from .tensors import compare_tensors, tensor_words

if TYPE_CHECKING:
    from ...messages import AttrValue, NameAttrList

__all__ = ["compare_values", "same_attributes"]


def compare_values(what: str, before: AttrValue, after: AttrValue, rules: Rules) -> Change | None:
    """How an attribute changed; None if it did not. Bytes are compared first, so that equal weights stay undecoded."""
    if same_bytes(before, after):
        return None
    kind = before.which_oneof("value")
    if kind != after.which_oneof("value"):
        return Change(what, attr_text(before), attr_text(after))
    if kind == "tensor":
        assert before.tensor is not None and after.tensor is not None
        found = compare_tensors(before.tensor, after.tensor, rules)
        if found is None:
            return None
        return Change(what, *tensor_words(before.tensor, after.tensor), str(found), found)
    if kind is None:
        return None if before == after else Change(what, "nothing", "nothing", "a kind of value that is not known")
    one, other = getattr(before, kind), getattr(after, kind)
    difference = _LISTS_AND_FUNCTIONS.get(kind, _difference)(one, other, rules)
    if difference is None:
        return None
    words = attr_text(before), attr_text(after)
    return Change(what, *words, difference if words[0] == words[1] else "")


def same_attributes(before: Any, after: Any, rules: Rules) -> str | None:
    """The first attribute, by name, that differs between two maps; None if none does."""
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after or compare_values(name, before[name], after[name], rules):
            return str(name)
    return None


def _difference(one: Any, other: Any, rules: Rules) -> str | None:
    """How two values differ, for when they look the same in short; None if they do not."""
    if one == other or (one != one and other != other):
        return None
    if isinstance(one, bytes) and isinstance(other, bytes):
        pairs = enumerate(zip(one, other, strict=False))
        place = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
        return f"they differ from byte {place:,} on, of {len(one):,} and {len(other):,} bytes"
    return "they differ"


def _functions(one: NameAttrList, other: NameAttrList, rules: Rules) -> str | None:
    if one.name != other.name:
        return "they differ"
    name = same_attributes(one.attr, other.attr, rules)
    return None if name is None else f'its attribute "{name}" differs'


def _lists(one: Any, other: Any, rules: Rules) -> str | None:
    """Lists are the same if their elements are, one by one; an empty one has no kind."""
    from ...messages import AttrValue

    fields, others = one.ListFields(), other.ListFields()
    if [field.name for field, _ in fields] != [field.name for field, _ in others]:
        return "they differ"
    for (field, elements), (_, other_elements) in zip(fields, others, strict=True):
        if len(elements) != len(other_elements):
            return f"they have {len(elements):,} and {len(other_elements):,} elements"
        for place, (a, b) in enumerate(zip(elements, other_elements, strict=True)):
            if a == b:
                continue
            change = compare_values("", AttrValue(**{field.name: a}), AttrValue(**{field.name: b}), rules)
            if change is not None:
                return f"element {place:,}{change}"
    return None


_LISTS_AND_FUNCTIONS = {"func": _functions, "list": _lists}
