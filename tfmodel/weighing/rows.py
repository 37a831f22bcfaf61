"""The rows of `weights`: every constant and variable of a graph, and the tensors of a checkpoint that are left over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from ..dtypes import dtype_name, dtype_of
from ..errors import CheckpointError, FreezeError, GraphError, TensorError
from ..messages import NodeDef
from ..ops.registry import registry
from ..ops.state import VARIABLES
from ..printable import printable
from ..source import ModelSource
from .constants import bytes_of, head_of, shape_of
from .quantized import Found, find_quantized
from .uses import Uses
from .weight import NO_CHECKPOINT, Weight
from .wiring import Wiring

if TYPE_CHECKING:
    import numpy.typing as npt

    from .variables import Places, Stored, Tensors

__all__ = ["rows_of"]

_FILLED = "too large for a few values that repeat"
_NOT_THERE = "not in the checkpoint"


def rows_of(source: ModelSource, *, as_stored: bool) -> Iterator[Weight]:
    """All rows, in the order of the file. With `as_stored`, codes and their ranges are what they are, and no weights.

    Raises GraphError, TensorError, CheckpointError and DecodeError.
    """
    taken: set[str] = set()
    names: set[str] = set()
    tensors = None
    if source.checkpoint is not None:
        from .variables import Tensors

        tensors = Tensors(source.checkpoint)
    order = count()
    for row in _of_graph(source, tensors, order, as_stored) if source.has_graph else ():
        names.add(row.name)
        taken.update([row.key] if row.key is not None else [])
        yield row
    for key in tensors or ():
        if key not in taken and tensors is not None:
            yield replace(_of_tensor(tensors, key, names), order=next(order))


def _of_graph(source: ModelSource, tensors: Tensors | None, order: Iterator[int], as_stored: bool) -> Iterator[Weight]:
    wiring = Wiring(source.graph)
    ops = registry(source.meta or source.graph)
    uses = Uses(wiring, ops)
    places: Places | None = None
    for body in wiring.bodies:
        codes = Found() if as_stored else find_quantized(body, ops)
        for node in body.nodes.values():
            if node.op == "Const" and node.name not in codes.ranges:
                row = _decoded(_constant(node, source), codes)
            elif node.op in VARIABLES:
                if places is None and tensors is not None and not body.name:
                    places = _places(source, tensors)
                row = _variable(node, None if body.name else places, tensors)
            else:
                continue
            name = f"{body.name}/{row.name}" if body.name else row.name
            found = uses.of(body, node.name, row.shape)
            yield replace(row, name=name, function=body.name, uses=found, order=next(order))


def _decoded(row: Weight, codes: Found) -> Weight:
    """The weight that a constant of codes is, if it is one; what it is not, if that is known."""
    quantized, read = codes.weights.get(row.name), row.read
    if quantized is None:
        return replace(row, problem=problem) if (problem := codes.problems.get(row.name)) else row
    floats = None if read is None else lambda: quantized.floats(read())
    return replace(row, name=quantized.name, quantized=quantized, read=floats)


def _places(source: ModelSource, tensors: Tensors) -> Places:
    from .variables import Places

    try:
        return Places(source.graph, source.meta, tensors)
    except FreezeError as error:  # of code that is shared with freezing: the graph contradicts itself
        raise GraphError(str(error)) from error


def _constant(node: NodeDef, source: ModelSource) -> Weight:
    value = node.attr.get("value")
    tensor = value.tensor if value is not None else None
    if tensor is None:
        raise GraphError(f"{_called(node)} has no value")
    try:
        head = head_of(tensor)
    except TensorError as error:
        raise TensorError(f"{_called(node)}: {error}") from error

    def read() -> npt.NDArray[Any]:
        from ..tensors import to_ndarray

        with source.naming():
            try:
                return to_ndarray(tensor)
            except TensorError as error:
                raise TensorError(f"{_called(node)}: {error}") from error

    name = dtype_name(dtype_of(head.dtype).number)
    if head.is_filled:
        return Weight(node.name, "constant", name, head.shape, head.size, missing=_FILLED)
    return Weight(node.name, "constant", name, head.shape, head.size, read=read)


def _variable(node: NodeDef, places: Places | None, tensors: Tensors | None) -> Weight:
    dtype = node.attr["dtype"].type if "dtype" in node.attr else None
    if dtype is None:
        raise GraphError(f"{_called(node)} has no type")
    try:
        number = dtype_of(dtype).number
    except TensorError as error:
        raise GraphError(f"{_called(node)}: {error}") from error
    declared = node.attr["shape"].shape if "shape" in node.attr else None
    shape = shape_of(declared) if declared is not None else None
    if shape == () and node.op == "Variable":
        shape = None  # so the first op says that it does not know
    stored = places.of(node.name) if places is not None else None
    if stored is None or tensors is None:
        missing = NO_CHECKPOINT if tensors is None else _NOT_THERE
        size = bytes_of(number, shape)
        return Weight(node.name, "variable", dtype_name(number), shape, size, missing=missing)
    from .variables import misfit

    if problem := misfit(stored, number, shape):
        raise CheckpointError(f"{tensors.name}: {_called(node)} {problem}")
    return _with_tensor(Weight(node.name, "variable", dtype_name(number), stored.shape, stored.size), tensors, stored)


def _of_tensor(tensors: Tensors, key: str, names: set[str]) -> Weight:
    """A tensor of the checkpoint that no variable was found for."""
    from ..freezing.restoring import Place

    stored = tensors.stored(Place(key))
    name = tensors.name_of(key)
    if name in names:
        name = key
    names.add(name)
    row = Weight(name, "tensor", dtype_name(stored.dtype), stored.shape, stored.size)
    return _with_tensor(row, tensors, stored)


def _with_tensor(row: Weight, tensors: Tensors, stored: Stored) -> Weight:
    return replace(row, key=stored.key, read=lambda: tensors.read(stored))


def _called(node: NodeDef) -> str:
    return f'{node.op} "{printable(node.name)}"'
