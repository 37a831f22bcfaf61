"""The dtype, shape and size of a TensorProto, read without NumPy and without decoding its values."""

from __future__ import annotations

import struct
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

from pbwire.errors import DecodeError
from pbwire.lazy.messages import get_deferred_bytes
from pbwire.lazy.undecoded_maps import without_field
from pbwire.wire import read_varint

from ..errors import TensorError
from ..messages import DataType, TensorProto
from .dtypes import dtype_name, dtype_of

Shape = tuple[int, ...]

_MIN_CONTENT_TO_SKIP = 1 << 12  # bytes; decoding a smaller content costs less than skipping it
_MAX_ELEMENTS = 1 << 512  # hundreds of dimensions can give a product so large that Python refuses to print it
_MAX_FILLED_BYTES = 1 << 30  # the largest array that few stored values may stand for

_NUMBERS: dict[int, str] = {
    DataType.DT_BOOL: "?",
    DataType.DT_INT8: "b",
    DataType.DT_UINT8: "B",
    DataType.DT_INT16: "h",
    DataType.DT_UINT16: "H",
    DataType.DT_INT32: "i",
    DataType.DT_UINT32: "I",
    DataType.DT_INT64: "q",
    DataType.DT_UINT64: "Q",
    DataType.DT_FLOAT: "f",
    DataType.DT_DOUBLE: "d",
}
"""The layout of an element in `tensor_content`, as the module struct spells it."""


class TensorHeader(NamedTuple):
    """The dtype, shape and size in bytes of a tensor.

    `is_filled` is true if a few stored values stand for all elements, and the array would exceed `_MAX_FILLED_BYTES`.
    """

    dtype: int
    shape: Shape
    size: int
    is_filled: bool


