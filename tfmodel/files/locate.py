"""Find the file to read for a path: the file of a SavedModel's or TensorFlow.js model's folder, the .meta or index of a
checkpoint's prefix."""

from __future__ import annotations

import errno
import glob
import os
import stat
from collections.abc import Collection
from typing import TYPE_CHECKING

import pbwire
from pbwire.errors import TextFormatError

from .. import messages
from ..errors import CheckpointError, FileFormatError, with_name
from ..values.terminal import escape
from .access.special_files import check_end, no_file
from .access.stand_ins import STAND_IN_HEAD, stand_in

if TYPE_CHECKING:
    from ..messages import CheckpointState

LONGEST = 1 << 15
"""The maximum length of a path, in characters, on any system."""

_SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt", "saved_model.cpb")
_TFJS = "model.json"
_SUFFIXES = (".meta", ".index")
_STATE = "checkpoint"
EVENTS = "tfevents"
"""A part of the names of event files."""

_FINGERPRINT = "fingerprint.pb"  # of a SavedModel: hashes, not a model
_SHOWN = 4  # files of a folder that an error names
_LOOKED_AT = 100  # files of a folder that are opened to see whether they are checkpoints
_TABLE_TAIL = 48  # bytes at the end of a table file that identify it
_LARGEST_STATE = 16 << 20  # bytes


def locate(path: str, *, reads_events: bool = True) -> str:
    """Return the path of the file to read:

    - for the folder of a SavedModel, its saved_model.pb or .pbtxt;
    - for the prefix or the folder of a checkpoint, its .meta or, without a .meta, its index;
    - for a folder of TensorBoard's event files, the last one that has a graph or, without `reads_events`, the last one;
    - for the folder of a TensorFlow.js model, its model.json;
    - for a file, the path itself.

    Raises FileFormatError for another folder, and FileNotFoundError if the path does not exist.

    The path of a file may be a pipe, as in `<(gzip -d < model.gz)`, which is read to its end like standard input.
    Devices, which may be endless, are refused, except the null device and the device of standard input, "/dev/stdin".
    A model inside of a folder must be a regular file, because an unpacked archive may contain pipes without a writer
    and links to /dev/zero.
    """
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        place = _of_prefix(path)
        if place is not None:
            return place
        if what := no_file(path):
            raise FileNotFoundError(errno.ENOENT, f"this is {what}", path) from None
        for suffix in _SUFFIXES:
            _regular(path + suffix)
        raise
    if stat.S_ISDIR(status.st_mode):
        return _in_folder(path, reads_events=reads_events)
    check_end(path, status)
    return path


def _of_prefix(prefix: str) -> str | None:
    if len(prefix) > LONGEST:
        return None
    for suffix in _SUFFIXES:
        if os.path.isfile(prefix + suffix):
            return prefix + suffix
    shards = glob.glob(f"{glob.escape(prefix)}-[0-9][0-9][0-9][0-9][0-9]-of-[0-9][0-9][0-9][0-9][0-9]")
    return min(filter(os.path.isfile, shards), default=None)


def is_model_folder(folder: str) -> bool:
    """Return whether `locate` finds a model in a folder, which may be damaged: a SavedModel, a checkpoint, ...

    Raises OSError.
    """
    try:
        return _model_in_folder(folder, sorted(os.listdir(folder)), reads_events=False) is not None
    except FileFormatError:  # its file is a pipe, for example
        return True


def is_saved_model_folder(names: Collection[str]) -> bool:
    """Return whether a folder with these files is that of a SavedModel."""
    return any(name in names for name in _SAVED_MODEL)


def _in_folder(folder: str, *, reads_events: bool) -> str:
    names = sorted(os.listdir(folder))
    place = _model_in_folder(folder, names, reads_events=reads_events)
    if place is None:
        raise FileFormatError(with_name(escape(folder), _what_is_there(folder, names)))
    return place


def _model_in_folder(folder: str, names: list[str], *, reads_events: bool) -> str | None:
    """Return the file to read of the model that a folder is; None for another folder. Raises FileFormatError."""
    for name in _SAVED_MODEL:
        if name in names:
            return _regular(os.path.join(folder, name))
    if os.path.isfile(os.path.join(folder, _STATE)) and (place := _latest_checkpoint(folder)):
        return place
    for suffix in _SUFFIXES:
        having = [name for name in names if name.endswith(suffix)]
        if len(having) == 1:
            return _regular(os.path.join(folder, having[0]))
    if _TFJS in names:
        return _regular(os.path.join(folder, _TFJS))
    if events := [os.path.join(folder, name) for name in names if EVENTS in name]:
        return _last_with_graph(events) if reads_events else events[-1]
    return None


