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
