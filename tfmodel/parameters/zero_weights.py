"""Detect models whose weights were stripped: most of their large float constants, by bytes, are zero.

Some converters keep weights in separate files and leave a graph whose constants have a shape and no values, which
means zeros. Such a model runs, but its results say nothing: comparisons with another stripped model always agree.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import prod

from pbwire.errors import DecodeError
from pbwire.lazy.messages import get_deferred_bytes
from pbwire.lazy.undecoded_maps import without_field
from pbwire.wire import Buffer

from ..messages import DataType, GraphDef, NodeDef, TensorProto
from ..ops.traits import VARIABLES
from ..values.dtypes import DTYPES

_FLOATS = (DataType.DT_FLOAT, DataType.DT_HALF, DataType.DT_BFLOAT16, DataType.DT_DOUBLE)
_CODES = (
    DataType.DT_QINT8,
    DataType.DT_QUINT8,
    DataType.DT_INT8,
    DataType.DT_UINT8,
    DataType.DT_QINT16,
    DataType.DT_QUINT16,
)
"""Types of quantized weights."""

_MIN_SIZE = 1_000  # bytes of a constant that counts as large
_CHUNK = 1 << 20  # bytes that are compared at a time
_MAX_ZERO_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class ZeroWeights:
    """The number and bytes of a model's large float constants, and of those that are all zero."""

    count: int
    zeros: int
    bytes: int
    zero_bytes: int

    def __str__(self) -> str:
        which = "all" if self.zeros == self.count else f"{self.zeros:,} of the {self.count:,}"
        size = f"{self.zero_bytes:,} of {self.bytes:,} bytes"
        return f"{which} large constants are zero ({size}): the weights were probably stripped from this file"


def zero_weights(graph: GraphDef) -> ZeroWeights | None:
    """Count the large float constants of a graph and its functions, and those of them that are zero.

    Return None unless the zero constants have most of the bytes. Also return None for a graph with variables: these
    hold its weights, and constants may be their initial values. Return None for quantized weights that are there: the
    floats of such a graph are biases, which may well be zero.
    """
    functions = graph.library.function if graph.library is not None else []
    bodies = [graph.node, *(function.node_def for function in functions)]
    if any(node.op in VARIABLES for nodes in bodies for node in nodes):
        return None
    count = zeros = size = zero_size = 0
    for nodes in bodies:
        for tensor, content_bytes, byte_count in _large_constants(nodes):
            if tensor.dtype in _CODES:
                if not _is_zero(tensor, content_bytes):
                    return None
                continue
            count, size = count + 1, size + byte_count
            if _is_zero(tensor, content_bytes):
                zeros, zero_size = zeros + 1, zero_size + byte_count
    return ZeroWeights(count, zeros, size, zero_size) if zero_size > _MAX_ZERO_SHARE * size else None


def _large_constants(nodes: Iterable[NodeDef]) -> Iterable[tuple[TensorProto, Buffer, int]]:
    """Yield the large float constants with their content and the size of their elements."""
    for node in nodes:
        value = node.attr.get("value") if node.op == "Const" else None
        tensor = value.tensor if value is not None else None
        if tensor is None or get_deferred_bytes(tensor) is not None:  # computed by a transform, so not stripped
            continue
        cut = without_field(tensor, "tensor_content", _CHUNK // 16)  # large content is not copied
        content: Buffer = b""
        if cut is not None:
            with suppress(DecodeError):
                tensor, content = TensorProto.from_bytes(cut.other_fields, max_depth=cut.depth), cut.value
        if tensor.dtype not in _FLOATS + _CODES or tensor.tensor_shape is None:
            continue
        byte_count = prod(max(0, dim.size) for dim in tensor.tensor_shape.dim) * DTYPES[tensor.dtype].itemsize
        if _MIN_SIZE <= byte_count <= sys.maxsize:
            yield tensor, content or tensor.tensor_content, byte_count


def _is_zero(tensor: TensorProto, content_bytes: Buffer) -> bool:
    """Return whether all elements are zero. A tensor without stored values is zero."""
    if content_bytes:
        content = memoryview(content_bytes)
        chunks = (content[start : start + _CHUNK] for start in range(0, len(content), _CHUNK))
        return all(bytes(chunk).count(0) == len(chunk) for chunk in chunks)
    values = (tensor.float_val, tensor.double_val, tensor.half_val, tensor.int_val)
    return not any(any(row) for row in values)
