"""Findings about lookup tables, and what `freeze` and `optimize` say about them and about iterators."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import check, save
from tfmodel.cli import main

LOOKUP = """
    keys = Placeholder[dtype=string, shape=(-1)]
    other = Const[dtype=int64, value=int64{-1}()]
    table = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="words"]
    found = LookupTableFindV2(table, keys, other)[Tin=string, Tout=int64]
    y = Identity(found)[T=int64]
"""
FILLED = (
    LOOKUP
    + """
    k = Const[dtype=string, value=string{"a", "b"}(2)]
    v = Const[dtype=int64, value=int64{1, 2}(2)]
    fill = LookupTableImportV2(table, k, v)[Tin=string, Tout=int64]
    """
)


def test_a_table_that_nothing_fills_is_broken():
    (finding,) = check(graph(LOOKUP)).of("broken")
    assert (finding.kind, finding.node) == ("table", "table")
    assert 'nothing in the graph fills the table "table"' in finding.message


def test_a_table_that_accepts_elements_may_be_empty():
    assert check(graph(LOOKUP.replace("HashTableV2", "MutableHashTableV2"))).of("broken") == []


def test_a_table_that_is_filled_under_its_shared_name_is_sound():
    text = FILLED.replace("ImportV2(table", "ImportV2(same")
    text = text.rstrip() + '\n    same = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="words"]\n'
    assert check(graph(text)).of("broken") == []


def test_the_node_that_must_run_first_is_noted():
    (finding,) = check(graph(FILLED)).of("note")
    assert finding.message == 'this node fills tables, and must run before the outputs: "fill"'


@pytest.mark.parametrize("command", ["optimize", "freeze"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FILLED, 'run the node "fill" first: it fills tables'),
        (LOOKUP, 'nothing fills the table "table": looking up in it fails'),
    ],
    ids=["filled", "empty"],
)
def test_commands_that_write_a_graph_say_so(tmp_path, capsys, command, text, said):
    save(graph(text), tmp_path / "model.pb")
    assert main([command, str(tmp_path / "model.pb"), "-o", str(tmp_path / "out.pb"), "--outputs=y"]) == 0
    assert said in capsys.readouterr().err


ITERATOR = """
    i = IteratorV2[output_shapes=[(2), (2)], output_types=[float, int32], shared_name="", container=""]
    next = IteratorGetNext(i)[output_shapes=[(2), (2)], output_types=[float, int32]]
    y = Neg(next)[T=float]
"""


def test_freeze_names_the_tensors_of_an_iterator_that_nothing_starts(tmp_path, capsys):
    save(graph(ITERATOR), tmp_path / "model.pb")
    assert main(["freeze", str(tmp_path / "model.pb"), "-o", str(tmp_path / "out.pb"), "--outputs=y"]) == 0
    assert 'takes "next" from an iterator that nothing in it starts; feed these: ' in capsys.readouterr().err
    assert main(["optimize", str(tmp_path / "model.pb"), "-o", str(tmp_path / "out.pb"), "--inputs=next"]) == 0
