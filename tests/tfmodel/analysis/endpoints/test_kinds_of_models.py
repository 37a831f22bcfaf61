"""The inputs and outputs of models whose training and use differ: decoders, actors, encoders, taggers, towers."""

from __future__ import annotations

import tarfile
from functools import cache

import pytest

import tfmodel
from tests.data.endpoints.make import ARCHIVE, GRAPHS
from tfmodel.compare.verify import Verification


@cache
def graphs() -> dict[str, bytes]:
    with tarfile.open(ARCHIVE) as archive:
        members = {member.name.removesuffix(".meta"): archive.extractfile(member) for member in archive}
        return {name: file.read() for name, file in members.items() if file is not None}


def test_the_archive_has_the_graphs_of_the_script():
    assert graphs().keys() == GRAPHS.keys()


CERTAIN = [name for name, case in GRAPHS.items() if case.outputs]
UNCERTAIN = [name for name, case in GRAPHS.items() if not case.outputs]


@pytest.mark.parametrize("name", CERTAIN)
def test_inputs_and_outputs_are_those_that_a_user_feeds_and_fetches(name):
    case, model = GRAPHS[name], tfmodel.Model(graphs()[name])
    outputs = [end.name for end in model.outputs]
    assert {end.name for end in model.inputs} == set(case.inputs.split())
    assert any(set(right.split()) <= {*outputs} <= {*right.split(), *case.also.split()} for right in case.outputs)
    assert outputs[0] in " ".join(case.outputs).split()


@pytest.mark.parametrize("name", UNCERTAIN)
def test_a_user_names_outputs_where_nothing_is_certain(name):
    with pytest.raises(tfmodel.ModelError, match=r"no output is certain enough: name some in outputs="):
        tfmodel.optimize(graphs()[name])


@pytest.mark.parametrize("name", CERTAIN)
def test_the_summary_chooses_the_same(name):
    model, report = tfmodel.Model(graphs()[name]), tfmodel.summarize(graphs()[name])
    assert report.input_names == [end.name for end in model.inputs]
    assert report.output_names == [end.name for end in model.outputs]


BATCHES = {
    "batch_of_a_recurrent_state": (5, 6),
    "batch_of_a_reshape": (12, 2),
    "batch_of_a_loop": (7, 2),
    "batch_of_a_pair": (9, 2),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_model_is_verified_with_the_batch_that_it_has_built_in(name):
    optimized = tfmodel.optimize(graphs()[name])
    assert optimized.unverified == ""
    assert optimized.verification is not None
    assert [output.shape for output in optimized.verification.outputs] == [BATCHES[name]]


def test_transforms_are_verified_with_the_batch_that_the_graph_has_built_in():
    graph = tfmodel.Model(graphs()["batch_of_a_pair"]).graph
    comparison = Verification().begin(graph, ["y:0"])
    assert [output.shape for output in comparison.compare(graph).outputs] == [(9, 2)]


DEFAULTS = ["image_with_default_beside_keep_prob", "sequence_with_default_beside_is_training"]


@pytest.mark.parametrize("name", DEFAULTS)
def test_data_with_a_default_is_an_input_of_optimized_graphs_and_of_signatures(name, tmp_path):
    data = GRAPHS[name].inputs
    assert tfmodel.optimize(graphs()[name]).inputs == [data]
    tfmodel.save_saved_model(graphs()[name], tmp_path / "model")
    assert data in [end.name for end in tfmodel.Model(tmp_path / "model").inputs]
