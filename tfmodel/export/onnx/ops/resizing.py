"""Images of other sizes.

Resampling is linear and separable: with known sizes, the weights of each axis are a matrix, which our own kernels give
for the rows of an identity matrix. onnxruntime's Resize computes the same for bilinear images; its bicubic one fails
when it makes an image smaller, and its nearest neighbours are others for some sizes.
"""

from __future__ import annotations

import numpy as np

from ..conversion import operators
from ..conversion.call import BOOL, FLOAT, Call
from ..conversion.model import Array, Value
from ..conversion.probing import probe
from ..conversion.registry import converter
from ..conversion.scope import INT32

LINEAR, NEAREST = "ResizeBilinear", "ResizeNearestNeighbor"


@converter(LINEAR)
def _bilinear(call: Call) -> Value:
    x = call.input(0, first=True, dtype=FLOAT)
    return call.laid_out(_resized(call, x, mode="linear", coordinate_transformation_mode=_positions(call)), True)


@converter(NEAREST)
def _nearest(call: Call) -> Value:
    """Nearest neighbours: with known sizes rows and columns are gathered, unless each is repeated equally often."""
    sizes = _known_sizes(call)
    if sizes is None:
        rounding = "floor" if _positions(call) == "asymmetric" else "round_prefer_ceil"
        call.note("nearest neighbours may be others, as the sizes are not known")
        x = call.input(0, first=True)
        more = {"mode": "nearest", "nearest_mode": rounding}
        return call.laid_out(_resized(call, x, coordinate_transformation_mode=_positions(call), **more), True)
    chosen = [_pixels(call, old, new) for old, new in sizes]
    if all(
        np.array_equal(pixels, np.arange(new) * old // new) and new % old == 0
        for pixels, (old, new) in zip(chosen, sizes, strict=True)
    ):
        x = call.input(0, first=True)
        more = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
        return call.laid_out(_resized(call, x, **more), True)
    value, order = call.moved(0)
    for axis, pixels, (old, new) in zip(call.places([1, 2], order), chosen, sizes, strict=True):
        if old != new or not np.array_equal(pixels, np.arange(new)):
            value = call.add("Gather", value, call.const(pixels), axis=axis)
    return call.laid_out(value, order)


@converter("ResizeBicubic", "ResizeArea")
def _by_matrices(call: Call) -> Value:
    """Products with a matrix for the rows and one for the columns."""
    sizes = _known_sizes(call)
    if sizes is None:
        call.refuse("its sizes are not known", "--shape")
    x = call.input(0, first=True, dtype=FLOAT)
    rows, columns = (_matrix(call, old, new) for old, new in sizes)
    x = call.add("MatMul", x, call.const(columns.T, FLOAT))
    return call.laid_out(call.add("MatMul", call.const(rows, FLOAT), x), True)


def _positions(call: Call) -> str:
    """Return how pixels of the two images lie on each other, in the words of ONNX."""
    if call.attr("align_corners", bool, False):
        return "align_corners"
    return "half_pixel" if call.attr("half_pixel_centers", bool, False) else "asymmetric"


def _known_sizes(call: Call) -> list[tuple[int, int]] | None:
    """Return old and new height, and old and new width; None if one is unknown."""
    shape, new = call.shape(0), call.known(1)
    if shape is None or new is None or None in new or None in shape[1:3]:
        return None
    return [(int(shape[axis] or 0), int(new[axis - 1])) for axis in (1, 2)]


def _resized(call: Call, x: Value, **attributes: str) -> Value:
    """Return an image, with channels in second place, with the asked height and width."""
    sizes = call.int64(1)
    if call.opset >= 18:
        return call.add("Resize", x, None, None, sizes, more={**attributes, "axes": [2, 3]})
    whole = operators.join(call, operators.shape_of(call, x, 0, 2), sizes)
    return call.add("Resize", x, None, None, whole, more=attributes)


def _pixels(call: Call, old: int, new: int) -> Array:
    """Return the pixel of the old row that each pixel of the new one is."""
    line = np.arange(old, dtype=np.int32).reshape(1, 1, old, 1)
    return probe(call, [line, np.array([1, new], np.int32)], T=INT32).reshape(new).astype(np.int64)


def _matrix(call: Call, old: int, new: int) -> Array:
    """Return the weights of the pixels of an old row (or column) in each pixel of the new one: [new, old]."""
    lines = np.eye(old, dtype=np.float32).reshape(1, 1, old, old)  # a row of an image with `old` channels
    return probe(call, [lines, np.array([1, new], np.int32)], T=FLOAT).reshape(new, old)


@converter("CropAndResize")
def _crops(call: Call) -> Value:
    """Boxes of images in one size: RoiAlign with one sample a pixel, at the places where TensorFlow takes them.

    TensorFlow takes `n` pixels from the first to the last edge of a box, RoiAlign from the middles of `n` cells.
    """
    if call.attr("method", str, "bilinear") != "bilinear":
        call.refuse("its pixels are the nearest ones")
    size = call.required(3, "the size of its crops").ravel().tolist()
    x = call.input(0, first=True, dtype=FLOAT)
    shape = operators.shape_of(call, x, 2)
    last_pixels = call.cast(call.add("Sub", shape, call.const(1)), FLOAT)
    first, last = (
        call.add("Mul", operators.slice_axes(call, call.input(1), [start], [start + 2], [1]), last_pixels)
        for start in (0, 2)
    )
    counts = np.array(size, np.float32)
    distance = call.add("Sub", last, first)
    step = call.add("Mul", distance, call.const(np.where(counts > 1, 1 / np.maximum(counts - 1, 1), 0), FLOAT))
    if 1 in size:  # a single pixel is in the middle
        middle = call.const(np.where(counts > 1, 0, 0.5), FLOAT)
        first = call.add("Add", first, call.add("Mul", distance, middle))
    batch = call.int64(2)
    extrapolated = call.const(call.attr("extrapolation_value", float, 0.0), FLOAT)
    positions = [_line(call, first, step, axis, count) for axis, count in enumerate(size)]
    inside = _inside(call, positions, last_pixels)
    half = call.const(0.5, FLOAT)
    start = call.add("Add", call.add("Sub", first, call.add("Mul", step, half)), half)
    end = call.add("Add", start, call.add("Mul", step, call.const(counts, FLOAT)))
    corners = [call.add("Gather", value, call.const([1, 0]), axis=1) for value in (start, end)]
    regions = call.add("Concat", *corners, axis=1)
    attributes = {"output_height": size[0], "output_width": size[1], "sampling_ratio": 1}
    crops = call.add("RoiAlign", x, regions, batch, more=attributes)
    mask = operators.unsqueeze(call, operators.squeeze(call, inside, [3]), [1])
    return call.laid_out(call.add("Where", mask, crops, extrapolated, dtype=FLOAT), True)


def _line(call: Call, first: Value, step: Value, axis: int, count: int) -> Value:
    """Return the positions of the rows (or columns) of crops in their images: [boxes, count]."""
    start, distance = (operators.slice_axes(call, value, [axis], [axis + 1], [1]) for value in (first, step))
    return call.add("Add", call.add("Mul", distance, call.const(np.arange(count), FLOAT)), start)


def _inside(call: Call, positions: list[Value], last_pixels: Value) -> Value:
    """Return which pixels of crops are in the image: [boxes, height, width, 1]."""
    masks = []
    for axis, (position, axes) in enumerate(zip(positions, ([2, 3], [1, 3]), strict=True)):
        last = call.add("Gather", last_pixels, call.const(axis), axis=0)
        is_behind = call.add("GreaterOrEqual", position, call.const(0, FLOAT), dtype=BOOL)
        is_before = call.add("LessOrEqual", position, last, dtype=BOOL)
        masks.append(operators.unsqueeze(call, call.add("And", is_behind, is_before), axes))
    return call.add("And", *masks)
