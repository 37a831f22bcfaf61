"""Open a model in the browser: the page of `draw`, written to a temporary file or to OUT.

FILE is a graph in binary, text or JSON, a .meta, or the folder of a SavedModel. With OTHER, a second model, the page
shows what changed from FILE to OTHER. The page needs no network and no server. Its path is printed; -o names another.

examples:
  tfmodel view saved_model/
  tfmodel view before.pb after.pb
"""

from __future__ import annotations

import os
import tempfile
import webbrowser
from pathlib import Path
from typing import Any

import tfmodel
from pbwire.arguments import DONE, FAILED
from pbwire.atomic import writable
from pbwire.collection import PausedCollection

from ..source.missing_weights import missing_weights_note
from ..source.model_source import ModelSource
from ..values.terminal import escape
from .json_report import add_json, print_report
from .messages import UsageError, warn
from .model_options import add_tags
from .output_options import add_output, check_writable
from .page_options import PAGES, add_page_options, page_options
from .parser import Parser
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="the model to look at; see below")
    parser.add_argument("other", metavar="OTHER", nargs="?", help="a second model, to show the difference")
    add_output(parser, help="write the page to this file, such as model.html")
    add_tags(parser)
    add_page_options(parser)
    add_json(parser)


def run(args: Any) -> int:
    if args.output is not None:
        if not args.output.lower().endswith(PAGES):
            raise UsageError(
                f"-o {args.output}: view writes a page (.html); draw also writes images (.svg, .png, .pdf)"
            )
        check_writable(args.output)
    with PausedCollection(), Progress() as progress:
        progress.doing(f"reading {args.file}")
        model = ModelSource.of(args.file, tags=args.tags, needs_weights=False)
        progress.doing("drawing")
        content = tfmodel.page(model, args.other, **page_options(args))
    path = args.output or _temporary(args.file)
    with writable(path) as out:
        out.write(content)
    if not args.json:
        print(escape(path), flush=True)
    if note := missing_weights_note(model):
        warn(note)
    is_opened = webbrowser.open(Path(path).absolute().as_uri())
    if not is_opened:
        warn("no browser was found here: open the page above in one")
    if args.json:
        print_report(filter(None, (args.file, args.other)), [path], {"kind": "page", "opened": is_opened})
    return DONE if is_opened else FAILED


def _temporary(file: str) -> str:
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in Path(file).name)
    return os.path.join(tempfile.mkdtemp(prefix="tfmodel-"), f"{name or 'model'}.html")
