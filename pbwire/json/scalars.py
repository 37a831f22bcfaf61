"""Print and parse scalars in JSON.

Functions that read take a value that `json.loads` returned, and return the value of the field. They raise JsonError,
without a path, for a value that the field cannot hold. Functions that print write numbers with the same digits as
protobuf in Python. They accept the same values as an encoder, and raise some exception for other values.

In JSON, numbers may be numbers or strings. An integer may have a fraction or an exponent: 1, "1", 1.0, "10e-1" and 1e0
are the same integer. Python's parser converts a number with a fraction or an exponent to a float, which rounds the
number if it needs more than 53 bits. So an integer that was made from a float may be wrong. `Rounding.happened` records
that this has occurred, and the text is then parsed again with `exact_float`.
"""

from __future__ import annotations

import json
import re
from _thread import _local as local  # threading.local, without importing threading
from array import array
from binascii import Error as BinasciiError
from binascii import a2b_base64
from collections.abc import Callable
from math import inf, isfinite, nan
from operator import index
from struct import Struct
from typing import Any

from ..descriptor import KINDS, Field
from ..errors import JsonError, escape_invisible, suggestion
from ..text.scalars import Speller, bool_texts, integer_text, joined, list_speller
from ..varints import Malformed

# --- exact integers --------------------------------------------------------------------------------------------------

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_parts = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?)0*([0-9]+))?").fullmatch

MAX_DIGITS = 40  # more than any field can hold
_TOO_LARGE = 10**MAX_DIGITS


class Rounding(local):
    """Whether this thread has made an integer of a float since `happened` was last set to False."""

    happened = False


class Rounded(float):
    """A whole float that differs from the number in the text.

    `text` is the number as it is in the text; `exact` is its value, or None if it is not an integer.
    """

    exact: int | None
    text: str


def exact_integer(text: str) -> int | None:
    """Return the value of a number if it is an integer; None for a fraction.

    For integers with more than 40 digits, return 10**40 with their sign.
    """
    match = _parts(text)
    assert match is not None, "it is a number"
    sign, whole, fraction, exponent_sign, exponent_digits = match.groups(default="")
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return 0
    is_long = len(exponent_digits) > 18  # no text has enough zeros to compensate
    exponent = 10**18 if is_long else int(exponent_digits or "0")
    zeros = (-exponent if exponent_sign == "-" else exponent) + len(digits) - len(significant) - len(fraction)
    if zeros < 0:
        return None
    number = int(significant + "0" * zeros) if len(significant) + zeros <= MAX_DIGITS else _TOO_LARGE
    return -number if sign else number


def exact_float(text: str) -> float:
    """Return the float nearest to a number. If it is whole and differs from the number, it is a `Rounded`."""
    number = float(text)
    if not number.is_integer():
        return number
    exact = exact_integer(text)
    if exact == number:
        return number
    rounded = Rounded(number)
    rounded.exact, rounded.text = exact, text
    return rounded


# --- parsing ---------------------------------------------------------------------------------------------------------


class ParseOptions:
    """Options of a call that parses."""

    __slots__ = ("ignore_unknown", "max_depth", "types")

    def __init__(self, *, ignore_unknown: bool, max_depth: int, types: Any) -> None:
        self.ignore_unknown = ignore_unknown
        self.max_depth = max_depth
        self.types = types


def describe_value(value: Any) -> str:
    """Return a value as JSON for an error, shortened."""
    if isinstance(value, str):
        text = escape_invisible(value[:60])
        return f'"{text}"' if len(value) <= 60 else f'"{text}..." ({len(value):,} characters)'
    if isinstance(value, dict):
        return "an object" if value else "{}"
    if isinstance(value, (list, tuple)):
        return "a list" if value else "[]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        if value.bit_length() > 200:
            return f"an integer of {value.bit_length():,} bits"
        return str(value)
    return f"{value.text if isinstance(value, Rounded) else repr(value):.60}"


