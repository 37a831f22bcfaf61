"""Join, split, cut, count and change the case of strings, which are bytes.

    StringJoin([b"a", b"b"], b"c", separator="-")     [b"a-c", b"b-c"]

Ops on characters interpret the bytes as UTF-8, valid or not.

Regular expressions on strings: RegexReplace, RegexFullMatch.

    RegexReplace("a1b22", "[0-9]+", "<\\\\0>")     "a<1>b<22>"

As in TensorFlow, a rewrite that refers to a group which the expression does not have changes nothing, and of one with
a wrong escape only the part before it is used, or nothing where a single match is replaced.
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
from ...io.terminal import printable, shortened
from ...re2 import MOST_POSITIONS, MOST_WORK, Expression, SyntaxFault, TooMuchWork, Work, compiled
from ..runtime.argument_checks import check, check_indices, normalize_axis, read_scalar, show, zeros
from ..runtime.memory_limit import INDEX_BYTES, STRING_BYTES, claim, collect_strings
from ..runtime.registry import Tensor, kernel

__all__ = ["mapped", "texts"]


_MAX_WIDTH = 100_000
_SPACES = b" \t\n\v\f\r"
_CONTINUED = bytes(range(0x80, 0xC0))  # bytes that go on with a character of UTF-8
_PART = 2 * STRING_BYTES + 4 * INDEX_BYTES  # bytes of a part of a string, which is in a list, and its indices


def mapped(function: Callable[[bytes], Any], x: Tensor, dtype: Any = object) -> Tensor:
    """Apply a function to each string of a tensor."""
    values = map(function, x.reshape(-1).tolist())
    return texts(collect_strings(values), x.shape) if dtype is object else np.array([*values], dtype).reshape(x.shape)


def texts(values: Sequence[bytes], shape: Sequence[int]) -> Tensor:
    """Return a tensor of strings."""
    found = np.empty(len(values), object)
    found[:] = values
    return found.reshape(shape)


# --- one string each -------------------------------------------------------------------------------------------------


@kernel("StringLower")
def string_lower(x: Tensor, *, encoding: bytes = b"") -> Tensor:
    return mapped(_cased(encoding, bytes.lower, str.lower), x)


@kernel("StringUpper")
def string_upper(x: Tensor, *, encoding: bytes = b"") -> Tensor:
    return mapped(_cased(encoding, bytes.upper, str.upper), x)


def _cased(
    encoding: bytes, of_bytes: Callable[[bytes], bytes], of_text: Callable[[str], str]
) -> Callable[[bytes], bytes]:
    """Change the case of ASCII letters or, for UTF-8, of the text before a zero byte; invalid bytes become U+FFFD."""
    if not encoding:
        return of_bytes
    check(encoding == b"utf-8", f'encoding must be "" or "utf-8", not "{printable(encoding.decode("latin-1"))}"')
    return lambda data: of_text(data.partition(b"\0")[0].decode("utf-8", "replace")).encode()


@kernel("StringStrip")
def string_strip(x: Tensor) -> Tensor:
    return mapped(lambda data: data.strip(_SPACES), x)


@kernel("StringLength")
def string_length(x: Tensor, *, unit: bytes = b"BYTE") -> Tensor:
    return mapped(len if unit == b"BYTE" else _count, x, np.int32)


def _count(data: bytes) -> int:
    """Count the characters of UTF-8: the bytes that begin one."""
    return len(data.translate(None, _CONTINUED))


@kernel("Substr")
def substr(x: Tensor, pos: Tensor, length: Tensor, *, unit: bytes = b"BYTE") -> Tensor:
    """Return `length` bytes or characters from `pos`; a negative `pos` counts from the end."""
    check(
        pos.shape == length.shape,
        f"pos and len must be of one shape, not {show(pos.shape)}, {show(length.shape)}",
    )
    x, pos, length = np.broadcast_arrays(x, pos, length)
    cut = _cut if unit == b"BYTE" else _cut_characters
    triples = zip(x.reshape(-1).tolist(), pos.reshape(-1).tolist(), length.reshape(-1).tolist(), strict=True)
    return texts(collect_strings(starmap(cut, triples)), x.shape)


def _cut(data: bytes, at: int, length: int) -> bytes:
    size = len(data)
    check(-size <= at <= size, f"pos {at} is out of range for the string {_quoted(data)}")
    at = at + size if at < 0 else at
    return data[at : at + length] if length >= 0 else data[at:]


def _cut_characters(data: bytes, at: int, length: int) -> bytes:
    claim(2 * INDEX_BYTES * len(data))
    begins = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    begins[:1] = True
    starts = np.flatnonzero(begins)
    size = len(starts)
    check(at >= 0 or length >= 0, f"pos {at} and len {length} must not both be negative")
    check(-size <= at <= size, f"pos {at} is out of range for the string {_quoted(data)}")
    at = at + size if at < 0 else at
    end = min(at + max(length, 0), size)
    return data[starts[at] : starts[end] if end < size else None] if at < size else b""


def _quoted(data: bytes) -> str:
    return f'"{printable(data[:50].decode("utf-8", "replace"))}"'


@kernel("EncodeBase64")
def encode_base64(x: Tensor, *, pad: bool = False) -> Tensor:
    """Encode with the alphabet that is safe in URLs."""
    found = mapped(base64.urlsafe_b64encode, x)
    return found if pad else mapped(lambda data: data.rstrip(b"="), found)


@kernel("DecodeBase64")
def decode_base64(x: Tensor) -> Tensor:
    return mapped(_decoded_base64, x)


def _decoded_base64(data: bytes) -> bytes:
    bare = data[:-2] + data[-2:].rstrip(b"=") if len(data) % 4 == 0 else data
    check(len(bare) % 4 != 1 and re.fullmatch(b"[-_A-Za-z0-9]*", bare), f"{_quoted(data)} is not base64 for the web")
    try:
        return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))
    except binascii.Error as error:
        raise RunError(f"{_quoted(data)} is not base64 for the web: {error}") from error


# --- joining ---------------------------------------------------------------------------------------------------------


@kernel("StringJoin")
def string_join(*tensors: Tensor, separator: bytes = b"") -> Tensor:
    shapes = {each.shape for each in tensors if each.ndim}
    check(len(shapes) <= 1, f"the shapes of its inputs are not the same: {', '.join(map(show, sorted(shapes)))}")
    shape = shapes.pop() if shapes else ()
    columns = [np.broadcast_to(each, shape).reshape(-1).tolist() for each in tensors]
    return texts(_joined(separator, zip(*columns, strict=True)), shape)


def _joined(separator: bytes, rows: Iterable[Sequence[bytes]]) -> list[bytes]:
    """Join the strings of each row. The result may be much larger than the distinct strings, so it is claimed."""
    found, size = [], 0
    for row in rows:
        size += sum(map(len, row)) + len(separator) * len(row) + STRING_BYTES
        claim(size)
        found.append(separator.join(row))
    return found


@kernel("ReduceJoin")
def reduce_join(x: Tensor, axes: Tensor, *, keep_dims: bool = False, separator: bytes = b"") -> Tensor:
    """Join over the axes; the first of them varies fastest."""
    named = [normalize_axis(axis, x.ndim, "reduction_indices") for axis in axes.reshape(-1).tolist()]
    check(len(set(named)) == len(named), f"reduction_indices {named} names an axis twice")
    if not named:
        return x
    kept = [axis for axis in range(x.ndim) if axis not in named]
    size = int(np.prod([x.shape[axis] for axis in named]))
    rows = x.transpose([*kept, *named[::-1]]).reshape(int(np.prod([x.shape[axis] for axis in kept])), size)
    joined = texts(_joined(separator, rows.tolist()), [x.shape[axis] for axis in kept])
    return joined.reshape([1 if axis in named else size for axis, size in enumerate(x.shape)]) if keep_dims else joined


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
    found: dict[int, list[bytes]] = {}
    width = int(np.prod(shape[1:]))
    rows = x.reshape(segment_ids.size, width).tolist()
    for segment, row in zip(segment_ids.reshape(-1).tolist(), rows, strict=True):
        for place, each in enumerate(row):
            found.setdefault(segment * width + place, []).append(each)
    joined = zeros((count * width,), np.dtype(object))
    for place, text in zip(found, _joined(separator, found.values()), strict=True):
        joined[place] = text
    return joined.reshape(shape)


# --- splitting -------------------------------------------------------------------------------------------------------


@kernel("StringSplit")
def string_split(x: Tensor, delimiter: Tensor, *, skip_empty: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Split at every byte of the delimiter; without one, into bytes."""
    check(x.ndim == 1, f"input must be a vector, not of shape {show(x.shape)}")
    marks = bytes(sorted(set(read_scalar(delimiter, "delimiter"))))
    at = re.compile(b"[" + re.escape(marks) + b"]") if marks else None

    counts = (sum(map(data.count, _bytes_of(marks))) + 1 if marks else len(data) for data in x.tolist())
    claim(sum(_PART * count for count in counts))

    def parts(data: bytes) -> list[bytes]:
        found = at.split(data) if at is not None else [data[place : place + 1] for place in range(len(data))]
        return [each for each in found if each] if skip_empty or not data else found

    return _sparse([parts(each) for each in x.tolist()])


