"""The graphs and transform lists of answers.py, in the notation of tests.tfmodel.transforms.graph_notation.

`arrays` of a model has the values of Consts without one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["EVERYWHERE", "LISTS", "MODELS", "Written"]


class Written(NamedTuple):
    """A graph, the values of its constants, and what it is fed; its output is y."""

    text: str
    arrays: dict[str, Any] = {}
    feeds: dict[str, Any] = {}
    inputs: str = "x"


def numbers(*shape: int, low: float = -1.0, high: float = 1.0) -> Any:
    """Numbers that look random and are the same every time."""
    array = np.random.RandomState(sum(shape) + len(shape)).uniform(low, high, shape)
    return array.astype(np.float32)


def filled(value: float, *shape: int) -> Any:
    return np.full(shape or (20,), value, np.float32)


MATRIX, PICTURE = numbers(3, 4), numbers(1, 6, 6, 2)
X, LAYER = {"x": MATRIX}, "x = Placeholder[dtype=float, shape=%s]\n"
RANGE = "lo = Const[dtype=float, value=float{-0.75}()]\nhi = Const[dtype=float, value=float{0.5}()]\n"
FAKE = "FakeQuantWithMinMaxVars[num_bits=8, narrow_range=false]"


def weights(**arrays: Any) -> Written:
    """A constant with a reader."""
    return Written("w = Const[dtype=float]\ny = Identity(w)[T=float]", arrays, inputs="")


def layer(line: str, *more: str, x: Any = MATRIX, **arrays: Any) -> Written:
    """A layer on x."""
    constants = [
        f"{name} = Const[dtype={'float' if value.dtype == np.float32 else 'int32'}]" for name, value in arrays.items()
    ]
    shape = f"({', '.join(map(str, x.shape))})"
    return Written("\n".join([LAYER % shape, *constants, *more, line]), arrays, {"x": x})


def fake(*lines: str, **arrays: Any) -> Written:
    return layer("", RANGE, *[line.replace("FAKE", "FakeQuantWithMinMaxVars") for line in lines], **arrays)


def array_of(*values: float) -> Any:
    return np.array(values, np.float32)


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


SAME, VALID = '"SAME"', '"VALID"'
CONV = "[T=float, strides=[1, 1, 1, 1], padding=%s]"
POOL = "[T=float, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding=%s]"
MATMUL = "[T=float, transpose_a=false, transpose_b=false]"

WEIGHTS = {
    "some": weights(w=numbers(4, 10)),
    "many": weights(w=numbers(1024)),
    "one_less": weights(w=numbers(1023)),
    "fifteen": weights(w=numbers(15)),
    "sixteen": weights(w=numbers(16)),
    "positive": weights(w=numbers(5, 7, low=2, high=9)),
    "negative": weights(w=numbers(5, 7, low=-9, high=-2)),
    "close": weights(w=numbers(64, low=-101, high=-100)),
    "zeros": weights(w=np.concatenate([filled(0), array_of(0)])),
    "minus_zeros": weights(w=-filled(0)),
    "equal": weights(w=np.concatenate([filled(2.5), array_of(2.5)])),
    "equal_negative": weights(w=filled(-2.5)),
    "not_a_number": weights(w=np.concatenate([array_of(np.nan), numbers(30)])),
    "infinite": weights(w=np.concatenate([array_of(np.inf), numbers(30)])),
    "minus_infinite": weights(w=np.concatenate([numbers(30), array_of(-np.inf)])),
    "huge": weights(w=np.linspace(-3.3e38, 3.3e38, 20).astype(np.float32)),
    "large": weights(w=np.linspace(-1.6e38, 1.6e38, 20).astype(np.float32)),
    "small": weights(w=np.linspace(-1e-30, 3e-30, 20).astype(np.float32)),
    "tiny": weights(w=np.linspace(0, 2e-36, 20).astype(np.float32)),
    "denormal": weights(w=np.linspace(-1e-40, 2e-40, 20).astype(np.float32)),
    "halves": weights(w=np.arange(-255, 256).astype(np.float32) / 2),
    "steps": weights(w=np.arange(16).astype(np.float32)),
    "scalar": weights(w=np.float32(3)),
    "none": weights(w=np.zeros((0, 3), np.float32)),
    "one_for_all": Written("w = Const[dtype=float, value=float{0.3}(40, 40)]\ny = Identity(w)[T=float]", inputs=""),
    "others": Written(
        "w = Const[dtype=int32, value=int32{1}(30)]\nv = Const[dtype=double, value=double{1, 2}]\n"
        "y = Identity(w)[T=int32]",
        inputs="",
    ),
    "waiting": Written(
        "x = Placeholder[dtype=float, shape=?]\nw = Const(^x)[dtype=float] @ /cpu:0\ny = Mul(x, w)[T=float]",
        {"w": numbers(20)},
        {"x": numbers(20)},
    ),
    "no_type": Written("w = Const[value=float{1, 2}]\ny = Identity(w)[T=float]", inputs=""),
    "no_value": Written("w = Const[dtype=float, size=3]\ny = Identity(w)[T=float]", inputs=""),
    "taken": Written(
        "w = Const[dtype=float]\nw_quantized_min = NoOp\ny = Identity(w)[T=float]", {"w": numbers(20)}, inputs=""
    ),
}

LAYERS = {
    "add": layer("y = Add(x, b)[T=float]", b=numbers(3, 4, high=3)),
    "add_v2": layer("y = AddV2(x, b)[T=float]", b=numbers(3, 4)),
    "avg_pool": layer(f"y = AvgPool(x){POOL % SAME}", x=PICTURE),
    "bias_add": layer("y = BiasAdd(x, b)[T=float]", b=numbers(4)),
    "concat_columns": layer("y = Concat(axis, x, b)[T=float, N=2]", axis=np.int32(1), b=numbers(3, 2)),
    "concat_last": layer("y = Concat(axis, x, b)[T=float, N=2]", axis=np.int32(-1), b=numbers(3, 2)),
    "conv": layer(f"y = Conv2D(x, w){CONV % SAME}", x=PICTURE, w=numbers(3, 3, 2, 4)),
    "conv_nchw": layer(
        'y = Conv2D(x, w)[T=float, strides=[1, 1, 1, 1], padding="VALID", data_format="NCHW"]',
        x=numbers(1, 2, 6, 6),
        w=numbers(3, 3, 2, 4),
    ),
    "conv_dilated": layer(
        'y = Conv2D(x, w)[T=float, strides=[1, 1, 1, 1], padding="VALID", dilations=[1, 2, 2, 1]]',
        x=PICTURE,
        w=numbers(2, 2, 2, 4),
    ),
    "conv_padded": layer(
        'y = Conv2D(x, w)[T=float, strides=[1, 1, 1, 1], padding="EXPLICIT", '
        "explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0]]",
        x=PICTURE,
        w=numbers(3, 3, 2, 4),
    ),
    "depthwise_layer": layer(f"y = DepthwiseConv2dNative(x, w){CONV % SAME}", x=PICTURE, w=numbers(3, 3, 2, 1)),
    "matmul": layer(f"y = MatMul(x, w){MATMUL}", w=numbers(4, 5)),
    "matmul_transposed": layer("y = MatMul(x, w)[T=float, transpose_a=false, transpose_b=true]", w=numbers(5, 4)),
    "matmul_short": layer("y = MatMul(x, w)[T=float]", w=numbers(4, 5)),
    "max_pool": layer(f"y = MaxPool(x){POOL % VALID}", x=PICTURE),
    "mul": layer("y = Mul(x, b)[T=float]", b=numbers(3, 4)),
    "mul_ints": layer("y = Mul(b, b)[T=int32]", b=ints(1, 2, 3)),
    "twice": layer("y = Mul(x, x)[T=float]"),
    "relu": layer("y = Relu(x)[T=float]"),
    "relu6": layer("y = Relu6(x)[T=float]", x=numbers(3, 4, low=-9, high=9)),
    "reshape": layer("y = Reshape(x, shape)[T=float, Tshape=int32]", shape=ints(2, 6)),
    "reshape_short": layer("y = Reshape(x, shape)[T=float]", shape=ints(2, 6)),
    "mul_column": layer("y = Mul(x, b)[T=float]", b=numbers(3, 1)),
    "add_row": layer("y = Add(b, x)[T=float]", b=numbers(4)),
    "reshape_long": layer(
        "y = Reshape(x, shape)[T=float, Tshape=int64]", "shape = Const[dtype=int64, value=int64{2, 6}]"
    ),
    "resize": layer("y = ResizeBilinear(x, size)[T=float, align_corners=false]", x=PICTURE, size=ints(9, 9)),
    "resize_centers": layer(
        "y = ResizeBilinear(x, size)[T=float, align_corners=false, half_pixel_centers=true]", x=PICTURE, size=ints(9, 9)
    ),
    "sub": layer("y = Sub(x, b)[T=float]", b=numbers(3, 4)),
    "parts": layer(
        "y = Add(s, s:1)[T=float]",
        "axis = Const[dtype=int32, value=int32{0}()]",
        "s = Split(axis, x)[T=float, num_split=2]",
        x=numbers(4, 3),
    ),
    "waits": layer("y = Relu(x, ^n)[T=float]", "n = NoOp"),
    "waits_for_data": layer("y = Mul(x, b, ^x, ^b)[T=float]", b=numbers(3, 4)),
    "mlp": layer(
        f"y = MatMul(r, w2){MATMUL}",
        f"m = MatMul(x, w1){MATMUL}",
        "a = BiasAdd(m, b)[T=float]",
        "r = Relu(a)[T=float]",
        w1=numbers(4, 30),
        b=numbers(30),
        w2=numbers(30, 2),
    ),
    "network": layer(
        f"y = MatMul(f, w2){MATMUL}",
        f"c = Conv2D(x, w){CONV % SAME}",
        "a = BiasAdd(c, b)[T=float]",
        "r = Relu6(a)[T=float]",
        f"p = MaxPool(r){POOL % VALID}",
        "f = Reshape(p, shape)[T=float, Tshape=int32]",
        x=PICTURE,
        w=numbers(3, 3, 2, 4),
        b=numbers(4),
        w2=numbers(36, 3),
        shape=ints(1, 36),
    ),
    "shared": layer("y = Add(r, s)[T=float]", "r = Relu(x)[T=float]", "s = Relu6(x)[T=float]"),
    "fed_codes": layer(
        "y = Add(r, s)[T=float]", "r = Relu(x)[T=float]", "s = Mul(x, x:0)[T=float]", x=numbers(3, 4, low=-2, high=2)
    ),
    "other_inputs": Written(
        "x = Placeholder[dtype=float, shape=(3, 4)]\nn = Placeholder[dtype=int32, shape=(4)]\n"
        "f = Cast(n)[SrcT=int32, DstT=float]\ny = Mul(x, f)[T=float]",
        {},
        {"x": MATRIX, "n": ints(1, 2, 3, 4)},
        "x,n",
    ),
    "input_is_output": Written("x = Placeholder[dtype=float, shape=?]\ny = Relu(x)[T=float]", {}, X),
    "mul_channels": Written(
        "x = Placeholder[dtype=float, shape=(-1, -1, -1, 2)]\n"
        "axes = Const[dtype=int32, value=int32{1, 2}]\nm = Mean(x, axes)[T=float, keep_dims=true]\n"
        "s = Sigmoid(m)[T=float]\ny = Mul(x, s)[T=float]",
        {},
        {"x": numbers(2, 3, 3, 2)},
    ),
    "mul_gates": Written(
        "x = Placeholder[dtype=float, shape=?]\nr = Sigmoid(x)[T=float]\ny = Mul(r, x)[T=float]", {}, X
    ),
    "mul_unknown": Written(
        "x = Placeholder[dtype=float, shape=?]\nb = Const[dtype=float]\ny = Mul(x, b)[T=float]", {"b": numbers(3, 4)}, X
    ),
    "conv_groups": layer(f"y = Conv2D(x, w){CONV % SAME}", x=numbers(1, 4, 4, 4), w=numbers(3, 3, 2, 4)),
    "conv_oblong": layer(
        'y = Conv2D(x, w)[T=float, strides=[1, 2, 1, 1], padding="SAME"]', x=PICTURE, w=numbers(3, 3, 2, 4)
    ),
    "conv_unknown": Written(
        f"x = Placeholder[dtype=float, shape=?]\nw = Const[dtype=float]\ny = Conv2D(x, w){CONV % SAME}",
        {"w": numbers(3, 3, 2, 4)},
        {"x": PICTURE},
    ),
    "pool_channels": layer(
        'y = MaxPool(x)[T=float, ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID"]', x=PICTURE
    ),
    "relu_deep": layer("y = Relu(x)[T=float]", x=numbers(1, 2, 1, 2, 1, 3)),
    "negative_relu": layer(
        "y = Relu(m)[T=float]",
        f"m = MatMul(x, w){MATMUL}",
        x=numbers(1, 4, low=1, high=2),
        w=numbers(4, 5, low=-2, high=-1),
    ),
    "negative_mul": layer(
        "y = Mul(m, b)[T=float]",
        f"m = MatMul(x, w){MATMUL}",
        x=numbers(1, 4, low=1, high=2),
        w=numbers(4, 1, low=-2, high=-1),
        b=numbers(6),
    ),
    "taken_codes": layer("y = Relu(x)[T=float]", "y/eightbit = NoOp", "y_eightbit/x/min = NoOp"),
}

FAKES = {
    "fake_relu": fake("r = Relu(x)[T=float]", "y = FAKE(r, lo, hi)[num_bits=8, narrow_range=false]"),
    "fake_input": fake("y = FAKE(x, lo, hi)[num_bits=8, narrow_range=false]"),
    "fake_chain": fake(
        "r = Relu(x)[T=float]",
        "s = Relu6(r)[T=float]",
        "t = Identity(s)[T=float]",
        "y = FAKE(t, lo, hi)[num_bits=8, narrow_range=false]",
    ),
    "fake_long_chain": fake(
        "q = Identity(x)[T=float]",
        "r = Relu(q)[T=float]",
        "s = Relu6(r)[T=float]",
        "t = Identity(s)[T=float]",
        "u = Identity(t)[T=float]",
        "y = FAKE(u, lo, hi)[num_bits=8, narrow_range=false]",
    ),
    "fake_used": fake(
        "r = Relu(x)[T=float]",
        "f = FAKE(r, lo, hi)[num_bits=8, narrow_range=false]",
        "n = Neg(r)[T=float]",
        "y = Sub(f, n)[T=float]",
    ),
    "fake_sigmoid": fake("s = Sigmoid(x)[T=float]", "y = FAKE(s, lo, hi)[num_bits=8, narrow_range=false]"),
    "fake_cube": fake(
        "q = Exp(x)[T=float]", "r = Relu(q)[T=float]", "y = FAKE(r, lo, hi)[num_bits=8, narrow_range=false]"
    ),
    "fake_layers": fake(
        f"m = MatMul(x, w){MATMUL}",
        "f = FAKE(m, lo, hi)[num_bits=8, narrow_range=false]",
        f"y = MatMul(f, v){MATMUL}",
        w=numbers(4, 5),
        v=numbers(5, 2),
    ),
    "fake_layers_relu": fake(
        f"m = MatMul(x, w){MATMUL}",
        "r = Relu(m)[T=float]",
        "f = FAKE(r, lo, hi)[num_bits=8, narrow_range=false]",
        f"y = MatMul(f, v){MATMUL}",
        w=numbers(4, 5),
        v=numbers(5, 2),
    ),
    "fake_coarse": fake("y = FAKE(x, lo, hi)[num_bits=3, narrow_range=false]"),
    "fake_narrow": fake("y = FAKE(x, lo, hi)[num_bits=8, narrow_range=true]"),
    "fake_shifted": layer(
        "y = FakeQuantWithMinMaxVars(x, lo, hi)[num_bits=8, narrow_range=false]",
        "lo = Const[dtype=float, value=float{0.25}()]",
        "hi = Const[dtype=float, value=float{0.75}()]",
    ),
    "fake_shared": fake(
        "r = Relu(x)[T=float]",
        "f = FAKE(r, lo, hi)[num_bits=8, narrow_range=false]",
        "s = Relu6(x)[T=float]",
        "g = FAKE(s, lo, hi)[num_bits=8, narrow_range=false]",
        "y = Add(f, g)[T=float]",
    ),
}

TABLE = array_of(0, 1.5, 0, 1e-6, -2, 0, 0, 0.25).reshape(-1, 1)
OTHER = array_of(0, 0, 3.5, 0, 0, -1, 0, 2).reshape(-1, 1)
G2 = "[Tparams=float, Tindices=%s, Taxis=int32, batch_dims=0]"
IDS = np.array([1, 0, 4, 3, 7, 1])


def lookup(*lines: str, ids: str = "int64", **arrays: Any) -> Written:
    constants = [f"{name} = Const[dtype=float]\n{name}r = Identity({name})[T=float]" for name in arrays]
    first = [f"ids = Placeholder[dtype={ids}, shape=?]", "axis = Const[dtype=int32, value=int32{0}()]"]
    text = "\n".join([*first, *constants, *lines]).replace("G2", G2 % ids)
    return Written(text, arrays, {"ids": IDS.astype(ids)}, "ids")


LOOKUPS = {
    "gather": lookup("y = Gather(wr, ids)[Tparams=float, Tindices=int64]", w=TABLE),
    "gather_v2": lookup("y = GatherV2(wr, ids, axis)G2", w=TABLE),
    "gather_shapes": lookup("y = GatherV2(wr, ids, axis)G2", "z = Neg(y)[T=float, _output_shapes=[(2)]]", w=TABLE),
    "gather_twice": lookup(
        "a = GatherV2(wr, ids, axis)G2", "b = GatherV2(wr, ids, axis)G2", "y = Sub(a, b)[T=float]", w=TABLE
    ),
    "gather_two": lookup(
        "a = GatherV2(wr, ids, axis)G2",
        "axis2 = Const[dtype=int32, value=int32{0}()]",
        "b = GatherV2(vr, ids, axis2)G2",
        "y = Sub(a, b)[T=float]",
        w=TABLE,
        v=OTHER,
    ),
    "gather_one_axis": lookup(
        "a = GatherV2(wr, ids, axis)G2", "b = GatherV2(vr, ids, axis)G2", "y = Sub(a, b)[T=float]", w=TABLE, v=OTHER
    ),
    "gather_mixed": lookup(
        "a = Gather(wr, ids)[Tparams=float, Tindices=int64]",
        "b = GatherV2(vr, ids, axis)G2",
        "y = Sub(a, b)[T=float]",
        w=TABLE,
        v=OTHER,
    ),
    "gather_ids": lookup("i = Abs(ids)[T=int64]", "y = GatherV2(wr, i, axis)G2", w=TABLE),
    "gather_short": lookup("y = GatherV2(wr, ids, axis)G2", ids="int32", w=TABLE),
    "gather_used": lookup(
        "a = GatherV2(wr, ids, axis)G2",
        "z = Const[dtype=int32, value=int32{0}()]",
        "b = Max(wr, z)[T=float, keep_dims=false]",
        "y = Sub(a, b)[T=float]",
        w=TABLE,
    ),
    "gather_wide": lookup("y = GatherV2(wr, ids, axis)G2", w=numbers(8, 2)),
    "gather_vector": lookup("y = GatherV2(wr, ids, axis)G2", w=numbers(8)),
    "gather_across": lookup(
        "one = Const[dtype=int32, value=int32{1}()]",
        "i = Sub(ids, ids)[T=int64]",
        "y = GatherV2(wr, i, one)G2",
        w=TABLE,
    ),
    "gather_zeros": lookup("y = GatherV2(wr, ids, axis)G2", w=np.zeros((8, 1), np.float32)),
    "gather_nan": lookup("y = GatherV2(wr, ids, axis)G2", w=np.array([[np.nan]] + [[0.5]] * 7, np.float32)),
    "gather_plain": lookup("y = GatherV2(w, ids, axis)G2", w=TABLE),
    "gather_far": lookup("r = Identity(wr)[T=float]", "y = GatherV2(r, ids, axis)G2", w=TABLE),
    "gather_group": lookup("y = GatherV2(wr, ids, axis)G2", "group_deps = NoOp(^ids)", w=TABLE),
    "gather_waits": lookup("n = NoOp", "y = GatherV2(wr, ids, axis, ^n)G2", w=TABLE),
    "gather_nothing": lookup("y = Identity(ids)[T=int64]"),
}

MODELS = WEIGHTS | LAYERS | FAKES | LOOKUPS

ROUNDING = ["round_weights", "round_weights(num_steps=4)"]
CODING = ["quantize_weights(minimum_size=16)"]
NODES = ["quantize_nodes", "quantize_nodes(fallback_min=-4, fallback_max=4)"]
RECIPE = "quantize_weights(minimum_size=16) quantize_nodes strip_unused_nodes sort_by_execution_order"

LISTS: list[tuple[dict[str, Written] | str, list[str]]] = [
    (WEIGHTS, [*ROUNDING, *CODING]),
    (
        "some steps many",
        [
            "round_weights(num_steps=1)",
            "round_weights(num_steps=0)",
            "round_weights(num_steps=2)",
            "round_weights(num_steps=-3)",
            "round_weights(num_steps=1000)",
            "round_weights(num_steps=x)",
        ],
    ),
    (
        "many one_less scalar none zeros",
        [
            "quantize_weights",
            "quantize_weights(minimum_size=0)",
            "quantize_weights(minimum_size=-1)",
            "quantize_weights(minimum_size=1)",
            "quantize_weights(minimum_size=2, minimum_size=3)",
        ],
    ),
    (LAYERS, NODES),
    (FAKES, NODES),
    (
        "mlp network fed_codes relu other_inputs shared",
        [
            "quantize_nodes(input_min=-2, input_max=2)",
            "quantize_nodes(input_min=-2)",
            "quantize_nodes(fallback_max=2)",
            "quantize_nodes(ignore_op=Relu)",
            "quantize_nodes(ignore_op=MatMul, ignore_op=Mul, ignore_op=BiasAdd)",
            "quantize_nodes(input_min=-2, input_max=2, fallback_min=-9, fallback_max=9)",
            RECIPE,
        ],
    ),
    ("input_is_output", ["quantize_nodes(input_min=-2, input_max=2)"]),
    (
        "matmul",
        [
            "quantize_nodes(fallback_min=1, fallback_max=2)",
            "quantize_nodes quantize_nodes",
            "quantize_nodes(fallback_min=0, fallback_max=0)",
            "quantize_nodes(input_min=0, input_max=0)",
            "quantize_nodes(input_min=2, input_max=1)",
        ],
    ),
    (LOOKUPS, ["sparsify_gather"]),
    ("gather_v2 gather_two", ["sparsify_gather(group_init_node=start)"]),
]

EVERYWHERE = ["round_weights(num_steps=64)", "quantize_weights(minimum_size=16)", "quantize_nodes"]
"""Transform lists for every model of tests/golden/transforms, and for all loops and conditionals."""
