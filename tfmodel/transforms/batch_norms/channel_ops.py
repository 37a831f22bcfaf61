"""Ops that work per channel: layers, steps, and carriers, which are ops that scales and shifts pass through.

Layers are linear in their weights, and each output channel has weights of its own:

    LAYERS["Conv2D"]    # x is input 0; the weights are input 1, of shape [height, width, in, out]: axis 3 is the output

Weights have the same axes in every layout (`data_format`) of input and output.

Steps multiply and add per channel: y = x * scale + shift.

    Mul(x, m)   scale m                     Add(x, b), BiasAdd(x, b)   shift b
    RealDiv(x, m)   scale 1 / m             Sub(x, b)   shift -b          Sub(b, x)   scale -1, shift b

A batch norm is a step too: its scale is gamma / sqrt(variance + epsilon), and its shift is beta - mean * scale.

Carriers let a scale pass to the layers before them. Most carriers also let a shift pass:

    BatchToSpaceND(x), MirrorPad(x)    scale and shift pass: each element of the result is an element of x
    Squeeze(x), ExpandDims(x)          scale and shift pass, but the channels may be on another axis
    Reshape(x)                         scale and shift pass, if the last axis has the channels before and after
    AvgPool(x), Identity(x)            scale and shift pass: each element is an average of elements of x
    Pad(x)                             the scale passes, since zeros stay zeros; a shift must be added after the Pad
    ConcatV2(x, y)                     scale and shift pass to each input; if the op joins channels, each input gets
                                       the part for its channels
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph import attr
from ...messages import NodeDef
from ...ops.input_roles import input_index

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class LayerOp:
    """The inputs of a layer, and its channels.

    x, weights   the positions of x and the weights among the inputs
    rank         the number of dimensions of the output
    axes         the axes of the weights that are the output channels: two axes together in a depthwise convolution
    transposed   these axes if the attribute `transpose_b` is set
    """

    x: int
    weights: int
    rank: int
    axes: tuple[int, ...]
    transposed: tuple[int, ...] = ()


LAYERS = {
    "Conv2D": LayerOp(0, 1, 4, (3,)),
    "DepthwiseConv2dNative": LayerOp(0, 1, 4, (2, 3)),
    "Conv2DBackpropInput": LayerOp(2, 1, 4, (2,)),
    "Conv3D": LayerOp(0, 1, 5, (4,)),
    "Conv3DBackpropInputV2": LayerOp(2, 1, 5, (3,)),
    "MatMul": LayerOp(0, 1, 2, (1,), transposed=(0,)),
}

_LAST, _SECOND = (b"NHWC", b"NDHWC"), (b"NCHW", b"NCDHW")


def channel_axes(node: NodeDef) -> tuple[int, ...]:
    """Return the axes of a layer's weights that are its output channels. Raises GraphError for a damaged attribute."""
    op = LAYERS[node.op]
    is_transposed = bool(op.transposed) and attr(node, "transpose_b", bool, False)
    return op.transposed if is_transposed else op.axes


def channel_axis(node: NodeDef, rank: int) -> int | None:
    """Return the channel axis of a tensor of that rank in the layout of a node; None for an unusual layout."""
    layout = attr(node, "data_format", bytes, _LAST[0])
    if layout in _LAST:
        return rank - 1
    return 1 if layout in _SECOND else None


def scale_channels(weights: Array, axes: Sequence[int], scale: Array) -> Array:
    """Return weights with each output channel multiplied by its float64 scale. The products are rounded once."""
    shape = [size if axis in axes else 1 for axis, size in enumerate(weights.shape)]
    narrow_scale = scale.astype(weights.dtype)
    result = np.empty(weights.shape, weights.dtype)
    if (narrow_scale == scale).all():  # then products in the weights' type are rounded once, too
        np.multiply(weights, narrow_scale.reshape(shape), out=result)
    else:
        np.multiply(weights, scale.reshape(shape), out=result, dtype=np.float64, casting="same_kind")
    return result


