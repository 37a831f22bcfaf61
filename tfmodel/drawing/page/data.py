"""The data of the page: the nodes of the graph and of its functions in columns, deflated.

    length of the header (4 bytes) | header, JSON | columns of int32 | values of weights

The header has all texts, tables of values that many nodes share (ops, devices, outputs, attributes), and the name,
place and length of each column. `js/data.js` is the reader. Numbers of nodes go through all bodies: first the nodes of
the graph, then its arguments and missing nodes, then the nodes of each function.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import sys
import zlib
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from ...analysis.choice import choose_if_readable
from ...analysis.facts import Facts
from ...analysis.shapes import Shapes, infer_shapes
from ...analysis.shapes.inference import says_more
from ...errors import Error, GraphError
from ...graph import GraphIndex
from ...messages import FunctionDef
from ...ops import output_types
from ...ops.traits import CALLS, traits
from ...reports.query_matching import Body
from ...source.function_signatures import argument_name
from ...source.model_source import ModelSource
from ...values.names import TensorName
from ..boxes import Tree
from ..entrances import Entrance, entrances
from ..families import CONSTANTS, FAMILIES, INPUTS, family_of
from ..outlines import Outline, cut, ends_of, main_body, outline_of, outline_of_entrance
from ..wiring import Wiring
from .columns import Columns, attributes_number, output_number

MAX_CHILDREN = 22
"""The maximum number of children of an entry beside those that stand aside: a window has room for about 30 boxes."""

MAIN_SHARE = 0.5
"""The share of the nodes of a graph without signatures that compute its outputs, if the page shows only these first."""

_KINDS = {kind: number for number, kind in enumerate(("scope", "group", "stack", "part", "node"))}
_PSEUDO_OPS = {"argument": "(argument)", "result": "(result)", "missing": "(missing)"}


def page_data(
    source: ModelSource, changed: Mapping[str, set[str]] | None = None
) -> tuple[dict[str, Any], Mapping[str, array[int]]]:
    """Return the header, without the places of columns, and the columns of a model's graph.

    In a difference of two models, `changed` has the names of the nodes that changed, by the name of their function, ""
    for the graph.
    """
    columns = Columns()
    facts = Facts.of(source)
    functions = facts.functions
    inferred: dict[str, Any] = {}

    def shapes_of(function: str) -> Any:
        if not inferred:
            shapes = _best_shapes(facts.index, facts.shapes)
            inferred.update({"": [shapes], **shapes.in_functions()})
        return inferred.get(function, [])

    outlines = {
        name: outline_of(source, name, changed=None if changed is None else changed.get(name, set()), most=MAX_CHILDREN)
        for name in ("", *functions)
    }
    body_of = {name: number for number, name in enumerate(outlines)}
    for name, outline in outlines.items():
        body = Body(outline.index, facts.ops, name, shapes_of)
        labels = _argument_labels(functions[name], outline.wiring) if name else {}
        _add_body(columns, body, outline, kind="function" if name else "graph", labels=labels)
        _add_calls(columns, outline, body_of)
    columns["copy"].extend([0] * len(columns.names))
    found = entrances(source) if changed is None else []
    for entrance in found:
        is_own = entrance.graph.library is source.graph.library
        _add_entrance(columns, facts, entrance, body_of, facts.shapes if is_own else None)
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
    main = _main_entrance(source, found, outlines[""])
    if changed is not None:
        header["main"] = 0
    else:
        header["main"] = body_of[main_body(outlines.__getitem__)] if main is None else len(outlines) + main
    return header, columns.columns


_NO_NAMES = re.compile(r"|resource|\d+")  # TensorFlow's own, in place of names of the author


def _argument_labels(function: FunctionDef, wiring: Wiring) -> dict[int, str]:
    """Return the names of a function's arguments in Python, by vertex."""
    arguments = function.signature.input_arg if function.signature is not None else []
    names = {argument.name: argument_name(function, place) for place, argument in enumerate(arguments)}
    return {
        number: names[vertex.name]
        for number, vertex in enumerate(wiring.vertices)
        if vertex.kind == "argument" and not _NO_NAMES.fullmatch(names.get(vertex.name, ""))
    }


def _best_shapes(index: GraphIndex, shapes: Shapes, *, uncalled: bool = True) -> Shapes:
    """Return the shapes, or those with the ones that nodes declare, if these say more."""
    return infer_shapes(index, trust_output_shapes=True) if says_more(shapes, uncalled=uncalled) else shapes


def _main_entrance(source: ModelSource, found: Sequence[Entrance], graph: Outline) -> int | None:
    """Return the number of the entrance that the page opens with; None for the whole graph.

    That is the default signature, else the one with most nodes. A graph without signatures is shown as a whole if it is
    trained, or if the nodes that compute the outputs are a small part; unless it calls functions, whose nodes are in
    the entrance.
    """
    choice = choose_if_readable(source.with_functions())
    names = [entrance.name if entrance.kind in ("signature", "callable") else None for entrance in found]
    if choice.signature is not None and choice.signature_name in names:
        return names.index(choice.signature_name)
    own = [entrance for entrance in found if not entrance.tags]
    signatures = [number for number, name in enumerate(names) if name is not None and not found[number].tags]
    if signatures:
        return max(signatures, key=lambda number: len(found[number].graph.node))
    if not own or own[0].kind == "training":
        return None
    nodes = graph.index.nodes
    is_whole = len(own) > 1 or len(own[0].graph.node) < MAIN_SHARE * len(nodes)
    calls = any(node.op in CALLS or node.op in graph.index.functions for node in nodes)
    return None if is_whole and not calls else 0


