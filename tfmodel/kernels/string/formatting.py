"""Kernels that convert between numbers and text: AsString, StringToNumber, StringFormat.

    AsString(0.5, precision=2)                 b"0.50"
    StringToNumber(b" 1e3 ")                   1000.0
    StringFormat(x, template="x is %s")        x is [[1 2 3 ... 8 9 10]
                                                     [1 2 3 ... 8 9 10]]

`summary` formats tensors as Print does: summary([1.5, 2.25, 3], 2) is "1.5 2.25...".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from ...errors import RunError
from ...messages import DataType
from ...values.dtypes import DTYPES, dtype_name
from ...values.terminal import escape
from ..runtime.argument_checks import check
from ..runtime.memory_limit import bytes_of, claim, collect_strings
from ..runtime.registry import Tensor, kernel
from .strings import map_strings, string_tensor

# --- to numbers ------------------------------------------------------------------------------------------------------


@kernel("StringToNumber")
def string_to_number(x: Tensor, *, out_type: DataType = DataType.DT_FLOAT) -> Tensor:
    return map_strings(lambda data: parse_number(data, out_type), x, DTYPES[out_type].numpy)


_INTEGER = re.compile(rb"[ \t\n\v\f\r]*(-?[0-9]+)[ \t\n\v\f\r]*")
_FLOAT = re.compile(
    rb"[ \t\n\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|nan))"
    rb"[ \t\n\v\f\r]*",
    re.IGNORECASE,
)
_HEX = re.compile(rb"[ \t\n\v\f\r]*([+-]?)0x([0-9a-f]+)[ \t\n\v\f\r]*", re.IGNORECASE)


def parse_number(data: bytes, dtype: DataType) -> Any:
    """Parse a number. Raises RunError if the text is not a number or is out of range for the type."""
    row = DTYPES[dtype]
    if row.numpy.kind in "iu":
        match = _INTEGER.fullmatch(data)
        info = np.iinfo(row.numpy)
        number = int(match[1]) if match and len(match[1].strip(b"+-").lstrip(b"0")) < 21 else None
        if number is None or not info.min <= number <= info.max:
            raise _not_a_number(data, dtype)
        return number
    if row.numpy.kind != "f":
        raise RunError(f"strings cannot be converted to {dtype_name(dtype)}")
    if hex_match := _HEX.fullmatch(data):
        return row.numpy.type(float(int(hex_match[2], 16)) * (-1 if hex_match[1] == b"-" else 1))
    if data and not data.strip():
        return row.numpy.type(0)
    match = _FLOAT.fullmatch(data)
    if not match:
        raise _not_a_number(data, dtype)
    return row.numpy.type(match[1].decode())


def _not_a_number(data: bytes, dtype: DataType) -> RunError:
    return RunError(f'"{escape(data[:50].decode("utf-8", "replace"))}" is not a {dtype_name(dtype)}')


# --- from numbers ----------------------------------------------------------------------------------------------------


@kernel("AsString")
def as_string(
    x: Tensor, *, T: DataType, precision: int, scientific: bool, shortest: bool, width: int, fill: bytes
) -> Tensor:
    flags = _read_flags(fill)
    check(not (scientific and shortest), "scientific and shortest exclude each other")
    if x.dtype.kind not in "fc":
        check(not scientific and not shortest, "scientific and shortest are for floats")
        check(precision < 0, "precision is for floats")
    check(width < 100_000 and precision < 100_000, "its width or precision is too large")
    digits = f".{precision}" if precision > -1 else ""
    size = str(width) if width > -1 else ""
    pattern = f"%{flags}{size}{digits}" + ("e" if scientific else "g" if shortest else "f")
    values = x.reshape(-1).tolist()
    if x.dtype.kind == "b":
        return string_tensor([b"true" if value else b"false" for value in values], x.shape)
    if x.dtype.kind in "iu":
        signs = flags if x.dtype.kind == "i" or flags not in "+ " else ""  # C has no sign flags for unsigned numbers
        pattern = f"%{signs}{size}d"
        return string_tensor(collect_strings((pattern % value).encode() for value in values), x.shape)
    if x.dtype.kind == "c":
        pairs = (f"({_format_float(pattern, value.real)},{_format_float(pattern, value.imag)})" for value in values)
        return string_tensor(collect_strings(map(str.encode, pairs)), x.shape)
    return string_tensor(collect_strings(_format_float(pattern, value).encode() for value in values), x.shape)


def _read_flags(fill: bytes) -> str:
    check(len(fill) <= 1, "fill must be at most one character")
    allowed = {"": "", " ": " ", "0": "0", "+": "+", "-": "-"}
    flags = allowed.get(fill.decode("latin-1"))
    check(flags is not None, f'fill must be one of " ", "0", "+", "-", not "{escape(fill.decode("latin-1"))}"')
    return flags or ""


def _format_float(pattern: str, value: float) -> str:
    """Format a float as C does: infinities and NaN are not padded with zeros, and NaN may have a sign."""
    if np.isfinite(value):
        return pattern % value
    text = pattern.replace("%0", "%") % value
    return text.replace("nan", "-nan").removeprefix(" ") if np.isnan(value) and np.signbit(value) else text


@kernel("StringFormat")
def string_format(*tensors: Tensor, template: bytes, placeholder: bytes, summarize: int) -> Tensor:
    parts = template.split(placeholder) if placeholder else [template]
    check(len(parts) == len(tensors) + 1, f"its template has {len(parts) - 1} placeholders for {len(tensors)} tensors")
    summaries = collect_strings(
        summary_in_lines(tensor, summarize).encode("utf-8", "surrogateescape") for tensor in tensors
    )
    words = itertools.chain(*itertools.zip_longest(parts, summaries, fillvalue=b""))
    return string_tensor([b"".join(words)], ())


def claim_words(tensor: Tensor, count: int) -> None:
    """Claim the memory of the text of some elements of a tensor: a string for each, and their joined copies."""
    claim(_WORD_BYTES * count + (_COPIES * bytes_of(tensor.reshape(-1)[:count]) if tensor.dtype == object else 0))


_WORD_BYTES = 250
"""The memory of an element as text, with its place in lists and its part of longer texts."""
_COPIES = 10
"""The memory of a string as text, for each byte: a character takes up to four bytes, and escapes are longer."""


def summary(tensor: Tensor, max_count: int) -> str:
    """Format the first elements of a tensor as Print and Assert do; all if `max_count` is negative."""
    limit = tensor.size if max_count < 0 else min(max_count, tensor.size)
    if tensor.dtype.kind == "b" and not limit:
        return ""
    claim_words(tensor, limit)
    words = [_format_element(value, tensor.dtype) for value in tensor.reshape(-1)[:limit]]
    is_flat = tensor.ndim < 2 or tensor.dtype.kind == "c"
    text = " ".join(words) if is_flat else "".join(_nested_text(tensor.shape, 0, iter(words), limit, [0]))
    return text + ("..." if tensor.size > limit else "")


def _nested_text(shape: tuple[int, ...], axis: int, words: Iterator[str], limit: int, done: list[int]) -> Iterator[str]:
    """Yield pieces of text, with brackets around each row. `done` counts the elements."""
    for index in range(shape[axis]):
        if done[0] >= limit:
            if axis == len(shape) - 1:
                yield "..."
            return
        if axis == len(shape) - 1:
            yield (" " if index else "") + next(words)
            done[0] += 1
        else:
            yield "["
            yield from _nested_text(shape, axis + 1, words, limit, done)
            yield "]"


def summary_in_lines(tensor: Tensor, max_count: int) -> str:
    """Format the elements at both ends of each dimension as NumPy does; all if `max_count` is negative."""
    ends = tensor.size if max_count < 0 else max_count
    if tensor.dtype.kind == "c":
        return f"[{summary(tensor, max_count)}]"
    if tensor.dtype.kind == "b" and not ends:
        return ""
    if not tensor.ndim and not ends:
        return "..."
    ends = min(ends, tensor.size)
    claim_words(tensor, prod(min(2 * ends, size) for size in tensor.shape))
    return _format_lines(tensor, 0, ends)


def _format_lines(tensor: Tensor, axis: int, ends: int) -> str:
    if not tensor.ndim:
        return _format_element(tensor.item() if tensor.dtype == object else tensor[()], tensor.dtype, '"')
    gap = " " if tensor.ndim == 1 else "\n" * (tensor.ndim - 1) + " " * (axis + 1)
    size = len(tensor)
    first = range(min(ends, size))
    last = range(max(ends, size - ends), size)
    parts = [_format_lines(tensor[index, ...], axis + 1, ends) for index in (*first, *last)]
    text = parts[: len(first)] + (["..."] if size > 2 * ends else []) + parts[len(first) :]
    return "[" + (gap if size and not ends else "") + gap.join(text) + "]"


_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}


def _format_element(value: Any, dtype: np.dtype[Any], quote: str = "") -> str:
    """Format one element. Floats have the digits that identify them: 6 or 9, or 15 or 17 for float64."""
    if dtype.kind == "O":
        text = bytes(value).decode("utf-8", "surrogateescape")
        return quote + re.sub(r"[\x00-\x1f\x7f\"'\\]", _escape, text) + quote
    if dtype.kind == "c":
        return "?"
    if dtype.kind != "f":
        return str(int(value))
    short_digits, all_digits = (15, 17) if dtype == np.float64 else (6, 9)
    short = f"{value:.{short_digits}g}"
    wide = np.float64 if dtype == np.float64 else np.float32
    return short if wide(short) == wide(value) or np.isnan(value) else f"{wide(value):.{all_digits}g}"


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\{ord(match[0]):03o}"
