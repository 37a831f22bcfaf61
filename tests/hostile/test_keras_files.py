"""Hostile HDF5 files and .keras archives."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfmodel
from tests.hostile.measure import peak
from tests.tfmodel.files.keras.files import keras_file, needs_h5py
from tfmodel.cli import main
from tfmodel.errors import FileFormatError
from tfmodel.files.keras import hdf5 as module
from tfmodel.files.keras.archive import KerasArchive


def made(folder: Path, build: Callable[[Any], object], name: str = "model.h5") -> str:
    import h5py

    with h5py.File(folder / name, "w") as file:
        build(file)
    return str(folder / name)


def refused(path: str, words: str) -> None:
    with pytest.raises(FileFormatError, match=words):
        for row in tfmodel.weights(path, all=True):
            row.array()


@needs_h5py
def test_a_link_to_another_file(tmp_path: Path) -> None:
    """Attack: an external link to a file that the sender cannot read.

    Naive: lists and exports the content of that file as weights.
    Stopped by: tfmodel.files.keras.hdf5.Hdf5File
    """
    import h5py

    secret = made(tmp_path, lambda file: file.create_dataset("key", data=np.arange(3.0)), "secret.h5")

    def build(file: Any) -> None:
        file["stolen"] = h5py.ExternalLink(secret, "key")
        file["soft"] = h5py.SoftLink("/own")
        file.create_dataset("own", data=np.ones(2))

    assert [row.name for row in tfmodel.weights(made(tmp_path, build), all=True)] == ["own"]


@needs_h5py
def test_check_names_weights_in_other_files(tmp_path: Path) -> None:
    """Attack: a model whose weight is a link to another file, for Keras to read when it loads the model.

    Naive: the architecture is harmless, so the model is.
    Stopped by: tfmodel.files.keras.file.KerasFile.elsewhere
    """
    import h5py

    def build(file: Any) -> None:
        file.attrs["model_config"] = '{"class_name": "Sequential", "config": {"name": "m", "layers": []}}'
        file.create_group("model_weights")["kernel"] = h5py.ExternalLink("/etc/other.h5", "key")

    (finding,) = tfmodel.check(made(tmp_path, build)).of("unsafe")
    assert finding.message == 'the weight "model_weights/kernel" is in another file, which Keras reads'


@needs_h5py
def test_an_error_is_not_its_own_cause(tmp_path: Path) -> None:
    """Attack: a damaged file whose error is raised from itself, so that looking for its first cause never ends.

    Naive: `raise error from error`.
    Stopped by: tfmodel.files.keras.hdf5.naming
    """
    path = tmp_path / "m.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(FileFormatError) as caught:
        tfmodel.check(str(path))
    assert caught.value.__cause__ is not caught.value


@needs_h5py
def test_elements_in_another_file(tmp_path: Path) -> None:
    """Attack: a dataset whose storage is any other file, or a virtual dataset of another file.

    Naive: reads that file as numbers.
    Stopped by: tfmodel.files.keras.hdf5
    """
    import h5py

    (tmp_path / "secret").write_bytes(bytes(range(64)))

    def external(file: Any) -> None:
        file.create_dataset("w", (8,), "f4", external=[(str(tmp_path / "secret"), 0, 32)])

    def virtual(file: Any) -> None:
        layout = h5py.VirtualLayout((2,), "f4")
        layout[:] = h5py.VirtualSource("secret.h5", "key", (2,))
        file.create_virtual_dataset("w", layout)

    refused(made(tmp_path, external), "in another file, which is not read")
    refused(made(tmp_path, virtual, "virtual.h5"), "in another file, which is not read")


@needs_h5py
def test_a_huge_shape(tmp_path: Path) -> None:
    """Attack: a dataset of 2**50 elements of which nothing is stored.

    Naive: allocates them for the fill value.
    Stopped by: tfmodel.files.keras.hdf5
    """
    path = made(tmp_path, lambda file: file.create_dataset("w", (2**50,), "f4", chunks=(1024,)))
    assert peak(lambda: refused(path, "more than 100 times the 0 that are stored")) < 8 << 20
    report = tfmodel.weights(path, all=True)
    assert report["w"].bytes == 2**52


@needs_h5py
def test_a_compressed_dataset_of_zeros(tmp_path: Path) -> None:
    """Attack: 256 MB of zeros, deflated to 256 KB.

    Naive: unpacks them.
    Stopped by: tfmodel.files.keras.hdf5
    """

    def build(file: Any) -> None:
        data = file.create_dataset("w", (2**26,), "f4", chunks=(2**20,), compression="gzip")
        for start in range(0, 2**26, 2**20):
            data[start : start + 2**20] = np.zeros(2**20, np.float32)

    refused(made(tmp_path, build), "more than 100 times")


@needs_h5py
def test_groups_in_a_circle(tmp_path: Path) -> None:
    """Attack: a group that contains itself, and a tree in which each group has the next one twice.

    Naive: never ends, or visits 2**60 groups.
    Stopped by: tfmodel.files.keras.hdf5.Hdf5File
    """

    def build(file: Any) -> None:
        group = file.create_group("g")
        group["self"] = group
        for _ in range(60):
            inner = group.create_group("a")
            group["b"] = inner
            group = inner
        group.create_dataset("w", data=np.ones(2))

    assert len(tfmodel.weights(made(tmp_path, build), all=True)) == 1


@needs_h5py
def test_deep_groups(tmp_path: Path) -> None:
    """Attack: groups that are nested ten thousand deep.

    Naive: overflows the stack, or takes quadratic time for their paths.
    Stopped by: tfmodel.files.keras.hdf5.Hdf5File
    """

    def build(file: Any) -> None:
        group = file
        for _ in range(300):
            group = group.create_group("g")

    refused(made(tmp_path, build), "nested more than 100 deep")


@needs_h5py
def test_many_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack: millions of empty groups.

    Naive: takes a kilobyte of memory for each.
    Stopped by: tfmodel.files.keras.hdf5.Hdf5File
    """
    monkeypatch.setattr(module, "MAX_OBJECTS", 100)

    def build(file: Any) -> None:
        for number in range(200):
            file.create_group(f"g{number}")

    refused(made(tmp_path, build), "more than 100 groups and datasets")


