"""Tensors as text, in TensorFlow's own words: what Print, Assert and StringFormat show of them.

summary([1.5, 2.25, 3], 2)                 1.5 2.25...
StringFormat(x, template="x is %s")        x is [[1 2 3 ... 8 9 10]
                                                 [1 2 3 ... 8 9 10]]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from .checking import check
from .registry import Tensor, kernel
from .room import collected
from .strings import texts

__all__ = ["summary", "summary_in_lines"]


@kernel("StringFormat")
def string_format(*tensors: Tensor, template: bytes, placeholder: bytes, summarize: int) -> Tensor:
    parts = template.split(placeholder) if placeholder else [template]
    check(len(parts) == len(tensors) + 1, f"its template has places for {len(parts) - 1} of {len(tensors)} tensors")
    shown = collected(summary_in_lines(each, summarize).encode("utf-8", "surrogateescape") for each in tensors)
    words = itertools.chain(*itertools.zip_longest(parts, shown, fillvalue=b""))
    return texts([b"".join(words)], ())


def summary(tensor: Tensor, most: int) -> str:
    """The first elements of a tensor, as Print and Assert show them; all if `most` is negative."""
    limit = tensor.size if most < 0 else min(most, tensor.size)
    if tensor.dtype.kind == "b" and not limit:
        return ""
    words = [_word(each, tensor.dtype) for each in tensor.reshape(-1)[:limit]]
    bare = tensor.ndim < 2 or tensor.dtype.kind == "c"
    text = " ".join(words) if bare else "".join(_nested(tensor.shape, 0, iter(words), limit, [0]))
    return text + ("..." if tensor.size > limit else "")


def _nested(shape: tuple[int, ...], axis: int, words: Iterator[str], limit: int, done: list[int]) -> Iterator[str]:
    """Pieces of text: brackets around each row. `done` counts the elements."""
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
    """The elements at both ends of each dimension, as NumPy would print them; all if `most` is negative."""
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
    """One element. Floats have as many digits as tell them from others: 6 or 9, or 15 or 17 for float64."""
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
