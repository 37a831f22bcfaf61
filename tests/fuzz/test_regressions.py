"""Replay fixed findings of the fuzzer: fuzz/regressions has a folder for each."""

from __future__ import annotations

import json

import pytest

from fuzz.failures import read_input, regressions, replay


@pytest.mark.parametrize("folder", regressions(), ids=lambda folder: folder.name)
def test_fixed_findings_stay_fixed(folder):
    replay(folder)


@pytest.mark.parametrize("folder", regressions(), ids=lambda folder: folder.name)
def test_the_error_is_reported(folder):
    about = json.loads((folder / "finding.json").read_text())
    assert about["shape"] and about["why"]
    assert read_input(folder)
