"""Read attributes and inputs of nodes.

    attr(node, "T", DataType)
    attr(node, "strides", list[int])
    attr(node, "transpose_b", bool, False)           # False if the node leaves it out
    attr(node, "shape", TensorShapeProto, None)      # None if the node leaves it out
    references(node)                                 # its inputs, parsed
    input_tensors(node)                              # the same without control inputs

Graphs may be broken or hostile: an attribute may be missing, or hold a value of another kind than its op declares. All
code reads attributes with these functions. They raise a GraphError that names the node and the attribute.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from operator import attrgetter
from types import GenericAlias
from typing import Any, NamedTuple, TypeVar, cast, overload

from pbwire.descriptor import table_of
from pbwire.errors import DecodeError
from pbwire.lazy.messages import get_deferred_bytes
from pbwire.lazy.undecoded_maps import without_field

from ..errors import GraphError, with_name
from ..messages import AttrValue, DataType, NameAttrList, NodeDef, TensorProto, TensorShapeProto
from ..values.dtypes import dtype_name
from ..values.names import TensorName, data_inputs
from .error_text import describe, guess, quote

MIN_UNDECODED_BYTES = 1 << 16
"""The minimum size of tensors whose type is read without decoding the tensor."""

K = TypeVar("K")
D = TypeVar("D")


class _Kind(NamedTuple):
    """The field of AttrValue and ListValue for values of one kind, and the names of one and of several in errors."""

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
_ELEMENTS: dict[Any, tuple[Any, bool]] = {kind: (kind, False) for kind in _KINDS}
_ELEMENTS |= {GenericAlias(list, kind): (kind, True) for kind in _KINDS}
"""The kind of the elements, and whether the attribute is a list of them, by the kind that callers give."""

_UNCHECKED = _KINDS.keys() - {str, DataType}
"""The kinds whose values are returned as the message has them."""

_ONE = {kind.field: kind.one for kind in _KINDS.values()}
_MANY = {kind.field: kind.many for kind in _KINDS.values()}

_REQUIRED: Any = object()


@overload
def attr(node: NodeDef, name: str, kind: type[K]) -> K: ...
@overload
def attr(node: NodeDef, name: str, kind: type[K], default: D) -> K | D: ...
def attr(node: NodeDef, name: str, kind: Any, default: Any = _REQUIRED) -> Any:
    """Return the value of an attribute, or `default` if the node does not have it, or has it without a value.

    `kind` is int, float, bool, str, bytes, DataType, TensorShapeProto, TensorProto or NameAttrList (a function), or
    list[...] of one of these. Messages and lists are shared with the node: do not change them. An empty list is a list
    of any kind. Raises GraphError, which names the node and the attribute, if the attribute is missing and there
    is no default, if it is of another kind, or if `kind` is str and the value is not UTF-8.
    """
    try:
        element, is_list = _ELEMENTS[kind]
    except KeyError:
        raise TypeError(f"{kind!r} is not a kind of attribute") from None
    value = node.attr.get(name)
    if default is not _REQUIRED and (value is None or not member_of(value)):
        return default
    if value is None:
        raise GraphError(f"{describe(node)} has no attribute {quote(name)}{guess(name, node.attr)}")
    if not is_list:
        single = getattr(value, _KINDS[kind].field)
        if single is None:
            raise _wrong_kind(node, name, value, _KINDS[kind].one)
        return single if kind in _UNCHECKED else _convert([single], kind, node, name)[0]
    elements = _elements(value, _KINDS[element].field)
    if elements is None:
        raise _wrong_kind(node, name, value, f"a list of {_KINDS[element].many}")
    return _convert(elements, element, node, name)


_FIELDS = table_of(AttrValue).by_name
_LIST, _FUNCTION = _FIELDS["list"].number, _FIELDS["func"].number
member_of = attrgetter(_FIELDS["list"].case_slot)
"""Return the number of the member of an AttrValue that is set; 0 if none is."""
content_of = attrgetter(_FIELDS["list"].slot)
"""Return the value of the member that is set."""


def read_functions(values: Iterable[AttrValue]) -> list[NameAttrList]:
    """Return the functions that attributes name."""
    functions: list[NameAttrList] = []
    for value in values:
        member = member_of(value)
        if member == _FUNCTION:
            functions.append(content_of(value))
        elif member == _LIST:
            functions += content_of(value).func
    return functions


def const_tensor(node: NodeDef) -> TensorProto:
    """Return the value of a Const.

    Raises GraphError if the value is missing, or if its type differs from the attribute "dtype": TensorFlow refuses
    that.
    """
    tensor, declared = attr(node, "value", TensorProto), attr(node, "dtype", DataType, None)
    if declared is not None and declared != (actual := _dtype(tensor)):
        problem = f"is declared as {dtype_name(declared)}, but its tensor is {dtype_name(actual)}"
        raise GraphError(f"{describe(node)} {problem}")
    return tensor


def _dtype(tensor: TensorProto) -> int:
    """Return the type of a tensor.

    A large tensor is not decoded, since this would copy its content. A deferred tensor is not computed.
    """
    later = get_deferred_bytes(tensor)
    if later is not None:
        return TensorProto.from_bytes(later.fields).dtype
    cut = without_field(tensor, "tensor_content", MIN_UNDECODED_BYTES)
    if cut is not None:
        with suppress(DecodeError):  # raised again when the message is decoded, with the path to the field
            return TensorProto.from_bytes(cut.other_fields, max_depth=cut.depth).dtype
    return tensor.dtype


def _elements(value: AttrValue, field: str) -> list[Any] | None:
    """Return the list in `field` of a value; None if the value is not a list, or is a list of another kind."""
    if value.list is None:
        return None
    elements = cast("list[Any]", getattr(value.list, field))
    return elements if elements or not _list_kind(value) else None


def _list_kind(value: AttrValue) -> str:
    """Return the field of a list that has elements; "" if the list is empty."""
    return next((field for field in _MANY if getattr(value.list, field)), "")


def _convert(values: list[Any], kind: Any, node: NodeDef, name: str) -> list[Any]:
    """Return the values as instances of `kind`: strings are decoded, types must be known."""
    if kind is str:
        try:
            return [value.decode() for value in values]
        except UnicodeDecodeError:
            raise GraphError(f"the attribute {quote(name)} of {describe(node)} is not UTF-8") from None
    if kind is DataType:
        for value in values:
            if not isinstance(value, DataType):
                raise GraphError(f"the attribute {quote(name)} of {describe(node)} is not a known type: {value}")
    return values


def _wrong_kind(node: NodeDef, name: str, value: AttrValue, expected: str) -> GraphError:
    if value.placeholder is not None:
        problem = f"is left to the caller of its function, as {quote(value.placeholder)}"
    else:
        problem = f"is {_kind_of(value)}, not {expected}"
    return GraphError(f"the attribute {quote(name)} of {describe(node)} {problem}")


def _kind_of(value: AttrValue) -> str:
    """Return what errors call the kind of a value."""
    field = value.which_oneof("value")
    if field is None:
        return "nothing"
    if field != "list":
        return _ONE[field]
    return f"a list of {_MANY[_list_kind(value)]}" if _list_kind(value) else "an empty list"


def references(node: NodeDef) -> list[TensorName]:
    """Return the parsed inputs of a node, control inputs included.

    Raises GraphError, which names the node, if an input is not a reference.
    """
    try:
        return [TensorName.parse(text) for text in node.input]
    except GraphError as error:
        raise GraphError(with_name(describe(node), f"its input {error}")) from error


def input_tensors(node: NodeDef) -> list[TensorName]:
    """Return the parsed inputs of a node that are tensors. Raises GraphError if an input is not a reference."""
    return [TensorName.parse(text) for text in data_inputs(node)]
