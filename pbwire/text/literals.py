"""How text format spells single values, digit for digit as protobuf's Python implementation does.

Every function here takes what an encoder would take for the same field, and raises some exception for anything else.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from operator import index
from typing import Any

from ..fields import KINDS, Field
from ..numbers import Malformed, as_bool

__all__ = [
    "PLAIN",
    "Speller",
    "bool_text",
    "double_text",
    "doubles_as",
    "enum_text",
    "escaped",
    "escaped_bytes",
    "escaped_utf8",
    "float_text",
    "floats_as",
    "integer_text",
    "texts_of",
]

_NAMED = {9: r"\t", 10: r"\n", 13: r"\r", 34: r"\"", 39: r"\'", 92: r"\\"}
_BYTES = tuple(_NAMED.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in range(256))

PLAIN = r"[ !#-&(-\[\]-~]"  # a character that stands for itself
_is_plain = re.compile(PLAIN + "*").fullmatch


def escaped(value: str) -> str:
    """What stands between the quotes of a string. Whatever is not ASCII becomes octal escapes of its UTF-8 form."""
    return value if _is_plain(value) else "".join([_BYTES[byte] for byte in value.encode()])


def escaped_utf8(value: str) -> str:
    """The same where UTF-8 is welcome. Then control characters that have no name stay as they are, too."""
    if _is_plain(value):
        return value
    value.encode()  # raises where there is no UTF-8 form
    return value.translate(_NAMED)


def escaped_bytes(value: bytes | memoryview) -> str:
    """What stands between the quotes of a bytes field."""
    text = str(value, "latin-1")
    return text if _is_plain(text) else "".join([_BYTES[byte] for byte in value])


# --- numbers -----------------------------------------------------------------------------------------------------


def integer_text(value: Any, kind: str) -> str:
    number = index(value)
    low, high = KINDS[kind].bounds or (0, 0)
    if not low <= number <= high:
        raise Malformed
    return str(number)


def double_text(value: Any) -> str:
    return str(array("d", (value,))[0])


def float_text(value: Any) -> str:
    return _float_texts([value])[0]


def _float_texts(values: list[Any]) -> list[str]:
    """Of each, the first of 6, 7, 8 and 9 significant digits that stand for it when read as a float."""
    floats = array("f", values).tolist()
    shortest = [float(f"{value:.6g}") for value in floats]
    if shortest != floats:
        waiting = [i for i, again in enumerate(array("f", shortest)) if again != floats[i]]
        for precise in ("%.7g", "%.8g", "%.9g"):
            rounded = [float(precise % floats[i]) for i in waiting]
            for i, value in zip(waiting, rounded, strict=True):
                shortest[i] = value
            waiting = [i for i, again in zip(waiting, array("f", rounded), strict=True) if again != floats[i]]
    return list(map(str, shortest))


def bool_text(value: Any) -> str:
    return "true" if as_bool(value) else "false"


def enum_text(value: Any, cls: Any) -> str:
    """The first name of a number; the number itself if it has none."""
    member = cls.__numbers__.get(index(value))
    if member is not None:
        return member._name_  # type: ignore[no-any-return]  # the enum is any enum
    if cls.__closed__:
        raise Malformed
    return integer_text(value, "enum")


# --- lists -------------------------------------------------------------------------------------------------------

Speller = Callable[[list[Any]], list[str]]  # what spells all values of a list

# Arrays check what they are given, and in no time.
_ARRAYS = {"int32": "i", "sint32": "i", "sfixed32": "i", "uint32": "I", "fixed32": "I", "double": "d"}
_ARRAYS |= {"int64": "q", "sint64": "q", "sfixed64": "q", "uint64": "Q", "fixed64": "Q"}


def floats_as(how: str | None) -> Speller:
    """The function that spells a list of floats as a format specification says, or as usual."""
    return _float_texts if how is None else lambda values: [format(value, how) for value in array("f", values)]


def doubles_as(how: str | None) -> Speller:
    """The same for doubles."""
    return lambda values: [format(value, how or "") for value in array("d", values)]


def texts_of(field: Field) -> Speller:
    """The function that spells a list of a repeated field's values."""
    if field.kind == "float":
        return _float_texts
    if field.kind == "enum":
        cls = field.type
        return lambda values: [value._name_ if value.__class__ is cls else enum_text(value, cls) for value in values]
    if field.kind == "bool":
        return lambda values: ["true" if value is True else bool_text(value) for value in values]
    letter = _ARRAYS[field.kind]
    return lambda values: list(map(str, array(letter, values)))
