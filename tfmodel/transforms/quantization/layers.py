"""Which ops there are for codes, and how a node becomes one of them.

    MatMul(a, b)   ->   QuantizedMatMul(codes of a, codes of b, min of a, max of a, min of b, max of b)

A row for each op on floats; the one on codes is called Quantized, and then like it.

Layers on codes in place of layers on floats.

    y = MatMul(a, b)   ->   y/eightbit = QuantizedMatMul(codes of a, codes of b, and their ranges)
                            y = Dequantize(y/eightbit)

Each by itself: floats become codes before a layer, with the range that they have, and floats again behind it. What
stands between two layers is removed later. Sums are of 32 bits; they become codes of a byte, of the range that they
have, or of one that is given.

The range that RequantizationRange measures may end below zero. Layers that take such codes are wrong, or refuse a range
of one number: the largest of them is what Relu makes of negative ones. So where all sums may be negative, since there
are few, and such a layer takes them, zero comes into the range.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...graph import attr
from ...graph.function_body import ARGUMENT_OP
from ...messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ...names import TensorName, control_input, data_inputs
from ...ops import input_types, output_types
from ..framework.default_attrs import DefaultAttributes
from ..framework.new_constants import const_node
from ..framework.patterns import Match, Op
from ..framework.replacing import replace_matches
from ..framework.report import Refusal, StepReport
from .nodes import dequantize, made, ports, quantize, requantize
from .shape_checks import Sizes, axis_from_the_first, one_group, repeats_in_front

__all__ = ["TABLE", "QuantizedOp", "Range", "quantize_layers"]


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


Range = tuple[float, float]
INT = DataType.DT_INT32

FEW = 64
"""Of as many sums, one is not negative: how many there are at least, if sizes that are not known are one."""

ANY_RANGE = {"BiasAdd"}
"""Layers on codes that know what to do with a range without zero."""


def quantize_layers(
    graph: GraphDef,
    fallback: Range | None,
    *,
    sizes: Sizes,
    ignored: Collection[str],
    ops: Mapping[str, OpDef],
    inputs: Collection[TensorName],
    outputs: Collection[TensorName],
    report: StepReport,
) -> GraphDef:
    """Let all nodes of ops in the table work on codes. `fallback` is the range of sums; without, it is measured."""
    wanted = [op for op in TABLE if op not in ignored]
    if not wanted:
        return graph
    rewrite = partial(_quantized, fallback=fallback, ops=ops, complete=DefaultAttributes(ops), sizes=sizes)
    pattern = Op("|".join(wanted), as_="layer")
    return replace_matches(graph, pattern, rewrite, keep=outputs, inputs=inputs, report=report, functions=False)


def _quantized(
    match: Match,
    fallback: Range | None,
    ops: Mapping[str, OpDef],
    complete: DefaultAttributes,
    sizes: Sizes,
) -> list[NodeDef] | Refusal:
    old, row, op = match.head, TABLE[match.head.op], ops[match.head.op]
    data = data_inputs(old)
    types = input_types(old, op)
    if len(data) != len(types):
        return Refusal("it has another number of inputs than its op")
    if {*output_types(old, op), *(each for place, each in enumerate(types) if place not in row.plain)} != {FLOAT}:
        return Refusal("it does not take and give floats")
    if problem := row.obstacle(old) or row.size_obstacle(sizes, data):
        return Refusal(problem)
    node = complete(old)
    nodes: list[NodeDef] = []
    codes: dict[str, str] = {}  # the node that gives the codes of an input, by how that is spelled
    for place, text in enumerate(data):
        if place not in row.plain and text not in codes:
            nodes += _codes(match, text)
            codes[text] = nodes[-1].name
    inputs = [text if place in row.plain else f"{codes[text]}:0" for place, text in enumerate(data)]
    ranges = [(f"{codes[text]}:1", f"{codes[text]}:2") for place, text in enumerate(data) if place not in row.plain]
    ends = zip(*ranges, strict=True) if row.is_grouped else ranges
    main = match.fresh_name(f"{old.name}/eightbit")
    attributes = {name: AttrValue(type=dtype) for name, dtype in row.types.items()}
    attributes |= {name: node.attr[name] for name in row.copied if name in node.attr}
    attributes |= {
        name: node.attr[name] for name, usual in row.if_given.items() if attr(node, name, type(usual), usual) != usual
    }
    controls = match.control_inputs("layer")
    nodes.append(
        NodeDef(
            name=main,
            op=f"Quantized{old.op}",
            input=[*inputs, *(end for pair in ends for end in pair), *controls],
            attr=attributes,
        )
    )
    if row.is_wide:
        takers = {each.op for each in match.consumers("layer")} & TABLE.keys() - ANY_RANGE
        nodes += _narrowed(match, main, fallback, with_zero=bool(takers) and sizes.least(old.name) < FEW)
    return [*nodes, dequantize(old.name, ports(nodes[-1].name))]


def _codes(match: Match, text: str) -> list[NodeDef]:
    """The nodes that make codes of an input, the one that gives them last."""
    source = TensorName.parse(text)
    prefix = f"{match.head.name}_eightbit/{text.replace(':', '__port__')}"
    parts = ("reshape_dims", "reduction_dims", "reshape", "min", "max", "quantize")
    flat, dims, reshaped, low, high, codes = (match.fresh_name(f"{prefix}/{part}") for part in parts)
    producer = match.producer(text)
    # Constants wait for what they belong to: else they would be outside of its loop.
    waiting = [] if producer is None or producer.op == ARGUMENT_OP else [control_input(source.node)]
    return [
        const_node(flat, [-1], INT, control_inputs=waiting),
        const_node(dims, [0], INT, control_inputs=waiting),
        made(reshaped, "Reshape", [text, flat], T=FLOAT),
        made(low, "Min", [reshaped, dims], T=FLOAT, keep_dims=False),
        made(high, "Max", [reshaped, dims], T=FLOAT, keep_dims=False),
        quantize(codes, [text, low, high], DataType.DT_QUINT8),
    ]


def _narrowed(match: Match, sums: str, fallback: Range | None, *, with_zero: bool) -> list[NodeDef]:
    """The nodes that make codes of a byte of sums, the one that gives them last."""
    nodes: list[NodeDef]
    if fallback is None:
        measured = match.fresh_name(f"{sums}/requant_range")
        nodes = [made(measured, "RequantizationRange", ports(sums), Tinput=DataType.DT_QINT32)]
        low, high = f"{measured}:0", f"{measured}:1"
        if with_zero:
            nodes.append(made(match.fresh_name(f"{sums}/requant_max"), "Relu", [high], T=FLOAT))
            high = nodes[-1].name
    else:
        nodes = [
            match.constant(f"{sums}/fallback_{end}", value, FLOAT)
            for end, value in zip(("min", "max"), fallback, strict=True)
        ]
        low, high = (node.name for node in nodes)
    return [*nodes, requantize(match.fresh_name(f"{sums}/requantize"), sums, low, high)]
