"""Replace float layers by 8-bit quantized layers, which are faster on many processors.

    y = MatMul(a, b)   ->   a, b = QuantizeV2(a, Min(a), Max(a)), QuantizeV2(b, Min(b), Max(b))
                            y/eightbit = QuantizedMatMul(a:0, b:0, a:1, a:2, b:1, b:2)
                            y/eightbit/requantize = Requantize(y/eightbit, RequantizationRange(y/eightbit))
                            y = Dequantize(y/eightbit/requantize)

Six steps:

    1. Placeholders become quantized, if an input range is given
    2. fake quantizations, which have trained ranges, move towards the inputs and become real ones
    3. layers become quantized layers, with floats between them
    4. sums are requantized directly to a trained range, without measuring one first
    5. nodes that compute the same are merged: see `merge_duplicate_nodes`
    6. conversions between quantized layers are removed

Nodes that are no longer used are left for `strip_unused_nodes`. `freeze_requantization_ranges` replaces measured ranges
by constants. Every function is quantized by itself.

A layer stays if an input that would be quantized is known to be empty, or to have more than five dimensions. It also
stays if it is not known to meet one of these requirements, without which TensorFlow's quantized op would fail at run
time, or return other numbers:

    additions and products broadcast an input only along the leading dimensions
    the filter of a convolution takes all channels, with the same strides in both directions
    the windows of pooling are within a channel
    the axis of a Concat is counted from the first

So sizes should be known: a Placeholder of images should have a number of channels.

Differences from the original:

    Nodes keep their order. In the original it depends on a hash.
    Layers with another layout, dilations or explicit paddings stay. In the original they lose these attributes.
    If a layer has few sums, so that all of them may be negative, zero is added to their range.
    A range needs two finite ends, the first less than the second; the range of sums must contain zero.
    Control inputs move to the new node. The original treats them as float inputs.
    Attributes that a node leaves out have their defaults. The original crashes.
    Half-pixel centers, and shapes of type int64, are kept.
    Fake quantizations move only over nodes that change the result by at most one quantization step.
    Fake quantizations stay if they do not have 8 bits, or if zero is not in their range.
    Only float Placeholders that are not outputs become quantized.
    Floats that are declared as an input may be fed, so they keep their consumers.
    A layer may take the same input twice. In the original this is a fatal error.
    The range of sums in a loop stays within the loop.
    A Min and a Max are recognized as a measured range only if they read dequantized values.
    `exclude_node` is new.

The results are those of TensorFlow's own kernels. By default, TensorFlow computes some of these layers with oneDNN,
which rounds differently. Results with oneDNN and without it (TF_ENABLE_ONEDNN_OPTS=0) may differ as much from each
other as from the float results.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass
from math import isfinite

from pbwire.errors import suggestion

from ..errors import TransformError
from ..graph import attr, replace_node, with_nodes
from ..graph.error_text import quote
from ..graph.view import GraphView
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ..ops import OPS
from ..values.names import TensorName
from .framework.bodies import rewrite_bodies
from .framework.exclusions import NamePatterns
from .framework.node_edits import const_node, rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops
from .merge_duplicate_nodes import merge_duplicate_nodes
from .quantization.layers import TABLE, Range, quantize_layers
from .quantization.requantization import (
    FAKE,
    dequantize,
    hoist_fake_quants,
    merge_requantizes,
    remove_redundant_quantizations,
    requantize_fake_quants,
)
from .quantization.shape_checks import ShapeChecks

_WIDE = frozenset(f"Quantized{op}" for op, row in TABLE.items() if row.is_wide)


@graph_transform
def quantize_nodes(
    graph: GraphDef,
    *,
    input_min: float | None = None,
    input_max: float | None = None,
    fallback_min: float | None = None,
    fallback_max: float | None = None,
    ignore_op: tuple[str, ...] = (),
    exclude_node: tuple[str, ...] = (),
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef] = OPS,
    report: StepReport,
) -> GraphDef:
    """Quantize layers to 8 bits: matrix products, convolutions, pooling, additions and more.

    With `input_min` and `input_max`, float Placeholders take quantized values of that range. `fallback_min` and
    `fallback_max` are the range of products and sums; without them, this range is measured for every batch. Nodes with
    the ops in `ignore_op` stay, as do those with a name in `exclude_node`, which may have the wildcards * and ?. Notes
    name arguments without effect. Fails if only one end of a range is given, if the ends are not finite or not in
    order, if the range of sums does not contain zero, or for an unknown op in `ignore_op`.

    Example: quantize_nodes with inputs x and outputs y

        x = Placeholder[dtype=float]
        y = Relu(x)[T=float]

    becomes

        x = Placeholder[dtype=float]
        y_eightbit/x/reshape_dims = Const(^x)[dtype=int32, value=int32{-1}]
        y_eightbit/x/reduction_dims = Const(^x)[dtype=int32, value=int32{0}]
        y_eightbit/x/reshape = Reshape(x, y_eightbit/x/reshape_dims)[T=float]
        y_eightbit/x/min = Min(y_eightbit/x/reshape, y_eightbit/x/reduction_dims)[T=float, keep_dims=false]
        y_eightbit/x/max = Max(y_eightbit/x/reshape, y_eightbit/x/reduction_dims)[T=float, keep_dims=false]
        y_eightbit/x/quantize = QuantizeV2(x, y_eightbit/x/min, y_eightbit/x/max)[T=quint8, mode="MIN_FIRST"]
        y/eightbit = QuantizedRelu(y_eightbit/x/quantize:0, y_eightbit/x/quantize:1, y_eightbit/x/quantize:2)[
            Tinput=quint8]
        y = Dequantize(y/eightbit:0, y/eightbit:1, y/eightbit:2)[T=quint8, mode="MIN_FIRST"]
    """
    report.is_approximate = True
    input_range, fallback = _range("input", input_min, input_max), _range("fallback", fallback_min, fallback_max)
    if fallback is not None and not fallback[0] <= 0 <= fallback[1]:
        raise TransformError(f"zero must be between fallback_min and fallback_max, got {_range_text(fallback)}")
    for op in ignore_op:
        if op not in TABLE and op not in ops:
            raise TransformError(f"ignore_op: unknown op {quote(op)}{suggestion(op, TABLE)}")
        if op not in TABLE:
            report.notes.append(f"ignore_op: {quote(op)} has no quantized op and stays in any case")
    report.notes += missing_ops((op for op in ignore_op if op in TABLE), graph)
    excluded = NamePatterns(exclude_node)
    report.notes += excluded.missing("exclude_node", graph, functions=True)
    steps = _Steps(graph, fallback, ignore_op, excluded, ops, report)
    if input_range is not None:
        declared = {tensor.node for tensor in outputs}
        before, graph = graph, quantize_placeholders(graph, *input_range, declared=declared, report=report)
        report.changes_inputs = graph is not before
        if graph is before:
            report.notes.append("input_min and input_max are not used: no float Placeholder can be quantized")
    result = rewrite_bodies(graph, steps, ops=OPS, report=report, inputs=inputs, outputs=outputs)
    bodies = (result.node, *(function.node_def for function in (result.library.function if result.library else ())))
    if fallback is not None and not any(node.op in _WIDE for nodes in bodies for node in nodes):
        report.notes.append("fallback_min and fallback_max are not used: no product or sum is quantized")
    return result


def _range(name: str, low: float | None, high: float | None) -> Range | None:
    if low is None and high is None:
        return None
    if low is None or high is None:
        raise TransformError(f"You must pass both {name}_min and {name}_max into quantize_nodes")
    if not (isfinite(low) and isfinite(high)):
        raise TransformError(f"{name}_min and {name}_max must be finite, got {_range_text((low, high))}")
    if low >= high:
        raise TransformError(f"{name}_min must be less than {name}_max, got {_range_text((low, high))}")
    return low, high


def _range_text(ends: Range) -> str:
    return f"{ends[0]:g} and {ends[1]:g}"


@dataclass(frozen=True, slots=True)
class _Steps:
    """All steps but the first, on the nodes of a graph or of one of its functions."""

    full_graph: GraphDef
    fallback: Range | None
    ignored: tuple[str, ...]
    excluded: Container[str]
    ops: Mapping[str, OpDef]
    report: StepReport

    def __call__(self, view: GraphView) -> list[NodeDef] | None:
        if view.body is not None and view.ops.isdisjoint({FAKE, *TABLE}):
            return None
        report, inputs, outputs = self.report, view.inputs, view.outputs
        graph = hoist_fake_quants(GraphDef(node=view.index.nodes), inputs=inputs, outputs=outputs, report=report)
        graph = requantize_fake_quants(graph, inputs=inputs, outputs=outputs, report=report)
        known = GraphDef(node=graph.node, versions=self.full_graph.versions, library=self.full_graph.library)
        graph = quantize_layers(
            graph,
            self.fallback,
            sizes=ShapeChecks(known),
            ignored=self.ignored,
            excluded=self.excluded,
            ops=self.ops,
            inputs=inputs,
            outputs=outputs,
            report=report,
        )
        graph = merge_requantizes(graph, inputs=inputs, outputs=outputs, report=report)
        merging = StepReport("merge_duplicate_nodes")  # the report of the transform does not include merges
        graph = merge_duplicate_nodes(graph, inputs=inputs, outputs=outputs, ops=self.ops, report=merging)
        return remove_redundant_quantizations(graph, inputs=inputs, outputs=outputs, report=report).node


def quantize_placeholders(
    graph: GraphDef, low: float, high: float, *, declared: Collection[str], report: StepReport
) -> GraphDef:
    """Let all float Placeholders take quantized values of the range `low` to `high`; those in `declared` stay."""
    view = GraphView(graph, checked=False)
    nodes: list[NodeDef] = []
    renames: dict[str, str] = {}
    for node in graph.node:
        if node.op != "Placeholder" or attr(node, "dtype", DataType) != DataType.DT_FLOAT:
            nodes.append(node)
            continue
        if node.name in declared:
            report.refuse(node.name, "it is declared as an output, which must stay float")
            nodes.append(node)
            continue
        names = [view.fresh(f"{node.name}_eightbit/{part}") for part in ("min", "max", "dequantize")]
        nodes += [
            replace_node(node, attr={**node.attr, "dtype": AttrValue(type=DataType.DT_QUINT8)}),
            const_node(names[0], low, DataType.DT_FLOAT),
            const_node(names[1], high, DataType.DT_FLOAT),
            dequantize(names[2], [node.name, *names[:2]]),
        ]
        renames[node.name] = names[2]
        report.fire()
    return with_nodes(graph, rename_inputs(nodes, renames, ignore=set(renames.values()))) if renames else graph
