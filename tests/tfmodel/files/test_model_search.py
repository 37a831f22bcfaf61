"""`tfmodel.find_models`: which files and folders are models, in which order, and what is skipped."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import tfmodel
from tests.tfmodel import models
from tests.tfmodel.files.keras.files import keras_file
from tests.tfmodel.tfjs_models import write_model as write_tfjs
from tfmodel.files.model_search import judge

GRAPH = models.graph().to_bytes()
needs_posix = pytest.mark.skipif(os.name != "posix", reason="there are no such files here")


def found(folder: Path, *, weights_only: bool = False) -> tuple[list[str], dict[str, str]]:
    """Return the models in a folder, and what is skipped with its reason, by their paths below the folder."""
    skipped: dict[str, str] = {}
    paths = tfmodel.find_models(folder, weights_only=weights_only, skipped=skipped.__setitem__)
    names = [os.path.relpath(path, folder) for path in paths]
    return names, {os.path.relpath(path, folder): reason for path, reason in skipped.items()}


def write_graph(path: Path, data: bytes = GRAPH) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A folder with a checkpoint and its .meta."""
    shutil.copytree("tests/data/trained", tmp_path / "trained")
    return tmp_path / "trained"


FILES: dict[str, tuple[bytes, str]] = {
    "graph.pb": (GRAPH, "model"),
    "no_suffix": (GRAPH, "model"),
    "graph.jpg": (GRAPH, "model"),
    "graph.pb.gz": (gzip.compress(GRAPH), "model"),
    "cut.pb.gz": (gzip.compress(GRAPH)[:-20], "model"),
    "truncated.pb": (GRAPH[: len(GRAPH) * 2 // 3], "model"),
    "graph.pbtxt": (b'node { name: "x" op: "NoOp" }', "model"),
    "commented.pbtxt": (b"# " + b"-" * 300_000 + b'\nnode { name: "x" op: "NoOp" }', "model"),
    "comment.txt": (b"# " + b"-" * 300_000 + b"\nno model", "other"),
    "graph.json": (b'{"node": [{"name": "x", "op": "NoOp"}]}', "model"),
    "saved_model.pb.1": (models.saved_model().to_bytes(), "model"),
    "meta": (models.meta_graph().to_bytes(), "model"),
    "ops.pb": (models.op_list().to_bytes(), "other"),
    "notes.txt": (b"Dear diary,\n", "other"),
    "image.png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100), "other"),
    "noise": (random.Random(3).randbytes(4000), "other"),
    "noise.gz": (gzip.compress(random.Random(3).randbytes(400_000)), "other"),
    "damaged.gz": (b"\x1f\x8b\x08" + bytes(30), "other"),
    "empty.pb": (b"", "other"),
    "page.html": (b"<!DOCTYPE html>\n<html><head><title>x</title></head></html>\n", "other"),
    "pointer.pb": (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345678\n", "skipped"),
    "events": (Path("tests/data/logs/train/events.out.tfevents.1700000000.host").read_bytes(), "model"),
    "events.gz": (
        gzip.compress(Path("tests/data/logs/train/events.out.tfevents.1700000000.host").read_bytes()),
        "model",
    ),
    "examples": (Path("tests/data/examples.tfrecord").read_bytes(), "other"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_judged_by_their_content(name: str, tmp_path: Path) -> None:
    data, kind = FILES[name]
    assert judge(str(write_graph(tmp_path / name, data))).kind == kind


@pytest.mark.parametrize(("layers", "kind"), [(False, "model"), (True, "weights")])
def test_models_of_tensorflow_js(layers: bool, kind: str, tmp_path: Path) -> None:
    write_tfjs(tmp_path / "web")
    if layers:
        (tmp_path / "web" / "model.json").write_text(
            '{"format": "layers-model", "modelTopology": {"class_name": "Sequential"}, "weightsManifest": []}'
        )
    assert judge(str(tmp_path / "web" / "model.json")).kind == kind
    assert found(tmp_path, weights_only=True)[0] == [os.path.join("web", "model.json")]


def test_files_of_keras(tmp_path: Path) -> None:
    assert judge(str(keras_file("keras3/net.keras", tmp_path))).kind == "model"


def test_models_are_found_in_sorted_order_in_all_folders(tmp_path: Path) -> None:
    names = ["b.pb", "a/z.pb", "a/b/c/deep.pb", "c/x.pb", ".hidden/y.pb"]
    for name in names:
        write_graph(tmp_path / name)
    (tmp_path / "a" / "notes.txt").write_text("Dear diary,\n")
    assert found(tmp_path) == ([os.path.normpath(name) for name in sorted(names)], {})


def test_the_folder_of_a_saved_model_is_one_model(tmp_path: Path) -> None:
    shutil.copytree("tests/data/linear", tmp_path / "served" / "1")
    write_graph(tmp_path / "served" / "1" / "assets" / "graph.pb")
    assert found(tmp_path)[0] == [os.path.join("served", "1")]
    assert list(tfmodel.find_models(tmp_path / "served" / "1")) == [str(tmp_path / "served" / "1")]


def test_a_checkpoint_with_its_graph_is_one_model(checkpoint: Path) -> None:
    assert found(checkpoint, weights_only=True) == (["model.meta"], {})


def test_a_checkpoint_alone_has_weights_only(checkpoint: Path) -> None:
    (checkpoint / "model.meta").unlink()
    assert found(checkpoint)[0] == []
    assert found(checkpoint, weights_only=True)[0] == ["model.index"]


def test_the_files_of_a_checkpoint_of_version_1_are_one_model(checkpoint: Path) -> None:
    table = (checkpoint / "model.index").read_bytes()
    for file in checkpoint.iterdir():
        file.unlink()
    for number in range(3):
        (checkpoint / f"old-{number:05}-of-00003").write_bytes(table)
    (checkpoint / "whole").write_bytes(table)
    assert found(checkpoint, weights_only=True)[0] == ["old-00000-of-00003", "whole"]
    (checkpoint / "old.meta").write_bytes(models.meta_graph().to_bytes())
    assert found(checkpoint, weights_only=True)[0] == ["old.meta", "whole"]


def test_a_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(tfmodel.find_models(tmp_path / "nothing"))


def link_out(folder: Path) -> None:
    outside = folder.parent / "outside"
    write_graph(outside / "graph.pb")
    (folder / "link").symlink_to(outside)


def link_to_parent(folder: Path) -> None:
    (folder / "link").symlink_to(folder)


def link_to_nothing(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "nothing")


def link_to_itself(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "link")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "link")


def device(folder: Path) -> None:
    (folder / "link").symlink_to("/dev/zero")


def unix_socket(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(folder / "link"))


def unreadable_file(folder: Path) -> None:
    (folder / "link").write_bytes(GRAPH)
    (folder / "link").chmod(0)


def unreadable_folder(folder: Path) -> None:
    (folder / "link").mkdir(mode=0)


NOT_READ: list[tuple[Callable[[Path], None], str]] = [
    (link_out, "this is a link that leaves the folder, to"),
    (link_to_parent, "this is a link to a folder that it is in"),
    (link_to_nothing, "which does not exist"),
    (link_to_itself, "this is a link that leads to itself"),
    (pipe, "this is not a file but a pipe"),
    (device, "this is a link that leaves the folder, to /dev/zero"),
    (unix_socket, "this is not a file but a socket"),
    (unreadable_file, "permission denied"),
    (unreadable_folder, "permission denied"),
]


@needs_posix
@pytest.mark.parametrize(("make", "reason"), NOT_READ, ids=[make.__name__ for make, _ in NOT_READ])
def test_links_and_special_files_are_skipped(make: Callable[[Path], None], reason: str, tmp_path: Path) -> None:
    folder = tmp_path / "models"
    write_graph(folder / "graph.pb")
    make(folder)
    if "unreadable" in make.__name__ and os.access(folder / "link", os.R_OK):
        pytest.skip("this user may read everything")
    names, skipped = found(folder)
    assert names == ["graph.pb"]
    assert list(skipped) == ["link"] and reason in skipped["link"]


@needs_posix
def test_the_target_of_a_link_inside_the_folder_is_found_once(tmp_path: Path) -> None:
    write_graph(tmp_path / "blobs" / "1")
    (tmp_path / "graph.pb").symlink_to(tmp_path / "blobs" / "1")
    (tmp_path / "snapshot").symlink_to(tmp_path / "blobs")
    assert found(tmp_path) == ([os.path.join("blobs", "1")], {})


@needs_posix
def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    write_graph(tmp_path / "models" / "graph.pb")
    (tmp_path / "link").symlink_to(tmp_path / "models")
    assert found(tmp_path / "link") == (["graph.pb"], {})


def test_folders_may_be_nested_deeper_than_python_recurses(tmp_path: Path) -> None:
    before, depth = os.getcwd(), 1200
    try:
        os.chdir(tmp_path)
        for _ in range(depth):
            os.mkdir("d")
            os.chdir("d")
        Path("graph.pb").write_bytes(GRAPH)
        assert found(tmp_path)[0] == [os.path.join(*["d"] * depth, "graph.pb")]
        os.unlink("graph.pb")
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("d")
    finally:
        os.chdir(before)
