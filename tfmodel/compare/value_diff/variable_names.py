"""The names by which the tensors of a checkpoint are known in a model: objects, variables, nodes that read them.

Freezing makes constants of variables. The name of a constant is that of the variable or, in models of TensorFlow 2,
that of the node that reads it, with the names of the nodes through which its function is called, or that of an argument
of the function that is frozen. These are found by following the handles of variables through calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...errors import CheckpointError, FreezeError, GraphError
from ...graph.function_body import FunctionBodies
from ...graph.functions import FunctionCall, enter_function
from ...graph.view import GraphView
from ...messages import GraphDef
from ...ops.traits import VARIABLES
from ...source.model_source import ModelSource
from ...values.names import TensorName

_CALLS = re.compile(r"(?:^|(?<=/))(?:Stateful)?PartitionedCall(?:_\d+)?(?:/|$)")
_MIN_BUDGET, _BUDGET_PER_BYTE = 1 << 20, 4  # characters of names that are looked at


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
    problems: list[str] = []
    try:
        for name, key in _names_in_graph(source, checkpoint, problems):
            names.setdefault(name, set()).add(key)
    except (FreezeError, GraphError) as error:
        problems.append(str(error))
    return names, problems[0] if problems else ""


def without_calls(name: str) -> str:
    """Return the name of a node without the names of calls before it: PartitionedCall, StatefulPartitionedCall_1."""
    return _CALLS.sub("", name)


def _names_in_graph(
    source: ModelSource, checkpoint: Mapping[str, object], problems: list[str]
) -> Iterator[tuple[str, str]]:
    """Yield the names of variables and of the nodes that read them, with keys. Raises FreezeError and GraphError.

    A variable that is a part of a tensor which the checkpoint does not have is added to `problems`.
    """
    if not source.has_graph:
        return
    variables = [node.name for node in source.graph.node if node.op in VARIABLES]
    if not variables:
        return
    from ...parameters.variables import CheckpointTensors  # frozen graphs do not need it

    values = CheckpointTensors(checkpoint).values_of(source)
    keys = {}
    for name in variables:
        try:
            stored = values.find(name)
        except CheckpointError as error:
            problems.append(str(error))
            continue
        if stored is not None and stored.extents is None:
            keys[name] = stored.key
            yield name, stored.key
    functions = FunctionBodies(source.graph.library, source.ops)
    yield from _Readers(source.graph, functions).follow("", keys)


class _Readers:
    """Finds the nodes that read variables, in a graph and in the functions that it calls.

    Functions that call each other twice have exponentially many calls: the work is limited by the size of the graph.
    """

    def __init__(self, graph: GraphDef, functions: FunctionBodies) -> None:
        self._functions = functions
        self._consumers = {"": GraphView(graph).consumers()}
        self._budget = _MIN_BUDGET + _BUDGET_PER_BYTE * graph.ByteSize()

    def follow(
        self, function: str, keys: Mapping[str, str], path: str = "", callers: tuple[str, ...] = ()
    ) -> Iterator[tuple[str, str]]:
        """Yield the path of each node that reads a variable, and the key. `keys` are those of nodes or arguments.

        The arguments of functions that the graph calls are yielded too.

        Raises GraphError for an invalid graph, for a function that calls itself, and if there are too many calls.
        """
        if function not in self._consumers:
            self._consumers[function] = GraphView(self._functions.body(function)).consumers()
        consumers = self._consumers[function]
        found = dict(keys)
        queue = list(keys)
        calls: dict[str, tuple[FunctionCall, dict[int, str]]] = {}
        for name in queue:  # the loop appends to it
            for node, position in consumers.get(TensorName(name), ()):
                self._spend(len(path) + len(node.name))
                call = self._functions.call(node)
                if call is not None and position >= call.first:
                    calls.setdefault(node.name, (call, {}))[1][position - call.first] = found[name]
                elif node.op != "Identity":
                    yield without_calls(path + node.name), found[name]
                elif node.name not in found:
                    found[node.name] = found[name]
                    queue.append(node.name)
        for name, (call, arguments) in calls.items():
            for callee in call.names:
                names = self._functions.body(callee).arguments
                self._spend(len(path) + len(name))
                inside = {names[number]: key for number, key in arguments.items() if number < len(names)}
                if not callers:
                    yield from inside.items()
                yield from self.follow(callee, inside, f"{path}{name}/", enter_function(callers, callee))

    def _spend(self, characters: int) -> None:
        self._budget -= 1 + characters
        if self._budget < 0:
            raise GraphError("its functions have too many calls")
