"""Run a model on NumPy.

MODEL is a graph in any form, a .meta, or the folder of a SavedModel. --fetch names the tensors to compute, which are
the outputs of the signature where there is one. What they need must be fed, or is made up with --random: floats from a
normal distribution, integers from 0 to 9, in the shapes that the placeholders say. The same seed makes the same values.

Outputs are described, or written to OUT: an archive if it ends with .npz, else a folder of .npy files. --trace prints a
line for every node that ran, --profile which took longest. Files that a model reads must lie in its folder, or in one
that --files names.

examples:
  tfmodel run frozen.pb --feed x=image.npy --fetch softmax:0 -o out.npz
  tfmodel run saved_model/ --feed 'x=[[1.0, 2.0]]'
  tfmodel run frozen.pb --random --shape input=1,224,224,3 --fetch logits --profile
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

from ..errors import GraphError, ModelError, RunError
from ..io.files import naming_damage
from ..io.terminal import printable
from ..starting import program
from .input_options import add_feed_options, add_limits, add_tags, feeds_of, made_up_for, warn_of_zeros
from .messages import RequestError, UsageError, tell, warn
from .output_options import add_output, check_exportable, is_archive
from .parser import Parser
from .progress import Progress

if TYPE_CHECKING:
    from ..interpreter.profiling import Profile, Trace
    from ..interpreter.session import Session

__all__ = ["add_arguments", "run"]


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", help="what to run; see above")
    add("--fetch", metavar="NAME", action="append", help="a tensor to compute, or several with commas; may be repeated")
    add_feed_options(parser)
    add("--checkpoint", metavar="PREFIX", help="where the values of variables are, if not beside the model")
    add("--signature", metavar="NAME", help="the signature whose inputs and outputs are meant")
    add_tags(parser)
    add("--files", metavar="FOLDER", action="append", default=[], help="where the model may read files")
    add_limits(parser)
    add_output(parser, help="write the outputs; see above")
    parser.add_flag("--trace", help="print type, shape, time and range of what every node gives")
    parser.add_flag("--profile", help="print which ops and nodes took longest, functions that they call left out")
    parser.add_flag("--json", help="print the profile, and types and shapes of the outputs, as JSON")


def run(args: Any) -> int:
    from ..interpreter.profiling import Trace

    for option, value in (("--shape", args.shape or None), ("--batch-size", args.batch_size)):
        if value is not None and not args.random:
            raise UsageError(f"{option} is about inputs that are made up: add --random")
    if args.json and args.trace:
        raise UsageError("--trace prints lines as nodes are done, which are no JSON: leave out one of the two")
    if args.json and args.output and not args.profile:
        raise UsageError("--json is about what is printed: with --output there is only the profile, add --profile")
    if args.output:
        check_exportable(args.output)
    for folder in args.files:
        if not os.path.isdir(folder):
            raise RequestError("--files: this is not a folder", file=folder)
    feeds = feeds_of(args)
    fetches = [name for names in args.fetch or () for name in names.split(",") if name] or None
    trace = Trace(print_line=_print if args.trace else None) if args.trace or args.profile else None
    with Progress() as progress:
        try:
            results, seconds = _results(args, feeds, fetches, trace, progress)
        except (GraphError, ModelError, RunError) as error:
            raise RequestError(str(error), file=args.model) from error
    profile = trace.profile(seconds) if trace is not None and args.profile else None
    if profile is not None and not args.json:
        _print(profile.to_text())
    if args.output:
        _write(args.output, results)
    if args.json:
        _print(_json(None if args.output else results, profile))
    elif not args.output:
        from ..interpreter.profiling import describe_value

        for name, value in results.items():
            _print(f"{printable(name)}: {describe_value(value)}")
    return 0


def _results(
    args: Any, feeds: dict[str, Any], fetches: list[str] | None, trace: Trace | None, progress: Progress
) -> tuple[dict[str, Any], float]:
    """Return the fetched values, and the seconds that the run took."""
    from ..interpreter.feeds import check_seed
    from ..interpreter.session import Session
    from ..ops.runtime import KERNELS

    progress.doing(f"reading {args.model}")
    session = Session(
        args.model,
        checkpoint=args.checkpoint,
        signature=args.signature,
        tags=args.tags,
        seed=args.seed or 0,
        files=args.files,
        log=tell,
    )
    fetches = _fetches(session, fetches, args.model)
    with naming_damage(session.file):
        warn_of_zeros(args.model, session.graph)
        if args.random:
            feeds = feeds | made_up_for(session, args, feeds, fetches, seed=args.seed)
        else:
            check_seed(args.seed, (), session)
    progress.doing("running")
    assert len(KERNELS)  # imports the kernels, so that profiles do not count it
    start = time.perf_counter()
    results = session.run(feeds, fetches, max_steps=args.max_steps, max_bytes=args.max_bytes, observer=trace)
    return results, time.perf_counter() - start


def _fetches(session: Session, fetches: list[str] | None, model: str) -> list[str]:
    if fetches or session.outputs:
        return fetches or list(session.outputs)
    problem = "there is no signature with outputs: name some with --fetch"
    raise RequestError(f"{problem}; {program()} summarize lists likely ones", file=model)


def _write(target: str, results: dict[str, Any]) -> None:
    from ..io.npz import NotExported, folder_writer, npz_writer

    with npz_writer(target) if is_archive(target) else folder_writer(target) as add:
        for name, value in results.items():
            if value is None:
                continue
            try:
                add(name, value)
            except NotExported as error:
                warn(f"{printable(name)}: left out: {error}")


def _json(results: dict[str, Any] | None, profile: Profile | None) -> str:
    """The outputs, described, and where the time went, each where it is asked for."""
    import json
    from dataclasses import asdict

    outputs: dict[str, Any] = {}
    if results is not None:
        outputs["outputs"] = {
            name: None if value is None else {"dtype": _dtype(value), "shape": list(getattr(value, "shape", ()))}
            for name, value in results.items()
        }
    if profile is not None:
        outputs["profile"] = asdict(profile)
    return json.dumps(outputs, indent=2)


def _dtype(value: Any) -> str:
    """As a trace spells it: "string", or that of NumPy."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return type(value).__name__
    return "string" if dtype.kind == "O" else str(dtype.name)


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
