"""The warning of `convert` about an ONNX model whose values are in other files, which are not copied."""

from __future__ import annotations

import os
from typing import Any

from ..reports.onnx.external import external_files
from ..reports.onnx.graphs import tensors
from ..reports.onnx.types import tensor_facts
from ..values.terminal import count_of, escape
from .messages import warn

_SHOWN = 4  # files that a warning names


def warn_of_other_files(model: Any, source: str, target: str) -> None:
    """Warn if values of tensors are in files beside IN, and OUT is in another folder."""
    files = external_files((tensor_facts(tensor) for _, tensor in tensors(model)), None)
    if not files or (source != "-" and target != "-" and _folder(source) == _folder(target)):
        return
    names = ", ".join(escape(file.location) for file in files[:_SHOWN])
    more = f" and {len(files) - _SHOWN:,} more" * (len(files) > _SHOWN)
    values = f"the values of {count_of(sum(file.tensors for file in files), 'tensor')} are in {names}{more}"
    warn(f"{escape(target)}: warning: {values}, beside {escape(source)}, and are not copied", "warning")


def _folder(path: str) -> str:
    return os.path.realpath(os.path.dirname(path))
