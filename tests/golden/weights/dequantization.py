"""Record TensorFlow's dequantization of stored weights: dequantization.npz.xz.

    python -m tests.golden.weights.dequantization           # with a Python that has TensorFlow 2.12

"graph" is a model with one Dequantize for each type, mode and range, or for several ranges along an axis; the results
are stored under the names of these nodes. All steps are normal numbers: TensorFlow flushes smaller ones to zero.
`recorded()` reads the file without TensorFlow.
"""

from __future__ import annotations

import io
import lzma
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, VersionDef
from tfmodel.values.tensors import from_ndarray

__all__ = ["FILE", "recorded"]

FILE = Path(__file__).with_name("dequantization.npz.xz")

CODES = {
    DataType.DT_QUINT8: np.uint8,
    DataType.DT_QINT8: np.int8,
    DataType.DT_QUINT16: np.uint16,
    DataType.DT_QINT16: np.int16,
    DataType.DT_QINT32: np.int32,
}
MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
SPECIAL = [(0, 0), (0, 6), (-1, 1), (0.5, 0.5), (1, 3), (-7, -2), (-1e-28, 1e-28), (-1e30, 3e37)]
RANDOM = 12
AXES = {0: 3, 1: 2, 2: 4}
SHAPE = (3, 2, 4)

_Array = np.ndarray[Any, Any]


def recorded() -> tuple[GraphDef, dict[str, _Array]]:
    """The model, and what each Dequantize in it gives."""
    with np.load(io.BytesIO(lzma.decompress(FILE.read_bytes()))) as file:
        values = dict(file)
    return GraphDef.from_bytes(values.pop("graph").tobytes()), values


def made_model() -> GraphDef:
    rng = np.random.default_rng(20)
    nodes = [each for dtype in CODES for mode in MODES for each in _of(dtype, mode, rng)]
    return GraphDef(node=nodes, versions=VersionDef(producer=1286))


def _of(dtype: DataType, mode: str, rng: np.random.Generator) -> Iterator[NodeDef]:
    name = f"{dtype.name[3:].lower()}_{mode.lower()}"
    middle, width = rng.normal(size=RANDOM), np.exp(rng.normal(size=RANDOM) * 3)
    pairs = [*SPECIAL, *zip(middle - width, middle + width, strict=True)]
    for number, (low, high) in enumerate(pairs):
        yield from _weight(f"{name}_{number}", dtype, mode, np.float32(low), np.float32(high), rng)
    for axis, count in AXES.items() if mode != "MIN_FIRST" else ():
        low, high = rng.normal(size=count) - 1, rng.normal(size=count) + 1
        low, high = np.minimum(low, high).astype("f4"), np.maximum(low, high).astype("f4")
        yield from _weight(f"{name}_axis_{axis}", dtype, mode, low, high, rng, axis=axis)
    if mode == "SCALED":
        yield from _weight(f"{name}_narrow", dtype, mode, np.float32(-2), np.float32(1), rng, narrow_range=True)


def _weight(
    name: str, dtype: DataType, mode: str, low: _Array, high: _Array, rng: np.random.Generator, **more: int
) -> Iterator[NodeDef]:
    info = np.iinfo(CODES[dtype])
    codes = rng.integers(info.min, info.max, SHAPE, CODES[dtype], endpoint=True)
    codes.flat[:2] = info.min + bool(more.get("narrow_range")), info.max
    if mode == "SCALED" and dtype == DataType.DT_QINT32:  # TensorFlow makes the lowest code of the highest ones
        codes = np.minimum(codes, 2**31 - 200)
    for part, value, kind in (("const", codes, dtype), ("min", low, None), ("max", high, None)):
        tensor = from_ndarray(value, kind)
        attr = {"dtype": AttrValue(type=tensor.dtype), "value": AttrValue(tensor=tensor)}
        yield NodeDef(name=f"{name}_quantized_{part}", op="Const", attr=attr)
    attr = {"T": AttrValue(type=dtype), "mode": AttrValue(s=mode.encode())}
    attr |= {key: AttrValue(b=value) if isinstance(value, bool) else AttrValue(i=value) for key, value in more.items()}
    inputs = [f"{name}_quantized_{part}" for part in ("const", "min", "max")]
    yield NodeDef(name=name, op="Dequantize", input=inputs, attr=attr)


def main() -> None:
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    import tensorflow.compat.v1 as tf

    model = made_model()
    theirs = tf.GraphDef.FromString(model.to_bytes())
    names = [node.name for node in model.node if node.op == "Dequantize"]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(theirs, name="")
        values = session.run([graph.get_tensor_by_name(f"{name}:0") for name in names])
    out = io.BytesIO()
    np.savez(out, graph=np.frombuffer(model.to_bytes(), np.uint8), **dict(zip(names, values, strict=True)))
    FILE.write_bytes(lzma.compress(out.getvalue()))
    print(f"{len(names)} weights, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
