"""Convert TensorProtos to NumPy arrays and back.

    weights = to_ndarray(node.attr["value"].tensor)
    node.attr["value"].tensor = from_ndarray(weights * 2)

A TensorProto holds its elements in one of two ways:

    tensor_content    all elements as they are in memory, little-endian on every machine. Arrays have this byte order
                      too; NumPy handles it on big-endian machines, but more slowly
    float_val ...     if `tensor_content` is empty: a list of elements, in the field that belongs to the type. If there
                      are fewer than the shape has, the last one is repeated; if the list is empty, all are zero

A message with both has its elements in `tensor_content`, as in TensorFlow.

The declared shape is checked against the stored values before memory is allocated.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pbwire.errors import DecodeError, class_name
from pbwire.lazy.messages import get_deferred_bytes
from pbwire.lazy.undecoded_maps import without_field
from pbwire.wire import read_varint

from ..errors import TensorError
from ..messages import (
    DataType,
    ResourceHandleProto,
    TensorProto,
    TensorShapeProto,
    VariantTensorDataProto,
    as_dataclass,
)
from .dtypes import DTYPES, Dtype, dtype_of, natural_dtype
from .dtypes.conversion import array_of
from .shape import shape_to_proto

if TYPE_CHECKING:
    from pbwire.wire import Buffer

    from ..messages import ProtobufMessage

_Array = npt.NDArray[Any]
_MESSAGES: dict[str, Any] = {"resource_handle_val": ResourceHandleProto, "variant_val": VariantTensorDataProto}
_MAX_DIMENSIONS = 64  # of a NumPy array; older versions stop at 32 themselves
_MAX_FLAT_DIMENSIONS = 32  # of an array with a usable `flat`
_WORTH_BORROWING = 1 << 16  # bytes; smaller contents of undecoded messages are copied
_AT_ONCE = 1 << 15  # integers that are converted together


# --- reading ---------------------------------------------------------------------------------------------------------


def to_ndarray(tensor: TensorProto | ProtobufMessage | None, *, max_fill: int = 1 << 30) -> _Array:
    """Return the array of a TensorProto, read-only; `.copy()` gives a writable one.

    Copies are avoided. If NumPy has the type, the array shares the bytes of `tensor_content`, or of the whole input if
    the message is lazy and not decoded yet. If one stored element stands for all, the array is a view of it, which
    takes little memory for any shape. New weights of a transform that are not computed yet are computed on every call,
    until another reader decodes the message.

    `tfmodel.values.dtypes` describes the conversion of element types. Handles and variants are messages. If a tensor
    stores fewer messages than it has elements, one empty message stands for all missing ones.

    One dimension may be unknown (-1) if `tensor_content` is present: the size of the content determines the dimension.
    Raises TypeError for None, which is what an unset field is, and TensorError if the message is not a valid array, or
    if fewer values are stored than the tensor has elements and the array would take more than `max_fill` bytes, since a
    few bytes could request gigabytes.
    """
    if not isinstance(tensor, TensorProto):
        tensor = as_dataclass(tensor)
    if not isinstance(tensor, TensorProto):
        raise TypeError(f"expected a TensorProto, not {class_name(tensor, TensorProto)}")
    tensor, content = _with_content(tensor)
    row = dtype_of(tensor.dtype)
    try:
        if len(content):
            array = _from_content(content, row, tensor.tensor_shape)
        else:
            array = _from_values(getattr(tensor, row.field), row, tensor.tensor_shape, max_fill)
    except (MemoryError, OverflowError, TypeError, ValueError) as error:  # NumPy, of shapes and of wrong values
        raise TensorError(f"{_what(row, tensor.tensor_shape)} is not an array: {error}") from error
    array.flags.writeable = False
    return array


def is_borrowed(tensor: TensorProto) -> bool:
    """Return whether `to_ndarray` returns a view of the bytes of the whole input, which cannot change.

    Such a view needs no further memory: the input stays in memory while any part of the graph is not decoded.
    """
    span: Any = tensor._unknown
    is_large = span.__class__ is tuple and len(span) == 4 and span[3] - span[2] >= _WORTH_BORROWING
    return is_large and get_deferred_bytes(tensor) is None


def _with_content(tensor: TensorProto) -> tuple[TensorProto, Buffer]:
    """Return a message and its `tensor_content`.

    For a large lazy message that is not decoded yet, the content is a view of the input, and the returned message lacks
    the content. Decoding the message would copy it.
    """
    later = get_deferred_bytes(tensor)
    if later is not None:
        return TensorProto.from_bytes(later.fields), later.content.compute_all()
    cut = without_field(tensor, "tensor_content", _WORTH_BORROWING)
    if cut is not None:
        try:
            return TensorProto.from_bytes(cut.other_fields, max_depth=cut.depth), cut.value
        except DecodeError:
            pass  # raised again when the message is decoded, with the path to the field
    return tensor, tensor.tensor_content


def _from_content(content: Buffer, row: Dtype, shape_proto: TensorShapeProto | None) -> _Array:
    if row.is_object:
        shape, count = _shape(shape_proto, row)
        return _elements(_strings(content, count, row, shape_proto), row).reshape(shape)
    size = memoryview(content).nbytes
    known, unknown = divmod(size, row.itemsize)
    shape, count = _shape(shape_proto, row, None if unknown else known)
    if size != count * row.itemsize:
        raise TensorError(
            f"{_what(row, shape_proto)} needs {count * row.itemsize:,} bytes in tensor_content, which has {size:,}"
        )
    return row.decode(np.frombuffer(content, row.storage).reshape(shape))


def _from_values(values: Any, row: Dtype, shape_proto: TensorShapeProto | None, max_fill: int) -> _Array:
    shape, count = _shape(shape_proto, row)
    parts = 2 if row.kind == "c" else 1
    listed_count = len(values) // parts
    if listed_count * parts != len(values):
        raise TensorError(
            f"{row.field} has {len(values):,} values, which is not an even number: two of them make a complex number"
        )
    if listed_count > count:
        raise TensorError(f"{_what(row, shape_proto)} has {_elements_text(count)}, {row.field} has {listed_count:,}")
    array = _elements(values, row)
    if listed_count == count:
        return array.reshape(shape)
    if listed_count == 0:
        return np.broadcast_to(_filling(row), shape)
    if listed_count == 1 and row.codec != "message":
        return np.broadcast_to(array.reshape(()), shape)
    itemsize = array.dtype.itemsize
    if count * itemsize > max_fill:
        raise TensorError(
            f"{_what(row, shape_proto)} would take {count * itemsize:,} bytes of memory, made of {listed_count:,} "
            f"values in {row.field}: more than {max_fill:,} (max_fill)"
        )
    filled = np.empty(count, array.dtype)
    filled[:listed_count] = array
    filled[listed_count:] = _filling(row) if row.codec == "message" else array[-1]
    return filled.reshape(shape)


def _elements(values: Any, row: Dtype) -> _Array:
    """Return the values of a list field as a flat array of the type that users get."""
    if row.field == "float8_val":
        return row.decode(np.frombuffer(values, np.uint8))
    if row.is_object:
        return np.fromiter(values, object, len(values))
    if row.field == "half_val":
        return row.decode(_wrapped(values, "<u2").view(row.storage))
    if row.field == "int_val":
        return row.decode(_wrapped(values, row.storage))
    if row.kind == "c":
        return np.fromiter(values, f"<f{row.itemsize // 2}", len(values)).view(row.storage)
    return np.fromiter(values, row.storage, len(values))


def _wrapped(values: Any, storage: npt.DTypeLike) -> _Array:
    """Return integers in a narrower type: those that do not fit wrap around, as in TensorFlow."""
    numbers, result = iter(values), np.empty(len(values), storage)
    for start in range(0, len(result), _AT_ONCE):
        part = result[start : start + _AT_ONCE]
        part[:] = np.fromiter(numbers, np.int64, len(part)).astype(storage)
    return result


def _filling(row: Dtype) -> _Array:
    """Return a scalar array with the element that stands for missing ones: zero, b"" or an empty message."""
    filling = np.zeros((), row.numpy)
    if row.is_object:
        filling[()] = _MESSAGES[row.field]() if row.codec == "message" else b""
    return filling


def _strings(content: Buffer, count: int, row: Dtype, shape_proto: TensorShapeProto | None) -> list[Any]:
    """Return the elements of a `tensor_content` of strings or messages: first all sizes as varints, then all bytes.

    Messages are stored encoded.
    """
    data = bytes(content)
    sizes, pos = [], 0
    try:
        for _ in range(count):
            size, pos = read_varint(data, pos, len(data))
            sizes.append(size)
    except DecodeError as error:
        text = f"the sizes of {len(sizes):,} elements"
        raise TensorError(f"{_what(row, shape_proto)} needs more than tensor_content has: {text}") from error
    if pos + sum(sizes) != len(data):
        raise TensorError(
            f"{_what(row, shape_proto)} needs {pos + sum(sizes):,} bytes in tensor_content, which has {len(data):,}"
        )
    ends = itertools.accumulate(sizes, initial=pos)
    strings = [data[start : start + size] for start, size in zip(ends, sizes, strict=False)]
    if row.codec != "message":
        return strings
    try:
        return [_MESSAGES[row.field].from_bytes(string) for string in strings]
    except DecodeError as error:
        raise TensorError(f"an element of {_what(row, shape_proto)} in tensor_content is damaged: {error}") from error


def _shape(
    shape_proto: TensorShapeProto | None, row: Dtype, elements: int | None = None
) -> tuple[tuple[int, ...], int]:
    """Return the shape and its number of elements.

    `elements` is the number of stored elements, which determines one unknown dimension. If it is None, unknown
    dimensions are a TensorError.
    """
    if shape_proto is None:
        return (), 1
    if shape_proto.unknown_rank:
        raise TensorError(f"the shape of a {row.name} tensor is not known, not even its rank")
    rank = len(shape_proto.dim)
    if rank > _MAX_DIMENSIONS:
        raise TensorError(f"a {row.name} tensor has {rank:,} dimensions; arrays have at most {_MAX_DIMENSIONS}")
    shape = [dim.size for dim in shape_proto.dim]
    unknown = [axis for axis, size in enumerate(shape) if size < 0]
    if unknown:
        axis = unknown[0]
        others = math.prod(size for size in shape if size >= 0)
        if elements is None or len(unknown) > 1 or shape[axis] != -1 or not others or elements % others:
            meaning = "not known" if shape[axis] == -1 else "negative"
            raise TensorError(f"dimension {axis} of {_what(row, shape_proto)} is {meaning}")
        shape[axis] = elements // others
    largest = max(row.itemsize, row.numpy.itemsize) * math.prod(size for size in shape if size)  # NumPy skips zeros too
    if largest > sys.maxsize:
        raise TensorError(f"{_what(row, shape_proto)} is larger than an array can be")
    return tuple(shape), math.prod(shape)


def _what(row: Dtype, shape_proto: TensorShapeProto | None) -> str:
    """Return a description for errors, such as `float32[2,3]`."""
    sizes = [str(dim.size) for dim in shape_proto.dim[: _MAX_DIMENSIONS + 1]] if shape_proto else []
    return f"{row.name}[{','.join(sizes)}]"


def _elements_text(count: int) -> str:
    return f"{count:,} element{'' if count == 1 else 's'}"


def elements_of(array: _Array) -> Iterator[Any]:
    """Yield the elements of an array of any rank in C order; `array.flat` has a limit of 32 dimensions.

    An array with more than 32 dimensions of size 2 or more cannot be stored in full: it is a view of one element.
    """
    squeezed = array.squeeze() if array.ndim > _MAX_FLAT_DIMENSIONS else array
    if squeezed.ndim <= _MAX_FLAT_DIMENSIONS:
        yield from squeezed.flat
    elif squeezed.size:
        yield from itertools.repeat(squeezed[(0,) * squeezed.ndim], squeezed.size)


def element_at(array: _Array, position: int) -> Any:
    """Return the element at a position in C order, of an array of any rank. The position must be in the array."""
    squeezed = array.squeeze() if array.ndim > _MAX_FLAT_DIMENSIONS else array
    return squeezed.flat[position] if squeezed.ndim <= _MAX_FLAT_DIMENSIONS else squeezed[(0,) * squeezed.ndim]


# --- writing ---------------------------------------------------------------------------------------------------------


def from_ndarray(array: Any, dtype: int | None = None) -> TensorProto:
    """Return the TensorProto of an array, or of values that NumPy converts to one, in the form that TensorFlow writes.

    Two or more numbers are stored in `tensor_content`. The field of the type stores single numbers, and all strings,
    bools, complex numbers and integers of less than a byte. A broadcast view of one element, such as `to_ndarray`
    returns, is stored as this one element.

    Floats with a signalling NaN are stored in `tensor_content`, even a single one: in a field of floats, the NaN would
    become a quiet one, as in TensorFlow. A broadcast view is the exception: its NaN becomes quiet.

    Without `dtype`, the type is that of the array, which may be a type of ml_dtypes. Python's ints become int32 if all
    of them fit, else int64; floats become float32; complex numbers become complex128; bools stay bools; text becomes
    UTF-8.

    With `dtype`, a DataType, values are converted and must stay the same, except that floats are rounded to nearest
    even if the type is narrower. Raises ValueError for a value that does not fit, and TypeError for elements of another
    kind.
    """
    if array is None:
        raise ValueError("None is not an array")
    values, is_plain_python = _as_array(array)
    row = _natural(values, is_plain_python) if dtype is None else _requested_dtype(dtype)
    repeats = values.size > 1 and not any(np.array(values.strides)[np.array(values.shape) > 1])
    one_for_all = repeats and row.codec != "message"
    elements = values[(slice(1),) * values.ndim] if one_for_all else values
    if not values.size:
        elements = values.reshape(-1)  # with a wider type, NumPy could refuse the other sizes of the shape
    tensor = TensorProto(
        dtype=row.number,
        tensor_shape=shape_to_proto(values.shape),
    )
    if row.is_object:
        setattr(tensor, row.field, _listed_objects(elements, row))
    elif row.in_content and elements.size > 1:
        tensor.tensor_content = row.encode(elements).tobytes()
    else:
        stored = row.encode(elements).ravel()
        if stored.size == values.size and _has_signalling_nan(stored, row):
            tensor.tensor_content = stored.tobytes()
        else:
            setattr(tensor, row.field, _listed_numbers(stored, row))
    return tensor


def share_array(array: _Array, dtype: int) -> TensorProto:
    """Return an array of stored elements as a tensor that shares its memory, if that is contiguous."""
    shape = shape_to_proto(array.shape)
    flat: Any = np.ascontiguousarray(array).reshape(-1)  # a buffer, which older NumPy does not say in its types
    content: Any = memoryview(flat).cast("B")
    return TensorProto(dtype=DataType(dtype), tensor_shape=shape, tensor_content=content)


def _requested_dtype(dtype: Any) -> Dtype:
    if not isinstance(dtype, int):
        raise TypeError(f"dtype is a DataType, such as DataType.DT_FLOAT, not {dtype!r}")
    try:
        return dtype_of(dtype)
    except TensorError as error:
        raise ValueError(f"cannot make a tensor: {error}") from None


def _as_array(values: Any) -> tuple[_Array, bool]:
    """Return `values` as an array, and whether they are plain Python values, which have no NumPy dtype."""
    if is_typed(values):
        return np.asarray(values), False
    first = values
    for _ in range(_MAX_DIMENSIONS):  # a list may contain itself
        if not isinstance(first, (list, tuple)) or not first:
            break
        first = first[0]
    # NumPy's string types would make all strings as long as the longest one, and remove zero bytes at their ends.
    if isinstance(first, (str, bytes)):
        return np.array(values, object), True
    array = array_of(values)
    return (np.array(values, object) if array.dtype.kind in "SU" else array), True


def is_typed(values: Any) -> bool:
    """Return whether the values have a NumPy dtype: arrays of any library have one, and buffers such as bytearray."""
    if hasattr(values, "__array__") or hasattr(values, "__array_interface__"):
        return True
    try:
        memoryview(values)
    except TypeError:
        return False
    return not isinstance(values, bytes)


def _natural(array: _Array, is_plain_python: bool) -> Dtype:
    if array.dtype.kind in "SUT":
        return DTYPES[DataType.DT_STRING]
    if array.dtype.kind == "O":
        element = next(elements_of(array), b"")
        if isinstance(element, (str, bytes)):
            return DTYPES[DataType.DT_STRING]
        for number in (DataType.DT_RESOURCE, DataType.DT_VARIANT):
            if isinstance(element, _MESSAGES[DTYPES[number].field]):
                return DTYPES[number]
        raise TypeError(f"no tensor has elements such as {str(element)[:100]}, a Python {type(element).__name__}")
    row = natural_dtype(array.dtype)
    if row is None:
        raise TypeError(f"no tensor has elements of type {array.dtype}")
    if is_plain_python and row.number == DataType.DT_DOUBLE:
        return DTYPES[DataType.DT_FLOAT]
    if is_plain_python and row.number == DataType.DT_INT64:
        fits = not array.size or (array.min() >= -(2**31) and array.max() < 2**31)
        return DTYPES[DataType.DT_INT32] if fits else row
    return row


def _has_signalling_nan(stored: _Array, row: Dtype) -> bool:
    """Return whether an element is a signalling NaN: converting it to Python's floats would change its bits."""
    if row.field not in ("float_val", "scomplex_val"):
        return False
    floats = stored.view("<u4")
    is_nan = (floats & 0x7FFFFFFF) > 0x7F800000
    return bool((is_nan & (floats & 0x400000 == 0)).any())


def _listed_numbers(stored: _Array, row: Dtype) -> Any:
    """Return the value of the list field for a flat array of stored elements."""
    if row.field == "float8_val":
        return stored.tobytes()
    if row.field == "half_val":
        return stored.view("<u2").tolist()
    if row.kind == "c":
        return stored.view(f"<f{row.itemsize // 2}").tolist()
    return row.decode(stored).tolist()


def _listed_objects(array: _Array, row: Dtype) -> list[Any]:
    elements: Sequence[Any] = array.astype(object).ravel().tolist()
    if row.codec == "message":
        for element in elements:
            if not isinstance(element, _MESSAGES[row.field]):
                raise TypeError(f"an element of a {row.name} tensor is not a {_MESSAGES[row.field].__name__}")
        return list(elements)
    return [_as_bytes(element) for element in elements]


def _as_bytes(element: Any) -> bytes:
    if isinstance(element, bytes):
        return bytes(element)
    if isinstance(element, str):
        return element.encode()
    raise TypeError(f"{str(element)[:100]}, a Python {type(element).__name__}, is not an element of a string tensor")
