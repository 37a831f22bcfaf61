"""Names of files in ONNX models: only files inside of the folder of the model are looked up."""

from __future__ import annotations

import os

import pytest

from tfmodel.reports.onnx.external import external_files, path_inside
from tfmodel.reports.onnx.types import TensorFacts


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "model"
    (inside / "sub").mkdir(parents=True)
    (inside / "weights.bin").write_bytes(bytes(100))
    (inside / "sub" / "more.bin").write_bytes(bytes(10))
    (tmp_path / "secret").write_bytes(bytes(100))
    (inside / "leaves").symlink_to(tmp_path / "secret")
    (inside / "stays").symlink_to("weights.bin")
    (inside / "up").symlink_to(tmp_path)
    return inside


def state(folder, location: str, size: int = 50, offset: int = 0) -> str:
    tensor = TensorFacts("w", "float32", [size], size, size, location, offset)
    [file] = external_files([tensor], str(folder))
    return file.state


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("weights.bin", "present"),
        ("./weights.bin", "present"),
        ("stays", "present"),
        ("sub/more.bin", "too small"),
        ("nothing", "missing"),
        ("sub", "missing"),
        ("weights.bin/below", "missing"),
        ("a" * 5000, "missing"),
        ("leaves", "outside of the folder"),
        ("up/secret", "outside of the folder"),
        ("../secret", "outside of the folder"),
        ("sub/../weights.bin", "outside of the folder"),
        ("/etc/passwd", "outside of the folder"),
        ("C:/windows", "outside of the folder"),
        ("..\\secret", "outside of the folder"),
        ("nul\0byte", "outside of the folder"),
        ("", "outside of the folder"),
        (".", "outside of the folder"),
    ],
)
def test_states(folder, location, expected):
    assert state(folder, location) == expected


@pytest.mark.parametrize(
    ("offset", "size", "expected"), [(50, 50, "present"), (51, 50, "too small"), (10**17, 1, "too small")]
)
def test_the_file_must_reach_behind_the_last_tensor(folder, offset, size, expected):
    assert state(folder, "weights.bin", size, offset) == expected


def test_tensors_of_one_file_are_one_entry(folder):
    facts = [TensorFacts(str(i), "float32", [5], 5, 20, "weights.bin", 20 * i) for i in range(3)]
    [file] = external_files([*facts, TensorFacts("in the model", "float32", [5], 5, 20)], str(folder))
    assert (file.tensors, file.bytes, file.needed, file.state) == (3, 60, 60, "present")


def test_a_pipe_is_not_opened(folder):
    os.mkfifo(folder / "pipe")
    assert state(folder, "pipe") == "missing"


def test_the_root_is_a_folder_too():
    assert path_inside("etc/hostname", "/") == os.path.realpath("/etc/hostname")
