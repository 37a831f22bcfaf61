"""Patches of images, rolled tensors, pools with the places of their maxima."""

from __future__ import annotations

import numpy as np

from ....messages import DataType
from ....values.dtypes import dtype_of
from ..conversion import operators
from ..conversion.call import FLOAT, Call
from ..conversion.model import Value
from ..conversion.registry import converter
from ..conversion.scope import INT64
from .convolutions import Window, attributes_of, operand


@converter("ExtractImagePatches", "ExtractVolumePatches")
def _patches(call: Call) -> Value:
    """Windows of an image as channels: a convolution whose filters pick one element each."""
    rank = call.rank(0)
    dtype = call.dtype(0)
    kind = dtype_of(dtype).numpy
    if dtype not in (FLOAT, DataType.DT_HALF, DataType.DT_BFLOAT16) and (kind.kind not in "iu" or kind.itemsize > 2):
        call.refuse(f"a convolution of {dtype_of(dtype).name}")
    window = Window(call, rank, dilations="rates")
    kernel = window.kernel_of("ksizes", rank)
    shape = call.shape(0) or ()
    channels = shape[-1] if shape else None
    if channels is None:
        call.refuse("the number of its channels is not known", "--shape")
    pads = window.pads(kernel, shape[1:-1])
    if pads is None:
        call.refuse("its padding depends on sizes that are not known", "--shape")
    if any(size is not None and size < k for size, k in zip(shape[1:-1], kernel, strict=True)) and not pads:
        call.refuse("its windows are larger than the image")
    count = int(np.prod(kernel)) * channels
    weights = np.eye(count, dtype=np.float32).reshape(count, *kernel, channels)
    weights = np.moveaxis(weights, -1, 1)
    x = call.cast(operand(call, 0, window), FLOAT)
    attributes = attributes_of(window, pads) | {"kernel_shape": kernel}
    result = call.add("Conv", x, call.const(weights, FLOAT), more=attributes)
    return call.laid_out(call.cast(result, dtype), True)


@converter("Roll")
def _roll(call: Call) -> Value:
    """Shift elements along axes; those that leave at the end come back at the front."""
    axes = call.required(2, "the axes").ravel().tolist()
    known = call.constant(1)
    shifts = [None] * len(axes) if known is None else known.ravel().tolist()
    value, rank = call.input(0), call.rank(0)
    shape = call.shape(0) or ()
    for number, (shift, axis) in enumerate(zip(shifts, axes, strict=True)):
        size = shape[axis % rank]
        if shift is not None and size is not None:
            if not size or not shift % size:
                continue
            place = call.const([-shift % size])
        else:
            whole = operators.shape_of(call, value, axis % rank, axis % rank + 1)
            every = operators.flat(call, call.int64(1))
            given = operators.slice_axes(call, every, [number], [number + 1], [0])
            place = call.add("Mod", call.add("Neg", given), call.add("Max", whole, call.const([1])))
        last = operators.slice_axes(call, value, place, [operators.MAX], [axis % rank])
        first = operators.slice_axes(call, value, [0], place, [axis % rank])
        value = call.add("Concat", last, first, axis=axis % rank)
    return call.laid_out(value) if value is not call.input(0) else call.home(0)


@converter("MaxPoolWithArgmax")
def _pool_with_places(call: Call) -> list[Value]:
    """Maxima, and their places in the flat image, which ONNX counts with the channels before rows and columns.

    place = ((batch * channels + channel) * height + row) * width + column, from which TensorFlow's is computed.
    """
    rank = 4
    window = Window(call, rank)
    kernel = window.kernel_of("ksize", rank)
    shape = call.shape(0) or (None,) * rank
    pads = window.pads(kernel, [shape[axis] for axis in window.spatial]) or {}
    if "auto_pad" in pads and any(k < s for k, s in zip(kernel, window.strides, strict=True)):
        call.refuse("a pool with a window below its stride and unknown sizes", "--shape")
    x = operand(call, 0, window)
    attributes = attributes_of(window, pads) | {"kernel_shape": kernel}
    maxima, places = call.several("MaxPool", x, types=[x.dtype, INT64], more=attributes)
    outputs = [call.laid_out(maxima, True)]
    if not call.is_used(1):
        return outputs
    channels, height, width = (operators.shape_of(call, x, axis, axis + 1) for axis in (1, 2, 3))
    size = call.add("Mul", height, width)
    plane = call.add("Div", places, size)
    channel = call.add("Mod", plane, channels)
    flat = call.add("Add", call.add("Mul", call.add("Mod", places, size), channels), channel)
    if call.attr("include_batch_in_index", bool, False):
        batch = call.add("Div", plane, channels)
        flat = call.add("Add", flat, call.add("Mul", batch, call.add("Mul", size, channels)))
    dtype = call.output_dtype(1)
    return [*outputs, call.laid_out(call.cast(flat, dtype), True, 1)]
