"""Write the page: one HTML file with the style, the script and the data of a model.

Script and style are in the page as they are written, at most 200,000 bytes together. A page takes at most 200 KB, 40
bytes a node, and 200 bytes a weight. Heat maps are apart: a cell takes about a byte, and `heat_maps.side_of` limits the
cells of each; and so are values of weights, which `carried` limits.
"""

from __future__ import annotations

import base64
import hashlib
from array import array
from collections.abc import Mapping
from functools import cache
from html import escape as html_escape
from pkgutil import get_data
from typing import Any, Literal, NamedTuple, get_args

from pbwire.collection import PausedCollection
from pbwire.errors import without
from pbwire.lazy.messages import decode_small

from ...errors import Error
from ...files.decoding import Tags
from ...options import parameters_of
from ...parameters.listing import weights
from ...parameters.weight import Weight
from ...source.model_source import Given, ModelSource, source_pair
from ...values.terminal import escape
from ..outlines import cut, title_of
from .data import numbers_of_nodes, pack, page_data
from .report import report_data

Tab = Literal["graph", "weights", "summary", "difference"]
Values = Literal["none", "top", "all"]
"""The tabs of the page; the last one only if two models are compared."""

MODULES = (
    "start", "data", "tree", "query", "matching", "layers", "crossings", "coordinates", "layout", "opening", "theme",
    "view", "pointer", "edges", "draw", "export", "details", "entrances", "outline", "search", "values", "summary",
    "tables", "keys", "main",
)  # fmt: skip
"""The modules of the script, in the order in which they are joined."""


@parameters_of(lambda: build_page)
def page(*args: Any, **options: Any) -> bytes:
    """Return an HTML page that shows a model; with `other`, the difference from `model` to `other`.

    values          which weights have statistics and a histogram: "none", "top" (the 200 largest) or "all"
    overlay         a number for each node, which colours it; `overlay_unit` is shown behind it
    tab             the tab that is open

    The page needs no other file and no network. Equal input gives equal bytes. Raises ValueError for an unknown tab or
    choice of values, and the errors of `load` for the models.
    """
    return build_page(*args, **options).content


class Page(NamedTuple):
    """A page, and whether the two models that it compares are the same; True for one model."""

    content: bytes
    is_same: bool


def build_page(
    model: Given,
    other: Given | None = None,
    *,
    tags: Tags = None,
    values: Values = "top",
    overlay: Mapping[str, float] | None = None,
    overlay_unit: str = "",
    tab: Tab = "graph",
) -> Page:
    """Return what `page` does, with the result of the comparison."""
    with PausedCollection():  # it would walk through all nodes again and again
        facts = {"tab": tab, "overlay": {"unit": overlay_unit, "values": overlay}} if overlay else {"tab": tab}
        header, columns, carried = _data(model, other, tags, values, facts)
        content = _document(header["title"], pack(header, columns, carried)).encode("utf-8", "replace")
    return Page(content, other is None or header["difference"]["same"])


def _data(
    model: Given, other: Given | None, tags: Tags, values: str, facts: dict[str, Any]
) -> tuple[dict[str, Any], Mapping[str, array[int]], bytes]:
    if facts["tab"] not in get_args(Tab) or values not in get_args(Values):
        raise ValueError(f"tab must be one of {', '.join(get_args(Tab))} and values none, top or all")
    earlier: list[dict[str, Any]] = []
    changed = None
    if other is not None:
        from ..difference import changed_nodes, compare  # one model does not need it

        first, reported = source_pair(model, other, tags=tags)
        reported = reported.keeping_facts()
        drawn, facts["difference"] = compare(first, reported)
        drawn = drawn.keeping_facts()
        changed = changed_nodes(facts["difference"])
        facts["title"] = f"{title_of(first)} → {title_of(reported)}"
        earlier = weight_rows(first, values)[0]
    else:
        reported = drawn = ModelSource.of(model, tags=tags).keeping_facts()
        facts["title"] = title_of(reported)
    decode_nodes(reported)
    if reported.missing:
        values = "none"
    facts["weights"], facts["weights_note"], carried = weight_rows(reported, values)
    with drawn.naming():
        header, columns = page_data(drawn, changed)
        numbers = numbers_of_nodes(drawn, header)
        number_nodes(facts, numbers)
    facts["report"] = report_data(reported, numbers)
    if other is not None:
        facts["difference"]["histograms"] = _changed_histograms(earlier, facts["weights"])
    return header | facts, columns, carried


