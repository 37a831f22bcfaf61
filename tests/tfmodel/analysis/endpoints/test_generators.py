"""The outputs of generators, which a discriminator takes in place of data."""

from __future__ import annotations

import pytest

import tfmodel
from tests.tfmodel.analysis.endpoints.test_losses import GENERATOR, trained

RESHAPED = {
    "of both": ("picture", "d/Reshape = Reshape(x, axes)[T=float]\nd_1/Reshape = Reshape(picture, axes)[T=float]"),
    "of the picture": ("g/Reshape", "d/Reshape = Identity(x)[T=float]\ng/Reshape = Reshape(picture, axes)[T=float]"),
}


@pytest.mark.parametrize("form", RESHAPED)
def test_a_reshape_is_of_the_discriminator_if_the_data_have_the_same(form: str):
    output, reshapes = RESHAPED[form]
    fake = reshapes.rpartition("\n")[2].partition(" ")[0]
    text = GENERATOR.replace("MatMul(x, d)", "MatMul(d/Reshape, d)").replace("MatMul(picture, d)", f"MatMul({fake}, d)")
    before, middle, after = text.partition("real = ")
    graph = trained(before + reshapes + "\n" + middle + after, {"gradients": "d_loss", "gradients_1": "g_loss"})
    model = tfmodel.Model(graph)
    assert [end.name for end in model.outputs] == [output]
    assert [end.name for end in model.inputs] == ["z"]


DENOISER = """
    x = Placeholder[dtype=float, shape=(-1, 4)]
    w = VariableV2[dtype=float, shape=(4, 4)]
    axes = Const[dtype=int32, value=int32{0, 1}]
    noise = RandomStandardNormal(axes)[dtype=float, T=int32]
    noisy = Add(x, noise)[T=float]
    clean = MatMul(noisy, w)[T=float]
    error = SquaredDifference(clean, x)[T=float]
    loss = Mean(error, axes)[T=float]
"""


def test_noise_on_data_makes_no_generator():
    model = tfmodel.Model(trained(DENOISER, {"gradients": "loss"}))
    assert [end.name for end in model.outputs] == ["clean"]
    assert [end.name for end in model.inputs] == ["x"]
