"""Fold multiplications per channel into the weights of the layer before them.

    Mul(Conv2D(x, w), m)                        ->   Conv2D(x, w * m)
    Mul(BiasAdd(Conv2D(x, w), b), m)            ->   BiasAdd(Conv2D(x, w * m), b * m)
    Add(Mul(Sub(Conv2D(x, w), mean), m), b)     ->   BiasAdd(Conv2D(x, w * m), b - mean * m)

An unfused batch norm has this form after `fold_constants` has computed `m`; if it has not run, `m` is computed here.
The last node has the name of the last node that was folded.

A layer is a Conv2D, DepthwiseConv2dNative, Conv2DBackpropInput, Conv3D, Conv3DBackpropInputV2 or MatMul with constant
weights. It is followed by steps: Mul, RealDiv, Add, AddV2, Sub, BiasAdd with constants of one number, or one per
channel, on the channel axis of the layer's layout. A BatchToSpaceND, MirrorPad, Pad with zeros, AvgPool, Identity,
Squeeze, ExpandDims, Reshape or concatenation of layers may stand between them, for example behind a Conv1D or a Dense
layer on sequences; a Reshape is accepted if the channels are known to stay on the last axis. The nodes between a layer
and the last step must have no other consumers, and must not be declared as outputs or inputs. Additions behind the last
multiplication are folded if there are additions before it: then the result has a BiasAdd in any case. Weights that
would lose digits by becoming too small for their type are left alone, unless they are negligible compared with others.

Differences from the original: it knows only the first of these forms, with the constant as second input, and Conv2D,
MatMul and DepthwiseConv2dNative; it fails if there is not one number per channel, and multiplies the wrong weights of a
MatMul with transposed weights and of a layer whose channels are not last; it leaves a layer alone if its weights or the
numbers are used elsewhere (here such weights are copied) or if a layer with the same input has been folded; it loses
declared outputs and control inputs of the Mul; and it folds constants that a declared input may change.
"""

from __future__ import annotations

from ..messages import GraphDef
from ..names import TensorName
from .batch_norms.channel_ops import ARITHMETIC, SCALES
from .batch_norms.folding import fold
from .batch_norms.tree import Step, Tree, parts
from .framework.registry import graph_transform
from .framework.report import StepReport

__all__ = ["fold_batch_norms"]


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
    """Return whether a step multiplies, or adds behind a multiplication that follows an addition."""
    return step.node.op in SCALES or any(_is_scale(part) and any(map(_is_shift, parts(part))) for part in parts(step))


def _is_scale(part: Tree) -> bool:
    return isinstance(part, Step) and part.node.op in SCALES


def _is_shift(part: Tree) -> bool:
    return isinstance(part, Step) and part.node.op not in SCALES
