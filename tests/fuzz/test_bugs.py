"""Bugs planted in our own modules are found: a few of them here, all of them by `python -m tests.fuzz.planting`."""

from __future__ import annotations

import ast

import pytest

from tests.fuzz.bugs import BUGS
from tests.fuzz.planting import hunted, text_with

QUICK = {
    # bug: how small its input gets at least, in two seconds
    "tensors-complex": 40,
    "names-port": 8,
    "raw-number": 20,
    "bundle-crc-not-looked-at": 200,
    "wire-int32-without-its-sign": 20,
}


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_can_be_planted(name):
    assert ast.parse(text_with(BUGS[name]))


@pytest.mark.parametrize("name", QUICK)
def test_a_bug_is_found_and_made_small(name):
    found = hunted(name, shrinking=2.0)
    assert found["shape"].startswith(("error: AssertionError: fuzz/targets/", "error: AssertionError: fuzz/plain"))
    assert found["size"] <= QUICK[name]
