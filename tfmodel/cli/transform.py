"""Apply a list of transforms to a graph.

FILE is a graph in binary, text or JSON, a .meta, the folder of a SavedModel, or - for standard input. The name of OUT
selects the format (.pb, .pbtxt, .json); any other name means binary. --output-as-text writes text format. OUT is
written completely or not at all.

TRANSFORMS has the syntax of the Graph Transform Tool: "name(argument=value, argument="a,b") name ...". --list shows all
transforms; --help-transform explains one. --dry-run --verbose shows what would be changed, and what would be left
unchanged and why. --recipe applies a tested list: deploy, shrink, mobile, eight-bit or obfuscate. Several recipes are
applied in order, and then --transforms. The list of a recipe is printed, so that it can be edited and passed as
TRANSFORMS.

The tensors of --inputs and --outputs are kept. By default, these are the tensors of a signature of the .meta or
SavedModel: that of --signature, else "serving_default", else the only one. Without a signature, recipes and --verify
take the likely ones, as optimize does, and print them. An empty list, --outputs=, keeps none.

--bind makes a tensor a constant before the first transform, such as keep_prob, as the transform bind_inputs does. A
bound input of the signature is not kept.

--shape and --batch-size give inputs another shape before the first transform, as set_input_shape does.

--verify runs the graph on NumPy after each transform, and refuses a transform that changes an output by more than
--rtol times its largest element. The default is 1e-4, or in half precision 4 steps of that precision (3.9e-3; bfloat16
3.1e-2). From a transform on that changes numbers by design (round_weights, quantize_weights, quantize_nodes,
convert_float16, convert_bfloat16), differences are only reported unless --rtol is given, for each output: --json has
them as data. Where all elements are zero, 1e-6 is allowed. All tensors of --inputs are fed; those without a --feed get
random values: floats from a normal distribution, integers from 0 to 9, indices within their range. Open sizes are the
first of several that fit the graph. Variables have the values of the model's
checkpoint; a result with a variable that the model does not have is not verified, and its line says so.

Transforms of your own are functions with the decorator @tfmodel.graph_transform in a module that --plugin imports:
def my_transform(graph, *, outputs, op: str), where op is an argument. See pydoc tfmodel.graph_transform.

examples:
  tfmodel transform --in_graph=in.pb --out_graph=out.pb --inputs=x --outputs=y --transforms='remove_device'
  tfmodel transform in.pb -o out.pb --inputs x --outputs y --recipe deploy --transforms 'remove_device'
  tfmodel transform in.pb -o out.pbtxt --transforms 'rename_op(old_op_name=Relu6, new_op_name=Relu)' --verbose
  tfmodel freeze saved_model/ -o - | tfmodel transform - -o frozen.pb --transforms 'remove_control_dependencies'
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from pbwire.atomic import writable
from pbwire.errors import compose

from ..analysis.choice import Choice, choose
from ..errors import GraphError, ModelError, RunError, TransformError
from ..files.access.forms import Form, form_of
from ..files.detection.formats import write
from ..messages import GraphDef
from ..ops import own_ops
from ..ops.traits import VARIABLES
from ..source.model_source import ModelSource
from ..starting import command_prefix
from ..transforms.framework import registry
from ..transforms.framework.pipeline import tensor_names, transform
from ..transforms.framework.recipes import RECIPES
from ..transforms.framework.registry import help_text, two_line_help
from .import_report import import_status
from .input_options import (
    add_bind,
    add_feed_options,
    parse_bindings,
    parse_shapes,
    verifying_options,
    warn_of_zeros,
)
from .json_report import check_json, print_report
from .messages import RequestError, UsageError, tell, warn
from .model_options import add_checkpoint, add_op_defs, add_signature, add_tags
from .output_names import refuse_output_named_like_nodes
from .output_options import (
    add_output,
    check_writable,
    output_of,
    refuse_other_suffixes,
    target_name,
)
from .parser import Parser, tolerance
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
    from ..compare.verify import Verification
    from ..transforms.framework.recipes import Recipe
    from ..transforms.framework.report import TransformReport

_WIDEST = 100  # characters of a line of help, at most
_SPELLED = {"--graph": "FILE", "--output": "-o"}


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("graph", metavar="FILE", nargs="?", help="the graph to change; see below")
    add_output(parser, "--out-graph", help="the graph to write")
    add("--in-graph", metavar="FILE", help="the same as FILE")
    add("--inputs", metavar="NAMES", help="inputs of the graph, separated by commas; they are kept")
    add("--outputs", metavar="NAMES", help="outputs of the graph, separated by commas; they are kept")
    add_bind(parser)
    add_signature(parser)
    add_transforms(parser, help="the transforms to apply; see below")
    add_recipe(parser, help="a recipe to apply; may be repeated; see below")
    add_tags(parser)
    add_plugin(parser)
    add_op_defs(parser)
    parser.add_flag("--verify", help="refuse a transform that changes the values of outputs")
    add_checkpoint(parser, help="the checkpoint with the values for --verify, if it is not beside FILE")
    add("--rtol", type=tolerance, metavar="X", help="tolerance of --verify; see below")
    add_feed_options(parser, random_flag=None, sets_shapes=True)
    parser.add_flag("--output-as-text", help="write text format, whatever the name of OUT")
    parser.add_flag("--dry-run", help="write nothing")
    parser.add_flag("--verbose", help="print the rewrites of each transform, and what it left unchanged and why")
    parser.add_flag("--json", help="print a report in JSON, with the differences of each output behind each transform")
    parser.add_flag("--list", help="list all transforms with their parameters, and all recipes with their transforms")
    parser.add_offered("--help-transform", registry.names, metavar="NAME", help="explain one transform")


def run(args: Any) -> int:
    load_plugins(args.plugin)
    if args.list or args.help_transform is not None:
        _check_alone(args)
        return _explain(args.help_transform)
    _check_use(args)
    source, target = _source(args), _target(args)
    recipe, bindings = _recipe(args), parse_bindings(args)
    with Progress(quiet=target == "-" and sys.stdout.isatty()) as progress:
        progress.doing(f"reading {source}")
        model = ModelSource.of(source, checkpoint=args.checkpoint, tags=args.tags, signature=args.signature)
        if args.signature is not None:
            model = model.with_functions()
        report = report_of(progress)
        progress.doing("transforming")
        with model.naming_damage():
            result = _transform(model, recipe, bindings, args, report)
            if args.recipe:
                _tell_of_variables(result)
            status = 0
            if not args.dry_run:
                status = import_status(
                    [result], target, file=model.name, op_defs=args.op_defs, declared=own_ops(model.meta)
                )
                form: Form = "text" if args.output_as_text else form_of(target) or "binary"
                with writable(target) as out:
                    counting = Counting(out)
                    progress.doing(f"writing {target}", lambda: f"{counting.size:,} bytes")
                    write(result, counting, form)
    if args.verify:
        warn_of_zeros(model.name, model.graph)
    name = "nothing written" if args.dry_run else target_name(target)
    if report.steps and not args.json:
        _tell(report, name, args.verbose)
    elif not args.json:  # nothing but --bind
        warn(f"{name}: {len(result.node):,} node{'' if len(result.node) == 1 else 's'}")
    warn_of_growth(args.recipe, report)
    if args.json:
        nodes = {"before": len(model.graph.node), "after": len(result.node)}
        print_report([source], [] if args.dry_run else [target], {"nodes": nodes, **report.as_dict()})
    return status


def _transform(
    model: ModelSource, recipe: Recipe, bindings: Mapping[str, Any], args: Any, report: TransformReport
) -> GraphDef:
    """Return the graph of a model after the transforms of the command line."""
    if args.signature is not None and model.meta is None:
        raise RequestError("--signature: this is a graph, which has no signatures", file=model.name)
    graph = model.graph
    with _raise_request_errors(model.name):
        inputs, outputs = _kept_tensors(model, args, bindings)
    refuse_output_named_like_nodes(args, graph.node)
    print_recipes(args.recipe)
    with _raise_request_errors(model.name):
        result = transform(
            model,
            inputs,
            outputs,
            [*_shape_steps(args), *recipe, *args.transforms],
            bind=bindings,
            report=report,
            op_defs=[*args.op_defs, own_ops(model.meta)],
            verify=_verification(args, graph),
        )
    if not outputs and args.outputs is None:
        _check_left(graph, result, inputs)
    return result


def _recipe(args: Any) -> Recipe:
    """Return the recipes as one, empty without --recipe. Raises UsageError if no option changes the graph."""
    changes = args.recipe or args.bind or args.shape or args.batch_size is not None
    if not changes and not "".join(args.transforms).strip():
        raise UsageError("there is nothing to do: give --transforms, or a --recipe")
    return join_recipes(args.recipe)


def _check_use(args: Any) -> None:
    """Raise UsageError for options that would have no effect together."""
    if args.json and args.verbose:
        raise UsageError("--json has all that --verbose prints: leave out --verbose")
    check_json(args, args.output)
    needs_verify = [*verifying_options(args), *["--checkpoint"] * (args.checkpoint is not None)]
    if not args.verify and needs_verify:
        raise UsageError(f"{needs_verify[0]} is for --verify, which is not given")
    if args.signature is not None and args.inputs is not None and args.outputs is not None:
        raise UsageError("--signature names inputs and outputs that are not given: leave it out, or one of these")


def _check_alone(args: Any) -> None:
    """Raise UsageError for options that have no effect with --list or --help-transform."""
    option = "--list" if args.list else "--help-transform"
    options = [
        f"--{name.replace('_', '-')}"
        for name, value in vars(args).items()
        if name not in ("list", "help_transform", "plugin", "output_spelling")
        and value is not None
        and value is not False
        and value != []
    ]
    if args.list and args.help_transform is not None:
        options = ["--help-transform"]
    if options:
        raise UsageError(f"{option} changes no graph: leave out {_SPELLED.get(options[0], options[0])}")


def _verification(args: Any, graph: GraphDef) -> Verification | None:
    if not args.verify:
        return None
    from .verifying import verification_of  # imports numpy

    return verification_of(args, graph)


def _shape_steps(args: Any) -> list[str]:
    """Return the transform for --shape and --batch-size; empty without these options."""
    shapes = parse_shapes(args, unknown=True)
    arguments = [f'name="{name}", shape="{",".join(map(str, sizes))}"' for name, sizes in shapes.items()]
    if args.batch_size is not None:
        arguments.append(f"batch_size={args.batch_size}")
    return [f"set_input_shape({', '.join(arguments)})"] if arguments else []


def _check_left(graph: GraphDef, result: GraphDef, inputs: str | list[str]) -> None:
    """Raise RequestError if only declared inputs are left of a graph that had other nodes."""
    kept = {tensor.node for tensor in tensor_names(inputs)}
    if any(node.name not in kept for node in graph.node) and all(node.name in kept for node in result.node):
        raise RequestError("nothing would be left of the graph: name what is to be kept with --outputs")


def _tell_of_variables(result: GraphDef) -> None:
    """Warn if the graph still has variables, because recipes do not freeze them."""
    count = sum(node.op in VARIABLES for node in result.node)
    if count:
        what = "1 variable has no value" if count == 1 else f"{count:,} variables have no values"
        prefix = command_prefix()
        warn(f"{what} in this graph: {prefix} optimize and {prefix} freeze take them from the checkpoint")


@contextlib.contextmanager
def _raise_request_errors(file: str = "") -> Iterator[None]:
    """Turn errors of the library into a RequestError about a file; without one, the message names the command."""
    try:
        yield
    except (TransformError, GraphError, ModelError, RunError) as error:
        raise RequestError(str(error), file=file) from error


def _kept_tensors(
    model: ModelSource, args: Any, bindings: Mapping[str, Any]
) -> tuple[str | list[str], str | list[str]]:
    """Return the inputs and outputs of the command line, or else those of a signature, without bound inputs.

    Without a signature, recipes and --verify get the likely ones, as in `optimize`. Chosen tensors are printed.
    """
    inputs, outputs = args.inputs, args.outputs
    if inputs is not None and outputs is not None:
        return inputs, outputs

    asked = [() if names is not None else None for names in (inputs, outputs)]  # `transform` checks these names
    needs_outputs = outputs is None and bool(args.recipe or args.verify)
    try:
        choice = choose(model, inputs=asked[0], outputs=asked[1], bind=bindings, likely=needs_outputs)
    except ModelError as error:
        if args.signature is not None or needs_outputs:
            raise
        warn(compose(f"{model.name}: only what --inputs and --outputs name is kept: ", error))
        choice = Choice()
    if needs_outputs and choice.signature is None:
        for note in choice.notes():
            warn(note)
    for side, names, origin in choice.sides:
        if origin.kind == "signature":
            warn(f"{side} of the signature, which are kept: {', '.join(names) or 'none'}")
    return (choice.inputs if inputs is None else inputs), (choice.outputs if outputs is None else outputs)


def _tell(report: TransformReport, name: str, verbose: bool) -> None:
    """Print the changes by each transform, and the total."""
    tell(report.to_text(verbose=verbose))
    left = sum(step.refused for step in report.steps)
    hint = f"; {left:,} left alone, --verbose tells why" if left and not verbose else ""
    warn(f"{name}: {report.total.changes()}{hint}")


def _explain(name: str | None) -> int:
    if name in RECIPES:
        sys.stdout.write(_describe_recipe(name, RECIPES[name]))
        return 0
    if name is not None:
        with _raise_request_errors():
            transform = registry.find(name)
        sys.stdout.write(help_text(transform, min(get_terminal_size().columns, _WIDEST)) + "\n")
        return 0
    for problem in registry.load_installed():
        warn(problem)
    for known in registry.names():
        sys.stdout.write(two_line_help(registry.find(known)) + "\n")
    for recipe_name, recipe in RECIPES.items():
        sys.stdout.write(_describe_recipe(recipe_name, recipe))
    return 0


def _describe_recipe(name: str, recipe: Recipe) -> str:
    return f"--recipe {name}\n    {recipe.line}: {recipe}\n"


def _source(args: Any) -> str:
    if bool(args.graph) == bool(args.in_graph):
        raise UsageError("name one graph to change, as FILE or with --in_graph")
    source: str = args.graph or args.in_graph
    return source


def _target(args: Any) -> str:
    if args.dry_run and not args.output:
        return ""
    target = output_of(args, "there is no file to write the graph to: add -o OUT, or --dry-run")
    check_writable(target, binary=not args.output_as_text)
    refuse_other_suffixes(target)
    return target
