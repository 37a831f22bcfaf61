"""`check`, `summarize` and `weights` of several files and folders: lines, JSON lines, statuses, processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tests.tfmodel import models
from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tests.tfmodel.files.keras.files import keras_file, needs_h5py
from tests.tfmodel.reports.check.catalogue import UNSAFE
from tfmodel.cli import main, many_files
from tfmodel.cli.worker_pool import Lost

COMMANDS = ["check", "summarize", "weights"]
CLEAN = "graph.pb: sound and safe (4 nodes, 1 function)"
READS = UNSAFE["a file that is read"].graph.to_bytes()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: two graphs, of which one is unsafe, a truncated one, a checkpoint, and other files."""
    (tmp_path / "deep").mkdir()
    data = models.graph().to_bytes()
    (tmp_path / "graph.pb").write_bytes(data)
    (tmp_path / "deep" / "reads.pb").write_bytes(READS)
    (tmp_path / "truncated.pb").write_bytes(data[: len(data) * 2 // 3])
    (tmp_path / "notes.txt").write_text("Dear diary,\n")
    shutil.copytree("tests/data/trained", tmp_path / "trained")
    (tmp_path / "trained" / "model.meta").unlink()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, capfd: pytest.CaptureFixture[str]) -> Any:
    """Runs a command in the folder, and gives its status, its lines, and its lines on standard error."""

    def run(line: str) -> tuple[int, list[str], list[str]]:
        status = main(line.split())
        out, err = capfd.readouterr()
        return status, out.splitlines(), err.splitlines()

    return run


LINES = {
    "check": [
        'deep/reads.pb: 1 unsafe (7 nodes): ReadFile "y" reads "/etc/passwd"',
        CLEAN,
        "truncated.pb: cannot be read: truncated at byte",
    ],
    "summarize": [
        "deep/reads.pb: GraphDef: 7 nodes, 0 parameters, (not certain) -> (not certain)",
        "graph.pb: GraphDef: 5 nodes, 4 parameters, x float32[?,4] -> y float32[?,1]",
        "truncated.pb: cannot be read: truncated at byte",
    ],
    "weights": [
        "deep/reads.pb: 0 weights, 0 bytes, 0 parameters",
        "graph.pb: 1 weight, 16 bytes, 4 parameters",
        "trained/model.index: 2 weights, 60 bytes, 15 parameters",
        "truncated.pb: cannot be read: truncated at byte",
    ],
}
COUNTS = {
    "check": "3 models, 1 with findings, 1 cannot be read; 1 other file, 1 checkpoint without a graph",
    "summarize": "3 models, 1 cannot be read; 1 other file, 1 checkpoint without a graph",
    "weights": "4 models, 1 cannot be read; 1 other file",
}


@pytest.mark.parametrize("jobs", ["", " --jobs 2"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_is_a_line_for_each_model_in_order(command: str, jobs: str, run: Any) -> None:
    status, lines, err = run(f"{command} .{jobs}")
    expected = LINES[command]
    shown = [line.removeprefix("./")[: len(start)] for line, start in zip(lines, expected, strict=True)]
    assert shown == [start.replace("/", os.sep) for start in expected]
    assert (status, err) == (2, [COUNTS[command]])


@pytest.mark.parametrize("command", COMMANDS)
def test_json_lines_are_the_reports_with_paths(command: str, run: Any) -> None:
    _, lines, _ = run(f"{command} graph.pb truncated.pb --json")
    whole, broken = map(json.loads, lines)
    _, alone, _ = run(f"{command} graph.pb --json")
    assert whole == {"path": "graph.pb"} | json.loads("\n".join(alone))
    assert broken.keys() == {"format", "path", "error"}
    assert (broken["format"], broken["path"]) == (1, "truncated.pb")
    assert broken["error"].startswith("truncated at byte")


def test_paths_are_taken_in_the_order_in_which_they_are_given(run: Any) -> None:
    status, lines, err = run("check graph.pb deep graph.pb")
    assert [line.partition(":")[0] for line in lines] == ["graph.pb", os.path.join("deep", "reads.pb"), "graph.pb"]
    assert (status, err) == (1, ["3 models, 1 with findings"])


@pytest.mark.parametrize(("line", "status"), [("graph.pb graph.pb", 0), ("graph.pb deep", 1), ("deep nosuch", 2)])
def test_the_status_is_the_largest(line: str, status: int, run: Any) -> None:
    assert run(f"check {line}")[0] == status


@pytest.mark.parametrize("bad", BAD_FILES)
def test_a_file_that_is_named_and_is_not_a_model_is_broken(bad: str, run: Any, tmp_path: Path) -> None:
    write_bad_file(bad, tmp_path)
    status, lines, _ = run(f"check graph.pb {bad} graph.pb --json")
    if bad == "folder":
        assert (status, len(lines)) == (0, 2)
        return
    assert (status, len(lines)) == (2, 3)
    assert BAD_FILES[bad].removeprefix(f"{bad}:") in json.loads(lines[1])["error"]
    text = run(f"check graph.pb {bad}")[1]
    assert len(text) == 2 and text[1].startswith(f"{bad}: cannot be read: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_without_models_is_an_error_as_before(command: str, run: Any, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "notes.txt").write_text("Dear diary,\n")
    status, lines, err = run(f"{command} texts")
    assert (status, lines, len(err)) == (2, [], 1)
    assert err[0].startswith("texts: this folder is not a SavedModel")


def test_checkpoints_of_version_1_in_a_folder_are_weights(run: Any, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    shutil.copy(tmp_path / "trained" / "model.index", tmp_path / "old" / "model.ckpt")  # both end like a table
    status, lines, err = run("weights old")
    assert (status, err) == (2, ["1 model, 1 cannot be read"])
    assert lines[0].startswith(f"{os.path.join('old', 'model.ckpt')}: cannot be read: ")


def test_several_folders_without_models_are_errors(run: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    status, lines, err = run("check one two")
    assert (status, lines) == (2, [f"{name}: cannot be read: this folder is empty" for name in ("one", "two")])
    assert err == ["2 models, 2 cannot be read"]


def test_a_folder_that_is_a_model_is_searched_with_jobs_only(run: Any, folder: Path) -> None:
    shutil.copy("graph.pb", folder / "trained")
    assert len(run("weights trained")[1]) > 2
    _, lines, err = run("weights trained --jobs 1")
    assert [line.partition(":")[0] for line in lines] == [
        os.path.join("trained", name) for name in ("graph.pb", "model.index")
    ]
    assert err[-1] == "2 models"


@pytest.mark.skipif(os.name != "posix", reason="there are no such files here")
def test_skipped_files_are_named_and_counted(run: Any, folder: Path) -> None:
    os.mkfifo(folder / "deep" / "pipe")
    status, _, err = run("check deep")
    assert (status, err) == (
        1,
        ["deep/pipe: skipped: this is not a file but a pipe", "1 model, 1 with findings; 1 skipped"],
    )


@pytest.mark.skipif(os.name != "posix", reason="permissions are others")
def test_a_folder_that_is_named_and_cannot_be_read_is_broken(run: Any, folder: Path) -> None:
    (folder / "closed").mkdir(mode=0)
    if os.access(folder / "closed", os.R_OK):
        pytest.skip("this user may read everything")
    status, lines, _ = run("check graph.pb closed")
    assert (status, lines) == (2, [CLEAN, "closed: cannot be read: permission denied"])


def test_several_files_without_a_command_are_summarized(run: Any) -> None:
    status, lines, err = run("graph.pb deep")
    assert (status, len(lines), err) == (0, 2, ["2 models"])


@needs_h5py
def test_files_of_keras_are_models_too(run: Any, folder: Path) -> None:
    for name in ("keras2/net.h5", "keras3/net.keras"):
        keras_file(name, folder / "deep")
    _, lines, _ = run("summarize deep --jobs 2")
    assert [line.partition(":")[0] for line in lines] == [
        os.path.join("deep", name) for name in ("net.h5", "net.keras", "reads.pb")
    ]
    assert ": Keras model (.keras), Keras 3" in lines[1] and " layers, " in lines[1]


def test_a_bug_ends_one_file_and_not_the_run(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def examine(args: Any, path: str) -> Any:
        raise ZeroDivisionError("division by zero")

    many = many_files.ManyFiles(examine)
    monkeypatch.setattr("tfmodel.cli.check.MANY", many)
    status, lines, _ = run("check graph.pb deep")
    problem = "cannot be read: tfmodel has a bug, which this file shows: ZeroDivisionError: division by zero"
    assert (status, lines) == (2, [f"graph.pb: {problem}", f"{os.path.join('deep', 'reads.pb')}: {problem}"])


def test_a_process_that_is_killed_is_a_broken_file(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = Lost("it was ended by SIGKILL")
    monkeypatch.setattr(many_files.WorkerPool, "map", lambda pool, items: ((item, lost) for item in items))
    status, lines, err = run("check graph.pb deep/reads.pb --jobs 2")
    assert lines[0] == "graph.pb: cannot be read: the process that read it ended: it was ended by SIGKILL"
    assert (status, err) == (2, ["2 models, 2 cannot be read"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("check graph.pb -", '"-" is one model: give it alone'),
        ("check graph.pb deep --all", "--all is for one model"),
        ("check graph.pb -o out.sarif", "-o is the file of --sarif"),
        ("check graph.pb --sarif --json", "--sarif has all findings: leave out --json"),
        ("check graph.pb --jobs 257", "at most 256, not 257"),
        ("check graph.pb --jobs -1", "at least 0, not -1"),
        ("summarize graph.pb deep --bind x=1", "--bind is for one model"),
        ("weights graph.pb deep --statistics", "--statistics does not change the lines of several files: add --json"),
        ("weights graph.pb deep -o out.npz", "--output is for one model"),
    ],
)
def test_options_that_do_not_fit_are_refused(line: str, words: str, run: Any) -> None:
    status, lines, err = run(line)
    assert (status, lines) == (2, [])
    assert words in "\n".join(err)


@pytest.mark.parametrize("command", ["check", "summarize"])
def test_declarations_that_cannot_be_read_are_one_error(command: str, run: Any) -> None:
    status, lines, err = run(f"{command} graph.pb deep --op-defs nosuch.pbtxt")
    assert (status, lines, err) == (2, [], ["nosuch.pbtxt: no such file or directory"])


@pytest.mark.parametrize("command", COMMANDS)
def test_processes_that_cannot_be_started_are_one_error(
    command: str, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nosuch/python")
    status, lines, err = run(f"{command} deep --jobs 2")
    problem = f"tfmodel {command}: --jobs: a process cannot be started: No such file or directory"
    assert (status, lines, err) == (2, [], [problem])


def test_a_document_that_cannot_be_written_is_not_a_finding(run: Any) -> None:
    status, lines, err = run("check graph.pb --sarif -o nosuch/out.sarif")
    assert (status, lines, err) == (2, [], ["nosuch/out.sarif: there is no folder nosuch to write it to"])


@pytest.mark.parametrize("line", ["check deep graph.pb --jobs 0", "summarize deep graph.pb --json --batch-size 2"])
def test_other_options_apply_to_each_file(line: str, run: Any) -> None:
    status, lines, _ = run(line)
    assert (status, len(lines)) == (1 if line.startswith("check") else 0, 2)
    if "--json" in line:
        assert json.loads(lines[1])["inputs"][0]["shape"] == [2, 4]


def test_memory_does_not_grow_with_the_number_of_files(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def peak(count: int) -> int:
        many = folder / f"many{count}"
        many.mkdir()
        for number in range(count):
            shutil.copy(folder / "graph.pb", many / f"model{number}.pb")
        tracemalloc.start()
        try:
            assert main(["check", str(many), "--json"]) == 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # imports, and tables that are made on first use
    assert peak(300) - peak(100) < 200 * 300  # at most the names of the files


@pytest.mark.skipif(os.name != "posix", reason="signals are sent otherwise")
def test_control_c_ends_the_run_with_the_status_of_shells(folder: Path) -> None:
    """A pipe that is never written to keeps one process waiting."""
    os.mkfifo(folder / "pipe")
    writer = os.open(folder / "pipe", os.O_RDWR)
    environment = {**os.environ, "PYTHONPATH": str(Path(many_files.__file__).parents[2])}
    words = [sys.executable, "-m", "tfmodel", "check", "graph.pb", "pipe", "graph.pb", "--jobs", "2"]
    try:
        with subprocess.Popen(
            words, cwd=folder, env=environment, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as started:
            assert started.stdout is not None and started.stderr is not None
            assert started.stdout.readline().decode().strip() == CLEAN
            os.killpg(started.pid, signal.SIGINT)
            assert (started.wait(20), started.stderr.read()) == (130, b"")
    finally:
        os.close(writer)
