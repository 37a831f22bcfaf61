"""The names by which the tensors of a checkpoint are known in a model: objects, variables, nodes that read them.

Freezing makes constants of variables. The name of a constant is that of the variable or, in models of TensorFlow 2,
that of the node that reads it, with the names of the nodes through which its function is called. These are found by
following the handles of variables through calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...errors import FreezeError, GraphError
from ...graph.edit import MutableGraph
from ...graph.function_body import FunctionBodies
from ...messages import NodeDef
from ...names import TensorName
from ...ops import registry
from ...ops.traits import VARIABLES
from ...source import ModelSource

__all__ = ["names_of_variables", "without_calls"]

_CALLS = re.compile(r"(?:^|(?<=/))(?:Stateful)?PartitionedCall(?:_\d+)?(?:/|$)")
_MAX_CALLS = 10_000  # calls that are followed; functions that call each other twice have exponentially many
_MAX_DEPTH = 64
_MAX_PATH = 4096  # characters


def names_of_variables(source: ModelSource) -> tuple[dict[str, set[str]], str]:
    """Return the keys of the checkpoint's tensors by other names, and a problem that prevents more names, or "".

    A name may belong to several tensors, such as that of a node in a function that is called for each of them.
    """
    names: dict[str, set[str]] = {}
    checkpoint = source.checkpoint
    if checkpoint is None:
        return names, ""
    objects = getattr(checkpoint, "object_graph", None)
    if objects is not None:
        for key in checkpoint:
            names.setdefault(objects.name_of(key), set()).add(key)
        for name, key in objects.full_names.items():
            names.setdefault(name, set()).add(key)
    try:
        for name, key in _names_in_graph(source, checkpoint):
            names.setdefault(name, set()).add(key)
    except (FreezeError, GraphError) as error:
        return names, str(error)
    return names, ""


def without_calls(name: str) -> str:
    """Return the name of a node without the names of calls before it: PartitionedCall, StatefulPartitionedCall_1."""
    return _CALLS.sub("", name)


def _names_in_graph(source: ModelSource, checkpoint: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the names of variables and of the nodes that read them, with keys. Raises FreezeError and GraphError."""
    if not source.has_graph:
        return
    variables = [node.name for node in source.graph.node if node.op in VARIABLES]
    if not variables:
        return
    from ...parameters.variables import CheckpointTensors, VariableValues

    values = VariableValues(source.graph, source.meta, CheckpointTensors(checkpoint))
    keys = {}
    for name in variables:
        stored = values.find(name)
        if stored is not None and stored.extents is None:
            keys[name] = stored.key
            yield name, stored.key
    functions = FunctionBodies(source.graph.library, registry(source.meta or source.graph))
    yield from _Readers(functions).follow(MutableGraph(source.graph.node), keys)


class _Readers:
    """Finds the nodes that read variables, in a graph and in the functions that it calls."""

    def __init__(self, functions: FunctionBodies) -> None:
        self._functions = functions
        self._consumers: dict[str, Mapping[TensorName, list[tuple[NodeDef, int]]]] = {}
        self._calls = 0

    def follow(
        self, body: MutableGraph, keys: Mapping[str, str], path: str = "", callers: tuple[str, ...] = ()
    ) -> Iterator[tuple[str, str]]:
        """Yield the path of each node that reads a variable, and the key. `keys` are those of nodes or arguments."""
        function = callers[-1] if callers else ""
        if function not in self._consumers:
            self._consumers[function] = body.consumers()
        consumers = self._consumers[function]
        found = dict(keys)
        queue = list(keys)
        calls: dict[str, tuple[NodeDef, dict[int, str]]] = {}
        for name in queue:  # the loop appends to it
            for node, position in consumers.get(TensorName(name), ()):
                call = self._functions.call(node)
                if call is not None and position >= call.first:
                    calls.setdefault(node.name, (node, {}))[1][position - call.first] = found[name]
                elif node.op == "Identity":
                    if node.name not in found:
                        found[node.name] = found[name]
                        queue.append(node.name)
                elif len(path) < _MAX_PATH:
                    yield without_calls(path + node.name), found[name]
        for node, arguments in calls.values():
            yield from self._enter(node, arguments, path, callers)

    def _enter(
        self, node: NodeDef, arguments: Mapping[int, str], path: str, callers: tuple[str, ...]
    ) -> Iterator[tuple[str, str]]:
        call = self._functions.call(node)
        for name in call.names if call is not None else ():
            if name in callers or len(callers) >= _MAX_DEPTH or self._calls >= _MAX_CALLS:
                continue
            self._calls += 1
            body = self._functions.body(name)
            keys = {
                argument: arguments[number] for number, argument in enumerate(body.arguments) if number in arguments
            }
            yield from self.follow(body.graph(), keys, f"{path}{node.name}/", (*callers, name))
