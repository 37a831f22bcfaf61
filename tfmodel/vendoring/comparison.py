"""Compare a copy with its manifest and with the running tfmodel. Links inside the folder are never followed."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from .manifest import MANIFEST, MAX_MANIFEST_BYTES, Entry, Manifest, VendorError, parse
from .own_files import Copy, own_copy


@dataclass(frozen=True)
class Verdict:
    """The result of `check`: the manifest, and how the files of the folder differ from it.

    `manifest_canonical` is False if the manifest is not formatted as tfmodel writes it, so that it has been edited.
    `version` is that of the running tfmodel. `outdated` lists the files whose entries in this manifest differ from
    those in the manifest that the running tfmodel would write, including files that only one of the two lists.
    """

    manifest: Manifest
    manifest_canonical: bool
    differences: Differences
    version: str
    outdated: list[str]

    @property
    def untouched(self) -> bool:
        """Whether the manifest is formatted as tfmodel writes it and lists exactly the files that are there."""
        return self.manifest_canonical and not self.differences

    @property
    def current(self) -> bool:
        """Whether the manifest is that of the copy that the running tfmodel would write."""
        return self.manifest.version == self.version and not self.outdated

    @property
    def sound(self) -> bool:
        """Whether the copy is untouched and current."""
        return self.untouched and self.current


def check(folder: str) -> Verdict:
    """Compare a copy with its manifest, and with the copy that the running tfmodel would write.

    Compiled code in `__pycache__` is ignored if Python compares it with its source before running it.

    Raises VendorError if the folder is not a copy, its manifest is damaged or missing, or a file cannot be read, and if
    the running tfmodel lacks its own source or license.
    """
    try:
        manifest, data = load_manifest(folder)
        return judge_copy(folder, manifest, data, own_copy(manifest.parts))
    except OSError as error:
        raise VendorError(f"{error.filename or folder}: cannot be read: {error.strerror}") from error


def judge_copy(folder: str, manifest: Manifest, data: bytes, new: Copy) -> Verdict:
    """Return the verdict on a copy. `data` are the bytes of its manifest; `new` is what tfmodel would write now."""
    entries = new.manifest.files
    return Verdict(
        manifest,
        manifest.to_bytes() == data,
        compare_files(folder, list_files(folder), manifest.files),
        new.version,
        sorted(path for path in {*manifest.files, *entries} if manifest.files.get(path) != entries.get(path)),
    )


def load_manifest(folder: str) -> tuple[Manifest, bytes]:
    """Return the manifest of a copy, and its bytes. Raises VendorError if it is missing or damaged, OSError if it
    cannot be read.
    """
    data = read_manifest(folder)
    if data is None:
        problem = f"has no {MANIFEST}, so it is not a complete copy" if os.path.isdir(folder) else "is not a folder"
        raise VendorError(f"{folder}: this {problem}")
    try:
        return parse(data), data
    except VendorError as error:
        hint = "restore it, or remove the folder and make a new copy"
        raise VendorError(f"{os.path.join(folder, MANIFEST)}: damaged: {error}; {hint}") from None


_CACHE = "__pycache__"
_BLOCK = 1 << 16
_COMPILED = re.compile(rf"(?P<folder>(?:.*/)?){_CACHE}/(?P<module>[^/.]+)\.[^/]+\.pyc", re.DOTALL)
_HEADER = 8  # bytes: the magic number and the flags of compiled code
_HASH, _CHECKED = 1, 2  # flags: the code has a hash of its source; Python compares this hash with the source


@dataclass(frozen=True)
class Differences:
    """Sorted paths of files that differ from the manifest, are missing, or are not in the manifest."""

    changed: list[str]
    missing: list[str]
    extra: list[str]

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.extra)


def list_files(folder: str) -> list[str]:
    """Return the sorted paths of all files in a folder, with "/" between the names.

    Compiled code that Python compares with its source is left out. A link counts as a file and is not followed. Raises
    OSError if a folder cannot be listed.
    """
    files, pending = set(), [""]
    while pending:
        below = pending.pop()
        with os.scandir(os.path.join(folder, below)) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{below}{entry.name}/")
                else:
                    files.add(below + entry.name)
    return sorted(path for path in files if not _is_checked_code(folder, path, files))


def _is_checked_code(folder: str, path: str, paths: set[str]) -> bool:
    """Return whether a file is compiled code of a module in the folder that Python compares with its source.

    Python does not compare unchecked hash-based code (PEP 552): it runs such code even if the source differs. The
    compiled code itself is not verified against the source.
    """
    match = _COMPILED.fullmatch(path)
    if match is None or f"{match['folder']}{match['module']}.py" not in paths:
        return False
    name = os.path.join(folder, path)
    try:
        if not stat.S_ISREG(os.lstat(name).st_mode):
            return False
        with open(name, "rb") as file:
            header = file.read(_HEADER)
    except OSError:
        return False
    return int.from_bytes(header[4:], "little") & (_HASH | _CHECKED) != _HASH


def compiled_files(folder: str, path: str) -> list[str]:
    """Return the paths, which include `folder`, of the files with compiled code of a module, for any Python version."""
    head, name = os.path.split(os.path.join(folder, path))
    cache = os.path.join(head, _CACHE)
    stem, suffix = os.path.splitext(name)
    if suffix != ".py" or os.path.islink(cache) or not os.path.isdir(cache):
        return []
    names = [entry for entry in os.listdir(cache) if entry.startswith(f"{stem}.") and entry.endswith(".pyc")]
    return [os.path.join(cache, entry) for entry in names]


def compare_files(folder: str, paths: list[str], entries: Mapping[str, Entry]) -> Differences:
    """Compare the files of a folder with the entries of a manifest. The manifest itself is not compared."""
    present = set(paths)
    return Differences(
        changed=[path for path, entry in entries.items() if path in present and not has_content(folder, path, entry)],
        missing=[path for path in entries if path not in present],
        extra=[path for path in paths if path not in entries and path != MANIFEST],
    )


def has_content(folder: str, path: str, entry: Entry) -> bool:
    """Return whether a path is a regular file with the content of the entry. Files of another size are not read."""
    name = os.path.join(folder, path)
    status = os.lstat(name)
    if not stat.S_ISREG(status.st_mode) or status.st_size != entry.size:
        return False
    digest = hashlib.sha256()
    with open(name, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest() == entry.sha256


def read_manifest(folder: str) -> bytes | None:
    """Return the bytes of the manifest, at most `MAX_MANIFEST_BYTES` + 1; None if there is no regular file.

    Raises OSError if it cannot be read.
    """
    name = os.path.join(folder, MANIFEST)
    try:
        if not stat.S_ISREG(os.lstat(name).st_mode):
            return None
        with open(name, "rb") as file:
            return file.read(MAX_MANIFEST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
