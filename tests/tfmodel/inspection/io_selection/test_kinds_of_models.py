"""The inputs and outputs of models whose training and use differ: decoders, actors, encoders, taggers, towers."""

from __future__ import annotations

import tarfile
from functools import cache

import pytest

import tfmodel
from tests.data.endpoints.make import ARCHIVE, GRAPHS


@cache
def graphs() -> dict[str, bytes]:
    with tarfile.open(ARCHIVE) as archive:
        members = {member.name.removesuffix(".meta"): archive.extractfile(member) for member in archive}
        return {name: file.read() for name, file in members.items() if file is not None}


def test_the_archive_has_the_graphs_of_the_script():
    assert graphs().keys() == GRAPHS.keys()


@pytest.mark.parametrize("name", GRAPHS)
def test_inputs_and_outputs_are_those_that_a_user_feeds_and_fetches(name):
    case, model = GRAPHS[name], tfmodel.Model(graphs()[name])
    outputs = [end.name for end in model.outputs]
    assert {end.name for end in model.inputs} == set(case.inputs.split())
    assert any(set(right.split()) <= {*outputs} <= {*right.split(), *case.also.split()} for right in case.outputs)
    assert outputs[0] in " ".join(case.outputs).split()


@pytest.mark.parametrize("name", GRAPHS)
def test_the_summary_chooses_the_same(name):
    model, report = tfmodel.Model(graphs()[name]), tfmodel.summarize(graphs()[name])
    assert report.input_names == [end.name for end in model.inputs]
    assert report.output_names == [end.name for end in model.outputs]
