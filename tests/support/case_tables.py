"""Tables of thousands of small cases, a group of them per test: pytest takes longer for a test than such a case does.

    @each_case("case", CASES, lambda case: case.family)
    def test_protobuf_reads_the_same(case: Case) -> None:
        assert ...

runs once per family, for all of its cases, and reports each that fails.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import pytest

__all__ = ["each_case"]

T = TypeVar("T")

MAX_SHOWN = 20
"""Failures of a group that are shown in full; the names of the others follow."""
MAX_LENGTH = 1_000
"""Characters of a case in the report of its failure."""


def each_case(
    argument: str, cases: Mapping[str, T], group_of: Callable[[T], str] = lambda _: "all"
) -> Callable[..., Any]:
    """Decorate a test that takes one of the named cases as `argument`: run it for all cases of a group together."""
    groups: dict[str, dict[str, T]] = {}
    for name, case in cases.items():
        groups.setdefault(group_of(case), {})[name] = case

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**arguments: Any) -> None:
            __tracebackhide__ = True
            check_cases(arguments.pop(argument), lambda case: test(**{argument: case}, **arguments))

        return pytest.mark.parametrize(argument, groups.values(), ids=groups)(run)

    return decorate


def check_cases(cases: Mapping[str, T], check: Callable[[T], None]) -> None:
    """Check every case, and fail at the end with the name, the value and the traceback of each case that failed."""
    __tracebackhide__ = True
    failures: dict[str, str] = {}
    for name, case in cases.items():
        try:
            check(case)
        except (Exception, pytest.fail.Exception) as error:
            value = repr(case)
            failures[name] = f"{value[:MAX_LENGTH]}{'...' * (len(value) > MAX_LENGTH)}\n{_traceback(error)}"
    if failures:
        shown = [f"--- {name}\n{report}" for name, report in [*failures.items()][:MAX_SHOWN]]
        names = [f"--- {name}" for name in [*failures][MAX_SHOWN:]]
        pytest.fail("\n".join([f"{len(failures)} of {len(cases)} cases fail:", *shown, *names]), pytrace=False)


def _traceback(error: BaseException) -> str:
    """Return a short traceback that begins in the test, with the values that an assertion compared."""
    info = pytest.ExceptionInfo.from_exception(error)
    return str(info.getrepr(style="short", tbfilter=lambda info: info.traceback[2:]))
