"""Location of a checkpoint's files, given its prefix, any of its files, or its folder."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pbwire.errors import compose

from ...errors import CheckpointError, with_name
from ...values.terminal import escape, shorten
from ..access.open_files import OpenFile
from ..access.special_files import no_file
from ..locate import LONGEST, read_state, tables_in
from .data_files import list_files, map_opened
from .table_file import FOOTER, is_table

_STATE = "checkpoint"
_LONG = 200  # characters of a path in a state file that an error shows
_MEMBER = re.compile(r"(?P<prefix>.+)(?:\.index|\.meta|\.data-\d{5,}-of-\d{5,})", re.DOTALL | re.ASCII)
_SHARD = re.compile(r"(?P<prefix>.+)-(?:\d{5,}|\?{5}|\*)-of-(?P<count>\d{5,})", re.DOTALL | re.ASCII)
_ANY_SHARD = "-[0-9][0-9][0-9][0-9][0-9]*-of-[0-9][0-9][0-9][0-9][0-9]*"


class Place(NamedTuple):
    """The prefix of a checkpoint and, for version 1, all of its files. `files` is empty for version 2.

    If a pattern for files of version 1 was given, it is the prefix. `tables` are the contents of the files that were
    opened to see whether they are tables, by their paths.
    """

    prefix: str
    files: tuple[str, ...] = ()
    tables: Mapping[str, memoryview] = MappingProxyType({})


def find_checkpoint(path: str, opened: OpenFile | None = None) -> Place:
    """Return the checkpoint that a path refers to.

    The path is a prefix; a file of the checkpoint (an index, a data file, a .meta file or a V1 checkpoint); a pattern
    for the files of a V1 checkpoint, "P-?????-of-00003"; a folder with a state file or a single checkpoint; or a
    SavedModel. `opened` is the file, if the path is open already.

    Raises CheckpointError if the path does not lead to exactly one checkpoint, or if one of the files is not a regular
    file (a pipe, for example), and FileNotFoundError if there is neither a file nor a checkpoint.
    """
    if os.path.isdir(path):
        return _in_folder(path)
    if not path.endswith(".meta") and (place := _at_prefix(path, opened)):
        return place
    member = _MEMBER.fullmatch(path)
    if member and (place := _at_prefix(member["prefix"])):
        return place
    if member and os.path.isfile(path):
        prefix = escape(os.path.basename(member["prefix"]))
        if path.endswith(".meta"):
            raise CheckpointError(with_name(escape(path), f"there is no checkpoint {prefix} beside this graph"))
        problem = f"this is a data file of a checkpoint without its index, {prefix}.index"
        raise CheckpointError(with_name(escape(path), problem))
    if shard := _SHARD.fullmatch(path):
        pattern = f"{glob.escape(shard['prefix'])}-*-of-{shard['count']}"
        if files := sorted(glob.glob(pattern)):
            return Place(path, _complete(shard["prefix"], int(shard["count"]), files))
    _check_file(path)
    raise FileNotFoundError(2, os.strerror(2), path)


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is that of a checkpoint: its prefix, one of its files except the .meta, or its folder.

    A SavedModel is not a checkpoint, although it contains one.
    """
    path = os.fspath(path)
    if path == "-" or path.endswith(".meta"):
        return False
    if any(os.path.exists(os.path.join(path, f"saved_model.{ending}")) for ending in ("pb", "pbtxt", "cpb")):
        return False
    try:
        find_checkpoint(path)
    except (CheckpointError, OSError, ValueError):  # a path cannot contain a zero character
        return False
    return True


def latest_checkpoint(folder: str | os.PathLike[str]) -> str | None:
    """Return the prefix of the latest checkpoint according to the state file of a folder.

    As in TensorFlow, the result is None if the state file or its checkpoint does not exist. A checkpoint that was moved
    along with its folder is found. Raises CheckpointError if the state file cannot be decoded, or if it refers to
    files that are not a checkpoint.
    """
    folder = os.fspath(folder)
    state = read_state(folder)
    latest = _latest(folder, state.model_checkpoint_path) if state is not None else None
    return None if latest is None else latest[0]


def _latest(folder: str, path_in_state: str) -> tuple[str, Place] | None:
    """Return the prefix of the checkpoint that a state file names, and its place; None if it does not exist."""
    if path_in_state:
        for path in (os.path.join(folder, path_in_state), os.path.join(folder, os.path.basename(path_in_state))):
            if place := _at_prefix(path):
                return path, place
    return None


