"""What it costs to compute a node, in the operations that `effort` counts: about half a nanosecond each.

    operations(node, inputs, (3, 3))        # None: unknown, and there are more than a few elements

The rules of `summarize` count floating point operations. They tell the time of what NumPy computes as fast as a
processor can; moving data is free to them, and so is sorting. So every element of the output counts `LEAST` operations
at least. Ops that take longer for each element are listed here, and so are decompositions of matrices, which take the
cube of their side. Most of these costs are measured, with the inputs of tests/kernel_cases made long; those of kernels
that were not measured are estimated from similar ops. An op without any rule is computed only for a few elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ...errors import GraphError
from ...messages import NodeDef
from ...shapes import ELEMENTWISE, Shape
from ...shapes.shape import size_of

__all__ = ["FEW", "LEAST", "is_known", "operations"]

FEW = 1 << 12
"""Elements of an input, or of the output, of a node of which nobody knows what it costs."""

LEAST = 25
"""Operations for each element of an output: NumPy takes 12 ns for the sum of two halves, and 7 ns to gather a float."""

Cost: TypeAlias = Callable[[Sequence[Any], int], int]

# Operations for each element of the largest input or of the output: what takes more than the rules say.
_FOR_EACH = {
    100: r"DivNoNan|FloorMod|Mod|Pow|TruncateMod",
    200: r"""
        AdjustContrastv2|AdjustHue|AdjustSaturation|BatchMatrix(?:BandPart|Diag|DiagPart|SetDiag)|Bincount|Cross
        |BatchNormWithGlobalNormalization|BesselI[01]e?|CumulativeLogsumexp|DenseBincount|Digamma|Erfc|HSVToRGB
        |HistogramFixedWidth|NextAfter|ParallelDynamicStitch|PopulationCount|QuantizeDownAndShrinkRange
        |QuantizedBatchNormWithGlobalNormalization|RGBToHSV|RequantizationRange|ResizeBicubic|Scatter\w+
        |TensorScatter\w+|TensorStridedSliceUpdate|ToBool|I?R?FFT[23]?D?
        |TopK(?:V2)?|Unique\w*|ListDiff|NthElement|InTopK(?:V2)?|LowerBound|UpperBound|Bucketize
    """,
    500: r"DrawBoundingBoxes|Erf|Lgamma|Segment(?:Max|Min)|(?:Sparse)?SoftmaxCrossEntropyWithLogits",
    2000: r"""
        BroadcastArgs|BroadcastGradientArgs|Erfinv|Igammac?|Ndtri|Polygamma|Zeta|Betainc|Ragged\w+|Sparse(?:Concat|FillEmptyRows|Reshape|Slice|Split)
        |Stateless(?:Multinomial|Parameterized|Random|Truncated)\w*|Random\w+|TruncatedNormal|Multinomial
    """,
    20_000: r"AsString|DepthwiseConv2dNativeBackpropInput|StringFormat|StringNGrams",
}
_CUBED = {  # operations for each element, and for each step along a side of the matrices
    10: r"(?:Batch)?(?:Cholesky|Matrix(?:Determinant|Inverse|Solve|TriangularSolve))|LogMatrixDeterminant",
    100: r"(?:Batch)?(?:Qr|Svd|SelfAdjointEigV?2?)",
}


def is_known(op: str) -> bool:
    """Whether anything tells what an op costs."""
    from ...inspection.summary.flops import rule_of

    return _own(op) is not None or rule_of(op) is not None


def operations(node: NodeDef, inputs: Sequence[Any], shape: Shape | None) -> int | None:
    """How many operations a node takes; its first output has the shape, as far as that is known.

    None if it cannot be told, and an input or the output has more than a few elements.
    """
    from ...inspection.summary.flops import rule_of
    from ...inspection.summary.work import Unshaped, Work, free

    elements = max([*map(np.size, inputs), size_of(shape) or 0], default=0)
    own, rule = _own(node.op), rule_of(node.op)
    cost = LEAST * (size_of(shape) or 0)
    if own is not None:
        cost = max(cost, own(inputs, elements))
    if rule is not None:
        try:
            return max(cost, rule(Work(node, [np.shape(value) for value in inputs], shape)))
        except (GraphError, IndexError, ValueError):  # the kernel says what is wrong with it
            return cost
        except Unshaped:
            if own is not None or rule is free or node.op in ELEMENTWISE:
                return cost
    return cost if own is not None or elements <= FEW else None


@cache
def _own(op: str) -> Cost | None:
    """What tells the cost of an op apart from the rules of `summarize`."""
    for count, pattern in _CUBED.items():
        if re.fullmatch(pattern, op):
            return lambda inputs, elements: count * elements * max(map(_side, inputs), default=0)
    for count, pattern in _FOR_EACH.items():
        if re.fullmatch(pattern, op, re.VERBOSE):
            return lambda inputs, elements: count * elements
    return None


def _side(value: Any) -> int:
    """The longer side of matrices."""
    return max(np.shape(value)[-2:], default=1) if prod(np.shape(value)) else 0
