"""The nodes that fill the tables which outputs read."""

from __future__ import annotations

import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.graph.tables import first_to_run, table_fillers, table_groups

READ = """
    words = Placeholder[dtype=string]
    keys = Const[dtype=string, value=string{"a", "b"}]
    values = Const[dtype=int64, value=int64{1, 2}]
    none = Const[dtype=int64, value=int64{-1}()]
    table = HashTableV2[key_dtype=string, value_dtype=int64]
    y = LookupTableFindV2(table, words, none)
"""
OTHER = """
    other = HashTableV2[key_dtype=string, value_dtype=int64]
    z = LookupTableFindV2(other, words, none)
"""


def fillers(text: str, outputs: str = "y", inputs: str = "words") -> dict[str, list[str]]:
    return table_fillers(graph(READ + text), outputs.split(), set(inputs.split()))


@pytest.mark.parametrize(
    "filler",
    [
        "InitializeTableV2(table, keys, values)",
        "InitializeTable(table, keys, values)",
        "InitializeTableFromTextFileV2(table, keys)",
        "InitializeTableFromTextFile(table, keys)",
        "InitializeTableFromDataset(table, keys)",
        "LookupTableImportV2(table, keys, values)",
        "LookupTableImport(table, keys, values)",
        "LookupTableInsertV2(table, keys, values)",
        "LookupTableInsert(table, keys, values)",
    ],
)
def test_each_op_that_fills_a_table(filler: str) -> None:
    assert fillers(f"init = {filler}") == {"init": ["table"]}


@pytest.mark.parametrize(
    "table",
    [
        "HashTable",
        "HashTableV2",
        "AnonymousHashTable",
        "MutableHashTable",
        "MutableHashTableV2",
        "MutableHashTableOfTensors",
        "MutableHashTableOfTensorsV2",
        "MutableDenseHashTable",
        "MutableDenseHashTableV2",
    ],
)
def test_each_kind_of_table(table: str) -> None:
    nodes = graph(READ.replace("HashTableV2", table) + "init = LookupTableImportV2(table, keys, values)")
    assert table_fillers(nodes, ["y"]) == {"init": ["table"]}


def test_only_tables_that_the_outputs_read_count() -> None:
    text = OTHER + "a = InitializeTableV2(table, keys, values)\nb = InitializeTableV2(other, keys, values)"
    assert fillers(text) == {"a": ["table"]}
    assert fillers(text, "y z") == {"a": ["table"], "b": ["other"]}
    assert fillers(text, "") == {}


def test_the_inputs_of_a_fed_node_are_not_read() -> None:
    text = "init = InitializeTableV2(table, keys, values)\nr = Neg(y)[T=int64]"
    assert fillers(text, "r", "words") == {"init": ["table"]}
    assert fillers(text, "r", "y") == {}


def test_a_node_that_the_outputs_need_anyway_is_not_named() -> None:
    text = "init = InitializeTableV2(table, keys, values)\nr = Neg(y, ^init)[T=int64]"
    assert fillers(text, "r") == {}
    assert fillers(text, "y r") == {}


def test_a_table_that_passes_through_nodes() -> None:
    text = "i = Identity(table)[T=resource]\nj = Identity(i)[T=resource]\ninit = InitializeTableV2(j, keys, values)"
    assert fillers(text) == {"init": ["table"]}


def test_a_table_that_fills_another() -> None:
    text = (
        OTHER + "a = InitializeTableV2(other, keys, values)\n"
        "b = LookupTableFindV2(other, keys, none)\ninit = InitializeTableV2(table, keys, b)"
    )
    assert fillers(text) == {"a": ["other"], "init": ["table"]}


def test_tables_of_one_shared_name_are_one() -> None:
    shared = 'HashTableV2[key_dtype=string, value_dtype=int64, shared_name="t"]'
    text = READ.replace("HashTableV2[key_dtype=string, value_dtype=int64]", shared)
    nodes = graph(text + f"twin = {shared}\ninit = InitializeTableV2(twin, keys, values)")
    assert table_fillers(nodes, ["y"]) == {"init": ["twin"]}


def test_a_node_that_restores_a_table_belongs_to_a_saver() -> None:
    text = "r = RestoreV2(keys, keys, keys)\nload = LookupTableImportV2(table, r, r:1)"
    assert fillers(text) == {}


def test_a_node_that_inserts_what_is_fed_changes_a_table_in_use() -> None:
    text = "new = Placeholder[dtype=string]\ninsert = LookupTableInsertV2(table, new, values)"
    assert fillers(text) == {}
    assert fillers(text.replace("LookupTableInsertV2", "InitializeTableV2")) == {"insert": ["table"]}


def test_a_function_that_fills_the_table_of_its_argument() -> None:
    functions = """
        f: (t: resource) -> ()
        f: k = Const[dtype=string, value=string{"a"}]
        f: v = Const[dtype=int64, value=int64{1}]
        f: i = LookupTableImportV2(t, k:output:0, v:output:0)
        g: (t: resource) -> ()
        g: c = StatefulPartitionedCall(t)[f=@f, Tin=[resource], Tout=[]]
    """
    nodes = graph(functions + READ + "init = StatefulPartitionedCall(table)[f=@g, Tin=[resource], Tout=[]]")
    assert table_fillers(nodes, ["y"]) == {"init": ["table"]}


def test_a_table_that_is_read_and_filled_in_functions() -> None:
    shared = 'HashTableV2[key_dtype=string, value_dtype=int64, shared_name="t"]'
    functions = f"""
        find: (w: string) -> (r: int64 = l:values:0)
        find: t = {shared}
        find: n = Const[dtype=int64, value=int64{{1}}()]
        find: l = LookupTableFindV2(t:table_handle:0, w, n:output:0)
        fill: () -> ()
        fill: t = {shared}
        fill: k = Const[dtype=string, value=string{{"a"}}]
        fill: i = InitializeTableFromTextFileV2(t:table_handle:0, k:output:0)
        words = Placeholder[dtype=string]
        y = PartitionedCall(words)[f=@find, Tin=[string], Tout=[int64]]
        init = StatefulPartitionedCall[f=@fill, Tin=[], Tout=[]]
    """
    assert table_fillers(graph(functions), ["y"]) == {"init": ["init"]}


def test_nodes_that_run_fillers_run_first() -> None:
    text = OTHER + "a = InitializeTableV2(table, keys, values)\nb = InitializeTableV2(other, keys, values)\n"
    nodes = graph(READ + text + "all = NoOp(^a)\nmore = NoOp(^a, ^y)")
    found = table_fillers(nodes, ["y", "z"])
    assert table_groups(nodes, found) == {"all": ["a"]}
    assert first_to_run(nodes, found) == ["all", "b"]


def test_damaged_graphs_are_read_as_far_as_they_go() -> None:
    assert fillers("init = InitializeTableV2\nmore = InitializeTableV2(gone, keys)\ni = Identity(i)") == {}
    assert fillers("i = Identity(i)\ninit = InitializeTableV2(i, keys, values)") == {}
    assert fillers("c = PartitionedCall(table)[f=3]\ninit = InitializeTableV2(table, keys)") == {"init": ["table"]}


def test_a_node_that_inserts_from_a_pipeline_changes_a_table_in_use() -> None:
    text = "new = IteratorGetNext(it)\nit = IteratorV2\ninsert = LookupTableInsertV2(table, new, values)"
    assert fillers(text) == {}
