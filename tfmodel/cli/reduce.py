"""Reduce a model to the smallest graph that still shows a problem, as for a report of a fault.

FILE is a graph in binary, text or JSON, a .meta, the folder of a SavedModel, or - for standard input. A model with
variables and a checkpoint is frozen first. OUT is the smallest graph so far: it is written whenever a smaller one is
found, so the search may be ended at any time. Inputs that are left have their values in OUT's .npz (small.npz beside
small.pb).

One option says what the problem is:

  --check COMMAND        a command that fails for a graph with the problem. {} stands for the path of the graph, and
                         {feeds} for an .npz with the values of its inputs; without {}, the path is the last argument.
                         Status 0 means that the graph is fine, 125 that the command cannot tell (as in git bisect), any
                         other status, or the end by a signal, that the problem is there. --match TEXT: only if the
                         command prints TEXT. No shell is used: for one, write --check 'sh -c "..."'
  --differs-from OTHER   a tensor has another value than the tensor of this name in OTHER, such as the graph before a
                         transform
  --fails                the run on NumPy fails; smaller graphs must fail with an error of the same words

The search cuts the graph after ever fewer nodes, puts constants with the values of a sample run in place of all but a
few nodes, and finds by delta debugging which nodes are needed. Then it tries constants for inputs, zeros for constants,
and the graph without devices and annotations. Inputs get the values of --feed, or random ones; --samples N tries N
random samples, and uses the first that shows the problem. --repeat N asks N times, for problems that come and go.

With --state FILE, all answers are kept in FILE: the same command goes on where it ended.

Exit status: 0 if OUT was written, 2 if the model does not show the problem or cannot be read.

examples:
  tfmodel reduce model.pb -o small.pb --check './convert.sh {}' --match 'unsupported op'
  tfmodel reduce after.pb -o small.pb --differs-from before.pb --samples 5
  tfmodel reduce model.pb -o small.pb --fails --feed x=picture.npy
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from pbwire.arguments import INTERRUPTED

from ..files.access.forms import form_of
from ..files.array_files import npz_writer
from ..files.files import save
from ..model import Model
from ..ops import own_ops
from ..values.names import TensorName
from .import_report import import_status
from .input_options import parse_feeds, parse_shapes
from .json_report import add_json, print_report
from .messages import UsageError, in_options, warn
from .model_options import add_checkpoint, add_signature, add_tags
from .output_options import add_output, check_writable, refuse_other_suffixes, target_name
from .parser import Parser, given, positive, tolerance
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the model; see below")
    add_output(parser, help="the smallest graph: .pb, .pbtxt or .json")
    add("--check", metavar="COMMAND", help="a command that fails if the problem is there; see below")
    add("--match", metavar="TEXT", help="with --check, a text that the command must print")
    add("--timeout", type=positive, metavar="SECONDS", help="with --check, end the command after so many seconds")
    add("--differs-from", metavar="OTHER", help="the model that is right; see below")
    add("--rtol", type=tolerance, metavar="X", help="with --differs-from, the relative tolerance; the default is 1e-4")
    parser.add_flag("--fails", help="the problem is a run on NumPy that fails")
    add("--outputs", metavar="NAMES", help="the tensors that show the problem, separated by commas")
    add("--feed", metavar="NAME=VALUE", action="append", default=[], help="the value of an input, as for run")
    add("--shape", metavar="NAME=SIZES", action="append", default=[], help="the shape of a random input: x=1,224,224,3")
    add("--seed", type=int, metavar="N", help="the seed of random inputs; the default is 0")
    add("--samples", type=positive, metavar="N", help="the number of random samples; the default is 1")
    add("--repeat", type=positive, metavar="N", help="the number of times a check is asked; the default is 1")
    add("--state", metavar="FILE", help="keep the answers of checks in this file; see below")
    add_checkpoint(parser)
    add_signature(parser, "the signature with the outputs")
    add_tags(parser)
    add_json(parser)


def run(args: Any) -> int:
    _check_options(args)
    written = _Written(args.output)
    with Progress() as progress:
        progress.doing(f"reading {args.file}")
        model = Model(args.file, checkpoint=args.checkpoint, signature=args.signature, tags=args.tags)
        try:
            report = model.reduce(
                args.check,
                differs_from=args.differs_from,
                fails=args.fails,
                outputs=args.outputs,
                feeds=parse_feeds(args.feed, args.seed),
                shapes=parse_shapes(args),
                timeout=args.timeout,
                rtol=args.rtol,
                improved=written.write,
                progress=progress.doing,
                **given(args, "samples", "seed", "match", "repeat", "state"),
            )
        except KeyboardInterrupt:
            if written.nodes is None:
                raise
            warn(f"{target_name(args.output)}: ended early; the smallest graph so far has {written.nodes:,} nodes")
            return INTERRUPTED
    if not args.json:
        sys.stdout.write(in_options(report.to_text()))
    feeds = f", and {written.archive} the values of its inputs" if report.feeds else ""
    warn(f"{target_name(args.output)}: {report.nodes:,} node{'s' * (report.nodes != 1)}{feeds}")
    status = import_status(
        [report.model.graph], args.output, file=args.file, declared=own_ops(model.meta), has_option=False, written=True
    )
    if args.json:
        print_report([args.file], [args.output, *([written.archive] if report.feeds else [])], report.as_dict())
    return status


def _check_options(args: Any) -> None:
    """Raise UsageError for options that are missing, or have no effect together."""
    checks = [option for option, value in _CHECKS if getattr(args, value)]
    if len(checks) != 1:
        given = " and ".join(checks) or "none"
        raise UsageError(f"name one of --check, --differs-from and --fails, not {given}")
    for option, needed in (("match", "--check"), ("timeout", "--check"), ("rtol", "--differs-from")):
        if getattr(args, option) is not None and checks != [needed]:
            raise UsageError(f"--{option} goes with {needed}")
    if args.file == args.differs_from == "-":
        raise UsageError("standard input is only one model")
    if not args.output or args.output == "-":
        raise UsageError("the smallest graph goes to a file: add -o OUT")
    check_writable(args.output)
    refuse_other_suffixes(args.output)
    if args.state:
        check_writable(args.state)


_CHECKS = (("--check", "check"), ("--differs-from", "differs_from"), ("--fails", "fails"))


class _Written:
    """Writes each smaller graph, and the values of its inputs beside it."""

    def __init__(self, target: str) -> None:
        self._target = target
        self.archive = f"{os.path.splitext(target)[0]}.npz"
        self.nodes: int | None = None

    def write(self, model: Model, feeds: Mapping[str, Any]) -> None:
        """Write a graph, and the feeds if it has inputs; an archive of a larger graph is removed."""

        if feeds:
            with npz_writer(self.archive) as add:
                for name, value in feeds.items():
                    add(str(TensorName.parse(name)), value)
        save(model.graph, self._target, format=form_of(self._target))
        if not feeds and self.nodes is not None and os.path.exists(self.archive):
            os.remove(self.archive)
        self.nodes = len(model.graph.node)
