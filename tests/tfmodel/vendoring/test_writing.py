"""Copies are written to empty folders and replace older ones; what others put or edited there stays."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tfmodel.vendoring import VendorError, writing
from tfmodel.vendoring.comparison import compared, contents, existing
from tfmodel.vendoring.manifest import MANIFEST, Manifest, entry_of
from tfmodel.vendoring.writing import write

from .copies import NEW, OLD, everything, small


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a copy of the old version."""
    write(str(tmp_path / "copy"), OLD)
    return tmp_path / "copy"


def assert_is(folder: Path, copy) -> None:
    """Is the folder that copy, and nothing else?"""
    texts = {path: data.decode() for path, data in copy.files.items()}
    assert everything(folder) == texts | {MANIFEST: copy.manifest.to_bytes().decode()}


class TestNew:
    def test_the_folder_and_those_around_it_are_made(self, tmp_path):
        folder = tmp_path / "a" / "b"
        outcome = write(str(folder), OLD)
        assert_is(folder, OLD)
        assert (outcome.before, outcome.written, outcome.removed) == (None, list(OLD.files), [])

    def test_an_empty_folder_may_be_there_and_may_be_a_link(self, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "link").symlink_to(tmp_path / "empty")
        write(str(tmp_path / "link"), OLD)
        assert_is(tmp_path / "empty", OLD)
        assert (tmp_path / "link").is_symlink()

    def test_an_empty_init_and_compiled_code_count_as_nothing(self, tmp_path):
        (tmp_path / "__init__.py").touch()
        (tmp_path / "__pycache__").mkdir()
        (tmp_path / "__pycache__" / "__init__.cpython-311.pyc").touch()
        write(str(tmp_path), small({"__init__.py": "# ours"}))
        assert (tmp_path / "__init__.py").read_text() == "# ours"

    @pytest.mark.parametrize("other", ["notes.txt", "pbwire/other.py", "pbwire/wire.py", "__init__.py", ".hidden"])
    def test_a_folder_with_other_things_is_refused_and_stays_as_it_is(self, tmp_path, other):
        (tmp_path / other).parent.mkdir(exist_ok=True)
        (tmp_path / other).write_text("somebody's")
        with pytest.raises(VendorError, match=f"other things are in this folder: {other.partition('/')[0]}; give one"):
            write(str(tmp_path), small({"__init__.py": "# ours", "pbwire/wire.py": ""}))
        assert everything(tmp_path) == {other: "somebody's"}

    def test_a_manifest_that_is_a_link_makes_no_copy(self, tmp_path, folder):
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / MANIFEST).symlink_to(folder / MANIFEST)
        with pytest.raises(VendorError, match=r"other things are in this folder: MANIFEST\.json"):
            write(str(tmp_path / "other"), OLD)

    def test_once_more_there_is_nothing_to_do(self, folder):
        times = {path: (folder / path).stat().st_mtime_ns for path in contents(str(folder))}
        assert write(str(folder), OLD).written == []
        assert {path: (folder / path).stat().st_mtime_ns for path in contents(str(folder))} == times

    def test_another_copy_is_not_replaced_unasked(self, folder):
        with pytest.raises(VendorError, match=r"already, of tfmodel 1\.0 \(pbwire\); --update replaces it"):
            write(str(folder), NEW)
        assert_is(folder, OLD)


class TestUpdate:
    def test_it_writes_what_is_new_or_other_and_removes_what_is_gone(self, folder):
        outcome = write(str(folder), NEW, update=True)
        assert_is(folder, NEW)
        assert outcome.written == ["pbwire/added.py", "pbwire/wire.py"]
        assert outcome.removed == ["pbwire/gone.py", "pbwire/text/gone.py"]
        assert outcome.before == OLD.manifest
        assert not (folder / "pbwire" / "text").exists()

    def test_a_folder_that_has_only_compiled_code_left_goes_too(self, folder):
        (folder / "pbwire" / "text" / "__pycache__").mkdir()
        (folder / "pbwire" / "text" / "__pycache__" / "gone.cpython-311.pyc").touch()
        write(str(folder), NEW, update=True)
        assert not (folder / "pbwire" / "text").exists()

    def test_compiled_code_of_what_is_gone_goes_too(self, folder):
        (folder / "pbwire" / "__pycache__").mkdir()
        for name in ("gone.cpython-311.pyc", "gone.cpython-312.pyc", "gone.so", "same.cpython-311.pyc"):
            (folder / "pbwire" / "__pycache__" / name).touch()
        write(str(folder), NEW, update=True)
        assert sorted(os.listdir(folder / "pbwire" / "__pycache__")) == ["gone.so", "same.cpython-311.pyc"]

    def test_what_is_not_of_the_copy_stays(self, folder):
        (folder / "mine.py").write_text("mine")
        (folder / "pbwire" / "text" / "mine.py").write_text("mine too")
        write(str(folder), NEW, update=True)
        found = everything(folder)
        assert (found["mine.py"], found["pbwire/text/mine.py"]) == ("mine", "mine too")

    def test_a_missing_file_is_written_again(self, folder):
        (folder / "pbwire" / "same.py").unlink()
        write(str(folder), NEW, update=True)
        assert_is(folder, NEW)

    @pytest.mark.parametrize("path", ["pbwire/wire.py", "pbwire/same.py", "pbwire/gone.py", "pbwire/added.py"])
    def test_what_was_edited_is_named_and_kept_unless_forced(self, folder, path):
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

    def test_dry_run_tells_the_same_and_does_nothing(self, folder, tmp_path):
        told = write(str(folder), NEW, update=True, dry_run=True)
        assert_is(folder, OLD)
        assert write(str(folder), NEW, update=True) == told
        write(str(tmp_path / "new"), NEW, dry_run=True)
        assert not (tmp_path / "new").exists()


