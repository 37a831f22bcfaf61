"""Intervals that values lie in, and counters: values that each iteration of a loop increases by the same number.

    interval_of(node, [(0, 5), (2, 2)])               # of an AddV2: (2, 7)
    compare("LessEqual", (0, 5), (5, 9))              # True; None if it depends on the values
    Counter(0, 2, DT_INT32, 100).steps_until(7)       # None: it never reaches 7

Integers wrap around, so a result that its type cannot hold may be any number of the type. NaN counts as no value.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import suppress
from math import floor, gcd, inf, isfinite, isnan, trunc
from typing import NamedTuple, TypeAlias

from ...messages import DataType, NodeDef
from ...ops.traits import UNIFORM

Interval: TypeAlias = "tuple[float, float]"

ANY: Interval = (-inf, inf)

_INTEGERS: dict[int, tuple[int, bool]] = {
    DataType.DT_INT8: (8, True),
    DataType.DT_INT16: (16, True),
    DataType.DT_INT32: (32, True),
    DataType.DT_INT64: (64, True),
    DataType.DT_UINT8: (8, False),
    DataType.DT_UINT16: (16, False),
    DataType.DT_UINT32: (32, False),
    DataType.DT_UINT64: (64, False),
}
"""The bits of each type of integers, and whether it has a sign."""

_MANTISSA: dict[int, int] = {
    DataType.DT_DOUBLE: 53,
    DataType.DT_FLOAT: 24,
    DataType.DT_HALF: 11,
    DataType.DT_BFLOAT16: 8,
}

NUMBERS = frozenset(_INTEGERS) | frozenset(_MANTISSA)
"""The types that counters may have."""

_FIXED: dict[str, Interval] = {
    **dict.fromkeys(("Sigmoid", "Softmax", "All", "Any", "LogicalNot", "LogicalAnd", "LogicalOr"), (0, 1)),
    **dict.fromkeys(UNIFORM, (0, 1)),
    **dict.fromkeys(("Tanh", "Sin", "Cos", "Erf", "Sign", "Softsign"), (-1, 1)),
    **dict.fromkeys(("Exp", "Rank", "Shape", "Size", "Softplus", "Sqrt"), (0, inf)),
    **dict.fromkeys(("StringLength", "ArgMax", "ArgMin", "TensorListLength", "L2Loss", "Erfc"), (0, inf)),
    "Relu6": (0, 6),
    "Acos": (0, 4),
    "Atan": (-2, 2),
    "Asin": (-2, 2),
    "Elu": (-1, inf),
    "Selu": (-2, inf),
}
"""Ops whose results lie in an interval, whatever their inputs are."""

PASSES_ON = frozenset({"Max", "Min", "Mean", "Slice", "StridedSlice", "GatherV2", "Gather", "Tile", "BroadcastTo"})
"""Ops whose results are elements of their first input, or lie between these."""

_JOINS = frozenset({"Select", "SelectV2", "Merge", "Pack", "ConcatV2"})


_ENDS = (-inf, -1, 0, 1, inf)


class Counter(NamedTuple):
    """A number that begins with `first` and changes by `step`, in a type, for at least `steps`."""

    first: int | float
    step: int | float
    dtype: int
    steps: int

    @property
    def bits(self) -> int:
        """The number of bits of an integer; 0 for a float."""
        return _INTEGERS[self.dtype][0] if self.dtype in _INTEGERS else 0

    @property
    def interval(self) -> Interval:
        """The interval of the counter for its steps, or for any number of steps if it wraps around before."""
        last = self.first + self.step * self.steps
        if self.dtype in _MANTISSA:
            limit = abs(self.step) * 2 ** (_MANTISSA[self.dtype] + 1)  # from here on, adding the step changes nothing
            if abs(last) > max(limit, abs(self.first)):
                last = max(self.first, limit) if self.step > 0 else min(self.first, -limit)
        interval = (min(self.first, last), max(self.first, last))
        if not self.wraps:
            return interval
        low, high = range_of(self.dtype)
        common = gcd(int(self.step), 1 << self.bits) if self.bits else 1  # all values have the same rest
        return low + (self.first - low) % common, high - (high - self.first) % common

    @property
    def wraps(self) -> bool:
        """Whether the counter exceeds its type within its steps."""
        low, high = range_of(self.dtype)
        return not (low <= self.first <= high and low <= self.first + self.step * self.steps <= high)

    def keeps_distance(self, other: Counter) -> bool:
        """Return whether the difference to another counter stays the same for the steps of both."""
        return self.bits > 0 and self[1:] == other[1:] and not self.wraps and not other.wraps

    def steps_until(self, target: float) -> int | None:
        """Return the number of steps after which the counter has a value; None if it never has, or for floats."""
        if not self.bits or not isfinite(target) or target != int(target):
            return None
        size = 1 << self.bits
        distance, step = (int(target) - int(self.first)) % size, int(self.step) % size
        common = gcd(step, size)
        if distance % common:
            return None
        modulus = size // common
        return distance // common * pow(step // common, -1, modulus) % modulus


def number_type(node: NodeDef) -> int:
    """Return the type of the numbers that a node computes with, DT_INVALID if it is not known."""
    for name in ("DstT",) if node.op == "Cast" else ("T", "dtype", "output_type", "out_type", "Tout"):
        if name in node.attr:
            return node.attr[name].type or DataType.DT_INVALID
    return DataType.DT_INVALID


def range_of(dtype: int) -> Interval:
    """Return the least and the greatest number of a type."""
    if dtype not in _INTEGERS:
        return (0, 1) if dtype == DataType.DT_BOOL else ANY
    bits, is_signed = _INTEGERS[dtype]
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)


def in_type(value: bool | int | float, dtype: int) -> bool | int | float:
    """Return the number that a type holds in place of the exact result of a computation."""
    if isinstance(value, bool):
        return value
    if dtype in _INTEGERS and isinstance(value, int):
        low, high = range_of(dtype)
        return int((value - low) % (high - low + 1) + low)
    if dtype == DataType.DT_FLOAT:
        with suppress(OverflowError):
            return float(struct.unpack("<f", struct.pack("<f", value))[0])
        return inf if value > 0 else -inf
    return value


def is_inside(inner: Interval, outer: Interval) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def widened(grown: Interval, before: Interval) -> Interval:
    """Return an interval that contains both, and whose ends are round numbers where it grew."""
    low = before[0] if grown[0] >= before[0] else max(end for end in _ENDS if end <= grown[0])
    high = before[1] if grown[1] <= before[1] else min(end for end in _ENDS if end >= grown[1])
    return low, high


def joined(first: Interval, second: Interval) -> Interval:
    return min(first[0], second[0]), max(first[1], second[1])


def compare(op: str, first: Interval, second: Interval) -> bool | None:
    """Return the result of a comparison of two values in intervals, if it is the same for all of them."""
    if op in ("Greater", "GreaterEqual"):
        return compare("Less" if op == "Greater" else "LessEqual", second, first)
    if op == "Less":
        return True if first[1] < second[0] else False if first[0] >= second[1] else None
    if op == "LessEqual":
        return True if first[1] <= second[0] else False if first[0] > second[1] else None
    are_apart = first[1] < second[0] or second[1] < first[0]
    return op == "NotEqual" if are_apart else None


def interval_of(node: NodeDef, inputs: Sequence[Interval]) -> Interval:
    """Return the interval of the first result of a node, whose inputs lie in intervals."""
    limits = range_of(number_type(node))
    positive = _of_positive(node.op, inputs[0]) if inputs else None
    if positive is not None:
        return _fitting(positive, limits)
    if node.op in _FIXED:
        return _FIXED[node.op]
    if node.op in PASSES_ON:
        return inputs[0] if inputs else ANY
    if node.op in _JOINS:
        return _join_all(node.op, inputs, limits)
    if node.op == "Cast":
        return _cast(inputs[0], limits) if inputs else limits
    if node.op == "RandomUniformInt" and len(inputs) == 3:
        return inputs[1][0], inputs[2][1] - 1
    if node.op == "ClipByValue" and len(inputs) == 3:
        return min(inputs[1][0], inputs[2][0]), max(inputs[1][1], inputs[2][1])
    if node.op == "Neg" and len(inputs) == 1:
        return _fitting((-inputs[0][1], -inputs[0][0]), limits)
    if len(inputs) == 2:
        with suppress(ArithmeticError, ValueError):
            return _fitting(_arithmetic(node.op, *inputs), limits)
    return limits


def _of_positive(op: str, value: Interval) -> Interval | None:
    """Return the interval of an op whose results are positive, before they wrap around; None for other ops."""
    largest = max(abs(value[0]), abs(value[1]))
    match op:
        case "Relu":
            return max(value[0], 0), max(value[1], 0)
        case "Abs":
            return 0, largest
        case "Square":
            return 0, largest * largest
    return None


def _join_all(op: str, inputs: Sequence[Interval], limits: Interval) -> Interval:
    values = inputs[1:] if op.startswith("Select") else inputs[:-1] if op == "ConcatV2" else inputs
    if not values:
        return limits
    return min(value[0] for value in values), max(value[1] for value in values)


def _cast(value: Interval, limits: Interval) -> Interval:
    if limits == ANY:
        return value
    whole = tuple(trunc(end) if isfinite(end) else end for end in value)
    return _fitting((whole[0], whole[1]), limits)


def _fitting(value: Interval, limits: Interval) -> Interval:
    """Return an interval, or that of the type if it cannot hold all of its numbers."""
    return value if is_inside(value, limits) and not any(map(isnan, value)) else limits


def _arithmetic(op: str, first: Interval, second: Interval) -> Interval:
    """Return the interval of an op of two numbers, before they wrap around; ANY for other ops."""
    (a, b), (c, d) = first, second
    match op:
        case "Add" | "AddV2":
            return a + c, b + d
        case "Sub":
            return a - d, b - c
        case "Maximum":
            return max(a, c), max(b, d)
        case "Minimum":
            return min(a, c), min(b, d)
        case "Mul":
            products = [0 if 0 in (x, y) else x * y for x in first for y in second]
            return min(products), max(products)
        case "FloorMod" if c == d > 0:
            return 0, d
        case "Mod" | "TruncateMod" if c == d > 0:
            return -d, d
        case "FloorDiv" | "RealDiv" | "Div" | "TruncateDiv" if c > 0:
            ends = [x / y if isfinite(x) else x for x in first for y in second]
            return (floor(min(ends)) if isfinite(min(ends)) else -inf), max(ends)
        case "BitwiseAnd" if max(a, c) >= 0:
            return 0, min(end for start, end in (first, second) if start >= 0)
    return ANY
