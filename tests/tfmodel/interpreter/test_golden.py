"""Runs give what TensorFlow's give: programs with a state, loops, conditionals and functions, in tests/golden."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.interpreter.answers import Program, Run, programs
from tests.support.case_tables import each_case
from tfmodel.errors import Error
from tfmodel.interpreter import Session
from tfmodel.messages import GraphDef

PROGRAMS = list(programs())


@each_case("program", {program.name: program for program in PROGRAMS})
def test_runs_give_the_values_of_tensorflow(program: Program) -> None:
    session = Session(GraphDef.from_bytes(program.graph), checkpoint=program.variables)
    for number, run in enumerate(program.runs):
        problem = difference(session, run)
        assert not problem, f"run {number}: {problem}"


def difference(session: Session, run: Run) -> str:
    """Return how a run differs from TensorFlow's answers; "" if it does not."""
    try:
        actual = list(session.run(run.feeds, run.fetches).values())
    except Error as error:
        return "" if run.answers is None else f"refused: {error}"
    if run.answers is None:
        return f"TensorFlow refuses this, and we give {actual}"
    problems = (differ(one, other) for one, other in zip(actual, run.answers, strict=True))
    return next((f"{name}: {problem}" for name, problem in zip(run.fetches, problems, strict=True) if problem), "")


def differ(actual: Any, expected: Any) -> str:
    if actual is None or expected is None:
        return "" if actual is expected else f"{actual!r}, not {expected!r}"
    actual, expected = np.asarray(actual), np.asarray(expected)
    if (actual.dtype, actual.shape) != (expected.dtype, expected.shape):
        return f"{actual.dtype} {actual.shape}, not {expected.dtype} {expected.shape}"
    same = (
        np.array_equal(actual, expected) if expected.dtype.kind not in "fc" else np.allclose(actual, expected, 1e-6, 0)
    )
    return "" if same else f"{actual!r}, not {expected!r}"
