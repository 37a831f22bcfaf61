"""Endless loops of nodes and of functions, against the limit of steps."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import tfmodel
from tests.hostile.loops import FETCHED, function_loops, growing, nested, wide, wirings
from tfmodel.compare.verify import Verification
from tfmodel.errors import Error, RunError
from tfmodel.interpreter import Session, executor, session
from tfmodel.messages import GraphDef

STEPS = 60
WORK = 200 * STEPS
"""Maximum of calls of the functions below; each step makes several."""


class EndlessError(BaseException):
    """More work than the limit allows; a BaseException, which the interpreter does not convert."""


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the calls of the interpreter's functions, and stop it when they exceed what the limit allows."""
    done: Counter[str] = Counter()

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            done["calls"] += 1
            if done["calls"] > WORK:
                raise EndlessError
            return function(*arguments, **named)

        return call

    for name, function in inspect.getmembers(executor._Execution, inspect.isfunction):
        if name not in ("__init__", "run"):
            monkeypatch.setattr(executor._Execution, name, counted(function))
    monkeypatch.setattr(Session, "call", counted(Session.call))
    monkeypatch.setitem(Verification.__init__.__kwdefaults__, "max_steps", STEPS)
    return done


def endings(work: Counter[str], tries: Iterable[Callable[[], object]]) -> Counter[str]:
    """Ends of runs: with a result, at the limit, or with another error of the project."""
    counts: Counter[str] = Counter()
    for attempt in tries:
        work.clear()
        try:
            attempt()
            counts["result"] += 1
        except Error as error:
            counts["limit" if f"stopped at the limit of {STEPS} steps" in str(error) else "error"] += 1
    return counts


def test_every_small_way_to_wire_a_loop_ends_at_the_limit(work: Counter[str]) -> None:
    """Attack: an endless loop of control flow ops alone, such as a loop with an invariant predicate.

    Naive: counts only nodes with kernels, of which such a loop has none.
    Stopped by: tfmodel.interpreter.executor.Budget.spend
    """
    runs = ((lambda g=g, name=name: tfmodel.run(g, {}, name, max_steps=STEPS)) for g in wirings(40) for name in FETCHED)
    counts = endings(work, runs)
    assert counts["limit"] > 10 and counts["result"] > 50 and counts["error"] > 50


def test_every_loop_of_functions_ends_at_the_limit(work: Counter[str]) -> None:
    """Attack: loops and recursion of functions, some of which have no nodes at all.

    Naive: counts only nodes.
    Stopped by: tfmodel.interpreter.session.Session.call
    """
    results = {
        name: [*endings(work, [lambda model=graph_def: tfmodel.run(model, {}, "y", max_steps=STEPS)])]
        for name, graph_def in function_loops()
    }
    endless = {name for name in results if name.split(": ")[1] in ("again", "twice", "deep0", "turn")}
    endless |= {"While: same", "StatelessWhile: same", "While, cond: same"}
    assert {name for name, ending in results.items() if ending == ["limit"]} == endless
    assert {name for name, ending in results.items() if ending == ["result"]} == results.keys() - endless


@pytest.mark.parametrize(("depth", "names"), [(1, ["a"]), (5, ["a"]), (5, ["a", "b"]), (300, ["a"]), (300, ["a", "b"])])
def test_nested_loops_end_at_the_limit(work: Counter[str], depth: int, names: list[str]) -> None:
    """Attack: endless loops in loops, with one name or two.

    Naive: counts only iterations of the outermost loop.
    Stopped by: tfmodel.interpreter.executor.Budget.spend
    """
    assert endings(work, [lambda: tfmodel.run(nested(depth, names), {}, "y", max_steps=STEPS)]) == {"limit": 1}


def test_a_tensor_with_many_consumers_is_more_than_one_step(work: Counter[str]) -> None:
    """Attack: a loop in which one node consumes a tensor 10,000 times in each iteration.

    Naive: counts four steps per iteration.
    Stopped by: tfmodel.interpreter.plan._count_consumers
    """
    assert endings(work, [lambda: tfmodel.run(wide(2_000), {}, "y", max_steps=STEPS)]) == {"limit": 1}


def test_attributes_that_grow_with_each_call() -> None:
    """Attack: a function that calls itself with an attribute that names its own attribute twice: 2**100 names.

    Naive: substitutes all of them, to look up the plan of the function.
    Stopped by: tfmodel.interpreter.plan.MAX_SUBSTITUTED_VALUES
    """
    with pytest.raises(RunError, match="would have more than 10,000 nested values"):
        tfmodel.run(growing(2), {}, "y")
    with pytest.raises(RunError):
        tfmodel.run(growing(1), {}, "y")


def everything(graph: GraphDef, fetch: str) -> list[Callable[[], object]]:
    """Return functions that run a graph, or that analyse all of its loops and functions."""
    return [
        lambda: tfmodel.verify(graph, graph, {}, fetch, max_steps=STEPS, bisect=True),
        lambda: tfmodel.transform(graph, "", fetch, "strip_unused_nodes", verify=True),
        lambda: tfmodel.optimize(graph, outputs=fetch),
        lambda: tfmodel.transform(graph, "", fetch, "fold_constants"),
        lambda: tfmodel.transform(graph, "", fetch, "inline_partitionedcall"),
        lambda: tfmodel.freeze(graph, fetch.partition(":")[0]),
        lambda: tfmodel.summarize(graph).to_text(),
    ]


def test_loops_end_in_every_function_that_runs_or_analyses_a_model(work: Counter[str]) -> None:
    """Attack: the same loops, in models that are verified, folded, frozen and summarized.

    Naive: limits `run` only.
    Stopped by: tfmodel.interpreter.session.MAX_CHECK_STEPS
    """
    graphs = [(model, "x") for model in [*wirings(0)][:60:12]]
    graphs += [(model, "y") for name, model in [*function_loops()][::9] if "deep" not in name]
    graphs += [(nested(4, ["a", "b"]), "y"), (growing(1), "y"), (growing(2), "y")]
    for graph, fetch in graphs:
        assert endings(work, everything(graph, fetch)).total() == 7


def test_verifications_have_the_limit_unless_the_caller_gives_another() -> None:
    """Attack: a changed graph whose loop does not end any more, given to a verification.

    Naive: runs the changed graph without the limit that a run has.
    Stopped by: tfmodel.compare.verify.comparison.Verification
    """
    assert Verification().max_steps == session.MAX_CHECK_STEPS == 1_000_000