@kernel("StringSplitV2")
def string_split_v2(x: Tensor, sep: Tensor, *, maxsplit: int = -1) -> tuple[Tensor, Tensor, Tensor]:
    """Split at a separator, or, if that is empty, at white space, `maxsplit` times at most if it is not negative."""
    check(x.ndim == 1, f"input must be a vector, not of shape {show(x.shape)}")
    mark: bytes = read_scalar(sep, "sep")
    if maxsplit == 0:
        return _sparse([[each] for each in x.tolist()])
    most = max(maxsplit, -1)
    found = (sum(map(each.count, [mark] if mark else _bytes_of(_SPACES))) + 1 for each in x.tolist())
    claim(sum(_PART * (min(count, most + 1) if most > 0 else count) for count in found))
    return _sparse([each.split(mark, most) if mark else _split_at_spaces(each, most) for each in x.tolist()])


def _bytes_of(data: bytes) -> list[bytes]:
    """Return the distinct bytes of a string."""
    return [bytes([each]) for each in sorted({*data})]


def _split_at_spaces(data: bytes, most: int) -> list[bytes]:
    """Split as Python does, but the remainder after the maximum number of parts is a part even if it is empty."""
    found = data.split(None, most)
    return [*found, b""] if most == len(found) else found


def _sparse(rows: Sequence[Sequence[bytes]]) -> tuple[Tensor, Tensor, Tensor]:
    """Return rows of different lengths as a sparse matrix: indices, values, shape."""
    lengths = np.array([len(row) for row in rows], np.int64)
    total = int(lengths.sum())
    row_of = np.repeat(np.arange(len(rows)), lengths)
    column = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    values = texts([each for row in rows for each in row], (total,))
    return np.stack([row_of, column], 1), values, np.array([len(rows), lengths.max(initial=0)], np.int64)


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
    splits = data_splits.tolist()
    if splits:
        fits = splits[0] == 0 and splits[-1] == data.size and all(a <= b for a, b in pairwise(splits))
        check(fits, f"data_splits must rise from 0 to {data.size}")
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
            grams += _n_grams(words, width, separator)
        if preserve_short_sequences and row and len(grams) == ends[-1]:
            check(pad_width >= 0, "ngram_widths must not be empty")
            grams += _joined(separator, [[left_pad] * pad_width + row + [right_pad] * pad_width])
        ends.append(len(grams))
    return texts(grams, (len(grams),)), np.array(ends if data.size else [0] * len(splits), data_splits.dtype)


