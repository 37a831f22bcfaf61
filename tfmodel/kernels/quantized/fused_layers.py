"""Kernels of quantized layers with fused bias, addition, Relu and requantization, as oneDNN computes them.

    QuantizedConv2DWithBiasAndReluAndRequantize(codes, filter, bias, ranges, min_freezed_output, max_freezed_output)

Codes of zero stand for the number 0 here: ranges are symmetric, [-r, r] for qint8, or begin at 0 for quint8. Sums of
products are integers of 32 bits; what is fused to them is computed in single precision, in this order:

    (sum + bias) * scale + summand, Relu, rounding half to even

Products of matrices also accept codes whose range begins elsewhere: the bias is corrected by the sums of the columns of
the weights. It is, too, if `input_quant_mode` is SCALED, as in TensorFlow 2.12.

Refused here, where TensorFlow reads other memory: windows that do not fit into an image, filters with a range for each
of another number of channels, summands of another shape. Refused too: attributes that transpose matrices, which
TensorFlow ignores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ...messages import DataType, NodeDef
from ...values.dtypes import dtype_name
from ..nn.convolutions import convolve, convolve_depthwise
from ..nn.windows import axes_of
from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.memory_limit import claim
from ..runtime.registry import Tensor, kernel
from .conversion import Result, code_dtype, read_range
from .layers import PRODUCT_BYTES, multiply_exactly

_F = np.float32
UNSIGNED, SIGNED = _F(255), _F(127)
"""The codes of the end of a range."""
_LIMITS = {
    np.dtype(np.uint8): (_F(0), _F(255)),
    np.dtype(np.int8): (_F(-128), _F(127)),
    np.dtype(np.int32): (_F(-(2**31)), _F(2**31 - 128)),
}
"""The smallest and the largest code of a type that are numbers in single precision."""


# --- convolutions ----------------------------------------------------------------------------------------------------


@kernel(
    "QuantizedConv2DAndRelu",
    "QuantizedConv2DAndReluAndRequantize",
    "QuantizedConv2DAndRequantize",
    "QuantizedConv2DPerChannel",
    "QuantizedConv2DWithBias",
    "QuantizedConv2DWithBiasAndRelu",
    "QuantizedConv2DWithBiasAndReluAndRequantize",
    "QuantizedConv2DWithBiasAndRequantize",
    "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize",
    "QuantizedConv2DWithBiasSumAndRelu",
    "QuantizedConv2DWithBiasSumAndReluAndRequantize",
    "QuantizedDepthwiseConv2D",
    "QuantizedDepthwiseConv2DWithBias",
    "QuantizedDepthwiseConv2DWithBiasAndRelu",
    "QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
)
def fused_conv2d(
    node: NodeDef,
    x: Tensor,
    filter: Tensor,
    *tensors: Tensor,
    strides: list[int],
    padding: bytes,
    dilations: list[int],
    out_type: DataType,
    padding_list: Sequence[int] = (),
) -> Result:
    """The tensors are the bias, the ranges of input, filter and output, the summand and its range, if fused."""
    inputs = iter(tensors)
    rectify = "Relu" in node.op
    requantized = DataType.DT_QUINT8 if rectify else DataType.DT_QINT8
    _check_type(out_type, requantized if node.op.endswith("Requantize") else DataType.DT_QINT32)
    with_sign = node.op.startswith("QuantizedConv2DWithBias") and "Sum" not in node.op
    _check_codes(x, filter, with_sign)
    sums = _convolve(node, x, filter, strides, padding, dilations, padding_list)
    bias = _read_bias(next(inputs), sums.shape[-1]) if "WithBias" in node.op else None
    x_range, filter_range = _range(inputs), _channel_range(inputs, sums.shape[-1])
    limit = (SIGNED if x.dtype == np.int8 else UNSIGNED) * SIGNED
    steps = limit / (largest_of(*x_range[::-1]) * largest_of(*filter_range[::-1]))
    if not node.op.endswith("Requantize"):
        ends = _range_of_products(x_range, filter_range, x.dtype)
        if bias is None and not rectify:
            return sums, *ends
        results = _add_bias(sums, bias, steps)
        if "Sum" in node.op:
            results += np.rint(_read_summand(inputs, sums) * steps)
        return to_codes(results, code_dtype(out_type), rectify=rectify), *ends
    output_range = _range(inputs)
    largest, dtype = largest_of(*output_range), code_dtype(out_type)
    product = (UNSIGNED if rectify else SIGNED) * largest_of(*x_range) * largest_of(*filter_range)
    results = _add_bias(sums, bias, steps) * (product / (limit * largest))
    if "Sum" not in node.op:
        return to_codes(results, dtype, rectify=rectify), *output_range
    summand = _read_summand(inputs, sums)
    summand_end = largest_of(*_range(inputs))
    if summand.dtype == np.int8:
        results += summand * (UNSIGNED * summand_end / (largest * SIGNED))
        return np.minimum(
            to_codes(results, dtype, rectify=rectify), dtype.type(SIGNED)
        ), *output_range  # as signed codes
    return to_codes(results + summand * (summand_end / largest), dtype, rectify=rectify), *output_range


def _convolve(
    node: NodeDef,
    x: Tensor,
    filter: Tensor,
    strides: Sequence[int],
    padding: bytes,
    dilations: Sequence[int],
    padding_list: Sequence[int],
) -> Tensor:
    check(x.ndim == 4, f"its input must be of rank 4, and is of shape {show(x.shape)}")
    check(filter.ndim == 4, f"its filter must be of rank 4, and is of shape {show(filter.shape)}")
    axes = axes_of(
        x.shape[1:3],
        filter.shape[:2],
        strides=strides,
        padding=b"EXPLICIT" if padding_list else padding,
        data_format=b"NHWC",
        dilations=dilations,
        explicit_paddings=padding_list,
    )
    claim(PRODUCT_BYTES * (x.size + filter.size))
    function = convolve_depthwise if "Depthwise" in node.op else convolve
    return multiply_exactly(function, x.astype(np.int32), filter.astype(np.int32), axes)


def _read_bias(bias: Tensor, channels: int) -> Tensor:
    check(bias.shape == (channels,), f"its bias must be of shape {show((channels,))}, and is {show(bias.shape)}")
    return bias


def _read_summand(inputs: Iterator[Tensor], sums: Tensor) -> Tensor:
    summand = next(inputs)
    check(summand.shape == sums.shape, f"its summand must be of shape {show(sums.shape)}, not {show(summand.shape)}")
    return summand


# --- products of matrices --------------------------------------------------------------------------------------------


@kernel(
    "QuantizedMatMulWithBias",
    "QuantizedMatMulWithBiasAndDequantize",
    "QuantizedMatMulWithBiasAndRelu",
    "QuantizedMatMulWithBiasAndReluAndRequantize",
    "QuantizedMatMulWithBiasAndRequantize",
)
def fused_matmul(
    node: NodeDef,
    a: Tensor,
    b: Tensor,
    bias: Tensor,
    *ranges: Tensor,
    transpose_a: bool,
    transpose_b: bool,
    input_quant_mode: bytes,
    Toutput: DataType,
) -> Tensor | Result:
    """The ranges are the ends of those of a, of b and of the output, if it is requantized."""
    fits = a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0] > 0
    check(fits, f"matrices {show(a.shape)} and {show(b.shape)} do not fit")
    check(not transpose_a and not transpose_b, "there is no kernel for transposed matrices")
    requantized = DataType.DT_QUINT8 if node.op.endswith("Requantize") else DataType.DT_QINT32
    _check_type(Toutput, DataType.DT_FLOAT if node.op.endswith("AndDequantize") else requantized)
    _check_codes(a, b, False)
    inputs = iter(ranges)
    a_range, b_range = _scalar_range(inputs), _scalar_range(inputs)
    claim(PRODUCT_BYTES * (a.size + b.size))
    sums = multiply_exactly(np.matmul, a.astype(np.int32), b.astype(np.int32))
    results = sums.astype(_F) + _corrected_bias(_read_bias(bias, b.shape[1]), b, a_range, b_range)
    low, high = _range_of_products(a_range, b_range, a.dtype)
    scale = max(abs(low), abs(high))
    if node.op.endswith("AndDequantize"):
        known = bias.dtype == np.int32 or input_quant_mode != b"SCALED"
        check(known, "there is no kernel for the mode SCALED with a bias of floats")
        return np.asarray(results * (scale / _F(2.0**31)))
    dtype, rectify = code_dtype(Toutput), "Relu" in node.op
    if not node.op.endswith("Requantize"):
        return to_codes(results, dtype, rectify=rectify), low, high
    output_range = _scalar_range(inputs)
    results *= scale / largest_of(*output_range) / _F(2.0**23)
    return to_codes(results, dtype, rectify=rectify), *output_range


def _corrected_bias(bias: Tensor, weights: Tensor, a_range: tuple[Any, Any], b_range: tuple[Any, Any]) -> Tensor:
    """Return the bias as codes of the product. A bias of codes is the corrected one already."""
    if bias.dtype != _F:
        return bias.astype(_F)
    low, high = a_range
    steps = _F(np.float64(255.0 * 127.0) / np.float64((high - low) * largest_of(*b_range)))
    columns = weights.sum(0, dtype=np.int32).astype(_F)
    return np.asarray(bias * steps + columns * (UNSIGNED * low / (high - low)))


# --- what is fused ---------------------------------------------------------------------------------------------------


def _check_type(dtype: DataType, expected: DataType) -> None:
    check(dtype == expected, f"there is no kernel for outputs of type {dtype_name(dtype)}")


def _check_codes(codes: Tensor, weights: Tensor, with_sign: bool) -> None:
    """Check that weights are of type qint8 and codes of type quint8, or also of qint8 for some ops."""
    fits = weights.dtype == np.int8 and (codes.dtype == np.uint8 or (with_sign and codes.dtype == np.int8))
    check(fits, f"there is no kernel for {codes.dtype.name} codes with {weights.dtype.name} weights")


def _range(inputs: Iterator[Tensor]) -> tuple[np.float32, np.float32]:
    return read_range(next(inputs), next(inputs))


def _scalar_range(inputs: Iterator[Tensor]) -> tuple[np.float32, np.float32]:
    low, high = (read_scalar(tensor, "the end of a range") for tensor in islice(inputs, 2))
    return _F(low), _F(high)


def _channel_range(inputs: Iterator[Tensor], channels: int) -> tuple[Tensor, Tensor]:
    """Return the range of a filter: two scalars, or two vectors with a number for each channel."""
    low, high = islice(inputs, 2)
    fits = low.shape == high.shape in ((), (1,), (channels,))
    check(
        fits, f"the range of its filter is of shapes {show(low.shape)} and {show(high.shape)}, not {channels} numbers"
    )
    return low, high


def largest_of(low: Any, high: Any) -> Any:
    """Return the largest magnitude in a range: that of the minimum, if one of them is NaN."""
    first, second = np.abs(low), np.abs(high)
    return np.where(first < second, second, first)[()]


def _range_of_products(a_range: tuple[Any, Any], b_range: tuple[Any, Any], dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return the range of sums of products. Codes of 8 bits with a sign are from -127 to 127."""
    a_steps = _F(255) if dtype == np.uint8 else _F(254)
    step = (a_range[1] - a_range[0]) / a_steps * ((b_range[1] - b_range[0]) / _F(254))
    return step * _F(-(2**31)), step * _F(2**31 - 1)


def _add_bias(sums: Tensor, bias: Tensor | None, steps: Any) -> Tensor:
    results = sums.astype(_F)
    if bias is not None:
        results += bias.astype(_F) if bias.dtype == np.int32 else bias * steps
    return results


def to_codes(results: Tensor, dtype: np.dtype[Any], *, rectify: bool) -> Tensor:
    """Return results as codes, after Relu if `rectify`. NaN becomes 0 after Relu, and the largest code without it."""
    low, high = _LIMITS[dtype]
    bounded = np.fmin(np.fmax(results, _F(0)), high) if rectify else np.fmax(np.fmin(results, high), low)
    return np.asarray(np.rint(bounded).astype(dtype))