class TestInterrupted:
    """The disk is full, or the process is killed, before a file is written."""

    @pytest.fixture
    def full_after(self, monkeypatch):
        """Let that many files be written and no more."""
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
        with pytest.raises(VendorError, match=r"no MANIFEST\.json, so it is no finished copy"):
            existing(str(tmp_path))
        full_after(None)
        write(str(tmp_path), OLD)
        assert_is(tmp_path, OLD)

    @pytest.mark.parametrize("files", [0, 1, 2])
    def test_an_update_has_the_old_manifest_until_it_is_complete_and_can_be_finished(self, folder, full_after, files):
        full_after(files)
        with pytest.raises(OSError, match="No space left"):
            write(str(folder), NEW, update=True)
        manifest, _ = existing(str(folder))
        assert manifest == OLD.manifest
        assert bool(compared(str(folder), contents(str(folder)), manifest.files)) == (files > 0)
        full_after(None)
        write(str(folder), NEW, update=True)
        assert_is(folder, NEW)

    def test_what_a_killed_process_was_writing_is_removed(self, tmp_path):
        (tmp_path / f".LICENSE.{2**22 + 1}-0123abcd.tmp").write_text("half")
        write(str(tmp_path), OLD)
        assert_is(tmp_path, OLD)


class TestHostile:
    """A copy that somebody sends: nothing outside of it is read for it, written or removed."""

    def test_nothing_is_written_through_a_link(self, folder, tmp_path):
        (tmp_path / "outside").mkdir()
        (folder / "pbwire").rename(tmp_path / "pbwire")
        (folder / "pbwire").symlink_to(tmp_path / "outside")
        (folder / "LICENSE").unlink()
        with pytest.raises(VendorError, match="pbwire: this is a link, and nothing is written through it"):
            write(str(folder), NEW, update=True, force=True)
        assert os.listdir(tmp_path / "outside") == []
        assert not (folder / "LICENSE").exists()

    def test_a_file_that_is_a_link_was_edited_and_what_it_leads_to_stays(self, folder, tmp_path):
        (tmp_path / "outside").write_text("old")  # what was there, so that only the link differs
        (folder / "pbwire" / "wire.py").unlink()
        (folder / "pbwire" / "wire.py").symlink_to(tmp_path / "outside")
        with pytest.raises(VendorError, match=r"edited by hand: pbwire/wire\.py"):
            write(str(folder), NEW, update=True)
        write(str(folder), NEW, update=True, force=True)
        assert_is(folder, NEW)
        assert (tmp_path / "outside").read_text() == "old"

    @pytest.mark.parametrize("path", ["../outside", "pbwire/../../outside", "ABSOLUTE"])
    def test_a_manifest_that_names_files_outside_removes_none(self, folder, tmp_path, path):
        (tmp_path / "outside").write_text("mine")
        path = str(tmp_path / "outside") if path == "ABSOLUTE" else path
        entries = {**OLD.entries, path: entry_of(b"mine")}
        (folder / MANIFEST).write_bytes(Manifest("1.0", ("pbwire",), entries).to_bytes())
        with pytest.raises(VendorError, match=r"MANIFEST\.json: damaged: .* is no path of a file that a copy has"):
            write(str(folder), NEW, update=True, force=True)
        assert (tmp_path / "outside").read_text() == "mine"

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
    def test_a_pipe_is_not_read(self, folder):
        (folder / "pbwire" / "wire.py").unlink()
        os.mkfifo(folder / "pbwire" / "wire.py")
        with pytest.raises(VendorError, match=r"edited by hand: pbwire/wire\.py"):
            write(str(folder), NEW, update=True)


def test_a_folder_that_cannot_be_made_is_an_os_error_that_names_it(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError) as caught:
        write(str(tmp_path / "file" / "copy"), OLD)
    assert str(caught.value.filename).startswith(str(tmp_path / "file"))
