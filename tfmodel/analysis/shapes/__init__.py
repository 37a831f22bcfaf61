"""Shape inference: the shapes of all tensors of a graph, as far as they are known without running it.

    from tfmodel.analysis.shapes import infer_shapes

    shapes = infer_shapes(graph, inputs={"x": (1, 224, 224, 3)})
    shapes["conv:0"]              # (1, 112, 112, 64); None for an unknown dimension, and for a shape of unknown rank
    shapes.of(node)               # the shapes of all outputs of a node
    shapes.get("conv:5")          # None for an unknown tensor
    shapes.dtype("conv:0")        # DataType.DT_FLOAT
    shapes.value("reshape/shape") # (1, -1): the elements of a small tensor of numbers
    shapes.inside("call")["f"]    # the shapes in the function f that the node "call" calls
    shapes.problems               # [(node, "the shapes [2,3] and [4] do not fit"), ...]

Inference visits each node once, producers first, and applies the shape rule of its op; loops of TensorFlow 1 are
repeated until nothing changes, and functions are inferred with the shapes of their arguments. An op without a rule has
outputs of unknown shape. The rules are in `analysis.shape_rules`.

This package imports `analysis.shape_rules`, `graph`, `ops` and packages below them; reports, freezing, transforms,
`optimizer` and the interpreter call it.

    inference.py             `infer_shapes`: the visit of all nodes, and of the functions that they call
    inferred_shapes.py       `Shapes`: the result, by names of tensors
"""

from __future__ import annotations

from ...values.shape import Shape
from .inference import IN_CYCLE, infer_shapes
from .inferred_shapes import Shapes

__all__ = ["IN_CYCLE", "Shape", "Shapes", "infer_shapes"]
