"""The graph with new constants in place of what constant nodes give.

The names of new constants are `<node>/_<i>__cf__<j>`: two counters, of the constants so far, and of these and of the
outputs of shape ops. Constants are counted in the order of the names of the nodes that they replace; a shape op has a
name of this kind itself meanwhile. Counted are, too, those that would replace a declared output for nobody but the
caller, for whom the node stays, and lists of tensors, which the original makes constants of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from pbwire.lazy.undecoded_maps import wire_entry

from ...dtypes import dtype_of
from ...graph import replace_node
from ...graph.edit import TakenNames
from ...io.terminal import printable
from ...messages import AttrValue, DataType, NodeDef, OpDef, TensorProto
from ...names import CONTROL
from ...ops import output_types
from ...tensors import from_ndarray
from ..framework.new_constants import content_tensor
from ..framework.report import StepReport
from .dependencies import Output, Wiring
from .evaluation import TOO_LARGE, Constants

__all__ = ["replaced"]

_HANDLES = (DataType.DT_RESOURCE, DataType.DT_VARIANT)
_OUTPUT_SHAPES = "_output_shapes"
_STRING_BYTES = 24  # of each string besides its characters, as TensorFlow counts them


@dataclass(frozen=True, slots=True)
class _Constant:
    """A new Const: its name, what it holds, and the positions of the nodes that it waits for."""

    name: str
    value: TensorProto
    waits: frozenset[int]


def replaced(
    wiring: Wiring,
    constants: Constants,
    ops: Mapping[str, OpDef],
    complete: Callable[[NodeDef], NodeDef],
    limit: int,
    report: StepReport,
) -> list[NodeDef]:
    """What outputs need when constants are new nodes: old nodes in the order of `Wiring.ranks`, then new ones.

    `complete` gives old nodes their attributes. The nodes that are fed are not among them.
    """
    new = _constants(wiring, constants, ops, limit, report)
    old, used = _needed(wiring, new)
    nodes = [_rewired(complete(wiring.index.nodes[at]), at, wiring, new) for at in sorted(old, key=wiring.ranks.get)]  # type: ignore[arg-type]  # all are there
    for tensor in used:
        constant = new[tensor]
        attributes = {"dtype": AttrValue(type=constant.value.dtype), "value": AttrValue(tensor=constant.value)}
        controls = _controls(wiring, sorted(constant.waits, key=wiring.name_in_run))
        nodes.append(NodeDef(name=constant.name, op="Const", input=controls, attr=attributes))
        report.fire()
    return nodes


# --- new constants ---------------------------------------------------------------------------------------------------


def _constants(
    wiring: Wiring, constants: Constants, ops: Mapping[str, OpDef], limit: int, report: StepReport
) -> dict[Output, _Constant]:
    """New constants by what they replace, in the order of the original."""
    nodes = wiring.index.nodes
    keys: dict[Output, str] = {}
    for position, ports in constants.shaped.items():
        for port in range(ports):
            keys[position, port] = f"{nodes[position].name}/_{len(keys)}__cf__{len(keys)}"
    taken = TakenNames(nodes[position].name for position in (*wiring.tensors, *wiring.fed))
    new: dict[Output, _Constant] = {}
    numbers = count()
    for position, port in sorted(constants.found, key=lambda found: (keys.get(found, nodes[found[0]].name), found[1])):
        node, array = nodes[position], constants.found.pop((position, port))
        dtype = output_types(node, ops[node.op])[port]
        assert dtype is not None, "there is a tensor of this type"
        tensor, problem = _tensor(array, dtype, limit)
        if tensor is None:
            report.refuse(node.name, problem)
            if dtype in _HANDLES:
                next(numbers)
            continue
        number = next(numbers)
        name = taken.fresh(f"{node.name}/_{number}__cf__{len(keys) + number}")
        new[position, port] = _Constant(name, tensor, constants.waits[position])
    return new


def _tensor(array: Any, dtype: DataType, limit: int) -> tuple[TensorProto | None, str]:
    """A tensor, or why there is none. A single element stands in the field of its type, several in `tensor_content`."""
    if dtype in _HANDLES:
        return None, "there are no constants of what it gives"
    row = dtype_of(dtype)
    try:
        size = array.size * _STRING_BYTES + sum(map(len, array.flat)) if row.is_object else array.size * row.itemsize
        if size > limit:
            return None, TOO_LARGE.format(limit)
        return content_tensor(array, dtype) if array.size > 1 else from_ndarray(array, dtype), ""
    except (TypeError, ValueError) as error:  # the graph contradicts itself: it takes a tensor of another type
        return None, printable(str(error))


# --- what is needed of it --------------------------------------------------------------------------------------------


def _needed(wiring: Wiring, new: Mapping[Output, _Constant]) -> tuple[set[int], list[Output]]:
    """The old nodes that outputs need, and what new constants take the place of, in their order."""
    old: set[int] = set()
    used: set[Output] = set()
    queue = [position for position, _ in wiring.outputs]
    while queue:
        position = queue.pop()
        if position in old or position in wiring.fed:
            continue
        old.add(position)
        queue += wiring.controls[position]
        for tensor in wiring.tensors[position]:
            if tensor not in new:
                queue.append(tensor[0])
            elif tensor not in used:
                used.add(tensor)
                queue += new[tensor].waits
    return old, [tensor for tensor in new if tensor in used]


def _rewired(node: NodeDef, position: int, wiring: Wiring, new: Mapping[Output, _Constant]) -> NodeDef:
    inputs = [*_inputs(wiring, wiring.tensors[position], new), *_controls(wiring, wiring.controls[position])]
    fields: dict[str, Any] = {}
    if inputs != node.input:
        fields["input"] = inputs
    if wire_entry(node, "attr", _OUTPUT_SHAPES) is not None:
        fields["attr"] = {name: value for name, value in node.attr.items() if name != _OUTPUT_SHAPES}
    return replace_node(node, **fields) if fields else node


def _inputs(wiring: Wiring, tensors: list[Output], new: Mapping[Output, _Constant]) -> Iterator[str]:
    for position, port in tensors:
        name = wiring.index.nodes[position].name
        if (position, port) in new:
            yield new[position, port].name
        elif position in wiring.fed:
            yield f"{name}:{port}"
        else:
            yield wiring.spelled(position, port)


def _controls(wiring: Wiring, positions: list[int]) -> list[str]:
    return [wiring.spelled(position, CONTROL) for position in positions]
