"""The confidence of outputs falls with what is known about them."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.analysis.endpoints.test_copies import REPEATED
from tests.tfmodel.analysis.endpoints.test_generators import DENOISER
from tests.tfmodel.analysis.endpoints.test_losses import GENERATOR, LOSSES, NETWORK, trained
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.analysis.endpoints import MIN_CONFIDENCE

TWO = {"gradients": "d_loss", "gradients_1": "g_loss"}


def confidence(data: object) -> float:
    """Return the confidence of all chosen outputs, which have the same."""
    [value] = {end.confidence for end in tfmodel.Model(data).outputs}
    return value


def test_kinds_are_ordered_by_the_share_of_right_choices():
    compared = confidence(trained(NETWORK + LOSSES["a squared error"][0], {"gradients": "loss"}))
    generated = confidence(trained(GENERATOR, TWO))
    reconstructed = confidence(trained(DENOISER, {"gradients": "loss"}))
    both = REPEATED + "both = Add(loss, loss_1)[T=float]"
    of_several = confidence(trained(NETWORK + both, {"gradients": "both"}))
    unused = confidence(graph("x = Placeholder[dtype=float, shape=(-1, 4)]\ny = Square(x)[T=float]"))
    assert unused == compared > generated > reconstructed > of_several >= MIN_CONFIDENCE
    assert compared >= 0.9


def test_a_single_prediction_is_more_certain_than_several():
    one = NETWORK + LOSSES["a squared error"][0]
    assert confidence(trained(one, {"gradients": "loss"})) > 1.2 * confidence(
        trained(NETWORK + LOSSES["the distance of two embeddings"][0], {"gradients": "loss"})
    )


FUNCTION = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    w = VarHandleOp[dtype=float, shape=(4)]
    y = PartitionedCall(x, w)[f=@step, Tin=[float, resource], Tout=[float]]
    step: (a: float, b: resource) -> (r: float = scaled:z:0)
    step: scaled = Mul(a, a)[T=float]
"""
UPDATE = "step: update = ResourceApplyGradientDescent(b, scaled:z:0, scaled:z:0)[T=float]"


def test_the_results_of_functions_that_train_are_not_certain_enough():
    assert confidence(graph(FUNCTION)) == 0.9
    with pytest.raises(tfmodel.ModelError, match="no output is certain enough"):
        confidence(graph(FUNCTION + "    " + UPDATE))


def test_one_of_two_alternatives_is_not_certain_enough():
    two = (
        NETWORK
        + LOSSES["a reconstruction"][0]
        + """
        v = VariableV2[dtype=float, shape=(4, 3)]
        hidden = MatMul(x, v)[T=float]
        decoded_1 = MatMul(hidden, back)[T=float]
        error_1 = Sub(x, decoded_1)[T=float]
        square_1 = Square(error_1)[T=float]
        loss_1 = Mean(square_1, axes)[T=float]
        both = Add(loss, loss_1)[T=float]
    """
    )
    with pytest.raises(tfmodel.ModelError, match=r"no output is certain enough: name some in outputs="):
        confidence(trained(two, {"gradients": "both"}))
    report = tfmodel.summarize(trained(two, {"gradients": "both"}))
    assert {end.name for end in report.outputs[:2]} == {"decoded", "decoded_1"}
    assert all(end.confidence < MIN_CONFIDENCE for end in report.outputs)


def test_a_single_number_computed_with_variables_may_be_a_loss():
    lines = "x = Placeholder[dtype=float, shape=(-1, 4)]\naxes = Const[dtype=int32, value=int32{0, 1}]\n"
    number = "y = Mean({})[T=float, Tidx=int32]"
    assert confidence(graph(lines + number.format("x, axes"))) == 0.6
    product = "w = VariableV2[dtype=float, shape=(4, 3)]\nproduct = MatMul(x, w)[T=float]\n"
    with pytest.raises(tfmodel.ModelError, match="no output is certain enough"):
        confidence(graph(lines + product + number.format("product, axes")))
