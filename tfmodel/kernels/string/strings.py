"""Kernels that join, split, cut, count and change the case of strings, and replace regular expressions.

    StringJoin([b"a", b"b"], b"c", separator="-")     [b"a-c", b"b-c"]
    RegexReplace("a1b22", "[0-9]+", "<\\\\0>")        "a<1>b<22>"

Strings are bytes. Ops on characters interpret them as UTF-8, valid or not.

As in TensorFlow, a rewrite with an unknown group number replaces nothing. If a rewrite has an invalid escape, the part
before it is used if `replace_global` is true, else nothing is replaced.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from itertools import pairwise, starmap
from typing import Any

import numpy as np

from ...errors import RunError
from ...values.terminal import escape, shorten
from ..re2 import MAX_POSITIONS, MAX_WORK, Expression, SyntaxFault, TooMuchWork, Work, compile_expression
from ..runtime.argument_checks import check, check_indices, normalize_axis, read_scalar, read_vector, show, zeros
from ..runtime.memory_limit import INDEX_BYTES, STRING_BYTES, claim, collect_strings
from ..runtime.registry import Tensor, kernel

_MAX_WIDTH = 100_000
_SPACES = b" \t\n\v\f\r"
_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))
"""The bytes of a UTF-8 character after its first one."""
_PART_BYTES = 2 * STRING_BYTES + 4 * INDEX_BYTES
"""The memory of a part of a string: the part, in a list, and its indices."""


def map_strings(function: Callable[[bytes], Any], x: Tensor, dtype: Any = object) -> Tensor:
    """Apply a function to each string of a tensor."""
    values = map(function, x.reshape(-1).tolist())
    if dtype is object:
        return string_tensor(collect_strings(values), x.shape)
    return np.array([*values], dtype).reshape(x.shape)


def string_tensor(values: Sequence[bytes], shape: Sequence[int]) -> Tensor:
    """Return a tensor of strings."""
    strings = np.empty(len(values), object)
    strings[:] = values
    return strings.reshape(shape)


# --- single strings --------------------------------------------------------------------------------------------------


@kernel("StringLower")
def string_lower(x: Tensor, *, encoding: bytes = b"") -> Tensor:
    return map_strings(_change_case(encoding, bytes.lower, str.lower), x)


@kernel("StringUpper")
def string_upper(x: Tensor, *, encoding: bytes = b"") -> Tensor:
    return map_strings(_change_case(encoding, bytes.upper, str.upper), x)


def _change_case(
    encoding: bytes, of_bytes: Callable[[bytes], bytes], of_text: Callable[[str], str]
) -> Callable[[bytes], bytes]:
    """Return a function that changes the case of ASCII letters or, for UTF-8, of the text before a zero byte.

    In UTF-8, invalid bytes become U+FFFD.
    """
    if not encoding:
        return of_bytes
    check(encoding == b"utf-8", f'encoding must be "" or "utf-8", not "{escape(encoding.decode("latin-1"))}"')
    return lambda data: of_text(data.partition(b"\0")[0].decode("utf-8", "replace")).encode()


@kernel("StringStrip")
def string_strip(x: Tensor) -> Tensor:
    return map_strings(lambda data: data.strip(_SPACES), x)


@kernel("StringLength")
def string_length(x: Tensor, *, unit: bytes = b"BYTE") -> Tensor:
    return map_strings(len if unit == b"BYTE" else _count_characters, x, np.int32)


def _count_characters(data: bytes) -> int:
    """Count the characters of UTF-8: the bytes that begin one."""
    return len(data.translate(None, _CONTINUATION_BYTES))


@kernel("Substr")
def substr(x: Tensor, pos: Tensor, length: Tensor, *, unit: bytes = b"BYTE") -> Tensor:
    """Return `length` bytes or characters from `pos`; a negative `pos` counts from the end."""
    check(
        pos.shape == length.shape,
        f"pos and len must be of one shape, not {show(pos.shape)}, {show(length.shape)}",
    )
    x, pos, length = np.broadcast_arrays(x, pos, length)
    cut = _cut_bytes if unit == b"BYTE" else _cut_characters
    triples = zip(x.reshape(-1).tolist(), pos.reshape(-1).tolist(), length.reshape(-1).tolist(), strict=True)
    return string_tensor(collect_strings(starmap(cut, triples)), x.shape)


def _cut_bytes(data: bytes, start: int, length: int) -> bytes:
    size = len(data)
    check(-size <= start <= size, f"pos {start} is out of range for the string {_quote(data)}")
    start = start + size if start < 0 else start
    return data[start : start + length] if length >= 0 else data[start:]


def _cut_characters(data: bytes, start: int, length: int) -> bytes:
    claim(2 * INDEX_BYTES * len(data))
    begins = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    begins[:1] = True
    starts = np.flatnonzero(begins)
    size = len(starts)
    check(start >= 0 or length >= 0, f"pos {start} and len {length} must not both be negative")
    check(-size <= start <= size, f"pos {start} is out of range for the string {_quote(data)}")
    start = start + size if start < 0 else start
    end = min(start + max(length, 0), size)
    return data[starts[start] : starts[end] if end < size else None] if start < size else b""


def _quote(data: bytes) -> str:
    return f'"{escape(data[:50].decode("utf-8", "replace"))}"'


@kernel("EncodeBase64")
def encode_base64(x: Tensor, *, pad: bool = False) -> Tensor:
    """Encode with the alphabet that is safe in URLs."""
    encoded = map_strings(base64.urlsafe_b64encode, x)
    return encoded if pad else map_strings(lambda data: data.rstrip(b"="), encoded)


@kernel("DecodeBase64")
def decode_base64(x: Tensor) -> Tensor:
    return map_strings(_decode_base64, x)


def _decode_base64(data: bytes) -> bytes:
    unpadded = data[:-2] + data[-2:].rstrip(b"=") if len(data) % 4 == 0 else data
    check(
        len(unpadded) % 4 != 1 and re.fullmatch(b"[-_A-Za-z0-9]*", unpadded),
        f"{_quote(data)} is not URL-safe base64",
    )
    try:
        return base64.urlsafe_b64decode(unpadded + b"=" * (-len(unpadded) % 4))
    except binascii.Error as error:
        raise RunError(f"{_quote(data)} is not URL-safe base64: {error}") from error


# --- joining ---------------------------------------------------------------------------------------------------------


@kernel("StringJoin")
def string_join(*tensors: Tensor, separator: bytes = b"") -> Tensor:
    shapes = {tensor.shape for tensor in tensors if tensor.ndim}
    check(len(shapes) <= 1, f"the shapes of its inputs are not the same: {', '.join(map(show, sorted(shapes)))}")
    shape = shapes.pop() if shapes else ()
    columns = [np.broadcast_to(tensor, shape).reshape(-1).tolist() for tensor in tensors]
    return string_tensor(_join_rows(separator, zip(*columns, strict=True)), shape)


def _join_rows(separator: bytes, rows: Iterable[Sequence[bytes]]) -> list[bytes]:
    """Join the strings of each row. The result may be much larger than the distinct strings, so it is claimed."""
    joined, size = [], 0
    for row in rows:
        size += sum(map(len, row)) + len(separator) * len(row) + STRING_BYTES
        claim(size)
        joined.append(separator.join(row))
    return joined


@kernel("ReduceJoin")
def reduce_join(x: Tensor, axes: Tensor, *, keep_dims: bool = False, separator: bytes = b"") -> Tensor:
    """Join strings over the axes; the first axis varies fastest."""
    joined_axes = [normalize_axis(axis, x.ndim, "reduction_indices") for axis in axes.reshape(-1).tolist()]
    check(len(set(joined_axes)) == len(joined_axes), f"reduction_indices {joined_axes} have a duplicate")
    if not joined_axes:
        return x
    remaining = [axis for axis in range(x.ndim) if axis not in joined_axes]
    size = int(np.prod([x.shape[axis] for axis in joined_axes]))
    rows = x.transpose([*remaining, *joined_axes[::-1]]).reshape(
        int(np.prod([x.shape[axis] for axis in remaining])), size
    )
    joined = string_tensor(_join_rows(separator, rows.tolist()), [x.shape[axis] for axis in remaining])
    if not keep_dims:
        return joined
    return joined.reshape([1 if axis in joined_axes else size for axis, size in enumerate(x.shape)])


@kernel("UnsortedSegmentJoin")
def unsorted_segment_join(x: Tensor, segment_ids: Tensor, num_segments: Tensor, *, separator: bytes = b"") -> Tensor:
    """Join the strings of each segment, in their order."""
    check(
        segment_ids.ndim > 0 and segment_ids.shape == x.shape[: segment_ids.ndim],
        f"segment_ids must be of the first dimensions of {show(x.shape)}, not of shape {show(segment_ids.shape)}",
    )
    count = read_scalar(num_segments, "num_segments")
    check(count >= 0, f"num_segments must not be negative, and is {count}")
    check_indices(segment_ids, count, "segment_ids")
    shape = (count, *x.shape[segment_ids.ndim :])
    strings_of_segment: dict[int, list[bytes]] = {}
    width = int(np.prod(shape[1:]))
    rows = x.reshape(segment_ids.size, width).tolist()
    for segment, row in zip(segment_ids.reshape(-1).tolist(), rows, strict=True):
        for position, string in enumerate(row):
            strings_of_segment.setdefault(segment * width + position, []).append(string)
    joined = zeros((count * width,), np.dtype(object))
    for position, text in zip(strings_of_segment, _join_rows(separator, strings_of_segment.values()), strict=True):
        joined[position] = text
    return joined.reshape(shape)


# --- splitting -------------------------------------------------------------------------------------------------------


@kernel("StringSplit")
def string_split(x: Tensor, delimiter: Tensor, *, skip_empty: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Split at every byte of the delimiter; if it is empty, split into bytes."""
    check(x.ndim == 1, f"input must be a vector, not of shape {show(x.shape)}")
    marks = bytes(sorted(set(read_scalar(delimiter, "delimiter"))))
    separator = re.compile(b"[" + re.escape(marks) + b"]") if marks else None

    counts = (sum(map(data.count, _distinct_bytes(marks))) + 1 if marks else len(data) for data in x.tolist())
    claim(sum(_PART_BYTES * count for count in counts))

    def parts(data: bytes) -> list[bytes]:
        pieces = (
            separator.split(data) if separator is not None else [data[index : index + 1] for index in range(len(data))]
        )
        return [piece for piece in pieces if piece] if skip_empty or not data else pieces

    return _to_sparse([parts(string) for string in x.tolist()])


