"""Print checkpoints, as `tensorflow.python.tools.inspect_checkpoint` does."""

from __future__ import annotations

import math
import re
from typing import Any

from . import errors
from .checkpoints import CheckpointReader

__all__ = ["print_tensors_in_checkpoint_file"]


def print_tensors_in_checkpoint_file(
    file_name: Any,
    tensor_name: str,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Print the tensors of a checkpoint and the number of their elements. Errors are printed, not raised.

    tensor_name             print this tensor; without a name, the names and shapes of all
    all_tensors             print the values of all tensors
    all_tensor_names        print a line for each tensor
    count_exclude_pattern   a regular expression: tensors whose names it matches are not counted
    """
    try:
        reader = CheckpointReader(file_name)
    except errors.OpError as error:
        print(error.message)
        return
    if all_tensors or all_tensor_names:
        for name in sorted(reader.get_variable_to_shape_map()):
            _print_tensor(reader, name, with_value=all_tensors)
    elif not tensor_name:
        print(reader.debug_string().decode("utf-8", errors="ignore"))
    elif reader.has_tensor(tensor_name):
        _print_tensor(reader, tensor_name, with_value=True)
    else:
        print(f"Tensor {tensor_name} not found in checkpoint")
        return
    print(f"# Total number of params: {_count(reader, count_exclude_pattern)}")


def _print_tensor(reader: CheckpointReader, name: str, with_value: bool) -> None:
    dtype, shape = reader.get_variable_to_dtype_map()[name], reader.get_variable_to_shape_map()[name]
    print(f"tensor: {name} ({dtype.name}) {shape}")
    if with_value:
        print(reader.get_tensor(name))


def _count(reader: CheckpointReader, count_exclude_pattern: str) -> int:
    sizes = {name: math.prod(shape) for name, shape in reader.get_variable_to_shape_map().items()}
    if count_exclude_pattern:
        excluded = [name for name in sizes if re.search(count_exclude_pattern, name)]
        count = sum(sizes.pop(name) for name in excluded)
        print(f"# Excluding {len(excluded)} tensors ({count} params) that match {count_exclude_pattern} when counting.")
    return sum(sizes.values())
