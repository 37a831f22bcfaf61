"""Arrays written as .npz and as folders: completely or not at all, and never outside the target."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tfmodel.files.array_files import NotExported, folder_writer, npz_writer

ARRAYS = {
    "dense/kernel": np.arange(6.0).reshape(2, 3),
    "dense/bias": np.float32([1, 2]),
    "step": np.array(7),
    "words": np.array([b"a", b"", b"bcd"], object),
    "file": np.zeros((0, 2), "c8"),
}


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("write", [npz_writer, folder_writer])
def test_written_arrays_are_loaded_by_numpy(write, tmp_path):
    path = tmp_path / ("out.npz" if write is npz_writer else "out")
    with write(str(path)) as add:
        for name, array in ARRAYS.items():
            add(name, array)
    for name, array in ARRAYS.items():
        loaded = np.load(path)[name] if write is npz_writer else np.load(path / f"{name}.npy")
        assert loaded.tolist() == array.tolist()
        assert loaded.dtype == (array.dtype if array.dtype != object else "S3")
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("write", [npz_writer, folder_writer])
def test_a_failure_leaves_nothing(write, tmp_path):
    def fail():
        with write(str(tmp_path / "out")) as add:
            add("a", ARRAYS["step"])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("write", [npz_writer, folder_writer])
@pytest.mark.parametrize(
    ("elements", "words"),
    [
        ([b"ends with\0"], "cannot end with a zero"),
        ([b"a", 1], "neither numbers nor strings"),
        ([b"x" * 3_000_000, *[b""] * 1000], "differ too much in length"),
    ],
)
def test_arrays_that_are_not_exported(write, tmp_path, elements, words):
    array = np.empty(len(elements), object)
    array[:] = elements
    with write(str(tmp_path / "out")) as add:
        add("good", ARRAYS["step"])
        with pytest.raises(NotExported, match=words):
            add("bad", array)
    out = tmp_path / "out"
    assert (files(out) if write is folder_writer else [f"{name}.npy" for name in np.load(out)]) == ["good.npy"]


HOSTILE = ["../x", "/etc/x", "a/../../x", "", "/", "//", ".", "..", "a/", "a\0b", "a\nb", "a\\b", "C:x", "x" * 999, "é"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_lead_nowhere_else(name, tmp_path):
    with folder_writer(str(tmp_path / "out")) as add:
        add(name, ARRAYS["step"])
    (written,) = files(tmp_path)
    assert written.startswith("out/")
    assert np.load(tmp_path / written) == 7
    assert all(len(part) <= 255 and part.isprintable() for part in written.split("/"))


def test_names_that_would_be_the_same_file(tmp_path):
    names = ["a", "A", "a.npy/b", "a/b", "a%2Fb", "a/b/c", "a/B", "x" * 300 + "1", "x" * 300 + "2", "./a", "%.a", ".a"]
    with folder_writer(str(tmp_path / "out")) as add:
        for number, name in enumerate(names):
            add(name, np.array(number))
    file_names = files(tmp_path / "out")
    assert len({name.casefold() for name in file_names}) == len(names)
    assert sorted(int(np.load(tmp_path / "out" / name)) for name in file_names) == list(range(len(names)))


def test_a_name_twice_in_an_archive(tmp_path):
    with npz_writer(str(tmp_path / "out.npz")) as add:
        add("a", ARRAYS["step"])
        with pytest.raises(NotExported, match="another array of this name"):
            add("a", ARRAYS["step"])


def test_a_folder_that_is_not_empty_stays_as_it_is(tmp_path):
    (tmp_path / "out").mkdir()
    with folder_writer(str(tmp_path / "out")) as add:
        add("a", ARRAYS["step"])
    with pytest.raises(FileExistsError), folder_writer(str(tmp_path / "out")) as add:
        add("b", ARRAYS["step"])
    assert files(tmp_path) == ["out/a.npy"]


@pytest.mark.skipif(os.name != "posix", reason="needs /dev/null")
def test_an_archive_to_the_null_device(tmp_path):
    (tmp_path / "out.npz").symlink_to(os.devnull)
    with npz_writer(str(tmp_path / "out.npz")) as add:
        add("step", ARRAYS["step"])
    assert os.path.realpath(tmp_path / "out.npz") == os.devnull


def test_the_same_arrays_give_the_same_archive(tmp_path):
    for name in ("one", "two"):
        with npz_writer(str(tmp_path / name)) as add:
            add("a", ARRAYS["step"])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
