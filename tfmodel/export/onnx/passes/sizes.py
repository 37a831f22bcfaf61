"""Sizes that are unknown but equal: reshape by constants, once, or not at all.

    Reshape(x, Concat(Gather(Shape(x), [0]), [-1, 12, 64]))                     Reshape(x, [0, -1, 12, 64])
    Reshape(MatMul(Reshape(x, [-1, 768]), w), Concat(Shape(x)[:2], [3072]))     MatMul(x, w)

An unknown size is an object; equal sizes are the same object. Those of most operators follow from their inputs, and a
vector that is computed from shapes has such sizes as its elements.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ....messages import DataType
from ..conversion.model import Initializers, OnnxGraph, OnnxNode, Value


class Open:
    """An unknown size, equal to itself alone."""


Size: TypeAlias = "int | Open"
Sizes: TypeAlias = "tuple[Size, ...]"
Elements: TypeAlias = "tuple[Size | None, ...]"
"""Those of a vector; None for one that may be no size: -1 in the shape of a Reshape, say."""

_BROADCASTING = frozenset({
    "Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Min", "Mod", "Mul", "Or",
    "Pow", "Sub", "Sum", "Where", "Xor",
})  # fmt: skip
"""Operators whose result has the broadcast shape of all inputs."""

_SAME = frozenset({
    "Abs", "BatchNormalization", "Cast", "Ceil", "Clip", "Cos", "CumSum", "Elu", "Erf", "Exp", "Floor", "HardSigmoid",
    "Identity", "LayerNormalization", "LeakyRelu", "Log", "LogSoftmax", "Neg", "Not", "Reciprocal", "Relu", "Round",
    "Selu", "Sigmoid", "Sign", "Sin", "Softmax", "Softplus", "Softsign", "Sqrt", "Tanh", "ThresholdedRelu",
})  # fmt: skip
"""Operators whose first result has the shape of their first input."""

_MAX_ELEMENTS = 16
_INTEGERS = (DataType.DT_INT32, DataType.DT_INT64)


def name_sizes(graph: OnnxGraph, initializers: Initializers) -> None:
    """Rewrite the Reshapes of a graph and of the graphs inside of it, and products of flattened tensors."""
    _Naming(graph, initializers).visit(graph)


class _Naming:
    """One walk over a graph in the order of its execution, with the sizes and elements of all values so far."""

    def __init__(self, graph: OnnxGraph, initializers: Initializers) -> None:
        self.initializers = initializers
        self.shapes: dict[Value, Sizes] = {}
        self.vectors: dict[Value, Elements] = {}
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
            self._remember(node)

    # --- what is known -----------------------------------------------------------------------------------------------

    def shape(self, value: Value | None) -> Sizes | None:
        """Return the sizes of a value; None for an unknown rank."""
        if value is None:
            return None
        if value not in self.shapes and value.shape is not None:
            self.shapes[value] = tuple(Open() if size is None else size for size in value.shape)
        return self.shapes.get(value)

    def elements(self, value: Value | None) -> Elements | None:
        """Return the elements of a short vector of integers, or the one of a scalar; None for other values."""
        if value is None or value.dtype not in _INTEGERS:
            return None
        if value not in self.vectors:
            shape = self.shape(value)
            count = shape[0] if shape else 1
            if shape is None or len(shape) > 1 or isinstance(count, Open) or count > _MAX_ELEMENTS:
                return None
            data = value.data
            self.vectors[value] = (None,) * count if data is None else tuple(int(each) for each in data.ravel())
        return self.vectors[value]

    def _remember(self, node: OnnxNode) -> None:
        """Keep the sizes and the elements of the first result of a node."""
        result = node.outputs[0]
        rule = _SHAPES.get(node.op)
        computed, declared = rule(self, node) if rule is not None else None, self.shape(result)
        if computed is not None and (declared is None or len(declared) == len(computed)):
            pairs = zip(computed, declared or computed, strict=True)
            self.shapes[result] = tuple(
                known if isinstance(size, Open) and not isinstance(known, Open) else size for size, known in pairs
            )
        shape = self.shape(result)
        if result.dtype in _INTEGERS and node.op in _ELEMENTS and shape is not None and len(shape) <= 1:
            found = _ELEMENTS[node.op](self, node)
            if found is not None and len(found) <= _MAX_ELEMENTS:
                self.vectors[result] = found

    # --- what is rewritten -------------------------------------------------------------------------------------------

    def _reshape(self, node: OnnxNode) -> None:
        """Remove a Reshape to the sizes that a tensor has; join two; write sizes as constants where they can be."""
        source, sizes = node.inputs[0], self.resolved(node)
        if source is None or sizes is None:
            return
        asked = self.elements(node.inputs[1]) or ()
        for origin in (_unshaped(source), source):
            shape = self.shape(origin)
            if sizes == shape:
                node.op, node.inputs, node.attributes = "Identity", [origin], {}
                return
            written = None if shape is None else _written(sizes, shape, asked)
            if written is not None:
                node.attributes.pop("allowzero", None)
                node.inputs = [origin, self.initializers.value(np.array(written, np.int64), DataType.DT_INT64)]
                return

    def resolved(self, node: OnnxNode) -> Sizes | None:
        """Return the sizes that a Reshape gives, with what 0 and -1 in them stand for."""
        source, asked = self.shape(node.inputs[0]), self.elements(node.inputs[1])
        if asked is None:
            return None
        sizes = [Open() if size is None else size for size in asked]
        if not node.attributes.get("allowzero"):
            for place, size in enumerate(sizes):
                if size == 0:
                    sizes[place] = source[place] if source is not None and place < len(source) else Open()
        if -1 in sizes:
            place = sizes.index(-1)
            sizes[place] = _quotient(source, sizes[:place] + sizes[place + 1 :])
        return tuple(sizes)

    def _product(self, node: OnnxNode) -> None:
        """Multiply a tensor without flattening it to a matrix, if what comes out is given other sizes anyway."""
        flat, weights = node.inputs[0], self.shape(node.inputs[1])
        reshape = flat.producer if flat is not None else None
        if reshape is None or reshape.op != "Reshape" or weights is None or len(weights) != 2:
            return
        source, sizes, product = self.shape(reshape.inputs[0]), self.shape(flat), node.outputs[0]
        users = self.users[product]
        if source is None or len(source) < 3 or sizes is None or len(sizes) != 2 or sizes[1] != source[-1]:
            return
        if product in self.outputs or any(user.op != "Reshape" or user.inputs[0] is not product for user in users):
            return
        node.inputs[0] = reshape.inputs[0]
        self.shapes[product] = (*source[:-1], weights[1])
        product.shape = tuple(None if isinstance(size, Open) else size for size in self.shapes[product])


def _unshaped(value: Value) -> Value:
    """Return what a value is a Reshape of."""
    while value.producer is not None and value.producer.op in ("Reshape", "Identity"):
        source = value.producer.inputs[0]
        if source is None:
            break
        value = source
    return value


def _written(sizes: Sizes, source: Sizes, asked: Elements) -> list[int] | None:
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


def _quotient(source: Sequence[Size] | None, others: Sequence[Size]) -> Size:
    """Return the size that stands for -1 beside the others, an open one of its own if that is not known."""
    if source is None:
        return Open()
    left = Counter(size for size in source if isinstance(size, Open))
    left.subtract(size for size in others if isinstance(size, Open))
    whole = prod(size for size in source if not isinstance(size, Open))
    known = prod(size for size in others if not isinstance(size, Open))
    factors = [*left.elements()]
    if any(count < 0 for count in left.values()) or known <= 0 or whole % known or len(factors) > 1:
        return Open()
    if not factors:
        return whole // known
    return factors[0] if whole == known else Open()


# --- sizes of results ------------------------------------------------------------------------------------------------


def _broadcast(shapes: Sequence[Sizes | None]) -> Sizes | None:
    known = [shape for shape in shapes if shape is not None]
    if len(known) != len(shapes) or not known:
        return None
    rank = max(map(len, known))
    padded = [(1,) * (rank - len(shape)) + shape for shape in known]
    return tuple(_broadcast_size(sizes) for sizes in zip(*padded, strict=True))


def _broadcast_size(sizes: Sequence[Size]) -> Size:
    different = list(dict.fromkeys(size for size in sizes if size != 1))
    fixed = [size for size in different if not isinstance(size, Open)]
    if fixed:
        return fixed[0]
    return different[0] if len(different) == 1 else Open() if different else 1


def _broadcast_inputs(naming: _Naming, node: OnnxNode) -> Sizes | None:
    return _broadcast([naming.shape(value) for value in node.inputs if value is not None])


def _matmul(naming: _Naming, node: OnnxNode) -> Sizes | None:
    a, b = (naming.shape(value) for value in node.inputs)
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return None
    lead = _broadcast([a[:-2], b[:-2]])
    return None if lead is None else (*lead, a[-2], b[-1])


def _transpose(naming: _Naming, node: OnnxNode) -> Sizes | None:
    shape, order = naming.shape(node.inputs[0]), _list(node, "perm")
    return None if shape is None else tuple(shape[axis] for axis in order)


def _gather(naming: _Naming, node: OnnxNode) -> Sizes | None:
    data, indices = (naming.shape(value) for value in node.inputs)
    axis: Any = node.attributes.get("axis", 0)
    if data is None or indices is None:
        return None
    axis %= len(data)
    return (*data[:axis], *indices, *data[axis + 1 :])


def _unsqueeze(naming: _Naming, node: OnnxNode) -> Sizes | None:
    shape, axes = naming.shape(node.inputs[0]), _constant(node, 1)
    if shape is None or axes is None:
        return None
    sizes, rank = list(shape), len(shape) + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        sizes.insert(axis, 1)
    return tuple(sizes)


def _squeeze(naming: _Naming, node: OnnxNode) -> Sizes | None:
    shape, axes = naming.shape(node.inputs[0]), _constant(node, 1)
    if shape is None or axes is None:
        return None
    gone = {axis % len(shape) for axis in axes}
    return tuple(size for axis, size in enumerate(shape) if axis not in gone)


def _reduce(naming: _Naming, node: OnnxNode) -> Sizes | None:
    shape = naming.shape(node.inputs[0])
    axes = _constant(node, 1) if len(node.inputs) > 1 else node.attributes.get("axes")
    if shape is None or axes is None or not node.attributes.get("keepdims", 1):
        return None
    gone = {axis % len(shape) for axis in _ints(axes)}
    return tuple(1 if axis in gone else size for axis, size in enumerate(shape))


def _concat(naming: _Naming, node: OnnxNode) -> Sizes | None:
    shapes = [naming.shape(value) for value in node.inputs]
    axis: Any = node.attributes["axis"]
    first = shapes[0]
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return None
    joined = [shape[axis] for shape in shapes if shape is not None]
    sizes = list(first)
    sizes[axis] = Open() if any(isinstance(size, Open) for size in joined) else sum(_ints(joined))
    return tuple(sizes)


def _windows(naming: _Naming, node: OnnxNode) -> Sizes | None:
    """Convolutions and pools have the batch of their input."""
    shape, declared = naming.shape(node.inputs[0]), naming.shape(node.outputs[0])
    return None if shape is None or declared is None else (shape[0], *declared[1:])


def _shape(naming: _Naming, node: OnnxNode) -> Sizes | None:
    sizes = _sizes_of(naming, node)
    return None if sizes is None else (len(sizes),)


def _slice(naming: _Naming, node: OnnxNode) -> Sizes | None:
    cut = _sliced(naming, node)
    return None if cut is None else (len(cut),)


_SHAPES: dict[str, Callable[[_Naming, OnnxNode], Sizes | None]] = {
    **dict.fromkeys(_SAME, lambda naming, node: naming.shape(node.inputs[0])),
    **dict.fromkeys(_BROADCASTING, _broadcast_inputs),
    "Shape": _shape,
    "Slice": _slice,
    "Reshape": lambda naming, node: naming.resolved(node),
    "MatMul": _matmul,
    "Transpose": _transpose,
    "Gather": _gather,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Concat": _concat,
    **dict.fromkeys(("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2"), _reduce),
    **dict.fromkeys(("Conv", "MaxPool", "AveragePool", "GlobalAveragePool", "Resize", "DepthToSpace"), _windows),
}


# --- elements of results ---------------------------------------------------------------------------------------------


def _sizes_of(naming: _Naming, node: OnnxNode) -> Sizes | None:
    shape = naming.shape(node.inputs[0])
    start: Any = node.attributes.get("start", 0)
    end: Any = node.attributes.get("end")
    return None if shape is None else shape[start:end]


def _same_elements(naming: _Naming, node: OnnxNode) -> Elements | None:
    return naming.elements(node.inputs[0])


def _picked(naming: _Naming, node: OnnxNode) -> Elements | None:
    elements, places = naming.elements(node.inputs[0]), _constant(node, 1)
    if elements is None or places is None or any(not -len(elements) <= place < len(elements) for place in places):
        return None
    return tuple(elements[place] for place in places)


def _sliced(naming: _Naming, node: OnnxNode) -> Elements | None:
    elements = naming.elements(node.inputs[0])
    start, end, _, step = (_constant(node, place) for place in range(1, 5))
    if elements is None or start is None or end is None or (step is None and len(node.inputs) > 4):
        return None
    return elements[start[0] : end[0] : step[0] if step is not None else None]


def _joined(naming: _Naming, node: OnnxNode) -> Elements | None:
    parts = [part for value in node.inputs if (part := naming.elements(value)) is not None]
    return tuple(size for part in parts for size in part) if len(parts) == len(node.inputs) else None


_ELEMENTS: dict[str, Callable[[_Naming, OnnxNode], Elements | None]] = {
    "Shape": _sizes_of,
    "Gather": _picked,
    "Slice": _sliced,
    "Concat": _joined,
    **dict.fromkeys(("Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape"), _same_elements),
}


def _constant(node: OnnxNode, place: int) -> list[int] | None:
    """Return the elements of an input that is an initializer; None if it is left out too."""
    value = node.inputs[place] if place < len(node.inputs) else None
    return None if value is None or value.data is None else [int(each) for each in value.data.ravel()]


def _list(node: OnnxNode, name: str) -> list[int]:
    return _ints(node.attributes[name])


def _ints(values: Any) -> list[int]:
    return [int(value) for value in values]
