"""Record whether TensorFlow imports changed nodes of many ops: ops.jsonl.gz.

    python -m tests.golden.importing.ops              # with a Python that has TensorFlow 2.12

The nodes, and what they take, are those of tests/golden/shapes. `cases()` changes the shapes and types of placeholders,
the values of constants, and the attributes, and takes a part of these changes, which is the same each time. A line has
the name of a case ("BiasAdd#case0: Placeholder_1 [3] -> (3, 4)") and the beginning of TensorFlow's message, which is an
empty string for a graph that it imports.
"""

from __future__ import annotations

import base64
import copy
import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.importing.answers import PRODUCER, record
from tests.golden.shapes.cases import FILE as SHAPES
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, OpDef, TensorProto, TensorShapeProto, VersionDef
from tfmodel.ops import OPS
from tfmodel.values.names import node_name
from tfmodel.values.tensors import from_ndarray, to_ndarray

__all__ = ["FILE", "cases", "goldens"]

FILE = Path(__file__).with_name("ops.jsonl.gz")
PART = 12
"""One in so many changes is a case."""

_MAX_BASES = 3  # nodes of an op with different attributes
_MAX_CHARACTERS = 40

DTYPES = ("FLOAT", "DOUBLE", "INT32", "INT64", "STRING", "BOOL", "RESOURCE", "HALF", "COMPLEX64", "QINT8", "VARIANT")
SHAPES_TRIED: tuple[tuple[int, ...] | None, ...] = (None, (), (2,), (3, 4), (2, 3, 4), (2, 3, 4, 5), (1, 2, 3, 4, 5))
STRINGS = (b"", b"x", b"NCHW", b"NHWC", b"NDHWC", b"SAME", b"VALID", b"EXPLICIT", b"ij->ji")

Changed = tuple[str, int, NodeDef]
"""A description, the position of a node in the graph, and the node in its place."""


def cases() -> Iterator[tuple[str, GraphDef]]:
    """Yield the name of each case, and the graph."""
    for base, target, graph in _bases():
        for what, position, node in _changes(graph, target):
            name = f"{base}: {what}"
            if zlib.crc32(name.encode()) % PART == 0:
                nodes = [*graph.node[:position], node, *graph.node[position + 1 :]]
                yield name, GraphDef(node=nodes, versions=_VERSIONS)


_VERSIONS = VersionDef(producer=PRODUCER)


def _bases() -> Iterator[tuple[str, str, GraphDef]]:
    """Yield nodes whose inputs have known shapes: a name, the name of the node, and the nodes that it needs with it."""
    for row in map(json.loads, gzip.decompress(SHAPES.read_bytes()).splitlines()):
        nodes = {node.name: node for node in GraphDef.from_bytes(base64.b64decode(row["graph"])).node}
        known = [name for name in row.get("shapes", ()) if all(map(_is_known, _needed(nodes, name)))]
        for name in known[:_MAX_BASES]:
            yield f"{row['op']}#{name}", name, GraphDef(node=_needed(nodes, name))


def _needed(nodes: dict[str, NodeDef], name: str) -> list[NodeDef]:
    """Return a node after the nodes that it needs."""
    found: dict[str, NodeDef] = {}
    for text in nodes[name].input:
        found |= {node.name: node for node in _needed(nodes, node_name(text))}
    return [*found.values(), nodes[name]]


def _is_known(node: NodeDef) -> bool:
    sizes = _sizes(node.attr["shape"]) if node.op == "Placeholder" else ()
    return sizes is not None and min(sizes, default=0) >= 0


def _sizes(value: AttrValue) -> tuple[int, ...] | None:
    shape = value.shape
    return None if shape is None or shape.unknown_rank else tuple(dim.size for dim in shape.dim)


def _shape(sizes: Sequence[int] | None) -> TensorShapeProto:
    if sizes is None:
        return TensorShapeProto(unknown_rank=True)
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def _changes(graph: GraphDef, target: str) -> Iterator[Changed]:
    for position, node in enumerate(graph.node):
        if node.op == "Placeholder" and node.name != target:
            yield from _placeholders(position, node)
        elif node.op == "Const" and node.name != target:
            tensor = node.attr["value"].tensor
            for what, other in _constants(tensor) if tensor is not None else ():
                yield f"{node.name} {what}", position, _with(node, "value", AttrValue(tensor=other))
        else:
            for row in OPS[node.op].attr:
                for other in _values(row, node.attr[row.name]) if row.name in node.attr else ():
                    yield f"{node.name}.{row.name} {_describe(other)}", position, _with(node, row.name, other)
            for number in range(len(node.input)):
                changed = copy.deepcopy(node)
                del changed.input[number]
                yield f"{node.name} without input {number}", position, changed


