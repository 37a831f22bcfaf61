"""Read constants as the elements that a transform computes with.

    read_constant(node, INTEGERS)      # the sizes, axes and paddings that ops take
    read_constant(node, FLOATS)        # weights
    read_constant(node)                # elements of any type

Graphs may be broken: a constant may hold strings, handles or codes where an op takes numbers. NumPy raises TypeError
for arithmetic with them, or computes with them. So a transform names the types that it can use. The NumPy type of an
array is not enough for that: quantized types are integers there, and bfloat16 is float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import GraphError
from ...graph import attr, const_tensor, describe
from ...messages import DataType, NodeDef
from ...values.dtypes import dtype_name
from ...values.tensors import to_ndarray

Kind = frozenset[DataType]

INTEGERS: Kind = frozenset({DataType.DT_INT32, DataType.DT_INT64})
"""The types of sizes, axes and other numbers that say what an op does."""

FLOATS: Kind = frozenset({DataType.DT_HALF, DataType.DT_BFLOAT16, DataType.DT_FLOAT, DataType.DT_DOUBLE})

REAL_NUMBERS: Kind = (
    FLOATS
    | INTEGERS
    | frozenset({DataType.DT_INT8, DataType.DT_INT16})
    | frozenset({DataType.DT_UINT8, DataType.DT_UINT16, DataType.DT_UINT32, DataType.DT_UINT64})
)

NUMBERS: Kind = REAL_NUMBERS | {DataType.DT_COMPLEX64, DataType.DT_COMPLEX128}
"""The types that arithmetic ops take."""

BOOLS: Kind = frozenset({DataType.DT_BOOL})

STRINGS: Kind = frozenset({DataType.DT_STRING})

_NAMES = {
    INTEGERS: "int32 or int64",
    FLOATS: "a floating-point type",
    NUMBERS: "numbers",
    REAL_NUMBERS: "real numbers",
    BOOLS: "bool",
    STRINGS: "string",
}


def read_constant(node: NodeDef, kind: Kind | None = None) -> np.ndarray[Any, Any]:
    """Return the value of a Const, read-only.

    Raises GraphError if it has no value, or if its type is not of the `kind`; TensorError if the value is damaged.
    """
    tensor = const_tensor(node)
    dtype = attr(node, "dtype", DataType, None)
    if dtype is None:
        dtype = tensor.dtype  # this decodes the tensor: a large one would be copied
    if kind is not None and dtype not in kind:
        needed = _NAMES.get(kind) or " or ".join(sorted(map(dtype_name, kind)))
        raise GraphError(f"{describe(node)} is {dtype_name(dtype)}, not {needed}")
    return to_ndarray(tensor)
