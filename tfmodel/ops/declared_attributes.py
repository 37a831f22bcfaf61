"""Compare the attributes of a node with the declaration of its op, as TensorFlow does when it loads a graph.

    list(attribute_problems(node, OPS[node.op]))        # ['it has no attribute "T"']
    list(ignored_attributes(node, OPS[node.op]))        # ['its attribute "alpha" is unknown, and TensorFlow 2 ...']

A declaration gives each attribute a type, such as "int" or "list(shape)", and may give it a default, a minimum and a
list of allowed values. Attributes whose names begin with "_" are not declared: programs add them for themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..messages import DataType
from ..values.dtypes import dtype_name
from ..values.terminal import escape, shorten
from .ports import REFERENCE_OFFSET

if TYPE_CHECKING:
    from ..messages import AttrValue, NodeDef, OpDef

MEMBERS: Mapping[str, str] = {
    "bool": "b",
    "float": "f",
    "func": "func",
    "int": "i",
    "shape": "shape",
    "string": "s",
    "tensor": "tensor",
    "type": "type",
}
"""The member of AttrValue, and the field of its lists, for each type of attribute in declarations."""

_TYPES = {member: name for name, member in MEMBERS.items()}
_MAX_CHARACTERS = 60
MAX_SHOWN = 12
"""The maximum number of allowed values, and of names, that a message lists."""


def ignored_attributes(node: NodeDef, op: OpDef, *, extra: Collection[str] = ()) -> Iterator[str]:
    """Yield a sentence for each attribute that the op does not have. TensorFlow 2 ignores them.

    `extra` are names of attributes of later versions.
    """
    declared = {row.name: row for row in op.attr}
    for name in node.attr:
        if name not in declared and not name.startswith("_") and name not in extra:
            yield f"its attribute {_quote(name)} is unknown, and TensorFlow 2 ignores it: the op has {_names(declared)}"


def attribute_problems(
    node: NodeDef, op: OpDef, *, in_function: bool = False, fixed: Container[str] | None = None
) -> Iterator[str]:
    """Yield a sentence for each attribute that is missing or invalid, so that TensorFlow refuses the node.

    In the body of a function, the caller may set attributes, so placeholders are valid there. `fixed` are the
    attributes that must not be placeholders elsewhere; None for all.
    """
    for row in op.attr:
        value = node.attr.get(row.name)
        if value is None or (value.which_oneof("value") is None and row.default_value is not None):
            if row.default_value is None:
                yield f"it has no attribute {_quote(row.name)}"
        else:
            is_open = in_function or (fixed is not None and row.name not in fixed)
            if problem := value_problem(value, row, in_function=is_open):
                yield f"its attribute {_quote(row.name)} {problem}"


def colocation_problem(node: NodeDef) -> str:
    """Return what is wrong with the attribute "_class", which any node may have; "" if nothing is."""
    colocation = node.attr.get("_class")
    kind = colocation.which_oneof("value") if colocation is not None else None
    elements = colocation.list if colocation is not None else None
    is_wrong = kind not in (None, "list") or (elements is not None and not elements.s and elements.ListFields())
    return 'its attribute "_class" is not a list of strings' if is_wrong else ""


def value_problem(value: AttrValue, declared: OpDef.AttrDef, *, in_function: bool = False) -> str:
    """Return what is wrong with the value of a declared attribute, after its name; "" for a valid value."""
    if value.placeholder is not None:
        return "" if in_function else f"is {_quote(value.placeholder)}, which only a caller of a function can set"
    name = declared.type.removeprefix("list(").removesuffix(")")
    member = MEMBERS.get(name)
    if member is None:
        return ""  # a type of a later version
    if name == declared.type:
        single = getattr(value, member)
        if single is None:
            return f"is {_kind(value)}, not {_article(name)}"
        if declared.has_minimum and single < declared.minimum:
            return f"is {single:,}, less than {declared.minimum:,}"
        return _element_problem([single], declared)
    if value.list is None:
        return f"is {_kind(value)}, not a list" if value.which_oneof("value") else ""  # without a value, it is empty
    others = [_TYPES[other] for other in _TYPES if other != member and getattr(value.list, other)]
    if others:
        return f"is a list with {_article(others[0])}, not {declared.type}"
    elements = getattr(value.list, member)
    if declared.has_minimum and len(elements) < declared.minimum:
        return f"has {len(elements):,} elements, less than {declared.minimum:,}"
    return _element_problem(elements, declared)


def _element_problem(elements: list[Any], declared: OpDef.AttrDef) -> str:
    """Return what is wrong with the first invalid element of a value."""
    allowed = declared.allowed_values.list if declared.allowed_values is not None else None
    values: list[Any] = [*allowed.s, *allowed.type] if allowed is not None else []
    known = frozenset(values)
    for element in elements:
        is_type = declared.type.endswith(("type", "type)"))
        if element is DataType.DT_INVALID or (is_type and not isinstance(element, DataType)):
            return "is not a type"
        if isinstance(element, DataType) and element > REFERENCE_OFFSET:
            return f"is a reference type, {dtype_name(element)}"
        if known and element not in known:
            return f"is {_shown(element)}, not one of {_list(map(_shown, values[: MAX_SHOWN + 1]), len(values))}"
    return ""


def _shown(value: Any) -> str:
    return _quote(value.decode("utf-8", "replace")) if isinstance(value, bytes) else dtype_name(value)


def _kind(value: AttrValue) -> str:
    member = value.which_oneof("value")
    return "empty" if member is None else "a list" if member == "list" else _article(_TYPES[member])


def _article(name: str) -> str:
    return "an int" if name == "int" else "a function" if name == "func" else f"a {name}"


def _quote(text: str) -> str:
    return f'"{escape(shorten(text, _MAX_CHARACTERS))}"'


def _names(declared: Mapping[str, Any]) -> str:
    return _list(map(_quote, islice(declared, MAX_SHOWN)), len(declared)) or "no attributes"


def _list(texts: Iterable[str], count: int) -> str:
    """Return the first texts, and the number of the others."""
    more = f" and {count - MAX_SHOWN:,} more" if count > MAX_SHOWN else ""
    return ", ".join(islice(texts, MAX_SHOWN)) + more
