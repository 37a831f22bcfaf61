"""Batch norms become part of the weights, and a BiasAdd. More results are compared in the golden cases."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.run_step import after

NUMBERS = """
    gamma = Const[dtype=float, value=float{2, 4}]
    beta = Const[dtype=float, value=float{0, 1}]
    mean = Const[dtype=float, value=float{3, 0.5}]
    variance = Const[dtype=float, value=float{3, 15}]
"""
CONV = """
    x = Placeholder[dtype=float]
    w = Const[dtype=float, value=float{1, 2, 3, 4}(1, 1, 2, 2)]
    c = Conv2D(x, w)[T=float, padding="SAME", strides=[1, 1, 1, 1]]
"""
NORM = "y = FusedBatchNormV3(c, gamma, beta, mean, variance)[T=float, epsilon=1.0, is_training=false]\n"


def folded(text: str, outputs: str = "y") -> tuple[dict[str, str], dict[str, list[str]]]:
    nodes, report = after(text + NUMBERS, "fold_old_batch_norms", "x", outputs)
    return nodes, report.refusals


def test_numbers() -> None:
    """Scales are 2 / sqrt(3 + 1) = 1 and 4 / sqrt(15 + 1) = 1, offsets 0 - 3 * 1 and 1 - 0.5 * 1."""
    nodes, _ = folded(CONV + NORM)
    assert list(nodes) == ["w", "x", "c", "c_bn_offset", "y"]
    assert nodes["w"].endswith("float{1.0, 2.0, 3.0, 4.0}(1, 1, 2, 2)]")
    assert nodes["c_bn_offset"].endswith("float{-3.0, 0.5}]")
    assert nodes["y"] == "BiasAdd(c, c_bn_offset)[T=float]"


def test_a_bias_becomes_part_of_the_new_one() -> None:
    nodes, _ = folded(CONV + "k = Const[value=float{1, 2}]\na = BiasAdd(c, k)\n" + NORM.replace("(c", "(a"))
    assert list(nodes) == ["w", "x", "c", "c_bn_offset", "y"]
    assert nodes["c_bn_offset"].endswith("float{-2.0, 2.5}]")


def test_behind_a_pad_the_bias_comes_last() -> None:
    pad = "p = Const[value=int32{0, 0, 1, 1, 1, 1, 0, 0}(4, 2)]\npad = Pad(c, p)[T=float]\n"
    nodes, _ = folded(CONV + pad + NORM.replace("(c", "(pad"))
    assert list(nodes) == ["w", "x", "c", "p", "pad", "pad_bn_offset", "y"]
    assert (nodes["pad"], nodes["y"]) == ("Pad(c, p)[T=float]", "BiasAdd(pad, pad_bn_offset)[T=float]")


def test_behind_a_concatenation_each_layer_has_its_part() -> None:
    text = """
        axis = Const[dtype=int32, value=int32{-1}()]
        x = Placeholder[dtype=float]
        v = Const[dtype=float, value=float{1}(1, 1, 1, 1)]
        w = Const[dtype=float, value=float{2}(1, 1, 1, 1)]
        a = Conv2D(x, v)[T=float]
        b = Conv2D(x, w)[T=float]
        c = ConcatV2(a, b, axis)[T=float]
    """
    nodes, _ = folded(text + NORM)
    assert list(nodes) == ["v", "x", "a", "a_bn_offset", "c_bn_in0", "w", "b", "b_bn_offset", "c_bn_in1", "axis", "y"]
    assert nodes["a_bn_offset"].endswith("float{-3.0}]")
    assert nodes["b_bn_offset"].endswith("float{0.5}]")
    assert nodes["y"] == "ConcatV2(c_bn_in0, c_bn_in1, axis)[T=float]"


def test_the_layout_of_a_new_bias() -> None:
    nodes, _ = folded(
        CONV.replace("T=float", 'T=float, data_format="NCHW"') + NORM.replace("T=float", 'T=float, data_format="NCHW"')
    )
    assert nodes["y"] == 'BiasAdd(c, c_bn_offset)[T=float, data_format="NCHW"]'


def test_names_that_are_taken() -> None:
    nodes, _ = folded(CONV + NORM + "c_bn_offset = Relu(y)\n")
    assert nodes["y"] == "BiasAdd(c, c_bn_offset_1)[T=float]"


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ("x,c", "its Conv2D is an input"),
        ("x,w", "the weights of its Conv2D are not constant"),
        ("x,mean", "its FusedBatchNormV3 must have constants as its other inputs"),
        ("x,y:1", "outputs other than the first are used"),
    ],
)
def test_declared_inputs_may_be_fed_and_stay(inputs: str, reason: str) -> None:
    text = CONV + NUMBERS + NORM + "z = Relu(y)[T=float]\n"
    nodes, report = after(text, "fold_old_batch_norms", inputs, "z")
    assert report.refusals == {reason: ["y"]}
    assert set(nodes) == {"y", "c", "x", "w", "gamma", "beta", "mean", "variance", "z"}


def test_one_input_does_not_keep_the_others_from_being_folded() -> None:
    more = (CONV + NORM).replace("x = Placeholder[dtype=float]", "").replace("y =", "y2 =").replace("w", "w2")
    more = more.replace("c =", "c2 =").replace("(c,", "(c2,")
    nodes, report = after(CONV + NUMBERS + NORM + more, "fold_old_batch_norms", "x,c", "y,y2")
    assert (report.fired, report.refusals) == (1, {"its Conv2D is an input": ["y"]})
    assert nodes["y2"].startswith("BiasAdd(c2, c2_bn_offset)")


def test_crops_need_not_be_constant() -> None:
    text = """
        block = Const[value=int32{2, 2}]
        crops = Placeholder[dtype=int32]
        b = BatchToSpaceND(c, block, crops)[T=float]
    """
    nodes, _ = folded(CONV + text + NORM.replace("(c,", "(b,"))
    assert nodes["y"] == "BatchToSpaceND(c/biasadd, block, crops)[T=float]"


def test_parameters_and_weights_are_read_through_identities() -> None:
    """As in a frozen model, where Identities replace the reads of variables and have control outputs."""
    text = CONV.replace("w =", "w0 =") + "w = Identity(w0)\ng = Identity(gamma)\n"
    nodes, _ = folded(text + NORM.replace("gamma", "g") + "n = NoOp(^w, ^g)\n")
    assert list(nodes) == ["w", "g", "w0", "x", "c", "c_bn_offset", "y", "n", "gamma"]


@pytest.mark.parametrize(
    ("text", "outputs", "reason"),
    [
        (CONV + NORM, "y,c", "its Conv2D is an output"),
        (CONV + NORM, "y:1", "outputs other than the first are used"),
        (CONV + NORM + "z = Relu(y:2)\n", "y", "outputs other than the first are used"),
        (CONV + NORM + "z = Relu(c)\n", "y", "its Conv2D is used elsewhere"),
        (CONV + NORM.replace("false", "true"), "y", "it is training"),
        (CONV + NORM.replace(", is_training=false", ""), "y", "it is training"),
        (CONV + NORM.replace("T=", 'data_format="NCHW", T='), "y", "it has another layout than the layer"),
        (CONV + NORM.replace("epsilon=1.0", "epsilon=-4.0"), "y", "numbers of its FusedBatchNormV3 are not finite"),
        (
            CONV.replace("(1, 1, 2, 2)", "(1, 1, 4, 1)") + NORM,
            "y",
            "its variance has shape [2], but its layer has 1 channels",
        ),
        (CONV.replace("(1, 1, 2, 2)", "(2, 2)") + NORM, "y", "must be floating-point numbers with 4 dimensions"),
        (CONV.replace("float{", "int32{") + NORM, "y", "is declared as float32, but its tensor is int32"),
        (CONV.replace("T=", 'data_format="NCHW_VECT_C", T=') + NORM, "y", "its Conv2D has an unusual layout"),
        (CONV.replace("w = Const", "w = Placeholder") + NORM, "y", "the weights of its Conv2D are not constant"),
        (CONV + "r = Relu(c)\n" + NORM.replace("(c", "(r"), "y", "there is no layer before it, but a Relu"),
        (CONV + "v = Relu(x)\n" + NORM.replace("variance", "v"), "y", "its FusedBatchNormV3 must have constants"),
    ],
)
def test_nodes_that_are_left_alone(text: str, outputs: str, reason: str) -> None:
    _, refusals = folded(text, outputs)
    [refusal] = refusals
    assert reason in refusal