def _n_grams(words: list[bytes], width: int, separator: bytes) -> list[bytes]:
    return [separator.join(words[at : at + width]) for at in range(len(words) - width + 1)]


_COPIES = 4  # of a string that exist at a time: before, after, and in pieces
_MAX_DECODED_BYTES = 4  # bytes of a decoded character, for each byte of text that is not ASCII
_POSITION = 24  # bytes for each position of a text while it is matched
_COMPILED = 1000  # bytes for each one of an expression: what it is parsed into, and its program
_SHOWN = 200  # characters of an expression in an error


@kernel("RegexFullMatch")
def regex_full_match(x: Tensor, pattern: Tensor) -> Tensor:
    return static_regex_full_match(x, pattern=read_scalar(pattern, "pattern"))


@kernel("StaticRegexFullMatch")
def static_regex_full_match(x: Tensor, *, pattern: bytes) -> Tensor:
    expression, work = _expression(pattern), Work(MOST_WORK)
    return _limited(lambda data: expression.matches(data, work), x, pattern, np.bool_)


@kernel("RegexReplace")
def regex_replace(x: Tensor, pattern: Tensor, rewrite: Tensor, *, replace_global: bool = True) -> Tensor:
    expression, instead = read_scalar(pattern, "pattern"), read_scalar(rewrite, "rewrite")
    return static_regex_replace(x, pattern=expression, rewrite=instead, replace_global=replace_global)


