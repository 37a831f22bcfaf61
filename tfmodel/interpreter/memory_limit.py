"""Estimate the memory of the outputs of a node before they are computed.

    bytes_needed(node, [np.array([1 << 20, 1 << 20]), np.float32(0)], types)        # Fill: 4 << 40

Shape rules give the size for the actual inputs. Where they cannot, as for the number of unique elements, the outputs
are measured after they were computed: `bytes_of`. Kernels claim the memory of strings and temporary memory themselves
while they compute: see `tfmodel.ops.runtime.memory_limit`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pbwire import Error

from ..dtypes import DTYPES
from ..errors import GraphError
from ..messages import DataType, NodeDef
from ..ops.partial_tensors import UNKNOWN, Repeated, Tensor
from ..ops.runtime.memory_limit import STRING_BYTES
from ..ops.shape_rules import MAX_KNOWN_ELEMENTS, Call, shape_rules
from ..tensors import elements_of

__all__ = ["bytes_needed", "bytes_of"]

_NEWEST = 1 << 31  # the producer version of a graph, which matters for Placeholders only
_MESSAGE, _WIDTH = 100, 8  # bytes of an element that is an object, and of any other element
_STRING = STRING_BYTES - _WIDTH  # bytes of a string besides its characters and its place in an array
_NOTHING = np.empty(0, np.int64)


def bytes_needed(node: NodeDef, inputs: Sequence[Any], types: Sequence[DataType | None] | None) -> int:
    """Return the least bytes that the outputs of a node take for these inputs, at most sys.maxsize; 0 if unknown.

    Faults of the node are not reported here; its kernel raises them.
    """
    return min(_bytes_of_outputs(node, inputs, types), sys.maxsize)


def _bytes_of_outputs(node: NodeDef, inputs: Sequence[Any], types: Sequence[DataType | None] | None) -> int:
    special = _SPECIAL.get(node.op)
    if special is not None:
        return _WIDTH * special([each if isinstance(each, np.ndarray) else _NOTHING for each in inputs])
    rule = shape_rules().get(node.op)
    if rule is None or not types:
        return 0
    try:
        result = rule(Call(node, [_known_tensor(each) for each in inputs], _NEWEST, _not_run))
    except Error:
        return 0
    if isinstance(result, Repeated):
        return len(result) * _size(result[0], types[0]) if result else 0
    outputs = result if isinstance(result, list) else [result]
    return sum(_size(output, dtype) for output, dtype in zip(outputs, types, strict=False))


def bytes_of(value: Any) -> int:
    """Return the bytes of a tensor, with the contents of strings. A view counts with all its elements."""
    if not isinstance(value, np.ndarray):
        return 0
    if value.dtype != object or not value.size:
        return value.nbytes
    stored = value[(*(slice(1) if step == 0 else slice(None) for step in value.strides), ...)]
    size = sum(_STRING + len(element) if isinstance(element, bytes) else _MESSAGE for element in elements_of(stored))
    return value.nbytes + size * (value.size // stored.size)


def _size(output: Any, dtype: DataType | None) -> int:
    shape = output.shape if isinstance(output, Tensor) else output
    row = DTYPES.get(dtype) if dtype is not None else None
    if shape is None or None in shape or row is None:
        return 0
    return prod(shape) * (_WIDTH if row.is_object else row.numpy.itemsize)


def _known_tensor(value: Any) -> Tensor:
    if not isinstance(value, np.ndarray):
        return UNKNOWN
    numbers = value.dtype.kind in "iuf" and value.size <= MAX_KNOWN_ELEMENTS
    return Tensor(value.shape, tuple(value.ravel().tolist()) if numbers else None)


def _not_run(name: str, arguments: list[Tensor]) -> Sequence[Tensor]:
    """Refuse to infer a function: its outputs are measured node by node when it runs."""
    raise GraphError(f"{name} is not run yet")


# --- ops whose output size depends on elements of inputs -------------------------------------------------------------

_Inputs: TypeAlias = "Sequence[npt.NDArray[Any]]"


def _product(place: int, end: int | None = None) -> Callable[[_Inputs], int]:
    """Return the product of an input that is a shape, up to `end`, or the length of a list."""

    def elements(inputs: _Inputs) -> int:
        product = 1
        for size in _integers(inputs, place)[:end]:
            product = min(product * max(1, size), sys.maxsize)  # thousands of sizes have a product of many digits
        return product

    return elements


def _last(ids: int, data: int | None = None) -> Callable[[_Inputs], int]:
    """Return the size of an output whose rows are at the indices in an input, each as large as a row of `data`."""

    def elements(inputs: _Inputs) -> int:
        row = prod(inputs[data].shape[1:]) if data is not None and data < len(inputs) else 1
        return (max(_integers(inputs, ids), default=0) + 1) * row

    return elements


def _stitched_elements(inputs: _Inputs) -> int:
    half = len(inputs) // 2
    row = max((prod(data.shape[ids.ndim :]) for ids, data in zip(inputs, inputs[half:], strict=False)), default=0)
    return max((max(_integers(inputs, place), default=0) + 1 for place in range(half)), default=0) * row


def _ranges(inputs: _Inputs) -> int:
    if len(inputs) != 3 or not all(each.dtype.kind in "iuf" for each in inputs):
        return 0
    start, limit, delta = (each.astype(np.float64) for each in inputs)
    with np.errstate(all="ignore"):
        try:
            lengths = np.ceil((limit - start) / delta)
        except ValueError:  # of shapes that do not fit
            return 0
        return int(min(np.nansum(np.maximum(lengths, 0)), _NEWEST**2))


def _first_size(inputs: _Inputs) -> int:
    """Return the number of rows, if the first row partition is a number."""
    return _last(3)(inputs) if len(inputs) > 3 and inputs[3].ndim == 0 else 0


def _integers(inputs: _Inputs, place: int) -> list[int]:
    tensor = inputs[place] if place < len(inputs) else _NOTHING
    return tensor.ravel().tolist() if tensor.dtype.kind in "iu" else []


_SPECIAL: dict[str, Callable[[_Inputs], int]] = {
    **dict.fromkeys(("DynamicStitch", "ParallelDynamicStitch"), _stitched_elements),
    **dict.fromkeys(("SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum"), _last(1, 0)),
    **dict.fromkeys(("SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum"), _last(2, 0)),
    **dict.fromkeys(("TensorArray", "TensorArrayV2", "TensorArrayV3"), _product(0)),
    **dict.fromkeys(("TensorArrayWrite", "TensorArrayWriteV2", "TensorArrayWriteV3", "TensorListSetItem"), _last(1)),
    **dict.fromkeys(("TensorListReserve", "TensorListResize"), _product(1)),
    "BatchMatrixDiag": lambda inputs: sum(each.size * each.shape[-1] for each in inputs if each.ndim),
    "EditDistance": lambda inputs: max(_product(2, -1)(inputs), _product(5, -1)(inputs)),
    "RaggedRange": _ranges,
    "RaggedTensorToTensor": lambda inputs: max(_product(0)(inputs), _first_size(inputs)),
    "SparseSoftmax": _product(2, -1),
    "TensorListScatterV2": _product(3),
    "UnsortedSegmentJoin": _product(2),
}
"""Functions that return the least number of elements of the output, by op."""
