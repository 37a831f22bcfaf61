"""From text to what `json.loads` makes of it, with everything refused that is not JSON.

Python's own parser accepts NaN and keeps the last of two equal keys; it is told not to. A key that stands twice makes
its object a `Repeated`, which whoever meets it refuses, knowing where it is; if nobody does, since the object belongs
to an unknown field, it is refused here.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from ..errors import JsonError
from .exact_numbers import exact_float
from .field_lookup import Repeated
from .scalars import shown

__all__ = ["Document"]

BOM = "\ufeff"


class Document:
    """The value that a text holds, and what is to be refused once it is known whether someone can say more of it.

    With `exact`, numbers that are not the float nearest to them are told apart: see `integers`.
    """

    def __init__(self, text: str | bytes | bytearray | memoryview, *, exact: bool = False) -> None:
        if not isinstance(text, str):
            text = _decoded(text)
        self.repeated: list[Repeated] = []
        self.exact = exact
        try:
            self.value: Any = self._parse(text)
        except json.JSONDecodeError as error:
            problem = f"{error.msg[:1].lower()}{error.msg[1:]}"
            if text.startswith(BOM):
                problem = "begins with a byte order mark, which is no part of JSON"
            raise JsonError(problem, line=error.lineno, column=error.colno) from None
        except _NoJson as error:
            raise _located(text, error) from None
        except RecursionError:
            raise JsonError("nested more deeply than this program's recursion limit allows") from None
        except MemoryError:
            raise JsonError("out of memory") from None

    def _parse(self, text: str) -> Any:
        hooks: dict[str, Any] = {"object_pairs_hook": self._object, "parse_constant": _refuse_constant}
        if self.exact:
            hooks["parse_float"] = exact_float
        try:
            return json.loads(text, **hooks)
        except json.JSONDecodeError:
            raise
        except ValueError:  # int() has a limit, and asking each integer for its length takes time
            return json.loads(text, parse_int=_integer, **hooks)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) == len(pairs):
            return value
        repeated = Repeated(value)
        seen: set[str] = set()
        repeated.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add() is called for what it does
        self.repeated.append(repeated)
        return repeated

    def finish(self) -> None:
        """Refuse a key that stands twice where nobody has looked."""
        if self.repeated:
            raise JsonError(f"the key {shown(self.repeated[0].key)} stands twice in one object")


def _decoded(data: bytes | bytearray | memoryview) -> str:
    try:
        return str(data, "utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise JsonError("not UTF-8", line=line, column=column) from None


class _NoJson(Exception):
    """A constant or a number that Python takes and JSON does not, and what to say of it."""

    def __init__(self, token: str, problem: str) -> None:
        super().__init__(problem)
        self.token = token


def _refuse_constant(name: str) -> NoReturn:
    raise _NoJson(name, f'{name} is not JSON; a field of floats takes "{name}", in quotes')


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise _NoJson(digits, f"an integer of {len(digits):,} digits is out of range for every field") from None


def _located(text: str, error: _NoJson) -> JsonError:
    """Where the token stands, which is the first outside of strings."""
    tokens = re.finditer(rf'"[^"\\]*(?:\\.[^"\\]*)*"|({re.escape(error.token)})', text)
    start = next((token.start() for token in tokens if token[1]), 0)
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return JsonError(str(error), line=line, column=column)
