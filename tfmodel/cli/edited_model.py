"""Write the model that `edit`, `splice` or `extract` made, after checking it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..files.files import save
from ..ops import own_ops
from .import_report import import_status
from .json_report import add_json, check_json, print_report
from .messages import RequestError, UsageError, warn
from .model_options import add_op_defs
from .output_options import add_output, check_writable, refuse_other_suffixes, target_name
from .parser import Parser

if TYPE_CHECKING:
    from ..model import Model

_MAX_FAULTS = 3


def add_output_options(parser: Parser) -> None:
    """Add -o, --output-as-text, --op-defs and --json."""
    add_output(parser, help="the file to write: .pb, .pbtxt, .json, .meta, or a folder (OUT/) for a SavedModel")
    parser.add_flag("--output-as-text", help="write text format, whatever the name of OUT")
    add_op_defs(parser)
    add_json(parser)


def check_target(args: Any) -> None:
    """Raise UsageError or RequestError for a target that is missing or cannot be written."""
    target = args.output
    if not target:
        raise UsageError("there is no file to write the model to: add -o OUT")
    check_json(args, target)
    is_folder = target.endswith(("/", os.sep)) or os.path.isdir(target)
    if is_folder and args.output_as_text:
        raise UsageError("--output-as-text is for files: a SavedModel is binary")
    check_writable(target, binary=not args.output_as_text, is_folder=is_folder)
    if not is_folder and not target.endswith(".meta"):
        refuse_other_suffixes(target)


def write_model(model: Model, before: list[Model], args: Any, edits: list[dict[str, str]]) -> int:
    """Check a model and write it; print a line, or JSON. Returns the status: 1 if TensorFlow refuses what is written.

    Raises RequestError for a fault that the models `before`, from which it was made, do not have.
    """
    from ..source.assets import pointer_notes

    old = {finding.message for source in before for finding in source.check(op_defs=args.op_defs).of("broken")}
    report = model.check(op_defs=args.op_defs)
    new = [finding for finding in report.of("broken") if finding.message not in old]
    if new:
        shown = "; ".join(finding.message for finding in new[:_MAX_FAULTS])
        more = f"; and {len(new) - _MAX_FAULTS:,} more faults" if len(new) > _MAX_FAULTS else ""
        raise RequestError(f"the edits would break the model: {shown}{more}", file=before[0].name)
    target = args.output
    if target == "-":
        save(model.graph, target, format="text" if args.output_as_text else None)
    else:
        model.save(target, format="text" if args.output_as_text else None, check=False)
    for note in (*model.notes, *pointer_notes(model.assets)):
        warn(note)
    counts = [sum(len(source.graph.node) for source in before), len(model.graph.node)]
    left = [finding.message for finding in report.of("broken")]
    if left:
        warn(f"{before[0].name}: {len(left):,} fault{'s' * (len(left) != 1)} that it had before: see tfmodel check")
    warn(f"{target_name(target)}: {counts[0]:,} -> {counts[1]:,} nodes")
    declared = own_ops(model.meta)
    status = import_status(
        [model.graph], target, file=before[0].name, op_defs=args.op_defs, declared=declared, written=True
    )
    if args.json:
        sides = {side: [end.name for end in getattr(model, side)] for side in ("inputs", "outputs")}
        document = {"edits": edits, "nodes": {"before": counts[0], "after": counts[1]}, **sides, "broken": left}
        print_report([source.name for source in before], [target], document)
    return status
