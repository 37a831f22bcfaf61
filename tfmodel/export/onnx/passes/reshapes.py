"""Sizes that are unknown but equal: reshape by constants, once, or not at all.

    Reshape(x, Concat(Gather(Shape(x), [0]), [-1, 12, 64]))                     Reshape(x, [0, -1, 12, 64])
    Reshape(MatMul(Reshape(x, [-1, 768]), w), Concat(Shape(x)[:2], [3072]))     MatMul(x, w)

What is known about sizes is in `conversion.sizes`.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ....messages import DataType
from ..conversion.model import Initializers, OnnxGraph, OnnxNode, Value
from ..conversion.sizes import Elements, Open, Shape, Sizes


def simplify_reshapes(graph: OnnxGraph, initializers: Initializers) -> None:
    """Rewrite the Reshapes of a graph and of the graphs inside of it, and products of flattened tensors."""
    _Reshaping(graph, initializers).visit(graph)


class _Reshaping:
    """One walk over a graph in the order of its execution, with what is known about all values so far."""

    def __init__(self, graph: OnnxGraph, initializers: Initializers) -> None:
        self.initializers = initializers
        self.known = Sizes()
        self.users: defaultdict[Value, list[OnnxNode]] = defaultdict(list)
        self.outputs: set[Value] = set()
        for each in graph.walk():
            self.outputs.update(each.outputs)
            for node in each.nodes:
                for value in node.inputs:
                    if value is not None:
                        self.users[value].append(node)

    def visit(self, graph: OnnxGraph) -> None:
        for node in graph.nodes:
            if node.op == "Reshape":
                self._reshape(node)
            elif node.op == "MatMul":
                self._product(node)
            for inner in node.graphs:
                self.visit(inner)
            self.known.learn(node)

    def _reshape(self, node: OnnxNode) -> None:
        """Remove a Reshape to the sizes that a tensor has; join two; write sizes as constants where they can be."""
        source, sizes = node.inputs[0], self.known.resolved(node)
        if source is None or sizes is None:
            return
        asked = self.known.elements(node.inputs[1]) or ()
        for origin in (_unshaped(source), source):
            shape = self.known.shape(origin)
            if sizes == shape:
                node.op, node.inputs, node.attributes = "Identity", [origin], {}
                return
            written = None if shape is None else _written(sizes, shape, asked)
            if written is not None:
                node.attributes.pop("allowzero", None)
                node.inputs = [origin, self.initializers.value(np.array(written, np.int64), DataType.DT_INT64)]
                return

    def _product(self, node: OnnxNode) -> None:
        """Multiply a tensor without flattening it to a matrix, if what comes out is given other sizes anyway."""
        flat, weights = node.inputs[0], self.known.shape(node.inputs[1])
        reshape = flat.producer if flat is not None else None
        if reshape is None or reshape.op != "Reshape" or weights is None or len(weights) != 2:
            return
        (source, sizes), product = map(self.known.shape, (reshape.inputs[0], flat)), node.outputs[0]
        users = self.users[product]
        if source is None or len(source) < 3 or sizes is None or len(sizes) != 2 or sizes[1] != source[-1]:
            return
        if product in self.outputs or any(user.op != "Reshape" or user.inputs[0] is not product for user in users):
            return
        node.inputs[0] = reshape.inputs[0]
        product.shape = tuple(None if isinstance(size, Open) else size for size in (*source[:-1], weights[1]))
        self.known.shapes.pop(product, None)


def _unshaped(value: Value) -> Value:
    """Return what a value is a Reshape of."""
    while value.producer is not None and value.producer.op in ("Reshape", "Identity"):
        source = value.producer.inputs[0]
        if source is None:
            break
        value = source
    return value


def _written(sizes: Shape, source: Shape, asked: Elements) -> list[int] | None:
    """Return sizes as a Reshape of a tensor has them: 0 for one that is copied, -1 for one other open one.

    If a copied size is zero, another one can be -1 only if TensorFlow cannot infer it either.
    """
    written = [
        (0 if source[place : place + 1] == (size,) else -1) if isinstance(size, Open) else size
        for place, size in enumerate(sizes)
    ]
    rest = [place for place, size in enumerate(written) if size == -1]
    if 0 in sizes or len(rest) > 1 or (rest and 0 in written and asked[rest[0]] != -1):
        return None
    return written
