"""Data files that change while a checkpoint is open."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from tfmodel import Checkpoint, CheckpointError, write_checkpoint

DATA = "model.data-00000-of-00001"
OLD, NEW = np.arange(40_000, dtype="f4"), np.ones(40_000, "f4")


@pytest.fixture
def opened(tmp_path):
    """A checkpoint whose data file is mapped."""
    write_checkpoint(tmp_path / "model", {"a": OLD, "b": OLD})
    checkpoint = Checkpoint(tmp_path / "model")
    assert checkpoint["a"][1] == 1
    return checkpoint


def shrink(path):
    os.truncate(path, 10)


def overwrite(path):
    with open(path, "r+b") as file:
        file.write(b"1234")
    os.utime(path, (1, 1))  # some file systems have a coarse clock


@pytest.mark.parametrize("change", [shrink, overwrite])
def test_a_file_that_was_written_to_is_refused(opened, tmp_path, change):
    change(tmp_path / DATA)
    with pytest.raises(CheckpointError, match=f"{DATA}: this data file has changed since it was opened"):
        opened["b"]


def replace(path):
    write_checkpoint(path.parent / "new", {"a": NEW, "b": NEW})
    os.replace(path.parent / "new.data-00000-of-00001", path)


def remove(path):
    os.unlink(path)


@pytest.mark.skipif(os.name != "posix", reason="other systems do not replace files that are mapped")
@pytest.mark.parametrize("change", [replace, remove, shutil.move])
def test_a_file_that_was_replaced_is_still_read(opened, tmp_path, change):
    change(tmp_path / DATA, tmp_path / "moved") if change is shutil.move else change(tmp_path / DATA)
    assert (opened["b"] == OLD).all()
