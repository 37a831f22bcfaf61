"""Find the value that cannot be encoded, and why. Called only after an encoder or a printer has failed."""

from __future__ import annotations

from operator import index
from struct import error as struct_error
from struct import pack
from typing import Any

from ..descriptor import KINDS, Field, Table
from ..errors import EncodeError, class_name
from ..printable import quoted_key
from ..varints import as_bytes

__all__ = ["check", "check_required"]


def check(message: Any) -> None:
    """Raise the EncodeError for the first value, in the order of writing, that its field cannot hold."""
    try:
        _check_message(message, message.__table__)
    except RecursionError:
        raise EncodeError("a message holds itself, or is nested more deeply than the recursion limit allows") from None


def check_required(message: Any) -> None:
    """Raise an EncodeError that names all missing required fields."""
    missing = list(_missing(message, ""))
    if missing:
        raise EncodeError(f"required and missing: {', '.join(missing)}", path=message.__table__.cls.__name__)


def _missing(message: Any, path: str) -> Any:
    for field in message.__table__.by_number.values():
        value = getattr(message, field.name)
        if field.required and value is None:
            yield path + field.name
        element = field.value or field
        if value and element.is_message:
            for segment, item in _elements(field, value):
                yield from _missing(item, f"{path}{segment}.")


def _elements(field: Field, value: Any) -> Any:
    """Yield the single values of a field with their path segments."""
    if field.label == "singular":
        yield field.name, value
    elif field.label == "repeated":
        for index, item in enumerate(value):
            yield f"{field.name}[{index}]", item
    else:
        for key, item in value.items():
            yield f"{field.name}[{quoted_key(key)}]", item


def _check_message(message: Any, table: Table) -> None:
    if not isinstance(message, table.cls):
        raise EncodeError(f"expected a {table.cls.__name__}, got {_described(message, table.cls)}")
    if message._unknown.__class__ is tuple:
        return  # undecoded: its bytes are written unchanged
    for field in table.by_number.values():
        try:
            if field.label == "map" and getattr(message, field.slot).__class__ is tuple:
                continue  # undecoded: its bytes are written unchanged
            value = getattr(message, field.name)
        except AttributeError:
            raise EncodeError("was deleted; assign it, or use ClearField", path=field.name) from None
        if value is None and not field.required:
            continue
        if field.label == "map":
            for key in value:
                _check_value(key, field.key, f"{field.name}[{quoted_key(key)}]: its key")
        for segment, item in _elements(field, value):
            _check_value(item, field.value or field, segment)
    if not isinstance(message._unknown, bytes):
        raise EncodeError("expected bytes", path="unknown_fields")


def _check_value(value: Any, field: Any, path: str) -> None:
    problem = ""
    kind = KINDS[field.kind]
    if field.is_message:
        try:
            _check_message(value, field.type.__table__)
        except EncodeError as error:
            raise error.within(path) from None
    elif field.kind == "string":
        problem = _string_problem(value)
    elif field.kind == "bytes":
        try:
            as_bytes(value)
        except TypeError:
            problem = f"expected bytes, got {_described(value)}"
    elif field.is_float:
        try:
            pack("<d", value)
        except (struct_error, TypeError, ValueError):
            problem = f"expected a number, got {_described(value)}"
        except OverflowError:
            problem = "is too large for a double"
    elif kind.bounds:
        problem = _integer_problem(value, field, *kind.bounds)
    elif not isinstance(value, int):
        problem = f"expected a bool, got {_described(value)}"
    if problem:
        raise EncodeError(problem, path=path)


def _string_problem(value: Any) -> str:
    if not isinstance(value, str):
        return f"expected a str, got {_described(value)}"
    try:
        value.encode()
    except UnicodeEncodeError as error:
        return f"has no UTF-8 form: character {error.start:,} is the lone surrogate {value[error.start]!a}"
    return ""


def _integer_problem(value: Any, field: Field, low: int, high: int) -> str:
    try:
        value = index(value)
    except (TypeError, ValueError):
        return f"expected an integer, got {_described(value)}"
    if not low <= value <= high:
        return f"{value:,} is out of range for {field.kind} ({low:,} to {high:,})"
    if field.is_closed_enum and value not in field.type.__numbers__:
        return f"{value} is not a member of {field.type.__name__}, which is a closed enum"
    return ""


def _described(value: Any, *expected: type) -> str:
    shown = repr(value)
    return f"{class_name(value, *expected)} {shown if len(shown) < 60 else shown[:57] + '...'}"
