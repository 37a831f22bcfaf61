"""Fourier transforms along the last one, two or three dimensions.

RFFT and IRFFT (and their 2D and 3D forms) take the length of each dimension as the input `fft_length`; elements beyond
it are ignored.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..runtime.argument_checks import check, read_vector, show
from ..runtime.registry import Tensor, kernel


def _axes(x: Tensor, rank: int) -> tuple[int, ...]:
    check(x.ndim >= rank, f"the input must have {rank} dimensions or more, not the shape {show(x.shape)}")
    return tuple(range(-rank, 0))


def _complex_kernel(rank: int, transform: Callable[..., Tensor]) -> Callable[[Tensor], Tensor]:
    def compute(input: Tensor) -> Tensor:
        axes = _axes(input, rank)
        return transform(input, axes=axes) if input.size else input

    return compute


def _real_kernel(rank: int) -> Callable[[Tensor, Tensor], Tensor]:
    def compute(input: Tensor, fft_length: Tensor) -> Tensor:
        axes, lengths = _axes(input, rank), _read_lengths(fft_length, rank)
        _check_sizes(input, lengths, lengths)
        if not input.size:
            return np.zeros((*input.shape[:-rank], *_half_lengths(lengths)), np.complex128)
        return np.asarray(np.fft.rfftn(input, lengths, axes))

    return compute


def _inverse_real_kernel(rank: int) -> Callable[[Tensor, Tensor], Tensor]:
    def compute(input: Tensor, fft_length: Tensor) -> Tensor:
        axes, lengths = _axes(input, rank), _read_lengths(fft_length, rank)
        _check_sizes(input, lengths, _half_lengths(lengths))
        if not input.size:
            return np.zeros((*input.shape[:-rank], *lengths))
        return np.asarray(np.fft.irfftn(input, lengths, axes))

    return compute


def _read_lengths(fft_length: Tensor, rank: int) -> list[int]:
    lengths = read_vector(fft_length, "fft_length", rank)
    check(min(lengths) >= 0, f"fft_length is {show(lengths)}, but must not be negative")
    return lengths


def _half_lengths(lengths: list[int]) -> list[int]:
    """Return the sizes of the transform of real numbers with these lengths.

    Of the last dimension only n // 2 + 1 elements are stored; the others are their complex conjugates.
    """
    return [*lengths[:-1], lengths[-1] // 2 + 1 if lengths[-1] else 0]


def _check_sizes(x: Tensor, lengths: list[int], min_sizes: list[int]) -> None:
    check(not x.size or 0 not in lengths, f"fft_length must be positive for an input of shape {show(x.shape)}")
    fits = all(size >= min_size for size, min_size in zip(x.shape[-len(min_sizes) :], min_sizes, strict=True))
    check(
        fits or not x.size,
        f"the input has shape {show(x.shape)}, but fft_length {show(lengths)} needs at least {show(min_sizes)}",
    )


for _rank, _name in enumerate(("", "2D", "3D"), 1):
    kernel(f"FFT{_name}")(_complex_kernel(_rank, np.fft.fftn))
    kernel(f"IFFT{_name}")(_complex_kernel(_rank, np.fft.ifftn))
    kernel(f"RFFT{_name}")(_real_kernel(_rank))
    kernel(f"IRFFT{_name}")(_inverse_real_kernel(_rank))
