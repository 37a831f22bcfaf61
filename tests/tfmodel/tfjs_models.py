"""Models of TensorFlow.js for tests: model.json and the files of the weights."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

__all__ = ["SIGNATURE", "TOPOLOGY", "WEIGHTS", "const", "floats", "write_model"]


def const(name: str, dtype: Any = "DT_FLOAT", shape: tuple[int, ...] = ()) -> dict[str, Any]:
    """A Const as the converter writes it, without its value."""
    tensor = {"dtype": dtype, "tensorShape": {"dim": [{"size": str(size)} for size in shape]} if shape else {}}
    return {"name": name, "op": "Const", "attr": {"dtype": {"type": dtype}, "value": {"tensor": tensor}}}


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


# y = relu(x @ w + b)
TOPOLOGY: dict[str, Any] = {
    "node": [
        {
            "name": "x",
            "op": "Placeholder",
            "attr": {"dtype": {"type": "DT_FLOAT"}, "shape": {"shape": {"dim": [{"size": "-1"}, {"size": "2"}]}}},
        },
        const("w", shape=(2, 3)),
        const("b", shape=(3,)),
        {
            "name": "xw",
            "op": "MatMul",
            "input": ["x", "w"],
            "attr": {"T": {"type": "DT_FLOAT"}, "transpose_a": {"b": False}, "transpose_b": {"b": False}},
        },
        {
            "name": "sum",
            "op": "BiasAdd",
            "input": ["xw", "b"],
            "attr": {"T": {"type": "DT_FLOAT"}, "data_format": {"s": "TkhXQw=="}},
        },
        {"name": "y", "op": "Relu", "input": ["sum"], "attr": {"T": {"type": "DT_FLOAT"}}},
    ],
    "versions": {"producer": 1395},
}
WEIGHTS: list[dict[str, Any]] = [
    {"name": "w", "shape": [2, 3], "dtype": "float32"},
    {"name": "b", "shape": [3], "dtype": "float32"},
]
SIGNATURE: dict[str, Any] = {
    "inputs": {
        "features": {"name": "x:0", "dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": "-1"}, {"size": "2"}]}}
    },
    "outputs": {
        "scores": {"name": "y:0", "dtype": "DT_FLOAT", "tensorShape": {"dim": [{"size": "-1"}, {"size": "3"}]}}
    },
}
DATA = floats(1, 2, 3, 4, 5, 6, 0.5, -100, 0)


def write_model(
    folder: Path,
    topology: Any = TOPOLOGY,
    weights: Any = WEIGHTS,
    data: bytes = DATA,
    *,
    shards: int = 1,
    paths: Any = None,
    **fields: Any,
) -> Path:
    """Write a model with its weights in files of equal size, and return the path of its model.json.

    `fields` are further fields of model.json; those that are None are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"group1-shard{number}of{shards}.bin" for number in range(1, shards + 1)]
    size = -(-len(data) // shards)
    for number, name in enumerate(names):
        (folder / name).write_bytes(data[number * size : (number + 1) * size])
    document = {
        "format": "graph-model",
        "signature": SIGNATURE,
        "modelTopology": topology,
        "weightsManifest": [{"paths": names if paths is None else paths, "weights": weights}],
        **fields,
    }
    path = folder / "model.json"
    path.write_text(json.dumps({key: value for key, value in document.items() if value is not None}))
    return path
