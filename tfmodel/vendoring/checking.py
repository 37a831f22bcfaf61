"""Is a copy as it was made, and is it one of the tfmodel that looks?"""

from __future__ import annotations

import os
from dataclasses import dataclass

from .folders import Differences, compared, contents, read_manifest
from .making import Copy, own_copy
from .manifest import MANIFEST, Manifest, VendorError, parse

__all__ = ["Verdict", "check", "existing"]


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
