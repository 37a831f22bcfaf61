"""Defaults of fields: from the texts in descriptors to values."""

from __future__ import annotations

import math
from typing import Any

from ..descriptor import KINDS
from ..errors import ProtoError
from . import descriptor_messages as d
from .lexer import shown, unquote
from .numbers import as_single

__all__ = ["default_value"]

TYPES = d.FieldDescriptorProto.Type


def default_value(field: Any) -> Any:
    """Return the default of a scalar. Raises ProtoError for a text that is not of its type."""
    text = field.default_value
    try:
        return _value(field.type, text)
    except ValueError:
        raise ProtoError(f'"{shown(text)}" is not a default for the field "{field.name}"') from None


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
        return as_single(number) if kind == TYPES.TYPE_FLOAT and math.isfinite(number) else number
    if len(text) > 20:
        raise ValueError
    low, high = KINDS[TYPES(kind).name.removeprefix("TYPE_").lower()].bounds or (0, 0)
    integer = int(text)
    if not low <= integer <= high:
        raise ValueError
    return integer
