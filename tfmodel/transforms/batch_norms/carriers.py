"""What lets a scale pass to the layers before it, and most of them a shift, too.

    BatchToSpaceND(x), MirrorPad(x)    both pass: each number of the result is one of x
    AvgPool(x), Identity(x)            both pass: each is an average of some
    Pad(x)                             the scale passes, since zeros stay zeros; a shift must come behind it
    ConcatV2(x, y)                     both pass, to each of the inputs; if channels are joined, to each its part
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...graph import attr
from ...messages import NodeDef
from .layers import channel_axis
from .steps import Unfit

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

__all__ = ["CARRIERS", "CarrierOp", "joins_channels"]


@dataclass(frozen=True, slots=True)
class CarrierOp:
    """Which inputs of a node are carried, `carried` of all data inputs; the others say how, and must be constant."""

    carried: slice
    passes_shift: bool = True


CARRIERS = {
    "AvgPool": CarrierOp(slice(0, 1)),
    "BatchToSpaceND": CarrierOp(slice(0, 1)),
    "Pad": CarrierOp(slice(0, 1), passes_shift=False),
    "PadV2": CarrierOp(slice(0, 1), passes_shift=False),
    "Identity": CarrierOp(slice(0, 1)),
    "MirrorPad": CarrierOp(slice(0, 1)),
    "Concat": CarrierOp(slice(1, None)),
    "ConcatV2": CarrierOp(slice(0, -1)),
}


def joins_channels(node: NodeDef, others: Sequence[Array], rank: int, axis: int) -> bool:
    """Whether the channels of the result are those of all inputs, one after the other. `others` say how, in order.

    The inputs are of `rank` axes, with channels on `axis`. Raises Unfit if channels do not stay what they are.
    """
    match node.op:
        case "Identity":
            pass
        case "AvgPool":
            if channel_axis(node, rank) != axis or attr(node, "ksize", list[int])[axis : axis + 1] != [1]:
                raise Unfit("its AvgPool has another layout than the layer")
        case "BatchToSpaceND":
            if others[0].ndim != 1 or others[0].size > axis:
                raise Unfit("its BatchToSpaceND is not one of height and width only")
        case "Pad" | "PadV2" | "MirrorPad":
            if others[0].shape != (rank, 2) or others[0][axis].any():
                raise Unfit(f"its {node.op} adds channels")
            if node.op == "PadV2" and others[1].any():
                raise Unfit("its PadV2 pads with other numbers than zeros")
        case _:
            if others[0].size != 1 or not -rank <= others[0].item() < rank:
                raise Unfit(f"its {node.op} has no such axis")
            return bool(others[0].item() % rank == axis)
    return False
