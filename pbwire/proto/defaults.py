"""Defaults of fields: from .proto files to texts in descriptors, as protoc spells them, and from these to values."""

from __future__ import annotations

import math
import struct
from typing import Any

from ..descriptor import KINDS
from . import descriptor_messages as d
from .lexer import unquote

TYPES = d.FieldDescriptorProto.Type
FLOAT_MIN = 2.0**-126  # the smallest normal number of 32 bits


def default_value(field: Any) -> Any:
    """Return the default of a scalar. Raises ValueError for a text that is not of its type."""
    return _value(field.type, field.default_value)


def _value(kind: Any, text: str) -> Any:
    if kind == TYPES.TYPE_STRING:
        return text
    if kind == TYPES.TYPE_BYTES:
        value = unquote(f'"{text}"')
        if isinstance(value, str):
            raise ValueError
        return value
    if kind == TYPES.TYPE_BOOL:
        return {"true": True, "false": False}.get(text) if text in ("true", "false") else int("not a bool")
    if kind in (TYPES.TYPE_DOUBLE, TYPES.TYPE_FLOAT):
        number = float(text)
        return _as_single(number) if kind == TYPES.TYPE_FLOAT and math.isfinite(number) else number
    if len(text) > 20:
        raise ValueError
    low, high = KINDS[TYPES(kind).name.removeprefix("TYPE_").lower()].bounds or (0, 0)
    integer = int(text)
    if not low <= integer <= high:
        raise ValueError
    return integer


def float_default(text: str, negative: bool, *, single: bool) -> str:
    """Return the text of a float as protoc writes it: 6 digits (15 for a double), or 9 (17) if these are not exact."""
    value = float(int(text, 0) if text[:2] in ("0x", "0X") else text)
    if negative:
        value = -value
    if single:
        value = _as_single(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    shown = f"{value:.{6 if single else 15}g}"
    if single:  # protoc reads the short text back with strtof, which reports an underflow for a subnormal number
        is_exact = _as_single(float(shown)) == value and (value == 0 or abs(value) >= FLOAT_MIN)
    else:
        is_exact = float(shown) == value
    return shown if is_exact else f"{value:.{9 if single else 17}g}"


def _as_single(value: float) -> float:
    """Return the nearest float of 32 bits."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)
