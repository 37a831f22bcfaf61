"""The transforms of `optimize` that give inputs new shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..analysis.choice import Choice, unique_tensors
from ..analysis.facts import Facts
from ..errors import FeedError, Hint
from ..graph.error_text import quote
from ..messages import GraphDef
from ..source.model_source import ModelSource
from ..transforms.framework.parameters import Shape as NewShape
from ..transforms.framework.report import StepReport
from ..transforms.set_input_shape import set_input_shape as transform_shapes
from ..values.names import TensorName
from ..values.shape import Shape


def shaping_steps(
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
        (tensor,) = unique_tensors(source, [name], chosen.input_keys)
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
