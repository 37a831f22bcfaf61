"""`tfmodel.files.locate`: the file that a path refers to."""

from __future__ import annotations

import pytest

from tfmodel.errors import FileFormatError
from tfmodel.files.locate import locate


def made(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return folder


@pytest.mark.parametrize(
    ("files", "path", "meant"),
    [
        (["m.pb"], "m.pb", "m.pb"),
        (["saved_model.pb", "saved_model.pbtxt", "variables/variables.index"], "", "saved_model.pb"),
        (["saved_model.pbtxt"], "", "saved_model.pbtxt"),
        (["saved_model.cpb", "fingerprint.pb"], "", "saved_model.cpb"),
        (["m.index", "m.data-00000-of-00001", "m.meta"], "m", "m.meta"),
        (["m.index", "m.data-00000-of-00001"], "m", "m.index"),
        (["m.index", "m.data-00000-of-00001"], "m.data-00000-of-00001", "m.data-00000-of-00001"),
        (["m-00001-of-00002", "m-00000-of-00002"], "m", "m-00000-of-00002"),
        (["m", "m.meta"], "m", "m"),
        (["variables.index", "variables.data-00000-of-00001"], "", "variables.index"),
        (["m.meta", "m.index"], "", "m.meta"),
        (["m[1].index"], "m[1]", "m[1].index"),
    ],
)
def test_paths_lead_to_the_file_of_the_model(tmp_path, files, path, meant):
    made(tmp_path, *files)
    assert locate(str(tmp_path / path)) == str(tmp_path / meant)


@pytest.mark.parametrize(
    "state",
    [
        'model_checkpoint_path: "m-2"\nall_model_checkpoint_paths: "m-1"\n',
        'all_model_checkpoint_paths: "m-1"\nmodel_checkpoint_path :"m-2"',
        'model_checkpoint_path: "/somewhere/else/m-2"\n',
        "\n" * 100_000 + 'model_checkpoint_path: "m-2"\n',
    ],
)
def test_the_state_file_of_a_folder_names_the_latest_checkpoint(tmp_path, state):
    made(tmp_path, "m-1.meta", "m-1.index", "m-2.meta", "m-2.index")
    (tmp_path / "checkpoint").write_text(state)
    assert locate(str(tmp_path)) == str(tmp_path / "m-2.meta")


@pytest.mark.parametrize("state", [b"", b"\xff\xfe", b'model_checkpoint_path: "gone"', b"model_checkpoint_path: 3"])
def test_a_state_file_of_no_use_is_passed_over(tmp_path, state):
    made(tmp_path, "m.meta")
    (tmp_path / "checkpoint").write_bytes(state)
    assert locate(str(tmp_path)) == str(tmp_path / "m.meta")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "this folder is empty"),
        (["1/saved_model.pb", "2/m.meta", "3/README"], "has folders with models; give one of them: 1, 2"),
        (["b.pb", "a.pb"], "not a SavedModel (it has no saved_model.pb); give one of its files: a.pb, b.pb"),
        (["a.meta", "b.meta"], "give one of its files: a.meta, b.meta"),
        ([f"{n}.pb" for n in "abcdef"], "a.pb, b.pb, c.pb, d.pb, ... (6 in all)"),
        (["README"], "has no other model file in it"),
        (["\x1b[2J.pb"], r"\x1b[2J.pb"),
    ],
)
def test_other_folders_are_explained(tmp_path, files, words):
    made(tmp_path, *files)
    with pytest.raises(FileFormatError) as caught:
        locate(str(tmp_path))
    assert str(caught.value).startswith(f"{tmp_path}: this folder")
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["nothing", "m.pb/inside"])
def test_nothing_at_all(tmp_path, name):
    made(tmp_path, "m.pb")
    with pytest.raises((FileNotFoundError, NotADirectoryError)):
        locate(str(tmp_path / name))


def test_a_link_that_leads_nowhere(tmp_path):
    (tmp_path / "m.pb").symlink_to("blobs/1f0c")
    (tmp_path / "m.meta").symlink_to("blobs/1f0d")
    with pytest.raises(FileNotFoundError, match="this is a link to blobs/1f0c, which does not exist"):
        locate(str(tmp_path / "m.pb"))
    problem = "m.meta: this is not a file but a link to blobs/1f0d, which does not exist"
    with pytest.raises(FileFormatError, match=problem):
        locate(str(tmp_path / "m"))
