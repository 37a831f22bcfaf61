"""The small models on which the commands are run.

Numbers are halves, quarters and small integers, so that sums are exact in any order: no CPU and no BLAS changes one.
"""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.tfmodel import models
from tests.tfmodel.freezing.models import function
from tests.tfmodel.tfjs_models import write_model
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.messages import (
    DataType,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    SavedModel,
    SavedObject,
    SavedObjectGraph,
    SavedVariable,
    SignatureDef,
    TensorInfo,
    TrackableObjectGraph,
    VersionDef,
)

__all__ = ["write_keras_model", "write_models"]

DATA = Path(__file__).parents[2] / "data"

CLASSIFIER = """
    image = Placeholder[dtype=float, shape=(-1, 4, 4, 1)]
    conv/filter = Const[dtype=float, value=float{0.5, -0.5, 1, 0.25, 0.5, -1, 2, 0}(2, 2, 1, 2)]
    conv/Conv2D = Conv2D(image, conv/filter)[T=float, strides=[1, 2, 2, 1], padding="SAME"] @ /gpu:0
    conv/scale = Const[dtype=float, value=float{0.5, 2}]
    conv/mul = Mul(conv/Conv2D, conv/scale)[T=float]
    conv/bias = Const[dtype=float, value=float{0.25, -0.25}]
    conv/BiasAdd = BiasAdd(conv/mul, conv/bias)[T=float]
    conv/Relu6 = Relu6(conv/BiasAdd)[T=float]
    keep_prob = PlaceholderWithDefault(keep_prob/input)[dtype=float, shape=()]
    keep_prob/input = Const[dtype=float, value=float{1}()]
    checked = CheckNumerics(conv/Relu6)[T=float, message="overflow"]
    flat/shape = Const[dtype=int32, value=int32{-1, 8}]
    flat = Reshape(checked, flat/shape)[T=float, Tshape=int32]
    dropout = Mul(flat, keep_prob)[T=float]
    dense/half = Const[dtype=float, value=float{0.5}()]
    dense/raw = Const[dtype=float, value=float{0.5}(8, 3)]
    dense/kernel = Mul(dense/raw, dense/half)[T=float]
    dense/MatMul = MatMul(dropout, dense/kernel)[T=float]
    scores = Identity(dense/MatMul)[T=float]
    unused = Neg(dense/MatMul)[T=float]
"""
"""A frozen graph with a constant part, a device, a placeholder for training, and a node that nothing takes."""

LOOP = """
    x = Placeholder[dtype=int32, shape=()]
    one = Const[dtype=int32, value=int32{1}()]
    ten = Const[dtype=int32, value=int32{10}()]
    while/Enter = Enter(x)[T=int32, frame_name="while", parallel_iterations=10]
    while/Merge = Merge(while/Enter, while/NextIteration)[T=int32, N=2]
    while/limit = Enter(ten)[T=int32, frame_name="while", is_constant=true]
    while/step = Enter(one)[T=int32, frame_name="while", is_constant=true]
    while/Less = Less(while/Merge, while/limit)[T=int32]
    while/LoopCond = LoopCond(while/Less)
    while/Switch = Switch(while/Merge, while/LoopCond)[T=int32]
    while/Add = Add(while/Switch:1, while/step)[T=int32]
    while/NextIteration = NextIteration(while/Add)[T=int32]
    while/Exit = Exit(while/Switch)[T=int32]
    result = Neg(while/Exit)[T=int32]
"""
"""A TF1 loop that counts to ten."""

ENCODER = """
    text = Placeholder[dtype=float, shape=(-1, 2)]
    weights = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6}(2, 3)]
    code = MatMul(text, weights)[T=float]
"""
DECODER = """
    code = Placeholder[dtype=float, shape=(-1, 3)]
    weights = Const[dtype=float, value=float{0.5, 0.5, 0.5}(3, 1)]
    product = MatMul(code, weights)[T=float]
    answer = Relu(product)[T=float]
"""
UNSOUND = """
    x = Placeholder[dtype=float]
    a = Add(x, b)[T=float]
    b = Neg(a)[T=float]
    lost = Relu(nowhere)[T=float]
    typed = Neg(number)[T=float]
    number = Const[dtype=int32, value=int32{1, 2}]
    odd = NoSuchOp(x)[T=float]
    read = ReadFile(name)
    name = Const[dtype=string, value=string{"/etc/passwd"}()]
"""
"""A cycle, a missing input, a wrong type, an unknown op, and a node that reads a file."""

DOUBLE = """
    __inference_double_1(x: float, v: resource) -> (y: float = out:output:0)
    Read = ReadVariableOp(v) dtype=float
    product = Mul(x, Read:value:0) T=float
    out = Identity(product:z:0) T=float
"""
SERVED = """
    serving_default_x = Placeholder[dtype=float, shape=(-1, 2)]
    scale = VarHandleOp[dtype=float, shape=(2), shared_name="scale", container=""]
    call = StatefulPartitionedCall(serving_default_x, scale)[
        Tin=[float, resource], Tout=[float], f=@__inference_double_1, config="", config_proto="", executor_type=""]
    out = Identity(call)[T=float]
    saver_filename = Placeholder[dtype=string, shape=()]
    save/names = Const[dtype=string, value=string{"scale/.ATTRIBUTES/VARIABLE_VALUE"}(1)]
    save/slices = Const[dtype=string, value=string{""}(1)]
    save/RestoreV2 = RestoreV2(saver_filename, save/names, save/slices)[dtypes=[float]]
    save/AssignVariableOp = AssignVariableOp(scale, save/RestoreV2)[dtype=float]
"""


