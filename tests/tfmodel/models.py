"""Small models for tests, made from our own messages."""

from __future__ import annotations

import struct
from pathlib import Path

from pbwire import Message
from pbwire.wellknown import Any
from tfmodel.messages import (
    AttrValue,
    CollectionDef,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    OpDef,
    OpList,
    QueueRunnerDef,
    SavedModel,
    SignatureDef,
    TensorInfo,
    TensorProto,
    TensorShapeProto,
    VersionDef,
)

__all__ = [
    "collections",
    "const",
    "graph",
    "meta_graph",
    "op_list",
    "packed",
    "saved_model",
    "shape",
    "tensor",
    "write_saved_model",
]


def shape(*sizes: int) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])


def tensor(values: list[float], *sizes: int) -> TensorProto:
    """A float tensor whose values stand in `tensor_content`."""
    content = struct.pack(f"<{len(values)}f", *values)
    return TensorProto(dtype=DataType.DT_FLOAT, tensor_shape=shape(*sizes), tensor_content=content)


def const(name: str, values: list[float], *sizes: int) -> NodeDef:
    attr = {"dtype": AttrValue(type=DataType.DT_FLOAT), "value": AttrValue(tensor=tensor(values, *sizes))}
    return NodeDef(name=name, op="Const", attr=attr)


def graph(*, weights: int = 4) -> GraphDef:
    """y = relu(x @ weights), with a function that is never called."""
    floats = {"T": AttrValue(type=DataType.DT_FLOAT)}
    placeholder = {"dtype": AttrValue(type=DataType.DT_FLOAT), "shape": AttrValue(shape=shape(-1, weights))}
    transposed = floats | {"transpose_b": AttrValue(b=True), "transpose_a": AttrValue(b=False)}
    double = FunctionDef(
        signature=OpDef(
            name="double",
            input_arg=[OpDef.ArgDef(name="x", type=DataType.DT_FLOAT)],
            output_arg=[OpDef.ArgDef(name="y", type=DataType.DT_FLOAT)],
        ),
        node_def=[NodeDef(name="sum", op="AddV2", input=["x", "x"], attr=floats)],
        ret={"y": "sum:z:0"},
    )
    return GraphDef(
        node=[
            NodeDef(name="x", op="Placeholder", attr=placeholder),
            const("weights", [0.5] * weights, 1, weights),
            NodeDef(name="layer/MatMul", op="MatMul", input=["x", "weights"], attr=transposed),
            NodeDef(name="y", op="Relu", input=["layer/MatMul", "^x"], device="/cpu:0", attr=floats),
        ],
        library=FunctionDefLibrary(function=[double]),
        versions=VersionDef(producer=1482),
    )


def meta_graph(*tags: str) -> MetaGraphDef:
    def info(name: str, *sizes: int) -> TensorInfo:
        return TensorInfo(name=name, dtype=DataType.DT_FLOAT, tensor_shape=shape(*sizes))

    signature = SignatureDef(
        inputs={"x": info("x:0", -1, 4)}, outputs={"y": info("y:0", -1, 1)}, method_name="tensorflow/serving/predict"
    )
    about = MetaGraphDef.MetaInfoDef(tags=list(tags), tensorflow_version="2.12.1", stripped_op_list=op_list())
    return MetaGraphDef(
        meta_info_def=about,
        graph_def=graph(),
        signature_def={"serving_default": signature},
    )


def packed(message: Message) -> Any:
    full_name = message.__table__.full_name
    return Any(type_url=f"type.googleapis.com/{full_name}", value=message.to_bytes(deterministic=True))


def collections() -> dict[str, CollectionDef]:
    """One of each kind."""
    runner = QueueRunnerDef(queue_name="queue", enqueue_op_name=["enqueue"], close_op_name="close")
    return {
        "queue_runners": CollectionDef(any_list=CollectionDef.AnyList(value=[packed(runner), packed(graph())])),
        "losses": CollectionDef(node_list=CollectionDef.NodeList(value=["loss:0"])),
        "variables": CollectionDef(bytes_list=CollectionDef.BytesList(value=[b"\n\x03w:0", b"\xff\0"])),
        "steps": CollectionDef(int64_list=CollectionDef.Int64List(value=[1, -(1 << 60)])),
        "rates": CollectionDef(float_list=CollectionDef.FloatList(value=[0.1, float("inf")])),
    }


def op_list() -> OpList:
    relu = OpDef(
        name="Relu",
        input_arg=[OpDef.ArgDef(name="features", type_attr="T")],
        output_arg=[OpDef.ArgDef(name="activations", type_attr="T")],
        attr=[OpDef.AttrDef(name="T", type="type")],
    )
    return OpList(op=[relu, OpDef(name="NoOp")])


def saved_model(*tag_sets: tuple[str, ...]) -> SavedModel:
    return SavedModel(
        saved_model_schema_version=1, meta_graphs=[meta_graph(*tags) for tags in tag_sets or [("serve",)]]
    )


def write_saved_model(folder: Path, *tag_sets: tuple[str, ...]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "saved_model.pb").write_bytes(saved_model(*tag_sets).to_bytes())
    return folder
