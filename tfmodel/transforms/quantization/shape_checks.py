"""Whether layers on codes can take tensors of some sizes: what is not known to fit is left alone.

    sizes = Sizes(graph)
    repeats_in_front(sizes, ["x", "scale"])      # "" if it does, or else why not

TensorFlow's layers on codes take less than those on floats, and it says so when they run, or gives other numbers:

    sums and products    repeat an input along the first dimensions of the other: the shape of one, without the ones
                         that it begins with, ends that of the other
    convolutions         have one group: as many channels as the filter is deep
    concatenations       have an axis that is counted from the first
    all                  take something, and of no more than five dimensions: more are refused by QuantizeV2 with
                         oneDNN, which TensorFlow has by default
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import dropwhile
from math import prod

from ...errors import GraphError
from ...graph import GraphIndex
from ...messages import GraphDef
from ...names import TensorName, data_inputs
from ...shapes import Shape, Shapes, infer_shapes

__all__ = ["Sizes", "axis_from_the_first", "fits", "one_group", "repeats_in_front"]

MOST_DIMENSIONS = 5

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


class Sizes:
    """What is known of the shapes of a graph, and which tensors have the same one even if it is not known."""

    def __init__(self, graph: GraphDef) -> None:
        self._graph = graph
        self._origins: dict[str, str] = {}

    @cached_property
    def shapes(self) -> Shapes:
        """Those of the graph."""
        return infer_shapes(self._graph)

    @cached_property
    def _index(self) -> GraphIndex:
        return GraphIndex(self._graph)

    def least(self, text: str) -> int:
        """How many elements a tensor has, if all sizes that are not known are one."""
        return prod(size for size in self.shapes.get(text) or () if size is not None)

    def obstacle(self, taken: Sequence[str]) -> str:
        """Why tensors cannot become codes; "" if nothing is known that is against it."""
        for shape in map(self.shapes.get, taken):
            if shape is not None and 0 in shape:
                return "there is nothing in what it takes"
            if shape is not None and len(shape) > MOST_DIMENSIONS:
                return f"what it takes has more than {MOST_DIMENSIONS} dimensions"
        return ""

    def origin(self, text: str) -> str:
        """A tensor of the same shape, the first one on the way here.

        The way goes through nodes that compute number by number, and adds and multiplies what is repeated.
        """
        way: list[str] = []
        place = _spelled(text)
        while place not in self._origins:
            self._origins[place] = place  # for now: at itself a way ends, and a circle too
            way.append(place)
            place = self._before(place)
        found = self._origins[place]
        self._origins |= dict.fromkeys(way, found)
        return found

    def _before(self, place: str) -> str:
        """The tensor of the same shape that a node takes; itself if there is none."""
        name = TensorName.parse(place)
        node = self._index.get(name.node)
        if node is None or name.port != 0:
            return place
        data = data_inputs(node)
        if node.op in UNARY and data:
            return _spelled(data[0])
        if node.op in BINARY and len(data) == 2:
            one, other = map(self.shapes.get, data)
            if _is_repeated(other, one):
                return _spelled(data[0])
            if _is_repeated(one, other):
                return _spelled(data[1])
        return place


def _spelled(text: str) -> str:
    name = TensorName.parse(text)
    return f"{name.node}:{name.port}"


def _is_repeated(small: Shape | None, large: Shape | None) -> bool:
    """Whether the sum of two tensors is certainly as large as the second."""
    if small == ():
        return True
    if small is None or large is None or len(small) > len(large):
        return False
    return all(size == 1 or size == whole is not None for size, whole in zip(small, large[-len(small) :], strict=True))


# --- what kinds of layers ask for ------------------------------------------------------------------------------------


def repeats_in_front(sizes: Sizes, data: Sequence[str]) -> str:
    """Two tensors of which one is repeated along the first dimensions of the other only, or none."""
    if fits(*map(sizes.shapes.get, data)) or sizes.origin(data[0]) == sizes.origin(data[1]):
        return ""
    return "nothing proves that it repeats an input along the first dimensions only"


def fits(*shapes: Shape | None) -> bool:
    """Whether two shapes are certainly such, whatever is not known of them.

    fits((None, 3, 4), (3, 4)), fits((None, 3), (None, 3)), but not fits((2, 3), (2, 1)): this repeats along the last.
    """
    if () in shapes:
        return True
    if None in shapes:
        return False
    one, other = (tuple(dropwhile(lambda size: size == 1, shape or ())) for shape in shapes)
    for at in range(1, min(len(one), len(other)) + 1):
        first, second = one[-at], other[-at]
        if first is not None and first == second:
            continue
        # The one that is, or may be, repeated here must have nothing in front.
        for size, shape in ((first, one), (second, other)):
            if size in (1, None) and len(shape) > at:
                return False
    return True


def one_group(sizes: Sizes, data: Sequence[str]) -> str:
    """Images and a filter that takes all of their channels."""
    images, filters = map(sizes.shapes.get, data)
    channels = images[3] if images is not None and len(images) == 4 else None
    depth = filters[2] if filters is not None and len(filters) == 4 else None
    if channels is None or depth is None:
        return "nothing proves that its filter takes all channels: their number is not known"
    return "" if channels == depth else f"its filter takes {depth} of {channels} channels"


def axis_from_the_first(sizes: Sizes, data: Sequence[str]) -> str:
    """An axis, and what is joined along it."""
    try:
        axis = sizes.shapes.value(data[0])
    except GraphError:
        axis = None
    if not isinstance(axis, int):
        return "its axis is not known"
    return "its axis is counted from the last" if axis < 0 else ""
