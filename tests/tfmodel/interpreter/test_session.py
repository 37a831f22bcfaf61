"""What a session does before it runs, and what it makes of graphs that never end."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.running import graph_of
from tfmodel import freeze
from tfmodel.errors import FreezeError, GraphError, RunError
from tfmodel.interpreter import Session

TABLE = """
    keys = Const[dtype=string, value=string{"a", "b"}]
    values = Const[dtype=int64, value=int64{1, 2}]
    table = HashTableV2[key_dtype=string, value_dtype=int64, shared_name="t"]
    fill = InitializeTableV2(table, keys, values)[Tkey=string, Tval=int64]
    word = Placeholder[dtype=string, shape=()]
    none = Const[dtype=int64, value=int64{-1}()]
    y = LookupTableFindV2(table, word, none)[Tin=string, Tout=int64]
"""

CIRCLE = """
    round = Identity(round)[T=resource]
    fill = InitializeTableV2(round, k, k)[Tkey=int64, Tval=int64]
    k = Const[dtype=int64, value=int64{1}]
    y = Neg(k)[T=int64]
"""


def test_the_tables_that_a_run_needs_are_filled_before() -> None:
    session = Session(graph_of(TABLE))
    assert session.run({"word": "b"}, "y")["y"] == 2
    assert session.run({"word": "c"}, "y")["y"] == -1


def test_a_table_that_could_not_be_filled_is_filled_the_next_time() -> None:
    session = Session(graph_of(TABLE))
    with pytest.raises(RunError, match="the most steps that were allowed are over"):
        session.run({"word": "b"}, "y", max_steps=2)
    assert session.run({"word": "b"}, "y")["y"] == 2


def test_a_table_that_is_made_of_itself_is_an_error() -> None:
    with pytest.raises(GraphError, match="its table is an Identity of itself"):
        Session(graph_of(CIRCLE)).run({}, "y")
    with pytest.raises(FreezeError):
        freeze(graph_of(CIRCLE.replace("y = Neg", "v = VariableV2[dtype=int64, shape=()]\n    y = Neg")), "y")
