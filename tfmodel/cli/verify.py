"""Tell whether two models compute the same: both are run on NumPy with the same feeds.

A and B are graphs in any form, .meta files or SavedModels. --outputs are the tensors that are compared: those of the
signature where there is one. What is not fed is made up: see `tfmodel run --help`; --runs tries several of these.

Floats may differ by --rtol times the largest magnitude in the tensor: by 1e-4, or if A computes in half precision, by 4
steps of that (3.9e-3; of bfloat16, 3.1e-2). --atol is added; without it, 1e-6 is allowed where A gives nothing but
zeros. All else must be equal. --bisect finds the first node, in A's order, whose tensors differ from those of B's node
of its name.

The exit status is 0 if they are the same, 1 if they differ, 2 if that cannot be told.

examples:
  tfmodel verify frozen.pb small.pb --outputs softmax --shape input=1,224,224,3
  tfmodel verify saved_model/ frozen.pb --runs 10 --rtol 1e-5 --bisect
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pbwire.errors import Error

from ..io.files import naming_damage
from .input_options import add_feed_options, add_limits, add_tags, feeds_of, made_up_for, shapes_of
from .messages import RequestError, UsageError, explain_error, in_options, warn
from .parser import Parser, positive, tolerance
from .progress import Progress

if TYPE_CHECKING:
    from ..interpreter.verification import VerifyReport

__all__ = ["add_arguments", "run"]

SAME, DIFFERENT, UNKNOWN = 0, 1, 2


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("a", metavar="A", help="the model that is right")
    add("b", metavar="B", help="the model that is to be the same")
    add("--inputs", metavar="NAMES", help="what is fed, with commas, if it is not what the outputs need")
    add("--outputs", metavar="NAMES", help="what is compared, with commas")
    add_feed_options(parser, made_up=None)
    runs_help = "how many times other values are made up; the default is 1"
    add("--runs", type=positive, default=1, metavar="N", help=runs_help)
    add("--rtol", type=tolerance, metavar="X", help="how much floats may differ, as a share of the largest; see above")
    add("--atol", type=tolerance, metavar="X", help="how much floats may differ; see above")
    add_limits(parser)
    parser.add_flag("--bisect", help="find the first node where they part")
    add("--checkpoint", metavar="PREFIX", help="where the values of variables are, if not beside the models")
    add("--signature", metavar="NAME", help="the signature whose inputs and outputs are meant")
    add_tags(parser)
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    if args.a == args.b == "-":
        raise UsageError("only one of the two can come from standard input")
    try:
        report = _report(args)
    except Error as error:
        warn(in_options(f"verify: {error}"))
        return UNKNOWN
    except (OSError, MemoryError, RequestError) as error:
        warn(explain_error("verify", error) or "")
        return UNKNOWN
    for note in report.zero_weights:
        warn(note)
    sys.stdout.write(f"{report.to_json() if args.json else in_options(report.to_text())}\n")
    return SAME if report.same else DIFFERENT


def _report(args: Any) -> VerifyReport:
    from ..interpreter.verification import naming_model, session_pair, verify_sessions

    with Progress() as progress:
        progress.doing(f"reading {args.a} and {args.b}")
        first, second = session_pair(
            args.a, args.b, checkpoint=args.checkpoint, signature=args.signature, tags=args.tags, seed=args.seed or 0
        )
        outputs = [name for name in (args.outputs or "").split(",") if name] or list(first.outputs or second.outputs)
        if not outputs:
            raise RequestError("there is no signature with outputs: name them with --outputs")
        feeds = feeds_of(args)
        session = first if first.outputs or not second.outputs else second
        with naming_damage(first.file, second.file), naming_model(session):
            random = [_made_up(session, args, feeds, outputs, 0)]
            if args.runs > 1 and not random[0]:
                raise RequestError("--runs tries other made-up values, and no input is made up: leave it out")
            random += [_made_up(session, args, feeds, outputs, number) for number in range(1, args.runs)]
        progress.doing("running both")
        return verify_sessions(
            first,
            second,
            [feeds | values for values in random],
            outputs,
            rtol=args.rtol,
            atol=args.atol,
            bisect=args.bisect,
            made_up=list(random[0]),
            max_steps=args.max_steps,
            max_bytes=args.max_bytes,
        )


def _made_up(session: Any, args: Any, feeds: dict[str, Any], outputs: list[str], number: int) -> dict[str, Any]:
    """Random inputs for a run, by its number."""
    from ..interpreter.feeds import check_seed, random_feeds

    seed = args.seed if not number else (args.seed or 0) + number
    if args.inputs is None:
        return made_up_for(session, args, feeds, outputs, seed=seed)
    names = [name for name in args.inputs.split(",") if name and name not in feeds]
    random = random_feeds(
        session, names, shapes=shapes_of(args), batch_size=args.batch_size, seed=seed, max_bytes=args.max_bytes
    )
    check_seed(seed, random, session)
    return random
