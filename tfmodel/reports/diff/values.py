"""Compare two values of an attribute, and two tensors: how many elements differ, and by how much.

Tensors are compared by their elements, however these are stored; functions by name and attributes; other values
directly. If the dtypes or shapes of tensors differ, elements are not compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ... import messages
from ...errors import TensorError
from ...values.formatting import attr_text, tensor_text, values_text
from .report import Change, Rules, same_bytes

if TYPE_CHECKING:
    from ...messages import NameAttrList, TensorProto

_DIGITS = 5  # of a difference in texts


@dataclass(frozen=True, slots=True)
class TensorDifference:
    """The difference of two tensors. If `elements` is None, the tensors cannot be compared, and `problem` says why.

    elements        the number of elements of each of the tensors
    different       the number of elements that differ
    max_absolute    the largest |a - b|; infinite if only one of the two is finite; None for strings and other objects
    max_relative    the largest |a - b| / max(|a|, |b|), at most 2; infinite if `max_absolute` is
    first           the index of the first element that differs
    """

    elements: int | None = None
    different: int | None = None
    max_absolute: float | None = None
    max_relative: float | None = None
    first: tuple[int, ...] = ()
    problem: str = ""

    def __str__(self) -> str:
        if self.elements is None:
            return self.problem
        if self.different == self.elements:
            words = f"all {self.elements:,} elements differ," if self.elements > 1 else "differs"
        else:
            words = f"{self.different:,} of {self.elements:,} elements differ, first {list(self.first)},"
        if self.max_absolute is None or self.max_relative is None:
            return words.rstrip(",")
        qualifier = "at most " if self.elements > 1 else ""
        return f"{words} by {qualifier}{_number(self.max_absolute)} (relative {_number(self.max_relative)})"

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON, with None for infinity."""
        return {
            "elements": self.elements,
            "different": self.different,
            "max_absolute": _finite(self.max_absolute),
            "max_relative": _finite(self.max_relative),
            "first": list(self.first) if self.elements else None,
        } | ({"problem": self.problem} if self.problem else {})


def compare_tensors(before: TensorProto, after: TensorProto, rules: Rules) -> TensorDifference | None:
    """Return the difference of two tensors; None if they are the same."""
    if before.dtype != after.dtype:
        return TensorDifference(problem="the type differs")
    from .elements import compare_elements  # imports NumPy, which graphs with equal tensors do not need

    try:
        return compare_elements(before, after, rules)
    except TensorError as error:
        # Tensors that have no array can still be equal as messages.
        return None if before == after else TensorDifference(problem=f"it cannot be compared: {error}")


def tensor_texts(before: TensorProto, after: TensorProto) -> tuple[str, str]:
    """Return both tensors as short texts, with the elements if they are few."""
    words = [f"{tensor_text(tensor)} {values_text(tensor)}".rstrip() for tensor in (before, after)]
    return words[0], words[1]


def _number(value: float) -> str:
    return f"{value:.{_DIGITS}g}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def compare_values(what: str, before: messages.AttrValue, after: messages.AttrValue, rules: Rules) -> Change | None:
    """Return the change of an attribute; None if it is the same. Equal encodings are not decoded."""
    if same_bytes(before, after):
        return None
    kind = before.which_oneof("value")
    if kind != after.which_oneof("value"):
        return Change(what, attr_text(before), attr_text(after))
    if kind == "tensor":
        assert before.tensor is not None and after.tensor is not None
        difference = compare_tensors(before.tensor, after.tensor, rules)
        if difference is None:
            return None
        return Change(what, *tensor_texts(before.tensor, after.tensor), str(difference), difference)
    if kind is None:
        return None if before == after else Change(what, "nothing", "nothing", "an unknown kind of value")
    one, other = getattr(before, kind), getattr(after, kind)
    note = _LISTS_AND_FUNCTIONS.get(kind, _difference)(one, other, rules)
    if note is None:
        return None
    texts = attr_text(before), attr_text(after)
    return Change(what, *texts, note if texts[0] == texts[1] else "")


def first_different_attribute(before: Any, after: Any, rules: Rules) -> str | None:
    """Return the name of the first attribute, in the order of names, that differs in two maps.

    None if they are the same.
    """
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after or compare_values(name, before[name], after[name], rules):
            return str(name)
    return None


def _difference(one: Any, other: Any, rules: Rules) -> str | None:
    """Describe the difference of two values, whose short texts may be equal; None if the values are the same."""
    if one == other or (one != one and other != other):
        return None
    if isinstance(one, bytes) and isinstance(other, bytes):
        pairs = enumerate(zip(one, other, strict=False))
        first = next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))
        return f"they have {len(one):,} and {len(other):,} bytes, and differ from byte {first:,} on"
    return "they differ"


def _functions(one: NameAttrList, other: NameAttrList, rules: Rules) -> str | None:
    if one.name != other.name:
        return "they differ"
    name = first_different_attribute(one.attr, other.attr, rules)
    return None if name is None else f'its attribute "{name}" differs'


def _lists(one: Any, other: Any, rules: Rules) -> str | None:
    """Describe the first difference of two lists; None if they are the same. All empty lists are the same."""
    fields, others = one.ListFields(), other.ListFields()
    if [field.name for field, _ in fields] != [field.name for field, _ in others]:
        return "they differ"
    for (field, elements), (_, other_elements) in zip(fields, others, strict=True):
        if len(elements) != len(other_elements):
            return f"they have {len(elements):,} and {len(other_elements):,} elements"
        for position, (a, b) in enumerate(zip(elements, other_elements, strict=True)):
            if a == b:
                continue
            change = compare_values(
                "", messages.AttrValue(**{field.name: a}), messages.AttrValue(**{field.name: b}), rules
            )
            if change is not None:
                return f"element {position:,}{change}"
    return None


_LISTS_AND_FUNCTIONS = {"func": _functions, "list": _lists}