# --- numbers -----------------------------------------------------------------------------------------------------

_integer = re.compile(r"-?(?:0|[1-9][0-9]{0,40})").fullmatch
_number = NUMBER.fullmatch
rounding = Rounding()
_NAMED = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}
_four_bytes = Struct("<f")


def _integer_reader(kind: str) -> Callable[..., int]:
    low, high = KINDS[kind].bounds or (0, 0)

    def read(value: Any, enum: str = "") -> int:
        number = value
        if value.__class__ is str:
            if _integer(value):
                number = int(value)
            elif _number(value):
                number = exact_integer(value)
        elif isinstance(value, float):
            if value.__class__ is Rounded:
                number = value.exact
            elif value.is_integer():
                rounding.happened = True
                number = int(value)
        if number.__class__ is not int:
            expected = f"a name or number of {enum}" if enum else "an integer"
            raise JsonError(f"expected {expected}, got {describe_value(value)}")
        if not low <= number <= high:
            raise JsonError(f"{describe_value(value)} is out of range for {kind} ({low:,} to {high:,})")
        return number

    return read


_read_enum_number = _integer_reader("int32")


def _read_double(value: Any) -> float:
    number = value
    if value.__class__ is str:
        if value in _NAMED:
            return _NAMED[value]
        if _number(value):
            number = float(value)
    elif number.__class__ is Rounded:
        number = float(number)
    if number.__class__ is int:
        try:
            number = float(number)
        except OverflowError:
            number = inf
    if number.__class__ is not float:
        raise JsonError(f'expected a number, "NaN", "Infinity" or "-Infinity", got {describe_value(value)}')
    if not isfinite(number):
        raise JsonError(f"{describe_value(value)} is out of range for double")
    return number


def _read_float(value: Any) -> float:
    number = _read_double(value)
    try:
        return _four_bytes.unpack(_four_bytes.pack(number))[0]  # type: ignore[no-any-return]  # values of a document have no type
    except OverflowError:
        raise JsonError(f"{describe_value(value)} is out of range for float") from None


def _read_bool(value: Any) -> bool:
    if value.__class__ is not bool:
        raise JsonError(f"expected true or false, got {describe_value(value)}")
    return value


def read_enum(value: Any, cls: Any, ignore_unknown: bool = False) -> Any:
    """Return the enum member for a name or a number; for a number without a name, the number itself.

    With `ignore_unknown`, return None for an unknown name. Raises JsonError for other values.
    """
    if value.__class__ is str:
        member = cls.__json_members__.get(value)
        if member is not None:
            return member
        if not _number(value):
            if ignore_unknown:
                return None
            raise JsonError(
                f"{cls.__name__} has no value {describe_value(value)}{suggestion(value, cls.__json_members__)}"
            )
    elif value is None and cls.__full_name__ == "google.protobuf.NullValue":
        return cls(0)
    number = _read_enum_number(value, cls.__name__)
    member = cls.__numbers__.get(number)
    if member is None and cls.__closed__:
        raise JsonError(f"{number} is not a member of {cls.__name__}, which is a closed enum")
    return number if member is None else member


# --- strings -----------------------------------------------------------------------------------------------------

_FROM_URL_SAFE = bytes.maketrans(b"-_", b"+/")


def _read_string(value: Any) -> str:
    if value.__class__ is not str:
        raise JsonError(f"expected a string, got {describe_value(value)}")
    try:
        value.isascii() or value.encode()
    except UnicodeEncodeError as error:
        raise JsonError(f"character {error.start:,} is {value[error.start]!a}, half of a surrogate pair") from None
    return value


class _Base64(local):
    is_lenient = False


base64_reading = _Base64()
"""How bytes are read in this thread: `is_lenient` ignores letters outside of the alphabet and too much padding."""


