"""Archives of kernel cases: the node, the inputs and the outputs of each case, by its name.

    write(path, {"Add float[2,3] float[3]": Recorded(node, [x, y], [z])})
    recorded = read(path)

A file is compressed with xz. Its first line is JSON with one entry per case; nodes and arrays follow one after the
other, without padding. Tests feed the arrays of the file, so the feeds do not depend on a CPU, BLAS or NumPy.
"""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.kernel_cases import Case
from tfmodel.messages import NodeDef

__all__ = ["Array", "Recorded", "read", "stale", "write"]

Array = np.ndarray[Any, Any]

SPACINGS = 64
"""The tolerance of inputs computed on another machine, in units in the last place of the largest element."""


@dataclass(frozen=True)
class Recorded:
    """A recorded case: `outputs` is None if TensorFlow refused it. Arrays are fresh and writable."""

    node: NodeDef
    inputs: list[Array]
    outputs: list[Array] | None


def stale(case: Case, recorded: Recorded) -> str:
    """Describe how a case has changed since it was recorded; "" if it has not.

    Floats may be a little different: some cases compute them, and each machine does so in its own way.
    """
    if case.node.to_bytes(deterministic=True) != recorded.node.to_bytes(deterministic=True):
        return "the node is another one"
    if len(case.arrays) != len(recorded.inputs):
        return "there are other inputs"
    pairs = enumerate(zip(case.arrays, recorded.inputs, strict=True))
    return next((f"input {number} is another one" for number, (a, b) in pairs if not _is_near(a, b)), "")


def _is_near(a: Array, b: Array) -> bool:
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    finite = np.isfinite(b)
    room = SPACINGS * np.finfo(b.dtype).eps * np.abs(b[finite]).max(initial=0)
    return bool(
        np.array_equal(finite, np.isfinite(a))
        and np.array_equal(a[~finite], b[~finite], equal_nan=True)
        and (np.abs(a[finite] - b[finite]) <= room).all()
    )


# --- files -----------------------------------------------------------------------------------------------------------


def write(path: Path, cases: Mapping[str, Recorded]) -> None:
    """Write an archive: the same cases give the same bytes."""
    entries, parts = [], []
    for name, case in cases.items():
        node = case.node.to_bytes(deterministic=True)
        parts += [node, *map(_data, case.inputs), *map(_data, case.outputs or ())]
        outputs = None if case.outputs is None else [*map(_described, case.outputs)]
        entries.append({"name": name, "node": len(node), "inputs": [*map(_described, case.inputs)], "outputs": outputs})
    path.write_bytes(lzma.compress(b"".join([json.dumps(entries).encode(), b"\n", *parts]), preset=9))


def _described(array: Array) -> list[Any]:
    if array.dtype == object:
        return ["string", array.shape, [*map(len, array.ravel())]]
    return [array.dtype.name, array.shape]


def _data(array: Array) -> bytes:
    if array.dtype == object:
        return b"".join(array.ravel())
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()


def read(path: Path) -> dict[str, Recorded]:
    """Read an archive. Raises ValueError if two cases have one name."""
    header, _, data = lzma.decompress(path.read_bytes()).partition(b"\n")
    reader, cases = _Reader(data), {}
    for entry in json.loads(header):
        node = NodeDef.from_bytes(reader.take(entry["node"]))
        inputs = [reader.array(*reference) for reference in entry["inputs"]]
        outputs = None if entry["outputs"] is None else [reader.array(*reference) for reference in entry["outputs"]]
        if entry["name"] in cases:
            raise ValueError(f'{path}: two cases are called "{entry["name"]}"')
        cases[entry["name"]] = Recorded(node, inputs, outputs)
    return cases


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]

    def array(self, kind: str, shape: list[int], lengths: list[int] | None = None) -> Array:
        if lengths is not None:
            strings = np.empty(len(lengths), object)
            strings[:] = [*map(self.take, lengths)]
            return strings.reshape(shape)
        dtype = np.dtype(kind)
        raw = self.take(math.prod(shape) * dtype.itemsize)
        return np.frombuffer(raw, dtype.newbyteorder("<")).astype(dtype).reshape(shape)
