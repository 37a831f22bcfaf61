"""Shape requirements of quantized layers.

    checks = ShapeChecks(graph)
    repeats_in_front(checks, ["x", "scale"])      # "" if the shapes are supported, otherwise the reason

TensorFlow's quantized layers support fewer shapes than its float layers. For other shapes they fail at run time, or
return other numbers:

    sums and products    broadcast an input along leading dimensions only: the shape of one input, without leading
                         ones, must be the end of the other
    convolutions         have one group: the filter is as deep as the image has channels
    concatenations       have an axis that is counted from the first
    all                  take non-empty inputs of up to five dimensions: QuantizeV2 with oneDNN, which TensorFlow uses
                         by default, refuses more

A sum, product, convolution or concatenation is quantized only if its shapes are known to meet its requirement. Inputs
of unknown shape are assumed to meet the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import dropwhile
from math import prod

from ...analysis.shapes import Shape, Shapes, infer_shapes
from ...errors import GraphError
from ...graph import GraphIndex
from ...messages import GraphDef
from ...values.names import TensorName, data_inputs

MAX_RANK = 5

UNARY = frozenset(
    [
        "Abs",
        "BiasAdd",
        "Cast",
        "Ceil",
        "CheckNumerics",
        "Elu",
        "Erf",
        "Exp",
        "Expm1",
        "Floor",
        "FusedBatchNorm",
        "FusedBatchNormV2",
        "FusedBatchNormV3",
        "Identity",
        "Inv",
        "LeakyRelu",
        "Log",
        "Log1p",
        "LogSoftmax",
        "Neg",
        "PreventGradient",
        "Reciprocal",
        "Relu",
        "Relu6",
        "Round",
        "Rsqrt",
        "Selu",
        "Sigmoid",
        "Sign",
        "Snapshot",
        "Softmax",
        "Softplus",
        "Softsign",
        "Sqrt",
        "Square",
        "StopGradient",
        "Tanh",
    ]
)
"""Ops whose first output has the shape of their first input."""

BINARY = frozenset(["Add", "AddV2", "Div", "Maximum", "Minimum", "Mul", "RealDiv", "Sub"])
"""Element-wise ops of two inputs, which may broadcast."""


class ShapeChecks:
    """The inferred shapes of a graph, and the tensors whose shapes are equal even if they are unknown."""

    def __init__(self, graph: GraphDef) -> None:
        self._graph = graph
        self._origins: dict[str, str] = {}

    @cached_property
    def shapes(self) -> Shapes:
        """The shapes of the graph."""
        return infer_shapes(self._graph)

    @cached_property
    def _index(self) -> GraphIndex:
        return GraphIndex(self._graph)

    def min_elements(self, text: str) -> int:
        """Return the number of elements of a tensor. Unknown sizes, and tensors of unknown shape, count as one."""
        return prod(size for size in self.shapes.get(text) or () if size is not None)

    def obstacle(self, inputs: Sequence[str]) -> str:
        """Return why tensors cannot be quantized; "" if they can, as far as their shapes are known."""
        for shape in map(self.shapes.get, inputs):
            if shape is not None and 0 in shape:
                return "one of its inputs is empty"
            if shape is not None and len(shape) > MAX_RANK:
                return f"one of its inputs has more than {MAX_RANK} dimensions"
        return ""

    def origin(self, text: str) -> str:
        """Return the first tensor on the way to `text` that certainly has the same shape.

        The search goes back through element-wise ops, and through sums and products with a broadcast input.
        """
        path: list[str] = []
        place = _normalize(text)
        while place not in self._origins:
            self._origins[place] = place  # for now: ends paths and cycles
            path.append(place)
            place = self._before(place)
        origin = self._origins[place]
        self._origins |= dict.fromkeys(path, origin)
        return origin

    def _before(self, place: str) -> str:
        """Return the input that certainly has the same shape; the tensor itself if there is none."""
        name = TensorName.parse(place)
        node = self._index.get(name.node)
        if node is None or name.port != 0:
            return place
        data = data_inputs(node)
        if node.op in UNARY and data:
            return _normalize(data[0])
        if node.op in BINARY and len(data) == 2:
            one, other = map(self.shapes.get, data)
            if _is_repeated(other, one):
                return _normalize(data[0])
            if _is_repeated(one, other):
                return _normalize(data[1])
        return place


def _normalize(text: str) -> str:
    name = TensorName.parse(text)
    return f"{name.node}:{name.port}"


def _is_repeated(small: Shape | None, large: Shape | None) -> bool:
    """Return whether the sum of two tensors certainly has the shape of the second."""
    if small == ():
        return True
    if small is None or large is None or len(small) > len(large):
        return False
    return all(
        size == 1 or size == large_size is not None
        for size, large_size in zip(small, large[-len(small) :], strict=True)
    )


# --- checks of kinds of layers ---------------------------------------------------------------------------------------


def repeats_in_front(sizes: ShapeChecks, data: Sequence[str]) -> str:
    """Check that an op of the two tensors `data` broadcasts one of them, along leading dimensions only."""
    if fits(*map(sizes.shapes.get, data)) or sizes.origin(data[0]) == sizes.origin(data[1]):
        return ""
    return "it may broadcast an input along other than the leading dimensions"


def fits(*shapes: Shape | None) -> bool:
    """Return whether two shapes broadcast along leading dimensions only, for all values of their unknown sizes.

    True for (?, 3, 4) with (3, 4), and for (?, 3) with (?, 3). False for (2, 3) with (2, 1), which broadcasts the last
    axis. The shapes are assumed to be compatible.
    """
    if () in shapes:
        return True
    if None in shapes:
        return False
    one, other = (tuple(dropwhile(lambda size: size == 1, shape or ())) for shape in shapes)
    for axis in range(1, min(len(one), len(other)) + 1):
        first, second = one[-axis], other[-axis]
        if first is not None and first == second:
            continue
        # The shape that is, or may be, broadcast here must not have further dimensions.
        for size, shape in ((first, one), (second, other)):
            if size in (1, None) and len(shape) > axis:
                return False
    return True


def one_group(sizes: ShapeChecks, data: Sequence[str]) -> str:
    """Check that a filter takes all channels of the images. `data` are the images and the filter."""
    images, filters = map(sizes.shapes.get, data)
    channels = images[3] if images is not None and len(images) == 4 else None
    depth = filters[2] if filters is not None and len(filters) == 4 else None
    if channels is None or depth is None:
        return "its filter may not take all channels: their number is not known"
    return "" if channels == depth else f"its filter takes {depth} of {channels} channels"


def axis_from_the_first(sizes: ShapeChecks, data: Sequence[str]) -> str:
    """Check that the axis of a concatenation, the first of `data`, is known and not negative."""
    try:
        axis = sizes.shapes.value(data[0])
    except GraphError:
        axis = None
    if not isinstance(axis, int):
        return "its axis is not known"
    return "its axis is counted from the last" if axis < 0 else ""
