"""Which tensor of a checkpoint is the value of which variable?

The nodes that restore a graph say it best: RestoreV2 reads tensors by their names in the checkpoint, and their outputs
are assigned to variables, in the graph or in the function that restores a SavedModel. They tell of partitions too, each
of which is a slice of one tensor. Graphs without such nodes leave the names of the variables, and the names that a TF2
checkpoint has for its tensors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pbwire.errors import Error

from ..errors import FreezeError
from ..names import TensorName
from .bodies import VARIABLES, Body, Node, quoted
from .library import Function, Library

__all__ = ["RESTORES", "Place", "named_places", "restored_place", "restored_places"]

RESTORES = {"RestoreV2": (1, 2), "RestoreSlice": (1, 2), "Restore": (1, None)}
"""Ops that read tensors of a checkpoint: which input has their names, and which the slices."""

_ASSIGNS = ("Assign", "AssignVariableOp")
_SAME = ("Identity", "Cast", "Reshape")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
_PART = re.compile(r"(.+)/part_(\d+)")
_MOST_FILLED = 1 << 20  # bytes of names that few stand for


class Place(NamedTuple):
    """Where a value is in a checkpoint: a key, and for a part of that tensor its extents, a start and a length for
    each dimension."""

    key: str
    extents: tuple[tuple[int, int], ...] | None = None
    part: int | None = None
    """Which part it is, by its number, where the extents are not known."""


def named_places(node: Node) -> Iterator[Place]:
    """Where the value of a variable may be, as its names have it."""
    shared = node.attrs.get("shared_name")
    for name in dict.fromkeys([shared.s.decode("utf-8", "replace") if shared and shared.s else "", node.name]):
        if name:
            yield Place(name)
            if part := _PART.fullmatch(name):
                yield Place(part[1], part=int(part[2]))


def restored_places(graph: Body, library: Library, first: str = "") -> dict[str, list[Place]]:
    """Where the values of variables are by what restores them, by name; several if several nodes restore one.

    What the node `first` needs comes first: it is the one that the SaverDef names.
    """
    found: dict[str, list[Place]] = {}
    preferred: set[str] = set()
    if first in graph.nodes:
        preferred = graph.needed_by([first])
    for chosen in (True, False):
        for node in graph.nodes.values():
            if (node.name in preferred) == chosen:
                for variable, place in _restored_by(graph, node, library):
                    places = found.setdefault(variable, [])
                    if place not in places:
                        places.append(place)
    return found


def _restored_by(graph: Body, node: Node, library: Library) -> Iterator[tuple[str, Place]]:
    """The variables that one node of the graph restores."""
    if node.op in _ASSIGNS:
        found = _assigned(graph, node)
        if found is not None and found[0] in graph.nodes and graph.nodes[found[0]].op in VARIABLES:
            yield found
    elif node.op in _CALLS:
        function = node.attrs.get("f")
        name = function.func.name if function is not None and function.func is not None else ""
        if name in library and _has_restores(library[name]):
            yield from _restored_inside(graph, node, library[name])


def _has_restores(function: Function) -> bool:
    return any(node.op in RESTORES for node in function.message.node_def)


def _restored_inside(graph: Body, call: Node, function: Function) -> Iterator[tuple[str, Place]]:
    body = function.body()
    given = dict(zip(function.args, call.inputs, strict=False))
    for node in body.nodes.values():
        if node.op in _ASSIGNS and (found := _assigned(body, node)) is not None and found[0] in given:
            variable = _origin(graph, given[found[0]]).node
            if variable in graph.nodes and graph.nodes[variable].op in VARIABLES:
                yield variable, found[1]


def _assigned(body: Body, node: Node) -> tuple[str, Place] | None:
    """The variable (or argument) that an assignment is about and what it is restored from; None if it does not
    restore."""
    if len(node.inputs) != 2:
        return None
    value = _origin(body, node.inputs[1])
    restore = body.nodes.get(value.node)
    if restore is None or restore.op not in RESTORES:
        return None
    place = restored_place(body, restore, value.port)
    return None if place is None else (_origin(body, node.inputs[0]).node, place)


def restored_place(body: Body, restore: Node, port: int) -> Place | None:
    """Which tensor a restoring node gives; None if that is not to be told."""
    names, slices = RESTORES[restore.op]
    key = _string_at(body, restore, names, port)
    spec = "" if slices is None else _string_at(body, restore, slices, port)
    return None if key is None or spec is None else Place(key, _extents(restore, spec))


def _origin(body: Body, tensor: TensorName) -> TensorName:
    """The tensor that another one is, before it was passed on."""
    seen = set()
    while (node := body.nodes.get(tensor.node)) is not None and node.op in _SAME and node.inputs:
        if tensor in seen:
            break
        seen.add(tensor)
        tensor = node.inputs[0]
    return tensor


def _string_at(body: Body, restore: Node, index: int, position: int) -> str | None:
    """An element of a constant input. None if that is not to be had."""
    from ..tensors import to_ndarray

    if index >= len(restore.inputs):
        return None
    node = body.nodes.get(_origin(body, restore.inputs[index]).node)
    value = node.attrs.get("value") if node is not None and node.op == "Const" else None
    if value is None or value.tensor is None:
        return None
    try:
        strings = to_ndarray(value.tensor, max_fill=_MOST_FILLED)
    except Error:
        return None
    found = strings.flat[position] if position < strings.size else None  # one string may stand for all
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else None


def _extents(restore: Node, spec: str) -> tuple[tuple[int, int], ...] | None:
    """The extents in "7 3 0,3:-": the whole shape, then a start and a length (or all of it) for each dimension."""
    if not spec:
        return None
    *_, last = spec.split(" ")
    try:
        extents = tuple((0, -1) if part == "-" else _pair(part) for part in last.split(":"))
    except ValueError:
        raise FreezeError(f"{restore.op} {quoted(restore.name)} restores {quoted(spec)}, which is no slice") from None
    return extents


def _pair(text: str) -> tuple[int, int]:
    start, length = text.split(",")
    return int(start), int(length)