@needs_h5py
def test_damaged_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Attack: files that are cut off, or have other bytes in them.

    Naive: a traceback of h5py, of one of a dozen types.
    Stopped by: tfmodel.files.keras.hdf5.naming
    """
    path = keras_file("keras2/net.h5", tmp_path)
    data = path.read_bytes()
    cuts = [data[: len(data) * share // 8] for share in range(1, 8)]
    random = np.random.default_rng(0)
    for _ in range(40):
        array = np.frombuffer(data, np.uint8).copy()
        array[random.integers(8, len(data), 20)] = random.integers(0, 256, 20)
        cuts.append(array.tobytes())
    for damaged in cuts:
        path.write_bytes(damaged)
        for command in (["weights", "--all", "--statistics"], ["summarize"], ["check", "--values"]):
            assert main([*command, str(path)]) in (0, 1, 2)
    assert "Traceback" not in capsys.readouterr().err


# --- archives --------------------------------------------------------------------------------------------------------


def zipped(members: dict[str, bytes], **options: Any) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def refused_archive(data: bytes, words: str) -> None:
    with pytest.raises(FileFormatError, match=words):
        tfmodel.summarize_keras(data)
        tfmodel.weights(data)


@needs_h5py
def test_a_zip_bomb() -> None:
    """Attack: a configuration, or weights, of a gigabyte of zeros, deflated to a megabyte.

    Naive: unpacks it.
    Stopped by: tfmodel.files.keras.archive.KerasArchive
    """
    zeros = bytes(80 << 20)
    config = zipped({"metadata.json": b"{}", "config.json": zeros}, compression=zipfile.ZIP_DEFLATED)
    refused_archive(config, "config.json has more than 67,108,864 bytes")
    weights = {"metadata.json": b"{}", "config.json": b"{}", "model.weights.h5": zeros}
    data = zipped(weights, compression=zipfile.ZIP_DEFLATED)
    assert tfmodel.summarize_keras(data).unread.startswith("model.weights.h5 has more than 67,108,864 bytes")


def test_a_list_of_many_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attack: a list of millions of members.

    Naive: takes half a kilobyte of memory for each.
    Stopped by: tfmodel.files.keras.archive.KerasArchive
    """
    data = bytearray(zipped({"metadata.json": b"{}", "config.json": b"{}"}))
    struct.pack_into("<I", data, data.rindex(b"PK\5\6") + 12, 1 << 31)
    refused_archive(bytes(data), "its list of members is larger than")


def test_paths_out_of_the_folder(tmp_path: Path) -> None:
    """Attack: members called ../../x and /etc/x.

    Naive: unpacks them there.
    Stopped by: tfmodel.files.keras.archive.KerasArchive
    """
    data = zipped({"metadata.json": b"{}", "../x": b"1", "/tmp/x": b"1", "config.json": b"{}"})
    assert tfmodel.summarize_keras(data).layers == []
    assert [*tmp_path.parent.glob("x")] == []


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name() -> None:
    """Attack: two configurations, of which a check reads one and Keras the other.

    Naive: reads the last, or the first.
    Stopped by: tfmodel.files.keras.archive.KerasArchive
    """
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("metadata.json", "config.json", "config.json"):
            archive.writestr(name, "{}")
    refused_archive(file.getvalue(), "several members config.json")


def test_damaged_archives(tmp_path: Path) -> None:
    """Attack: archives that are cut off, or have other bytes in them.

    Naive: a traceback of zipfile.
    Stopped by: tfmodel.files.keras.archive.KerasArchive, tfmodel.files.keras.hdf5.naming
    """
    path = keras_file("keras3/net.keras", tmp_path)
    data = path.read_bytes()
    random = np.random.default_rng(0)
    for number in range(60):
        array = np.frombuffer(data, np.uint8).copy()
        array[random.integers(40, len(data), 10)] = 0
        array[-random.integers(1, 300)] ^= 255
        path.write_bytes(data[: len(data) * number // 20] if number < 20 else array.tobytes())
        for command in (["weights"], ["summarize"], ["check", "--values"]):
            assert main([*command, str(path)]) in (0, 1, 2)


def test_a_member_behind_the_end() -> None:
    """Attack: a member whose header is said to be somewhere else.

    Naive: reads other bytes of the file, or none.
    Stopped by: tfmodel.files.keras.archive.KerasArchive
    """
    data = bytearray(zipped({"metadata.json": b"{}", "config.json": b"{}", "model.weights.h5": b"x" * 100}))
    entry = data.index(b"PK\1\2", data.index(b"PK\1\2", data.index(b"PK\1\2") + 1) + 1)
    struct.pack_into("<I", data, entry + 42, 7)
    archive = KerasArchive(io.BytesIO(bytes(data)), "x")
    with pytest.raises(FileFormatError, match=r"model\.weights\.h5 has no header"):
        archive.section("model.weights.h5")
