"""The text, JSON, `repr` and tables of all reports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

import tfmodel
from pbwire import Message
from tfmodel.values.report import FORMAT, Report, report_json
from tfmodel.vendoring import list_parts

MODEL = "tests/data/trained/model.meta"
SAVED = tfmodel.Model(MODEL).optimize()
REPORTS = {
    "check": lambda: tfmodel.check(MODEL),
    "diff": lambda: tfmodel.diff(MODEL, "tests/data/linear.pb"),
    "values": lambda: tfmodel.compare_values("tests/data/trained/model", "tests/data/trained/model"),
    "events": lambda: tfmodel.summarize_events("tests/data/logs"),
    "find": lambda: tfmodel.find(MODEL, "op=MatMul"),
    "parts": cache(list_parts),
    "records": lambda: tfmodel.summarize_records("tests/data/examples.tfrecord"),
    "reduced": lambda: tfmodel.reduce("tests/data/linear.pb", lambda model: True),
    "signatures": lambda: tfmodel.signatures(MODEL),
    "summary": lambda: tfmodel.Model(MODEL).summary(),
    "transform": lambda: SAVED.report,
    "verify": lambda: SAVED.verify(MODEL),
    "weights": lambda: tfmodel.weights(MODEL),
}


@pytest.mark.parametrize("make", REPORTS.values(), ids=REPORTS)
class TestEveryReport:
    def test_its_str_is_its_text(self, make: Any) -> None:
        report = make()
        assert str(report) == str(report.to_text()) != ""

    def test_its_repr_is_one_short_line(self, make: Any) -> None:
        report = make()
        assert repr(report).startswith(f"<{type(report).__name__}: ")
        assert "\n" not in repr(report) and len(repr(report)) < 200

    def test_its_json_has_the_format_and_its_data(self, make: Any) -> None:
        report = make()
        assert json.loads(report.to_json()) == {"format": FORMAT, **json.loads(json.dumps(report.as_dict()))}

    def test_its_keys_are_attributes(self, make: Any) -> None:
        report = make()
        assert {*_other_keys(report.as_dict(), report, type(report).__name__)} <= COMPUTED

    def test_notebooks_show_tables_with_all_tags_closed(self, make: Any) -> None:
        html, opened = make()._repr_html_(), []

        class Tags(HTMLParser):
            def handle_starttag(self, tag: str, attrs: Any) -> None:
                opened.append(tag)

            def handle_endtag(self, tag: str) -> None:
                assert opened.pop() == tag

        Tags().feed(html)
        assert "<table>" in html and opened == []


COMPUTED = {
    "SignaturesReport.meta_graphs.concrete_functions",  # those of all its functions
    "SignaturesReport.meta_graphs.signatures.inputs.default",  # of the MetaGraph
    "WeightsReport.weights.share",  # of the bytes of all
}


def _other_keys(document: dict[str, Any], holder: Any, name: str) -> Iterator[str]:
    """Yield the keys of a document that are not attributes of its object, those inside of it too."""
    for key, value in document.items():
        if not hasattr(holder, key):
            yield f"{name}.{key}"
            continue
        inner = getattr(holder, key)
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            rows = [*inner.values()] if isinstance(inner, dict) else [*inner]
            if not isinstance(rows[0], (dict, Message)):  # messages have the fields of their .proto file
                for row, own in zip(value, rows, strict=True):
                    yield from _other_keys(row, own, f"{name}.{key}")


class Named(Report):
    def __init__(self, **document: Any) -> None:
        self.document = document

    def as_dict(self) -> dict[str, Any]:
        return self.document

    def to_text(self) -> str:
        return ""


def test_names_in_tables_are_text() -> None:
    html = Named(name="<b>", rows=[{"a": "<script>"}, {"b": [1, None]}])._repr_html_()
    assert "<b>" not in html and "<script>" not in html
    assert "&lt;b&gt;" in html and "<td>[1, null]</td>" in html


def test_long_tables_are_cut() -> None:
    html = Named(rows=[{"a": number} for number in range(1000)])._repr_html_()
    assert "rows: 1,000, the first 200" in html and html.count("<tr>") == 201


@pytest.mark.parametrize(
    ("number", "text"),
    [(float("inf"), '"Infinity"'), (float("-inf"), '"-Infinity"'), (float("nan"), '"NaN"'), (0.5, "0.5")],
)
def test_numbers_that_json_lacks_are_strings(number: float, text: str) -> None:
    assert f'"x": [\n    {text}\n  ]' in report_json({"x": [number]})
