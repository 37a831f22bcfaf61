"""Record the MetaGraphs that TensorFlow makes of its graphs, and its TensorInfos: answers.jsonl.gz.

    python -m tests.golden.metagraph.answers           # with a Python that has TensorFlow 2.12

The first line holds what TensorFlow registers:

    registered    by the name of a collection, the full name of the message type of its bytes

Each other line is one MetaGraph, from one of `PROGRAMS`:

    name
    meta_graph    its bytes in base64, as made by export_meta_graph or, for TF2, by saved_model.save
    tensors       by name, the TensorInfo that build_tensor_info makes, in base64

Before that, TensorFlow imports and loads what `make_meta_graph` makes of the same graphs and collections, and must
export the same collections again.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf
from google.protobuf import any_pb2
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2
from tensorflow.python.framework import function, ops

from tfmodel.files.files import save
from tfmodel.messages import MetaGraphDef, SavedModel
from tfmodel.source.metagraph import decode_collections, make_meta_graph

tf1 = tf.compat.v1
raw = tf.raw_ops

FILE = Path(__file__).with_name("answers.jsonl.gz")
MAX_TENSORS = 30  # of a graph

tf1.disable_control_flow_v2()
tf1.disable_resource_variables()

# --- programs --------------------------------------------------------------------------------------------------------


def shapes() -> None:
    tf1.placeholder(tf.float32, [None, 3], name="matrix")
    tf1.placeholder(tf.int64, [], name="scalar")
    tf1.placeholder(tf.string, name="anything")
    tf1.placeholder_with_default([1.0, 2.0], [None], name="default")
    tf.constant(7, name="number")
    tf.constant([[1, 2, 3]], tf.uint8, name="numbers")
    tf.constant([], name="none")
    tf1.Variable([[1.0]], name="reference", use_resource=False)
    tf1.Variable(3.0, name="unshaped", use_resource=False, validate_shape=False)
    tf1.Variable([[1.0]], name="handle", use_resource=True)
    raw.Split(axis=0, value=[1, 2], num_split=2, name="split")
    tf1.placeholder(tf.complex64, [0, None, 2], name="empty")


def variables() -> None:
    """A variable of every sort, in the collection that it belongs to."""
    keys = tf1.GraphKeys
    for resource in (False, True):
        with tf1.variable_scope(f"resource_{resource}", use_resource=resource):
            v = tf1.get_variable("v", [2, 3], initializer=tf1.zeros_initializer())
            tf1.get_variable("frozen", [], trainable=False, initializer=tf1.ones_initializer())
            tf1.get_variable("local", [1], collections=[keys.LOCAL_VARIABLES, keys.METRIC_VARIABLES])
            tf1.get_variable("model", [1], collections=[keys.GLOBAL_VARIABLES, keys.MODEL_VARIABLES])
            tf1.get_variable(
                "parts",
                [4, 2],
                partitioner=tf1.fixed_size_partitioner(2),
                dtype=tf.float64,
                initializer=tf1.zeros_initializer(),
            )
            average = tf1.train.ExponentialMovingAverage(0.9, name="average")
            average.apply([v])
    tf1.train.create_global_step()
    tf1.train.Saver([v], name="saver")
    tf1.add_to_collection(keys.SAVERS, tf1.train.Saver([v], max_to_keep=7, name="another"))


def training() -> None:
    x = tf1.placeholder(tf.float32, [None, 4], name="x")
    w = tf1.get_variable("w", [4, 2], regularizer=tf.keras.regularizers.l2(0.1), initializer=tf1.zeros_initializer())
    loss = tf1.losses.mean_squared_error(tf.zeros([1, 2]), tf.matmul(x, w))
    tf1.summary.scalar("loss", loss)
    tf1.summary.histogram("weights", w)
    train = tf1.train.AdamOptimizer().minimize(loss, global_step=tf1.train.get_or_create_global_step())
    tf1.add_to_collection(tf1.GraphKeys.TRAIN_OP, train)
    tf1.add_to_collection(tf1.GraphKeys.INIT_OP, tf1.global_variables_initializer())
    tf1.add_to_collection(tf1.GraphKeys.SUMMARY_OP, tf1.summary.merge_all())


def queues() -> None:
    names = tf1.train.string_input_producer(["a", "b"], name="names")
    _, value = tf1.TextLineReader().read(names)
    tf1.train.shuffle_batch([value], 2, 10, 5, num_threads=3)


def loops() -> None:
    x = tf1.placeholder(tf.float32, [2], name="x")
    total = tf1.while_loop(
        lambda i, v: i < 3,
        lambda i, v: (i + 1, tf1.cond(tf.reduce_sum(v) > 1.0, lambda: v * x, lambda: v - 1.0)),
        (0, x),
        maximum_iterations=5,
    )
    y = tf1.cond(
        x[0] > 0.0,
        lambda: total[1] * 2.0,
        lambda: tf1.while_loop(lambda v: tf.reduce_sum(v) < 9.0, lambda v: v + 1.0, [x]),
    )
    tf1.gradients(y, x)


def plain_values() -> None:
    tf1.add_to_collection("integers", 3)
    tf1.add_to_collection("integers", -(2**63))
    tf1.add_to_collection("floats", 0.1)
    tf1.add_to_collection("floats", float("inf"))
    tf1.add_to_collection("strings", "grüße")
    tf1.add_to_collection("strings", b"\xff\x00")
    tf1.add_to_collection("tensors", tf.constant(1, name="c"))
    tf1.add_to_collection("tensors", tf.identity_n([1, 2], name="pair")[1])
    tf1.add_to_collection("nodes", tf.no_op(name="nothing"))
    asset = meta_graph_pb2.AssetFileDef(filename="words.txt")
    asset.tensor_info.name = "c:0"
    holder = any_pb2.Any()
    holder.Pack(asset)
    tf1.add_to_collection("saved_model_assets", holder)


def functions() -> None:
    @function.Defun(tf.float32, func_name="Direct")
    def direct(x: Any) -> Any:
        return tf.tanh(x) + inner(x)

    @function.Defun(tf.float32, func_name="Inner")
    def inner(x: Any) -> Any:
        return tf.cosh(x)

    @tf.function
    def called(x: Any) -> Any:
        return tf.sinh(nested(x))

    @tf.function
    def nested(x: Any) -> Any:
        return tf.atan(x)

    x = tf1.placeholder(tf.float32, [], name="x")
    direct(x)
    called(x)
    # Calls by If, While, Case or datasets are not followed.
    branches = [tf.function(each, autograph=False).get_concrete_function(x) for each in (tf.asin, tf.acos)]
    for branch in branches:
        branch.add_to_graph()
    raw.If(cond=x > 0.0, input=[x], Tout=[tf.float32], then_branch=branches[0], else_branch=branches[1])
    tf1.data.make_one_shot_iterator(tf1.data.Dataset.range(3).map(lambda v: tf.bitwise.invert(v)))


def tables() -> None:
    initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    table = tf.lookup.StaticHashTable(initializer, -1)
    table.lookup(tf1.placeholder(tf.string, [None], name="keys"))
    tf1.tables_initializer(name="fill")


def image() -> None:
    """Ops with many attributes, most of them at their defaults."""
    x = tf1.placeholder(tf.float32, [None, 8, 8, 3], name="x")
    y = tf1.nn.conv2d(x, tf.zeros([3, 3, 3, 4]), strides=1, padding="SAME")
    y, *_ = tf1.nn.fused_batch_norm(y, [1.0] * 4, [0.0] * 4)
    tf1.nn.max_pool2d(tf.nn.relu6(y), 2, 2, "VALID", name="pooled")
    tf1.image.resize_bilinear(x, [4, 4])


PROGRAMS: dict[str, Callable[[], None]] = {
    "shapes": shapes,
    "variables": variables,
    "training": training,
    "queues": queues,
    "loops": loops,
    "plain values": plain_values,
    "functions": functions,
    "tables": tables,
    "image": image,
    "nothing": lambda: None,
}


def _tf2() -> Any:
    """The MetaGraph of a TF2 module."""

    class Module(tf.Module):
        def __init__(self) -> None:
            self.w = tf.Variable([[1.0], [2.0]])

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
        def __call__(self, x: Any) -> Any:
            return {"y": tf.cond(tf.reduce_sum(x) > 0.0, lambda: x @ self.w, lambda: tf.exp(x[:, :1]))}

    with tempfile.TemporaryDirectory() as folder:
        tf1.enable_control_flow_v2()
        module = Module()
        tf.saved_model.save(module, folder, signatures=module.__call__)
        tf1.disable_control_flow_v2()
        model = saved_model_pb2.SavedModel.FromString(Path(folder, "saved_model.pb").read_bytes())
    return model.meta_graphs[0]


# --- answers ---------------------------------------------------------------------------------------------------------


def _tensors(graph: Any) -> dict[str, str]:
    tensors = [tensor for operation in graph.get_operations() for tensor in operation.outputs][:MAX_TENSORS]
    return {tensor.name: _text(tf1.saved_model.build_tensor_info(tensor)) for tensor in tensors}


def _text(message: Any) -> str:
    return base64.b64encode(message.SerializeToString(deterministic=True)).decode()


def _rows() -> Iterator[dict[str, Any]]:
    keys = sorted({value for name, value in vars(tf1.GraphKeys).items() if name.isupper() and isinstance(value, str)})
    types = {key: ops.get_collection_proto_type(key) for key in keys}
    yield {"registered": {key: cls.DESCRIPTOR.full_name for key, cls in types.items() if cls}}
    for name, program in PROGRAMS.items():
        with tf.Graph().as_default() as graph:
            tf1.set_random_seed(1)
            program()
            meta = tf1.train.export_meta_graph()
            tensors = _tensors(graph)
        _check(name, meta)
        yield {"name": name, "meta_graph": _text(meta), "tensors": tensors}
    yield {"name": "TF2", "meta_graph": _text(_tf2()), "tensors": {}}


def _check(name: str, theirs: Any) -> None:
    """Assert that TensorFlow imports our MetaGraph, and loads it as a SavedModel, with the same collections."""
    meta = MetaGraphDef.from_bytes(theirs.SerializeToString())
    collections = decode_collections(meta, strict=True)
    tensors = {f"t{number}": node.name for number, node in enumerate(meta.graph_def.node) if node.op == "Placeholder"}
    signatures = {"serving_default": {"inputs": tensors, "outputs": tensors}}
    made = make_meta_graph(meta.graph_def, collections=collections, signatures=signatures, tags=["serve"])
    with tempfile.TemporaryDirectory() as folder:
        save(made, f"{folder}/made.meta")
        with tf.Graph().as_default():
            tf1.train.import_meta_graph(f"{folder}/made.meta")
            again = tf1.train.export_meta_graph()
        made = make_meta_graph(meta.graph_def, signatures=signatures, tags=["serve"])  # no variables: no checkpoint
        save(SavedModel(saved_model_schema_version=1, meta_graphs=[made]), f"{folder}/saved_model.pb")
        with tf.Graph().as_default(), tf1.Session() as session:
            loaded = tf1.saved_model.load(session, ["serve"], folder)
        tf.saved_model.load(folder)
    assert set(loaded.signature_def) == {"serving_default"}
    for key in {*again.collection_def, *theirs.collection_def}:
        assert again.collection_def[key] == theirs.collection_def[key], (name, key)


def main() -> None:
    text = "".join(json.dumps(row) + "\n" for row in _rows())
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as file:
        file.write(text.encode())
    FILE.write_bytes(packed.getvalue())
    print(f"{len(text.splitlines())} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
