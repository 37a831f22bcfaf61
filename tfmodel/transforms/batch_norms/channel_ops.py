"""The layers: ops that are linear in their weights, each of whose output channels has weights of its own.

    LAYERS["Conv2D"]          # x is input 0, the weights are input 1; of [height, width, in, out], axis 3 is the output

Weights have the same axes whatever the layout of what goes in and comes out.

What multiplies and adds, channel by channel: y = x * scale + shift.

    Mul(x, m)   scale m                     Add(x, b), BiasAdd(x, b)   shift b
    RealDiv(x, m)   scale 1 / m             Sub(x, b)   shift -b          Sub(b, x)   scale -1, shift b

and batch norms, with scale = gamma / sqrt(variance + epsilon) and shift = beta - mean * scale.

What lets a scale pass to the layers before it, and most of them a shift, too.

BatchToSpaceND(x), MirrorPad(x)    both pass: each number of the result is one of x
Squeeze(x), ExpandDims(x)          likewise, and the channels are on another axis, perhaps
Reshape(x)                         likewise, if the last axis has the channels, before and behind
AvgPool(x), Identity(x)            both pass: each is an average of some
Pad(x)                             the scale passes, since zeros stay zeros; a shift must come behind it
ConcatV2(x, y)                     both pass, to each of the inputs; if channels are joined, to each its part
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ...graph import attr
from ...messages import NodeDef

__all__ = [
    "ARITHMETIC",
    "BATCH_NORMS",
    "CARRIERS",
    "LAYERS",
    "SCALES",
    "Affine",
    "CarrierOp",
    "Form",
    "LayerOp",
    "Unfit",
    "affine",
    "channel_axes",
    "channel_axis",
    "form",
    "scaled",
    "vanishes",
]


if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


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


class Unfit(Exception):
    """Why something that looks like a step, or like a layer, cannot be folded."""


@dataclass(frozen=True, slots=True)
class Affine:
    """x * scale + shift, both float64 and one number for each channel; None stands for ones, and for zeros."""

    scale: Array | None = None
    shift: Array | None = None

    def after(self, first: Affine) -> Affine:
        """This one, applied to what another one gives."""
        scale, shift = first.scale, first.shift
        if self.scale is not None:
            scale = self.scale if scale is None else scale * self.scale
            shift = None if shift is None else shift * self.scale
        if self.shift is not None:
            shift = self.shift if shift is None else shift + self.shift
        return Affine(scale, shift)

    def channels(self, start: int, end: int) -> Affine:
        """That of some of the channels."""
        return Affine(*(None if each is None else each[start:end] for each in (self.scale, self.shift)))


# Arithmetic: what it does as x is its first or its second input, and the other one is constant.
ARITHMETIC: dict[str, tuple[Callable[[Array], Affine] | None, Callable[[Array], Affine] | None]] = {
    "Mul": (lambda c: Affine(c), lambda c: Affine(c)),
    "RealDiv": (lambda c: Affine(1 / c), None),
    "Add": (lambda c: Affine(None, c), lambda c: Affine(None, c)),
    "AddV2": (lambda c: Affine(None, c), lambda c: Affine(None, c)),
    "Sub": (lambda c: Affine(None, -c), lambda c: Affine(0 * c - 1, c)),
    "BiasAdd": (lambda c: Affine(None, c), None),
}

SCALES = frozenset({"Mul", "RealDiv"})
"""The ones that multiply, which is what there is to fold."""

# Batch norms: where the variance, mean, beta and gamma are, x being input 0; and what holds epsilon, with its default.
_EPSILON = 9.999999747378752e-05  # 0.0001 in single precision
BATCH_NORMS: dict[str, tuple[tuple[int, int, int, int], str, float | None]] = {
    "BatchNormWithGlobalNormalization": ((2, 1, 3, 4), "variance_epsilon", None),
    "FusedBatchNorm": ((4, 3, 2, 1), "epsilon", _EPSILON),
    "FusedBatchNormV2": ((4, 3, 2, 1), "epsilon", _EPSILON),
    "FusedBatchNormV3": ((4, 3, 2, 1), "epsilon", _EPSILON),
}
_ROLES = ("variance", "mean", "beta", "gamma")


def affine(node: NodeDef, place: int, constants: Sequence[Array], rank: int, axis: int, channels: int) -> Affine:
    """What a step does. Input `place` is x, a tensor of that rank with channels on an axis; the others are constant.

    Raises Unfit if it is not the same all over a channel, GraphError for attributes that are wrong.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        if node.op in BATCH_NORMS:
            made = _normalizing(node, constants, rank, axis, channels)
        else:
            does = ARITHMETIC[node.op][place]
            assert does is not None  # that is how x was told from the others
            made = does(_vector(node, constants[0], rank, axis, channels))
    if not all(each is None or np.isfinite(each).all() for each in (made.scale, made.shift)):
        raise Unfit(f"some numbers of its {node.op} are not finite")
    return made


