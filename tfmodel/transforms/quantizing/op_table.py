"""Which ops there are for codes, and how a node becomes one of them.

    MatMul(a, b)   ->   QuantizedMatMul(codes of a, codes of b, min of a, max of a, min of b, max of b)

A row for each op on floats; the one on codes is called Quantized, and then like it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...graph import attr
from ...messages import DataType, NodeDef
from .sizes import Sizes, axis_from_the_first, one_group, repeats_in_front

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
    sizes       what the op on codes asks of the sizes of its inputs: says what is wrong with them, or ""
    """

    types: Mapping[str, DataType]
    copied: tuple[str, ...] = ()
    if_given: Mapping[str, object] = field(default_factory=dict)
    plain: frozenset[int] = frozenset()
    is_wide: bool = False
    is_grouped: bool = False
    sizes: Callable[[Sizes, Sequence[str]], str] | None = None

    def obstacle(self, node: NodeDef) -> str:
        """What the attributes of a node ask for that codes cannot have; "" if there is nothing."""
        if attr(node, "data_format", bytes, b"NHWC") != b"NHWC":
            return "its layout is not NHWC"
        if set(attr(node, "dilations", list[int], [])) - {1}:
            return "it is dilated"
        if "padding" in self.copied and attr(node, "padding", bytes) not in (b"SAME", b"VALID"):
            return "it has explicit paddings"
        if "strides" not in self.copied:
            return ""
        strides = attr(node, "strides", list[int])
        windows = attr(node, "ksize", list[int]) if "ksize" in self.copied else []
        if {*strides[:1], *strides[3:], *windows[:1], *windows[3:]} - {1}:
            return "it strides, or has windows, across images or channels"
        if not windows and len({*strides[1:3]}) > 1:
            return "its strides are not the same in both directions"
        return ""

    def size_obstacle(self, sizes: Sizes, data: Sequence[str]) -> str:
        """The same of the sizes of its inputs."""
        taken = [text for place, text in enumerate(data) if place not in self.plain]
        return sizes.obstacle(taken) or (self.sizes(sizes, data) if self.sizes is not None else "")


TABLE = {
    "Add": QuantizedOp({"T1": CODES, "T2": CODES, "Toutput": SUMS}, is_wide=True, sizes=repeats_in_front),
    "AvgPool": QuantizedOp({"T": CODES}, ("ksize", *SQUARE)),
    "BiasAdd": QuantizedOp({"T1": CODES, "T2": CODES, "out_type": SUMS}, is_wide=True),
    "Concat": QuantizedOp({"T": CODES}, ("N",), plain=frozenset({0}), is_grouped=True, sizes=axis_from_the_first),
    "Conv2D": QuantizedOp({"Tinput": CODES, "Tfilter": CODES, "out_type": SUMS}, SQUARE, is_wide=True, sizes=one_group),
    "MatMul": QuantizedOp({"T1": CODES, "T2": CODES, "Toutput": SUMS}, ("transpose_a", "transpose_b"), is_wide=True),
    "MaxPool": QuantizedOp({"T": CODES}, ("ksize", *SQUARE)),
    "Mul": QuantizedOp({"T1": CODES, "T2": CODES, "Toutput": SUMS}, is_wide=True, sizes=repeats_in_front),
    "Relu": QuantizedOp({"Tinput": CODES}),
    "Relu6": QuantizedOp({"Tinput": CODES}),
    "Reshape": QuantizedOp({"T": CODES}, if_given={"Tshape": DataType.DT_INT32}, plain=frozenset({1})),
    "ResizeBilinear": QuantizedOp(
        {"T": CODES}, ("align_corners",), if_given={"half_pixel_centers": False}, plain=frozenset({1})
    ),
}