def has_underflow(weights: Array, axes: Sequence[int], scale: Array, result: Array) -> bool:
    """Return whether a weight that is not zero became zero, although its scale is not zero.

    Then an output that was not zero may become zero, and a division by it infinite or NaN. TensorFlow treats numbers
    below the smallest normal one as zero, except in half precision. There, weights lose digits before that, and weights
    close to zero are common. So a weight of half precision counts only if it is not negligible, that is, larger than
    the rounding error of the largest weight of its channel, and lost digits count as well.
    """
    limits = np.finfo(result.dtype)
    is_half = result.dtype.itemsize == 2
    tiny, epsilon = float(limits.tiny), float(limits.eps)
    if _smallest_magnitude(result) >= tiny:
        return False  # the usual case
    factor = np.abs(scale).reshape([size if axis in axes else 1 for axis, size in enumerate(weights.shape)])
    before, after = (np.abs(array) for array in (weights, result))
    if not is_half:
        return bool(((before >= tiny) & (after < tiny) & (factor > 0)).any())
    other_axes = tuple(axis for axis in range(weights.ndim) if axis not in axes)
    allowed = epsilon * before.max(other_axes, keepdims=True).astype("f8") * factor
    if ((allowed == 0) | (allowed >= tiny * epsilon / 2)).all():
        return False  # half the distance between two small numbers is allowed in all channels
    exact = before.astype("f8") * factor
    return bool(((np.abs(after.astype("f8") - exact) > allowed) & (exact < tiny)).any())


_BLOCK = 1 << 16


def _smallest_magnitude(array: Array) -> float:
    """Return the smallest absolute value of the elements, without a copy of the array."""
    flat = array.reshape(-1)
    blocks = (flat[start : start + _BLOCK] for start in range(0, flat.size, _BLOCK))
    return min(float(np.abs(block).min()) for block in blocks)


class Unfit(Exception):
    """The reason why a node that looks like a step or a layer cannot be folded."""


def require_nonzero(scale: Any, is_nonzero: Any) -> None:
    """Raise Unfit if float64 numbers are so small that digits are lost, where they should not be zero."""
    if (is_nonzero & (np.abs(scale) < np.finfo(np.float64).tiny)).any():
        raise Unfit("a scale would be too small for float64")


@dataclass(frozen=True, slots=True)
class Affine:
    """The operation x * scale + shift, with one float64 number per channel.

    A scale of None stands for ones, and a shift of None for zeros.
    """

    scale: Array | None = None
    shift: Array | None = None

    def after(self, first: Affine) -> Affine:
        """Return the operation that does `first`, and then this operation.

        Raises Unfit if a float64 number is too large, or if a scale is too small.
        """
        scale, shift = first.scale, first.shift
        with np.errstate(all="ignore"):
            if self.scale is not None:
                scale = self.scale if scale is None else scale * self.scale
                shift = None if shift is None else shift * self.scale
            if self.shift is not None:
                shift = self.shift if shift is None else shift + self.shift
        if not all(numbers is None or np.isfinite(numbers).all() for numbers in (scale, shift)):
            raise Unfit("the product of its scales, or a number to add, would not be finite")
        if first.scale is not None and self.scale is not None:
            require_nonzero(scale, (first.scale != 0) & (self.scale != 0))
        return Affine(scale, shift)

    def channels(self, start: int, end: int) -> Affine:
        """Return the operation on the channels from `start` to `end`."""
        return Affine(*(None if values is None else values[start:end] for values in (self.scale, self.shift)))


