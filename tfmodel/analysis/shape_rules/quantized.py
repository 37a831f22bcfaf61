"""Shape rules of quantized layers, which return their range as two more outputs, and of fake quantization."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import GraphError
from ...values.shape import SCALAR, Shape, broadcast, merge_dims, merge_shapes, rows_shape, with_rank
from .array import reshape
from .array_slicing_and_joining import concatenation
from .image import resize_shape
from .math import matmul
from .nn import bias_add
from .nn_windows import conv2d, depthwise, pool
from .table import Call, Result, Rule, merge_inputs, same_shape, share_rule


def _range_rule(rule: Callable[[Call], Shape | None]) -> Rule:
    """Return the rule of a quantized op: the shape of the float op, and two scalars for the range."""

    def quantized(call: Call) -> Result:
        return [rule(call), SCALAR, SCALAR]

    return quantized


def _channel_range_rule(rule: Callable[[Call], Shape], filter_range: int) -> Rule:
    """Return the rule of a convolution. If its filter has a range for each channel, its output has one too."""

    def quantized(call: Call) -> Result:
        shape, scale = rule(call), call.shape(filter_range)
        ends = scale if scale is None or scale == () else (merge_dims(with_rank(scale, 1)[0], shape[3]),)
        return [shape, ends, ends]

    return quantized


def _reshape_with_range(call: Call) -> Result:
    shape = reshape(call)
    return [shape, SCALAR, SCALAR]


def _range_only(call: Call) -> Result:
    return [SCALAR, SCALAR]


def _axis_range(call: Call) -> Shape:
    """Return the shape of a range: a scalar, or a vector with a range for each slice along an axis."""
    axis, shape = call.attr("axis", int, -1), call.shape(0)
    if axis == -1:
        return SCALAR
    if axis < -1:
        raise GraphError(f"axis must be -1 or more, got {axis}")
    rows_shape(shape, axis + 1)
    return (None if shape is None else shape[axis],)


def _quantize(call: Call) -> Result:
    range_shape = _axis_range(call)
    return [call.shape(0), range_shape, range_shape]


def _dequantize(call: Call) -> Result:
    _axis_range(call)
    return call.shape(0)


def _same(call: Call) -> Shape | None:
    return call.shape(0)


def _broadcast(call: Call) -> Shape | None:
    return broadcast(call.shape(0), call.shape(1))


def _concat(call: Call) -> Shape | None:
    """Return the shape of a concatenation; the inputs are the values, their minimums and their maximums."""
    count = call.attr("N", int)
    return concatenation(call.shapes[1 : count + 1], call.number(0))


def _concat_v2(call: Call) -> Shape | None:
    count = call.attr("N", int)
    return concatenation(call.shapes[:count], call.number(count))


def _batch_norm(call: Call) -> Shape | None:
    """Return the shape of the images. Each tensor is followed by its minimum and its maximum."""
    shape = with_rank(call.shape(0), 4)
    channels = shape[3]
    for index in range(3, 15, 3):
        channels = merge_dims(channels, with_rank(call.shape(index), 1)[0])
    return (*shape[:3], channels)


def _range_grad(call: Call) -> Result:
    shape = merge_shapes(call.shape(0), call.shape(1))
    return [shape, SCALAR, SCALAR]


def _channel_range_grad(call: Call) -> Result:
    shape = rows_shape(merge_shapes(call.shape(0), call.shape(1)), 1)
    channels = (merge_dims(None if shape is None else shape[-1], with_rank(call.shape(2), 1)[0]),)
    return [None if shape is None else (*shape[:-1], *channels), channels, channels]


ELEMENTWISE: dict[str, Rule] = {
    "FakeQuantWithMinMaxArgsGradient": merge_inputs,
    **share_rule(
        """
        FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel
        QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
        """,
        same_shape,
    ),
}

RULES: dict[str, Rule] = {
    **ELEMENTWISE,
    "Dequantize": _dequantize,
    "FakeQuantWithMinMaxVarsGradient": _range_grad,
    "FakeQuantWithMinMaxVarsPerChannelGradient": _channel_range_grad,
    "QuantizeV2": _quantize,
    "QuantizedAdd": _range_rule(_broadcast),
    "QuantizedAvgPool": _range_rule(pool),
    "QuantizedBatchNormWithGlobalNormalization": _range_rule(_batch_norm),
    "QuantizedBiasAdd": _range_rule(bias_add),
    "QuantizedConcat": _range_rule(_concat),
    "QuantizedConcatV2": _range_rule(_concat_v2),
    "QuantizedConv2DAndRelu": _channel_range_rule(conv2d, 4),
    "QuantizedConv2DPerChannel": _channel_range_rule(conv2d, 4),
    "QuantizedConv2DWithBias": _channel_range_rule(conv2d, 5),
    "QuantizedConv2DWithBiasAndRelu": _channel_range_rule(conv2d, 5),
    "QuantizedDepthwiseConv2D": _channel_range_rule(depthwise, 4),
    "QuantizedDepthwiseConv2DWithBias": _channel_range_rule(depthwise, 5),
    "QuantizedDepthwiseConv2DWithBiasAndRelu": _channel_range_rule(depthwise, 5),
    "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize": _range_rule(depthwise),
    "QuantizedMatMulWithBiasAndDequantize": matmul,
    "QuantizedMaxPool": _range_rule(pool),
    "QuantizedMul": _range_rule(_broadcast),
    "QuantizedReshape": _reshape_with_range,
    "QuantizedResizeBilinear": _range_rule(lambda call: resize_shape(call.shape(0), call.sizes(1))),
    "RequantizationRange": _range_only,
    "RequantizationRangePerChannel": _range_only,
    **share_rule(
        """
        QuantizeDownAndShrinkRange QuantizedInstanceNorm QuantizedRelu QuantizedRelu6 QuantizedReluX
        Requantize RequantizePerChannel
        """,
        _range_rule(_same),
    ),
    **share_rule(
        """
        QuantizedConv2D QuantizedConv2DAndReluAndRequantize QuantizedConv2DAndRequantize
        QuantizedConv2DWithBiasAndReluAndRequantize QuantizedConv2DWithBiasAndRequantize
        QuantizedConv2DWithBiasSignedSumAndReluAndRequantize QuantizedConv2DWithBiasSumAndRelu
        QuantizedConv2DWithBiasSumAndReluAndRequantize
        """,
        _range_rule(conv2d),
    ),
    **share_rule(
        """
        QuantizedMatMul QuantizedMatMulWithBias QuantizedMatMulWithBiasAndRelu
        QuantizedMatMulWithBiasAndReluAndRequantize QuantizedMatMulWithBiasAndRequantize
        """,
        _range_rule(matmul),
    ),
}
