"""The gradients of pooling: to the largest number of each window, or to all of its numbers in equal parts."""

from __future__ import annotations

import numpy as np

from ...errors import RunError
from .convolutions import wide
from .morphology import seeing
from .pooling import counts, largest_of, pool_axes
from .registry import Tensor, kernel
from .windows import as_format, channels_last, trimmed

__all__: list[str] = []


@kernel("MaxPoolGrad")
def max_pool_grad(
    orig_input: Tensor,
    orig_output: Tensor,
    grad: Tensor,
    *,
    ksize: list[int],
    strides: list[int],
    padding: bytes,
    explicit_paddings: list[int],
    data_format: bytes,
) -> Tensor:
    """The first of several largest numbers gets it all."""
    images, given = channels_last(orig_input, data_format, 4), channels_last(grad, data_format, 4)
    axes = pool_axes(images, ksize, strides, padding, data_format, explicit_paddings)
    best, where = largest_of(images, axes)
    if given.shape != best.shape or orig_output.shape != grad.shape:
        raise RunError(f"its gradient must be of the shape {list(best.shape)}, and is {list(given.shape)}")
    made = np.zeros((len(images), images[:1].size), wide(given).dtype)
    for row, places, parts in zip(made, where, given, strict=True):
        np.add.at(row, places.ravel(), parts.ravel())
    return as_format(made.reshape(images.shape), data_format)


@kernel("MaxPoolGradV2")
def max_pool_grad_v2(
    orig_input: Tensor,
    orig_output: Tensor,
    grad: Tensor,
    ksize: Tensor,
    strides: Tensor,
    *,
    padding: bytes,
    data_format: bytes,
) -> Tensor:
    """The sizes of windows and steps are inputs."""
    return max_pool_grad(
        orig_input,
        orig_output,
        grad,
        ksize=ksize.ravel().tolist(),
        strides=strides.ravel().tolist(),
        padding=padding,
        explicit_paddings=[],
        data_format=data_format,
    )


@kernel("AvgPoolGrad")
def avg_pool_grad(
    orig_input_shape: Tensor,
    grad: Tensor,
    *,
    ksize: list[int],
    strides: list[int],
    padding: bytes,
    data_format: bytes,
) -> Tensor:
    sizes = orig_input_shape.ravel().tolist()
    if len(sizes) != 4 or min(sizes) < 0:
        raise RunError(f"its orig_input_shape must be 4 numbers that are not negative, and is {sizes}")
    made = np.zeros(sizes, wide(grad).dtype)
    image, given = channels_last(made, data_format, 4), channels_last(wide(grad), data_format, 4)
    axes = pool_axes(image, ksize, strides, padding, data_format)
    wanted = (len(image), *(axis.out for axis in axes), image.shape[-1])
    if given.shape != wanted:
        raise RunError(f"its gradient must be of the shape {list(wanted)}, and is {list(given.shape)}")
    parts = given / counts(axes).astype(given.dtype)[..., None]
    axes, _ = trimmed(axes)
    for at in np.ndindex(axes[0].kernel, axes[1].kernel):
        (rows, seen_rows), (columns, seen_columns) = (seeing(axis, i) for axis, i in zip(axes, at, strict=True))
        target = image[:, seen_rows, seen_columns]
        target += parts[:, rows, columns]
    return made
