"""What a TensorProto says of itself, without NumPy and without touching its values."""

from __future__ import annotations

import struct
from math import prod
from typing import Any, NamedTuple

from pbwire.errors import DecodeError
from pbwire.lazy import deferred
from pbwire.peeking import without_field

from .dtypes import dtype_name, dtype_of
from .errors import TensorError
from .messages import DataType, TensorProto

__all__ = ["Head", "Shape", "bytes_of", "floats_of", "head_of", "shape_of"]

Shape = tuple[int, ...]

_WORTH_SKIPPING = 1 << 12  # bytes
_LARGEST = 1 << 512  # elements: of hundreds of dimensions there may be so many that Python does not print it
_MOST_FILLED = 1 << 30  # bytes that a few values may become when they are written out


class Head(NamedTuple):
    """Type, shape, how many bytes the elements have, and whether few that are stored make many."""

    dtype: int
    shape: Shape
    size: int
    is_filled: bool


def head_of(tensor: TensorProto) -> Head:
    """What a tensor is. Raises TensorError for a shape that is none, DecodeError for a damaged message."""
    rest, content = _without_content(tensor)
    shape = shape_of(rest.tensor_shape) if rest.tensor_shape is not None else ()
    row = dtype_of(rest.dtype)
    content = content or len(rest.tensor_content)
    if shape is not None and shape.count(-1) == 1 and row.itemsize and content and (others := -prod(shape)) > 0:
        shape = tuple(content // row.itemsize // others if size == -1 else size for size in shape)
    if shape is None or any(size < 0 for size in shape):
        raise TensorError("its shape is not known")
    size = bytes_of(rest.dtype, shape)
    if size is None:
        size = content or _listed_size(getattr(rest, row.field), prod(shape))
    itemsize = 4 if row.name.startswith("q") else 1  # codes become floats
    is_filled = not content and max(size, prod(shape) * itemsize) > _MOST_FILLED
    return Head(rest.dtype, shape, size, is_filled)


def floats_of(tensor: TensorProto, *, most_filled: int) -> tuple[float, ...]:
    """The elements of a float32 tensor, for small ones.

    Raises TensorError if it is none, or has more elements than `most_filled` of which some are not there.
    """
    head = head_of(tensor)
    count = prod(head.shape)
    if head.dtype != DataType.DT_FLOAT:
        raise TensorError(f"it is {dtype_name(head.dtype)}, not float32")
    content, listed = tensor.tensor_content, tensor.float_val
    if content:
        if len(content) != head.size:
            raise TensorError(f"it needs {head.size:,} bytes in tensor_content, which has {len(content):,}")
        return struct.unpack(f"<{count}f", content)
    if len(listed) > count:
        raise TensorError(f"it has {count:,} elements, and float_val has {len(listed):,}")
    if len(listed) < count > most_filled:
        raise TensorError(f"it has {count:,} elements, of which {len(listed):,} are there")
    return (*listed, *([listed[-1] if listed else 0.0] * (count - len(listed))))


def _listed_size(values: Any, count: int) -> int:
    """The bytes of strings, of which the last stands for all that are not there; other objects have no size."""
    if not values or not isinstance(values[0], bytes):
        return 0
    return sum(map(len, values)) + max(0, count - len(values)) * len(values[-1])


def shape_of(shape: Any) -> Shape | None:
    """The sizes of a TensorShapeProto, -1 for those that are open; None if not even their number is known.

    None too if there are more elements than anybody could write down.
    """
    sizes = tuple(dim.size for dim in shape.dim)
    return None if shape.unknown_rank or prod(size for size in sizes if size > 0) > _LARGEST else sizes


def bytes_of(dtype: int, shape: Shape | None) -> int | None:
    """How many bytes a tensor has; None if its elements have no fixed size, or it has no fixed shape."""
    itemsize = dtype_of(dtype).itemsize
    if shape is None or not itemsize or any(size < 0 for size in shape):
        return None
    return prod(shape) * itemsize


def _without_content(tensor: TensorProto) -> tuple[TensorProto, int]:
    """The message without its `tensor_content`, and how large that is, where it is worth it and nothing has decoded it.

    Decoding a lazy message copies what it holds, or computes it. For a list of the constants of a large graph, that
    would be most of the work.
    """
    later = deferred(tensor)
    if later is not None:
        return TensorProto.from_bytes(later.fields), len(later.content)
    cut = without_field(tensor, "tensor_content", _WORTH_SKIPPING)
    if cut is not None:
        try:
            return TensorProto.from_bytes(cut.rest, max_depth=cut.depth), len(cut.value)
        except DecodeError:
            pass  # raised again when the message is decoded, with the path to the field
    return tensor, 0
