"""Which nodes of a graph are constant, and what they give.

    constants = Constants(wiring, ops, rules, report)
    constants.waits[5]           # the node at 5 is constant. The positions are of nodes that it has to wait for
    constants.found              # {(5, 0): array}: its output 0 is taken by a node that is not

A node is constant if all tensors that it takes are those of constant nodes, and its op gives the same for them each
time. One that asks only for the shape of a tensor is constant if that is known. Control inputs make no difference: who
takes the tensor of a constant node waits for all that this one has waited for, and that those it was computed from have
waited for. A node that cannot be computed is not constant.

Ops that ask for nothing but the shape of a tensor: where that is known, what they give is too.

Shape(x)       (2, 3)            of x: float[2,3]
ShapeN(x, y)   (2, 3), (4,)
Size(x)        6
Rank(x)        2                 even if the sizes are not known
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from pbwire import Error

from ...dtypes import DTYPES, dtype_of
from ...errors import GraphError, RunError, TransformError
from ...graph import CONTROL_FLOW, SWITCH, attr, describe
from ...interpreter.memory_limit import bytes_needed, bytes_of
from ...io.terminal import printable
from ...messages import DataType, NodeDef, OpDef
from ...ops import is_stateful
from ...ops.runtime import KERNELS, bind
from ...ops.runtime.binding import types_of
from ...ops.runtime.memory_limit import STRING, room
from ...ops.shape_rules import elementwise_ops
from ...shape import Shape, broadcast
from ...shapes import Shapes
from ..framework.report import StepReport
from .cost_model import Effort
from .dependencies import Output, Wiring

__all__ = ["SHAPE_OPS", "TOO_LARGE", "Constants", "Rules", "known_of_shapes"]


CONSTS = frozenset({"Const", "HostConst"})

_NEVER = CONTROL_FLOW | {
    "ControlTrigger",  # it waits for nodes of a branch that is not taken, too
    "DeleteSessionTensor",
    "FakeParam",
    "GetSessionHandle",
    "GetSessionHandleV2",
    "GetSessionTensor",
    "Placeholder",
    "PlaceholderV2",
    "_Arg",
    "_Recv",
    "_Retval",
    "_Send",
}
_LARGEST_ITEM = 16  # bytes
_ROOM = 1 << 28  # bytes
_SCRATCH = 1 << 24  # bytes that a kernel may take besides its results
_NOTHING: frozenset[int] = frozenset()
_MOST_WAITING = 1 << 21  # numbers in all sets of what constants wait for; those of real graphs are mostly the same set

TOO_LARGE = "its result is larger than {:,} bytes"


@dataclass(frozen=True, slots=True)
class Rules:
    """What a user allows. Shape ops of which the result is known are constant in any case.

    limit     no larger results, in bytes
    shapes    what gives the shapes of the graph, if they are asked for
    """

    exclude_ops: Collection[str]
    exclude_nodes: Collection[str]
    limit: int
    shapes: Callable[[], Shapes]


class Constants:
    """The constant nodes.

    waits       by position; of each, the positions of the nodes that whatever takes its place has to wait for
    found       what is taken of them by others, and what is declared as output, in any order; what Const nodes give is
                left out
    shaped      constant nodes that are so since shapes are known, with how many outputs they have, in order
    """

    def __init__(self, wiring: Wiring, ops: Mapping[str, OpDef], rules: Rules, report: StepReport) -> None:
        self.waits: dict[int, frozenset[int]] = {}
        self.shaped: dict[int, int] = {}
        self._wiring = wiring
        self._nodes = wiring.index.nodes
        self._ops = ops
        self._rules = rules
        self._report = report
        self._values: dict[int, list[Any]] = {}
        self._taken: set[Output] = {tensor for tensor in wiring.outputs if tensor[1] >= 0}
        self._users = dict(wiring.users)
        self._waiting = 0
        self._effort = Effort()
        for position in wiring.producers_first:
            if self._is_constant(position):
                self.waits[position] = self._waits(position)
            else:
                self._taken.update(wiring.tensors[position])
            self._release(position)
        self.found = {
            (position, port): self._values[position][port]
            for position, port in self._taken
            if position in self.waits and self._nodes[position].op not in CONSTS and self._has(position, port)
        }
        self._values.clear()

    @cached_property
    def _shapes(self) -> Shapes:
        return self._rules.shapes()

    # --- is it? ------------------------------------------------------------------------------------------------------

    def _is_constant(self, position: int) -> bool:
        node = self._nodes[position]
        if node.op in CONSTS:
            return True
        if node.op in SHAPE_OPS and self._is_known_of_shapes(position):
            return True
        if not all(source in self.waits for source, _ in self._wiring.tensors[position]) or self._is_never(node):
            return False
        if node.op == "NoOp":
            return True
        try:
            problem = self._problem(node) or self._computed(position)
        except Error as error:  # of the kernel, of the tensors, and of attributes that were not decoded before
            problem = printable(str(error).removeprefix(f"{describe(node)}: "))
        if problem:
            self._report.refuse(node.name, problem)
        return not problem

    def _is_never(self, node: NodeDef) -> bool:
        """Is it one that nobody would expect to be constant?"""
        if node.op in self._rules.exclude_ops or node.name in self._rules.exclude_nodes or node.op in _NEVER:
            return True
        op = self._ops.get(node.op)
        return op is not None and is_stateful(op)

    def _problem(self, node: NodeDef) -> str:
        """Why a node cannot be computed, as far as its op tells."""
        if node.op in self._wiring.index.functions:
            return "it calls a function"
        if node.op not in self._ops:
            return f"the op {printable(node.op)} is not known"
        if node.op not in KERNELS:
            return f"there is no kernel for {printable(node.op)}"
        if KERNELS[node.op].takes_runtime:
            return "it calls a function"
        return ""

    def _is_known_of_shapes(self, position: int) -> bool:
        node, tensors = self._nodes[position], self._wiring.tensors[position]
        try:
            shapes = [self._shapes.of(self._nodes[source])[port] for source, port in tensors]
            found = known_of_shapes(node, shapes)
        except (Error, IndexError):  # it takes an output that there is not
            return False
        if found is None:
            return False
        if any(self._nodes[source].op in SWITCH for source, _ in tensors):
            # A Switch gives one of its sides a tensor, but who waits for it never knows which.
            self._report.refuse(node.name, "the shape is known, but not whether its side of the conditional is taken")
            return False
        self._values[position] = found
        self.shaped[position] = len(found)
        return True

    # --- values ------------------------------------------------------------------------------------------------------

    def _computed(self, position: int) -> str:
        """Compute a node, or tell why that cannot be."""
        node = self._nodes[position]
        types = types_of(node, self._ops[node.op])
        if None in types:
            return "nobody says of which type its result is"
        if not self._wiring.users.get(position):
            return ""  # nobody takes what it gives
        inputs = [self._value(tensor) for tensor in self._wiring.tensors[position]]
        if self._is_too_large(position, inputs, types):
            return TOO_LARGE.format(self._rules.limit)
        self._effort.begin(node, inputs, self._first_shape(node, inputs))
        has_strings = DataType.DT_STRING in types
        with room(max(_SCRATCH, self._rules.limit)):
            found = bind(node, self._ops, types)(inputs)
        if has_strings and sum(map(_stored, found)) > self._rules.limit:
            return TOO_LARGE.format(self._rules.limit)
        self._effort.hold(found)
        self._values[position] = found
        return ""

    def _is_too_large(self, position: int, inputs: Sequence[Any], types: Sequence[DataType | None]) -> bool:
        """Is one of its results too large, as far as that is known before it is computed?

        Where the graph does not tell the shape, since it took a detour on which nobody followed it, the inputs do. As
        in the original, what is larger than the limit may then stand between constants that are not: if there is room.
        """
        node = self._nodes[position]
        most = prod(max(1, np.size(value)) for value in inputs) * _LARGEST_ITEM
        if node.op in elementwise_ops() and most <= self._rules.limit:
            return False  # nobody has to infer shapes
        is_open = False
        for port, (shape, dtype) in enumerate(zip(self._shapes.of(node), types, strict=False)):
            if shape is None or None in shape or dtype not in DTYPES or (position, port) not in self._wiring.taken:
                is_open |= shape is None or None in shape
                continue
            if prod(shape) * DTYPES[dtype].itemsize > self._rules.limit:  # type: ignore[arg-type]  # there is no None left
                return True
        return is_open and bytes_needed(node, inputs, types) > max(_ROOM, self._rules.limit)

    def _first_shape(self, node: NodeDef, inputs: Sequence[Any]) -> Shape | None:
        """That of its first output, as far as it is known."""
        if node.op in elementwise_ops():
            return _broadcast([np.shape(value) for value in inputs])  # nobody has to infer shapes
        return next(iter(self._shapes.of(node)), None)

    def _value(self, tensor: Output) -> Any:
        """What a constant node gives."""
        position, port = tensor
        if position not in self._values and self._nodes[position].op in CONSTS:
            self._values[position] = bind(self._nodes[position], self._ops)([])
            self._effort.give(self._values[position])
        if not self._has(position, port):
            raise RunError(f"{describe(self._nodes[position])} has no output {port}")
        return self._values[position][port]

    def _has(self, position: int, port: int) -> bool:
        return port < len(self._values.get(position, ()))

    def _release(self, position: int) -> None:
        """Forget what nobody needs any more now that a node has been looked at."""
        for source, _ in self._wiring.tensors[position]:
            self._users[source] -= 1
            if self._users[source] or source not in self._values:
                continue
            values = self._values[source]
            for port, value in enumerate(values):
                if (source, port) not in self._taken:
                    values[port] = None
                    if self._nodes[source].op not in CONSTS and source not in self.shaped:
                        self._effort.drop(value)

    def _waits(self, position: int) -> frozenset[int]:
        """What a constant node waits for, and what those it was computed from have waited for.

        Raises TransformError for a graph in which that is something else for each of a thousand nodes.
        """
        waits = _NOTHING
        for source in self._wiring.sources(position):
            more = self.waits.get(source)
            if more is None:
                more = frozenset((source,))
            if not more <= waits:
                waits = more if waits <= more else self._together(waits, more)
        return waits

    def _together(self, waits: frozenset[int], more: frozenset[int]) -> frozenset[int]:
        self._waiting += len(waits) + len(more)
        if self._waiting > _MOST_WAITING:
            raise TransformError("constants wait for too many nodes: remove_control_dependencies can go first")
        return waits | more


def _broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """What an element-wise op makes of tensors; of those that do not fit, the longest shape."""
    found: Shape | None = ()
    try:
        for shape in shapes:
            found = broadcast(found, shape)
    except GraphError:
        return max(shapes, key=len, default=None)
    return found


def _stored(value: Any) -> int:
    """The bytes of a tensor without what Python takes for each string besides."""
    is_text = isinstance(value, np.ndarray) and value.dtype == object
    return bytes_of(value) - (value.size * (STRING - value.itemsize) if is_text else 0)


SHAPE_OPS = frozenset({"Shape", "ShapeN", "Size", "Rank"})


def known_of_shapes(node: NodeDef, shapes: Sequence[Shape | None]) -> list[Any] | None:
    """What a node of such an op gives for tensors of these shapes; None if they do not say enough."""
    sizes = [shape for shape in shapes if shape is not None]
    if len(sizes) < len(shapes):
        return None
    if node.op == "Rank":
        return [np.array(len(shape), np.int32) for shape in sizes]
    dtype = attr(node, "out_type", DataType, DataType.DT_INT32)
    if dtype not in (DataType.DT_INT32, DataType.DT_INT64) or any(None in shape for shape in sizes):
        return None
    numbers: list[Any] = [prod(shape) if node.op == "Size" else shape for shape in sizes]
    wanted = dtype_of(dtype).numpy
    if any(np.max(number, initial=0) > np.iinfo(wanted).max for number in numbers):
        return None
    return [np.array(number, wanted) for number in numbers]