# Arithmetic ops with a constant input: two functions that make the operation from the constant, for x as the first and
# as the second input. None if x cannot be there.
ARITHMETIC: dict[str, tuple[Callable[[Array], Affine] | None, Callable[[Array], Affine] | None]] = {
    "Mul": (lambda c: Affine(c), lambda c: Affine(c)),
    "RealDiv": (lambda c: Affine(1 / c), None),
    "Add": (lambda c: Affine(None, c), lambda c: Affine(None, c)),
    "AddV2": (lambda c: Affine(None, c), lambda c: Affine(None, c)),
    "Sub": (lambda c: Affine(None, -c), lambda c: Affine(0 * c - 1, c)),
    "BiasAdd": (lambda c: Affine(None, c), None),
}

SCALES = frozenset({"Mul", "RealDiv"})
"""The arithmetic ops that multiply."""

# Batch norms: the attribute of epsilon, and its default.
_EPSILON = 9.999999747378752e-05  # 0.0001 in single precision
BATCH_NORMS: dict[str, tuple[str, float | None]] = {
    "BatchNormWithGlobalNormalization": ("variance_epsilon", None),
    "FusedBatchNorm": ("epsilon", _EPSILON),
    "FusedBatchNormV2": ("epsilon", _EPSILON),
    "FusedBatchNormV3": ("epsilon", _EPSILON),
}
_ROLES = ("moving variance", "moving mean", "beta", "gamma")


def affine(node: NodeDef, place: int, constants: Sequence[Array], rank: int, axis: int, channels: int) -> Affine:
    """Return the scale and shift of a step.

    x is the input `place`, and has `channels` channels along the axis `axis` of `rank` axes. The other inputs have the
    values `constants`. Raises Unfit if scale or shift is not uniform within each channel, and GraphError for damaged
    attributes.
    """
    with np.errstate(all="ignore"):
        if node.op in BATCH_NORMS:
            step = _batch_norm(node, constants, rank, axis, channels)
        else:
            effect = ARITHMETIC[node.op][place]
            assert effect is not None  # `place` was chosen so
            step = effect(_vector(node, constants[0], rank, axis, channels))
    if not all(factor is None or np.isfinite(factor).all() for factor in (step.scale, step.shift)):
        raise Unfit(f"some numbers of its {node.op} are not finite")
    return step


def _vector(node: NodeDef, constant: Array, rank: int, axis: int, channels: int) -> Array:
    """Return a constant as one number per channel."""
    is_vector = constant.shape == (channels,)
    if node.op == "BiasAdd":
        if channel_axis(node, rank) != axis:
            raise Unfit("its BiasAdd has another layout than the layer")
        fits = is_vector
    elif is_vector and axis == rank - 1:
        return constant
    else:
        shape = (1,) * (rank - constant.ndim) + constant.shape
        other_sizes = [size for dimension, size in enumerate(shape) if dimension != axis]
        fits = len(shape) == rank and other_sizes == [1] * (rank - 1) and shape[axis] in (1, channels)
    if not fits:
        shape_text = f"has shape {list(constant.shape)}, but its layer has {channels:,} channels"
        raise Unfit(f"the constant of its {node.op} {shape_text}")
    return np.broadcast_to(constant.reshape(-1), (channels,))


def _batch_norm(node: NodeDef, constants: Sequence[Array], rank: int, axis: int, channels: int) -> Affine:
    epsilon_name, default = BATCH_NORMS[node.op]
    is_global = node.op == "BatchNormWithGlobalNormalization"
    if not is_global and attr(node, "is_training", bool, True):
        raise Unfit("it is training")
    if channel_axis(node, rank) != axis:
        raise Unfit("it has another layout than the layer")
    parameters = [constants[input_index(node.op, role) - 1] for role in _ROLES]  # x is input 0
    for role, array in zip(_ROLES, parameters, strict=True):
        if array.shape != (channels,):
            shape_text = f"has shape {list(array.shape)}, but its layer has {channels:,} channels"
            raise Unfit(f"its {role.removeprefix('moving ')} {shape_text}")
    variance, mean, beta, gamma = parameters
    epsilon = attr(node, epsilon_name, float) if default is None else attr(node, epsilon_name, float, default)
    is_scaled = not is_global or attr(node, "scale_after_normalization", bool)
    scale = (gamma if is_scaled else 1) / (variance + epsilon) ** 0.5
    require_nonzero(scale, gamma != 0 if is_scaled else variance < math.inf)
    return Affine(scale, beta - mean * scale)


