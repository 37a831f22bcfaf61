"""The shapes of all tensors of a graph, as far as they can be known without running it.

    from tfmodel.shapes import infer_shapes

    shapes = infer_shapes(graph, inputs={"x": (1, 224, 224, 3)})
    shapes["conv:0"]              # (1, 112, 112, 64); a dimension that is not known is None, and so is an unknown rank
    shapes.of(node)               # the shapes of all its outputs
    shapes.get("conv:5")          # None as well if there is no such tensor
    shapes.dtype("conv:0")        # DataType.DT_FLOAT
    shapes.value("reshape/shape") # (1, -1): the elements of small tensors of numbers
    shapes.inside("call")["f"]    # the same of the function f that the node "call" calls
    shapes.problems               # [(node, "the shapes [2,3] and [4] do not fit"), ...]

Inference goes through the nodes once, producers first, and asks a rule for each op; loops of TensorFlow 1 are repeated
until nothing changes, and functions are followed into with the shapes of their arguments. An op without a rule has
outputs of unknown shape. Its modules:

    shape.py         shapes of which not everything is known
    tensor.py        what is known of a tensor: shape, few elements, what a handle leads to
    call.py          what a rule sees of a node
    values.py        small constants, and what arithmetic makes of them
    inference.py     `infer_shapes`: the way through a graph
    bodies.py        functions of the library
    result.py        `Shapes`, what one is given
    rules/           the rules, one module per family; `rules/__init__.py` is the table from op to rule
"""

from __future__ import annotations

from ..shape import Shape
from .inference import infer_shapes
from .inferred_shapes import Shapes

__all__ = ["Shape", "Shapes", "infer_shapes"]
