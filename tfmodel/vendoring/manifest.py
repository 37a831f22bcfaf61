"""MANIFEST.json of a copy, which is untrusted input.

MANIFEST.json lists the version and the parts of a copy, and every file with its size and SHA-256:

    {
      "copy of": "tfmodel",
      "version": "0.1.0",
      "parts": ["pbwire"],
      "files": {
        "LICENSE": {"size": 11358, "sha256": "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4"},
        ...

It lists all files but itself and `__pycache__`. A copy, and so its manifest, may come from an untrusted source: paths
that are read here always stay inside the copy.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import Error
from ..values.terminal import escape
from .parts import PARTS

MANIFEST = "MANIFEST.json"
"""The file name of the manifest."""

MAX_MANIFEST_BYTES = 4 << 20
"""The maximum size of a manifest in bytes, far above the size of tfmodel's own."""

_OF = "tfmodel"
_VERSION = re.compile(r"\d[\w.+!]{0,99}", re.ASCII)
_PATH = re.compile(r"(?!MANIFEST\.json$)(?:(?!__pycache__/)\w+/)*\w+(?:\.\w+)*", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")


class VendorError(Error):
    """A copy of tfmodel cannot be made, replaced or checked."""

    names_file = True


@dataclass(frozen=True)
class Entry:
    """A file of the manifest: its size in bytes and its SHA-256 in hexadecimal digits."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The content of a copy. `parts` are some of `PARTS`, in their order; `files` are sorted by path."""

    version: str
    parts: tuple[str, ...]
    files: Mapping[str, Entry]

    def to_bytes(self) -> bytes:
        """Return the content of MANIFEST.json, which has one line for each file of the copy."""
        rows = [
            f'    {json.dumps(path)}: {{"size": {entry.size}, "sha256": "{entry.sha256}"}}'
            for path, entry in self.files.items()
        ]
        head = [("copy of", _OF), ("version", self.version), ("parts", list(self.parts))]
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head]
        return "\n".join(["{", *lines, '  "files": {', ",\n".join(rows), "  }", "}", ""]).encode()


def entry_of(data: bytes) -> Entry:
    """Return the entry of a file with this content."""
    return Entry(len(data), hashlib.sha256(data).hexdigest())


def parse(data: bytes) -> Manifest:
    """Parse MANIFEST.json. Raises VendorError with the problem if it is not a valid manifest."""
    if len(data) > MAX_MANIFEST_BYTES:
        raise VendorError(f"it has {len(data):,} bytes, more than any manifest")
    try:
        document = json.loads(data, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise VendorError(f"this is not JSON: {escape(problem)}") from None
    if not isinstance(document, dict) or document.get("copy of") != _OF:
        raise VendorError('it does not belong to a copy of tfmodel: "copy of": "tfmodel" is missing')
    version, parts, files = document.get("version"), document.get("parts"), document.get("files")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        raise VendorError('"version" is not a version')
    if not isinstance(parts, list) or not parts or parts != [part for part in PARTS if part in parts]:
        raise VendorError(f'"parts" are not some of {", ".join(PARTS)}, in this order')
    if not isinstance(files, dict):
        raise VendorError('"files" is not an object')
    return Manifest(version, tuple(parts), {path: _entry(path, entry) for path, entry in sorted(files.items())})


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has the same key twice")
    return members


def _entry(path: str, entry: Any) -> Entry:
    if not _PATH.fullmatch(path):
        raise VendorError(f'"{escape(path[:100])}" is not a valid path of a file in a copy')
    size, sha256 = (entry.get("size"), entry.get("sha256")) if isinstance(entry, dict) else (None, None)
    if type(size) is not int or size < 0 or not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise VendorError(f'the entry of "{path}" has no "size" and "sha256"')
    return Entry(size, sha256)
