"""`tfmodel checkpoint`: lists, checks, exports and rewrites."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.tfmodel.files.bad_files import BAD_FILES, write_bad_file
from tests.tfmodel.files.checkpoints.golden import golden
from tfmodel import Checkpoint, cli
from tfmodel.files.checkpoints.writing import write_checkpoint

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def run(capsys, monkeypatch):
    """A function that runs the command and gives its exit status, what it printed, and what it said."""
    monkeypatch.setitem(cli.COMMANDS, "checkpoint", (".checkpoint", "list, verify or export a checkpoint"))

    def run(*arguments):
        status = cli.main(["checkpoint", *map(str, arguments)])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def prefix(tmp_path):
    tensors = {"dense/bias": np.zeros(3, "f4"), "dense/kernel": np.zeros((2, 3), "f4"), "words": [b"a", b"bc"]}
    write_checkpoint(tmp_path / "m", tensors)
    return tmp_path / "m"


class TestListing:
    def test_a_table(self, run, prefix):
        status, out, err = run(prefix)
        assert (status, err) == (0, "")
        assert out == (
            "name          dtype    shape   bytes  shard\n"
            "dense/bias    float32  [3]        12      0\n"
            "dense/kernel  float32  [2, 3]     24      0\n"
            "words         string   [2]         9      0\n"
            "\n"
            "3 tensors, 45 bytes (checkpoint V2)\n"
        )

    def test_tensors_in_parts(self, run):
        _, out, _ = run(golden("partitioned_v2").path)
        assert "axis1/weights  float32  [7, 8, 6]  1,344  0 (4 parts)\n" in out
        _, out, _ = run(golden("cut_and_sharded_v1").path)
        assert "0-2 (3 parts)\n" in out

    def test_names_of_objects(self, run):
        path = golden("keras_v2").path
        _, out, _ = run(path, "--name", "optimizer/m/*")
        assert [line.split()[0] for line in out.splitlines()[1:-2]] == [
            f"optimizer/m/model/layer_with_weights-{n}/{what}" for n in range(2) for what in ("bias", "kernel")
        ]
        assert out.endswith("\n4 tensors of 19, 52 bytes (checkpoint V2)\n")
        _, out, _ = run(path, "--keys", "--name", "save_counter*")
        assert "save_counter/.ATTRIBUTES/VARIABLE_VALUE  int64  []         8      0\n" in out

    def test_sizes_that_are_not_known(self, run):
        _, out, _ = run(golden("types_v1").path)
        assert out.endswith("22 tensors, 334 bytes and 1 of unknown size (checkpoint V1)\n")

    def test_json(self, run):
        status, out, err = run(golden("grid_v2").path, "--json", "--name", "rows")
        assert (status, err) == (0, "")
        document = json.loads(out)
        assert (document["version"], document["bytes"]) == (2, 240)
        (row,) = document["tensors"]
        parts = row.pop("parts")
        assert row == {
            "name": "rows",
            "key": "rows",
            "dtype": "int64",
            "shape": [6, 5],
            "bytes": 240,
            "shard": None,
            "offset": None,
        }
        assert [(part["slice"], part["shape"]) for part in parts] == [("0,2:-", [2, 5]), ("2,4:-", [4, 5])]

    def test_control_characters_do_not_reach_a_terminal(self, run, tmp_path):
        write_checkpoint(tmp_path / "m", {"\x1b[31mred\n": 1})
        _, out, _ = run(tmp_path / "m")
        assert "\x1b" not in out
        assert "\\x1b[31mred\\n" in out

    def test_no_tensor_of_that_name(self, run, prefix):
        assert run(prefix, "--name", "x*") == (2, "", f"{prefix}: no tensor matches --name x*\n")

    @pytest.mark.slow(reason="starts processes")
    def test_numpy_is_not_imported_for_a_list(self):
        code = (
            "import sys; from tfmodel import cli; cli.COMMANDS['checkpoint'] = ('.checkpoint', '');"
            "cli.main(sys.argv[1:]); print('numpy' in sys.modules)"
        )
        for name in ("keras_v2", "partitioned_v2", "sliced_v1"):
            arguments = [sys.executable, "-c", code, "checkpoint", str(golden(name).path)]
            done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True)
            assert done.stdout.endswith("\nFalse\n"), done.stderr


class TestVerifying:
    def test_a_sound_checkpoint(self, run, prefix):
        assert run(prefix, "--verify") == (0, "sound: 3 tensors\n", "")

    def test_a_damaged_one(self, run, prefix):
        data = prefix.with_name("m.data-00000-of-00001")
        changed = bytearray(data.read_bytes())
        changed[12] ^= 1
        changed[-1] ^= 1
        data.write_bytes(changed)
        status, out, err = run(prefix, "--verify")
        first, second, last = out.splitlines()
        assert (status, err) == (1, "")
        assert first.startswith(f'{data}: tensor "dense/kernel" at byte 12: its 24 bytes have CRC ')
        assert second.startswith(f'{data}: tensor "words" at byte 36: its 9 bytes have CRC ')
        assert last == "damaged: 2 problems, 3 tensors looked at"
        status, out, _ = run(prefix, "--verify", "--json")
        assert (status, json.loads(out)) == (
            1,
            {"format": 1, "sound": False, "tensors": 3, "problems": [first, second]},
        )

    def test_a_file_of_another_kind(self, run, tmp_path):
        path = tmp_path / "notes"
        path.write_text("Dear diary,")
        status, out, _ = run(path, "--verify")
        assert status == 1
        assert out.startswith(f"{path}: this is a text file")

    @pytest.mark.parametrize("option", [["-o", "x"], ["--name", "x"], ["--keys"]])
    def test_it_is_about_everything(self, run, prefix, option):
        status, _, err = run(prefix, "--verify", *option)
        assert status == 2
        assert "--verify is about the whole checkpoint" in err


class TestExporting:
    def test_an_archive(self, run, prefix, tmp_path):
        status, out, err = run(prefix, "-o", tmp_path / "out.npz")
        assert (status, out, err) == (0, "", f"{tmp_path / 'out.npz'}: 3 arrays, 52 bytes\n")
        with np.load(tmp_path / "out.npz") as archive:
            assert {name: archive[name].shape for name in archive} == {
                "dense/bias": (3,),
                "dense/kernel": (2, 3),
                "words": (2,),
            }

    def test_a_folder_of_objects(self, run, tmp_path):
        assert run(golden("objects_v2").path, "-o", tmp_path / "out")[0] == 0
        names = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.npy"))
        table = ["table/%.S.npy", "table/a/b.npy", "table/c.d.npy", "table/e/0.npy"]
        assert names == ["layers/0.npy", "layers/1.npy", "step.npy", *table]
        assert np.load(tmp_path / "out" / "step.npy") == 3

    def test_some_tensors(self, run, prefix, tmp_path):
        run(prefix, "-o", tmp_path / "out", "--name", "*/kernel")
        assert [path.name for path in (tmp_path / "out").rglob("*.npy")] == ["kernel.npy"]

    def test_tensors_that_cannot_be_exported_are_left_out_with_a_note(self, run, tmp_path):
        status, _, err = run(golden("variants_v2").path, "-o", tmp_path / "out.npz")
        assert status == 0
        assert "left out list: its elements are neither numbers nor strings\n" in err
        assert list(np.load(tmp_path / "out.npz")) == ["number"]

    def test_a_damaged_checkpoint_leaves_no_file(self, run, prefix, tmp_path):
        data = prefix.with_name("m.data-00000-of-00001")
        data.write_bytes(bytes(12) + b"\1" + data.read_bytes()[13:])
        for name in ("out.npz", "out"):
            status, out, err = run(prefix, "-o", tmp_path / name)
            assert (status, out) == (2, "")
            assert err.startswith(f'{data}: tensor "dense/kernel" at byte 12')
            assert not (tmp_path / name).exists()
        assert len(list(tmp_path.iterdir())) == 2

    @pytest.mark.parametrize("name", ["x.npy", "x.safetensors", "x.json"])
    def test_other_forms(self, run, prefix, name):
        status, _, err = run(prefix, "-o", name)
        assert status == 2
        assert f"-o: {name} is neither an .npz nor the name of a folder" in err

    def test_standard_input_is_not_several_files(self, run):
        status, _, err = run("-")
        assert (status, "a checkpoint is several files, which cannot come from standard input" in err) == (2, True)

    def test_an_existing_folder_is_noticed_before_anything_is_read(self, run, tmp_path):
        assert run("gone", "-o", Path(__file__).parent)[2].endswith("this folder is there already, and not empty\n")

    def test_an_existing_folder(self, run, prefix, tmp_path):
        status, _, err = run(prefix, "-o", tmp_path)
        assert (status, err) == (2, f"{tmp_path}: this folder is there already, and not empty\n")


class TestRewriting:
    def test_a_checkpoint_with_other_names_and_types(self, run, prefix, tmp_path):
        arguments = ["--rename", "^dense/=net/", "--cast", "float16", "--write-checkpoint", tmp_path / "new"]
        status, out, err = run(prefix, "--name", "dense/*", *arguments)
        assert (status, out) == (0, "")
        assert err.endswith("renamed, 2 in another type, 1 left out\n")
        with Checkpoint(tmp_path / "new") as new:
            assert {name: array.dtype for name, array in new.items()} == {
                "net/bias": "float16",
                "net/kernel": "float16",
            }

    def test_the_report_as_json(self, run, prefix, tmp_path):
        out = run(prefix, "--drop", "*kernel", "--json", "--write-checkpoint", tmp_path / "new")[1]
        assert "dense/kernel" in json.loads(out)["left_out"]

    def test_types_by_pattern(self, run, prefix, tmp_path):
        run(prefix, "--cast", "*bias=float64", "--cast", "*kernel=bfloat16", "--write-checkpoint", tmp_path / "new")
        rows = {row["name"]: row["dtype"] for row in json.loads(run(tmp_path / "new", "--json")[1])["tensors"]}
        assert (rows["dense/bias"], rows["dense/kernel"]) == ("float64", "bfloat16")

    def test_a_damaged_checkpoint_leaves_no_file(self, run, prefix, tmp_path):
        data = prefix.with_name("m.data-00000-of-00001")
        data.write_bytes(bytes(12) + b"\1" + data.read_bytes()[13:])
        status, out, err = run(prefix, "--write-checkpoint", tmp_path / "new")
        assert (status, out) == (2, "")
        assert 'tensor "dense/kernel" at byte 12' in err
        assert not [*tmp_path.glob("new*")]


NO_CHECKPOINT = {
    "missing.pb": "no such file or directory",
    "folder": "there is no checkpoint in this folder",
    "noise.pb": "neither protobuf data, nor a checkpoint, nor text",
    "model.data-00000-of-00001": "this is a data file of a checkpoint without its index, model.index",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(run, name, tmp_path):
    path = write_bad_file(name, tmp_path)
    status, out, err = run(path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"{path}: ")
    assert NO_CHECKPOINT.get(name, "not a checkpoint") in err
