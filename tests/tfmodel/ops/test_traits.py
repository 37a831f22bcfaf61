"""`tfmodel.ops.traits`: one table of the special roles of ops."""

from __future__ import annotations

import subprocess
import sys

from tfmodel.messages import DataType
from tfmodel.ops import OPS
from tfmodel.ops.traits import (
    CALLS,
    MUTABLE_TABLES,
    RESTORES,
    SAVES,
    SIDE_EFFECTS,
    STATEFUL_WITHOUT_EFFECT,
    TRAITS,
    VARIABLES,
    Calls,
    OpTraits,
    traits,
)

LISTS = ("list(string)",)


def test_ops_with_a_role_exist() -> None:
    assert {op for op in TRAITS if op not in OPS} <= {"AutoReloadVariable", "_XlaMerge"}  # of TensorFlow 1 and XLA


def test_an_op_without_a_role_has_the_empty_record() -> None:
    assert traits("Relu") == traits("MyOp") == OpTraits()


def test_the_sets_follow_from_the_records() -> None:
    assert {"PartitionedCall", "StatefulPartitionedCall"} == CALLS
    assert {"Variable", "VariableV2", "VarHandleOp"} == VARIABLES
    assert "MutableHashTableV2" in MUTABLE_TABLES
    assert RESTORES["Restore"] == (1, None)
    assert SAVES["SaveV2"] == 3
    assert traits("Case").calls == Calls(("branches",), 1, lists=True)


def test_attributes_that_name_functions_are_declared_as_such() -> None:
    for op, record in TRAITS.items():
        if record.calls is not None:
            kinds = {attribute.name: attribute.type for attribute in OPS[op].attr}
            kind = "list(func)" if record.calls.lists else "func"
            assert [kinds[name] for name in record.calls.attributes] == [kind] * len(record.calls.attributes), op


def test_inputs_with_tensors_and_names_of_checkpoints_are_declared_as_such() -> None:
    assert {OPS[op].input_arg[place].name for op, place in SAVES.items()} == {"data", "tensors"}
    assert {OPS[op].input_arg[names].name for op, (names, _) in RESTORES.items()} == {"tensor_name", "tensor_names"}


def test_paths_and_addresses_are_inputs_or_attributes_of_the_op() -> None:
    for op, effects in SIDE_EFFECTS.items():
        rows = {row.name: row.type for row in (*OPS[op].input_arg, *OPS[op].attr)} if op in OPS else {}
        assert {rows.get(effect.name) for effect in effects if effect.name} <= {DataType.DT_STRING, "string", *LISTS}, (
            op
        )


def test_ops_without_an_effect_are_declared_as_stateful() -> None:
    assert [op for op in sorted(STATEFUL_WITHOUT_EFFECT) if not OPS[op].is_stateful] == []


def test_traits_need_no_numpy() -> None:
    program = "import sys; sys.modules['numpy'] = None; import tfmodel.ops.traits"
    subprocess.run([sys.executable, "-c", program], check=True)
