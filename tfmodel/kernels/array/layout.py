"""Kernels of shapes and layout: Shape, Reshape, BroadcastTo, Transpose, Reverse, SpaceToBatch, patches, Bitcast."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import dtype_of
from ...values.terminal import escape
from ..runtime.argument_checks import (
    check,
    check_indices,
    check_rank,
    int_list,
    normalize_axis,
    read_scalar,
    read_shape,
    read_vector,
    show,
    zeros,
)
from ..runtime.memory_limit import INDEX_BYTES, LIST_ITEM_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel


@kernel("Shape")
def shape(x: Tensor, *, out_type: DataType) -> Tensor:
    limit = 2**31 if out_type == DataType.DT_INT32 else 2**63
    check(max(x.shape, default=0) < limit, f"the shape {show(x.shape)} does not fit into the type of the output")
    return np.array(x.shape, np.int64)


@kernel("ShapeN")
def shapes(*tensors: Tensor, out_type: DataType) -> list[Tensor]:
    return [shape(tensor, out_type=out_type) for tensor in tensors]


@kernel("Size")
def size(x: Tensor, *, out_type: DataType) -> Tensor:
    limit = 2**31 if out_type == DataType.DT_INT32 else 2**63
    check(x.size < limit, f"the number of elements, {x.size:,}, does not fit into the type of the output")
    return np.array(x.size, np.int64)


@kernel("Rank")
def rank(x: Tensor) -> Tensor:
    return np.array(x.ndim, np.int32)


# --- the same elements in another shape ------------------------------------------------------------------------------


@kernel("Reshape")
def reshape(x: Tensor, shape: Tensor) -> Tensor:
    check(shape.ndim <= 1, f"shape must be a vector, not of shape {show(shape.shape)}")
    check_rank(shape, "shape")
    sizes = int_list(shape.reshape(-1))
    check(
        sizes.count(-1) <= 1 and min(sizes, default=0) >= -1,
        f"shape is {show(sizes)}, but only one size may be -1, and no other negative",
    )
    known = math.prod(size for size in sizes if size > 0 or -1 not in sizes)
    if -1 in sizes:  # as in TensorFlow: if a new size is 0, old sizes of 0 are left out too
        elements = math.prod(size for size in x.shape if size or 0 not in sizes)
        sizes[sizes.index(-1)] = elements // known
    if math.prod(sizes) != x.size:
        requested = int_list(shape.reshape(-1))
        expected = "none" if 0 in requested else f"a multiple of {known:,}" if -1 in requested else f"{known:,}"
        check(
            False,
            f"a tensor of shape {show(x.shape)} has {_count_text(x.size)}, shape {show(requested)} needs {expected}",
        )
    return x.reshape(sizes)


def _count_text(count: int) -> str:
    return "1 element" if count == 1 else f"{count:,} elements"


@kernel("Squeeze")
def squeeze(x: Tensor, *, squeeze_dims: Sequence[int]) -> Tensor:
    axes = {normalize_axis(axis, x.ndim, "squeeze_dims") for axis in squeeze_dims}
    for axis in axes:
        check(x.shape[axis] == 1, f"dimension {axis} of {show(x.shape)} cannot be squeezed, as it is not 1")
    if not axes:
        return x.reshape([size for size in x.shape if size != 1])
    return x.reshape([size for axis, size in enumerate(x.shape) if axis not in axes])


@kernel("ExpandDims")
def expand_dims(x: Tensor, dim: Tensor) -> Tensor:
    check(dim.size == 1, f"dim must be one number, not of shape {show(dim.shape)}")
    return np.expand_dims(x, normalize_axis(dim.item(), x.ndim + 1, "dim"))


@kernel("BroadcastTo")
def broadcast_to(x: Tensor, shape: Tensor) -> Tensor:
    sizes = read_shape(shape, "shape")
    check(shape.ndim == 1, f"shape must be a vector, not of shape {show(shape.shape)}")
    check(
        x.ndim <= len(sizes) and all(old in (1, size) for old, size in zip(x.shape[::-1], sizes[::-1], strict=False)),
        f"a tensor of shape {show(x.shape)} cannot be broadcast to {show(sizes)}",
    )
    return np.broadcast_to(x, sizes)


# --- shapes as tensors -----------------------------------------------------------------------------------------------


@kernel("BroadcastArgs")
def broadcast_args(s0: Tensor, s1: Tensor) -> Tensor:
    first, second = read_vector(s0, "s0"), read_vector(s1, "s1")
    return np.array(_broadcast(first, second), s0.dtype)


def _broadcast(first: Sequence[int], second: Sequence[int]) -> list[int]:
    sizes = []
    for a, b in itertools.zip_longest(first[::-1], second[::-1], fillvalue=1):
        if a != b and 1 not in (a, b):
            raise RunError(f"the shapes {show(first)} and {show(second)} cannot be broadcast together")
        sizes.append(b if a == 1 else a)
    return sizes[::-1]


@kernel("BroadcastGradientArgs")
def broadcast_gradient_args(s0: Tensor, s1: Tensor) -> tuple[Tensor, Tensor]:
    """Return the axes over which the gradients of two broadcast inputs are summed."""
    claim(3 * LIST_ITEM_BYTES * (s0.size + s1.size))
    first, second = read_vector(s0, "s0"), read_vector(s1, "s1")
    if first == second:
        return np.empty(0, s0.dtype), np.empty(0, s0.dtype)
    rank = len(_broadcast(first, second))
    padded = [[1] * (rank - len(sizes)) + sizes for sizes in (first, second)]
    a, b = ([axis for axis, size in enumerate(sizes) if size == 1] for sizes in padded)
    return np.array(a, s0.dtype), np.array(b, s0.dtype)


@kernel("ConcatOffset")
def concat_offset(concat_dim: Tensor, *shapes: Tensor) -> list[Tensor]:
    """Return the offset of each shape in their concatenation."""
    rows = [read_vector(shape, "shape", shapes[0].size) for shape in shapes]
    axis = normalize_axis(read_scalar(concat_dim, "concat_dim"), len(rows[0]), "concat_dim")
    for row in rows[1:]:
        same = row[:axis] + row[axis + 1 :] == rows[0][:axis] + rows[0][axis + 1 :]
        check(same, f"the shapes {show(rows[0])} and {show(row)} differ in more than dimension {axis}")
    starts = itertools.accumulate([row[axis] for row in rows[:-1]], initial=0)
    offsets = np.zeros((len(rows), len(rows[0])), np.int32)
    offsets[:, axis] = list(starts)
    return list(offsets)


# --- permutations ----------------------------------------------------------------------------------------------------


@kernel("Transpose")
def transpose(x: Tensor, perm: Tensor) -> Tensor:
    axes = read_vector(perm, "perm", x.ndim)
    check_indices(perm, x.ndim, "perm")
    check(len(set(axes)) == x.ndim, f"perm is {show(axes)}, which has an axis twice")
    return x.transpose(axes)


@kernel("ConjugateTranspose")
def conjugate_transpose(x: Tensor, perm: Tensor) -> Tensor:
    transposed = transpose(x, perm)
    return np.conj(transposed) if x.dtype.kind == "c" else transposed


@kernel("Reverse")
def reverse(x: Tensor, dims: Tensor) -> Tensor:
    check(x.ndim <= 8, f"the tensor must have at most 8 dimensions, not {x.ndim}")
    if x.ndim == 0:
        return x
    flags = read_vector(dims, "dims", x.ndim)
    return np.flip(x, tuple(axis for axis, flag in enumerate(flags) if flag))


@kernel("ReverseV2")
def reverse_v2(x: Tensor, axis: Tensor) -> Tensor:
    check(x.ndim <= 8, f"the tensor must have at most 8 dimensions, not {x.ndim}")
    if x.ndim == 0:
        return x
    axes = [normalize_axis(number, x.ndim) for number in read_vector(axis, "axis")]
    check(len(set(axes)) == len(axes), f"axis is {show(int_list(axis))}, which has an axis twice")
    return np.flip(x, tuple(axes))


@kernel("ReverseSequence")
def reverse_sequence(x: Tensor, seq_lengths: Tensor, *, seq_dim: int, batch_dim: int) -> Tensor:
    for name, axis in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        check(0 <= axis < x.ndim, f"{name} is {axis}, but the tensor has {x.ndim} dimensions")
    check(seq_dim != batch_dim, f"seq_dim and batch_dim are both {seq_dim}")
    read_vector(seq_lengths, "seq_lengths", x.shape[batch_dim])
    check_indices(seq_lengths, x.shape[seq_dim] + 1, "seq_lengths")
    claim(4 * INDEX_BYTES * seq_lengths.size * x.shape[seq_dim])
    positions = np.arange(x.shape[seq_dim])
    lengths = seq_lengths[:, np.newaxis]
    sources = np.where(positions < lengths, lengths - 1 - positions, positions)  # [batch, sequence]
    order = (batch_dim, seq_dim)
    result = np.moveaxis(x, order, (0, 1))[np.arange(len(sources))[:, np.newaxis], sources]
    return np.moveaxis(result, (0, 1), order)


@kernel("Roll")
def roll(x: Tensor, shift: Tensor, axis: Tensor) -> Tensor:
    check(x.ndim > 0, "a scalar cannot be rolled")
    check(
        shift.ndim <= 1 and shift.shape == axis.shape,
        f"shift {show(shift.shape)} and axis {show(axis.shape)} must be scalars, or vectors of one size",
    )
    axes = [normalize_axis(number, x.ndim) for number in int_list(axis.reshape(-1))]
    return np.roll(x, int_list(shift.reshape(-1)), axes) if x.size else x


# --- blocks ----------------------------------------------------------------------------------------------------------


@kernel("SpaceToBatchND")
def space_to_batch_nd(x: Tensor, block_shape: Tensor, paddings: Tensor) -> Tensor:
    return _to_batch(x, *_read_blocks(x, block_shape, paddings, "paddings"))


@kernel("SpaceToBatch")
def space_to_batch(x: Tensor, paddings: Tensor, *, block_size: int) -> Tensor:
    return _to_batch(x, *_read_square_blocks(x, block_size, paddings, "paddings"))


@kernel("BatchToSpaceND")
def batch_to_space_nd(x: Tensor, block_shape: Tensor, crops: Tensor) -> Tensor:
    return _from_batch(x, *_read_blocks(x, block_shape, crops, "crops"))


@kernel("BatchToSpace")
def batch_to_space(x: Tensor, crops: Tensor, *, block_size: int) -> Tensor:
    return _from_batch(x, *_read_square_blocks(x, block_size, crops, "crops"))


_Blocks = tuple[list[int], list[list[int]]]


def _read_blocks(x: Tensor, block_shape: Tensor, margins: Tensor, name: str) -> _Blocks:
    """Return the block sizes of the dimensions after the batch, and their paddings or crops."""
    blocks = read_vector(block_shape, "block_shape")
    check(x.ndim > len(blocks), f"a tensor of {x.ndim} dimensions has too few for {len(blocks)} blocks and a batch")
    check(min(blocks, default=1) >= 1, f"block_shape is {show(blocks)}, but must be positive")
    check(margins.shape == (len(blocks), 2), f"{name} must be of shape [{len(blocks)},2], not {show(margins.shape)}")
    check((margins >= 0).all(), f"{name} must not be negative, as in {margins.tolist()}")
    return blocks, [int_list(row) for row in margins]


def _read_square_blocks(x: Tensor, block_size: int, margins: Tensor, name: str) -> _Blocks:
    check(x.ndim == 4, f"the input must have 4 dimensions, not {x.ndim}")
    check(block_size >= 2, f"block_size must be 2 or more, not {block_size}")
    return _read_blocks(x, np.array([block_size, block_size]), margins, name)


def _to_batch(x: Tensor, blocks: list[int], paddings: list[list[int]]) -> Tensor:
    """Convert [batch, height, width, ...] to [block * block * batch, height / block, width / block, ...]."""
    count = len(blocks)
    batch, *space = x.shape[: count + 1]
    sizes = [before + size + after for size, (before, after) in zip(space, paddings, strict=True)]
    for size, block in zip(sizes, blocks, strict=True):
        check(size % block == 0, f"the padded size {size} cannot be divided into blocks of {block}")
    if any(map(any, paddings)):
        padded = zeros((batch, *sizes, *x.shape[count + 1 :]), x.dtype)
        padded[(slice(None), *(slice(a, a + size) for size, (a, _) in zip(space, paddings, strict=True)))] = x
        x = padded
    splits = [part for size, block in zip(sizes, blocks, strict=True) for part in (size // block, block)]
    inner = x.reshape((batch, *splits, *x.shape[count + 1 :]))
    axes = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, inner.ndim)]
    return inner.transpose(axes).reshape(
        (
            math.prod(blocks) * batch,
            *(size // block for size, block in zip(sizes, blocks, strict=True)),
            *x.shape[count + 1 :],
        )
    )


def _from_batch(x: Tensor, blocks: list[int], crops: list[list[int]]) -> Tensor:
    """Convert [block * block * batch, height, width, ...] to [batch, height * block, width * block, ...], and crop."""
    count = len(blocks)
    product = math.prod(blocks)
    check(x.shape[0] % product == 0, f"a batch of {x.shape[0]} cannot be divided by {product}, the size of blocks")
    batch, space, inner_shape = x.shape[0] // product, x.shape[1 : count + 1], x.shape[count + 1 :]
    inner = x.reshape((*blocks, batch, *space, *inner_shape))
    pairs = [number for axis in range(count) for number in (count + 1 + axis, axis)]
    axes = [count, *pairs, *range(2 * count + 1, inner.ndim)]
    sizes = [size * block for size, block in zip(space, blocks, strict=True)]
    for size, crop in zip(sizes, crops, strict=True):
        check(sum(crop) <= size, f"crops of {show(crop)} exceed the size of {size}")
    merged_blocks = inner.transpose(axes).reshape((batch, *sizes, *inner_shape))
    return merged_blocks[(slice(None), *(slice(a, size - b) for size, (a, b) in zip(sizes, crops, strict=True)))]


@kernel("SpaceToDepth")
def space_to_depth(x: Tensor, *, block_size: int, data_format: bytes) -> Tensor:
    x = _to_channels_last(x, block_size, data_format)
    n, height, width, depth = x.shape
    check(
        height % block_size == 0 and width % block_size == 0,
        f"an image of {height} x {width} cannot be divided into blocks of {block_size}",
    )
    inner = x.reshape(n, height // block_size, block_size, width // block_size, block_size, depth)
    moved = inner.transpose(0, 1, 3, 2, 4, 5)
    return _to_format(moved.reshape(n, height // block_size, width // block_size, block_size**2 * depth), data_format)


@kernel("DepthToSpace")
def depth_to_space(x: Tensor, *, block_size: int, data_format: bytes) -> Tensor:
    x = _to_channels_last(x, block_size, data_format)
    n, height, width, depth = x.shape
    check(depth % block_size**2 == 0, f"a depth of {depth} cannot be divided by {block_size} * {block_size}")
    inner = x.reshape(n, height, width, block_size, block_size, depth // block_size**2)
    moved = inner.transpose(0, 1, 3, 2, 4, 5)
    return _to_format(moved.reshape(n, height * block_size, width * block_size, depth // block_size**2), data_format)


def _to_channels_last(x: Tensor, block_size: int, data_format: bytes) -> Tensor:
    check(
        data_format in (b"NHWC", b"NCHW"),
        f"data_format must be NHWC or NCHW, not {escape(data_format.decode('latin1'))}",
    )
    check(x.ndim == 4, f"the input must have 4 dimensions, not {x.ndim}")
    check(block_size >= 2, f"block_size must be 2 or more, not {block_size}")
    return x.transpose(0, 2, 3, 1) if data_format == b"NCHW" else x


def _to_format(x: Tensor, data_format: bytes) -> Tensor:
    return x.transpose(0, 3, 1, 2) if data_format == b"NCHW" else x


# --- patches ---------------------------------------------------------------------------------------------------------


@kernel("ExtractImagePatches")
def extract_image_patches(
    x: Tensor, *, ksizes: Sequence[int], strides: Sequence[int], rates: Sequence[int], padding: bytes
) -> Tensor:
    return _patches(x, ksizes, strides, rates, padding, 4)


@kernel("ExtractVolumePatches")
def extract_volume_patches(x: Tensor, *, ksizes: Sequence[int], strides: Sequence[int], padding: bytes) -> Tensor:
    return _patches(x, ksizes, strides, [1] * 5, padding, 5)


def _patches(
    x: Tensor, ksizes: Sequence[int], strides: Sequence[int], rates: Sequence[int], padding: bytes, rank: int
) -> Tensor:
    """Convert [batch, rows, columns, depth] to [batch, rows of patches, columns of patches, elements of a patch]."""
    check(x.ndim == rank, f"the input must have {rank} dimensions, not {x.ndim}")
    for name, values in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
        check(len(values) == rank, f"{name} must have {rank} elements, not {len(values)}")
        check(
            values[0] == 1 == values[-1] and min(values) > 0,
            f"{name} is {show(values)}, but must be positive, and 1 for the batch and the depth",
        )
    check(padding in (b"SAME", b"VALID"), f"unknown padding {escape(padding.decode('latin1'))}")
    pads, spans, counts = [(0, 0)], [1], [x.shape[0]]
    for size, kernel_size, stride, rate in list(zip(x.shape, ksizes, strides, rates, strict=True))[1:-1]:
        span = (kernel_size - 1) * rate + 1
        padding_size = max((math.ceil(size / stride) - 1) * stride + span - size, 0) if padding == b"SAME" else 0
        counts.append(int((size + padding_size - span + stride) / stride))
        check(counts[-1] >= 0, f"a patch of {span} does not fit into a size of {size}")
        pads.append((padding_size // 2, padding_size - padding_size // 2))
        spans.append(span)
    if 0 in counts:
        return np.empty((*counts, math.prod(ksizes) * x.shape[-1]), x.dtype)
    claim_array([size + sum(pair) for size, pair in zip(x.shape, [*pads, (0, 0)], strict=True)], x.dtype)
    padded = np.pad(x, [*pads, (0, 0)]) if any(map(any, pads)) else x
    axes = tuple(range(1, rank - 1))
    windows = np.lib.stride_tricks.sliding_window_view(padded, spans[1:], axes)  # [batch, space, depth, patch]
    steps = tuple(slice(None, None, stride) for stride in strides[1:-1])
    taps = tuple(slice(None, None, rate) for rate in rates[1:-1])
    patches = np.moveaxis(windows[(slice(None), *steps, slice(None), *taps)], rank - 1, -1)
    return patches.reshape((*patches.shape[: rank - 1], math.prod(patches.shape[rank - 1 :])))


# --- Bitcast ---------------------------------------------------------------------------------------------------------


@kernel("Bitcast")
def bitcast(x: Tensor, *, T: DataType, type: DataType) -> Tensor:
    old, new = dtype_of(T), dtype_of(type)
    check(old.itemsize and new.itemsize, f"{old.name} cannot be bitcast to {new.name}")
    stored = np.ascontiguousarray(old.encode(x))
    if old.itemsize < new.itemsize:
        ratio = new.itemsize // old.itemsize
        check(x.shape[-1:] == (ratio,), f"the last dimension of {show(x.shape)} must be {ratio}, to be {new.name}")
        return new.decode(np.frombuffer(stored.tobytes(), new.storage).reshape(x.shape[:-1]))
    ratio = old.itemsize // new.itemsize
    decoded = np.frombuffer(stored.tobytes(), new.storage)
    return new.decode(decoded.reshape((*x.shape, ratio) if ratio > 1 else x.shape))
