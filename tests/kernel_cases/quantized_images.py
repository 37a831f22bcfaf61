"""Quantized images: pooling, resizing, concatenation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from tests.kernel_cases import Case, Typed, f32, i32, i64, numbers
from tests.kernel_cases.quantized import BYTE, EXACT, WIDE, ends
from tests.kernel_cases.quantizing import codes

ONE = ends((-1, 1))


def pools() -> Iterator[Case]:
    for op in ("QuantizedMaxPool", "QuantizedAvgPool"):
        for (size, stride), padding in product(((1, 1), (2, 2), (3, 1), (3, 2), (2, 3)), ("SAME", "VALID")):
            window = {"ksize": [1, size, size, 1], "strides": [1, stride, stride, 1], "padding": padding}
            yield Case(op, [codes(BYTE, 2, 5, 6, 3), *ends((-0.5, 2))], **window, **EXACT)
        yield Case(op, [codes(BYTE, 2, 5, 6), *ONE], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")


def resized() -> Iterator[Case]:
    for size, align, centred in product(((4, 4), (3, 3), (9, 5), (1, 2), (10, 20)), (False, True), (False, True)):
        attributes = {"align_corners": align, "half_pixel_centers": centred}
        for channels, dtype in product((1, 2, 3), (BYTE, WIDE)):
            image = codes(dtype, 1, 4, 4, channels)
            if dtype == WIDE:  # TensorFlow makes the lowest code of the highest ones
                image = Typed(numbers(image.array.shape, np.int32, -(2.0**31), 2.0**31 - 200), WIDE)
            yield Case("QuantizedResizeBilinear", [image, i32(size), *ONE], **attributes, **EXACT)
        yield Case("QuantizedResizeBilinear", [f32(2, 4, 3, 2), i32(size), *ends((-3, 3))], **attributes)
    for wrong in ([0, 2], [2], [-1, 1]):
        yield Case("QuantizedResizeBilinear", [codes(BYTE, 1, 4, 4, 1), i32(wrong), *ONE])


def reshaped() -> Iterator[Case]:
    for sizes in ([6], [3, 2], [-1], [2, -1, 1], [], [6, 1, 1], [-1, -1], [4], [0, -1], [-2, 3]):
        yield Case("QuantizedReshape", [codes(BYTE, 2, 3), i32(sizes), *ONE], **EXACT)
    yield Case("QuantizedReshape", [codes(WIDE, 1), i64([]), *ONE], **EXACT)
    yield Case("QuantizedReshape", [codes(BYTE, 0, 3), i64([3, -1]), *ONE], **EXACT)


def joined() -> Iterator[Case]:
    for dtype, axis in product((BYTE, WIDE), (0, 1)):
        for ranges in ([(-1, 1), (-1, 1)], [(-1, 1), (0, 6)], [(0, 1), (0, 0.1), (-2, 0)]):
            shapes = [(2, 3, 2)] * len(ranges)
            lows, highs = ([ends(pair)[at] for pair in ranges] for at in (0, 1))
            yield Case("QuantizedConcat", [i32(axis), [codes(dtype, *shape) for shape in shapes], lows, highs], **EXACT)
    for a, b in (((1, 3), (1, 3)), ((-3, -1), (-3, -1)), ((1, 3), (-1, 1)), ((1, 1), (1, 1)), ((-2, -2), (-2, -2))):
        inputs = [codes(BYTE, 2, 3), codes(BYTE, 2, 3)], *([ends(a)[at], ends(b)[at]] for at in (0, 1))
        yield Case("QuantizedConcat", [i32(0), *inputs], **EXACT)
    two = [ONE[0]] * 2, [ONE[1]] * 2
    yield Case("QuantizedConcat", [i32(0), [codes(BYTE, 2, 3), codes(BYTE, 0, 3)], *two], **EXACT)
    for axis, other in ((2, (2, 3)), (-1, (2, 3)), (0, (2, 4)), (0, (3,))):
        yield Case("QuantizedConcat", [i32(axis), [codes(BYTE, 2, 3), codes(BYTE, *other)], *two], **EXACT)


CASES = [*pools(), *resized(), *reshaped(), *joined()]
