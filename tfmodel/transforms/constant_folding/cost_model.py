"""What it costs to compute a node, in the operations that `effort` counts: about half a nanosecond each.

    operations(node, inputs, (3, 3))        # None: unknown, and there are more than a few elements

The rules of `summarize` count floating point operations. NumPy takes longer for many ops: it moves data, sorts, and
calls Python for each element or row. So every element counts `LEAST` operations at least. Ops that take longer for each
element are listed in `_FOR_EACH`, those that take longer for each operation of their rule in `_TIMES`. Decompositions
of matrices take the cube of their side. `python -m tests.kernel_costs` measures them: no op may take more than twice
the time that is counted. An op without any rule is computed only for a few elements.

How much there is to do to compute constants: a graph of a few hundred bytes may ask for hours, and for all memory.

    effort = Effort()
    effort.give([weights])                  # what a Const node holds
    effort.begin(node, inputs, (3, 3))      # RunError if it takes too long, with all that was computed before
    effort.hold(outputs)                    # RunError if they are too large, with all that is held
    effort.drop(outputs[0])                 # nobody needs it any more

What may be done grows with what Const nodes hold: large models have much to compute. Operations are those that
`costs` tells, or, where those are fewer, so many for each byte that is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ... import output_limit
from ...errors import GraphError, RunError
from ...graph import attr
from ...interpreter.memory_limit import bytes_of
from ...messages import NodeDef
from ...ops.flops import NodeShapes, UnknownShapeError, flop_rule, no_flops
from ...ops.shape_rules import elementwise_ops
from ...re2 import MOST_WORK
from ...shape import size_of
from ...shapes import Shape

__all__ = ["FEW", "LEAST", "UNKNOWN", "Effort", "is_known", "operations", "operations_of"]


FEW = 1 << 12
"""Elements of an input, or of the output, of a node of which nobody knows what it costs."""

LEAST = 25
"""Operations for each element: NumPy takes 12 ns for the sum of two halves, and 7 ns to gather a float."""

UNKNOWN = 100_000
"""Operations that are counted for each element where no rule tells them: no kernel is known to take longer."""

Cost: TypeAlias = Callable[[NodeDef, Sequence[Any], int], int]

# Operations for each element of the largest input or of the output: what takes more than the rules say.
_FOR_EACH = {
    100: r"""
        Atan2|Div|DivNoNan|EuclideanNorm|Exp|FloorMod|FusedBatchNorm(?:V[23])?|L2Loss|Log1p|Max|Min|Mod|MulNoNan
        |ResizeBilinear|Rsqrt|Sigmoid|Softplus|SquaredDifference|TruncateDiv|TruncateMod|Where
    """,
    200: r"""
        AdjustContrastv2|AdjustHue|AdjustSaturation|Atanh?|BatchMatrix(?:BandPart|Diag|DiagPart|SetDiag)|Bincount|Cross
        |BatchNormWithGlobalNormalization|BesselI[01]e?|Cosh?|CumulativeLogsumexp|DenseBincount|Digamma|Erfc|Expm1
        |HSVToRGB|HistogramFixedWidth|Log|LogSoftmax|NextAfter|ParallelDynamicStitch|PopulationCount|Pow
        |QuantizeDownAndShrinkRange|QuantizedBatchNormWithGlobalNormalization|RGBToHSV|RequantizationRange|ResizeBicubic
        |Scatter\w+|Sinh?|Softmax|Tanh?|TensorScatter\w+|TensorStridedSliceUpdate|ToBool
        |TopK(?:V2)?|Unique(?:WithCounts)?|ListDiff|NthElement|InTopK(?:V2)?|Bucketize
    """,
    500: r"""
        Acosh?|Asinh?|BatchMatMul\w*|DrawBoundingBoxes|Erf|I?R?FFT[23]?D?|Lgamma|MatMul|QuantizedMatMul\w*
        |LowerBound|Segment(?:Max|Min)|(?:Sparse)?SoftmaxCrossEntropyWithLogits|UpperBound|_FusedMatMul
    """,
    2000: r"""
        BroadcastArgs|BroadcastGradientArgs|Erfinv|Igammac?|Ndtri|Polygamma|Zeta|Betainc|Ragged(?!Range)\w+
        |Sparse(?:Concat|FillEmptyRows|Reshape|Slice|Split)
        |Stateless(?:Multinomial|Parameterized|Random|Truncated)\w*|Random\w+|TruncatedNormal|Multinomial
    """,
    5_000: r"UnicodeEncode|Unique(?:WithCounts)?V2",
    10_000: r"Fingerprint|RaggedRange",
    20_000: r"AsString|DepthwiseConv2dNativeBackpropInput|StringFormat|StringNGrams",
}
_TIMES = {  # operations for each one that the rule of `summarize` counts
    20: r"""
        _?(?:Fused)?Conv[23]?D?|Conv2DBackprop(?:Filter|Input)|Conv3DBackprop\w+|Fused(?:ResizeAnd)?PadConv2D
        |Dilation2D|LRN|QuantizedConv2D\w*
        |(?:Quantized)?(?:Avg|Max)Pool|AvgPool3D|AvgPoolGrad|MaxPool3D|MaxPoolV2
    """,
    200: r"DepthwiseConv2dNativeBackpropFilter|MaxPoolGrad(?:V2)?|MaxPoolWithArgmax",
    500: r"_?(?:Fused)?DepthwiseConv2dNative|QuantizedDepthwiseConv2D\w*",
}
_CUBED = {  # operations for each element, and for each step along a side of the matrices
    10: r"(?:Batch)?(?:Cholesky|Matrix(?:Determinant|Inverse|Solve|TriangularSolve))|LogMatrixDeterminant",
    100: r"(?:Batch)?(?:Qr|Svd|SelfAdjointEigV?2?)",
}
_SMALL_MATRICES = 300  # operations for each element of decomposed matrices, however small they are
_VISIT = 400  # operations for each pair of a byte of text and a step of a regular expression
_COMPILING = 20_000  # operations for each step of a regular expression
_SPLITTING, _HASHING = 5_000, 2_500  # operations for each byte of text
_SHIFT = 5_000  # operations for each dimension that Roll is told of


def is_known(op: str) -> bool:
    """Whether anything tells what an op costs."""
    return _own(op) is not None or flop_rule(op) is not None


def operations(node: NodeDef, inputs: Sequence[Any], shape: Shape | None) -> int | None:
    """How many operations a node takes; its first output has the shape, as far as that is known.

    None if it cannot be told, and an input or the output has more than a few elements.
    """
    elements = max([*map(np.size, inputs), size_of(shape) or 0], default=0)
    own, rule = _own(node.op), flop_rule(node.op)
    cost = LEAST * elements
    if own is not None:
        cost = max(cost, own(node, inputs, elements))
    if rule is not None:
        try:
            return max(cost, _times(node.op) * rule(NodeShapes(node, [np.shape(value) for value in inputs], shape)))
        except (GraphError, IndexError, ValueError):  # the kernel says what is wrong with it
            return cost
        except UnknownShapeError:
            if own is not None or rule is no_flops or node.op in elementwise_ops():
                return cost
    if own is None:
        return UNKNOWN * elements if elements <= FEW else None
    return cost


@cache
def _own(op: str) -> Cost | None:
    """What tells the cost of an op apart from the rules of `summarize`."""
    if op in _SPECIAL:
        return _SPECIAL[op]
    if (count := _listed(_CUBED, op)) is not None:
        return lambda node, inputs, elements: elements * (_SMALL_MATRICES + count * max(map(_side, inputs), default=0))
    if (each := _listed(_FOR_EACH, op)) is not None:
        return lambda node, inputs, elements: each * elements
    return None


@cache
def _times(op: str) -> int:
    return _listed(_TIMES, op) or 1


def _listed(patterns: Mapping[int, str], op: str) -> int | None:
    """The number whose pattern matches an op."""
    return next((count for count, pattern in patterns.items() if re.fullmatch(pattern, op, re.VERBOSE)), None)


def _roll(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    return _SHIFT * sum(map(np.size, inputs[1:]))


def _regex(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    """An expression is compiled, and in the worst case every byte of text visits each of its steps."""
    if node.op.startswith("Static"):
        pattern, texts = attr(node, "pattern", bytes, b""), inputs[:1]
    else:
        pattern, texts = b"".join(_strings(inputs[1:2])), inputs[:1]
    repeats = [int(each) for each in re.findall(rb"\{(?:\d*,)?(\d{1,4})\}", pattern)]
    steps = len(pattern) * max(repeats, default=1)
    visits = min(MOST_WORK, steps * sum(map(bytes_of, texts)))
    return _COMPILING * steps + _VISIT * visits


def _strings(inputs: Sequence[Any]) -> list[bytes]:
    return [each for value in inputs for each in np.ravel(value).tolist() if isinstance(each, bytes)]


def _of_text(count: int) -> Cost:
    """So many operations for each byte of the first input."""
    return lambda node, inputs, elements: count * sum(map(bytes_of, inputs[:1]))


_SPECIAL: dict[str, Cost] = {
    "Roll": _roll,
    "StringToHashBucketStrong": _of_text(_HASHING),
    **dict.fromkeys(("StringSplit", "StringSplitV2"), _of_text(_SPLITTING)),
    **dict.fromkeys(("RegexFullMatch", "RegexReplace", "StaticRegexFullMatch", "StaticRegexReplace"), _regex),
}


def _side(value: Any) -> int:
    """The longer side of matrices."""
    return max(np.shape(value)[-2:], default=1) if prod(np.shape(value)) else 0


_OPERATIONS, _OPERATIONS_PER_BYTE = 10**10, 10**4
_READING, _READING_STRINGS = 10, 1000  # operations for each byte


class Effort:
    """What was done so far, and how much may be."""

    def __init__(self) -> None:
        self._done = 0
        self._held = 0
        self._given = 0

    def give(self, values: Iterable[Any]) -> None:
        """Count what a Const node holds: of a value that stands for many, nothing."""
        self._given += sum(map(bytes_of, filter(_is_whole, values)))

    def begin(self, node: NodeDef, inputs: Sequence[Any], shape: Shape | None) -> None:
        """Count a node that is about to be computed; its first output has the shape, as far as that is known.

        Raises RunError if it takes too long, all together, or takes one value that stands for very many; and if it has
        many elements and an op of which nobody knows the cost.
        """
        if any(bytes_of(value) > output_limit.ALWAYS for value in inputs if not _is_whole(value)):
            raise RunError("what it takes is much larger than the constants that it comes from")
        taken = operations_of(node, inputs, shape)
        if taken is None:
            raise RunError(f"it has more than {FEW:,} elements, and what {node.op} costs is not known")
        self._done += taken
        if self._done > _OPERATIONS + _OPERATIONS_PER_BYTE * self._given:
            raise RunError(f"constants take more than {_OPERATIONS:,} operations, and {_OPERATIONS_PER_BYTE:,} a byte")

    def hold(self, values: Iterable[Any]) -> None:
        """Count what was computed. Raises RunError if it is too large, all together."""
        size = sum(map(bytes_of, values))
        if self._held + size > output_limit.limit_for(self._given):
            problem = f"new constants are {output_limit.TIMES} times larger than those that there are"
            raise RunError(f"{problem}, and {output_limit.ALWAYS:,} bytes")
        self._held += size

    def drop(self, value: Any) -> None:
        """What was held is not any more."""
        self._held -= bytes_of(value)


def operations_of(node: NodeDef, inputs: Sequence[Any], shape: Shape | None = None) -> int | None:
    """How many operations a node takes, reading its inputs included; None if it cannot be told."""
    reading = sum(bytes_of(value) * _weight(value) for value in inputs)
    computing = operations(node, inputs, shape)
    return None if computing is None else max(reading, computing)


def _is_whole(value: Any) -> bool:
    return not isinstance(value, np.ndarray) or 0 not in value.strides


def _weight(value: Any) -> int:
    return _READING_STRINGS if isinstance(value, np.ndarray) and value.dtype == object else _READING
