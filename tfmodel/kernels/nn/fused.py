"""Kernels of fused ops: a convolution or a matrix product and the ops that follow it.

_FusedConv2D(x, filter, bias)[fused_ops=["BiasAdd", "Relu"]]  =  Relu(BiasAdd(Conv2D(x, filter), bias))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import RunError
from ...values.terminal import escape
from ..math.elementwise import sigmoid
from ..runtime.argument_checks import check, check_kind, read_scalar, show, widen_halves
from ..runtime.memory_limit import claim
from ..runtime.registry import KERNELS, Tensor, kernel
from .activations import ACTIVATIONS, leaky_relu
from .convolutions import conv2d, depthwise_conv2d
from .normalization import add_bias, fused_batch_norm_v3, scale_and_shift

# --- a layer and the ops that follow it ------------------------------------------------------------------------------


@kernel("_FusedConv2D")
def fused_conv2d(
    x: Tensor,
    filter: Tensor,
    *args: Tensor,
    num_args: int,
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
    filter_format: bytes,
    dilations: list[int],
    fused_ops: list[bytes],
    epsilon: float,
    leakyrelu_alpha: float,
) -> Tensor:
    """Convolve, and apply a chain of ops. `args` are tensors for these, and behind them the scales of 8-bit layers."""
    if filter_format != b"HWIO":
        raise RunError("its filter_format must be HWIO")
    if x.dtype == np.int8:
        check(
            padding != b"EXPLICIT" and data_format == b"NHWC", "with 8 bits, images are NHWC, and padding SAME or VALID"
        )
        check(set(dilations) == {1}, "with 8 bits, its dilations must be 1")
        claim(4 * (x.size + filter.size))  # as float32
        y = conv2d(
            x.astype(np.float32),
            filter.astype(np.float32),
            strides=strides,
            padding=padding,
            explicit_paddings=[],
            data_format=data_format,
            dilations=dilations,
        )
        return _scale_to_bytes(y, args, fused_ops)
    check_kind(x, "f")
    y = conv2d(
        x,
        filter,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
    )
    return _apply_ops(y, args[:num_args], fused_ops, data_format, epsilon, leakyrelu_alpha)


@kernel("_FusedDepthwiseConv2dNative")
def fused_depthwise_conv2d(
    x: Tensor,
    filter: Tensor,
    *args: Tensor,
    strides: list[int],
    padding: bytes,
    data_format: bytes,
    dilations: list[int],
    fused_ops: list[bytes],
    epsilon: float,
    leakyrelu_alpha: float,
) -> Tensor:
    y = depthwise_conv2d(
        x,
        filter,
        strides=strides,
        padding=padding,
        explicit_paddings=[],
        data_format=data_format,
        dilations=dilations,
    )
    return _apply_ops(y, args, fused_ops, data_format, epsilon, leakyrelu_alpha)


@kernel("_FusedMatMul")
def fused_mat_mul(
    a: Tensor,
    b: Tensor,
    *args: Tensor,
    transpose_a: bool,
    transpose_b: bool,
    fused_ops: list[bytes],
    epsilon: float,
    leakyrelu_alpha: float,
) -> Tensor:
    if a.ndim != 2 or b.ndim != 2:
        raise RunError(f"it multiplies matrices, and got {list(a.shape)} and {list(b.shape)}")
    y = np.matmul(widen_halves(a.T if transpose_a else a), widen_halves(b.T if transpose_b else b))
    return _apply_ops(y, args, fused_ops, b"NC", epsilon, leakyrelu_alpha)


def _apply_ops(
    y: Tensor, args: Sequence[Tensor], ops: Sequence[bytes], data_format: bytes, epsilon: float, alpha: float
) -> Tensor:
    """Apply a chain of ops to an array, in place. Each op takes its further inputs from `args`."""
    channels_first = data_format.startswith(b"NC") and y.ndim == 4
    y = np.moveaxis(y, 1, -1) if channels_first else y
    remaining = list(args)
    for op in ops:
        name = escape(op.decode("latin-1"))
        count = _ARGUMENT_COUNTS.get(name, 0)
        if len(remaining) < count:
            raise RunError(f"it has {len(args)} arguments, too few for {name}")
        op_arguments, remaining = remaining[:count], remaining[count:]
        if name == "BiasAdd":
            y = add_bias(y, op_arguments[0])
        elif name == "FusedBatchNorm":
            scale, offset, mean, variance = op_arguments
            y = scale_and_shift(y, scale, offset, mean, variance, epsilon, out=y)
        elif name == "Add":
            y += np.moveaxis(op_arguments[0], 1, -1) if channels_first else op_arguments[0]
        elif name == "LeakyRelu":
            y = leaky_relu(y, alpha=alpha)
        elif name in _UNARY_OPS:
            y = _UNARY_OPS[name](y)
        else:
            raise RunError(f'there is no kernel for "{name}" in its fused_ops')
    return np.moveaxis(y, -1, 1) if channels_first else y


def _scale_to_bytes(y: Tensor, args: Sequence[Tensor], ops: Sequence[bytes]) -> Tensor:
    """Return round(y * scale + side_input * side_scale + bias) as int8, from the arguments of an 8-bit layer.

    `y` may be overwritten. The results are TensorFlow's bits if the sums of products are exact: up to 1,024 products
    for each element of `y`. Each step rounds to single precision; the second is a fused multiplication and addition.
    """
    if tuple(ops) not in ((b"BiasAdd",), (b"BiasAdd", b"Relu")):
        raise RunError("with 8 bits, its fused_ops must be BiasAdd, or BiasAdd and Relu")
    check(len(args) == 4, "with 8 bits, its args are a bias and a side input, and its host_args two scales")
    bias, side_input, scale, side_scale = args
    channels = y.shape[-1]
    check(bias.shape == (channels,), f"its bias must be of shape [{channels}], and is {show(bias.shape)}")
    check(scale.size in (1, channels), f"it needs 1 scale or {channels}, and got {scale.size}")
    factor = np.float32(read_scalar(side_scale, "side_input_scale"))
    claim((_BYTES_OF_SUM if factor else 12) * y.size)
    y *= scale.reshape(-1)
    if factor:
        check(side_input.shape == y.shape, f"its side input must be of shape {show(y.shape)}")
        y = _multiply_add(side_input, factor, y)
    y += bias
    y = np.clip(np.rint(y), 0 if b"Relu" in ops else -128, 127)
    return np.nan_to_num(y, copy=False).astype(np.int8)  # TensorFlow's conversion makes 0 of NaN


_BYTES_OF_SUM = 64
"""The memory of `_multiply_add` for each element: arrays of doubles, and one of float32."""


def _multiply_add(a: Tensor, factor: np.float32, b: Tensor) -> Tensor:
    """Return a * factor + b of bytes `a` and a float32 array `b`, rounded once, as the function fmaf of C.

    The product is exact in double precision, and the sum is rounded to odd, so that rounding it again to single
    precision gives the nearest number.
    """
    product = a.astype(np.float64) * np.float64(factor)
    total = product + b
    shown = total - product
    error = (product - (total - shown)) + (b - shown)  # of the sum: it is exact (Knuth's two-sum)
    is_inexact = np.isfinite(error) & (error != 0) & (total.view(np.int64) & 1 == 0)
    towards = np.where(error > 0, np.inf, -np.inf)
    return np.where(is_inexact, np.nextafter(total, towards), total).astype(np.float32)


_ARGUMENT_COUNTS = {"BiasAdd": 1, "FusedBatchNorm": 4, "Add": 1}


def _gelu(x: Tensor) -> Tensor:
    number = x.dtype.type
    inner = number(np.sqrt(2 / np.pi)) * (x + number(0.044715) * x * x * x)
    return np.asarray(number(0.5) * x * (1 + np.tanh(inner)))


def _exact_gelu(x: Tensor) -> Tensor:
    number = x.dtype.type
    erf: Tensor = KERNELS["Erf"].function(x * number(np.sqrt(0.5)))
    return np.asarray(number(0.5) * x * (1 + erf))


_UNARY_OPS: dict[str, Callable[[Tensor], Tensor]] = {
    **ACTIVATIONS,
    "Tanh": np.tanh,
    "Sigmoid": sigmoid,
    "GeluApproximate": _gelu,
    "GeluExact": _exact_gelu,
}


@kernel("_FusedBatchNormEx")
def fused_batch_norm_ex(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    *side_input: Tensor,
    epsilon: float,
    exponential_avg_factor: float,
    activation_mode: bytes,
    data_format: bytes,
    is_training: bool,
) -> tuple[Tensor, ...]:
    """Compute a batch norm, add an optional side input, and apply an activation."""
    y, *statistics = fused_batch_norm_v3(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
    )
    for addend in side_input:
        if addend.shape != y.shape:
            raise RunError(f"its side_input must be of shape {list(y.shape)}, and is {list(addend.shape)}")
        y = y + addend
    if activation_mode not in (b"Identity", b"Relu"):
        raise RunError("its activation_mode must be Identity or Relu")
    return (ACTIVATIONS["Relu"](y) if activation_mode == b"Relu" else y, *statistics)
