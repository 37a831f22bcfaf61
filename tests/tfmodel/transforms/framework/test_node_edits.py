"""`rename_inputs` behaves as RenameNodeInputs does; fresh names are unused ones."""

from __future__ import annotations

import pytest

from tfmodel.errors import TransformError
from tfmodel.messages import NodeDef
from tfmodel.transforms.framework.node_edits import rename_inputs


@pytest.mark.parametrize(
    ("renames", "before", "after"),
    [
        ({"a:*": "b"}, ["a", "a:0", "a:1", "^a", "ab", "x"], ["b", "b:0", "b:1", "^b", "ab", "x"]),
        ({"a": "b:2"}, ["a", "a:0", "a:1", "^a"], ["b:2", "b:2", "a:1", "^a"]),
        ({"a:0": "b"}, ["a", "a:0", "a:1", "^a"], ["b", "b", "a:1", "^a"]),
        ({"a:1": "b"}, ["a", "a:0", "a:1", "^a"], ["a", "a:0", "b", "^a"]),
        ({"^a": "^b"}, ["a", "a:0", "a:1", "^a"], ["a", "a:0", "a:1", "^b"]),
        ({"a": "b", "b": "c", "c:*": "d"}, ["a", "b", "^a", "^c"], ["d", "d", "^a", "^d"]),
        ({"a:1": "a", "a": "b"}, ["a", "a:1"], ["b", "b"]),
        ({"a:*": "b", "a": "c"}, ["a", "a:1"], ["b", "b:1"]),
        ({"a:out:1": "b:z:0"}, ["a:out:1", "a:out", "a:out:0"], ["b:z:0", "a:out", "a:out:0"]),
        ({"a:*": "b"}, ["a:out:1", "^a"], ["b:out:1", "^b"]),
        ({"a": "b"}, ["", "^", "a:x:y:z"], ["", "^", "a:x:y:z"]),
    ],
)
def test_renames(renames: dict[str, str], before: list[str], after: list[str]) -> None:
    assert rename_inputs([NodeDef(name="n", input=before)], renames)[0].input == after


def test_ignored_nodes_keep_their_inputs() -> None:
    nodes = [NodeDef(name="n", input=["a"]), NodeDef(name="m", input=["a"])]
    renamed = rename_inputs(nodes, {"a": "b"}, ignore={"m"})
    assert [node.input for node in renamed] == [["b"], ["a"]]


def test_unchanged_nodes_are_shared_and_changed_ones_are_new() -> None:
    nodes = [NodeDef(name="n", input=["a"]), NodeDef(name="m", input=["c"])]
    renamed = rename_inputs(nodes, {"a": "b"})
    assert nodes[0].input == ["a"]
    assert renamed[1] is nodes[1]


@pytest.mark.parametrize("renames", [{"a": "a"}, {"a:*": "a"}, {"a": "b", "b": "a"}, {"a:*": "b", "b:*": "a"}])
def test_a_cycle_is_refused(renames: dict[str, str]) -> None:
    with pytest.raises(TransformError, match="lead back to"):
        rename_inputs([NodeDef(name="n", input=["a"])], renames)


def test_a_cycle_that_no_input_reaches_is_ignored() -> None:
    assert rename_inputs([NodeDef(name="n", input=["c"])], {"a": "b", "b": "a"})[0].input == ["c"]


@pytest.mark.parametrize("target", ["b:1", "^b", ""])
def test_a_rename_of_a_whole_node_must_give_a_node(target: str) -> None:
    with pytest.raises(TransformError, match="must be renamed to a node"):
        rename_inputs([], {"a:*": target})


def test_a_long_chain_of_renames_takes_little_time() -> None:
    count = 20_000
    renames = {f"n{number}": f"n{number + 1}" for number in range(count)}
    nodes = [NodeDef(name="x", input=[f"n{number}"]) for number in range(count)]
    assert {node.input[0] for node in rename_inputs(nodes, renames)} == {f"n{count}"}
