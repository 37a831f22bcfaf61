"""Text fragments for the graphs of cases.py: layers, the nodes that follow them, and loops around them."""

from __future__ import annotations

import re

import numpy as np

__all__ = [
    "ATROUS",
    "BASE",
    "BIAS",
    "COND",
    "CONV",
    "CONV1D",
    "CONV3D",
    "CONV_NHWC",
    "DENSE",
    "DEPTHWISE",
    "FUSED",
    "GLOBAL",
    "HOLDS",
    "MATMUL",
    "MUL",
    "NCHW",
    "NORM",
    "PACKED",
    "PAD",
    "PICKED",
    "TRANSPOSED",
    "TWO",
    "UNFUSED",
    "V3",
    "X_NCHW",
    "YES",
    "M",
    "W",
    "X",
    "again",
    "halves",
    "loop",
    "reshaped",
]

X = "x = Placeholder[dtype=float, shape=(2, 5, 6, 3)]\n"
W = "w = Const[dtype=float, value=<2,2,3,4>]\n"
CONV = 'c = Conv2D(x, w)[T=float, padding="SAME", strides=[1, 2, 1, 1], dilations=[1, 1, 1, 1]]\n'
CONV_NHWC = CONV.replace("T=float", 'T=float, data_format="NHWC", use_cudnn_on_gpu=true')
BASE = X + W + CONV
M = "m = Const[dtype=float, value=<4>]\n"


def halves(count: int, largest: float, shape: tuple[int, ...]) -> str:
    """A tensor of `count` numbers in half precision, up to the largest."""
    numbers = np.linspace(largest / 3, largest, count).astype(np.float16)
    return f"half{{{', '.join(map(str, numbers))}}}({', '.join(map(str, shape))})"


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
CONV1D = """
x = Placeholder[dtype=float, shape=(2, 7, 3)]
at = Const[dtype=int32, value=int32{-3}()]
e = ExpandDims(x, at)[T=float, Tdim=int32]
w = Const[dtype=float, value=<1,2,3,4>]
conv = Conv2D(e, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]
c = Squeeze(conv)[T=float, squeeze_dims=[-3]]
"""
DENSE = """
x = Placeholder[dtype=float, shape=(2, 5, 3)]
zero = Const[dtype=int32, value=int32{0}()]
flat = Const[dtype=int32, value=int32{-1, 3}]
r = Reshape(x, flat)[T=float, Tshape=int32]
w = Const[dtype=float, value=<3,4>]
mm = MatMul(r, w)[T=float]
s = Shape(x)[T=float, out_type=int32]
free = Const[dtype=int32, value=int32{0, 1}]
g = GatherV2(s, free, zero)[Tparams=int32, Tindices=int32, Taxis=int32]
units = Const[dtype=int32, value=int32{4}]
shape = ConcatV2(g, units, zero)[T=int32, N=2, Tidx=int32]
c = Reshape(mm, shape)[T=float, Tshape=int32]
"""
PACKED = DENSE.replace("ConcatV2(g, units, zero)[T=int32, N=2, Tidx=int32]", "Pack(g, any, units)[T=int32, N=3]")
PACKED = PACKED.replace("int32{4}", "int32{4}()").replace("int32{0, 1}", "int32{0}()")
PACKED += "any = Const[dtype=int32, value=int32{-1}()]\n"


def reshaped(*shape: int) -> str:
    """A layer, and a Reshape called `p` of what it gives."""
    sizes = ", ".join(map(str, shape))
    return BASE + f"shape = Const[dtype=int32, value=int32{{{sizes}}}]\np = Reshape(c, shape)[T=float, Tshape=int32]\n"


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


def loop(body: str) -> str:
    """A loop around a body that computes `end` of `in`."""
    return LOOP.replace("BODY", body)


def again(text: str, times: int) -> str:
    """Repeat a layer behind x: each takes the result of the one before. The last node is called y."""
    body = text.replace(X, "")
    names = "|".join(re.findall(r"^(\w+) =", body, re.MULTILINE))
    stages = [re.sub(rf"\b({names})\b", rf"\g<1>{number}", body) for number in range(times)]
    for number in range(1, times):
        stages[number] = re.sub(r"\bx\b", f"y{number - 1}", stages[number].replace("2,2,3,4", "2,2,4,4"))
    return re.sub(rf"\by{times - 1}\b", "y", X + "".join(stages))
