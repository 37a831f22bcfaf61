"""The data of the page: the nodes of the graph and of its functions in columns, deflated.

    length of the header (4 bytes) | header, JSON | columns of int32

The header has all texts, tables of values that many nodes share (ops, devices, outputs, attributes), and the name,
place and length of each column. `js/data.js` is the reader. Numbers of nodes go through all bodies: first the nodes of
the graph, then its arguments and missing nodes, then the nodes of each function.
"""

from __future__ import annotations

import base64
import json
import struct
import sys
import zlib
from array import array
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from operator import itemgetter
from typing import Any

from pbwire.descriptor import table_of

from ...analysis.facts import Facts
from ...analysis.shapes import infer_shapes
from ...analysis.shapes.inference import says_more
from ...errors import Error, GraphError
from ...graph.attributes import content_of, member_of
from ...messages import AttrValue, FunctionDef
from ...ops import output_types
from ...ops.traits import traits
from ...reports.query_matching import MAX_OUTPUTS, Body, attribute_elements, element_text
from ...source.model_source import ModelSource
from ...values.dtypes import dtype_named
from ...values.formatting import tensor_text
from ...values.names import TensorName
from ...values.shape import Shape, count_elements, generalize_shapes, shape_to_text
from ..boxes import Tree
from ..families import CONSTANTS, FAMILIES, INPUTS, family_of
from ..outlines import Outline, cut, ends_of, main_body, outline_of
from ..wiring import Wiring

MAX_CHILDREN = 22
"""The maximum number of children of an entry beside those that stand aside: a window has room for about 30 boxes."""

MAX_ATTRIBUTE = 2_000
"""The maximum number of characters of an attribute, and of elements of its list."""

_CUT = "\N{HORIZONTAL ELLIPSIS}"

_KINDS = {kind: number for number, kind in enumerate(("scope", "group", "stack", "part", "node"))}
_PSEUDO_OPS = {"argument": "(argument)", "result": "(result)", "missing": "(missing)"}


