"""The gradients of convolutions, for images and for filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, i32, numbers
from tests.kernel_cases.convolutions import F16, F32, UNEVEN, WINDOWS, windows
from tfmodel.kernels.runtime import evaluate

PLAIN = [row for row in WINDOWS + UNEVEN if row[2] != "EXPLICIT"]


def gradients(op: str, image: Any, filter: Any, row: Any, dtype: Any = np.float32, **more: Any) -> Iterator[Case]:
    """For the image and for the filter, of a convolution of these sizes."""
    inputs = [numbers(image, dtype), numbers(filter, dtype)]
    [forward] = evaluate(Case(op, inputs, **windows(row)).node, inputs)
    gradient = numbers(forward.shape, dtype)
    if "dilated filters" not in more:
        yield Case(f"{op}BackpropFilter", [inputs[0], i32(filter), gradient], **windows(row), **more)
    yield Case(f"{op}BackpropInput", [i32(image), inputs[1], gradient], **windows(row), **more)


def conv2d() -> Iterator[Case]:
    for row in PLAIN:
        yield from gradients("Conv2D", (2, 7, 8, 3), (3, 3, 3, 4), row, **F32)
    for kernel in [(1, 1), (2, 4), (1, 3)]:
        for row in WINDOWS[:4]:
            yield from gradients("Conv2D", (1, 6, 5, 2), (*kernel, 2, 3), row, **F32)
    yield from gradients("Conv2D", (1, 9, 9, 1), (2, 2, 1, 1), WINDOWS[4], note="not all of the image is seen", **F32)
    yield from gradients("Conv2D", (1, 5, 5, 2), (3, 3, 2, 2), WINDOWS[0], np.float64, rtol=1e-14)
    yield from gradients("Conv2D", (1, 5, 5, 2), (3, 3, 2, 2), WINDOWS[0], np.float16, **F16)
    filter, gradient = numbers((3, 3, 2, 4)), numbers((1, 3, 3, 4))
    yield Case("Conv2DBackpropInput", [i32([6, 6]), filter, gradient], **windows(WINDOWS[2]), note="space only", **F32)
    for sizes in ([1, 9, 6, 2], [2, 6, 6, 2], [1, 6, 6, 3]):
        yield Case("Conv2DBackpropInput", [i32(sizes), filter, gradient], **windows(WINDOWS[2]), note="does not fit")
    image = numbers((1, 6, 6, 2))
    for sizes in ([3, 3, 2, 5], [2, 9, 2, 4]):
        inputs = [image, i32(sizes), gradient]
        yield Case("Conv2DBackpropFilter", inputs, **windows(WINDOWS[2]), note="does not fit", **F32)


def depthwise() -> Iterator[Case]:
    # TensorFlow forgets the dilations of these.
    for row in [row for row in WINDOWS if row[1] == (1, 1)]:
        yield from gradients("DepthwiseConv2dNative", (2, 7, 8, 3), (3, 3, 3, 1), row, **F32)
        yield from gradients("DepthwiseConv2dNative", (1, 6, 5, 2), (2, 4, 2, 3), row, **F32)
    yield from gradients("DepthwiseConv2dNative", (1, 5, 5, 2), (3, 3, 2, 2), WINDOWS[0], np.float64, rtol=1e-14)
    filter, gradient = numbers((3, 3, 2, 2)), numbers((1, 3, 3, 4))
    for sizes in ([1, 9, 6, 2], [1, 6, 6, 3]):
        inputs = [i32(sizes), filter, gradient]
        yield Case("DepthwiseConv2dNativeBackpropInput", inputs, **windows(WINDOWS[2]), note="does not fit")


def conv3d() -> Iterator[Case]:
    for kernel in [(1, 1, 1), (2, 3, 2), (3, 1, 4)]:
        for stride in [(1, 1, 1), (2, 2, 2), (1, 2, 3)]:
            for padding in ("SAME", "VALID"):
                attributes = {"strides": [1, *stride, 1], "padding": padding}
                image, filter = numbers((2, 4, 5, 4, 2)), numbers((*kernel, 2, 3))
                [forward] = evaluate(Case("Conv3D", [image, filter], **attributes).node, [image, filter])
                inputs = [i32(image.shape), filter, numbers(forward.shape)]
                yield Case("Conv3DBackpropInputV2", inputs, **attributes, **F32)
                yield Case("Conv3DBackpropInput", [image, *inputs[1:]], **attributes, **F32)


CASES = [*conv2d(), *depthwise(), *conv3d()]