def numbers_of_nodes(source: ModelSource, header: Mapping[str, Any]) -> Mapping[str, Mapping[str, int]]:
    """Return the numbers of the nodes on a page by name, for the graph, whose name is "", and each function."""
    index = Facts.of(source).index
    numbers: dict[str, Mapping[str, int]] = {"": index.positions}
    for name, body in zip(index.functions, header["bodies"][1:], strict=False):  # behind them are entrances
        numbers[name] = {node: body["start"] + place for node, place in index.body(name).positions.items()}
    return numbers


def _add_entrance(
    columns: Columns,
    facts: Facts,
    entrance: Entrance,
    body_of: Mapping[str, int],
    shapes_of_functions: Shapes | None,
) -> None:
    """Add the graph of an entrance. Nodes that are copies of others have no names of their own."""
    index = GraphIndex(entrance.graph)
    outline = outline_of_entrance(entrance, index, MAX_CHILDREN)
    start = len(columns.names)
    shapes = _best_shapes(index, infer_shapes(index, functions=shapes_of_functions), uncalled=False)
    positions = {name: index.positions[name] for name in (*entrance.inputs, *entrance.outputs)}
    labels = {positions[name]: label for name, label in entrance.labels.items()}
    body = Body(index, facts.ops, entrance.name, lambda _: [shapes])
    _add_body(columns, body, outline, kind=entrance.kind, labels=labels)
    _add_calls(columns, outline, body_of)
    columns.bodies[-1] |= {
        "tags": cut(entrance.tags),
        "inputs": [start + positions[name] for name in entrance.inputs],
        "outputs": [start + positions[name] for name in entrance.outputs],
    }
    for name in entrance.outputs:
        columns["op"][start + positions[name]] = columns.ops.number(_PSEUDO_OPS["result"])
    originals = {"": (0, facts.index)}
    for name in facts.functions:
        originals[name] = columns.bodies[body_of[name]]["start"], facts.index.body(name)
    copies = columns["copy"]
    for number, vertex in enumerate(outline.wiring.vertices, start):
        place = entrance.origins.get(vertex.name) if vertex.kind == "node" else None
        if place is None:
            columns.names[number] = cut(entrance.labels.get(vertex.name, vertex.name))
            copies.append(0)
        else:
            first, original = originals[place.function]
            columns.names[number] = ""
            copies.append(number - first - original.positions[place.node])


def _add_body(columns: Columns, body: Body, outline: Outline, *, kind: str, labels: Mapping[int, str]) -> None:
    """Add a graph or function. `labels` has other labels for vertices."""
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
        attribute, types_key = attributes_number(columns, node.attr)
        attributes.append(attribute)
        outputs.append(output_number(columns, body, number, types_key))
    if others:
        attributes.extend([attributes_number(columns, {})[0]] * len(others))
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
    _add_entries(columns, outline.tree, start, body.function, labels)
    columns.bodies.append(
        {
            "name": cut(body.function),
            "kind": kind,
            "start": start,
            "real": real,
            "count": len(wiring.vertices),
            "entry": first,
            "entries": len(columns.labels) - first,
            "results": _results(wiring, start),
        }
    )


def _port(columns: Columns, body: Body, start: int, origin: int, tensor: str) -> int:
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


def _add_entries(columns: Columns, tree: Tree, start: int, name: str, labels: Mapping[int, str]) -> None:
    """Add the entries, each with the distance to its parent."""
    entries, ups = tree.entries, tree.up
    columns.labels += [
        cut(labels.get(entry.node, entry.label) if up >= 0 else name) for entry, up in zip(entries, ups, strict=True)
    ]
    columns["parent"].extend([number - up if up >= 0 else 0 for number, up in enumerate(ups)])
    columns["kind"].extend([_KINDS[entry.kind] for entry in entries])
    columns["node"].extend([start + entry.node if entry.node >= 0 else -1 for entry in entries])
    columns["aside"].extend([tree.aside.get(number, 0) for number in range(len(entries))])


def _add_calls(columns: Columns, outline: Outline, body_of: Mapping[str, int]) -> None:
    """Add the functions that nodes call: pairs of a node and a body."""
    start = columns.bodies[-1]["start"]
    for number, functions in outline.calls.items():
        columns["caller"].extend([start + number] * len(functions))
        columns["callee"].extend([body_of[name] for name in functions])


def pack(header: dict[str, Any], columns: Mapping[str, array[int]], values: bytes = b"") -> str:
    """Return header, columns and values as the text of the inert script element: base64 of deflate."""
    places: dict[str, list[int]] = {}
    blob = bytearray()
    for name, column in columns.items():
        places[name] = [len(blob), len(column)]
        numbers = column if sys.byteorder == "little" else array("i", column)
        if sys.byteorder != "little":
            numbers.byteswap()
        blob += numbers.tobytes()
    blob += b"\0" * (-len(blob) % 8)
    header = {**header, "columns": places, "values": len(blob)}
    blob += values
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 4) % 8)
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = compressor.compress(struct.pack("<I", len(text)) + text + blob) + compressor.flush()
    return base64.b64encode(packed).decode()
