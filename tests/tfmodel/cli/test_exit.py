"""Every command on every kind of file ends with a status of its own: no signal, no traceback, with and without h5py."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tfmodel.files.keras.files import keras_file, needs_h5py
from tests.tfmodel.tfjs_models import write_model as write_tfjs
from tfmodel.cli import COMMANDS, main

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")

FILES = [
    "convnet.pb",
    "graph.pbtxt",
    "graph.json",
    "model.meta",
    "model",  # the prefix of a checkpoint
    "model.index",
    "saved",
    "tfjs",
    "net.h5",
    "net.keras",
    "text.keras",
    "text.weights.h5",
    "examples.tfrecord",
    "logs",
    "truncated.pb",
    "pointer.pb",
    "words.txt",
    "empty.pb",
    "zip.keras",  # a zip file that is cut off
]

KERAS = [name for name in FILES if name.endswith((".h5", ".keras"))]

# The arguments of each command; {} stands for the file.
LINES = {
    "": ["{}"],
    "dump": ["dump {}", "dump {} --format tree", "dump {} --format raw"],
    "summarize": ["summarize {}", "summarize {} --all --html page.html"],
    "checkpoint": ["checkpoint {}", "checkpoint {} --verify", "checkpoint {} -o out.npz"],
    "freeze": ["freeze {} -o out.pb"],
    "weights": ["weights {} --all", "weights {} -o out.npz", "weights {} -o out.safetensors", "weights {} --stats"],
    "run": ["run {} --random"],
    "verify": ["verify {} {}"],
    "ops": ["ops {}"],
    "diff": ["diff {} {}", "diff {} {} --values"],
    "find": ["find {} op=Const"],
    "check": ["check {}", "check {} --values"],
    "events": ["events {}"],
    "records": ["records {}"],
    "draw": ["draw {} -o out.html", "draw {}"],
    "transform": ["transform {} -o out.pb --inputs x --outputs y --transforms strip_unused_nodes"],
    "edit": ["edit {} -o out.pb --remove nothing"],
    "extract": ["extract {} -o out.pb --outputs y"],
    "splice": ["splice {} {} -o out.pb --connect x=y"],
    "reduce": ["reduce {} -o out.pb --fails"],
    "optimize": ["optimize {} -o out.pb"],
    "convert": ["convert {} out.json", "convert {} out/"],
}


def test_every_command_has_a_line() -> None:
    others = {"completion", "vendor", "view"}  # two read no model, the last writes as draw does
    assert {*LINES} == {"", *COMMANDS} - others


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all FILES."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("convnet.pb", "examples.tfrecord", "truncated.pb", "pointer.pb"):
        shutil.copy(f"tests/data/{name}", folder)
    for file in Path("tests/data/trained").iterdir():
        shutil.copy(file, folder)
    shutil.copytree("tests/data/logs/train", folder / "logs")
    for target in ("graph.pbtxt", "graph.json"):
        assert main(["convert", "tests/data/linear.pb", str(folder / target)]) == 0
    assert main(["convert", str(folder / "model.meta"), f"{folder}/saved/"]) == 0
    write_tfjs(folder / "tfjs")
    for name in ("keras2/net.h5", "keras3/net.keras", "keras3/text.keras", "keras2/text.weights.h5"):
        keras_file(name, folder)
    data = (folder / "net.keras").read_bytes()
    (folder / "zip.keras").write_bytes(data[: len(data) // 2])
    (folder / "words.txt").write_text("cat\ndog\n")
    (folder / "empty.pb").touch()
    return folder


def statuses(folder: Path, lines: list[list[str]], *options: str) -> list[tuple[int, str]]:
    """Run commands with `exits.py` in a folder; return the status and the errors of each."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd(), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.tfmodel.cli.exits", *options],
        input=json.dumps(lines),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=900,
    )
    answers: list[tuple[int, str]] = json.loads(done.stdout)
    return answers


def ending_badly(folder: Path, files: list[str], lines: list[str], *options: str) -> list[str]:
    """Return the commands that end by a signal, with a traceback, or with a status that is none of theirs."""
    commands = [[word.format(file) for word in line.split()] for line in lines for file in files]
    answers = statuses(folder, commands, *options)
    return [
        f"{' '.join(command)}: {status}: {err[-500:]}"
        for command, (status, err) in zip(commands, answers, strict=True)
        if status not in (0, 1, 2) or "Traceback" in err or "Exception ignored" in err
    ]


H5PY = [pytest.param([], id="with h5py", marks=needs_h5py), pytest.param(["--without-h5py"], id="without h5py")]


@needs_fork
@pytest.mark.parametrize("options", H5PY)
def test_commands_that_read_keras_files_end_well(folder: Path, options: list[str]) -> None:
    lines = ["{}", "weights {}", "check {} --values", "diff {} {} --values", "convert {} out.json"]
    assert ending_badly(folder, ["net.keras", "net.h5", "zip.keras"], lines, *options) == []


@needs_fork
@pytest.mark.slow(reason="runs 330 commands, each in a process")
def test_every_command_ends_well_on_every_kind_of_file(folder: Path) -> None:
    others = [name for name in FILES if name not in KERAS]
    assert ending_badly(folder, others, [lines[0] for lines in LINES.values()]) == []


@needs_fork
@pytest.mark.slow(reason="runs 170 commands, each in a process")
@pytest.mark.parametrize("options", H5PY)
def test_every_command_ends_well_on_files_of_keras(folder: Path, options: list[str]) -> None:
    assert ending_badly(folder, KERAS, [line for lines in LINES.values() for line in lines], *options) == []


@needs_h5py
@pytest.mark.parametrize("command", ["summarize", "weights", "check --values", "diff --values net.keras"])
def test_a_process_of_its_own_ends_well_too(folder: Path, command: str) -> None:
    """Python ends, and with it the HDF5 library, which must not have open files that are read through Python."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    words = [sys.executable, "-m", "tfmodel", *command.split(), "net.keras"]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1 if command.startswith("check") else 0, "")  # a Lambda layer


@needs_h5py
def test_a_model_that_a_script_keeps_is_closed_when_python_ends(folder: Path) -> None:
    """Even if objects are exempt from garbage collection, as in servers that fork."""
    script = "import gc, tfmodel; model = tfmodel.Model('net.keras'); model.weights(); gc.freeze()"
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    words = [sys.executable, "-X", "dev", "-c", script]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
