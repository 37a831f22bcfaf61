"""Profiles: each second is counted once, for the node that spent it."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.interpreter import Session, profiling
from tfmodel.interpreter.profiling import Profile, Trace

NESTED = """
    x = Placeholder[dtype=float]
    y = PartitionedCall(x)[Tin=[float], Tout=[float], f=@outer]
    outer: (a: float) -> (r: float = y:output:0)
    outer: n = Neg(a)[T=float]
    outer: y = StatefulPartitionedCall(n:y:0)[Tin=[float], Tout=[float], f=@inner]
    inner: (a: float) -> (r: float = y:y:0)
    inner: y = Exp(a)[T=float]
"""
LOOP = """
    x = Placeholder[dtype=int32]
    y = While(x)[T=[int32], cond=@below, body=@next]
    below: (a: int32) -> (r: bool = y:z:0)
    below: c = Const[dtype=int32, value=int32{5}()]
    below: y = Less(a, c:output:0)[T=int32]
    next: (a: int32) -> (r: int32 = y:output:0)
    next: y = PartitionedCall(a)[Tin=[int32], Tout=[int32], f=@more]
    more: (a: int32) -> (r: int32 = y:z:0)
    more: c = Const[dtype=int32, value=int32{1}()]
    more: y = AddV2(a, c:output:0)[T=int32]
"""
RECURSION = """
    x = Placeholder[dtype=int32]
    y = PartitionedCall(x)[Tin=[int32], Tout=[int32], f=@down]
    down: (a: int32) -> (r: int32 = y:output:0)
    down: y = If(a, a)[Tcond=int32, Tin=[int32], Tout=[int32], then_branch=@again, else_branch=@same]
    again: (a: int32) -> (r: int32 = y:output:0)
    again: c = Const[dtype=int32, value=int32{1}()]
    again: s = Sub(a, c:output:0)[T=int32]
    again: y = PartitionedCall(s:z:0)[Tin=[int32], Tout=[int32], f=@down]
    same: (a: int32) -> (r: int32 = a)
"""
VARIABLE = """
    x = Placeholder[dtype=float]
    v = VarHandleOp[dtype=float, shape=()]
    r = ReadVariableOp(v)[dtype=float]
    y = Mul(x, r)[T=float]
"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that advances by a second each time it is read."""
    seconds = itertools.count()
    monkeypatch.setattr(profiling.time, "perf_counter", lambda: float(next(seconds)))


def profile(text: str, value: object, **options: object) -> tuple[Profile, float]:
    trace = Trace()
    session = Session(graph(text), **options)  # type: ignore[arg-type]  options of any type
    start = profiling.time.perf_counter()
    session.run({"x": value}, ["y"], observer=trace)
    total = profiling.time.perf_counter() - start
    return trace.profile(total), total


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("text", "value", "runs"),
    [
        (NESTED, 1.0, {"PartitionedCall": 1, "StatefulPartitionedCall": 1, "Neg": 1, "Exp": 1}),
        (LOOP, 2, {"While": 1, "Less": 4, "PartitionedCall": 3, "AddV2": 3, "Const": 7}),
        (RECURSION, 3, {"PartitionedCall": 4, "If": 4, "Sub": 3, "Const": 3}),
    ],
)
def test_every_second_is_counted_once(text: str, value: object, runs: dict[str, int]) -> None:
    result, total = profile(text, value)
    assert result.seconds == total
    assert {row.op: row.runs for row in result.ops} == runs
    assert sum(row.seconds for row in result.ops) == sum(row.seconds for row in result.nodes)
    assert sum(row.seconds for row in result.ops) + result.between == total
    assert result.between > 0
    callers = {"PartitionedCall", "StatefulPartitionedCall", "While", "If"}
    assert {row.op: row.seconds for row in result.ops if row.op not in callers} == {
        op: count for op, count in runs.items() if op not in callers
    }


@pytest.mark.usefixtures("clock")
def test_reading_the_checkpoint_is_a_row_of_its_own() -> None:
    result, total = profile(VARIABLE, 2.0, checkpoint={"v": np.float32(3)})
    assert result.reading > 0
    assert {row.op: row.seconds for row in result.ops}["ReadVariableOp"] == 1
    assert sum(row.seconds for row in result.ops) + result.reading + result.between == total
    assert "(reading the checkpoint)" in result.to_text()


@pytest.mark.usefixtures("clock")
def test_shares_add_up_to_all_with_more_ops_than_are_shown() -> None:
    ops = ["Neg", "Exp", "Abs", "Sign", "Square", "Sin", "Cos", "Tanh", "Relu", "Floor", "Ceil", "Rint"]
    lines = [f"n{number + 1} = {op}(n{number})[T=float]" for number, op in enumerate(ops)]
    text = "\n".join(["x = Placeholder[dtype=float]", "n0 = Identity(x)[T=float]", *lines, "y = Log(n12)[T=float]"])
    result, _ = profile(text, 0.5)
    rows = result.to_text().split("\n\n")[1].splitlines()[1:]
    assert "(4 other ops)" in rows[10] and rows[-1].endswith("(between nodes)")
    assert sum(float(row.split()[1].rstrip("%")) for row in rows) == pytest.approx(100, abs=0.5)


def test_a_line_of_the_trace_has_the_time_with_and_without_calls() -> None:
    lines: list[str] = []
    Session(graph(NESTED)).run({"x": 1.0}, ["y"], observer=Trace(lines.append))
    assert [line.split("  ")[1] for line in lines] == ["Neg", "Exp", "StatefulPartitionedCall", "PartitionedCall"]
    assert ["with what it calls" in line for line in lines] == [False, False, True, True]


def test_a_profile_is_json() -> None:
    result, _ = profile(NESTED, 1.0)
    assert json.loads(result.to_json()).keys() == {"format", "seconds", "ops", "nodes", "reading", "between"}
