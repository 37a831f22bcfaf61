"""Variables, tables and queues that the condition of a loop reads, and the nodes that change them.

    states = States(bodies, captured, stored)
    names = states.names("cond", "handle")            # {"v"}: the resources that a handle may belong to
    states.values(names)                              # [("", "initial_value")]: the values that nodes write to them
    states.are_changed(names, {"body": {"write"}})    # whether the node "write" of the function "body" changes them

A handle that comes in through an argument is followed to all calls of the function; None stands for a resource that is
not found this way, which may be any.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import cached_property

from pbwire.errors import Error

from ...errors import GraphError
from ...graph import GraphIndex
from ...messages import DataType, NodeDef
from ...ops import OPS
from ...ops.ports import input_types
from ...ops.traits import ENTER, EXIT, MERGE, NEXT_ITERATION, SWITCH, UNCHANGED, VARIABLE_INITIALIZERS, WHILE_LOOPS
from ...values.names import TensorName, data_inputs
from .call_graph import calls_by_function
from .path_origins import shared_name

MAX_STEPS = 1_000
"""The maximum number of nodes that are followed for one handle."""

_READS = """
    ReadVariableOp VarIsInitializedOp IsVariableInitialized VariableShape ResourceGather ResourceGatherNd
    LookupTableFind LookupTableFindV2 LookupTableSize LookupTableSizeV2 LookupTableExport LookupTableExportV2
    TensorArraySizeV2 TensorArraySizeV3
"""
READS = frozenset(_READS.split())
"""Ops that read the state of a resource, and change nothing."""

_PASSES_ON = UNCHANGED | ENTER | EXIT | NEXT_ITERATION | SWITCH | MERGE
_NO_STATE = READS | _PASSES_ON | WHILE_LOOPS | {"NoOp"}
_HANDLES = (DataType.DT_RESOURCE, DataType.DT_STRING_REF)


def is_resource(node: NodeDef) -> bool:
    """Return whether a node is a variable of TensorFlow 1, or makes the handle of a variable, a table or a queue."""
    op = OPS.get(node.op)
    if op is None or not op.is_stateful or op.input_arg or len(op.output_arg) != 1:
        return False
    output = op.output_arg[0]
    return output.type == DataType.DT_RESOURCE or output.is_ref


Scope = Mapping[str, frozenset[str]]
"""The names of the nodes that a loop runs, by the body that they are in."""


class States:
    """The resources of a model. `captured` names the variable of a function's argument, counted from the last."""

    def __init__(self, bodies: Mapping[str, GraphIndex], captured: Callable[[str, int], str | None]) -> None:
        self._bodies = bodies
        self._captured = captured
        self._calls = calls_by_function(bodies)
        self._names: dict[tuple[str, str], frozenset[str | None]] = {}

    def names(self, function: str, text: str) -> frozenset[str | None]:
        """Return the names of the resources that a handle may belong to; None for one that is not found."""
        key = (function, text)
        if key not in self._names:
            self._names[key] = frozenset(self._follow(function, text))
        return self._names[key]

    def values(self, names: Collection[str | None]) -> list[tuple[str, str]]:
        """Return the references of all values that nodes write to resources, each with the body that it is in."""
        rows = []
        for function, node in self._writers_of(names):
            inputs = data_inputs(node)
            if node.op in VARIABLE_INITIALIZERS and len(inputs) > 1 and self._may_be(function, inputs[0], names):
                rows.append((function, inputs[1]))
        return rows

    def are_changed(self, names: Collection[str | None], scope: Scope) -> bool:
        """Return whether one of the nodes that a loop runs changes one of the resources."""
        return any(node.name in scope.get(function, ()) for function, node in self._writers_of(names))

    def _may_be(self, function: str, text: str, names: Collection[str | None]) -> bool:
        own = self.names(function, text)
        return None in own or None in names or not own.isdisjoint(names)

    def _writers_of(self, names: Collection[str | None]) -> list[tuple[str, NodeDef]]:
        """Return the nodes that may change one of the resources, in their order."""
        writers, positions = self._writers
        if None in names:
            return writers
        return [writers[i] for i in sorted({i for name in (*names, None) for i in positions.get(name, ())})]

    @cached_property
    def _writers(self) -> tuple[list[tuple[str, NodeDef]], dict[str | None, list[int]]]:
        """The nodes that may change a resource, and their positions by the names of the resources."""
        writers: list[tuple[str, NodeDef]] = []
        positions: dict[str | None, list[int]] = {}
        for function, body in self._bodies.items():
            for node in body.nodes:
                if node.op in _NO_STATE or self._is_call(body, node):
                    continue
                names = {name for text in _handles(node) for name in self.names(function, text)}
                for name in names:
                    positions.setdefault(name, []).append(len(writers))
                if names:
                    writers.append((function, node))
        return writers, positions

    def _is_call(self, body: GraphIndex, node: NodeDef) -> bool:
        with suppress(Error):  # a fault of its own
            return body.functions.call(node) is not None
        return False

    def _follow(self, function: str, text: str) -> Iterator[str | None]:
        queue = [(function, text)]
        seen = set(queue)
        for place in queue:  # the loop appends to it
            if len(seen) > MAX_STEPS:
                yield None
                return
            name, before = self._before(*place)
            if name is not None or not before:
                yield name
            for row in before:
                if row not in seen:
                    seen.add(row)
                    queue.append(row)

    def _before(self, function: str, text: str) -> tuple[str | None, list[tuple[str, str]]]:
        """Return the name of the resource that a reference is, or the references that it comes from."""
        body = self._bodies[function]
        try:
            name, port, _ = TensorName.parse(text)
        except GraphError:
            return None, []
        position = body.positions.get(name)
        if position is None:
            return self._argument(function, name)
        node = body.nodes[position]
        inputs = data_inputs(node)
        if is_resource(node):
            return shared_name(node), []
        if node.op in WHILE_LOOPS or node.op == "IdentityN":
            return None, [(function, row) for row in inputs[port : port + 1]]
        if node.op in _PASSES_ON:
            return None, [(function, row) for row in (inputs if node.op in MERGE else inputs[:1])]
        return None, []

    def _argument(self, function: str, name: str) -> tuple[str | None, list[tuple[str, str]]]:
        arguments = list(self._bodies[function].arguments)
        if name not in arguments:
            return None, []
        number = arguments.index(name)
        before = [
            (caller, inputs[first + number])
            for caller, inputs, first in self._calls.get(function, ())
            if first + number < len(inputs)
        ]
        return (None, before) if before else (self._captured(function, number - len(arguments)), [])


def _handles(node: NodeDef) -> Iterator[str]:
    """Yield the inputs of a node that are handles of resources, or references to variables of TensorFlow 1."""
    op = OPS.get(node.op)
    texts = data_inputs(node)
    if op is None:
        yield from texts
        return
    ports: Mapping[str, range] = {}
    with suppress(GraphError):  # a fault of its own
        ports = input_types(node, op).ranges
    for row in op.input_arg:
        if row.type in _HANDLES or row.is_ref:
            yield from (texts[port] for port in ports.get(row.name, ()) if port < len(texts))
