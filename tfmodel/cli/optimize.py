"""Optimize a model to one small graph that computes the same.

MODEL is a SavedModel folder, a .meta with its checkpoint, or a graph in any format. Variables become constants, nodes
that the outputs do not need are removed, and constant parts are computed: the recipe "deploy", or that of --recipe (see
`tfmodel transform --list`). Several recipes are applied in order.

Inputs and outputs are those of --inputs and --outputs, of the signature, or else the likely ones, which are printed.
If no output is certain enough, the candidates are listed and nothing is written.

--shape and --batch-size give inputs another shape, and change the constants in the graph that depend on the old one:
see `tfmodel transform --help-transform set_input_shape`.

Inputs that only training sets, such as is_training and keep_prob, become constants, which are printed. With --bind,
only the tensors that it names become constants, with values in JSON. With --no-bind, none do.

Batch norms of a training graph normalize with the statistics of each batch. They use the moving averages in the
checkpoint instead, which is printed, unless the training never updated these, or --no-bind is given.

Lines say what the graph still has of its training: random numbers, statistics of the batch, variables that a run
writes, labels that the outputs need, tables to be filled first, ops of other libraries.

Model and result, with the same constants and averages, are run on NumPy with the same feeds, and nothing is written if
they differ by more than --rtol times the largest number. The default is 1e-4, or in half precision 4 steps of that
precision (3.9e-3; bfloat16 3.1e-2).
Inputs without a --feed get random values: floats from a normal distribution, integers from 0 to 9, indices within their
range. Open sizes are the first of several that fit the graph. With a recipe that changes weights, or with --transforms,
differences are only reported unless --rtol is given. Where all elements are zero, 1e-6 is allowed. If the model cannot
be run, or keeps state between runs, a message says that the result is not verified; with --verify, nothing is written
then.

The name of OUT selects the format (.pb, .pbtxt, .json); other names mean binary. With --saved-model, or if OUT ends
with /, the folder of a SavedModel is written, with its signature.

examples:
  tfmodel optimize saved_model/ -o small.pb
  tfmodel optimize model.meta -o small/ --outputs softmax
  tfmodel optimize model.meta -o small.pb --bind keep_prob=1 --bind is_training=false
  tfmodel optimize frozen.pb -o small.pb --inputs image --outputs logits --shape image=1,224,224,3 --recipe mobile
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import tfmodel
from pbwire.atomic import is_temporary, writable
from pbwire.errors import compose

from ..errors import GraphError, RunError, TransformError, with_name
from ..files.access.forms import form_of
from ..files.detection.formats import write
from ..files.files import load
from ..graph.tables import describe_tables
from ..source.model_source import ModelSource
from ..values.names import node_name
from .freeze import explain_missing_checkpoint
from .import_report import import_status
from .input_options import (
    add_bind,
    add_feed_options,
    add_rename,
    parse_bindings,
    parse_feeds,
    parse_shapes,
    renamed_checkpoint,
    verifying_options,
)
from .json_report import add_json, check_json, print_report
from .messages import RequestError, UsageError, in_options, tell, warn
from .model_options import add_checkpoint, add_op_defs, add_signature, add_tags
from .output_names import refuse_output_named_like_nodes
from .output_options import (
    add_output,
    check_writable,
    output_of,
    refuse_other_suffixes,
    target_name,
)
from .parser import Parser, given, tolerance
from .progress import Counting, Progress
from .transform_options import (
    add_plugin,
    add_recipe,
    add_transforms,
    join_recipes,
    load_plugins,
    print_recipes,
    report_of,
    warn_of_growth,
)

if TYPE_CHECKING:
    from pbwire.message import Message

    from ..optimizer import Optimized
    from ..transforms.framework.recipes import Recipe

_IN_FOLDER = ("saved_model.pb", "assets")


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("model", metavar="MODEL", help="the model to optimize; see below")
    add_output(parser, help="the file or folder to write; see below")
    parser.add_flag("--saved-model", help="write the folder of a SavedModel")
    add("--inputs", metavar="NAMES", help="inputs of the graph, separated by commas")
    add("--outputs", metavar="NAMES", help="outputs of the graph, separated by commas")
    add_bind(parser)
    add("--no-bind", action="store_true", help="do not bind the inputs that only training sets; see below")
    add_signature(parser)
    names_help = "the names of inputs and outputs: those of the graph (the default), or the keys of the signature"
    add("--names", choices=["graph", "signature"], help=names_help)
    add_tags(parser)
    add_checkpoint(parser)
    add_recipe(parser, help="deploy (the default), shrink, mobile, eight-bit, obfuscate; may be repeated")
    add_transforms(parser, help="transforms to apply after the recipe")
    add_rename(parser)
    add_plugin(parser)
    add_op_defs(parser)
    parser.add_flag(
        "--verify", help="write nothing if the result cannot be verified, however long that takes; --no-verify skips it"
    )
    parser.set_defaults(verify=None)
    add("--rtol", type=tolerance, metavar="X", help="tolerance for outputs; see below")
    add_feed_options(parser, random_flag=None, sets_shapes=True)
    add_json(parser)
    parser.add_flag("--verbose", help="print the transforms, their rewrites, and what they left unchanged and why")
    parser.add_former_flags("optimize")


def run(args: Any) -> int:
    if args.verify is False and (options := verifying_options(args)):
        raise UsageError(f"{options[0]} says how to verify: it does not go with --no-verify")
    if args.json and args.verbose:
        raise UsageError("--json has all that --verbose prints: leave out --verbose")
    if args.bind and args.no_bind:
        raise UsageError("--bind and --no-bind contradict each other")
    target = _target(args)
    load_plugins(args.plugin)
    recipes = args.recipe or ["deploy"]
    recipe = join_recipes(recipes)
    with Progress(quiet=target == "-" and sys.stdout.isatty()) as progress:
        progress.doing(f"reading {args.model}")
        optimized = _optimize(args, recipe, progress)
        if args.verbose:
            print_recipes(recipes)
        for note in optimized.notes:
            warn(note)
        if args.verify and optimized.unverified:
            raise RequestError(compose("it cannot be verified: ", optimized.unverified), file=args.model)
        refuse_output_named_like_nodes(args, optimized.graph.node)
        status = import_status(
            [optimized.graph], target, file=args.model, op_defs=args.op_defs, declared=optimized.op_defs
        )
        progress.doing(f"writing {target}")
        size = _write(optimized, target, is_folder=_is_folder(args))
    if not _is_folder(args):  # a SavedModel names them itself
        for note in describe_tables(
            optimized.graph, map(node_name, optimized.outputs), {*map(node_name, optimized.inputs)}
        ):
            warn(note)
    _tell(optimized, target_name(target), size, args)
    if args.json:
        verification = optimized.verification
        facts = {
            "inputs": optimized.inputs,
            "outputs": optimized.outputs,
            "guessed": optimized.guessed,
            "nodes": {"before": optimized.report.total.nodes_before, "after": optimized.report.total.nodes_after},
            **optimized.report.as_dict(),
            "verification": verification.as_dict() if verification is not None else None,
            "unverified": in_options(optimized.unverified),
        }
        print_report([args.model], [args.output], facts)
    warn_of_growth(recipes, optimized.report)
    return status


def _optimize(args: Any, recipe: Recipe, progress: Progress) -> Optimized:
    model: Message | str = load("-") if args.model == "-" else args.model
    try:
        with explain_missing_checkpoint(args.model, args.checkpoint):
            return tfmodel.optimize(
                model,
                args.inputs,
                args.outputs,
                recipe=recipe,
                transforms=args.transforms,
                bind=parse_bindings(args) or not args.no_bind,
                checkpoint=renamed_checkpoint(args, ModelSource.of(model, checkpoint=args.checkpoint, tags=args.tags)),
                signature=args.signature,
                tags=args.tags,
                verify="long" if args.verify else args.verify is None,
                feeds=parse_feeds(args.feed, args.seed) or None,
                shapes=parse_shapes(args, unknown=True) or None,
                batch_size=args.batch_size,
                seed=args.seed,
                rtol=args.rtol,
                report=report_of(progress),
                progress=progress.each(""),
                **given(args, "names"),
            )
    except (GraphError, RunError, TransformError) as error:
        raise RequestError(str(error), file=args.model) from error


def _target(args: Any) -> str:
    target = output_of(args, "there is nothing to write the graph to: add -o OUT")
    check_json(args, target)
    if _is_folder(args):
        if target == "-":
            raise UsageError("--saved-model writes a folder: name it")
        path = target.rstrip(os.sep) or os.sep
        if os.path.exists(path) and not (os.path.isdir(path) and all(map(_is_replaceable, os.listdir(path)))):
            raise RequestError("other files are there already; name a new folder", file=target)
        return os.path.join(target, _IN_FOLDER[0])
    if target != "-" and os.path.isdir(target):
        raise RequestError("this is a folder; add / to make a SavedModel of it, or name a file in it", file=target)
    check_writable(target)
    refuse_other_suffixes(target)
    return target


def _is_replaceable(name: str) -> bool:
    """Return whether a file in the target folder will be replaced, or is the temporary file of a killed writer."""
    return name in _IN_FOLDER or is_temporary(name)


def _is_folder(args: Any) -> bool:
    return bool(args.saved_model or args.output.endswith(("/", os.sep)))


def _write(optimized: Optimized, target: str, *, is_folder: bool) -> int:
    """Write the graph or the SavedModel, and return the number of bytes, without those of assets."""
    if is_folder:
        return optimized.write_saved_model(os.path.dirname(target))
    with writable(target) as file:
        counting = Counting(file)
        write(optimized.graph, counting, form_of(target) or "binary", deterministic=True)
    return counting.size


def _tell(optimized: Optimized, name: str, size: int, args: Any) -> None:
    """Print the result of the verification and the total.

    With --verbose, print the changes by each transform; otherwise, those of --transforms with notes, and errors.
    """
    report = optimized.report
    if args.verbose:
        tell(report.to_text())
    else:
        for number, step in enumerate(report.steps):
            is_shown = number >= optimized.own_steps or step.is_approximate
            if step.error or (step.notes and is_shown):
                tell(with_name(step.name, step.changes()))
    if optimized.verification is not None:
        tell(optimized.verification.to_text())
    elif optimized.unverified:
        warn(compose("not verified: ", optimized.unverified), "warning")
    warn(f"{name}: {report.total.changes()}, {size:,} written")
