"""Kernels of sound: DecodeWav, AudioSpectrogram, Mfcc.

    DecodeWav(contents)                      audio [samples, channels] in -1..1, and the sample rate
    AudioSpectrogram(audio)                  [channels, windows, frequencies], the amplitudes in overlapping windows
    Mfcc(spectrogram, sample_rate)           [channels, windows, coefficients], mel-frequency cepstral coefficients

Spectrograms and coefficients are computed in double precision, and rounded at the end.
"""

from __future__ import annotations

import struct

import numpy as np

from ...errors import RunError
from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.memory_limit import INDEX_BYTES, claim, claim_array
from ..runtime.registry import Tensor, kernel

# --- WAV -------------------------------------------------------------------------------------------------------------

_BEFORE_FORMAT = frozenset({b"JUNK", b"bext", b"iXML", b"qlty", b"mext", b"levl", b"link", b"axml"})
"""The chunks that may precede the chunk `fmt `, as in TensorFlow."""

_FORMAT_SIZES = (16, 18)
_PCM = 1
_MAX_CHUNK = (1 << 31) - 1


@kernel("DecodeWav")
def decode_wav(contents: Tensor, *, desired_channels: int, desired_samples: int) -> tuple[Tensor, Tensor]:
    """Decode 16-bit PCM. Missing samples are 0, missing channels repeat the last one; -1 keeps those of the file."""
    data = read_scalar(contents, "contents")
    check(desired_channels >= -1, f"desired_channels must not be negative, got {desired_channels}")
    check(desired_samples >= -1, f"desired_samples must not be negative, got {desired_samples}")
    try:
        samples, rate = _decode_samples(data)
    except struct.error as error:
        raise RunError("contents is a truncated WAV file") from error
    count = len(samples) if desired_samples < 0 else desired_samples
    channels = samples.shape[1] if desired_channels < 0 else desired_channels
    claim(2 * INDEX_BYTES * channels + count * channels * 4 + min(count, len(samples)) * channels * 8)
    audio = np.zeros((count, channels), np.float32)
    sources = np.minimum(np.arange(channels), samples.shape[1] - 1)
    audio[: len(samples)] = samples[:count, sources]
    audio /= np.float32(1 << 15)
    return audio, np.array(rate, np.uint32).astype(np.int32)


