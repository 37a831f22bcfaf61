"""Cases from the field: protobuf messages, .proto files, and scripts that were written for protobuf."""

from __future__ import annotations

import pytest

from tests.support.cases import cases, needs_cases, run_module

pytestmark = needs_cases


def printed_by(script: str) -> list[str]:
    """Return the lines that a script prints when tfmodel.compat runs it."""
    done = run_module("tfmodel.compat", "--override", cases / script)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_sum_of_many_terms_runs():
    assert printed_by("limits/compat_recursion/script.py") == ["900"]


@pytest.mark.parametrize("statement", ["oneofs", "reserved names"])
def test_statements_take_linear_time(statement):
    from tests.hostile.proto_statements import ACTIONS, STATEMENTS, seconds

    for action in ACTIONS.values():
        small, large = (seconds(action, STATEMENTS[statement](count)) for count in (2_500, 20_000))
        assert large < 20 * max(small, 0.05)
