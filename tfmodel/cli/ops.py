"""List the ops that the interpreter supports, or check those of a model.

Without MODEL, all ops with a kernel are listed. With MODEL, the ops of its graph and functions are listed, with the
number of nodes of each. The last line says whether the model can be run: every op that its outputs need must have a
kernel. The outputs are those of the signature, or else the likely ones. The exit status is 1 if the model cannot be
run. Nodes that only save or initialize the model need no kernel.

examples:
  tfmodel ops
  tfmodel ops frozen.pb
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pbwire.arguments import DONE, NO

from ..ops.kernel_index import KERNEL_OPS
from ..values.report import report_json
from ..values.terminal import escape
from .messages import UsageError
from .model_options import add_tags
from .parser import Parser

if TYPE_CHECKING:
    from ..reports.op_support import OpSupport


def add_arguments(parser: Parser) -> None:
    parser.add_argument("model", metavar="MODEL", nargs="?", help="a graph in any format, a .meta, a SavedModel")
    add_tags(parser)
    parser.add_flag("--missing", help="list only ops without a kernel")
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    if args.model is None:
        options = [f"--{name}" for name in ("tags", "missing") if getattr(args, name)]
        if options:
            raise UsageError(f"{options[0]} is about the ops of a model: name one")
        return _list(sorted(KERNEL_OPS), args.json)

    from ..reports.op_support import list_op_support  # --help needs no graphs

    ops = list_op_support(args.model, tags=args.tags)
    selected = [row for row in ops if not (args.missing and row.has_kernel)]
    if args.json:
        rows = [{"op": row.op, "nodes": row.nodes, "needed": row.needed, "kernel": row.has_kernel} for row in selected]
        sys.stdout.write(f"{report_json({'ops': rows})}\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(selected, ops))
    return NO if any(row.is_missing for row in ops) else DONE


def _list(ops: list[str], as_json: bool) -> int:
    sys.stdout.write(f"{report_json({'kernels': ops})}\n" if as_json else "".join(f"{op}\n" for op in ops))
    return 0


def _lines(selected: list[OpSupport], ops: list[OpSupport]) -> Iterator[str]:
    """Yield a line for each selected op, and a summary of the whole model."""
    width = max((len(escape(row.op)) for row in selected), default=0)
    for row in selected:
        beside = "" if row.has_kernel else "  no kernel" if row.needed else "  no kernel, not needed for the outputs"
        yield f"{escape(row.op):{width}}  {row.nodes:6,}{beside}"
    missing = sum(row.is_missing for row in ops)
    elsewhere = sum(not row.has_kernel and not row.needed for row in ops)
    if not ops:
        yield "the model has no nodes"
    elif missing:
        yield f"the model cannot be run: its outputs need {_ops(missing)} without a kernel"
    elif elsewhere:
        yield f"the model can be run: its outputs do not need the {_ops(elsewhere)} without a kernel"
    else:
        yield "the model can be run: all of its ops have a kernel"


def _ops(count: int) -> str:
    return "1 op" if count == 1 else f"{count:,} ops"
