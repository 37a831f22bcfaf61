"""`tfmodel.compare_values` of models: variables, constants, and frozen graphs that TensorFlow and we made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.freezing.models import CASES, case
from tfmodel import Checkpoint, Model, ValuesReport, compare_values
from tfmodel.messages import FunctionDef, FunctionDefLibrary, GraphDef, OpDef
from tfmodel.values.dtypes import dtype_of

TRAINED = Path(__file__).resolve().parents[3] / "data" / "trained"


def statuses(report: ValuesReport) -> dict[str, str]:
    return {tensor.name: tensor.status for tensor in report}


def graph(value: float = 1, name: str = "c", **functions: float) -> GraphDef:
    """A graph with a constant of two elements, and functions with a constant "k" of two elements each."""
    bodies = [
        FunctionDef(signature=OpDef(name=function), node_def=[models.const("k", [number, 7], 2)])
        for function, number in functions.items()
    ]
    return GraphDef(node=[models.const(name, [value, 5], 2)], library=FunctionDefLibrary(function=bodies))


def test_constants_are_compared_by_the_names_of_their_nodes() -> None:
    row = compare_values(graph(1), graph(3))["c"]
    assert (row.status, row.kind, row.max_absolute, row.max_at) == ("changed", "constant", 2, (0,))


def test_constants_of_functions_are_compared() -> None:
    assert statuses(compare_values(graph(f=1, g=2), graph(f=1, g=3))) == {"c": "same", "f/k": "same", "g/k": "changed"}


def test_the_number_of_a_function_does_not_count() -> None:
    report = compare_values(graph(call_12=1, call_34=2), graph(call_56=1, call_78=3))
    assert statuses(report) == {"c": "same", "call_12/k": "same", "call_34/k": "changed"}


def test_a_renamed_constant() -> None:
    row = compare_values(graph(), graph(name="d"))["c"]
    assert (row.status, row.after and row.after.name) == ("renamed", "d")


def test_variables_of_models_are_compared_by_their_keys(tmp_path: Path) -> None:
    meta = TRAINED / "model.meta"
    with Checkpoint(TRAINED) as checkpoint:
        values: dict[str, Any] = {**checkpoint, "step": np.int64(1)}
    values["layer/bias"] = values["layer/bias"] + 1
    report = Model(meta).compare_values(Model(meta, checkpoint=values))
    assert statuses(report) == {"layer/weights": "same", "layer/bias": "changed", "step": "added"}


def test_two_checkpoints_are_compared_without_their_graphs() -> None:
    report = compare_values(TRAINED, TRAINED / "model")
    assert (len(report), report.same) == (2, True)
    assert report.notes == [
        "only the tensors of the checkpoints were compared; name the .meta files to compare the graphs"
    ]


def test_variables_without_values_are_noted(tmp_path: Path) -> None:
    tfmodel.save(Model(TRAINED / "model.meta").graph, tmp_path / "graph.pb")
    report = compare_values(tmp_path / "graph.pb", tmp_path / "graph.pb")
    name = tmp_path / "graph.pb"
    assert report.notes == [f"not compared: 2 variables of {name}: it has no checkpoint"] * 2


def test_a_checkpoint_has_no_constants() -> None:
    report = compare_values(graph(3), {"c": np.float32([3, 5]), "slot": np.float32([1, 2])})
    assert statuses(report) == {"c": "same"}
    assert report.notes == ["not compared: 1 tensor of <b>: <a> is frozen without them"]


def test_a_damaged_constant_is_named_with_its_file(tmp_path: Path) -> None:
    damaged = graph()
    value = damaged.node[0].attr["value"].tensor
    assert value is not None
    value.tensor_content = value.tensor_content[:-1]
    tfmodel.save(damaged, tmp_path / "a.pb")
    tfmodel.save(graph(), tmp_path / "b.pb")
    for names in ("ab", "ba"):
        with pytest.raises(tfmodel.TensorError) as raised:
            compare_values(*(tmp_path / f"{name}.pb" for name in names))
        assert str(raised.value).startswith(f'{tmp_path / "a.pb"}: Const "c": float32[2] needs 8 bytes')


def test_models_without_common_tensors() -> None:
    assert statuses(compare_values(graph(), {"v": np.float32([1, 2])})) == {"c": "removed", "v": "added"}


# --- frozen graphs ---------------------------------------------------------------------------------------------------

MADE_BY_FREEZING = {"axis", "there", "unknown", "unknown_4", "mod/y", "asset_path_initializer"}
"""The ends of names of constants that are neither values of variables nor constants of the model."""

FROZEN_TOO = {"tf_function_without_variables"}
WITH_ASSETS = {"saved_model_v1"}
"""Freezing writes the path of the asset into the graph."""

NAMED_OTHERWISE = {
    "other_keys": "a key of the checkpoint is not the name of the variable",
    "partitioned_columns_resource": "the graph has parts, and the checkpoint the whole",
    "partitioned_rows": "the graph has parts, and the checkpoint the whole",
    "partitioned_without_saver": "the graph has parts, and the checkpoint the whole",
    "table_in_the_checkpoint": "the constants are named after the nodes that restore the table",
    "tf_function_signatures": "TensorFlow calls constants unknown_0 in each signature",
    "tf_function_without_variables": "",
}


def frozen_graphs(name: str) -> list[GraphDef]:
    reference = case(name).reference
    return [case(name).freeze(), *([GraphDef.from_bytes(reference)] if reference else [])]


@pytest.mark.parametrize("name", sorted({*CASES} - FROZEN_TOO - WITH_ASSETS))
def test_a_frozen_graph_has_the_values_of_its_model(name: str) -> None:
    model = Model(case(name).model, tags=case(name).asked.get("tags"))
    for frozen in frozen_graphs(name):
        report = compare_values(model, frozen)
        assert {*statuses(report).values()} <= {"same", "added"}
        for row in report.with_status("added"):
            assert row.name.endswith(tuple(MADE_BY_FREEZING)) or "part_" in row.name


@pytest.mark.parametrize("name", sorted({*CASES} - FROZEN_TOO - NAMED_OTHERWISE.keys()))
def test_other_values_are_found_by_names(name: str, tmp_path: Path) -> None:
    """A model after further training, and what was frozen before: all numbers are others."""
    tags = case(name).asked.get("tags")
    model = Model(case(name).model, tags=tags)
    assert isinstance(model.checkpoint, Checkpoint)
    numbers = {key for key, value in model.checkpoint.items() if value.dtype.kind in "fiu" and value.size}
    values = {key: value + 1 if key in numbers else value for key, value in model.checkpoint.items()}
    dtypes = {key: entry.dtype for key, entry in model.checkpoint.entries.items() if dtype_of(entry.dtype).codec}
    tfmodel.write_checkpoint(tmp_path / "later", values, dtypes=dtypes)
    later = Model(case(name).model, tags=tags, checkpoint=str(tmp_path / "later"))
    for frozen in frozen_graphs(name):
        same = [row for row in compare_values(model, frozen) if row.kind == "variable"]
        changed = [row for row in compare_values(later, frozen) if row.kind == "variable" and row.status == "changed"]
        frozen_names = {row.name: row.after and row.after.name for row in same if row.name in numbers}
        assert frozen_names
        assert {row.name: row.after and row.after.name for row in changed} == frozen_names
