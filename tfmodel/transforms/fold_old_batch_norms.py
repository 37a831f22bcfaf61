"""Fold batch norms into the weights of the layers before them, and a BiasAdd.

    FusedBatchNorm(Conv2D(x, w), gamma, beta, mean, variance)   ->   BiasAdd(Conv2D(x, w * scale), <conv>_bn_offset)

    scale = gamma / sqrt(variance + epsilon),   <conv>_bn_offset = beta - mean * scale

The last node has the name of the batch norm; the layer keeps its own. FusedBatchNormV2, FusedBatchNormV3 and
BatchNormWithGlobalNormalization are folded too. Layers, and nodes that may stand between, are those of
`fold_batch_norms`: a BiasAdd or Add becomes part of the new BiasAdd, which stands before a BatchToSpaceND or
concatenation, and behind a Pad.

The batch norm must not be training, and only its first output may be used; its parameters must be constant, in the
layout of the layer. The nodes between must have no other consumers, and must not be declared as outputs or inputs.

Differences from the original: it knows only Conv2D, and no BiasAdd, FusedBatchNormV3, Pad or concatenation of more than
two inputs; it fails if sizes do not fit, and ignores layouts, training and uses of other outputs; it changes weights
and layers that others use, or that a declared input may feed, and loses control inputs of the batch norm; and it does
not terminate if the parameters are used elsewhere: here they stay for their other users, and weights that are shared
are copied.
"""

from __future__ import annotations

from ..messages import GraphDef
from ..names import TensorName
from .batch_norms.channel_ops import ARITHMETIC, BATCH_NORMS
from .batch_norms.folding import fold
from .batch_norms.tree import Step
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["fold_old_batch_norms"]

STEPS = ARITHMETIC.keys() | BATCH_NORMS.keys()


@graph_transform
def fold_old_batch_norms(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...],
    report: StepReport,
) -> GraphDef:
    """Fold batch norms into the weights of the layers before them.

    Example: fold_old_batch_norms with inputs x and outputs y

        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{1, 2, 3, 4}(1, 1, 2, 2)]
        c = Conv2D(x, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]
        gamma = Const[dtype=float, value=float{2, 4}]
        beta = Const[dtype=float, value=float{0, 1}]
        mean = Const[dtype=float, value=float{3, 0.5}]
        variance = Const[dtype=float, value=float{3, 15}]
        y = FusedBatchNormV3(c, gamma, beta, mean, variance)[T=float, U=float, epsilon=1.0, is_training=false]

    becomes

        w = Const[dtype=float, value=float{1, 2, 3, 4}(1, 1, 2, 2)]
        x = Placeholder[dtype=float]
        c = Conv2D(x, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]
        c_bn_offset = Const[dtype=float, value=float{-3, 0.5}]
        y = BiasAdd(c, c_bn_offset)[T=float]
    """
    return fold(
        graph, STEPS, _is_batch_norm, reported=BATCH_NORMS.keys(), inputs=inputs, outputs=outputs, report=report
    )


def _is_batch_norm(step: Step) -> bool:
    return step.node.op in BATCH_NORMS
