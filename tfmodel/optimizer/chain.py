"""`optimize`: open a model, choose its inputs and outputs, bind, set shapes, freeze, transform, verify.

Each step is a call of the package that does it. Inputs and outputs are those that the caller names, else those of the
signature, else the likely ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from ..analysis.choice import Choice, choose
from ..analysis.variables.preparation import bind_source
from ..files.decoding import Tags
from ..freezing.pipeline import freeze_for_transforms
from ..ops import own_ops
from ..source.assets import asset_files
from ..source.metagraph.initializers import initializers_of
from ..source.model_source import CheckpointSource, Given, ModelSource, Names, names_of
from ..transforms.framework.pipeline import transform
from ..transforms.framework.recipes import Recipe, find_recipe
from ..transforms.framework.report import TransformReport
from ..values.output_limit import limit_output
from .batch_norms import note_on_others, with_moving_averages
from .naming import naming_steps
from .report import Optimized
from .shaping import shaping_steps

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
    that only training sets, such as is_training and keep_prob; `notes` list them. False binds nothing. Unless it is
    False, batch norms that normalize with the statistics of the batch use the moving averages of the training, if the
    checkpoint has them: see the transform `batch_norms_to_inference`. `notes` name them, and those without averages.

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
    recipe = recipe if isinstance(recipe, Recipe) else find_recipe(recipe)
    own_steps = [transforms] if isinstance(transforms, str) else list(transforms)
    report, progress = TransformReport() if report is None else report, progress or _ignore

    source = ModelSource.of(model, checkpoint=checkpoint, signature=signature, tags=tags).with_functions()
    with source.naming(), limit_output(lambda: source.graph.ByteSize()):
        source.check_checkpoint()
        chosen = choose(source, inputs=names_of(inputs) or None, outputs=names_of(outputs) or None, bind=bind)
        naming = naming_steps(names, chosen)
        shaping, old_shapes = shaping_steps(source, chosen, shapes or {}, batch_size)
        bound = bind_source(source, chosen.bound, outputs=chosen.outputs)
        bound, batch_notes, batch_norms = with_moving_averages(bound, chosen.outputs, change=bind is not False)
        frozen = freeze_for_transforms(bound, [*chosen.outputs, *chosen.inputs], progress)
        initializers, assets = initializers_of(frozen.graph, bound), asset_files(frozen.graph, bound)
        graph = transform(
            frozen.graph,
            chosen.inputs,
            [*chosen.outputs, *initializers, *assets],
            [*shaping, *recipe, *own_steps, *naming],
            report=report,
            op_defs=own_ops(bound.meta),
            verify=verification and _measuring(verification, chosen),
        )
    own_begin = len(shaping) + len(recipe.steps)
    if note := note_on_others(batch_norms, graph, report.all_renames):
        batch_notes.append(note)
    optimized = Optimized.of(graph, chosen, frozen, report, initializers, assets, own_begin, batch_notes)
    if verification is None:
        return optimized
    progress("verifying")
    from .verification import Original, verified  # imports the kernels

    original = Original(frozen.source, chosen, bool(frozen.written), old_shapes)
    is_limited = rtol is not None or (recipe.is_exact and not own_steps)
    return verified(
        optimized, original, verification, is_limited=is_limited, is_short=verify != "long", progress=progress
    )


def _verification(verify: bool | str, **arguments: Any) -> Verification | None:
    """Return the feeds and the tolerance of the verification; None if `verify` is false.

    Raises ValueError if `verify` is false and an argument of the verification is given.
    """
    unused = [name for name, value in arguments.items() if value is not None and value != {}]
    if verify:
        from ..compare.verify import Verification  # imports numpy

        return Verification(**arguments)
    if unused:
        raise ValueError(f"{unused[0]} is only used to verify: leave out {unused[0]} or verify=False")
    return None


def _measuring(verification: Verification, chosen: Choice) -> Verification:
    """Return the feeds for transforms that look at values; the result is compared with the model at the end."""
    feeds = {chosen.input_keys.get(name, name): value for name, value in (verification.feeds or {}).items()}
    return replace(verification, feeds=feeds, compares=False)


def _ignore(text: str) -> None:
    """Ignore progress messages."""
