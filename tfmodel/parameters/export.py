"""Weights as files for other programs: an .npz, a .safetensors, a folder of .npy files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..graph.error_text import quoted
from ..growth import claim
from ..printable import printable

if TYPE_CHECKING:
    import numpy.typing as npt

    from .weight import Weight

__all__ = ["Exported", "check_target", "export"]

_ARCHIVE, _SAFETENSORS = ".npz", ".safetensors"
_OTHERS = (
    ".npy",
    ".json",
    ".csv",
    ".h5",
    ".hdf5",
    ".keras",
    ".pb",
    ".pbtxt",
    ".ckpt",
    ".zip",
    ".pt",
    ".pth",
    ".bin",
    ".onnx",
    ".tflite",
    ".txt",
)


@dataclass(frozen=True, slots=True)
class Exported:
    """How many arrays were written, their bytes, and which were left out and why."""

    count: int
    size: int
    left_out: Sequence[tuple[str, str]]


def check_target(path: str) -> None:
    """Raise ValueError for a name that asks for a form that there is none of."""
    if path.lower().endswith(_OTHERS):
        raise ValueError(f"{printable(path)} is no .npz, no .safetensors and not the name of a folder")


def export(weights: Iterable[Weight], path: str, doing: Callable[[str], None]) -> Exported:
    """Write the values of weights to `path`, in the form that its name asks for. "-" is an .npz on standard output.

    `doing` is told the name of each. What has no value, or one that the form cannot hold, is left out. The file or the
    folder is there whole or not at all.
    """
    check_target(path)
    if path.lower().endswith(_SAFETENSORS):
        return _to_safetensors(list(weights), path, doing)
    return _to_arrays(weights, path, doing)


def _to_arrays(weights: Iterable[Weight], path: str, doing: Callable[[str], None]) -> Exported:
    from ..exporting import NotExported, folder_writer, npz_writer

    is_archive = path.lower().endswith(_ARCHIVE) or path == "-"
    count = size = 0
    left_out = []
    with (npz_writer if is_archive else folder_writer)(path) as add:
        for weight in weights:
            if weight.missing:
                left_out.append((weight.name, weight.missing))
                continue
            doing(weight.name)
            claim(weight.given_size or 0, f"the array {quoted(weight.name)}")
            array = weight.array()
            try:
                add(weight.name, array)
            except NotExported as error:
                left_out.append((weight.name, str(error)))
                continue
            count, size = count + 1, size + ((weight.size or 0) if array.dtype == object else array.nbytes)
    return Exported(count, size, left_out)


def _to_safetensors(weights: Sequence[Weight], path: str, doing: Callable[[str], None]) -> Exported:
    from ..files import writable
    from ..safetensors import METADATA, Tensor, type_in_safetensors, write_safetensors

    tensors: dict[str, Tensor] = {}
    left_out = []
    for weight in weights:
        problem = weight.missing
        if not problem and type_in_safetensors(weight.given) is None:
            problem = f"safetensors has no type for {weight.dtype}"
        if not problem and (weight.name in tensors or weight.name == METADATA):
            problem = "there cannot be another tensor of this name"
        if problem or weight.shape is None:
            left_out.append((weight.name, problem))
            continue
        claim(weight.given_size or 0, f"the array {quoted(weight.name)}")
        tensors[weight.name] = Tensor(weight.name, weight.given, weight.shape, _telling(weight, doing))
    size = 0
    with writable(path) as file:
        write_safetensors(file, tensors.values())
        size = sum(weight.given_size or 0 for weight in weights if weight.name in tensors)
    return Exported(len(tensors), size, left_out)


def _telling(weight: Weight, doing: Callable[[str], None]) -> Callable[[], npt.NDArray[Any]]:
    def array() -> npt.NDArray[Any]:
        doing(weight.name)
        return weight.array()

    return array
