"""The progress of verifications: each kernel tells the share of those that have run."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfmodel
from pbwire import text
from tests.tfmodel.transforms.run_step import graph_of
from tfmodel.compare.verify import Verification
from tfmodel.compare.verify.model_pair import Pair
from tfmodel.compare.verify.shown_runs import count_kernels
from tfmodel.compare.verify.verification import verify_sessions
from tfmodel.messages import GraphDef

DATA = Path("tests/data")


@pytest.mark.parametrize("model", ["linear.pb", "trained/model", "linear"])
@pytest.mark.parametrize("runs", [1, 3])
def test_the_shares_of_a_verification_grow_to_one(model: str, runs: int) -> None:
    matched = Pair(DATA / model, DATA / model).match()
    verification = Verification()
    feeds = matched.generate_inputs(verification)[0]
    steps: list[str] = []
    verify_sessions(matched, [feeds] * runs, verification, progress=steps.append)
    shares = [step.share for step in steps]  # type: ignore[attr-defined]  # all are Steps
    distinct = sorted(set(shares))
    assert shares == sorted(shares)
    assert distinct == pytest.approx([number / len(distinct) for number in range(len(distinct))])


def test_the_shares_of_the_verification_of_optimize_do_not_shrink() -> None:
    steps: list[str] = []
    tfmodel.optimize(DATA / "convnet.pb", progress=steps.append)
    shares = [step.share for step in steps if hasattr(step, "share")]
    assert len(shares) > 20
    assert shares == sorted(shares) and shares[0] == 0 and 0.9 < shares[-1] < 1


def test_kernels_of_functions_count_each_time_they_are_called() -> None:
    graph = tfmodel.Model(DATA / "linear.pb").graph
    calls = graph_of("a = NoOp\nb = Const[dtype=int32, value=int32{1}()]")
    assert count_kernels(calls.node, calls) == 1
    assert count_kernels(graph.node, graph) == sum(node.op != "Const" for node in graph.node)


def test_a_function_that_calls_itself_is_counted_once() -> None:
    recursive = """
        node { name: "a" op: "PartitionedCall" attr { key: "f" value { func { name: "f" } } } }
        node { name: "b" op: "PartitionedCall" attr { key: "f" value { func { name: "f" } } } }
        library { function {
            signature { name: "f" }
            node_def { name: "c" op: "PartitionedCall" attr { key: "f" value { func { name: "f" } } } }
            node_def { name: "d" op: "NoOp" }
        } }
    """
    graph = text.loads(recursive, GraphDef)
    assert count_kernels(graph.node, graph) == 2 + 2 * 2
