"""The files of the running tfmodel."""

from __future__ import annotations

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
    assert {path for path, name in names.items() if name[0] != "." and name != "README.md"} == set(sources)
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
