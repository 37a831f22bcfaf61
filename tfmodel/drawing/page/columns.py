"""The columns of the page and the tables that they share, and the numbers of attributes and outputs in these tables.

Equal sets of attributes, and equal outputs, have one row each, which many nodes share.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from operator import itemgetter
from typing import Any

from pbwire.descriptor import table_of

from ...graph.attributes import content_of, member_of
from ...messages import AttrValue
from ...reports.query_matching import MAX_OUTPUTS, Body, attribute_elements, element_text
from ...values.dtypes import dtype_named
from ...values.formatting import tensor_text
from ...values.shape import Shape, count_elements, generalize_shapes, shape_to_text
from ..outlines import cut

MAX_ATTRIBUTE = 2_000
"""The maximum number of characters of an attribute, and of elements of its list."""

_CUT = "\N{HORIZONTAL ELLIPSIS}"


class Table:
    """Values that many nodes share; each has a number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, key: Any, make: Callable[[], Any] | None = None) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.values)
            self.values.append(key if make is None else make())
        return number


@dataclass(slots=True)
class Columns:
    """The columns and tables while they are filled."""

    names: list[str] = field(default_factory=list)
    ops: Table = field(default_factory=Table)
    devices: Table = field(default_factory=Table)
    outputs: Table = field(default_factory=Table)
    attributes: Table = field(default_factory=Table)
    labels: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    columns: dict[str, array[int]] = field(default_factory=dict)
    types: dict[tuple[str, str], tuple[tuple[str, ...], int]] = field(default_factory=dict)
    records: dict[Hashable, int] = field(default_factory=dict)
    ports: dict[Hashable, int] = field(default_factory=dict)
    attributes_seen: dict[int, tuple[Mapping[str, AttrValue], tuple[int, str]]] = field(default_factory=dict)
    attribute_sets: dict[Hashable, tuple[int, str]] = field(default_factory=dict)
    attribute_rows: dict[Hashable, tuple[list[Any], str]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> array[int]:
        column = self.columns.get(name)
        if column is None:
            column = self.columns[name] = array("i")
        return column


# --- values of nodes -------------------------------------------------------------------------------------------------


def attributes_number(columns: Columns, attrs: Mapping[str, AttrValue]) -> tuple[int, str]:
    """Return the number of a set of attributes, and a text that is the same where they give the same output types."""
    known = columns.attributes_seen.get(id(attrs))  # nodes of entrances have those of the nodes that they stand for
    if known is not None and known[0] is attrs:
        return known[1]
    key = _key_of(attrs)
    numbers = columns.attribute_sets.get(key)
    if numbers is None:
        shown = []
        for attribute in sorted(key, key=itemgetter(0)):
            row = columns.attribute_rows.get(attribute)
            if row is None:
                name = attribute[0]
                row = columns.attribute_rows[attribute] = _row(name, *_contents(attrs[name]))
            shown.append(row)
        number = columns.attributes.number(tuple([text for _, text in shown]), lambda: [row for row, _ in shown])
        numbers = columns.attribute_sets[key] = number, _types_key(shown)
    columns.attributes_seen[id(attrs)] = attrs, numbers
    return numbers


_FIELDS = table_of(AttrValue).by_name
_MESSAGES = frozenset(field.number for field in _FIELDS.values() if field.is_message)
_FLOAT = _FIELDS["f"].number
_TEXT = _FIELDS["s"].number


def _key_of(attrs: Mapping[str, AttrValue]) -> tuple[tuple[str, int, Any], ...]:
    """Return the names, members and values of attributes."""
    key = []
    for name, value in attrs.items():
        member, content = member_of(value), content_of(value)
        if member in _MESSAGES:
            content = _contents(value)
        elif member == _FLOAT:
            content = repr(content)  # -0.0 equals 0.0, and NaN nothing
        elif member == _TEXT:
            content = bytes(content)  # it may be a bytearray
        key.append((name, member, content))
    return tuple(key)


def _types_key(shown: list[tuple[list[Any], str]]) -> str:
    """Return a text that is the same for attributes that give the same types of outputs.

    Types come from types, lists and numbers; of other attributes, only the kind matters. No op declares attributes that
    begin with "_".
    """
    return ",".join(
        text if is_list or not elements or elements[0][0] in ("type", "i") else f"{name!r} {elements[0][0]}"
        for (name, is_list, elements), text in shown
        if not name.startswith("_")
    )


def output_number(columns: Columns, body: Body, position: int, attributes: str) -> int:
    """Return the number of the record of a node's outputs: types, common shapes, all shapes, bytes, count.

    `attributes` is the text of `_types_key`: the same op with the same attributes has the same types.
    """
    key = body.index.nodes[position].op, attributes
    types = columns.types.get(key) if _CUT not in attributes else None
    if types is None:
        types = columns.types[key] = tuple(body.dtypes(position)), next(iter(body.output_count(position)), -1)
    calls = tuple([tuple(shapes.inferred_at(position)[:MAX_OUTPUTS]) for shapes in body.shapes])
    number = columns.records.get((types, calls))
    if number is None:
        number = columns.records[types, calls] = columns.outputs.number(_output_record(*types, calls))
    return number


def _output_record(dtypes: tuple[str, ...], count: int, calls: Sequence[Sequence[Shape | None]]) -> tuple[Any, ...]:
    """Return the record of the outputs of a node, given their shapes in each call of the body that it is in."""
    if count >= 0:
        length = min(count, MAX_OUTPUTS)
        calls = [[*shapes[:length], *[None] * (length - len(shapes))] for shapes in calls]
    common = tuple(reduce(generalize_shapes, shapes) for shapes in zip(*calls, strict=False))
    known = tuple(dict.fromkeys(shape for shapes in calls for shape in shapes if shape is not None))
    size = max((size for shapes in calls for size in map(_size, dtypes, shapes)), default=-1)
    return dtypes, common, known, size, count


@lru_cache(100_000)
def _size(dtype: str, shape: Shape | None) -> int:
    """Return the bytes of a tensor, -1 if they are unknown."""
    row, elements = dtype_named(dtype), count_elements(shape)
    return row.itemsize * elements if row is not None and row.itemsize and elements is not None else -1


def _contents(value: AttrValue) -> tuple[bool, tuple[tuple[str, Any], ...]]:
    """Return whether an attribute is a list, and its elements as pairs of kind and content."""
    kind = value.which_oneof("value")
    if kind in ("type", "b", "i"):
        return False, ((kind, getattr(value, kind)),)
    contents: list[tuple[str, Any]] = []
    length = 0
    for kind_of_element, element in attribute_elements(value):
        if length > MAX_ATTRIBUTE:
            contents.append(("s", _CUT.encode()))
            break
        content = _content(kind_of_element, element)
        length += len(content) if isinstance(content, (bytes, str)) else 8
        contents.append((kind_of_element, content))
    return kind == "list", tuple(contents)


def _content(kind: str, element: Any) -> Any:
    """Return an element of an attribute in a form that a cache can look up: floats, long ones and messages as texts."""
    if kind == "shape":
        return None if element.unknown_rank else tuple([dim.size for dim in element.dim])
    if kind in ("i", "b", "type"):
        return element
    if kind == "s" and len(element) <= MAX_ATTRIBUTE:
        return bytes(element)  # it may be a bytearray
    return _shown(kind, element)


def _row(name: str, is_list: bool, contents: tuple[tuple[str, Any], ...]) -> tuple[list[Any], str]:
    """Return an attribute as the page has it, with a text that is the same for equal ones."""
    row = [cut(name), int(is_list), [[kind, _value(kind, content)] for kind, content in contents]]
    return row, repr(row)


def _value(kind: str, content: Any) -> Any:
    """Return a result of `_content` as the page has it."""
    if kind == "shape":
        sizes = content if content is None else tuple([None if size < 0 else size for size in content])
        return cut(shape_to_text(sizes), MAX_ATTRIBUTE)
    return content if isinstance(content, str) else _shown(kind, content)


def _shown(kind: str, element: Any) -> Any:
    """Return an element of an attribute as the page has it."""
    if kind == "i" and abs(element) > 2**53:
        return str(element)
    if kind == "tensor":
        return cut(tensor_text(element), MAX_ATTRIBUTE)
    return element if kind in ("i", "b") else cut(element_text((kind, element)), MAX_ATTRIBUTE)