class _Table:
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
class _Columns:
    """The columns and tables while they are filled."""

    names: list[str] = field(default_factory=list)
    ops: _Table = field(default_factory=_Table)
    devices: _Table = field(default_factory=_Table)
    outputs: _Table = field(default_factory=_Table)
    attributes: _Table = field(default_factory=_Table)
    labels: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    columns: dict[str, array[int]] = field(default_factory=dict)
    types: dict[tuple[str, str], tuple[tuple[str, ...], int]] = field(default_factory=dict)
    records: dict[Hashable, int] = field(default_factory=dict)
    ports: dict[Hashable, int] = field(default_factory=dict)
    attribute_sets: dict[Hashable, tuple[int, str]] = field(default_factory=dict)
    attribute_rows: dict[Hashable, tuple[list[Any], str]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> array[int]:
        column = self.columns.get(name)
        if column is None:
            column = self.columns[name] = array("i")
        return column


def page_data(
    source: ModelSource, changed: Mapping[str, set[str]] | None = None
) -> tuple[dict[str, Any], Mapping[str, array[int]]]:
    """Return the header, without the places of columns, and the columns of a model's graph.

    In a difference of two models, `changed` has the names of the nodes that changed, by the name of their function, ""
    for the graph.
    """
    columns = _Columns()
    facts = Facts.of(source)
    functions = facts.functions
    inferred: dict[str, Any] = {}

    def shapes_of(function: str) -> Any:
        if not inferred:
            shapes = facts.shapes
            if says_more(shapes):
                shapes = infer_shapes(facts.index, trust_output_shapes=True)
            inferred.update({"": [shapes], **shapes.in_functions()})
        return inferred.get(function, [])

    outlines = {
        name: outline_of(source, name, changed=None if changed is None else changed.get(name, set()), most=MAX_CHILDREN)
        for name in ("", *functions)
    }
    for name, outline in outlines.items():
        _add_body(columns, Body(outline.index, facts.ops, name, shapes_of), outline)
        _add_calls(columns, outline, {name: number for number, name in enumerate(outlines)})
    first_arguments = {op: calls.first_argument for op in columns.ops.values if (calls := traits(op).calls) is not None}
    header: dict[str, Any] = {
        "first_arguments": {op: first for op, first in first_arguments.items() if first},
        "names": columns.names,
        "ops": columns.ops.values,
        "devices": columns.devices.values,
        "outputs": columns.outputs.values,
        "attributes": columns.attributes.values,
        "labels": columns.labels,
        "bodies": columns.bodies,
        "ends": ends_of(source),
        "family": [family_of(op) for op in columns.ops.values],
    }
    used = {*header["family"], INPUTS, CONSTANTS}
    header["families"] = {rank: FAMILIES[rank][:2] for rank in sorted(used)}
    header["main"] = list(outlines).index(main_body(outlines.__getitem__)) if changed is None else 0
    return header, columns.columns


def numbers_of_nodes(source: ModelSource, header: Mapping[str, Any]) -> Mapping[str, Mapping[str, int]]:
    """Return the numbers of the nodes on a page by name, for the graph, whose name is "", and each function."""
    index = Facts.of(source).index
    numbers: dict[str, Mapping[str, int]] = {"": index.positions}
    for name, body in zip(index.functions, header["bodies"][1:], strict=True):
        numbers[name] = {node: body["start"] + place for node, place in index.body(name).positions.items()}
    return numbers


def _add_body(columns: _Columns, body: Body, outline: Outline) -> None:
    wiring, needed, hosts = outline.wiring, outline.needed, outline.hosts
    start, real = len(columns.names), len(body.index)
    nodes, others = body.index.nodes, wiring.vertices[real:]
    names = [vertex.name for vertex in wiring.vertices]
    columns.names += map(cut, names)
    columns["op"].extend([columns.ops.number(cut(node.op)) for node in nodes])
    columns["op"].extend([columns.ops.number(_PSEUDO_OPS[vertex.kind]) for vertex in others])
    columns["device"].extend([columns.devices.number(cut(node.device)) for node in nodes])
    columns["device"].extend([columns.devices.number("") for _ in others])
    attributes, outputs = columns["attribute"], columns["output"]
    for number, node in enumerate(nodes):
        attribute, types_key = _attributes_number(columns, node.attr)
        attributes.append(attribute)
        outputs.append(_output_number(columns, body, number, types_key))
    attributes.extend([_attributes_number(columns, {})[0] for _ in others])
    outputs.extend([-1] * len(others))
    columns["needed"].extend([int(needed is None or number in needed) for number in range(len(names))])
    columns["inputs"].extend([len(node.input) for node in nodes])
    columns["inputs"].extend([int(vertex.kind == "result") for vertex in others])
    columns["source"].extend([target - origin for origin, target, _, _ in wiring.edges])
    columns["port"].extend(
        [
            -1 if control else 0 if tensor == names[origin] else _port(columns, body, start, origin, tensor)
            for origin, _, tensor, control in wiring.edges
        ]
    )
    columns["host"].extend(number - hosts.get(number, number) for number in range(len(wiring.vertices)))
    first = len(columns.labels)
    _add_entries(columns, outline.tree, start, body.function)
    columns.bodies.append(
        {
            "name": cut(body.function),
            "start": start,
            "real": real,
            "count": len(wiring.vertices),
            "entry": first,
            "entries": len(columns.labels) - first,
            "results": _results(wiring, start),
        }
    )


def _port(columns: _Columns, body: Body, start: int, origin: int, tensor: str) -> int:
    """Return the number of the output that a reference is to; 0 if the node has no such output."""
    try:
        reference = TensorName.parse(tensor)
    except GraphError:
        return 0
    if not reference.output or origin >= len(body.index):
        return reference.port
    node = body.index.nodes[origin]
    key = node.op, columns["attribute"][start + origin], reference.output, reference.port
    port = columns.ports.get(key)
    if port is None:
        try:
            port = output_types(node, body.ops[node.op]).port(reference.output, reference.port)
        except (KeyError, ValueError, Error):
            port = 0
        columns.ports[key] = port
    return port


def _results(wiring: Wiring, start: int) -> list[int]:
    """Return the vertices of the results of a function, in the order of the outputs of its calls."""
    function = wiring.index.graph
    if not isinstance(function, FunctionDef) or function.signature is None:
        return []
    numbers = {vertex.name: start + number for number, vertex in enumerate(wiring.vertices) if vertex.kind == "result"}
    return [numbers.get(output.name, -1) for output in function.signature.output_arg]


def _add_entries(columns: _Columns, tree: Tree, start: int, name: str) -> None:
    """Add the entries, each with the distance to its parent."""
    entries, ups = tree.entries, tree.up
    columns.labels += [cut(entry.label) if up >= 0 else cut(name) for entry, up in zip(entries, ups, strict=True)]
    columns["parent"].extend([number - up if up >= 0 else 0 for number, up in enumerate(ups)])
    columns["kind"].extend([_KINDS[entry.kind] for entry in entries])
    columns["node"].extend([start + entry.node if entry.node >= 0 else -1 for entry in entries])
    columns["aside"].extend([tree.aside.get(number, 0) for number in range(len(entries))])


def _add_calls(columns: _Columns, outline: Outline, body_of: Mapping[str, int]) -> None:
    """Add the functions that nodes call: pairs of a node and a body."""
    start = columns.bodies[-1]["start"]
    for number, functions in outline.calls.items():
        columns["caller"].extend([start + number] * len(functions))
        columns["callee"].extend([body_of[name] for name in functions])


# --- values of nodes -------------------------------------------------------------------------------------------------


def _attributes_number(columns: _Columns, attrs: Mapping[str, AttrValue]) -> tuple[int, str]:
    """Return the number of a set of attributes, and a text that is the same where they give the same output types."""
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


def _output_number(columns: _Columns, body: Body, position: int, attributes: str) -> int:
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


def pack(header: dict[str, Any], columns: Mapping[str, array[int]]) -> str:
    """Return header and columns as the text of the inert script element: base64 of deflate."""
    places: dict[str, list[int]] = {}
    blob = bytearray()
    for name, column in columns.items():
        places[name] = [len(blob), len(column)]
        values = column if sys.byteorder == "little" else array("i", column)
        if sys.byteorder != "little":
            values.byteswap()
        blob += values.tobytes()
    text = json.dumps({**header, "columns": places}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = compressor.compress(struct.pack("<I", len(text)) + text + blob) + compressor.flush()
    return base64.b64encode(packed).decode()
