"""The results of ops for single numbers and bools, of which some are not known.

    apply(node, [True, Token(3, True)])         # of a LogicalOr: True

A value that is not known is a `Token`; two equal tokens are the same value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any, NamedTuple, TypeAlias

from pbwire.errors import Error

from ...messages import DataType, NodeDef
from ...ops import OPS
from ...ops.traits import ENTER, EXIT, FED_OPS, LOOP_COND, MERGE, NEXT_ITERATION, SWITCH, UNCHANGED
from ...values.tensor_header import read_number
from .intervals import PASSES_ON, in_type, number_type


class Token(NamedTuple):
    """A value that is not known. `number` identifies it; `changes` tells whether it depends on more than constants."""

    number: int
    changes: bool


Value: TypeAlias = "bool | int | float | Token"


class Comparison(NamedTuple):
    """A comparison: its function, and how it follows from `x == y` or `x < y`.

    swapped    whether it is the comparison of y and x
    opposite   whether it is the opposite
    """

    function: Callable[[Any, Any], bool]
    of_equality: bool
    swapped: bool
    opposite: bool


COMPARISONS: Mapping[str, Comparison] = {
    "Equal": Comparison(operator.eq, True, False, False),
    "NotEqual": Comparison(operator.ne, True, False, True),
    "Less": Comparison(operator.lt, False, False, False),
    "LessEqual": Comparison(operator.le, False, True, True),
    "Greater": Comparison(operator.gt, False, True, False),
    "GreaterEqual": Comparison(operator.ge, False, False, True),
}
_NUMBERS: Mapping[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add,
    "AddV2": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Maximum": max,
    "Minimum": min,
    "BitwiseAnd": operator.and_,
    "BitwiseOr": operator.or_,
    "BitwiseXor": operator.xor,
    "FloorDiv": operator.floordiv,
    "FloorMod": operator.mod,
    "RealDiv": operator.truediv,
}
SAME = UNCHANGED | ENTER | EXIT | LOOP_COND | NEXT_ITERATION | SWITCH | {"Reshape", "Squeeze", "ExpandDims"}
"""Ops whose first input is their output, perhaps in another shape."""

SAME_NUMBER = PASSES_ON | {"Cast", "All", "Any", "ToBool"}
"""Ops that hand a number on, if all elements of their first input are this number."""

_NEUTRAL = {"Add": 0, "AddV2": 0, "Sub": 0, "Mul": 1}


def is_same(first: Value, second: Value) -> bool:
    return first == second and type(first) is type(second)


def are_same(first: Sequence[Value], second: Sequence[Value]) -> bool:
    return all(map(is_same, first, second))


def apply(node: NodeDef, values: list[Value]) -> Value | None:
    """Return the result of an op for values, of which some are tokens; None if it is not known."""
    first = values[0]
    if node.op in SAME:
        return first
    if node.op in SAME_NUMBER:
        return None if isinstance(first, Token) else _cast(node, first)
    match node.op, len(values):
        case "LogicalNot", 1:
            return opposite(first) if isinstance(first, Token) else not first
        case "LogicalAnd" | "LogicalOr", 2:
            strong = node.op == "LogicalOr"
            if any(not isinstance(value, Token) and bool(value) is strong for value in values):
                return strong
            others = [value for value in values if isinstance(value, Token)]
            if not others:
                return not strong
            if len(others) == 2 and others[1] == opposite(others[0]):
                return strong
            return others[0] if all(value == others[0] for value in others) else None
        case "Select" | "SelectV2", 3:
            if not isinstance(first, Token):
                return values[1] if first else values[2]
            return values[1] if is_same(values[1], values[2]) else None
        case _, 2 if node.op in COMPARISONS:
            return _compare(node.op, first, values[1])
        case _, 2 if node.op in _NUMBERS:
            if not any(isinstance(value, Token) for value in values):
                with suppress(ArithmeticError, TypeError):
                    return in_type(_NUMBERS[node.op](first, values[1]), number_type(node))
            neutral = _NEUTRAL.get(node.op)
            if neutral is not None and values[1] == neutral and not isinstance(values[1], Token):
                return first
        case "OnesLike", 1:
            return 1
        case "ZerosLike", 1:
            return 0
        case "Square", 1 if not isinstance(first, Token):
            return in_type(first * first, number_type(node))
        case "Abs", 1 if not isinstance(first, Token):
            return abs(first)
        case "Neg", 1 if not isinstance(first, Token):
            return in_type(-first, number_type(node))
        case "Fill", 2:
            return values[1]
        case "IdentityN", 1:
            return first
    return first if node.op in MERGE and all(is_same(value, first) for value in values) else None


def opposite(token: Token) -> Token:
    """Return the token of `not x`."""
    return token._replace(number=-token.number)


def _compare(op: str, first: Value, second: Value) -> bool | None:
    compare = COMPARISONS[op].function
    if isinstance(first, Token) or isinstance(second, Token):
        return compare(0, 0) if first == second and type(first) is type(second) else None
    return compare(first, second)


def _cast(node: NodeDef, value: bool | int | float) -> Value | None:
    """Return a number in the type of a Cast, as far as it matters for conditions."""
    target = node.attr["DstT"].type if node.op == "Cast" and "DstT" in node.attr else None
    if node.op == "ToBool" or target == DataType.DT_BOOL:
        return bool(value)
    if isinstance(value, float) and target not in (None, *_FLOATS):
        return in_type(int(value), target or DataType.DT_INVALID) if isfinite(value) else None
    return in_type(value, target or DataType.DT_INVALID)


def number_of(node: NodeDef) -> bool | int | float | None:
    tensor = node.attr["value"].tensor if "value" in node.attr else None
    with suppress(Error):  # a fault of its own
        return read_number(tensor) if tensor is not None else None
    return None


_FLOATS = (DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_HALF, DataType.DT_BFLOAT16)


def is_from_outside(node: NodeDef) -> bool:
    """Return whether the outputs of a node depend on more than its inputs: it is fed, reads a state or is random."""
    op = OPS.get(node.op)
    return op is None or op.is_stateful or node.op in FED_OPS or node.op in MERGE