def _read_bytes(value: Any) -> bytes:
    if value.__class__ is not str:
        raise JsonError(f"expected bytes in base64, got {describe_value(value)}")
    if not len(value) % 4 and value[-3:-2] != "=":  # with correct padding, as it is printed
        try:
            return a2b_base64(value, strict_mode=True)
        except ValueError:
            pass  # the letters of URLs, or an error
    try:
        if base64_reading.is_lenient:
            data = value.encode()
            return a2b_base64((data + b"=" * (4 - len(data) % 4)).translate(_FROM_URL_SAFE))
        data = value.encode("ascii").translate(_FROM_URL_SAFE)
        content = data.rstrip(b"=")
        padding = b"=" * (-len(content) % 4)
        if data != content and data != content + padding:
            raise BinasciiError("Wrong padding")
        return a2b_base64(content + padding, strict_mode=True)
    except (UnicodeEncodeError, BinasciiError) as error:
        why = "it is not ASCII" if isinstance(error, UnicodeEncodeError) else str(error)
        raise JsonError(f"expected bytes in base64, got {describe_value(value)}: {why[:1].lower()}{why[1:]}") from None


SCALARS: dict[str, Callable[[Any], Any]] = {
    **{kind.name: _integer_reader(kind.name) for kind in KINDS.values() if kind.bounds and kind.name != "enum"},
    "double": _read_double,
    "float": _read_float,
    "bool": _read_bool,
    "string": _read_string,
    "bytes": _read_bytes,
}
"""For each kind, the function that reads one value."""


# --- keys of maps ------------------------------------------------------------------------------------------------


def _read_bool_key(key: Any) -> bool:
    if key not in ("true", "false"):
        raise JsonError(f'the key of this map is "true" or "false", not {describe_value(key)}')
    return key == "true"  # type: ignore[no-any-return]  # values of a document have no type


def _key_reader(kind: str) -> Callable[[Any], Any]:
    read = SCALARS[kind]

    def read_key(key: Any) -> Any:
        if key.__class__ is not str:
            raise JsonError(f"expected a key that is a string, got {describe_value(key)}")
        return read(key)

    return read_key


KEYS = {kind: _key_reader(kind) for kind in SCALARS if kind not in ("double", "float", "bytes")}
KEYS["bool"] = _read_bool_key

# --- lists -------------------------------------------------------------------------------------------------------


def list_reader(field: Field) -> Callable[[Any], list[Any]]:
    """Return the function that reads a list of scalars. Lists of plain values, the usual case, are read in one step."""
    read, read_plain = SCALARS[field.kind], _PLAIN_READERS.get(field.kind) or _plain_integer_reader(field.kind)

    def read_list(values: Any) -> list[Any]:
        if not values:
            return []
        result = read_plain(values)
        if result is not None:
            return result
        result = []
        try:
            for value in values:
                result.append(read(value))
        except JsonError as error:
            raise error.within(f"[{len(result)}]") from None
        return result

    return read_list


_many_integers = re.compile(r"(?:-?(?:0|[1-9][0-9]{0,18}),)*").fullmatch


def _plain_integer_reader(kind: str) -> Callable[[Any], list[Any] | None]:
    low, high = KINDS[kind].bounds or (0, 0)

    def read(values: Any) -> list[Any] | None:
        types = set(map(type, values))
        numbers = list(values)
        if types == {str}:
            if not _many_integers(",".join(values) + ","):
                return None
            try:
                numbers = list(map(int, values))
            except ValueError:  # a string holds a comma
                return None
        elif types != {int}:
            return None
        return numbers if low <= min(numbers) and max(numbers) <= high else None

    return read


def _read_plain_doubles(values: Any) -> list[Any] | None:
    return list(values) if set(map(type, values)) == {float} and all(map(isfinite, values)) else None


def _read_plain_floats(values: Any) -> list[Any] | None:
    if set(map(type, values)) != {float}:
        return None
    numbers = array("f", values).tolist()
    return numbers if all(map(isfinite, numbers)) else None