def _at_prefix(prefix: str, opened: OpenFile | None = None) -> Place | None:
    if "\0" in prefix or len(prefix) > LONGEST:  # a state file may contain such paths
        return None
    if os.path.isfile(prefix + ".index"):
        return Place(prefix)
    if os.path.isfile(prefix) and not _MEMBER.fullmatch(prefix):
        tables = {prefix: _table_of(opened or OpenFile(prefix))}
        shard = _SHARD.fullmatch(prefix)
        if shard is None:
            return Place(prefix, (prefix,), tables)
        pattern = f"{glob.escape(shard['prefix'])}-*-of-{shard['count']}"
        return Place(shard["prefix"], _complete(shard["prefix"], int(shard["count"]), glob.glob(pattern)), tables)
    files = [file for file in glob.glob(glob.escape(prefix) + _ANY_SHARD) if _SHARD.fullmatch(file)]
    counts = {int(shard["count"]) for file in files if (shard := _SHARD.fullmatch(file))}
    if len(counts) > 1:
        problem = f"there are files of several checkpoints: {list_files(sorted(files))}; give one as"
        raise CheckpointError(with_name(escape(prefix), f"{problem} {escape(prefix)}-?????-of-{max(counts):05d}"))
    if counts:
        return Place(prefix, _complete(prefix, counts.pop(), files))
    _check_file(prefix + ".index")
    return None


def _check_file(path: str) -> None:
    """Raise CheckpointError if the path exists but is not a regular file: a pipe or device might be endless."""
    if what := no_file(path):
        raise CheckpointError(with_name(escape(path), f"this is not a file but {what}"))


def _table_of(opened: OpenFile) -> memoryview:
    """Return the content of a table. Raises CheckpointError, which names the actual format, for another file."""
    path = opened.path
    with opened.take() as file:
        data = map_opened(file)
    if is_table(data[-FOOTER:]):
        return data
    from ..detection import HEAD, TAIL, detect  # most checkpoints are found by their names

    kind = detect(bytes(data[:HEAD]), tail=bytes(data[-TAIL:]), size=len(data), name=os.path.basename(path))
    advice = compose(": ", kind.advice) if kind.advice else ""
    if os.path.basename(path) == _STATE:
        advice = (
            f": it names the checkpoints of its folder; give the folder, {escape(os.path.dirname(path) or os.curdir)}"
        )
    also = "" if kind.kind == "unknown" else ", not a checkpoint"
    raise CheckpointError(with_name(escape(path), compose(f"this is {kind.what}{also}", advice)))


def _complete(prefix: str, count: int, files: list[str]) -> tuple[str, ...]:
    """Return the files in order. Raises CheckpointError unless there are `count` of them."""
    files = sorted(files)
    if len(files) != count:
        problem = f"{len(files):,} of its {count:,} files are there: {list_files(files)}"
        raise CheckpointError(with_name(escape(prefix), problem))
    return tuple(files)


def _in_folder(folder: str) -> Place:
    state = read_state(folder)
    names = sorted(os.listdir(folder))
    if state is not None and (latest_path := state.model_checkpoint_path):
        if latest := _latest(folder, latest_path):
            return latest[1]
        text = escape(shorten(latest_path, _LONG))
        prefixes_there = _prefixes(folder)
        hint = f"; there is {list_files(prefixes_there)}" if prefixes_there else ""
        raise CheckpointError(with_name(escape(folder), f"its state file names {text}, which does not exist{hint}"))
    variables = os.path.join(folder, "variables")
    is_saved_model = any(name.startswith("saved_model.") for name in names)
    if is_saved_model and not os.path.isdir(variables):
        raise CheckpointError(with_name(escape(folder), "this SavedModel has no variables"))
    found_in = variables if is_saved_model else folder
    prefixes = _prefixes(found_in)
    if len(prefixes) == 1 and (place := _at_prefix(prefixes[0])):
        return place
    if len(prefixes) > 1:
        problem = f"it has several checkpoints; give one of them: {list_files(prefixes)}"
        raise CheckpointError(with_name(escape(folder), problem))
    inside = [os.path.join(folder, name) for name in names if _has_checkpoint(os.path.join(folder, name))]
    hint = f", but there are folders with one: {list_files(inside)}" if inside else ""
    if tables := tables_in(folder, names):  # V1 checkpoints may have any name
        hint = f" under a usual name, but there are files of version 1: {list_files(tables)}; give one of them"
    raise CheckpointError(with_name(escape(folder), f"there is no checkpoint in this folder{hint}"))


def _has_checkpoint(path: str) -> bool:
    try:
        return os.path.isdir(path) and bool(_prefixes(path) or _prefixes(os.path.join(path, "variables")))
    except OSError:
        return False


def _prefixes(folder: str) -> list[str]:
    """Return the prefixes of the checkpoints in a folder, judging by file names."""
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    prefixes = [path.removesuffix(".index") for path in paths if path.endswith(".index")]
    shards = {shard["prefix"] for path in paths if (shard := _SHARD.fullmatch(path)) and not _MEMBER.fullmatch(path)}
    return prefixes + sorted(shards)
