"""Writing a copy to a folder: a new one, or in the place of an older one.

Every file is there whole or not at all, and the manifest is written last. So one that was interrupted has files that
its manifest does not know, or no manifest, and either is noticed; it is finished by the same call once more. What is
not ours is never touched, nor is anything that was edited, unless that is asked for.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from ..io.atomic import is_temporary, replacing
from .comparison import compared, compiled, contents, existing, judged, read_manifest, same
from .manifest import MANIFEST, Manifest, VendorError
from .own_files import Copy, own_copy
from .parts import PARTS

__all__ = ["Outcome", "vendor", "write"]

_INIT = "__init__.py"
_CACHE = "__pycache__"
_SHOWN = 10  # files that an error names


@dataclass(frozen=True)
class Outcome:
    """What was done, or would be: the copy that is in the folder now, the manifest of the one before, and the files
    that were written and removed.
    """

    copy: Copy
    before: Manifest | None
    written: list[str]
    removed: list[str]


def vendor(
    folder: str,
    parts: tuple[str, ...] | None = None,
    *,
    update: bool = False,
    force: bool = False,
    dry_run: bool = False,
) -> Outcome:
    """Copy those parts of the running tfmodel to a folder; of all parts, or those of the copy that is replaced.

    The folder is empty or not there or, with `update`, has a copy, which is replaced. With `force` files of it are
    replaced or removed that were edited. With `dry_run` nothing is written.

    Raises VendorError if the folder has other things, or an edited file; ValueError for `force` without `update`; and
    OSError.
    """
    if force and not update:
        raise ValueError("force is about edited files of a copy: give update too")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise VendorError(f"{folder}: this is a file; name a folder for the copy")
    if not update:
        return write(folder, own_copy(parts or PARTS), dry_run=dry_run)
    before, _ = existing(folder)
    return write(folder, own_copy(parts or before.parts), update=True, force=force, dry_run=dry_run)


def write(folder: str, copy: Copy, *, update: bool = False, force: bool = False, dry_run: bool = False) -> Outcome:
    """Write a copy as `vendor` does, whoever made it."""
    paths = contents(folder) if os.path.isdir(folder) else []
    before: Manifest | None = None
    if read_manifest(folder) is None:
        _refuse_others(folder, paths, copy)
    else:
        before, data = existing(folder)
        if not update:
            if not judged(folder, before, data, copy).sound:
                raise VendorError(f"{folder}: there is a copy already, of {_words(before)}; --update replaces it")
        elif not force:
            _refuse_edited(folder, paths, before, copy)
    there = set(paths)
    written = [path for path in copy.files if path not in there or not same(folder, path, copy.entries[path])]
    removed = [path for path in before.files if path in there and path not in copy.files] if before else []
    for path in (*written, *removed):
        _inside(folder, path)  # or else nothing is written at all
    if not dry_run:
        _write(folder, copy, written, removed)
    return Outcome(copy, before, written, removed)


def _words(manifest: Manifest) -> str:
    return f"tfmodel {manifest.version} ({', '.join(manifest.parts)})"


# --- what stands in the way ------------------------------------------------------------------------------------------


def _refuse_others(folder: str, paths: list[str], copy: Copy) -> None:
    """A folder without a manifest is empty, but for what an interrupted call has left and an empty __init__.py."""
    differences = compared(folder, paths, copy.entries)
    others = [path for path in differences.changed if not _is_empty_init(folder, path)]
    others += [path for path in differences.extra if not _is_left_over(path)]
    if MANIFEST in paths:
        others.append(MANIFEST)  # it is no regular file
    if others:
        names = _listed({path.partition("/")[0] for path in others})
        better = os.path.join(folder, "tf")
        raise VendorError(f"{folder}: other things are in this folder: {names}; give one of its own, such as {better}")


def _is_left_over(path: str) -> bool:
    """Is this what an interrupted call has left, or code that was compiled of a copy that is gone?"""
    folder, _, name = path.rpartition("/")
    return is_temporary(name) or (folder.rpartition("/")[2] == _CACHE and name.endswith(".pyc"))


def _is_empty_init(folder: str, path: str) -> bool:
    status = os.lstat(os.path.join(folder, path))
    return path == _INIT and stat.S_ISREG(status.st_mode) and status.st_size == 0


def _refuse_edited(folder: str, paths: list[str], before: Manifest, copy: Copy) -> None:
    """Nothing that would be written or removed may be other than it was made, or than it will be."""
    ours = {**copy.entries, **before.files}
    edited = [
        path
        for path in paths
        if path in ours
        and not any(path in known and same(folder, path, known[path]) for known in (before.files, copy.entries))
    ]
    if edited:
        raise VendorError(f"{folder}: edited by hand: {_listed(edited)}; --update --force replaces what was edited")


def _listed(paths: Iterable[str]) -> str:
    names = sorted(paths)
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


# --- files -----------------------------------------------------------------------------------------------------------


def _write(folder: str, copy: Copy, written: list[str], removed: list[str]) -> None:
    os.makedirs(folder, exist_ok=True)
    for path in written:
        _write_file(folder, path, copy.files[path])
    for path in removed:
        os.unlink(_inside(folder, path))
        for name in compiled(folder, path):
            os.unlink(name)
    for path in sorted({path.rpartition("/")[0] for path in removed}, reverse=True):
        _remove_empty(folder, path)
    manifest = copy.manifest.to_bytes()
    if read_manifest(folder) != manifest:
        _write_file(folder, MANIFEST, manifest)


def _write_file(folder: str, path: str, data: bytes) -> None:
    name = _inside(folder, path)
    os.makedirs(os.path.dirname(name), exist_ok=True)
    if os.path.islink(name):
        os.unlink(name)  # it was asked to be replaced, and not what it leads to
    with replacing(name) as file:
        file.write(data)


def _inside(folder: str, path: str) -> str:
    """Where that file is. Raises VendorError if a link would lead elsewhere."""
    place = folder
    for part in path.split("/")[:-1]:
        place = os.path.join(place, part)
        if os.path.islink(place):
            raise VendorError(f"{place}: this is a link, and nothing is written through it: remove it")
    return os.path.join(folder, path)


def _remove_empty(folder: str, path: str) -> None:
    """Remove a folder that has lost its last file, or has nothing left but compiled code, and those around it."""
    while path:
        place = os.path.join(folder, path)
        with contextlib.suppress(OSError):  # it is gone already, or does no harm where it is
            if set(os.listdir(place)) <= {_CACHE}:
                shutil.rmtree(os.path.join(place, _CACHE), ignore_errors=True)
                os.rmdir(place)
        path = path.rpartition("/")[0]
