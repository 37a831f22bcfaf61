"""Execution of plans: refusals and their messages, the limit of steps, the lifetime of tensors."""

from __future__ import annotations

import inspect
import sys
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.errors import GraphError, RunError
from tfmodel.interpreter import Session, run
from tfmodel.interpreter.profiling import Spent
from tfmodel.messages import NodeDef

ENDLESS = """
    zero = Const[dtype=int32, value=int32{0}()]
    enter = Enter(zero)[T=int32, frame_name="loop"]
    merge = Merge(enter, next)[T=int32, N=2]
    always = Const(^merge)[dtype=bool, value=bool{1}()]
    cond = LoopCond(always)
    switch = Switch(merge, cond)[T=int32]
    next = NextIteration(switch:1)[T=int32]
    exit = Exit(switch)[T=int32]
"""

BRANCHES = """
    x = Placeholder[dtype=float]
    p = Placeholder[dtype=bool]
    switch = Switch(x, p)[T=float]
    off = Neg(switch)[T=float]
    on = Square(switch:1)[T=float]
"""


def chain(length: int) -> str:
    """x, and each node the negative of the one before."""
    nodes = [f"n{number} = Neg({f'n{number - 1}' if number else 'x'})[T=float]" for number in range(length)]
    return "\n".join(["x = Placeholder[dtype=float]", *nodes])


def test_a_loop_that_never_ends_is_stopped_when_its_steps_are_over() -> None:
    with pytest.raises(RunError, match="stopped at the limit of"):
        run(graph(ENDLESS), {}, ["exit"], max_steps=1_000)


def test_as_many_steps_as_there_are_nodes_are_enough() -> None:
    with pytest.raises(RunError, match='Neg "n9": stopped at the limit of 9 steps'):
        run(graph(chain(10)), {"x": [1]}, ["n9"], max_steps=9)
    assert run(graph(chain(10)), {"x": [1]}, ["n9"], max_steps=10)["n9"] == [1]


@pytest.mark.parametrize(("p", "dead", "alive"), [(True, "off", "on"), (False, "on", "off")])
def test_tensors_of_a_branch_that_was_not_taken_cannot_be_fetched(p: bool, dead: str, alive: str) -> None:
    with pytest.raises(RunError, match=f'"{dead}" is not computed: it is in a branch that was not taken'):
        run(graph(BRANCHES), {"x": 3, "p": p}, [alive, dead])
    assert run(graph(BRANCHES), {"x": 3, "p": p}, [alive])[alive] == (9 if p else -3)


@pytest.mark.parametrize("p", [True, False])
def test_nodes_behind_a_control_trigger_run_whichever_branch_was_taken(p: bool) -> None:
    waiting = """
    trigger = ControlTrigger(^on, ^off)
    y = Const(^trigger)[dtype=float, value=float{5}()]
    """
    assert run(graph(BRANCHES + waiting), {"x": 3, "p": p}, ["y"])["y"] == 5


def test_an_op_without_a_kernel_is_named_with_all_others_that_have_none() -> None:
    nodes = graph("""
        x = Placeholder[dtype=float]
        a = Mystery(x)
        b = Mystery(a)
        c = Riddle(b)
    """)
    message = (
        r'Mystery "a": there is no kernel for this op, and 2 nodes need it; other ops without a kernel: Riddle \(1\)'
    )
    with pytest.raises(RunError, match=message):
        run(nodes, {"x": 1}, ["c"])


def test_an_op_without_a_kernel_does_no_harm_where_it_is_not_reached() -> None:
    nodes = graph(BRANCHES + "    strange = Mystery(switch)\n    y = Merge(strange, on)[T=float, N=2]\n")
    assert run(nodes, {"x": 3, "p": True}, ["y"])["y"] == 9


def test_an_error_in_a_kernel_names_the_node_and_its_inputs() -> None:
    nodes = graph("""
        x = Placeholder[dtype=float]
        y = Placeholder[dtype=float]
        sum = AddV2(x, y)[T=float]
        z = Neg(sum)[T=float]
    """)
    with pytest.raises(RunError, match=r'^AddV2 "sum": .*float32\[2\], float32\[3\]'):
        run(nodes, {"x": [1, 2], "y": [1, 2, 3]}, ["z"])


def test_a_tensor_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(GraphError, match='"on" has no output 4: it has 1'):
        run(graph(BRANCHES), {"x": 3, "p": True}, ["on:4"])


def test_a_function_with_two_arguments_of_one_name_is_refused() -> None:
    nodes = graph("""
        f: (a: float, a: float) -> (r: float = n:y:0)
        f: n = Neg(a)[T=float]
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[f=@f, Tin=[float], Tout=[float]]
    """)
    with pytest.raises(RunError, match='function "f" has two arguments "a"'):
        run(nodes, {"x": 1}, ["y"])


