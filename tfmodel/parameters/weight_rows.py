"""The rows of a list of weights: one for each constant and variable of the graph, and each tensor of the checkpoint.

A row is a `Weight` with its uses and a first guess of its purpose. Values are read when they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from ..analysis.data_flow import Body
from ..analysis.facts import Facts
from ..analysis.uses import Relevance, Use
from ..errors import CheckpointError, FreezeError, GraphError, TensorError, with_name
from ..graph.attributes import attr
from ..messages import NodeDef, TensorProto
from ..ops.traits import EMPTY_IS_UNKNOWN, VARIABLES
from ..source.model_source import ModelSource
from ..values.dtypes import dtype_name, dtype_of
from ..values.tensor_header import Shape, byte_size, read_header, read_shape
from ..values.terminal import escape
from .quantized import QuantizedConstants, find_half_weights, find_quantized_weights
from .weight import NO_CHECKPOINT, Purpose, Weight

if TYPE_CHECKING:
    import numpy.typing as npt

    from .variables import CheckpointTensors, StoredTensor, VariableValues

_FILLED = "its few stored values repeat too many times"
NOT_IN_CHECKPOINT = "not in the checkpoint"


def list_rows(
    source: ModelSource, facts: Facts | None, needed: set[tuple[str, str]] | None, as_stored: bool
) -> Iterator[Weight]:
    """Yield all rows in the order of the file; with `as_stored`, quantized values and their ranges as stored.

    Constants that are not weights get the purpose "constant", and variables that cannot be weights the purpose "state".
    Weights whose nodes are not in `needed` are "unused", and so are tensors of the checkpoint without a variable. If
    `needed` is None, nothing is "unused".

    Raises GraphError, TensorError, CheckpointError and DecodeError.
    """
    used_keys: set[str] = set()
    names: set[str] = set()
    tensors = None
    if source.checkpoint is not None:
        from .variables import CheckpointTensors  # most graphs have no checkpoint

        tensors = CheckpointTensors(source.checkpoint)
    order = count()
    for row in _graph_rows(source, facts, needed, tensors, order, as_stored) if facts is not None else ():
        names.add(row.name)
        used_keys.update([row.key] if row.key is not None else [])
        yield row
    for key in tensors or ():
        if key not in used_keys and tensors is not None:
            row = replace(_checkpoint_tensor(tensors, key, names), order=next(order))
            yield row if needed is None or row.purpose else replace(row, purpose="unused")


def _graph_rows(
    source: ModelSource,
    facts: Facts,
    needed: set[tuple[str, str]] | None,
    tensors: CheckpointTensors | None,
    order: Iterator[int],
    as_stored: bool,
) -> Iterator[Weight]:
    bodies, finder = [*facts.flow.bodies], facts.uses
    is_frozen = not any(node.op in VARIABLES for body in bodies for node in body.nodes.values())
    values: VariableValues | None = None
    for body in bodies:
        quantized = QuantizedConstants() if as_stored else find_quantized_weights(body, facts.ops)
        halves = {} if as_stored else find_half_weights(body.nodes.values())
        for node in body.nodes.values():
            if node.op == "Const" and node.name not in quantized.ranges:
                row = _dequantize(_constant(node, source, partial(finder.find, body, node.name), order), quantized)
                row = replace(row, name=halves[row.name]) if row.name in halves else row
            elif node.op in VARIABLES:
                if values is None and tensors is not None and not body.name:
                    values = _variable_values(source, tensors)
                row = _variable(node, None if body.name else values, tensors)
                row = replace(row, uses=finder.find(body, node.name, row.shape), order=next(order))
            else:
                continue
            if body.name:
                row = replace(row, name=f"{body.name}/{row.name}", function=body.name)
            is_needed = needed is None or (body.name, node.name) in needed
            purpose = _purpose(row, body, node, is_frozen, is_needed)
            yield replace(row, purpose=purpose) if purpose else row


def _purpose(row: Weight, body: Body, node: NodeDef, is_frozen: bool, is_needed: bool) -> Purpose:
    """Return the purpose of a constant or variable. It depends on its uses, and on whether the outputs need it."""
    if row.kind == "constant":
        if not row.is_learned_constant(is_frozen=is_frozen, was_variable=_was_variable(body, node)):
            return "constant"
    elif (row.shape == () and row.role == "counter") or not row.holds_weights(
        is_weight=bool(row.uses) and row.uses[0].relevance is Relevance.WEIGHT
    ):
        return "state"
    return "" if is_needed else "unused"


def _was_variable(body: Body, node: NodeDef) -> bool:
    """Return whether a constant was a variable before freezing: an Identity named like a read of a variable uses it."""
    return any(
        user.node.op == "Identity" and (user.node.name == f"{node.name}/read" or "ReadVariableOp" in user.node.name)
        for user in body.users(node.name)[:_MAX_READS]
    )


_MAX_READS = 8


def _dequantize(row: Weight, constants: QuantizedConstants) -> Weight:
    """Return the weight that a constant of quantized values represents.

    If it does not represent one, return the row of the constant, with the reason if it is known.
    """
    quantized, read = constants.weights.get(row.name), row.reader
    if quantized is None:
        return replace(row, problem=problem) if (problem := constants.problems.get(row.name)) else row
    dequantize = None if read is None else lambda: quantized.dequantize(read())
    return replace(row, name=quantized.name, quantized=quantized, reader=dequantize)


def _variable_values(source: ModelSource, tensors: CheckpointTensors) -> VariableValues:
    try:
        return tensors.values_of(source)
    except FreezeError as error:  # from code shared with freezing: the graph is inconsistent
        raise GraphError(str(error)) from error


def _constant(
    node: NodeDef, source: ModelSource, uses_of: Callable[[Shape | None], Sequence[Use]], order: Iterator[int]
) -> Weight:
    try:
        tensor = attr(node, "value", TensorProto)
    except GraphError:
        raise GraphError(f"{_node_text(node)} has no value") from None
    try:
        head = read_header(tensor)
    except TensorError as error:
        raise TensorError(f"{_node_text(node)}: {error}") from error

    def read() -> npt.NDArray[Any]:
        from ..values.tensors import to_ndarray  # imports numpy

        with source.naming():
            try:
                return to_ndarray(tensor)
            except TensorError as error:
                raise TensorError(f"{_node_text(node)}: {error}") from error

    dtype, shape, uses = dtype_name(dtype_of(head.dtype).number), head.shape, uses_of(head.shape)
    place = next(order)
    if head.is_filled:
        return Weight(node.name, "constant", dtype, shape, head.size, uses, order=place, missing=_FILLED)
    return Weight(node.name, "constant", dtype, shape, head.size, uses, order=place, reader=read)


def _variable(node: NodeDef, values: VariableValues | None, tensors: CheckpointTensors | None) -> Weight:
    dtype = node.attr["dtype"].type if "dtype" in node.attr else None
    if dtype is None:
        raise GraphError(f"{_node_text(node)} has no type")
    try:
        number = dtype_of(dtype).number
    except TensorError as error:
        raise GraphError(f"{_node_text(node)}: {error}") from error
    declared = node.attr["shape"].shape if "shape" in node.attr else None
    shape = read_shape(declared) if declared is not None else None
    if shape == () and node.op in EMPTY_IS_UNKNOWN:
        shape = None
    stored = values.find(node.name) if values is not None else None
    if stored is None or tensors is None:
        missing = NO_CHECKPOINT if tensors is None else NOT_IN_CHECKPOINT
        size = byte_size(number, shape)
        return Weight(node.name, "variable", dtype_name(number), shape, size, missing=missing)
    if problem := stored.mismatch(number, shape):
        raise CheckpointError(with_name(tensors.name, f"{_node_text(node)} {problem}"))
    return _with_tensor(Weight(node.name, "variable", dtype_name(number), stored.shape, stored.size), tensors, stored)


def _checkpoint_tensor(tensors: CheckpointTensors, key: str, names: set[str]) -> Weight:
    """Return the row of a checkpoint tensor that belongs to no variable."""
    stored = tensors.tensor(key)
    name = tensors.name_of(key)
    if name in names:
        name = key
    names.add(name)
    row = Weight(name, "tensor", dtype_name(stored.dtype), stored.shape, stored.size)
    if (origin := tensors.origin(key)) is not None:
        uses = (Use(origin.layer, origin.class_name, origin.role, relevance=Relevance.WEIGHT),)
        row = replace(row, uses=uses, purpose=origin.purpose)
    return _with_tensor(row, tensors, stored)


def _with_tensor(row: Weight, tensors: CheckpointTensors, stored: StoredTensor) -> Weight:
    return replace(row, key=stored.key, reader=lambda: tensors.read(stored))


def _node_text(node: NodeDef) -> str:
    return f'{node.op} "{escape(node.name)}"'
