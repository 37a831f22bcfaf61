"""Multiplications per channel become part of the weights. More results are compared in the golden cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph, spelled
from tests.tfmodel.transforms.run_step import after, graph_of
from tfmodel import to_ndarray
from tfmodel.graph import const_tensor
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.pipeline import transform
from tfmodel.transforms.framework.report import TransformReport

MATMUL = """
    x = Placeholder[dtype=float]
    w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    c = MatMul(x, w)[T=float]
"""
NUMBERS = "m = Const[dtype=float, value=float{10, 0.5}]\nk = Const[dtype=float, value=float{1, 2}]\n"


def folded(steps: str, outputs: str = "y") -> tuple[dict[str, str], dict[str, list[str]]]:
    nodes, report = after(MATMUL + NUMBERS + steps, "fold_batch_norms", "x", outputs)
    return nodes, report.refusals


@pytest.mark.parametrize(
    ("steps", "weights", "offset"),
    [
        ("y = Mul(c, m)[T=float]", [10, 1, 30, 2], None),
        ("y = Mul(m, c)[T=float]", [10, 1, 30, 2], None),
        ("y = RealDiv(c, m)[T=float]", [0.1, 4, 0.3, 8], None),
        ("a = Add(c, k)[T=float]\ny = Mul(a, m)[T=float]", [10, 1, 30, 2], [10, 1]),
        ("a = AddV2(k, c)[T=float]\ny = Mul(m, a)[T=float]", [10, 1, 30, 2], [10, 1]),
        ("a = Sub(c, k)[T=float]\ny = Mul(a, m)[T=float]", [10, 1, 30, 2], [-10, -1]),
        ("a = Sub(k, c)[T=float]\ny = Mul(a, m)[T=float]", [-10, -1, -30, -2], [10, 1]),
        ("a = BiasAdd(c, k)[T=float]\ny = Mul(a, m)[T=float]", [10, 1, 30, 2], [10, 1]),
        ("a = Sub(c, k)[T=float]\nb = Mul(a, m)[T=float]\ny = Add(b, k)[T=float]", [10, 1, 30, 2], [-9, 1]),
        ("a = Add(c, k)[T=float]\nb = Add(a, k)[T=float]\ny = Mul(b, m)[T=float]", [10, 1, 30, 2], [20, 2]),
        ("a = Mul(c, m)[T=float]\nb = Mul(a, m)[T=float]\ny = Mul(b, m)[T=float]", [1000, 0.25, 3000, 0.5], None),
    ],
)
def test_steps_become_one(steps: str, weights: list[float], offset: list[float] | None) -> None:
    nodes, _ = folded(steps)
    assert (
        nodes["w"] == f"Const[dtype=float, value=float{{{', '.join(str(float(number)) for number in weights)}}}(2, 2)]"
    )
    if offset is None:
        assert nodes["y"] == "MatMul(x, w)[T=float]"
    else:
        assert nodes["c_bn_offset"].endswith(f"float{{{', '.join(str(float(number)) for number in offset)}}}]")
        assert nodes["y"] == "BiasAdd(c, c_bn_offset)[T=float]"


@pytest.mark.parametrize("steps", ["y = Add(c, k)[T=float]", "a = Mul(c, m)[T=float]\ny = Add(a, k)[T=float]"])
def test_an_addition_is_folded_only_into_another_addition(steps: str) -> None:
    assert folded(steps)[0]["y"].startswith("Add(")


def test_the_parts_of_a_scale_may_be_used_elsewhere() -> None:
    nodes, _ = folded("r = Rsqrt(m)[T=float]\ny = Mul(c, r)[T=float]\nz = Relu(r)[T=float]")
    assert list(nodes) == ["m", "k", "r", "w", "x", "y", "z"]


def test_other_users_of_weights_keep_them() -> None:
    nodes, _ = folded("y = Mul(c, m)[T=float]\nz = Relu(w)[T=float]")
    assert nodes["w"].endswith("float{1.0, 2.0, 3.0, 4.0}(2, 2)]")
    assert nodes["w_1"].endswith("float{10.0, 1.0, 30.0, 2.0}(2, 2)]")
    assert nodes["y"] == "MatMul(x, w_1)[T=float]"


def test_control_inputs_from_weights_refer_to_the_new_ones() -> None:
    nodes, _ = folded("y = Mul(c, m)[T=float]\nz = NoOp(^w)")
    assert nodes["w"].endswith("float{10.0, 1.0, 30.0, 2.0}(2, 2)]")


def test_the_last_node_has_the_control_inputs_of_the_steps() -> None:
    text = "n = NoOp\na = Add(c, k, ^n)[T=float]\ny = Mul(a, m)[T=float]"
    assert folded(text)[0]["y"] == "BiasAdd(c, c_bn_offset, ^n)[T=float]"


@pytest.mark.parametrize(
    ("steps", "outputs", "reason"),
    [
        ("y = Mul(c, m)[T=float]", "c,y", "its MatMul is an output"),
        ("y = Mul(c, m)[T=float]\nz = Relu(c)[T=float]", "y", "its MatMul is used elsewhere"),
        ("y = Mul(c, m)[T=float]\nz = NoOp(^c)", "y", "its MatMul is used elsewhere"),
        ('y = Mul(c, m)[T=float]\nz = Relu(x)[_class=["loc:@c"]]', "y", "other nodes must be on the same device"),
        ("o = Const[value=float{1, 2, 3}]\ny = Mul(c, o)[T=float]", "y", "has shape [3], but its layer has 2 channels"),
        ("o = Const[value=float{1, 2}(2, 1)]\ny = Mul(c, o)[T=float]", "y", "has shape [2, 1]"),
        ("o = Const[value=float{1, 2}(1, 1, 2)]\ny = Mul(c, o)[T=float]", "y", "has shape [1, 1, 2]"),
        ("o = Const[value=float{0, 2}]\ny = RealDiv(c, o)[T=float]", "y", "numbers of its RealDiv are not finite"),
        ("o = Const[value=float{1e38, 2}]\ny = Mul(c, o)[T=float]", "y", ""),
        ("o = Const[value=float{3e38, 2}]\ny = Mul(c, o)[T=float]", "y", "the weights would be too large"),
        ('o = Const[value=string{"a", "b"}]\ny = Mul(c, o)[T=float]', "y", '"o" is string, not real numbers'),
        ("o = Const\ny = Mul(c, o)[T=float]", "y", '"o" has no attribute "value"'),
        ('a = BiasAdd(c, k)[data_format="NCHW_VECT_C"]\ny = Mul(a, m)', "y", "its BiasAdd has another layout"),
    ],
)
def test_nodes_that_are_left_alone(steps: str, outputs: str, reason: str) -> None:
    _, refusals = folded(steps, outputs)
    assert [*refusals] == [*refusals][: bool(reason)]
    assert reason in "".join(refusals)


@pytest.mark.parametrize(
    "steps",
    [
        "y = Relu(c)[T=float]",
        "r = Relu(c)[T=float]\ny = Mul(r, m)[T=float]",
        "y = RealDiv(m, c)[T=float]",
        "y = Mul(m, k)[T=float]",
        "y = Mul(c, x)[T=float]",
    ],
)
def test_nodes_without_a_layer_before_them_are_left_alone(steps: str) -> None:
    nodes, refusals = folded(steps)
    assert list(nodes) == ["x", "w", "c", "m", "k", *[line.partition(" ")[0] for line in steps.splitlines()]]
    assert not refusals


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ("x,c", "its MatMul is an input"),
        ("x,a", "its BiasAdd is an input"),
        ("x,w", "the weights of its MatMul are not constant"),
        ("x,k", "its BiasAdd must have constants as its other inputs"),
        ("x,r", None),  # then it is not a batch norm
        ("x,v", None),
        ("x,y", ""),
        ("x", ""),
    ],
)
def test_declared_inputs_may_be_fed_and_stay(inputs: str, reason: str | None) -> None:
    text = f"""{MATMUL}{NUMBERS}
        v = Const[dtype=float, value=float{{4, 0.25}}]
        a = BiasAdd(c, k)[T=float]
        r = Rsqrt(v)[T=float]
        y = Mul(a, r)[T=float]
        z = BiasAdd(y, m)[T=float]
    """
    nodes, report = after(text, "fold_batch_norms", inputs, "z")
    assert report.fired == (reason == "")
    assert [why for why, names in report.refusals.items() if "y" in names] == ([reason] if reason else [])
    assert set(inputs.split(",")) <= nodes.keys()


# Of each: the type, two weights and a scale. The smallest normal numbers are 6.1e-5 and 1.2e-38.
SMALL = [
    ("half", "0.003, 0.003", "0.004", True),  # 1.2e-5 is 2 ** -24 times 201.4
    ("half", "0.0009765625, 0.0009765625", "0.03125", False),  # 2 ** -15 is exactly that
    ("half", "0.003, 0.003", "0.0", False),  # zero is meant
    ("half", "0.003, 0.003", "1e-5", True),  # nothing is left
    ("half", "0.003, 1.0", "0.01", False),  # in a sum with what is 300 times as large
    ("float", "0.003, 0.003", "1e-5", False),
    ("float", "1e-20, 1e-20", "1e-20", True),
    ("float", "1e-20, 1.0", "1e-20", True),  # the first weight would be zero
    ("float", "0.0, 1.0", "1e-20", False),
    ("float", "1e-40, 1.0", "1e-20", False),  # TensorFlow takes the first weight for zero already
    ("float", "1e20, 1.0", "1e-30", False),
    ("float", "1e-30, 1e-30", "0.0009765625", False),
    ("float", "1e-30, 1e-30", "9.5367431640625e-07", False),
    ("float", "1e-36, 1e-36", "0.0009765625", True),  # which TensorFlow takes for zero, though it could be stored
    ("double", "1e-20, 1e-20", "1e-20", False),
    ("double", "1e-300, 1e-300", "1e-10", True),
    ("bfloat16", "1e-20, 1e-20", "1e-20", True),
    ("bfloat16", "0.003, 0.003", "1e-5", False),
]


@pytest.mark.parametrize(("dtype", "weights", "scale", "is_left"), SMALL)
def test_weights_that_would_be_too_small(dtype: str, weights: str, scale: str, is_left: bool) -> None:
    text = f"""
        x = Placeholder[dtype={dtype}]
        w = Const[dtype={dtype}, value={dtype}{{{weights}}}(2, 1)]
        c = MatMul(x, w)[T={dtype}]
        m = Const[dtype={dtype}, value={dtype}{{{scale}}}]
        y = Mul(c, m)[T={dtype}]
    """
    _, report = after(text, "fold_batch_norms", "x", "y")
    assert report.refusals == ({"the weights would be too small for their type": ["y"]} if is_left else {})


@pytest.mark.parametrize(("second", "is_left"), [("1e-3", False), ("1e-5", True), ("1e-9", True), ("0.0", False)])
def test_no_channel_becomes_zero(second: str, is_left: bool) -> None:
    """A division by its output would become infinite or NaN."""
    text = f"""
        x = Placeholder[dtype=half]
        w = Const[dtype=half, value=half{{0.5, 0.7, 0.3, 0.6}}(2, 2)]
        c = MatMul(x, w)[T=half]
        m = Const[dtype=float, value=float{{1, {second}}}]
        y = Mul(c, m)[T=half]
    """
    assert after(text, "fold_batch_norms", "x", "y")[1].fired == (not is_left)


@pytest.mark.parametrize(
    ("steps", "refusal"),
    [
        ("y = Mul(x, m)[T=float]\nz = Add(y, k)[T=float]", "there is no layer before it, but a Placeholder"),
        ("r = Relu(c)[T=float]\ny = Mul(m, r)[T=float]\nz = Sub(y, k)", "there is no layer before it, but a Relu"),
        ("y = Mul(x, m)[T=float]\nz = Relu(y)[T=float]", ""),  # no batch norm: nothing is added
        ("o = Const[value=float{2}]\ny = Mul(x, o)[T=float]\nz = Add(y, o)[T=float]", ""),  # nor here: one number
        ("o = Const\ny = Mul(x, o)[T=float]\nz = Add(y, k)[T=float]", ""),
    ],
)
def test_unfused_batch_norms_without_a_layer_are_reported(steps: str, refusal: str) -> None:
    assert folded(steps, "z")[1] == ({refusal: ["y"]} if refusal else {})


@pytest.mark.parametrize("carrier", ["Pad", "PadV2", "MirrorPad", "BatchToSpaceND", "ExpandDims", "Reshape"])
def test_carriers_with_missing_inputs_are_left_alone(carrier: str) -> None:
    nodes, refusals = folded(f"p = {carrier}(c)[T=float]\ny = Mul(p, m)[T=float]\nz = Add(y, k)[T=float]", "z")
    assert nodes["y"] == "Mul(p, m)[T=float]"
    assert refusals == {f"its {carrier} has a wrong number of inputs": ["y"]}


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        ("Const[value=int32{-1, 1, 2}]", ""),
        ("ConcatV2(g, two, zero)", ""),
        ("Pack(s, other, size)", ""),
        ("Pack(s, other, fed)", "the rank and the last size of its Reshape are not known"),
        ("ConcatV2(g, fed, zero)", "the rank and the last size of its Reshape are not known"),
        ("ConcatV2(s, two, zero)", "the rank and the last size of its Reshape are not known"),
        ("ConcatV2(f, two, zero)", "the rank and the last size of its Reshape are not known"),
        ("Placeholder[dtype=int32]", "the rank and the last size of its Reshape are not known"),
        ("Const[value=int32{-1, 1}]", "its Reshape does not keep the channels"),
        ("Const[value=int32{2, -1}]", "its Reshape does not keep the channels"),
        ("Const[value=int32{2}()]", "the rank and the last size of its Reshape are not known"),
        ("Const[value=float{nan}]", "its Reshape does not keep the channels"),
        ("Const", 'has no attribute "value"'),
        (f"Pack({', '.join(['s'] * 300)}, size)", "the rank and the last size of its Reshape are not known"),
    ],
)
def test_shapes_that_keep_the_channels(shape: str, reason: str) -> None:
    text = f"""{MATMUL}{NUMBERS}
        s = Shape(x)[T=float]
        fed = Const[value=int32{{2}}]
        zero = Const[value=int32{{0}}()]
        size = Const[value=int32{{2}}()]
        two = Const[value=int32{{2}}]
        other = StridedSlice(s)
        g = GatherV2(s, two, zero)
        f = GatherV2(s, fed, zero)
        shape = {shape}
        r = Reshape(c, shape)[T=float]
        y = Mul(r, m)[T=float]
    """
    _, report = after(text, "fold_batch_norms", "x,fed", "y")
    assert [reason in refusal for refusal in report.refusals] == [True] * bool(reason)
    assert report.fired == (not reason)


def test_half_precision_is_rounded_once() -> None:
    text = """
        x = Placeholder[dtype=half]
        w = Const[dtype=half, value=half{3}(1, 1)]
        c = MatMul(x, w)[T=half]
        k = Const[dtype=half, value=half{3}]
        a = RealDiv(c, k)[T=half]
        y = Mul(a, k)[T=half]
    """
    nodes, _ = after(text, "fold_batch_norms", "x", "y")
    assert nodes["w"] == "Const[dtype=half, value=half{3.0}(1, 1)]"


@pytest.mark.slow(reason="reads or transforms inputs that are large")
@pytest.mark.parametrize("step", ["fold_batch_norms", "fold_old_batch_norms"])
def test_long_chains_take_no_time(step: str) -> None:
    lines = [MATMUL, NUMBERS, "a0 = Mul(c, m)"]
    lines += [f"a{number + 1} = Mul(a{number}, m)" for number in range(3000)]
    report = TransformReport()
    result = transform(
        graph("\n".join(line.strip() for line in "\n".join(lines).splitlines())), "", "a3000", step, report=report
    )
    assert [node.name for node in result.node][-1] == "a3000"
    assert report.steps[0].fired == (step == "fold_batch_norms")


def test_sums_of_constants_that_double_take_no_time() -> None:
    steps = "\n".join(f"d{number + 1} = Add(d{number}, d{number})" for number in range(20))
    nodes, _ = folded(f"d0 = Const[value=float{{{2.0**-20}}}()]\n{steps}\ny = Mul(c, d20)[T=float]")
    assert nodes["w"].endswith("float{1.0, 2.0, 3.0, 4.0}(2, 2)]")


FUNCTION = """
    f: (x: float) -> (y: float = y:z:0)
    f: w = Const[dtype=float, value=float{1, 2, 3, 4}(2, 2)]
    f: m = Const[dtype=float, value=float{10, 0.5}]
    f: k = Const[dtype=float, value=float{1, 2}]
    f: c = MatMul(x, w:output:0)[T=float]
    f: a = AddV2(c:product:0, k:output:0)[T=float]
    f: y = Mul(a:z:0, m:output:0)[T=float]
    y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
