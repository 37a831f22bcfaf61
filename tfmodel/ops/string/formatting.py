"""Conversion between numbers and text: AsString, StringToNumber, StringFormat.

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
from typing import Any

import numpy as np

from ...dtypes import DTYPES, dtype_name
from ...errors import RunError
from ...io.terminal import printable
from ...messages import DataType
from ..runtime.argument_checks import check
from ..runtime.memory_limit import collect_strings
from ..runtime.registry import Tensor, kernel
from .strings import mapped, texts

__all__ = ["parsed", "summary", "summary_in_lines"]


# --- to numbers ------------------------------------------------------------------------------------------------------


@kernel("StringToNumber")
def string_to_number(x: Tensor, *, out_type: DataType = DataType.DT_FLOAT) -> Tensor:
    return mapped(lambda data: parsed(data, out_type), x, DTYPES[out_type].numpy)


_INTEGER = re.compile(rb"[ \t\n\v\f\r]*(-?[0-9]+)[ \t\n\v\f\r]*")
_FLOAT = re.compile(
    rb"[ \t\n\v\f\r]*([+-]?(?:[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?|\.[0-9]+(?:e[+-]?[0-9]+)?|inf|nan))"
    rb"[ \t\n\v\f\r]*",
    re.IGNORECASE,
)
_HEX = re.compile(rb"[ \t\n\v\f\r]*([+-]?)0x([0-9a-f]+)[ \t\n\v\f\r]*", re.IGNORECASE)


def parsed(data: bytes, dtype: DataType) -> Any:
    """Parse a number. Raises RunError if the text is not a number or is out of range for the type."""
    row = DTYPES[dtype]
    if row.numpy.kind in "iu":
        found = _INTEGER.fullmatch(data)
        info = np.iinfo(row.numpy)
        number = int(found[1]) if found and len(found[1].strip(b"+-").lstrip(b"0")) < 21 else None
        if number is None or not info.min <= number <= info.max:
            raise _no_number(data, dtype)
        return number
    if row.numpy.kind != "f":
        raise RunError(f"strings are not made {dtype_name(dtype)}")
    if sixteen := _HEX.fullmatch(data):
        return row.numpy.type(float(int(sixteen[2], 16)) * (-1 if sixteen[1] == b"-" else 1))
    if data and not data.strip():
        return row.numpy.type(0)
    found = _FLOAT.fullmatch(data)
    if not found:
        raise _no_number(data, dtype)
    return row.numpy.type(found[1].decode())


def _no_number(data: bytes, dtype: DataType) -> RunError:
    return RunError(f'"{printable(data[:50].decode("utf-8", "replace"))}" is no {dtype_name(dtype)}')


# --- from numbers ----------------------------------------------------------------------------------------------------


@kernel("AsString")
def as_string(
    x: Tensor, *, T: DataType, precision: int, scientific: bool, shortest: bool, width: int, fill: bytes
) -> Tensor:
    flags = _flags(fill)
    check(not (scientific and shortest), "scientific and shortest exclude each other")
    if x.dtype.kind not in "fc":
        check(not scientific and not shortest, "scientific and shortest are for floats")
        check(precision < 0, "precision is for floats")
    check(width < 100_000 and precision < 100_000, "its width or precision is too large")
    digits = f".{precision}" if precision > -1 else ""
    size = str(width) if width > -1 else ""
    form = f"%{flags}{size}{digits}" + ("e" if scientific else "g" if shortest else "f")
    values = x.reshape(-1).tolist()
    if x.dtype.kind == "b":
        return texts([b"true" if each else b"false" for each in values], x.shape)
    if x.dtype.kind in "iu":
        signs = flags if x.dtype.kind == "i" or flags not in "+ " else ""  # C has none for unsigned numbers
        form = f"%{signs}{size}d"
        return texts(collect_strings((form % each).encode() for each in values), x.shape)
    if x.dtype.kind == "c":
        pairs = (f"({_float(form, each.real)},{_float(form, each.imag)})" for each in values)
        return texts(collect_strings(map(str.encode, pairs)), x.shape)
    return texts(collect_strings(_float(form, each).encode() for each in values), x.shape)


def _flags(fill: bytes) -> str:
    check(len(fill) <= 1, "fill must be one character at most")
    allowed = {"": "", " ": " ", "0": "0", "+": "+", "-": "-"}
    flags = allowed.get(fill.decode("latin-1"))
    check(flags is not None, f'fill must be one of " ", "0", "+", "-", not "{printable(fill.decode("latin-1"))}"')
    return flags or ""


def _float(form: str, value: float) -> str:
    """As C writes it: what is not finite is never filled up with zeros, and has the sign of its bit."""
    if np.isfinite(value):
        return form % value
    text = form.replace("%0", "%") % value
    return text.replace("nan", "-nan").removeprefix(" ") if np.isnan(value) and np.signbit(value) else text


@kernel("StringFormat")
def string_format(*tensors: Tensor, template: bytes, placeholder: bytes, summarize: int) -> Tensor:
    parts = template.split(placeholder) if placeholder else [template]
    check(len(parts) == len(tensors) + 1, f"its template has places for {len(parts) - 1} of {len(tensors)} tensors")
    shown = collect_strings(summary_in_lines(each, summarize).encode("utf-8", "surrogateescape") for each in tensors)
    words = itertools.chain(*itertools.zip_longest(parts, shown, fillvalue=b""))
    return texts([b"".join(words)], ())


def summary(tensor: Tensor, most: int) -> str:
    """Format the first elements of a tensor as Print and Assert do; all if `most` is negative."""
    limit = tensor.size if most < 0 else min(most, tensor.size)
    if tensor.dtype.kind == "b" and not limit:
        return ""
    words = [_word(each, tensor.dtype) for each in tensor.reshape(-1)[:limit]]
    bare = tensor.ndim < 2 or tensor.dtype.kind == "c"
    text = " ".join(words) if bare else "".join(_nested(tensor.shape, 0, iter(words), limit, [0]))
    return text + ("..." if tensor.size > limit else "")


def _nested(shape: tuple[int, ...], axis: int, words: Iterator[str], limit: int, done: list[int]) -> Iterator[str]:
    """Yield pieces of text, with brackets around each row. `done` counts the elements."""
    for place in range(shape[axis]):
        if done[0] >= limit:
            if axis == len(shape) - 1:
                yield "..."
            return
        if axis == len(shape) - 1:
            yield (" " if place else "") + next(words)
            done[0] += 1
        else:
            yield "["
            yield from _nested(shape, axis + 1, words, limit, done)
            yield "]"


def summary_in_lines(tensor: Tensor, most: int) -> str:
    """Format the elements at both ends of each dimension as NumPy does; all if `most` is negative."""
    ends = tensor.size if most < 0 else most
    if tensor.dtype.kind == "c":
        return f"[{summary(tensor, most)}]"
    if tensor.dtype.kind == "b" and not ends:
        return ""
    if not tensor.ndim and not ends:
        return "..."
    return _lines(tensor, 0, min(ends, tensor.size))


def _lines(tensor: Tensor, axis: int, ends: int) -> str:
    if not tensor.ndim:
        return _word(tensor.item() if tensor.dtype == object else tensor[()], tensor.dtype, '"')
    gap = " " if tensor.ndim == 1 else "\n" * (tensor.ndim - 1) + " " * (axis + 1)
    size = len(tensor)
    first = range(min(ends, size))
    last = range(max(ends, size - ends), size)
    parts = [_lines(tensor[place, ...], axis + 1, ends) for place in (*first, *last)]
    text = parts[: len(first)] + (["..."] if size > 2 * ends else []) + parts[len(first) :]
    return "[" + (gap if size and not ends else "") + gap.join(text) + "]"


_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}


def _word(value: Any, dtype: np.dtype[Any], quote: str = "") -> str:
    """Format one element. Floats have the digits that identify them: 6 or 9, or 15 or 17 for float64."""
    if dtype.kind == "O":
        text = bytes(value).decode("utf-8", "surrogateescape")
        return quote + re.sub(r"[\x00-\x1f\x7f\"'\\]", _escaped, text) + quote
    if dtype.kind == "c":
        return "?"
    if dtype.kind != "f":
        return str(int(value))
    few, many = (15, 17) if dtype == np.float64 else (6, 9)
    short = f"{value:.{few}g}"
    wide = np.float64 if dtype == np.float64 else np.float32
    return short if wide(short) == wide(value) or np.isnan(value) else f"{wide(value):.{many}g}"


def _escaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\{ord(match[0]):03o}"
