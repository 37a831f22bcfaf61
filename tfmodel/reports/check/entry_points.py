"""The ways in which nodes run: signatures, loading and saving the model, and functions that a program may call.

    signature "serve"      the nodes on which the outputs of the signature depend, up to its inputs, which are fed
    loading                the ops that initialize the model and restore its variables; in TensorFlow 2, also the
                           functions that create and fill tables
    saving                 the ops that write a checkpoint
    function "encode"      the functions of the objects that TensorFlow 2 loads, by the path of attributes to the object

A graph alone has none of them: a program may run any of its nodes. A function runs if a node that runs names it, or
another function with the same "api_implements", which TensorFlow may choose instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from ...analysis.variables.checkpoint_keys import object_paths
from ...errors import GraphError
from ...graph import Functions, GraphIndex
from ...graph.error_text import quote
from ...messages import SavedObject, SavedObjectGraph, SaverDef
from ...source.loading import asset_tensors, init_ops
from ...source.metagraph import elements
from ...source.model_source import ModelSource
from ...source.signature_defs import INTERNAL_SIGNATURES, tensors_of
from ...values.names import TensorName

LOADING = "loading"
SAVING = "saving"

MAX_VISITS = 500_000
"""The number of visited nodes and functions after which all further entry points count as one."""

_ON_LOADING = ("_create_resource", "_initialize", "_destroy_resource")
_SIGNATURES = "signatures"


class EntryPoint(NamedTuple):
    """Nodes and functions that run together.

    name        how reports call it
    targets     the tensors that are fetched, and the nodes that are run
    fed         the tensors that are fed
    functions   the names of functions that are called directly
    """

    name: str
    targets: tuple[TensorName, ...] = ()
    fed: tuple[TensorName, ...] = ()
    functions: tuple[str, ...] = ()


def entry_points(source: ModelSource) -> list[EntryPoint]:
    """Return the entry points of a model; empty for a graph without a MetaGraph."""
    meta = source.meta
    if meta is None:
        return []
    initial = init_ops(source.meta)
    assets = tuple(asset_tensors(source.meta)) if source.is_saved_model else ()
    points = [EntryPoint(LOADING, _tensors(initial), assets)] if initial else []
    for saver in saver_defs(source):
        fed = _tensors([saver.filename_tensor_name])
        points.append(EntryPoint(LOADING, _tensors([saver.restore_op_name]), fed))
        points.append(EntryPoint(SAVING, _tensors([saver.save_tensor_name]), fed))
    for name, signature in sorted(meta.signature_def.items()):
        if not name.startswith(INTERNAL_SIGNATURES):
            targets, fed = _tensors(tensors_of(signature.outputs)), _tensors(tensors_of(signature.inputs))
            points.append(EntryPoint(f"signature {quote(name)}", targets, fed))
    if meta.object_graph_def is not None:
        points += _object_functions(meta.object_graph_def)
    return points


def saver_defs(source: ModelSource) -> list[SaverDef]:
    """Return the savers of a model: its own, and those of the collection "savers"."""
    meta = source.meta
    if meta is None:
        return []
    savers = [meta.saver_def] if meta.saver_def is not None else []
    if "savers" in meta.collection_def:
        values = [element.value for element in elements("savers", meta.collection_def["savers"])]
        savers += [value for value in values if isinstance(value, SaverDef)]
    return savers


def _tensors(names: Iterable[str]) -> tuple[TensorName, ...]:
    tensors = []
    for name in names:
        with suppress(GraphError):  # a fault that is reported by itself
            tensors.append(TensorName.parse(name))
    return tuple(tensors)


def _object_functions(objects: SavedObjectGraph) -> Iterator[EntryPoint]:
    """Yield the functions of a TensorFlow 2 model. Those of signatures are left out."""
    paths = object_paths(objects)
    on_loading: set[int] = set()
    on_saving: set[int] = set()
    for item in objects.nodes:
        on_loading.update(child.node_id for child in item.children if child.local_name in _ON_LOADING)
        on_loading.update(saveable.restore_function for saveable in item.saveable_objects.values())
        on_saving.update(saveable.save_function for saveable in item.saveable_objects.values())
    for number, item in enumerate(objects.nodes):
        names = function_of(item)
        path = paths.get(number, ())
        if names and path[:1] != (_SIGNATURES,) and not _is_trace(path):
            usual = LOADING if number in on_loading else SAVING if number in on_saving else ""
            yield EntryPoint(usual or f"function {quote('.'.join(path))}", functions=names)


def _is_trace(path: tuple[str, ...]) -> bool:
    """Return whether an object is a concrete function of the function that it belongs to."""
    return bool(path) and path[-1].startswith("trace_")


def function_of(item: SavedObject) -> tuple[str, ...]:
    """Return the names of the concrete functions of a saved object; empty for other objects."""
    if item.function is not None:
        return tuple(item.function.concrete_functions)
    if item.bare_concrete_function is not None:
        return (item.bare_concrete_function.concrete_function_name,)
    return ()


class Reach:
    """The entry points that run each node of the graph, and each function.

    nodes       the names of entry points by the position of the node
    functions   the names of entry points by the name of the function
    """

    def __init__(self, index: GraphIndex, points: Iterable[EntryPoint]) -> None:
        self._index = index
        self._named: dict[str, list[str]] = {}
        self._similar = _similar_functions(index.functions)
        self.nodes: dict[int, dict[str, None]] = {}
        self.functions: dict[str, dict[str, None]] = {}
        self._fed: dict[tuple[str, int], frozenset[TensorName]] = {}
        visits = 0
        stack = [*points][::-1]
        while stack:
            if visits > MAX_VISITS:
                stack = [_together(stack)]
            point = stack.pop()
            positions = self._upstream(point)
            functions = self._called([*point.functions, *index.functions.named_by(index.nodes[p] for p in positions)])
            visits += len(positions) + len(functions) + 1
            fed = frozenset(point.fed)
            for position in positions:
                self.nodes.setdefault(position, {})[point.name] = None
                self._fed["", position] = self._fed.get(("", position), fed) & fed
            for function in functions:
                self.functions.setdefault(function, {})[point.name] = None
                self._fed[function, 0] = self._fed.get((function, 0), fed) & fed

    def of(self, function: str, position: int) -> tuple[str, ...]:
        """Return the names of the entry points that run a node."""
        return tuple(self.functions.get(function, ()) if function else self.nodes.get(position, ()))

    def fed(self, function: str, position: int) -> frozenset[TensorName]:
        """Return the tensors of the graph that are fed whenever a node runs."""
        return self._fed.get((function, 0 if function else position), frozenset())

    def _upstream(self, point: EntryPoint) -> list[int]:
        """Return the positions of the nodes that run: those that the targets depend on, up to the fed tensors."""
        positions, fed = self._index.positions, set(point.fed)
        found = dict.fromkeys(positions[tensor.node] for tensor in point.targets if tensor.node in positions)
        fed_nodes = {positions[tensor.node] for tensor in fed if tensor.node in positions}
        for tensor in fed.intersection(point.targets):
            found.pop(positions.get(tensor.node, -1), None)
        queue = list(found)
        for position in queue:  # the loop appends to it
            inputs = zip(self._index.nodes[position].input, self._index.sources[position], strict=True)
            for text, source in inputs:
                if source >= 0 and source not in found and not (source in fed_nodes and TensorName.parse(text) in fed):
                    found[source] = None
                    queue.append(source)
        return list(found)

    def _called(self, names: list[str]) -> set[str]:
        functions = self._index.functions
        found: set[str] = set()
        queue = list(names)
        while queue:
            name = queue.pop()
            if name in functions and name not in found:
                found.add(name)
                if name not in self._named:
                    named = functions.named_by(functions[name].node_def)
                    named += [functions.gradients[name]] if name in functions.gradients else []
                    self._named[name] = [other for other in dict.fromkeys(named) if other in functions]
                queue += self._named[name]
                queue += self._similar.get(name, ())
        return found


def _together(points: Iterable[EntryPoint]) -> EntryPoint:
    """Return one entry point that runs what several run, with nothing fed."""
    targets: list[TensorName] = []
    functions: list[str] = []
    for point in points:
        targets += point.targets
        functions += point.functions
    return EntryPoint("other signatures and functions", tuple(targets), (), tuple(functions))


def _similar_functions(functions: Functions) -> Mapping[str, list[str]]:
    """Return the functions that may replace each other, by name: those with the same "api_implements"."""
    groups: dict[bytes, list[str]] = {}
    for name, function in functions.items():
        value = function.attr.get("api_implements")
        if value is not None and value.s:
            groups.setdefault(value.s, []).append(name)
    return {name: group for group in groups.values() if len(group) > 1 for name in group[:1]} | {
        name: group[:1] for group in groups.values() for name in group[1:]
    }
