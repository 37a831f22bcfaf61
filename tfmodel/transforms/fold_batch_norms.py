"""Fold scales per channel, and batch norms, into the weights of the layer before them.

`fold_batch_norms` folds multiplications:

    Mul(Conv2D(x, w), m)                        ->   Conv2D(x, w * m)
    Mul(BiasAdd(Conv2D(x, w), b), m)            ->   BiasAdd(Conv2D(x, w * m), b * m)
    Add(Mul(Sub(Conv2D(x, w), mean), m), b)     ->   BiasAdd(Conv2D(x, w * m), b - mean * m)

An unfused batch norm has the last form after `fold_constants` has computed `m`. If `fold_constants` has not run, `m` is
computed here. The last new node has the name of the last node that was folded.

A layer is a Conv2D, DepthwiseConv2dNative, Conv2DBackpropInput, Conv3D, Conv3DBackpropInputV2 or MatMul with constant
weights. It is followed by steps: Mul, RealDiv, Add, AddV2, Sub or BiasAdd. Their constants have one number, or one per
channel, on the channel axis of the layer's layout. A BatchToSpaceND, MirrorPad, Pad with zeros, AvgPool, Identity,
Squeeze, ExpandDims, Reshape or concatenation of layers may stand between layer and steps, for example after a Conv1D or
a Dense layer on sequences. A Reshape is accepted if the channels are known to stay on the last axis.

The nodes between a layer and the last step must have no other consumers, and must not be declared as outputs or inputs.
Additions after the last multiplication are folded if there are additions before it: then the result has a BiasAdd in
any case.

A layer is left alone if a number would become infinite, or if a weight that is not zero would become zero: a division
by its output could then give NaN. TensorFlow takes numbers below the smallest normal one (1.2e-38 in single precision)
for zero. In half precision, where such weights are common, they do not count if they are smaller than the rounding
error of the largest weight of their channel, but weights that lose digits do.

Differences from the original, the Graph Transform Tool. Its fold_batch_norms

    knows only the first of these forms, with the constant as second input
    knows only Conv2D, MatMul and DepthwiseConv2dNative
    fails if there is not one number per channel
    multiplies the wrong weights of a MatMul with transposed weights, and of a layer whose channels are not last
    leaves a layer alone if its weights or the numbers are used elsewhere (here such weights are copied)
    leaves a layer alone if a layer with the same input has been folded
    loses declared outputs and control inputs of the Mul
    folds constants that a declared input may change

`fold_old_batch_norms` folds the nodes of batch norms, and makes a BiasAdd:

    FusedBatchNorm(Conv2D(x, w), gamma, beta, mean, variance)   ->   BiasAdd(Conv2D(x, w * scale), <conv>_bn_offset)

    scale = gamma / sqrt(variance + epsilon),   <conv>_bn_offset = beta - mean * scale

The last new node has the name of the batch norm; the layer keeps its name. FusedBatchNormV2, FusedBatchNormV3 and
BatchNormWithGlobalNormalization are folded too. The layers, and the nodes that may stand between layer and batch norm,
are the same as above. A BiasAdd or Add becomes part of the new BiasAdd. The new BiasAdd stands before a BatchToSpaceND
or concatenation, and after a Pad.

The batch norm must not be training, and only its first output may be used. Its parameters must be constant, and its
layout that of the layer. The nodes between must have no other consumers, and must not be declared as outputs or inputs.

Differences from the original. Its fold_old_batch_norms

    knows only Conv2D, and no BiasAdd, FusedBatchNormV3, Pad or concatenation of more than two inputs
    fails if sizes do not fit
    ignores layouts, training and uses of other outputs
    changes weights and layers that others use, or that a declared input may feed (here shared weights are copied)
    loses control inputs of the batch norm
    does not terminate if the parameters are used elsewhere (here they stay for their other users)
"""

from __future__ import annotations

from ..messages import GraphDef
from ..values.names import TensorName
from .batch_norms.channel_ops import ARITHMETIC, BATCH_NORMS, SCALES
from .batch_norms.folding import fold
from .batch_norms.tree import Step, Tree, parts
from .framework.registry import graph_transform
from .framework.report import StepReport


@graph_transform
def fold_batch_norms(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...],
    report: StepReport,
) -> GraphDef:
    """Fold multiplications per channel into the weights of the layer before them.

    Example: fold_batch_norms with inputs x and outputs y

        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
        c = MatMul(x, w)[T=float]
        m = Const[dtype=float, value=float{10, 0.5}]
        y = Mul(c, m)[T=float]

    becomes

        w = Const[dtype=float, value=float{10, 1, 30, 2}(2, 2)]
        x = Placeholder[dtype=float]
        y = MatMul(x, w)[T=float]
    """
    return fold(graph, ARITHMETIC.keys(), _is_last, reported=SCALES, inputs=inputs, outputs=outputs, report=report)


def _is_last(step: Step) -> bool:
    """Return whether a step multiplies, or adds after a multiplication that follows an addition."""
    return step.node.op in SCALES or any(_is_scale(part) and any(map(_is_shift, parts(part))) for part in parts(step))


def _is_scale(part: Tree) -> bool:
    return isinstance(part, Step) and part.node.op in SCALES


def _is_shift(part: Tree) -> bool:
    return isinstance(part, Step) and part.node.op not in SCALES


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
        gamma = Const[dtype=float, value=float{4, 2}]
        beta = Const[dtype=float, value=float{0, 1}]
        mean = Const[dtype=float, value=float{3, 0.5}]
        variance = Const[dtype=float, value=float{3, 15}]
        y = FusedBatchNormV3(c, gamma, beta, mean, variance)[T=float, U=float, epsilon=1.0, is_training=false]

    becomes

        w = Const[dtype=float, value=float{2, 1, 6, 2}(1, 1, 2, 2)]
        x = Placeholder[dtype=float]
        c = Conv2D(x, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]
        c_bn_offset = Const[dtype=float, value=float{-6, 0.75}]
        y = BiasAdd(c, c_bn_offset)[T=float]
    """
    return fold(
        graph, STEPS, _is_batch_norm, reported=BATCH_NORMS.keys(), inputs=inputs, outputs=outputs, report=report
    )


def _is_batch_norm(step: Step) -> bool:
    return step.node.op in BATCH_NORMS
