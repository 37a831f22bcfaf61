"""`check` reports every edit of a copy, and copies of other versions."""

from __future__ import annotations

import os
import py_compile
from pathlib import Path

import pytest

from tfmodel.vendoring import VendorError, comparison
from tfmodel.vendoring.comparison import check
from tfmodel.vendoring.manifest import MANIFEST
from tfmodel.vendoring.writing import write

from .copies import NEW, OLD, small


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    """A copy of the running version."""
    write(str(tmp_path / "copy"), OLD)
    monkeypatch.setattr(comparison, "own_copy", lambda parts: OLD)
    return tmp_path / "copy"


def test_an_untouched_copy_of_the_same_version_is_sound(folder):
    verdict = check(str(folder))
    assert verdict.sound
    assert verdict.manifest == OLD.manifest


def test_every_changed_byte_of_every_file_is_noticed(folder):
    for path in [*OLD.files, MANIFEST]:
        content = (folder / path).read_bytes()
        for position in range(len(content)):
            (folder / path).write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
            try:
                verdict = check(str(folder))
            except VendorError:  # which says that the manifest is damaged
                assert path == MANIFEST
            else:
                assert not verdict.sound, f"{path}, byte {position}"
                assert path == MANIFEST or (verdict.differences.changed, verdict.current) == ([path], True)
        (folder / path).write_bytes(content)
    assert check(str(folder)).sound


@pytest.mark.parametrize("change", [lambda data: data + b"\n", lambda data: data.replace(b"\n", b"\r\n")])
def test_a_reformatted_manifest_counts_as_edited(folder, change):
    (folder / MANIFEST).write_bytes(change((folder / MANIFEST).read_bytes()))
    verdict = check(str(folder))
    assert not verdict.manifest_canonical
    assert not verdict.differences
    assert not verdict.sound


def test_missing_and_extra_files_are_listed(folder):
    (folder / "pbwire" / "wire.py").rename(folder / "pbwire" / "wires.py")
    (folder / "pbwire" / "gone.py").unlink()
    (folder / "empty").mkdir()
    differences = check(str(folder)).differences
    assert differences.missing == ["pbwire/gone.py", "pbwire/wire.py"]
    assert differences.extra == ["pbwire/wires.py"]
    assert differences.changed == []


def test_compiled_code_does_not_count(folder):
    (folder / "pbwire" / "__pycache__").mkdir()
    (folder / "pbwire" / "__pycache__" / "wire.cpython-311.pyc").touch()
    assert check(str(folder)).sound


CODE = "wire.cpython-311.pyc"
BY_TIME, BY_HASH, UNCHECKED = (bytes(4) + bytes([flags, 0, 0, 0]) + bytes(8) for flags in (0, 3, 1))  # PEP 552


@pytest.mark.parametrize(
    ("name", "content", "is_extra"),
    [
        (CODE, BY_TIME, False),
        (CODE, BY_HASH, False),
        (CODE, UNCHECKED, True),  # Python runs it without a look at the source
        ("wire.cpython-311.opt-1.pyc", BY_TIME, False),
        ("other.cpython-311.pyc", BY_TIME, True),  # the module does not exist
        ("text.cpython-311.pyc", BY_TIME, True),
        ("wire.pyc", BY_TIME, True),
        ("wire.cpython-311.so", b"", True),
        ("payload.so", b"", True),
        ("anything.py", b"", True),
        ("below/wire.cpython-311.pyc", BY_TIME, True),
    ],
)
def test_other_files_in_pycache(folder, name, content, is_extra):
    path = folder / "pbwire" / "__pycache__" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    verdict = check(str(folder))
    assert verdict.differences.extra == [f"pbwire/__pycache__/{name}"] * is_extra
    assert verdict.sound == (not is_extra)


def test_a_link_in_pycache_is_extra(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / CODE).write_bytes(BY_TIME)
    (folder / "pbwire" / "__pycache__").mkdir()
    (folder / "pbwire" / "__pycache__" / CODE).symlink_to(tmp_path / "elsewhere" / CODE)
    assert check(str(folder)).differences.extra == [f"pbwire/__pycache__/{CODE}"]


def test_unchecked_compiled_code_is_reported(folder):
    """An attacker could compile other source and then restore the module."""
    module = folder / "pbwire" / "wire.py"
    source = module.read_bytes()
    module.write_text("evil")
    mode = py_compile.PycInvalidationMode
    py_compile.compile(str(module), doraise=True, invalidation_mode=mode.CHECKED_HASH)
    module.write_bytes(source)
    assert check(str(folder)).sound  # Python sees that it is of another source
    module.write_text("evil")
    compiled = py_compile.compile(str(module), doraise=True, invalidation_mode=mode.UNCHECKED_HASH)
    module.write_bytes(source)
    assert check(str(folder)).differences.extra == [os.path.relpath(compiled, folder)]


def test_links_count_as_changes_and_are_not_followed(folder, tmp_path):
    (folder / "pbwire" / "wire.py").rename(tmp_path / "wire.py")
    (folder / "pbwire" / "wire.py").symlink_to(tmp_path / "wire.py")
    (folder / "pbwire" / "text").rename(tmp_path / "text")
    (folder / "pbwire" / "text").symlink_to(tmp_path / "text")
    (folder / "loop").symlink_to(folder)
    differences = check(str(folder)).differences
    assert differences.changed == ["pbwire/wire.py"]
    assert differences.missing == ["pbwire/text/gone.py"]
    assert differences.extra == ["loop", "pbwire/text"]


def test_a_copy_of_another_version_is_outdated(folder, monkeypatch):
    monkeypatch.setattr(comparison, "own_copy", lambda parts: NEW)
    verdict = check(str(folder))
    assert verdict.untouched
    assert not verdict.current
    assert (verdict.manifest.version, verdict.version) == ("1.0", "2.0")
    assert verdict.outdated == ["pbwire/added.py", "pbwire/gone.py", "pbwire/text/gone.py", "pbwire/wire.py"]


def test_a_copy_of_the_same_version_with_other_files_is_outdated(folder, monkeypatch):
    monkeypatch.setattr(comparison, "own_copy", lambda parts: small({"pbwire/same.py": "other"}))
    verdict = check(str(folder))
    assert verdict.untouched
    assert not verdict.current


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "this is not a folder"),
        (lambda path: path.touch(), "this is not a folder"),
        (lambda path: path.mkdir(), "has no MANIFEST.json, so it is not a complete copy"),
        (lambda path: (path.mkdir(), (path / MANIFEST).mkdir()), "has no MANIFEST.json"),
        (lambda path: (path.mkdir(), (path / MANIFEST).write_text("{")), "damaged: this is not JSON"),
    ],
)
def test_a_folder_that_cannot_be_checked_is_refused(tmp_path, make, words):
    make(tmp_path / "copy")
    with pytest.raises(VendorError, match=words):
        check(str(tmp_path / "copy"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is closed to root")
def test_an_unreadable_file_is_named(folder):
    (folder / "pbwire" / "wire.py").chmod(0)
    with pytest.raises(VendorError, match=r"wire\.py: cannot be read"):
        check(str(folder))
