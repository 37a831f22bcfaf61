"""Networks that give the parameters of distributions, whose losses are likelihoods."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.analysis.endpoints.test_losses import trained

NETWORK = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    y = Placeholder[dtype=float, shape=(-1, 3)]
    old = Placeholder[dtype=float, shape=(-1)]
    advantage = Placeholder[dtype=float, shape=(-1)]
    w = VariableV2[dtype=float, shape=(4, 3)]
    v = VariableV2[dtype=float, shape=(4, 3)]
    axis = Const[dtype=int32, value=int32{1}]
    axes = Const[dtype=int32, value=int32{0, 1}]
    small = Const[dtype=float, value=float{0.001}()]
    mean = MatMul(x, w)[T=float]
    raw = MatMul(x, v)[T=float]
    error = Sub(y, mean)[T=float]
"""
LIKELIHOOD = """
    quotient = RealDiv(error, {deviation})[T=float]
    square = Square(quotient)[T=float]
    logarithm = Log({deviation})[T=float]
    negative = Sub(square, logarithm)[T=float]
    likelihood = Sum(negative, axis)[T=float, Tidx=int32]
"""
DEVIATIONS = {
    "a variable for all inputs": ("deviation = VariableV2[dtype=float, shape=(3)]", ["mean"]),
    "a softplus": ("deviation = Softplus(raw)[T=float]", ["mean", "deviation"]),
}


def chosen(text: str, loss: str) -> tuple[list[str], list[str]]:
    model = tfmodel.Model(trained(NETWORK + text, {"gradients": loss}))
    return [end.name for end in model.inputs], [end.name for end in model.outputs]


@pytest.mark.parametrize("form", DEVIATIONS)
def test_the_mean_and_the_deviation_are_outputs(form: str):
    deviation, outputs = DEVIATIONS[form]
    text = deviation + LIKELIHOOD.format(deviation="deviation")
    inputs, found = chosen(text + "loss = Mean(likelihood, axes)[T=float, Tidx=int32]", "loss")
    assert inputs == ["x"]
    assert sorted(found) == sorted(outputs)


@pytest.mark.parametrize("form", DEVIATIONS)
def test_neither_the_ratio_to_an_old_likelihood_nor_a_taken_action_is_chosen(form: str):
    deviation, outputs = DEVIATIONS[form]
    ratio = """
        difference = Sub(likelihood, old)[T=float]
        ratio = Exp(difference)[T=float]
        weighed = Mul(ratio, advantage)[T=float]
        loss = Mean(weighed, axes)[T=float, Tidx=int32]
    """
    inputs, found = chosen(deviation + LIKELIHOOD.format(deviation="deviation") + ratio, "loss")
    assert inputs == ["x"]
    assert sorted(found) == sorted(outputs)


def test_a_constant_that_only_a_logarithm_takes_belongs_to_the_loss():
    text = """
        soft = Softplus(raw)[T=float]
        sum = Add(soft, small)[T=float]
        logarithm = Log(sum)[T=float]
        difference = Sub(logarithm, y)[T=float]
        square = Square(difference)[T=float]
        loss = Mean(square, axes)[T=float, Tidx=int32]
    """
    assert chosen(text, "loss") == (["x"], ["soft"])


SAMPLED = """
    scores = MatMul(x, w)[T=float]
    one = Const[dtype=int32, value=int32{1}()]
    count = Const[dtype=int32, value=int32{3}()]
    on = Const[dtype=float, value=float{1}()]
    off = Const[dtype=float, value=float{0}()]
    drawn = Multinomial(scores, one)[T=float, output_dtype=int64]
    label = OneHot(drawn, count, on, off)[T=float, TI=int64]
    square = Square(scores)[T=float]
    product = Mul(square, label)[T=float]
    loss = Mean(product, axes)[T=float, Tidx=int32]
"""


def test_a_label_that_the_model_draws_itself_joins_the_prediction():
    graph = trained(NETWORK + SAMPLED, {"gradients": "loss"})
    without_gradients = "gradients/drawn_grad", "gradients/label_grad"
    graph.node = [node for node in graph.node if not node.name.startswith(without_gradients)]
    model = tfmodel.Model(graph)
    assert [end.name for end in model.inputs] == ["x"]
    assert [end.name for end in model.outputs] == ["scores"]
