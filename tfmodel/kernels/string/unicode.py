"""Kernels of Unicode decoding, encoding and transcoding of strings.

    UnicodeDecode(["aé", "b"])      row_splits [0, 2, 3], char_values [97, 233, 98]

Supported encodings are those that Python and TensorFlow decode alike. Malformed input is replaced (by one character for
each maximal invalid sequence), ignored, or an error.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from itertools import chain, pairwise

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import DTYPES
from ...values.terminal import escape
from ..runtime.argument_checks import check
from ..runtime.memory_limit import INDEX_BYTES, claim, collect_strings
from ..runtime.registry import Tensor, kernel
from .strings import map_strings, string_tensor

_ENCODINGS = {
    "UTF-8": "utf-8",
    "UTF8": "utf-8",
    "UTF-16-BE": "utf-16-be",
    "UTF-16BE": "utf-16-be",
    "UTF-16-LE": "utf-16-le",
    "UTF-16LE": "utf-16-le",
    "UTF-32-BE": "utf-32-be",
    "UTF-32BE": "utf-32-be",
    "UTF-32LE": "utf-32-le",
    "US-ASCII": "ascii",
    "ASCII": "ascii",
    "ISO-8859-1": "latin-1",
    "LATIN1": "latin-1",
}

_PAIR_BYTES = 5 * INDEX_BYTES
"""The memory of a character and its offset, while they are collected and in the results."""
_WINDOW = 64
"""The initial size of a window of bytes that is decoded at once."""
# Decoders of a window: (data, errors, final). Single-byte encodings ignore `final`, which marks the last window.
_DECODERS: dict[str, Callable[[bytes, str, bool], tuple[str, int]]] = {
    "utf-8": codecs.utf_8_decode,
    "utf-16-be": codecs.utf_16_be_decode,
    "utf-16-le": codecs.utf_16_le_decode,
    "utf-32-be": codecs.utf_32_be_decode,
    "utf-32-le": codecs.utf_32_le_decode,
    "ascii": lambda data, errors, _: codecs.ascii_decode(data, errors),
    "latin-1": lambda data, errors, _: codecs.latin_1_decode(data, errors),
}


@kernel("UnicodeDecode")
def unicode_decode(
    x: Tensor,
    *,
    input_encoding: bytes,
    errors: bytes,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DataType,
) -> tuple[Tensor, Tensor]:
    return unicode_decode_with_offsets(
        x,
        input_encoding=input_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        Tsplits=Tsplits,
    )[:2]


@kernel("UnicodeDecodeWithOffsets")
def unicode_decode_with_offsets(
    x: Tensor,
    *,
    input_encoding: bytes,
    errors: bytes,
    replacement_char: int,
    replace_control_characters: bool,
    Tsplits: DataType,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the characters, the row splits of the strings, and the byte offset of each character in its string."""
    policy = _Policy(input_encoding, errors, replacement_char, replace_control_characters)
    strings = x.reshape(-1).tolist()
    claim(_PAIR_BYTES * (sum(map(len, strings)) + len(strings)))
    rows = [np.fromiter(chain.from_iterable(policy.decode_characters(data)), np.int64) for data in strings]
    splits = np.cumsum([0, *(row.size // 2 for row in rows)]).astype(DTYPES[Tsplits].numpy)
    pairs = np.concatenate([np.empty(0, np.int64), *rows]).reshape(-1, 2)
    return splits, pairs[:, 0].astype(np.int32), pairs[:, 1]


@kernel("UnicodeTranscode")
def unicode_transcode(
    x: Tensor,
    *,
    input_encoding: bytes,
    output_encoding: bytes,
    errors: bytes,
    replacement_char: int,
    replace_control_characters: bool,
) -> Tensor:
    policy = _Policy(input_encoding, errors, replacement_char, replace_control_characters)
    coding = _python_encoding(output_encoding)
    return map_strings(
        lambda data: _encode("".join(chr(code) for code, _ in policy.decode_characters(data)), coding), x
    )


@kernel("UnicodeEncode")
def unicode_encode(
    values: Tensor, splits: Tensor, *, errors: bytes, output_encoding: bytes, replacement_char: int
) -> Tensor:
    coding = _python_encoding(output_encoding)
    ends = splits.reshape(-1).tolist()
    is_increasing = bool(ends) and ends[0] == 0 and ends[-1] == values.size and ends == sorted(ends)
    check(is_increasing and splits.ndim == 1, f"input_splits must increase from 0 to {values.size}")
    _check_replacement(replacement_char)
    codes = values.reshape(-1).tolist()

    def character(code: int) -> str:
        if _is_character(code):
            return chr(code)
        check(errors != b"strict", f"{code} is not a character")
        code = replacement_char if errors == b"replace" else code
        return chr(code) if 0 <= code <= 0x10FFFF else ""

    rows = collect_strings(_encode("".join(map(character, codes[start:end])), coding) for start, end in pairwise(ends))
    return string_tensor(rows, (len(rows),))


def _python_encoding(name: bytes) -> str:
    encoding = _ENCODINGS.get(name.decode("latin-1").upper())
    if encoding is None:
        raise RunError(f'unsupported encoding "{escape(name.decode("latin-1"))}"')
    return encoding


def _encode(text: str, coding: str) -> bytes:
    """Encode text. Pairs of surrogates become a character, single surrogates U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode(coding)


def _is_character(code: int) -> bool:
    """Return whether a code point is valid: not a surrogate or a Unicode noncharacter."""
    unused = 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE
    return 0 <= code < 0xD800 or (0xDFFF < code <= 0x10FFFF and not unused)


def _check_replacement(code: int) -> None:
    check(0 <= code <= 0x10FFFF, f"replacement_char {code} is not a character")


class _Policy:
    """A policy for decoding strings: the encoding and the treatment of malformed input."""

    def __init__(self, encoding: bytes, errors: bytes, replacement: int, control: bool) -> None:
        _check_replacement(replacement)
        self._python_encoding = _python_encoding(encoding)
        self._errors, self._replacement, self._control = errors, replacement, control

    def decode_characters(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield the characters and their byte offsets."""
        offset = 0
        for text, invalid_count in _decode_pieces(data, self._python_encoding):
            for character in text:
                malformed = self._control and ord(character) < 0x20
                if not malformed or self._errors != b"ignore":
                    yield self._replacement if malformed else ord(character), offset
                offset += len(character.encode(self._python_encoding))
            if invalid_count:
                check(self._errors != b"strict", f"invalid bytes at {offset} of a string")
                if self._errors == b"replace":
                    yield self._replacement, offset
                offset += invalid_count


def _decode_pieces(data: bytes, encoding: str) -> Iterator[tuple[str, int]]:
    """Yield pieces of well-formed text, each with the number of malformed bytes after it.

    Decoders copy their whole input into each error. They therefore decode a window, which grows until an error occurs,
    so that the time is linear for any number of errors.
    """
    decode = _DECODERS[encoding]
    offset, size = 0, _WINDOW
    while offset < len(data):
        window = data[offset : offset + size]
        try:
            text, used = decode(window, "strict", offset + size >= len(data))
            invalid_count, size = 0, 2 * size
        except UnicodeDecodeError as error:
            text, used = decode(window[: error.start], "strict", True)
            invalid_count, size = max(error.end - error.start, 1), _WINDOW
        yield text, invalid_count
        offset += used + invalid_count
