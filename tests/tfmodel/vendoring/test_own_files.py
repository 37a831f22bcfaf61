"""The files of the running tfmodel."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tfmodel.vendoring import VendorError, own_files
from tfmodel.vendoring.own_files import own_files as read_own_files

ROOT = Path(own_files.__file__).resolve().parents[2]


def test_all_files_of_the_packages_are_read_except_compiled_code(sources):
    folders = {"pbwire": "pbwire", "schema": "tfmodel/_schema", "tfmodel": "tfmodel"}
    files = {
        f"{name}/{path.relative_to(ROOT / folder).as_posix()}": path
        for folder, name in folders.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not {"__pycache__", "_schema"} & set(path.parts)
    }
    names = {path: path.rpartition("/")[2] for path in files}
    assert {path for path, name in names.items() if name[0] != "." and not name.endswith(".md")} == set(sources)
    assert all(files[path].read_bytes() == data for path, data in list(sources.items())[::20])


def test_the_schema_and_data_files_are_included(sources):
    assert {"tfmodel/_schema/graph.py", "tfmodel/ops/op_defs.pb.gz", "pbwire/py.typed"} <= set(sources)
    assert list(sources) == sorted(sources)


def test_the_license_is_that_of_the_repository():
    assert own_files.license_text() == (ROOT / "LICENSE").read_bytes()


def test_a_tfmodel_without_sources_says_so(monkeypatch):
    monkeypatch.setattr(own_files, "_SUFFIXES", (".pyc",))
    with pytest.raises(VendorError, match=r"pbwire/__init__.py: this tfmodel has no source files"):
        read_own_files()


@pytest.mark.slow(reason="copies the repository and starts a process")
def test_a_checkout_without_the_link_to_the_tables_has_the_same_files(sources, tmp_path):
    for folder in ("pbwire", "schema", "tfmodel"):
        ignored = shutil.ignore_patterns("__pycache__", "_schema")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored, symlinks=True)
    script = (
        "import hashlib; from tfmodel.vendoring.own_files import own_files\n"
        "print(*(hashlib.sha256(data).hexdigest() for data in own_files().values()))"
    )
    words = [sys.executable, "-S", "-c", script]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [hashlib.sha256(data).hexdigest() for data in sources.values()]
