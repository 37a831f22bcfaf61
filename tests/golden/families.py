"""Every golden file of this folder, and the names of the cases in it.

    recorded("flops.jsonl")        # ["Reciprocal [[5]] ...", ...]
    asked("flops.jsonl")           # likewise of the cases in the code, without TensorFlow; None where that makes them

A name tells one case from all others of its file, and does not depend on numbers that a machine computes.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["FOLDER", "asked", "files", "recorded"]

FOLDER = Path(__file__).parent

Row = dict[str, Any]


def files() -> list[str]:
    """Return the golden files by their paths from this folder: whatever is neither code nor a text with cases."""
    paths = (path for path in FOLDER.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc", ".txt"))
    return sorted(path.relative_to(FOLDER).as_posix() for path in paths)


def recorded(file: str) -> list[str]:
    """Return the names of the cases in a file. Raises KeyError if nothing is known of the file."""
    if file.startswith("kernels/"):
        header = lzma.decompress((FOLDER / file).read_bytes()).partition(b"\n")[0]
        return [row["name"] for row in json.loads(header)]
    return [*map(_text, _RECORDED[file](_content(FOLDER / file)))]


def asked(file: str) -> list[str] | None:
    """Return the names of the cases that the code asks for, None where only TensorFlow can make them."""
    if file.startswith("kernels/"):
        from tests.kernel_cases import named_cases

        return [*named_cases(Path(file).stem)]
    return [*map(_text, _ASKED[file]())] if file in _ASKED else None


def _text(name: Any) -> str:
    return name if isinstance(name, str) else json.dumps(name)


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    return {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)(data)


# --- recorded --------------------------------------------------------------------------------------------------------


def _lines(*keys: str) -> Callable[[bytes], Iterable[Any]]:
    """By the values of these keys in each line, as far as it has them."""

    def names(data: bytes) -> Iterator[Any]:
        for row in map(json.loads, data.splitlines()):
            found = [row[key] for key in keys if key in row]
            yield found[0] if len(found) == 1 else found

    return names


def _members(data: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return archive.getnames()


def _arrays(data: bytes) -> list[str]:
    with np.load(io.BytesIO(data)) as file:
        return list(file.files)


def _texts(data: bytes) -> Iterator[Any]:
    for row in map(json.loads, data.splitlines()):
        yield [
            row["family"],
            row["class"],
            row.get("options", {}),
            "hex" if "hex" in row else "text",
            row.get("hex", row.get("text")),
        ]


def _meta_graphs(data: bytes) -> Iterator[str]:
    return (row.get("name", "registered") for row in map(json.loads, data.splitlines()))


_RECORDED: dict[str, Callable[[bytes], Iterable[Any]]] = {
    "batch_norms.jsonl.xz": lambda data: (json.loads(line)["case"][:2] for line in data.splitlines()),
    "checkpoints.tar.xz": _members,
    "comparing.jsonl.gz": lambda data: (json.loads(line)[0] for line in data.splitlines()),
    "dequantizing.npz.xz": _arrays,
    "field_order.json": json.loads,
    "flops.jsonl": _lines("op", "inputs", "constants", "attrs"),
    "folding.jsonl.xz": _lines("case"),
    "freezing.tar.xz": _members,
    "graphs.jsonl.gz": _lines("name"),
    "interpreting.jsonl.xz": _lines("name"),
    "json_cases.jsonl": _lines("type", "document", "ignore"),
    "meta_graphs.jsonl.gz": _meta_graphs,
    "ops.jsonl.gz": _lines("name"),
    "quantizing.jsonl.xz": _lines("name", "model", "transforms"),
    "recipes.jsonl.xz": _lines("model", "recipe"),
    "recipes_images.npz.xz": _arrays,
    "shapes.jsonl.gz": _lines("name"),
    "stateful.jsonl.xz": _lines("name"),
    "tensors.jsonl.gz": _lines("name"),
    "text_cases.jsonl": _texts,
    "transform_answers.jsonl.xz": _lines("model", "transforms", "inputs", "outputs"),
    "transform_corpus.jsonl.xz": _lines("case"),
    "transform_models.tar.xz": _members,
    "transform_proofs.jsonl.xz": _lines("case"),
    "transforms.jsonl.gz": _lines("transforms", "graph"),
    "whole_models.tar.xz": _members,
}

# --- asked -----------------------------------------------------------------------------------------------------------


def _batch_norms() -> Iterable[Any]:
    from .batch_norms_cases import CASES

    return ([case.name, case.transform] for case in CASES.values())


def _flops() -> Iterable[Any]:
    from .flops import cases

    for op, shapes, attrs, constants in cases():
        full = [list(np.shape(constants[at])) if at in constants else shape for at, shape in enumerate(shapes)]
        yield [op, full, {str(at): value for at, value in constants.items()}, attrs]


def _folding() -> Iterable[str]:
    from .folding import cases

    return cases()


def _stateful() -> Iterable[str]:
    from .stateful_programs import PROGRAMS

    return (program.name for program in PROGRAMS)


def _tensors() -> Iterable[str]:
    from tests.tfmodel.tensor_cases import READ, WRITE

    return (case.name for case in (*READ, *WRITE))


def _transform_answers() -> Iterable[Any]:
    from .transform_cases import cases

    return ([case.model, case.transforms, case.inputs, case.outputs] for case in cases())


def _transforms() -> Iterable[Any]:
    from .transforms import GRAPHS, LISTS

    return ([each, graph.to_bytes(deterministic=True).hex()] for graph in GRAPHS.values() for each in LISTS)


_ASKED: dict[str, Callable[[], Iterable[Any]]] = {
    "batch_norms.jsonl.xz": _batch_norms,
    "flops.jsonl": _flops,
    "folding.jsonl.xz": _folding,
    "stateful.jsonl.xz": _stateful,
    "tensors.jsonl.gz": _tensors,
    "transform_answers.jsonl.xz": _transform_answers,
    "transforms.jsonl.gz": _transforms,
}
