"""Pools over spatial axes."""

from __future__ import annotations

from ..conversion import operators
from ..conversion.call import Call
from ..conversion.model import Value
from ..conversion.registry import converter
from .convolutions import Window, attributes_of, operand, padded_operand, placed


@converter("MaxPool", "MaxPoolV2", "MaxPool3D", "AvgPool", "AvgPool3D")
def _pool(call: Call) -> Value:
    """A pool; average pools do not count the padding, as in TensorFlow."""
    rank = 5 if call.node.op.endswith("3D") else 4
    inputs = {"ksize": 1, "strides": 2} if call.node.op == "MaxPoolV2" else {}
    window = Window(call, rank, inputs=inputs)
    kernel = window.kernel_of("ksize", rank)
    x = operand(call, 0, window)
    shape = call.shape(0) or (None,) * rank
    pads = window.pads(kernel, [shape[axis] for axis in window.spatial]) or {}
    if all(size == 1 for size in kernel):
        pads = {}
    attributes = attributes_of(window, pads) | {"kernel_shape": kernel}
    is_max = call.node.op.startswith("Max")
    short = "auto_pad" in pads and any(k < s for k, s in zip(kernel, window.strides, strict=True))
    if short:  # onnxruntime fails for some sizes where the kernel is below the stride
        attributes.pop("auto_pad")
        if not is_max:
            call.refuse("an average pool with a window below its stride and unknown sizes", "--shape")
        x = padded_operand(call, x, window, kernel, call.like(operators.lowest(x.dtype), x))
    return placed(call, call.add("MaxPool" if is_max else "AveragePool", x, more=attributes), window)


@converter("LRN")
def _local_normalization(call: Call) -> Value:
    radius, alpha = call.attr("depth_radius", int, 5), call.attr("alpha", float, 1.0)
    size = 2 * radius + 1
    beta, bias = call.attr("beta", float, 0.5), call.attr("bias", float, 1.0)
    x = call.input(0, first=True)
    return call.laid_out(call.add("LRN", x, size=size, alpha=alpha * size, beta=beta, bias=bias), True)
