"""An ONNX model as text: its inputs and outputs, and one line for every node, in all of its graphs and functions."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from pbwire.text.literals import escape_bytes
from pbwire.text.scalars import float_text

from ...values.dtypes.onnx import ONNX_DTYPES
from ...values.terminal import align_columns, count_of, escape
from .graphs import OnnxBody, onnx_bodies, op_name
from .types import TensorFacts, sizes_text, tensor_facts, type_text

HEADINGS = ("name", "op", "outputs", "inputs", "attributes")
MAX_WIDTHS = (40, 24, 48, 40)
_MAX_PORTS = 6
_MAX_ELEMENTS = 8  # of a list or a tensor
_MAX_STRING = 40
_MAX_INITIALIZERS = 8

_STRUCT_FORMATS = {
    "bool": "?",
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
}
_LISTED = ("float32", "float64", "int32", "int64", "uint64")
"""The types whose values in a list are spelled as they are."""


def onnx_tree(model: Any, *, full: bool = False) -> Iterator[str]:
    """Yield the lines for a ModelProto, safe to show on a terminal. With `full`, no list is cut."""
    opsets = [f"opset {one.version or 0}{f' of {one.domain}' if one.domain else ''}" for one in model.opset_import]
    nodes = len(model.graph.node) if model.graph is not None else 0
    version = [f"IR version {model.ir_version}"] if model.ir_version is not None else []
    yield escape(f"ONNX model: {', '.join([count_of(nodes, 'node'), *version, *opsets])}")
    for body in onnx_bodies(model):
        if body.title:
            yield ""
            yield escape(body.title + (_signature(body.graph, full) if body.is_function else ""))
        if not body.is_function:
            yield from map(escape, _ends(body, full))
        if body.nodes:
            yield from [] if body.title else [""]
            types = {} if body.is_function else _types(body.graph)
            yield from onnx_node_lines(body.nodes, types=types, full=full, indent=2 * bool(body.title))


def onnx_node_lines(
    nodes: Iterable[Any], *, types: Mapping[str, str], full: bool = False, heading: bool = True, indent: int = 0
) -> Iterator[str]:
    """Yield a line with columns for each node. `types` are those of values, as far as they are known."""
    rows = (tuple(map(escape, _cells(node, types, full))) for node in nodes)
    lines = chain([HEADINGS] if heading else [], rows)
    return align_columns(lines, widest=MAX_WIDTHS, names=(0,), whole_names=full, indent=indent)


def _cells(node: Any, types: Mapping[str, str], full: bool) -> tuple[str, str, str, str, str]:
    outputs = [f"{name} {types[name]}" if types.get(name) else name or "-" for name in node.output]
    attributes = " ".join(_attribute(attribute, full) for attribute in node.attribute)
    op = op_name(node.domain, node.op_type)
    return node.name or "", op, _listed(outputs, full), _listed([name or "-" for name in node.input], full), attributes


def _listed(names: Sequence[str], full: bool) -> str:
    if full or len(names) <= _MAX_PORTS:
        return ", ".join(names)
    return ", ".join([*names[:_MAX_PORTS], f"... {len(names):,} in all"])


def _types(graph: Any) -> dict[str, str]:
    """Return the types of the values of a graph that has them."""
    return {info.name: type_text(info.type) for infos in (graph.value_info, graph.output) for info in infos}


def _ends(body: OnnxBody, full: bool) -> Iterator[str]:
    """Yield the lines of inputs, outputs and initializers of a graph."""
    rows = [("input", info.name or "", type_text(info.type)) for info in body.graph.input]
    rows += [("output", info.name or "", type_text(info.type)) for info in body.graph.output]
    yield from align_columns(rows, names=(1,), whole_names=True, indent=2)
    sparse = [tensor.values for tensor in body.graph.sparse_initializer if tensor.values is not None]
    tensors = [*body.graph.initializer, *sparse]
    shown = [_described(tensor_facts(tensor)) for tensor in (tensors if full else tensors[:_MAX_INITIALIZERS])]
    ellipsis = f", ... {len(tensors):,} in all" if len(shown) < len(tensors) else ""
    if tensors:
        yield f"  initializers: {', '.join(shown)}{ellipsis}"


def _described(facts: TensorFacts) -> str:
    place = f" in {facts.location}" if facts.location is not None else ""
    return f"{facts.name} {facts.dtype}{sizes_text(facts.shape)}{place}"


def _signature(function: Any, full: bool) -> str:
    names = [*function.attribute, *(one.name or "" for one in function.attribute_proto)]
    attributes = f"  [{_listed(names, full)}]" if names else ""
    return f"({_listed(function.input, full)}) -> ({_listed(function.output, full)}){attributes}"


# --- attributes ------------------------------------------------------------------------------------------------------


def _attribute(attribute: Any, full: bool) -> str:
    """Return "axis=-1", "pads=[0,0,1,1]", "body={4 nodes}", "alpha=@alpha" for one of the function."""
    name = attribute.name or ""
    if attribute.ref_attr_name:
        return f"{name}=@{attribute.ref_attr_name}"
    return f"{name}={_value(attribute, None if full else _MAX_ELEMENTS)}"


def _value(attribute: Any, most: int | None) -> str:
    """Return the value of an attribute: of the field that is set, since models of the first versions have no type."""
    if attribute.f is not None:
        return float_text(attribute.f)
    if attribute.i is not None:
        return str(attribute.i)
    if attribute.s is not None:
        return _quoted(attribute.s)
    if attribute.t is not None:
        return _tensor(attribute.t)
    if attribute.g is not None:
        return _graph(attribute.g)
    if attribute.tp is not None:
        return type_text(attribute.tp)
    if attribute.sparse_tensor is not None:
        return "sparse tensor"
    for field, spell in _LISTS.items():
        if values := getattr(attribute, field):
            ellipsis = [f"... {len(values):,} in all"] if most is not None and len(values) > most else []
            return f"[{','.join([*map(spell, values[:most]), *ellipsis])}]"
    return "[]"


def _quoted(value: bytes) -> str:
    return f'"{escape_bytes(value[:_MAX_STRING])}"' + "..." * (len(value) > _MAX_STRING)


def _graph(graph: Any) -> str:
    return f"{{{count_of(len(graph.node), 'node')}}}"


def _tensor(tensor: Any) -> str:
    """Return "float32[2] [0.5, 1.0]", "int64[512]"."""
    facts = tensor_facts(tensor)
    text = f"{facts.dtype}{sizes_text(facts.shape)}"
    if facts.problem or facts.location is not None or not 0 < facts.elements <= _MAX_ELEMENTS:
        return text
    values = ", ".join(_elements(tensor, facts))
    return f"{text} [{values}]" if values and facts.shape else f"{text} {values}".rstrip()


def _elements(tensor: Any, facts: TensorFacts) -> list[str]:
    """Return the few elements of a tensor; empty for types that are not spelled here."""
    spell = float_text if facts.dtype == "float32" else str
    if facts.dtype == "string":
        return [_quoted(value) for value in tensor.string_data]
    if tensor.raw_data is not None and facts.dtype in _STRUCT_FORMATS:
        layout = f"<{facts.elements}{_STRUCT_FORMATS[facts.dtype]}"
        return [spell(value) for value in struct.unpack(layout, tensor.raw_data)]
    row = ONNX_DTYPES[tensor.data_type]
    return [spell(value) for value in getattr(tensor, row.field)] if facts.dtype in _LISTED else []


_LISTS: dict[str, Any] = {
    "floats": float_text,
    "ints": str,
    "strings": _quoted,
    "tensors": _tensor,
    "graphs": _graph,
    "type_protos": type_text,
    "sparse_tensors": lambda value: "sparse tensor",
}
