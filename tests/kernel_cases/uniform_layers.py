"""Requantization, sums, products and convolutions of uniformly quantized tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from tests.kernel_cases import Case, Typed, i32, numbers
from tests.kernel_cases.quantizing import codes, scalar
from tfmodel.messages import DataType, UniformQuantizedConvolutionDimensionNumbersAttr

__all__ = ["CASES"]

BYTE, WIDE = DataType.DT_QINT8, DataType.DT_QINT32
WHOLE = (-(2**31), 2**31 - 1)
EXACT = {"ulps": 0}


def span(axis: int = -1, ends: tuple[int, int] = WHOLE, of: str = "output") -> dict[str, int]:
    names = (f"{of}_quantization_{name}" for name in ("axis", "min_val", "max_val"))
    return dict(zip(names, (axis, *ends), strict=True))


def parameters(count: int | None = None, first: float = 0.05) -> list[Any]:
    """A scale and a zero point, or vectors of them."""
    if count is None:
        return [scalar(first), i32(3)]
    return [numbers((count,), np.float32, first, 9 * first), numbers((count,), np.int32, -20, 20)]


def wide(*shape: int, high: int = 30_000) -> Typed:
    return Typed(numbers(shape, np.int32, -high, high), WIDE)


def requantization() -> Iterator[Case]:
    op = "UniformRequantize"
    for x, ends in product((codes(BYTE, 3, 4), wide(3, 4), codes(WIDE, 3, 4)), ((-128, 127), (-3, 90))):
        for axis, new_axis in ((-1, -1), (0, 0), (1, 1), (1, -1), (-1, 0)):
            old, new = (parameters(None if one < 0 else (3, 4)[one]) for one in (axis, new_axis))
            new[0] = new[0] * np.float32(7)
            attributes = {**span(axis, of="input"), **span(new_axis, ends)}
            yield Case(op, [x, *old, *new], Tout=BYTE, **attributes, **EXACT)
    steps = Typed(np.arange(-60, 60, dtype=np.int32), WIDE)
    for scale in (0.5, 0.25, 0.1, 1, 2.0**-31, 1e-12, 3e9, 1e12):
        inputs = [steps, scalar(scale), i32(0), scalar(1), i32(0)]
        yield Case(op, inputs, Tout=BYTE, **span(of="input"), **span(-1, (-128, 127)), **EXACT)
    one = parameters()
    for old, new, axis, new_axis in (
        (parameters(3), parameters(4), 0, 1),
        (parameters(3), one, -1, -1),
        (one, one, 0, -1),
        (one, one, -2, -1),
        (parameters(4), one, 2, -1),
        ([scalar(0), i32(0)], one, -1, -1),
        ([scalar(-1), i32(0)], one, -1, -1),
        ([scalar(np.inf), i32(0)], one, -1, -1),
        (one, [scalar(np.nan), i32(0)], -1, -1),
        (one, [scalar(1), i32([0])], -1, -1),
    ):
        attributes = {**span(axis, of="input"), **span(new_axis, (-128, 127))}
        yield Case(op, [codes(BYTE, 3, 4), *old, *new], Tout=BYTE, **attributes)


def addition(
    lhs: Any, rhs: Any, groups: Sequence[list[Any]], axes: Sequence[int] = (-1, -1, -1), ends: tuple[int, int] = WHOLE
) -> Case:
    """Groups are the scales and zero points of both operands and of the output."""
    attributes = {**span(axes[0], of="lhs"), **span(axes[1], of="rhs"), **span(axes[2], ends)}
    return Case("UniformQuantizedAdd", [lhs, rhs, *groups[0], *groups[1], *groups[2]], **attributes, **EXACT)


def sums() -> Iterator[Case]:
    one, three = parameters(), parameters(3)
    for ends in (WHOLE, (-50, 60)):
        yield addition(wide(2, 3), wide(2, 3), [one, one, one], ends=ends)
        yield addition(wide(2, 3), wide(2, 3), [three, three, three], (1, 1, 1), ends)
    yield addition(wide(2, 3), wide(2, 3), [three, one, three], (1, -1, 1))
    yield addition(wide(2, 3), wide(2, 3), [three, one, one], (1, -1, -1))
    yield addition(wide(2, 3), wide(2, 3), [one, three, one], (-1, 1, -1))
    yield addition(wide(2, 3), wide(3), [three, three, three], (1, 0, 1))
    yield addition(wide(3), wide(2, 3), [three, three, three], (0, 1, 1))
    yield addition(codes(WIDE, 2, 3), codes(WIDE, 2, 3), [one, one, one])
    for left, right in (((2, 3), (3,)), ((2, 1), (3,)), ((), (4,)), ((2, 3), ()), ((0, 3), (1, 3)), ((2, 3), (3, 2))):
        yield addition(wide(*left), wide(*right), [one, parameters(None, 0.3), one])
    yield addition(wide(2, 3), wide(2, 3), [three, parameters(2), three], (1, 0, 1))
    yield addition(wide(2, 3), wide(2, 3), [one, one, one], (-1, -1, 2))
    yield addition(wide(2, 3), wide(2, 3), [one, three, one])
    yield addition(wide(2, 3), wide(2, 3), [one, [scalar(0), i32(0)], one])


def products() -> Iterator[Case]:
    for sizes, per_channel, output_channels in product(
        ((3, 4, 5), (2, 700, 3), (0, 3, 2), (2, 0, 3)), (False, True), (False, True)
    ):
        rows, depth, columns = sizes
        other = parameters(columns) if per_channel else parameters()
        output = parameters(columns, 0.4) if output_channels else [scalar(0.7), i32(-9)]
        axes = (-1, 1 if per_channel else -1, 1 if output_channels else -1)
        yield dot(codes(BYTE, rows, depth), codes(BYTE, depth, columns), parameters(), other, output, axes)
        if not output_channels:
            x = numbers((rows, depth), np.float32, -1, 3)
            yield hybrid_dot(x, codes(BYTE, depth, columns), other, axes[1])
    one = parameters()
    x, b = codes(BYTE, 2, 700), codes(BYTE, 700, 3)
    yield dot(x, b, [scalar(0.1), i32(-128)], [scalar(0.1), i32(127)], one, (-1, -1, -1))  # sums beyond 2**24
    yield dot(x, b, [scalar(0.1), i32(-128)], [parameters(3)[0], i32([127] * 3)], one, (-1, 1, -1))
    x, b = codes(BYTE, 2, 3), codes(BYTE, 3, 4)
    for axes in ((0, -1, -1), (-1, 0, -1), (-1, -1, 0), (-1, 2, -1)):
        yield dot(x, b, one, one, one, axes)
    yield dot(x, codes(BYTE, 4, 3), one, one, one, (-1, -1, -1))
    yield dot(x, b, parameters(2), one, one, (-1, -1, -1))
    yield dot(x, b, one, parameters(3), one, (-1, 1, -1))
    for row in ([0, 0, 0], [1, 2, 4], [-1, -2, -4], [1e-45, 0, 0], [3e38, -3e38, 1], [-0.5, 127, 0.25]):
        yield hybrid_dot(np.array([row, [1, -1, 0.5]], np.float32), b, one, -1)
    yield hybrid_dot(numbers((2, 4), np.float32), b, one, -1)
    yield hybrid_dot(numbers((2, 3), np.float32), b, [scalar(-1), i32(0)], -1)
    yield hybrid_dot(numbers((2, 3), np.float32), b, one, 0)


def dot(x: Any, b: Any, left: list[Any], right: list[Any], output: list[Any], axes: tuple[int, int, int]) -> Case:
    attributes = {**span(axes[0], of="lhs"), **span(axes[1], of="rhs"), **span(axes[2], (-90_000, 90_000))}
    return Case("UniformQuantizedDot", [x, b, *left, *right, *output], Tout=WIDE, **attributes, **EXACT)


def hybrid_dot(x: Any, b: Any, right: list[Any], axis: int) -> Case:
    kinds = {"Tout": DataType.DT_FLOAT}
    return Case("UniformQuantizedDotHybrid", [x, b, *right], **kinds, **span(axis, of="rhs"), **EXACT)


def order(*places: int) -> bytes:
    """Return dimension numbers of the places of batch, features and space in the input, the filter and the output."""
    count = len(places) // 3
    image, filter, output = (list(places[start : start + count]) for start in range(0, len(places), count))
    return UniformQuantizedConvolutionDimensionNumbersAttr(
        input_batch_dimension=image[0],
        input_feature_dimension=image[1],
        input_spatial_dimensions=image[2:],
        kernel_output_feature_dimension=filter[0],
        kernel_input_feature_dimension=filter[1],
        kernel_spatial_dimensions=filter[2:],
        output_batch_dimension=output[0],
        output_feature_dimension=output[1],
        output_spatial_dimensions=output[2:],
    ).to_bytes()


NHWC = order(0, 3, 1, 2, 3, 2, 0, 1, 0, 3, 1, 2)
CONVOLUTIONS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 5), (4, 3, 2), {"padding": "VALID"}),
    ((2, 3, 5), (4, 3, 2), {"padding": "SAME"}),
    ((2, 3, 5, 6), (4, 3, 3, 2), {"padding": "SAME"}),
    ((2, 3, 5, 6), (4, 3, 3, 2), {"padding": "SAME", "window_strides": [2, 3]}),
    ((2, 3, 5, 6), (4, 3, 3, 2), {"padding": "EXPLICIT", "explicit_padding": [0, 2, 1, 0]}),
    ((2, 3, 5, 6), (4, 3, 3, 2), {"padding": "VALID", "lhs_dilation": [2, 3], "rhs_dilation": [1, 2]}),
    ((2, 6, 5, 4), (4, 3, 2, 2), {"padding": "SAME", "feature_group_count": 2}),
    ((4, 3, 5, 4), (6, 3, 2, 2), {"padding": "VALID", "batch_group_count": 2}),
    ((4, 6, 5, 4), (4, 3, 2, 2), {"padding": "VALID", "batch_group_count": 2, "feature_group_count": 2}),
    ((2, 3, 4, 3, 4), (4, 3, 2, 2, 1), {"padding": "SAME"}),
    ((2, 5, 6, 3), (3, 2, 3, 4), {"padding": "SAME", "dimension_numbers": NHWC}),
    ((5, 2, 3), (4, 2, 3), {"padding": "VALID", "dimension_numbers": order(1, 2, 0, 0, 2, 1, 2, 0, 1)}),
    ((0, 3, 5), (4, 3, 2), {"padding": "VALID"}),
    ((2, 3, 2), (4, 3, 3), {"padding": "VALID"}),
    # refused
    ((2, 3, 1), (4, 3, 3), {"padding": "VALID"}),
    ((2, 3, 5), (4, 2, 2), {"padding": "VALID"}),
    ((2, 3, 5), (4, 3, 2, 1), {"padding": "VALID"}),
    ((2, 3), (4, 3), {"padding": "VALID"}),
    ((2, 3, 5), (4, 3, 2), {"padding": "VALID", "window_strides": [0]}),
    ((2, 3, 5), (4, 3, 2), {"padding": "VALID", "lhs_dilation": [1, 1]}),
    ((2, 3, 5), (4, 3, 2), {"padding": "VALID", "explicit_padding": [1, 1]}),
    ((2, 3, 5), (4, 3, 2), {"padding": "EXPLICIT", "explicit_padding": [1]}),
    ((2, 3, 5), (4, 3, 2), {"padding": "EXPLICIT", "explicit_padding": [1, -1]}),
    ((2, 3, 5), (4, 3, 2), {"padding": "NONE"}),
    ((2, 3, 5), (4, 3, 2), {"padding": "VALID", "feature_group_count": 0}),
    ((2, 3, 5), (4, 3, 2), {"padding": "VALID", "batch_group_count": 3}),
    ((2, 3, 5), (4, 3, 2), {"padding": "VALID", "dimension_numbers": b"\xff"}),
    ((2, 3, 5), (4, 3, 2), {"padding": "VALID", "dimension_numbers": order(0, 1, 3, 0, 1, 2, 0, 1, 2)}),
]


def convolutions() -> Iterator[Case]:
    for (x, filter, attributes), per_channel in product(CONVOLUTIONS, (False, True)):
        places = {NHWC: (3, 3), b"": (0, 1)}.get(attributes.get("dimension_numbers", b""), (0, 0))
        axes = places if per_channel else (-1, -1)
        features = filter[places[0]]
        right = parameters(features) if per_channel else parameters()
        output = parameters(features, 0.4) if per_channel else parameters(None, 0.7)
        spans = {**span(of="lhs"), **span(axes[0], of="rhs"), **span(axes[1], (-9000, 9000))}
        inputs = [codes(BYTE, *x), codes(BYTE, *filter), *parameters(), *right, *output]
        yield Case("UniformQuantizedConvolution", inputs, Tout=WIDE, **spans, **attributes, **EXACT)
        inputs = [numbers(x, np.float32, -1, 3), codes(BYTE, *filter), *right]
        kinds = {"Tout": DataType.DT_FLOAT}
        yield Case(
            "UniformQuantizedConvolutionHybrid", inputs, **kinds, **span(axes[0], of="rhs"), **attributes, **EXACT
        )
    x, b, one = codes(BYTE, 2, 3, 5), codes(BYTE, 4, 3, 2), parameters()
    for left, right, output, three in (
        (one, one, parameters(4), (-1, -1, 1)),
        (one, parameters(4), one, (-1, 1, -1)),
        (one, parameters(3), one, (-1, 0, -1)),
        (parameters(2), one, one, (0, -1, -1)),
        (one, one, [scalar(0), i32(0)], (-1, -1, -1)),
        (one, parameters(4), one, (-1, -1, -1)),
    ):
        spans = {**span(three[0], of="lhs"), **span(three[1], of="rhs"), **span(three[2])}
        inputs = [x, b, *left, *right, *output]
        yield Case("UniformQuantizedConvolution", inputs, Tout=WIDE, padding="VALID", **spans)


CASES = [*requantization(), *sums(), *products(), *convolutions()]
