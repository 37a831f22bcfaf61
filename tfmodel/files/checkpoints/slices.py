"""Tensors that are stored in slices: check that the slices cover each element once, and assemble the tensor."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy.typing as npt

from ...errors import CheckpointError
from ...values.dtypes import Dtype
from ...values.terminal import escape
from .arrays import assemble_blocks, check_tiling, common, empty
from .entries import Entry, Region, about, index_of, region_of
from .v1 import SavedSlices
from .v2 import Bundle


def assemble(
    reader: Bundle | SavedSlices, name: str, dtype: Dtype, entry: Entry, selection: Region
) -> npt.NDArray[Any]:
    """Return a region of a tensor, of the slices that overlap it. Raises CheckpointError."""
    regions = _regions(reader, name, dtype, entry)
    try:
        array = empty(dtype, selection[1])
    except CheckpointError as error:
        raise about(escape(reader.files[0]), name, error) from error
    for part, region in zip(entry.slices, regions, strict=True):
        if shared := common(region, selection):
            inside, outside = shared
            array[index_of(outside)] = reader.array(name, dtype, part)[index_of(inside)]
    array.flags.writeable = False
    return array


def assemble_chunks(reader: Bundle, name: str, dtype: Dtype, entry: Entry, size: int) -> Iterator[npt.NDArray[Any]]:
    """Yield the elements of a tensor after comparing the checksums of all slices. Raises CheckpointError."""
    regions = _regions(reader, name, dtype, entry)
    for part in entry.slices:
        for _ in reader.chunks(name, dtype, part, size):
            pass
    parts = [reader.stored_array(name, dtype, part) for part in entry.slices]
    for block in assemble_blocks(entry.shape, regions, parts, size):
        yield dtype.decode(block)


def _regions(reader: Bundle | SavedSlices, name: str, dtype: Dtype, entry: Entry) -> list[Region]:
    """Return the regions of a tensor's slices. Raises CheckpointError unless they cover each element once."""
    regions = [region_of(part.extents, entry.shape) for part in entry.slices]
    try:
        stored, needed = sum(prod(sizes) for _, sizes in regions), prod(entry.shape)
        if stored != needed:
            problem = "overlap or are too many" if stored > needed else "do not cover it"
            raise CheckpointError(f"its parts {problem}: they have {stored:,} elements, it has {needed:,}")
        reader.check(dtype, entry.slices)
        check_tiling(entry.shape, regions)
    except CheckpointError as error:
        raise about(escape(reader.files[0]), name, error) from error
    return regions
