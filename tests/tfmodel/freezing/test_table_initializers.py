"""Lookup tables and their initializers in frozen graphs."""

from __future__ import annotations

import numpy as np
import pytest

from tfmodel import FreezeError
from tfmodel.freezing import freeze
from tfmodel.messages import MetaGraphDef, SavedModel
from tfmodel.values.tensors import to_ndarray

from .models import V, X, case, frozen, graph, lines, nodes_of


class TestTables:
    TABLE = ("t = HashTableV2()", "y = LookupTableFindV2(t, x, x)")

    def test_contents_that_a_checkpoint_restores_become_constants(self):
        model = case("table_in_the_checkpoint")
        nodes = nodes_of(model.freeze())
        keys, values = (to_ndarray(nodes[f"save/RestoreV2/{port}"].attr["value"].tensor).tolist() for port in (1, 2))
        assert dict(zip(keys, values, strict=True)) == {b"cat": 1, b"dog": 0}

    def test_of_the_initializers_only_those_of_tables_are_kept(self):
        nodes = frozen(
            V,
            X,
            *self.TABLE,
            "k = Const() dtype=float",
            "f = LookupTableImportV2(t, k, k)",
            "a = AssignVariableOp(v, k) dtype=float",
            "init = NoOp(^f)",
            "other = NoOp(^f, ^a)",
        )
        assert lines(nodes) == [
            "f = LookupTableImportV2(t, k, k)",
            "init = NoOp(^f)",
            "t = HashTableV2()",
            "x = Placeholder()",
            "y = LookupTableFindV2(t, x, x)",
        ]

    def test_constants_that_are_inserted_are_kept_and_fed_elements_are_not(self):
        nodes = frozen(
            V,
            X,
            *self.TABLE,
            "k = Const() dtype=float",
            "a = LookupTableInsertV2(t, k, k)",
            "b = LookupTableInsertV2(t, x, x)",
        )
        assert "a = LookupTableInsertV2(t, k, k)" in lines(nodes)
        assert not any(line.startswith("b =") for line in lines(nodes))

    def test_contents_that_only_loading_restores_are_not_lost(self):
        nodes = ["t = MutableHashTableV2()", "d = Const()", "y = LookupTableFindV2(t, x, d)", "x = Placeholder()"]
        meta = MetaGraphDef(graph_def=graph(*nodes))
        model = SavedModel(meta_graphs=[meta])
        saved = {"table/.ATTRIBUTES/table-keys": np.array([b"a"], object)}
        with pytest.raises(FreezeError, match='the contents of the table "t" are only in the checkpoint'):
            freeze(model, "y", checkpoint=saved)
        assert [node.name for node in freeze(model, "y", checkpoint={}).node] == ["t", "d", "y", "x"]

    def test_keys_that_the_checkpoint_does_not_have(self):
        model = case("table_in_the_checkpoint")
        with pytest.raises(FreezeError, match='"table-keys", which the checkpoint does not have'):
            model.freeze(checkpoint={"embedding": np.zeros((2, 2), "f4")})
