"""`TransformGraph` with the name and argument order of tensorflow.tools.graph_transforms."""

from __future__ import annotations

from collections.abc import Iterable

from pbwire import errors as wire_errors

from ...errors import TransformError
from ...messages import GraphDef
from .pipeline import transform

__all__ = ["TransformGraph"]


class _RefusedError(TransformError, ValueError):
    """A TransformError that is a ValueError too, as TensorFlow raised."""


def TransformGraph(  # noqa: N802  TensorFlow's name
    input_graph_def: GraphDef, inputs: Iterable[str], outputs: Iterable[str], transforms: Iterable[str]
) -> GraphDef:
    """Return the graph that a list of transforms makes: see `transform`. With an empty list, return the graph itself.

    `inputs` and `outputs` are lists of names, `transforms` is a list of steps; an item may hold several, with commas
    between names and blanks between steps. A string is a list of one. Raises TransformError, which is a ValueError too.
    """
    input_names, output_names, steps = (
        [items] if isinstance(items, str) else list(items) for items in (inputs, outputs, transforms)
    )
    try:
        return transform(input_graph_def, ",".join(input_names), ",".join(output_names), " ".join(steps))
    except wire_errors.Error as error:
        raise _RefusedError(str(error)) from error
