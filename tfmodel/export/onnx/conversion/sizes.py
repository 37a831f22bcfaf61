"""Sizes that are unknown but equal: which elements of a shape are sizes of a given tensor.

    shape = Pack(StridedSlice(Shape(x))[0], 64)      element 0 is the first size of x

A Reshape of x, or of a tensor that has its first size from x, can copy such a size: its shape is a constant then.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....graph import attr
from ....messages import NodeDef
from .body import Body

_SAME = frozenset({
    "Identity", "StopGradient", "Relu", "Relu6", "Elu", "Selu", "LeakyRelu", "Sigmoid", "Tanh", "Softmax", "Softplus",
    "BiasAdd", "Cast", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "Neg", "Exp", "Sqrt", "Rsqrt",
    "Square", "Abs", "Erf",
})  # fmt: skip
"""Ops whose output has all sizes of their first input."""

_SAME_BATCH = frozenset({
    "Conv2D", "Conv3D", "DepthwiseConv2dNative", "MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D", "MatMul", "LRN",
    "ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "SpaceToDepth", "DepthToSpace",
})  # fmt: skip
"""Ops whose output has the first size of their first input."""

_MAX_STEPS = 256


def copied_axes(body: Body, tensor: str, shape: str) -> list[int | None] | None:
    """Return for each element of a shape the axis of a tensor that has this size; None for other elements."""
    origins = _elements(body, shape)
    if origins is None:
        return None
    sizes = {0: {*_same_size(body, tensor, 0)}}
    found: list[int | None] = []
    for origin in origins:
        if origin is None:
            found.append(None)
            continue
        source, axis = origin
        if axis not in sizes:
            sizes[axis] = {*_same_size(body, tensor, axis)}
        is_same = any(place in sizes[axis] for place in _same_size(body, source, axis))
        found.append(axis if is_same else None)
    return found


def _same_size(body: Body, key: str, axis: int) -> Iterator[tuple[str, int]]:
    """Yield the tensors, from this one back, that have the same size along an axis."""
    for _ in range(_MAX_STEPS):
        yield key, axis
        node = body.producer(key)
        if node is None or not key.endswith(":0"):
            return
        if not (node.op in _SAME or (axis == 0 and node.op in _SAME_BATCH and not _turns(node))):
            return
        key = body.inputs(node)[0]


def _turns(node: NodeDef) -> bool:
    return node.op == "MatMul" and attr(node, "transpose_a", bool, False)


def _elements(body: Body, key: str) -> list[tuple[str, int] | None] | None:
    """Return the tensor and axis whose size each element of a vector is; None for other elements."""
    node = body.producer(key)
    if node is None:
        return None
    if node.op == "Pack" and attr(node, "axis", int, 0) == 0:
        return [_element(body, each) for each in body.inputs(node)]
    if node.op in ("Cast", "Identity"):
        return _elements(body, body.inputs(node)[0])
    if node.op == "ConcatV2":
        parts = [_part(body, each) for each in body.inputs(node)[:-1]]
        return None if None in parts else [each for part in parts if part is not None for each in part]
    return _part(body, key)


def _part(body: Body, key: str) -> list[tuple[str, int] | None] | None:
    """Return the same for a constant, or a slice of a shape."""
    node = body.producer(key)
    if (array := body.constant(key)) is not None:
        return [None] * array.size
    if node is None:
        return None
    if node.op == "Shape":
        shape = body.shape(body.inputs(node)[0])
        return None if shape is None else [(body.inputs(node)[0], axis) for axis in range(len(shape))]
    if node.op == "StridedSlice" and not _has_mask(node, "shrink_axis", "new_axis", "ellipsis"):
        return _slice(body, node)
    if node.op == "Pack":
        return _elements(body, key)
    return None


def _slice(body: Body, node: NodeDef) -> list[tuple[str, int] | None] | None:
    whole = _part(body, body.inputs(node)[0])
    bounds = [body.constant(key) for key in body.inputs(node)[1:]]
    if whole is None or any(bound is None or bound.shape != (1,) for bound in bounds):
        return None
    begin, end, step = (int(bound[0]) for bound in bounds if bound is not None)
    start = None if attr(node, "begin_mask", int, 0) else begin
    stop = None if attr(node, "end_mask", int, 0) else end
    return whole[start:stop:step] if step else None


def _element(body: Body, key: str) -> tuple[str, int] | None:
    """Return the tensor and axis whose size a scalar is."""
    node = body.producer(key)
    if node is None:
        return None
    if node.op in ("Cast", "Identity"):
        return _element(body, body.inputs(node)[0])
    if node.op != "StridedSlice" or attr(node, "shrink_axis_mask", int, 0) != 1:
        return None
    whole = _part(body, body.inputs(node)[0])
    begin = body.constant(body.inputs(node)[1])
    if whole is None or begin is None or begin.shape != (1,) or not -len(whole) <= int(begin[0]) < len(whole):
        return None
    return whole[int(begin[0])]


def _has_mask(node: NodeDef, *names: str) -> bool:
    return any(attr(node, f"{name}_mask", int, 0) for name in names)
