"""Read checkpoints: `tf.train.load_checkpoint`, `list_variables`, `latest_checkpoint` and their companions."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from pbwire.compat import compat_class, text_format

from ... import messages
from ...errors import CheckpointError
from ...files.checkpoints import locate
from ...files.checkpoints.checkpoint import Checkpoint
from . import dtypes, errors, gfile, program
from .text import as_str

__all__ = [
    "CheckpointReader",
    "NewCheckpointReader",
    "checkpoint_exists",
    "checkpoints_iterator",
    "generate_checkpoint_state_proto",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "update_checkpoint_state",
]


class CheckpointReader:
    """The tensors of a checkpoint, by name."""

    def __init__(self, filepattern: Any) -> None:
        try:
            self._checkpoint = Checkpoint(os.fspath(filepattern))
        except OSError as error:
            raise errors.error_of(error) from error
        except CheckpointError as error:
            raise errors.NotFoundError(None, None, str(error)) from error  # type: ignore[attr-defined]  # made by a loop

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return the shape of each tensor."""
        return {name: list(entry.shape) for name, entry in self._checkpoint.entries.items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Return the DType of each tensor."""
        return {name: dtypes.as_dtype(int(entry.dtype)) for name, entry in self._checkpoint.entries.items()}

    def has_tensor(self, tensor_str: Any) -> bool:
        """Return whether the checkpoint has a tensor."""
        return as_str(tensor_str) in self._checkpoint

    def get_tensor(self, tensor_str: Any) -> Any:
        """Return a copy of a tensor, a NumPy scalar if it has no dimensions. Raises NotFoundError."""
        name = as_str(tensor_str)
        if name not in self._checkpoint:
            problem = f"Key {name} not found in checkpoint"
            raise errors.NotFoundError(None, None, problem)  # type: ignore[attr-defined]  # made by a loop
        dtype = self.get_variable_to_dtype_map()[name]
        return self._checkpoint[name].astype(dtype.as_numpy_dtype)[()]

    def debug_string(self) -> bytes:
        """Return a line for each tensor: name, type and shape."""
        types = self.get_variable_to_dtype_map()
        lines = (
            f"{name} (DT_{_enum_name(types[name])}) [{','.join(map(str, shape))}]\n"
            for name, shape in sorted(self.get_variable_to_shape_map().items())
        )
        return "".join(lines).encode()


def _enum_name(dtype: Any) -> str:
    return messages.DataType(dtype.as_datatype_enum).name.removeprefix("DT_")


NewCheckpointReader = CheckpointReader


def _prefix_of(ckpt_dir_or_file: Any) -> Any:
    path = os.fspath(ckpt_dir_or_file)
    return (locate.latest_checkpoint(path) or path) if os.path.isdir(path) else path


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Return the reader of a checkpoint, or of the latest one in a folder. Raises ValueError for an empty folder."""
    prefix = _prefix_of(ckpt_dir_or_file)
    if os.path.isdir(prefix):
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
    return CheckpointReader(prefix)


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """Return a tensor of a checkpoint; its name may end in ":0"."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Return the names and shapes of all tensors, sorted."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Return whether there is a checkpoint at a prefix."""
    return locate.is_checkpoint(checkpoint_prefix)


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """Return the prefix of the latest checkpoint of a folder; None if the folder names none, or it does not exist."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    exists = state is not None and locate.is_checkpoint(state.model_checkpoint_path)
    return str(state.model_checkpoint_path) if exists else None


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], Any] | None = None,
) -> Iterator[str]:
    """Yield the latest checkpoint of a folder, and each later one that appears; look for it every second.

    After `timeout` seconds without a new one, the iterator ends, unless `timeout_fn` returns something false.
    """
    last = None
    while True:
        start = time.time()
        while (latest := latest_checkpoint(checkpoint_dir)) in (None, last):
            if timeout is not None and time.time() + 1 > start + timeout:
                break
            time.sleep(1)
        else:
            last, start = latest, time.time()
            yield str(latest)
            time.sleep(max(0, start + min_interval_secs - time.time()))
            continue
        if timeout_fn is None or timeout_fn():
            return


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Return the CheckpointState of a folder, with full paths; None without one, or if it cannot be read.

    Raises ValueError for one that names no checkpoint.
    """
    folder = os.fspath(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    if not os.path.exists(path):
        return None
    state = compat_class(messages.CheckpointState)()
    with open(path, encoding="utf-8") as file:
        try:
            text_format.Merge(file.read(), state)
        except text_format.ParseError as error:
            program.warning("%s: %s: checkpoint ignored", path, error)
            return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")
    if not os.path.isabs(state.model_checkpoint_path):
        state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    for index, prefix in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[index] = os.path.join(folder, prefix)
    return state


def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Return the CheckpointState of a folder. The latest checkpoint is the last one of all.

    Paths are relative to `save_dir` if that is relative itself. Raises ValueError if there are timestamps, but not one
    for each checkpoint.
    """
    folder, latest = os.fspath(save_dir), os.fspath(model_checkpoint_path)
    prefixes = [os.fspath(prefix) for prefix in all_model_checkpoint_paths or ()]
    if prefixes[-1:] != [latest]:
        prefixes.append(latest)
    times = list(all_model_checkpoint_timestamps or ())
    if times and len(times) != len(prefixes):
        raise ValueError(f"there are {len(times)} timestamps for {len(prefixes)} checkpoints: {times}, {prefixes}")
    if not os.path.isabs(folder):
        latest, *prefixes = [
            prefix if os.path.isabs(prefix) else os.path.relpath(prefix, folder) for prefix in (latest, *prefixes)
        ]
    return compat_class(messages.CheckpointState)(
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=prefixes,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the file "checkpoint" of a folder, which names the latest checkpoint and all others.

    Raises RuntimeError if a checkpoint has the name of this file.
    """
    path = os.path.join(os.fspath(save_dir), latest_filename or "checkpoint")
    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    if state.model_checkpoint_path == path:
        raise RuntimeError(f"the checkpoint {path!r} has the name of the file that lists checkpoints: use another one")
    gfile.atomic_write_string_to_file(path, text_format.MessageToString(state))
