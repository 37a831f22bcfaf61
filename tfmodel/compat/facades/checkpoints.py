"""Read checkpoints: `tf.train.load_checkpoint`, `list_variables`, `latest_checkpoint` and their companions."""

from __future__ import annotations

import os
from typing import Any

from pbwire.compat import compat_class

from ... import messages
from ...checkpoints.checkpoint import Checkpoint
from ...checkpoints.locate import is_checkpoint, latest_checkpoint
from ...errors import CheckpointError
from . import dtypes, errors
from .text import as_str

__all__ = [
    "CheckpointReader",
    "NewCheckpointReader",
    "checkpoint_exists",
    "get_checkpoint_state",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
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
        """Return a copy of a tensor. Raises NotFoundError."""
        name = as_str(tensor_str)
        if name not in self._checkpoint:
            problem = f"Key {name} not found in checkpoint"
            raise errors.NotFoundError(None, None, problem)  # type: ignore[attr-defined]  # made by a loop
        dtype = self.get_variable_to_dtype_map()[name]
        return self._checkpoint[name].astype(dtype.as_numpy_dtype)

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
    return (latest_checkpoint(path) or path) if os.path.isdir(path) else path


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
    return is_checkpoint(checkpoint_prefix)


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """Return the CheckpointState of a folder, with full paths; None without one."""
    from pbwire.compat import text_format

    folder = os.fspath(checkpoint_dir)
    path = os.path.join(folder, latest_filename or "checkpoint")
    if not os.path.exists(path):
        return None
    state = compat_class(messages.CheckpointState)()
    with open(path, encoding="utf-8") as file:
        text_format.Merge(file.read(), state)
    if not os.path.isabs(state.model_checkpoint_path):
        state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    for index, prefix in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[index] = os.path.join(folder, prefix)
    return state