def read_header(tensor: TensorProto) -> TensorHeader:
    """Return the dtype, shape and size of a tensor.

    Raises TensorError if the shape is invalid or unknown, DecodeError if the message is damaged.
    """
    header, content = _without_content(tensor)
    shape = read_shape(header.tensor_shape) if header.tensor_shape is not None else ()
    row = dtype_of(header.dtype)
    content = content or len(header.tensor_content)
    if shape is not None and shape.count(-1) == 1 and row.itemsize and content and (others := -prod(shape)) > 0:
        shape = tuple(content // row.itemsize // others if size == -1 else size for size in shape)
    if shape is None or min(shape, default=0) < 0:
        raise TensorError("its shape is not known")
    size = byte_size(header.dtype, shape)
    if size is None:
        size = content or _listed_size(getattr(header, row.field), prod(shape))
    itemsize = 4 if row.name.startswith("q") else 1  # quantized values become floats
    is_filled = not content and max(size, prod(shape) * itemsize) > _MAX_FILLED_BYTES
    return TensorHeader(header.dtype, shape, size, is_filled)


def read_floats(tensor: TensorProto, *, max_filled: int) -> tuple[float, ...]:
    """Return the elements of a small float32 tensor.

    Raises TensorError for another dtype, or if values are missing and the tensor has more than `max_filled` elements.
    """
    head = read_header(tensor)
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
    if len(listed) < count > max_filled:
        raise TensorError(f"it has {count:,} elements, of which {len(listed):,} are there")
    return (*listed, *([listed[-1] if listed else 0.0] * (count - len(listed))))


def read_number(tensor: TensorProto) -> bool | int | float | None:
    """Return the element of a tensor of bools, integers or floats that has one; None for other tensors.

    Raises TensorError like `read_header`, DecodeError if the message is damaged.
    """
    head, content = read_header(tensor), tensor.tensor_content
    layout = _NUMBERS.get(head.dtype)
    if layout is None or prod(head.shape) != 1:
        return None
    if content:
        element: bool | int | float | None = None
        if len(content) == head.size:
            (element,) = struct.unpack(f"<{layout}", content)
        return element
    listed = getattr(tensor, dtype_of(head.dtype).field)
    number: bool | int | float = listed[0] if listed else 0
    return bool(number) if head.dtype == DataType.DT_BOOL else number


def read_strings(tensor: TensorProto, *, limit: int) -> list[bytes]:
    """Return the elements of a tensor of strings, without those that only repeat the last one.

    As in TensorFlow, `tensor_content` counts if it is there: first all sizes as varints, then all bytes. Raises
    TensorError for another dtype, for damaged content, and for more than `limit` elements.
    """
    head = read_header(tensor)
    if head.dtype != DataType.DT_STRING:
        raise TensorError(f"it is {dtype_name(head.dtype)}, not string")
    count, content = prod(head.shape), tensor.tensor_content
    if (count if content else len(tensor.string_val)) > limit:
        raise TensorError(f"it has {count:,} elements")
    if not content:
        return list(tensor.string_val) or [b""]
    sizes, pos = [], 0
    try:
        for _ in range(count):
            size, pos = read_varint(content, pos, len(content))
            sizes.append(size)
    except DecodeError as error:
        raise TensorError("its tensor_content has fewer strings than its shape") from error
    if pos + sum(sizes) != len(content):
        raise TensorError(f"it needs {pos + sum(sizes):,} bytes in tensor_content, which has {len(content):,}")
    ends = accumulate(sizes, initial=pos)
    return [content[start : start + size] for start, size in zip(ends, sizes, strict=False)]


def content_problem(tensor: TensorProto) -> str:
    """Return an error if `tensor_content` has another size than the dtype and the shape need; else "".

    Raises TensorError like `read_header`, DecodeError if the message is damaged.
    """
    head = read_header(tensor)
    message, content = _without_content(tensor)
    content = content or len(message.tensor_content)
    fixed = byte_size(head.dtype, head.shape)
    if not content or fixed in (None, content):
        return ""
    return f"it needs {fixed:,} bytes in tensor_content, which has {content:,}"


def has_values(tensor: TensorProto) -> bool:
    """True if a tensor stores at least one element; without any, all elements are 0, False or "".

    Raises DecodeError if the message is damaged.
    """
    message, content = _without_content(tensor)
    return bool(content or message.tensor_content or getattr(message, dtype_of(message.dtype).field))


def _listed_size(values: Any, count: int) -> int:
    """Return the total size of `count` strings in bytes; 0 for other objects.

    If `values` has fewer strings, the last one stands for each missing one.
    """
    if not values or not isinstance(values[0], bytes):
        return 0
    return sum(map(len, values)) + max(0, count - len(values)) * len(values[-1])


def read_shape(shape: Any) -> Shape | None:
    """Return the sizes of a TensorShapeProto, -1 for unknown ones; None if the rank is unknown.

    Return None too if the number of elements exceeds `_MAX_ELEMENTS`.
    """
    sizes = tuple([dim.size for dim in shape.dim])
    return None if shape.unknown_rank or prod([size for size in sizes if size > 0]) > _MAX_ELEMENTS else sizes


def byte_size(dtype: int, shape: Shape | None) -> int | None:
    """Return the size of a tensor in bytes; None if its elements have no fixed size, or if its shape is not known."""
    itemsize = dtype_of(dtype).itemsize
    if shape is None or not itemsize or min(shape, default=0) < 0:
        return None
    return prod(shape) * itemsize


def _without_content(tensor: TensorProto) -> tuple[TensorProto, int]:
    """Return the message without its `tensor_content`, and the size of the content.

    If the message is already decoded, or the content is small, return the message itself and 0. Decoding a lazy message
    copies or computes its content. This would be most of the work of listing the constants of a large graph.
    """
    later = get_deferred_bytes(tensor)
    if later is not None:
        return TensorProto.from_bytes(later.fields), len(later.content)
    cut = without_field(tensor, "tensor_content", _MIN_CONTENT_TO_SKIP)
    if cut is not None:
        try:
            return TensorProto.from_bytes(cut.other_fields, max_depth=cut.depth), len(cut.value)
        except DecodeError:
            pass  # raised again when the message is decoded, with the path to the field
    return tensor, 0
