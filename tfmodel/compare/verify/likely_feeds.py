"""Find feeds that a graph can take: shapes of inputs whose shape is open, and limits of inputs that are indices.

x: float[?,?,?,3]                            [1,8,8,3]: the first of SIZES for which no shape contradicts another
x: float of unknown rank, MatMul(x, w[6,4])  [1,6]
n: int32 of unknown rank, Pack(n, n)         []
i: int32[?,4], GatherV2(w[5,3], i)           5: the indices are from 0 to 4

A shape that is found this way need not be one that the graph was made for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from ...analysis.shapes import Shapes, infer_shapes
from ...errors import GraphError
from ...graph import GraphIndex, attr
from ...graph.attributes import input_tensors
from ...messages import NodeDef, TensorShapeProto
from ...ops.traits import VARIABLES
from ...values.names import TensorName
from ...values.shape import Shape, shape_of_proto

SIZES = (8, 1, 2, 4, 16, 32, 28, 64, 96, 128, 224, 256, 299, 416, 512)
"""Sizes that are tried for all open dimensions but the batch, before all others up to MAX_SIZE."""

MAX_SIZE = 128
_MAX_INFERRED = 100_000  # nodes whose shapes are inferred again, for all sizes that are tried
_MAX_STEPS = 200  # nodes between an input and the nodes that say something about it

_MULTIPLICATIONS = frozenset({"MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "SparseTensorDenseMatMul"})
_CONVOLUTIONS = {"Conv2D": 4, "Conv3D": 5, "DepthwiseConv2dNative": 4}
_LIKE_THE_OTHER = frozenset({"Add", "AddV2", "BiasAdd", "Div", "Mul", "RealDiv", "SquaredDifference", "Sub"})
_SHAPES = """
    Cast CheckNumerics Elu Exp Identity LeakyRelu Log Neg PlaceholderWithDefault Relu Relu6 Rsqrt Sigmoid Softmax Sqrt
    Square StopGradient Tanh
"""
_KEEP_SHAPE = frozenset(_SHAPES.split())
_ELEMENTS = """
    Cast ConcatV2 ExpandDims Floor Identity Pack PlaceholderWithDefault Reshape Round Slice Split SplitV Squeeze
    StopGradient StridedSlice Tile Transpose Unpack
