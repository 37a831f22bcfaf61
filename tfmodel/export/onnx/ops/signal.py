"""Fourier transforms and spectra of sound.

A complex tensor is one of ONNX with two numbers in a new last dimension. Only few ops take it: transforms, and ops that
make real numbers of it.
"""

from __future__ import annotations

import numpy as np

from ....kernels.parsing.audio import MIN_ENERGY, mel_weights
from ....messages import DataType
from ..conversion import operators
from ..conversion.call import FLOAT, Call
from ..conversion.model import Array, Value
from ..conversion.probing import probe
from ..conversion.registry import converter

_REAL = {DataType.DT_COMPLEX64: FLOAT, DataType.DT_COMPLEX128: DataType.DT_DOUBLE}


def _complex(call: Call, value: Value) -> Value:
    """Mark a new value as a complex output."""
    shape = call.output_shape()
    value.shape = None if shape is None else (*shape, 2)
    return value


def _parts(call: Call, index: int = 0) -> list[Value]:
    """Return the real and the imaginary part of a complex input."""
    value = _pair(call, index)
    return [call.add("Gather", value, call.const(part), axis=-1) for part in (0, 1)]


def _pair(call: Call, index: int = 0) -> Value:
    """Return a complex input as a real tensor with a last dimension of two."""
    if call.dtype(index) not in _REAL:
        call.refuse("its input is not complex")
    return call.handed(index)


@converter("Complex")
def _of_parts(call: Call) -> Value:
    parts = [call.input(index) for index in range(2)]
    shapes = [call.shape(index) for index in range(2)]
    if shapes[0] != shapes[1] or shapes[0] is None or None in shapes[0]:  # each may be broadcast
        sizes = [operators.shape_of(call, part) for part in parts]
        parts = [call.add("Expand", part, size) for part, size in zip(parts, reversed(sizes), strict=True)]
    parts = [operators.unsqueeze(call, part, [-1]) for part in parts]
    return _complex(call, call.add("Concat", *parts, axis=-1))


@converter("Real", "Imag")
def _part(call: Call) -> Value:
    place = 0 if call.node.op == "Real" else 1
    return call.laid_out(call.add("Gather", _pair(call), call.const(place), axis=-1))


@converter("ComplexAbs")
def _magnitude(call: Call) -> Value:
    return call.laid_out(operators.reduce(call, "ReduceL2", _pair(call), [-1], keepdims=False))


@converter("Conj")
def _conjugate(call: Call) -> Value:
    value = _pair(call)
    return _complex(call, call.add("Mul", value, call.like([1, -1], value)))


@converter("FFT", "IFFT")
def _transform(call: Call) -> Value:
    """Complex transforms of the last dimension."""
    return _complex(call, _dft(call, _pair(call), {"inverse": 1} if call.node.op == "IFFT" else {}))


def _dft(call: Call, value: Value, more: dict[str, int]) -> Value:
    """Transform the axis before the last one, which has the parts of numbers. ONNX wants a batch before it."""
    axis = call.rank(0) - 1
    if call.opset >= 20:
        return call.add("DFT", value, None, call.const(axis), more=more)
    if axis:
        return call.add("DFT", value, axis=axis, more=more)
    return operators.squeeze(call, call.add("DFT", operators.unsqueeze(call, value, [0]), axis=1, more=more), [0])


@converter("RFFT")
def _real_transform(call: Call) -> Value:
    """The first half of a transform of real numbers, of which there are made as many as are asked for."""
    length = int(call.required(1, "the length of its transform").ravel()[0])
    size = (call.shape(0) or (None,))[-1]
    if size is None:
        call.refuse("the length of its input is not known", "--shape")
    if not length:
        call.refuse("its result is empty")
    value = call.input(0)
    if length < size:
        value = operators.slice_axes(call, value, [0], [length], [-1])
    elif length > size:
        value = call.add("Pad", value, call.const([0] * (2 * call.rank(0) - 1) + [length - size]))
    return _complex(call, _dft(call, operators.unsqueeze(call, value, [-1]), {"onesided": 1}))


