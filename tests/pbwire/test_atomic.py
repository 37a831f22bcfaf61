"""`pbwire.atomic`: a reader always sees a complete file, old or new."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pbwire.atomic import is_temporary, new_folder, replacing, replacing_together

ROOT = Path(__file__).resolve().parents[3]
DEAD = 2**22 + 1  # above the default limit of Linux; on other systems probably unused


def write(path, content):
    with replacing(str(path)) as file:
        file.write(content)


def test_a_new_file_has_the_usual_permissions(tmp_path):
    write(tmp_path / "new", b"content")
    (tmp_path / "usual").write_bytes(b"")
    assert (tmp_path / "new").read_bytes() == b"content"
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_on_any_error_all_is_as_it_was(tmp_path, error):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(error), replacing(str(path)) as file:
        file.write(b"half of")
        raise error
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_the_old_file_stays_until_the_end(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(str(path)) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
        assert len(os.listdir(tmp_path)) == 2


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "folder").mkdir()
    real, link = tmp_path / "folder" / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to("folder/real")
    write(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert os.listdir(tmp_path / "folder") == ["real"]


def test_a_dangling_link_gets_its_file(tmp_path):
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", b"new")
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        write(tmp_path, b"")


def test_a_missing_folder_is_an_error_that_names_the_target(tmp_path):
    path = tmp_path / "missing" / "file"
    with pytest.raises(FileNotFoundError) as caught:
        write(path, b"")
    assert caught.value.filename == str(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write to anything")
def test_a_read_only_file_is_refused(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o400)
    with pytest.raises(PermissionError):
        write(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="needs /dev/null")
def test_devices_are_written_to_and_not_replaced():
    write("/dev/null", b"content")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("name", ["n" * 255, "ü" * 127])
def test_the_longest_names_work(tmp_path, name):
    write(tmp_path / name, b"content")
    assert (tmp_path / name).read_bytes() == b"content"


def test_a_removed_temporary_file_is_an_error(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(FileNotFoundError) as caught, replacing(str(path)):
        for name in filter(is_temporary, os.listdir(tmp_path)):
            (tmp_path / name).unlink()
    assert (caught.value.filename, path.read_bytes()) == (str(path), b"old")


class TestTogether:
    def test_files_are_replaced_when_all_are_written(self, tmp_path):
        with replacing_together() as replace:
            for name in ("data", "index"):
                replace(str(tmp_path / name)).write(name.encode())
            assert not (tmp_path / "data").exists()
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"data": "data", "index": "index"}

    def test_if_one_cannot_be_written_all_are_as_they_were(self, tmp_path):
        (tmp_path / "data").write_bytes(b"old")
        with pytest.raises(FileNotFoundError), replacing_together() as replace:
            replace(str(tmp_path / "data")).write(b"new")
            replace(str(tmp_path / "missing" / "index"))
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"data": "old"}


class TestFolders:
    def test_a_folder_appears_when_it_is_complete(self, tmp_path):
        with new_folder(str(tmp_path / "deep" / "out")) as folder:
            Path(folder, "file").write_bytes(b"content")
            assert not (tmp_path / "deep" / "out").exists()
        assert (tmp_path / "deep" / "out" / "file").read_bytes() == b"content"
        assert os.listdir(tmp_path / "deep") == ["out"]

    def test_on_any_error_nothing_is_left(self, tmp_path):
        with pytest.raises(OSError, match="out/file") as caught, new_folder(str(tmp_path / "deep" / "out")) as folder:
            raise PermissionError(13, "no", os.path.join(folder, "file"))
        assert caught.value.filename == str(tmp_path / "deep" / "out" / "file")
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("existing", ["file", "folder"])
    def test_an_existing_target_stays(self, tmp_path, existing):
        path = tmp_path / "out"
        (path if existing == "file" else path / "x").parent.mkdir(exist_ok=True)
        (path if existing == "file" else path / "x").write_bytes(b"old")
        with pytest.raises(FileExistsError), new_folder(str(path)):
            raise AssertionError("this is too late")


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        (".model.pb.4711-0f3a9c21.tmp", True),
        (".a\nb.1-00000000.tmp", True),
        ("model.pb.4711-0f3a9c21.tmp", False),
        (".model.pb.4711-0f3a9c21.tmp.bak", False),
        (".1-00000000.tmp", False),
    ],
)
def test_the_names_of_temporary_files(name, is_one):
    assert is_temporary(name) == is_one


@pytest.mark.skipif(os.name != "posix", reason="processes can be asked about on POSIX")
class TestLeftOvers:
    def test_those_of_dead_writers_of_the_same_file_are_removed(self, tmp_path):
        (tmp_path / f".model.pb.{DEAD}-0123abcd.tmp").write_bytes(b"left over")
        write(tmp_path / "model.pb", b"content")
        assert os.listdir(tmp_path) == ["model.pb"]

    def test_everything_else_stays(self, tmp_path):
        others = [
            f".model.pb.{os.getpid()}-0123abcd.tmp",  # another process is still writing
            f".other.pb.{DEAD}-0123abcd.tmp",
            f".model.pb.{DEAD}-0123abcd.tmp.bak",
            f".model.pb.{DEAD}-0123ABCD.tmp",
            ".model.pb.tmp",
            "model.pb.tmp",
        ]
        for name in others:
            (tmp_path / name).write_bytes(b"")
        (tmp_path / f".model.pb.{DEAD}-89abcdef.tmp").mkdir()
        write(tmp_path / "model.pb", b"content")
        assert sorted(os.listdir(tmp_path)) == sorted([*others, f".model.pb.{DEAD}-89abcdef.tmp", "model.pb"])

    def test_a_very_old_one_is_removed_even_if_its_process_id_is_in_use(self, tmp_path):
        old = tmp_path / f".model.pb.{os.getpid()}-0123abcd.tmp"
        old.write_bytes(b"")
        os.utime(old, (time.time() - 1e6,) * 2)
        write(tmp_path / "model.pb", b"content")
        assert not old.exists()

    def test_a_killed_writer_does_no_lasting_harm(self, tmp_path):
        path = tmp_path / "model.pb"
        path.write_bytes(b"old")
        code = (
            "import os, sys\nfrom pbwire.atomic import replacing\nwith replacing(sys.argv[1]) as file:\n"
            "    file.write(b'half')\n    file.flush()\n    os.kill(os.getpid(), 9)"
        )
        subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, check=False, timeout=60)
        assert path.read_bytes() == b"old"
        assert len(os.listdir(tmp_path)) == 2
        write(path, b"new")
        assert path.read_bytes() == b"new"
        assert os.listdir(tmp_path) == ["model.pb"]


@pytest.mark.skipif(os.name != "posix", reason="limits are set on POSIX")
def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.pb"
    path.write_bytes(b"old")
    code = (
        "import resource, sys\nfrom pbwire.atomic import replacing\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    with replacing(sys.argv[1]) as file:\n        file.write(bytes(100_000))\n"
        "except OSError as error:\n    print(error.filename)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model.pb"]