def _read_plain_bools(values: Any) -> list[Any] | None:
    return list(values) if set(map(type, values)) == {bool} else None


def _read_plain_strings(values: Any) -> list[Any] | None:
    return list(values) if set(map(type, values)) == {str} and all(map(str.isascii, values)) else None


_PLAIN_READERS: dict[str, Callable[[Any], list[Any] | None]] = {
    "double": _read_plain_doubles,
    "float": _read_plain_floats,
    "bool": _read_plain_bools,
    "string": _read_plain_strings,
    "bytes": lambda values: None,
}

# --- printing --------------------------------------------------------------------------------------------------------

QUOTED = frozenset(kind for kind in KINDS if kind.endswith("64"))
"""Kinds of integers that are printed as strings, since readers may convert numbers to doubles."""

NAMED = {"nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}
_float_texts = list_speller(Field(1, "float"))


def double_text(value: Any) -> str:
    return _double_texts([value], "")


def _double_texts(values: list[Any], between: str) -> str:
    return _with_names(joined(array("d", values).tolist(), between), between)


def _with_names(texts: str, between: str) -> str:
    """Return the texts of floats in which infinities and NaNs are named as in JSON."""
    if "n" not in texts:  # as the names have, and no number
        return texts
    return between.join([NAMED.get(text, text) for text in texts.split(between or None)])


def float_texts(precision: int | None) -> Speller:
    """Return the function that prints floats, with at most `precision` digits.

    If it is None, print the fewest digits that give the same float when parsed.
    """

    def print_shortest(values: list[Any], between: str) -> str:
        return _with_names(_float_texts(values, between), between)

    def print_rounded(values: list[Any], between: str) -> str:
        return _double_texts([float(f"{value:.{precision}g}") for value in array("f", values)], between)

    return print_shortest if precision is None else print_rounded


def enum_text(value: Any, cls: Any) -> str:
    """Return the first name of an enum's number, in quotes; the number if it has no name."""
    member = cls.__numbers__.get(index(value))
    return enum_number(value, cls) if member is None else f'"{member._name_}"'


def enum_json_text(value: Any, cls: Any) -> str:
    """Return the string that an option of the value gives it in JSON, in quotes; else as `enum_text`."""
    text = cls.__json_names__.get(index(value))
    return enum_text(value, cls) if text is None else json.dumps(text)


def enum_number(value: Any, cls: Any) -> str:
    if cls.__closed__ and value not in cls.__numbers__:
        raise Malformed
    return integer_text(value, "enum")


def quoted_integer(value: Any, kind: str) -> str:
    return f'"{integer_text(value, kind)}"'


def unquoted_integer(value: Any, kind: str) -> str:
    """Return an integer as a number, or in quotes if a double cannot represent it exactly."""
    text = integer_text(value, kind)
    return text if float(value) == value else f'"{text}"'


def list_printer(field: Field, flags: str) -> Speller:
    """Return the function that prints a list of a repeated field's values, but for floats, which have a choice."""
    kind = field.kind
    if kind == "double":
        return _double_texts
    if kind == "bool":
        return bool_texts
    if kind == "enum":
        spell, cls = enum_speller(field.type, flags), field.type
        return lambda values, between: between.join([spell(value, cls) for value in values])
    plain = list_speller(field)
    if kind not in QUOTED:
        return plain
    if "u" in flags:
        return lambda values, between: between.join([unquoted_integer(value, kind) for value in values])
    return lambda values, between: '"' + plain(values, f'"{between}"') + '"'


def enum_speller(cls: Any, flags: str) -> Callable[[Any, Any], str]:
    """Return the function that prints a number of an enum."""
    if "i" in flags:
        return enum_number
    if cls.__full_name__ == "google.protobuf.NullValue":
        return lambda value, cls: "null"
    return enum_json_text if cls.__json_names__ else enum_text