@kernel("StaticRegexReplace")
def static_regex_replace(x: Tensor, *, pattern: bytes, rewrite: bytes, replace_global: bool = True) -> Tensor:
    expression, work = _expression(pattern), Work(MOST_WORK)
    parts = _rewrite_parts(rewrite, expression.groups, replace_global)
    if parts is None:
        return x.copy()
    most = None if replace_global else 1

    def replaced(data: bytes) -> bytes:
        decoded = 0 if data.isascii() else _MAX_DECODED_BYTES * len(data)
        claim(_COPIES * len(data) + decoded + _POSITION * min(len(data), MOST_POSITIONS))
        made = BytesIO()
        for piece in expression.replace(data, parts, limit=most, work=work):
            made.write(piece)
            claim(_COPIES * (made.tell() + len(data)) + decoded)
        return made.getvalue()

    return _limited(replaced, x, pattern, object)


def _expression(pattern: bytes) -> Expression:
    claim(_COMPILED * len(pattern))
    try:
        return compiled(pattern)
    except SyntaxFault as fault:
        raise RunError(f"{_quoted_pattern(pattern)} is not a regular expression: {printable(str(fault))}") from fault


def _limited(function: Callable[[bytes], Any], x: Tensor, pattern: bytes, dtype: Any) -> Tensor:
    try:
        return mapped(function, x, dtype)
    except TooMuchWork as error:
        raise RunError(f"to match {_quoted_pattern(pattern)} takes more than {MOST_WORK:,} steps") from error


def _quoted_pattern(pattern: bytes) -> str:
    return f'"{shortened(printable(pattern[: 2 * _SHOWN].decode("utf-8", "replace")), _SHOWN)}"'


def _rewrite_parts(rewrite: bytes, groups: int, replace_global: bool) -> list[bytes | int] | None:
    r"""Split a rewrite into text and group numbers: \1 is group 1, \\ a backslash. None if nothing is replaced."""
    parts: list[bytes | int] = []
    is_sound = True
    for piece in re.findall(rb"[^\\]+|\\.?", rewrite, re.DOTALL):
        if piece[1:].isdigit() and piece[:1] == b"\\":
            if int(piece[1:]) > groups:
                return None
            parts += [int(piece[1:])] if is_sound else []
        elif piece[:1] == b"\\" and piece != b"\\\\":
            is_sound = False
        elif is_sound:
            parts.append(b"\\" if piece == b"\\\\" else piece)
    return parts if is_sound or replace_global else None
