"""Layers that work on codes of a byte: faster on many processors, and within a step of what they gave.

    y = MatMul(a, b)   ->   a, b = QuantizeV2(a, Min(a), Max(a)), QuantizeV2(b, Min(b), Max(b))
                            y/eightbit = QuantizedMatMul(a:0, b:0, a:1, a:2, b:1, b:2)
                            y/eightbit/requantize = Requantize(y/eightbit, RequantizationRange(y/eightbit))
                            y = Dequantize(y/eightbit/requantize)

Six steps, each a module of `quantizing`:

    placeholders     inputs take codes, if their range is given
    fake_quants      what was trained to have a range moves to where numbers come from, and becomes codes
    layers           layers become those of `op_table`, with floats between them
    redundant        a range that was trained is not measured first
                     nodes that compute the same are merged: see `merge_duplicate_nodes`
    redundant        codes go from layer to layer, without floats between them

Nodes that nobody uses any more are left for `strip_unused_nodes`. `freeze_requantization_ranges` puts constants in
place of ranges that are measured. Every function is quantized by itself.

Unlike the original: nodes stay in their order, which a hash decides there. Layers in another layout, dilated or with
explicit paddings stay, which become others there. Only what is known to fit becomes a layer on codes: additions and
products that repeat an input along the first dimensions, convolutions whose filter takes all channels and that stride
the same in both directions, windows within a channel, a Concat whose axis is counted from the first, and no more than
five dimensions: what TensorFlow has for others gives other numbers, or fails when it runs. So sizes should be known: a
Placeholder of images should say how many channels they have. Where sums are few, and so may all be negative, zero comes
into their range. A range that is given has two ends, of which the first is less. Control inputs go over to the new
node, where they are taken for floats there. Attributes that a node leaves out have their default, where the original
crashes; pixel centers at a half, and shapes of int64, stay so. Fake quantizations move over nodes only that commute
with rounding; those of other than 8 bits stay, and those of a range without zero. Only Placeholders of floats take
codes, and none that is an output. Floats that may be fed, since they are declared as an input, are what others take. A
layer may take the same twice, which ends everything there. The range of sums in a loop stays within it. Only a Min and
a Max of what was codes are taken for its range.

The codes are those of TensorFlow's own kernels. By default it computes some of these layers with oneDNN, which rounds
otherwise: with and without (TF_ENABLE_ONEDNN_OPTS=0), results may be as far from each other as from those of floats.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite

from pbwire.suggestions import suggestion

from ..errors import GraphError, TransformError
from ..graph import Functions, attr, replace_node, with_functions, with_nodes
from ..graph.edit import TakenNames
from ..graph.error_text import quoted
from ..graph.function_body import FunctionBody
from ..graph.functions import function_name
from ..messages import AttrValue, DataType, FunctionDef, GraphDef, NodeDef, OpDef
from ..names import TensorName
from ..ops import OPS
from .framework.new_constants import const_node
from .framework.node_edits import rename_inputs
from .framework.registry import graph_transform
from .framework.report import StepReport, missing_ops
from .merge_duplicate_nodes import merge_duplicate_nodes
from .quantization.layers import TABLE, Range, quantize_layers
from .quantization.nodes import dequantize
from .quantization.requantization import (
    FAKE,
    hoist_fake_quants,
    merge_requantizes,
    remove_redundant_quantizations,
    requantize_fake_quants,
)
from .quantization.shape_checks import Sizes

__all__ = ["quantize_nodes", "quantize_placeholders"]


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
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef] = OPS,
    report: StepReport,
) -> GraphDef:
    """Let layers work on codes of a byte: matrix products, convolutions, pooling, additions and more.

    With `input_min` and `input_max`, float Placeholders take codes of that range. `fallback_min` and `fallback_max` are
    the range of what products and sums give; without, it is measured for every batch. Layers of the ops that
    `ignore_op` names stay. Notes tell which of these have no effect on the graph. Fails if only one end of a range is
    given, or if the first is not less than the second.

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
    given, fallback = _range("input", input_min, input_max), _range("fallback", fallback_min, fallback_max)
    if fallback is not None and not fallback[0] <= 0 <= fallback[1]:
        raise TransformError(f"zero must lie between fallback_min and fallback_max, which are {_shown(fallback)}")
    for op in ignore_op:
        if op not in TABLE and op not in ops:
            raise TransformError(f"ignore_op: there is no op {quoted(op)}{suggestion(op, TABLE)}")
        if op not in TABLE:
            report.notes.append(f"ignore_op: there are no layers on codes for {quoted(op)}, which stays in any case")
    report.notes += missing_ops((op for op in ignore_op if op in TABLE), graph)
    steps = _Steps(graph, fallback, ignore_op, ops, report)
    if given is not None:
        declared = {tensor.node for tensor in outputs}
        before, graph = graph, quantize_placeholders(graph, *given, declared=declared, report=report)
        if graph is before:
            report.notes.append("input_min and input_max are not used: there is no float Placeholder to take codes")
    result = with_nodes(graph, steps(graph.node, inputs, outputs))
    functions = result.library.function if result.library is not None else []
    if functions:
        known = Functions(result.library)
        changed = [_in_function(each, known, steps) for each in functions]
        if not all(new is old for new, old in zip(changed, functions, strict=True)):
            result, functions = with_functions(result, changed), changed
    bodies = (result.node, *(function.node_def for function in functions))
    if fallback is not None and not any(node.op in _WIDE for nodes in bodies for node in nodes):
        report.notes.append("fallback_min and fallback_max are not used: no product or sum is computed on codes")
    return result


