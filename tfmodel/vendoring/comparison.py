"""Is a copy as it was made, and is it one of the tfmodel that looks?

What is in a folder, and how that differs from what a manifest says. No link is ever followed below it.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from .manifest import LARGEST, MANIFEST, Entry, Manifest, VendorError, parse
from .own_files import Copy, own_copy

__all__ = ["Differences", "Verdict", "check", "compared", "compiled", "contents", "existing", "read_manifest", "same"]


@dataclass(frozen=True)
class Verdict:
    """What is known of a copy: its manifest, whether that is as it was written, and how its files differ from it.

    `outdated` has the paths of files that are others in the tfmodel that looks, or are in one of the two only.
    """

    manifest: Manifest
    manifest_untouched: bool
    differences: Differences
    version: str
    outdated: list[str]

    @property
    def untouched(self) -> bool:
        """Are its files what its manifest says, and no others?"""
        return self.manifest_untouched and not self.differences

    @property
    def current(self) -> bool:
        """Is it what the tfmodel that looks would write?"""
        return self.manifest.version == self.version and not self.outdated

    @property
    def sound(self) -> bool:
        """Is it both?"""
        return self.untouched and self.current


def check(folder: str) -> Verdict:
    """Compare a copy with its manifest, and with what the running tfmodel would write.

    Code that Python has compiled of a module of the copy, and for which it compares the source, is not looked at.

    Raises VendorError for what is no copy, if its manifest is damaged or missing, and if something cannot be read.
    """
    try:
        manifest, data = existing(folder)
        return judged(folder, manifest, data, own_copy(manifest.parts))
    except OSError as error:
        raise VendorError(f"{error.filename or folder}: cannot be read: {error.strerror}") from error


def judged(folder: str, manifest: Manifest, data: bytes, new: Copy) -> Verdict:
    """That for a copy whose manifest is known."""
    entries = new.manifest.files
    return Verdict(
        manifest,
        manifest.to_bytes() == data,
        compared(folder, contents(folder), manifest.files),
        new.version,
        sorted(path for path in {*manifest.files, *entries} if manifest.files.get(path) != entries.get(path)),
    )


def existing(folder: str) -> tuple[Manifest, bytes]:
    """The manifest of a copy, and its bytes. Raises VendorError if there is none that can be read."""
    data = read_manifest(folder)
    if data is None:
        what = "is no folder" if not os.path.isdir(folder) else f"has no {MANIFEST}, so it is no finished copy"
        raise VendorError(f"{folder}: this {what}")
    try:
        return parse(data), data
    except VendorError as error:
        hint = "take it from where it was kept, or remove the folder and make the copy anew"
        raise VendorError(f"{os.path.join(folder, MANIFEST)}: damaged: {error}; {hint}") from None


_CACHE = "__pycache__"
_BLOCK = 1 << 16
_COMPILED = re.compile(rf"(?P<folder>(?:.*/)?){_CACHE}/(?P<module>[^/.]+)\.[^/]+\.pyc", re.DOTALL)
_HEADER = 8  # bytes of compiled code before what is compared: a magic number and flags
_HASH, _CHECKED = 1, 2  # the flags: the source is compared by hash, or not at all unless that is asked for


@dataclass(frozen=True)
class Differences:
    """Sorted paths: of files that are not what they should be, that are not there, and that should not be there."""

    changed: list[str]
    missing: list[str]
    extra: list[str]

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.extra)


def contents(folder: str) -> list[str]:
    """The paths of all that is in a folder but folders and what Python compiles, sorted, with "/" between the names.

    Links are among them, and not what they lead to. Raises OSError where something cannot be listed.
    """
    found, pending = set(), [""]
    while pending:
        below = pending.pop()
        with os.scandir(os.path.join(folder, below)) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{below}{entry.name}/")
                else:
                    found.add(below + entry.name)
    return sorted(path for path in found if not _is_compiled(folder, path, found))


def _is_compiled(folder: str, path: str, paths: set[str]) -> bool:
    """Is this the compiled code of a module in the folder, of which Python compares its source before it runs it?

    What says that its source need not be looked at (PEP 552) is not; Python would run it whatever the module has. That
    the code is that of the source is taken on trust.
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


def compiled(folder: str, path: str) -> list[str]:
    """The compiled code of a module, of whichever Python: the names of its files."""
    head, name = os.path.split(os.path.join(folder, path))
    cache = os.path.join(head, _CACHE)
    stem, suffix = os.path.splitext(name)
    if suffix != ".py" or os.path.islink(cache) or not os.path.isdir(cache):
        return []
    names = [each for each in os.listdir(cache) if each.startswith(f"{stem}.") and each.endswith(".pyc")]
    return [os.path.join(cache, each) for each in names]


def compared(folder: str, paths: list[str], entries: Mapping[str, Entry]) -> Differences:
    """How the contents of a folder differ from what they should be, the manifest apart."""
    there = set(paths)
    return Differences(
        changed=[path for path, entry in entries.items() if path in there and not same(folder, path, entry)],
        missing=[path for path in entries if path not in there],
        extra=[path for path in paths if path not in entries and path != MANIFEST],
    )


def same(folder: str, path: str, entry: Entry) -> bool:
    """Is what is there a regular file with that content? Files of another size are not read."""
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
    """The bytes of the manifest, one more than `LARGEST` at most; None if there is none. A link is none."""
    name = os.path.join(folder, MANIFEST)
    try:
        if not stat.S_ISREG(os.lstat(name).st_mode):
            return None
        with open(name, "rb") as file:
            return file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
