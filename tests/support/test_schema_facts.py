"""The rows of a facts file have the meaning that `tests.support.schema_facts` documents."""

from __future__ import annotations

import pytest

from tests.support import schema_facts

SAMPLE = """\
# made by hand
message	demo.Old	demo.proto	proto2	reserved 2-2,19-19
field	1	name	string		required "default=two words"
field	3	part	demo.Old.Part		group
field	4	number	int32	repeated	packed deprecated
field	5	plain	int32	repeated
message	demo.New	demo.proto	proto3

field	1	by_key	map<string,demo.New>
field	2	maybe	sint64		optional
field	3	choice	bytes		oneof=kind
enum	demo.Colour	demo.proto	closed
value	1	RED
value	-1	GREEN
enum	demo.Open	other.proto
value	0	NONE
"""


def test_messages_and_enums_are_found_with_their_rows():
    sample = schema_facts.parse(SAMPLE)
    assert list(sample.messages) == ["demo.Old", "demo.New"]
    assert list(sample.enums) == ["demo.Colour", "demo.Open"]
    assert [fact.full_name for fact in sample.files()["demo.proto"]] == ["demo.Old", "demo.New", "demo.Colour"]
    assert sample.messages["demo.Old"].syntax == "proto2"
    assert sample.messages["demo.Old"].notes == ("reserved", "2-2,19-19")
    assert sample.enums["demo.Colour"].closed and not sample.enums["demo.Open"].closed
    assert [(value.number, value.name) for value in sample.enums["demo.Colour"].values] == [(1, "RED"), (-1, "GREEN")]


def test_notes_become_properties():
    sample = schema_facts.parse(SAMPLE)
    name, part, number, plain = sample.messages["demo.Old"].fields
    assert (name.required, name.default) == (True, "two words")
    assert part.group and not part.repeated
    assert number.packed and number.deprecated and number.repeated
    assert plain.repeated and not plain.packed
    by_key, maybe, choice = sample.messages["demo.New"].fields
    assert by_key.map_types == ("string", "demo.New") and not by_key.repeated
    assert maybe.optional and maybe.default is None and maybe.map_types is None
    assert choice.oneof == "kind"


@pytest.mark.parametrize(
    "text",
    [
        "field\t1\tname\tstring\n",
        "enum\tdemo.E\tdemo.proto\nfield\t1\tname\tstring\n",
        "message\tdemo.M\tdemo.proto\tproto3\nvalue\t1\tRED\n",
        "message\tdemo.M\tdemo.proto\tproto3\nmessage\tdemo.M\tdemo.proto\tproto3\n",
        "something else\n",
    ],
)
def test_a_row_in_the_wrong_place_is_refused(text):
    with pytest.raises(ValueError):
        schema_facts.parse(text)


def test_every_line_of_the_facts_is_loaded():
    facts = schema_facts.load()
    kinds = [line.partition("\t")[0] for line in schema_facts.SCHEMA_FACTS.read_text(encoding="utf-8").splitlines()]
    assert (len(facts.messages), len(facts.enums)) == (kinds.count("message"), kinds.count("enum"))
    assert sum(len(fact.fields) for fact in facts.messages.values()) == kinds.count("field")
    assert sum(len(fact.values) for fact in facts.enums.values()) == kinds.count("value")
