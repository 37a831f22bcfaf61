"""Arrays to TensorProtos and back, in the form that TensorFlow's Python gives them.

`tfmodel.from_ndarray` and `tfmodel.to_ndarray` do the same for dataclasses, without copies where possible. Here,
arrays are writable copies, element types that NumPy lacks are those of ml_dtypes, and wrong values raise TensorFlow's
TypeError and ValueError.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pbwire.compat import compat_class, unwrap

from ... import messages
from ...errors import TensorError
from ...values.dtypes import DTYPES
from ...values.tensors import is_typed, to_ndarray
from . import dtypes, tensor_shape
from .eager import Tensor
from .text import as_bytes, bytes_or_text_types, complex_types, integral_types, real_types

__all__ = [
    "MakeNdarray",
    "ShapeEquals",
    "TensorShapeProtoToList",
    "constant_value",
    "is_tensor",
    "is_tf_type",
    "make_ndarray",
    "make_tensor_proto",
]

_MAX_CONTENT = 1 << 31  # bytes
_LISTED = ("uint16", "bfloat16")  # TensorFlow 2.12 stores all their elements in lists


def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> Any:
    """Return the TensorProto of an array, a list or a scalar.

    dtype             the type of the elements; without it, Python's floats become float32, and ints int32 if they fit
    shape             the shape; if it has more elements than `values`, the last value is repeated
    verify_shape      raise TypeError if `values` have another shape
    allow_broadcast   allow a shape with more elements only for a single value

    Raises TypeError for elements of a wrong type, and ValueError for values that make no tensor.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, _tensor_class()):
        return values
    requested = dtypes.as_dtype(dtype) if dtype else None
    if is_typed(values):
        values = np.asarray(values)
    array = _as_array(values, requested, shape)
    element_type = requested if requested is not None and requested.is_quantized else dtypes.as_dtype(array.dtype)
    if requested is not None and _is_stand_in(array, requested, element_type):
        array, element_type = DTYPES[requested.base_dtype.as_datatype_enum].encode(array), requested
    if requested is not None and requested.base_dtype != element_type.base_dtype:
        raise TypeError(f"`dtype` {requested} is not compatible with {values} of dtype {array.dtype}.")
    sizes = list(array.shape) if shape is None else [int(size) for size in shape]
    count = int(np.prod(sizes, dtype=np.int64))
    if shape is not None:
        _check_shape(array, sizes, count, verify_shape, allow_broadcast)
    tensor = _tensor_class()(dtype=element_type.as_datatype_enum)
    tensor.tensor_shape.CopyFrom(tensor_shape.as_shape(sizes).as_proto())
    row = DTYPES[element_type.base_dtype.as_datatype_enum]
    if array.size == count > 1 and row.in_content and element_type.name not in _LISTED:
        if array.nbytes >= _MAX_CONTENT:
            raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
        tensor.tensor_content = array.tobytes()
    elif element_type.name == "string":
        tensor.string_val.extend(_strings(values, array))
    elif row.field == "float8_val":
        tensor.float8_val = array.tobytes()
    else:
        getattr(tensor, row.field).extend(_numbers(array, row))
    return tensor


def _is_stand_in(array: Any, requested: Any, element_type: Any) -> bool:
    """Return whether an array has the type that stands for one that NumPy lacks, because there is no ml_dtypes."""
    codec = DTYPES[requested.base_dtype.as_datatype_enum].codec
    if codec not in ("float", "int") or element_type.base_dtype == requested.base_dtype:
        return False
    return bool(array.dtype == requested.as_numpy_dtype)


def _tensor_class() -> Any:
    return compat_class(messages.TensorProto)


def _as_array(values: Any, dtype: Any, shape: Any) -> Any:
    numpy_type = dtype.as_numpy_dtype if dtype is not None and dtype.is_numpy_compatible else None
    if isinstance(values, (np.ndarray, np.generic)):
        return values if numpy_type is None else values.astype(numpy_type)
    if values is None:
        raise ValueError("None values not supported.")
    if shape is not None and np.prod(shape, dtype=np.int64) == 0:
        array = np.empty(shape, dtype=numpy_type)
    else:
        if dtype is not None:
            _check_elements(values, dtype)
        array = _array_of_python(values, numpy_type)
        is_quantized = dtype is not None and dtype.is_quantized
        if not is_quantized and list(array.shape) != _dense_shape(values):
            raise ValueError(
                f"Expected values {values} to be a dense tensor with shape {_dense_shape(values)}, but got shape "
                f"{list(array.shape)}."
            )
    if dtype is None and array.dtype == np.float64:
        return array.astype(np.float32)
    if dtype is None and array.dtype == np.int64:
        narrow = array.astype(np.int32)
        return narrow if np.array_equal(narrow, array) else array
    return array


def _array_of_python(values: Any, numpy_type: Any) -> Any:
    try:
        return np.array(values, dtype=numpy_type)
    except (ValueError, OverflowError) as error:
        if not _is_dense(values, _dense_shape(values)):
            raise ValueError(f"Expected values {values} to be a dense tensor: {error}") from error
        raise


