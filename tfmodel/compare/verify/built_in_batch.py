"""Find the batch size that a graph has built in although its inputs leave it open.

x: float[?,4], ConcatV2(x, zeros([8, 3]))      8: the constant is joined with each element of the batch
x: float[?,6], Reshape(x, [12, 2, 3])          12: the elements fill the shape
Conv2DBackpropInput([32, 8, 8, 3], filter, x)  32: the sizes of the images that a transposed convolution makes
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import prod

from ...analysis.shapes import infer_shapes
from ...graph import GraphIndex
from ...messages import GraphDef
from ...ops.traits import SHAPE_OPS
from ...values.names import TensorName
from ...values.shape import Shape

_JOINED = """
    Add AddV2 BiasAdd Concat ConcatV2 Div Maximum Minimum Mul Pack RealDiv Select SelectV2 SquaredDifference Sub
"""
_JOINS = frozenset(_JOINED.split())
"""Ops whose inputs have one batch size. For concatenation, this holds unless the axis is the batch."""

_TRANSPOSED = frozenset({"Conv2DBackpropInput", "Conv3DBackpropInputV2"})
"""Ops whose first input has the sizes of the result, and whose third one has the same batch."""


def built_in_batch(graph: GraphDef, inputs: Iterable[TensorName]) -> int | None:
    """Return the batch size that a graph has built in; None if it has none.

    Only nodes that depend on `inputs` count. If several sizes occur, the most common one is returned.
    """
    index = GraphIndex(graph)
    shapes = infer_shapes(graph)
    depends = bytearray(len(index))
    for name in inputs:
        if name.node in index.positions:
            depends[index.positions[name.node]] = True
    sizes: Counter[int] = Counter()
    for position in index.forward_order:
        node, sources = index.nodes[position], index.data_sources[position]
        if node.op in SHAPE_OPS:
            continue
        depends[position] |= any(source >= 0 and depends[source] for source in sources)
        if not depends[position] or node.op not in _JOINS | _TRANSPOSED | {"Reshape"}:
            continue
        tensors = [name for name in map(TensorName.parse, node.input) if not name.is_control]
        known = [shapes.get(name) for name in tensors]
        is_open = [source >= 0 and bool(depends[source]) for source in sources[: len(tensors)]]
        if node.op == "Reshape":
            size = _batch_of_reshape(known[0], shapes.get(TensorName(node.name))) if is_open[0] else None
        elif node.op in _TRANSPOSED and len(known) == 3:
            size = _batch_of_images(known[2], shapes.get(TensorName(node.name))) if is_open[2] else None
        else:
            size = _batch_of_join(known, is_open)
        if size is not None and size > 1:
            sizes[size] += 1
    return sizes.most_common(1)[0][0] if sizes else None


def _batch_of_join(shapes: list[Shape | None], is_open: list[bool]) -> int | None:
    """Return the first size of a tensor, if one that depends on an input has the same rank and leaves its size open."""
    left_open = [
        shape for shape, given in zip(shapes, is_open, strict=True) if given and (not shape or shape[0] is None)
    ]
    ranks = {len(shape) for shape in left_open if shape}
    if not left_open:
        return None
    fixed = (shape for shape in shapes if shape and len(shape) > 1 and shape[0] is not None)
    return next((shape[0] for shape in fixed if not ranks or len(shape) in ranks), None)


def _batch_of_images(before: Shape | None, after: Shape | None) -> int | None:
    """Return the batch of a result whose sizes are constants, if its input leaves it open."""
    return after[0] if before and after and before[0] is None else None


def _batch_of_reshape(before: Shape | None, after: Shape | None) -> int | None:
    """Return the batch whose elements fill the shape that a tensor gets."""
    if not before or not after or before[0] is not None:
        return None
    if after[0] is not None and None in after[1:]:
        return after[0]
    element = [size for size in before[1:] if size is not None]
    sizes = [size for size in after if size is not None]
    if len(element) + 1 != len(before) or len(sizes) != len(after):
        return None
    return prod(sizes) // prod(element) if prod(element) and prod(sizes) % prod(element) == 0 else None
