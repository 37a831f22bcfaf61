"""A checkpoint with other names for its tensors."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import Checkpoint, CheckpointError, FreezeError, freeze, run
from tfmodel.files.checkpoints.renamed import RenamedCheckpoint
from tfmodel.files.checkpoints.writing import write_checkpoint

TENSORS = {"old/fc/weights": np.array([1.0, 2.0], np.float32), "old/fc/biases": np.array([3.0], np.float32)}
MODEL = """
    w = VariableV2[dtype=float, shape=(2)]
    b = VariableV2[dtype=float, shape=(1)]
    y = Add(w, b)[T=float]
"""


@pytest.fixture
def checkpoint(tmp_path) -> Checkpoint:
    write_checkpoint(str(tmp_path / "model"), TENSORS)
    return Checkpoint(tmp_path / "model")


def test_tensors_are_found_by_their_new_names(checkpoint):
    renamed = RenamedCheckpoint(checkpoint, {"^old/": "new/", "fc": "dense"})
    assert sorted(renamed) == ["new/dense/biases", "new/dense/weights"]
    assert renamed["new/dense/weights"].tolist() == [1, 2]
    assert renamed.read("new/dense/biases").tolist() == [3]
    assert renamed.entries["new/dense/weights"].shape == (2,)


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (("nothing", "x"), 'no tensor has a name that "nothing" changes'),
        (("(", "x"), '"\\(" and "x" do not rename tensors'),
        (("fc", r"\3"), "do not rename tensors: invalid group reference"),
        (("weights|biases", "w"), 'would both be called "old/fc/w"'),
    ],
)
def test_rules_that_do_not_work_are_refused(checkpoint, rule, problem):
    with pytest.raises(CheckpointError, match=problem):
        RenamedCheckpoint(checkpoint, dict([rule]))


@pytest.mark.parametrize(
    ("scope", "option"),
    [
        ("fc/", "--rename '^old/fc/=fc/'"),  # the checkpoint has a scope more
        ("model/old/fc/", "--rename '^old/=model/old/'"),  # and one less
        ("new/fc/", "--rename '^old/=new/'"),
    ],
)
def test_a_scope_that_differs_is_named_with_the_option_that_helps(checkpoint, scope, option):
    text = MODEL.replace("w =", f"{scope}weights =").replace("b =", f"{scope}biases =")
    model = graph(text.replace("(w, b)", f"({scope}weights, {scope}biases)"))
    with pytest.raises(FreezeError) as error:
        freeze(model, "y", checkpoint=checkpoint)
    assert option in str(error.value)
    old, new = option.removeprefix("--rename '").removesuffix("'").split("=")
    frozen = freeze(model, "y", checkpoint=RenamedCheckpoint(checkpoint, {old: new}))
    assert run(frozen, {}, ["y"])["y"].tolist() == [4, 5]


def test_a_tensor_of_another_shape_is_not_suggested(checkpoint):
    model = graph("    new/weights = VariableV2[dtype=float, shape=(5)]\n    y = Neg(new/weights)[T=float]\n")
    with pytest.raises(FreezeError) as error:
        freeze(model, "y", checkpoint=checkpoint)
    assert "--rename" not in str(error.value)
