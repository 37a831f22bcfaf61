"""The option --html of `summarize`, `weights` and `diff`: an HTML page that opens at the tab with their report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pbwire.atomic import writable

from .messages import UsageError
from .output_options import check_writable, say_written
from .page_options import PAGES
from .parser import Parser
from .progress import Progress

if TYPE_CHECKING:
    from ..drawing.page import Tab


def add_page(parser: Parser) -> None:
    parser.add_argument(
        "--html", metavar="PAGE", help="write no text, but an HTML page of the model, which opens at this report"
    )


def check_page(args: Any, others: Iterable[str]) -> None:
    """Refuse --html with options that say what is printed, and a page that cannot be written."""
    if args.html is None:
        return
    if given := next((name for name in others if getattr(args, name)), None):
        raise UsageError(f"--html writes the whole report: leave out --{given.replace('_', '-')}")
    if not args.html.lower().endswith(PAGES):
        raise UsageError(f"--html: the name of a page ends with .html, not {args.html}")
    check_writable(args.html, binary=False)


def write_page(args: Any, model: Any, other: Any = None, *, tab: Tab) -> bool:
    """Write the page of a model, or of the difference of two. Return whether the two are the same."""
    from ..drawing.page.document import build_page

    with Progress() as progress:
        progress.doing("drawing")
        content, is_same = build_page(model, other, tags=args.tags, tab=tab)
        with writable(args.html) as out:
            out.write(content)
    say_written(args.html, "page", len(content))
    return is_same
