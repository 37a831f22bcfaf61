"""Sums of products with constant matrices.

Split(Add(MatMul(Concat(x, h), W), b))[1]  ->  x @ W[:3, 4:8] + h @ W[3:, 4:8] + b[4:8]
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..conversion.model import Array, OnnxGraph, OnnxNode, Value


@dataclass(frozen=True)
class Affine:
    """A sum: each value in `terms` times its matrix, a bias, and the values in `rest` as they are."""

    terms: dict[Value, Array] = field(default_factory=dict)
    bias: Array = field(default_factory=lambda: np.zeros((), np.float32))
    rest: tuple[Value, ...] = ()

    @property
    def width(self) -> int:
        """The number of columns, 0 if it is not known."""
        return max((matrix.shape[1] for matrix in self.terms.values()), default=0)

    def plus(self, other: Affine) -> Affine:
        terms = dict(self.terms)
        for value, matrix in other.terms.items():
            terms[value] = terms[value] + matrix if value in terms else matrix
        return Affine(terms, self.bias + other.bias, self.rest + other.rest)

    def columns(self, start: int, stop: int) -> Affine | None:
        """Return some columns; None if they are not known."""
        if self.rest or not self.terms:
            return None
        bias = self.bias[start:stop] if self.bias.size > 1 else self.bias
        return Affine({value: matrix[:, start:stop] for value, matrix in self.terms.items()}, bias)


def source(value: Value) -> Value:
    """Follow a value back through nodes that pass it on."""
    while value.producer is not None and value.producer.op == "Identity":
        value = operand(value.producer, 0)
    return value


def operand(node: OnnxNode, index: int) -> Value:
    value = node.inputs[index]
    assert value is not None
    return value


class Step:
    """The values of one round of a loop."""

    def __init__(self, body: OnnxGraph) -> None:
        self.own = {value for node in body.nodes for value in node.outputs}
        self._affine: dict[Value, Affine] = {}

    def node(self, value: Value, *ops: str) -> OnnxNode | None:
        """Return the node that computes a value in the round, if it has one of these operators."""
        value = source(value)
        node = value.producer
        return node if node is not None and value in self.own and node.op in ops else None

    def affine(self, value: Value) -> Affine:
        """Return a value as a sum, if need be of itself alone."""
        value = source(value)
        if value not in self._affine:
            self._affine[value] = self._sum(value) or Affine(rest=(value,))
        return self._affine[value]

    def gate(self, value: Value) -> tuple[str, Affine] | None:
        """Return a value as an activation of a sum."""
        node = self.node(value, "Sigmoid", "Tanh", "Relu", "Split")
        if node is None:
            return None
        if node.op != "Split":
            return node.op, self.affine(operand(node, 0))
        whole = self.gate(operand(node, 0))
        part = None if whole is None else _part(node, source(value), whole[1])
        return None if whole is None or part is None else (whole[0], part)

    def _sum(self, value: Value) -> Affine | None:
        array = value.data
        if array is not None:
            return Affine(bias=array.reshape(-1) if array.size > 1 else array.reshape(())) if _is_row(array) else None
        node = self.node(value, "Add", "MatMul", "Gemm", "Split")
        if node is None:
            return None
        if node.op == "Add":
            return self.affine(operand(node, 0)).plus(self.affine(operand(node, 1)))
        if node.op == "Split":
            return _part(node, value, self.affine(operand(node, 0)))
        return self._product(node)

    def _product(self, node: OnnxNode) -> Affine | None:
        matrix = source(operand(node, 1)).data
        attributes = node.attributes
        if matrix is None or matrix.ndim != 2 or attributes.get("transA", 0) or attributes.get("alpha", 1) != 1:
            return None
        if attributes.get("transB", 0):
            matrix = matrix.T
        terms: dict[Value, Array] = {}
        for value, (start, stop) in self._pieces(operand(node, 0), matrix.shape[0]):
            rows = matrix[start:stop]
            terms[value] = terms[value] + rows if value in terms else rows
        if not terms:
            return None
        if len(node.inputs) < 3 or node.inputs[2] is None:
            return Affine(terms)
        bias = source(operand(node, 2)).data
        if bias is None or not _is_row(bias) or attributes.get("beta", 1) != 1:
            return None
        return Affine(terms, bias.reshape(-1))

    def _pieces(self, value: Value, size: int) -> list[tuple[Value, tuple[int, int]]]:
        """Return the values that are joined to one, with their columns; nothing if these are not known."""
        node = self.node(value, "Concat")
        if node is None or node.attributes["axis"] not in (1, -1):
            return [(source(value), (0, size))]
        parts = [operand(node, index) for index in range(len(node.inputs))]
        widths = [part.shape[-1] if part.shape else None for part in parts]
        if widths.count(None) == 1:
            widths[widths.index(None)] = size - sum(width or 0 for width in widths)
        ends = np.cumsum([width or 0 for width in widths]).tolist()
        if None in widths or ends[-1] != size:
            return []
        return [(source(part), (start, stop)) for part, start, stop in zip(parts, [0, *ends], ends, strict=False)]


def _is_row(array: Array) -> bool:
    return array.size == max(array.shape, default=1) and array.ndim < 3 and array.shape[:-1] in ((), (1,))


def _part(node: OnnxNode, value: Value, whole: Affine) -> Affine | None:
    """Return one of the parts into which a sum is split."""
    if node.attributes.get("axis", 0) not in (1, -1) or not whole.width:
        return None
    sizes = [whole.width // len(node.outputs)] * len(node.outputs)
    if len(node.inputs) > 1 and (given := operand(node, 1).data) is not None:
        sizes = given.tolist()
    place = node.outputs.index(value)
    return whole.columns(sum(sizes[:place]), sum(sizes[: place + 1])) if sum(sizes) == whole.width else None
