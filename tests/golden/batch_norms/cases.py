"""Graphs with batch norms that both the C++ tool and tfmodel fold.

`<2,3>` in a value is a float tensor of that shape with numbers between 0.5 and 2 that depend on the name and the case:
variances are never negative. A Placeholder is fed with random numbers of its shape.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

import numpy as np

from .layers import (
    ATROUS,
    BASE,
    BIAS,
    COND,
    CONV,
    CONV1D,
    CONV3D,
    CONV_NHWC,
    DENSE,
    DEPTHWISE,
    FUSED,
    GLOBAL,
    HOLDS,
    MATMUL,
    MUL,
    NCHW,
    NORM,
    PACKED,
    PAD,
    PICKED,
    TRANSPOSED,
    TWO,
    UNFUSED,
    V3,
    X_NCHW,
    YES,
    M,
    W,
    X,
    again,
    halves,
    loop,
    reshaped,
)

__all__ = ["CASES", "Case"]


class Case(NamedTuple):
    """A graph, and what is done to it; `text` is in the notation of tests.tfmodel.transforms.graph_notation.

    `fed` is a node that is declared as an input, too, and gets other numbers than it holds or computes.
    """

    name: str
    transform: str
    text: str
    outputs: str = "y"
    fed: str = ""

    @property
    def inputs(self) -> str:
        """The declared inputs; empty if they are Placeholders."""
        return f"x,{self.fed}" if self.fed else ""


MULS = {
    # --- what the tool does
    "conv": BASE + M + MUL,
    "conv with more attributes and devices": X
    + W.replace("]\n", "] @ /device:CPU:0\n")
    + CONV_NHWC.replace("]\n", "] @ /device:CPU:0\n")
    + M
    + MUL.replace("]\n", "] @ /device:CPU:0\n"),
    "depthwise": X + DEPTHWISE + "m = Const[dtype=float, value=<6>]\n" + MUL,
    "matmul": MATMUL + M + MUL,
    "matmul of a transposed input": MATMUL.replace("(5, 3)", "(3, 5)").replace("a=false", "a=true") + M + MUL,
    "the result is used": BASE + M + MUL.replace("y", "z") + "y = Relu(z)[T=float]\n",
    "twice": BASE
    + M
    + MUL.replace("y", "z")
    + "w2 = Const[dtype=float, value=<1,1,4,2>]\nm2 = Const[dtype=float, value=<2>]\n"
    + 'c2 = Conv2D(z, w2)[T=float, padding="SAME", strides=[1, 1, 1, 1]]\ny = Mul(c2, m2)[T=float]\n',
    "nothing to fold": BASE + "y = Relu(c)[T=float]\n",
    "a Mul of two inputs": BASE + "y = Mul(c, c)[T=float]\n",
    "weights that are no constant": X + "w = Placeholder[dtype=float, shape=(2, 2, 3, 4)]\n" + CONV + M + MUL,
    "conv is used elsewhere": BASE + M + MUL.replace("y", "z") + "r = Relu(c)[T=float]\ny = Add(r, z)[T=float]\n",
    "conv is waited for": BASE + M + MUL.replace("y", "z") + "y = Relu(z, ^c)[T=float]\n",
    "a Mul, then an Add": BASE
    + M
    + MUL.replace("y", "z")
    + "k = Const[dtype=float, value=<4>]\ny = Add(z, k)[T=float]\n",
    "a Mul, then a BiasAdd": BASE
    + M
    + MUL.replace("y", "z")
    + "k = Const[dtype=float, value=<4>]\ny = BiasAdd(z, k)[T=float]\n",
    "weights before what they multiply": W + X + M + CONV + MUL,
    "the last node first": MUL + M + CONV + W + X,
    "a control input of the conv": BASE.replace("Conv2D(x, w)", "Conv2D(x, w, ^n)") + "n = NoOp\n" + M + MUL,
    "an input by way of a port": "s = Split(at, x)[T=float, num_split=2]\nat = Const[dtype=int32, value=int32{0}()]\n"
    + BASE.replace("Conv2D(x", "Conv2D(s:1")
    + M
    + MUL,
    "two in a row are separate": X
    + W
    + CONV
    + M
    + MUL.replace("y", "z")
    + "r = Relu(z)[T=float]\n"
    + "m2 = Const[dtype=float, value=<4>]\ny = Mul(r, m2)[T=float]\n",
    # --- beyond it
    "constant in front": BASE + M + MUL.replace("c, m", "m, c"),
    "constant in front of a MatMul": MATMUL + M + MUL.replace("c, m", "m, c"),
    "weights are used elsewhere": BASE
    + M
    + MUL.replace("y", "z")
    + CONV.replace("c =", "c2 =")
    + "y = Add(z, c2)[T=float]\n",
    "numbers are used elsewhere": BASE + M + MUL.replace("y", "z") + "r = Relu(m)[T=float]\ny = Add(z, r)[T=float]\n",
    "numbers are waited for": BASE + M + MUL.replace("y", "z") + "y = Relu(z, ^m)[T=float]\n",
    "two convs of one input": BASE
    + M
    + MUL.replace("y", "z")
    + "w2 = Const[dtype=float, value=<2,2,3,4>]\n"
    + CONV.replace("c = Conv2D(x, w)", "c2 = Conv2D(x, w2)")
    + "m2 = Const[dtype=float, value=<4>]\nz2 = Mul(c2, m2)[T=float]\ny = Add(z, z2)[T=float]\n",
    "layer c is fed": BASE + M + MUL,
    "weights w is fed": BASE + M + MUL,
    "numbers m is fed": BASE + M + MUL,
    "one number": BASE + "m = Const[dtype=float, value=float{0.75}()]\n" + MUL,
    "a shape with ones": BASE + "m = Const[dtype=float, value=<1,1,1,4>]\n" + MUL,
    "numbers that do not fit": X + W.replace("3,4", "3,1") + CONV + "m = Const[dtype=float, value=<3>]\n" + MUL,
    "numbers for each column": X + W + CONV + "m = Const[dtype=float, value=<6,1>]\n" + MUL,
    "more axes than the layer has": MATMUL + "m = Const[dtype=float, value=<1,1,4>]\n" + MUL,
    "a MatMul that transposes": MATMUL.replace("<3,4>", "<4,3>").replace("b=false", "b=true") + M + MUL,
    "a square MatMul that transposes": MATMUL.replace("<3,4>", "<3,3>").replace("b=false", "b=true")
    + M.replace("4", "3")
    + MUL,
    "the Mul waits": BASE + M + MUL.replace("c, m", "c, m, ^n") + "n = NoOp\n",
    "the output of the conv is an output": BASE + M + MUL,
    "numbers divide": BASE + M + MUL.replace("Mul", "RealDiv"),
    "Mul after BiasAdd": BASE + M + BIAS + MUL.replace("c, m", "a, m"),
    "Mul after Add": MATMUL + M + BIAS.replace("BiasAdd(c, k)", "AddV2(k, c)") + MUL.replace("c, m", "m, a"),
    "Mul after Mul": BASE + M + "z = Mul(c, m)[T=float]\nm2 = Const[dtype=float, value=<4>]\ny = Mul(z, m2)[T=float]\n",
    "unfused, folded": BASE + NORM + "z = Mul(c, g)[T=float]\ny = Add(z, b)[T=float]\n",
    "unfused, tf.nn": BASE
    + NORM
    + UNFUSED
    + "z = Mul(c, inv)[T=float]\nmi = Mul(mean, inv)[T=float]\no = Sub(b, mi)[T=float]\ny = AddV2(z, o)[T=float]\n",
    "unfused, by the book": BASE
    + NORM
    + UNFUSED
    + "d = Sub(c, mean)[T=float]\nn = Mul(r, d)[T=float]\nz = Mul(g, n)[T=float]\ny = Add(b, z)[T=float]\n",
    "unfused, with a root": BASE
    + NORM
    + UNFUSED.replace("Rsqrt", "Sqrt")
    + "d = Sub(c, mean)[T=float]\nn = RealDiv(d, r)[T=float]\nz = Mul(n, g)[T=float]\ny = Add(z, b)[T=float]\n",
    "unfused, the other way round": BASE
    + NORM
    + UNFUSED
    + "d = Sub(mean, c)[T=float]\nn = Mul(d, inv)[T=float]\ny = Sub(b, n)[T=float]\n",
    "Conv3D": CONV3D + M + MUL,
    "Conv2DBackpropInput": TRANSPOSED + M + MUL,
    "NCHW with numbers for columns": X_NCHW
    + W.replace("3,4", "3,6")
    + NCHW
    + "m = Const[dtype=float, value=<6>]\n"
    + MUL,
    "NCHW with numbers for channels": X_NCHW + W + NCHW + "m = Const[dtype=float, value=<4,1,1>]\n" + MUL,
    "through BatchToSpaceND": ATROUS + M + MUL,
    "through Pad": BASE + PAD + M + "p = Pad(c, pads)[T=float, Tpaddings=int32]\n" + MUL.replace("c, m", "p, m"),
    "through ConcatV2": TWO + M + MUL,
    "Conv1D": CONV1D + M + MUL,
    "Conv1D, and an Add": CONV1D + BIAS.replace("BiasAdd", "AddV2") + M + MUL.replace("(c,", "(a,"),
    "Conv1D with numbers of another shape": CONV1D + M.replace("<4>", "<1,1,4>") + MUL,
    "Conv1D with a Pad behind": CONV1D
    + BIAS
    + "pads = Const[dtype=int32, value=int32{0, 0, 1, 2, 0, 0}(3, 2)]\n"
    + "p = Pad(a, pads)[T=float, Tpaddings=int32]\n"
    + M
    + MUL.replace("(c,", "(p,"),
    "Conv1D with numbers for each row": CONV1D + M.replace("<4>", "<6,1>") + MUL,
    "Squeeze of all that is one": CONV1D.replace(", squeeze_dims=[-3]", "") + M + MUL,
    "Squeeze of the channels": CONV1D.replace("3,4>", "3,1>").replace("[-3]", "[3]").replace("(2, 7", "(1, 7")
    + M.replace("<4>", "<6>")
    + MUL,
    "through ExpandDims": BASE
    + "at = Const[dtype=int32, value=int32{1}()]\n"
    + "p = ExpandDims(c, at)[T=float, Tdim=int32]\n"
    + M
    + MUL.replace("(c,", "(p,"),
    "through ExpandDims behind the channels": BASE
    + "at = Const[dtype=int32, value=int32{-1}()]\n"
    + "p = ExpandDims(c, at)[T=float, Tdim=int32]\n"
    + M.replace("<4>", "<4,1>")
    + MUL.replace("(c,", "(p,"),
    "numbers for what ExpandDims makes": BASE.replace("3,4>", "3,1>")
    + "at = Const[dtype=int32, value=int32{-1}()]\n"
    + "p = ExpandDims(c, at)[T=float, Tdim=int32]\n"
    + M
    + MUL.replace("(c,", "(p,"),
    "Dense on sequences": DENSE + M + MUL,
    "Dense on sequences, and an Add": DENSE + BIAS + M + MUL.replace("(c,", "(a,"),
    "Dense on sequences, packed": PACKED + M + MUL,
    "Dense on sequences of another width": DENSE.replace("int32{4}", "int32{2}")
    .replace("{0, 1}", "{0, 1, 1}")
    .replace("(2, 5, 3)", "(2, 2, 3)")
    .replace("shape = ConcatV2(g", "shape = ConcatV2(free1, units, free2")
    .replace("units, zero)[T=int32, N=2", "zero)[T=int32, N=3")
    + "free1 = Const[dtype=int32, value=int32{4}]\n"
    + "free2 = Const[dtype=int32, value=int32{2}]\n"
    + M.replace("<4>", "<2>")
    + MUL,
    "through Reshape": reshaped(-1, 4) + M + MUL.replace("(c,", "(p,"),
    "through Reshape to five axes": reshaped(2, -1, 1, 3, 4) + M + MUL.replace("(c,", "(p,"),
    "Reshape of the channels": reshaped(2, -1, 2) + M.replace("<4>", "<2>") + MUL.replace("(c,", "(p,"),
    "Reshape to nobody knows what": reshaped(9, 4, -1) + M + MUL.replace("(c,", "(p,"),
    "BatchToSpaceND of channels": BASE
    + "block = Const[dtype=int32, value=int32{1, 1, 2}]\n"
    + "crops = Const[dtype=int32, value=int32{0, 0, 0, 0, 1, 3}(3, 2)]\n"
    + "p = BatchToSpaceND(c, block, crops)[T=float, Tcrops=int32, Tblock_shape=int32]\n"
    + M
    + MUL.replace("(c,", "(p,"),
    "half, of small numbers": BASE.replace("float", "half").replace("<2,2,3,4>", halves(48, 0.003, (2, 2, 3, 4)))
    + M.replace("float", "half").replace("<4>", halves(4, 1e-5, (4,)))
    + MUL.replace("float", "half"),
    "weights by way of Identity": X + W.replace("w =", "w0 =") + "w = Identity(w0)[T=float]\n" + CONV + M + MUL,
    "double": (BASE + M + MUL).replace("float", "double"),
    "in a loop": loop(
        "c = MatMul(in, w1)[T=float]\nw1 = Const(^in)[dtype=float, value=<3,3>]\n"
        "m = Const(^in)[dtype=float, value=<3>]\nend = Mul(c, m)[T=float]"
    ),
    "in a loop, with weights from outside": loop(
        'we = Enter(w)[T=float, frame_name="loop", is_constant=true]\n'
        "c = MatMul(in, we)[T=float]\nm = Const(^in)[dtype=float, value=<3>]\nend = Mul(c, m)[T=float]"
    ),
    "in a loop, after an Add": loop(
        "c = MatMul(in, w1)[T=float]\nw1 = Const(^in)[dtype=float, value=<3,3>]\n"
        "k = Const(^in)[dtype=float, value=<3>]\na = Add(c, k)[T=float]\n"
        "m = Const(^in)[dtype=float, value=<3>]\nend = Mul(a, m)[T=float]"
    ),
    "in a conditional": COND,
    "in a conditional that holds": YES,
    "a conditional picks what is multiplied": PICKED,
    "a conditional that holds picks what is multiplied": PICKED.replace(*HOLDS[0]).replace(*HOLDS[1]),
}

NORMS = {
    # --- what the tool does
    "fused": BASE + NORM + FUSED,
    "fused, NHWC": X + W + CONV_NHWC + NORM + FUSED.replace("T=float", 'T=float, data_format="NHWC"'),
    "fused, default epsilon written out": BASE + NORM + FUSED.replace("0.001", "0.0001"),
    "fused, large epsilon": BASE + NORM + FUSED.replace("0.001", "3.0"),
    "global": BASE + NORM + GLOBAL,
    "global, not scaled": BASE + NORM + GLOBAL.replace("true", "false"),
    "with devices": (BASE + NORM + FUSED).replace("]\n", "] @ /device:CPU:0\n"),
    "the result is used": BASE + NORM + FUSED.replace("y", "z") + "y = Relu(z)[T=float]\n",
    "two in a row": BASE
    + NORM
    + FUSED.replace("y", "z")
    + "r = Relu(z)[T=float]\n"
    + "w2 = Const[dtype=float, value=<1,1,4,3>]\n"
    + CONV.replace("c = Conv2D(x, w)", "c2 = Conv2D(r, w2)")
    + NORM.replace("<4>", "<3>").replace(" =", "2 =")
    + FUSED.replace("(c, g, b, mean, v)", "(c2, g2, b2, mean2, v2)"),
    "one behind the other": again(BASE + NORM + FUSED, 2),
    "three behind each other": again(BASE + NORM + FUSED, 3),
    "global, one behind the other": again(BASE + NORM + GLOBAL, 2),
    "one behind the other, the last node first": "\n".join(again(BASE + NORM + FUSED, 2).splitlines()[::-1]),
    "one behind the other, and the first is used": again(BASE + NORM + FUSED, 2)
    .replace("y =", "z =")
    .replace("strides=[1, 2, 1, 1]", "strides=[1, 1, 1, 1]")
    + "y = Add(y0, z)[T=float]\n",
    "nothing to fold": BASE + "y = Relu(c)[T=float]\n",
    "no layer": X + NORM.replace("<4>", "<3>") + FUSED.replace("(c,", "(x,"),
    "numbers that are no constants": BASE
    + NORM.replace("v = Const[dtype=float, value=<4>]", "v = Relu(b)[T=float]").replace("Relu(b)", "Tanh(b)")
    + FUSED,
    "weights that are no constant": X + "w = Placeholder[dtype=float, shape=(2, 2, 3, 4)]\n" + CONV + NORM + FUSED,
    "the last node first": FUSED + NORM + CONV + W + X,
    "a control input of the conv": BASE.replace("Conv2D(x, w)", "Conv2D(x, w, ^n)") + "n = NoOp\n" + NORM + FUSED,
    "an input by way of a port": "s = Split(at, x)[T=float, num_split=2]\nat = Const[dtype=int32, value=int32{0}()]\n"
    + BASE.replace("Conv2D(x", "Conv2D(s:1")
    + NORM
    + FUSED,
    "through BatchToSpaceND": ATROUS + NORM + FUSED,
    "global, through BatchToSpaceND": ATROUS + NORM + GLOBAL,
    "through ConcatV2 of channels": TWO + NORM + FUSED,
    "through ConcatV2 of another axis": TWO.replace("<1,1,3,1>", "<1,1,3,4>")
    .replace("<1,1,3,3>", "<1,1,3,4>")
    .replace("int32{3}()", "int32{1}()")
    + NORM
    + FUSED,
    "global, through ConcatV2": TWO + NORM + GLOBAL,
    "VALID and strides": BASE.replace("SAME", "VALID").replace("[1, 2, 1, 1]", "[1, 2, 2, 1]") + NORM + FUSED,
    "many channels": BASE.replace("3,4>", "3,64>") + NORM.replace("<4>", "<64>") + FUSED,
    "groups": X.replace("6, 3)", "6, 4)") + W.replace("2,2,3,4", "2,2,2,4") + CONV + NORM + FUSED,
    # --- beyond it
    "V3, one behind the other": again(BASE + NORM + V3, 2),
    "V3 after BiasAdd, three behind each other": again(BASE + BIAS + NORM + V3.replace("(c,", "(a,"), 3),
    "V2": BASE + NORM + FUSED.replace("FusedBatchNorm", "FusedBatchNormV2").replace("T=float", "T=float, U=float"),
    "V3": BASE + NORM + V3,
    "V3, default epsilon": BASE + NORM + V3.replace(", epsilon=0.001", ""),
    "training": BASE + NORM + FUSED.replace("is_training=false", "is_training=true"),
    "training by default": BASE + NORM + FUSED.replace("is_training=false, ", ""),
    "V3 after BiasAdd": BASE + BIAS + NORM + V3.replace("(c,", "(a,"),
    "V3 after Add": BASE + BIAS.replace("BiasAdd", "AddV2") + NORM + V3.replace("(c,", "(a,"),
    "V3 after a Mul and an Add": BASE
    + M
    + "z = Mul(c, m)[T=float]\nk = Const[dtype=float, value=<4>]\n"
    + "a = Add(k, z)[T=float]\n"
    + NORM
    + V3.replace("(c,", "(a,"),
    "V3 after V3": BASE + NORM + V3.replace("y =", "z =") + V3.replace("(c,", "(z,"),
    "V3 after depthwise": X + DEPTHWISE + NORM.replace("<4>", "<6>") + V3,
    "V3 after Conv2DBackpropInput": TRANSPOSED + NORM + V3,
    "V3 after Conv3D": CONV3D + NORM + V3.replace("T=float", 'T=float, data_format="NDHWC"'),
    "V3 through Pad": BASE + PAD + "p = Pad(c, pads)[T=float, Tpaddings=int32]\n" + NORM + V3.replace("(c,", "(p,"),
    "V3 through BiasAdd and Pad": BASE
    + BIAS
    + PAD
    + "p = Pad(a, pads)[T=float, Tpaddings=int32]\n"
    + NORM
    + V3.replace("(c,", "(p,"),
    "V3 through PadV2": BASE
    + PAD
    + "zero = Const[dtype=float, value=float{0}()]\n"
    + "p = PadV2(c, pads, zero)[T=float, Tpaddings=int32]\n"
    + NORM
    + V3.replace("(c,", "(p,"),
    "V3 after PadV2 with ones": BASE
    + PAD
    + "one = Const[dtype=float, value=float{1}()]\n"
    + "p = PadV2(c, pads, one)[T=float, Tpaddings=int32]\n"
    + NORM
    + V3.replace("(c,", "(p,"),
    "V3 through MirrorPad": BASE
    + PAD.replace("1, 2,", "1, 1,")
    + 'p = MirrorPad(c, pads)[T=float, Tpaddings=int32, mode="REFLECT"]\n'
    + NORM
    + V3.replace("(c,", "(p,"),
    "V3 after a Pad of channels": X
    + W.replace("3,4", "3,3")
    + CONV
    + "pads = Const[dtype=int32, value=int32{0, 0, 0, 0, 0, 0, 0, 1}(4, 2)]\n"
    + "p = Pad(c, pads)[T=float, Tpaddings=int32]\n"
    + NORM
    + V3.replace("(c,", "(p,"),
    "V3 through BatchToSpaceND with crops that are fed": ATROUS.replace(
        "crops = Const[dtype=int32, value=int32{0, 0, 0, 0}(2, 2)]", "crops = Placeholder[dtype=int32, shape=(2, 2)]"
    )
    + NORM
    + V3,
    "V3 through Conv1D, and ExpandDims": CONV1D
    + "back = ExpandDims(c, at)[T=float, Tdim=int32]\n"
    + NORM
    + V3.replace("(c,", "(back,"),
    "V3 through Reshape": reshaped(2, -1, 1, 4) + NORM + V3.replace("(c,", "(p,"),
    "V3 through AvgPool": BASE
    + 'p = AvgPool(c)[T=float, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"]\n'
    + NORM
    + V3.replace("(c,", "(p,"),
    "through ConcatV2 of one input": TWO.replace("x2", "x", 1)
    .replace("Conv2D(x2", "Conv2D(x")
    .replace("x = Placeholder[dtype=float, shape=(2, 5, 6, 3)]\n", "", 1)
    + NORM
    + FUSED,
    "through ConcatV2, counted from the end": TWO.replace("int32{3}()", "int32{-1}()") + NORM + FUSED,
    "through Concat": TWO.replace("V2(c1, c2, axis)[T=float, N=2, Tidx=int32]", "(axis, c1, c2)[T=float, N=2]")
    + NORM
    + FUSED,
    "through ConcatV2 of three": TWO.replace(
        "ConcatV2(c1, c2, axis)[T=float, N=2", "ConcatV2(c1, c2, c3, axis)[T=float, N=3"
    )
    + "w3 = Const[dtype=float, value=<1,1,3,2>]\n"
    + 'c3 = Conv2D(x, w3)[T=float, padding="SAME", strides=[1, 1, 1, 1]]\n'
    + NORM.replace("<4>", "<6>")
    + FUSED,
    "NCHW": X_NCHW + W + NCHW + NORM + V3.replace("T=float", 'T=float, data_format="NCHW"'),
    "two layouts": X.replace("5, 6", "5, 4")
    + W
    + CONV
    + NORM.replace("<4>", "<3>")
    + V3.replace("T=float", 'T=float, data_format="NCHW"'),
    "shared numbers": BASE
    + NORM
    + FUSED.replace("y", "z")
    + "w2 = Const[dtype=float, value=<2,2,3,4>]\n"
    + CONV.replace("c = Conv2D(x, w)", "c2 = Conv2D(x, w2)")
    + FUSED.replace("y = FusedBatchNorm(c,", "z2 = FusedBatchNorm(c2,")
    + "y = Add(z, z2)[T=float]\n",
    "shared weights": BASE + NORM + FUSED.replace("y", "z") + CONV.replace("c =", "c2 =") + "y = Add(z, c2)[T=float]\n",
    "weights shared by two batch norms": BASE
    + NORM
    + FUSED.replace("y", "z")
    + CONV.replace("c =", "c2 =")
    + NORM.replace(" =", "2 =")
    + FUSED.replace("y = FusedBatchNorm(c, g, b, mean, v)", "z2 = FusedBatchNorm(c2, g2, b2, mean2, v2)")
    + "y = Add(z, z2)[T=float]\n",
    "shared conv": BASE + NORM + FUSED.replace("y", "z") + "y = Add(z, c)[T=float]\n",
    "conv is an output": BASE + NORM + FUSED,
    "layer c is fed": BASE + NORM + FUSED,
    "weights w is fed": BASE + NORM + FUSED,
    "numbers mean is fed": BASE + NORM + FUSED,
    "statistics are used": BASE + NORM + FUSED.replace("y", "z") + "y = Add(z:1, z:2)[T=float]\n",
    "the batch norm waits": BASE + NORM + FUSED.replace("mean, v)", "mean, v, ^n)") + "n = NoOp\n",
    "numbers by way of Identity": X
    + W.replace("w =", "w0 =")
    + "w = Identity(w0)[T=float]\n"
    + CONV
    + NORM.replace(" =", "0 =")
    + "".join(f"{n} = Identity({n}0)[T=float]\n" for n in ("g", "b", "mean", "v"))
    + V3,
    "a scale that is no number": BASE
    + NORM.replace("v = Const[dtype=float, value=<4>]", "v = Const[dtype=float, value=float{1, -1, 1, 1}]")
    + FUSED,
    "after ReLU": BASE + "r = Relu(c)[T=float]\n" + NORM + FUSED.replace("(c,", "(r,"),
    "after MaxPool": BASE
    + 'p = MaxPool(c)[T=float, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"]\n'
    + NORM
    + FUSED.replace("(c,", "(p,"),
}

# --- the same again, with other sizes, and in other places -----------------------------------------------------------

ORDERS = {"": (), " in reverse": (-1,), " behind constants": (1,)}


def _ordered(text: str, order: tuple[int, ...]) -> str:
    lines = [line for line in text.splitlines() if line]
    if order == (-1,):
        lines.reverse()
    elif order:
        lines.sort(key=lambda line: "Const" not in line)
    return "\n".join(lines) + "\n"


for width in (1, 2, 7, 33):
    for order, key in ORDERS.items():
        layers = {
            "a Conv2D": (BASE.replace("3,4>", f"3,{width}>"), width),
            "a depthwise one": (X + DEPTHWISE.replace("3,2>", f"3,{width}>"), 3 * width),
            "a MatMul": (MATMUL.replace("3,4>", f"3,{width}>"), width),
        }
        for layer, (text, channels) in layers.items():
            MULS[f"{layer} of {width}{order}"] = _ordered(text + M.replace("<4>", f"<{channels}>") + MUL, key)
        norm = NORM.replace("<4>", f"<{width}>")
        first, _ = layers["a Conv2D"]
        NORMS[f"fused, {width} channels{order}"] = _ordered(first + norm + FUSED, key)
        NORMS[f"global, {width} channels{order}"] = _ordered(first + norm + GLOBAL, key)
        atrous = ATROUS.replace("3,4>", f"3,{width}>")
        NORMS[f"fused, behind an atrous one of {width}{order}"] = _ordered(atrous + norm + FUSED, key)
        both = TWO.replace("3,3>", f"3,{width}>")
        norm = NORM.replace("<4>", f"<{width + 1}>")
        NORMS[f"fused, behind 1 and {width} channels{order}"] = _ordered(both + norm + FUSED, key)
BODY_4D = """c = Conv2D(in, w1)[T=float, padding="SAME", strides=[1, 1, 1, 1]]
w1 = Const(^in)[dtype=float, value=<2,2,3,3>]
"""
NORMS["V3 in a loop"] = loop(
    BODY_4D + NORM.replace("<4>", "<3>").replace("Const[", "Const(^in)[") + V3.replace("y =", "end =")
).replace("shape=(2, 3)", "shape=(2, 4, 4, 3)")
NORMS["V3 in a loop, all from outside"] = loop(
    BODY_4D
    + NORM.replace("<4>", "<3>").replace(" =", "0 =")
    + "".join(f'{n} = Enter({n}0)[T=float, frame_name="loop", is_constant=true]\n' for n in ("g", "b", "mean", "v"))
    + V3.replace("y =", "end =")
).replace("shape=(2, 3)", "shape=(2, 4, 4, 3)")
NORMS["V3 in a conditional"] = (
    COND.replace("<3,4>", "<1,1,3,4>")
    .replace("MatMul(s:1, w)[T=float]", 'Conv2D(s:1, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]')
    .replace("<2,4>", "<2,4,4,4>")
    .replace(
        "m = Const(^pivot)[dtype=float, value=<4>]\nt = Mul(c, m)[T=float]\n",
        NORM.replace("Const[", "Const(^pivot)[") + V3.replace("y =", "t ="),
    )
    .replace("shape=(2, 3)", "shape=(2, 4, 4, 3)")
)

_random = re.compile(r"<([\d,]+)>")


def _filled(text: str, seed: str) -> str:
    def numbers(found: re.Match[str]) -> str:
        shape = [int(size) for size in found[1].split(",")]
        generator = np.random.default_rng(zlib.crc32(f"{seed} {found.start()}".encode()))
        values = generator.uniform(0.5, 2, shape).astype(np.float32).ravel()
        kind = "double" if "dtype=double" in text else "float"
        return f"{kind}{{{', '.join(map(str, values))}}}({', '.join(map(str, shape))})"

    return _random.sub(numbers, text)


def _cases(transform: str, texts: dict[str, str]) -> list[Case]:
    outputs = {"the output of the conv is an output": "y,c", "conv is an output": "y,c"}
    fed = {name: name.split()[1] for name in texts if name.endswith(" is fed")}
    return [
        Case(name, transform, _filled(text, name), outputs.get(name, "y"), fed.get(name, ""))
        for name, text in texts.items()
    ]


CASES = {
    (case.transform, case.name): case
    for case in [*_cases("fold_batch_norms", MULS), *_cases("fold_old_batch_norms", NORMS)]
}