def _last_with_graph(paths: list[str]) -> str:
    """Return the last of some event files that has a graph, or the last one if none has: its reader says so."""
    from .tfrecords.event_graphs import has_graph  # few folders need it

    regular = [path for path in paths if not no_file(path)]
    if len(regular) == 1:
        return regular[0]
    return next(filter(has_graph, reversed(regular)), _regular(paths[-1]))


def _regular(path: str) -> str:
    if what := no_file(path):
        raise FileFormatError(with_name(escape(path), f"this is not a file but {what}"))
    return path


def _latest_checkpoint(folder: str) -> str | None:
    """Return the file of the checkpoint that a folder's state file names, if it exists."""
    try:
        state = read_state(folder)
    except CheckpointError:
        return None  # the state file is not needed for reading the graph
    if state is None or not state.model_checkpoint_path:
        return None
    prefix = state.model_checkpoint_path
    # The state file of a folder that was moved still has the old path.
    places = (os.path.join(folder, prefix), os.path.join(folder, os.path.basename(prefix)))
    return next((result for place in places if (result := _of_prefix(place))), None)


def read_state(folder: str) -> CheckpointState | None:
    """Return the content of the state file "checkpoint" in a folder; None if the folder has none.

    Raises CheckpointError if the file is damaged.
    """
    path = os.path.join(folder, _STATE)
    if not os.path.isfile(path):
        return None
    if os.path.getsize(path) > _LARGEST_STATE:
        raise CheckpointError(
            with_name(escape(path), f"this is not a state file: it has more than {_LARGEST_STATE:,} bytes")
        )
    with open(path, "rb") as file:
        data = file.read()
    if found := stand_in(data[:STAND_IN_HEAD]):
        raise CheckpointError(with_name(escape(path), f"{found}"))
    try:
        return pbwire.text.loads(data, messages.CheckpointState, allow_unknown_field=True)
    except TextFormatError as error:
        raise CheckpointError(f"{escape(path)}:{error}") from error


def _what_is_there(folder: str, names: list[str]) -> str:
    if not names:
        return "this folder is empty"
    models = [name for name in names if _holds_model(os.path.join(folder, name))]
    if models:
        return f"this folder is not a SavedModel, but has folders with models; give one of them: {_list(models)}"
    files = [name for name in names if name.endswith((".pb", ".pbtxt", ".meta", ".index")) and name != _FINGERPRINT]
    if files:
        return f"this folder is not a SavedModel (it has no saved_model.pb); give one of its files: {_list(files)}"
    if checkpoints := tables_in(folder, names):
        which = "a checkpoint" if len(checkpoints) == 1 else "checkpoints"
        give = "give its file" if len(checkpoints) == 1 else "give one of their files"
        return f"this folder is not a SavedModel, but has {which} of version 1; {give}: {_list(checkpoints)}"
    return "this folder is not a SavedModel (it has no saved_model.pb) and has no other model file in it"


def tables_in(folder: str, names: list[str]) -> list[str]:
    """Return the names of those files in a folder that are checkpoints of version 1 by their content.

    Only the first 100 of `names` are examined.
    """
    return [name for name in names[:_LOOKED_AT] if _is_checkpoint(os.path.join(folder, name))]


def _is_checkpoint(path: str) -> bool:
    """Return whether a file ends like a table file: a checkpoint of version 1, or an index of version 2."""
    from .detection.binary import is_table  # few folders need it

    try:
        if not os.path.isfile(path):  # opening a pipe could wait forever
            return False
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TABLE_TAIL))
            return is_table(file.read(_TABLE_TAIL))
    except OSError:
        return False


def _holds_model(path: str) -> bool:
    try:
        return any(name in _SAVED_MODEL or name.endswith(".meta") or EVENTS in name for name in os.listdir(path))
    except OSError:
        return False


def _list(names: list[str]) -> str:
    text = [escape(name) for name in names[:_SHOWN]]
    return ", ".join(text + [f"... ({len(names):,} in all)"] * (len(names) > _SHOWN))
