"""Whole models give what TensorFlow computes: those of tests/golden/whole_models and tests/golden/freezing."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import PurePath

import numpy as np
import pytest

from tests.golden.whole_models.answers import ARCHIVE, Whole, differences, unpacked
from tests.support.corpus import corpus
from tests.tfmodel.freezing.models import CASES, case
from tfmodel.compare.verify import verify
from tfmodel.compare.verify.differences import compare
from tfmodel.interpreter import Session

with tarfile.open(ARCHIVE) as archive:
    NAMES = sorted({PurePath(name).parts[0] for name in archive.getnames()})


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Whole]:
    return {whole.name: whole for whole in unpacked(tmp_path_factory.mktemp("whole"), corpus)}


@pytest.mark.slow(reason="computes hundreds of models on NumPy")
@pytest.mark.parametrize("name", NAMES)
def test_a_model_computes_the_values_of_tensorflow(name: str, models: dict[str, Whole]) -> None:
    whole = models[name]
    if whole.path is None:
        pytest.skip("no corpus: set TFMODEL_CORPUS to a folder of model files")
    assert not [
        (difference.name, difference.problem, difference.relative)
        for difference in differences(whole)
        if not difference.within
    ]


@pytest.mark.slow(reason="computes hundreds of models on NumPy")
@pytest.mark.parametrize("name", CASES)
def test_a_model_with_variables_computes_the_values_of_tensorflow(name: str) -> None:
    assert not list(_problems(name, frozen=False))


@pytest.mark.slow(reason="computes hundreds of models on NumPy")
@pytest.mark.parametrize("name", CASES)
def test_a_frozen_model_computes_the_values_of_tensorflow(name: str) -> None:
    assert not list(_problems(name, frozen=True))


def _problems(name: str, *, frozen: bool) -> Iterator[object]:
    model = case(name)
    options = {key: model.asked.get(key) for key in ("signature", "tags")}
    for run in model.runs:
        session = Session(model.freeze(), files=[model.folder]) if frozen else Session(model.model, **options)
        actual = session.run(run.feeds, list(run.fetches))
        for tensor, value in run.fetches.items():
            row = compare(tensor, value, actual[tensor], rtol=1e-6, atol=1e-7)
            if not row.within:
                yield tensor, row


def test_a_model_and_the_graph_that_it_is_frozen_to_are_found_equal() -> None:
    model = case("keras_convolutions")
    report = verify(model.model, model.freeze(), [run.feeds for run in model.runs], list(model.runs[0].fetches))
    assert report.same


def test_runs_change_neither_feeds_nor_constants(models: dict[str, Whole]) -> None:
    for name in ("mobile", "squeeze_and_excite", "transformer", "beam_search", "quantized_nodes"):
        whole = models[name]
        assert whole.path is not None
        session = Session(whole.path)
        for run in whole.runs:
            fed = {key: value.copy() for key, value in run.feeds.items()}
            first = session.run(fed, list(run.fetches))
            kept = {key: value.copy() for key, value in first.items()}
            again = session.run(fed, list(run.fetches))
            for key, value in run.feeds.items():
                assert np.array_equal(fed[key], value), f"{name} has changed {key}"
            for key, value in kept.items():
                assert np.array_equal(again[key], value), f"{name} gives another {key} the second time"
                assert np.array_equal(first[key], value), f"{name} has changed the {key} of the run before"