def number_nodes(facts: dict[str, Any], numbers: Mapping[str, Mapping[str, int]]) -> None:
    """Put the numbers of nodes into the weights, the overlay and the difference. Nodes that are gone are left out."""
    for row in facts["weights"]:
        if row["name"] in numbers[""]:
            row["node"] = numbers[""][row["name"]]
    if "overlay" in facts:
        values = facts["overlay"]["values"].items()
        pairs = [(numbers[""][name], value) for name, value in values if name in numbers[""]]
        facts["overlay"] = facts["overlay"] | {"values": sorted(pairs)}
    if "difference" in facts:
        rows = facts["difference"]["status"]
        facts["difference"]["status"] = sorted(
            (numbers[function][name], *row) for function, name, *row in rows if name in numbers.get(function, ())
        )


def decode_nodes(source: ModelSource) -> None:
    """Decode all nodes but those with large values, since the page has all their attributes; and all signatures."""
    with source.naming():
        functions = source.graph.library.function if source.graph.library is not None else []
        decode_small(function.signature for function in functions if function.signature is not None)
        for nodes in (source.graph.node, *(function.node_def for function in functions)):
            decode_small(nodes)


def _changed_histograms(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the histograms of weights before, by name, if they are others now."""
    now = {row["name"]: row.get("histogram") for row in after}
    earlier = {row["name"]: row.get("histogram") for row in before}
    return {
        name: histogram for name, histogram in earlier.items() if histogram and now.get(name) not in (None, histogram)
    }


def weight_rows(source: ModelSource, values: str) -> tuple[list[dict[str, Any]], str, bytes]:
    """Return the rows of the weights, largest first; a note if there are none, or not all have values; and values."""
    most = {"none": 0, "top": 200, "all": None}[values]
    carried = bytearray()
    try:
        report = weights(source)
        rows = {id(weight): _row(weight) for weight in report.weights}
        with source.naming():
            if measured := [weight for weight in report.weights[:most] if _has_numbers(weight)]:
                from .measuring import measure  # imports numpy

                for weight, (changed, pictures) in zip(measured, measure(measured, values, carried), strict=True):
                    rows[id(weight)] = _row(changed) | pictures
    except Error as error:
        return [], cut(without(source.name, error)), b""
    note = f"values of the {most} largest" if most and len(rows) > most else ""
    return [*rows.values()], note, bytes(carried)


def _has_numbers(weight: Weight) -> bool:
    return weight.reader is not None and weight.value_dtype.kind in "fiub"


def _row(weight: Weight) -> dict[str, Any]:
    """Return what the page shows of a weight, without what is unknown."""
    statistics, quantized = weight.statistics, weight.quantized
    names = ("min", "max", "mean", "std", "zeros", "nan", "inf")
    row = {
        "name": weight.name,
        "role": weight.role or None,
        "dtype": weight.dtype,
        "shape": None if weight.shape is None else [None if size < 0 else size for size in weight.shape],
        "bytes": weight.bytes,
        "distinct": weight.distinct.values if weight.distinct is not None else None,
        "steps": None if quantized is None else [_rounded(float(end(quantized.steps))) for end in (min, max)],
        "statistics": None if statistics is None else {name: _rounded(getattr(statistics, name)) for name in names},
    }
    return {fact: value for fact, value in row.items() if value is not None}


def _rounded(number: float | None) -> float | None:
    """Return a number with the four digits that the page shows, and enough others to round them once more."""
    return float(f"{number:.8g}") if isinstance(number, float) else number


# --- the document ----------------------------------------------------------------------------------------------------


def page_file(name: str) -> str:
    """Return the text of a file of this package."""
    data = get_data(__package__, name)
    assert data is not None
    return data.decode().replace("\r\n", "\n")


@cache
def _style_and_script() -> tuple[str, str]:
    modules = "\n".join(page_file(f"js/{name}.js") for name in MODULES)
    return page_file("page.css"), f'"use strict";\n(() => {{\n{modules}}})();\n'


def _document(title: str, data: str) -> str:
    style, script = _style_and_script()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    shown = html_escape(escape(title))
    parts = {"TITLE": shown, "POLICY": policy, "STYLE": style, "DATA": data, "SCRIPT": script}
    pieces = page_file("page.html").split("%%")
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
