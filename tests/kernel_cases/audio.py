"""Sound: WAV files, spectrograms, and mel-frequency cepstral coefficients."""

from __future__ import annotations

import struct

import numpy as np

from tests.kernel_cases import Case, i32, numbers, strings

__all__ = ["CASES", "wav"]


def wav(
    samples=(0, 16384, -16384, 32767, -32768, 1),
    *,
    riff: bytes = b"RIFF",
    wave: bytes = b"WAVE",
    fmt: bytes = b"fmt ",
    format_size: int = 16,
    format_code: int = 1,
    channels: int = 1,
    rate: int = 16000,
    bits: int = 16,
    block: int | None = None,
    speed: int | None = None,
    extra: bytes = b"",
    before: bytes = b"",
    size: int | None = None,
    data_name: bytes = b"data",
    after: bytes = b"",
) -> bytes:
    """A WAV file; each field may be wrong."""
    data = np.array(samples, {8: "u1", 16: "<i2", 32: "<i4"}.get(bits, "<i2")).tobytes()
    block = (bits * channels + 7) // 8 if block is None else block
    speed = block * rate if speed is None else speed
    header = struct.pack("<HHIIHH", format_code, channels, rate, speed, block, bits) + extra
    chunks = wave + fmt + struct.pack("<I", format_size) + header + before
    chunks += data_name + struct.pack("<I", len(data) if size is None else size) + data + after
    return riff + struct.pack("<I", len(chunks)) + chunks


def _chunk(name: bytes, data: bytes, size: int | None = None) -> bytes:
    return name + struct.pack("<I", len(data) if size is None else size) + data


_FILES = {
    "mono": wav(),
    "stereo": wav(channels=2),
    "three channels": wav(channels=3, rate=44100),
    "half a sample": wav(channels=4),
    "18 bytes of format": wav(format_size=18, extra=b"\0\0"),
    "18 bytes of format with extension": wav(format_size=18, extra=b"\2\0", before=b"ab"),
    "40 bytes of format": wav(format_size=40, format_code=0xFFFE, extra=bytes(24)),
    "8 bits": wav((0, 128, 255, 1), bits=8),
    "24 bits": wav(bits=24),
    "32 bits": wav(bits=32),
    "floats": wav(format_code=3, bits=32),
    "not PCM": wav(format_code=2),
    "no channels": wav(channels=0),
    "rate 0": wav(rate=0),
    "rate 2**31": wav(rate=2**30 + 7),
    "wrong bytes per sample": wav(block=4),
    "wrong bytes per second": wav(speed=5),
    "no RIFF": wav(riff=b"RIFX"),
    "no WAVE": wav(wave=b"WAVF"),
    "no fmt": wav(fmt=b"fmt\0"),
    "chunk before fmt": wav(wave=b"WAVE" + _chunk(b"JUNK", b"1234")),
    **{
        f"{name} before fmt": wav(wave=b"WAVE" + _chunk(name.encode(), b"1234"))
        for name in ["LIST", "bext", "iXML", "qlty", "mext", "levl", "link", "axml", "junk"]
    },
    "two chunks before fmt": wav(wave=b"WAVE" + _chunk(b"JUNK", b"1234") + _chunk(b"bext", b"123")),
    "long chunk before fmt": wav(wave=b"WAVE" + _chunk(b"JUNK", b"1234", 500)),
    "huge chunk before fmt": wav(wave=b"WAVE" + _chunk(b"JUNK", b"1234", 2**32 - 1)),
    "chunk before data": wav(before=_chunk(b"LIST", b"123456")),
    "odd chunk before data": wav(before=_chunk(b"LIST", b"12345")),
    "odd chunk before data, padded": wav(before=_chunk(b"LIST", b"12345") + b"\0"),
    "chunk after data": wav(after=_chunk(b"LIST", b"12345")),
    "long chunk after data": wav(after=_chunk(b"LIST", b"12345", 500)),
    "huge chunk after data": wav(after=_chunk(b"LIST", b"12345", 2**31 + 5)),
    "largest chunk after data": wav(after=_chunk(b"LIST", b"12345", 2**31 - 1)),
    "a byte after data": wav(after=b"L"),
    "a name after data": wav(after=b"LIST"),
    "two data chunks": wav(after=_chunk(b"data", b"1234")),
    "empty": wav(()),
    "odd data": wav(size=11),
    "data too short": wav(size=14),
    "huge data": wav(size=2**31 - 1),
    "too large data": wav(size=2**31),
    "no data": wav(data_name=b"date"),
    "nothing": b"",
    **{f"{size} bytes": wav()[:size] for size in (3, 6, 10, 14, 22, 35, 38, 42, 44, 45)},
}

