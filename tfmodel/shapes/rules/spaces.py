"""Blocks of space that become batches or channels, and back."""

from __future__ import annotations

from ...errors import GraphError
from ...ops.shape_rules import Call, Result, Rule
from ...shape import Dim, Shape, added, ranked, rows, text

__all__ = ["RULES", "divided", "less", "pairs_of"]


def divided(size: Dim, by: Dim) -> Dim:
    """A size in so many parts."""
    if size is None or by is None:
        return None
    if by < 1 or size % by:
        raise GraphError(f"{size:,} cannot be divided by {by:,}")
    return size // by


def pairs_of(call: Call, place: int) -> list[Shape] | None:
    """The rows of a small matrix of two columns, such as what is put before and behind each dimension."""
    shape, value = ranked(call.shape(place), 2), call.integers(place)
    if shape[1] not in (None, 2):
        raise GraphError(f"the input {place} is {text(shape)}, no pairs")
    if value is None:
        return None
    return [value[start : start + 2] for start in range(0, len(value), 2)]


def less(size: Dim, off: Dim) -> Dim:
    return None if size is None or off is None else size - off


def _space_to_batch(call: Call) -> Result:
    return _to_batch(call.shape(0), call.numbers(1), pairs_of(call, 2), ranked(call.shape(1), 1))


def _space_to_batch_2d(call: Call) -> Result:
    return _to_batch(ranked(call.shape(0), 4), (call.attr("block_size", int),) * 2, pairs_of(call, 1), (2,))


def _to_batch(
    shape: Shape | None, blocks: tuple[int, ...] | None, paddings: list[Shape] | None, length: Shape
) -> Result:
    if blocks is None:
        if shape is None or length[0] is None:
            return shape and (None,) * len(shape)
        return _open_blocks(shape, length[0])
    if shape is None:
        return None
    count = len(blocks)
    rows(shape, count + 1)
    spaces = []
    for size, block, row in zip(shape[1:], blocks, _checked(count, paddings), strict=False):
        spaces.append(divided(added([size, *row]), block))
    batch = shape[0]
    for block in blocks:
        batch = None if batch is None else batch * block
    return (batch, *spaces, *shape[count + 1 :])


def _open_blocks(shape: Shape, count: int) -> Shape:
    """What is known if the blocks of so many dimensions are not."""
    rows(shape, count + 1)
    return (None,) * (count + 1) + shape[count + 1 :]


def _checked(count: int, pairs: list[Shape] | None) -> list[Shape]:
    """The pairs for so many blocks."""
    if pairs is not None and len(pairs) != count:
        raise GraphError(f"it has {count} blocks and {len(pairs)} pairs")
    return pairs or [(None, None)] * count


def _batch_to_space(call: Call) -> Result:
    return _from_batch(call.shape(0), call.numbers(1), pairs_of(call, 2), ranked(call.shape(1), 1))


def _batch_to_space_2d(call: Call) -> Result:
    return _from_batch(ranked(call.shape(0), 4), (call.attr("block_size", int),) * 2, pairs_of(call, 1), (2,))


def _from_batch(
    shape: Shape | None, blocks: tuple[int, ...] | None, crops: list[Shape] | None, length: Shape
) -> Result:
    if shape is None:
        return None
    if blocks is None:
        if length[0] is None:
            return (None,) * len(shape)
        return _open_blocks(shape, length[0])
    rows(shape, len(blocks) + 1)
    batch, spaces = shape[0], []
    for size, block, row in zip(shape[1:], blocks, _checked(len(blocks), crops), strict=False):
        batch = divided(batch, block)
        spaces.append(less(None if size is None else size * block, added(row)))
    return (batch, *spaces, *shape[len(blocks) + 1 :])


def _space_to_depth(call: Call) -> Result:
    return _between_space_and_depth(call, to_depth=True)


def _depth_to_space(call: Call) -> Result:
    return _between_space_and_depth(call, to_depth=False)


def _between_space_and_depth(call: Call, *, to_depth: bool) -> Shape:
    block = call.attr("block_size", int)
    if block < 1:
        raise GraphError(f"a block of {block} cannot be")
    layout = call.attr("data_format", str, "NHWC")
    if layout == "NCHW_VECT_C":
        batch, channels, height, width, vector = ranked(call.shape(0), 5)
        area = block * block
        if to_depth:
            return _times(batch, 1), _times(channels, area), divided(height, block), divided(width, block), vector
        return batch, divided(channels, area), _times(height, block), _times(width, block), vector
    sizes = dict(zip(layout, ranked(call.shape(0), 4), strict=False))
    if to_depth:
        sizes["H"], sizes["W"] = divided(sizes.get("H"), block), divided(sizes.get("W"), block)
        sizes["C"] = _times(sizes.get("C"), block * block)
    else:
        sizes["H"], sizes["W"] = _times(sizes.get("H"), block), _times(sizes.get("W"), block)
        sizes["C"] = divided(sizes.get("C"), block * block)
    return tuple(sizes.values())


def _times(size: Dim, factor: int) -> Dim:
    return None if size is None else size * factor


RULES: dict[str, Rule] = {
    "BatchToSpace": _batch_to_space_2d,
    "BatchToSpaceND": _batch_to_space,
    "DepthToSpace": _depth_to_space,
    "SpaceToBatch": _space_to_batch_2d,
    "SpaceToBatchND": _space_to_batch,
    "SpaceToDepth": _space_to_depth,
}
