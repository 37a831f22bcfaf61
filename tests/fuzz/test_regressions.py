"""Replay fixed findings of the fuzzer: fuzz/regressions has a folder for each."""

from __future__ import annotations

import json

import pytest

from fuzz.failures import read_input, regressions, replay


@pytest.mark.parametrize("folder", regressions(), ids=lambda folder: folder.name)
def test_what_was_fixed_stays_fixed(folder):
    replay(folder)


@pytest.mark.parametrize("folder", regressions(), ids=lambda folder: folder.name)
def test_it_is_said_what_was_wrong(folder):
    about = json.loads((folder / "finding.json").read_text())
    assert about["shape"] and about["why"]
    assert read_input(folder)