_TONES = np.stack([np.sin(np.arange(700) * step) for step in (0.05, 0.3, 1.7)], -1).astype(np.float32)

CASES = [
    *(Case("DecodeWav", [strings(data)], note=note) for note, data in _FILES.items()),
    *(
        Case("DecodeWav", [strings(_FILES[name])], desired_channels=channels, desired_samples=samples, note=name)
        for name in ("mono", "stereo", "empty")
        for channels in (-1, 1, 2, 3)
        for samples in (-1, 1, 10)
    ),
    *(
        Case("DecodeWav", [strings(_FILES["stereo"])], desired_channels=channels, desired_samples=samples)
        for channels, samples in ((0, -1), (-1, 0), (-2, -1), (-1, -2))
    ),
    Case("DecodeWav", [strings([_FILES["mono"]])]),
    *(
        Case(
            "AudioSpectrogram",
            [_TONES[:count, :channels]],
            window_size=window,
            stride=stride,
            magnitude_squared=squared,
            rtol=1e-6,
        )
        for count, channels, window, stride in (
            (700, 1, 480, 160),
            (700, 3, 256, 128),
            (300, 2, 100, 7),
            (50, 1, 50, 50),
            (49, 1, 50, 50),
            (10, 1, 2, 1),
            (10, 1, 3, 20),
            (0, 1, 4, 1),
            (10, 0, 4, 1),
        )
        for squared in (False, True)
    ),
    *(
        Case("AudioSpectrogram", [_TONES[:20]], window_size=window, stride=stride)
        for window, stride in ((1, 1), (0, 1), (-5, 1), (4, 0), (4, -1))
    ),
    Case("AudioSpectrogram", [_TONES[:20, 0]], window_size=4, stride=1),
    Case("AudioSpectrogram", [_TONES[:20, :, None]], window_size=4, stride=1),
    Case("AudioSpectrogram", [np.array([[1], [np.nan], [2], [np.inf]], np.float32)], window_size=2, stride=1),
    *(
        Case("Mfcc", [numbers((2, 5, 257), low=0, high=9), np.int32(rate)], rtol=1e-6, **limits)
        for rate in (16000, 8000, 6000, 44100)
        for limits in (
            {},
            {"dct_coefficient_count": 40},
            {"upper_frequency_limit": 7600.0, "lower_frequency_limit": 125.0, "filterbank_channel_count": 64},
            {"upper_frequency_limit": 3000.0, "lower_frequency_limit": 0.0, "filterbank_channel_count": 200},
            {"filterbank_channel_count": 1, "dct_coefficient_count": 1},
        )
    ),
    *(
        Case("Mfcc", [numbers((1, 2, 65), low=0, high=9), np.int32(rate)], **limits)
        for rate, limits in (
            (16000, {"filterbank_channel_count": 0}),
            (16000, {"filterbank_channel_count": -1}),
            (16000, {"dct_coefficient_count": 0}),
            (16000, {"dct_coefficient_count": 41}),
            (16000, {"lower_frequency_limit": -1.0}),
            (16000, {"lower_frequency_limit": 4000.0}),
            (16000, {"lower_frequency_limit": 5000.0}),
            (0, {}),
            (-5, {}),
        )
    ),
    Case("Mfcc", [np.zeros((1, 2, 65), np.float32), np.int32(16000)], note="silence", rtol=1e-6),
    Case("Mfcc", [numbers((1, 2, 65), low=-1), np.int32(16000)], note="negative", rtol=1e-6),
    Case("Mfcc", [numbers((1, 2, 65), low=0), i32([16000])], note="vector", rtol=1e-6),
    Case("Mfcc", [numbers((1, 2, 65), low=0), i32([[16000]])], note="matrix", rtol=1e-6),
    Case("Mfcc", [numbers((1, 2, 65), low=0), i32([16000, 8000])]),
    *(Case("Mfcc", [numbers(shape, low=0), np.int32(16000)]) for shape in ((2, 65), (1, 1, 2, 65))),
    *(
        Case("Mfcc", [numbers(shape, low=0), np.int32(16000)], note="small", rtol=1e-6)
        for shape in ((1, 1, 1), (1, 1, 2), (1, 1, 0), (1, 0, 65), (0, 1, 65))
    ),
]
