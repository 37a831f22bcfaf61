"""Find where the values of variables are in a checkpoint.

The nodes that restore a graph are the most reliable source: RestoreV2 reads tensors by their keys, and its outputs are
assigned to variables, in the graph or in the function that restores a SavedModel. RestoreV2 also has the slice of each
part of a partitioned variable.

In a TF2 SavedModel, a function takes the variables that it captured as its last arguments, and the SavedModel lists the
objects that are passed there. In the object graph of the checkpoint, an object has the same path of attribute names
from the root. The object at the end of this path has the key.

If neither gives a key, the name of the variable is looked up among the keys, and among the full names that a TF2
checkpoint stores for its tensors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from functools import cached_property
from math import prod
from typing import NamedTuple, TypeAlias

from pbwire.errors import Error

from ...errors import FreezeError
from ...graph.attributes import input_tensors
from ...graph.error_text import quote
from ...graph.function_body import FunctionBodies, FunctionBody
from ...graph.view import GraphView
from ...messages import MetaGraphDef, NodeDef, SavedObjectGraph, TrackableObjectGraph
from ...ops.traits import CALLS, RESTORES, VARIABLE_INITIALIZERS, VARIABLES
from ...values.names import TensorName
from ...values.tensor_header import read_header, read_strings

Path: TypeAlias = "tuple[str, ...]"

_VALUE_ATTRIBUTE = "VARIABLE_VALUE"


def captured_paths(graph: GraphView, objects: SavedObjectGraph) -> dict[str, Path]:
    """Return the object paths of captured variables, by the names of their nodes.

    These are variables that the graph passes to the functions which captured them.
    """
    ids: dict[str, int] = {}
    for node in graph.nodes.values():
        called = node.attr["f"].func if node.op == "StatefulPartitionedCall" and "f" in node.attr else None
        function = objects.concrete_functions.get(called.name) if called is not None else None
        if function is None or not function.bound_inputs:
            continue
        tensors = input_tensors(node)
        if len(function.bound_inputs) > len(tensors):
            continue
        for number, tensor in zip(function.bound_inputs, tensors[-len(function.bound_inputs) :], strict=True):
            variable = graph.nodes.get(tensor.node)
            if variable is not None and variable.op in VARIABLES:
                ids[variable.name] = number
    paths = object_paths(objects) if ids else {}
    return {name: paths[number] for name, number in ids.items() if number in paths}


def object_paths(objects: SavedObjectGraph) -> dict[int, Path]:
    """Return a shortest path from the root to each object, by the number of the object."""
    paths: dict[int, Path] = {0: ()}
    queue = [0]
    for number in queue:
        if not 0 <= number < len(objects.nodes):
            continue
        for child in objects.nodes[number].children:
            if child.node_id not in paths:
                paths[child.node_id] = (*paths[number], child.local_name)
                queue.append(child.node_id)
    return paths


class ObjectKeys:
    """The keys of the values in the object graph of a checkpoint."""

    def __init__(self, objects: TrackableObjectGraph) -> None:
        self._nodes = objects.nodes
        self._children: dict[int, dict[str, int]] = {}

    def at(self, path: Path) -> str | None:
        """Return the key of the variable at the end of a path; None if the path does not lead to a variable."""
        number = 0
        for name in path:
            child = self._child(number, name)
            if child is None:
                return None
            number = child
        if not 0 <= number < len(self._nodes):
            return None
        return next(
            (
                attribute.checkpoint_key
                for attribute in self._nodes[number].attributes
                if attribute.name == _VALUE_ATTRIBUTE
            ),
            None,
        )

    def _child(self, number: int, name: str) -> int | None:
        if not 0 <= number < len(self._nodes):
            return None
        if number not in self._children:
            children = reversed(self._nodes[number].children)  # of children with the same name, the first is kept
            self._children[number] = {child.local_name: child.node_id for child in children}
        return self._children[number].get(name)


def keys_by_full_name(objects: TrackableObjectGraph) -> dict[str, str]:
    """Return the keys of values by their full names, which are those of TensorFlow 1.

    Names that several values have are left out.
    """
    keys = {
        attribute.full_name: attribute.checkpoint_key
        for node in objects.nodes
        for attribute in node.attributes
        if attribute.full_name and attribute.name == _VALUE_ATTRIBUTE
    }
    counts = Counter(attribute.full_name for node in objects.nodes for attribute in node.attributes)
    return {name: key for name, key in keys.items() if counts[name] == 1}


_PASS_THROUGH = ("Identity", "Cast", "Reshape")
_PART = re.compile(r"(.+)/part_(\d+)")
MAX_STRINGS = 1 << 20
"""The maximum number of keys or slices that a constant lists."""


class Place(NamedTuple):
    """The place of a value in a checkpoint: the key of a tensor.

    If the value is only a part of the tensor, `extents` has the start and length of this part in each dimension.
    """

    key: str
    extents: tuple[tuple[int, int], ...] | None = None
    part: int | None = None
    """The number of the part, if its extents are not known."""


def named_places(node: NodeDef) -> Iterator[Place]:
    """Yield the places where the value of a variable may be, according to its shared name and its node name."""
    shared = node.attr.get("shared_name")
    for name in dict.fromkeys([shared.s.decode("utf-8", "replace") if shared and shared.s else "", node.name]):
        if name:
            yield Place(name)
            if part := _PART.fullmatch(name):
                yield Place(part[1], part=int(part[2]))


def restored_places(graph: GraphView, functions: FunctionBodies, first: str = "") -> dict[str, list[Place]]:
    """Return the places from which nodes restore variables, by the name of the variable.

    `first` is the restore op of the SaverDef. Places from which this op restores come before others.
    """
    result: dict[str, dict[Place, None]] = {}
    preferred: set[str] = set()
    if first in graph.nodes:
        preferred = graph.with_ancestors([first])
    restored = RestoredPlaces(graph)
    of_functions: dict[str, list[tuple[str, Place]]] = {}
    for is_preferred in (True, False):
        for node in graph.nodes.values():
            if (node.name in preferred) == is_preferred:
                for variable, place in _restored_by(restored, node, functions, of_functions):
                    result.setdefault(variable, {})[place] = None
    return {variable: list(places) for variable, places in result.items()}


def _restored_by(
    restored: RestoredPlaces,
    node: NodeDef,
    functions: FunctionBodies,
    of_functions: dict[str, list[tuple[str, Place]]],
) -> Iterator[tuple[str, Place]]:
    """Yield the variables that one node restores, with their places.

    `of_functions` caches the arguments that each function restores, with their places.
    """
    if node.op in VARIABLE_INITIALIZERS:
        assignment = restored.find_assignment(node)
        if assignment is not None and restored.is_variable(assignment[0]):
            yield assignment
    elif node.op in CALLS:
        attribute = node.attr.get("f")
        name = attribute.func.name if attribute is not None and attribute.func is not None else ""
        if name in functions:
            if name not in of_functions:
                of_functions[name] = list(_restored_by_function(functions.body(name)))
            arguments = {}
            if of_functions[name]:
                arguments = dict(zip(functions.body(name).arguments, input_tensors(node), strict=False))
            for arg, place in of_functions[name]:
                if arg in arguments and restored.is_variable(variable := restored.origin(arguments[arg]).node):
                    yield variable, place


def _restored_by_function(function: FunctionBody) -> Iterator[tuple[str, Place]]:
    """Yield the arguments that a function restores, with their places."""
    if any(node.op in RESTORES for node in function.message.node_def):
        body = GraphView(function)
        restored = RestoredPlaces(body)
        for node in body.nodes.values():
            if node.op in VARIABLE_INITIALIZERS and (assignment := restored.find_assignment(node)) is not None:
                yield assignment


class RestoredPlaces:
    """The places that the restoring nodes of a graph read.

    The graph must not change, since the origins of tensors and the decoded constants of names are cached.
    """

    def __init__(self, body: GraphView) -> None:
        self._nodes = body.nodes
        self._origins: dict[TensorName, TensorName] = {}
        self._strings: dict[str, _Strings | None] = {}

    def is_variable(self, name: str) -> bool:
        return name in self._nodes and self._nodes[name].op in VARIABLES

    def find_assignment(self, node: NodeDef) -> tuple[str, Place] | None:
        """Return the variable or argument that an assignment restores, and its place.

        Return None if the assigned value does not come from a restoring node, or its place is not constant.
        """
        tensors = input_tensors(node)
        if len(tensors) != 2:
            return None
        variable, value = map(self.origin, tensors)
        restore = self._nodes.get(value.node)
        if restore is None or restore.op not in RESTORES:
            return None
        place = self.place(restore, value.port)
        return None if place is None else (variable.node, place)

    def place(self, restore: NodeDef, port: int) -> Place | None:
        """Return the place from which an output of a restoring node is read; None if it is not constant."""
        names, slices = RESTORES[restore.op]
        key = self._string_at(restore, names, port)
        spec = "" if slices is None else self._string_at(restore, slices, port)
        return None if key is None or spec is None else Place(key, _parse_extents(restore, spec))

    def origin(self, tensor: TensorName) -> TensorName:
        """Return the tensor at the start of the chain of pass-through nodes that leads to `tensor`."""
        passed: set[TensorName] = set()
        while tensor not in self._origins and tensor not in passed:
            node = self._nodes.get(tensor.node)
            if node is None or node.op not in _PASS_THROUGH or not (tensors := input_tensors(node)):
                break
            passed.add(tensor)
            tensor = tensors[0]
        end = self._origins.get(tensor, tensor)
        self._origins |= dict.fromkeys(passed, end)
        return end

    def _string_at(self, restore: NodeDef, index: int, position: int) -> str | None:
        """Return an element of a constant input; None if the input is not constant or too short."""
        inputs = input_tensors(restore)
        if index >= len(inputs):
            return None
        name = self.origin(inputs[index]).node
        if name not in self._strings:
            self._strings[name] = _read_strings(self._nodes.get(name))
        strings = self._strings[name]
        if strings is None or position >= strings.size:
            return None
        return strings.listed[min(position, len(strings.listed) - 1)].decode("utf-8", "replace")


class _Strings(NamedTuple):
    """The elements of a tensor of strings; the last one that is listed stands for those after it, too."""

    size: int
    listed: list[bytes]


def _read_strings(node: NodeDef | None) -> _Strings | None:
    """Return the strings that a Const node holds, without NumPy; None for other nodes and for broken constants."""
    value = node.attr.get("value") if node is not None and node.op == "Const" else None
    if value is None or value.tensor is None:
        return None
    try:
        strings = _Strings(prod(read_header(value.tensor).shape), read_strings(value.tensor, limit=MAX_STRINGS))
    except Error:
        return None
    return strings if len(strings.listed) <= strings.size else None


def _parse_extents(restore: NodeDef, spec: str) -> tuple[tuple[int, int], ...] | None:
    """Parse extents such as "7 3 0,3:-": the whole shape, then for each dimension a start and a length, or "-" for all.

    Raises FreezeError if the text is not a slice.
    """
    if not spec:
        return None
    *_, last = spec.split(" ")
    try:
        extents = tuple((0, -1) if part == "-" else _parse_pair(part) for part in last.split(":"))
    except ValueError:
        raise FreezeError(f"{restore.op} {quote(restore.name)} restores {quote(spec)}, which is not a slice") from None
    return extents


def _parse_pair(text: str) -> tuple[int, int]:
    start, length = text.split(",")
    return int(start), int(length)


# --- variables -------------------------------------------------------------------------------------------------------


class Hints(NamedTuple):
    """Facts of the whole graph that help to find the values of variables.

    places   the places from which nodes restore each variable
    paths    the path to the object of each variable in a TF2 model
    """

    places: Mapping[str, list[Place]]
    paths: Mapping[str, Path]


def hints_of(meta: MetaGraphDef | None, graph: GraphView, functions: FunctionBodies) -> Hints:
    """Collect hints about the values of variables from the whole graph, before nodes are removed."""
    saver = meta.saver_def if meta is not None else None
    first = TensorName.parse(saver.restore_op_name).node if saver is not None and saver.restore_op_name else ""
    places = restored_places(graph, functions, first)
    objects = meta.object_graph_def if meta is not None else None
    return Hints(places, captured_paths(graph, objects) if objects is not None else {})


class VariablePlaces:
    """The places of the values of variables in a checkpoint. `objects` is the object graph of the checkpoint."""

    def __init__(self, hints: Hints, objects: TrackableObjectGraph | None) -> None:
        self.hints = hints
        self._keys = ObjectKeys(objects) if objects is not None else None
        self._by_full_name = keys_by_full_name(objects) if objects is not None else {}

    def find(self, node: NodeDef, keys: Container[str]) -> Place | None:
        """Return the place of the value of a variable, one of `keys`; None if there is none."""
        return next((place for place in self._candidates(node) if place.key in keys), None)

    def _candidates(self, node: NodeDef) -> Iterator[Place]:
        """Yield the places where the value of a variable may be, the most reliable first."""
        restored = self.hints.places.get(node.name, [])
        yield from restored
        if self._keys is not None and node.name in self.hints.paths:
            key = self._keys.at(self.hints.paths[node.name])
            yield from [Place(key)] if key else []
        yield from named_places(node)
        if self._by_full_name:
            for place in (*restored, *named_places(node)):
                key = self._by_full_name.get(place.key)
                if key is not None and self._owners.get(key, node.name) == node.name:
                    yield place._replace(key=key)

    @cached_property
    def _owners(self) -> dict[str, str]:
        """The variable that is restored from each key. A full name may be that of another variable's object."""
        owners = {place.key: variable for variable, places in self.hints.places.items() for place in places}
        for variable, path in self.hints.paths.items():
            key = self._keys.at(path) if self._keys is not None else None
            if key:
                owners[key] = variable
        return owners
