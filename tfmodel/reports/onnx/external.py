"""The files beside an ONNX model that hold the data of its tensors.

The names come from the model, so a hostile one may name any file. A name is only followed inside of the model's folder,
links included, and of the file only the size is looked up: nothing is opened.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass

from .types import TensorFacts


@dataclass(frozen=True, slots=True)
class ExternalFile:
    """A file with data of tensors.

    location   its name, relative to the folder of the model
    tensors    the number of tensors whose data it has
    bytes      their size
    needed     the size that the file must have at least
    state      "present", "missing", "too small", "outside of the folder", or "unknown" for a model without a folder
    """

    location: str
    tensors: int
    bytes: int
    needed: int
    state: str

    @property
    def is_wrong(self) -> bool:
        """Whether the values cannot be read from there."""
        return self.state not in ("present", "unknown")


def external_files(tensors: Iterable[TensorFacts], folder: str | None) -> list[ExternalFile]:
    """Return the files that tensors name, in the order of the model.

    `folder` is the folder of the model; None for a model that was not read from a file.
    """
    by_location: dict[str, list[TensorFacts]] = {}
    for tensor in tensors:
        if tensor.location is not None:
            by_location.setdefault(tensor.location, []).append(tensor)
    files = []
    for location, inside in by_location.items():
        needed = max(tensor.offset + tensor.size for tensor in inside)
        state = _state(location, needed, folder)
        files.append(ExternalFile(location, len(inside), sum(tensor.size for tensor in inside), needed, state))
    return files


def _state(location: str, needed: int, folder: str | None) -> str:
    path = path_inside(location, folder) if folder is not None else ""
    if path is None:
        return "outside of the folder"
    if not path:
        return "unknown"
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return "missing"
    if not stat.S_ISREG(status.st_mode):
        return "missing"
    return "present" if status.st_size >= needed else "too small"


def path_inside(location: str, folder: str) -> str | None:
    """Return the path of a file that a model names; None if it is not inside of the folder of the model."""
    parts = location.replace("\\", "/").split("/")
    if not location or "\0" in location or os.path.isabs(location) or parts[0].endswith(":") or ".." in parts:
        return None
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, location))
    return path if path.startswith(os.path.join(root, "")) else None
