"""Binary elementwise ops with broadcasting, by a table from op to NumPy function; AddN, Range and LinSpace.

Integers wrap around, as in NumPy; integer division by zero is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..runtime.argument_checks import check, read_scalar, show
from ..runtime.arrays import widen_halves
from ..runtime.registry import Tensor, kernel

__all__ = ["BINARY", "add_n"]

Binary = Callable[[Tensor, Tensor], Tensor]


# --- division --------------------------------------------------------------------------------------------------------


def _are_integers(x: Tensor, y: Tensor) -> bool:
    """Return whether the tensors are integers. Raises RunError for an integer divisor of zero."""
    if x.dtype.kind not in "iu":
        return False
    check(x.size == 0 or y.all(), "integer division by zero")
    return True


def _divide(x: Tensor, y: Tensor) -> Tensor:
    """Divide; integers are rounded towards zero."""
    if not _are_integers(x, y):
        return np.asarray(np.true_divide(x, y))
    return np.asarray((x - np.fmod(x, y)) // y)


def _truncate_divide(x: Tensor, y: Tensor) -> Tensor:
    quotient = _divide(x, y)
    return quotient if x.dtype.kind in "iu" else np.asarray(np.trunc(quotient))


def _floor_divide(x: Tensor, y: Tensor) -> Tensor:
    """Of floats, the quotient as it is, rounded down: 1 by 0.1 gives 10. NumPy's gives 9."""
    return np.asarray(x // y if _are_integers(x, y) else np.floor(np.true_divide(x, y)))


def _truncate_modulo(x: Tensor, y: Tensor) -> Tensor:
    _are_integers(x, y)
    return np.asarray(np.fmod(x, y))


def _floor_modulo(x: Tensor, y: Tensor) -> Tensor:
    if _are_integers(x, y):
        return np.asarray(np.mod(x, y))
    left = np.fmod(x, y)
    return np.asarray(np.where((left != 0) & ((y < 0) != (left < 0)), left + y, left))


# --- others ----------------------------------------------------------------------------------------------------------


def _unless_zero(tested: Tensor, result: Tensor) -> Tensor:
    """Return a result, with zero where the tested operand is zero, for any value of the other."""
    return np.where(tested == 0, result.dtype.type(0), result)


def _power(x: Tensor, y: Tensor) -> Tensor:
    check(y.dtype.kind != "i" or x.size == 0 or not (y < 0).any(), "integers have no negative integer powers")
    return np.asarray(np.power(x, y))


def _squared_difference(x: Tensor, y: Tensor) -> Tensor:
    apart = x - y
    return np.asarray(apart * np.conj(apart))


def _shifted(shift: Binary) -> Binary:
    """A shift by no less than nothing and no more than all bits but one."""

    def computed(x: Tensor, y: Tensor) -> Tensor:
        return shift(x, np.clip(y, 0, 8 * x.dtype.itemsize - 1).astype(y.dtype))

    return computed


IN_PLACE: dict[str, Callable[..., Tensor]] = {
    "Add": np.add,  # strings are joined
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
}
"""Those that can put the result where the first tensor is."""

BINARY: dict[str, Binary] = {
    **IN_PLACE,
    "MulNoNan": lambda x, y: _unless_zero(y, x * y),
    "Div": _divide,
    "RealDiv": _divide,
    "DivNoNan": lambda x, y: _unless_zero(y, np.true_divide(x, y)),
    "TruncateDiv": _truncate_divide,
    "FloorDiv": _floor_divide,
    "Mod": _truncate_modulo,
    "TruncateMod": _truncate_modulo,
    "FloorMod": _floor_modulo,
    "Pow": _power,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "SquaredDifference": _squared_difference,
    "Atan2": np.arctan2,
    "Xdivy": lambda x, y: _unless_zero(x, np.true_divide(x, y)),
    "Xlogy": lambda x, y: _unless_zero(x, x * np.log(y)),
    "Xlog1py": lambda x, y: _unless_zero(x, x * np.log1p(y)),
    "NextAfter": np.nextafter,
    "LeftShift": _shifted(np.left_shift),
    "RightShift": _shifted(np.right_shift),
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "Complex": lambda real, imaginary: real + 1j * imaginary,
}


def _of_two(function: Binary) -> Binary:
    def computed(x: Tensor, y: Tensor) -> Tensor:
        return function(x, y)

    return computed


def _into_first(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def computed(x: Tensor, y: Tensor, *, own: bool = False) -> Tensor:
        fits = own and x.dtype == y.dtype and np.broadcast(x, y).shape == x.shape
        return function(x, y, out=x) if fits else function(x, y)

    return computed


for _op, _function in BINARY.items():
    kernel(_op)(_into_first(_function) if _op in IN_PLACE else _of_two(_function))


@kernel("AddN", "AccumulateNV2")
def add_n(*tensors: Tensor) -> Tensor:
    first = tensors[0]
    total = widen_halves(first)
    for tensor in tensors[1:]:
        check(
            tensor.shape == first.shape,
            f"its inputs must be of one shape, and are {show(first.shape)} and {show(tensor.shape)}",
        )
        total = np.asarray(total + tensor)
    return total


@kernel("Range")
def range_(start: Tensor, limit: Tensor, delta: Tensor) -> Tensor:
    first, end, step = (
        read_scalar(each, name, vector_of_one=True)
        for each, name in ((start, "start"), (limit, "limit"), (delta, "delta"))
    )
    check(step, "delta must not be 0")
    check((end - first) * (1 if step > 0 else -1) >= 0, f"a range from {first} to {end} does not go by steps of {step}")
    if start.dtype.kind in "iu":
        return np.arange(first, end, step, dtype=start.dtype)
    steps = np.abs((limit.reshape(()) - start.reshape(())) / delta.reshape(()))
    check(np.isfinite(steps), f"a range from {first} to {end} by steps of {step} has no end")
    return np.asarray(start.reshape(()) + np.arange(math.ceil(steps)).astype(start.dtype) * delta.reshape(()))


@kernel("LinSpace")
def lin_space(start: Tensor, stop: Tensor, num: Tensor) -> Tensor:
    first, last = start.dtype.type(read_scalar(start, "start")), start.dtype.type(read_scalar(stop, "stop"))
    count = read_scalar(num, "num")
    check(count > 0, f"num must be positive, not {count}")
    if count == 1:
        return start.reshape(1)
    numbers = first + (last - first) / start.dtype.type(count - 1) * np.arange(count).astype(start.dtype)
    numbers[-1] = last
    return np.asarray(numbers, start.dtype)
