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
        given = list(session.run(run.feeds, run.fetches).values())
    except Error as error:
        return "" if run.answers is None else f"refused: {error}"
    if run.answers is None:
        return f"TensorFlow refuses this, and we give {given}"
    problems = (differ(one, other) for one, other in zip(given, run.answers, strict=True))
    return next((f"{name}: {each}" for name, each in zip(run.fetches, problems, strict=True) if each), "")


def differ(given: Any, wanted: Any) -> str:
    if given is None or wanted is None:
        return "" if given is wanted else f"{given!r}, not {wanted!r}"
    given, wanted = np.asarray(given), np.asarray(wanted)
    if (given.dtype, given.shape) != (wanted.dtype, wanted.shape):
        return f"{given.dtype} {given.shape}, not {wanted.dtype} {wanted.shape}"
    same = np.array_equal(given, wanted) if wanted.dtype.kind not in "fc" else np.allclose(given, wanted, 1e-6, 0)
    return "" if same else f"{given!r}, not {wanted!r}"
