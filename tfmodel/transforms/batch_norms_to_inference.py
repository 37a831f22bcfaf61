"""Let batch norms of training normalize with moving averages, as in a deployed model.

    FusedBatchNorm(x, gamma, beta, empty, empty)[is_training=true]
        ->   FusedBatchNorm(x, gamma, beta, moving_mean, moving_variance)[is_training=false]

    the mean and the variance of the batch   ->   moving_mean, moving_variance

A graph that was made for training normalizes with the mean and the variance of each batch: its results depend on the
other examples of the batch, and a single example gives results that mean little. The graph has the moving averages of
the two, which the training updates: see `tfmodel.analysis.batch_statistics` for the forms that are recognized. Nodes
that assign new averages become NoOps. The transform is for graphs with variables: freezing removes the moving averages,
which the outputs of such a graph do not need. `optimize` applies it before it freezes, if the checkpoint has moving
averages that were updated.

A batch norm stays as it is, and is reported, if the graph has no moving averages of its statistics. Those in functions
are changed too.

Differences from the original: the C++ tool has no such transform, and keeps the statistics of the batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..analysis.batch_statistics import FUSED, BatchNorm, batch_norms
from ..graph import attr
from ..graph.view import GraphView
from ..messages import AttrValue, DataType, GraphDef, NodeDef, OpDef
from ..ops.traits import REFERENCE_VARIABLES
from ..values.names import TensorName, control_inputs
from .framework.bodies import rewrite_bodies
from .framework.registry import graph_transform
from .framework.report import StepReport


@graph_transform
def batch_norms_to_inference(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef],
    report: StepReport,
) -> GraphDef:
    """Let batch norms of training use their moving averages in place of the statistics of each batch.

    Example: batch_norms_to_inference with inputs x and outputs y

        x = Placeholder[dtype=float]
        gamma = Const[dtype=float, value=float{1, 1}(2)]
        none = Const[dtype=float, value=float{}(0)]
        decay = Const[dtype=float, value=float{0.1}()]
        moving_mean = VariableV2[dtype=float, shape=(2)]
        moving_mean/read = Identity(moving_mean)[T=float]
        moving_variance = VariableV2[dtype=float, shape=(2)]
        moving_variance/read = Identity(moving_variance)[T=float]
        y = FusedBatchNorm(x, gamma, gamma, none, none)[T=float, is_training=true]
        change = Sub(moving_mean/read, y:1)[T=float]
        part = Mul(change, decay)[T=float]
        update = AssignSub(moving_mean, part)[T=float]
        change_1 = Sub(moving_variance/read, y:2)[T=float]
        part_1 = Mul(change_1, decay)[T=float]
        update_1 = AssignSub(moving_variance, part_1)[T=float]

    becomes

        x = Placeholder[dtype=float]
        gamma = Const[dtype=float, value=float{1, 1}(2)]
        none = Const[dtype=float, value=float{}(0)]
        decay = Const[dtype=float, value=float{0.1}()]
        moving_mean = VariableV2[dtype=float, shape=(2)]
        moving_mean/read = Identity(moving_mean)[T=float]
        moving_variance = VariableV2[dtype=float, shape=(2)]
        moving_variance/read = Identity(moving_variance)[T=float]
        y = FusedBatchNorm(x, gamma, gamma, moving_mean/read, moving_variance/read)[T=float, is_training=false]
        change = Sub(moving_mean/read, y:1)[T=float]
        part = Mul(change, decay)[T=float]
        update = NoOp()
        change_1 = Sub(moving_variance/read, y:2)[T=float]
        part_1 = Mul(change_1, decay)[T=float]
        update_1 = NoOp()
    """

    def rewrite(view: GraphView) -> Iterable[NodeDef] | None:
        found = batch_norms(view)
        for norm in found:
            if norm.moving is None:
                report.refuse(norm.node, "the graph has no moving averages of its statistics")
        changed = [norm for norm in found if norm.moving is not None]
        use_moving_averages(view, changed)
        report.fire(len(changed))
        return view.nodes.values() if changed else None

    return rewrite_bodies(graph, rewrite, inputs=inputs, outputs=outputs, ops=ops, report=report)


def use_moving_averages(view: GraphView, norms: Iterable[BatchNorm]) -> None:
    """Let batch norms that have moving averages use them, in place."""
    reads: dict[TensorName, TensorName] = {}
    replacements: dict[TensorName, TensorName] = {}
    updates: dict[str, None] = {}
    for norm in norms:
        assert norm.moving is not None
        node = view.nodes[norm.node]
        dtype = attr(node, "U", DataType, attr(node, "T", DataType, DataType.DT_FLOAT))
        averages = [_read(view, variable, dtype, reads) for variable in norm.moving]
        updates.update(dict.fromkeys(norm.updates))
        if node.op in FUSED:
            tensors = [TensorName.parse(text) for text in node.input[:3]]
            view.change(node, inputs=[*tensors, *averages], attr={**node.attr, "is_training": AttrValue(b=False)})
        else:
            replacements.update(zip((norm.mean, norm.variance), averages, strict=True))
    if replacements:
        view.replace_tensors(replacements)
    _drop_updates(view, updates)


def _read(view: GraphView, variable: TensorName, dtype: DataType, reads: dict[TensorName, TensorName]) -> TensorName:
    """Return the value of a variable before all updates: that of a node that reads it, or of a new one."""
    if variable in reads:
        return reads[variable]
    node = view.nodes.get(variable.node)
    is_reference = node is not None and node.op in REFERENCE_VARIABLES
    op, kind = ("Identity", "T") if is_reference else ("ReadVariableOp", "dtype")
    for user in view.users(variable.node):
        reader = view.nodes[user]
        if reader.op == op and not control_inputs(reader) and attr(reader, kind, DataType) == dtype:
            reads[variable] = TensorName(reader.name)
            return reads[variable]
    name = view.fresh(f"{variable.node}/{op}")
    view.add(NodeDef(name=name, op=op, input=[str(variable)], attr={kind: AttrValue(type=dtype)}))
    reads[variable] = TensorName(name)
    return reads[variable]


def _drop_updates(view: GraphView, updates: Iterable[str]) -> None:
    """Make NoOps of nodes that assign new averages, unless other nodes take the new values."""
    taken = {tensor.node for tensor in view.consumers()}.union(view.declared)
    for name in updates:
        if name not in taken:
            view.change(view.nodes[name], "NoOp", (), {})
