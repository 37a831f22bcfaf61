"""Tensors of a checkpoint, as graphs read them that fill their tables from one."""

from __future__ import annotations

from typing import Any

from ...dtypes import DTYPES
from ...errors import RunError
from ...messages import DataType
from ...printable import printable
from .checking import check
from .registry import Tensor, kernel
from .runtime import Runtime

__all__: list[str] = []


@kernel("RestoreV2")
def restore(prefix: Tensor, names: Tensor, slices: Tensor, *, dtypes: list[DataType], runtime: Runtime) -> list[Any]:
    """Reads the checkpoint of the model, whatever the prefix says: a graph may not name files of its own choice."""
    check(names.size == slices.size == len(dtypes), f"it names {names.size} tensors, and has {len(dtypes)} outputs")
    check(not any(slices.ravel().tolist()), "it reads slices of tensors, which is not supported")
    found = []
    for name, dtype in zip(names.ravel().tolist(), dtypes, strict=True):
        key = name.decode("utf-8", "replace")
        value = runtime.saved_tensor(key)
        if value is None:
            raise RunError(f'the checkpoint has no tensor "{printable(key)}"')
        check(value.dtype == DTYPES[dtype].numpy, f'the checkpoint has "{printable(key)}" as {value.dtype.name}')
        found.append(value)
    return found
