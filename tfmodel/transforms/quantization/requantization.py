"""Rewrites of the conversions between quantized layers: use trained ranges, and remove redundant conversions.

    FakeQuant(Relu(x), lo, hi)   ->   Relu(FakeQuant(x, lo, hi))
    FakeQuant(x, lo, hi)         ->   Dequantize(Requantize(QuantizeV2(x, lo, hi), lo, hi))

FakeQuantWithMinMaxVars has the range that a model was trained with. The first rewrite moves the FakeQuant towards the
inputs, so that the nodes after it can stay quantized. It moves over up to three nodes at a time, and only over ops for
which the result stays the same or changes by at most one quantization step.

    Requantize(QuantizeV2(Dequantize(Requantize(sums, measured)), range), range)   ->   Requantize(sums, range)
    QuantizeV2(Dequantize(values, min, max), Min, Max)                             ->   values, min, max

In the last rewrite, Min and Max are computed from the output of the Dequantize. Nodes that become unused may stay.

Functions that make nodes: `new_node` makes any node; `quantize`, `requantize` and `dequantize` make the conversions:

    new_node("y", "Dequantize", ["values", "min", "max"], T=DataType.DT_QUINT8, mode=b"MIN_FIRST")
    dequantize("y", ["values", "min", "max"])        # the same
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from ...errors import GraphError
from ...graph import GraphIndex, attr, replace_node, with_nodes
from ...messages import AttrValue, DataType, GraphDef, NodeDef
from ...values.names import TensorName, control_inputs
from ..framework.constants import FLOATS
from ..framework.node_edits import rename_inputs
from ..framework.patterns import Anything, Match, Op
from ..framework.replacing import replace_matches
from ..framework.report import Refusal, StepReport

MEASURED = Op("RequantizationRange", as_="measured", port=0), Op("RequantizationRange", as_="measured", port=1)
INNER = Op(
    "Requantize",
    Anything(as_="sums", port=0),
    Anything(as_="sums", port=1),
    Anything(as_="sums", port=2),
    *MEASURED,
    as_="inner",
    port=0,
)
DEQUANTIZED = Op(
    "Dequantize", INNER, Op("Requantize", as_="inner", port=1), Op("Requantize", as_="inner", port=2), as_="floats"
)
CODES = Op("QuantizeV2", DEQUANTIZED, Op("Const", as_="low"), Op("Const", as_="high"), as_="codes", port=0)
ADJACENT_PATTERN = Op(
    "Requantize",
    CODES,
    Op("QuantizeV2", as_="codes", port=1),
    Op("QuantizeV2", as_="codes", port=2),
    Op("Const", as_="low"),
    Op("Const", as_="high"),
    as_="outer",
)


def merge_requantizes(
    graph: GraphDef, *, inputs: Collection[TensorName], outputs: Collection[TensorName], report: StepReport
) -> GraphDef:
    """Requantize sums directly to the given range, instead of to a measured range first."""
    return replace_matches(graph, ADJACENT_PATTERN, _merge, keep=outputs, inputs=inputs, report=report, functions=False)


def _merge(match: Match) -> list[NodeDef]:
    inner, outer = match["inner"], match["outer"]
    controls = match.control_inputs("measured", "inner", "floats", "codes", "outer")
    merged = replace_node(outer, input=[*inner.input[:3], *outer.input[3:5], *controls])
    return [match["sums"], match["low"], match["high"], merged]


def remove_redundant_quantizations(
    graph: GraphDef, *, inputs: Collection[TensorName], outputs: Collection[TensorName], report: StepReport
) -> GraphDef:
    """Connect the consumers of values that are converted to floats and back to the values before both conversions.

    Floats that may be fed are left as they are.
    """
    index = GraphIndex(graph)
    fed = {tensor.node for tensor in inputs}
    declared = fed.union(tensor.node for tensor in outputs)
    renames: dict[str, str] = {}
    removed: set[int] = set()
    for position, node in enumerate(graph.node):
        if node.op != "QuantizeV2" or node.name in declared:
            continue
        match = _find_redundant(index, position)
        if match is None or index.nodes[match[1]].name in fed:
            continue
        floats = index.nodes[match[1]]
        renames |= {f"{node.name}:{port}": text for port, text in enumerate(floats.input[:3])}
        if _is_unused(index, match, declared):
            removed.update(match)
        report.fire()
    if not renames:
        return graph
    nodes = [node for position, node in enumerate(graph.node) if position not in removed]
    return with_nodes(graph, rename_inputs(nodes, renames))


def _is_unused(index: GraphIndex, match: list[int], declared: Collection[str]) -> bool:
    """Return whether the nodes of a match are unused once the consumers of its values are redirected."""
    codes, *others = match
    inside = all(set(match).issuperset(index.targets[number]) for number in others)
    control_sources = any(use.tensor.is_control for use in index.uses(index.nodes[codes].name))
    return inside and not control_sources and not any(index.nodes[number].name in declared for number in match)


def _find_redundant(index: GraphIndex, position: int) -> list[int] | None:
    """Return the positions of a QuantizeV2, its Dequantize, Min and Max; None if the QuantizeV2 is not redundant."""
    sources = index.sources[position]
    node = index.nodes[position]
    if len(sources) != 3 or min(sources) < 0 or control_inputs(node):
        return None
    floats, low, high = (index.nodes[source] for source in sources)
    if (floats.op, low.op, high.op) != ("Dequantize", "Min", "Max") or len(floats.input) != 3:
        return None
    try:
        has_same_format = all(
            attr(source, "T", DataType) == DataType.DT_QUINT8 and attr(source, "mode", bytes, b"") == MODE
            for source in (node, floats)
        )
    except GraphError:
        return None
    is_measured = all(_is_computed_from(index, source, sources[0]) for source in sources[1:])
    return [position, *sources] if has_same_format and is_measured else None


def _is_computed_from(index: GraphIndex, position: int, floats: int) -> bool:
    """Return whether a Min or Max is computed from the node `floats`, directly or through Reshape nodes."""
    source = next(iter(index.sources[position]), -1)
    while source >= 0 and source != floats and index.nodes[source].op == "Reshape":
        source = next(iter(index.sources[source]), -1)
    return source == floats


FAKE = "FakeQuantWithMinMaxVars"
RANGE = Op("Const", as_="low"), Op("Const", as_="high")
MAX_MOVED = 3  # nodes that a fake quantization moves over at a time

MOVABLE_OVER = "|".join(
    [
        "Relu",
        "Relu6",
        "MaxPool",
        "AvgPool",
        "Identity",
        "Squeeze",
        "Snapshot",
        "StopGradient",
        "PreventGradient",
        "CheckNumerics",
        "EnsureShape",
    ]
)
"""Ops over which a fake quantization may move: the result stays the same, or changes by at most one step."""

FAKE_QUANT_PATTERN = Op(FAKE, Anything(as_="x"), *RANGE, as_="fake")


def hoist_fake_quants(
    graph: GraphDef, *, inputs: Collection[TensorName], outputs: Collection[TensorName], report: StepReport
) -> GraphDef:
    """Move fake quantizations towards the inputs, over nodes with the ops in `MOVABLE_OVER`."""
    for depth in range(MAX_MOVED, 0, -1):
        chain: Op | Anything = Anything(as_="x")
        for place in range(depth, 0, -1):
            chain = Op(MOVABLE_OVER, chain, as_=str(place))
        pattern = Op(FAKE, chain, *RANGE, as_="fake")
        rewrite = partial(_hoist, depth=depth)
        graph = replace_matches(graph, pattern, rewrite, keep=outputs, inputs=inputs, report=report, functions=False)
    return graph


def _hoist(match: Match, depth: int) -> list[NodeDef] | Refusal:
    if problem := _range_problem(match):
        return Refusal(problem)
    fake = match["fake"]
    chain = [match[str(place)] for place in range(1, depth + 1)]
    for place, node in enumerate(chain, 1):
        if not match.only_consumer(str(place)):
            return Refusal(f"its {node.op} is used elsewhere")
    moved = (fake, match["low"], match["high"])
    control_sources = {TensorName.parse(text).node for node in moved for text in control_inputs(node)}
    if not control_sources.isdisjoint(node.name for node in chain):
        return Refusal("it has a control input from a node that it would move over")
    name = match.fresh_name(f"{fake.name}_hoisted")
    first = replace_node(fake, name=name, input=[chain[-1].input[0], *fake.input[1:]])
    chain[-1] = replace_node(chain[-1], input=[name, *chain[-1].input[1:]])
    chain[0] = replace_node(chain[0], name=fake.name)
    return [first, match["low"], match["high"], *chain, match["x"]]


def requantize_fake_quants(
    graph: GraphDef, *, inputs: Collection[TensorName], outputs: Collection[TensorName], report: StepReport
) -> GraphDef:
    """Replace 8-bit fake quantizations by real ones with the same range. The attribute `narrow_range` is ignored."""
    return replace_matches(
        graph, FAKE_QUANT_PATTERN, _requantize, keep=outputs, inputs=inputs, report=report, functions=False
    )


def _requantize(match: Match) -> list[NodeDef] | Refusal:
    if problem := _range_problem(match):
        return Refusal(problem)
    fake = match["fake"]
    if attr(fake, "num_bits", int, 8) != 8:
        return Refusal("it does not have 8 bits")
    codes, narrowed = (match.fresh_name(f"{fake.name}_eightbit/{part}") for part in ("quantize", "requantize"))
    first = quantize(codes, [*fake.input[:3], *match.control_inputs("fake")], DataType.DT_QINT32)
    second = requantize(narrowed, codes, *fake.input[1:3])
    return [match["x"], match["low"], match["high"], first, second, dequantize(fake.name, ports(narrowed))]


def _range_problem(match: Match) -> str:
    """Return why a range cannot be used; "" if it can.

    The range must contain zero: TensorFlow's fake quantization shifts a range that does not.
    """
    low, high = match.array("low", FLOATS), match.array("high", FLOATS)
    if low.size != 1 or high.size != 1:
        return "its range is not two numbers"
    if not low.ravel()[0] <= 0 <= high.ravel()[0]:
        return "zero is not in its range"
    return "" if low.ravel()[0] < high.ravel()[0] else "its range is only zero"


MODE = b"MIN_FIRST"


def new_node(name: str, op: str, inputs: list[str], **attributes: DataType | bool | bytes) -> NodeDef:
    """Return a node with attributes that are types, bools and strings."""
    return NodeDef(name=name, op=op, input=inputs, attr={key: _value(value) for key, value in attributes.items()})


def _value(value: DataType | bool | bytes) -> AttrValue:
    if isinstance(value, bool):
        return AttrValue(b=value)
    return AttrValue(s=value) if isinstance(value, bytes) else AttrValue(type=value)


def ports(name: str) -> list[str]:
    """Return the three outputs of a quantized node: values, minimum and maximum."""
    return [f"{name}:{port}" for port in range(3)]


def quantize(name: str, inputs: list[str], dtype: DataType) -> NodeDef:
    """Return a node that quantizes floats to the type `dtype`. `inputs` are the floats, their minimum and maximum."""
    return new_node(name, "QuantizeV2", inputs, T=dtype, mode=MODE)


def requantize(name: str, source: str, low: str, high: str) -> NodeDef:
    """Return a node that converts the 32-bit output of the node `source` to 8 bits, with the range `low` to `high`."""
    types = {"Tinput": DataType.DT_QINT32, "out_type": DataType.DT_QUINT8}
    return new_node(name, "Requantize", [*ports(source), low, high], **types)


def dequantize(name: str, inputs: list[str]) -> NodeDef:
    """Return a node that converts 8-bit values to floats. `inputs` are the values, their minimum and maximum."""
    return new_node(name, "Dequantize", inputs, T=DataType.DT_QUINT8, mode=MODE)
