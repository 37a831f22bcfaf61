"""Open a model in the browser: the page of `draw`, written to a temporary file.

FILE is a graph in binary, text or JSON, a .meta, or the folder of a SavedModel. With OTHER, a second model, the page
shows what changed from FILE to OTHER. The page needs no network and no server; its path is printed, so that it can be
kept. `draw -o model.html` writes the same page to a place of your own.

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
from pbwire.atomic import writable
from pbwire.collection import PausedCollection

from ..source.missing_weights import missing_weights_note
from ..source.model_source import ModelSource
from ..values.terminal import escape
from .messages import warn
from .model_options import add_tags
from .page_options import add_page_options, page_options
from .parser import Parser
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="the model to look at; see above")
    parser.add_argument("other", metavar="OTHER", nargs="?", help="a second model, to show the difference")
    add_tags(parser)
    add_page_options(parser)


def run(args: Any) -> int:
    with PausedCollection(), Progress() as progress:
        progress.doing(f"reading {args.file}")
        model = ModelSource.of(args.file, tags=args.tags, needs_weights=False)
        progress.doing("drawing")
        content = tfmodel.page(model, args.other, **page_options(args))
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in Path(args.file).name)
    path = os.path.join(tempfile.mkdtemp(prefix="tfmodel-"), f"{name or 'model'}.html")
    with writable(path) as out:
        out.write(content)
    print(escape(path), flush=True)
    if note := missing_weights_note(model):
        warn(note)
    if not webbrowser.open(Path(path).as_uri()):
        warn("no browser was found here: open the page above in one")
        return 1
    return 0
