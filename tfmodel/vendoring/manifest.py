"""MANIFEST.json of a copy: which version it is, which parts of it, and every file with its size and SHA-256.

    {
      "copy of": "tfmodel",
      "version": "0.1.0",
      "parts": ["pbwire"],
      "files": {
        "LICENSE": {"size": 11358, "sha256": "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4"},
        ...

Its own file is the only one that it does not list, but for `__pycache__`. A copy may come from anybody, and so may its
manifest: what is read here names files inside of the copy only, however it is made.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import Error
from ..io.terminal import printable
from .parts import PARTS

__all__ = ["LARGEST", "MANIFEST", "Entry", "Manifest", "VendorError", "entry_of", "parse"]

MANIFEST = "MANIFEST.json"
"""The name of its file."""

LARGEST = 4 << 20
"""Bytes that a manifest can have: fifty times what ours need."""

_OF = "tfmodel"
_VERSION = re.compile(r"\d[\w.+!]{0,99}", re.ASCII)
_PATH = re.compile(r"(?!MANIFEST\.json$)(?:(?!__pycache__/)\w+/)*\w+(?:\.\w+)*", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")


class VendorError(Error):
    """A copy of tfmodel cannot be made, replaced or judged."""


@dataclass(frozen=True)
class Entry:
    """What is known of a file: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What a copy is made of. `parts` are some of `PARTS`, in their order; `files` are sorted by path."""

    version: str
    parts: tuple[str, ...]
    files: Mapping[str, Entry]

    def to_bytes(self) -> bytes:
        """What is in its file, which has one line for each file of the copy."""
        rows = [
            f'    {json.dumps(path)}: {{"size": {entry.size}, "sha256": "{entry.sha256}"}}'
            for path, entry in self.files.items()
        ]
        head = [("copy of", _OF), ("version", self.version), ("parts", list(self.parts))]
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head]
        return "\n".join(["{", *lines, '  "files": {', ",\n".join(rows), "  }", "}", ""]).encode()


def entry_of(data: bytes) -> Entry:
    """The entry of a file with that content."""
    return Entry(len(data), hashlib.sha256(data).hexdigest())


def parse(data: bytes) -> Manifest:
    """A manifest from the bytes of its file. Raises VendorError, which says what is wrong with it."""
    if len(data) > LARGEST:
        raise VendorError(f"it has {len(data):,} bytes, more than any manifest")
    try:
        found = json.loads(data, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise VendorError(f"this is not JSON: {printable(problem)}") from None
    if not isinstance(found, dict) or found.get("copy of") != _OF:
        raise VendorError('it is not one of ours, which say "copy of": "tfmodel"')
    version, parts, files = found.get("version"), found.get("parts"), found.get("files")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise VendorError('"version" is not a version')
    if not isinstance(parts, list) or not parts or parts != [part for part in PARTS if part in parts]:
        raise VendorError(f'"parts" are not some of {", ".join(PARTS)}, in this order')
    if not isinstance(files, dict):
        raise VendorError('"files" is no object')
    return Manifest(version, tuple(parts), {path: _entry(path, entry) for path, entry in sorted(files.items())})


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _entry(path: str, entry: Any) -> Entry:
    if not _PATH.fullmatch(path):
        raise VendorError(f'"{printable(path[:100])}" is no path of a file that a copy has')
    size, sha256 = (entry.get("size"), entry.get("sha256")) if isinstance(entry, dict) else (None, None)
    if type(size) is not int or size < 0 or not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise VendorError(f'the entry of "{path}" has no "size" and "sha256"')
    return Entry(size, sha256)
