"""The element types that onnxruntime has kernels for, and what is computed in their place.

An operator may have a type in the specification without a kernel on the CPU: such a file does not load. KERNELS lists
the operators of which types are missing, in onnxruntime 1.16 or later; data movement and operators that are not listed
have all types of the specification. `added` casts around them:

    Conv of float64      ->  Cast to float32, Conv, Cast to float64; a note says so
    Add of int8          ->  Cast to int32, Add, Cast to int8, which wraps around
    Conv of int64        ->  refused: no type with kernels holds all of its numbers
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....messages import DataType
from ....values.dtypes import dtype_name
from .types import ONNX_TYPES

if TYPE_CHECKING:
    from .call import Call
    from .model import Attributes, Value

TYPE_NAMES = {
    "f32": DataType.DT_FLOAT, "f64": DataType.DT_DOUBLE, "f16": DataType.DT_HALF, "bf16": DataType.DT_BFLOAT16,
    "i8": DataType.DT_INT8, "i16": DataType.DT_INT16, "i32": DataType.DT_INT32, "i64": DataType.DT_INT64,
    "u8": DataType.DT_UINT8, "u16": DataType.DT_UINT16, "u32": DataType.DT_UINT32, "u64": DataType.DT_UINT64,
    "bool": DataType.DT_BOOL, "str": DataType.DT_STRING,
}  # fmt: skip


_NEWER = {"Equal": (19, DataType.DT_STRING)}
"""Operators that have a type from an opset on."""


@dataclass(frozen=True, slots=True)
class Kernels:
    """The types that an operator has kernels for. `places` are the inputs of that type, all if it is None.

    float16 is among them if the specification has it: onnxruntime casts by itself.
    """

    types: frozenset[DataType]
    places: tuple[int, ...] | None = None


_ROWS: tuple[tuple[str, str, tuple[int, ...] | None], ...] = (
    ("Acos Acosh Asin Asinh Atan Atanh AveragePool Conv ConvTranspose Cos Cosh Elu Erf GlobalAveragePool "
     "GlobalMaxPool HardSigmoid InstanceNormalization LRN LeakyRelu Mean PRelu RoiAlign Selu Sinh Softplus "
     "Softsign Tan", "f32 f16", None),
    ("BatchNormalization Ceil DepthToSpace Exp Floor Gemm LayerNormalization Log LogSoftmax Reciprocal Round "
     "Sigmoid Sin Softmax SpaceToDepth Sqrt Sum Tanh IsNaN", "f32 f64 f16", None),
    ("IsInf", "f32 f64", None),
    ("QuantizeLinear", "f32", (0, 1)),
    ("Add Div Greater GreaterOrEqual Less LessOrEqual Mul Pow Sub Einsum", "f32 f64 i32 i64 f16", None),
    ("Equal", "f32 f64 i32 i64 bool f16", None),
    ("MatMul Max Min", "f32 f64 i32 i64 u32 u64 f16", None),
    ("Abs Mod", "f32 f64 i32 i64 i8 i16 u8 u16 u32 u64 f16", None),
    ("Sign", "f32 f64 i32 i64 i8 i16 u8 u16 u32 u64", None),  # of NaN in float16, it makes 0
    ("Neg", "f32 f64 i32 i64 i8 f16", None),
    ("Relu", "f32 f64 i32 i8 f16", None),
    ("Clip", "f32 f64 i32 i64 i8 u8 u32 u64 f16", None),
    ("Where", "f32 f64 i32 i64 u8 str f16", (1, 2)),
    ("NonZero", "f32 i32 i64 u8 bool f16", None),
    ("BitShift", "u8 u32 u64", None),
    ("CumSum ReduceLogSumExp ReduceSum ReduceSumSquare TopK", "f32 f64 i32 i64 f16", (0,)),
    ("ReduceMean", "f32 f64 i32 f16", (0,)),
    ("ReduceL1 ReduceL2 ReduceProd", "f32 i32 i64 f16", (0,)),
    ("ReduceMax ReduceMin", "f32 f64 i32 i64 i8 u8 f16", (0,)),
    ("ArgMax ArgMin", "f32 f64 i32 i64 f16", (0,)),
    ("MaxPool", "f32 f64 i8 u8 f16", (0,)),
    ("Range", "f32 f64 i16 i32 i64", None),
    ("Resize", "f32 i32 i8 u8 f16", (0,)),
    ("Pad", "f32 f64 i32 i64 i8 u8 u32 u64 bool f16", (0, 2)),
    ("Trilu", "f32 f64 i64 f16", (0,)),
    ("Unique", "f32 f64 i64 i8 str f16", (0,)),
    ("Expand Tile Size Compress ReverseSequence", "f32 f64 f16 i8 i16 i32 i64 u8 u16 u32 u64 bool str", (0,)),
)  # fmt: skip

KERNELS = {
    op: Kernels(frozenset(TYPE_NAMES[name] for name in types.split()), places)
    for ops, types, places in _ROWS
    for op in ops.split()
}
"""Operators with their types in onnxruntime 1.16 and later; ArgMax and ArgMin of int64 need a later one."""

_SMALL = (DataType.DT_INT32, DataType.DT_INT64, DataType.DT_FLOAT)
_STAND_INS: dict[DataType, tuple[DataType, ...]] = {
    DataType.DT_DOUBLE: (DataType.DT_FLOAT,),
    DataType.DT_BFLOAT16: (DataType.DT_FLOAT,),
    DataType.DT_HALF: (DataType.DT_FLOAT,),
    DataType.DT_BOOL: (DataType.DT_UINT8,),
    DataType.DT_INT8: _SMALL,
    DataType.DT_UINT8: _SMALL,
    DataType.DT_INT16: _SMALL,
    DataType.DT_UINT16: _SMALL,
    DataType.DT_INT32: (DataType.DT_INT64, DataType.DT_DOUBLE),
    DataType.DT_UINT32: (DataType.DT_INT64, DataType.DT_DOUBLE),
    DataType.DT_UINT64: (DataType.DT_INT64,),
}
"""Types that hold all numbers of another one, in the order of preference. float64 loses digits in float32."""

_MODULAR = frozenset(
    {"Add", "Sub", "Mul", "Neg", "Equal", "Where", "Pad", "CumSum", "ReduceSum", "ReduceProd", "Einsum", "Unique",
     "Trilu", "Relu"}
)  # fmt: skip
"""Operators that give the same bits for uint64 and int64."""


def added(
    call: Call, op: str, inputs: Sequence[Value | None], types: Sequence[DataType], attributes: Attributes
) -> list[Value]:
    """Add a node of ONNX's own domain, in a type that onnxruntime computes it in. Refuses the node if there is none."""
    row = KERNELS.get(op)
    places = range(len(inputs)) if row is None or row.places is None else row.places
    dtype = next((value.dtype for place, value in enumerate(inputs) if place in places and value is not None), None)
    opset, newer = _NEWER.get(op, (0, None))
    if row is None or dtype is None or _plain(dtype) in row.types or (dtype == newer and call.opset >= opset):
        return call.scope.add(op, *inputs, types=types, scope=call.node.name, attributes=attributes)
    stand_in = _stand_in(call, op, _plain(dtype), row.types)
    cast = [
        call.cast(value, stand_in) if value is not None and place in places and value.dtype == dtype else value
        for place, value in enumerate(inputs)
    ]
    others = [stand_in if each == dtype else each for each in types]
    results = call.scope.add(op, *cast, types=others, scope=call.node.name, attributes=attributes)
    return [call.cast(result, each) for result, each in zip(results, types, strict=True)]


def _stand_in(call: Call, op: str, dtype: DataType, kernels: frozenset[DataType]) -> DataType:
    found = next((each for each in _STAND_INS.get(dtype, ()) if each in kernels), None)
    if found is None or (dtype == DataType.DT_UINT64 and op not in _MODULAR):
        call.refuse(f"onnxruntime has no {op} of {dtype_name(dtype)}")
    if dtype == DataType.DT_DOUBLE:
        call.note(f"computed in float32, as onnxruntime has no {op} of float64")
    return found


def _plain(dtype: DataType) -> DataType:
    """Return the integer type that stands for a quantized one."""
    return _PLAIN.get(ONNX_TYPES.get(dtype, 0), dtype)


_PLAIN = {ONNX_TYPES[dtype]: dtype for dtype in TYPE_NAMES.values()}
