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

Exit status: 0 if nothing is broken or unsafe, 1 if there are findings, 2 if the file cannot be read.

examples:
  tfmodel check saved_model/
  tfmodel check model.ckpt-1000.meta --values
  tfmodel check frozen.pb --json | jq -r '.findings[].message'
"""

from __future__ import annotations

import sys
from typing import Any

from pbwire.arguments import DONE, NO

from ..reports.check import check
from ..reports.check.report import MAX_SHOWN
from ..source.model_source import ModelSource
from .messages import UsageError
from .model_options import add_checkpoint, add_op_defs, add_tags
from .parser import Parser
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the model; see below")
    add_checkpoint(parser)
    add_tags(parser)
    add_op_defs(parser)
    parser.add_flag("--values", help="read all values of the checkpoint too, and compare them with their checksums")
    parser.add_flag("--all", help=f"print all findings; the default is {MAX_SHOWN} of each kind")
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    if args.all and args.json:
        raise UsageError("--json has all findings: leave out --all")
    with Progress() as progress:
        progress.doing("checking")
        source = ModelSource.of(args.file, checkpoint=args.checkpoint, tags=args.tags, needs_weights=False)
        report = check(source, op_defs=args.op_defs, read_values=args.values, reading=progress.each("reading"))
        text = f"{report.to_json()}\n" if args.json else report.to_text(max_shown=None if args.all else MAX_SHOWN)
    sys.stdout.write(text)
    return DONE if report.is_clean else NO
