"""Pools over spatial axes."""

from __future__ import annotations

from .. import operators
from ..call import Call
from ..model import Value
from ..registry import converter
from .convolutions import Window, attributes_of, operand, padded_operand, placed


@converter("MaxPool", "MaxPoolV2", "MaxPool3D", "AvgPool", "AvgPool3D")
def _pool(call: Call) -> Value:
    """A pool; average pools do not count the padding, as in TensorFlow."""
    rank = 5 if call.node.op.endswith("3D") else 4
    if call.node.op == "MaxPoolV2":
        call.refuse("the window of a pool is computed", "fold it first")
    window = Window(call, rank)
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


@converter("SpaceToDepth", "DepthToSpace")
def _blocks(call: Call) -> Value:
    """Move blocks of the image into the channels, and back."""
    if call.attr("data_format", str, "NHWC") not in ("NHWC", "NCHW"):
        call.refuse("its data_format has no counterpart")
    first = call.attr("data_format", str, "NHWC") == "NHWC"
    x = call.input(0, first=first)
    mode = {"mode": "DCR"} if call.node.op == "DepthToSpace" else {}
    size = call.attr("block_size", int)
    if call.node.op == "SpaceToDepth":
        return call.laid_out(call.add("SpaceToDepth", x, blocksize=size), first)
    return call.laid_out(call.add("DepthToSpace", x, blocksize=size, more=mode), first)


@converter("SpaceToBatchND", "BatchToSpaceND", "SpaceToBatch", "BatchToSpace")
def _batches(call: Call) -> Value:
    """Move blocks of the spatial axes into the batch, and back: Reshape, Transpose, Reshape; pad or crop."""
    op = call.node.op
    if op.endswith("ND"):
        blocks = call.required(1, "the block").ravel().tolist()
        pairs = call.required(2, "the padding" if op.startswith("Space") else "the cropping").reshape(-1, 2).tolist()
    else:
        blocks = [call.attr("block_size", int)] * 2
        pairs = call.required(1, "the padding").reshape(-1, 2).tolist()
    value, rank, m = call.input(0), call.rank(0), len(blocks)
    if op.startswith("Space"):
        pads = [
            0,
            *(pair[0] for pair in pairs),
            *[0] * (rank - m - 1),
            0,
            *(p[1] for p in pairs),
            *[0] * (rank - m - 1),
        ]
        if any(pads):
            value = call.add("Pad", value, call.const(pads))
        shape = operators.shape_of(call, value)
        parts = [operators.slice_axes(call, shape, [0], [1], [0])]
        for axis, block in enumerate(blocks, 1):
            size = operators.slice_axes(call, shape, [axis], [axis + 1], [0])
            parts += [call.add("Div", size, call.const([block])), call.const([block])]
        rest = [operators.slice_axes(call, shape, [m + 1], [rank], [0])] if rank > m + 1 else []
        split = call.add("Reshape", value, call.add("Concat", *parts, *rest, axis=0))
        order = [*range(2, 2 * m + 1, 2), 0, *range(1, 2 * m, 2), *range(2 * m + 1, rank + m)]
        moved = call.transposed(split, order)
        counts = [call.const([-1]), *(parts[2 * axis + 1] for axis in range(m)), *rest]
        return call.laid_out(call.add("Reshape", moved, call.add("Concat", *counts, axis=0)))
    shape = operators.shape_of(call, value)
    sizes = [operators.slice_axes(call, shape, [axis], [axis + 1], [0]) for axis in range(m + 1)]
    rest = [operators.slice_axes(call, shape, [m + 1], [rank], [0])] if rank > m + 1 else []
    split = call.add(
        "Reshape", value, call.add("Concat", call.const(blocks), call.const([-1]), *sizes[1:], *rest, axis=0)
    )
    order = [m]
    for axis in range(m):
        order += [m + 1 + axis, axis]
    moved = call.transposed(split, [*order, *range(2 * m + 1, rank + m)])
    wide = [call.add("Mul", size, call.const([block])) for size, block in zip(sizes[1:], blocks, strict=True)]
    joined = call.add("Reshape", moved, call.add("Concat", call.const([-1]), *wide, *rest, axis=0))
    if any(sum(pair) for pair in pairs):
        begins = [pair[0] for pair in pairs]
        ends = [-pair[1] if pair[1] else operators.MAX for pair in pairs]
        joined = operators.slice_axes(call, joined, begins, ends, list(range(1, m + 1)))
    return call.laid_out(joined)
