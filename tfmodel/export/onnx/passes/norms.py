"""Layer normalization, which TensorFlow writes as a dozen ops, as one node.

    (x - mean) / sqrt(variance + epsilon) * scale + offset          with a division or a Reciprocal, in two orders:
    x * factor + (offset - mean * factor)                           factor = scale / sqrt(variance + epsilon)

The mean and the variance are over the last axes. LayerNormalization is an operator of opset 17.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ....messages import DataType
from ..conversion.model import OnnxGraph, OnnxNode, Value

OPSET = 17
"""The first opset that has the operator."""


class _Normalized(NamedTuple):
    """x, normalized over the axes from `axis` on."""

    x: Value
    axis: int
    epsilon: float


def join_layer_norms(graph: OnnxGraph) -> None:
    """Put LayerNormalization in place of the last node of each; what it no longer needs is unused then."""
    for each in graph.walk():
        for node in each.nodes:
            if node.op == "Add" and node.outputs[0].dtype == DataType.DT_FLOAT:
                _join(node)


def _join(node: OnnxNode) -> None:
    for normalized, scale, offset in (*_scaled_after(node), *_scaled_before(node)):
        sizes = (normalized.x.shape or ())[normalized.axis :]
        if sizes and scale.shape == offset.shape == sizes and None not in sizes:
            node.op = "LayerNormalization"
            node.inputs = [normalized.x, scale, offset]
            node.attributes = {"axis": -len(sizes), "epsilon": normalized.epsilon}
            return


def _scaled_after(node: OnnxNode) -> Iterator[tuple[_Normalized, Value, Value]]:
    """Yield the parts of n * scale + offset."""
    for product, offset in _pairs(node, "Add"):
        for quotient, scale in _pairs(product.producer, "Mul"):
            for centred, factor in _quotients(quotient):
                parts = _difference(centred)
                if parts is not None and (found := _normalized(factor, *parts)) is not None:
                    yield found, scale, offset


def _quotients(value: Value) -> Iterator[tuple[Value, Value]]:
    """Yield what is divided and the deviation that it is divided by."""
    node = value.producer
    if node is not None and node.op == "Div" and node.inputs[0] is not None and node.inputs[1] is not None:
        yield node.inputs[0], node.inputs[1]
    for factor, other in _pairs(node, "Mul"):
        if (deviation := _input(factor, "Reciprocal")) is not None:
            yield other, deviation


def _scaled_before(node: OnnxNode) -> Iterator[tuple[_Normalized, Value, Value]]:
    """Yield the parts of x * factor + (offset - mean * factor)."""
    for product, rest in _pairs(node, "Add"):
        difference = _difference(rest)
        if difference is None:
            continue
        offset, shift = difference
        for x, factor in _pairs(product.producer, "Mul"):
            for mean, same in _pairs(shift.producer, "Mul"):
                if same is not factor:
                    continue
                for inverse, scale in _pairs(factor.producer, "Mul"):
                    deviation = _input(inverse, "Reciprocal")
                    if deviation is not None and (found := _normalized(deviation, x, mean)) is not None:
                        yield found, scale, offset


def _normalized(deviation: Value, x: Value, mean: Value) -> _Normalized | None:
    """Return what sqrt(variance + epsilon) belongs to, if these are the mean and variance of x over its last axes."""
    total = _input(deviation, "Sqrt")
    axis = _first_axis(mean, x)
    if axis is None:
        return None
    for variance, epsilon in _pairs(None if total is None else total.producer, "Add"):
        if epsilon.data is None or epsilon.data.size != 1 or not _is_variance(variance, x, mean, axis):
            continue
        return _Normalized(x, axis, float(epsilon.data.item()))
    return None


def _is_variance(value: Value, x: Value, mean: Value, axis: int) -> bool:
    """Return whether a value is the mean of (x - mean)^2 over the axes from `axis` on."""
    square = _input(value, "ReduceMean")
    node = None if square is None else square.producer
    if node is None or square is None or _first_axis(value, square) != axis:
        return False
    factors = [*node.inputs]
    if node.op == "Pow" and factors[1] is not None and factors[1].data is not None and np.all(factors[1].data == 2):
        factors[1] = factors[0]
    elif node.op != "Mul":
        return False
    difference = None if factors[0] is None else _difference(factors[0])
    return factors[0] is factors[1] and difference is not None and {*difference} == {x, mean}


def _first_axis(mean: Value, x: Value) -> int | None:
    """Return the first axis of a mean of x over its last axes, all of which are kept."""
    node, rank = mean.producer, x.rank
    if node is None or node.op != "ReduceMean" or node.inputs[0] is not x or rank is None:
        return None
    axes: Any = node.attributes.get("axes")
    if len(node.inputs) > 1 and node.inputs[1] is not None:
        axes = node.inputs[1].data
    if axes is None or not node.attributes.get("keepdims", 1):
        return None
    places = sorted(int(axis) % rank for axis in axes)
    return places[0] if places and places == [*range(places[0], rank)] else None


def _pairs(node: OnnxNode | None, op: str) -> Iterator[tuple[Value, Value]]:
    """Yield the two inputs of a node with this operator, in both orders."""
    if node is not None and node.op == op and len(node.inputs) == 2:
        a, b = node.inputs
        if a is not None and b is not None:
            yield a, b
            yield b, a


def _difference(value: Value) -> tuple[Value, Value] | None:
    node = value.producer
    if node is None or node.op != "Sub" or node.inputs[0] is None or node.inputs[1] is None:
        return None
    return node.inputs[0], node.inputs[1]


def _input(value: Value, op: str) -> Value | None:
    """Return what a node with this operator computes a value from."""
    node = value.producer
    return node.inputs[0] if node is not None and node.op == op else None
