"""The base class of reports: a text, JSON with a format version, a short `repr`, and tables for notebooks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from math import isfinite, isnan
from typing import Any

FORMAT = 1
"""The version of JSON reports: it changes if a key goes, or changes its meaning. New keys do not change it."""

NOT_FINITE = ("NaN", "Infinity", "-Infinity")
"""The spelling of numbers that JSON does not have, as strings."""

MAX_ROWS = 200
"""The maximum number of rows of a table for notebooks."""


class Report:
    """A report, whose `str` is its text. Subclasses have `to_text` and `as_dict`."""

    __slots__ = ()

    def to_text(self) -> str:
        """Return the report as text."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """Return the data for JSON."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the report as a JSON document; "format" is the version of its keys."""
        return report_json(self.as_dict())

    def __str__(self) -> str:
        return self.to_text()

    def headline(self) -> str:
        """Return the line that says most."""
        return next(iter(str(self.to_text()).splitlines()), "")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline()}>"

    def _repr_html_(self) -> str:
        """Return the data as tables, for notebooks."""
        return "".join(_tables(self.as_dict()))


def report_json(document: Mapping[str, Any], *, in_one_line: bool = False) -> str:
    """Return the data of a report as a JSON document. JSON has no infinities and NaNs: they are strings there."""
    document = {"format": FORMAT, **document}
    layout: dict[str, Any] = {"separators": (",", ":")} if in_one_line else {"indent": 2}
    try:
        return json.dumps(document, allow_nan=False, **layout)
    except ValueError:  # one of the numbers is not finite
        return json.dumps(_finite(document), allow_nan=False, **layout)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and not isfinite(value):
        return NOT_FINITE[0 if isnan(value) else 1 if value > 0 else 2]
    return value


def _tables(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table of the single values, and one for each list of objects."""
    lists = {key: value for key, value in document.items() if _is_table(value)}
    facts = [(key, value) for key, value in document.items() if key not in lists and value not in (None, "", [], {})]
    if facts:
        yield _table([], facts)
    for key, rows in lists.items():
        columns = list(dict.fromkeys(name for row in rows for name in row))
        more = f", the first {MAX_ROWS:,}" if len(rows) > MAX_ROWS else ""
        yield f"<p>{escape(key)}: {len(rows):,}{more}</p>"
        yield _table(columns, [[row.get(name) for name in columns] for row in rows[:MAX_ROWS]])


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _table(columns: list[str], rows: list[Any]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(_cell(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if columns else ''}<tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
