"""The memory of a run: estimates of the outputs of nodes, and claims of temporary memory by kernels.

    bytes_needed(node, [np.array([1 << 20, 1 << 20]), np.float32(0)], types)        # Fill: 4 << 40

    with limit_memory(1 << 20):
        kernel(...)             # the kernel calls claim(4 * height * width) before it allocates these bytes

Shape rules compute the sizes of outputs from the actual inputs before a node runs. If they cannot, as for the number
of unique elements, `bytes_of` measures the outputs afterwards. `claim_scratch` claims temporary memory for every kernel
in proportion to its inputs and outputs. Only the kernel knows the size of other temporary arrays, such as padded
images, and the length of the strings that it computes. So a run takes at most twice its limit: what it holds and the
outputs of a kernel fit, and what the kernel takes besides them fits as well. Without `limit_memory`, memory is not
limited.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pbwire import Error

from ...analysis.shape_rules.partial_tensors import MAX_KNOWN_ELEMENTS, UNKNOWN, Repeated, Tensor
from ...analysis.shape_rules.table import Call, shape_rules
from ...errors import GraphError, RunError
from ...messages import DataType, NodeDef
from ...values.dtypes import DTYPES
from ...values.shape import Shape
from ...values.tensors import elements_of

INDEX_BYTES = 8
"""Bytes of a NumPy index."""
LIST_ITEM_BYTES = 40
"""Bytes of a number in a Python list, with its pointer."""
STRING_BYTES = 41
"""Bytes of a string without its characters, with its pointer in a list or array."""

ENTRY_BYTES = 200
"""Bytes of an entry of a table: its key and its value as Python objects, and its place in a dictionary."""
VIEW_BYTES = 200
"""Bytes of a row of an array as an array of its own, with its place in lists and sets."""


@dataclass(slots=True)
class Limit:
    """The memory of a kernel that runs: the bytes that are left, and those that it keeps after it is done.

    `outputs` is the estimated size of its outputs.
    """

    left: int
    outputs: int = 0
    held: int = 0


_LIMIT: ContextVar[Limit | None] = ContextVar("limit", default=None)


@contextmanager
def limit_memory(bytes_left: int | None, outputs: int = 0) -> Iterator[Limit | None]:
    """Limit each claim in this context to `bytes_left`; None for no limit."""
    limit = None if bytes_left is None else Limit(bytes_left, outputs)
    token = _LIMIT.set(limit)
    try:
        yield limit
    finally:
        _LIMIT.reset(token)


def claim(size: int) -> None:
    """Check that `size` bytes may be allocated. Raises RunError if not."""
    limit = _LIMIT.get()
    if limit is not None and size > limit.left:
        raise RunError(f"it needs {size:,} bytes to compute, and {limit.left:,} of the allowed bytes are left")


def hold(size: int) -> None:
    """Claim bytes that are kept until the run ends, such as the entries of a table. Raises RunError at the limit."""
    claim(size)
    limit = _LIMIT.get()
    if limit is not None:
        limit.left -= size
        limit.held += size


def claim_scratch(op: str, inputs: Sequence[Any], types: Sequence[DataType | None] | None) -> None:
    """Claim the temporary memory of a kernel before it runs, in proportion to its inputs and outputs.

    Kernels that need more for some inputs, such as padded images, claim it themselves. Small amounts are free.
    """
    limit = _LIMIT.get()
    if limit is not None:
        factor = scratch_factor(op)
        if factor < _DEFAULT_FACTOR and not _HALVES.isdisjoint(types or ()) and op not in _VIEWS:
            factor = _DEFAULT_FACTOR  # computed as float32, then rounded
        size = factor * (sum(map(bytes_of, inputs)) + limit.outputs)
        size += 3 * INDEX_BYTES * max((max(value.shape) for value in inputs if np.ndim(value)), default=0)
        if size > FREE_BYTES:
            claim(size)


def claim_array(shape: Iterable[int], dtype: np.typing.DTypeLike) -> None:
    """Check that an array of this shape and type may be allocated. Raises RunError if not."""
    claim(prod(map(int, shape)) * np.dtype(dtype).itemsize)


def collect_strings(strings: Iterable[bytes]) -> list[bytes]:
    """Return the strings of an iterator as a list, claiming memory for each. Raises RunError at the limit."""
    collected, size = [], 0
    for string in strings:
        size += STRING_BYTES + len(string)
        claim(size)
        collected.append(string)
    return collected


# --- temporary memory ------------------------------------------------------------------------------------------------

FREE_BYTES = 4 << 20
"""The temporary memory that a kernel may take without a claim: Python and NumPy take ten times as much."""

_DEFAULT_FACTOR = 3
"""Bytes of temporary memory for each byte of inputs and outputs: integers become indices, half floats become floats."""

_HALVES = frozenset({DataType.DT_HALF, DataType.DT_BFLOAT16, DataType.DT_FLOAT8_E5M2, DataType.DT_FLOAT8_E4M3FN})
_VIEWS = frozenset({"Const", "ReadVariableOp", "Identity", "Reshape"})

_FACTORS = {
    0: r"""
        _?Arg|_?Retval|Const|Identity(?:N)?|Reshape|ExpandDims|Squeeze|Shape(?:N)?|Rank|Size|StopGradient|Snapshot
        |PlaceholderWithDefault|PreventGradient|NoOp|ReadVariableOp|VarHandleOp|Assign(?:VariableOp)?|Variable(?:V2)?
        |(?:Partitioned|StatefulPartitioned|Remote)Call|(?:Stateless)?(?:If|While|Case)|For|Conv2D|MatMul
        |Add(?:V2)?|Sub|Mul|BiasAdd|Relu6?|ConcatV?2?|Pack|Transpose|MaxPool|AvgPool|GatherV?2?|Pad|Maximum|Minimum
        |Split|Slice|StridedSlice|Tile|Fill|ZerosLike|OnesLike|BroadcastTo|Unpack|TensorList\w+|TensorArray\w+
    """,
    5: r"""
        _FusedConv2D|Bincount|DenseBincount|DenseToDenseSetOperation|DenseToSparseSetOperation|EuclideanNorm|HistogramFixedWidth
        |NonMaxSuppression(?:V[1-4])?|Prod|QuantizeV2|RaggedRange|ResizeBilinear|Roll|Selu(?:Grad)?|Sigmoid|Softplus
        |SparseReshape|SparseSegment\w+|SparseToSparseSetOperation|TensorScatter\w+|UnsortedSegment\w+
        |FusedPadConv2D|FusedResizeAndPadConv2D
    """,
    7: r"""
        (?:Batch)?MatrixBandPart|Parse(?:Single)?(?:Sequence)?Example\w*|QuantizeDownAndShrinkRange|Requantize
        |UniformQuantizedDot(?:Hybrid)?|UniformQuantizedConvolution(?:Hybrid)?
        |SparseAdd|SparseSparse(?:Maximum|Minimum)|RaggedTensorToSparse|I?RFFT2D
    """,
    9: r"PopulationCount|SparseFillEmptyRowsGrad|NonMaxSuppressionV5",
    13: r"RaggedGather|I?RFFT3D|AsString|SetSize|StringFormat",
    18: r"UnravelIndex",
    30: r"TruncatedNormal|Random(?:Gamma|Poisson)(?:V2)?|Multinomial",
}
"""The ops that take more, or less because they return views or claim their memory themselves."""


@cache
def scratch_factor(op: str) -> int:
    """Return the bytes of temporary memory that a kernel takes for each byte of its inputs and outputs."""
    return next(
        (factor for factor, pattern in _FACTORS.items() if re.fullmatch(pattern, op, re.VERBOSE)), _DEFAULT_FACTOR
    )


# --- outputs ---------------------------------------------------------------------------------------------------------

_NEWEST = 1 << 31  # a producer version for shape rules; only that of Placeholder depends on it
_OBJECT_BYTES, _ELEMENT_BYTES = 100, 8  # estimated bytes of an object, and of an element: a number or a pointer
_STRING_OVERHEAD = STRING_BYTES - _ELEMENT_BYTES  # bytes of a string without its characters and its pointer
_NO_NUMBERS = np.empty(0, np.int64)


def bytes_needed(node: NodeDef, inputs: Sequence[Any], types: Sequence[DataType | None] | None) -> int:
    """Return the estimated number of bytes of the outputs of a node for these inputs; 0 if unknown.

    The estimate has 8 bytes per item for ops in `_SLOT_COUNTS`, and no characters of strings. It is at most
    sys.maxsize. Invalid inputs are not reported here: the kernel raises the errors.
    """
    return min(_bytes_of_outputs(node, inputs, types), sys.maxsize)


def _bytes_of_outputs(node: NodeDef, inputs: Sequence[Any], types: Sequence[DataType | None] | None) -> int:
    count_elements = _ELEMENT_COUNTS.get(node.op) or _SLOT_COUNTS.get(node.op)
    if count_elements is not None:
        arrays = [value if isinstance(value, np.ndarray) else _NO_NUMBERS for value in inputs]
        row = DTYPES.get(types[0]) if types and types[0] is not None and node.op in _ELEMENT_COUNTS else None
        itemsize = row.numpy.itemsize if row is not None and not row.is_object else _ELEMENT_BYTES
        return itemsize * count_elements(arrays)
    result = _shapes_of_outputs(node, inputs) if types else None
    if result is None or not types:
        return 0
    if isinstance(result, Repeated):
        return len(result) * _size(result[0], types[0]) if result else 0
    outputs = result if isinstance(result, list) else [result]
    return sum(_size(output, dtype) for output, dtype in zip(outputs, types, strict=False))


def first_output_shape(node: NodeDef, inputs: Sequence[Any]) -> Shape | None:
    """Return the shape of the first output of a node for these inputs, as far as its shape rule knows it."""
    result = _shapes_of_outputs(node, inputs)
    first = result[0] if isinstance(result, (list, Repeated)) and len(result) else result
    return first.shape if isinstance(first, Tensor) else first if isinstance(first, tuple) else None


def _shapes_of_outputs(node: NodeDef, inputs: Sequence[Any]) -> Any:
    rule = shape_rules().get(node.op)
    if rule is None:
        return None
    try:
        return rule(Call(node, [_known_tensor(value) for value in inputs], _NEWEST, _refuse_function))
    except Error:
        return None


def bytes_of(value: Any) -> int:
    """Return the bytes of a tensor, with the contents of strings; 0 for other values, such as handles.

    A view counts with all its elements, even if they share memory.
    """
    if not isinstance(value, np.ndarray):
        return 0
    if value.dtype != object or not value.size:
        return value.nbytes
    stored = value[(*(slice(1) if step == 0 else slice(None) for step in value.strides), ...)]
    size = sum(
        _STRING_OVERHEAD + len(element) if isinstance(element, bytes) else _OBJECT_BYTES
        for element in elements_of(stored)
    )
    return value.nbytes + size * (value.size // stored.size)


def _size(output: Any, dtype: DataType | None) -> int:
    shape = output.shape if isinstance(output, Tensor) else output
    row = DTYPES.get(dtype) if dtype is not None else None
    if shape is None or None in shape or row is None:
        return 0
    return prod(shape) * (_ELEMENT_BYTES if row.is_object else row.numpy.itemsize)


def _known_tensor(value: Any) -> Tensor:
    if not isinstance(value, np.ndarray):
        return UNKNOWN
    numbers = value.dtype.kind in "iuf" and value.size <= MAX_KNOWN_ELEMENTS
    return Tensor(value.shape, tuple(value.ravel().tolist()) if numbers else None)


def _refuse_function(name: str, arguments: list[Tensor]) -> Sequence[Tensor]:
    """Raise GraphError for a function: when it runs, the outputs of each of its nodes are measured."""
    raise GraphError(f"{name} is not run yet")


# --- ops whose output size depends on elements of inputs -------------------------------------------------------------

_Inputs: TypeAlias = "Sequence[npt.NDArray[Any]]"


def _product_of_sizes(input_index: int, end: int | None = None) -> Callable[[_Inputs], int]:
    """Return a function that multiplies the integers of an input before index `end`: a shape, or a number of items."""

    def elements(inputs: _Inputs) -> int:
        product = 1
        for size in _integers(inputs, input_index, end):
            product = min(product * max(1, size), sys.maxsize)  # thousands of sizes would have a huge product
        return product

    return elements


def _rows_up_to_index(ids: int, data: int | None = None) -> Callable[[_Inputs], int]:
    """Return a function that counts the elements of an output with rows up to the largest index in the input `ids`.

    Each row is as large as a row of the input `data`; without `data`, a row is one element.
    """

    def elements(inputs: _Inputs) -> int:
        row = prod(inputs[data].shape[1:]) if data is not None and data < len(inputs) else 1
        return (_largest(inputs, ids) + 1) * row

    return elements


def _stitched_elements(inputs: _Inputs) -> int:
    half = len(inputs) // 2
    row = max((prod(data.shape[ids.ndim :]) for ids, data in zip(inputs, inputs[half:], strict=False)), default=0)
    return max((_largest(inputs, input_index) + 1 for input_index in range(half)), default=0) * row


def _range_elements(inputs: _Inputs) -> int:
    if len(inputs) != 3 or not all(value.dtype.kind in "iuf" for value in inputs):
        return 0
    total = 0.0
    for first in range(0, max(value.size for value in inputs), _BLOCK):
        start, limit, delta = (
            value.reshape(-1)[first : first + _BLOCK].astype(np.float64) if value.size > 1 else value.astype(np.float64)
            for value in inputs
        )
        with np.errstate(all="ignore"):
            try:
                total += np.nansum(np.maximum(np.ceil((limit - start) / delta), 0))
            except ValueError:  # the shapes do not broadcast
                return 0
    return int(min(total, _NEWEST**2))


def _partition_rows(inputs: _Inputs) -> int:
    """Return the number of rows if the first row partition is that number, a scalar; otherwise 0."""
    return _largest(inputs, 3) if len(inputs) > 3 and inputs[3].ndim == 0 else 0


def _integers(inputs: _Inputs, input_index: int, end: int | None = None) -> Iterator[int]:
    """Yield the elements of an input before index `end` if they are integers, without a list of all of them."""
    tensor = inputs[input_index] if input_index < len(inputs) else _NO_NUMBERS
    numbers = tensor.reshape(-1)[:end]
    for start in range(0, numbers.size if tensor.dtype.kind in "iu" else 0, _BLOCK):
        yield from numbers[start : start + _BLOCK].tolist()


_BLOCK = 1 << 12


def _largest(inputs: _Inputs, input_index: int) -> int:
    """Return the largest element of an input of integers, at least 0."""
    tensor = inputs[input_index] if input_index < len(inputs) else _NO_NUMBERS
    return max(0, int(tensor.max(initial=0))) if tensor.dtype.kind in "iu" else 0


_ELEMENT_COUNTS: dict[str, Callable[[_Inputs], int]] = {
    **dict.fromkeys(("DynamicStitch", "ParallelDynamicStitch"), _stitched_elements),
    **dict.fromkeys(("SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum"), _rows_up_to_index(1, 0)),
    **dict.fromkeys(("SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum"), _rows_up_to_index(2, 0)),
    "BatchMatrixDiag": lambda inputs: sum(value.size * value.shape[-1] for value in inputs if value.ndim),
    "EditDistance": lambda inputs: max(_product_of_sizes(2, -1)(inputs), _product_of_sizes(5, -1)(inputs)),
    "RaggedTensorToTensor": lambda inputs: max(_product_of_sizes(0)(inputs), _partition_rows(inputs)),
}
"""The number of elements of the first output."""

_SLOT_COUNTS: dict[str, Callable[[_Inputs], int]] = {
    **dict.fromkeys(("TensorArray", "TensorArrayV2", "TensorArrayV3"), _product_of_sizes(0)),
    **dict.fromkeys(
        ("TensorArrayWrite", "TensorArrayWriteV2", "TensorArrayWriteV3", "TensorListSetItem"), _rows_up_to_index(1)
    ),
    **dict.fromkeys(("TensorListReserve", "TensorListResize"), _product_of_sizes(1)),
    "RaggedRange": _range_elements,
    "SparseSoftmax": _product_of_sizes(2, -1),
    "TensorListScatterV2": _product_of_sizes(3),
    "UnsortedSegmentJoin": _product_of_sizes(2),
}
"""The number of pointers, indices or other items of 8 bytes that a kernel makes."""
