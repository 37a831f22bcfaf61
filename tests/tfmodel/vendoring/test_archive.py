"""The .pyz: one file with reproducible bytes, which runs on its own."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile

import pytest

from tfmodel.vendoring import own_files as own_files_module
from tfmodel.vendoring import zipapp
from tfmodel.vendoring.archive import zipapp_bytes


@pytest.fixture
def archive(tmp_path):
    zipapp(str(tmp_path / "tfmodel.pyz"))
    return tmp_path / "tfmodel.pyz"


def test_equal_sources_give_equal_bytes(archive, sources, monkeypatch):
    monkeypatch.setattr(own_files_module, "own_files", lambda: dict(reversed(sources.items())))
    assert zipapp_bytes() == archive.read_bytes()
    entries = zipfile.ZipFile(archive).infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert {(entry.date_time, entry.create_system, entry.external_attr >> 16) for entry in entries} == {
        ((1980, 1, 1, 0, 0, 0), 3, 0o100644)
    }


def test_it_has_all_files_and_the_license(archive, sources):
    with zipfile.ZipFile(archive) as pyz:
        modules = {*sources, "LICENSE", "__main__.py"}
        assert set(pyz.namelist()) == modules | {f"{path}c" for path in modules if path.endswith(".py")}
        assert pyz.testzip() is None


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the suffix tells what can be run")
def test_everyone_who_can_read_it_can_run_it(archive):
    assert archive.read_bytes().startswith(b"#!/usr/bin/env python3\n")
    mode = archive.stat().st_mode
    assert stat.S_IMODE(mode) & 0o111 == (mode & 0o444) >> 2
    archive.chmod(0o600)
    zipapp(str(archive))
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600  # as with any file that is replaced


def test_an_error_keeps_the_old_file(tmp_path, monkeypatch):
    def fail(*arguments):
        raise OSError(28, "No space left on device")

    (tmp_path / "tfmodel.pyz").write_text("old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        zipapp(str(tmp_path / "tfmodel.pyz"))
    assert (tmp_path / "tfmodel.pyz").read_text() == "old"
    assert os.listdir(tmp_path) == ["tfmodel.pyz"]


def test_python_runs_it_on_its_own(archive, tmp_path):
    command = [sys.executable, "-I", "-S", archive.name, "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("tfmodel ")


def test_an_old_python_gets_a_message(archive):
    main = zipfile.ZipFile(archive).read("__main__.py").decode()
    check = main.partition("from tfmodel.cli")[0].replace("sys.version_info", "(3, 10, 2)")
    with pytest.raises(SystemExit, match=r"tfmodel needs Python 3\.11 or newer, and this is 3\.10"):
        exec(check)
