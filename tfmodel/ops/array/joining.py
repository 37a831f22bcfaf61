"""Concatenate, stack, split, pad and tile tensors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ...io.terminal import printable
from ..runtime.argument_checks import check, int_list, normalize_axis, read_scalar, read_vector, show
from ..runtime.arrays import zeros
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []


@kernel("ConcatV2")
def concat(*tensors: Tensor) -> Tensor:
    *values, axis = tensors
    return _joined(values, read_scalar(axis, "axis", vector_of_one=True))


@kernel("Concat")
def old_concat(concat_dim: Tensor, *values: Tensor) -> Tensor:
    return _joined(values, read_scalar(concat_dim, "concat_dim", vector_of_one=True))


def _joined(values: Sequence[Tensor], axis: int) -> Tensor:
    first = values[0].shape
    place = normalize_axis(axis, len(first))
    for value in values[1:]:
        fits = value.ndim == len(first) and all(
            a == b for number, (a, b) in enumerate(zip(value.shape, first, strict=True)) if number != place
        )
        check(
            fits,
            f"tensors of shapes {show(first)} and {show(value.shape)} cannot be joined along axis {axis}",
        )
    return np.concatenate(values, place)


@kernel("Pack")
def pack(*values: Tensor, axis: int) -> Tensor:
    first = values[0].shape
    for value in values:
        check(
            value.shape == first,
            f"tensors of shapes {show(first)} and {show(value.shape)} cannot be stacked",
        )
    return np.stack(values, normalize_axis(axis, values[0].ndim + 1))


# --- splitting -------------------------------------------------------------------------------------------------------


@kernel("Unpack")
def unpack(value: Tensor, *, num: int, axis: int) -> list[Tensor]:
    place = normalize_axis(axis, value.ndim)
    check(value.shape[place] == num, f"axis {axis} of {show(value.shape)} has no {num} elements")
    return list(np.moveaxis(value, place, 0))


@kernel("Split")
def split(split_dim: Tensor, value: Tensor, *, num_split: int) -> list[Tensor]:
    axis = normalize_axis(read_scalar(split_dim, "split_dim"), value.ndim, "split_dim")
    check(
        num_split > 0 and value.shape[axis] % num_split == 0,
        f"dimension {axis} of {show(value.shape)} cannot be split into {num_split} equal parts",
    )
    return _pieces(value, [value.shape[axis] // num_split] * num_split, axis)


@kernel("SplitV")
def split_v(value: Tensor, size_splits: Tensor, split_dim: Tensor, *, num_split: int) -> list[Tensor]:
    sizes = read_vector(size_splits, "size_splits", num_split)
    axis = normalize_axis(read_scalar(split_dim, "split_dim", vector_of_one=True), value.ndim, "split_dim")
    check(
        sizes.count(-1) <= 1 and min(sizes, default=0) >= -1,
        f"size_splits is {show(sizes)}, but only one may be -1, and no other negative",
    )
    rest = value.shape[axis] - sum(size for size in sizes if size != -1)
    check(
        rest == 0 if -1 not in sizes else rest >= 0 and num_split > 1,
        f"dimension {axis} of {show(value.shape)} cannot be split into {show(sizes)}",
    )
    return _pieces(value, [rest if size == -1 else size for size in sizes], axis)


def _pieces(value: Tensor, sizes: Sequence[int], axis: int) -> list[Tensor]:
    front = (slice(None),) * axis
    ends = itertools.accumulate(sizes)
    return [value[(*front, slice(end - size, end))] for size, end in zip(sizes, ends, strict=True)]


# --- putting something around ----------------------------------------------------------------------------------------


@kernel("Pad", "PadV2")
def pad(x: Tensor, paddings: Tensor, constant_values: Tensor | None = None) -> Tensor:
    pads = _pads(x, paddings)
    sizes = [before + size + after for size, (before, after) in zip(x.shape, pads, strict=True)]
    padded = zeros(sizes, x.dtype)
    if constant_values is not None:
        padded[...] = read_scalar(constant_values, "constant_values")
    padded[tuple(slice(before, before + size) for size, (before, _) in zip(x.shape, pads, strict=True))] = x
    return padded


@kernel("MirrorPad")
def mirror_pad(x: Tensor, paddings: Tensor, *, mode: bytes) -> Tensor:
    check(mode in (b"REFLECT", b"SYMMETRIC"), f"there is no mode {printable(mode.decode('latin1'))}")
    pads = _pads(x, paddings)
    edge = 1 if mode == b"REFLECT" else 0  # what is at the border is not repeated
    for axis, (pair, size) in enumerate(zip(pads, x.shape, strict=True)):
        check(
            max(pair) <= size - edge,
            f"paddings of dimension {axis} are {show(pair)}, but a mirror of {show(x.shape)} "
            f"shows no more than {max(size - edge, 0)} there",
        )
        if max(pair):
            x = np.take(x, np.pad(np.arange(size), pair, "reflect" if edge else "symmetric"), axis)
    return x


def _pads(x: Tensor, paddings: Tensor) -> list[list[int]]:
    check(
        paddings.shape == (x.ndim, 2),
        f"paddings must be of shape {show((x.ndim, 2))}, not {show(paddings.shape)}",
    )
    check((paddings >= 0).all(), f"paddings must not be negative, as in {paddings.tolist()}")
    return [int_list(row) for row in paddings.reshape(-1, 2)]


@kernel("Tile")
def tile(x: Tensor, multiples: Tensor) -> Tensor:
    times = read_vector(multiples, "multiples", x.ndim)
    check(min(times, default=0) >= 0, f"multiples is {show(times)}, but must not be negative")
    one_by_one = x.reshape([each for size in x.shape for each in (1, size)])
    pairs = list(zip(times, x.shape, strict=True))
    spread = np.broadcast_to(one_by_one, [each for pair in pairs for each in pair])
    return spread.reshape([math.prod(pair) for pair in pairs])
