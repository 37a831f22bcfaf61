"""Write weights to files for other programs: an .npz, a .safetensors, or a folder of .npy files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy.typing as npt

from pbwire.atomic import writable

from ..files.array_files import (
    METADATA,
    NotExported,
    Tensor,
    folder_writer,
    npz_writer,
    type_in_safetensors,
    write_safetensors,
)
from ..graph.error_text import quote
from ..values.output_limit import claim
from ..values.steps import Begin, in_steps
from .report import ExportResult, check_export_path
from .weight import Weight

_ARCHIVE, _SAFETENSORS = ".npz", ".safetensors"


def export_weights(weights: Iterable[Weight], path: str, progress: Callable[[str], None]) -> ExportResult:
    """Write the values of weights to `path`, in the format of its extension. "-" is an .npz on standard output.

    `progress` is called with each name. Weights without a value are left out, and so are values that the format cannot
    hold. The file or folder is written completely or not at all. Raises the errors of `Weight.array`, ValueError and
    OSError.
    """
    check_export_path(path)
    weights = list(weights)
    begin = in_steps(progress, sum(weight.value_size or 0 for weight in weights))
    if path.lower().endswith(_SAFETENSORS):
        return _write_safetensors(weights, path, begin)
    return _write_arrays(weights, path, begin)


def _write_arrays(weights: Iterable[Weight], path: str, begin: Begin) -> ExportResult:
    is_archive = path.lower().endswith(_ARCHIVE) or path == "-"
    count = size = 0
    left_out = []
    with (npz_writer if is_archive else folder_writer)(path) as add:
        for weight in weights:
            if weight.missing:
                left_out.append((weight.name, weight.missing))
                continue
            begin(weight.name, weight.value_size or 0)
            claim(weight.value_size or 0, f"the array {quote(weight.name)}")
            array = weight.read()
            try:
                add(weight.name, array)
            except NotExported as error:
                left_out.append((weight.name, str(error)))
                continue
            count, size = count + 1, size + ((weight.bytes or 0) if array.dtype == object else array.nbytes)
    return ExportResult(count, size, left_out)


def _write_safetensors(weights: Sequence[Weight], path: str, begin: Begin) -> ExportResult:
    tensors: dict[str, Tensor] = {}
    left_out = []
    for weight in weights:
        problem = weight.missing
        if not problem and type_in_safetensors(weight.value_dtype) is None:
            problem = f"safetensors has no type for {weight.dtype}"
        if not problem and (weight.name in tensors or weight.name == METADATA):
            problem = "there cannot be another tensor of this name"
        if problem or weight.shape is None:
            left_out.append((weight.name, problem))
            continue
        claim(weight.value_size or 0, f"the array {quote(weight.name)}")
        tensors[weight.name] = Tensor(weight.name, weight.value_dtype, weight.shape, _reader(weight, begin))
    size = 0
    with writable(path) as file:
        write_safetensors(file, tensors.values())
        size = sum(weight.value_size or 0 for weight in weights if weight.name in tensors)
    return ExportResult(len(tensors), size, left_out)


def _reader(weight: Weight, begin: Begin) -> Callable[[], npt.NDArray[Any]]:
    def array() -> npt.NDArray[Any]:
        begin(weight.name, weight.value_size or 0)
        return weight.read()

    return array