@converter("IRFFT")
def _inverse_real_transform(call: Call) -> Value:
    """Real numbers of the first half of a transform: a product with a matrix."""
    count = int(call.required(1, "the length of its transform").ravel()[0])
    half = (call.shape(0) or (None,))[-1]
    if half is None:
        call.refuse("the length of its input is not known", "--shape")
    units = np.concatenate([np.eye(half), 1j * np.eye(half)]).astype(np.complex64)
    table = probe(call, [units, np.array([count], np.int32)], Tcomplex=DataType.DT_COMPLEX64, Treal=FLOAT)
    real, imaginary = _parts(call)
    joined = call.add("Concat", real, imaginary, axis=-1)
    return call.laid_out(call.add("MatMul", joined, call.const(table, joined.dtype)))


@converter("AudioSpectrogram")
def _spectrogram(call: Call) -> Value:
    """Spectra of windows of sound: [channels, windows, frequencies]. A product with waves, weighted by the window."""
    size, stride = call.attr("window_size", int), call.attr("stride", int)
    shape = call.known_shape(0)
    windows = max((shape[0] - size) // stride + 1, 0) if shape[0] >= size else 0
    if not windows:
        call.refuse("its sound is shorter than a window")
    places = np.arange(windows)[:, None] * stride + np.arange(size)
    waves = _waves(size)
    channels = call.transposed(call.input(0), [1, 0])
    frames = call.add("Gather", channels, call.const(places), axis=1)
    parts = [call.add("MatMul", frames, call.const(each, FLOAT)) for each in (waves.real, waves.imag)]
    squares = call.add("Add", *(call.add("Mul", part, part) for part in parts))
    squared = call.attr("magnitude_squared", bool, False)
    return call.laid_out(squares if squared else call.add("Sqrt", squares))


def _waves(size: int) -> Array:
    """Return waves of each frequency, weighted by a Hann window: [size, frequencies]."""
    length = 1 << (size - 1).bit_length() if size > 1 else 1
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    angles = 2 * np.pi * np.outer(np.arange(size), np.arange(length // 2 + 1)) / length
    return np.asarray(window[:, None] * np.exp(-1j * angles))


@converter("Mfcc")
def _mel_cepstrum(call: Call) -> Value:
    """The cosine transform of the logarithms of amplitudes in bands: two products with matrices."""
    rate = int(call.required(1, "the sample rate").ravel()[0])
    frequencies = (call.shape(0) or (None,))[-1]
    if frequencies is None:
        call.refuse("the number of its frequencies is not known", "--shape")
    bands, count = call.attr("filterbank_channel_count", int, 40), call.attr("dct_coefficient_count", int, 13)
    limits = [
        call.attr(f"{end}_frequency_limit", float, default) for end, default in (("lower", 20.0), ("upper", 4000.0))
    ]
    weights = mel_weights(frequencies, rate, bands, *limits)
    if weights is None or not weights.any():
        call.refuse("its spectrum has no frequencies in its bands")
    used = np.flatnonzero(weights.any(1))
    spectrum = call.input(0)
    if len(used) < frequencies:  # others may be NaN
        spectrum = operators.slice_axes(call, spectrum, [int(used[0])], [int(used[-1]) + 1], [-1])
        weights = weights[used[0] : used[-1] + 1]
    energies = call.add("MatMul", call.add("Sqrt", spectrum), call.const(weights, FLOAT))
    logarithms = call.add("Log", call.add("Max", energies, call.const(MIN_ENERGY, FLOAT)))
    angles = np.outer(np.arange(bands) + 0.5, np.arange(count) * (np.pi / bands))
    return call.laid_out(call.add("MatMul", logarithms, call.const(np.sqrt(2 / bands) * np.cos(angles), FLOAT)))
