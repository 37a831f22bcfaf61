"""Ops whose outputs have the shape of an input, or what two inputs broadcast to."""

from __future__ import annotations

from ...errors import GraphError
from ...messages import DataType
from ...ops.partial_tensors import BINARY, UNARY, Tensor, binary, cast, unary
from ...ops.shape_rules import Call, Result, Rule, alike
from ...shape import MOST_DIMENSIONS, SCALAR, Shape, broadcast, known, merged, ranked, rows

__all__ = ["RULES", "bias_add", "same", "unchanged"]


def same(call: Call) -> Result:
    """Of the shape of the first input."""
    return call.shape(0)


def unchanged(call: Call) -> Result:
    """The first input itself."""
    return call.tensor(0)


def _merged_inputs(call: Call) -> Result:
    """All inputs have one shape, and so has the output."""
    shape = call.shape(0)
    for other in call.shapes[1:]:
        shape = merged(shape, other)
    return shape


def _unary(call: Call) -> Result:
    tensor = call.tensor(0)
    if tensor.value is None:
        return tensor.shape
    return Tensor(tensor.shape, unary(UNARY[call.node.op], tensor, call.attr("T", DataType)))


def _cast(call: Call) -> Result:
    tensor = call.tensor(0)
    if tensor.value is None:
        return tensor.shape
    return Tensor(tensor.shape, cast(tensor, call.attr("DstT", DataType)))


def _broadcast(call: Call) -> Result:
    return broadcast(call.shape(0), call.shape(1))


def _arithmetic(call: Call) -> Result:
    a, b = call.tensor(0), call.tensor(1)
    shape = broadcast(a.shape, b.shape)
    if a.value is None or b.value is None:
        return shape
    return Tensor(shape, binary(BINARY[call.node.op], a, b, shape, call.attr("T", DataType)))


def _equal(call: Call) -> Result:
    """With incompatible_shape_error=false, tensors that do not fit give a scalar."""
    a, b = call.shape(0), call.shape(1)
    if call.attr("incompatible_shape_error", bool, True):
        return broadcast(a, b)
    try:
        return broadcast(a, b) if known(a) and known(b) else None
    except GraphError:
        return SCALAR


def _broadcast_three(call: Call) -> Result:
    return broadcast(broadcast(call.shape(0), call.shape(1)), call.shape(2))


def _select(call: Call) -> Result:
    """The condition is of the shape of the two, or decides for all, or for rows."""
    condition, shape = call.shape(0), merged(call.shape(1), call.shape(2))
    if condition is None or shape is None or condition == ():
        return shape
    if shape and len(condition) == 1:
        merged(condition, shape[:1])
        return shape if len(shape) > 1 else merged(condition, shape)
    return merged(condition, shape)


def bias_add(call: Call) -> Shape | None:
    shape, bias = call.shape(0), call.shape(1)
    if bias is not None and len(bias) != 1:
        raise GraphError(f"the bias has {len(bias)} dimensions, not one")
    if shape is None:
        return None
    channels = 1 if call.attr("data_format", str, "NHWC") == "NCHW" else len(rows(shape, 2) or ()) - 1
    rows(shape, channels + 1)
    (size,) = merged(shape[channels : channels + 1], bias) or (None,)
    return (*shape[:channels], size, *shape[channels + 1 :])


def _bias_add_grad(call: Call) -> Result:
    shape = call.shape(0)
    if shape is None:
        return (None,)
    at = 1 if call.attr("data_format", str, "NHWC") == "NCHW" else len(shape) - 1
    rows(shape, at + 1)
    return (rows(shape, 1) or (None,))[at : at + 1]


def _accumulated(call: Call) -> Result:
    shape = call.shape_attr("shape")
    for each in call.shapes:
        shape = merged(shape, each)
    return shape


def _reverse(call: Call) -> Result:
    """The oldest op has a bool for each dimension."""
    shape, (length,) = call.shape(0), ranked(call.shape(1), 1)
    return shape if length is None or length > MOST_DIMENSIONS else ranked(shape, length)


def _first_of_rank(least: int) -> Rule:
    def rule(call: Call) -> Result:
        return rows(call.shape(0), least)

    return rule


_PASSED_ON = """
    CheckNumerics CheckNumericsV2 CopyHost Copy DebugGradientIdentity DebugGradientRefIdentity DebugIdentity
    DebugIdentityV2 DebugIdentityV3 DeepCopy Identity PreventGradient Print RefIdentity
    Snapshot StopGradient
"""
_SAME = """
    Acos Acosh Angle Asin Asinh Atan Atanh BesselI0 BesselI0e
    BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 ClipByValue
    ComplexAbs Conj Cos Cosh Cumprod Cumsum CumulativeLogsumexp Dawsn Digamma Elu Erf Erfc Erfinv
    Exp Expint Expm1 FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel FresnelCos
    FresnelSin Imag Inv Invert IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p LogicalNot Ndtri OnesLike
    PopulationCount Real Reciprocal Relu Relu6 RandomShuffle ReverseV2 Roll Rsqrt Selu
    Sigmoid Sign Sin Sinh Softplus Softsign Spence Sqrt Tan Tanh ZerosLike
    InvGrad ReciprocalGrad RsqrtGrad SigmoidGrad SqrtGrad TanhGrad
    QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
    DataFormatDimMap DataFormatVecPermute _UnaryOpsComposition
"""
_MERGED = """
    AddN ApproximateEqual EluGrad FakeQuantWithMinMaxArgsGradient LeakyReluGrad Relu6Grad ReluGrad SeluGrad SoftplusGrad
    SoftsignGrad
"""
_BROADCAST = """
    Atan2 BitwiseAnd BitwiseOr BitwiseXor Complex DivNoNan Greater GreaterEqual Igamma IgammaGradA Igammac LeftShift
    Less LessEqual LogicalAnd LogicalOr MulNoNan NextAfter Polygamma Pow RightShift SquaredDifference Xdivy Xlog1py
    Xlogy Zeta
"""


RULES: dict[str, Rule] = {
    **alike(_PASSED_ON, unchanged),
    **alike(_SAME, same),
    **alike(_MERGED, _merged_inputs),
    **alike(_BROADCAST, _broadcast),
    **dict.fromkeys(UNARY, _unary),
    **dict.fromkeys(BINARY, _arithmetic),
    **dict.fromkeys(["Equal", "NotEqual"], _equal),
    **dict.fromkeys(["Softmax", "LogSoftmax"], _first_of_rank(1)),
    "AccumulateNV2": _accumulated,
    "Betainc": _broadcast_three,
    "BiasAdd": bias_add,
    "BiasAddGrad": _bias_add_grad,
    "BiasAddV1": bias_add,
    "Cast": _cast,
    "Reverse": _reverse,
    "Select": _select,
    "SelectV2": _broadcast_three,
}
