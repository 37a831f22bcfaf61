"""Copy tfmodel, or parts of it, to a folder.

`vendor` writes each file atomically, and the manifest last. If it is interrupted, the folder has no manifest, or files
that differ from its old manifest; `check` reports this. Calling `vendor` again with the same arguments completes the
copy. `vendor` never changes files that do not belong to the copy, and changes edited files only with `force`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from pbwire.atomic import is_temporary, replacing

from .comparison import compare_files, compiled_files, has_content, judge_copy, list_files, load_manifest, read_manifest
from .manifest import MANIFEST, Manifest, VendorError
from .own_files import Copy, own_copy
from .parts import ALL

_INIT = "__init__.py"
_CACHE = "__pycache__"
_SHOWN = 10  # files listed in an error


@dataclass(frozen=True)
class Outcome:
    """The result of `vendor`: the new copy, the manifest of the old one, and the files written and removed."""

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
    """Copy parts of the running tfmodel to a folder. Default: all parts, or those of the copy that is updated.

    The folder must be missing or empty, or hold this copy, complete or interrupted. With `update`, it must contain a
    copy, which is replaced. With `force`, edited files are replaced or removed too. With `dry_run` nothing is written.

    Raises VendorError if a new folder has other files, or if a file of the copy was edited; ValueError for `force`
    without `update`; and OSError.
    """
    if force and not update:
        raise ValueError("force needs update: force replaces edited files of an existing copy")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise VendorError(f"{folder}: this is a file; give a folder for the copy")
    if not update:
        return write(folder, own_copy(parts or (ALL,)), dry_run=dry_run)
    before, _ = load_manifest(folder)
    return write(folder, own_copy(parts or before.parts), update=True, force=force, dry_run=dry_run)


def write(folder: str, copy: Copy, *, update: bool = False, force: bool = False, dry_run: bool = False) -> Outcome:
    """Write a copy to a folder, as `vendor` does."""
    paths = list_files(folder) if os.path.isdir(folder) else []
    before: Manifest | None = None
    if read_manifest(folder) is None:
        _refuse_others(folder, paths, copy)
    else:
        before, data = load_manifest(folder)
        if not update:
            if not judge_copy(folder, before, data, copy).sound:
                raise VendorError(
                    f"{folder}: already contains a copy of {_describe_copy(before)}; --update replaces it"
                )
        elif not force:
            _refuse_edited(folder, paths, before, copy)
    present = set(paths)
    written = [path for path in copy.files if path not in present or not has_content(folder, path, copy.entries[path])]
    removed = [path for path in before.files if path in present and path not in copy.files] if before else []
    for path in (*written, *removed):
        _inside(folder, path)  # checked first, so that nothing is written after an error
    if not dry_run:
        _write(folder, copy, written, removed)
    return Outcome(copy, before, written, removed)


def _describe_copy(manifest: Manifest) -> str:
    return f"tfmodel {manifest.version} ({', '.join(manifest.parts)})"


# --- refusals ----------------------------------------------------------------------------------------------------


def _refuse_others(folder: str, paths: list[str], copy: Copy) -> None:
    """Refuse a folder without a manifest, unless its files are those of an interrupted call or an empty __init__.py."""
    differences = compare_files(folder, paths, copy.entries)
    others = [path for path in differences.changed if not _is_empty_init(folder, path)]
    others += [path for path in differences.extra if not _is_left_over(path)]
    if MANIFEST in paths:
        others.append(MANIFEST)  # it exists, but is not a regular file (read_manifest returned None)
    if others:
        names = _list_files({path.partition("/")[0] for path in others})
        suggestion = os.path.join(folder, "tf")
        raise VendorError(
            f"{folder}: contains other files: {names}; give the copy its own folder, such as {suggestion}"
        )


def _is_left_over(path: str) -> bool:
    """Return whether a file is a temporary file of an interrupted call, or compiled code of a removed copy."""
    folder, _, name = path.rpartition("/")
    return is_temporary(name) or (folder.rpartition("/")[2] == _CACHE and name.endswith(".pyc"))


def _is_empty_init(folder: str, path: str) -> bool:
    status = os.lstat(os.path.join(folder, path))
    return path == _INIT and stat.S_ISREG(status.st_mode) and status.st_size == 0


def _refuse_edited(folder: str, paths: list[str], before: Manifest, copy: Copy) -> None:
    """Refuse to write or remove files that differ from both the old and the new copy."""
    ours = {**copy.entries, **before.files}
    edited = [
        path
        for path in paths
        if path in ours
        and not any(path in known and has_content(folder, path, known[path]) for known in (before.files, copy.entries))
    ]
    if edited:
        raise VendorError(f"{folder}: edited by hand: {_list_files(edited)}; --update --force replaces edited files")


def _list_files(paths: Iterable[str]) -> str:
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
        for name in compiled_files(folder, path):
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
        os.unlink(name)  # replace the link itself, not its target
    with replacing(name) as file:
        file.write(data)


def _inside(folder: str, path: str) -> str:
    """Return the path of a file of the copy. Raises VendorError if a parent folder is a link."""
    place = folder
    for part in path.split("/")[:-1]:
        place = os.path.join(place, part)
        if os.path.islink(place):
            raise VendorError(f"{place}: this is a link, and files are not written through links: remove it")
    return os.path.join(folder, path)


def _remove_empty(folder: str, path: str) -> None:
    """Remove a folder that is empty or has only compiled code left, and then its parents."""
    while path:
        place = os.path.join(folder, path)
        with contextlib.suppress(OSError):  # the folder may be gone already, and does no harm if it stays
            if set(os.listdir(place)) <= {_CACHE}:
                shutil.rmtree(os.path.join(place, _CACHE), ignore_errors=True)
                os.rmdir(place)
        path = path.rpartition("/")[0]
