"""`tfmodel.inspection.documents`: JSON of what a path leads to is what the JSON of the whole message has there."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbwire.json import to_dict
from pbwire.json.names import json_name
from pbwire.wellknown import Timestamp
from tests import samples
from tests.effort import scaled
from tests.strategies import messages
from tests.tfmodel import models
from tfmodel.inspection.documents import object_lines, value_json
from tfmodel.inspection.field_paths import FieldPathError, select
from tfmodel.messages import CollectionDef, MetaGraphDef

SAMPLES = (samples.Scalars, samples.Optionals, samples.Repeated, samples.Maps, samples.Choice, samples.Groups)


@settings(max_examples=scaled(50))
@given(st.sampled_from(SAMPLES).flatmap(messages))
def test_of_every_field_and_every_element(message):
    whole = to_dict(message)
    for found in select(message, "*"):
        expected = whole[json_name(found.path)]
        assert json.loads(value_json(found)) == expected
        if isinstance(found.value, (list, dict)):
            elements = [json.loads(value_json(element)) for element in select(message, f"{found.path}[*]")]
            if isinstance(found.value, list):
                assert elements == expected
            else:
                assert sorted(map(repr, elements)) == sorted(map(repr, expected.values()))


@pytest.mark.parametrize("field", ["of_int64", "of_bool", "of_float", "of_bytes", "of_mood", "of_string"])
def test_zeros_are_printed_where_they_are_what_was_asked_for(field):
    zero = samples.Maps.__table__.by_name[field].value.zero
    message = samples.Maps(**{field: {"": zero}})
    expected = to_dict(message)[json_name(field)][""]
    (found,) = select(message, f'{field}[""]')
    assert json.loads(value_json(found)) == expected


def test_an_any_is_what_it_holds():
    meta = MetaGraphDef(collection_def=models.collections())
    (found,) = select(meta, "collection_def[queue_runners].any_list.value")
    assert [each["@type"].rpartition(".")[2] for each in json.loads(value_json(found))] == [
        "QueueRunnerDef",
        "GraphDef",
    ]
    (found,) = select(meta, "collection_def[queue_runners].any_list.value[0].type_url")
    assert json.loads(value_json(found)) == "type.googleapis.com/tensorflow.QueueRunnerDef"
    (found,) = select(meta, "collection_def[variables].bytes_list.value[1]")
    assert json.loads(value_json(found)) == "/wA="


def test_what_has_a_form_of_its_own_has_no_parts_in_json():
    (found,) = select(Timestamp(seconds=5), "seconds")
    with pytest.raises(FieldPathError, match="seconds is in a message that has a JSON form of its own"):
        value_json(found)


def test_many_are_one_object_that_is_laid_out_as_json_is():
    meta = MetaGraphDef(collection_def={"a": CollectionDef(node_list=CollectionDef.NodeList(value=["x", "y"]))})
    text = "".join(object_lines(select(meta, "collection_def[*].node_list.*")))
    document = {'collection_def["a"].node_list.value': ["x", "y"]}
    assert text == json.dumps(document, indent=2)
    assert "".join(object_lines(iter([]))) == "{}"
