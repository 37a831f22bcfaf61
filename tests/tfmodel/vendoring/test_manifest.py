"""MANIFEST.json: round trips, and refusals of malformed or hostile ones."""

from __future__ import annotations

import json

import pytest

from tfmodel.vendoring.manifest import MAX_MANIFEST_BYTES, Entry, Manifest, VendorError, entry_of, parse

GOOD = Manifest("0.1.0", ("pbwire",), {"LICENSE": entry_of(b"free"), "pbwire/wire.py": entry_of(b"")})


def altered(**changes: object) -> bytes:
    return json.dumps(json.loads(GOOD.to_bytes()) | changes).encode()


def with_path(path: str) -> bytes:
    return altered(files={path: {"size": 0, "sha256": "0" * 64}})


def test_a_manifest_that_was_written_is_read_back():
    assert parse(GOOD.to_bytes()) == GOOD
    assert parse(GOOD.to_bytes()).to_bytes() == GOOD.to_bytes()


def test_it_has_a_line_for_each_file():
    line = '    "LICENSE": {"size": 4, "sha256": "ad95d5fa651ba86d8923fe1238d24a4f1988a752acfe426ac72ac7c04471bc17"},'
    head = ["{", '  "copy of": "tfmodel",', '  "version": "0.1.0",', '  "parts": ["pbwire"],', '  "files": {']
    assert GOOD.to_bytes().decode().splitlines()[:6] == [*head, line]


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../up.py",
        "pbwire/../../up.py",
        "..",
        ".",
        "",
        "pbwire/",
        "pbwire//wire.py",
        "./pbwire.py",
        "C:/x.py",
        "C:x.py",
        "pbwire\\..\\..\\x.py",
        "\\\\host\\share",
        "a\0.py",
        "a\n.py",
        "a.py\n",
        ".git/config",
        "pbwire/.hidden.py",
        "~/x.py",
        "__pycache__/wire.pyc",
        "pbwire/__pycache__/wire.pyc",
        "MANIFEST.json",
        "wïre.py",
    ],
)
def test_invalid_paths_are_refused(path):
    with pytest.raises(VendorError, match="is not a valid path of a file in a copy"):
        parse(with_path(path))


@pytest.mark.parametrize("path", ["LICENSE", "__init__.py", "tfmodel/_schema/py.typed", "tfmodel/ops/op_defs.pb.gz"])
def test_valid_paths_are_accepted(path):
    assert list(parse(with_path(path)).files) == [path]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        (b"\x1b[31m", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 10_000, "not JSON"),
        (b"[]", "does not belong to a copy of tfmodel"),
        (b"{}", "does not belong to a copy of tfmodel"),
        (b" " * (MAX_MANIFEST_BYTES + 1), "more than any manifest"),
        (b'{"copy of": "tfmodel", "copy of": "tfmodel"}', "the same key twice"),
        (altered(**{"copy of": "something else"}), "does not belong to a copy of tfmodel"),
        (altered(version=1), '"version"'),
        (altered(version="new\x1b[31m"), '"version"'),
        (altered(version="1" * 1000), '"version"'),
        (altered(parts="pbwire"), '"parts"'),
        (altered(parts=[]), '"parts"'),
        (altered(parts=["schemb"]), '"parts"'),
        (altered(parts=["schema", "pbwire"]), '"parts"'),
        (altered(parts=["pbwire", "pbwire"]), '"parts"'),
        (altered(parts=[["pbwire"]]), '"parts"'),
        (altered(files=[]), '"files"'),
        (altered(files={"a": None}), 'the entry of "a"'),
        (altered(files={"a": {"size": 1}}), 'the entry of "a"'),
        (altered(files={"a": {"size": True, "sha256": "0" * 64}}), 'the entry of "a"'),
        (altered(files={"a": {"size": -1, "sha256": "0" * 64}}), 'the entry of "a"'),
        (altered(files={"a": {"size": 1, "sha256": "G" * 64}}), 'the entry of "a"'),
        (altered(files={"a": {"size": 1, "sha256": "0" * 63}}), 'the entry of "a"'),
    ],
)
def test_malformed_manifests_are_refused_with_a_reason(data, words):
    with pytest.raises(VendorError) as caught:
        parse(data)
    assert words in str(caught.value)
    assert str(caught.value).isprintable()


def test_an_entry_is_size_and_digest():
    assert entry_of(b"") == Entry(0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
