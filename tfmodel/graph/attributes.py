"""The one way to read an attribute of a node.

    attr(node, "T", DataType)
    attr(node, "strides", list[int])
    attr(node, "transpose_b", bool, False)           # may be left out
    attr(node, "shape", TensorShapeProto, None)      # None if it is

What a graph holds is not to be trusted: an attribute may be missing, or hold something else than its op declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import GenericAlias
from typing import Any, NamedTuple, Protocol, TypeVar, cast, overload

from pbwire.errors import DecodeError
from pbwire.lazy.messages import deferred
from pbwire.lazy.undecoded_maps import without_field

from ..dtypes import dtype_name
from ..errors import GraphError
from ..messages import AttrValue, DataType, NameAttrList, TensorProto, TensorShapeProto
from .error_text import Named, describe, guess, quoted

__all__ = ["HasAttributes", "attr", "const_tensor"]

_LARGE = 1 << 16  # bytes of a tensor, from where on it is worth it

K = TypeVar("K")
D = TypeVar("D")


class HasAttributes(Named, Protocol):
    """A node with attributes: a NodeDef or a MutableNode."""

    @property
    def attr(self) -> Mapping[str, AttrValue]: ...


class _Kind(NamedTuple):
    """Where an AttrValue, or its ListValue, keeps values of one kind, and what errors call one and several."""

    field: str
    one: str
    many: str


_TEXT = _Kind("s", "a string", "strings")

_KINDS: dict[Any, _Kind] = {
    int: _Kind("i", "an integer", "integers"),
    float: _Kind("f", "a float", "floats"),
    bool: _Kind("b", "a bool", "bools"),
    str: _TEXT,
    bytes: _TEXT,
    DataType: _Kind("type", "a type", "types"),
    TensorShapeProto: _Kind("shape", "a shape", "shapes"),
    TensorProto: _Kind("tensor", "a tensor", "tensors"),
    NameAttrList: _Kind("func", "a function", "functions"),
}
_LISTS: dict[Any, Any] = {GenericAlias(list, kind): kind for kind in _KINDS}
_ONE = {kind.field: kind.one for kind in _KINDS.values()}
_MANY = {kind.field: kind.many for kind in _KINDS.values()}

_REQUIRED: Any = object()


@overload
def attr(node: HasAttributes, name: str, kind: type[K]) -> K: ...
@overload
def attr(node: HasAttributes, name: str, kind: type[K], default: D) -> K | D: ...
def attr(node: HasAttributes, name: str, kind: Any, default: Any = _REQUIRED) -> Any:
    """The value of an attribute, or `default` if the node has none of that name.

    `kind` is int, float, bool, str, bytes, DataType, TensorShapeProto, TensorProto or NameAttrList (a function), or
    list[...] of one of these. Messages and lists are those of the node: they are not to be changed. Raises GraphError,
    which names the node and the attribute, if it is missing without a default, if it is of another kind, or if it holds
    a string that is not UTF-8 where `kind` is str. An empty list is one of any kind.
    """
    element = _LISTS.get(kind, kind)
    if element not in _KINDS:
        raise TypeError(f"{kind!r} is no kind of attribute")
    value = node.attr.get(name)
    if value is None:
        if default is not _REQUIRED:
            return default
        raise GraphError(f"{describe(node)} has no attribute {quoted(name)}{guess(name, node.attr)}")
    if element is kind:
        found = getattr(value, _KINDS[kind].field)
        if found is None:
            raise _wrong(node, name, value, _KINDS[kind].one)
        return _narrowed([found], element, node, name)[0]
    found = _elements(value, _KINDS[element].field)
    if found is None:
        raise _wrong(node, name, value, f"a list of {_KINDS[element].many}")
    return _narrowed(found, element, node, name)


def const_tensor(node: HasAttributes) -> TensorProto:
    """The value of a Const, whose type is the one that the node declares, as TensorFlow wants it.

    Raises GraphError if there is none, or if the attribute "dtype" says another type.
    """
    tensor, declared = attr(node, "value", TensorProto), attr(node, "dtype", DataType, None)
    if declared is not None and declared != (found := _dtype(tensor)):
        problem = f"is declared as {dtype_name(declared)}, but its tensor is {dtype_name(found)}"
        raise GraphError(f"{describe(node)} {problem}")
    return tensor


def _dtype(tensor: TensorProto) -> int:
    """The type of a tensor. Neither is a large one decoded for it, which would copy its content, nor computed."""
    later = deferred(tensor)
    if later is not None:
        return TensorProto.from_bytes(later.fields).dtype
    cut = without_field(tensor, "tensor_content", _LARGE)
    if cut is not None:
        with suppress(DecodeError):  # raised again when the message is decoded, with the path to the field
            return TensorProto.from_bytes(cut.rest, max_depth=cut.depth).dtype
    return tensor.dtype


def _elements(value: AttrValue, field: str) -> list[Any] | None:
    """The list that a value holds in that field; None if it is no list, or one of another kind."""
    if value.list is None:
        return None
    found = cast("list[Any]", getattr(value.list, field))
    return found if found or not _list_kind(value) else None


def _list_kind(value: AttrValue) -> str:
    """Which field of a list has elements."""
    return next((field for field in _MANY if getattr(value.list, field)), "")


def _narrowed(values: list[Any], kind: Any, node: HasAttributes, name: str) -> list[Any]:
    """The values as their kind promises them: text is decoded, a type is one that has a name."""
    if kind is str:
        try:
            return [value.decode() for value in values]
        except UnicodeDecodeError:
            raise GraphError(f"the attribute {quoted(name)} of {describe(node)} is not UTF-8") from None
    if kind is DataType:
        for value in values:
            if not isinstance(value, DataType):
                raise GraphError(f"the attribute {quoted(name)} of {describe(node)} is a type without a name, {value}")
    return values


def _wrong(node: HasAttributes, name: str, value: AttrValue, wanted: str) -> GraphError:
    if value.placeholder is not None:
        problem = f"is left to the caller of its function, as {quoted(value.placeholder)}"
    else:
        problem = f"is {_found(value)}, not {wanted}"
    return GraphError(f"the attribute {quoted(name)} of {describe(node)} {problem}")


def _found(value: AttrValue) -> str:
    field = value.which_oneof("value")
    if field is None:
        return "nothing"
    if field != "list":
        return _ONE[field]
    return f"a list of {_MANY[_list_kind(value)]}" if _list_kind(value) else "an empty list"
