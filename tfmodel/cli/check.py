"""Check whether a model is sound and safe, without running anything of it.

FILE is a graph in binary, text or JSON, a .meta file, the folder of a SavedModel, or - for standard input.

broken:
  Faults because of which TensorFlow refuses the model, or cannot run a part of it: names, references, types, loops and
  functions of the graph; unknown ops, and ops removed before the graph's version; attributes that are missing, or that
  an op does not allow; damaged constants; contradicting shapes; signatures, savers, collections, assets and objects
  that name what does not exist; tensors that the checkpoint lacks, or has in another type or shape. --values also reads
  all values of the checkpoint, and compares them with their checksums.

unsafe:
  Nodes that do more than compute: they call Python or native code, write, read or list files, open connections, change
  settings, end the process, or do not end: loops whose condition stays true as far as constants, counters and variables
  that the loop does not change tell, loops of more than 100 million iterations, functions that call each other,
  datasets without an end. The signatures that run them are listed. Two uses of files are not reported:
  reading an asset of the model, and saving and restoring a checkpoint whose name the caller gives. Such a name may be
  passed on and chosen, but not made: a path that any op computes, that a variable or the content of a file holds, or
  that is a default is reported. The model's own list of ops is not trusted. All MetaGraphs of a SavedModel count,
  unless --tags selects one.

  Of Keras (.h5, .keras, and the metadata of a SavedModel): layers with Python code, modules that are not Keras's own,
  functions of Keras that load, download or change settings, layers that unpickle or load other models, vocabularies in
  files, and weights in other files. A .h5 or .keras file has no graph to check.

notes:
  Facts that do not count: attributes that TensorFlow 2 ignores; nodes that print, wait or run compiled programs; what
  was not checked, such as ops that --op-defs declares and classes of other programs; and signatures that describe a
  tensor differently than the graph.

Not promised: a model without findings may still take any amount of time and memory, in loops whose condition depends
on more than constants, for example; compiled programs and ops of libraries are not looked into; weights and outputs
may be wrong on purpose; and a file may be made for errors of TensorFlow itself.

Several FILEs, and folders with models in them, are checked one after the other, each in one line; --json prints a line
of JSON for each model, for one FILE too. Models are found by content, in sorted order, and links are not followed. A
folder that is itself a model is one model, unless --jobs is given. --sarif prints a document for services of code
scanning.

--ignore leaves out findings of a KIND: a level (broken, unsafe, note), or a kind of it, with both words of the report,
such as unsafe/read. They are only counted. --fail-on names the kinds for which the status is 1; the others are printed
all the same. Several KINDs are separated by commas.

Exit status: 0 if nothing is broken or unsafe, or is of a KIND of --fail-on, 1 if there are such findings, 2 if the file
cannot be read, whatever --fail-on says; of several files, the largest.

examples:
  tfmodel check saved_model/
  tfmodel check model.ckpt-1000.meta --values
  tfmodel check frozen.pb --json | jq -r '.findings[].message'
  tfmodel check downloads/ --jobs 4 --json | jq -r 'select(.is_clean | not) | .path'
  tfmodel check models/ --sarif -o models.sarif --ignore note
  tfmodel check models/ --fail-on unsafe
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from pbwire.arguments import DONE, NO
from pbwire.atomic import writable
from pbwire.colours import paint

from ..ops import OPS
from ..reports.check import CheckReport, check, sarif
from ..reports.check.kinds import FAULTS, all_kinds, parse_kinds
from ..reports.check.report import MAX_SHOWN
from ..source.model_source import ModelSource
from .many_files import JSON_LINES, ManyFiles, add_files, names_many, render_json, run_many
from .messages import UsageError
from .model_options import add_checkpoint, add_op_defs, add_tags
from .output_options import add_output, check_writable
from .parser import Parser
from .progress import Progress
from .report_colours import CHECK, write_report


def add_arguments(parser: Parser) -> None:
    add_files(parser, help="the model; see below")
    add_checkpoint(parser)
    add_tags(parser)
    add_op_defs(parser)
    parser.add_flag("--values", help="read all values of the checkpoint too, and compare them with their checksums")
    _add_kinds(parser, "--ignore", "leave out findings of a level (broken, unsafe, note) or kind (unsafe/read)")
    _add_kinds(parser, "--fail-on", "end with status 1 only for findings of this level or kind")
    parser.add_flag("--all", help=f"print all findings; the default is {MAX_SHOWN} of each kind")
    parser.add_flag("--json", help="print JSON")
    parser.add_flag("--sarif", help="print a SARIF document, for services of code scanning")
    add_output(parser, help="with --sarif: the file to write")


def _add_kinds(parser: Parser, name: str, help: str) -> None:
    help = f"{help}; may be repeated"
    parser.add_offered(name, all_kinds, separator=",", metavar="KIND", action="append", default=[], help=help)


def run(args: Any) -> int:
    _check_use(args)
    if args.sarif or names_many(MANY, args):
        return _run_many(args)
    with Progress() as progress:
        progress.doing("checking")
        report = _report(args, args.files[0], progress)
        text = render_json(args.files[0], report) if args.json else _text(report, None if args.all else MAX_SHOWN)
    write_report(f"{text}\n", () if args.json else CHECK)
    return _status(args, report)


def _text(report: CheckReport, max_shown: int | None) -> str:
    verdict, *findings = report.lines(max_shown=max_shown)
    return "\n".join([paint(verdict, "added" if report.is_clean else "error", sys.stdout), *findings])


def _check_use(args: Any) -> None:
    for option, kinds in (("--ignore", args.ignore), ("--fail-on", args.fail_on)):
        try:
            parse_kinds(kinds)
        except ValueError as error:
            raise UsageError(f"{option}: {error}") from None
    if args.all and args.json:
        raise UsageError("--json has all findings: leave out --all")
    if args.sarif and (args.all or args.json):
        raise UsageError(f"--sarif has all findings: leave out --{'json' if args.json else 'all'}")
    if args.output and not args.sarif:
        raise UsageError("-o is the file of --sarif: add --sarif, or leave it out")


def _run_many(args: Any) -> int:
    """Check several files, or one for a SARIF document."""
    if args.output:
        check_writable(args.output, binary=False)
    OPS.with_first(args.op_defs)  # their errors are not those of a model
    return run_many("check", MANY, args, _write_sarif(args) if args.sarif else None)


def _status(args: Any, report: CheckReport) -> int:
    return NO if report.has(args.fail_on or FAULTS) else DONE


def _report(args: Any, path: str, progress: Progress | None = None) -> CheckReport:
    source = ModelSource.of(path, checkpoint=args.checkpoint, tags=args.tags, needs_weights=False)
    return check(
        source,
        op_defs=args.op_defs,
        read_values=args.values,
        ignore=args.ignore,
        reading=progress.each("reading") if progress is not None else None,
    )


def _write_sarif(args: Any) -> Callable[[Iterable[str]], None]:
    """Return what writes the results of models as a document, to standard output or to -o."""

    def write(lines: Iterable[str]) -> None:
        with writable(args.output or "-") as file:
            file.writelines(piece.encode() for piece in sarif.document(filter(None, lines)))

    return write


def _render_sarif(path: str, report: Any) -> str:
    return ",\n".join(map(json.dumps, sarif.results_of(path, report)))


def _render_sarif_error(path: str, problem: str) -> str:
    return json.dumps(sarif.unreadable(path, problem))


MANY = ManyFiles(
    _report,
    status=_status,
    refused=("checkpoint", "all"),
    forms=(("json", JSON_LINES), ("sarif", (_render_sarif, _render_sarif_error))),
)
