"""Constants, placeholders, identities, and tensors of one value."""

from __future__ import annotations

import numpy as np

from ...dtypes import DTYPES, dtype_name
from ...errors import RunError
from ...graph.error_text import MUST_BE_FED
from ...io.terminal import escape
from ...messages import DataType
from ..runtime.argument_checks import check, read_shape, show, zeros
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []


@kernel("Const", "HostConst")
def constant(*, value: Tensor, dtype: DataType) -> Tensor:
    row = DTYPES.get(dtype)
    if row is None or value.dtype != row.numpy:
        raise RunError(f"its value is {value.dtype}, but its type is {dtype_name(dtype)}")
    return value


@kernel(
    "Identity",
    "StopGradient",
    "PreventGradient",
    "Snapshot",
    "DeepCopy",
    "GuaranteeConst",
    "DebugGradientIdentity",
    "PlaceholderWithDefault",
)
def identity(x: Tensor) -> Tensor:
    return x


@kernel("IdentityN")
def identities(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tensors


@kernel("Placeholder", "PlaceholderV2")
def placeholder(*, dtype: DataType, shape: tuple[int | None, ...] | None = None) -> Tensor:
    shape_text = f" and shape {show(shape)}" if shape is not None else ""
    raise RunError(f"{MUST_BE_FED} of type {dtype_name(dtype)}{shape_text}")


@kernel("EnsureShape")
def ensure_shape(x: Tensor, *, shape: tuple[int | None, ...] | None) -> Tensor:
    fits = shape is None or (
        len(shape) == x.ndim and all(size in (None, actual) for size, actual in zip(shape, x.shape, strict=True))
    )
    check(fits, f"a tensor of shape {show(x.shape)} is not of the expected shape {show(shape or ())}")
    return x


@kernel("CheckNumerics", "CheckNumericsV2")
def check_numerics(x: Tensor, *, message: bytes) -> Tensor:
    kinds = {"NaN": np.isnan(x).any(), "Inf": np.isinf(x).any()}
    present = " and ".join(name for name, is_present in kinds.items() if is_present)
    check(not present, f"{escape(message.decode('utf-8', 'replace'))} : the tensor has {present} values")
    return x


# --- tensors of one value --------------------------------------------------------------------------------------------


@kernel("ZerosLike")
def zeros_like(x: Tensor) -> Tensor:
    return zeros(x.shape, x.dtype)


@kernel("OnesLike")
def ones_like(x: Tensor) -> Tensor:
    return np.ones_like(x)


@kernel("Fill")
def fill(dims: Tensor, value: Tensor) -> Tensor:
    check(value.shape in ((), (1,)), f"value must be a scalar, not of shape {show(value.shape)}")
    return np.full(read_shape(dims, "dims"), value.reshape(()), value.dtype)


@kernel("Empty")
def empty(shape: Tensor, *, dtype: DataType) -> Tensor:
    """Return zeros, with or without `init`; TensorFlow leaves the tensor uninitialized without it."""
    return zeros(read_shape(shape, "shape"), DTYPES[dtype].numpy)