"""


def test_bodies_of_functions() -> None:
    original = graph("\n".join(line.strip() for line in FUNCTION.splitlines()))
    result: GraphDef = transform(original, "", "y", "fold_batch_norms")
    assert result.library is not None
    [function] = result.library.function
    assert [spelled(node).partition("[")[0] for node in function.node_def] == [
        "w = Const",
        "c = MatMul(x, w:output:0)",
        "c_bn_offset = Const",
        "y = BiasAdd(c:product:0, c_bn_offset:output:0)",
    ]
    assert function.ret == {"y": "y:output:0"}


# --- extreme numbers -------------------------------------------------------------------------------------------------

EXTREMES = ["1.2e-38", "3e-38", "1e-30", "1e-19", "1e-10", "1", "1e10", "1e19", "1e30", "3e38", "0", "-1e-30"]


def value_in(graph: GraphDef, name: str) -> np.ndarray[Any, Any]:
    """Return the value of a Const as TensorFlow takes it: numbers below the smallest normal one are zero."""
    array = to_ndarray(const_tensor(next(node for node in graph.node if node.name == name)))
    return np.where(np.abs(array) < np.finfo(np.float32).tiny, np.float32(0), array)


@pytest.mark.parametrize("scale", [*EXTREMES, "1e-42"])
@pytest.mark.parametrize("weight", EXTREMES)
def test_no_weight_becomes_zero_or_infinite(weight: str, scale: str) -> None:
    text = f"""
        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{{{weight}, 1}}(2, 1)]
        c = MatMul(x, w)[T=float]
        m = Const[dtype=float, value=float{{{scale}}}]
        y = Mul(c, m)[T=float]
    """
    original = graph_of(text)
    report = TransformReport()
    result = transform(original, "x", "y", "fold_batch_norms", report=report)
    old, factor = (value_in(original, name) for name in ("w", "m"))
    exact = old.astype("f8") * factor.astype("f8")
    can_be_stored = (exact == 0) | ((np.abs(exact) >= np.finfo("f4").tiny) & (np.abs(exact) <= np.finfo("f4").max))
    is_subnormal = scale == "1e-42"  # its digits are lost, and TensorFlow takes it for zero
    assert report.steps[0].fired == (bool(can_be_stored.all()) and not is_subnormal)
    if report.steps[0].fired:
        new = value_in(result, "w")
        assert (((new != 0) == (exact != 0)) & np.isfinite(new)).all()


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("1e-200 1e-200", "a scale would be too small for float64"),
        ("1e200 1e200", "the product of its scales, or a number to add, would not be finite"),
        ("1e200 1e-200", ""),
    ],
)
def test_products_of_scales_stay_numbers(steps: str, reason: str) -> None:
    first, second = steps.split()
    text = f"""
        x = Placeholder[dtype=double]
        w = Const[dtype=double, value=double{{2, 3}}(2, 1)]
        c = MatMul(x, w)[T=double]
        a = Const[dtype=double, value=double{{{first}}}]
        b = Const[dtype=double, value=double{{{second}}}]
        m = Mul(c, a)[T=double]
        y = Mul(m, b)[T=double]
    """
    assert after(text, "fold_batch_norms", "x", "y")[1].refusals == ({reason: ["y"]} if reason else {})
