"""Compare two models node by node, or their values tensor by tensor.

A and B are graphs in binary, text or JSON, .meta files, or folders of SavedModels; one of them may be - for standard
input. Nodes are matched by name. Two nodes are the same if they have the same op, device, inputs, control inputs and
attributes: "n" and "n:0" are one input, control inputs have no order, and tensors are compared by their elements, not
by how they are stored. Functions are compared in the same way. Signatures, tags and collections are compared if both
models have a MetaGraph, as SavedModels and .meta files do. Values of variables are not compared.

The order of nodes counts only with --order. Attributes whose names begin with "_", and types and debug information of
nodes, count only with --internal. Different versions are always reported, but count only with --versions.

values:
  If A and B are checkpoints (their prefixes, files or folders), their tensors are compared. With --values, so are the
  values of other models: variables by their keys in the checkpoint, and constants of the graph and of functions by
  name. The constants of a frozen graph are compared with the variables of a checkpoint or SavedModel. Tensors without a
  partner are matched by content: they are renamed. "change" sorts the tensors: the L2 norm of the difference relative
  to the larger norm, from 0 to 2; for strings, the share that differs. "relative" is the largest relative difference of
  two elements, |a - b| / max(|a|, |b|).

Exit status: 0 if the models are the same, 1 if they differ, 2 if they cannot be compared.

examples:
  tfmodel diff before.pb after.pb
  tfmodel diff saved_model/ frozen.pb --quiet && echo the same
  tfmodel diff a.pb b.pb --rtol 1e-5 --atol 1e-7 --json | jq -r '.graph.changed[].name'
  tfmodel diff model.ckpt-1000 model.ckpt-2000
  tfmodel diff saved_model/ frozen.pb --values --rtol 1e-6
  tfmodel diff before.pb after.pb --html difference.html
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

import tfmodel
from pbwire.arguments import DONE, NO
from pbwire.errors import Error, compose

from ..files.checkpoints.locate import is_checkpoint
from ..reports.diff import DiffReport, diff
from ..source.model_source import Given, ModelSource
from .messages import UsageError
from .model_options import add_tags
from .page_option import add_page, check_page, write_page
from .parser import Parser, given, tolerance
from .progress import Progress
from .report_colours import DIFFERENCE, write_report

if TYPE_CHECKING:
    from ..compare.value_diff import ValuesReport

_OF_TEXT = (
    "values", "order", "versions", "internal", "ignore_defaults", "atol", "rtol", "full", "all", "quiet", "json"
)  # fmt: skip
GRAPH_OPTIONS = ("order", "versions", "internal", "ignore_defaults")


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("a", metavar="A", help="the first model")
    add("b", metavar="B", help="the second model")
    add_tags(parser)
    parser.add_flag("--values", help="compare values, not graphs: the variables and constants of both models")
    parser.add_flag("--order", help="compare the order of nodes")
    parser.add_flag("--versions", help="compare the versions of graphs")
    parser.add_flag(
        "--internal", help='compare attributes that begin with "_", and types and debug information of nodes'
    )
    parser.add_flag("--ignore-defaults", help="treat a missing attribute as if it had the default value of its op")
    add("--atol", type=tolerance, metavar="X", help="absolute tolerance for elements of tensors")
    add(
        "--rtol",
        type=tolerance,
        metavar="X",
        help="relative tolerance for elements of tensors, relative to B",
    )
    parser.add_flag("--full", help="do not shorten lists")
    parser.add_flag("--all", help="list all tensors whose values are compared, also those that are the same")
    parser.add_flag("--quiet", help="print nothing; the exit status is the result")
    parser.add_flag("--json", help="print JSON, never shortened")
    add_page(parser)


def run(args: Any) -> int:
    if args.a == args.b == "-":
        raise UsageError("only one of the two can come from standard input")
    if args.quiet and (args.full or args.all or args.json):
        option = "--full" if args.full else "--all" if args.all else "--json"
        raise UsageError(f"--quiet prints nothing: leave out {option}")
    if args.all and args.json:
        raise UsageError("--json has all tensors: leave out --all")
    a, b = _Side(args.a), _Side(args.b)
    try:
        check_page(args, _OF_TEXT)
        if args.html is not None:
            return DONE if write_page(args, args.a, args.b, tab="difference") else NO
        with Progress() as progress:
            progress.doing("comparing")
            compare = _compare_values if _has_values(args, a, b) else _compare_graphs
            report = compare(args, a.model, b.model, progress)
            text = "" if args.quiet else f"{report.to_json()}\n" if args.json else _text(report, args)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except Error as error:
        if args.values or a.has_only_values == b.has_only_values:
            raise
        raise Error(
            compose(error, "; --values compares the tensors of a checkpoint with the values of a model")
        ) from error
    write_report(text, () if args.json else DIFFERENCE)
    return DONE if report.same else NO


def _has_values(args: Any, a: _Side, b: _Side) -> bool:
    """Return whether values are compared. Raises UsageError for options that do not go with that."""
    has_values = args.values or (a.has_only_values and b.has_only_values)
    if not has_values and args.all:
        raise UsageError("--all lists tensors whose values are compared: it goes with --values and with checkpoints")
    options = [f"--{name.replace('_', '-')}" for name in GRAPH_OPTIONS if getattr(args, name)]
    if has_values and options:
        raise UsageError(f"{options[0]} is for graphs, and values are compared: leave it out")
    return has_values


class _Side:
    """A or B, which is opened once."""

    def __init__(self, path: str) -> None:
        self._path = path

    @cached_property
    def model(self) -> Given:
        return self._path if is_checkpoint(self._path) else ModelSource.of(self._path)

    @cached_property
    def has_only_values(self) -> bool:
        """Whether the file has no graph: a checkpoint, or a model of Keras. False for a file that cannot be read."""
        if not isinstance(self.model, ModelSource):
            return True
        try:
            return os.path.isfile(self._path) and self.model.keras is not None
        except (Error, OSError, ValueError):  # a path cannot contain a zero character
            return False


def _compare_graphs(args: Any, a: Given, b: Given, progress: Progress) -> DiffReport:
    return diff(
        a,
        b,
        tags=args.tags,
        internal=args.internal,
        order=args.order,
        versions=args.versions,
        defaults=not args.ignore_defaults,
        **given(args, "atol", "rtol"),
    )


def _compare_values(args: Any, a: Given, b: Given, progress: Progress) -> ValuesReport:
    return tfmodel.compare_values(
        a,
        b,
        tags=args.tags,
        progress=progress.each("comparing"),
        **given(args, "atol", "rtol"),
    )


def _text(report: DiffReport | ValuesReport, args: Any) -> str:
    if isinstance(report, DiffReport):
        return report.to_text(full=args.full)
    shown = {"max_shown": None} if args.full or args.all else {}
    return report.to_text(all=args.all, **shown)
