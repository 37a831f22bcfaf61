"""Attributes of the nodes in a function, with the values that a call gives: `T=$T` becomes `T=float`.

    substituted(node.attr, {"T": AttrValue(type=DataType.DT_FLOAT)})

A placeholder may stand for a whole attribute, for an attribute of a function that an attribute names, and so on
inwards, in lists of functions too: `then_branch=g[T=$T]`. It is what TensorFlow's `SubstitutePlaceholders` does when it
instantiates a function (tensorflow/core/framework/attr_value_util.cc).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import GraphError
from ..messages import AttrValue, FunctionDef, NameAttrList
from .wording import quoted

__all__ = ["given_by_call", "is_open", "substituted"]


def is_open(values: Iterable[AttrValue]) -> bool:
    """Whether one of some attributes, or one of a function that they name, is left to the caller."""
    queue = list(values)
    for value in queue:  # which grows meanwhile
        if value.placeholder is not None:
            return True
        for function in _functions(value):
            queue.extend(function.attr.values())
    return False


def substituted(
    attributes: Mapping[str, AttrValue], given: Mapping[str, AttrValue], *, partly: bool = False
) -> dict[str, AttrValue]:
    """The attributes with the values that are given in the places of placeholders.

    Values without placeholders are shared with `attributes`. Raises GraphError for a placeholder for which nothing is
    given; with `partly`, it stays.
    """
    return {name: _value(value, given, partly) for name, value in attributes.items()}


def given_by_call(function: FunctionDef, call: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """What a call says about the attributes of a function: `call` itself, and defaults for what it leaves out."""
    declared = function.signature.attr if function.signature is not None else []
    return {each.name: each.default_value for each in declared if each.default_value is not None} | dict(call.items())


def _value(value: AttrValue, given: Mapping[str, AttrValue], partly: bool) -> AttrValue:
    if value.placeholder is not None:
        if value.placeholder not in given and not partly:
            raise GraphError(f"the call does not say what the attribute {quoted(value.placeholder)} of its function is")
        return given.get(value.placeholder, value)
    if not is_open([value]):
        return value
    filled = [
        NameAttrList(name=function.name, attr=substituted(function.attr, given, partly=partly))
        for function in _functions(value)
    ]
    return AttrValue(func=filled[0]) if value.func is not None else AttrValue(list=AttrValue.ListValue(func=filled))


def _functions(value: AttrValue) -> list[NameAttrList]:
    """The functions that an attribute names."""
    if value.func is not None:
        return [value.func]
    return value.list.func if value.list is not None else []
