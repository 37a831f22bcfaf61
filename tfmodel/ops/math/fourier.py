"""Fourier transforms along the last one, two or three dimensions.

The transforms of real numbers take their length from a tensor, and ignore input beyond it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..runtime.argument_checks import check, read_vector, show
from ..runtime.registry import Tensor, kernel

__all__: list[str] = []


def _axes(x: Tensor, rank: int) -> tuple[int, ...]:
    check(x.ndim >= rank, f"the input must have {rank} dimensions or more, and is of shape {show(x.shape)}")
    return tuple(range(-rank, 0))


def _complex(rank: int, transform: Callable[..., Tensor]) -> Callable[[Tensor], Tensor]:
    def computed(input: Tensor) -> Tensor:
        axes = _axes(input, rank)
        return transform(input, axes=axes) if input.size else input

    return computed


def _forward(rank: int) -> Callable[[Tensor, Tensor], Tensor]:
    def computed(input: Tensor, fft_length: Tensor) -> Tensor:
        axes, lengths = _axes(input, rank), _lengths(fft_length, rank)
        _check_room(input, lengths)
        if not input.size:
            return np.zeros((*input.shape[:-rank], *_halved(lengths)), np.complex128)
        return np.asarray(np.fft.rfftn(input, lengths, axes))

    return computed


def _backward(rank: int) -> Callable[[Tensor, Tensor], Tensor]:
    def computed(input: Tensor, fft_length: Tensor) -> Tensor:
        axes, lengths = _axes(input, rank), _lengths(fft_length, rank)
        _check_room(input, _halved(lengths))
        if not input.size:
            return np.zeros((*input.shape[:-rank], *lengths))
        return np.asarray(np.fft.irfftn(input, lengths, axes))

    return computed


def _lengths(fft_length: Tensor, rank: int) -> list[int]:
    lengths = read_vector(fft_length, "fft_length", rank)
    check(min(lengths) >= 0, f"fft_length is {show(lengths)}")
    return lengths


def _halved(lengths: list[int]) -> list[int]:
    """Return the stored size of a transform of real numbers: the other half is redundant."""
    return [*lengths[:-1], lengths[-1] // 2 + 1 if lengths[-1] else 0]


def _check_room(x: Tensor, lengths: list[int]) -> None:
    check(not x.size or 0 not in lengths, f"the input, of shape {show(x.shape)}, has no transform of no length")
    fits = all(size >= length for size, length in zip(x.shape[-len(lengths) :], lengths, strict=True))
    check(fits or not x.size, f"the input, of shape {show(x.shape)}, is shorter than {show(lengths)}")


for _rank, _name in enumerate(("", "2D", "3D"), 1):
    kernel(f"FFT{_name}")(_complex(_rank, np.fft.fftn))
    kernel(f"IFFT{_name}")(_complex(_rank, np.fft.ifftn))
    kernel(f"RFFT{_name}")(_forward(_rank))
    kernel(f"IRFFT{_name}")(_backward(_rank))
