"""Inputs that only training sets, and the values that a deployed model has for them."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.transforms.graph_notation import graph

LAYER = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    p = Placeholder[dtype=float, shape=()]
    flag = Placeholder[dtype=bool, shape=()]
    size = Const[dtype=int32, value=int32{1, 4}]
    random = RandomUniform(size)[dtype=float, T=int32]
"""

FORMS = {
    "a share that is kept": (
        "sum = Add(random, p)[T=float]\nmask = Floor(sum)[T=float]\nscaled = RealDiv(x, p)[T=float]\n"
        "out = Mul(scaled, mask)[T=float]",
        ("p", 1.0),
    ),
    "a rate that is dropped": (
        "keep = GreaterEqual(random, p)[T=float]\nmask = Cast(keep)[SrcT=bool, DstT=float]\n"
        "out = Mul(x, mask)[T=float]",
        ("p", 0.0),
    ),
    "a rate in a share that is kept": (
        "keep = Sub(one, p)[T=float]\none = Const[dtype=float, value=float{1}()]\nsum = Add(random, keep)[T=float]\n"
        "mask = Floor(sum)[T=float]\nscaled = RealDiv(x, keep)[T=float]\nout = Mul(scaled, mask)[T=float]",
        ("p", 0.0),
    ),
    "a share in a rate that is dropped": (
        "rate = Sub(one, p)[T=float]\none = Const[dtype=float, value=float{1}()]\n"
        "keep = GreaterEqual(random, rate)[T=float]\nmask = Cast(keep)[SrcT=bool, DstT=float]\n"
        "out = Mul(x, mask)[T=float]",
        ("p", 1.0),
    ),
    "random numbers below the share that is kept": (
        "keep = Less(random, p)[T=float]\nmask = Cast(keep)[SrcT=bool, DstT=float]\nout = Mul(x, mask)[T=float]",
        ("p", 1.0),
    ),
    "training in the true branch": (
        "s = Switch(x, flag)[T=float]\nr = RandomUniform(size, ^s)[dtype=float, T=int32]\nt = Mul(s:1, r)[T=float]\n"
        "out = Merge(s, t)[T=float, N=2]",
        ("flag", 0.0),
    ),
    "a deviation that scales data too": (
        "normal = RandomStandardNormal(size)[dtype=float, T=int32]\nnoise = Mul(normal, p)[T=float]\n"
        "scaled = Mul(x, p)[T=float]\nout = Add(scaled, noise)[T=float]",
        None,
    ),
    "a deviation of noise without data": (
        "normal = RandomStandardNormal(size)[dtype=float, T=int32]\nnoise = Mul(normal, p)[T=float]\n"
        "one = Const[dtype=float, value=float{1}()]\nmoved = Add(noise, one)[T=float]\n"
        "out = Pack(moved, x)[T=float, N=2]",
        None,
    ),
    "a mask with a truth value for each element": (
        "mask = Placeholder[dtype=bool, shape=(-1, 4)]\nzero = ZerosLike(x)[T=float]\n"
        "out = Select(mask, x, zero)[T=float]",
        None,
    ),
    "a mask of weights": (
        "w = VariableV2[dtype=float, shape=(4, 3)]\nread = Identity(w)[T=float]\n"
        "prune = Placeholder[dtype=float, shape=(4, 3)]\npruned = Mul(read, prune)[T=float]\n"
        "out = MatMul(x, pruned)[T=float]",
        ("prune", 1.0),
    ),
    "data of a fixed batch that is scaled by a variable": (
        "w = VariableV2[dtype=float, shape=(1, 4)]\nread = Identity(w)[T=float]\n"
        "data = Placeholder[dtype=float, shape=(1, 4)]\nscaled = Mul(read, data)[T=float]\n"
        "k = VariableV2[dtype=float, shape=(4, 3)]\nkernel = Identity(k)[T=float]\n"
        "both = Add(x, scaled)[T=float]\nout = MatMul(both, kernel)[T=float]",
        None,
    ),
    "data in columns that are scaled before a layer": (
        "w = VariableV2[dtype=float, shape=(4, 1)]\nread = Identity(w)[T=float]\n"
        "data = Placeholder[dtype=float, shape=(4, -1)]\nscaled = Mul(data, read)[T=float]\n"
        "k = VariableV2[dtype=float, shape=(3, 4)]\nkernel = Identity(k)[T=float]\n"
        "layer = MatMul(kernel, scaled)[T=float]\nout = MatMul(layer, x)[T=float]",
        None,
    ),
    "one column of data that is scaled before a layer": (
        "w = VariableV2[dtype=float, shape=(4, 1)]\nread = Identity(w)[T=float]\n"
        "data = Placeholder[dtype=float, shape=(4, 1)]\nscaled = Mul(data, read)[T=float]\n"
        "k = VariableV2[dtype=float, shape=(3, 4)]\nkernel = Identity(k)[T=float]\n"
        "layer = MatMul(kernel, scaled)[T=float]\nout = MatMul(layer, x)[T=float]",
        None,
    ),
    "a second table that the first is compared with": (
        "w = VariableV2[dtype=float, shape=(1, 3)]\nread = Identity(w)[T=float]\n"
        "table = Placeholder[dtype=float, shape=(4, 3)]\nscaled = Mul(table, read)[T=float]\n"
        "out = MatMul(x, scaled)[T=float]",
        None,
    ),
    "a share with a dimension": (
        "q = Placeholder[dtype=float, shape=(1)]\nsum = Add(random, q)[T=float]\nmask = Floor(sum)[T=float]\n"
        "out = Mul(x, mask)[T=float]",
        ("q", 1.0),
    ),
    "an input that is a number": ("out = Mul(x, p)[T=float]", None),
    "an input that is a condition of data": (
        "zero = ZerosLike(x)[T=float]\nbig = Less(x, zero)[T=float]\nboth = LogicalAnd(big, flag)\n"
        "out = Cast(both)[SrcT=bool, DstT=float]",
        None,
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_value_of_a_deployed_model(form: str) -> None:
    text, expected = FORMS[form]
    model = tfmodel.Model(graph(LAYER + text))
    values = {end.name: end.value for end in model.summary().inputs if end.value is not None}
    assert values == (dict([expected]) if expected else {})
    assert not values.keys() & {end.name for end in model.inputs}


def test_optimize_binds_them_and_says_so() -> None:
    text, _ = FORMS["a share that is kept"]
    optimized = tfmodel.optimize(graph(LAYER + text), outputs="out")
    assert "bound: p=1, it is the share that a dropout keeps; goes into 4 nodes" in optimized.notes
    assert [node.op for node in optimized.graph.node if node.name == "p"] in ([], ["Const"])
    unbound = tfmodel.optimize(graph(LAYER + text), outputs="out", inputs="x,p", bind=False)
    assert [node.op for node in unbound.graph.node if node.name == "p"] == ["Placeholder"]
    other = tfmodel.optimize(graph(LAYER + text), outputs="out", bind={"p": 0.5})
    assert "p" not in other.inputs and not any(note.startswith("bound") for note in other.notes)


def test_a_signature_without_inputs_gets_none() -> None:
    text, _ = FORMS["an input that is a number"]
    constants = "c = Const[dtype=float, value=float{1}()]\nz = Neg(c)[T=float]\n"
    meta = tfmodel.make_meta_graph(
        graph(LAYER + constants + text), signatures={"s": {"inputs": {}, "outputs": {"z": "z"}}}
    )
    optimized = tfmodel.optimize(meta)
    assert (optimized.inputs, optimized.outputs) == ([], ["z"])
    assert 'outputs: z, of the signature "s"' in optimized.notes


def test_an_input_that_only_a_check_takes_is_fed():
    text = """
        x = Placeholder[dtype=float, shape=(-1, 4)]
        scale = Placeholder[dtype=float, shape=()]
        two = Const[dtype=float, value=float{2}()]
        right = Equal(scale, two)[T=float]
        check = Assert(right, scale)[T=[float]]
        y = Square(x, ^check)[T=float]
    """
    assert [end.name for end in tfmodel.Model(graph(text)).inputs] == ["x", "scale"]
