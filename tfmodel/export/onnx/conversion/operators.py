"""Operators of ONNX whose form depends on the opset, and short chains of operators that several converters write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....messages import DataType
from ....values.dtypes import dtype_of
from .scope import INT64

if TYPE_CHECKING:
    from .call import Call
    from .model import Value

BOOL, STRING = DataType.DT_BOOL, DataType.DT_STRING
MAX = (1 << 63) - 1
"""The end of a Slice that goes to the end of its axis; for negative steps it is -MAX - 1."""

_AXES_AS_INPUT = {"ReduceSum": 13}
"""The first opset in which the axes are an input; 18 for all other reductions."""


def reduce(call: Call, op: str, value: Value, axes: Sequence[int], *, keepdims: bool) -> Value:
    """Reduce over constant axes. No axes reduce nothing, as in TensorFlow."""
    if not axes:
        return call.add("Abs", value) if op == "ReduceL2" else value
    if call.opset >= _AXES_AS_INPUT.get(op, 18):
        return call.add(op, value, call.const(list(axes)), keepdims=int(keepdims))
    return call.add(op, value, axes=list(axes), keepdims=int(keepdims))


def unsqueeze(call: Call, value: Value, axes: Sequence[int]) -> Value:
    """Insert dimensions of size 1 at these places of the result."""
    if not axes:
        return value
    if value.data is not None:
        array = value.data
        rank = array.ndim + len(axes)
        for axis in sorted(axis % rank for axis in axes):
            array = array.reshape((*array.shape[:axis], 1, *array.shape[axis:]))
        return call.scope.constant(array, value.dtype)
    result = call.add("Unsqueeze", value, call.const(list(axes)))
    if value.shape is not None:
        sizes, rank = list(value.shape), len(value.shape) + len(axes)
        for axis in sorted(axis % rank for axis in axes):
            sizes.insert(axis, 1)
        result.shape = tuple(sizes)
    return result


def with_ones(call: Call, value: Value, other: Value) -> Value:
    """Return a value with sizes of 1 behind its own, up to the rank of another one, which may be unknown."""
    rank = call.add("Shape", call.add("Shape", other, dtype=INT64))
    ones = call.add("ConstantOfShape", rank, value=np.ones(1, np.int64))
    sizes = call.add("Concat", call.add("Shape", value, dtype=INT64), ones, axis=0)
    return call.add("Reshape", value, slice_axes(call, sizes, call.const([0]), rank, [0]))


def squeeze(call: Call, value: Value, axes: Sequence[int]) -> Value:
    """Remove dimensions of size 1."""
    if not axes:
        return value
    if value.data is not None:
        kept = [size for axis, size in enumerate(value.data.shape) if axis not in {a % value.data.ndim for a in axes}]
        return call.scope.constant(value.data.reshape(kept), value.dtype)
    return call.add("Squeeze", value, call.const(list(axes)))


def reshape(call: Call, value: Value, sizes: Sequence[int]) -> Value:
    """Reshape to constant sizes, one of which may be -1. A size of 0 is zero, as in TensorFlow."""
    if value.data is not None:
        return call.scope.constant(value.data.reshape([int(size) for size in sizes]), value.dtype)
    extra = {"allowzero": 1} if 0 in sizes else {}
    result = call.add("Reshape", value, call.const(list(sizes)), more=extra)
    result.shape = tuple(None if size == -1 else size for size in sizes)
    return result


def slice_axes(
    call: Call,
    value: Value,
    starts: Sequence[int] | Value,
    ends: Sequence[int] | Value,
    axes: Sequence[int],
    steps: Sequence[int] | None = None,
) -> Value:
    """Cut some axes; starts and ends are constants or vectors of int64."""
    if value.data is not None and isinstance(starts, Sequence) and isinstance(ends, Sequence):
        cuts = [slice(None)] * value.data.ndim
        for axis, *bounds in zip(axes, starts, ends, steps or [1] * len(axes), strict=True):
            cuts[axis] = slice(*bounds)
        return call.scope.constant(value.data[tuple(cuts)], value.dtype)
    ends_ = ends if not isinstance(ends, Sequence) else call.const(list(ends))
    starts_ = starts if not isinstance(starts, Sequence) else call.const(list(starts))
    steps_ = call.const(list(steps)) if steps is not None and any(step != 1 for step in steps) else None
    return call.add("Slice", value, starts_, ends_, call.const(list(axes)), steps_)


def shape_of(call: Call, value: Value, start: int = 0, end: int | None = None) -> Value:
    """Return the sizes of a value as a vector of int64, or a part of them."""
    if value.shape is not None and None not in (part := value.shape[start:end]):
        return call.const([size for size in part if size is not None])
    if start == 0 and end is None:
        return call.add("Shape", value, dtype=INT64)
    if call.opset >= 15:
        bounds = {"start": start} | ({} if end is None else {"end": end})
        return call.add("Shape", value, dtype=INT64, more=bounds)
    whole = call.add("Shape", value, dtype=INT64)
    return slice_axes(call, whole, [start], [MAX if end is None else end], [0])


def flat(call: Call, value: Value) -> Value:
    """Return all elements in one dimension."""
    return value if value.rank == 1 else reshape(call, value, [-1])


def join(call: Call, *vectors: Value) -> Value:
    """Return vectors of sizes one behind the other."""
    if all(value.data is not None for value in vectors):
        return call.const(np.concatenate([value.data for value in vectors if value.data is not None]))
    return call.add("Concat", *vectors, axis=0)


def vector(call: Call, index: int) -> Value:
    """Return a scalar input as a vector of one int64."""
    value = call.int64(index)
    return value if value.rank == 1 else unsqueeze(call, value, [0])


def filled(call: Call, sizes: Value, element: object, dtype: DataType) -> Value:
    """Return a tensor with these sizes and equal elements."""
    if dtype in (DataType.DT_STRING, DataType.DT_BFLOAT16):  # which ConstantOfShape does not have
        return call.add("Expand", call.const(element, dtype), sizes)
    return call.add("ConstantOfShape", sizes, dtype=dtype, value=call.const([element], dtype).data)  # type: ignore[arg-type]


_MAX_BFLOAT16 = float.fromhex("0x1.fep127")


def limits(dtype: DataType) -> tuple[Any, Any]:
    """Return the lowest and the highest finite number of a type."""
    if dtype == DataType.DT_BFLOAT16:
        return -_MAX_BFLOAT16, _MAX_BFLOAT16
    kind = dtype_of(dtype).numpy
    found = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    return found.min, found.max


def scatter(call: Call, data: Value, indices: Value, updates: Value, reduction: str = "none") -> Value:
    """Write or add updates at indices of int64. onnxruntime adds no numbers of 16 bits."""
    if reduction == "none":
        return call.add("ScatterND", data, indices, updates)
    dtype = data.dtype
    if dtype in (DataType.DT_HALF, DataType.DT_BFLOAT16):
        data, updates = (call.cast(value, DataType.DT_FLOAT) for value in (data, updates))
    return call.cast(call.add("ScatterND", data, indices, updates, reduction=reduction), dtype)


def clip(call: Call, value: Value, low: float | None, high: float | None) -> Value:
    """Limit elements to a range; None for no limit."""
    bounds = [None if bound is None else call.like(bound, value) for bound in (low, high)]
    return call.add("Clip", value, *bounds)


def where(call: Call, condition: Value, yes: Value, no: Value) -> Value:
    """Choose elements. onnxruntime has no Where on bool, which is logic then."""
    if yes.dtype != DataType.DT_BOOL:
        return call.add("Where", condition, yes, no, dtype=yes.dtype)
    taken = call.add("And", condition, yes)
    other = call.add("And", call.add("Not", condition), no)
    return call.add("Or", taken, other)
