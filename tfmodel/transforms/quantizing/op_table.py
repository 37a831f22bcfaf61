"""Which ops there are for codes, and how a node becomes one of them.

    MatMul(a, b)   ->   QuantizedMatMul(codes of a, codes of b, min of a, max of a, min of b, max of b)

A row for each op on floats; the one on codes is called Quantized, and then like it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile

from ...graph import attr
from ...messages import DataType, NodeDef
from ...shapes import Shape

__all__ = ["TABLE", "QuantizedOp"]

CODES, SUMS, FLOAT = DataType.DT_QUINT8, DataType.DT_QINT32, DataType.DT_FLOAT
SQUARE = ("strides", "padding")


@dataclass(frozen=True, slots=True)
class QuantizedOp:
    """How nodes of an op are quantized.

    types       attributes of the new node: the types of what it takes and gives
    copied      those that it has in common with the old one
    if_given    those that are copied if they do not have the value that nodes have without them
    plain       the inputs that stay what they are, by place
    is_wide     what comes out are sums, in 32 bits, whose range has to be narrowed
    is_grouped  the inputs end in all minimums and then all maximums, and not in a pair for each
    repeats     the one on codes can repeat one input along the first dimensions of the other, and in no other way
    """

    types: Mapping[str, DataType]
    copied: tuple[str, ...] = ()
    if_given: Mapping[str, object] = field(default_factory=dict)
    plain: frozenset[int] = frozenset()
    is_wide: bool = False
    is_grouped: bool = False
    repeats: bool = False

    def obstacle(self, node: NodeDef) -> str:
        """What a node asks for that codes cannot have: those ops know no other layout; "" if there is nothing."""
        if attr(node, "data_format", bytes, b"NHWC") != b"NHWC":
            return "its layout is not NHWC"
        if set(attr(node, "dilations", list[int], [])) - {1}:
            return "it is dilated"
        if "padding" in self.copied and attr(node, "padding", bytes) not in (b"SAME", b"VALID"):
            return "it has explicit paddings"
        return ""

    def shape_obstacle(self, shapes: Sequence[Shape | None]) -> str:
        """The same of the shapes of its inputs, as far as they are known."""
        if not self.repeats or any(shape is None for shape in shapes):
            return ""
        one, other = (tuple(dropwhile(lambda size: size == 1, shape or ())) for shape in shapes)
        pairs = zip(reversed(one), reversed(other), strict=False)
        if any(None not in pair and len({*pair}) > 1 for pair in pairs):
            return "it repeats an input along other dimensions than the first"
        return ""


TABLE = {
    "Add": QuantizedOp({"T1": CODES, "T2": CODES, "Toutput": SUMS}, is_wide=True, repeats=True),
    "AvgPool": QuantizedOp({"T": CODES}, ("ksize", *SQUARE)),
    "BiasAdd": QuantizedOp({"T1": CODES, "T2": CODES, "out_type": SUMS}, is_wide=True),
    "Concat": QuantizedOp({"T": CODES}, ("N",), plain=frozenset({0}), is_grouped=True),
    "Conv2D": QuantizedOp({"Tinput": CODES, "Tfilter": CODES, "out_type": SUMS}, SQUARE, is_wide=True),
    "MatMul": QuantizedOp(
        {"T1": CODES, "T2": CODES, "Toutput": SUMS}, ("transpose_a", "transpose_b"), is_wide=True
    ),
    "MaxPool": QuantizedOp({"T": CODES}, ("ksize", *SQUARE)),
    "Mul": QuantizedOp({"T1": CODES, "T2": CODES, "Toutput": SUMS}, is_wide=True, repeats=True),
    "Relu": QuantizedOp({"Tinput": CODES}),
    "Relu6": QuantizedOp({"Tinput": CODES}),
    "Reshape": QuantizedOp({"T": CODES}, if_given={"Tshape": DataType.DT_INT32}, plain=frozenset({1})),
    "ResizeBilinear": QuantizedOp(
        {"T": CODES}, ("align_corners",), if_given={"half_pixel_centers": False}, plain=frozenset({1})
    ),
}
