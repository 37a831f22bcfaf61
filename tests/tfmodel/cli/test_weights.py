"""`tfmodel weights`: lists and exports."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pbwire import text
from tests.support.corpus import model_files
from tests.tfmodel import models
from tests.tfmodel.files.bad_files import BAD_FILES, WITH_SOURCE, write_bad_file
from tests.tfmodel.freezing.models import case
from tests.tfmodel.parameters.graphs import const, graph, variable
from tfmodel import load
from tfmodel.cli import runner
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.transforms.framework.pipeline import transform

ROOT = Path(__file__).resolve().parents[3]
KERNEL = np.arange(24, dtype="f4").reshape(2, 1, 3, 4)


@pytest.fixture
def run(capsys):
    """Runs the command, and gives its status, what it prints, and what it says."""

    def run(*arguments):
        status = runner.run("weights", ".weights", "", list(map(str, arguments)))
        return status, *capsys.readouterr()

    return run


def test_long_names_are_shortened_on_terminals_only(run, tmp_path, monkeypatch):
    name = "StatefulPartitionedCall/model/block_12_expand/BatchNorm/FusedBatchNormV3/ReadVariableOp"
    (tmp_path / "g.pb").write_bytes(graph(const(name, KERNEL)).to_bytes())
    _, in_pipe, _ = run(tmp_path / "g.pb", "--all")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    _, on_terminal, _ = run(tmp_path / "g.pb", "--all")
    _, in_json, _ = run(tmp_path / "g.pb", "--all", "--json")
    assert name in in_pipe
    assert name in in_json
    assert name not in on_terminal
    assert [len(line) <= 100 for line in on_terminal.splitlines()[:2]] == [True, True]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "frozen.pb"
    model = graph(
        const("conv/kernel", KERNEL),
        const("conv/bias", np.float32([1, 2])),
        const("axis", np.int32(0)),
        "c = Conv2D(x, conv/kernel)",
        "y = BiasAdd(c, conv/bias)",
        "z = Mean(y, axis)",
    )
    path.write_bytes(model.to_bytes())
    return path


class TestListing:
    def test_a_table(self, run, file):
        assert run(file, "--all") == (
            0,
            "name         used by  as      dtype    shape      bytes  share\n"
            "conv/kernel  Conv2D   filter  float32  [2,1,3,4]     96  88.9%\n"
            "conv/bias    BiasAdd  bias    float32  [2]            8   7.4%\n"
            "axis         Mean     axis    int32    []             4   3.7%\n"
            "\n"
            "3 weights, 108 bytes, 26 parameters\n",
            "",
        )

    def test_learned_weights_in_use(self, run, file):
        assert run(file) == (
            0,
            "name         used by  as      dtype    shape      bytes  share\n"
            "conv/kernel  Conv2D   filter  float32  [2,1,3,4]     96  92.3%\n"
            "conv/bias    BiasAdd  bias    float32  [2]            8   7.7%\n"
            "\n"
            "2 weights, 104 bytes, 26 parameters\n"
            "1 more with --all: 1 other constant\n",
            "",
        )

    @pytest.mark.parametrize(
        ("options", "names"),
        [
            (["--sort", "name"], ["axis", "conv/bias", "conv/kernel"]),
            (["--sort=order"], ["conv/kernel", "conv/bias", "axis"]),
            (["--name", "conv/*"], ["conv/kernel", "conv/bias"]),
            (["--name", "axis", "--name", "*bias"], ["conv/bias", "axis"]),
            (["--min-size", "8"], ["conv/kernel", "conv/bias"]),
            (["--min_size=0.05k"], ["conv/kernel"]),
            (["--statistics", "--sort", "max"], ["conv/kernel", "conv/bias", "axis"]),
        ],
    )
    def test_options(self, run, file, options, names):
        status, out, _ = run(file, "--all", *options)
        assert status == 0
        assert [line.split()[0] for line in out.splitlines()[1:-2]] == names

    def test_json(self, run, file):
        status, out, _ = run(file, "--json", "--layout", "torch", "--statistics")
        document = json.loads(out)
        assert (status, document["name"], document["parameters"]) == (0, str(file), 26)
        assert document["weights"][0]["shape"] == [4, 3, 2, 1]
        assert document["weights"][0]["statistics"]["max"] == 23

    def test_a_layout(self, run, file):
        assert "  [4,3,2,1] OIHW     96" in run(file, "--layout", "OIHW")[1]
        status, _, err = run(file, "--layout", "MIHW")
        assert (status, err) == (2, f"{file}: --layout: there are no filters and matrices that it applies to\n")

    @pytest.mark.slow(reason="starts processes")
    def test_histograms_are_ascii_where_they_have_to_be(self, file):
        for encoding in ("utf-8", "ascii", "latin-1"):
            done = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    f"from tfmodel.cli import runner; runner.run('weights', '.weights', '', "
                    f"['--histogram', {str(file)!r}])",
                ],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                check=True,
                env=os.environ | {"PYTHONIOENCODING": encoding},
            )
            text = done.stdout.decode(encoding)
            assert text.isascii() is (encoding != "utf-8")
            assert ("█" if encoding == "utf-8" else "@") in text

    def test_a_model_and_its_checkpoint(self, run):
        status, out, _ = run(case("resource_variables").model, "--statistics", "--name", "scope/*")
        assert status == 0
        assert "scope/w  MatMul   matrix  float32  [3,4]" in out
        assert "without values" not in out

    def test_a_checkpoint_that_is_named(self, run, tmp_path):
        path = tmp_path / "g.pbtxt"
        path.write_text(text.dumps(graph(variable("w", 2, 1, 3, 4), "y = Conv2D(x, w)")))
        assert run(path)[1].endswith("1 without values: there is no checkpoint\n")
        write_checkpoint(tmp_path / "m", {"w": KERNEL})
        status, out, _ = run(path, "--checkpoint", tmp_path / "m", "--statistics")
        assert (status, "11.5" in out) == (0, True)

    def test_a_saved_model_of_several_graphs(self, run, tmp_path):
        models.write_saved_model(tmp_path / "m", ("train",), ("gpu", "serve"))
        assert run(tmp_path / "m", "--tag-set", "serve,gpu")[0] == 0
        status, _, err = run(tmp_path / "m")
        assert (status, "choose one by its tags: train; gpu,serve" in err) == (2, True)

    def test_standard_input(self, run, file, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
        assert "3 weights" in run("-", "--all")[1]

    def test_a_graph_without_weights(self, run, tmp_path):
        path = tmp_path / "empty.pb"
        path.write_bytes(graph("x = Placeholder()").to_bytes())
        assert run(path) == (0, "no weights: there are no constants and no variables\n", "")

    @pytest.mark.parametrize("path", model_files("saved_model.pb", "frozen.pb", "net.pb", ".meta"))
    def test_every_model_file_is_listed(self, run, path):
        status, out, err = run(path)
        assert (status, err) == (0, "")
        assert " weight" in out


class TestCodes:
    @pytest.fixture
    def eight_bit(self, file):
        """The same file with weights of a byte each."""
        path = file.with_name("eight_bit.pb")
        path.write_bytes(transform(load(file), "", "z", "quantize_weights(minimum_size=3)").to_bytes())
        return path

    def test_are_listed_as_the_weight_that_they_are(self, run, eight_bit):
        assert run(eight_bit, "--all")[1] == (
            "name         used by  as      dtype    shape      bytes  share\n"
            "conv/kernel  Conv2D   filter  quint8   [2,1,3,4]     24  66.7%  0 to 23 in steps of 0.0902\n"
            "conv/bias    BiasAdd  bias    float32  [2]            8  22.2%\n"
            "axis         Mean     axis    int32    []             4  11.1%\n"
            "\n"
            "3 weights, 36 bytes, 26 parameters\n"
            "1 quantized: 24 bytes instead of 96\n"
        )

    def test_quantized_weights_are_listed_as_stored(self, run, eight_bit):
        names = [line.split()[0] for line in run(eight_bit, "--all", "--as-stored")[1].splitlines()[1:-2]]
        kernel = [f"conv/kernel_quantized_{part}" for part in ("const", "min", "max")]
        assert names == [kernel[0], "conv/bias", *kernel[1:], "axis"]

    def test_are_exported_as_numbers(self, run, eight_bit, tmp_path):
        assert run(eight_bit, "--all", "-o", tmp_path / "w.npz") == (0, "", f"{tmp_path}/w.npz: 3 arrays, 108 bytes\n")
        assert np.abs(np.load(tmp_path / "w.npz")["conv/kernel"] - KERNEL).max() < 0.05

    def test_quantized_weights_are_exported_as_stored(self, run, eight_bit, tmp_path):
        done = run(eight_bit, "--all", "--as-stored", "--name=*kernel*", "-o", tmp_path / "w.npz")
        assert done == (0, "", f"{tmp_path}/w.npz: 3 arrays, 32 bytes\n")
        assert np.load(tmp_path / "w.npz")["conv/kernel_quantized_const"].dtype == np.uint8


class TestExporting:
    def test_an_archive(self, run, file, tmp_path):
        assert run(file, "--all", "-o", tmp_path / "w.npz") == (0, "", f"{tmp_path}/w.npz: 3 arrays, 108 bytes\n")
        assert np.array_equal(np.load(tmp_path / "w.npz")["conv/kernel"], KERNEL)

    def test_a_note_counts_what_is_not_exported(self, run, file, tmp_path):
        note = f"{file}: 1 more with --all: 1 other constant\n"
        assert run(file, "-o", tmp_path / "w.npz") == (0, "", f"{note}{tmp_path}/w.npz: 2 arrays, 104 bytes\n")
        assert sorted(np.load(tmp_path / "w.npz")) == ["conv/bias", "conv/kernel"]

    def test_safetensors_in_a_layout(self, run, file, tmp_path):
        status, _, err = run(file, "--all", "--layout", "torch", "--name", "*kernel", "-o", tmp_path / "w.safetensors")
        assert (status, err) == (0, f"{tmp_path}/w.safetensors: 1 array, 96 bytes\n")
        data = (tmp_path / "w.safetensors").read_bytes()
        assert b'"shape":[4,3,2,1]' in data
        assert data.endswith(np.einsum("hwio->oihw", KERNEL).tobytes())

    def test_a_folder(self, run, file, tmp_path):
        status, _, err = run(file, "--all", "-o", tmp_path / "out")
        assert (status, err) == (0, f"{tmp_path}/out/: 3 arrays, 108 bytes\n")
        assert np.load(tmp_path / "out" / "axis.npy") == 0

    def test_standard_output(self, file):
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from tfmodel.cli import runner; import sys; "
                f"sys.exit(runner.run('weights', '.weights', '', [{str(file)!r}, '-o', '-']))",
            ],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        assert np.array_equal(np.load(io.BytesIO(done.stdout))["conv/kernel"], KERNEL)

    def test_weights_that_are_left_out_are_reported(self, run, tmp_path):
        path = tmp_path / "g.pb"
        path.write_bytes(graph(*(const(f"s{n:02}", [b"x"]) for n in range(12)), const("w")).to_bytes())
        status, _, err = run(path, "--all", "-o", tmp_path / "w.safetensors")
        lines = err.splitlines()
        assert status == 0
        assert lines[0] == f"{path}: left out s00: safetensors has no type for string"
        assert lines[-2:] == [f"{path}: left out 2 more", f"{tmp_path}/w.safetensors: 1 array, 12 bytes"]


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(run, name, tmp_path):
    path = write_bad_file(name, tmp_path)
    status, out, err = run(path)
    first, *details = err.splitlines()
    assert (status, out) == (2, "")
    assert first.startswith(f"{path}:")
    assert BAD_FILES[name] in first
    assert len(details) == (2 if name in WITH_SOURCE else 0)


class TestBadRequests:
    @pytest.mark.parametrize(
        ("options", "status", "problem"),
        [
            (["--sort", "colour"], 2, '--sort: there is no "colour"'),
            (["--sort", "mean"], 2, "--sort mean needs --statistics"),
            (["--min-size", "lots"], 2, '--min-size: "lots" is not a size: give bytes, or 10k, 1.5M, 2Gi'),
            (["--layout", "ABCD"], 2, '--layout: "ABCD" is not a layout'),
            (["--layout", "dense=OIHW"], 2, '--layout: "dense" is not a kind of weight'),
            (["-o", "w.h5"], 2, "-o: w.h5 is not an .npz, a .safetensors or the name of a folder"),
            (["-o", "w.npz", "--json"], 2, "--json is about the list: it does not go with -o"),
            (["-o", "w.npz", "--histogram"], 2, "--histogram is about the list"),
            (["-o", "missing/w.npz"], 2, "missing/w.npz: there is no folder missing to write it to"),
            (["--name", "dense*"], 2, "none of 2 weights is called dense*"),
            (
                ["--name", "conv*", "--min-size", "1M"],
                2,
                "none of 2 weights is called conv* and as large as --min-size 1M",
            ),
            (["--name", "ax*"], 2, "--name ax*: only --all lists the 1 entry of that name"),
            (["--checkpoint", "missing/model"], 2, "missing/model: no such file"),
        ],
    )
    def test_options(self, run, file, options, status, problem):
        code, out, err = run(file, *options)
        assert (code, out, problem in err) == (status, "", True)
        assert "Traceback" not in err

    def test_nothing_to_export(self, run, tmp_path):
        path = tmp_path / "g.pb"
        path.write_bytes(graph("x = Placeholder()").to_bytes())
        _, _, err = run(path, "-o", tmp_path / "w.npz")
        assert err == f"{path}: there is nothing to export: the model has no constants and no variables\n"
        path.write_bytes(graph("x = Placeholder()", const("a", np.int32(1)), "y = Mean(x, a)").to_bytes())
        _, _, err = run(path, "-o", tmp_path / "w.npz")
        assert err == f"{path}: there are no learned weights to export: 1 more with --all: 1 other constant\n"
        path.write_bytes(graph(variable("w", 3)).to_bytes())
        status, _, err = run(path, "-o", tmp_path / "w.npz")
        assert (status, err) == (2, f"{path}: there is nothing to export: there is no checkpoint; give --checkpoint\n")
        assert not (tmp_path / "w.npz").exists()

    def test_a_folder_that_is_not_empty(self, run, file, tmp_path):
        status, _, err = run(file, "-o", tmp_path)
        assert (status, err) == (2, f"{tmp_path}: this folder is there already, and not empty\n")

    def test_a_folder_in_the_place_of_the_file(self, run, file, tmp_path):
        (tmp_path / "w.npz").mkdir()
        status, _, err = run(file, "-o", tmp_path / "w.npz")
        assert (status, err) == (2, f"{tmp_path}/w.npz: this is a folder; name a file in it to write to\n")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_a_place_that_may_not_be_written_to(self, run, file, tmp_path):
        (tmp_path / "locked").mkdir(mode=0o500)
        status, _, err = run(file, "-o", tmp_path / "locked" / "w.npz")
        assert (status, "permission denied" in err) == (1, True)

    def test_a_full_device(self, run, file):
        if not os.path.exists("/dev/full"):
            pytest.skip("this system has no /dev/full")
        os.symlink("/dev/full", file.parent / "w.safetensors")
        status, _, err = run(file, "-o", file.parent / "w.safetensors")
        assert (status, "no space left" in err) == (2, True)

    def test_a_wrong_shape_in_the_checkpoint(self, run, tmp_path):
        path = tmp_path / "g.pb"
        path.write_bytes(graph(variable("w", 5)).to_bytes())
        write_checkpoint(tmp_path / "m", {"w": KERNEL})
        status, out, err = run(path, "--checkpoint", tmp_path / "m")
        assert (status, out) == (2, "")
        assert err == (f'{tmp_path}/m: VarHandleOp "w" has shape [5] in the graph, [2, 1, 3, 4] in the checkpoint\n')

    def test_a_layout_for_a_checkpoint_alone(self, run, tmp_path):
        write_checkpoint(tmp_path / "m", {"w": KERNEL})
        status, _, err = run(tmp_path / "m", "--layout", "OIHW")
        assert (status, err) == (
            2,
            f"{tmp_path}/m: a checkpoint alone does not say which tensors are filters: a layout needs the graph\n",
        )

    def test_the_checkpoint_of_a_checkpoint(self, run, tmp_path):
        write_checkpoint(tmp_path / "m", {"w": KERNEL})
        status, _, err = run(tmp_path / "m", "--checkpoint", tmp_path / "m")
        assert (status, "it does not go with another one" in err) == (2, True)

    def test_a_malformed_value_is_an_error(self, run, tmp_path):
        bad = const("w", np.float32([1, 2, 3]))
        bad.attr["value"].tensor.tensor_content = bytes(8)
        path = tmp_path / "g.pb"
        path.write_bytes(graph(bad).to_bytes())
        assert run(path)[0] == 0
        status, out, err = run(path, "--statistics")
        assert (status, out) == (2, "")
        assert err.startswith(f'{path}: Const "w": float32[3] needs 12 bytes')


def test_help(run):
    status, out, _ = run("--help")
    assert (status, "examples:" in out) == (0, True)
    assert all(len(line) <= 120 for line in out.splitlines())
