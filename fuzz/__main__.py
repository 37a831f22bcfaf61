"""Fuzz the readers: `python -m fuzz [--target NAME ...] [--minutes N] [--seed N]`.

Inputs are generated from tables, or are mutations of real files and of generated inputs. Findings are
minimized and saved under fuzz/failures. The exit status is 1 if there were findings.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys

from pbwire.errors import suggestion
from tfmodel.cli.runner import run_quietly

from . import record
from .failures import save
from .runner import Result, fuzz
from .target import find_target, find_targets


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    args = _parser().parse_args(arguments)
    if args.list:
        _list(args.json)
        return 0
    if args.report:
        print(json.dumps(record.rows(), indent=1) if args.json else record.report())
        return 0
    names = args.target or [t.name for t in find_targets().values() if t.compare or not args.differential]
    for name in names:
        try:
            find_target(name)
        except (KeyError, StopIteration, ImportError, AttributeError, ValueError):
            near = suggestion(name, find_targets()) or ": --list names them"
            print(f"fuzz: there is no target {name!r}{near}", file=sys.stderr)
            return 2
    seconds = 60 / len(names) if args.minutes is None else 60 * args.minutes
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    results = []
    for name in names:
        try:
            result = fuzz(name, seed=seed, seconds=seconds, compare=args.differential)
        except RuntimeError as error:
            print(f"fuzz: {error}", file=sys.stderr)
            return 2
        results.append(result)
        if args.record:
            record.append([result])
        if not args.json:
            _show(result)
        for finding in result.findings:
            folder = save(finding)
            print(f"  {finding.outcome.shape}\n    {folder}", file=sys.stderr if args.json else sys.stdout)
    if args.json:
        print(json.dumps([result.numbers for result in results], indent=1))
    return 1 if any(result.findings for result in results) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--target", action="append", metavar="NAME", help="of a target; may be repeated (default: all)")
    parser.add_argument("--minutes", type=_minutes, metavar="N", help="for each target (default: 1, for all together)")
    parser.add_argument("--seed", type=int, metavar="N", help="of all chance; the same seed makes the same inputs")
    parser.add_argument("--differential", action="store_true", help="ask protobuf about every input too")
    parser.add_argument("--json", action="store_true", help="print the figures, or the list, as JSON")
    parser.add_argument("--record", action="store_true", help="add the figures to fuzz/record.jsonl")
    parser.add_argument("--list", action="store_true", help="list the targets")
    parser.add_argument("--report", action="store_true", help="print the totals of all recorded runs")
    return parser


def _minutes(text: str) -> float:
    minutes = float(text)
    if not 0 < minutes < math.inf:  # the run would try nothing, or never end
        raise argparse.ArgumentTypeError(f"give some time, not {text}")
    return minutes


def _list(as_json: bool) -> None:
    targets = find_targets()
    if as_json:
        rows = [
            {"target": name, "line": target.line, "compared": bool(target.compare)} for name, target in targets.items()
        ]
        print(json.dumps(rows, indent=1))
        return
    width = max(map(len, targets))
    for name, target in targets.items():
        print(f"{name:{width}}  {target.line}{' (beside protobuf too)' if target.compare else ''}")


def _show(result: Result) -> None:
    numbers = result.numbers
    line = f"{result.target}: {result.tried:,} inputs in {result.seconds:.0f} s (seed {result.seed}): "
    line += f"{result.accepted:,} accepted, {result.refused:,} refused, {len(result.shapes):,} kinds of outcome"
    if result.compared:
        agreed = result.compared[""]
        line += f"; protobuf agrees on {agreed:,}, {numbers['explained']:,} differences are documented"
    print(f"{line}; {len(result.findings)} findings", flush=True)
    for reason, count in sorted(result.compared.items()):
        if reason:
            print(f"  {count:,}: {reason}")


if __name__ == "__main__":
    sys.exit(run_quietly(main))
