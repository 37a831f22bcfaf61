"""The fuzzer finds planted bugs: a few of them here, all of them with `python -m tests.fuzz.planting`."""

from __future__ import annotations

import ast

import pytest

from tests.fuzz.bugs import BUGS, QUICK
from tests.fuzz.planting import hunted, text_with


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_can_be_planted(name):
    assert ast.parse(text_with(BUGS[name]))


@pytest.mark.parametrize("name", QUICK)
def test_a_bug_is_found_and_minimized(name):
    finding = hunted(name, tries=300)
    assert finding["shape"].startswith(
        ("error: AssertionError: fuzz/targets/", "error: AssertionError: fuzz/reference")
    )
    assert finding["size"] <= QUICK[name]
