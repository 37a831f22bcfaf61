"""`tfmodel.ops.traits`: one table of the special roles of ops."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from tfmodel.ops import OPS
from tfmodel.ops.traits import CALLS, MUTABLE_TABLES, RESTORES, TRAITS, VARIABLES, Calls, OpTraits, traits

SOURCES = Path(__file__).parents[3] / "tfmodel"
GENERAL = (
    {"Variable", "VariableV2", "VarHandleOp"},
    {"PartitionedCall", "StatefulPartitionedCall"},
    {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"},
    {"Enter", "RefEnter"},
    {"Exit", "RefExit"},
)


def test_ops_with_a_role_exist() -> None:
    assert {op for op in TRAITS if op not in OPS} <= {"AutoReloadVariable", "_XlaMerge"}  # of TensorFlow 1 and XLA


def test_an_op_without_a_role_has_the_empty_record() -> None:
    assert traits("Relu") == traits("MyOp") == OpTraits()


def test_the_sets_follow_from_the_records() -> None:
    assert {"PartitionedCall", "StatefulPartitionedCall"} == CALLS
    assert {"Variable", "VariableV2", "VarHandleOp"} == VARIABLES
    assert "MutableHashTableV2" in MUTABLE_TABLES
    assert RESTORES["Restore"] == (1, None)
    assert traits("Case").calls == Calls(("branches",), 1, lists=True)


def test_attributes_that_name_functions_are_declared_as_such() -> None:
    for op, record in TRAITS.items():
        if record.calls is not None:
            kinds = {attribute.name: attribute.type for attribute in OPS[op].attr}
            kind = "list(func)" if record.calls.lists else "func"
            assert [kinds[name] for name in record.calls.attributes] == [kind] * len(record.calls.attributes), op


def test_no_other_module_lists_ops_of_a_general_role() -> None:
    """No tuple, list or set has all ops of a role: use the sets of `tfmodel.ops.traits`."""
    lists = [
        f"{path.relative_to(SOURCES)}:{node.lineno}"
        for path in SOURCES.rglob("*.py")
        if path.name != "traits.py" and "_schema" not in path.parts and not path.name.endswith("shapes.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.Tuple, ast.Set, ast.List))
        and any(role <= {item.value for item in node.elts if isinstance(item, ast.Constant)} for role in GENERAL)
    ]
    assert lists == []


def test_traits_need_no_numpy() -> None:
    program = "import sys; sys.modules['numpy'] = None; import tfmodel.ops.traits"
    subprocess.run([sys.executable, "-c", program], check=True)
