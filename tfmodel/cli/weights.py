"""List the learned weights of a model with their roles, or export their values.

FILE is a graph in binary, text or JSON, the folder of a SavedModel, a .meta, a checkpoint (its prefix, index or
folder), or a file of Keras (.h5, .keras), which needs h5py. The values of variables are read from the checkpoint of a
SavedModel or .meta, or from --checkpoint. Sizes and shares are those of the arrays in memory.

The list has the variables, and in a frozen graph the constants, that are weights and that the outputs of the model use.
The last line counts the others: axes, shapes, counters, optimizer slots, moving averages, weights that no output uses.
Slots of a listed variable are counted beside it, such as "+ 2 Adam slots". --all lists everything. If no output is
certain enough, all learned weights are listed. In a checkpoint alone, the names and objects that TensorFlow writes
distinguish slots and counters from weights.

Values are read only for --statistics and --histogram. Statistics are those of the finite numbers. They include, for
floats with at most 1,024 different values (as round_weights makes them), the number of values and the entropy in bits
per element, a lower bound for the size of a compressed file. xz comes close to it, zip needs about 1.5 times as much.

Quantized values with a range, as quantize_weights writes them, are listed as the weight that they represent, under its
name. Type and size are those of the stored values; all other numbers, and exports, are those of the floats.
--as-stored lists and exports the quantized values and the ends of their range as separate constants. A constant in half
precision that is only read by a Cast to float32, as convert_float16 writes it, has the name of the Cast.

OUT is an archive if its name ends with .npz (for numpy.load) or .safetensors, else a new folder of .npy files; "-" is
an .npz on standard output. It contains the weights that --name and --min-size select: without --all, from the learned
weights in use, and a note counts the other entries; with --all, from all of them. bfloat16 and float8 become float32 in
.npz and .npy, and keep their type in .safetensors.

--layout transposes the filters of convolutions and the matrices of dense layers, in the list and in exports:
  OIHW    any order of these letters. TensorFlow's own order is HWIO, and HWOI for transposed convolutions: O are the
          output channels of the layer, I its input channels. A depthwise filter becomes that of a grouped
          convolution: OIHW turns its HWIM into [I*M,1,H,W]
  MIHW    an order with an M applies to depthwise filters only; axes are not joined
  OIHW,transposed=IOHW,depthwise=MIHW    one order for each kind of filter
  OI      matrices, as in PyTorch's Linear; TensorFlow has IO. OIHW alone does not change matrices
  torch   is OIHW,transposed=IOHW,matrix=OI, and so is pytorch; onnx is OIHW,transposed=IOHW; tflite is
          OHWI,depthwise=IHWO,matrix=OI
Kernels of recurrent layers with gates, and weights whose place in a layer is not known, are not transposed: the list
says "as in TensorFlow". The rows of a matrix behind a flattened picture keep their order, H, W, C.

Several FILEs, and folders with models in them, are listed in one line each: the number of weights, bytes, parameters;
--json prints a line of JSON for each model, for one FILE too. Models and checkpoints are found by content, in sorted
order, and links are not followed. A folder that is itself a model is one model, unless --jobs is given. The exit status
is 2 if a file cannot be read.

--html writes the weights as a page: a table that can be sorted, with the histograms of the 200 largest.

examples:
  tfmodel weights frozen.pb
  tfmodel weights saved_model/ --min-size 10k --histogram
  tfmodel weights saved_model/ --html weights.html
  tfmodel weights model.ckpt-1000 --name 'conv*' --sort order --statistics
  tfmodel weights frozen.pb --layout torch -o weights.safetensors
  tfmodel weights eight_bit.pb --as-stored -o codes.npz
  tfmodel weights model.ckpt-1000 --all -o everything.npz
  tfmodel weights checkpoints/ --jobs 4
  tfmodel weights frozen.pb --json | jq -r '.weights[] | select(.role == "filter") | .name'
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from ..parameters.listing import BY_STATISTICS, SORTS, weights
from ..parameters.report import WeightsReport, check_export_path
from ..parameters.weight import FRAMEWORK_LAYOUTS, parse_layout
from ..source.model_source import ModelSource
from ..values.sizes import parse_size
from ..values.terminal import escape
from .many_files import ManyFiles, add_files, names_many, render_json, run_many
from .messages import RequestError, UsageError, warn
from .model_options import add_checkpoint, add_tags
from .output_options import add_output, check_writable
from .page_option import add_page, check_page, write_page
from .parser import Parser, given
from .progress import Progress

_MAX_NAMES = 10
_OF_LISTS = (
    "name", "all", "sort", "statistics", "histogram", "layout", "output", "as_stored", "json"
)  # fmt: skip


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add_files(parser, help="the model; see below")
    add_checkpoint(parser)
    add_tags(parser)
    add("--name", action="append", metavar="GLOB", help="only weights whose name matches; may be repeated")
    parser.add_flag("--all", help="list or export all constants and variables, not only learned weights in use")
    add("--min-size", metavar="SIZE", help="only weights of at least SIZE bytes: 1000, 10k, 1.5M, 2Gi")
    add("--sort", choices=tuple(SORTS), help="sort by this column; order is that of the file; the default is size")
    parser.add_flag("--statistics", help="show minimum, maximum, mean, standard deviation, zeros, NaN")
    parser.add_flag("--histogram", help="show the distribution of the values")
    layout_help = "the axis order of filters and matrices; see below"
    parser.add_offered("--layout", lambda: FRAMEWORK_LAYOUTS, metavar="LAYOUT", help=layout_help)
    add_output(parser, help="write the values; see below")
    parser.add_flag("--as-stored", help="keep quantized values and their ranges as stored")
    parser.add_flag("--json", help="print JSON")
    add_page(parser)


def run(args: Any) -> int:
    _check(args)
    check_page(args, _OF_LISTS)
    if names_many(MANY, args):
        return run_many("weights", MANY, args)
    args.file = args.files[0]
    if args.html is not None:
        if args.min_size is not None:
            raise UsageError("--html writes the whole report: leave out --min-size")
        source = ModelSource.of(args.file, checkpoint=args.checkpoint, tags=args.tags)
        args.tags = None
        write_page(args, source, tab="weights")
        return 0
    with Progress(quiet=args.output == "-" and sys.stdout.isatty()) as progress:
        report = _report(args, args.file, progress.each("reading"))
        file = report.name or args.file
        _check_listed(args, report, file)
        if report.count and not len(report):
            raise RequestError(f"none of {report.count:,} weights is {_describe_selection(args)}", file=file)
        _check_names(args, report, file)
        if args.layout is not None and not any(weight.transposition for weight in report):
            raise RequestError("--layout: there are no filters and matrices that it applies to", file=file)
        if args.output:
            _export(report, args.output, file, progress)
            return 0
    if args.json:
        sys.stdout.write(f"{render_json(args.file, report)}\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in report.lines(ascii=not _has_blocks()))
    return 0


def _report(args: Any, path: str, progress: Callable[[str], None] | None = None) -> WeightsReport:
    return weights(
        path,
        checkpoint=args.checkpoint,
        tags=args.tags,
        name=args.name,
        layout=args.layout,
        statistics=args.statistics,
        histogram=args.histogram,
        as_stored=args.as_stored,
        all=args.all,
        progress=progress,
        **given(args, "min_size", "sort"),
    )


MANY = ManyFiles(
    _report,
    takes_weights=True,
    refused=("checkpoint", "output", "html", "histogram"),
    only_json=("statistics", "sort", "layout"),
)


def _check(args: Any) -> None:
    """Refuse invalid and contradictory options before a file is read."""
    try:
        if args.min_size is not None:
            parse_size(args.min_size)
    except ValueError as error:
        raise UsageError(f"--min-size: {error}") from None
    try:
        if args.layout is not None:
            parse_layout(args.layout)
    except ValueError as error:
        raise UsageError(f"--layout: {error}") from None
    if args.sort in BY_STATISTICS and not (args.statistics or args.histogram):
        raise UsageError(f"--sort {args.sort} needs --statistics")
    if not args.output:
        return
    options = [f"--{name}" for name in ("json", "statistics", "histogram", "sort") if getattr(args, name)]
    if options:
        raise UsageError(f"{options[0]} is about the list: it does not go with -o")
    try:
        check_export_path(args.output)
    except ValueError as error:
        raise UsageError(f"-o: {error}") from None
    check_writable(args.output, is_folder=not args.output.lower().endswith((".npz", ".safetensors")))


def _check_listed(args: Any, report: WeightsReport, file: str) -> None:
    """Raise RequestError for a glob that matches no row of the list, but entries that only --all lists."""
    for glob in args.name or ():
        hidden = sum(fnmatchcase(row.name, glob) for row in report.not_listed)
        if hidden and not any(fnmatchcase(weight.name, glob) for weight in report):
            entries = "1 entry" if hidden == 1 else f"{hidden:,} entries"
            raise RequestError(f"--name {glob}: only --all lists the {entries} of that name", file=file)


def _check_names(args: Any, report: WeightsReport, file: str) -> None:
    """Raise RequestError for a glob that no weight in the report matches."""
    for glob in args.name or ():
        if not any(fnmatchcase(weight.name, glob) for weight in report):
            what = "none of the weights listed matches" if report.count else "the model has no weights:"
            raise RequestError(f"{what} --name {glob}", file=file)


def _describe_selection(args: Any) -> str:
    conditions = [f"called {glob}" for glob in args.name or ()]
    names = " or ".join(conditions)
    large = f"as large as --min-size {args.min_size}" if args.min_size is not None else ""
    return " and ".join(part for part in (names, large) if part)


def _export(report: WeightsReport, target: str, file: str, progress: Progress) -> None:
    if not report.count and report.not_listed:
        raise RequestError(f"there are no learned weights to export: {next(report.notes())}", file=file)
    if not report.count:
        raise RequestError("there is nothing to export: the model has no constants and no variables", file=file)
    without = [weight.name for weight in report if weight.missing]
    if len(without) == len(report):
        raise RequestError(f"there is nothing to export: {report.weights[0].missing}; give --checkpoint", file=file)
    done = report.save(target, progress=progress.each("writing"))
    for name, problem in done.left_out[:_MAX_NAMES]:
        warn(f"{file}: left out {escape(name)}: {problem}", "warning")
    if len(done.left_out) > _MAX_NAMES:
        warn(f"{file}: left out {len(done.left_out) - _MAX_NAMES:,} more")
    for note in report.notes():
        warn(f"{file}: {note}")
    if target != "-":
        where = target if target.lower().endswith((".npz", ".safetensors")) else os.path.join(target, "")
        warn(f"{escape(where)}: {done.count:,} array{'' if done.count == 1 else 's'}, {done.size:,} bytes")


def _has_blocks() -> bool:
    """Return whether standard output can show the block characters of histograms."""
    try:
        "▁█".encode(sys.stdout.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True