def _with(node: NodeDef, key: str, value: AttrValue) -> NodeDef:
    changed = copy.deepcopy(node)
    changed.attr[key] = value
    return changed


def _describe(value: AttrValue) -> str:
    if value.shape is not None:
        return str(_sizes(value))
    return " ".join(str(value).split()).removeprefix("AttrValue")


def _placeholders(position: int, node: NodeDef) -> Iterator[Changed]:
    sizes = _sizes(node.attr["shape"]) or ()
    for other in (*SHAPES_TRIED, *_near(sizes)):
        yield f"{node.name} {[*sizes]} -> {other}", position, _with(node, "shape", AttrValue(shape=_shape(other)))
    for name in DTYPES:
        yield f"{node.name} {name}", position, _with(node, "dtype", AttrValue(type=DataType[f"DT_{name}"]))


def _near(sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from (sizes[:-1], sizes[1:], (*sizes, 2), (1, *sizes), sizes[::-1], (-1,) * len(sizes))
    for place, size in enumerate(sizes):
        for other in (size + 1, 0, 1, 1_000_003):
            yield (*sizes[:place], other, *sizes[place + 1 :])


def _constants(tensor: TensorProto) -> Iterator[tuple[str, TensorProto]]:
    array = to_ndarray(tensor)
    if array.dtype.kind not in "iuf" or not 0 < array.size <= 64:
        return
    flat = array.reshape(-1)
    changed: dict[str, Any] = {
        "negative": -array - 1,
        "zeros": array * 0,
        "plus 1": array + 1,
        "huge": array * 0 + 1_000_003,
        "a scalar": flat[0],
        "a row more": array[None],
        "twice": np.concatenate([flat, flat]),
        "shorter": flat[:-1],
    }
    for place in range(min(flat.size, 3)):
        for step in (-5, -1, 1, 7):
            other = flat.copy()
            other[place] += step
            changed[f"[{place}] {step:+}"] = other.reshape(array.shape)
    for what, values in changed.items():
        yield what, from_ndarray(np.asarray(values, array.dtype))


def _values(row: OpDef.AttrDef, value: AttrValue) -> Iterator[AttrValue]:
    """Yield other values of an attribute, of the same type."""
    allowed = row.allowed_values.list if row.allowed_values is not None else None
    if row.type == "int":
        yield from (AttrValue(i=number) for number in ((value.i or 0) - 1, (value.i or 0) + 1, 0, -1, -2, 100, 1 << 31))
    elif row.type == "bool":
        yield AttrValue(b=not value.b)
    elif row.type == "string":
        yield from (AttrValue(s=text) for text in (allowed.s if allowed is not None and allowed.s else STRINGS))
    elif row.type == "type":
        yield from (AttrValue(type=DataType[f"DT_{name}"]) for name in DTYPES)
    elif row.type == "shape":
        sizes = _sizes(value) or ()
        yield from (AttrValue(shape=_shape(other)) for other in (*SHAPES_TRIED, *_near(sizes), (-2, 3), (1 << 40,) * 2))
    elif row.type in _LISTS:
        field, others = _LISTS[row.type]
        elements = list(getattr(value.list, field)) if value.list is not None else []
        lists = [elements[:-1], [*elements, *elements[-1:]], elements[::-1], others, others * 2]
        lists += [
            [*elements[:place], other, *elements[place + 1 :]] for place in range(len(elements)) for other in others
        ]
        yield from (AttrValue(list=AttrValue.ListValue(**{field: listed})) for listed in lists)


_LISTS: dict[str, tuple[str, list[Any]]] = {
    "list(int)": ("i", [0, -1, 5]),
    "list(float)": ("f", [0.0, -1.0]),
    "list(string)": ("s", [b"x"]),
    "list(type)": ("type", [DataType.DT_INT32, DataType.DT_RESOURCE]),
    "list(shape)": ("shape", [_shape((7,)), _shape(None)]),
}


def goldens() -> dict[str, str]:
    """TensorFlow's answers by the names of the cases."""
    return dict(map(json.loads, gzip.decompress(FILE.read_bytes()).splitlines()))


if __name__ == "__main__":
    record(FILE, dict(cases()), _MAX_CHARACTERS)
