"""Fused layers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.kernel_cases import Case, Typed, f32, i32, numbers
from tfmodel.messages import DataType

CLOSE = {"rtol": 4e-6}  # sums of products in another order, and exponentials


def with_padding() -> Iterator[Case]:
    for mode in ("REFLECT", "SYMMETRIC"):
        for paddings in ([0, 0, 0, 0], [1, 1, 1, 1], [2, 0, 1, 3], [5, 0, 0, 0]):
            for stride, padding in ((1, "SAME"), (2, "VALID")):
                pairs = i32([[0, 0], paddings[:2], paddings[2:], [0, 0]])
                attributes: dict[str, Any] = {"strides": [1, stride, stride, 1], "padding": padding, "mode": mode}
                inputs = [f32(1, 5, 6, 2), pairs, f32(3, 2, 2, 3)]
                yield Case("FusedPadConv2D", inputs, **attributes, **CLOSE)
                more = {"resize_align_corners": paddings[0] == 2, **attributes, **CLOSE}
                yield Case("FusedResizeAndPadConv2D", [inputs[0], i32([7, 9]), pairs, inputs[2]], **more)
    plain = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    none = [0, 0]
    for mode, pairs in (("CONSTANT", [0, 0]), ("REFLECT", [-1, 1]), ("REFLECT", [9, 0])):
        inputs = [f32(1, 5, 6, 2), i32([none, pairs, none, none]), f32(3, 2, 2, 3)]
        yield Case("FusedPadConv2D", inputs, mode=mode, **plain)


def with_padding_of_several_images() -> Iterator[Case]:
    """Batches, of which TensorFlow computes the first image only, and strides that leave pixels between windows."""
    pairs = i32([[0, 0], [2, 1], [1, 3], [0, 0]])
    for number, (mode, padding) in enumerate(itertools.product(("REFLECT", "SYMMETRIC"), ("SAME", "VALID"))):
        for stride in (1, 3, 4, 7):
            attributes: dict[str, Any] = {"strides": [1, stride, stride + 1, 1], "padding": padding, "mode": mode}
            dtype = (np.float32, np.float64, np.float32, np.float16)[number]
            close = {"rtol": 4e-3} if dtype == np.float16 else CLOSE  # TensorFlow adds halves
            x, filter = numbers((stride % 3 + 2, 7, 6, 2), dtype), numbers((3, 2, 2, 3), dtype)
            yield Case("FusedPadConv2D", [x, pairs, filter], **attributes, **close)
            resized = {"resize_align_corners": stride == 3, **attributes, **close}
            yield Case("FusedResizeAndPadConv2D", [x, i32([11, 5]), pairs, filter], **resized)
    # The rows of a resized image do not fit into TensorFlow's cache: the second image gets a mixture of them.
    for size, stride in (([3001, 3000], 113), ([9000, 1001], 400)):
        attributes = {"strides": [1, stride, 200, 1], "padding": "VALID", "mode": "REFLECT"}
        inputs = [f32(2, 3, 3, 1), i32(size), pairs, f32(3, 2, 1, 1)]
        yield Case("FusedResizeAndPadConv2D", inputs, resize_align_corners=False, **attributes, **CLOSE)
    for pairs in ([[1, 0], [1, 1], [0, 0], [0, 0]], [[0, 0], [1, 1], [0, 0], [0, 1]]):
        attributes = {"strides": [1, 1, 1, 1], "padding": "SAME", "mode": "SYMMETRIC"}
        yield Case("FusedPadConv2D", [f32(2, 5, 6, 2), i32(pairs), f32(3, 2, 2, 3)], **attributes)
    yield Case(
        "FusedPadConv2D",
        [f32(1, 5, 6, 4), i32([[0, 0]] * 4), f32(3, 2, 2, 4)],
        note="two groups of channels",
        mode="REFLECT",
        strides=[1, 1, 1, 1],
        padding="SAME",
    )


def followed(op: str, inputs: list[Any], channels: int, tails: list[list[str]], **more: Any) -> Iterator[Case]:
    for tail in tails:
        one = f32(channels)
        taken = [one] if tail[0] == "BiasAdd" else [one + 1, one, one, np.abs(one)]
        args = [taken, []] if op == "_FusedConv2D" else [taken]
        own = {"num_args": len(taken)} if op == "_FusedConv2D" else {}
        attributes = {"fused_ops": [name.encode() for name in tail], "epsilon": 0.01, "leakyrelu_alpha": 0.3}
        yield Case(op, [*inputs, *args], **attributes, **own, **more, **CLOSE)


CONVOLVED = [["BiasAdd"], ["BiasAdd", "Relu"], ["BiasAdd", "Relu6"], ["BiasAdd", "Elu"], ["BiasAdd", "LeakyRelu"]]
NORMED = [["FusedBatchNorm"], ["FusedBatchNorm", "Relu"], ["FusedBatchNorm", "Relu6"], ["FusedBatchNorm", "LeakyRelu"]]
MULTIPLIED = [
    *CONVOLVED,
    *(["BiasAdd", activation] for activation in ("Tanh", "Sigmoid", "GeluApproximate", "GeluExact")),
]


def chains() -> Iterator[Case]:
    for stride, padding in ((1, "SAME"), (2, "VALID")):
        window = {"strides": [1, stride, stride, 1], "padding": padding}
        yield from followed("_FusedConv2D", [f32(2, 5, 6, 2), f32(3, 3, 2, 4)], 4, CONVOLVED + NORMED, **window)
        inputs = [f32(2, 5, 6, 2), f32(3, 3, 2, 2)]
        yield from followed("_FusedDepthwiseConv2dNative", inputs, 4, CONVOLVED[:3], **window)
        inputs = [f32(1, 5, 6, 3), f32(2, 2, 3, 1)]
        yield from followed("_FusedDepthwiseConv2dNative", inputs, 3, CONVOLVED[:3], **window)
    yield from followed("_FusedMatMul", [f32(2, 3), f32(3, 4)], 4, MULTIPLIED)
    yield from followed("_FusedMatMul", [f32(3, 2), f32(4, 3)], 4, CONVOLVED, transpose_a=True, transpose_b=True)


def of_bytes() -> Iterator[Case]:
    """Layers of 8 bits: one scale or one for each channel, a side input with a scale, and values that are clipped."""
    for typed, stride, padding in itertools.product((DataType.DT_INT8, DataType.DT_QINT8), (1, 2), ("SAME", "VALID")):
        for size, scales, tail in ((3, [0.001], ["BiasAdd"]), (2, [0.25, 0.001, 0.003, 0.002], ["BiasAdd", "Relu"])):
            x, filter = numbers((2, 6, 6, 5), np.int8, -128, 128), numbers((size, size, 5, 4), np.int8, -128, 128)
            out = 6 // stride if padding == "SAME" else (6 - size) // stride + 1
            side = numbers((2, out, out, 4), np.int8, -128, 128)
            for side_scale in (0.3, 0.0):
                yield _bytes(typed, x, filter, side, scales, side_scale, tail, stride, padding)
    x, filter = numbers((1, 3, 3, 2), np.int8, -128, 128), numbers((1, 1, 2, 4), np.int8, -128, 128)
    side = numbers((1, 3, 3, 4), np.int8, -128, 128)
    yield _bytes(DataType.DT_INT8, x, filter, side[:0], [0.01], 0.0, ["BiasAdd"], 1, "SAME")  # no side input
    for tail in (["BiasAdd"], ["BiasAdd", "Relu"]):
        unusual = np.float32([np.nan, np.inf, -np.inf, 1e30])
        yield _bytes(DataType.DT_INT8, x, filter, side, [0.01], 0.25, tail, 1, "SAME", bias=unusual)
    for scale in (1 / 2**26, 1e-20, 1e20):  # sums that single precision does not hold
        yield _bytes(DataType.DT_INT8, x, filter, side, [0.5], scale, ["BiasAdd"], 1, "SAME")
    for more in ({"dilations": [1, 2, 1, 1]}, {"fused_ops": [b"BiasAdd", b"Relu6"]}):
        yield _bytes(DataType.DT_INT8, x, filter, side, [0.5], 0.25, ["BiasAdd"], 1, "SAME", **more)


def _bytes(
    dtype: DataType,
    x: Any,
    filter: Any,
    side: Any,
    scales: list[float],
    side_scale: float,
    tail: list[str],
    stride: int,
    padding: str,
    bias: Any = None,
    **more: Any,
) -> Case:
    bias = numbers((filter.shape[-1],), low=-40, high=40) if bias is None else bias
    scale = np.float32(scales if len(scales) > 1 else scales[0])
    inputs = [Typed(x, dtype), Typed(filter, dtype), [bias, Typed(side, dtype)], [scale, np.float32(side_scale)]]
    attributes: dict[str, Any] = {
        "fused_ops": [name.encode() for name in tail],
        "strides": [1, stride, stride, 1],
        "padding": padding,
        "num_args": 2,
        **more,
    }
    return Case("_FusedConv2D", inputs, **attributes)


def batch_norms() -> Iterator[Case]:
    for shape in ((2, 3, 4, 5), (1, 1, 1, 5)):
        for epsilon in (0.001, 0.1, 0.5, 1.0, 2.0):
            inputs = [f32(*shape), f32(5), f32(5)[::-1].copy(), f32(5), np.abs(f32(5)), []]
            attributes = {"U": DataType.DT_FLOAT, "is_training": False, "activation_mode": "Relu", "epsilon": epsilon}
            yield Case("_FusedBatchNormEx", inputs, **attributes, rtol=1e-5)


CASES = [*with_padding(), *with_padding_of_several_images(), *chains(), *of_bytes(), *batch_norms()]