@kernel("StringSplitV2")
def string_split_v2(x: Tensor, sep: Tensor, *, maxsplit: int = -1) -> tuple[Tensor, Tensor, Tensor]:
    """Split at a separator, or at white space if it is empty; at most `maxsplit` times if that is not negative."""
    check(x.ndim == 1, f"input must be a vector, not of shape {show(x.shape)}")
    mark: bytes = read_scalar(sep, "sep")
    if maxsplit == 0:
        return _to_sparse([[string] for string in x.tolist()])
    max_splits = max(maxsplit, -1)
    counts = (sum(map(string.count, [mark] if mark else _distinct_bytes(_SPACES))) + 1 for string in x.tolist())
    claim(sum(_PART_BYTES * (min(count, max_splits + 1) if max_splits > 0 else count) for count in counts))
    return _to_sparse(
        [string.split(mark, max_splits) if mark else _split_at_spaces(string, max_splits) for string in x.tolist()]
    )


def _distinct_bytes(data: bytes) -> list[bytes]:
    """Return the distinct bytes of a string."""
    return [bytes([byte]) for byte in sorted({*data})]


def _split_at_spaces(data: bytes, max_splits: int) -> list[bytes]:
    """Split as Python does, but the remainder after the maximum number of parts is a part even if it is empty."""
    parts = data.split(None, max_splits)
    return [*parts, b""] if max_splits == len(parts) else parts


