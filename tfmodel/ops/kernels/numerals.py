"""Numbers and their digits: AsString, StringToNumber.

AsString(0.5, precision=2)       b"0.50"
StringToNumber(b" 1e3 ")         1000.0
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...dtypes import DTYPES, dtype_name
from ...errors import RunError
from ...messages import DataType
from ...printable import printable
from .checking import check
from .registry import Tensor, kernel
from .room import collected
from .strings import mapped, texts

__all__ = ["parsed"]


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
    """The number that a text says. Raises RunError if it says none, or one that the type does not have."""
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
        return texts(collected((form % each).encode() for each in values), x.shape)
    if x.dtype.kind == "c":
        pairs = (f"({_float(form, each.real)},{_float(form, each.imag)})" for each in values)
        return texts(collected(map(str.encode, pairs)), x.shape)
    return texts(collected(_float(form, each).encode() for each in values), x.shape)


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
