"""Constants in half precision: their elements, and whether these survive.

    loss = rounding_loss(array, DataType.DT_HALF)
    loss.problem                                     # "its values overflow float16"; "" if it can be converted
    half_tensor(node, array, DataType.DT_HALF)       # rounded to nearest even

Rounding makes an infinity of a number that is too large, and zero of one that is too small. A constant with a number
that is too large stays float32, and so does a constant of which nothing but zeros would be left, such as an epsilon of
1e-12. If some of its elements become zero, it is converted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...messages import DataType, NodeDef, TensorProto
from ...values.dtypes import dtype_name, dtype_of
from ...values.dtypes.conversion import FORMATS
from ...values.shape import shape_to_proto
from ..framework.forward import stored_elements
from ..quantization.weights import is_splat, map_elements

LARGEST = {DataType.DT_HALF: 65504.0, DataType.DT_BFLOAT16: float.fromhex("0x1.fep127")}
"""The largest finite number of each type."""

_OVERFLOW = {DataType.DT_HALF: 65520.0, DataType.DT_BFLOAT16: float.fromhex("0x1.ffp127")}
"""The smallest number that is rounded to infinity: it is halfway to the next power of two, whose mantissa is even."""

_UNDERFLOW = {DataType.DT_HALF: 2.0**-25, DataType.DT_BFLOAT16: 2.0**-134}
"""The largest number that is rounded to zero: half of the smallest subnormal number."""

_BLOCK = 1 << 18

_Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class RoundingLoss:
    """The elements of a constant that half precision cannot represent.

    elements      the number of different elements in memory: a splat has one
    nonzero       the number of those that are not zero
    overflowing   the number of finite elements that become infinite
    vanishing     the number of elements that become zero
    """

    dtype: DataType
    elements: int
    nonzero: int
    overflowing: int
    vanishing: int

    @property
    def overflows(self) -> bool:
        return self.overflowing > 0

    @property
    def problem(self) -> str:
        """The reason why the constant has to stay float32; "" if it can be converted."""
        if self.overflowing:
            return f"its values overflow {dtype_name(self.dtype)}"
        if self.vanishing and self.vanishing == self.nonzero:
            return f"all its values would become zero in {dtype_name(self.dtype)}"
        return ""


def rounding_loss(array: _Array, half: DataType) -> RoundingLoss:
    """Return what rounding float32 elements to `half` loses. Time and memory do not depend on repetitions."""
    values = stored_elements(array).reshape(-1)
    nonzero = overflowing = vanishing = 0
    for start in range(0, values.size, _BLOCK):
        block = np.abs(values[start : start + _BLOCK])
        nonzero += int(np.count_nonzero(block))
        overflowing += int(np.count_nonzero((block >= np.float32(_OVERFLOW[half])) & (block < np.inf)))
        vanishing += int(np.count_nonzero((block <= np.float32(_UNDERFLOW[half])) & (block > 0)))
    return RoundingLoss(half, values.size, nonzero, overflowing, vanishing)


def half_tensor(node: NodeDef, array: _Array, half: DataType) -> TensorProto:
    """Return the elements of the Const `node` as a tensor of type `half`, rounded to nearest even.

    A tensor that repeats one element repeats its rounded value. The elements of a large tensor of a file are computed
    when they are written.
    """
    row = dtype_of(half)
    if is_splat(array):
        element = np.empty(1, row.storage)
        _round_block(half)(array[(0,) * array.ndim].reshape(1), array, element)
        bits = int(element.view("<u2")[0])
        return TensorProto(dtype=half, tensor_shape=shape_to_proto(array.shape), half_val=[bits])
    return map_elements(node, array, row.stored, half, _round_block(half))


def _round_block(half: DataType) -> Any:
    def to_float16(block: _Array, scratch: _Array, out: _Array) -> None:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            np.copyto(out, block, casting="unsafe")

    def to_bfloat16(block: _Array, scratch: _Array, out: _Array) -> None:
        native = np.ascontiguousarray(block, np.float32)
        np.copyto(out, FORMATS["bfloat16"].encode(native)[0], casting="unsafe")

    return to_float16 if half == DataType.DT_HALF else to_bfloat16
