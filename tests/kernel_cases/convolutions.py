"""Convolutions: every padding, stride, dilation and layout, groups, multipliers, types; and what makes no sense.

Sums of products are compared relative to the largest: TensorFlow adds them up in another order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, bf16, numbers

F32 = {"rtol": 2e-6}
F16 = {"rtol": 4e-3}  # TensorFlow rounds sums to half precision on the way

# stride, dilation, padding, explicit padding of height and width
WINDOWS: list[tuple[tuple[int, int], tuple[int, int], str, list[int]]] = [
    ((1, 1), (1, 1), "SAME", []),
    ((1, 1), (1, 1), "VALID", []),
    ((2, 2), (1, 1), "SAME", []),
    ((2, 2), (1, 1), "VALID", []),
    ((3, 3), (1, 1), "SAME", []),
    ((1, 1), (2, 2), "SAME", []),
    ((1, 1), (2, 3), "VALID", []),
    ((1, 1), (9, 9), "SAME", []),  # most taps see padding only
    ((1, 1), (1, 1), "EXPLICIT", [1, 2, 0, 1]),
    ((2, 2), (1, 1), "EXPLICIT", [3, 0, 2, 2]),
    ((1, 1), (2, 2), "EXPLICIT", [1, 1, 2, 2]),
]
UNEVEN = [((1, 2), (1, 1), "SAME", list[int]()), ((3, 1), (1, 1), "VALID", list[int]())]


def windows(space: list[Any], data_format: str = "NHWC") -> dict[str, Any]:
    """The attributes of a row of the table."""
    stride, dilation, padding, around = space

    def placed(numbers: Any, others: list[int]) -> list[int]:
        return [*others, *others, *numbers] if data_format == "NCHW" else [*others, *numbers, *others]

    attributes = {"strides": placed(stride, [1]), "dilations": placed(dilation, [1]), "padding": padding}
    if around:
        attributes["explicit_paddings"] = placed(around, [0, 0])
    return {**attributes, "data_format": data_format}


def conv(image: Any, filter: Any, row: Any, data_format: str = "NHWC", dtype: Any = np.float32, **more: Any) -> Case:
    if data_format == "NCHW":
        image = (image[0], image[3], image[1], image[2])
    return Case("Conv2D", [numbers(image, dtype), numbers(filter, dtype)], **windows(row, data_format), **more)


def depthwise(image: Any, filter: Any, row: Any, data_format: str = "NHWC", **more: Any) -> Case:
    case = conv(image, filter, row, data_format, **more)
    more.pop("dtype", None)
    return Case("DepthwiseConv2dNative", case.inputs, **windows(row, data_format), **more)


def conv2d() -> Iterator[Case]:
    for row in WINDOWS + UNEVEN:
        yield conv((2, 7, 8, 3), (3, 3, 3, 4), row, **F32)
        yield conv((2, 7, 8, 3), (3, 3, 3, 4), row, "NCHW", **F32)
        yield conv((1, 6, 7, 6), (3, 2, 2, 3), row, note="three groups", **F32)
    for kernel in [(1, 1), (1, 3), (4, 1), (5, 5)]:
        for row in WINDOWS[:4]:
            yield conv((1, 5, 6, 4), (*kernel, 4, 3), row, **F32)
    yield conv((1, 5, 6, 4), (1, 1, 1, 8), WINDOWS[0], note="a multiplier of 2", **F32)
    yield conv((1, 1, 40, 2), (1, 3, 2, 2), WINDOWS[0], note="one dimension", **F32)
    for dtype, room in ((np.float64, {"rtol": 1e-14}), (np.float16, F16), (np.int32, {})):
        yield conv((1, 5, 5, 3), (3, 3, 3, 2), WINDOWS[0], dtype=dtype, **room)
    extreme = np.full((1, 2, 2, 1), 2**30, np.int32)
    yield Case("Conv2D", [extreme, np.full((2, 2, 1, 1), 3, np.int32)], **windows(WINDOWS[1]), note="wraps around")
    halves = bf16(numbers((1, 5, 5, 3))), bf16(numbers((3, 3, 3, 2)))
    yield Case("Conv2D", halves, **windows(WINDOWS[0]), rtol=4e-3)  # one bit of bfloat16
    for image, filter in [((1, 5, 5, 3), (3, 3, 2, 2)), ((1, 5, 5, 3), (3, 3, 4, 2))]:
        yield Case("Conv2D", [numbers(image), numbers(filter)], **windows(WINDOWS[0]), note="does not fit")
    fitting = [numbers((1, 5, 5, 3)), numbers((3, 3, 3, 2))]
    for wrong in [
        {"strides": [1, 0, 1, 1]},
        {"strides": [2, 1, 1, 1]},
        {"padding": "MOST"},
        {"dilations": [1, 0, 1, 1]},
        {"explicit_paddings": [1]},
        {"data_format": "HWNC"},
    ]:
        yield Case("Conv2D", fitting, **{**windows(WINDOWS[0]), **wrong})


def depthwise_conv2d() -> Iterator[Case]:
    for row in WINDOWS:
        yield depthwise((2, 7, 8, 3), (3, 3, 3, 1), row, **F32)
        yield depthwise((2, 7, 8, 3), (3, 3, 3, 1), row, "NCHW", **F32)
        yield depthwise((1, 6, 7, 3), (3, 2, 3, 2), row, **F32)
    yield depthwise((1, 6, 7, 1), (3, 3, 1, 4), WINDOWS[2], note="one channel", **F32)
    yield depthwise((1, 3, 3, 200), (3, 3, 200, 1), WINDOWS[0], note="many channels", **F32)
    yield depthwise((1, 4, 4, 5), (1, 1, 5, 1), WINDOWS[0], **F32)
    for dtype, room in ((np.float64, {"rtol": 1e-14}), (np.float16, F16)):
        yield depthwise((1, 5, 5, 3), (3, 3, 3, 1), WINDOWS[0], dtype=dtype, **room)
    for image, filter in [((1, 5, 5, 3), (3, 3, 2, 2)), ((1, 5, 5, 3), (3, 3, 4, 2))]:
        inputs = [numbers(image), numbers(filter)]
        yield Case("DepthwiseConv2dNative", inputs, **windows(WINDOWS[0]), note="does not fit")


def conv3d() -> Iterator[Case]:
    for kernel in [(1, 1, 1), (2, 3, 2), (3, 1, 4)]:
        for stride in [(1, 1, 1), (2, 2, 2), (1, 2, 3)]:
            for padding in ("SAME", "VALID"):
                inputs = [numbers((2, 4, 5, 4, 2)), numbers((*kernel, 2, 3))]
                yield Case("Conv3D", inputs, strides=[1, *stride, 1], padding=padding, **F32)
    doubles = [numbers((1, 3, 3, 3, 2), np.float64), numbers((2, 2, 2, 2, 2), np.float64)]
    yield Case("Conv3D", doubles, strides=[1] * 5, padding="SAME", rtol=1e-14)
    yield Case("Conv3D", [numbers((1, 3, 3, 3, 2)), numbers((2, 2, 2, 3, 2))], strides=[1] * 5, padding="SAME")


CASES = [*conv2d(), *depthwise_conv2d(), *conv3d()]
