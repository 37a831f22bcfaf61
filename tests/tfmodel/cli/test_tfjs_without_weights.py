"""A TensorFlow.js model without its files of weights: commands that need no values work, with a note; others do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tfmodel.tfjs_models import TOPOLOGY, WEIGHTS, const, write_model
from tfmodel.cli import main

NOTE = "its weights are in group1-shard"
READING = [
    "summarize {}",
    "summarize {} --all",
    "check {}",
    "find {} op=Const",
    "draw {} -o {}.html",
    "draw {} -o {}.dot",
]
COMPUTING = ["run {} --random", "optimize {} -o {}.pb", "freeze {} -o {}.pb", "weights {}", "convert {} {}.pb"]


@pytest.fixture(params=[(1, (1,)), (3, (2,)), (3, (1, 2, 3))], ids=["one file", "one of three", "all of three"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The folder of a model of which files are missing; one of its weights is quantized."""
    shards, missing = request.param
    write_model(tmp_path / "m", shards=shards)
    for number in missing:
        (tmp_path / "m" / f"group1-shard{number}of{shards}.bin").unlink()
    return tmp_path / "m"


@pytest.mark.parametrize("command", READING)
def test_commands_that_need_no_values_work_with_a_note(
    command: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word.format(model) for word in command.split()]) == 0
    assert f"{model}/model.json: {NOTE}" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMPUTING)
def test_commands_that_need_values_are_refused(command: str, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word.format(model) for word in command.split()]) == 1
    assert "which is missing: put the file beside it" in capsys.readouterr().err


def test_shapes_of_weights_are_those_in_the_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model(tmp_path / "m")
    main(["find", str(tmp_path / "m"), "op=Const"])
    whole = capsys.readouterr().out
    (tmp_path / "m/group1-shard1of1.bin").unlink()
    main(["find", str(tmp_path / "m"), "op=Const dtype=float32"])
    lines = capsys.readouterr().out.splitlines()[:-2]
    assert lines
    assert all(line.split() in [row.split() for row in whole.splitlines()] for line in lines)


def test_a_model_with_all_files_has_no_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model(tmp_path / "m")
    assert main(["summarize", str(tmp_path / "m")]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["summarize {}", "check {}"])
def test_values_in_a_missing_file_are_not_reported(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Constants of integers have neither value nor shape then, and large weights are not "all zero"."""
    sizes, large = const("sizes", "DT_INT32", (2,)), const("large", shape=(30, 100))
    reshape = {"name": "out", "op": "Reshape", "input": ["large", "sizes"], "attr": {"T": {"type": "DT_FLOAT"}}}
    topology = {**TOPOLOGY, "node": [*TOPOLOGY["node"], sizes, large, reshape]}
    weights = [
        *WEIGHTS,
        {"name": "sizes", "shape": [2], "dtype": "int32"},
        {"name": "large", "shape": [30, 100], "dtype": "float32"},
    ]
    path = write_model(tmp_path / "m", topology, weights)
    (path.parent / "group1-shard1of1.bin").unlink()
    assert main(command.format(path).split()) == 0
    shown = capsys.readouterr()
    assert not [word for word in ("problem", "broken", "has no attribute", "stripped") if word in shown.out]
    assert "which is missing: values are not known" in shown.err