@dataclass(frozen=True, slots=True)
class CarrierOp:
    """The inputs of a carrier.

    carried        the slice of its data inputs through which scales pass; the others must be constant
    inputs         the number of data inputs, 0 for any number
    passes_shift   whether shifts pass too
    free           an input that need not be constant, since scales and shifts pass whatever its value is
    """

    carried: slice
    inputs: int
    passes_shift: bool = True
    free: int | None = None


ONE = slice(0, 1)

CARRIERS = {
    "AvgPool": CarrierOp(ONE, 1),
    "BatchToSpaceND": CarrierOp(ONE, 3, free=2),  # cropping removes elements and changes nothing else
    "ExpandDims": CarrierOp(ONE, 2),
    "Pad": CarrierOp(ONE, 2, passes_shift=False),
    "PadV2": CarrierOp(ONE, 3, passes_shift=False),
    "Identity": CarrierOp(ONE, 1),
    "MirrorPad": CarrierOp(ONE, 2),
    "Reshape": CarrierOp(ONE, 2, free=1),  # the last size of the shape must be known: see `constants.ending`
    "Squeeze": CarrierOp(ONE, 1),
    "Concat": CarrierOp(slice(1, None), 0),
    "ConcatV2": CarrierOp(slice(0, -1), 0),
}


class Form(NamedTuple):
    """The rank of a tensor and its channel axis.

    `joins` is True for the output of a concatenation along the channel axis.
    """

    rank: int
    axis: int
    joins: bool = False


def form(node: NodeDef, others: Sequence[Array], layer_form: Form) -> Form:
    """Return the form of a carrier's output. Its inputs have the form `layer_form`; `others` are its constant inputs.

    Raises Unfit if channels do not stay separate.
    """
    rank, axis, _ = layer_form
    match node.op:
        case "AvgPool":
            if channel_axis(node, rank) != axis or attr(node, "ksize", list[int])[axis : axis + 1] != [1]:
                raise Unfit("its AvgPool has another layout than the layer")
        case "BatchToSpaceND":
            if others[0].ndim != 1 or others[0].size >= axis:
                raise Unfit("its BatchToSpaceND is not one of height and width only")
        case "Pad" | "PadV2" | "MirrorPad":
            if others[0].shape != (rank, 2) or others[0][axis].any():
                raise Unfit(f"its {node.op} adds channels")
            if node.op == "PadV2" and others[1].any():
                raise Unfit("its PadV2 pads with numbers other than zero")
        case "Squeeze":
            return _squeeze(attr(node, "squeeze_dims", list[int], []), rank, axis)
        case "ExpandDims":
            place = _place(node, others[0], rank + 1)
            return Form(rank + 1, axis + (place <= axis))
        case "Concat" | "ConcatV2":
            return Form(rank, axis, joins=_place(node, others[0], rank) == axis)
    return Form(rank, axis)


def _squeeze(dims: list[int], rank: int, axis: int) -> Form:
    if not dims or not all(-rank <= dim < rank for dim in dims):
        raise Unfit("its Squeeze does not name the removed axes")
    removed_axes = {dim % rank for dim in dims}
    if axis in removed_axes:
        raise Unfit("its Squeeze removes the channel axis")
    return Form(rank - len(removed_axes), axis - sum(removed < axis for removed in removed_axes))


def _place(node: NodeDef, axis: Array, rank: int) -> int:
    """Return the axis that a constant selects."""
    if axis.size != 1 or not -rank <= axis.item() < rank:
        raise Unfit(f"its {node.op} has no such axis")
    return int(axis.item()) % rank
