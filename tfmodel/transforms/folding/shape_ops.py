"""Ops that ask for nothing but the shape of a tensor: where that is known, what they give is too.

Shape(x)       (2, 3)            of x: float[2,3]
ShapeN(x, y)   (2, 3), (4,)
Size(x)        6
Rank(x)        2                 even if the sizes are not known
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...dtypes import dtype_of
from ...graph import attr
from ...messages import DataType, NodeDef
from ...shape import Shape

__all__ = ["SHAPE_OPS", "known_of_shapes"]

SHAPE_OPS = frozenset({"Shape", "ShapeN", "Size", "Rank"})


def known_of_shapes(node: NodeDef, shapes: Sequence[Shape | None]) -> list[Any] | None:
    """What a node of such an op gives for tensors of these shapes; None if they do not say enough."""
    sizes = [shape for shape in shapes if shape is not None]
    if len(sizes) < len(shapes):
        return None
    if node.op == "Rank":
        return [np.array(len(shape), np.int32) for shape in sizes]
    dtype = attr(node, "out_type", DataType, DataType.DT_INT32)
    if dtype not in (DataType.DT_INT32, DataType.DT_INT64) or any(None in shape for shape in sizes):
        return None
    numbers: list[Any] = [prod(shape) if node.op == "Size" else shape for shape in sizes]
    wanted = dtype_of(dtype).numpy
    if any(np.max(number, initial=0) > np.iinfo(wanted).max for number in numbers):
        return None
    return [np.array(number, wanted) for number in numbers]
