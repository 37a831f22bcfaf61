"""Networks that only say how good a state is, beside a policy."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.analysis.endpoints.test_losses import trained

POLICY = """
    state = Placeholder[dtype=float, shape=(-1, 4)]
    action = Placeholder[dtype=float, shape=(-1, 3)]
    advantage = Placeholder[dtype=float, shape=(-1)]
    w = VariableV2[dtype=float, shape=(4, 3)]
    v = VariableV2[dtype=float, shape=(4, 1)]
    one = Const[dtype=int32, value=int32{1}]
    logits = MatMul(state, w)[T=float]
    policy = Softmax(logits)[T=float]
"""

LOSSES = {
    "the logarithm of a probability": """
        product = Mul(policy, action)[T=float]
        chosen = Sum(product, one)[T=float]
        log = Log(chosen)[T=float]
        weighed = Mul(log, advantage)[T=float]
        mean = Mean(weighed, one)[T=float]
        loss = Neg(mean)[T=float]
    """,
    "an entropy": """
        entropy = SoftmaxCrossEntropyWithLogits(logits, action)[T=float]
        weighed = Mul(entropy, advantage)[T=float]
        loss = Mean(weighed, one)[T=float]
    """,
}

VALUE = """
    state_1 = Placeholder[dtype=float, shape=(-1, 4)]
    reward = Placeholder[dtype=float, shape=(-1, 1)]
    value = MatMul(state_1, v)[T=float]
    difference = Sub(value, reward)[T=float]
    square = Square(difference)[T=float]
    loss_1 = Mean(square, one)[T=float]
"""


def chosen(text: str) -> tuple[set[str], set[str]]:
    model = tfmodel.Model(trained(text, {"gradients": "loss", "gradients_1": "loss_1"}))
    return {end.name for end in model.inputs}, {end.name for end in model.outputs}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_baseline_with_a_state_of_its_own_is_not_chosen(loss: str):
    assert chosen(POLICY + LOSSES[loss] + VALUE) == ({"state"}, {"policy"})


def test_a_value_of_the_same_state_is_chosen():
    text = POLICY + LOSSES["an entropy"] + VALUE.replace("MatMul(state_1", "MatMul(state")
    assert chosen(text) == ({"state"}, {"policy", "value"})


def test_a_regression_beside_a_classification_is_chosen():
    classified = """
        entropy = SoftmaxCrossEntropyWithLogits(logits, action)[T=float]
        loss = Mean(entropy, one)[T=float]
    """
    assert chosen(POLICY + classified + VALUE) == ({"state", "state_1"}, {"policy", "value"})
