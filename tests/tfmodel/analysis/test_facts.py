"""Facts about the graph of a model: computed when they are needed, and once."""

from __future__ import annotations

import pytest

from tests.tfmodel import models
from tfmodel.analysis.choice import choose_if_readable
from tfmodel.analysis.facts import Facts
from tfmodel.errors import ModelError
from tfmodel.messages import MetaGraphDef, SignatureDef
from tfmodel.source.model_source import ModelSource

NAMES = ("index", "functions", "ops", "shapes", "marks", "endpoints", "flow", "uses")


@pytest.mark.parametrize("name", NAMES)
def test_a_fact_is_computed_once(name):
    facts = Facts(ModelSource.of(models.graph()))
    assert getattr(facts, name) is getattr(facts, name)


def test_facts_are_kept_only_by_a_model_that_keeps_them():
    model = ModelSource.of(models.graph())
    keeping = model.keeping_facts()
    assert Facts.of(keeping) is Facts.of(keeping)
    assert Facts.of(model) is not Facts.of(model)


def test_a_model_that_keeps_its_facts_goes_on_keeping_them():
    keeping = ModelSource.of(models.graph()).keeping_facts()
    assert Facts.of(keeping.keeping_facts()) is Facts.of(keeping)


def test_a_model_with_another_graph_has_facts_of_its_own():
    keeping = ModelSource.of(models.graph()).keeping_facts()
    other = keeping.with_graph(models.graph())
    assert Facts.of(other) is not Facts.of(keeping)
    assert Facts.of(other) is not Facts.of(other)


def test_the_inputs_for_some_outputs_are_those_that_they_need():
    facts = Facts(ModelSource.of(models.graph()))
    assert facts.endpoints_for([]) is facts.endpoints
    first = facts.endpoints.inputs[0].tensor
    assert [end.tensor for end in facts.endpoints_for([first]).inputs if end.is_likely] == [first]


def test_options_change_the_shapes_and_not_the_facts_that_are_kept():
    model = ModelSource.of(models.graph()).keeping_facts()
    name = next(end.tensor for end in Facts.of(model).endpoints.inputs if end.is_likely)
    known = Facts.of(model).shapes.get(name)
    assert known is not None and known[0] is None
    assert Facts(model, batch_size=7).shapes.get(name) == (7, *known[1:])
    assert Facts.of(model).shapes.get(name) == known


def test_a_model_whose_endpoints_are_not_known_is_drawn_without_them():
    meta = MetaGraphDef(graph_def=models.graph(), signature_def={"serve": SignatureDef()})
    with pytest.raises(ModelError, match="nosuch"):
        _ = Facts(ModelSource.of(meta, signature="nosuch")).endpoints
    assert choose_if_readable(ModelSource.of(meta, signature="nosuch")).outputs == []
