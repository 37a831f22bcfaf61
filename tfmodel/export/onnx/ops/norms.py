"""Normalization by statistics of the data or of the training, and of neighbouring channels."""

from __future__ import annotations

from math import prod

from ..conversion import operators
from ..conversion.call import FLOAT, Call
from ..conversion.model import Value
from ..conversion.registry import converter


@converter("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _batch_norm(call: Call) -> list[Value]:
    """Normalize with given statistics, or with those of the batch if is_training is set."""
    epsilon = call.attr("epsilon", float, 1e-4)
    channels_last = not call.attr("data_format", str, "NHWC").startswith("NC")
    x = call.input(0, first=channels_last)
    scale, offset, mean, variance = (call.input(index) for index in range(1, 5))
    if not call.attr("is_training", bool, True):
        y = call.add("BatchNormalization", x, scale, offset, mean, variance, epsilon=epsilon)
        outputs = [call.laid_out(y, channels_last), mean, variance, mean, variance]
    else:
        outputs = _by_statistics_of_the_batch(call, x, channels_last, epsilon)
    if call.node.op == "FusedBatchNormV3":  # the last output is only of use to gradients
        is_scalar = call.dtype(0) != FLOAT or call.rank(0) == 5
        outputs.append(call.const(0 if is_scalar else [], FLOAT))
    return outputs


@converter("BatchNormWithGlobalNormalization")
def _old_batch_norm(call: Call) -> Value:
    """The same as it was in the first versions of TensorFlow, perhaps without a scale."""
    x, mean, variance, offset, scale = (call.input(index, first=index == 0) for index in range(5))
    if not call.attr("scale_after_normalization", bool):
        scale = call.add("Expand", call.const(1, FLOAT), operators.shape_of(call, mean))
    epsilon = call.attr("variance_epsilon", float)
    return call.laid_out(call.add("BatchNormalization", x, scale, offset, mean, variance, epsilon=epsilon), True)


def _by_statistics_of_the_batch(call: Call, x: Value, channels_last: bool, epsilon: float) -> list[Value]:
    """Normalize by the mean and the variance of each channel, and return the moving ones too."""
    rank, dtype = call.rank(0), x.dtype
    x = call.cast(x, FLOAT)
    axes = [axis for axis in range(rank) if axis != 1]
    mean = operators.reduce(call, "ReduceMean", x, axes, keepdims=True)
    centred = call.add("Sub", x, mean)
    variance = operators.reduce(call, "ReduceMean", call.add("Mul", centred, centred), axes, keepdims=True)
    deviation = call.add("Sqrt", call.add("Add", variance, call.like(epsilon, variance)))
    scale, offset = (operators.unsqueeze(call, call.input(index), list(range(1, rank - 1))) for index in (1, 2))
    y = call.add("Add", call.add("Mul", call.add("Div", centred, deviation), scale), offset)
    outputs = [call.laid_out(call.cast(y, dtype), channels_last)]
    if any(call.is_used(port) for port in range(1, 5)):
        mean, variance = (operators.squeeze(call, value, axes) for value in (mean, variance))
        channels = rank - 1 if channels_last else 1
        count = prod(size for axis, size in enumerate(call.known_shape(0)) if axis != channels)
        unbiased = call.add("Mul", variance, call.like(count / max(count - 1, 1), variance))
        outputs += [_moved(call, 3, mean), _moved(call, 4, unbiased), mean, variance]
    return outputs


def _moved(call: Call, index: int, new: Value) -> Value:
    """Return a moving average of a statistic; with a factor of 1 it is the new one."""
    factor = call.attr("exponential_avg_factor", float, 1.0)
    if factor == 1:
        return new
    kept = call.add("Mul", call.input(index), call.like(1 - factor, new))
    return call.add("Add", kept, call.add("Mul", new, call.like(factor, new)))


@converter("LRN")
def _local_normalization(call: Call) -> Value:
    radius, alpha = call.attr("depth_radius", int, 5), call.attr("alpha", float, 1.0)
    size = 2 * radius + 1
    beta, bias = call.attr("beta", float, 0.5), call.attr("bias", float, 1.0)
    x = call.input(0, first=True)
    return call.laid_out(call.add("LRN", x, size=size, alpha=alpha * size, beta=beta, bias=bias), True)
