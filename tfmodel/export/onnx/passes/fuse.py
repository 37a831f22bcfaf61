"""Join nodes of which the first has no other consumer.

Conv, Add of one number a channel      ->  Conv with a bias
MatMul of matrices, Add of a row       ->  Gemm
Pad with zeros, Conv                   ->  Conv with pads
Transpose, Transpose                   ->  one Transpose, or none
Cast, Cast from sizes                  ->  one Cast
Max of x and 0.2 * x                   ->  LeakyRelu
"""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

import numpy as np

from ....messages import DataType
from ..conversion.model import Initializers, OnnxGraph, OnnxNode, Value
from .uses import count_uses, replace_values

_GEMM_TYPES = (DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_HALF)


def fuse(graph: OnnxGraph, initializers: Initializers) -> None:
    """Join nodes of a graph and of the graphs inside of it."""
    uses = count_uses(graph)
    for each in graph.walk():
        new: dict[Value, Value] = {}
        fusion = _Fusion(each, uses, initializers, new)
        for node in each.nodes:
            node.inputs = [None if value is None else _final(value, new) for value in node.inputs]
            fusion.visit(node)
        replace_values(each, new)


def _final(value: Value, new: dict[Value, Value]) -> Value:
    while value in new:
        value = new[value]
    return value


def _constant_pads(pad: OnnxNode, turned: OnnxNode | None) -> list[int] | None:
    """Return how much a Pad adds before and behind each axis of what comes out of a Transpose behind it.

    None unless these are constants, the filler is zero, and batch and channels stay as they are.
    """
    sizes, filler = pad.inputs[1], pad.inputs[2] if len(pad.inputs) > 2 else None
    if sizes is None or sizes.data is None or (filler is not None and (filler.data is None or filler.data.any())):
        return None
    listed = [int(size) for size in sizes.data]
    rank = len(listed) // 2
    order: Any = range(rank) if turned is None else turned.attributes["perm"]
    listed = [listed[axis] for axis in order] + [listed[rank + axis] for axis in order]
    is_spatial = not any(listed[axis] or listed[rank + axis] for axis in (0, 1))
    return listed if is_spatial and min(listed) >= 0 else None


