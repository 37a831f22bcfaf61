"""Shape rules of ops that rearrange elements: Transpose, Reverse, SpaceToBatch, patches, Bitcast."""

from __future__ import annotations

from ...errors import GraphError
from ...messages import DataType
from ...values.dtypes import dtype_of
from ...values.shape import MAX_DIMENSIONS, Dim, Shape, axis_of, rows_shape, shape_to_text, sum_sizes, with_rank
from .partial_tensors import MAX_KNOWN_ELEMENTS
from .table import Call, Result, Rule, divide_dim, read_pairs, same_shape, subtract_dim, window_count


def _reverse(call: Call) -> Result:
    """Return the shape of the input; its rank is the number of bools in the second input."""
    shape, (length,) = call.shape(0), with_rank(call.shape(1), 1)
    return shape if length is None or length > MAX_DIMENSIONS else with_rank(shape, length)


def _patches(call: Call) -> Result:
    batch, height, width, depth = with_rank(call.shape(0), 4)
    sizes, strides, rates = (call.attr(name, list[int]) for name in ("ksizes", "strides", "rates"))
    if len(sizes) != 4 or len(strides) != 4 or len(rates) != 4:
        raise GraphError("ksizes, strides and rates must have four numbers each")
    padding = call.attr("padding", str)
    space = [
        window_count((height, width)[axis], sizes[axis + 1], strides[axis + 1], padding, rates[axis + 1])
        for axis in range(2)
    ]
    return batch, *space, None if depth is None else depth * sizes[1] * sizes[2]


def _volume_patches(call: Call) -> Result:
    batch, *space, depth = with_rank(call.shape(0), 5)
    sizes, strides = call.attr("ksizes", list[int]), call.attr("strides", list[int])
    if len(sizes) != 5 or len(strides) != 5:
        raise GraphError("ksizes and strides must have five numbers each")
    padding = call.attr("padding", str)
    counts = [window_count(space[axis], sizes[axis + 1], strides[axis + 1], padding) for axis in range(3)]
    return batch, *counts, None if depth is None else depth * sizes[1] * sizes[2] * sizes[3]


def _transpose(call: Call) -> Result:
    shape, order = call.shape(0), call.numbers(1)
    length = call.shape(1)
    if order is None:
        rank = len(shape) if shape is not None else length[0] if length is not None and len(length) == 1 else None
        return None if rank is None or rank > MAX_KNOWN_ELEMENTS else (shape or (None,)) * (rank == 1) or (None,) * rank
    axes = [axis_of(axis, len(order)) for axis in order]
    if len(set(axes)) != len(axes):
        raise GraphError(f"{order} is not a permutation of dimensions")
    sizes = with_rank(shape, len(order))
    return tuple(sizes[axis] for axis in axes)


