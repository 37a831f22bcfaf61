"""Which variable of the graph is which object of a TF2 SavedModel, and what the checkpoint calls its value.

A function that captured variables takes them as its last arguments, and the SavedModel tells which objects they are.
The way from the root to an object, by the names of attributes, is the same in the checkpoint, which has a graph of
objects of its own.
"""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

from ..messages import SavedObjectGraph, TrackableObjectGraph
from ..ops.state import VARIABLES
from .bodies import Body

__all__ = ["ObjectKeys", "Path", "captured_paths", "keys_by_full_name"]

Path: TypeAlias = "tuple[str, ...]"

_VALUE = "VARIABLE_VALUE"


def captured_paths(graph: Body, objects: SavedObjectGraph) -> dict[str, Path]:
    """The ways to the objects that are variables of the graph, by the name of the node."""
    ids: dict[str, int] = {}
    for node in graph.nodes.values():
        called = node.attrs["f"].func if node.op == "StatefulPartitionedCall" and "f" in node.attrs else None
        function = objects.concrete_functions.get(called.name) if called is not None else None
        if function is None or not function.bound_inputs or len(function.bound_inputs) > len(node.inputs):
            continue
        for number, tensor in zip(function.bound_inputs, node.inputs[-len(function.bound_inputs) :], strict=True):
            variable = graph.nodes.get(tensor.node)
            if variable is not None and variable.op in VARIABLES:
                ids[variable.name] = number
    paths = _paths(objects) if ids else {}
    return {name: paths[number] for name, number in ids.items() if number in paths}


def _paths(objects: SavedObjectGraph) -> dict[int, Path]:
    """One of the shortest ways from the root to each object."""
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
    """The keys of values in the graph of objects of a checkpoint. The children of each object are indexed once."""

    def __init__(self, objects: TrackableObjectGraph) -> None:
        self._nodes = objects.nodes
        self._children: dict[int, dict[str, int]] = {}

    def at(self, path: Path) -> str | None:
        """The key of the value of the variable at the end of a way; None if there is none."""
        number = 0
        for name in path:
            child = self._child(number, name)
            if child is None:
                return None
            number = child
        if not 0 <= number < len(self._nodes):
            return None
        return next((each.checkpoint_key for each in self._nodes[number].attributes if each.name == _VALUE), None)

    def _child(self, number: int, name: str) -> int | None:
        if not 0 <= number < len(self._nodes):
            return None
        if number not in self._children:
            children = reversed(self._nodes[number].children)  # the first of a name counts
            self._children[number] = {child.local_name: child.node_id for child in children}
        return self._children[number].get(name)


def keys_by_full_name(objects: TrackableObjectGraph) -> dict[str, str]:
    """The keys of values by the names that TF1 would have given them, as far as only one has the name."""
    keys = {
        each.full_name: each.checkpoint_key
        for node in objects.nodes
        for each in node.attributes
        if each.full_name and each.name == _VALUE
    }
    times = Counter(each.full_name for node in objects.nodes for each in node.attributes)
    return {name: key for name, key in keys.items() if times[name] == 1}
