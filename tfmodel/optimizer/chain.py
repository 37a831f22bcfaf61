"""`optimize`: select inputs and outputs, freeze, transform, verify.

Inputs and outputs are those that the caller names, else those of the signature, else the likely ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ..analysis.choice import Choice, choose, unique_tensors
from ..analysis.facts import Facts
from ..analysis.variables.preparation import bind_source
from ..errors import FeedError
from ..files.decoding import Tags
from ..freezing.pipeline import Frozen, freeze_source
from ..freezing.repair import repair_source
from ..graph import Functions
from ..graph.error_text import quote
from ..hints import Hint
from ..messages import GraphDef
from ..ops import own_ops
from ..parameters.zero_weights import zero_weights
from ..source.assets import asset_file, pointer_notes
from ..source.loading import assets_of
from ..source.metagraph.initializers import initializers_of
from ..source.model_source import CheckpointSource, Given, ModelSource, Names, names_of
from ..source.signature_defs import rename_signature
from ..transforms.framework.parameters import Shape as NewShape
from ..transforms.framework.pipeline import transform
from ..transforms.framework.recipes import Recipe, find_recipe
from ..transforms.framework.report import StepReport, TransformReport
from ..transforms.set_input_shape import set_input_shape as transform_shapes
from ..values.names import TensorName, node_name, rename_tensor
from ..values.output_limit import limit_output
from ..values.shape import Shape
from ..values.terminal import escape
from .naming import naming_steps
from .report import Optimized

if TYPE_CHECKING:
    from ..compare.verify import Verification
    from ..parameters.listing import Progress


def optimize(
    model: Given,
    inputs: Names = None,
    outputs: Names = None,
    *,
    recipe: str | Recipe = "deploy",
    transforms: str | Sequence[str] = (),
    bind: Mapping[str, Any] | bool = True,
    checkpoint: CheckpointSource = None,
    signature: str | None = None,
    tags: Tags = None,
    verify: bool | Literal["long"] = True,
    feeds: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    batch_size: int | None = None,
    seed: int | None = None,
    rtol: float | None = None,
    names: Literal["graph", "signature"] = "graph",
    report: TransformReport | None = None,
    progress: Progress | None = None,
) -> Optimized:
    """Return a small graph that computes `outputs` of a model from `inputs`, by a recipe followed by `transforms`.

    `model`, `checkpoint`, `signature` and `tags` are those of `freeze`. Inputs and outputs that are not named are taken
    from the signature; without a signature, the likely ones are selected. `notes` of the result list them. Inputs
    become Placeholders: see `strip_unused_nodes`. The graph has no variables, so it does not keep values that a run of
    the model would assign; `notes` name those variables.

    `bind` maps tensors to values; these tensors become constants: see `bind_inputs`. The default, True, binds inputs
    that only training sets, such as is_training and keep_prob; `notes` list them. False binds nothing.

    `shapes` are new shapes of inputs (-1 is an unknown size), and `batch_size` is a new first size of the inputs that
    have a batch: see `set_input_shape`.

    Unless `verify` is false, the model and the graph are run with the same feeds: `feeds`, and for the other inputs
    their defaults or random values according to `seed` (see `interpreter.feeds.random_feeds`). It is an error if an
    output differs by more than `rtol` of its largest element, or if the model can be run but the graph cannot. The
    default of `rtol` is 1e-4, or 4 steps of the type if the model computes in half precision. Without `rtol`, if the
    recipe changes weights or there are `transforms`, any difference is accepted and reported. A model is not verified
    if it cannot be run with these feeds, if its outputs differ from run to run, or if it takes far longer than models
    of its size do, unless `verify` is "long": `unverified` says why.

    Inputs and outputs keep their names in the graph. With `names="signature"`, their names become the keys of the
    signature. For an output of a node with several outputs, an Identity with the key as its name is added. Other nodes
    with these names are renamed. `notes` list all inputs and outputs that have other names in the result.

    `report` receives a report of each transform; `progress` is called with the name of each stage.

    Raises TransformError, FreezeError, GraphError and ModelError; FeedError for feeds and shapes that do not fit or
    have no effect; ValueError for arguments of the verification with `verify=False`; and for files the errors of
    `freeze`.
    """
    verification = _verification(verify, feeds=feeds, seed=seed, rtol=rtol)
    progress = progress or _ignore
    steps = recipe if isinstance(recipe, Recipe) else find_recipe(recipe)
    extra_steps = [transforms] if isinstance(transforms, str) else list(transforms)
    source = ModelSource.of(model, checkpoint=checkpoint, signature=signature, tags=tags).with_functions()
    with source.naming():
        source.check_checkpoint()
        chosen = choose(source, inputs=names_of(inputs) or None, outputs=names_of(outputs) or None, bind=bind)
        naming = naming_steps(names, chosen)
        shape_steps, old_shapes = _set_shapes(source, chosen, shapes or {}, batch_size)
        source = _bind(source, chosen)
        source, repaired = repair_source(source, [*chosen.outputs, *chosen.inputs])
        graph, notes = source.graph, [*chosen.notes(), *([repaired] if repaired else [])]
        is_frozen = _is_frozen(source)
    report = TransformReport() if report is None else report
    written: list[str] = []
    with limit_output(lambda: source.graph.ByteSize()):
        if not is_frozen:
            progress("freezing")
            frozen = _freeze(source, chosen)
            notes += filter(None, (_describe_freezing(source.graph, frozen), frozen.warning))
            graph, written = frozen.graph, frozen.written
        op_defs = own_ops(source.meta)
        with source.naming():
            initializers = initializers_of(graph, source)
            assets = _assets(graph, source)
            notes += pointer_notes(assets.values())
            needed_nodes = [*chosen.outputs, *initializers, *assets]
            all_steps = [*shape_steps, *steps, *extra_steps, *naming]
            result = transform(
                graph,
                chosen.inputs,
                needed_nodes,
                all_steps,
                report=report,
                op_defs=op_defs,
                verify=verification and _measurement(verification, chosen),
            )
    notes += _describe_renames(report.renames, chosen)
    warnings = [str(problem)] if (problem := zero_weights(result)) else []
    optimized = _result(result, chosen, report, [*notes, *warnings], initializers, assets)
    optimized.op_defs, optimized.own_steps = op_defs, len(shape_steps) + len(steps.steps)
    if verification is not None:
        progress("verifying")
        from .verification import Original, verify_result

        differences, optimized.unverified = verify_result(
            Original(source, chosen, bool(written), old_shapes),
            result,
            report.renames,
            verification,
            is_limited=rtol is not None or (steps.is_exact and not extra_steps),
            is_short=verify != "long",
        )
        optimized.verification = differences and replace(differences, zero_weights=tuple(warnings))
    return optimized


def _result(
    graph: GraphDef,
    chosen: Choice,
    report: TransformReport,
    notes: list[str],
    initializers: Iterable[str],
    assets: Mapping[str, str],
) -> Optimized:
    """Return the optimized graph with the names that inputs, outputs, initializers and assets have in it."""

    def renamed(name: str) -> str:
        return rename_tensor(name, report.renames)

    return Optimized(
        graph,
        [*map(renamed, chosen.inputs)],
        [*map(renamed, chosen.outputs)],
        report,
        notes,
        initializers=[node_name(renamed(name)) for name in initializers],
        signature=chosen.declared and rename_signature(chosen.declared, report.renames),
        signature_name=chosen.signature_name,
        assets={node_name(renamed(name)): path for name, path in assets.items()},
    )


def _verification(verify: bool | str, **arguments: Any) -> Verification | None:
    """Return the feeds and the tolerance of the verification; None if `verify` is false.

    Raises ValueError if `verify` is false and an argument of the verification is given.
    """
    unused = [name for name, value in arguments.items() if value is not None and value != {}]
    if verify:
        from ..compare.verify import Verification

        return Verification(**arguments)
    if unused:
        raise ValueError(f"{unused[0]} is only used to verify: leave out {unused[0]} or verify=False")
    return None


def _measurement(verification: Verification, chosen: Choice) -> Verification:
    """Return the feeds for transforms that look at values; the result is compared with the model at the end."""
    feeds = {chosen.input_keys.get(name, name): value for name, value in (verification.feeds or {}).items()}
    return replace(verification, feeds=feeds, compares=False)


def _ignore(text: str) -> None:
    """Ignore progress messages."""


def _bind(source: ModelSource, chosen: Choice) -> ModelSource:
    """Return the model with constants in place of the tensors that are bound."""
    if not chosen.bound:
        return source
    return bind_source(source, chosen.bound, outputs=chosen.outputs)


# --- freezing --------------------------------------------------------------------------------------------------------


def _is_frozen(source: ModelSource) -> bool:
    """Return whether the graph needs no freezing.

    It must have no variables, mutable or restored tables, assets or function calls.
    """
    graph = source.graph
    functions = Functions(graph.library)
    if source.takes_checkpoint:
        return False
    return not source.asset_paths() and not any(functions.call(node) for node in graph.node)


def _freeze(source: ModelSource, chosen: Choice) -> Frozen:
    """Freeze the model. Inputs are fetched like outputs, so that freezing keeps them."""
    names = list(dict.fromkeys([*chosen.outputs, *chosen.inputs]))
    return freeze_source(source.without_signature(), names, clear_devices=True, share=True)


def _describe_freezing(graph: GraphDef, frozen: Frozen) -> str:
    variables = "1 variable" if frozen.variables == 1 else f"{frozen.variables:,} variables"
    return f"frozen: {len(graph.node):,} -> {_node_count(len(frozen.graph.node))}, {variables}"


def _node_count(nodes: int) -> str:
    return "1 node" if nodes == 1 else f"{nodes:,} nodes"


# --- arguments of the transforms -------------------------------------------------------------------------------------


def _assets(graph: GraphDef, source: ModelSource) -> dict[str, str]:
    """Return the paths of the asset files that the graph needs, by the Const that holds the path.

    Raises GraphError for a path outside of the model's folder of assets, and if a folder or a device is there.
    """
    names = {node.name for node in graph.node}
    assets = assets_of(source.meta).items() if source.folder else ()
    return {name: asset_file(source.folder, asset.filename) for name, asset in assets if name in names}


def _set_shapes(
    source: ModelSource, chosen: Choice, shapes: Mapping[str, Sequence[int]], batch_size: int | None
) -> tuple[list[str | Callable[..., GraphDef]], dict[str, Shape | None]]:
    """Return the transforms that give inputs new shapes, and the old shapes of all inputs.

    Both are empty if no shape is given. Raises FeedError for a shape of a tensor that is not an input, and for a batch
    size below 1.
    """
    if not shapes and batch_size is None:
        return [], {}
    sizes = {}
    for name, shape in shapes.items():
        (tensor,) = unique_tensors(source, [chosen.input_keys.get(name, name)])
        if tensor not in chosen.inputs:
            known = f"the inputs are {', '.join(map(quote, chosen.inputs))}" if chosen.inputs else "there are no inputs"
            raise FeedError(f"a shape is given for {quote(name)}, which is not an input: {known}")
        sizes[tensor] = tuple(-1 if size is None else int(size) for size in shape)
    if batch_size is not None and batch_size < 1:
        raise FeedError(Hint.BATCH_SIZE(size=batch_size), ", but it must be positive")

    def set_input_shape(
        graph: GraphDef, *, inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...], report: StepReport
    ) -> GraphDef:
        present = {name: tensor for name, tensor in zip(chosen.inputs, inputs, strict=True) if name in sizes}
        return transform_shapes(
            graph,
            inputs=inputs,
            outputs=outputs,
            report=report,
            name=tuple(tensor.node for tensor in present.values()),
            shape=tuple(NewShape(sizes[name]) for name in present),
            batch_size=batch_size or 0,
        )

    inferred = Facts.of(source).shapes
    return ["strip_unused_nodes", set_input_shape], {name: inferred[name] for name in chosen.inputs}


def _describe_renames(renames: Mapping[TensorName, TensorName], chosen: Choice) -> list[str]:
    """Return a note on the inputs and outputs that have other names in the result, if there are any."""
    names = dict.fromkeys([*chosen.inputs, *chosen.outputs])
    pairs = [f"{name} -> {new}" for name in names if (new := rename_tensor(name, renames)) != name]
    return [f"renamed: {escape(', '.join(pairs))}"] if pairs else []
