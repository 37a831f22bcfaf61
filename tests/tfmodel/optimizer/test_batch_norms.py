"""Batch norms of training use their moving averages, or the notes say that they use the statistics of the batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.golden.packing import unpacked
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.interpreter import Session
from tfmodel.optimizer import Optimized, optimize
from tfmodel.source.metagraph import make_meta_graph

MODELS = unpacked(Path(__file__).parents[2] / "golden" / "training_norms" / "answers.tar.xz")
FORMS = sorted(path.name for path in MODELS.iterdir())
NOW_AVERAGES = "now with the moving averages of the training"
OF_THE_BATCH = "with the statistics of the batch: the results of one example depend on the others"


def results(optimized: Optimized, x: np.ndarray) -> np.ndarray:
    [y] = Session(optimized.graph).run({"x:0": x}, ["y:0"]).values()
    return y


@pytest.mark.parametrize("form", FORMS)
def test_a_training_graph_computes_what_tensorflow_computes_with_moving_averages(form: str) -> None:
    with np.load(MODELS / form / "values.npz") as values:
        x, deployed, trained = values["x"], values["deployed"], values["trained"]
    assert not np.allclose(deployed, trained, rtol=0.1)
    optimized = optimize(MODELS / form / "model.meta", outputs="y")
    assert sum(NOW_AVERAGES in note for note in optimized.notes) == 1
    assert optimized.verification is not None
    assert np.allclose(results(optimized, x), deployed, rtol=1e-5)
    faithful = optimize(MODELS / form / "model.meta", outputs="y", bind=False)
    assert sum(OF_THE_BATCH in note for note in faithful.notes) == 1
    assert np.allclose(results(faithful, x), trained, rtol=1e-5)


TRAINED = """
    x = Placeholder[dtype=float, shape=(-1, 1, 1, 2)]
    gamma = Const[dtype=float, value=float{1, 1}(2)]
    none = Const[dtype=float, value=float{}(0)]
    decay = Const[dtype=float, value=float{0.1}()]
    mean = VariableV2[dtype=float, shape=(2)]
    mean/read = Identity(mean)[T=float]
    variance = VariableV2[dtype=float, shape=(2)]
    variance/read = Identity(variance)[T=float]
    norm = FusedBatchNorm(x, gamma, gamma, none, none)[T=float, is_training=true]
    y = Relu(norm)[T=float]
    change = Sub(mean/read, norm:1)[T=float]
    part = Mul(change, decay)[T=float]
    update = AssignSub(mean, part)[T=float]
    change_1 = Sub(variance/read, norm:2)[T=float]
    part_1 = Mul(change_1, decay)[T=float]
    update_1 = AssignSub(variance, part_1)[T=float]
"""
ONES, ZEROS = np.ones(2, "f4"), np.zeros(2, "f4")


@pytest.mark.parametrize(
    ("checkpoint", "note"),
    [
        ({"mean": ONES, "variance": ONES}, NOW_AVERAGES),
        ({"mean": ZEROS, "variance": ONES * 2}, NOW_AVERAGES),
        ({"mean": ZEROS, "variance": ONES}, OF_THE_BATCH),  # as before the training
        ({"mean": ONES}, OF_THE_BATCH),
    ],
)
def test_averages_that_were_never_updated_are_not_used(checkpoint: dict[str, np.ndarray], note: str) -> None:
    optimized = optimize(make_meta_graph(graph_of(TRAINED)), "x", "y", checkpoint=checkpoint, verify=False)
    assert sum(note in each for each in optimized.notes) == 1


def test_batch_norms_that_the_outputs_do_not_need_are_not_named() -> None:
    graph = graph_of(TRAINED + "\n    z = Neg(x)[T=float]")
    optimized = optimize(make_meta_graph(graph), "x", "z", checkpoint={"mean": ONES, "variance": ONES})
    assert not any("batch norm" in note for note in optimized.notes)


def test_batch_norms_in_branches_that_a_bound_value_closes_are_not_named() -> None:
    graph = graph_of("""
        x = Placeholder[dtype=float, shape=(1,1,1,2)]
        training = Placeholder[dtype=bool, shape=()]
        gamma = Const[dtype=float, value=float{2}(1)]
        none = Const[dtype=float, value=float{0}()]
        switched = Switch(x, training)[T=float]
        norm = FusedBatchNorm(switched:1, gamma, gamma, none, none)[T=float, is_training=true]
        plain = Neg(switched)[T=float]
        y = Merge(plain, norm)[T=float, N=2]
    """)
    optimized = optimize(graph, "x", "y", bind={"training": False}, verify=False)
    assert [node.op for node in optimized.graph.node if node.op == "FusedBatchNorm"] == []
    assert not any("batch norm" in note for note in optimized.notes)


RANDOM = """
    x = Placeholder[dtype=float, shape=(2)]
    label = Placeholder[dtype=float, shape=(2)]
    shape = Const[dtype=int32, value=int32{2}(1)]
    noise = RandomUniform(shape)[dtype=float, T=int32]
    noisy = Add(x, noise)[T=float]
    y = Add(noisy, label)[T=float]
    z = Neg(x)[T=float]
"""


@pytest.mark.parametrize(
    ("outputs", "notes"),
    [
        (
            "y",
            [
                'the outputs need random numbers, of "noise": results differ from run to run',
                'the outputs need 1 input more, "label", such as a label: feed it, or name other outputs',
            ],
        ),
        ("noisy", ['the outputs need random numbers, of "noise": results differ from run to run']),
        ("z", []),
    ],
)
def test_notes_name_the_parts_of_the_training_that_remain(outputs: str, notes: list[str]) -> None:
    assert optimize(graph_of(RANDOM), "x", outputs).notes == notes
