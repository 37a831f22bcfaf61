"""The confidence of outputs falls with what is known about them."""

from __future__ import annotations

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
