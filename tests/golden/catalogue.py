"""List every golden file of this folder, and the names of the cases in it.

    recorded("ops/flops.jsonl")    # ["Reciprocal [[5]] ...", ...]
    asked("ops/flops.jsonl")       # the same from the code, without TensorFlow; None where TensorFlow makes the cases

A name is unique in its file and does not depend on numbers that a machine computes.
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

from pbwire import proto

__all__ = ["FOLDER", "asked", "files", "is_kernel_archive", "recorded"]

FOLDER = Path(__file__).parent

Row = dict[str, Any]


def files() -> list[str]:
    """Return the golden files by their paths from this folder: all files except code, READMEs and texts with cases."""
    paths = (path for path in FOLDER.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc", ".txt", ".md"))
    return sorted(path.relative_to(FOLDER).as_posix() for path in paths)


def recorded(file: str) -> list[str]:
    """Return the names of the cases in a file. Raises KeyError for an unknown file."""
    if is_kernel_archive(file):
        header = lzma.decompress((FOLDER / file).read_bytes()).partition(b"\n")[0]
        return [row["name"] for row in json.loads(header)]
    return [*map(_text, _RECORDED[file](_content(FOLDER / file)))]


def asked(file: str) -> list[str] | None:
    """Return the names of the cases in the code, or None if only TensorFlow can make them."""
    if is_kernel_archive(file):
        from tests.kernel_cases import named_cases

        return [*named_cases(Path(file).stem)]
    return [*map(_text, _ASKED[file]())] if file in _ASKED else None


def is_kernel_archive(file: str) -> bool:
    """Return whether a file holds the answers of one family of kernels."""
    return file.startswith("kernels/") and file not in _RECORDED


def _text(name: Any) -> str:
    return name if isinstance(name, str) else json.dumps(name)


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    return {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)(data)


# --- recorded --------------------------------------------------------------------------------------------------------


def _lines(*keys: str) -> Callable[[bytes], Iterable[Any]]:
    """Return a function that names a line by its values of these keys, if present."""

    def names(data: bytes) -> Iterator[Any]:
        for row in map(json.loads, data.splitlines()):
            values = [row[key] for key in keys if key in row]
            yield values[0] if len(values) == 1 else values

    return names


def _declared(data: bytes) -> list[str]:
    """Name generated code, or its .proto file, by the messages and enums in it."""
    return [name for name in ("Order", "Currency") if name in data.decode()]


def _file_names(data: bytes) -> list[str]:
    return [file.name for file in proto.read_set(data).file]


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
    "batch_norms/answers.jsonl.xz": lambda data: (json.loads(line)["case"][:2] for line in data.splitlines()),
    "checkpoints/answers.tar.xz": _members,
    "diff/answers.jsonl.gz": lambda data: (json.loads(line)[0] for line in data.splitlines()),
    "importing/answers.jsonl.gz": lambda data: (json.loads(line)[0] for line in data.splitlines()),
    "importing/ops.jsonl.gz": lambda data: (json.loads(line)[0] for line in data.splitlines()),
    "weights/dequantization.npz.xz": _arrays,
    "proto/comments.jsonl": _lines("name"),
    "proto/library.pb": _file_names,
    "proto/shop.pb": _file_names,
    "proto/options.pb": _file_names,
    "wire/field_order.json": json.loads,
    "compat/generated/order.proto": _declared,
    **{f"compat/generated/order_{version}.txt": _declared for version in ("3_14", "3_19", "30_2")},
    "compat/files.jsonl": _lines("case"),
    "compat/helpers.jsonl": _lines("case"),
    "compat/struct_values.jsonl": _lines("case"),
    "ops/flops.jsonl": _lines("op", "inputs", "constants", "attrs"),
    "ops/half_kernels.json": json.loads,
    "folding/answers.jsonl.xz": _lines("case"),
    "freezing/answers.tar.xz": _members,
    "training_norms/answers.tar.xz": _members,
    "graph/answers.jsonl.gz": _lines("name"),
    "interpreter/answers.jsonl.xz": _lines("name"),
    "json/answers.jsonl": _lines("type", "document", "ignore"),
    "keras/files.tar.xz": _members,
    "metagraph/answers.jsonl.gz": _meta_graphs,
    "ops/ports.jsonl.gz": _lines("name"),
    "quantizing/answers.jsonl.xz": _lines("name", "model", "transforms"),
    "recipes/answers.jsonl.xz": _lines("model", "recipe"),
    "recipes/images.npz.xz": _arrays,
    "shapes/answers.jsonl.gz": _lines("name"),
    "kernels/photos.jsonl.xz": _lines("name"),
    "kernels/stateful.jsonl.xz": _lines("name"),
    "tensors/conversions.jsonl.gz": _lines("name"),
    "text/answers.jsonl": _texts,
    "transforms/tool_answers.jsonl.xz": _lines("model", "transforms", "inputs", "outputs"),
    "transforms/corpus.jsonl.xz": _lines("case"),
    "transforms/models.tar.xz": _members,
    "transforms/proofs.jsonl.xz": _lines("case"),
    "transforms/small_graphs.jsonl.gz": _lines("transforms", "graph"),
    "whole_models/answers.tar.xz": _members,
}

# --- asked -----------------------------------------------------------------------------------------------------------


def _batch_norms() -> Iterable[Any]:
    from .batch_norms.cases import CASES

    return ([case.name, case.transform] for case in CASES.values())


def _compat_files() -> Iterable[Any]:
    from .compat.files import WRITES, cases

    return [*dict.fromkeys(cases()), *WRITES]


def _compat() -> Iterable[Any]:
    from .compat.helpers import cases

    return dict.fromkeys(cases())


def _struct_values() -> Iterable[str]:
    from .compat.struct_values import cases

    return cases()


def _flops() -> Iterable[Any]:
    from .ops.flops import cases

    for op, shapes, attrs, constants in cases():
        full = [list(np.shape(constants[at])) if at in constants else shape for at, shape in enumerate(shapes)]
        yield [op, full, {str(at): value for at, value in constants.items()}, attrs]


def _folding() -> Iterable[str]:
    from .folding.answers import cases

    return cases()


def _stateful() -> Iterable[str]:
    from .kernels.stateful_programs import PROGRAMS

    return (program.name for program in PROGRAMS)


def _tensors() -> Iterable[str]:
    from tests.tfmodel.values.tensor_cases import READ, WRITE

    return (case.name for case in (*READ, *WRITE))


def _transform_answers() -> Iterable[Any]:
    from .transforms.cases import cases

    return ([case.model, case.transforms, case.inputs, case.outputs] for case in cases())


def _transforms() -> Iterable[Any]:
    from .transforms.small_graphs import GRAPHS, LISTS

    return ([transforms, graph.to_bytes(deterministic=True).hex()] for graph in GRAPHS.values() for transforms in LISTS)


def _importing() -> Iterator[str]:
    from tests.golden.importing.answers import cases

    return (name for name, _ in cases())


def _importing_ops() -> Iterator[str]:
    from tests.golden.importing.ops import cases

    return iter(dict(cases()))


_ASKED: dict[str, Callable[[], Iterable[Any]]] = {
    "batch_norms/answers.jsonl.xz": _batch_norms,
    "compat/files.jsonl": _compat_files,
    "compat/helpers.jsonl": _compat,
    "compat/struct_values.jsonl": _struct_values,
    "ops/flops.jsonl": _flops,
    "folding/answers.jsonl.xz": _folding,
    "importing/answers.jsonl.gz": _importing,
    "importing/ops.jsonl.gz": _importing_ops,
    "kernels/stateful.jsonl.xz": _stateful,
    "tensors/conversions.jsonl.gz": _tensors,
    "transforms/tool_answers.jsonl.xz": _transform_answers,
    "transforms/small_graphs.jsonl.gz": _transforms,
}
