"""Replace the outputs of constant nodes by new Const nodes.

New constants have the names of the original, `<node>/_<i>__cf__<j>`. The number i counts constants, and j counts
constants and outputs of shape ops, which all come first. Constants are counted in the order of the names of the nodes
that they replace. In this order, output k of all outputs of shape ops has the name `<node>/_<k>__cf__<k>`.

Two kinds of constants are counted but not made: constants for declared outputs that nothing else uses, since these
nodes stay, and constants for lists of tensors, which only the original makes.
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
from ...io.terminal import escape
from ...messages import AttrValue, DataType, NodeDef, OpDef, TensorProto
from ...names import CONTROL
from ...ops import output_types
from ...tensors import elements_of, from_ndarray
from ..framework.node_edits import content_tensor
from ..framework.report import StepReport
from .dependencies import Dependencies, Output
from .evaluation import TOO_LARGE, Constants

__all__ = ["replace_constants"]

_HANDLES = (DataType.DT_RESOURCE, DataType.DT_VARIANT)
_OUTPUT_SHAPES = "_output_shapes"
_STRING_BYTES = 24  # per string, in addition to its characters, as TensorFlow counts them


@dataclass(frozen=True, slots=True)
class _Constant:
    """A new Const: its name, its value, and the positions of the nodes from which it has control inputs."""

    name: str
    value: TensorProto
    controls: frozenset[int]


def replace_constants(
    dependencies: Dependencies,
    constants: Constants,
    ops: Mapping[str, OpDef],
    complete: Callable[[NodeDef], NodeDef],
    limit: int,
    report: StepReport,
) -> list[NodeDef]:
    """Return the nodes that the outputs need after folding: old nodes in the order of `Dependencies.ranks`, then new
    constants.

    `complete` adds default attributes to old nodes. Results of more than `limit` bytes do not become constants. Nodes
    that are fed are not included. The values of `constants` are consumed.
    """
    new = _make_constants(dependencies, constants, ops, limit, report)
    old, used = _find_needed(dependencies, new)
    nodes = [
        _rewire(complete(dependencies.index.nodes[position]), position, dependencies, new)
        for position in sorted(old, key=dependencies.ranks.__getitem__)
    ]
    for tensor in used:
        constant = new[tensor]
        attributes = {"dtype": AttrValue(type=constant.value.dtype), "value": AttrValue(tensor=constant.value)}
        controls = _controls(dependencies, sorted(constant.controls, key=dependencies.name_in_run))
        nodes.append(NodeDef(name=constant.name, op="Const", input=controls, attr=attributes))
        report.fire()
    return nodes


# --- new constants ---------------------------------------------------------------------------------------------------


def _make_constants(
    dependencies: Dependencies, constants: Constants, ops: Mapping[str, OpDef], limit: int, report: StepReport
) -> dict[Output, _Constant]:
    """Return new constants by the tensors that they replace, in the order of the original."""
    nodes = dependencies.index.nodes
    keys: dict[Output, str] = {}
    for position, ports in constants.shaped.items():
        for port in range(ports):
            keys[position, port] = f"{nodes[position].name}/_{len(keys)}__cf__{len(keys)}"
    taken = TakenNames(nodes[position].name for position in (*dependencies.tensors, *dependencies.fed))
    new: dict[Output, _Constant] = {}
    numbers = count()
    for position, port in sorted(
        constants.values, key=lambda tensor: (keys.get(tensor, nodes[tensor[0]].name), tensor[1])
    ):
        node, array = nodes[position], constants.values.pop((position, port))
        dtype = output_types(node, ops[node.op])[port]
        assert dtype is not None, "constant tensors have a known type"
        tensor, problem = _make_tensor(array, dtype, limit)
        if tensor is None:
            report.refuse(node.name, problem)
            if dtype in _HANDLES:
                next(numbers)
            continue
        number = next(numbers)
        name = taken.fresh(f"{node.name}/_{number}__cf__{len(keys) + number}")
        new[position, port] = _Constant(name, tensor, constants.controls[position])
    return new


def _make_tensor(array: Any, dtype: DataType, limit: int) -> tuple[TensorProto | None, str]:
    """Return a tensor of an array and ""; or None and the reason why this is not possible.

    A single element is stored in the field of its type, and several elements in `tensor_content`.
    """
    if dtype in _HANDLES:
        return None, "its output cannot be a constant"
    row = dtype_of(dtype)
    try:
        contents = sum(map(len, elements_of(array))) if row.is_object else 0
        size = contents + array.size * (_STRING_BYTES if row.is_object else row.itemsize)
        if size > limit:
            return None, TOO_LARGE.format(limit)
        return content_tensor(array, dtype) if array.size > 1 else from_ndarray(array, dtype), ""
    except (TypeError, ValueError) as error:  # the tensor has another type than the graph declares
        return None, escape(str(error))


# --- needed nodes -----------------------------------------------------------------------------------------------------


def _find_needed(dependencies: Dependencies, new: Mapping[Output, _Constant]) -> tuple[set[int], list[Output]]:
    """Return the positions of the old nodes that the outputs need, and the tensors that needed new constants replace.

    The tensors are in the order of `new`.
    """
    old: set[int] = set()
    used: set[Output] = set()
    queue = [position for position, _ in dependencies.outputs]
    while queue:
        position = queue.pop()
        if position in old or position in dependencies.fed:
            continue
        old.add(position)
        queue += dependencies.controls[position]
        for tensor in dependencies.tensors[position]:
            if tensor not in new:
                queue.append(tensor[0])
            elif tensor not in used:
                used.add(tensor)
                queue += new[tensor].controls
    return old, [tensor for tensor in new if tensor in used]


def _rewire(node: NodeDef, position: int, dependencies: Dependencies, new: Mapping[Output, _Constant]) -> NodeDef:
    inputs = [
        *_inputs(dependencies, dependencies.tensors[position], new),
        *_controls(dependencies, dependencies.controls[position]),
    ]
    fields: dict[str, Any] = {}
    if inputs != node.input:
        fields["input"] = inputs
    if wire_entry(node, "attr", _OUTPUT_SHAPES) is not None:
        fields["attr"] = {name: value for name, value in node.attr.items() if name != _OUTPUT_SHAPES}
    return replace_node(node, **fields) if fields else node


def _inputs(dependencies: Dependencies, tensors: list[Output], new: Mapping[Output, _Constant]) -> Iterator[str]:
    for position, port in tensors:
        name = dependencies.index.nodes[position].name
        if (position, port) in new:
            yield new[position, port].name
        elif position in dependencies.fed:
            yield f"{name}:{port}"
        else:
            yield dependencies.reference(position, port)


def _controls(dependencies: Dependencies, positions: list[int]) -> list[str]:
    return [dependencies.reference(position, CONTROL) for position in positions]
