"""List the ops that can be run on NumPy, or whether those of a model can.

Without MODEL, all ops that have a kernel. With one, the ops of its graph and its functions, how many nodes have each,
and whether it can be run; the exit status is then 1 if one cannot.

examples:
  tfmodel ops
  tfmodel ops frozen.pb
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

from ..printable import printable
from .common import Parser
from .sources import add_tags

__all__ = ["add_arguments", "run"]


def add_arguments(parser: Parser) -> None:
    parser.add_argument("model", metavar="MODEL", nargs="?", help="a graph in any form, a .meta, a SavedModel")
    add_tags(parser, "model")
    parser.add_flag("--missing", help="only those that cannot be run")
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    from ..ops.kernels import KERNELS

    if args.model is None:
        return _list(list(KERNELS), args.json)
    from ..interpreter.capability import ops_of

    counts, runnable = ops_of(args.model, tags=args.tags)
    missing = {op for op in counts if op not in runnable}
    shown = {op: count for op, count in counts.items() if op in missing or not args.missing}
    if args.json:
        rows = [{"op": op, "nodes": count, "kernel": op not in missing} for op, count in shown.items()]
        sys.stdout.write(f"{json.dumps(rows, indent=2)}\n")
    else:
        sys.stdout.writelines(_lines(shown, missing))
    return 1 if missing else 0


def _list(ops: list[str], as_json: bool) -> int:
    sys.stdout.write(f"{json.dumps(ops, indent=2)}\n" if as_json else "".join(f"{op}\n" for op in ops))
    return 0


def _lines(counts: dict[str, int], missing: set[str]) -> list[str]:
    ordered = Counter(counts).most_common()
    width = max((len(op) for op, _ in ordered), default=0)
    lines = [f"{printable(op):{width}}  {count:6,}{'  no kernel' * (op in missing)}\n" for op, count in ordered]
    verdict = f"{len(missing)} of these ops have no kernel" if missing else "all of these can be run"
    return [*lines, f"{verdict}\n"] if lines else ["all ops of the model can be run\n"]
