"""A small trained model as TF1 saves it: a graph of two variables, and their values in a checkpoint beside it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import (
    AttrValue,
    DataType,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SignatureDef,
    TensorInfo,
    TensorShapeProto,
    VersionDef,
)

__all__ = ["VALUES", "checkpoint_files", "meta_graph"]

VALUES = {
    "layer/weights": np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3),
    "layer/bias": np.array([0.5, 0, -0.5], np.float32),
}


def meta_graph() -> MetaGraphDef:
    """x -> MatMul with weights -> BiasAdd with bias -> Relu."""
    graph = GraphDef(
        node=[
            _node("x", "Placeholder", dtype=AttrValue(type=DataType.DT_FLOAT), shape=_shape(-1, 4)),
            *(_variable(name, *values.shape) for name, values in VALUES.items()),
            *(_node(f"{name}/read", "Identity", name, T=AttrValue(type=DataType.DT_FLOAT)) for name in VALUES),
            _node("layer/MatMul", "MatMul", "x", "layer/weights/read", T=AttrValue(type=DataType.DT_FLOAT)),
            _node("layer/BiasAdd", "BiasAdd", "layer/MatMul", "layer/bias/read", T=AttrValue(type=DataType.DT_FLOAT)),
            _node("y", "Relu", "layer/BiasAdd", T=AttrValue(type=DataType.DT_FLOAT)),
        ],
        versions=VersionDef(producer=1482),
    )
    signature = SignatureDef(
        inputs={"x": TensorInfo(name="x:0", dtype=DataType.DT_FLOAT)},
        outputs={"y": TensorInfo(name="y:0", dtype=DataType.DT_FLOAT)},
        method_name="tensorflow/serving/predict",
    )
    return MetaGraphDef(
        meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"]),
        graph_def=graph,
        signature_def={"serving_default": signature},
    )


def checkpoint_files(prefix: str) -> dict[str, bytes]:
    """The files of its checkpoint: content by name."""
    with tempfile.TemporaryDirectory() as folder:
        write_checkpoint(Path(folder, prefix), VALUES)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def _node(name: str, op: str, *inputs: str, **attributes: AttrValue) -> NodeDef:
    return NodeDef(name=name, op=op, input=list(inputs), attr=attributes)


def _variable(name: str, *sizes: int) -> NodeDef:
    return _node(name, "VariableV2", dtype=AttrValue(type=DataType.DT_FLOAT), shape=_shape(*sizes))


def _shape(*sizes: int) -> AttrValue:
    return AttrValue(shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes]))
