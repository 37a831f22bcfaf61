"""Biases, batch norms, local response normalization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, bf16, f32, numbers
from tfmodel.messages import DataType

SINGLE = {"U": DataType.DT_FLOAT}
STATISTICS = {"rtol": 1e-5}  # of sums over all images


def biases() -> Iterator[Case]:
    for shape in ((2, 3), (4, 2, 3), (1, 2, 2, 3), (2, 1, 2, 2, 3), (0, 3)):
        for dtype in (np.float32, np.float64, np.int32, np.float16):
            value, bias = numbers(shape, dtype), numbers((3,), dtype)
            yield Case("BiasAdd", [value, bias])
            yield Case("BiasAddV1", [value, bias])
            yield Case("BiasAddGrad", [value], rtol=2e-3 if dtype == np.float16 else 1e-6)
    for shape in ((2, 3, 4), (1, 3, 2, 2), (1, 3, 2, 1, 2)):
        yield Case("BiasAdd", [f32(*shape), f32(3)], data_format="NCHW")
        yield Case("BiasAddGrad", [f32(*shape)], data_format="NCHW", rtol=1e-6)
    yield Case("BiasAdd", [bf16(f32(2, 3)), bf16(f32(3))])
    for value, bias in ((f32(2, 3), f32(4)), (f32(2, 3), f32(1)), (f32(3), f32(3)), (f32(2, 3), f32(1, 3))):
        yield Case("BiasAdd", [value, bias])
        yield Case("BiasAddV1", [value, bias])
    yield Case("BiasAddGrad", [f32(3)])


def batch_norms() -> Iterator[Case]:
    for op, more in (("FusedBatchNorm", {}), ("FusedBatchNormV2", SINGLE), ("FusedBatchNormV3", SINGLE)):
        for data_format, shape in (("NHWC", (2, 3, 4, 5)), ("NCHW", (2, 5, 3, 4)), ("NHWC", (1, 1, 1, 5))):
            yield normed(op, shape, False, 1.0, data_format=data_format, **more)
            yield normed(op, shape, True, 1.0, data_format=data_format, **more)
            yield normed(op, shape, True, 0.25, data_format=data_format, **more)
        yield normed(op, (2, 2, 2, 5), False, 1.0, epsilon=0.5, **more)
        yield normed(op, (0, 2, 2, 5), True, 1.0, **more)
        yield Case(op, [f32(1, 2, 2, 5), f32(4), f32(5), f32(5), f32(5)], is_training=False, **more)
        yield Case(op, [f32(2, 5), f32(5), f32(5), f32(5), f32(5)], is_training=False, **more)
        if more:
            # The outputs for the gradient have other shapes for halves and are not compared.
            yield normed(op, (2, 3, 4, 5), False, 1.0, np.float16, only=(0, 1, 2), **{**more, "rtol": 2e-3})
            yield normed(op, (2, 3, 4, 5), True, 1.0, np.float16, only=(0, 1, 2), **{**more, "rtol": 2e-3})
    for data_format, shape in (("NDHWC", (2, 3, 2, 4, 5)), ("NCDHW", (2, 5, 3, 2, 4))):
        yield normed("FusedBatchNormV3", shape, False, 1.0, data_format=data_format, only=(0, 1, 2), **SINGLE)
        yield normed("FusedBatchNormV3", shape, True, 1.0, data_format=data_format, only=(0, 1, 2), **SINGLE)


def normed(op: str, shape: Any, training: bool, factor: float, dtype: Any = np.float32, **more: Any) -> Case:
    channels = 0 if training and factor == 1 else 5
    parameters = [f32(5), f32(5)[::-1].copy(), f32(channels), np.abs(f32(channels))]
    room = {**STATISTICS, **more}
    inputs = [numbers(shape, dtype), *parameters]
    return Case(op, inputs, is_training=training, exponential_avg_factor=factor, **room)


def others() -> Iterator[Case]:
    for epsilon in (0.001, 0.5):
        for scaled in (False, True):
            for shape in ((2, 3, 3, 4), (1, 1, 1, 4), (1, 5, 2, 4)):
                inputs = [f32(*shape), f32(4), np.abs(f32(4)), f32(4)[::-1].copy(), f32(4) + 1]
                attributes = {"variance_epsilon": epsilon, "scale_after_normalization": scaled}
                yield Case("BatchNormWithGlobalNormalization", inputs, **attributes, **STATISTICS)
    for radius, bias, alpha, beta in ((5, 1.0, 1.0, 0.5), (2, 2.0, 1e-4, 0.75), (1, 1.0, 0.5, 1.0), (0, 1.0, 1.0, 0.5)):
        for shape in ((1, 2, 2, 8), (2, 1, 3, 3), (1, 1, 1, 1)):
            attributes = {"depth_radius": radius, "bias": bias, "alpha": alpha, "beta": beta}
            yield Case("LRN", [f32(*shape)], **attributes, rtol=1e-5)
    yield Case("LRN", [f32(2, 3)])
    for shape in ((), (7,), (2, 3), (0,), (2, 1, 3), (2, 2, 2, 2)):
        yield Case("L2Loss", [f32(*shape)])
        yield Case("L2Loss", [numbers(shape, np.float64)])
    yield Case("L2Loss", [numbers((5,), np.float16)], rtol=2e-3)


CASES = [*biases(), *batch_norms(), *others()]
