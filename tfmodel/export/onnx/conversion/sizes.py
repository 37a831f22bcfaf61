"""Sizes that are unknown but equal, and numbers that are computed from sizes.

An unknown size is an object; equal sizes are the same object. Those of most operators follow from their inputs, and a
vector that is computed from shapes has such sizes as its elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

from ....messages import DataType
from .model import OnnxGraph, OnnxNode, Value


class Open:
    """An unknown size, equal to itself alone."""


@dataclass(frozen=True)
class Extreme(Open):
    """The least or the largest of several numbers, by the operator: "Min" or "Max"."""

    op: str
    numbers: tuple[Size, ...]


Size: TypeAlias = "int | Open"
Shape: TypeAlias = "tuple[Size, ...]"
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
_ALL = 1 << 31  # bounds beyond this go to the end of an axis
_INTEGERS = (DataType.DT_INT32, DataType.DT_INT64)


class Sizes:
    """The sizes of the values of graphs, and the elements of short vectors, as far as they are known."""

    def __init__(self) -> None:
        self.shapes: dict[Value, Shape] = {}
        self.vectors: dict[Value, Elements] = {}
        self._counts: dict[OnnxGraph, int] = {}

    def follow(self, graphs: Iterable[OnnxGraph]) -> None:
        """Learn the nodes that were added to graphs since the last time."""
        for graph in graphs:
            for node in graph.nodes[self._counts.get(graph, 0) :]:
                if node.outputs:  # a loop may only count its rounds
                    self.learn(node)
            self._counts[graph] = len(graph.nodes)

    def shape(self, value: Value | None) -> Shape | None:
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

    def learn(self, node: OnnxNode) -> None:
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

    def number(self, value: Value) -> Size | None:
        """Return the one element of a value; None if there are several, or if it is not known."""
        elements = self.elements(value) or ()
        return elements[0] if len(elements) == 1 else None

    def resolved(self, node: OnnxNode) -> Shape | None:
        """Return the sizes that a Reshape gives, with what 0 and -1 in them stand for."""
        source, asked = self.shape(node.inputs[0]), self.elements(node.inputs[1])
        if asked is None:
            return None
        sizes = [Open() if size is None or isinstance(size, Extreme) else size for size in asked]
        if not node.attributes.get("allowzero"):
            for place, size in enumerate(sizes):
                if size == 0:
                    sizes[place] = source[place] if source is not None and place < len(source) else Open()
        if -1 in sizes:
            place = sizes.index(-1)
            sizes[place] = _quotient(source, sizes[:place] + sizes[place + 1 :])
        return tuple(sizes)


# --- numbers ---------------------------------------------------------------------------------------------------------


def same_number(one: Size | None, other: Size | None) -> bool:
    """Return whether two numbers are always equal, such as n and Min(n, Max(1, n)).

    What is computed from one unknown size n is n or a constant in each interval between the constants in it, so it is
    compared at these constants, beside them, and far from them.
    """
    if one is None or other is None:
        return False
    parts = {*_parts(one), *_parts(other)}
    constants = [part for part in parts if not isinstance(part, Open)]
    tried = {0, 1 << 40} | {part + step for part in constants for step in (-1, 0, 1)}
    is_of_one = len(parts) - len(constants) <= 1
    return is_of_one and all(_at(one, size) == _at(other, size) for size in tried if size >= 0)


def _parts(number: Size) -> Iterator[Size]:
    if isinstance(number, Extreme):
        for each in number.numbers:
            yield from _parts(each)
    else:
        yield number


def _at(number: Size, size: int) -> int:
    """Return a number for one value of its unknown size."""
    if isinstance(number, Extreme):
        return {"Min": min, "Max": max}[number.op](_at(each, size) for each in number.numbers)
    return size if isinstance(number, Open) else number


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


def _broadcast(shapes: Sequence[Shape | None]) -> Shape | None:
    given = [shape for shape in shapes if shape is not None]
    if len(given) != len(shapes) or not given:
        return None
    rank = max(map(len, given))
    padded = [(1,) * (rank - len(shape)) + shape for shape in given]
    return tuple(_broadcast_size(sizes) for sizes in zip(*padded, strict=True))


def _broadcast_size(sizes: Sequence[Size]) -> Size:
    different = list(dict.fromkeys(size for size in sizes if size != 1))
    fixed = [size for size in different if not isinstance(size, Open)]
    if fixed:
        return fixed[0]
    return different[0] if len(different) == 1 else Open() if different else 1


def _broadcast_inputs(known: Sizes, node: OnnxNode) -> Shape | None:
    return _broadcast([known.shape(value) for value in node.inputs if value is not None])


def _matmul(known: Sizes, node: OnnxNode) -> Shape | None:
    a, b = (known.shape(value) for value in node.inputs)
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return None
    lead = _broadcast([a[:-2], b[:-2]])
    return None if lead is None else (*lead, a[-2], b[-1])


def _transpose(known: Sizes, node: OnnxNode) -> Shape | None:
    shape, order = known.shape(node.inputs[0]), _list(node, "perm")
    return None if shape is None else tuple(shape[axis] for axis in order)


def _gather(known: Sizes, node: OnnxNode) -> Shape | None:
    data, indices = (known.shape(value) for value in node.inputs)
    axis: Any = node.attributes.get("axis", 0)
    if data is None or indices is None:
        return None
    axis %= len(data)
    return (*data[:axis], *indices, *data[axis + 1 :])


def _unsqueeze(known: Sizes, node: OnnxNode) -> Shape | None:
    shape, axes = known.shape(node.inputs[0]), _constant(node, 1)
    if shape is None or axes is None:
        return None
    sizes, rank = list(shape), len(shape) + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        sizes.insert(axis, 1)
    return tuple(sizes)


def _squeeze(known: Sizes, node: OnnxNode) -> Shape | None:
    shape, axes = known.shape(node.inputs[0]), _constant(node, 1)
    if shape is None or axes is None:
        return None
    gone = {axis % len(shape) for axis in axes}
    return tuple(size for axis, size in enumerate(shape) if axis not in gone)


def _reduce(known: Sizes, node: OnnxNode) -> Shape | None:
    shape = known.shape(node.inputs[0])
    axes = _constant(node, 1) if len(node.inputs) > 1 else node.attributes.get("axes")
    if shape is None or axes is None or not node.attributes.get("keepdims", 1):
        return None
    gone = {axis % len(shape) for axis in _ints(axes)}
    return tuple(1 if axis in gone else size for axis, size in enumerate(shape))


def _concat(known: Sizes, node: OnnxNode) -> Shape | None:
    shapes = [known.shape(value) for value in node.inputs]
    axis: Any = node.attributes["axis"]
    first = shapes[0]
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return None
    joined = [shape[axis] for shape in shapes if shape is not None]
    sizes = list(first)
    sizes[axis] = Open() if any(isinstance(size, Open) for size in joined) else sum(_ints(joined))
    return tuple(sizes)


def _windows(known: Sizes, node: OnnxNode) -> Shape | None:
    """Convolutions and pools have the batch of their input."""
    shape, declared = known.shape(node.inputs[0]), known.shape(node.outputs[0])
    return None if shape is None or declared is None else (shape[0], *declared[1:])


def _shape(known: Sizes, node: OnnxNode) -> Shape | None:
    sizes = _sizes_of(known, node)
    return None if sizes is None else (len(sizes),)


def _slice(known: Sizes, node: OnnxNode) -> Shape | None:
    """Axes that are reversed as a whole keep their sizes, as those that are not cut."""
    if (cut := _sliced(known, node)) is not None:
        return (len(cut),)
    shape, (starts, ends, axes, steps) = known.shape(node.inputs[0]), (_constant(node, place) for place in range(1, 5))
    if shape is None or axes is None:
        return None
    sizes = list(shape)
    for place, axis in enumerate(axes):
        is_whole = starts and ends and steps and (starts[place], steps[place]) == (-1, -1) and ends[place] < -_ALL
        sizes[axis] = sizes[axis] if is_whole else Open()
    return tuple(sizes)


def _recurrent(known: Sizes, node: OnnxNode) -> Shape | None:
    """The outputs of all steps."""
    shape, hidden = known.shape(node.inputs[0]), node.attributes["hidden_size"]
    return None if shape is None or not isinstance(hidden, int) else (shape[0], 1, shape[1], hidden)


_SHAPES: dict[str, Callable[[Sizes, OnnxNode], Shape | None]] = {
    **dict.fromkeys(_SAME, lambda known, node: known.shape(node.inputs[0])),
    **dict.fromkeys(_BROADCASTING, _broadcast_inputs),
    "Shape": _shape,
    "Slice": _slice,
    "Reshape": lambda known, node: known.resolved(node),
    "MatMul": _matmul,
    "Transpose": _transpose,
    "Gather": _gather,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Concat": _concat,
    **dict.fromkeys(("LSTM", "GRU", "RNN"), _recurrent),
    **dict.fromkeys(("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2"), _reduce),
    **dict.fromkeys(("Conv", "MaxPool", "AveragePool", "GlobalAveragePool", "Resize", "DepthToSpace"), _windows),
}


# --- elements of results ---------------------------------------------------------------------------------------------


def _sizes_of(known: Sizes, node: OnnxNode) -> Shape | None:
    shape = known.shape(node.inputs[0])
    start: Any = node.attributes.get("start", 0)
    end: Any = node.attributes.get("end")
    return None if shape is None else shape[start:end]


def _same_elements(known: Sizes, node: OnnxNode) -> Elements | None:
    return known.elements(node.inputs[0])


def _picked(known: Sizes, node: OnnxNode) -> Elements | None:
    elements, places = known.elements(node.inputs[0]), _constant(node, 1)
    if elements is None or places is None or any(not -len(elements) <= place < len(elements) for place in places):
        return None
    return tuple(elements[place] for place in places)


def _sliced(known: Sizes, node: OnnxNode) -> Elements | None:
    elements = known.elements(node.inputs[0])
    start, end, _, step = (_constant(node, place) for place in range(1, 5))
    if elements is None or start is None or end is None or (step is None and len(node.inputs) > 4):
        return None
    return elements[start[0] : end[0] : step[0] if step is not None else None]


def _joined(known: Sizes, node: OnnxNode) -> Elements | None:
    parts = [part for value in node.inputs if (part := known.elements(value)) is not None]
    return tuple(size for part in parts for size in part) if len(parts) == len(node.inputs) else None


def _extreme(known: Sizes, node: OnnxNode) -> Elements | None:
    """Small ones alone: what is computed from itself again and again has a number of parts beyond all bounds."""
    parts = [known.number(value) for value in node.inputs if value is not None]
    numbers = tuple(dict.fromkeys(part for part in parts if part is not None))
    if None in parts or sum(1 for number in numbers for _ in _parts(number)) > _MAX_ELEMENTS:
        return None
    return (Extreme(node.op, numbers) if len(numbers) > 1 else numbers[0],)


_ELEMENTS: dict[str, Callable[[Sizes, OnnxNode], Elements | None]] = {
    "Shape": _sizes_of,
    "Gather": _picked,
    "Slice": _sliced,
    "Concat": _joined,
    **dict.fromkeys(("Max", "Min"), _extreme),
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
