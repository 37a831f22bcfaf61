"""-o: errors are reported before the work begins, also if -o was confused with --outputs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tfmodel.cli import main

DATA = Path(__file__).resolve().parents[2] / "data"
MODEL, GRAPH = str(DATA / "trained" / "model"), str(DATA / "linear.pb")

# A command line of every command that writes a file.
WRITING = [
    ["checkpoint", MODEL, "-o", "out.npz"],
    ["convert", GRAPH, "out.pbtxt"],
    ["draw", GRAPH, "-o", "out.dot"],
    ["freeze", MODEL, "-o", "out.pb"],
    ["optimize", MODEL, "-o", "out.pb"],
    ["run", GRAPH, "--random", "--fetch=y", "-o", "out.npz"],
    ["transform", GRAPH, "--outputs=y", "--transforms=remove_device", "-o", "out.pb"],
    ["weights", MODEL, "-o", "out.npz"],
]


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Return the exit status and the stderr of a command that is run in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = main(list(map(str, arguments)))
        return status, capsys.readouterr().err

    return run


@pytest.mark.parametrize("call", WRITING, ids=lambda call: call[0])
class TestPlaces:
    def test_a_missing_folder_is_noticed_before_anything_is_read(self, run, call):
        command, _, *options, target = call
        problem = f"missing/{target}: there is no folder missing to write it to\n"
        assert run(command, "gone.pb", *options, f"missing/{target}") == (2, problem)

    def test_a_folder_in_place_of_the_file_is_noticed_before_anything_is_read(self, run, call):
        command, _, *options, target = call
        Path(target).mkdir()
        status, error = run(command, "gone.pb", *options, target)
        assert status == 2
        assert error.startswith(f"{target}: this is a folder; ")

    @pytest.mark.parametrize("denied", ["the file", "its folder"])
    def test_a_read_only_target_is_noticed_before_anything_is_read(self, run, call, monkeypatch, denied):
        command, _, *options, target = call
        Path(target).touch()
        locked = os.path.realpath(target if denied == "the file" else ".")
        monkeypatch.setattr(os, "access", lambda path, mode: os.path.realpath(path) != locked)
        assert run(command, "gone.pb", *options, target) == (2, f"{target}: permission denied\n")

    def test_a_name_that_is_empty_is_not_the_same_as_none(self, run, call):
        command, _, *options, _ = call
        status, error = run(command, "gone.pb", *options, "")
        assert status == 2
        assert "the name of the file is missing" in error or '"" does not select a format' in error

    def test_a_valid_target_is_written(self, run, call):
        assert run(*call)[0] == 0
        assert Path(call[-1]).stat().st_size


@pytest.mark.parametrize("call", [call for call in WRITING if call[-1] == "out.pb"], ids=lambda call: call[0])
@pytest.mark.parametrize("name", ["small.tflite", "small.npz", "small.onnx", "small.h5"])
def test_a_graph_gets_no_name_of_something_else(run, call, name):
    status, error = run(*call[:-1], name)
    assert status == 2
    assert error.splitlines()[-1].endswith(", and this would be a graph: call it .pb")
    assert not Path(name).exists()


class TestOutputIsNotOutputs:
    CALLS = pytest.mark.parametrize(
        "call",
        [
            ["transform", GRAPH, "--transforms=remove_device"],
            ["freeze", MODEL],
            ["optimize", MODEL],
        ],
        ids=lambda call: call[0],
    )

    @CALLS
    def test_a_node_in_place_of_the_file(self, run, call):
        status, error = run(*call, "--output", "y")
        assert status == 2
        assert error.splitlines()[-1] == (
            f'tfmodel {call[0]}: --output is the file to write, and "y" is in the graph; did you mean --outputs? '
            "-o y writes that file"
        )
        assert not Path("y").exists()

    @CALLS
    def test_a_node_beside_the_file(self, run, call):
        status, error = run(*call, "-o", "out.pb", "--output", "y")
        assert status == 2
        assert "--output y: the file to write is out.pb already; --outputs names what the graph computes" in error

    @CALLS
    def test_a_file_in_place_of_the_nodes(self, run, call):
        status, error = run(*call, "--outputs", "out.pb")
        assert status == 2
        assert "add -o OUT" in error
        assert '; --outputs names what the graph computes, and "out.pb" looks like a file' in error

    @CALLS
    @pytest.mark.parametrize("options", [["-o", "y"], ["--output", "y", "--outputs", "y"], ["--output", "other"]])
    def test_files_may_be_called_anything(self, run, call, options):
        assert run(*call, *options)[0] == 0
        assert Path(options[1]).stat().st_size
