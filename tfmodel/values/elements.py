"""Compare the elements of two tensors, chunk by chunk: how many differ, by how much, and how far both are apart.

    differences = ElementDifferences(atol=0.0, rtol=1e-5)
    for a, b in chunks:
        differences.add(a, b)
    differences.different, differences.max_absolute

Two elements are the same if their bits are equal, so 0.0 and -0.0 differ. With a tolerance, they are the same if
|a - b| <= atol + rtol * |b|, or if both are NaN. Numbers are compared in double precision, and integers exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, isfinite, sqrt
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[Any]"

# Elements that are compared at a time: temporary arrays fit into the cache of a processor, and NumPy's linear algebra
# does not start threads for products of so few.
_BLOCK = 1 << 13
_TINY = 5e-324


class Side:
    """The elements of one of the two tensors.

    nan, infinite    the numbers of NaNs and of infinities
    squares          the sum of the squares of all finite elements
    """

    def __init__(self) -> None:
        self.nan = 0
        self.infinite = 0
        self.squares = 0.0

    @property
    def norm(self) -> float:
        """The L2 norm of the finite elements; infinite if it exceeds double precision."""
        return sqrt(self.squares)

    def add(self, array: Array) -> None:
        """Count the elements of a flat array of numbers."""
        weight = len(array) if is_single(array) else 1
        array = array[:1] if is_single(array) else array
        for start in range(0, len(array), _BLOCK):
            self.add_block(_as_double(array[start : start + _BLOCK]), weight)

    def add_block(self, values: Array, weight: int = 1) -> None:
        """Count a block of numbers in double precision, each `weight` times."""
        squares = _dot(values, values)
        if not isfinite(squares):
            finite = np.isfinite(values)
            nan = np.isnan(values)
            self.nan += weight * int(nan.sum())
            self.infinite += weight * int((~finite & ~nan).sum())
            values = values[finite]
            squares = _dot(values, values)
        self.squares += weight * squares


class ElementDifferences:
    """The differences of two tensors of equal dtype and number of elements, whose chunks are added in order.

    before, after          the two sides; their norms are 0 for strings and other objects
    elements, different    the numbers of elements, and of those that are not the same
    not_finite             the number of elements of which only one is finite, or that are different infinities
    max_absolute, max_at   the largest |a - b| of finite elements, an int for integers; and its position
    max_relative           the largest |a - b| / max(|a|, |b|) of finite elements, at most 2
    first                  the position of the first element that is not the same; -1 without any
    squares, products      the sums of (a - b)**2 and of a * b, over elements that are both finite
    """

    def __init__(self, *, atol: float = 0.0, rtol: float = 0.0) -> None:
        self._atol, self._rtol = atol, rtol
        self.before, self.after = Side(), Side()
        self.elements = self.different = self.not_finite = 0
        self.max_absolute: float | int = 0
        self.max_relative = 0.0
        self.max_at = self.first = -1
        self.squares = self.products = 0.0
        self.is_numeric = True

    @property
    def distance(self) -> float:
        """The L2 norm of a - b over elements that are both finite."""
        return sqrt(self.squares)

    @property
    def change(self) -> float:
        """The measure of change: the distance relative to the larger norm, from 0 to 2.

        Infinite if elements differ of which one is not finite, or beyond double precision. For strings and other
        objects, the share of elements that differ.
        """
        if not self.is_numeric:
            return self.different / self.elements if self.elements else 0.0
        if self.not_finite or not isfinite(self.squares):
            return inf
        return self.distance / max(self.before.norm, self.after.norm) if self.squares else 0.0

    @property
    def cosine(self) -> float | None:
        """The cosine of the angle between both tensors; None if one is all zero, or has an element that is not finite.

        None too for strings and other objects, and beyond double precision.
        """
        norms = self.before.norm * self.after.norm
        sides = (self.before, self.after)
        if not norms or not isfinite(norms) or any(side.nan or side.infinite for side in sides):
            return None
        return max(-1.0, min(1.0, self.products / norms))

    def add(self, a: Array, b: Array, weight: int = 1) -> None:
        """Compare two flat arrays of equal dtype and length, the next chunks; each element counts `weight` times."""
        with np.errstate(all="ignore"):
            if a.dtype == object:
                self.is_numeric = False
                self._add_objects(a, b, weight)
                return
            if a.dtype == np.bool_:
                a, b = ((side.view(np.uint8) != 0).view(np.uint8) for side in (a, b))  # all bytes but 0 are true
            for start in range(0, len(a), _BLOCK):
                self._add_numbers(a[start : start + _BLOCK], b[start : start + _BLOCK], weight)

    def _add_objects(self, a: Array, b: Array, weight: int) -> None:
        self._count(np.asarray(a != b, bool), weight)
        self.elements += weight * len(a)

    def _add_numbers(self, a: Array, b: Array, weight: int) -> None:
        different = _bits_differ(a, b)
        x = _as_double(a)
        self.before.add_block(x, weight)
        if not different.any():
            self.after.add_block(x, weight)
            products = _dot(x, x)
            self.products += weight * (products if isfinite(products) else _dot(*2 * (x[np.isfinite(x)],)))
            self.elements += weight * len(a)
            return
        y = _as_double(b)
        self.after.add_block(y, weight)
        gaps = _gaps(a, b, x, y)
        x_sizes, y_sizes = np.abs(x), np.abs(y)
        is_beyond = different
        if self._atol or self._rtol:
            is_beyond = gaps > self._atol + self._rtol * y_sizes
        if not isfinite(products := _dot(x, y)) or not isfinite(float(gaps.max())):
            both = np.isfinite(x) & np.isfinite(y)
            unlike = ~both & ~((np.isnan(x) & np.isnan(y)) | (x == y))
            self.not_finite += weight * int(unlike.sum())
            if is_beyond is not different:
                is_beyond = (is_beyond & both) | unlike
            products = _dot(x[both], y[both])
            gaps, x_sizes, y_sizes = (np.where(both, sizes, 0) for sizes in (gaps, x_sizes, y_sizes))
        self.products += weight * products
        self.squares += weight * _dot(*2 * (gaps.astype(float, copy=False),))
        self._find_largest(gaps, np.maximum(x_sizes, y_sizes))
        self._count(is_beyond, weight)
        self.elements += weight * len(a)

    def _find_largest(self, gaps: Array, sizes: Array) -> None:
        largest = gaps.max()
        if largest > self.max_absolute:
            self.max_absolute = largest.item()
            self.max_at = self.elements + int(gaps.argmax())
        if largest:
            shares = gaps / np.maximum(sizes, _TINY, out=sizes)  # 0 where both elements are 0
            self.max_relative = max(self.max_relative, float(shares.max()))

    def _count(self, different: Array, weight: int) -> None:
        if count := int(np.count_nonzero(different)):
            self.first = self.elements + int(different.argmax()) if self.first < 0 else self.first
            self.different += weight * count


def _dot(x: Array, y: Array) -> float:
    """Return the sum of the products of two arrays in double precision; complex numbers are vectors of two numbers."""
    return float(np.dot(x.view(np.float64), y.view(np.float64)))


def _as_double(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def _bits_differ(a: Array, b: Array) -> Array:
    """Return where the bits of two arrays of one dtype differ. 0.0 and -0.0 differ; NaNs with equal bits do not."""
    if a.dtype.kind == "c":
        part = a.dtype.char.lower()
        return np.asarray(_bits_differ(a.view(part), b.view(part)).reshape(-1, 2).any(axis=1))
    bits = f"u{a.itemsize}"
    return np.asarray(a.view(bits) != b.view(bits))


def _gaps(a: Array, b: Array, x: Array, y: Array) -> Array:
    """Return |a - b|, in double precision or, for integers, as integers. `x` and `y` are both in double precision."""
    if a.dtype.kind in "iu":
        high, low = np.maximum(a, b).astype(np.uint64), np.minimum(a, b).astype(np.uint64)
        return np.asarray(high - low)  # unsigned subtraction wraps around to the right value
    return np.asarray(np.abs(x - y))


def is_single(array: Array) -> bool:
    """Return whether an array of several elements stores only one, which stands for all."""
    axes = zip(array.strides, array.shape, strict=True)
    return array.size > 1 and not any(stride for stride, size in axes if size > 1)


def flat_chunks(array: Array, size: int) -> Iterator[Array]:
    """Yield the elements of an array in flat arrays of `size` elements; one array if a single element stands for all.

    That array stores only this element: `is_single` is true of it.
    """
    if is_single(array):
        yield np.broadcast_to(array[(slice(1),) * array.ndim].reshape(()), (array.size,))
        return
    flat = array.reshape(-1)
    yield from (flat[start : start + size] for start in range(0, len(flat), size))


def aligned(chunks: Iterable[Array], others: Iterable[Array]) -> Iterator[tuple[Array, Array, int]]:
    """Yield flat arrays of equal length from two sequences of chunks, and a weight of 1.

    If a single element stands for all in both chunks, yield two arrays of one element, and the number of elements as
    the weight.
    """
    left, right = iter(chunks), iter(others)
    a = b = np.empty(0)
    while True:
        a = a if len(a) else next(left, a)
        b = b if len(b) else next(right, b)
        count = min(len(a), len(b))
        if not count:
            return
        if is_single(a) and is_single(b):
            yield a[:1], b[:1], count
        else:
            yield a[:count], b[:count], 1
        a, b = a[count:], b[count:]


def index_at(position: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the index of the element at a position among the elements in order."""
    index = []
    for size in reversed(shape):
        position, offset = divmod(position, size)
        index.append(offset)
    return tuple(reversed(index))
