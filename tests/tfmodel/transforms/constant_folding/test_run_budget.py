"""Verification counts the work of a run before it is done: long ones are left out, or announced."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from tests.tfmodel.transforms.graph_notation import graph as functional
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.cli import main
from tfmodel.interpreter import run
from tfmodel.kernels.runtime.kernel_watch import RunStopped, watch_kernels
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef
from tfmodel.optimizer import optimize
from tfmodel.transforms.constant_folding import run_budget
from tfmodel.transforms.constant_folding.cost_model import operations
from tfmodel.transforms.constant_folding.run_budget import RunBudget
from tfmodel.values.tensors import from_ndarray

WINDOW = 'strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"'
LONG = graph_of(f"""
    x = Placeholder[dtype=float, shape=(1, 900, 900, 1)]
    f = Const[dtype=float, value=float{{1}}(200, 200, 1)]
    y = Dilation2D(x, f)[T=float, {WINDOW}]
""")
"""An hour of work in 300 bytes."""

SHORT = graph_of("""
    x = Placeholder[dtype=float, shape=(2, 2)]
    y = MatMul(x, x)[T=float]
""")


def test_a_verification_that_takes_too_long_is_left_out() -> None:
    start = time.perf_counter()
    result = optimize(LONG, "x", "y")
    assert time.perf_counter() - start < 10
    assert result.verification is None
    assert 'Dilation2D "y" alone takes about' in result.unverified
    assert 'verify="long" runs it anyway, verify=False skips it' in result.unverified


def test_a_long_verification_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_budget, "BASE_OPERATIONS", 0)
    assert optimize(SHORT, "x", "y").unverified.startswith('MatMul "y" alone takes about')
    assert optimize(SHORT, "x", "y", verify="long").verification is not None


def test_models_with_weights_may_take_longer() -> None:
    weights = NodeDef(
        name="w",
        op="Const",
        attr={
            "dtype": AttrValue(type=DataType.DT_FLOAT),
            "value": AttrValue(tensor=from_ndarray(np.arange(1000, dtype=np.float32))),
        },
    )
    assert RunBudget.of(GraphDef(node=[weights])).limit - RunBudget.of(GraphDef()).limit >= 4000 * 10**5


def test_the_limit_holds_for_many_short_nodes_in_functions_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the node passes through the call as it is."""
    monkeypatch.setattr(run_budget, "BASE_OPERATIONS", 200)
    graph = functional("""
        f: (a: float) -> (r: float = twice:z:0)
        f: once = AddV2(a, a)[T=float]
        f: twice = AddV2(once:z:0, once:z:0)[T=float]
        x = Placeholder[dtype=float, shape=(4)]
        y = PartitionedCall(x)[Tin=[float], Tout=[float], f=@f]
    """)
    with watch_kernels(RunBudget.of(graph).spend), pytest.raises(RunStopped, match=r'nodes up to AddV2 ".*twice" take'):
        run(graph, {"x": np.ones(4, np.float32)}, "y")


@pytest.mark.parametrize(
    "command",
    ["verify GRAPH GRAPH --outputs y", "transform GRAPH --inputs x --outputs y --transforms sort_by_execution_order"],
)
def test_commands_say_what_a_verification_takes(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_budget, "BASE_OPERATIONS", 0)
    file, out = tmp_path / "graph.pb", tmp_path / "out.pb"
    file.write_bytes(SHORT.to_bytes())
    words = [str(file) if word == "GRAPH" else word for word in command.split()]
    if words[0] == "transform":
        words += ["--verify", "-o", str(out)]
    assert main(words) == 0
    assert capsys.readouterr().err.count('MatMul "y" alone takes about') == 1


ZETA = NodeDef(name="z", op="Zeta", attr={"T": AttrValue(type=DataType.DT_FLOAT)})
GAMMA = NodeDef(name="g", op="Igamma", attr={"T": AttrValue(type=DataType.DT_FLOAT)})


@pytest.mark.parametrize(
    ("node", "short", "long", "factor"),
    [
        (ZETA, (2.0, 3.0), (2.0, -9_999.5), 100),
        (ZETA, (2.0, 3.0), (9_000.0, 1.0), 100),
        (ZETA, (2.0, 3.0), (float("inf"), 1.0), 100),
        (NodeDef(name="p", op="Polygamma", attr=ZETA.attr), (2.0, 3.0), (2.0, -9_999.5), 100),
        (GAMMA, (2.0, 3.0), (1e6, 1e6), 10),
    ],
    ids=lambda value: str(value) if isinstance(value, tuple) else "",
)
def test_functions_cost_as_many_terms_as_their_arguments_need(
    node: NodeDef, short: tuple[float, float], long: tuple[float, float], factor: int
) -> None:
    costs = [
        operations(node, [np.full(100, number, np.float32) for number in arguments], (100,))
        for arguments in (short, long)
    ]
    assert costs[0] is not None
    assert costs[1] is not None
    assert costs[1] >= factor * costs[0]
