"""`tfmodel diff`: its exit status, and what it prints."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.tfmodel import models
from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tfmodel import write_checkpoint
from tfmodel.cli import runner


@pytest.fixture
def run(capsys):
    """Runs the command, and gives its status, what it prints, and what it says."""

    def run(*arguments):
        status = runner.run("diff", ".diff", "", list(map(str, arguments)))
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def files(tmp_path):
    graph = models.graph()
    (tmp_path / "a.pb").write_bytes(graph.to_bytes())
    graph.node[-1].op = "Relu6"
    (tmp_path / "b.pb").write_bytes(graph.to_bytes())
    return tmp_path / "a.pb", tmp_path / "b.pb"


def test_the_same(run, files):
    assert run(files[0], files[0]) == (0, "the same: 4 nodes\n", "")


def test_different(run, files):
    a, b = files
    assert run(a, b) == (
        1,
        (
            f"--- {a}: 4 nodes\n"
            f"+++ {b}: 4 nodes\n"
            "\n"
            "changed (1):\n"
            "~ y  Relu6\n"
            "    op: Relu -> Relu6\n"
            "\n"
            "nodes: 0 removed, 0 added, 1 changed, 3 the same\n"
        ),
        "",
    )


def test_json(run, files):
    status, out, _ = run(*files, "--json")
    document = json.loads(out)
    assert (status, document["same"], document["graph"]["changed"][0]["name"]) == (1, False, "y")


def test_quiet(run, files):
    assert run(*files, "--quiet") == (1, "", "")


def test_tolerances(run, tmp_path):
    for name, value in (("a.pb", 1.0), ("b.pb", 1.001)):
        (tmp_path / name).write_bytes(models.GraphDef(node=[models.const("w", [value])]).to_bytes())
    files = tmp_path / "a.pb", tmp_path / "b.pb"
    assert run(*files, "--rtol=1e-4")[0] == 1
    assert run(*files, "--rtol=1e-2")[0] == 0


@pytest.mark.parametrize("arguments", [["--atol=-1"], ["--rtol=nan"], ["--atol=x"]])
def test_invalid_tolerances_are_usage_errors(run, files, arguments):
    status, out, err = run(*files, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("tfmodel diff: ")


def test_standard_input_can_be_one_of_the_two_only(run):
    status, _, err = run("-", "-")
    assert status == 2
    assert "only one of the two can come from standard input" in err


@pytest.mark.parametrize("name", BAD_FILES)
def test_it_is_unknown_for_bad_files(run, files, tmp_path, name):
    path = write_bad_file(name, tmp_path)
    for arguments in ((files[0], path), (path, files[0])):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert err.startswith(str(path))
        assert BAD_FILES[name] in err


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def checkpoints(tmp_path):
    """Two checkpoints of one model; the second one has another kernel."""
    kernel = np.array([[3, 0], [0, 4]], "f4")
    write_checkpoint(tmp_path / "a", {"dense/kernel": kernel, "step": np.int64(1)})
    write_checkpoint(tmp_path / "b", {"dense/kernel": kernel + np.array([[1, 0], [0, 0]], "f4"), "step": np.int64(1)})
    return tmp_path / "a", tmp_path / "b"


def test_checkpoints(run, checkpoints):
    a, b = checkpoints
    assert run(a, b) == (
        1,
        (
            f"--- {a}: 2 tensors\n"
            f"+++ {b}: 2 tensors\n"
            "\n"
            "changed (1):\n"
            "  name          tensor        change  largest  at     relative    cosine  different  norm\n"
            "  dense/kernel  float32[2,2]  0.1768        1  [0,0]      0.25  0.989949     1 of 4  5 -> 5.657\n"
            "\n"
            "tensors: 1 changed, 1 the same\n"
        ),
        "",
    )


def test_the_same_checkpoint_by_its_files_and_by_its_folder(run, checkpoints, tmp_path):
    a, _ = checkpoints
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "a"')
    for other in (f"{a}.index", f"{a}.data-00000-of-00001", tmp_path):
        assert run(a, other) == (0, "the same: 2 tensors\n", "")


def test_values_with_tolerances(run, checkpoints):
    assert run(*checkpoints, "--atol=0.5")[0] == 1
    assert run(*checkpoints, "--atol=1")[:2] == (0, "the same: 2 tensors\n")
    assert run(*checkpoints, "--rtol=0.25", "--quiet") == (0, "", "")


def test_all_tensors(run, checkpoints):
    assert "same (1):\n  step  int64[]\n" in run(*checkpoints, "--all")[1]


def test_values_as_json(run, checkpoints):
    status, out, _ = run(*checkpoints, "--json")
    document = json.loads(out)
    assert (status, document["same"], document["counts"]["changed"]) == (1, False, 1)
    kernel, step = document["tensors"]
    assert (kernel["name"], kernel["max_absolute"], kernel["max_at"]) == ("dense/kernel", 1, [0, 0])
    assert (step["status"], step["before"]) == (
        "same",
        {"name": "step", "kind": "variable", "dtype": "int64", "shape": [], "elements": 1, "norm": 1.0, "nan": 0,
         "infinite": 0},
    )  # fmt: skip


def test_long_lists_are_shortened(run, tmp_path):
    for name, value in (("a", 1.0), ("b", 2.0)):
        write_checkpoint(tmp_path / name, {f"v{number}": np.full(3, value) for number in range(30)})
    files = tmp_path / "a", tmp_path / "b"
    assert "  ... and 10 more\n" in run(*files)[1]
    assert "more" not in run(*files, "--full")[1]


def test_values_of_models(run, files):
    a, _ = files
    assert run(a, a, "--values") == (0, "the same: 1 tensor\n", "")
    assert run(a, a, "--values", "--all")[1].startswith("same (1):\n")


def test_a_checkpoint_and_a_graph(run, files, checkpoints):
    status, _, err = run(checkpoints[0], files[0])
    assert status == 2
    assert err.endswith("--values compares the tensors of a checkpoint with the values of a model\n")
    assert run(checkpoints[0], files[0], "--values")[0] == 1


def test_a_damaged_checkpoint(run, checkpoints):
    a, b = checkpoints
    data = b.with_name("b.data-00000-of-00001")
    data.write_bytes(b"\1" + data.read_bytes()[1:])
    status, out, err = run(a, b)
    assert (status, out) == (2, "")
    assert err.startswith(f'{data}: tensor "dense/kernel" at byte 0: its 16 bytes have CRC ')


@pytest.mark.parametrize("name", BAD_FILES)
def test_it_is_unknown_for_values_in_bad_files(run, files, tmp_path, name):
    path = write_bad_file(name, tmp_path)
    for arguments in ((files[0], path), (path, files[0])):
        status, out, err = run(*arguments, "--values")
        assert (status, out) == (2, "")
        assert err.startswith(str(path))
