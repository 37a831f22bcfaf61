"""What lets a scale pass to the layers before it, and most of them a shift, too.

BatchToSpaceND(x), MirrorPad(x)    both pass: each number of the result is one of x
Squeeze(x), ExpandDims(x)          likewise, and the channels are on another axis, perhaps
Reshape(x)                         likewise, if the last axis has the channels, before and behind
AvgPool(x), Identity(x)            both pass: each is an average of some
Pad(x)                             the scale passes, since zeros stay zeros; a shift must come behind it
ConcatV2(x, y)                     both pass, to each of the inputs; if channels are joined, to each its part
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ...graph import attr
from ...messages import NodeDef
from .layers import channel_axis
from .steps import Unfit

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["CARRIERS", "CarrierOp", "Form", "form"]


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
