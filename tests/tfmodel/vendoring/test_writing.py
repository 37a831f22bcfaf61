"""Copies are written to empty folders and replace older ones; other and edited files stay."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tfmodel.vendoring import VendorError, writing
from tfmodel.vendoring.comparison import compare_files, list_files, load_manifest
from tfmodel.vendoring.manifest import MANIFEST, Manifest, entry_of
from tfmodel.vendoring.writing import write

from .copies import NEW, OLD, everything, small


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a copy of the old version."""
    write(str(tmp_path / "copy"), OLD)
    return tmp_path / "copy"


def assert_is(folder: Path, copy) -> None:
    """Does the folder contain exactly the files of the copy?"""
    texts = {path: data.decode() for path, data in copy.files.items()}
    assert everything(folder) == texts | {MANIFEST: copy.manifest.to_bytes().decode()}


class TestNew:
    def test_the_folder_and_its_parents_are_created(self, tmp_path):
        folder = tmp_path / "a" / "b"
        outcome = write(str(folder), OLD)
        assert_is(folder, OLD)
        assert (outcome.before, outcome.written, outcome.removed) == (None, list(OLD.files), [])

    def test_an_empty_folder_or_a_link_to_one_is_accepted(self, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "empty")
        write(str(tmp_path / "link"), OLD)
        assert_is(tmp_path / "empty", OLD)
        assert (tmp_path / "link").is_symlink()

    def test_an_empty_init_and_compiled_code_are_ignored(self, tmp_path):
        (tmp_path / "__init__.py").touch()
        (tmp_path / "__pycache__").mkdir()
        (tmp_path / "__pycache__" / "__init__.cpython-311.pyc").touch()
        write(str(tmp_path), small({"__init__.py": "# ours"}))
        assert (tmp_path / "__init__.py").read_text() == "# ours"

    @pytest.mark.parametrize("other", ["notes.txt", "pbwire/other.py", "pbwire/wire.py", "__init__.py", ".hidden"])
    def test_a_folder_with_other_files_is_refused_and_unchanged(self, tmp_path, other):
        (tmp_path / other).parent.mkdir(exist_ok=True)
        (tmp_path / other).write_text("somebody's")
        with pytest.raises(
            VendorError, match=f"contains other files: {other.partition('/')[0]}; give the copy its own folder"
        ):
            write(str(tmp_path), small({"__init__.py": "# ours", "pbwire/wire.py": ""}))
        assert everything(tmp_path) == {other: "somebody's"}

    def test_a_folder_whose_manifest_is_a_link_is_not_a_copy(self, tmp_path, folder):
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / MANIFEST).symlink_to(folder / MANIFEST)
        with pytest.raises(VendorError, match=r"contains other files: MANIFEST\.json"):
            write(str(tmp_path / "other"), OLD)

    def test_once_more_there_is_nothing_to_do(self, folder):
        times = {path: (folder / path).stat().st_mtime_ns for path in list_files(str(folder))}
        assert write(str(folder), OLD).written == []
        assert {path: (folder / path).stat().st_mtime_ns for path in list_files(str(folder))} == times

    def test_another_copy_is_not_replaced_without_update(self, folder):
        with pytest.raises(
            VendorError, match=r"already contains a copy of tfmodel 1\.0 \(pbwire\); --update replaces it"
        ):
            write(str(folder), NEW)
        assert_is(folder, OLD)


class TestUpdate:
    def test_it_writes_new_and_changed_files_and_removes_old_ones(self, folder):
        outcome = write(str(folder), NEW, update=True)
        assert_is(folder, NEW)
        assert outcome.written == ["pbwire/added.py", "pbwire/wire.py"]
        assert outcome.removed == ["pbwire/gone.py", "pbwire/text/gone.py"]
        assert outcome.before == OLD.manifest
        assert not (folder / "pbwire" / "text").exists()

    def test_a_folder_with_only_compiled_code_left_is_removed(self, folder):
        (folder / "pbwire" / "text" / "__pycache__").mkdir()
        (folder / "pbwire" / "text" / "__pycache__" / "gone.cpython-311.pyc").touch()
        write(str(folder), NEW, update=True)
        assert not (folder / "pbwire" / "text").exists()

    def test_compiled_code_of_removed_modules_is_removed(self, folder):
        (folder / "pbwire" / "__pycache__").mkdir()
        for name in ("gone.cpython-311.pyc", "gone.cpython-312.pyc", "gone.so", "same.cpython-311.pyc"):
            (folder / "pbwire" / "__pycache__" / name).touch()
        write(str(folder), NEW, update=True)
        assert sorted(os.listdir(folder / "pbwire" / "__pycache__")) == ["gone.so", "same.cpython-311.pyc"]

    def test_files_outside_the_copy_stay(self, folder):
        (folder / "mine.py").write_text("mine")
        (folder / "pbwire" / "text" / "mine.py").write_text("mine too")
        write(str(folder), NEW, update=True)
        content = everything(folder)
        assert (content["mine.py"], content["pbwire/text/mine.py"]) == ("mine", "mine too")

    def test_a_missing_file_is_written_again(self, folder):
        (folder / "pbwire" / "same.py").unlink()
        write(str(folder), NEW, update=True)
        assert_is(folder, NEW)

    @pytest.mark.parametrize("path", ["pbwire/wire.py", "pbwire/same.py", "pbwire/gone.py", "pbwire/added.py"])
    def test_edited_files_are_named_and_kept_without_force(self, folder, path):
        (folder / path).write_text("edited")
        before = everything(folder)
        with pytest.raises(VendorError, match=f"edited by hand: {path}; --update --force replaces"):
            write(str(folder), NEW, update=True)
        assert everything(folder) == before
        write(str(folder), NEW, update=True, force=True)
        assert_is(folder, NEW)

    def test_a_long_list_of_edited_files_is_cut(self, tmp_path):
        copy = small({f"pbwire/m{number:02}.py": "" for number in range(30)})
        write(str(tmp_path), copy)
        for path in copy.files:
            (tmp_path / path).write_text("edited")
        with pytest.raises(VendorError, match=r"LICENSE, pbwire/m00.py, .*, pbwire/m08.py and 21 more; --update"):
            write(str(tmp_path), copy, update=True)

    def test_dry_run_reports_the_same_and_writes_nothing(self, folder, tmp_path):
        report = write(str(folder), NEW, update=True, dry_run=True)
        assert_is(folder, OLD)
        assert write(str(folder), NEW, update=True) == report
        write(str(tmp_path / "new"), NEW, dry_run=True)
        assert not (tmp_path / "new").exists()


