"""How JSON spells single values that are not strings, digit for digit as protobuf's Python implementation does.

Every function here takes what an encoder would take for the same field, and raises some exception for anything else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from operator import index
from typing import Any

from ..fields import KINDS, Field
from ..numbers import Malformed, as_bool
from ..text.literals import bool_text, integer_text, texts_of

__all__ = [
    "QUOTED",
    "bool_text",
    "double_text",
    "enum_number",
    "enum_text",
    "float_texts",
    "integer_text",
    "quoted_integer",
    "texts_for",
    "unquoted_integer",
]

QUOTED = frozenset(kind for kind in KINDS if kind.endswith("64"))
"""The integers that are strings, since a reader may keep numbers as doubles."""

NAMED = {"nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}
_float_texts = texts_of(Field(1, "float"))


def double_text(value: Any) -> str:
    text = str(array("d", (value,))[0])
    return NAMED.get(text, text)


def float_texts(precision: int | None) -> Callable[[list[Any]], list[str]]:
    """The function that spells floats: with the fewest digits that tell them apart, or with so many as are given."""

    def shortest(values: list[Any]) -> list[str]:
        texts = _float_texts(values)
        return [NAMED.get(text, text) for text in texts]

    def rounded(values: list[Any]) -> list[str]:
        return [double_text(float(f"{value:.{precision}g}")) for value in array("f", values)]

    return shortest if precision is None else rounded


def enum_text(value: Any, cls: Any) -> str:
    """The first name of a number; the number itself if it has none."""
    member = cls.__numbers__.get(index(value))
    return enum_number(value, cls) if member is None else f'"{member._name_}"'


def enum_number(value: Any, cls: Any) -> str:
    if cls.__closed__ and value not in cls.__numbers__:
        raise Malformed
    return integer_text(value, "enum")


def quoted_integer(value: Any, kind: str) -> str:
    return f'"{integer_text(value, kind)}"'


def unquoted_integer(value: Any, kind: str) -> str:
    """In quotes only if it has no exact double."""
    text = integer_text(value, kind)
    return text if float(value) == value else f'"{text}"'


def texts_for(field: Field, flags: str) -> Callable[[Any, list[Any]], list[str]]:
    """The function that spells values of a repeated field, given where they go to and a list of them."""
    kind = field.kind
    if kind == "float":
        return lambda out, values: out.floats(values)
    if kind == "double":
        return lambda out, values: list(map(double_text, values))
    if kind == "bool":
        return lambda out, values: ["true" if as_bool(value) else "false" for value in values]
    if kind == "enum":
        spell, cls = enum_speller(field.type, flags), field.type
        return lambda out, values: [spell(value, cls) for value in values]
    if kind not in QUOTED:
        texts = texts_of(field)
        return lambda out, values: texts(values)
    if "u" in flags:
        return lambda out, values: [unquoted_integer(value, kind) for value in values]
    plain = texts_of(field)
    return lambda out, values: [f'"{text}"' for text in plain(values)]


def enum_speller(cls: Any, flags: str) -> Callable[[Any, Any], str]:
    """How a number of that enum is spelled."""
    if "i" in flags:
        return enum_number
    if cls.__full_name__ == "google.protobuf.NullValue":
        return lambda value, cls: "null"
    return enum_text
