"""What multiplies and adds, channel by channel: y = x * scale + shift.

    Mul(x, m)   scale m                     Add(x, b), BiasAdd(x, b)   shift b
    RealDiv(x, m)   scale 1 / m             Sub(x, b)   shift -b          Sub(b, x)   scale -1, shift b

and batch norms, with scale = gamma / sqrt(variance + epsilon) and shift = beta - mean * scale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...graph import attr
from ...messages import NodeDef
from .layers import channel_axis

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["ARITHMETIC", "BATCH_NORMS", "SCALES", "Affine", "Unfit", "affine"]


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