def test_functions_without_an_end_are_stopped() -> None:
    nodes = graph("""
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[Tin=[float], Tout=[float], f=@again]
        again: (a: float) -> (r: float = call:output:0)
        again: call = PartitionedCall(a)[Tin=[float], Tout=[float], f=@again]
    """)
    with pytest.raises(RunError, match="calls of functions are nested more than 100 deep"):
        run(nodes, {"x": 1}, ["y"])


def test_functions_without_an_end_are_stopped_where_little_stack_is_left() -> None:
    nodes = graph("""
        x = Placeholder[dtype=float]
        y = PartitionedCall(x)[Tin=[float], Tout=[float], f=@again]
        again: (a: float) -> (r: float = call:output:0)
        again: call = PartitionedCall(a)[Tin=[float], Tout=[float], f=@again]
    """)

    def deep(levels: int) -> None:
        if levels:
            deep(levels - 1)
        else:
            run(nodes, {"x": 1}, ["y"])

    with pytest.raises(RunError, match="calls of functions are nested deeper"):
        deep(sys.getrecursionlimit() - len(inspect.stack(0)) - 200)


def test_a_chain_of_many_nodes_needs_no_deep_stack() -> None:
    assert run(graph(chain(5_000)), {"x": [1]}, ["n4999"])["n4999"] == [1]


class Alive:
    """Counts which of the arrays that kernels gave are still there, whenever another one was computed."""

    def __init__(self) -> None:
        self.most = 0
        self._given: dict[int, weakref.ref[Any]] = {}

    def __call__(self, node: NodeDef, inputs: Sequence[Any], outputs: Sequence[Any], spent: Spent) -> None:
        self._given = {number: reference for number, reference in self._given.items() if reference() is not None}
        self._given |= {id(array): weakref.ref(array) for array in outputs}
        self.most = max(self.most, len(self._given))


def test_tensors_are_forgotten_when_the_last_node_that_takes_them_has_run() -> None:
    alive = Alive()
    Session(graph(chain(50))).run({"x": np.ones(10)}, ["n49"], observer=alive)
    assert alive.most == 2  # what a node takes, and what it gives


def test_tensors_that_are_fetched_are_kept() -> None:
    alive = Alive()
    Session(graph(chain(50))).run({"x": np.ones(10)}, ["n0", "n1", "n49"], observer=alive)
    assert alive.most == 4


def test_tensors_of_one_iteration_are_forgotten_in_the_next() -> None:
    counting = graph("""
        zero = Const[dtype=int32, value=int32{0}()]
        enter = Enter(zero)[T=int32, frame_name="loop"]
        merge = Merge(enter, next)[T=int32, N=2]
        limit = Const(^merge)[dtype=int32, value=int32{100}()]
        less = Less(merge, limit)[T=int32]
        cond = LoopCond(less)
        switch = Switch(merge, cond)[T=int32]
        one = Const(^switch)[dtype=int32, value=int32{1}()]
        sum = AddV2(switch:1, one)[T=int32]
        next = NextIteration(sum)[T=int32]
        exit = Exit(switch)[T=int32]
    """)
    alive = Alive()
    assert Session(counting).run({}, ["exit"], observer=alive)["exit"] == 100
    assert alive.most < 10


def test_a_fed_array_is_never_changed() -> None:
    nodes = graph("""
        x = Placeholder[dtype=float]
        v = VarHandleOp[dtype=float, shape=(2)]
        set = AssignVariableOp(v, x)[dtype=float]
        add = AssignAddVariableOp(v, x, ^set)[dtype=float]
        y = ReadVariableOp(v, ^add)[dtype=float]
    """)
    x = np.array([1, 2], np.float32)
    assert run(nodes, {"x": x}, ["y"])["y"].tolist() == [2, 4]
    assert x.tolist() == [1, 2]


def test_variables_live_as_long_as_the_session() -> None:
    nodes = graph("""
        x = Placeholder[dtype=float]
        v = VarHandleOp[dtype=float, shape=()]
        add = AssignAddVariableOp(v, x)[dtype=float]
        y = ReadVariableOp(v, ^add)[dtype=float]
    """)
    session = Session(nodes, checkpoint={"v": np.float32(10)})
    assert [session.run({"x": 1}, ["y"])["y"].item() for _ in range(3)] == [11, 12, 13]
    assert Session(nodes, checkpoint={"v": np.float32(10)}).run({"x": 1}, ["y"])["y"] == 11
