"""Which file is meant by a path? A SavedModel is given as its folder, a checkpoint as the prefix of its files."""

from __future__ import annotations

import glob
import os
import stat

from .errors import CheckpointError, FileFormatError
from .printable import printable

__all__ = ["locate"]

_SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt", "saved_model.cpb")
_STATE = "checkpoint"
_SHOWN = 4  # files of a folder that an error names


def locate(path: str) -> str:
    """The file to read: that of a SavedModel's folder; of a checkpoint's prefix or folder the .meta or, without one,
    the index. Raises FileFormatError for another folder, and FileNotFoundError if there is nothing at all.

    A path that somebody gives may be a pipe. What a folder has under the name of a model must be a file: an archive may
    hold pipes, which nobody writes to, and links to /dev/zero.
    """
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        found = _of_prefix(path)
        if found is None:
            raise
        return found
    return _in_folder(path) if stat.S_ISDIR(mode) else path


def _of_prefix(prefix: str) -> str | None:
    for suffix in (".meta", ".index"):
        if os.path.isfile(prefix + suffix):
            return prefix + suffix
    shards = glob.glob(f"{glob.escape(prefix)}-[0-9][0-9][0-9][0-9][0-9]-of-[0-9][0-9][0-9][0-9][0-9]")
    return min(filter(os.path.isfile, shards), default=None)


def _in_folder(folder: str) -> str:
    names = sorted(os.listdir(folder))
    for name in _SAVED_MODEL:
        if name in names:
            return _regular(os.path.join(folder, name))
    if os.path.isfile(os.path.join(folder, _STATE)) and (found := _latest_checkpoint(folder)):
        return found
    for suffix in (".meta", ".index"):
        having = [name for name in names if name.endswith(suffix)]
        if len(having) == 1:
            return _regular(os.path.join(folder, having[0]))
    raise FileFormatError(f"{printable(folder)}: {_what_is_there(folder, names)}")


def _regular(path: str) -> str:
    if not os.path.isfile(path):
        raise FileFormatError(f"{printable(path)}: this is no file, nor does it lead to one")
    return path


def _latest_checkpoint(folder: str) -> str | None:
    """The file of the checkpoint that a folder's state file names, as far as it is there."""
    from .checkpoints.places import read_state  # which reads text format

    try:
        state = read_state(folder)
    except CheckpointError:
        return None  # for the graph it does not matter
    if state is None or not state.model_checkpoint_path:
        return None
    prefix = state.model_checkpoint_path
    # A folder that has been moved still names its old place.
    places = (os.path.join(folder, prefix), os.path.join(folder, os.path.basename(prefix)))
    return next((found for place in places if (found := _of_prefix(place))), None)


def _what_is_there(folder: str, names: list[str]) -> str:
    if not names:
        return "this folder is empty"
    models = [name for name in names if _holds_model(os.path.join(folder, name))]
    if models:
        return f"this folder is no SavedModel, but has folders with models; give one of them: {_list(models)}"
    files = [name for name in names if name.endswith((".pb", ".pbtxt", ".meta", ".index"))]
    if files:
        return f"this folder is no SavedModel (it has no saved_model.pb); give one of its files: {_list(files)}"
    return "this folder is no SavedModel (it has no saved_model.pb) and has no other model file in it"


def _holds_model(path: str) -> bool:
    try:
        return any(name in _SAVED_MODEL or name.endswith(".meta") for name in os.listdir(path))
    except OSError:
        return False


def _list(names: list[str]) -> str:
    shown = [printable(name) for name in names[:_SHOWN]]
    return ", ".join(shown + [f"... ({len(names):,} in all)"] * (len(names) > _SHOWN))
