"""Replace float layers by 8-bit quantized layers.

    y = MatMul(a, b)   ->   y/eightbit = QuantizedMatMul(quantized a, quantized b, min a, max a, min b, max b)
                            y = Dequantize(y/eightbit)

Each layer is replaced independently: its float inputs are quantized with their own range, and its output is
dequantized. Conversions between two layers are removed later. Products and sums are 32-bit; they are requantized to
8 bits, with their measured range or with a given one.

The range that RequantizationRange measures may end below zero. Some quantized layers give wrong results for an input
with such a range, or fail if the range is a single number, such as that of a Relu of negative numbers. So zero is added
to the range if two conditions hold: there are so few sums that all may be negative, and a layer that cannot handle such
a range consumes them.

`TABLE` has a row for each float op; the quantized op has the same name with the prefix Quantized.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from ...graph import attr
from ...graph.function_body import ARGUMENT_OP
from ...messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ...ops import input_types, output_types
from ...values.names import TensorName, control_input, data_inputs
from ..framework.node_edits import DefaultAttributes, const_node
from ..framework.patterns import Match, Op
from ..framework.replacing import replace_matches
from ..framework.report import Refusal, StepReport
from .requantization import dequantize, new_node, ports, quantize, requantize
from .shape_checks import ShapeChecks, axis_from_the_first, one_group, repeats_in_front

BYTES, SUMS, FLOAT = DataType.DT_QUINT8, DataType.DT_QINT32, DataType.DT_FLOAT
SQUARE = ("strides", "padding")


@dataclass(frozen=True, slots=True)
class QuantizedOp:
    """The rule for the quantization of an op's nodes.

    types       attributes of the new node: types of its inputs and outputs
    copied      attributes that are copied from the old node
    if_given    attributes that are copied unless they have the default value given here
    plain       positions of inputs that are not quantized
    is_wide     the output is 32-bit, and has to be requantized to 8 bits
    is_grouped  the inputs end in all minimums followed by all maximums, instead of a pair per input
    sizes       a function that checks the shapes of the inputs: it returns the problem, or ""
    """

    types: Mapping[str, DataType]
    copied: tuple[str, ...] = ()
    if_given: Mapping[str, object] = field(default_factory=dict)
    plain: frozenset[int] = frozenset()
    is_wide: bool = False
    is_grouped: bool = False
    sizes: Callable[[ShapeChecks, Sequence[str]], str] | None = None

    def obstacle(self, node: NodeDef) -> str:
        """Return why the attributes of a node do not allow quantizing it; "" if they do."""
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

    def size_obstacle(self, sizes: ShapeChecks, data: Sequence[str]) -> str:
        """Return why the shapes of the inputs `data` of a node do not allow quantizing it; "" if they do."""
        quantized_inputs = [text for place, text in enumerate(data) if place not in self.plain]
        return sizes.obstacle(quantized_inputs) or (self.sizes(sizes, data) if self.sizes is not None else "")


TABLE = {
    "Add": QuantizedOp({"T1": BYTES, "T2": BYTES, "Toutput": SUMS}, is_wide=True, sizes=repeats_in_front),
    "AvgPool": QuantizedOp({"T": BYTES}, ("ksize", *SQUARE)),
    "BiasAdd": QuantizedOp({"T1": BYTES, "T2": BYTES, "out_type": SUMS}, is_wide=True),
    "Concat": QuantizedOp({"T": BYTES}, ("N",), plain=frozenset({0}), is_grouped=True, sizes=axis_from_the_first),
    "Conv2D": QuantizedOp({"Tinput": BYTES, "Tfilter": BYTES, "out_type": SUMS}, SQUARE, is_wide=True, sizes=one_group),
    "MatMul": QuantizedOp({"T1": BYTES, "T2": BYTES, "Toutput": SUMS}, ("transpose_a", "transpose_b"), is_wide=True),
    "MaxPool": QuantizedOp({"T": BYTES}, ("ksize", *SQUARE)),
    "Mul": QuantizedOp({"T1": BYTES, "T2": BYTES, "Toutput": SUMS}, is_wide=True, sizes=repeats_in_front),
    "Relu": QuantizedOp({"Tinput": BYTES}),
    "Relu6": QuantizedOp({"Tinput": BYTES}),
    "Reshape": QuantizedOp({"T": BYTES}, if_given={"Tshape": DataType.DT_INT32}, plain=frozenset({1})),
    "ResizeBilinear": QuantizedOp(
        {"T": BYTES}, ("align_corners",), if_given={"half_pixel_centers": False}, plain=frozenset({1})
    ),
}


Range = tuple[float, float]
INT = DataType.DT_INT32

MIN_SUMS = 64
"""If a layer has at least this many sums, one of them is assumed not to be negative. Unknown sizes count as one."""

ANY_RANGE = {"BiasAdd"}
"""Ops in `TABLE` whose quantized ops accept an input range without zero."""


def quantize_layers(
    graph: GraphDef,
    fallback: Range | None,
    *,
    sizes: ShapeChecks,
    ignored: Collection[str],
    excluded: Container[str],
    ops: Mapping[str, OpDef],
    inputs: Collection[TensorName],
    outputs: Collection[TensorName],
    report: StepReport,
) -> GraphDef:
    """Replace all nodes with ops in `TABLE` that can be quantized, except for `ignored` ops and `excluded` names.

    `fallback` is the range of sums; if it is None, the range is measured. `sizes` checks shapes of the graph.
    """
    selected = [op for op in TABLE if op not in ignored]
    if not selected:
        return graph
    rewrite = partial(
        _quantize, fallback=fallback, ops=ops, complete=DefaultAttributes(ops), sizes=sizes, excluded=excluded
    )
    pattern = Op("|".join(selected), as_="layer")
    return replace_matches(graph, pattern, rewrite, keep=outputs, inputs=inputs, report=report, functions=False)


def _quantize(
    match: Match,
    fallback: Range | None,
    ops: Mapping[str, OpDef],
    complete: DefaultAttributes,
    sizes: ShapeChecks,
    excluded: Container[str],
) -> list[NodeDef] | Refusal:
    old, row, op = match.head, TABLE[match.head.op], ops[match.head.op]
    if old.name in excluded:
        return Refusal("exclude_node names it")
    data = data_inputs(old)
    types = input_types(old, op)
    if len(data) != len(types):
        return Refusal("its op has another number of inputs")
    if {*output_types(old, op), *(dtype for place, dtype in enumerate(types) if place not in row.plain)} != {FLOAT}:
        return Refusal("its inputs and outputs are not floats")
    if problem := row.obstacle(old) or row.size_obstacle(sizes, data):
        return Refusal(problem)
    nodes: list[NodeDef] = []
    codes: dict[str, str] = {}  # by the spelling of an input: the node that quantizes it
    for place, text in enumerate(data):
        if place not in row.plain and text not in codes:
            nodes += _quantize_input(match, text)
            codes[text] = nodes[-1].name
    inputs = [text if place in row.plain else f"{codes[text]}:0" for place, text in enumerate(data)]
    ranges = [(f"{codes[text]}:1", f"{codes[text]}:2") for place, text in enumerate(data) if place not in row.plain]
    ends = zip(*ranges, strict=True) if row.is_grouped else ranges
    main = match.fresh_name(f"{old.name}/eightbit")
    controls = match.control_inputs("layer")
    nodes.append(
        NodeDef(
            name=main,
            op=f"Quantized{old.op}",
            input=[*inputs, *(end for pair in ends for end in pair), *controls],
            attr=_attributes(row, complete(old)),
        )
    )
    if row.is_wide:
        takers = {consumer.op for consumer in match.consumers("layer")} & TABLE.keys() - ANY_RANGE
        nodes += _requantize(match, main, fallback, with_zero=bool(takers) and sizes.min_elements(old.name) < MIN_SUMS)
    return [*nodes, dequantize(old.name, ports(nodes[-1].name))]


def _attributes(row: QuantizedOp, node: NodeDef) -> dict[str, AttrValue]:
    """Return the attributes of the quantized op. `node` is the float layer with all its attributes."""
    attributes = {name: AttrValue(type=dtype) for name, dtype in row.types.items()}
    attributes |= {name: node.attr[name] for name in row.copied if name in node.attr}
    return attributes | {
        name: node.attr[name]
        for name, default in row.if_given.items()
        if attr(node, name, type(default), default) != default
    }


def _quantize_input(match: Match, text: str) -> list[NodeDef]:
    """Return the nodes that quantize an input; the last one has the quantized values."""
    source = TensorName.parse(text)
    prefix = f"{match.head.name}_eightbit/{text.replace(':', '__port__')}"
    parts = ("reshape_dims", "reduction_dims", "reshape", "min", "max", "quantize")
    flat, dims, reshaped, low, high, codes = (match.fresh_name(f"{prefix}/{part}") for part in parts)
    producer = match.producer(text)
    # A control input from the producer: without inputs, the constants would be outside of its loop.
    controls = [] if producer is None or producer.op == ARGUMENT_OP else [control_input(source.node)]
    return [
        const_node(flat, [-1], INT, control_inputs=controls),
        const_node(dims, [0], INT, control_inputs=controls),
        new_node(reshaped, "Reshape", [text, flat], T=FLOAT),
        new_node(low, "Min", [reshaped, dims], T=FLOAT, keep_dims=False),
        new_node(high, "Max", [reshaped, dims], T=FLOAT, keep_dims=False),
        quantize(codes, [text, low, high], DataType.DT_QUINT8),
    ]


def _requantize(match: Match, sums: str, fallback: Range | None, *, with_zero: bool) -> list[NodeDef]:
    """Return the nodes that requantize sums to 8 bits; the last one has the result."""
    nodes: list[NodeDef]
    if fallback is None:
        measured = match.fresh_name(f"{sums}/requant_range")
        nodes = [new_node(measured, "RequantizationRange", ports(sums), Tinput=DataType.DT_QINT32)]
        low, high = f"{measured}:0", f"{measured}:1"
        if with_zero:
            nodes.append(new_node(match.fresh_name(f"{sums}/requant_max"), "Relu", [high], T=FLOAT))
            high = nodes[-1].name
    else:
        nodes = [
            match.constant(f"{sums}/fallback_{end}", value, FLOAT)
            for end, value in zip(("min", "max"), fallback, strict=True)
        ]
        low, high = (node.name for node in nodes)
    return [*nodes, requantize(match.fresh_name(f"{sums}/requantize"), sums, low, high)]