def _range(name: str, low: float | None, high: float | None) -> Range | None:
    if low is None and high is None:
        return None
    if low is None or high is None:
        raise TransformError(f"You must pass both {name}_min and {name}_max into quantize_nodes")
    if not (isfinite(low) and isfinite(high)):
        raise TransformError(f"{name}_min and {name}_max must be finite, and they are {_shown((low, high))}")
    if low >= high:
        raise TransformError(f"{name}_min must be less than {name}_max, and they are {_shown((low, high))}")
    return low, high


def _shown(ends: Range) -> str:
    return f"{ends[0]:g} and {ends[1]:g}"


@dataclass(frozen=True, slots=True)
class _Steps:
    """All steps but the first, on the nodes of a graph or of one of its functions. The functions are not touched."""

    whole: GraphDef
    fallback: Range | None
    ignored: tuple[str, ...]
    ops: Mapping[str, OpDef]
    report: StepReport

    def __call__(
        self, nodes: list[NodeDef], inputs: tuple[TensorName, ...], outputs: tuple[TensorName, ...]
    ) -> list[NodeDef]:
        report = self.report
        graph = hoist_fake_quants(GraphDef(node=nodes), inputs=inputs, outputs=outputs, report=report)
        graph = requantize_fake_quants(graph, inputs=inputs, outputs=outputs, report=report)
        known = GraphDef(node=graph.node, versions=self.whole.versions, library=self.whole.library)
        graph = quantize_layers(
            graph,
            self.fallback,
            sizes=Sizes(known),
            ignored=self.ignored,
            ops=self.ops,
            inputs=inputs,
            outputs=outputs,
            report=report,
        )
        graph = merge_requantizes(graph, inputs=inputs, outputs=outputs, report=report)
        merging = StepReport("merge_duplicate_nodes")  # what stays is not for this report
        graph = merge_duplicate_nodes(graph, inputs=inputs, outputs=outputs, ops=self.ops, report=merging)
        return remove_redundant_quantizations(graph, inputs=inputs, outputs=outputs, report=report).node


def _in_function(function: FunctionDef, known: Functions, steps: _Steps) -> FunctionDef:
    if not any(node.op in TABLE or node.op == FAKE for node in function.node_def):
        return function
    try:
        body = FunctionBody(function, known, OPS)
        results = tuple(TensorName(name, 0) for name in sorted(body.results))
        return body.rebuilt(steps(body.index.nodes, (), results))
    except GraphError as error:
        steps.report.refuse(function_name(function), str(error))
        return function


def quantize_placeholders(
    graph: GraphDef, low: float, high: float, *, declared: Collection[str], report: StepReport
) -> GraphDef:
    """Let all float Placeholders take codes of that range, but for those that are `declared` as outputs."""
    taken = TakenNames(node.name for node in graph.node)
    nodes: list[NodeDef] = []
    renames: dict[str, str] = {}
    for node in graph.node:
        if node.op != "Placeholder" or attr(node, "dtype", DataType) != DataType.DT_FLOAT:
            nodes.append(node)
            continue
        if node.name in declared:
            report.refuse(node.name, "it is declared as an output, which is not to become codes")
            nodes.append(node)
            continue
        names = [taken.fresh(f"{node.name}_eightbit/{part}") for part in ("min", "max", "dequantize")]
        nodes += [
            replace_node(node, attr={**node.attr, "dtype": AttrValue(type=DataType.DT_QUINT8)}),
            const_node(names[0], low, DataType.DT_FLOAT),
            const_node(names[1], high, DataType.DT_FLOAT),
            dequantize(names[2], [node.name, *names[:2]]),
        ]
        renames[node.name] = names[2]
        report.fire()
    return with_nodes(graph, rename_inputs(nodes, renames, ignore=set(renames.values()))) if renames else graph
