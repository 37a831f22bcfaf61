"""Cases from the field about files, options and what commands print: each ends with the right status and message."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cases import cases, needs_cases, run_module
from tests.tfmodel.files.keras.files import needs_h5py

pytestmark = needs_cases


@needs_h5py
@pytest.mark.parametrize(
    "command",
    ["summarize {0}", "weights {0}", "check {0} --values", "diff {0} {0} --values", "{0}", "weights {0} -o w.npz"],
)
@pytest.mark.parametrize("name", ["good.keras", "good.h5"])
def test_files_of_keras_end_without_a_signal(command: str, name: str, tmp_path: Path) -> None:
    path = cases / "limits/keras_crash" / name
    done = run_module("tfmodel", *(word.format(path) for word in command.split()), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("command", "model"),
    [
        ("optimize {} -o out.pb", "lfs_checkpoint/model.meta"),
        ("freeze {} -o out.pb", "lfs_checkpoint/model.meta"),
        ("weights {} -o out.npz", "lfs_checkpoint/model.meta"),
        ("checkpoint {} --verify", "lfs_checkpoint/model"),
        ("check {} --values", "lfs_checkpoint/model.meta"),
        ("optimize {} -o out.pb", "lfs_saved_model"),
        ("freeze {} -o out.pb", "lfs_saved_model"),
        ("weights {} -o out.npz", "lfs_saved_model"),
        ("check {} --values", "lfs_saved_model"),
    ],
)
def test_a_git_lfs_pointer_is_named(command: str, model: str, tmp_path: Path) -> None:
    done = run_module("tfmodel", *(word.format(cases / "field" / model) for word in command.split()), cwd=tmp_path)
    assert done.returncode == (1 if command.startswith("check") else 2)  # a finding, or a failure
    assert "this is a Git LFS pointer" in done.stdout + done.stderr
    assert "git lfs pull" in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["summarize {}", "check {}", "find {} op=Const", "draw {} -o page.html"])
def test_a_tfjs_model_without_weights_has_a_note(command: str, tmp_path: Path) -> None:
    model = cases / "field/tfjs_without_weights/m"
    done = run_module("tfmodel", *(word.format(model) for word in command.split()), cwd=tmp_path)
    assert done.returncode == 0
    shown = done.stderr if command.startswith("draw") else done.stdout
    assert "group1-shard1of1.bin, which is missing" in shown


def test_zero_biases_of_eight_bit_weights_are_not_reported() -> None:
    done = run_module("tfmodel", "run", cases / "transforms/zero_constants_warning/zero_biases.pb", "--random")
    assert done.returncode == 0
    assert "stripped" not in done.stderr