"""
_KEEP_ELEMENTS = frozenset(_ELEMENTS.split())
_LOOK_UPS = {  # the tensor whose rows are looked up or counted, and the indices
    "Gather": (0, 1),
    "GatherV2": (0, 1),
    "ResourceGather": (0, 1),
    "ReverseSequence": (0, 1),
    "SparseSegmentMean": (0, 1),
    "SparseSegmentSqrtN": (0, 1),
    "SparseSegmentSum": (0, 1),
}


class LikelyFeeds(NamedTuple):
    """The shapes of inputs whose shape is open, and the limits of inputs that are indices, in float32 too."""

    shapes: dict[TensorName, tuple[int, ...]]
    limits: dict[TensorName, int]


def likely_feeds(
    index: GraphIndex, shapes: Shapes, inputs: Mapping[TensorName, Sequence[int | None] | None], batch_size: int
) -> LikelyFeeds:
    """Return the shapes of inputs that are not fully known, and limits of inputs, as far as the graph says them.

    `inputs` have the known shapes, and None for an input of unknown rank. There are no shapes if all that are tried
    contradict another shape in the graph.
    """
    open_inputs = {
        name: None if shape is None else tuple(shape)
        for name, shape in inputs.items()
        if shape is None or None in shape
    }
    found: dict[TensorName, tuple[int, ...]] = {}
    if open_inputs:
        forms = {name: _form(index, shapes, name) if shape is None else shape for name, shape in open_inputs.items()}
        for tried in _trials(forms, batch_size, _MAX_INFERRED // (len(index) + 1)):
            inferred = _inferred(index, shapes, tried)
            if inferred is not None:
                found, shapes = tried, inferred
                break
    return LikelyFeeds(found, _limits(index, shapes, inputs))


def _trials(
    forms: Mapping[TensorName, Shape | None], batch_size: int, count: int
) -> Iterator[dict[TensorName, tuple[int, ...]]]:
    """Yield shapes of these forms, `count` at most. An input of unknown rank gets 0 to 4 dimensions."""
    ranks = (0, 1, 2, 3, 4) if None in forms.values() else (0,)
    sizes = dict.fromkeys((*SIZES, *range(1, MAX_SIZE + 1)))
    last: dict[TensorName, tuple[int, ...]] = {}
    for size, rank in islice(product(sizes, ranks), count):
        tried = {
            name: _filled((None,) * rank if form is None else form, batch_size, size) for name, form in forms.items()
        }
        if tried != last:  # the same where the batch alone is open
            yield tried
        last = tried


def _inferred(index: GraphIndex, shapes: Shapes, tried: Mapping[TensorName, Sequence[int | None]]) -> Shapes | None:
    """Return the shapes with those that are tried; None if these contradict others."""
    try:
        inferred = infer_shapes(index, tried, like=shapes)
    except GraphError:
        return None
    return inferred if len(inferred.problems) <= len(shapes.problems) else None


def _filled(shape: Sequence[int | None], batch_size: int, size: int) -> tuple[int, ...]:
    return tuple((size if axis else batch_size) if known is None else known for axis, known in enumerate(shape))


def _form(index: GraphIndex, shapes: Shapes, name: TensorName) -> Shape | None:
    """Return what the nodes that take a tensor of unknown rank say about its shape; None if they say nothing."""
    for node, number in _takers(index, name):
        tensors = input_tensors(node)
        others = [shapes.get(tensor) for place, tensor in enumerate(tensors) if place != number]
        other = others[0] if others else None
        if node.op in _CONVOLUTIONS and number == 0 and other is not None and len(other) == _CONVOLUTIONS[node.op]:
            form: list[int | None] = [None] * len(other)
            form[1 if attr(node, "data_format", bytes, b"NHWC").startswith(b"NC") else -1] = other[-2]
            return tuple(form)
        if node.op in _MULTIPLICATIONS and number == 0 and other is not None and len(other) >= 2:
            is_transposed = attr(node, "transpose_b", bool, False) or attr(node, "adj_y", bool, False)
            return (*[None] * (len(other) - 1), other[-1 if is_transposed else -2])
        if node.op in _LIKE_THE_OTHER and other:
            return (None, *other) if node.op == "BiasAdd" or len(other) == 1 else (None, *other[1:])
    return None


def _takers(index: GraphIndex, name: TensorName) -> Iterator[tuple[NodeDef, int]]:
    """Yield the nodes that take a tensor, directly or after nodes that keep its shape, with the place of the input."""
    queue, steps = [index.positions[name.node]] if name.node in index.positions else [], 0
    for position in queue:
        for target in index.targets[position]:
            steps += 1
            if steps > _MAX_STEPS:
                return
            node = index.nodes[target]
            if node.op in _KEEP_SHAPE:
                queue.append(target)
            elif position in index.data_sources[target]:
                yield node, index.data_sources[target].index(position)


def _limits(index: GraphIndex, shapes: Shapes, inputs: Iterable[TensorName]) -> dict[TensorName, int]:
    """Return the number of rows from which each input chooses, for inputs that are indices."""
    names = {index.positions[name.node]: name for name in inputs if name.node in index.positions}
    limits: dict[TensorName, int] = {}
    for position, node in enumerate(index.nodes) if names else ():
        if node.op not in _LOOK_UPS:
            continue
        rows, indices = _LOOK_UPS[node.op]
        sources = index.data_sources[position]
        count = _rows(index, shapes, node, rows) if max(rows, indices) < len(sources) else None
        for found in _origins(index, sources[indices]) if count else ():
            if found in names and count is not None:
                limits[names[found]] = min(count, limits.get(names[found], count))
    return limits


def _rows(index: GraphIndex, shapes: Shapes, node: NodeDef, place: int) -> int | None:
    """Return the number of rows from which a node chooses; None if it is not known."""
    tensor = TensorName.parse(node.input[place])
    producer = index.nodes[index.positions[tensor.node]] if tensor.node in index.positions else None
    if producer is not None and node.op == "ResourceGather":
        declared = attr(producer, "shape", TensorShapeProto, None) if producer.op in VARIABLES else None
        shape = shape_of_proto(declared) if declared is not None else None
    else:
        shape = shapes.get(tensor)
    axis: object = shapes.value(node.input[2]) if node.op == "GatherV2" and len(node.input) > 2 else 0
    if is_length := node.op == "ReverseSequence":
        axis = attr(node, "seq_dim", int, 0)
    if not shape or not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return None
    size = shape[axis]
    return size + 1 if size is not None and is_length else size


def _origins(index: GraphIndex, position: int) -> list[int]:
    """Return the nodes whose elements a tensor has, perhaps converted or in another order."""
    found, seen = [position], {position}
    for current in found:
        if current >= 0 and index.nodes[current].op in _KEEP_ELEMENTS and len(found) < _MAX_STEPS:
            new = [source for source in index.data_sources[current] if source not in seen]
            seen.update(new)
            found += new
    return found
