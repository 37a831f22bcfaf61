"""`TransformGraph`, spelled and ordered as TensorFlow had it in tensorflow.tools.graph_transforms."""

from __future__ import annotations

from collections.abc import Iterable

from pbwire.errors import Error

from ...errors import TransformError
from ...messages import GraphDef
from .pipeline import transform

__all__ = ["TransformGraph"]


class _RefusedError(TransformError, ValueError):
    """What TensorFlow raised as a ValueError or a RuntimeError."""


def TransformGraph(  # noqa: N802  TensorFlow's name
    input_graph_def: GraphDef, inputs: Iterable[str], outputs: Iterable[str], transforms: Iterable[str]
) -> GraphDef:
    """The graph that a list of transforms makes of another: see `transform`. With none, it is that graph.

    `inputs` and `outputs` are lists of names, `transforms` one of steps; an item may hold several, with commas between
    names and blanks between steps. A string is taken for a list of one. Raises TransformError, which is a ValueError
    too.
    """
    given, wanted, steps = ([each] if isinstance(each, str) else list(each) for each in (inputs, outputs, transforms))
    try:
        return transform(input_graph_def, ",".join(given), ",".join(wanted), " ".join(steps))
    except Error as error:
        raise _RefusedError(str(error)) from error
