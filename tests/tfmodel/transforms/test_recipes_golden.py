"""Recipes keep the outputs of whole models; TensorFlow's answers are in tests/golden/recipes."""

from __future__ import annotations

import tarfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pytest

from tests.golden.interpreter.answers import Program, programs
from tests.golden.recipes.answers import DATA
from tests.golden.recipes.problems import recorded_images
from tests.golden.recipes.rows import distance, rows, skipped, table
from tests.golden.recipes.subjects import Subject, applied, batch_norms_left, flow_subjects, given, has_flow, subject_of
from tests.golden.transforms import models as transform_models
from tests.golden.whole_models.answers import ARCHIVE, Whole, unpacked
from tests.support.corpus import corpus
from tests.support.effort import some
from tfmodel import load, transform
from tfmodel.interpreter import Session, run
from tfmodel.messages import GraphDef
from tfmodel.transforms.framework.recipes import RECIPES

with tarfile.open(ARCHIVE) as archive:
    NAMES = sorted({PurePath(name).parts[0] for name in archive.getnames()})
STEP = 1 / 255
EXACT = [name for name, recipe in RECIPES.items() if recipe.is_exact]
RECORDED = {(row.model, row.recipe): row for row in rows()}
FLOW = {subject.name: subject for subject in flow_subjects()}

LEFT = {
    "channels_first": {"Relu": 1},
    "concatenations": {"BiasAdd": 1, "ConcatV2": 5},
    "volumes": {"MaxPool3D": 1},
    "DenseNet121": {"MaxPool": 1, "ConcatV2": 58, "AvgPool": 3},
}
"""Batch norms that no recipe folds, by their input: not a layer, or a layer with other consumers."""


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Whole, Subject]]:
    wholes = unpacked(tmp_path_factory.mktemp("whole"), corpus)
    return {whole.name: (whole, subject_of(whole)) for whole in wholes if whole.path is not None}


@pytest.mark.slow(reason="runs whole models through every recipe")
@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_keeps_what_a_model_computes(name: str, subjects: dict[str, tuple[Whole, Subject]]) -> None:
    """As exactly as the recipe says; one that changes weights, as exactly as in TensorFlow. A long run tries all.

    A value between two quantized ones becomes one or the other by its last digit, which depends on the BLAS: then one
    step more.
    """
    if name not in subjects:
        pytest.skip("no corpus: set TFMODEL_CORPUS to a folder of model files")
    whole, subject = subjects[name]
    runs = whole.runs[:1] if subject.before else whole.runs  # a frozen model forgets what one run leaves for the next
    expected = [list(model_run.fetches.values()) for model_run in runs]
    for recipe in some(list(RECIPES), 2):
        graph, row = applied(subject, recipe), RECORDED[name, recipe]
        difference = distance(expected, given(subject, graph), subject.outputs)
        most = max(row.there.relative, row.here.relative) + STEP
        limit = whole.rtol if RECIPES[recipe].is_exact else most + whole.rtol
        assert difference.relative <= limit, recipe
        assert not difference.problems or row.there.problems, recipe
        left = Counter(batch_norms_left(graph).values())
        assert left == row.left, recipe
        assert left == LEFT.get(name, {}) or recipe == "eight-bit", recipe  # which puts codes before them


# --- branches and loops ----------------------------------------------------------------------------------------------


@pytest.mark.slow(reason="runs whole models through every recipe")
@pytest.mark.parametrize("name", FLOW)
def test_no_recipe_breaks_a_model_that_branches_or_loops(name: str) -> None:
    subject, expected = FLOW[name], [list(transform_models.models()[name].fetches.values())]
    for recipe in RECIPES:
        difference = distance(expected, given(subject, applied(subject, recipe)), subject.outputs)
        assert difference.relative <= (1e-6 if RECIPES[recipe].is_exact else 0.02), recipe
        assert not difference.problems, recipe


def _frozen_programs() -> Iterator[Program]:
    """Return the programs without variables, whose feeds are the same each time."""
    for program in programs():
        if not program.variables and len({tuple(run.feeds) for run in program.runs}) == 1:
            yield program


@pytest.mark.slow(reason="runs whole models through every recipe")
@pytest.mark.parametrize("recipe", EXACT)
def test_programs_give_what_tensorflow_gives(recipe: str) -> None:
    flowing = 0
    for program in _frozen_programs():
        graph = GraphDef.from_bytes(program.graph)
        inputs = list(program.runs[0].feeds)
        outputs = list(dict.fromkeys(name for run in program.runs for name in run.fetches))
        session = Session(transform(graph, inputs, outputs, RECIPES[recipe]))
        for program_run in program.runs:
            if program_run.answers is not None:
                actual = list(session.run(program_run.feeds, program_run.fetches).values())
                problem = distance([program_run.answers], [actual], program_run.fetches)
                assert problem.relative <= 1e-6 and not problem.problems, program.name
        flowing += has_flow(graph)
    assert flowing > 40


# --- trained nets ----------------------------------------------------------------------------------------------------


@cache
def _scores(recipe: str) -> np.ndarray[Any, Any]:
    graph = load(DATA, GraphDef)
    changed = transform(graph, "image", "scores", RECIPES[recipe]) if recipe else graph
    images, _ = recorded_images()
    batches = [run(changed, {"image": batch}, ["scores"])["scores"] for batch in np.split(images, 10)]
    return np.concatenate(batches)


def test_a_net_has_learned_something() -> None:
    _, classes = recorded_images()
    assert np.mean(_scores("").argmax(-1) == classes) > 0.9


@pytest.mark.slow(reason="runs whole models through every recipe")
@pytest.mark.parametrize(
    ("recipe", "least"),
    [
        ("deploy", 1.0),
        ("shrink", 0.95),
        ("mobile", 0.95),
        ("eight-bit", 0.93),
        ("obfuscate", 1.0),
    ],
)
def test_a_recipe_keeps_the_predictions_of_a_net(recipe: str, least: float) -> None:
    assert np.mean(_scores(recipe).argmax(-1) == _scores("").argmax(-1)) >= least


# --- what is recorded ------------------------------------------------------------------------------------------------


def test_every_model_is_recorded_with_every_recipe() -> None:
    models = {row.model for row in RECORDED.values()}
    assert models.isdisjoint(skipped())
    assert {*NAMES, *FLOW} <= {*models, *skipped()}
    assert {"InceptionV3", "MobileNetV2", "ResNet50", "EfficientNetB0", "DenseNet121"} <= models
    assert RECORDED.keys() == {(model, recipe) for model in models for recipe in RECIPES}


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_are_as_exact_in_tensorflow_as_here(recipe: str) -> None:
    rows = [row for row in RECORDED.values() if row.recipe == recipe]
    assert not [row for row in rows if not row.is_within]
    assert {row.model: row.batch_norms[1] for row in rows if row.batch_norms[1]} == {
        name: sum(kinds.values()) for name, kinds in LEFT.items()
    }


def test_nets_that_were_trained_are_right_as_often_as_before() -> None:
    trained = [row for row in RECORDED.values() if row.accuracy and row.accuracy_here]
    assert len({row.model for row in trained}) == 4
    for row in trained:
        assert row.accuracy and row.accuracy[1] > row.accuracy[0] - 0.02
        assert row.there.agree >= (0.96 if row.recipe == "eight-bit" else 0.98) * row.there.rows


def test_the_table_has_a_line_for_the_model_and_for_each_recipe() -> None:
    lines = table(row for row in RECORDED.values() if row.model == "convnet").splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["convnet", *RECIPES]
    assert Path(DATA).stat().st_size == RECORDED["convnet", "deploy"].bytes[0]