class _Fusion:
    """One walk over a graph. Nodes that are joined stay in the list until unused ones are removed."""

    def __init__(
        self, graph: OnnxGraph, uses: Counter[Value], initializers: Initializers, new: dict[Value, Value]
    ) -> None:
        self.own = {value for node in graph.nodes for value in node.outputs}
        self.outputs = set(graph.outputs)
        self.uses = uses
        self.initializers = initializers
        self.new = new
        self.rules: dict[str, Any] = {
            "Add": self._bias,
            "Conv": self._padding,
            "AveragePool": self._padding,
            "MaxPool": self._padding,
            "Concat": self._joins,
            "Transpose": self._transposes,
            "Cast": self._casts,
            "Identity": self._identity,
            "Max": self._leaky,
            "MatMul": self._flattening,
            "Gemm": self._flattening,
        }

    def visit(self, node: OnnxNode) -> None:
        if (rule := self.rules.get(node.op)) is not None:
            rule(node)

    def _producer(self, value: Value | None, op: str, *, alone: bool = True) -> OnnxNode | None:
        """Return the node of this graph that makes a value for one consumer, if it has this operator."""
        if value is None or value.producer is None or value not in self.own or value.producer.op != op:
            return None
        return value.producer if not alone or self.uses[value] == 1 else None

    def _bias(self, node: OnnxNode) -> None:
        for place in (0, 1):
            x, bias = node.inputs[place], node.inputs[1 - place]
            if x is None or bias is None:
                continue
            for op in ("Conv", "ConvTranspose"):
                producer = self._producer(x, op)
                if (
                    producer is not None
                    and len(producer.inputs) == 2
                    and self._add_to_convolution(node, producer, bias)
                ):
                    return
            producer = self._producer(x, "MatMul")
            if producer is not None and self._gemm(node, producer, bias):
                return

    def _add_to_convolution(self, node: OnnxNode, convolution: OnnxNode, bias: Value) -> bool:
        """Give a convolution its bias: a constant of one number, or of one for each channel."""
        shape, weights = convolution.outputs[0].shape, convolution.inputs[1]
        if bias.data is None or shape is None or weights is None or weights.shape is None:
            return False
        group: Any = convolution.attributes.get("group", 1)
        channels = weights.shape[0] if convolution.op == "Conv" else (weights.shape[1] or 0) * group
        sizes = [1] * (len(shape) - bias.data.ndim) + list(bias.data.shape)
        if len(sizes) != len(shape) or any(size != 1 for axis, size in enumerate(sizes) if axis != 1):
            return False
        if channels is None or sizes[1] not in (1, channels):
            return False
        vector = np.ascontiguousarray(np.broadcast_to(bias.data.reshape(-1), (channels,)))
        convolution.inputs.append(self.initializers.value(vector, bias.dtype, bias.name))
        self._take_over(node, convolution)
        return True

    def _gemm(self, node: OnnxNode, product: OnnxNode, bias: Value) -> bool:
        """Join a product of matrices with what is added to each of its rows."""
        a, b = product.inputs
        if a is None or b is None or a.rank != 2 or b.rank != 2 or a.dtype not in _GEMM_TYPES:
            return False
        width = b.shape[1] if b.shape is not None else None
        if width is None or bias.shape not in ((), (1,), (width,), (1, 1), (1, width)):
            return False
        if bias.data is None and not self._is_early(bias, product):
            return False
        product.op = "Gemm"
        product.inputs.append(bias)
        for place, name in enumerate(("transA", "transB")):
            turned = self._producer(product.inputs[place], "Transpose")
            if turned is not None and turned.attributes.get("perm") == [1, 0]:
                product.inputs[place] = turned.inputs[0]
                product.attributes[name] = 1
        self._take_over(node, product)
        return True

    def _is_early(self, value: Value, node: OnnxNode) -> bool:
        """Return whether a computed value is there before a node of this graph runs: one of an outer graph is."""
        return value not in self.own and value.producer is not None

    def _take_over(self, node: OnnxNode, producer: OnnxNode) -> None:
        """Let the consumers of a node take the result of its producer, which now computes the same."""
        old, value = node.outputs[0], producer.outputs[0]
        value.name, value.shape, value.order = old.name or value.name, old.shape or value.shape, old.order
        self.uses[value] = self.uses[old]
        self.new[old] = value

    def _padding(self, node: OnnxNode) -> None:
        """Let a convolution or pool pad by itself.

        An average pool must then count the padding. A maximum is not changed by zeros if no element is negative.
        """
        turned = self._producer(node.inputs[0], "Transpose")
        pad = self._producer(turned.inputs[0] if turned is not None else node.inputs[0], "Pad")
        if pad is None or pad.attributes.get("mode", "constant") != "constant" or "auto_pad" in node.attributes:
            return
        listed = _constant_pads(pad, turned)
        if listed is None or (node.op == "MaxPool" and not self._is_positive(pad.inputs[0])):
            return
        rank = len(listed) // 2
        own: Any = node.attributes.get("pads", [0] * 2 * (rank - 2))
        spatial = listed[2:rank] + listed[rank + 2 :]
        kernel: Any = node.attributes["kernel_shape"]
        if node.op != "Conv" and any(size >= kernel[axis % (rank - 2)] for axis, size in enumerate(spatial)):
            return
        if node.op == "AveragePool":
            if any(own):
                return
            node.attributes["count_include_pad"] = 1
        node.attributes["pads"] = [a + b for a, b in zip(own, spatial, strict=True)]
        (turned if turned is not None else node).inputs[0] = pad.inputs[0]

    def _is_positive(self, value: Value | None) -> bool:
        """Return whether a value has no negative elements."""
        if value is None or value.producer is None:
            return False
        low = value.producer.inputs[1] if value.producer.op == "Clip" and len(value.producer.inputs) > 1 else None
        return value.producer.op == "Relu" or (low is not None and low.data is not None and low.data.min() >= 0)

    def _leaky(self, node: OnnxNode) -> None:
        """A maximum of a value and a part of it."""
        if len(node.inputs) != 2 or node.outputs[0].dtype != DataType.DT_FLOAT:
            return
        for x, scaled in (node.inputs, node.inputs[::-1]):
            product = self._producer(scaled, "Mul")
            for value, factor in (product.inputs, product.inputs[::-1]) if product is not None else ():
                data = None if factor is None else factor.data
                if x is not None and value is x and data is not None and data.ndim == 0 and 0 < data <= 1:
                    self.uses[x] -= 1
                    node.op, node.inputs, node.attributes = "LeakyRelu", [x], {"alpha": float(data)}
                    return

    def _joins(self, node: OnnxNode) -> None:
        """Join what was joined along the same axis before."""
        parts: list[Value | None] = []
        for value in node.inputs:
            inner = self._producer(value, "Concat")
            same = inner is not None and inner.attributes["axis"] == node.attributes["axis"]
            parts += inner.inputs if inner is not None and same else [value]
        node.inputs = parts

    def _transposes(self, node: OnnxNode) -> None:
        inner = self._producer(node.inputs[0], "Transpose", alone=False)
        if inner is None:
            return
        outer_order: Any = node.attributes["perm"]
        inner_order: Any = inner.attributes["perm"]
        order = [inner_order[axis] for axis in outer_order]
        source = inner.inputs[0]
        assert source is not None
        if order == list(range(len(order))) and node.outputs[0] not in self.outputs:
            self.new[node.outputs[0]] = source
        else:
            node.attributes["perm"] = order
            self._move_use(node, source)

    def _identity(self, node: OnnxNode) -> None:
        """A node that only gave a value another name or order of axes. Outputs keep their names."""
        source, value = node.inputs[0], node.outputs[0]
        if source is None:
            return
        if value not in self.outputs:
            self.new[value] = source
        elif source in self.own and source not in self.outputs:
            source.name, source.shape = value.name, value.shape
            self.new[value] = source

    def _casts(self, node: OnnxNode) -> None:
        """A Cast of a Cast that loses nothing: int32 to int64, bool to any number."""
        inner = self._producer(node.inputs[0], "Cast", alone=False)
        if inner is None or inner.inputs[0] is None:
            return
        source, middle = inner.inputs[0], inner.outputs[0]
        is_exact = source.dtype == DataType.DT_BOOL or (source.dtype, middle.dtype) == (
            DataType.DT_INT32,
            DataType.DT_INT64,
        )
        if is_exact and node.outputs[0].dtype not in (DataType.DT_BOOL, DataType.DT_STRING):
            self._move_use(node, source)

    def _flattening(self, node: OnnxNode) -> None:
        """A product with what was flattened from a transposed tensor: let the weights have the other order of rows."""
        reshape = self._producer(node.inputs[0], "Reshape")
        turned = None if reshape is None else self._producer(reshape.inputs[0], "Transpose")
        weights, sizes = node.inputs[1], None if reshape is None else reshape.inputs[1]
        if reshape is None or turned is None or weights is None or weights.data is None or sizes is None:
            return
        source = turned.inputs[0]
        order: Any = turned.attributes["perm"]
        kept: Any = None if source is None or source.shape is None else source.shape[1:]
        rows = weights.data.shape[0]
        if sizes.data is None or len(sizes.data) != 2 or kept is None or None in kept or rows != prod(kept):
            return
        if order[0] != 0 or weights.rank != 2 or node.attributes.get("transB") or node.attributes.get("transA"):
            return
        parts = weights.data.reshape([*(kept[axis - 1] for axis in order[1:]), -1])
        back = [order[1:].index(axis) for axis in range(1, len(order))]
        moved = parts.transpose([*back, len(back)]).reshape(rows, -1)
        node.inputs[1] = self.initializers.value(moved, weights.dtype, weights.name)
        reshape.inputs[0] = source
        reshape.inputs[1] = self.initializers.value(np.array([sizes.data[0], rows], np.int64), DataType.DT_INT64)

    def _move_use(self, node: OnnxNode, source: Value) -> None:
        old = node.inputs[0]
        assert old is not None
        self.uses[old] -= 1
        self.uses[source] += 1
        node.inputs[0] = source
