"""`TransformGraph`, spelled and ordered as TensorFlow had it in tensorflow.tools.graph_transforms."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import Error, TransformError
from ...messages import GraphDef
from .pipeline import transform

__all__ = ["TransformGraph"]


class _RefusedError(TransformError, ValueError):
    """What TensorFlow raised as a ValueError or a RuntimeError."""


def TransformGraph(  # noqa: N802  TensorFlow's name
    input_graph_def: GraphDef, inputs: Iterable[str], outputs: Iterable[str], transforms: Iterable[str]
) -> GraphDef:
    """The graph that a list of transforms makes of another: see `transform`. Items may hold several, with commas.

    Raises TransformError, which is a ValueError too.
    """
    try:
        return transform(input_graph_def, ",".join(inputs), ",".join(outputs), " ".join(transforms))
    except Error as error:
        raise _RefusedError(str(error)) from error
