"""Graphs with batch norms, for the C++ tool and for us.

`<2,3>` in a value is a float tensor of that shape with numbers between 0.5 and 2, others for each name and case:
variances are never negative. A Placeholder is fed with random numbers of its shape.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

import numpy as np

__all__ = ["CASES", "Case"]


class Case(NamedTuple):
    """A graph, and what is done to it; `text` is in the notation of tests.tfmodel.transforms.notation."""

    name: str
    transform: str
    text: str
    outputs: str = "y"


X = "x = Placeholder[dtype=float, shape=(2, 5, 6, 3)]\n"
W = "w = Const[dtype=float, value=<2,2,3,4>]\n"
CONV = 'c = Conv2D(x, w)[T=float, padding="SAME", strides=[1, 2, 1, 1], dilations=[1, 1, 1, 1]]\n'
CONV_NHWC = CONV.replace("T=float", 'T=float, data_format="NHWC", use_cudnn_on_gpu=true')
BASE = X + W + CONV
M = "m = Const[dtype=float, value=<4>]\n"
NORM = """
g = Const[dtype=float, value=<4>]
b = Const[dtype=float, value=<4>]
mean = Const[dtype=float, value=<4>]
v = Const[dtype=float, value=<4>]
"""
FUSED = "y = FusedBatchNorm(c, g, b, mean, v)[T=float, is_training=false, epsilon=0.001]\n"
V3 = FUSED.replace("FusedBatchNorm", "FusedBatchNormV3").replace("T=float", "T=float, U=float")
GLOBAL = (
    "y = BatchNormWithGlobalNormalization(c, mean, v, b, g)"
    "[T=float, variance_epsilon=0.01, scale_after_normalization=true]\n"
)
DEPTHWISE = """
w = Const[dtype=float, value=<2,2,3,2>]
c = DepthwiseConv2dNative(x, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]
"""
MATMUL = """
x = Placeholder[dtype=float, shape=(5, 3)]
w = Const[dtype=float, value=<3,4>]
c = MatMul(x, w)[T=float, transpose_a=false, transpose_b=false]
"""
CONV3D = """
x = Placeholder[dtype=float, shape=(1, 3, 4, 5, 2)]
w = Const[dtype=float, value=<2,2,2,2,4>]
c = Conv3D(x, w)[T=float, padding="SAME", strides=[1, 1, 1, 1, 1], data_format="NDHWC"]
"""
TRANSPOSED = """
x = Placeholder[dtype=float, shape=(2, 3, 3, 2)]
w = Const[dtype=float, value=<2,2,4,2>]
size = Const[dtype=int32, value=int32{2, 6, 6, 4}]
c = Conv2DBackpropInput(size, w, x)[T=float, padding="SAME", strides=[1, 2, 2, 1]]
"""
NCHW = CONV.replace("T=float", 'T=float, data_format="NCHW"').replace("[1, 2, 1, 1]", "[1, 1, 1, 1]")
X_NCHW = "x = Placeholder[dtype=float, shape=(2, 3, 5, 6)]\n"
ATROUS = """
x = Placeholder[dtype=float, shape=(2, 4, 6, 3)]
block = Const[dtype=int32, value=int32{2, 2}]
pads = Const[dtype=int32, value=int32{2, 2, 2, 2}(2, 2)]
crops = Const[dtype=int32, value=int32{0, 0, 0, 0}(2, 2)]
s = SpaceToBatchND(x, block, pads)[T=float]
block2 = Const[dtype=int32, value=int32{2, 2}]
w = Const[dtype=float, value=<2,2,3,4>]
conv = Conv2D(s, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]
c = BatchToSpaceND(conv, block2, crops)[T=float, Tcrops=int32, Tblock_shape=int32]
"""
TWO = """
x = Placeholder[dtype=float, shape=(2, 5, 6, 3)]
x2 = Placeholder[dtype=float, shape=(2, 5, 6, 3)]
w1 = Const[dtype=float, value=<1,1,3,1>]
w2 = Const[dtype=float, value=<1,1,3,3>]
axis = Const[dtype=int32, value=int32{3}()]
c1 = Conv2D(x, w1)[T=float, padding="SAME", strides=[1, 1, 1, 1]]
c2 = Conv2D(x2, w2)[T=float, padding="SAME", strides=[1, 1, 1, 1]]
c = ConcatV2(c1, c2, axis)[T=float, N=2, Tidx=int32]
"""
PAD = "pads = Const[dtype=int32, value=int32{0, 0, 1, 2, 0, 1, 0, 0}(4, 2)]\n"
UNFUSED = """
eps = Const[dtype=float, value=float{0.001}()]
ve = AddV2(v, eps)[T=float]
r = Rsqrt(ve)[T=float]
inv = Mul(r, g)[T=float]
"""
MUL = "y = Mul(c, m)[T=float]\n"
BIAS = "k = Const[dtype=float, value=<4>]\na = BiasAdd(c, k)[T=float]\n"
LOOP = """
zero = Const[dtype=int32, value=int32{0}()]
x = Placeholder[dtype=float, shape=(2, 3)]
w = Const[dtype=float, value=<3,3>]
i0 = Enter(zero)[T=int32, frame_name="loop"]
x0 = Enter(x)[T=float, frame_name="loop"]
i1 = Merge(i0, i3)[T=int32, N=2]
x1 = Merge(x0, x3)[T=float, N=2]
limit = Const(^i1)[dtype=int32, value=int32{3}()]
less = Less(i1, limit)[T=int32]
go = LoopCond(less)
i2 = Switch(i1, go)[T=int32]
x2 = Switch(x1, go)[T=float]
in = Identity(x2:1)[T=float]
one = Const(^in)[dtype=int32, value=int32{1}()]
next = Add(i2:1, one)[T=int32]
BODY
i3 = NextIteration(next)[T=int32]
x3 = NextIteration(end)[T=float]
y = Exit(x2)[T=float]
"""
COND = """
p = Placeholder[dtype=bool, shape=()]
x = Placeholder[dtype=float, shape=(2, 3)]
s = Switch(x, p)[T=float]
q = Switch(p, p)[T=bool]
pivot = Identity(q:1)[T=bool]
w = Const(^pivot)[dtype=float, value=<3,4>]
c = MatMul(s:1, w)[T=float]
m = Const(^pivot)[dtype=float, value=<4>]
t = Mul(c, m)[T=float]
f0 = Const(^other)[dtype=float, value=<2,4>]
other = Identity(q)[T=bool]
y = Merge(f0, t)[T=float, N=2]
"""
PICKED = COND.replace("MatMul(s:1", "MatMul(x").replace("s = Switch(x, p)[T=float]\n", "")
PICKED = PICKED.replace("w = Const(^pivot)", "w = Const")
HOLDS = [("p = Placeholder", "yes = Placeholder"), ("q = Switch(p, p)", "q = Switch(yes, yes)")]
YES = COND.replace("(x, p)", "(x, yes)").replace(*HOLDS[0]).replace(*HOLDS[1])


def _loop(body: str) -> str:
    return LOOP.replace("BODY", body)


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
    "twice": BASE + M + MUL.replace("y", "z")
    + "w2 = Const[dtype=float, value=<1,1,4,2>]\nm2 = Const[dtype=float, value=<2>]\n"
    + 'c2 = Conv2D(z, w2)[T=float, padding="SAME", strides=[1, 1, 1, 1]]\ny = Mul(c2, m2)[T=float]\n',
    "nothing to fold": BASE + "y = Relu(c)[T=float]\n",
    "a Mul of two inputs": BASE + "y = Mul(c, c)[T=float]\n",
    "weights that are no constant": X + "w = Placeholder[dtype=float, shape=(2, 2, 3, 4)]\n" + CONV + M + MUL,
    "conv is used elsewhere": BASE + M + MUL.replace("y", "z") + "r = Relu(c)[T=float]\ny = Add(r, z)[T=float]\n",
    "conv is waited for": BASE + M + MUL.replace("y", "z") + "y = Relu(z, ^c)[T=float]\n",
    "a Mul, then an Add": BASE + M + MUL.replace("y", "z")
    + "k = Const[dtype=float, value=<4>]\ny = Add(z, k)[T=float]\n",
    "a Mul, then a BiasAdd": BASE + M + MUL.replace("y", "z")
    + "k = Const[dtype=float, value=<4>]\ny = BiasAdd(z, k)[T=float]\n",
    "weights before what they multiply": W + X + M + CONV + MUL,
    "the last node first": MUL + M + CONV + W + X,
    "a control input of the conv": BASE.replace("Conv2D(x, w)", "Conv2D(x, w, ^n)") + "n = NoOp\n" + M + MUL,
    "an input by way of a port": "s = Split(at, x)[T=float, num_split=2]\nat = Const[dtype=int32, value=int32{0}()]\n"
    + BASE.replace("Conv2D(x", "Conv2D(s:1") + M + MUL,
    "two in a row are separate": X + W + CONV + M + MUL.replace("y", "z") + "r = Relu(z)[T=float]\n"
    + "m2 = Const[dtype=float, value=<4>]\ny = Mul(r, m2)[T=float]\n",
    # --- beyond it
    "constant in front": BASE + M + MUL.replace("c, m", "m, c"),
    "constant in front of a MatMul": MATMUL + M + MUL.replace("c, m", "m, c"),
    "weights are used elsewhere": BASE + M + MUL.replace("y", "z")
    + CONV.replace("c =", "c2 =") + "y = Add(z, c2)[T=float]\n",
    "numbers are used elsewhere": BASE + M + MUL.replace("y", "z") + "r = Relu(m)[T=float]\ny = Add(z, r)[T=float]\n",
    "numbers are waited for": BASE + M + MUL.replace("y", "z") + "y = Relu(z, ^m)[T=float]\n",
    "two convs of one input": BASE + M + MUL.replace("y", "z")
    + "w2 = Const[dtype=float, value=<2,2,3,4>]\n" + CONV.replace("c = Conv2D(x, w)", "c2 = Conv2D(x, w2)")
    + "m2 = Const[dtype=float, value=<4>]\nz2 = Mul(c2, m2)[T=float]\ny = Add(z, z2)[T=float]\n",
    "one number": BASE + "m = Const[dtype=float, value=float{0.75}()]\n" + MUL,
    "a shape with ones": BASE + "m = Const[dtype=float, value=<1,1,1,4>]\n" + MUL,
    "numbers that do not fit": X + W.replace("3,4", "3,1") + CONV + "m = Const[dtype=float, value=<3>]\n" + MUL,
    "numbers for each column": X + W + CONV + "m = Const[dtype=float, value=<6,1>]\n" + MUL,
    "more axes than the layer has": MATMUL + "m = Const[dtype=float, value=<1,1,4>]\n" + MUL,
    "a MatMul that transposes": MATMUL.replace("<3,4>", "<4,3>").replace("b=false", "b=true") + M + MUL,
    "a square MatMul that transposes": MATMUL.replace("<3,4>", "<3,3>").replace("b=false", "b=true")
    + M.replace("4", "3") + MUL,
    "the Mul waits": BASE + M + MUL.replace("c, m", "c, m, ^n") + "n = NoOp\n",
    "the output of the conv is an output": BASE + M + MUL,
    "numbers divide": BASE + M + MUL.replace("Mul", "RealDiv"),
    "Mul after BiasAdd": BASE + M + BIAS + MUL.replace("c, m", "a, m"),
    "Mul after Add": MATMUL + M + BIAS.replace("BiasAdd(c, k)", "AddV2(k, c)") + MUL.replace("c, m", "m, a"),
    "Mul after Mul": BASE + M + "z = Mul(c, m)[T=float]\nm2 = Const[dtype=float, value=<4>]\ny = Mul(z, m2)[T=float]\n",
    "unfused, folded": BASE + NORM + "z = Mul(c, g)[T=float]\ny = Add(z, b)[T=float]\n",
    "unfused, tf.nn": BASE + NORM + UNFUSED
    + "z = Mul(c, inv)[T=float]\nmi = Mul(mean, inv)[T=float]\no = Sub(b, mi)[T=float]\ny = AddV2(z, o)[T=float]\n",
    "unfused, by the book": BASE + NORM + UNFUSED
    + "d = Sub(c, mean)[T=float]\nn = Mul(r, d)[T=float]\nz = Mul(g, n)[T=float]\ny = Add(b, z)[T=float]\n",
    "unfused, with a root": BASE + NORM + UNFUSED.replace("Rsqrt", "Sqrt")
    + "d = Sub(c, mean)[T=float]\nn = RealDiv(d, r)[T=float]\nz = Mul(n, g)[T=float]\ny = Add(z, b)[T=float]\n",
    "unfused, the other way round": BASE + NORM + UNFUSED
    + "d = Sub(mean, c)[T=float]\nn = Mul(d, inv)[T=float]\ny = Sub(b, n)[T=float]\n",
    "Conv3D": CONV3D + M + MUL,
    "Conv2DBackpropInput": TRANSPOSED + M + MUL,
    "NCHW with numbers for columns": X_NCHW + W.replace("3,4", "3,6") + NCHW
    + "m = Const[dtype=float, value=<6>]\n" + MUL,
    "NCHW with numbers for channels": X_NCHW + W + NCHW + "m = Const[dtype=float, value=<4,1,1>]\n" + MUL,
    "through BatchToSpaceND": ATROUS + M + MUL,
    "through Pad": BASE + PAD + M + "p = Pad(c, pads)[T=float, Tpaddings=int32]\n" + MUL.replace("c, m", "p, m"),
    "through ConcatV2": TWO + M + MUL,
    "weights by way of Identity": X + W.replace("w =", "w0 =") + "w = Identity(w0)[T=float]\n" + CONV + M + MUL,
    "double": (BASE + M + MUL).replace("float", "double"),
    "in a loop": _loop("c = MatMul(in, w1)[T=float]\nw1 = Const(^in)[dtype=float, value=<3,3>]\n"
        "m = Const(^in)[dtype=float, value=<3>]\nend = Mul(c, m)[T=float]"),
    "in a loop, with weights from outside": _loop("we = Enter(w)[T=float, frame_name=\"loop\", is_constant=true]\n"
        "c = MatMul(in, we)[T=float]\nm = Const(^in)[dtype=float, value=<3>]\nend = Mul(c, m)[T=float]"),
    "in a loop, after an Add": _loop("c = MatMul(in, w1)[T=float]\nw1 = Const(^in)[dtype=float, value=<3,3>]\n"
        "k = Const(^in)[dtype=float, value=<3>]\na = Add(c, k)[T=float]\n"
        "m = Const(^in)[dtype=float, value=<3>]\nend = Mul(a, m)[T=float]"),
    "in a conditional": COND,
    "in a conditional that holds": YES,
    "a conditional picks what is multiplied": PICKED,
    "a conditional that holds picks what is multiplied": PICKED.replace(*HOLDS[0]).replace(*HOLDS[1]),
}  # fmt: skip

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
    "two in a row": BASE + NORM + FUSED.replace("y", "z") + "r = Relu(z)[T=float]\n"
    + "w2 = Const[dtype=float, value=<1,1,4,3>]\n" + CONV.replace("c = Conv2D(x, w)", "c2 = Conv2D(r, w2)")
    + NORM.replace("<4>", "<3>").replace(" =", "2 =")
    + FUSED.replace("(c, g, b, mean, v)", "(c2, g2, b2, mean2, v2)"),
    "nothing to fold": BASE + "y = Relu(c)[T=float]\n",
    "no layer": X + NORM.replace("<4>", "<3>") + FUSED.replace("(c,", "(x,"),
    "numbers that are no constants": BASE + NORM.replace("v = Const[dtype=float, value=<4>]", "v = Relu(b)[T=float]")
    .replace("Relu(b)", "Tanh(b)") + FUSED,
    "weights that are no constant": X + "w = Placeholder[dtype=float, shape=(2, 2, 3, 4)]\n" + CONV + NORM + FUSED,
    "the last node first": FUSED + NORM + CONV + W + X,
    "a control input of the conv": BASE.replace("Conv2D(x, w)", "Conv2D(x, w, ^n)") + "n = NoOp\n" + NORM + FUSED,
    "an input by way of a port": "s = Split(at, x)[T=float, num_split=2]\nat = Const[dtype=int32, value=int32{0}()]\n"
    + BASE.replace("Conv2D(x", "Conv2D(s:1") + NORM + FUSED,
    "through BatchToSpaceND": ATROUS + NORM + FUSED,
    "global, through BatchToSpaceND": ATROUS + NORM + GLOBAL,
    "through ConcatV2 of channels": TWO + NORM + FUSED,
    "through ConcatV2 of another axis": TWO.replace("<1,1,3,1>", "<1,1,3,4>").replace("<1,1,3,3>", "<1,1,3,4>")
    .replace("int32{3}()", "int32{1}()") + NORM + FUSED,
    "global, through ConcatV2": TWO + NORM + GLOBAL,
    "VALID and strides": BASE.replace("SAME", "VALID").replace("[1, 2, 1, 1]", "[1, 2, 2, 1]") + NORM + FUSED,
    "many channels": BASE.replace("3,4>", "3,64>") + NORM.replace("<4>", "<64>") + FUSED,
    "groups": X.replace("6, 3)", "6, 4)") + W.replace("2,2,3,4", "2,2,2,4") + CONV + NORM + FUSED,
    # --- beyond it
    "V2": BASE + NORM + FUSED.replace("FusedBatchNorm", "FusedBatchNormV2").replace("T=float", "T=float, U=float"),
    "V3": BASE + NORM + V3,
    "V3, default epsilon": BASE + NORM + V3.replace(", epsilon=0.001", ""),
    "training": BASE + NORM + FUSED.replace("is_training=false", "is_training=true"),
    "training by default": BASE + NORM + FUSED.replace("is_training=false, ", ""),
    "V3 after BiasAdd": BASE + BIAS + NORM + V3.replace("(c,", "(a,"),
    "V3 after Add": BASE + BIAS.replace("BiasAdd", "AddV2") + NORM + V3.replace("(c,", "(a,"),
    "V3 after a Mul and an Add": BASE + M + "z = Mul(c, m)[T=float]\nk = Const[dtype=float, value=<4>]\n"
    + "a = Add(k, z)[T=float]\n" + NORM + V3.replace("(c,", "(a,"),
    "V3 after V3": BASE + NORM + V3.replace("y =", "z =") + V3.replace("(c,", "(z,"),
    "V3 after depthwise": X + DEPTHWISE + NORM.replace("<4>", "<6>") + V3,
    "V3 after Conv2DBackpropInput": TRANSPOSED + NORM + V3,
    "V3 after Conv3D": CONV3D + NORM + V3.replace("T=float", 'T=float, data_format="NDHWC"'),
    "V3 through Pad": BASE + PAD + "p = Pad(c, pads)[T=float, Tpaddings=int32]\n" + NORM + V3.replace("(c,", "(p,"),
    "V3 through BiasAdd and Pad": BASE + BIAS + PAD + "p = Pad(a, pads)[T=float, Tpaddings=int32]\n" + NORM
    + V3.replace("(c,", "(p,"),
    "V3 through PadV2": BASE + PAD + "zero = Const[dtype=float, value=float{0}()]\n"
    + "p = PadV2(c, pads, zero)[T=float, Tpaddings=int32]\n" + NORM + V3.replace("(c,", "(p,"),
    "V3 after PadV2 with ones": BASE + PAD + "one = Const[dtype=float, value=float{1}()]\n"
    + "p = PadV2(c, pads, one)[T=float, Tpaddings=int32]\n" + NORM + V3.replace("(c,", "(p,"),
    "V3 through MirrorPad": BASE + PAD.replace("1, 2,", "1, 1,")
    + 'p = MirrorPad(c, pads)[T=float, Tpaddings=int32, mode="REFLECT"]\n' + NORM + V3.replace("(c,", "(p,"),
    "V3 after a Pad of channels": X + W.replace("3,4", "3,3") + CONV
    + "pads = Const[dtype=int32, value=int32{0, 0, 0, 0, 0, 0, 0, 1}(4, 2)]\n"
    + "p = Pad(c, pads)[T=float, Tpaddings=int32]\n" + NORM + V3.replace("(c,", "(p,"),
    "V3 through AvgPool": BASE + 'p = AvgPool(c)[T=float, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"]\n'
    + NORM + V3.replace("(c,", "(p,"),
    "through ConcatV2 of one input": TWO.replace("x2", "x", 1).replace("Conv2D(x2", "Conv2D(x")
    .replace("x = Placeholder[dtype=float, shape=(2, 5, 6, 3)]\n", "", 1) + NORM + FUSED,
    "through ConcatV2, counted from the end": TWO.replace("int32{3}()", "int32{-1}()") + NORM + FUSED,
    "through Concat": TWO.replace("V2(c1, c2, axis)[T=float, N=2, Tidx=int32]", "(axis, c1, c2)[T=float, N=2]")
    + NORM + FUSED,
    "through ConcatV2 of three": TWO.replace("ConcatV2(c1, c2, axis)[T=float, N=2",
    "ConcatV2(c1, c2, c3, axis)[T=float, N=3") + "w3 = Const[dtype=float, value=<1,1,3,2>]\n"
    + 'c3 = Conv2D(x, w3)[T=float, padding="SAME", strides=[1, 1, 1, 1]]\n' + NORM.replace("<4>", "<6>") + FUSED,
    "NCHW": X_NCHW + W + NCHW + NORM + V3.replace("T=float", 'T=float, data_format="NCHW"'),
    "two layouts": X.replace("5, 6", "5, 4") + W + CONV + NORM.replace("<4>", "<3>")
    + V3.replace("T=float", 'T=float, data_format="NCHW"'),
    "shared numbers": BASE + NORM + FUSED.replace("y", "z")
    + "w2 = Const[dtype=float, value=<2,2,3,4>]\n" + CONV.replace("c = Conv2D(x, w)", "c2 = Conv2D(x, w2)")
    + FUSED.replace("y = FusedBatchNorm(c,", "z2 = FusedBatchNorm(c2,") + "y = Add(z, z2)[T=float]\n",
    "shared weights": BASE + NORM + FUSED.replace("y", "z") + CONV.replace("c =", "c2 =")
    + "y = Add(z, c2)[T=float]\n",
    "weights shared by two batch norms": BASE + NORM + FUSED.replace("y", "z")
    + CONV.replace("c =", "c2 =") + NORM.replace(" =", "2 =")
    + FUSED.replace("y = FusedBatchNorm(c, g, b, mean, v)", "z2 = FusedBatchNorm(c2, g2, b2, mean2, v2)")
    + "y = Add(z, z2)[T=float]\n",
    "shared conv": BASE + NORM + FUSED.replace("y", "z") + "y = Add(z, c)[T=float]\n",
    "conv is an output": BASE + NORM + FUSED,
    "statistics are used": BASE + NORM + FUSED.replace("y", "z") + "y = Add(z:1, z:2)[T=float]\n",
    "the batch norm waits": BASE + NORM + FUSED.replace("mean, v)", "mean, v, ^n)") + "n = NoOp\n",
    "numbers by way of Identity": X + W.replace("w =", "w0 =") + "w = Identity(w0)[T=float]\n" + CONV
    + NORM.replace(" =", "0 =") + "".join(f"{n} = Identity({n}0)[T=float]\n" for n in ("g", "b", "mean", "v")) + V3,
    "a scale that is no number": BASE + NORM.replace("v = Const[dtype=float, value=<4>]",
    "v = Const[dtype=float, value=float{1, -1, 1, 1}]") + FUSED,
    "after ReLU": BASE + "r = Relu(c)[T=float]\n" + NORM + FUSED.replace("(c,", "(r,"),
    "after MaxPool": BASE + 'p = MaxPool(c)[T=float, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"]\n'
    + NORM + FUSED.replace("(c,", "(p,"),
}  # fmt: skip

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
NORMS["V3 in a loop"] = _loop(
    BODY_4D + NORM.replace("<4>", "<3>").replace("Const[", "Const(^in)[") + V3.replace("y =", "end =")
).replace("shape=(2, 3)", "shape=(2, 4, 4, 3)")
NORMS["V3 in a loop, all from outside"] = _loop(
    BODY_4D + NORM.replace("<4>", "<3>").replace(" =", "0 =")
    + "".join(f'{n} = Enter({n}0)[T=float, frame_name="loop", is_constant=true]\n' for n in ("g", "b", "mean", "v"))
    + V3.replace("y =", "end =")
).replace("shape=(2, 3)", "shape=(2, 4, 4, 3)")  # fmt: skip
NORMS["V3 in a conditional"] = (
    COND.replace("<3,4>", "<1,1,3,4>").replace("MatMul(s:1, w)[T=float]",
    'Conv2D(s:1, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]').replace("<2,4>", "<2,4,4,4>")
    .replace("m = Const(^pivot)[dtype=float, value=<4>]\nt = Mul(c, m)[T=float]\n",
    NORM.replace("Const[", "Const(^pivot)[") + V3.replace("y =", "t =")).replace("shape=(2, 3)", "shape=(2, 4, 4, 3)")
)  # fmt: skip

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
    return [Case(name, transform, _filled(text, name), outputs.get(name, "y")) for name, text in texts.items()]


CASES = {
    (case.transform, case.name): case
    for case in [*_cases("fold_batch_norms", MULS), *_cases("fold_old_batch_norms", NORMS)]
}
