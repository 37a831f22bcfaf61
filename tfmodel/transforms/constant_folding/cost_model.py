"""The cost of computing a node, in operations of about half a nanosecond, and the limit on constant folding.

    operations(node, inputs, (3, 3))        # None if the cost is unknown, for more than MAX_ELEMENTS elements

The rules of `summarize` count floating point operations. NumPy takes longer for many ops: it moves data, sorts, and
calls Python per element or row. So every element counts as at least `MIN_PER_ELEMENT` operations. `_PER_ELEMENT` lists
ops that take longer per element, and `_PER_OPERATION` lists ops that take longer per operation of their rule. The
cost of decompositions of matrices grows with the cube of their side. `python -m tests.kernel_costs` measures the time:
no op may take more than twice the time that corresponds to its cost. An op without a rule is computed only for up
to MAX_ELEMENTS elements.

A graph of a few bytes may require any amount of work: Fill makes a tensor of any size, and each ConcatV2 of a tensor
with itself doubles it. So `Effort` limits the work of folding to a fixed amount, plus an amount per byte of the Const
nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any, TypeAlias

import numpy as np

from ...analysis.flops import NodeShapes, UnknownShapeError, flop_rule, no_flops
from ...analysis.shape_rules.table import elementwise_ops
from ...analysis.shapes import Shape
from ...errors import GraphError, RunError
from ...graph import attr
from ...kernels.re2 import MAX_WORK
from ...kernels.runtime.memory_limit import bytes_of
from ...messages import NodeDef
from ...values import output_limit
from ...values.shape import count_elements

MAX_ELEMENTS = 1 << 12
"""The maximum number of elements of the inputs and output of a node with unknown cost."""

MIN_PER_ELEMENT = 25
"""Operations per element: NumPy takes 12 ns to add two float16 numbers, and 7 ns to gather a float."""

UNKNOWN_PER_ELEMENT = 100_000
"""Operations counted per element of an op without a rule: no kernel is known to take longer."""

Cost: TypeAlias = Callable[[NodeDef, Sequence[Any], int], int]

# Operations per element of the largest input or the output, for ops that take longer than their rule predicts.
_PER_ELEMENT = {
    100: r"""
        Atan2|BiasAdd(?:V1)?|Div|DivNoNan|Elu|EuclideanNorm|Exp|FloorDiv|FloorMod|FusedBatchNorm(?:V[23])?|L2Loss|Log1p
        |Mod|MulNoNan|QuantizedConcat(?:V2)?|ResizeBilinear|ReverseSequence|Rsqrt|Select(?:V2)?|Selu|Sigmoid|Softplus|SquaredDifference
        |TruncateDiv|TruncateMod|UnsortedSegment(?:Max|Min|Prod|Sum)|Where|Xdivy
    """,
    200: r"""
        AdjustContrastv2|AdjustHue|AdjustSaturation|Atan|BatchMatrix(?:BandPart|DiagPart|SetDiag)|Bincount|Cross
        |BatchNormWithGlobalNormalization|Cast|Cosh?|DenseBincount|Expm1
        |HSVToRGB|HistogramFixedWidth|Log|LogSoftmax|Max|Min|NextAfter|ParallelDynamicStitch|PopulationCount
        |QuantizeDownAndShrinkRange|QuantizedBatchNormWithGlobalNormalization|QuantizedResizeBilinear|RGBToHSV
        |RequantizationRange(?:PerChannel)?|RequantizePerChannel|ResizeBicubic
        |Scatter\w+|Sinh?|Softmax|Tanh?|TensorScatter\w+|TensorStridedSliceUpdate|ToBool
        |TopK(?:V2)?|Unique(?:WithCounts)?|ListDiff|NthElement|InTopK(?:V2)?|Bucketize|Xlog1py|Xlogy
    """,
    500: r"""
        Atanh|BatchMatMul\w*|BesselI[01]e?|CumulativeLogsumexp|Digamma|DrawBoundingBoxes|Erf|I?R?FFT[23]?D?|Lgamma
        |MatMul|Pow|QuantizedMatMul\w*|LowerBound|Segment(?:Max|Min)|(?:Sparse)?SoftmaxCrossEntropyWithLogits|UpperBound|_FusedMatMul
    """,
    1000: r"Acosh?|Asinh?|Erfc",
    2000: r"""
        AudioSpectrogram|BroadcastArgs|BroadcastGradientArgs|Erfinv|Ndtri|Ragged(?!Range)\w+
        |Sparse(?:Concat|FillEmptyRows|Reshape|Slice|Split)
        |Stateless(?:Multinomial|Parameterized|Random|Truncated)\w*|Random\w+|TruncatedNormal|Multinomial
    """,
    5_000: r"UnicodeEncode",
    10_000: r"Fingerprint|RaggedRange",
    20_000: r"AsString|DepthwiseConv2dNativeBackpropInput|StringFormat|StringNGrams|Unique(?:WithCounts)?V2",
}
_PER_OPERATION = {  # operations per operation that the rule of `summarize` counts
    20: r"""
        _?(?:Fused)?Conv[23]?D?|Conv2DBackprop(?:Filter|Input)|Conv3DBackprop\w+|Fused(?:ResizeAnd)?PadConv2D
        |Dilation2D|LRN|QuantizedConv2D\w*
        |(?:Quantized)?(?:Avg|Max)Pool|AvgPool3D|AvgPoolGrad|MaxPool3D|MaxPoolV2
    """,
    200: r"DepthwiseConv2dNativeBackpropFilter|MaxPoolGrad(?:V2)?|MaxPoolWithArgmax",
    500: r"_?(?:Fused)?DepthwiseConv2dNative|QuantizedDepthwiseConv2D\w*",
}
_CUBED = {  # operations per element, and per step along a side of the matrices
    10: r"(?:Batch)?(?:Cholesky|Matrix(?:Determinant|Inverse|Solve|TriangularSolve))|LogMatrixDeterminant",
    100: r"(?:Batch)?(?:Qr|Svd|SelfAdjointEigV?2?)",
    400: r"Eig",
}
_SMALL_MATRICES = 300  # operations per element of decomposed matrices of any size
_VISIT = 400  # operations per pair of a byte of text and a step of a regular expression
_REPLACING = 20_000  # operations per match that is replaced
_COMPILING = 20_000  # operations per step of a regular expression
_SPLITTING, _HASHING, _DECODING = 5_000, 2_500, 2_500  # operations per byte of text
_CROSSING = 10_000  # operations per part of a cross, and per byte that is hashed
_DIAGONALS = 200  # operations per element of a matrix that is made of its diagonal
_SHIFT = 5_000  # operations per dimension that Roll shifts
_UNRAVEL, _COORDINATE = 10_000, 100  # operations per dimension, and per coordinate


def is_known(op: str) -> bool:
    """Return whether the cost of an op is known."""
    return _cost_rule(op) is not None or flop_rule(op) is not None


def operations(node: NodeDef, inputs: Sequence[Any], shape: Shape | None) -> int | None:
    """Return the number of operations that computing a node takes.

    `shape` is the shape of its first output, as far as it is known. Return None if the cost is unknown and an input or
    the output has more than MAX_ELEMENTS elements.
    """
    elements = max([*map(np.size, inputs), count_elements(shape) or 0], default=0)
    cost_rule, rule = _cost_rule(node.op), flop_rule(node.op)
    cost = MIN_PER_ELEMENT * elements
    if cost_rule is not None:
        cost = max(cost, cost_rule(node, inputs, elements))
    if rule is not None:
        try:
            return max(cost, _factor(node.op) * rule(NodeShapes(node, [np.shape(value) for value in inputs], shape)))
        except (GraphError, IndexError, ValueError):  # the kernel raises an error with the reason
            return cost
        except UnknownShapeError:
            if cost_rule is not None or rule is no_flops or node.op in elementwise_ops():
                return cost
    if cost_rule is None:
        return UNKNOWN_PER_ELEMENT * elements if elements <= MAX_ELEMENTS else None
    return cost


@cache
def _cost_rule(op: str) -> Cost | None:
    """Return the cost function that this module has for an op; None if it has none for the op."""
    if op in _SPECIAL:
        return _SPECIAL[op]
    if (count := _find_pattern(_CUBED, op)) is not None:
        return lambda node, inputs, elements: elements * (_SMALL_MATRICES + count * max(map(_side, inputs), default=0))
    if (per_element := _find_pattern(_PER_ELEMENT, op)) is not None:
        return lambda node, inputs, elements: per_element * elements
    return None


@cache
def _factor(op: str) -> int:
    return _find_pattern(_PER_OPERATION, op) or 1


def _find_pattern(patterns: Mapping[int, str], op: str) -> int | None:
    """Return the number whose pattern matches an op; None if no pattern does."""
    return next((count for count, pattern in patterns.items() if re.fullmatch(pattern, op, re.VERBOSE)), None)


def _matrices(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    """Return the cost of matrices with given diagonals. Shape inference does not know their size."""
    return sum(_DIAGONALS * np.size(value) * max(1, *np.shape(value)[-1:]) for value in inputs)


def _roll(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    return _SHIFT * sum(map(np.size, inputs[1:]))


def _unravel(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    dimensions = sum(map(np.size, inputs[1:]))
    return dimensions * (_UNRAVEL + _COORDINATE * sum(map(np.size, inputs[:1])))


def _regex(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    """Return the cost of compiling and matching an expression: at worst, each byte of text visits each of its steps."""
    if node.op.startswith("Static"):
        pattern, texts = attr(node, "pattern", bytes, b""), inputs[:1]
    else:
        pattern, texts = b"".join(_strings(inputs[1:2])), inputs[:1]
    repeats = [int(number) for number in re.findall(rb"\{(?:\d*,)?(\d{1,4})\}", pattern)]
    steps = (1 + len(pattern)) * max(repeats, default=1)  # an empty pattern matches everywhere
    size = sum(map(bytes_of, texts))
    replaced = size if node.op.endswith("Replace") else 0  # at worst, each byte is a match
    return _COMPILING * steps + _VISIT * min(MAX_WORK, steps * size) + _REPLACING * replaced


def _strings(inputs: Sequence[Any]) -> list[bytes]:
    return [text for value in inputs for text in np.ravel(value).tolist() if isinstance(text, bytes)]


def _of_text(count: int) -> Cost:
    """Return a cost function that counts operations per byte of the first input."""
    return lambda node, inputs, elements: count * sum(map(bytes_of, inputs[:1]))


def _mfcc(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    """Return the cost of the weights and the products of the spectrogram with them."""
    bands, coefficients = attr(node, "filterbank_channel_count", int, 40), attr(node, "dct_coefficient_count", int, 13)
    frequencies: int = max(1, *np.shape(inputs[0])[-1:])
    rows = np.size(inputs[0]) // frequencies
    products = max(0, bands) * (frequencies + coefficients)
    return products * (rows + 200) + 200 * (elements + rows * max(0, bands))


def _cross(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    """Return the cost of a cross, at worst of all values of all columns."""
    count = attr(node, "N", int, 0)
    columns = [*inputs[count : 2 * count], *inputs[3 * count :]]
    return _CROSSING * (
        len(columns) * prod(max(1, np.size(column)) for column in columns) + sum(map(bytes_of, columns))
    )


_ZETA_STEP, _GAMMA_STEP = 200, 100  # operations per element and term
_MAX_ZETA_TERMS = 20_000


def _zeta(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    """Return the cost of zeta and polygamma: terms are added from the second input up to the first one."""
    first, second = (_extremes(value) for value in (*inputs, (), ())[:2])
    terms = min(max(10, first[1]) + max(0, -second[0]), _MAX_ZETA_TERMS)
    return int(elements * (2000 + _ZETA_STEP * terms))


def _incomplete_gamma(node: NodeDef, inputs: Sequence[Any], elements: int) -> int:
    """Return the cost of series and continued fractions, whose length grows with the root of the arguments."""
    largest = max((max(map(abs, _extremes(value))) for value in inputs), default=0)
    return int(elements * (2000 + _GAMMA_STEP * min(300 + 10 * largest**0.5, 5000)))


def _extremes(value: Any) -> tuple[float, float]:
    """Return the smallest and the largest number of a tensor, infinite ones as very large."""
    numbers = np.asarray(value)
    if not numbers.size or numbers.dtype.kind not in "fiu":
        return 0.0, 0.0
    bounded = np.nan_to_num(np.array([numbers.min(), numbers.max()], np.float64), nan=1e9, posinf=1e9, neginf=-1e9)
    return float(bounded[0]), float(bounded[1])


_SPECIAL: dict[str, Cost] = {
    **dict.fromkeys(("Polygamma", "Zeta"), _zeta),
    **dict.fromkeys(("Igamma", "Igammac"), _incomplete_gamma),
    "BatchMatrixDiag": _matrices,
    "Mfcc": _mfcc,
    "Roll": _roll,
    **dict.fromkeys(("SparseCross", "SparseCrossHashed", "SparseCrossV2"), _cross),
    "StringToHashBucketStrong": _of_text(_HASHING),
    **dict.fromkeys(
        ("DecodeCSV", "UnicodeDecode", "UnicodeDecodeWithOffsets", "UnicodeTranscode"), _of_text(_DECODING)
    ),
    "UnravelIndex": _unravel,
    **dict.fromkeys(("StringSplit", "StringSplitV2"), _of_text(_SPLITTING)),
    **dict.fromkeys(("RegexFullMatch", "RegexReplace", "StaticRegexFullMatch", "StaticRegexReplace"), _regex),
}


def _side(value: Any) -> int:
    """Return the longer side of a matrix, or of the matrices in a batch; 0 if it is empty, 1 for a scalar."""
    return max(np.shape(value)[-2:], default=1) if prod(np.shape(value)) else 0


_OPERATIONS, _OPERATIONS_PER_BYTE = 10**10, 10**4
_READING, _READING_STRINGS = 10, 1000  # operations per byte


class Effort:
    """Counts the work of constant folding, and limits it."""

    def __init__(self) -> None:
        self._done = 0
        self._held = 0
        self._constant_bytes = 0

    def add_constants(self, values: Iterable[Any]) -> None:
        """Count the bytes of a Const node's values. A value that is stored once for many elements counts nothing."""
        self._constant_bytes += sum(map(bytes_of, filter(_is_whole, values)))

    def add_node(self, node: NodeDef, inputs: Sequence[Any], shape: Shape | None) -> None:
        """Count the operations of a node that is about to be computed.

        `shape` is the shape of its first output, as far as it is known. Raises RunError if the total becomes too large,
        if an input is a single value repeated for very many elements, or if the node has many elements and an op of
        unknown cost.
        """
        if any(bytes_of(value) > output_limit.MIN_LIMIT for value in inputs if not _is_whole(value)):
            raise RunError("its input is much larger than the constants that it is computed from")
        needed = count_operations(node, inputs, shape)
        if needed is None:
            raise RunError(f"it has more than {MAX_ELEMENTS:,} elements, and the cost of {node.op} is unknown")
        self._done += needed
        if self._done > _OPERATIONS + _OPERATIONS_PER_BYTE * self._constant_bytes:
            raise RunError(
                f"constants take more than {_OPERATIONS:,} operations plus {_OPERATIONS_PER_BYTE:,} per byte"
            )

    def hold(self, values: Iterable[Any]) -> None:
        """Count the size of computed values. Raises RunError if the total becomes too large."""
        size = sum(map(bytes_of, values))
        if self._held + size > output_limit.output_limit_for(self._constant_bytes):
            problem = f"new constants are {output_limit.MAX_GROWTH} times larger than the present ones"
            raise RunError(f"{problem}, and {output_limit.MIN_LIMIT:,} bytes")
        self._held += size

    def drop(self, value: Any) -> None:
        """Subtract the size of a value that is no longer held."""
        self._held -= bytes_of(value)


def count_operations(node: NodeDef, inputs: Sequence[Any], shape: Shape | None = None) -> int | None:
    """Return the number of operations for computing a node, or for reading its inputs if that takes more.

    Return None if the cost is unknown: see `operations`.
    """
    reading = sum(bytes_of(value) * _weight(value) for value in inputs)
    computing = operations(node, inputs, shape)
    return None if computing is None else max(reading, computing)


def _is_whole(value: Any) -> bool:
    return not isinstance(value, np.ndarray) or 0 not in value.strides


def _weight(value: Any) -> int:
    return _READING_STRINGS if isinstance(value, np.ndarray) and value.dtype == object else _READING