def _check_elements(values: Any, dtype: Any) -> None:
    """Raise TypeError unless all elements are of the kind of `dtype`."""
    expected: Any
    if dtype.is_bool:
        expected = (bool, np.bool_)
    elif dtype.name == "string":
        expected = bytes_or_text_types
    elif dtype.is_quantized:
        _check_quantized(values, values, dtype)
        return
    elif dtype.is_integer:
        expected = (*integral_types, tensor_shape.Dimension)
    elif dtype.is_floating:
        expected = real_types
    elif dtype.is_complex:
        expected = complex_types
    else:
        return
    for value in _leaves(values):
        kind = value.dtype.type if isinstance(value, np.ndarray) else type(value)
        if not issubclass(kind, expected):
            raise TypeError(f"Expected {dtype.name}, but got {value} of type '{type(value).__name__}'.")


def _check_quantized(values: Any, part: Any, dtype: Any) -> None:
    """Raise TypeError unless the elements are tuples of an int, in lists."""
    if isinstance(part, tuple):
        if all(isinstance(value, integral_types) for value in part):
            return
    elif isinstance(part, list):
        for item in part:
            _check_quantized(values, item, dtype)
        return
    raise TypeError(f"Expected {dtype.name}, but got {part} of type '{type(part).__name__}'.")


def _check_shape(array: Any, sizes: list[int], count: int, verify_shape: bool, allow_broadcast: bool) -> None:
    differs = TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {array.shape}.")
    if allow_broadcast:
        if array.shape not in ((1,), ()) and array.size != count:
            raise differs
    elif verify_shape and array.shape != tuple(sizes):
        raise differs
    elif array.size > count:
        raise ValueError(f"Too many elements provided. Takes at most {count:d}, but got {array.size:d}.")


def _dense_shape(values: Any) -> list[int]:
    shape = []
    while isinstance(values, (list, tuple)):
        shape.append(len(values))
        if not values:
            break
        values = values[0]
    return shape


def _is_dense(values: Any, shape: list[int]) -> bool:
    """Return whether nested lists have this shape at each place."""
    if not isinstance(values, (list, tuple)):
        return not shape
    return len(values) == (shape[0] if shape else -1) and all(_is_dense(value, shape[1:]) for value in values)


def _flatten(values: Any) -> Iterator[Any]:
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _flatten(value)
    else:
        yield values


def _leaves(values: Any) -> Iterator[Any]:
    """Yield the elements of nested sequences and mappings of any class."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def _strings(values: Any, array: Any) -> list[bytes]:
    """Return the elements as bytes; those of a list as they are, because NumPy removes zero bytes at their ends."""
    elements = array.ravel().tolist() if isinstance(values, np.ndarray) else list(_flatten(values))
    try:
        return [as_bytes(element) for element in elements]
    except TypeError:
        raise TypeError(
            f"Failed to convert elements of {values} to Tensor. Consider casting elements to a supported type."
        ) from None


def _numbers(array: Any, row: Any) -> list[Any]:
    flat = array.ravel()
    if row.field == "half_val":
        return flat.view(np.uint16).tolist()  # type: ignore[no-any-return]  # ints
    if row.kind == "c":
        return flat.view(f"f{flat.itemsize // 2}").tolist()  # type: ignore[no-any-return]  # floats
    if flat.dtype.names:
        flat = flat[flat.dtype.names[0]]
    return flat.tolist()  # type: ignore[no-any-return]  # numbers


def MakeNdarray(tensor: Any) -> Any:
    """Return the array of a TensorProto: a writable copy.

    Missing strings are b"", where TensorFlow has a str. Raises TypeError for types that have no array, and ValueError
    for values that do not fit the shape.
    """
    plain = unwrap(tensor)
    dtype = dtypes.as_dtype(int(plain.dtype))
    if not dtype.is_numpy_compatible:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}.")
    try:
        array = to_ndarray(plain)
    except TensorError as error:
        raise ValueError(str(error)) from error
    if dtype.is_quantized:
        return array.astype(np.dtype(dtype.as_numpy_dtype)[0]).view(dtype.as_numpy_dtype)
    return array.astype(dtype.as_numpy_dtype)


make_ndarray = MakeNdarray


def TensorShapeProtoToList(shape: Any) -> list[int]:
    """Return the sizes of a TensorShapeProto."""
    return [dim.size for dim in shape.dim]


def ShapeEquals(tensor_proto: Any, shape: Any) -> bool:
    """Return whether a TensorProto has a shape. Raises TypeError for wrong types."""
    if not isinstance(tensor_proto, _tensor_class()):
        raise TypeError(f"`tensor_proto` must be a tensor_pb2.TensorProto object, but got type {type(tensor_proto)}.")
    if hasattr(shape, "unknown_rank"):
        shape = TensorShapeProtoToList(shape)
    elif not isinstance(shape, (list, tuple)):
        raise TypeError(f"`shape` must be a list or tuple, but got type {type(shape)}.")
    return all(a == b for a, b in zip(TensorShapeProtoToList(tensor_proto.tensor_shape), shape, strict=False))


def is_tf_type(value: Any) -> bool:
    """Return whether a value is a tensor: `tf.constant` and datasets give them."""
    return isinstance(value, Tensor)


is_tensor = is_tf_type


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """Return the array of a Const node or of a TensorProto; None for other nodes. Raises TypeError for other values."""
    if isinstance(tensor, _tensor_class()):
        return MakeNdarray(tensor)
    if isinstance(tensor, compat_class(messages.NodeDef)):
        return MakeNdarray(tensor.attr["value"].tensor) if tensor.op == "Const" else None
    raise TypeError(f"{tensor!r} must be a NodeDef or a TensorProto: there are no tensors without TensorFlow")
