"""Numbers that multiply each channel of what a layer gives become part of its weights.

    Mul(Conv2D(x, w), m)                        ->   Conv2D(x, w * m)
    Mul(BiasAdd(Conv2D(x, w), b), m)            ->   BiasAdd(Conv2D(x, w * m), b * m)
    Add(Mul(Sub(Conv2D(x, w), mean), m), b)     ->   BiasAdd(Conv2D(x, w * m), b - mean * m)

That is what is left of a batch norm that was computed from its parts, once `fold_constants` has made `m` of them; if it
has not, they are computed here. What comes last has the name of the last node that was folded.

A layer is a Conv2D, DepthwiseConv2dNative, Conv2DBackpropInput, Conv3D, Conv3DBackpropInputV2 or MatMul with constant
weights. Behind it there are steps: Mul, RealDiv, Add, AddV2, Sub, BiasAdd with constants that hold one number, or one
for each channel, where the channels of the layer's layout are. A BatchToSpaceND, MirrorPad, Pad with zeros, AvgPool,
Identity, Squeeze, ExpandDims, Reshape or concatenation of layers may come between, as behind a Conv1D, or a Dense layer
on sequences: of a Reshape it must be known that the channels stay on the last axis. Nobody else may use what is between
a layer and the last step, nor may that be declared as an output or an input. Additions behind the last multiplication
are folded if there are additions before it, which make an addition necessary anyway. Weights that would lose digits,
since they become too small for their type, are left as they are, unless they are nothing beside others.

Unlike the original, which has the first of these forms only, with the constant behind, and for Conv2D, MatMul and
DepthwiseConv2dNative: which fails if there is not one number for each channel, or multiplies the wrong weights of a
MatMul that transposes them and of a layer whose channels do not come last; which leaves a layer alone if weights or
numbers are used elsewhere (weights that are get a copy) or if a layer with the same input has been folded; which loses
declared outputs, and what the Mul waited for; and which folds what a declared input may change.
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
    """Multiply weights by what the output of their layer is multiplied by.

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
    return fold(graph, ARITHMETIC.keys(), _is_last, named=SCALES, inputs=inputs, outputs=outputs, report=report)


def _is_last(step: Step) -> bool:
    """Whether it multiplies; or it adds to what was multiplied after something had been added."""
    return step.node.op in SCALES or any(_is_scale(part) and any(map(_is_shift, parts(part))) for part in parts(step))


def _is_scale(part: Tree) -> bool:
    return isinstance(part, Step) and part.node.op in SCALES


def _is_shift(part: Tree) -> bool:
    return isinstance(part, Step) and part.node.op not in SCALES
