"""Results that users want in place of the prediction of a loss."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.analysis.endpoints.test_losses import trained

TOWERS = """
    w = VariableV2[dtype=float, shape=(4, 3)]
    axes = Const[dtype=int32, value=int32{0, 1}]
    keep = Const[dtype=float, value=float{0.5}()]
    x = Placeholder[dtype=float, shape=(20, 4)]
    y = Placeholder[dtype=float, shape=(20, 3)]
    size = Shape(x)[T=float]
    random = RandomUniform(size)[T=int32, dtype=float]
    above = Add(random, keep)[T=float]
    mask = Floor(above)[T=float]
    dropped = Mul(x, mask)[T=float]
    logits = MatMul(dropped, w)[T=float]
    entropy = SoftmaxCrossEntropyWithLogits(logits, y)[T=float]
    loss = Mean(entropy, axes)[T=float]
"""


def tower(name: str, batch: int = 1, dtype: str = "float") -> str:
    """A tower without dropout, with a loss that is not trained."""
    return f"""
        {name}_x = Placeholder[dtype={dtype}, shape=({batch}, 4)]
        {name}_y = Placeholder[dtype=float, shape=({batch}, 3)]
        {name}_logits = MatMul({name}_x, w)[T=float]
        {name}_entropy = SoftmaxCrossEntropyWithLogits({name}_logits, {name}_y)[T=float]
        {name}_loss = Mean({name}_entropy, axes)[T=float]
    """


def chosen(text: str) -> tuple[list[str], list[str]]:
    model = tfmodel.Model(trained(text, {"gradients": "loss"}))
    return [end.name for end in model.inputs], [end.name for end in model.outputs]


@pytest.mark.parametrize("batch", [20, 1])
def test_a_tower_without_dropout_and_with_inputs_of_its_own_is_the_model(batch: int):
    assert chosen(TOWERS + tower("test", batch)) == (["test_x"], ["test_logits"])


def test_its_probabilities_are_the_output():
    softmax = "probabilities = Softmax(test_logits)[T=float]"
    assert chosen(TOWERS + tower("test") + softmax) == (["test_x"], ["probabilities"])


def test_the_first_of_two_towers_without_dropout_is_the_model():
    assert chosen(TOWERS + tower("valid") + tower("test")) == (["valid_x"], ["valid_logits"])


def test_a_tower_with_another_kind_of_input_is_another_model():
    assert chosen(TOWERS + tower("test", dtype="half"))[1] == ["logits"]


PARTS = """
    w = VariableV2[dtype=float, shape=(4, 3)]
    axes = Const[dtype=int32, value=int32{0, 1}]
    axis = Const[dtype=int32, value=int32{0}()]
    half = Const[dtype=int32, value=int32{10, 0}]
    size = Const[dtype=int32, value=int32{10, 4}]
    x = Placeholder[dtype=float, shape=(20, 4)]
    y = Placeholder[dtype=float, shape=(10, 3)]
    x_0 = Slice(x, axis, size)[T=float, Index=int32]
    x_1 = Slice(x, half, size)[T=float, Index=int32]
    logits_0 = MatMul(x_0, w)[T=float]
    logits_1 = MatMul(x_1, w)[T=float]
    entropy_0 = SoftmaxCrossEntropyWithLogits(logits_0, y)[T=float]
    entropy_1 = SoftmaxCrossEntropyWithLogits(logits_1, y)[T=float]
    entropy = Add(entropy_0, entropy_1)[T=float]
    loss = Mean(entropy, axes)[T=float]
"""
JOIN = """
    joined = ConcatV2(logits_0, logits_1, axis)[T=float, N=2, Tidx=int32]
    class = ArgMax(joined, axis)[T=float]
    truth = ArgMax(y, axis)[T=float]
    hits = Equal(class, truth)[T=int64]
"""
WHOLE = "logits = MatMul(x, w)[T=float]"


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        (JOIN, ["joined"]),
        (WHOLE, ["logits"]),
        (JOIN + WHOLE, ["logits"]),
        ("", ["logits_0", "logits_1"]),
    ],
)
def test_towers_that_take_parts_of_a_batch_are_replaced_by_a_result_for_all_of_it(text: str, outputs: list[str]):
    assert chosen(PARTS + text) == (["x"], outputs)
