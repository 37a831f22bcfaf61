"""Pooling, its gradients, and the dilation of images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, Typed, bf16, i32, numbers
from tfmodel.kernels.runtime import evaluate
from tfmodel.messages import DataType

F32 = {"rtol": 1e-6}

# window, step, padding
WINDOWS: list[tuple[list[int], list[int], str]] = [
    ([2, 2], [2, 2], "VALID"),
    ([3, 3], [2, 2], "VALID"),
    ([3, 3], [2, 2], "SAME"),
    ([3, 3], [1, 1], "SAME"),
    ([1, 1], [1, 1], "SAME"),
    ([1, 1], [2, 3], "VALID"),
    ([2, 5], [1, 2], "SAME"),
    ([6, 7], [1, 1], "VALID"),
    ([3, 1], [4, 4], "SAME"),
    ([90, 90], [1, 1], "SAME"),  # larger than the image
]


def attributes(row: Any, data_format: str = "NHWC") -> dict[str, Any]:
    ksize, strides, padding = row
    if data_format == "NCHW":
        return {"ksize": [1, 1, *ksize], "strides": [1, 1, *strides], "padding": padding, "data_format": data_format}
    return {"ksize": [1, *ksize, 1], "strides": [1, *strides, 1], "padding": padding}


def flat() -> Iterator[Case]:
    for row in WINDOWS:
        yield Case("MaxPool", [numbers((2, 6, 7, 3))], **attributes(row))
        yield Case("AvgPool", [numbers((2, 6, 7, 3))], **attributes(row), **F32)
        if row[0][0] < 90:  # which is an error in other layouts
            # Of other sizes than those above: where TensorFlow keeps what it prepared, it forgets the layout.
            yield Case("MaxPool", [numbers((3, 3, 6, 7))], **attributes(row, "NCHW"))
            yield Case("AvgPool", [numbers((3, 3, 6, 7))], **attributes(row, "NCHW"), **F32)
        ksize, strides = i32([1, *row[0], 1]), i32([1, *row[1], 1])
        yield Case("MaxPoolV2", [numbers((2, 6, 7, 3)), ksize, strides], padding=row[2])
    for dtype in (np.float64, np.float16, np.int32, np.uint8, np.int8, np.int64, np.uint16):
        yield Case("MaxPool", [numbers((1, 5, 5, 2), dtype, 0, 100)], **attributes(WINDOWS[2]))
    yield Case("AvgPool", [numbers((1, 5, 5, 2), np.float64)], **attributes(WINDOWS[2]))
    yield Case("AvgPool", [numbers((1, 5, 5, 2), np.float16)], **attributes(WINDOWS[2]), rtol=2e-3)
    yield Case("MaxPool", [numbers((1, 5, 5, 2), low=-9, high=-8)], **attributes(WINDOWS[2]), note="all below zero")
    for around in ([0, 0, 1, 1, 0, 1, 0, 0], [0, 0, 2, 0, 1, 2, 0, 0], [0, 0, 3, 0, 0, 0, 0, 0], [1, 1] + [0] * 6):
        explicit = {**attributes(WINDOWS[1]), "padding": "EXPLICIT", "explicit_paddings": around}
        yield Case("MaxPool", [numbers((1, 5, 6, 2))], **explicit)
    for channels in (1, 2, 3):
        across = {"ksize": [1, 1, 1, channels], "strides": [1, 1, 1, channels], "padding": "SAME"}
        yield Case("MaxPool", [numbers((1, 2, 3, 4))], **across)
    for wrong in ({"ksize": [1, 0, 2, 1]}, {"ksize": [2, 2, 2, 1]}, {"strides": [1, 0, 2, 1]}):
        yield Case("MaxPool", [numbers((1, 5, 6, 2))], **{**attributes(WINDOWS[0]), **wrong})
        yield Case("AvgPool", [numbers((1, 5, 6, 2))], **{**attributes(WINDOWS[0]), **wrong})
    yield Case("AvgPool", [numbers((5, 6, 2))], **attributes(WINDOWS[0]))


def deep() -> Iterator[Case]:
    for ksize in ([1, 1, 1], [2, 2, 2], [3, 1, 2], [4, 4, 3]):
        for strides in ([1, 1, 1], [2, 2, 2], [1, 3, 2]):
            for padding in ("SAME", "VALID"):
                sizes = {"ksize": [1, *ksize, 1], "strides": [1, *strides, 1], "padding": padding}
                yield Case("MaxPool3D", [numbers((2, 4, 5, 3, 2))], **sizes)
                yield Case("AvgPool3D", [numbers((2, 4, 5, 3, 2))], **sizes, **F32)


def with_argmax() -> Iterator[Case]:
    images = {
        "": numbers((2, 6, 7, 3)),
        "ties": np.round(numbers((2, 6, 7, 3), low=-1, high=1)),
        "all the same": np.full((2, 6, 7, 3), -np.inf, np.float32),
    }
    for row in WINDOWS[:-1]:
        for note, image in images.items():
            more = {"include_batch_in_index": note == "ties", "Targmax": DataType.DT_INT64}
            yield Case("MaxPoolWithArgmax", [image], **attributes(row), **more, note=note)
    integers = numbers((1, 4, 4, 2), np.int32)
    yield Case("MaxPoolWithArgmax", [integers], **attributes(WINDOWS[0]), Targmax=DataType.DT_INT32)


def gradients() -> Iterator[Case]:
    for row in WINDOWS[:-1]:
        images = np.round(numbers((2, 6, 7, 3)))
        [pooled] = evaluate(Case("MaxPool", [images], **attributes(row)).node, [images])
        gradient = numbers(pooled.shape)
        yield Case("MaxPoolGrad", [images, pooled, gradient], **attributes(row), **F32)
        yield Case("AvgPoolGrad", [i32(images.shape), gradient], **attributes(row), **F32)
        ksize, strides = i32([1, *row[0], 1]), i32([1, *row[1], 1])
        yield Case("MaxPoolGradV2", [images, pooled, gradient, ksize, strides], padding=row[2], **F32)
    misfit = numbers((1, 9, 9, 3))
    yield Case("MaxPoolGrad", [numbers((1, 4, 4, 3)), misfit, misfit], **attributes(WINDOWS[0]))
    yield Case(
        "MaxPoolGradV2", [numbers((1, 4, 4, 3)), misfit, misfit, i32([1, 2, 2, 1]), i32([1, 2, 2, 1])], padding="SAME"
    )
    yield Case("AvgPoolGrad", [i32([1, 4, 4]), misfit], **attributes(WINDOWS[0]))


def dilation() -> Iterator[Case]:
    for strides, rates, padding in [
        ([1, 1], [1, 1], "SAME"),
        ([2, 2], [1, 1], "SAME"),
        ([1, 1], [2, 2], "SAME"),
        ([1, 1], [1, 1], "VALID"),
        ([3, 2], [1, 2], "VALID"),
        ([2, 1], [3, 1], "SAME"),
    ]:
        for dtype in (np.float32, np.int32):
            inputs = [numbers((2, 6, 7, 3), dtype), numbers((3, 2, 3), dtype)]
            yield Case("Dilation2D", inputs, strides=[1, *strides, 1], rates=[1, *rates, 1], padding=padding)
    for wrong in ((3, 2), (3, 2, 4)):
        inputs = [numbers((2, 6, 7, 3)), numbers(wrong)]
        yield Case("Dilation2D", inputs, strides=[1] * 4, rates=[1] * 4, padding="SAME")
    small, taps = numbers((1, 4, 4, 2)), numbers((2, 2, 2))
    for image in (small.astype(np.float16), bf16(small), small, small.astype(np.float64), small.astype(np.int8)):
        array = image.array if isinstance(image, Typed) else image
        like = bf16(taps) if isinstance(image, Typed) else taps.astype(array.dtype)
        yield Case("Dilation2D", [image, like], strides=[1] * 4, rates=[1, 15, 15, 1], padding="SAME")  # sees nothing
    for value in (np.nan, np.inf, -np.inf):
        for place in (slice(None), slice(0, 2)):
            odd = small.copy()
            odd[:, :, place] = value
            yield Case("Dilation2D", [odd, taps], strides=[1] * 4, rates=[1] * 4, padding="SAME")


CASES = [*flat(), *deep(), *with_argmax(), *gradients(), *dilation()]
