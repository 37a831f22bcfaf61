"""Large graphs with variables and tables, their initializers and their restore nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.hostile.graphs import FLOAT, graph, node, placeholder
from tests.hostile.large.builders import BOOL, RESOURCE, STRING, added, values
from tests.tfmodel.models import shape
from tfmodel.messages import (
    AttrValue,
    GraphDef,
)

__all__ = ["GRAPHS"]


def variables(size: int, *, resources: bool = True, initialized: bool = True) -> GraphDef:
    """Variables, all set by one initializer, and the sum of their values."""
    nodes, reads, sets, count = [placeholder("x"), values("zero", np.float32(0))], [], [], size // 3
    for number in range(count):
        name = f"v{number}"
        if resources:
            nodes += [
                node(name, "VarHandleOp", dtype=FLOAT, shape=AttrValue(shape=shape()), shared_name=name.encode()),
                node(f"{name}/Assign", "AssignVariableOp", name, "zero", dtype=FLOAT),
                node(f"{name}/Read", "ReadVariableOp", name, dtype=FLOAT),
            ]
        else:
            nodes += [
                node(name, "VariableV2", dtype=FLOAT, shape=AttrValue(shape=shape())),
                node(f"{name}/Assign", "Assign", name, "zero"),
                node(f"{name}/Read", "Identity", name),
            ]
        sets.append(f"^{name}/Assign")
        reads.append(f"{name}/Read")
    return graph(*nodes, node("init", "NoOp", *sets), added(["x", *reads]))


def loop_of_variables(size: int, *, resources: bool = True) -> GraphDef:
    """A loop that goes on while the sum of all variables is positive."""
    nodes = variables(size, resources=resources).node[:-1]
    frame = {"frame_name": AttrValue(s=b"loop")}
    return graph(
        *nodes,
        added([row.name for row in nodes if row.name.endswith("/Read")], "sum"),
        node("more", "Greater", "sum", "zero"),
        node("enter", "Enter", "zero", **frame),
        node("enter_more", "Enter", "more", **frame, T=BOOL, is_constant=True),
        node("merge", "Merge", "enter", "next", N=2),
        node("condition", "LoopCond", "enter_more"),
        node("switch", "Switch", "merge", "condition"),
        node("next", "NextIteration", "switch:1"),
        node("y", "Exit", "switch"),
    )


def savers(size: int) -> GraphDef:
    """Each variable has a node of its own that restores it."""
    nodes, reads = [placeholder("x"), values("path", np.array(b"model", object))], []
    for number in range(size // 6):
        name = f"v{number}"
        names, slices = np.array([name.encode()], object), np.array([b""], object)
        nodes += [
            node(name, "VariableV2", dtype=FLOAT, shape=AttrValue(shape=shape())),
            values(f"{name}/names", names),
            values(f"{name}/slices", slices),
            node(f"{name}/save", "SaveV2", "path", f"{name}/names", f"{name}/slices", name),
            node(
                f"{name}/restore",
                "RestoreV2",
                "path",
                f"{name}/names",
                f"{name}/slices",
                dtypes=AttrValue(list=AttrValue.ListValue(type=[FLOAT])),
            ),
            node(f"{name}/Assign", "Assign", name, f"{name}/restore"),
        ]
        reads.append(name)
    return graph(*nodes, added(["x", *reads]))


def tables(size: int, *, chained: bool = False) -> GraphDef:
    """Tables that are initialized, each with a look-up; or one, behind a chain of Identity nodes."""
    types = {"Tkey": STRING, "Tval": FLOAT}
    nodes = [placeholder("x"), values("keys", np.array([b"a"], object)), values("vals", np.ones(1, np.float32))]
    nodes += [values("default", np.float32(0)), values("key", np.array(b"a", object))]
    results, sets, count = [], [], size // 3
    last = "t"
    if chained:
        nodes.append(node("t", "HashTableV2", key_dtype=STRING, value_dtype=FLOAT, shared_name=b"t"))
    for number in range(count):
        name = f"t{number}"
        if chained:
            nodes.append(node(name, "Identity", last, T=RESOURCE))
        else:
            nodes.append(node(name, "HashTableV2", key_dtype=STRING, value_dtype=FLOAT, shared_name=name.encode()))
        last = name
        nodes += [
            node(
                f"{name}/set",
                "LookupTableImportV2" if chained and number else "InitializeTableV2",
                name,
                "keys",
                "vals",
                **types,
            ),
            node(f"{name}/find", "LookupTableFindV2", name, "key", "default", Tin=STRING, Tout=FLOAT),
        ]
        results.append(f"{name}/find")
        sets.append(f"^{name}/set")
    return graph(*nodes, node("init", "NoOp", *sets), added(["x", *results]))


def initializer_chain(size: int) -> GraphDef:
    """Variables, each initialized with the value of the previous one."""
    nodes, before = [placeholder("x"), values("zero", np.float32(0))], "zero"
    for number in range(size // 3):
        name = f"v{number}"
        nodes += [
            node(name, "VarHandleOp", dtype=FLOAT, shape=AttrValue(shape=shape()), shared_name=name.encode()),
            node(f"{name}/Assign", "AssignVariableOp", name, before, dtype=FLOAT),
            node(f"{name}/Read", "ReadVariableOp", name, f"^{name}/Assign", dtype=FLOAT),
        ]
        before = f"{name}/Read"
    return graph(*nodes, node("y", "AddV2", "x", before))


def one_saver(size: int, *, passed_on: bool = False) -> GraphDef:
    """Variables that one node restores, or that one value initializes through a chain of Identity nodes."""
    count = size // 3
    keys = np.array([f"v{number}".encode() for number in range(count)], object)
    types = AttrValue(list=AttrValue.ListValue(type=[FLOAT] * count))
    nodes = [
        placeholder("x"),
        values("path", np.array(b"model", object)),
        values("names", keys),
        values("slices", np.full(count, b"", object)),
        node("restore", "RestoreV2", "path", "names", "slices", dtypes=types),
    ]
    value = "restore"
    for number in range(count):
        name = f"v{number}"
        if passed_on:
            nodes.append(node(f"i{number}", "Identity", value))
        value = f"i{number}" if passed_on else f"restore:{number}"
        nodes += [
            node(name, "VariableV2", dtype=FLOAT, shape=AttrValue(shape=shape())),
            node(f"{name}/Assign", "Assign", name, value),
        ]
    return graph(*nodes, added(["x", *(f"v{number}" for number in range(count))]))


def restored_values(size: int) -> GraphDef:
    """Values of a checkpoint that are used without any variable."""
    nodes = [placeholder("x"), values("path", np.array(b"model", object)), values("slices", np.array([b""], object))]
    count = size // 2
    for number in range(count):
        nodes += [
            values(f"names{number}", np.array([b"v%d" % number], object)),
            node(
                f"r{number}",
                "RestoreV2",
                "path",
                f"names{number}",
                "slices",
                dtypes=AttrValue(list=AttrValue.ListValue(type=[FLOAT])),
            ),
        ]
    nodes.append(node("v0", "VariableV2", dtype=FLOAT, shape=AttrValue(shape=shape())))
    return graph(*nodes, added(["x", "v0", *(f"r{number}" for number in range(count))]))


GRAPHS: dict[str, Callable[[int], GraphDef]] = {
    "variables": variables,
    "old variables": lambda size: variables(size, resources=False),
    "loop of variables": loop_of_variables,
    "loop of old variables": lambda size: loop_of_variables(size, resources=False),
    "savers": savers,
    "one saver": one_saver,
    "savers behind Identity": lambda size: one_saver(size, passed_on=True),
    "restored values": restored_values,
    "tables": tables,
    "one table": lambda size: tables(size, chained=True),
    "chain of initializers": initializer_chain,
}
