"""Locate the checkpoint of a path; read state files."""

from __future__ import annotations

import os
import shutil

import pytest

from tfmodel.errors import CheckpointError
from tfmodel.files.checkpoints.checkpoint import Checkpoint
from tfmodel.files.checkpoints.locate import find_checkpoint, latest_checkpoint
from tfmodel.files.checkpoints.writing import write_checkpoint

from .golden import golden


@pytest.fixture
def folder(tmp_path):
    write_checkpoint(tmp_path / "m.ckpt-1", {"a": [1.5]})
    return tmp_path


def state(folder, text):
    (folder / "checkpoint").write_text(text)


@pytest.mark.parametrize(
    "name", ["m.ckpt-1", "m.ckpt-1.index", "m.ckpt-1.data-00000-of-00001", "m.ckpt-1.meta", "", "../{}"]
)
def test_prefix_files_and_folder(folder, name):
    path = folder / name.format(folder.name)
    assert find_checkpoint(str(path)).prefix.endswith("m.ckpt-1")
    assert list(Checkpoint(path)) == ["a"]


@pytest.mark.parametrize("name", ["", "-00001-of-00003", "-?????-of-00003", "-*-of-00003", ".meta"])
def test_the_files_of_a_v1_checkpoint(name):
    path = golden("cut_and_sharded_v1").path
    checkpoint = Checkpoint(f"{path}{name}")
    assert checkpoint.files == [f"{path}-{number:05d}-of-00003" for number in range(3)]
    assert checkpoint["rows"].shape == (6, 2)
    assert len(Checkpoint(path.parent)) == 4


def test_a_saved_model(tmp_path):
    write_checkpoint(tmp_path / "variables", {"a": 1})
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "saved_model.pb").write_bytes(b"")
    with pytest.raises(CheckpointError, match="this SavedModel has no variables"):
        Checkpoint(tmp_path / "model")
    shutil.copytree(golden("saved_model").path / "variables", tmp_path / "model" / "variables")
    assert find_checkpoint(str(tmp_path / "model")).prefix == str(tmp_path / "model" / "variables" / "variables")


def test_the_latest_of_a_folder(folder):
    write_checkpoint(folder / "m.ckpt-2", {"a": [2.5]})
    with pytest.raises(CheckpointError, match=r"it has several checkpoints; give one of them: m.ckpt-1, m.ckpt-2"):
        Checkpoint(folder)
    assert latest_checkpoint(folder) is None
    state(folder, 'model_checkpoint_path: "m.ckpt-2"\nall_model_checkpoint_paths: "m.ckpt-1"  # older\nfuture: 1\n')
    assert latest_checkpoint(folder) == str(folder / "m.ckpt-2")
    assert Checkpoint(folder)["a"].tolist() == [2.5]


@pytest.mark.parametrize("path", ["m.ckpt-1", "{}/m.ckpt-1", "/was/here/m.ckpt-1", "sub/m.ckpt-1", "m\\056ckpt-1"])
def test_paths_in_a_state_file(folder, path):
    """Relative to its folder; and if that was moved, the checkpoint is found beside it."""
    state(folder, f"model_checkpoint_path: '{path.format(folder)}'")
    assert latest_checkpoint(folder).endswith("m.ckpt-1")


@pytest.mark.parametrize("text", ['model_checkpoint_path: "gone"', "", "# nothing"])
def test_no_latest(folder, text):
    state(folder, text)
    assert latest_checkpoint(folder) is None


def test_a_state_file_that_leads_nowhere(folder):
    state(folder, 'model_checkpoint_path: "gone"')
    with pytest.raises(CheckpointError, match=r"its state file names gone, which does not exist; there is m.ckpt-1"):
        Checkpoint(folder)


@pytest.mark.parametrize("text", ['model_checkpoint_path: "gone', "model_checkpoint_path: 1", "\0\1\2", "{{{{"])
def test_damaged_state_files(folder, text):
    state(folder, text)
    for read in (latest_checkpoint, Checkpoint):
        with pytest.raises(CheckpointError) as caught:
            read(folder)
        assert str(caught.value).startswith(f"{folder}/checkpoint:1:")


def test_a_state_file_of_a_manager():
    path = golden("keras_v2").path
    assert latest_checkpoint(path) == str(path / "ckpt-3")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("image.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "this is a PNG image, not a checkpoint"),
        ("empty", b"", "this is an empty file"),
        ("x.data-00000-of-00001", bytes(9), "this is a data file of a checkpoint without its index, x.index"),
        ("x.meta", b"", "there is no checkpoint x beside this graph"),
    ],
)
def test_files_of_other_kinds(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CheckpointError) as caught:
        Checkpoint(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: {words}")


def test_nothing_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        Checkpoint(tmp_path / "gone")
    with pytest.raises(CheckpointError, match=r"there is no checkpoint in this folder$"):
        Checkpoint(tmp_path)
    (tmp_path / "1").mkdir()
    write_checkpoint(tmp_path / "1" / "m", {"a": 1})
    with pytest.raises(CheckpointError, match="but there are folders with one: 1"):
        Checkpoint(tmp_path)


def test_files_of_two_checkpoints(tmp_path):
    for name in ("m-00000-of-00001", "m-00000-of-00002"):
        (tmp_path / name).write_bytes(golden("cut_and_sharded_v1").path.with_name("model-00000-of-00003").read_bytes())
    with pytest.raises(CheckpointError, match=r"there are files of several checkpoints: m-00000-of-00001, "):
        Checkpoint(tmp_path / "m")
    assert Checkpoint(f"{tmp_path}/m-?????-of-00001")["own_0"] == 0


@pytest.mark.parametrize("relative_path", ["", "m.ckpt-1", "m.ckpt-1.index", "m.ckpt-1.data-00000-of-00001"])
def test_a_download_that_was_cut_short(folder, relative_path):
    """A cache has its files elsewhere, and links to them, which may lead nowhere."""
    (folder / "m.ckpt-1.index").unlink()
    (folder / "m.ckpt-1.index").symlink_to("../blobs/1f0c")
    with pytest.raises(CheckpointError) as caught:
        Checkpoint(folder / relative_path)
    words = "this is not a file but a link to ../blobs/1f0c, which does not exist"
    assert str(caught.value) == f"{folder}/m.ckpt-1.index: {words}"
    state(folder, 'model_checkpoint_path: "m.ckpt-1"')
    for read in (latest_checkpoint, Checkpoint):
        with pytest.raises(CheckpointError, match=words):
            read(folder)


def test_a_folder_where_an_index_should_be(tmp_path):
    (tmp_path / "m.index").mkdir()
    with pytest.raises(CheckpointError, match=r"m.index: this is not a file but a folder$"):
        Checkpoint(tmp_path / "m")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_not_a_checkpoint(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CheckpointError, match=r"pipe: this is not a file but a pipe$"):
        Checkpoint(tmp_path / "pipe")


@pytest.mark.parametrize("name", ["m-?????-of-00001", "m-\N{ARABIC-INDIC DIGIT ZERO}0000-of-00001"])
def test_names_that_only_look_like_those_of_a_v1_checkpoint(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"there is no checkpoint in this folder$"):
        Checkpoint(tmp_path)