def write_models(folder: Path) -> None:
    """Write all models, except those that need h5py."""
    for name in (
        *("linear.pb", "truncated.pb", "pointer.pb", "unsafe.pbtxt", "examples.tfrecord"),
        *("layers", "logs", "trained"),
    ):
        (shutil.copytree if (DATA / name).is_dir() else shutil.copy)(DATA / name, folder / name)
    for name, table in {
        "classifier.pb": CLASSIFIER,
        "loop.pb": LOOP,
        "encoder.pb": ENCODER,
        "decoder.pb": DECODER,
        "unsound.pb": UNSOUND,
        "changed.pb": CLASSIFIER.replace("Relu6", "Relu").replace("{0.25, -0.25}", "{0.5, -0.25}"),
    }.items():
        (folder / name).write_bytes(_graph(table).to_bytes())
    (folder / "linear.pb.gz").write_bytes(gzip.compress((folder / "linear.pb").read_bytes(), mtime=0))
    (folder / "session.meta").write_bytes(_session().to_bytes())
    (folder / "empty.pb").write_bytes(b"")
    (folder / "noise.bin").write_bytes(b"\xff\xfe\xfd no model \x00\x01" * 3)
    (folder / "labels.txt").write_text("cat\ndog\nbird\n")
    (folder / "phone_ops.txt").write_text("Const, MatMul, Placeholder  # all that it has\nRelu\n")
    write_model(folder / "web", shards=2)
    _write_served(folder / "served")


def write_keras_model(folder: Path) -> None:
    """Write a file that Keras 3 wrote, for whose weights tfmodel needs h5py."""
    from tests.golden.keras.answers import members

    (folder / "net.keras").write_bytes(members()["keras3/net.keras"])


def _graph(table: str) -> GraphDef:
    result = graph(table.replace("[\n", "["))
    result.versions = VersionDef(producer=1482)
    return result


def _session() -> MetaGraphDef:
    """A MetaGraph with a signature and a collection of each kind."""
    meta = models.meta_graph("train")
    meta.collection_def = models.collections()
    return meta


def _info(name: str, *sizes: int) -> TensorInfo:
    return TensorInfo(name=name, dtype=DataType.DT_FLOAT, tensor_shape=models.shape(*sizes))


def _write_served(folder: Path) -> None:
    """Write a SavedModel as TensorFlow 2 does: a signature calls a function, which reads a variable."""
    graph_def = _graph(SERVED)
    graph_def.library = FunctionDefLibrary(function=[function(DOUBLE)])
    variable = SavedVariable(dtype=DataType.DT_FLOAT, shape=models.shape(2), trainable=True, name="scale")
    root = SavedObject(children=[_child("scale", 1)])
    signature = SignatureDef(
        inputs={"x": _info("serving_default_x:0", -1, 2)},
        outputs={"doubled": _info("out:0", -1, 2)},
        method_name="tensorflow/serving/predict",
    )
    meta = MetaGraphDef(
        meta_info_def=MetaGraphDef.MetaInfoDef(tags=["serve"], tensorflow_version="2.12.1"),
        graph_def=graph_def,
        signature_def={"serving_default": signature},
        object_graph_def=SavedObjectGraph(nodes=[root, SavedObject(variable=variable)]),
    )
    folder.mkdir()
    model = SavedModel(saved_model_schema_version=1, meta_graphs=[meta])
    (folder / "saved_model.pb").write_bytes(model.to_bytes(deterministic=True))
    (folder / "variables").mkdir()
    objects = TrackableObjectGraph(nodes=_trackable())
    tensors: Mapping[str, object] = {
        "_CHECKPOINTABLE_OBJECT_GRAPH": np.array(objects.to_bytes(deterministic=True), object),
        "scale/.ATTRIBUTES/VARIABLE_VALUE": np.array([2, 0.5], np.float32),
    }
    write_checkpoint(folder / "variables" / "variables", tensors)  # type: ignore[arg-type]


def _child(name: str, number: int) -> TrackableObjectGraph.TrackableObject.ObjectReference:
    return TrackableObjectGraph.TrackableObject.ObjectReference(local_name=name, node_id=number)


def _trackable() -> list[TrackableObjectGraph.TrackableObject]:
    """The objects of the checkpoint: the root, and its variable."""
    trackable = TrackableObjectGraph.TrackableObject
    value = trackable.SerializedTensor(
        name="VARIABLE_VALUE", full_name="scale", checkpoint_key="scale/.ATTRIBUTES/VARIABLE_VALUE"
    )
    return [trackable(children=[_child("scale", 1)]), trackable(attributes=[value])]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        write_models(Path(name))
        print(*sorted(path.name for path in Path(name).iterdir()))
