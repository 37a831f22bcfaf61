"""Find out by our own kernels what an op does to its elements.

An op that only moves elements, or that is linear, is written as a Gather or a product with a constant: its kernel, run
on the numbers of places or on an identity matrix, gives the places or the matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ....kernels.runtime import evaluate
from ....messages import AttrValue, DataType, NodeDef
from . import operators

if TYPE_CHECKING:
    from .call import Call
    from .model import Array, Value


def probe(call: Call, inputs: Sequence[Array], **types: DataType) -> Array:
    """Return output 0 of the node for other inputs; `types` are the type attributes that these need."""
    node = call.node
    attributes = {**node.attr, **{name: AttrValue(type=dtype) for name, dtype in types.items() if name in node.attr}}
    found, *_ = evaluate(NodeDef(name=node.name, op=node.op, input=node.input, attr=attributes), list(inputs))
    return np.asarray(found)


def moved(call: Call, pieces: Sequence[tuple[Value, int]], places: Array, filler: Value | None = None) -> Value:
    """Return elements of some values, each joined from a number of its last dimensions, in the shape of `places`.

    A place counts the elements of these dimensions of all values, from 1. A place of 0 is the filler, which is needed
    if there is one. The dimensions before are the same in all values, and stay.
    """
    flat = [_flat(call, value, count) for value, count in pieces]
    joined = call.add("Concat", *flat, axis=-1) if len(flat) > 1 else flat[0]
    taken = call.add("Gather", joined, call.const(np.maximum(places, 1) - 1), axis=-1)
    if filler is None or places.all():
        return taken
    return operators.where(call, call.const(places > 0, operators.BOOL), taken, filler)


def _flat(call: Call, value: Value, count: int) -> Value:
    """Join the last dimensions of a value, of known sizes."""
    if count == 1:
        return value
    shape = value.shape
    assert shape is not None
    before, inner = shape[: len(shape) - count], prod(size or 0 for size in shape[len(shape) - count :])
    if sum(size is None for size in before) <= 1:
        return operators.reshape(call, value, [-1 if size is None else size for size in before] + [inner])
    sizes = operators.join(call, operators.shape_of(call, value, 0, len(before)), call.const([inner]))
    return call.add("Reshape", value, sizes)