def _to_sparse(rows: Sequence[Sequence[bytes]]) -> tuple[Tensor, Tensor, Tensor]:
    """Return rows of different lengths as a sparse matrix: indices, values, shape."""
    lengths = np.array([len(row) for row in rows], np.int64)
    total = int(lengths.sum())
    row_numbers = np.repeat(np.arange(len(rows)), lengths)
    column = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    values = string_tensor([string for row in rows for string in row], (total,))
    return np.stack([row_numbers, column], 1), values, np.array([len(rows), lengths.max(initial=0)], np.int64)


@kernel("StringNGrams")
def string_n_grams(
    data: Tensor,
    data_splits: Tensor,
    *,
    separator: bytes,
    ngram_widths: list[int],
    left_pad: bytes,
    right_pad: bytes,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[Tensor, Tensor]:
    """Return the n-grams of each row; `data_splits` say where rows begin and end."""
    fits = all(0 < width <= _MAX_WIDTH for width in ngram_widths) and pad_width <= _MAX_WIDTH
    check(fits, f"ngram_widths {ngram_widths} must be positive, and with pad_width not more than {_MAX_WIDTH:,}")
    check(data.ndim == 1, f"data must be a vector, not of shape {show(data.shape)}")
    splits = read_vector(data_splits, "data_splits")
    if splits:
        fits = splits[0] == 0 and splits[-1] == data.size and all(a <= b for a, b in pairwise(splits))
        check(fits, f"data_splits must increase from 0 to {data.size}")
    grams: list[bytes] = []
    ends, size = [0], 0
    for start, end in pairwise(splits if data.size else []):
        row = data[start:end].tolist()
        for width in ngram_widths:
            pads = width - 1 if pad_width < 0 else min(pad_width, width - 1)
            words = [left_pad] * pads + row + [right_pad] * pads
            count = max(len(words) - width + 1, 0)
            size += min(width, count) * sum(map(len, words)) + count * (width * len(separator) + STRING_BYTES)
            claim(size)
            grams += _join_n_grams(words, width, separator)
        if preserve_short_sequences and row and len(grams) == ends[-1]:
            check(pad_width >= 0, "ngram_widths must not be empty")
            grams += _join_rows(separator, [[left_pad] * pad_width + row + [right_pad] * pad_width])
        ends.append(len(grams))
    return string_tensor(grams, (len(grams),)), np.array(ends if data.size else [0] * len(splits), data_splits.dtype)


def _join_n_grams(words: list[bytes], width: int, separator: bytes) -> list[bytes]:
    return [separator.join(words[start : start + width]) for start in range(len(words) - width + 1)]


# --- regular expressions ---------------------------------------------------------------------------------------------

_COPIES = 4
"""The number of copies of a string that exist at a time: before, after, and in pieces."""
_MAX_DECODED_BYTES = 4
"""The memory of a decoded character, for each byte of text that is not ASCII."""
_POSITION_BYTES = 24
"""The memory for each position of a text while it is matched."""
_COMPILED_BYTES = 1000
"""The memory of the syntax tree and the program, for each byte of an expression."""
_MAX_SHOWN_CHARACTERS = 200
"""The maximum number of characters of an expression in an error message."""


@kernel("RegexFullMatch")
def regex_full_match(x: Tensor, pattern: Tensor) -> Tensor:
    return static_regex_full_match(x, pattern=read_scalar(pattern, "pattern"))


@kernel("StaticRegexFullMatch")
def static_regex_full_match(x: Tensor, *, pattern: bytes) -> Tensor:
    expression, work = _compile(pattern), Work(MAX_WORK)
    return _map_with_limit(lambda data: expression.matches(data, work), x, pattern, np.bool_)


@kernel("RegexReplace")
def regex_replace(x: Tensor, pattern: Tensor, rewrite: Tensor, *, replace_global: bool = True) -> Tensor:
    pattern_bytes, rewrite_bytes = read_scalar(pattern, "pattern"), read_scalar(rewrite, "rewrite")
    return static_regex_replace(x, pattern=pattern_bytes, rewrite=rewrite_bytes, replace_global=replace_global)


@kernel("StaticRegexReplace")
def static_regex_replace(x: Tensor, *, pattern: bytes, rewrite: bytes, replace_global: bool = True) -> Tensor:
    expression, work = _compile(pattern), Work(MAX_WORK)
    parts = _rewrite_parts(rewrite, expression.groups, replace_global)
    if parts is None:
        return x.copy()
    max_count = None if replace_global else 1

    def replace(data: bytes) -> bytes:
        decoded = 0 if data.isascii() else _MAX_DECODED_BYTES * len(data)
        claim(_COPIES * len(data) + decoded + _POSITION_BYTES * min(len(data), MAX_POSITIONS))
        result = BytesIO()
        for piece in expression.replace(data, parts, limit=max_count, work=work):
            result.write(piece)
            claim(_COPIES * (result.tell() + len(data)) + decoded)
        return result.getvalue()

    return _map_with_limit(replace, x, pattern, object)


def _compile(pattern: bytes) -> Expression:
    claim(_COMPILED_BYTES * len(pattern))
    try:
        return compile_expression(pattern)
    except SyntaxFault as fault:
        raise RunError(f"{_quote_pattern(pattern)} is not a regular expression: {escape(str(fault))}") from fault


def _map_with_limit(function: Callable[[bytes], Any], x: Tensor, pattern: bytes, dtype: Any) -> Tensor:
    try:
        return map_strings(function, x, dtype)
    except TooMuchWork as error:
        raise RunError(f"matching {_quote_pattern(pattern)} takes more than {MAX_WORK:,} steps") from error


def _quote_pattern(pattern: bytes) -> str:
    text = escape(pattern[: 2 * _MAX_SHOWN_CHARACTERS].decode("utf-8", "replace"))
    return f'"{shorten(text, _MAX_SHOWN_CHARACTERS)}"'


def _rewrite_parts(rewrite: bytes, groups: int, replace_global: bool) -> list[bytes | int] | None:
    r"""Split a rewrite into text and group numbers: \1 is group 1, \\ a backslash. None if nothing is replaced."""
    parts: list[bytes | int] = []
    is_valid = True
    for piece in re.findall(rb"[^\\]+|\\.?", rewrite, re.DOTALL):
        if piece[1:].isdigit() and piece[:1] == b"\\":
            if int(piece[1:]) > groups:
                return None
            parts += [int(piece[1:])] if is_valid else []
        elif piece[:1] == b"\\" and piece != b"\\\\":
            is_valid = False
        elif is_valid:
            parts.append(b"\\" if piece == b"\\\\" else piece)
    return parts if is_valid or replace_global else None