def _vector(node: NodeDef, constant: Array, rank: int, axis: int, channels: int) -> Array:
    """A constant as one number for each channel."""
    import numpy as np

    is_vector = constant.shape == (channels,)
    if node.op == "BiasAdd":
        if channel_axis(node, rank) != axis:
            raise Unfit("its BiasAdd has another layout than the layer")
        fits = is_vector
    elif is_vector and axis == rank - 1:
        return constant
    else:
        shape = (1,) * (rank - constant.ndim) + constant.shape
        beside = [size for at, size in enumerate(shape) if at != axis]
        fits = len(shape) == rank and beside == [1] * (rank - 1) and shape[axis] in (1, channels)
    if not fits:
        raise Unfit(f"the constant of its {node.op} has shape {list(constant.shape)}, its layer {channels:,} channels")
    return np.broadcast_to(constant.reshape(-1), (channels,))


def _normalizing(node: NodeDef, constants: Sequence[Array], rank: int, axis: int, channels: int) -> Affine:
    places, epsilon_name, default = BATCH_NORMS[node.op]
    is_global = node.op == "BatchNormWithGlobalNormalization"
    if not is_global and attr(node, "is_training", bool, True):
        raise Unfit("it is training")
    if channel_axis(node, rank) != axis:
        raise Unfit("it has another layout than the layer")
    given = [constants[place - 1] for place in places]
    for role, array in zip(_ROLES, given, strict=True):
        if array.shape != (channels,):
            raise Unfit(f"its {role} has shape {list(array.shape)}, its layer {channels:,} channels")
    variance, mean, beta, gamma = given
    epsilon = attr(node, epsilon_name, float) if default is None else attr(node, epsilon_name, float, default)
    is_scaled = not is_global or attr(node, "scale_after_normalization", bool)
    scale = (gamma if is_scaled else 1) / (variance + epsilon) ** 0.5
    return Affine(scale, beta - mean * scale)


@dataclass(frozen=True, slots=True)
class CarrierOp:
    """Which inputs of a node are carried, `carried` of all data inputs. The others say how, and must be constant.

    That is not so for those that are `free`: whatever they say, scales and shifts pass. `inputs` is how many data
    inputs there are, 0 for any number.
    """

    carried: slice
    inputs: int
    passes_shift: bool = True
    free: int | None = None


ONE = slice(0, 1)

CARRIERS = {
    "AvgPool": CarrierOp(ONE, 1),
    "BatchToSpaceND": CarrierOp(ONE, 3, free=2),  # what is cropped is gone, and nothing else changes
    "ExpandDims": CarrierOp(ONE, 2),
    "Pad": CarrierOp(ONE, 2, passes_shift=False),
    "PadV2": CarrierOp(ONE, 3, passes_shift=False),
    "Identity": CarrierOp(ONE, 1),
    "MirrorPad": CarrierOp(ONE, 2),
    "Reshape": CarrierOp(ONE, 2, free=1),  # of which the end must be known: see `endings`
    "Squeeze": CarrierOp(ONE, 1),
    "Concat": CarrierOp(slice(1, None), 0),
    "ConcatV2": CarrierOp(slice(0, -1), 0),
}


class Form(NamedTuple):
    """How many axes there are, and which has the channels; and whether these are those of all inputs, joined."""

    rank: int
    axis: int
    joins: bool = False


def form(node: NodeDef, others: Sequence[Array], given: Form) -> Form:
    """That of what a carrier gives. Its inputs are of the form `given`; `others` say how it carries them, in order.

    Raises Unfit if channels do not stay what they are.
    """
    rank, axis, _ = given
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
                raise Unfit("its PadV2 pads with other numbers than zeros")
        case "Squeeze":
            return _squeezed(attr(node, "squeeze_dims", list[int], []), rank, axis)
        case "ExpandDims":
            place = _place(node, others[0], rank + 1)
            return Form(rank + 1, axis + (place <= axis))
        case "Concat" | "ConcatV2":
            return Form(rank, axis, joins=_place(node, others[0], rank) == axis)
    return Form(rank, axis)


def _squeezed(dims: list[int], rank: int, axis: int) -> Form:
    if not dims or not all(-rank <= dim < rank for dim in dims):
        raise Unfit("its Squeeze does not say which axes go")
    gone = {dim % rank for dim in dims}
    if axis in gone:
        raise Unfit("its Squeeze takes the axis of the channels away")
    return Form(rank - len(gone), axis - sum(dim < axis for dim in gone))


def _place(node: NodeDef, axis: Array, rank: int) -> int:
    """The axis that a constant names."""
    if axis.size != 1 or not -rank <= axis.item() < rank:
        raise Unfit(f"its {node.op} has no such axis")
    return int(axis.item()) % rank
