"""`tfmodel vendor`: its output and exit status. Copies themselves are tested in tests/tfmodel/vendoring."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tfmodel import __version__
from tfmodel.cli import main
from tfmodel.vendoring import writing

VERSION = f"tfmodel {__version__}"


@pytest.fixture
def vendor(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder; return status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # slow, and matters only after a power failure

    def run(*arguments):
        return main(["vendor", *map(str, arguments)]), *capsys.readouterr()

    return run


@pytest.fixture
def copy(vendor, tmp_path) -> Path:
    """A copy of pbwire, in app/_vendor."""
    assert vendor("app/_vendor", "--parts", "pbwire")[0] == 0
    return tmp_path / "app" / "_vendor"


class TestImportLine:
    @pytest.mark.slow(reason="starts processes")
    @pytest.mark.parametrize(
        ("parts", "line", "use"),
        [
            ("pbwire", "from app._vendor import pbwire", "pbwire.Message"),
            ("pbwire,schema", "from app._vendor.tfmodel import messages", "messages.GraphDef"),
            ("all", "from app._vendor import tfmodel", "tfmodel.load"),
        ],
    )
    def test_it_imports_the_copy(self, vendor, tmp_path, parts, line, use):
        status, out, _ = vendor("app/_vendor", "--parts", parts)
        assert (status, out) == (0, f"{line}\n")
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {out.strip()}; print({use}.__module__)"
        done = subprocess.run([sys.executable, "-ISc", code], capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout.startswith("app._vendor.")

    def test_the_package_name_can_be_given(self, vendor):
        status, out, err = vendor("no-package", "--parts=pbwire", "--package", "x.y")
        assert (status, out) == (0, "from x.y import pbwire\n")
        assert "sys.path" not in err

    def test_a_folder_that_must_be_on_the_path_is_named(self, vendor, tmp_path):
        assert "sys.path" not in vendor("app/_vendor", "--parts=pbwire")[2]
        assert vendor("src/app", "--parts=pbwire")[2].endswith(
            f"; to import it, {tmp_path / 'src'} must be on sys.path\n"
        )

    @pytest.mark.parametrize(
        ("folder", "words"),
        [
            (
                "my-copy",
                'my-copy: a package cannot be named "my-copy": choose another folder',
            ),
            ("a-b/copy", 'a-b/copy: "a-b.copy" is not a valid package name: choose another folder'),
            ("class", 'class: a package cannot be named "class"'),
            (
                "a.b",
                'a.b: a package cannot be named "a.b": choose another folder, or give the name for imports',
            ),
            ("app/v1.2", 'app/v1.2: a package cannot be named "v1.2"'),
            ("v1.2/copy", 'v1.2/copy: "./v1.2/copy" is not a valid package name'),
        ],
    )
    def test_a_folder_that_cannot_be_imported_is_refused(self, vendor, tmp_path, folder, words):
        status, out, err = vendor(folder)
        assert (status, out) == (2, "")
        assert err.startswith(words)
        assert os.listdir(tmp_path) == []


class TestCopying:
    def test_a_summary_goes_to_stderr(self, vendor):
        _, _, err = vendor("copy", "--parts=pbwire")
        assert err.startswith(f"copy: {VERSION} (pbwire), ")
        assert err.endswith(" bytes\n")

    def test_dry_run_lists_files_and_writes_none(self, vendor, tmp_path):
        status, out, _ = vendor("copy", "--parts=schema", "--dry-run")
        assert status == 0
        assert {"write LICENSE", "write pbwire/wire.py", "write tfmodel/_schema/graph.py"} <= set(out.splitlines())
        assert os.listdir(tmp_path) == []

    def test_update_replaces_a_copy_and_keeps_its_parts(self, vendor, copy):
        (copy / "pbwire" / "wire.py").unlink()
        status, out, err = vendor("app/_vendor", "--update")
        assert (status, out) == (0, "from app._vendor import pbwire\n")
        assert f"{VERSION} (pbwire), " in err
        assert err.endswith(" bytes: 1 written, 0 removed\n")
        assert vendor("app/_vendor", "--update")[2].endswith(": nothing to do\n")

    def test_update_with_other_parts(self, vendor, copy):
        status, out, err = vendor("app/_vendor", "--update", "--parts=schema")
        assert (status, out) == (0, "from app._vendor.tfmodel import messages\n")
        assert err.startswith(f"app/_vendor: {VERSION} (pbwire) -> {VERSION} (schema), ")
        lines = vendor("app/_vendor", "--update", "--parts=pbwire", "--dry-run")[1].splitlines()
        assert {line.partition(" ")[0] for line in lines} == {"write", "remove"}
        assert "remove tfmodel/messages.py" in lines

    def test_edited_files_stay_without_force(self, vendor, copy):
        (copy / "pbwire" / "wire.py").write_text("edited")
        status, _, err = vendor("app/_vendor", "--update")
        assert (status, err) == (
            2,
            "app/_vendor: edited by hand: pbwire/wire.py; --update --force replaces edited files\n",
        )
        assert vendor("app/_vendor", "--update", "--force")[0] == 0
        assert vendor("app/_vendor", "--check")[0] == 0

    @pytest.mark.parametrize(
        ("make", "arguments", "words"),
        [
            (lambda path: path.write_text(""), [], "dest: this is a file; give a folder for the copy"),
            (lambda path: path.mkdir(), ["--update"], "dest: this has no MANIFEST.json, so it is not a complete copy"),
            (lambda path: None, ["--update"], "dest: this is not a folder"),
            (
                lambda path: (path.mkdir(), (path / "\x1b[m").touch()),
                [],
                r"dest: contains other files: \x1b[m",
            ),
        ],
    )
    def test_unsuitable_folders_are_refused(self, vendor, tmp_path, make, arguments, words):
        make(tmp_path / "dest")
        status, out, err = vendor("dest", "--parts=pbwire", *arguments)
        assert (status, out) == (2, "")
        assert err.startswith(words)
        assert err.count("\n") == 1

    def test_a_full_disk_is_one_line_and_check_reports_it(self, vendor, monkeypatch):
        real = writing.replacing

        def full(name):
            if name.endswith("raw.py"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
            return real(name)

        monkeypatch.setattr(writing, "replacing", full)
        assert vendor("copy", "--parts=pbwire") == (2, "", "copy/pbwire/raw.py: no space left on device\n")
        assert vendor("copy", "--check") == (2, "", "copy: this has no MANIFEST.json, so it is not a complete copy\n")

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is closed to root")
    def test_a_folder_without_write_permission(self, vendor, tmp_path):
        tmp_path.chmod(0o500)
        assert vendor("copy", "--parts=pbwire") == (1, "", "copy: permission denied\n")


class TestCheck:
    def test_an_untouched_copy(self, vendor, copy):
        status, out, err = vendor("app/_vendor", "--check")
        assert (status, err) == (0, "")
        assert out.startswith(f"untouched and current: {VERSION} (pbwire), ")

    def test_all_differences_are_listed(self, vendor, copy):
        (copy / "pbwire" / "wire.py").write_text("edited")
        (copy / "pbwire" / "raw.py").unlink()
        (copy / "mine\x1b[31m.py").touch()
        manifest = copy / "MANIFEST.json"
        manifest.write_text(manifest.read_text() + "\n")
        assert vendor("app/_vendor", "--check") == (
            1,
            (
                "changed: MANIFEST.json\n"
                "changed: pbwire/wire.py\n"
                "missing: pbwire/raw.py\n"
                "not of the copy: mine\\x1b[31m.py\n"
            ),
            "",
        )

    def test_a_copy_of_another_version_is_outdated(self, vendor, copy):
        manifest = copy / "MANIFEST.json"
        manifest.write_text(manifest.read_text().replace(f'"version": "{__version__}"', '"version": "0.0.9"'))
        assert vendor("app/_vendor", "--check") == (
            1,
            f"outdated: this is a copy of tfmodel 0.0.9; tfmodel {__version__} is running\n",
            "",
        )

    def test_a_copy_that_cannot_be_checked_is_status_2(self, vendor, copy):
        assert vendor("nowhere", "--check") == (2, "", "nowhere: this is not a folder\n")
        (copy / "MANIFEST.json").write_text("<<<<<<< HEAD")
        status, out, err = vendor("app/_vendor", "--check")
        assert (status, out) == (2, "")
        assert err.startswith("app/_vendor/MANIFEST.json: damaged: this is not JSON: ")


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ([], "name the folder of the copy, or --zipapp FILE"),
            ([""], "name the folder of the copy"),
            (["--check"], "name the folder of the copy"),
            (["copy", "--parts=pbwre"], '--parts: unknown part "pbwre"; did you mean "pbwire"?'),
            (["copy", "--parts="], '--parts: unknown part ""'),
            (["copy", "--package=1.2"], '--package: "1.2" is not a package name; give one such as'),
            (["copy", "--package=a b"], '--package: "a b" is not a package name; give one such as'),
            (["copy", "--force"], "--force replaces edited files of a copy: add --update"),
            (["copy", "--check", "--update"], "--check takes only DEST: leave out --update"),
            (["copy", "--check", "--parts=all"], "--check takes only DEST: leave out --parts"),
            (["copy", "--zipapp=x.pyz"], "--zipapp takes only --parts: leave out DEST"),
            (["--zipapp=x.pyz", "--check"], "--zipapp takes only --parts: leave out --check"),
            (["--zipapp="], "--zipapp needs the name of a file"),
            (["--zipapp=-"], "--zipapp needs the name of a file"),
        ],
    )
    def test_invalid_combinations_of_options(self, vendor, tmp_path, arguments, words):
        status, out, err = vendor(*arguments)
        assert (status, out) == (2, "")
        assert f"tfmodel vendor: {words}" in err
        assert os.listdir(tmp_path) == []


class TestZipapp:
    def test_it_writes_one_file_and_prints_its_size(self, vendor, tmp_path):
        status, out, err = vendor("--zipapp", "tfmodel.pyz")
        assert (status, out) == (0, "")
        assert err == f"tfmodel.pyz: {(tmp_path / 'tfmodel.pyz').stat().st_size:,} bytes\n"

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("folder", "folder: this is a folder; name a file in it to write to\n"),
            ("none/x.pyz", "none/x.pyz: there is no folder none to write it to\n"),
        ],
    )
    def test_a_path_that_cannot_be_written(self, vendor, tmp_path, name, words):
        (tmp_path / "folder").mkdir()
        assert vendor("--zipapp", name) == (2, "", words)
