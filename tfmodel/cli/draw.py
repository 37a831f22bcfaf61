"""Draw a model as an HTML page to look at or as an SVG image, or a graph as a DOT document for Graphviz.

FILE is a graph in binary, text or JSON, a .meta, or the folder of a SavedModel.

If the name of OUT ends with .html, it becomes one page that any browser opens, offline: the graph, whose scopes open
with a double click, search with the queries of `find`, the weights with histograms and heat maps, and the summary. With
OTHER, a second model, the page shows what changed from FILE to OTHER. --weights says which weights have statistics, a
histogram and a heat map: "top", the 200 largest, is the default.

--overlay colours nodes by numbers: the JSON of `run --profile --json` (milliseconds) or `verify --json` (relative error
of outputs), a RunMetadata of a traced run in TensorFlow (time=FILE, the default, or memory=FILE), or any JSON file
{"NODE": NUMBER}.

If the name ends with .svg, it becomes an image of the page's first picture: the nodes that compute the outputs, in at
most about 60 boxes; with OTHER, what changed; with --overlay, coloured by numbers.

Any other OUT is a document for Graphviz; without -o, it is written to standard output. Boxes are nodes, frames are name
scopes, dashed edges are control inputs. Inputs and outputs have thick green frames: those of the signature, or else the
likely ones.

A graph with more than 60 boxes is folded: a scope becomes one box, which shows the number of its nodes and their most
frequent ops, and parallel edges become one. If that does not help, because most nodes are in one scope or there are
too many scopes, boxes with similar names are joined, or neighbours in execution order. A message on standard error says
how the graph is folded, and which --depth shows more or less.

examples:
  tfmodel draw saved_model/ -o model.html
  tfmodel draw before.pb after.pb -o difference.html
  tfmodel draw saved_model/ -o time.html --overlay time=run_metadata.pb
  tfmodel draw frozen.pb -o frozen.svg
  tfmodel draw frozen.pb | dot -Tpdf -o frozen.pdf
  tfmodel draw model.ckpt.meta -o graph.dot --depth 2
  tfmodel draw frozen.pb --around conv1/Conv2D --radius 3 | dot -Tpng -o conv1.png
  tfmodel draw saved_model/ --function __inference_predict_123
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pbwire.atomic import writable

from ..errors import GraphError
from ..graph.index import garbage_collector_paused
from ..source.model_source import ModelSource, source_without_weights
from ..starting import command_prefix
from .input_options import add_tags
from .messages import RequestError, UsageError, warn
from .output_options import add_output, check_writable
from .parser import Parser, positive, whole
from .progress import Progress

if TYPE_CHECKING:
    from ..drawing.graphviz import Picture
    from ..messages import GraphDef

__all__ = ["add_arguments", "run"]

_IMAGES = (".gif", ".jpeg", ".jpg", ".pdf", ".png", ".ps", ".webp")


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the graph to draw; see above")
    add("other", metavar="OTHER", nargs="?", help="for a page or an SVG image: a second model, to show the difference")
    add_output(parser, help="the page or document to write, such as model.html or graph.dot")
    parser.set_defaults(output="-")
    add("--depth", type=positive, metavar="N", help="fold scopes at depth N, whatever the number of boxes")
    add("--around", metavar="NODE", help="draw only the neighbourhood of a node")
    add("--radius", type=whole, metavar="N", help="the size of the neighbourhood in edges; the default is 2")
    add("--function", metavar="NAME", help="draw a function of the library")
    add_tags(parser)
    add("--weights", choices=("none", "top", "all"), help="for a page: the weights with statistics and a histogram")
    add("--overlay", metavar="FILE", help="for a page or an SVG image: a number for each node; see above")
    parser.add_flag("--constants", help="draw constants as boxes of their own, not inside their consumers")
    parser.add_flag("--all-edges", help="also draw the edges of boxes that are linked with most other boxes")


def run(args: Any) -> int:
    _check(args)
    quiet = args.output == "-" and sys.stdout.isatty()
    with garbage_collector_paused(), Progress(quiet=quiet) as progress:
        progress.doing(f"reading {args.file}")
        if _is_page(args) or _is_image(args):
            progress.doing("drawing")
            model = source_without_weights(args.file, tags=args.tags)
            content = _page(args, model) if _is_page(args) else _image(args, model)
            with writable(args.output) as out:
                out.write(content)
            if note := model.note_missing():
                warn(note)
            return 0
        model = source_without_weights(args.file, tags=args.tags)
        graph = model.graph
        progress.doing("drawing")
        with model.naming_damage():
            drawn = _draw(args, graph, model)
        with writable(args.output) as out:
            out.write(drawn.dot.encode())
    for note in drawn.notes:
        warn(f"{model.name}: {note}")
    if note := model.note_missing():
        warn(note)
    return 0


def _check(args: Any) -> None:
    """Refuse invalid and contradictory options before a file is read."""
    if _is_page(args) or _is_image(args):
        options = ("depth", "around", "radius", "function", "constants", "all_edges")
        if given := [name for name in options if getattr(args, name)]:
            instead = (
                "in a page, scopes are opened by clicks"
                if _is_page(args)
                else f"draw FILE | dot -Tsvg -o {args.output}"
            )
            raise UsageError(f"--{given[0].replace('_', '-')} is for Graphviz: {instead}")
    if not _is_page(args):
        for name in ("weights",) if _is_image(args) else ("other", "weights", "overlay"):
            if getattr(args, name) is not None:
                what = "a second model" if name == "other" else f"--{name}"
                raise UsageError(f"{what} is for a page: -o model.html")
    if args.radius is not None and args.around is None:
        raise UsageError("--radius belongs to --around")
    if args.output.lower().endswith(_IMAGES):
        suffix = args.output.rpartition(".")[2].lower()
        raise UsageError(f"-o: Graphviz makes images: {command_prefix()} draw FILE | dot -T{suffix} -o {args.output}")
    check_writable(args.output, binary=False)


def _is_page(args: Any) -> bool:
    return bool(args.output.lower().endswith((".html", ".htm")))


def _is_image(args: Any) -> bool:
    return bool(args.output.lower().endswith(".svg"))


def _image(args: Any, model: ModelSource) -> bytes:
    from ..drawing.page.svg import svg

    return svg(model, args.other, tags=args.tags if args.other is not None else None, **_overlay(args))


def _page(args: Any, model: ModelSource) -> bytes:
    from ..drawing.page import page

    tags = args.tags if args.other is not None else None
    return page(model, args.other, tags=tags, values=args.weights or "top", **_overlay(args))


def _overlay(args: Any) -> dict[str, Any]:
    """Return the options of `page` and `svg` for the overlay, if there is one."""
    if args.overlay is None:
        return {}
    from ..drawing.overlays import OVERLAYS, read_overlay

    what, equals, path = args.overlay.partition("=")
    known = bool(equals) and what in OVERLAYS
    overlay = read_overlay(path, what) if known else read_overlay(args.overlay)
    return {"overlay": overlay.values, "overlay_unit": overlay.unit}


def _draw(args: Any, graph: GraphDef, model: ModelSource) -> Picture:
    from ..analysis.choice import choose_if_readable
    from ..drawing.graphviz import picture

    try:
        return picture(
            graph,
            depth=args.depth,
            around=args.around,
            radius=2 if args.radius is None else args.radius,
            function=args.function,
            constants=args.constants,
            all_edges=args.all_edges,
            title=_title(args, model.name),
            endpoints=choose_if_readable(model) if args.function is None else None,
        )
    except GraphError as error:
        raise RequestError(str(error), file=model.name) from error


def _title(args: Any, name: str) -> str:
    what = f", function {args.function}" if args.function is not None else ""
    return f"{name}{what}" + (f", around {args.around}" if args.around is not None else "")
