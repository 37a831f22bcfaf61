"""Normalization by statistics of the data or of the training."""

from __future__ import annotations

from math import prod

from .. import operators
from ..call import Call
from ..model import Value
from ..registry import converter


@converter("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _batch_norm(call: Call) -> list[Value]:
    """Normalize with given statistics, or with those of the batch if is_training is set."""
    epsilon = call.attr("epsilon", float, 1e-4)
    channels_last = not call.attr("data_format", str, "NHWC").startswith("NC")
    x = call.input(0, first=channels_last)
    scale, offset, mean, variance = (call.input(index) for index in range(1, 5))
    if not call.attr("is_training", bool, True):
        y = call.laid_out(
            call.add("BatchNormalization", x, scale, offset, mean, variance, epsilon=epsilon), channels_last
        )
        return [y, mean, variance, mean, variance]
    rank = call.rank(0)
    axes = [axis for axis in range(rank) if axis != 1]
    mean = operators.reduce(call, "ReduceMean", x, axes, keepdims=True)
    centred = call.add("Sub", x, mean)
    variance = operators.reduce(call, "ReduceMean", call.add("Mul", centred, centred), axes, keepdims=True)
    deviation = call.add("Sqrt", call.add("Add", variance, call.like(epsilon, variance)))
    spatial = list(range(1, rank - 1))
    scale, offset = (operators.unsqueeze(call, value, spatial) for value in (scale, offset))
    y = call.add("Add", call.add("Mul", call.add("Div", centred, deviation), scale), offset)
    outputs = [call.laid_out(y, channels_last)]
    if any(call.is_used(port) for port in range(1, 5)):
        mean, variance = (operators.squeeze(call, value, axes) for value in (mean, variance))
        channels = rank - 1 if channels_last else 1
        count = prod(size for axis, size in enumerate(call.known_shape(0)) if axis != channels)
        unbiased = call.add("Mul", variance, call.like(count / max(count - 1, 1), variance))
        outputs += [mean, unbiased, mean, variance]
    return outputs
