"""Blocks of images in their channels or in the batch, and back."""

from __future__ import annotations

from collections.abc import Sequence

from ..conversion import operators
from ..conversion.call import Call
from ..conversion.model import Value
from ..conversion.registry import converter


@converter("SpaceToDepth", "DepthToSpace")
def _depth(call: Call) -> Value:
    """Move blocks of the image into the channels, and back."""
    layout = call.attr("data_format", str, "NHWC")
    if layout not in ("NHWC", "NCHW"):
        call.refuse("its data_format has no counterpart")
    first = layout == "NHWC"
    x = call.input(0, first=first)
    more = {"mode": "DCR"} if call.node.op == "DepthToSpace" else {}
    return call.laid_out(call.add(call.node.op, x, blocksize=call.attr("block_size", int), more=more), first)


@converter("SpaceToBatchND", "SpaceToBatch")
def _to_batch(call: Call) -> Value:
    """Pad, and move blocks of the spatial axes into the batch: Reshape, Transpose, Reshape."""
    blocks, rank = _blocks(call), call.rank(0)
    count = len(blocks)
    value = _padded(call, call.input(0), count, rank)
    sizes = _sizes(call, value, rank)
    parts = [sizes[0]]
    for size, block in zip(sizes[1:], blocks, strict=False):
        parts += [call.add("Div", size, call.const([block])), call.const([block])]
    rest = sizes[count + 1 :]
    split = call.add("Reshape", value, operators.join(call, *parts, *rest))
    order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, rank + count)]
    counts = [call.const([-1]), *(parts[2 * axis + 1] for axis in range(count)), *rest]
    return call.laid_out(call.add("Reshape", call.transposed(split, order), operators.join(call, *counts)))


@converter("BatchToSpaceND", "BatchToSpace")
def _to_space(call: Call) -> Value:
    """Move blocks from the batch into the spatial axes, and crop: Reshape, Transpose, Reshape, Slice."""
    blocks, rank = _blocks(call), call.rank(0)
    count = len(blocks)
    value = call.input(0)
    sizes = _sizes(call, value, rank)
    rest = sizes[count + 1 :]
    split = call.add("Reshape", value, operators.join(call, call.const(blocks), call.const([-1]), *sizes[1:]))
    order = [count]
    for axis in range(count):
        order += [count + 1 + axis, axis]
    moved = call.transposed(split, [*order, *range(2 * count + 1, rank + count)])
    wide = [call.add("Mul", size, call.const([block])) for size, block in zip(sizes[1:], blocks, strict=False)]
    joined = call.add("Reshape", moved, operators.join(call, call.const([-1]), *wide, *rest))
    return call.laid_out(_cropped(call, joined, wide))


def _blocks(call: Call) -> list[int]:
    if not call.node.op.endswith("ND"):
        return [call.attr("block_size", int)] * 2
    return [int(size) for size in call.required(1, "the block").ravel()]


def _pairs(call: Call) -> tuple[Sequence[Sequence[int]] | None, Value]:
    """Return how much each spatial axis is padded or cropped before and behind, if it is constant, and as a value."""
    index = 2 if call.node.op.endswith("ND") else 1
    pairs = call.constant(index)
    return None if pairs is None else pairs.reshape(-1, 2).tolist(), call.int64(index)


def _sizes(call: Call, value: Value, rank: int) -> list[Value]:
    """Return the sizes of a value as vectors of one."""
    return [operators.shape_of(call, value, axis, axis + 1) for axis in range(rank)]


def _column(call: Call, pairs: Value, place: int) -> Value:
    return call.add("Gather", pairs, call.const(place), axis=1)


def _padded(call: Call, value: Value, count: int, rank: int) -> Value:
    known, pairs = _pairs(call)
    behind = [0] * (rank - count - 1)
    if known is not None:
        pads = [0, *(pair[0] for pair in known), *behind, 0, *(pair[1] for pair in known), *behind]
        return call.add("Pad", value, call.const(pads)) if any(pads) else value
    ends = [_column(call, pairs, place) for place in (0, 1)]
    between = call.const([*behind, 0])
    parts = [call.const([0]), ends[0], between, ends[1], *([call.const(behind)] if behind else [])]
    return call.add("Pad", value, operators.join(call, *parts))


def _cropped(call: Call, value: Value, sizes: Sequence[Value]) -> Value:
    known, pairs = _pairs(call)
    axes = list(range(1, len(sizes) + 1))
    if known is None:
        computed = call.add("Sub", operators.join(call, *sizes), _column(call, pairs, 1))
        return operators.slice_axes(call, value, _column(call, pairs, 0), computed, axes)
    if not any(map(sum, known)):
        return value
    limits = [-pair[1] if pair[1] else operators.MAX for pair in known]
    return operators.slice_axes(call, value, [pair[0] for pair in known], limits, axes)