def _bitcast(call: Call) -> Result:
    """Return the shape of Bitcast: smaller elements add a last dimension, larger elements remove it."""
    shape = call.shape(0)
    old_size = dtype_of(call.attr("T", DataType)).itemsize
    new_size = dtype_of(call.attr("type", DataType)).itemsize
    if shape is None or old_size == new_size or not old_size or not new_size:
        return shape
    if old_size > new_size:
        return (*shape, old_size // new_size)
    if not shape or shape[-1] not in (None, new_size // old_size):
        raise GraphError(f"the last dimension of {shape_to_text(shape)} is not {new_size // old_size}")
    return shape[:-1]


def _space_to_batch(call: Call) -> Result:
    return _to_batch(call.shape(0), call.numbers(1), read_pairs(call, 2), with_rank(call.shape(1), 1))


def _space_to_batch_2d(call: Call) -> Result:
    return _to_batch(with_rank(call.shape(0), 4), (call.attr("block_size", int),) * 2, read_pairs(call, 1), (2,))


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
    rows_shape(shape, count + 1)
    spaces = []
    for size, block, row in zip(shape[1:], blocks, _check_pairs(count, paddings), strict=False):
        spaces.append(divide_dim(sum_sizes([size, *row]), block))
    batch = shape[0]
    for block in blocks:
        batch = None if batch is None else batch * block
    return (batch, *spaces, *shape[count + 1 :])


def _open_blocks(shape: Shape, count: int) -> Shape:
    """Return the known part of a shape if the block sizes of some dimensions are unknown."""
    rows_shape(shape, count + 1)
    return (None,) * (count + 1) + shape[count + 1 :]


def _check_pairs(count: int, pairs: list[Shape] | None) -> list[Shape]:
    """Return the paddings or crops of `count` blocks, or unknown ones. Raises GraphError for another number of them."""
    if pairs is not None and len(pairs) != count:
        raise GraphError(f"it has {count} blocks and {len(pairs)} paddings or crops")
    return pairs or [(None, None)] * count


def _batch_to_space(call: Call) -> Result:
    return _from_batch(call.shape(0), call.numbers(1), read_pairs(call, 2), with_rank(call.shape(1), 1))


def _batch_to_space_2d(call: Call) -> Result:
    return _from_batch(with_rank(call.shape(0), 4), (call.attr("block_size", int),) * 2, read_pairs(call, 1), (2,))


def _from_batch(
    shape: Shape | None, blocks: tuple[int, ...] | None, crops: list[Shape] | None, length: Shape
) -> Result:
    if shape is None:
        return None
    if blocks is None:
        if length[0] is None:
            return (None,) * len(shape)
        return _open_blocks(shape, length[0])
    rows_shape(shape, len(blocks) + 1)
    batch, spaces = shape[0], []
    for size, block, row in zip(shape[1:], blocks, _check_pairs(len(blocks), crops), strict=False):
        batch = divide_dim(batch, block)
        spaces.append(subtract_dim(None if size is None else size * block, sum_sizes(row)))
    return (batch, *spaces, *shape[len(blocks) + 1 :])


def _space_to_depth(call: Call) -> Result:
    return _between_space_and_depth(call, to_depth=True)


def _depth_to_space(call: Call) -> Result:
    return _between_space_and_depth(call, to_depth=False)


def _between_space_and_depth(call: Call, *, to_depth: bool) -> Shape:
    block = call.attr("block_size", int)
    if block < 1:
        raise GraphError(f"block_size must be positive, not {block}")
    layout = call.attr("data_format", str, "NHWC")
    if layout == "NCHW_VECT_C":
        batch, channels, height, width, vector = with_rank(call.shape(0), 5)
        area = block * block
        if to_depth:
            return (
                _multiply_dim(batch, 1),
                _multiply_dim(channels, area),
                divide_dim(height, block),
                divide_dim(width, block),
                vector,
            )
        return batch, divide_dim(channels, area), _multiply_dim(height, block), _multiply_dim(width, block), vector
    sizes = dict(zip(layout, with_rank(call.shape(0), 4), strict=False))
    if to_depth:
        sizes["H"], sizes["W"] = divide_dim(sizes.get("H"), block), divide_dim(sizes.get("W"), block)
        sizes["C"] = _multiply_dim(sizes.get("C"), block * block)
    else:
        sizes["H"], sizes["W"] = _multiply_dim(sizes.get("H"), block), _multiply_dim(sizes.get("W"), block)
        sizes["C"] = divide_dim(sizes.get("C"), block * block)
    return tuple(sizes.values())


def _multiply_dim(size: Dim, factor: int) -> Dim:
    return None if size is None else size * factor


ELEMENTWISE: dict[str, Rule] = {
    "Reverse": _reverse,
    "ReverseV2": same_shape,
    "Roll": same_shape,
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "BatchToSpace": _batch_to_space_2d,
    "BatchToSpaceND": _batch_to_space,
    "Bitcast": _bitcast,
    "ConjugateTranspose": _transpose,
    "DepthToSpace": _depth_to_space,
    "ExtractImagePatches": _patches,
    "ExtractVolumePatches": _volume_patches,
    "ReverseSequence": same_shape,
    "SpaceToBatch": _space_to_batch_2d,
    "SpaceToBatchND": _space_to_batch,
    "SpaceToDepth": _space_to_depth,
    "Transpose": _transpose,
}
