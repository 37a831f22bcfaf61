"""Print and parse scalars in text format. Numbers are printed with the same digits as by protobuf in Python.

`TEXT_KINDS` has a record for each kind, which the printer and the parsers use.

Functions that print accept the same values as an encoder, and raise some exception for other values.

Functions that parse take a word: a number or a name, with an optional minus sign. They raise InvalidValue for a word
that is not a value of their kind.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from operator import index
from typing import Any, NamedTuple

from ..descriptor import INT32, INT64, KINDS, UINT32, UINT64, Field
from ..varints import Malformed, as_bool

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
    return str(_shortest([value])[0])


def _shortest(values: list[Any]) -> list[float]:
    """Return floats as doubles of 6 to 9 significant digits: the fewest that give the same float when parsed."""
    floats = array("f", values).tolist()
    shortest = [float(f"{value:.6g}") for value in floats]
    if shortest != floats:
        inexact = [i for i, reread in enumerate(array("f", shortest)) if reread != floats[i]]
        for precise in ("%.7g", "%.8g", "%.9g"):
            rounded = [float(precise % floats[i]) for i in inexact]
            for i, value in zip(inexact, rounded, strict=True):
                shortest[i] = value
            inexact = [i for i, reread in zip(inexact, array("f", rounded), strict=True) if reread != floats[i]]
    return shortest


def bool_text(value: Any) -> str:
    return "true" if as_bool(value) else "false"


def enum_text(value: Any, cls: Any) -> str:
    """Return the first name of a number, or the number if it has no name."""
    member = cls.__numbers__.get(index(value))
    if member is not None:
        return member._name_  # type: ignore[no-any-return]  # `cls` may be any enum
    if cls.__closed__:
        raise Malformed
    return integer_text(value, "enum")


# --- lists -------------------------------------------------------------------------------------------------------

Speller = Callable[[list[Any], str], str]  # prints all values of a list, with a text between them


def joined(numbers: list[Any], between: str) -> str:
    """Return the texts of numbers. Python prints a whole list faster than its elements."""
    return str(numbers)[1:-1].replace(", ", between)


def _float_texts(values: list[Any], between: str) -> str:
    return joined(_shortest(values), between)


def float_speller(specification: str | None) -> Speller:
    """Return the function that prints a list of floats with a format specification, or in the usual form."""
    return (
        _float_texts
        if specification is None
        else lambda values, between: between.join([format(value, specification) for value in array("f", values)])
    )


def double_speller(specification: str | None) -> Speller:
    """Return the function that prints a list of doubles with a format specification."""
    return lambda values, between: between.join([format(value, specification or "") for value in array("d", values)])


def bool_texts(values: list[Any], between: str) -> str:
    return between.join(["true" if value is True else bool_text(value) for value in values])


def _enum_speller(cls: Any) -> Speller:
    def texts(values: list[Any], between: str) -> str:
        return between.join([value._name_ if value.__class__ is cls else enum_text(value, cls) for value in values])

    return texts


class InvalidValue(Exception):
    """A value that cannot be parsed. The problem is the expected form, such as "an integer", or an invalid escape.

    `start` and `width` are the position and the length of the escape in its literal.
    """

    def __init__(self, problem: str, start: int = 0, width: int = 0) -> None:
        super().__init__(problem)
        self.problem = problem
        self.start = start
        self.width = width


# --- words -------------------------------------------------------------------------------------------------------

# An integer with a leading zero is octal. Floats are never octal, so they have no leading zeros.
_integer = re.compile(
    r"(-?+)(?:0[xX](?=[0-9a-fA-F])0*+([0-9a-fA-F]*+)|0++([0-7]*+)|([1-9][0-9]*+))"  # without leading zeros
).fullmatch
_leading_zero = re.compile(r"-?0[0-9]").match
_decimal = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fF]?").fullmatch
_named_float = re.compile(r"-?(?:inf|infinity|nan)", re.IGNORECASE | re.ASCII).fullmatch
_name = re.compile(r"-?[A-Za-z_]\w*", re.ASCII).fullmatch

MAX_DIGITS = 24  # the largest integer of 64 bits has 22, in octal


def is_word(word: str) -> bool:
    """Return whether a word is a value of any kind."""
    return any(form(word) for form in (_name, _integer, _decimal))


def _integer_reader(low: int, high: int) -> Callable[[str], int]:
    def read(word: str) -> int:
        if word.isdecimal() and word.isascii() and word[0] != "0" and len(word) < MAX_DIGITS:  # most are plain
            plain = int(word)
            if plain <= high:
                return plain
        match = _integer(word)
        if match is None:
            raise InvalidValue("octal digits after a leading 0" if _leading_zero(word) else "an integer")
        number = _number(match)
        if number is None or not low <= number <= high or (low == 0 and match[1]):
            raise InvalidValue(f"an integer from {low:,} to {high:,}")
        return number

    return read


def _number(match: re.Match[str]) -> int | None:
    """Return the integer of a match; None if it is too large for any kind."""
    sign, hexadecimal, octal, decimal = match.groups()
    digits = hexadecimal or octal or decimal or "0"
    if len(digits) > MAX_DIGITS:
        return None
    number = int(digits, 16 if hexadecimal else 8 if octal else 10)
    return -number if sign else number


def _double(word: str) -> float:
    if _decimal(word):
        return float(word.rstrip("fF"))
    if _named_float(word):
        return float(word)
    raise InvalidValue("a number without leading zeros" if _leading_zero(word) else "a number")


def _float(word: str) -> float:
    return array("f", (_double(word),))[0]  # the nearest 32-bit float, or infinity


_BOOLS = {"true": True, "True": True, "t": True, "false": False, "False": False, "f": False}


def _bool(word: str) -> bool:
    value = _BOOLS.get(word)
    if value is None:
        match = _integer(word)
        number = _number(match) if match and not match[1] else None
        if number not in (0, 1):
            raise InvalidValue("true or false")
        value = number == 1
    return value


def _enum_reader(cls: Any) -> Callable[[str], Any]:
    names, numbers = dict(cls.__members__), cls.__numbers__
    low, high = KINDS["enum"].bounds or (0, 0)

    def read(word: str) -> Any:
        member = names.get(word)
        if member is None:
            match = _integer(word)
            number = _number(match) if match else None
            member = numbers.get(number, number)
            if number is None or not low <= number <= high or (cls.__closed__ and number not in numbers):
                raise InvalidValue(f"a value of {cls.__full_name__}")
        return member

    return read


# --- kinds -------------------------------------------------------------------------------------------------------


class TextKind(NamedTuple):
    """Printing and parsing of the values of one kind. Functions take the class of an enum, and None for other kinds.

    text    source code that returns the text of `$value`, with the class of an enum as `$enum`; "" for string and bytes
    texts   returns the function that prints a list; None for string and bytes
    reader  returns the function that parses a word; None for string and bytes
    run     the pattern of a value in a long list, and the function that converts such values; None if there are no long
            lists of this kind
    """

    text: str = ""
    texts: Callable[[Any], Speller] | None = None
    reader: Callable[[Any], Callable[[str], Any]] | None = None
    run: tuple[str, Callable[[list[str]], list[Any]]] | None = None


_NATURAL = r"(?:0|[1-9][0-9]{0,19}+)"
_INTEGER = rf"-?+{_NATURAL}"
_FLOAT = r"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]*+|(?!))?+(?:[eE][+-]?+[0-9]++|(?!))?+"
_LITERAL = r'"[^"\\\n]*+"'

# Type codes of arrays by the range of their integers. An array raises OverflowError for any other integer.
_LETTERS = {INT32: "i", INT64: "q", UINT32: "I", UINT64: "Q"}


def _integers(kind: str, low: int, high: int) -> TextKind:
    letter = _LETTERS[low, high]
    return TextKind(
        f"$value if $value.__class__ is int and {low} <= $value <= {high} else integer_text($value, {kind!r})",
        lambda _: lambda values, between: str(array(letter, values).tolist())[1:-1].replace(", ", between),
        lambda _: _integer_reader(low, high),
        (_INTEGER if low else _NATURAL, lambda words: array(letter, map(int, words)).tolist()),
    )


TEXT_KINDS = {kind.name: _integers(kind.name, *kind.bounds) for kind in KINDS.values() if kind.bounds} | {
    "double": TextKind(
        "$value if $value.__class__ is float else double_text($value)",
        lambda _: lambda values, between: joined(array("d", values).tolist(), between),
        lambda _: _double,
        (_FLOAT, lambda words: list(map(float, words))),
    ),
    "float": TextKind(
        "float_text($value)",
        lambda _: _float_texts,
        lambda _: _float,
        (_FLOAT, lambda words: array("f", map(float, words)).tolist()),
    ),
    "bool": TextKind("'true' if $value is True else bool_text($value)", lambda _: bool_texts, lambda _: _bool),
    "enum": TextKind(
        "$value._name_ if $value.__class__ is $enum else enum_text($value, $enum)", _enum_speller, _enum_reader
    ),
    "string": TextKind(run=(_LITERAL, lambda words: [word[1:-1] for word in words])),
    "bytes": TextKind(run=(_LITERAL, lambda words: [word[1:-1].encode() for word in words])),
}


def list_speller(field: Field) -> Speller:
    """Return the function that prints a list of a repeated field's values."""
    texts = TEXT_KINDS[field.kind].texts
    assert texts is not None, "literals are printed one by one"
    return texts(field.type)


def word_reader(field: Field) -> Callable[[str], Any] | None:
    """Return the function that parses a word as a value of a field; None if its values are not words."""
    reader = TEXT_KINDS[field.kind].reader
    return reader and reader(field.type)