def _decode_samples(data: bytes) -> tuple[Tensor, int]:
    """Return the samples, [samples, channels], and the sample rate."""
    check(data[:4] == b"RIFF" and data[8:12] == b"WAVE", "contents is not a WAV file: it must begin with RIFF and WAVE")
    offset = 12
    while (name := _read_name(data, offset)) != b"fmt ":
        check(name in _BEFORE_FORMAT, f"contents is a WAV file with the chunk {name!r} before its format")
        offset += 8 + struct.unpack_from("<I", data, offset + 4)[0]
    size, code, channels, rate, speed, block, bits = struct.unpack_from("<IHHIIHH", data, offset + 4)
    check(size in _FORMAT_SIZES, f"the format of a WAV file must have 16 or 18 bytes, not {size}")
    check(code == _PCM, f"WAV files must have the format 1 (PCM), not {code}")
    check(channels > 0, "contents is a WAV file without channels")
    check(bits == 16, f"WAV files must have 16 bits per sample, not {bits}")
    check(block == 2 * channels, f"the bytes per sample must be {2 * channels} for {channels} channels, not {block}")
    check(speed == block * rate, f"the bytes per second must be {block * rate}, not {speed}")
    offset += 8 + size
    samples = None
    while offset < len(data):
        name = _read_name(data, offset)
        (size,) = struct.unpack_from("<I", data, offset + 4)
        check(size <= _MAX_CHUNK, f"contents is a WAV file with a chunk of {size:,} bytes")
        offset += 8
        if name == b"data":
            check(samples is None, "contents is a WAV file with two data chunks")
            size -= size % block
            check(offset + size <= len(data), "contents is a truncated WAV file")
            samples = np.frombuffer(data, "<i2", size // 2, offset).reshape(-1, channels)
        offset += size
    check(samples is not None, "contents is a WAV file without a data chunk")
    assert samples is not None
    return samples, rate


def _read_name(data: bytes, offset: int) -> bytes:
    check(offset + 4 <= len(data), "contents is a truncated WAV file")
    return data[offset : offset + 4]


# --- spectrograms ----------------------------------------------------------------------------------------------------

_BLOCK = 1 << 18
"""The number of elements that are transformed at once."""


@kernel("AudioSpectrogram")
def audio_spectrogram(input: Tensor, *, window_size: int, stride: int, magnitude_squared: bool) -> Tensor:
    """Return the magnitudes of the Fourier transforms of windows, each multiplied by a periodic Hann window.

    Windows are padded with zeros to the next power of two.
    """
    check(input.ndim == 2, f"input must be a matrix [samples, channels], not of shape {show(input.shape)}")
    check(window_size > 1, f"window_size must be greater than 1, got {window_size}")
    check(stride > 0, f"stride must be positive, got {stride}")
    length = 1 << (window_size - 1).bit_length()
    samples, channels = input.shape
    count = 1 + (samples - window_size) // stride if samples >= window_size else 0
    shape = channels, count, 1 + length // 2
    claim_array(shape, np.float32)
    result = np.zeros(shape, np.float32)
    if not result.size:
        return result
    step = max(1, _BLOCK // length)
    claim(4 * result.size + 8 * input.size + 66 * min(step, channels * count) * length)
    hann = 0.5 - 0.5 * np.cos(np.arange(window_size) * (2 * np.pi / window_size))
    audio = np.ascontiguousarray(input.T, np.float64)
    windows = np.lib.stride_tricks.sliding_window_view(audio, window_size, 1)[:, ::stride]
    rows = result.reshape(-1, shape[2])
    for start in range(0, len(rows), step):
        numbers = np.arange(start, min(start + step, len(rows)))
        spectrum = np.fft.rfft(windows[np.divmod(numbers, count)] * hann, length)
        rows[numbers] = spectrum.real**2 + spectrum.imag**2
    return result if magnitude_squared else np.sqrt(result, out=result)


# --- MFCC ------------------------------------------------------------------------------------------------------------

MIN_ENERGY = 1e-12
"""The minimum energy of a band whose logarithm is computed, as in TensorFlow."""


@kernel("Mfcc")
def mfcc(
    spectrogram: Tensor,
    sample_rate: Tensor,
    *,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> Tensor:
    """Return the cosine transform of the logarithms of the amplitudes in bands that have equal widths in mel."""
    check(
        spectrogram.ndim == 3,
        f"spectrogram must be [channels, windows, frequencies], not of shape {show(spectrogram.shape)}",
    )
    rate = read_scalar(sample_rate, "sample_rate")
    bands, coefficients, frequencies = filterbank_channel_count, dct_coefficient_count, spectrogram.shape[2]
    check(rate > 0, f"sample_rate must be positive, got {rate}")
    check(frequencies > 1, f"spectrogram must have 2 frequencies or more, not {frequencies}")
    check(bands > 0, f"filterbank_channel_count must be positive, got {bands}")
    check(
        0 < coefficients <= bands,
        f"dct_coefficient_count must be in 1..{bands}, the filterbank_channel_count, and is {coefficients}",
    )
    check(
        0 <= lower_frequency_limit < upper_frequency_limit,
        f"the limits of frequencies are {lower_frequency_limit:g} and {upper_frequency_limit:g}: "
        "the lower one must not be negative, and less than the upper one",
    )
    rows = spectrogram.reshape(-1, frequencies)
    claim(8 * (2 * len(rows) * (frequencies + bands + coefficients) + 2 * bands * (frequencies + coefficients)))
    weights = mel_weights(frequencies, rate, bands, lower_frequency_limit, upper_frequency_limit)
    if weights is None:
        return np.zeros((*spectrogram.shape[:2], coefficients), np.float32)
    used = weights.any(1)  # other elements may be NaN
    energies = np.matmul(np.sqrt(rows[:, used].astype(np.float64)), weights[used])
    logarithms = np.log(np.where(energies < MIN_ENERGY, MIN_ENERGY, energies))
    angles = np.outer(np.arange(bands) + 0.5, np.arange(coefficients) * (np.pi / bands))
    result = np.matmul(logarithms, np.sqrt(2 / bands) * np.cos(angles))
    return np.asarray(result.astype(np.float32).reshape(*spectrogram.shape[:2], coefficients))


def mel_weights(frequencies: int, rate: int, bands: int, lowest: float, highest: float) -> Tensor | None:
    """Return the weight of each frequency in each band, a triangle around its center.

    None if the spectrogram has no frequencies as high as the upper limit: TensorFlow then returns zeros.
    """
    step = 0.5 * rate / (frequencies - 1)
    first, last = int(1.5 + lowest / step), int(highest / step)
    if last >= frequencies:
        return None
    low = _mel(np.array(lowest))
    spacing = (_mel(np.array(highest)) - low) / (bands + 1)
    centers = low + spacing * np.arange(bands + 2)  # the first is the start of the first triangle
    numbers = np.arange(first, last + 1)
    mels = _mel(numbers * step)
    above = np.searchsorted(centers[1:], mels, "left")  # the first center that is not below
    above = np.minimum(above, bands)
    falling = (centers[above + 1] - mels) / (centers[above + 1] - centers[above])
    weights = np.zeros((frequencies, bands + 2))
    weights[numbers, above] = falling
    weights[numbers, above + 1] = 1 - falling
    return np.asarray(weights[:, 1:-1])


def _mel(frequencies: Tensor) -> Tensor:
    return np.asarray(1127.0 * np.log1p(frequencies / 700.0))
