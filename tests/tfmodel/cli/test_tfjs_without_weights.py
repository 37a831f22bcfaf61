"""A TensorFlow.js model without its files of weights: commands that need no values work, with a note; others do not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.tfmodel.tfjs_models import TOPOLOGY, WEIGHTS, const, write_model
from tfmodel.cli import main

NOTE = "its weights are in group1-shard"
READING = [
    "find {} op=Const --names",
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


@pytest.mark.parametrize("options", [[], ["--all"], ["--json"]], ids=str)
def test_the_report_of_summarize_names_the_missing_files(
    options: list[str], model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_report(["summarize", str(model), *options], 0, capsys)


@pytest.mark.parametrize("options", [[], ["--json"]], ids=str)
@pytest.mark.parametrize(("op", "status"), [("Const", 0), ("Nothing", 1)])
def test_the_report_of_find_names_the_missing_files(
    options: list[str], op: str, status: int, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_report(["find", str(model), f"op={op}", *options], status, capsys)


def check_report(command: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    options = command[2:]
    assert main(command) == status
    shown = capsys.readouterr()
    said = json.loads(shown.out)["missing_weights"] if "--json" in options else shown.out
    assert NOTE in said
    assert "values are not known" in said
    assert shown.err == ""


def test_the_report_of_check_names_the_missing_files(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(model)]) == 0
    shown = capsys.readouterr()
    assert NOTE in shown.out
    assert shown.err == ""
    main(["check", str(model), "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    (message,) = [row["message"] for row in findings if (row["level"], row["kind"]) == ("note", "weights")]
    assert NOTE in message


@pytest.mark.parametrize("command", COMPUTING)
def test_commands_that_need_values_are_refused(command: str, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word.format(model) for word in command.split()]) == 2
    assert re.search(r" missing: put the files? beside it", capsys.readouterr().err)


def test_shapes_of_weights_are_those_in_the_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model(tmp_path / "m")
    main(["find", str(tmp_path / "m"), "op=Const"])
    whole = capsys.readouterr().out
    (tmp_path / "m/group1-shard1of1.bin").unlink()
    main(["find", str(tmp_path / "m"), "op=Const dtype=float32"])
    lines = capsys.readouterr().out.splitlines()[:-3]
    assert lines
    assert all(line.split() in [row.split() for row in whole.splitlines()] for line in lines)


def test_a_model_with_all_files_has_no_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_model(tmp_path / "m")
    assert main(["summarize", str(tmp_path / "m")]) == 0
    shown = capsys.readouterr()
    assert NOTE not in shown.out
    assert shown.err == ""


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
    assert main([word.format(path) for word in command.split()]) == 0
    shown = capsys.readouterr()
    assert not [word for word in ("problem", "broken", "has no attribute", "stripped") if word in shown.out]
    assert "which is missing: values " in shown.out + shown.err


# --- layers models ---------------------------------------------------------------------------------------------------

KERAS = {"keras_version": "2.12.0", "model_config": {"class_name": "Sequential", "config": {"name": "s", "layers": []}}}
ALL = [
    "{}",
    "summarize {}",
    "check {}",
    "check {} --json",
    "weights {}",
    "weights {} -o {}.npz",
    "find {} op=Const",
    "draw {} -o {}.html",
    "draw {} -o {}.dot",
    "run {} --random",
    "verify {} {}",
    "diff {} {}",
    "diff {} {} --values",
    "optimize {} -o {}.pb",
    "freeze {} -o {}.pb",
    "transform {} -o {}.pb --transforms strip_unused_nodes",
    "extract {} -o {}.pb --outputs y",
    "edit {} -o {}.pb --rename a=b",
    "reduce {} -o {}.pb --check true",
    "ops {}",
    "dump {}",
    "convert {} {}.pb",
    "convert {} {}.d --to tfjs",
]


def write_layers_model(folder: Path, **fields: object) -> Path:
    return write_model(folder, KERAS, shards=2, **{"format": "layers-model", "signature": None, **fields})


@pytest.mark.parametrize("command", ALL)
@pytest.mark.parametrize("fields", [{}, {"format": None}], ids=["format", "keras topology"])
def test_a_layers_model_without_weights_names_them_and_the_original(
    command: str, fields: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_layers_model(tmp_path / "m", **fields)
    for file in path.parent.glob("*.bin"):
        file.unlink()
    assert main([word.format(path) for word in command.split()]) in (1, 2)
    error = capsys.readouterr().err
    assert "this is a layers model of TensorFlow.js" in error
    assert "group1-shard1of2.bin and 1 more, which are missing" in error
    assert "as a SavedModel" in error


@pytest.mark.parametrize(
    "fields",
    [{"weightsManifest": None}, {"weightsManifest": []}, {"weightsManifest": None, "weightSpecs": WEIGHTS}],
    ids=["no manifest", "an empty manifest", "no weightData"],
)
@pytest.mark.parametrize("command", ["summarize {}", "weights {}", "convert {} {}.pb"])
def test_a_layers_model_that_names_no_files_needs_the_original(
    command: str, fields: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_layers_model(tmp_path / "m", **fields)
    assert main([word.format(path) for word in command.split()]) == 2
    error = capsys.readouterr().err
    assert "this is a layers model of TensorFlow.js" in error
    assert "as a SavedModel" in error
    assert "which is missing" not in error


def test_the_topology_of_a_layers_model_alone_is_recognised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(KERAS))
    assert main(["summarize", str(path)]) == 2
    assert "this is the architecture of a Keras model" in capsys.readouterr().err
