"""The table of ops with a special role in a graph: one record for each, and sets of ops derived from the records.

    traits("VarHandleOp").variable        # "handle"
    traits("If").calls                    # Calls(attributes=("then_branch", "else_branch"), first_argument=1)
    traits("Relu")                        # the empty record: nothing special
    node.op in PLACEHOLDERS               # a set, for code that asks often

A fact about an op that two packages need belongs here; what one transform alone needs stays with it. The declarations
of ops (`definitions`) say which are stateful; `flops` counts their operations; `parameters.roles` names their inputs.
This module imports nothing of tfmodel, and no NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

__all__ = [
    "CALLS",
    "CONSTS",
    "ENTER",
    "EXIT",
    "INITIALIZES_TABLE",
    "LOOP_COND",
    "MERGE",
    "MUTABLE_TABLES",
    "NEXT_ITERATION",
    "PLACEHOLDERS",
    "PLACEHOLDERS_WITHOUT_DEFAULT",
    "RANDOM",
    "REFERENCE_VARIABLES",
    "RESTORES",
    "SWITCH",
    "TABLES",
    "TRAITS",
    "VARIABLES",
    "VARIABLE_INITIALIZERS",
    "WHILE_LOOPS",
    "Calls",
    "OpTraits",
    "traits",
]


class Calls(NamedTuple):
    """The calls of library functions by an op.

    attributes       the attributes that name functions; one that is a list of functions is in `lists`
    first_argument   the input that is the first argument of the functions
    lists            whether the attributes are lists of functions
    """

    attributes: tuple[str, ...]
    first_argument: int = 0
    lists: bool = False


@dataclass(frozen=True, slots=True)
class OpTraits:
    """The special roles of one op.

    constant           its output is its attribute "value"
    placeholder        it is fed; "required" unless the op has a default value
    variable           "reference" for variables whose output is the variable itself, as in TensorFlow 1, "handle" for
                       ops whose output is a handle that other ops read
    assigns            it assigns its second input to the variable of its first
    control_flow       its role in loops and conditionals of TensorFlow 1: "enter", "exit", "next_iteration", "merge",
                       "switch", "loop_cond"
    calls              how it calls functions; None if it calls none that gets its inputs
    is_while           it calls its functions repeatedly
    table              "immutable" or "mutable" for lookup tables
    initializes_table  it fills a whole table
    restores           for ops that read tensors of a checkpoint: the input with their names, and the input with slices
    is_random          its outputs differ from run to run
    """

    constant: bool = False
    placeholder: str = ""
    variable: str = ""
    assigns: bool = False
    control_flow: str = ""
    calls: Calls | None = None
    is_while: bool = False
    table: str = ""
    initializes_table: bool = False
    restores: tuple[int, int | None] | None = None
    is_random: bool = False


_EMPTY = OpTraits()
_ROWS: list[tuple[str, OpTraits]] = [
    ("Const HostConst", OpTraits(constant=True)),
    ("Placeholder PlaceholderV2", OpTraits(placeholder="required")),
    ("PlaceholderWithDefault", OpTraits(placeholder="optional")),
    # variables
    ("Variable VariableV2", OpTraits(variable="reference")),
    ("VarHandleOp", OpTraits(variable="handle")),
    ("Assign AssignVariableOp", OpTraits(assigns=True)),
    # control flow of TensorFlow 1
    ("Enter RefEnter", OpTraits(control_flow="enter")),
    ("Exit RefExit", OpTraits(control_flow="exit")),
    ("NextIteration RefNextIteration", OpTraits(control_flow="next_iteration")),
    ("Merge RefMerge _XlaMerge", OpTraits(control_flow="merge")),
    ("Switch RefSwitch _SwitchN", OpTraits(control_flow="switch")),
    ("LoopCond", OpTraits(control_flow="loop_cond")),
    # calls
    ("PartitionedCall StatefulPartitionedCall", OpTraits(calls=Calls(("f",)))),
    ("If StatelessIf", OpTraits(calls=Calls(("then_branch", "else_branch"), 1))),
    ("Case StatelessCase", OpTraits(calls=Calls(("branches",), 1, lists=True))),
    ("While StatelessWhile", OpTraits(calls=Calls(("cond", "body")), is_while=True)),
    # tables
    ("HashTable HashTableV2 AnonymousHashTable", OpTraits(table="immutable")),
    ("MutableHashTable MutableHashTableV2 MutableHashTableOfTensors", OpTraits(table="mutable")),
    ("MutableHashTableOfTensorsV2 MutableDenseHashTable MutableDenseHashTableV2", OpTraits(table="mutable")),
    ("InitializeTable InitializeTableV2 InitializeTableFromDataset", OpTraits(initializes_table=True)),
    ("InitializeTableFromTextFile InitializeTableFromTextFileV2", OpTraits(initializes_table=True)),
    ("LookupTableImport LookupTableImportV2", OpTraits(initializes_table=True)),
    # checkpoints
    ("RestoreV2 RestoreSlice", OpTraits(restores=(1, 2))),
    ("Restore", OpTraits(restores=(1, None))),
    # random numbers
    ("Multinomial RandomGamma RandomPoisson RandomPoissonV2 RandomShuffle", OpTraits(is_random=True)),
    ("RandomStandardNormal RandomUniform RandomUniformInt TruncatedNormal", OpTraits(is_random=True)),
]


def _records() -> dict[str, OpTraits]:
    """Return the records by op. An op may have several rows, each for another role."""
    records: dict[str, OpTraits] = {}
    for ops, row in _ROWS:
        roles = {name: getattr(row, name) for name in OpTraits.__slots__ if getattr(row, name) != getattr(_EMPTY, name)}
        for op in ops.split():
            records[op] = replace(records.get(op, _EMPTY), **roles)
    return records


TRAITS: Mapping[str, OpTraits] = _records()
"""The records by op."""


def traits(op: str) -> OpTraits:
    """Return the record of an op; the empty record if it has no special role."""
    return TRAITS.get(op, _EMPTY)


def _ops(has: Callable[[OpTraits], object]) -> frozenset[str]:
    return frozenset(op for op, record in TRAITS.items() if has(record))


# --- sets of ops -----------------------------------------------------------------------------------------------------

CONSTS = _ops(lambda record: record.constant)
PLACEHOLDERS = _ops(lambda record: record.placeholder)
PLACEHOLDERS_WITHOUT_DEFAULT = _ops(lambda record: record.placeholder == "required")
VARIABLES = _ops(lambda record: record.variable)
REFERENCE_VARIABLES = _ops(lambda record: record.variable == "reference")
VARIABLE_INITIALIZERS = _ops(lambda record: record.assigns)
ENTER = _ops(lambda record: record.control_flow == "enter")
EXIT = _ops(lambda record: record.control_flow == "exit")
NEXT_ITERATION = _ops(lambda record: record.control_flow == "next_iteration")
MERGE = _ops(lambda record: record.control_flow == "merge")
SWITCH = _ops(lambda record: record.control_flow == "switch")
LOOP_COND = _ops(lambda record: record.control_flow == "loop_cond")
CALLS = _ops(lambda record: record.calls == Calls(("f",)))
"""Ops that call the function of their attribute `f` on the same device, and return its results."""
WHILE_LOOPS = _ops(lambda record: record.is_while)
TABLES = _ops(lambda record: record.table)
MUTABLE_TABLES = _ops(lambda record: record.table == "mutable")
INITIALIZES_TABLE = _ops(lambda record: record.initializes_table)
RANDOM = _ops(lambda record: record.is_random)
RESTORES: Mapping[str, tuple[int, int | None]] = {
    op: record.restores for op, record in TRAITS.items() if record.restores is not None
}
"""Ops that read tensors of a checkpoint: the input with their names, and the input with their slices."""
