"""The options of the page that `draw` and `view` write."""

from __future__ import annotations

from typing import Any

from .parser import Parser

PAGES = (".html", ".htm")
"""The ends of the names of pages."""


def add_page_options(parser: Parser) -> None:
    add = parser.add_argument
    add("--weights", choices=("none", "top", "all"), help="for a page: the weights with statistics and a histogram")
    add("--overlay", metavar="FILE", help="a number for each node; see below")


def page_options(args: Any) -> dict[str, Any]:
    """Return the options of `page`."""
    values = {} if args.weights is None else {"values": args.weights}
    return {"tags": tags_of_other(args), **values, **overlay_options(args)}


def tags_of_other(args: Any) -> Any:
    return args.tags if args.other is not None else None


def overlay_options(args: Any) -> dict[str, Any]:
    """Return the options of `page` and `picture` for the overlay, if there is one."""
    if args.overlay is None:
        return {}
    from ..drawing.overlays import OVERLAYS, read_overlay

    what, equals, path = args.overlay.partition("=")
    known = bool(equals) and what in OVERLAYS
    overlay = read_overlay(path, what) if known else read_overlay(args.overlay)
    return {"overlay": overlay.values, "overlay_unit": overlay.unit}
