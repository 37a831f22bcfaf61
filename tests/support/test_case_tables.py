"""Tests of groups of cases: every case runs, and the report of a failure names and shows each case that fails."""

from __future__ import annotations

import pytest

from tests.support.case_tables import each_case

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
ran: list[int] = []


def parity(number: int) -> str:
    return "odd" if number % 2 else "even"


@each_case("number", NUMBERS, parity)
def test_a_test_runs_for_the_cases_of_a_group(number: int, request: pytest.FixtureRequest) -> None:
    assert request.node.name.endswith(f"[{parity(number)}]")


def doubled(number: int) -> int:
    """Return twice a number, wrong for 3 and impossible for 4."""
    return 2 * number + 1 // abs(number - 4)


@each_case("number", NUMBERS, parity)
def check(number: int) -> None:
    ran.append(number)
    if number == 5:
        with pytest.raises(ValueError):
            int("5")
    assert doubled(number) == 2 * number


def test_every_failure_is_reported_with_its_case_and_what_was_compared() -> None:
    ran.clear()
    with pytest.raises(pytest.fail.Exception) as caught:
        check(number={"one": 1, "three": 3, "four": 4, "five": 5})
    report = str(caught.value)
    assert ran == [1, 3, 4, 5]
    assert report.startswith("3 of 4 cases fail:\n--- three\n3\n")
    assert "assert 7 == (2 * 3)" in report
    assert "\n--- four\n4\n" in report and "ZeroDivisionError" in report
    assert "\n--- five\n5\n" in report and "DID NOT RAISE ValueError" in report
    assert "/case_tables.py" not in report  # but only what the test calls


def test_of_many_failures_the_names_are_reported() -> None:
    with pytest.raises(pytest.fail.Exception) as caught:
        check(number={f"number {number}": 4 for number in range(100)})
    assert all(f"--- number {number}\n" in f"{caught.value}\n" for number in range(100))
