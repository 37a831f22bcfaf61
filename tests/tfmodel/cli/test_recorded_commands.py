"""Commands print and write what is recorded in tests/golden/commands: a change of behaviour shows there, in a diff."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.golden.commands.cases import NAMES, cases
from tests.golden.commands.record import FOLDER, models, recorded
from tests.tfmodel.files.keras.files import needs_h5py
from tfmodel.cli import COMMANDS

MAX_BYTES = 400_000


@pytest.fixture
def in_models(request: pytest.FixtureRequest) -> Iterator[None]:
    with models(keras=request.node.callspec.params["name"] == "keras"):
        yield


@pytest.mark.parametrize("name", [pytest.param(name, marks=[needs_h5py] * (name == "keras")) for name in NAMES])
def test_a_command_does_what_is_recorded(in_models: None, name: str) -> None:
    record = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert recorded(name).split("\n") == record.split("\n"), (
        "if the change is intended, run python -m tests.golden.commands.record and review the diff"
    )


def test_every_command_is_recorded() -> None:
    assert {*NAMES} == {*COMMANDS, "keras"}
    assert {path.stem for path in FOLDER.glob("*.txt")} == {*NAMES}


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"completion", "vendor"}))
def test_every_command_is_recorded_with_a_missing_file(command: str) -> None:
    lines = [case.line for case in cases(command)]
    assert any("nosuch" in line for line in lines)


def test_records_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.txt")) < MAX_BYTES