class TestInterrupted:
    """The disk is full, or the process is killed, before all files are written."""

    @pytest.fixture
    def full_after(self, monkeypatch):
        """Let only this many files be written."""
        room = [0]
        replacing = writing.replacing

        def full(name):
            if not room[0]:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
            room[0] -= 1
            return replacing(name)

        def set_room(files):
            monkeypatch.setattr(writing, "replacing", full if files is not None else replacing)
            room[0] = files

        return set_room

    @pytest.mark.parametrize("files", range(len(OLD.files) + 1))
    def test_a_new_copy_has_no_manifest_until_it_is_complete_and_can_be_finished(self, tmp_path, full_after, files):
        full_after(files)
        with pytest.raises(OSError, match="No space left"):
            write(str(tmp_path), OLD)
        assert not (tmp_path / MANIFEST).exists()
        with pytest.raises(VendorError, match=r"no MANIFEST\.json, so it is not a complete copy"):
            load_manifest(str(tmp_path))
        full_after(None)
        write(str(tmp_path), OLD)
        assert_is(tmp_path, OLD)

    @pytest.mark.parametrize("files", [0, 1, 2])
    def test_an_update_has_the_old_manifest_until_it_is_complete_and_can_be_finished(self, folder, full_after, files):
        full_after(files)
        with pytest.raises(OSError, match="No space left"):
            write(str(folder), NEW, update=True)
        manifest, _ = load_manifest(str(folder))
        assert manifest == OLD.manifest
        assert bool(compare_files(str(folder), list_files(str(folder)), manifest.files)) == (files > 0)
        full_after(None)
        write(str(folder), NEW, update=True)
        assert_is(folder, NEW)

    def test_temporary_files_of_a_killed_process_are_removed(self, tmp_path):
        (tmp_path / f".LICENSE.{2**22 + 1}-0123abcd.tmp").write_text("half")
        write(str(tmp_path), OLD)
        assert_is(tmp_path, OLD)


class TestHostile:
    """An untrusted copy: no file outside it is read, written or removed."""

    def test_nothing_is_written_through_a_link(self, folder, tmp_path):
        (tmp_path / "outside").mkdir()
        (folder / "pbwire").rename(tmp_path / "pbwire")
        (folder / "pbwire").symlink_to(tmp_path / "outside")
        (folder / "LICENSE").unlink()
        with pytest.raises(VendorError, match="pbwire: this is a link, and files are not written through links"):
            write(str(folder), NEW, update=True, force=True)
        assert os.listdir(tmp_path / "outside") == []
        assert not (folder / "LICENSE").exists()

    def test_a_file_replaced_by_a_link_counts_as_edited_and_its_target_stays(self, folder, tmp_path):
        (tmp_path / "outside").write_text("old")  # what was there, so that only the link differs
        (folder / "pbwire" / "wire.py").unlink()
        (folder / "pbwire" / "wire.py").symlink_to(tmp_path / "outside")
        with pytest.raises(VendorError, match=r"edited by hand: pbwire/wire\.py"):
            write(str(folder), NEW, update=True)
        write(str(folder), NEW, update=True, force=True)
        assert_is(folder, NEW)
        assert (tmp_path / "outside").read_text() == "old"

    @pytest.mark.parametrize("path", ["../outside", "pbwire/../../outside", "ABSOLUTE"])
    def test_a_manifest_cannot_remove_files_outside_the_copy(self, folder, tmp_path, path):
        (tmp_path / "outside").write_text("mine")
        path = str(tmp_path / "outside") if path == "ABSOLUTE" else path
        entries = {**OLD.entries, path: entry_of(b"mine")}
        (folder / MANIFEST).write_bytes(Manifest("1.0", ("pbwire",), entries).to_bytes())
        with pytest.raises(VendorError, match=r"MANIFEST\.json: damaged: .* is not a valid path of a file in a copy"):
            write(str(folder), NEW, update=True, force=True)
        assert (tmp_path / "outside").read_text() == "mine"

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_a_pipe_is_not_read(self, folder):
        (folder / "pbwire" / "wire.py").unlink()
        os.mkfifo(folder / "pbwire" / "wire.py")
        with pytest.raises(VendorError, match=r"edited by hand: pbwire/wire\.py"):
            write(str(folder), NEW, update=True)


def test_a_folder_that_cannot_be_created_is_an_os_error_with_its_name(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError) as caught:
        write(str(tmp_path / "file" / "copy"), OLD)
    assert str(caught.value.filename).startswith(str(tmp_path / "file"))
