"""The layers: ops that are linear in their weights, each of whose output channels has weights of its own.

    LAYERS["Conv2D"]          # x is input 0, the weights are input 1; of [height, width, in, out], axis 3 is the output

Weights have the same axes whatever the layout of what goes in and comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...graph import attr
from ...messages import NodeDef

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["LAYERS", "LayerOp", "channel_axes", "channel_axis", "scaled", "vanishes"]


@dataclass(frozen=True, slots=True)
class LayerOp:
    """Which inputs `x` and the weights are, how many axes the output has, and which of the weights its channels are.

    Two axes together are the channels of the output of a depthwise convolution.
    """

    x: int
    weights: int
    rank: int
    axes: tuple[int, ...]
    transposed: tuple[int, ...] = ()
    """The axes if the attribute `transpose_b` is set."""


LAYERS = {
    "Conv2D": LayerOp(0, 1, 4, (3,)),
    "DepthwiseConv2dNative": LayerOp(0, 1, 4, (2, 3)),
    "Conv2DBackpropInput": LayerOp(2, 1, 4, (2,)),
    "Conv3D": LayerOp(0, 1, 5, (4,)),
    "Conv3DBackpropInputV2": LayerOp(2, 1, 5, (3,)),
    "MatMul": LayerOp(0, 1, 2, (1,), transposed=(0,)),
}

_FINEST = 2.0**-50  # more than rounding takes when float64 is computed in float64

_LAST, _SECOND = (b"NHWC", b"NDHWC"), (b"NCHW", b"NCDHW")


def channel_axes(node: NodeDef) -> tuple[int, ...]:
    """Which axes of its weights are the output channels of a layer."""
    op = LAYERS[node.op]
    is_transposed = bool(op.transposed) and attr(node, "transpose_b", bool, False)
    return op.transposed if is_transposed else op.axes


def channel_axis(node: NodeDef, rank: int) -> int | None:
    """Which axis of a tensor of `rank` axes has the channels, by the layout that a node has; None for unusual ones."""
    layout = attr(node, "data_format", bytes, _LAST[0])
    if layout in _LAST:
        return rank - 1
    return 1 if layout in _SECOND else None


def scaled(weights: Array, axes: Sequence[int], scale: Array) -> Array:
    """Weights with each output channel multiplied by its number, a float64; rounded once."""
    import numpy as np

    shape = [size if axis in axes else 1 for axis, size in enumerate(weights.shape)]
    same = scale.astype(weights.dtype)
    result = np.empty(weights.shape, weights.dtype)
    if (same == scale).all():  # then the product in their own precision is rounded once, too
        np.multiply(weights, same.reshape(shape), out=result)
    else:
        np.multiply(weights, scale.reshape(shape), out=result, dtype=np.float64, casting="same_kind")
    return result


def vanishes(weights: Array, axes: Sequence[int], scale: Array, result: Array) -> bool:
    """Whether weights that were `scaled` have lost more than rounding takes, being so near to zero.

    Numbers below the smallest normal one have fewer digits, if any; and TensorFlow takes those of float32 and float64
    for zero. That is nothing beside a large number of the same channel, nor in a channel that is itself nothing beside
    the others: smaller by the square of what rounding takes.
    """
    import numpy as np

    limits = np.finfo(result.dtype)
    tiny, epsilon = float(limits.tiny), max(float(limits.eps), _FINEST)
    beside = tuple(axis for axis in range(weights.ndim) if axis not in axes)
    factor = np.abs(scale).reshape([size if axis in axes else 1 for axis, size in enumerate(weights.shape)])
    some = weights[tuple(slice(None) if axis in axes else slice(1) for axis in range(weights.ndim))]
    if ((np.abs(some).astype("f8") * factor >= tiny / epsilon) | (factor == 0)).all():
        return False  # as nearly always, and it took no time
    largest = np.maximum(weights.max(beside, keepdims=True), -weights.min(beside, keepdims=True)).astype("f8")
    size = largest * factor
    small = (size < tiny / epsilon) & (largest > 0) & (factor > 0) & (size >= epsilon**2 * size.max())
    if not small.any():
        return False
    with np.errstate(all="ignore"):
        before, behind = (_without_smallest(np.abs(each), tiny).astype("f8") for each in (weights, result))
        is_same = np.abs(before / largest - behind / size) <= epsilon
    return bool((small & ~is_same).any())


def _without_smallest(array: Array, tiny: float) -> Array:
    import numpy as np

    return array if array.dtype.itemsize == 2 else np.where(array < tiny, 0, array)
