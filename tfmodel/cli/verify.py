"""Run two models with the same feeds on NumPy, and compare their outputs.

A and B are graphs in any format, .meta files or SavedModels. --outputs are the tensors to compare; the default is all
outputs of the signature. Inputs without a --feed get random values: see `tfmodel run --help`; --runs repeats this with
other values.

Floats may differ by --rtol times the largest magnitude in the tensor. The default is 1e-4 or, if A computes in half
precision, 4 steps of that precision (3.9e-3; bfloat16 3.1e-2). --atol is added; its default is 0, or 1e-6 if A's tensor
is all zeros. All other types must be equal. --bisect finds the first node, in the order of A, whose tensors differ from
those of the node of the same name in B.

Exit status: 0 if the outputs are the same, 1 if they differ, 2 if they cannot be compared.

examples:
  tfmodel verify frozen.pb small.pb --outputs softmax --shape input=1,224,224,3
  tfmodel verify saved_model/ frozen.pb --runs 10 --rtol 1e-5 --bisect
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pbwire.errors import Error

from ..io.files import naming_damage
from .input_options import add_feed_options, add_limits, add_tags, generate_feeds, parse_feeds, parse_shapes
from .messages import RequestError, UsageError, explain_error, in_options, warn
from .parser import Parser, positive, tolerance
from .progress import Progress

if TYPE_CHECKING:
    from ..interpreter.verification import VerifyReport

__all__ = ["add_arguments", "run"]

SAME, DIFFERENT, UNKNOWN = 0, 1, 2


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("a", metavar="A", help="the reference model")
    add("b", metavar="B", help="the model to compare with it")
    add(
        "--inputs",
        metavar="NAMES",
        help="tensors to feed, separated by commas; default: the inputs that the outputs need",
    )
    add("--outputs", metavar="NAMES", help="tensors to compare, separated by commas")
    add_feed_options(parser, made_up=None)
    runs_help = "the number of runs with different random values; the default is 1"
    add("--runs", type=positive, default=1, metavar="N", help=runs_help)
    add("--rtol", type=tolerance, metavar="X", help="relative tolerance; see above")
    add("--atol", type=tolerance, metavar="X", help="absolute tolerance; see above")
    add_limits(parser)
    parser.add_flag("--bisect", help="find the first node with different outputs")
    add("--checkpoint", metavar="PREFIX", help="the checkpoint with the values, if it is not beside the models")
    add("--signature", metavar="NAME", help="use the inputs and outputs of this signature")
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
        feeds = parse_feeds(args)
        session = first if first.outputs or not second.outputs else second
        with naming_damage(first.file, second.file), naming_model(session):
            random = [_generate_inputs(session, args, feeds, outputs, 0)]
            if args.runs > 1 and not random[0]:
                raise RequestError("--runs varies the random inputs, but there are none: leave it out")
            random += [_generate_inputs(session, args, feeds, outputs, number) for number in range(1, args.runs)]
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


def _generate_inputs(session: Any, args: Any, feeds: dict[str, Any], outputs: list[str], number: int) -> dict[str, Any]:
    """Return the random inputs of run `number`; each run has its own seed."""
    from ..interpreter.feeds import check_seed, random_feeds

    seed = args.seed if not number else (args.seed or 0) + number
    if args.inputs is None:
        return generate_feeds(session, args, feeds, outputs, seed=seed)
    names = [name for name in args.inputs.split(",") if name and name not in feeds]
    random = random_feeds(
        session, names, shapes=parse_shapes(args), batch_size=args.batch_size, seed=seed, max_bytes=args.max_bytes
    )
    check_seed(seed, random, session)
    return random
