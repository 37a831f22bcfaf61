"""Write a model as a page to look at (HTML), as an image, or as a DOT document for Graphviz.

FILE is a graph in binary, text or JSON, a .meta, or the folder of a SavedModel. With OTHER, a second model, the picture
shows what changed from FILE to OTHER.

If the name of OUT ends with .html, it becomes one page that any browser opens, offline: each signature with the bodies
of the functions that it calls, the inference and training part and the whole graph, whose scopes open with a double
click; search with the queries of `find`; the weights with values, histograms and heat maps; and the summary, with the
findings of `check`. --weights says which weights have statistics, pictures and values: "top", the 200 largest, with
48 KB of values, is the default; "all" carries 1 MB of values.

If the name ends with .svg, .png or .pdf, it becomes an image, which Graphviz makes, if it is installed. With .dot, .gv
or .txt it is a document for Graphviz; without -o, this goes into a pipe or a file, not to a terminal. Boxes are nodes,
frames are name scopes, dashed edges are control inputs. Inputs and outputs have thick green frames: those of the
signature, or else the likely ones.

Images and documents show the nodes that compute the outputs, in about 60 boxes at most; a page shows at first as many
as fit the window, and opens the others. A closed scope is one box, which shows the number of its nodes and their main
ops. Long lists of nodes are in parts, and equal blocks in stacks. Nodes that save, train or initialize, and boxes that
are linked with very many others, stand aside without edges. A message on standard error says which --depth shows more.

--overlay colours nodes by numbers: the JSON of `run --profile --json` (milliseconds) or `verify --json` (relative error
of outputs), a RunMetadata of a traced run in TensorFlow (time=FILE, the default, or memory=FILE), or any JSON file
{"NODE": NUMBER}.

examples:
  tfmodel draw saved_model/ -o model.html
  tfmodel draw before.pb after.pb -o difference.html
  tfmodel draw saved_model/ -o time.html --overlay time=run_metadata.pb
  tfmodel draw frozen.pb -o frozen.svg
  tfmodel draw frozen.pb | dot -Tpng -Gdpi=200 -o frozen.png
  tfmodel draw model.ckpt.meta -o graph.dot --depth 2
  tfmodel draw frozen.pb --around conv1/Conv2D --radius 3 -o conv1.pdf
  tfmodel draw saved_model/ --function __inference_predict_123
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import tfmodel
from pbwire.atomic import writable
from pbwire.collection import PausedCollection

from ..errors import GraphError
from ..source.missing_weights import missing_weights_note
from ..source.model_source import ModelSource
from .json_report import add_json, check_json, print_report
from .messages import RequestError, UsageError, warn
from .model_options import add_tags
from .output_options import add_output, check_writable, say_written
from .page_options import PAGES, add_page_options, overlay_options, page_options, tags_of_other
from .parser import Parser, given, positive, whole
from .progress import Progress

if TYPE_CHECKING:
    from ..drawing.graphviz import Picture

_DOCUMENTS = (".dot", ".gv", ".txt")
_IMAGES = (".eps", ".gif", ".jpeg", ".jpg", ".pdf", ".png", ".ps", ".svg", ".webp")


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the graph to draw; see below")
    add("other", metavar="OTHER", nargs="?", help="a second model, to show the difference")
    add_output(parser, help="the page, image or document to write, such as model.html, model.svg or graph.dot")
    add("--depth", type=positive, metavar="N", help="open N levels of scopes, whatever the number of boxes")
    add("--around", metavar="NODE", help="draw only the neighbourhood of a node")
    add("--radius", type=whole, metavar="N", help="the size of the neighbourhood in edges; the default is 2")
    add("--function", metavar="NAME", help="draw a function of the library; '' draws the graph")
    add_tags(parser)
    add_page_options(parser)
    add_json(parser)
    parser.add_flag("--constants", help="draw constants and variables as boxes, not inside their consumers")
    parser.add_flag("--all-edges", help="also draw the edges of boxes that stand aside")


def run(args: Any) -> int:
    if args.output is None:
        if sys.stdout.isatty():
            raise UsageError("-o model.html writes a page, and -o model.svg an image; -o - writes a DOT document here")
        args.output = "-"
    check_json(args, args.output)
    _check(args)
    quiet = args.output == "-" and sys.stdout.isatty()
    notes: tuple[str, ...] = ()
    with PausedCollection(), Progress(quiet=quiet) as progress:
        progress.doing(f"reading {args.file}")
        model = ModelSource.of(args.file, tags=args.tags, needs_weights=False)
        progress.doing("drawing")
        if _is_page(args):
            content = _page(args, model)
        else:
            drawn = _draw(args, model)
            content, notes = drawn.dot.encode(), drawn.notes
            if kind := _image_kind(args):
                from ..drawing.graphviz.images import image

                progress.doing("laying out")
                content = image(drawn.dot, kind, args.output)
        with writable(args.output) as out:
            out.write(content)
    for note in notes:
        warn(f"{model.name}: {note}")
    if note := missing_weights_note(model):
        warn(note)
    kind = "page" if _is_page(args) else "image" if _image_kind(args) else "document"
    say_written(args.output, kind, len(content))
    if args.json:
        print_report(filter(None, (args.file, args.other)), [args.output], {"kind": kind})
    return 0


def _check(args: Any) -> None:
    """Refuse invalid and contradictory options before a file is read."""
    if _is_page(args):
        options = ("depth", "around", "radius", "constants", "all_edges")
        unused = [name for name in options if getattr(args, name)] + ["function"] * (args.function is not None)
        if unused:
            raise UsageError(f"--{unused[0].replace('_', '-')} is for Graphviz: in a page, scopes are opened by clicks")
    elif args.weights is not None:
        raise UsageError("--weights is for a page: -o model.html")
    if args.radius is not None and args.around is None:
        raise UsageError("--radius belongs to --around")
    check_writable(args.output, binary=bool(_image_kind(args)))
    if os.path.splitext(args.output)[1].lower() not in ("", *PAGES, *_IMAGES, *_DOCUMENTS):
        raise UsageError(
            f"-o {args.output}: draw writes a page (.html), an image (.svg, .png, .pdf) or .dot for Graphviz"
        )
    if _image_kind(args):
        from ..drawing.graphviz.images import check_installed

        check_installed(args.output)


def _is_page(args: Any) -> bool:
    return bool(args.output.lower().endswith(PAGES))


def _image_kind(args: Any) -> str:
    """Return the kind of image that OUT is, as Graphviz names it; empty for other files."""
    suffix = os.path.splitext(args.output)[1].lower()
    return suffix[1:] if suffix in _IMAGES else ""


def _page(args: Any, model: ModelSource) -> bytes:
    return tfmodel.page(model, args.other, **page_options(args))


def _draw(args: Any, model: ModelSource) -> Picture:
    from ..drawing.graphviz import picture

    try:
        return picture(
            model,
            args.other,
            depth=args.depth,
            around=args.around,
            function=args.function,
            constants=args.constants,
            all_edges=args.all_edges,
            tags=tags_of_other(args),
            **given(args, "radius"),
            **overlay_options(args),
        )
    except GraphError as error:
        raise RequestError(str(error), file=model.name) from error
