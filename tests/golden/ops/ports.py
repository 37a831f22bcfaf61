"""Record the dtypes that TensorFlow determines for the inputs and outputs of nodes: ports.jsonl.gz.

    python -m tests.golden.ops.ports CORPUS            # with a Python that has TensorFlow 2.12

Each line is one graph: the `GRAPHS` as they are, the same without attributes that have their defaults, and the files of
the corpus:

    name
    graph       the GraphDef in base64; or, for a file of the corpus,
    file        its path in the corpus, and
    tags        the MetaGraph of a SavedModel
    nodes       for each node in order, the numbers of the dtypes of its inputs and of its outputs
    functions   for each function, by name, that TensorFlow can convert to a graph: "nodes" likewise, and "ports": the
                output of a node that the body refers to as `node:output:index`
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
from tensorflow.python.framework import function
from tensorflow.python.framework.function_def_to_graph import function_def_to_graph_def
from tensorflow.python.framework.meta_graph import strip_graph_default_valued_attrs

tf1 = tf.compat.v1
raw = tf.raw_ops

FILE = Path(__file__).with_name("ports.jsonl.gz")


# --- graphs ----------------------------------------------------------------------------------------------------------


def lists() -> None:
    x = tf1.placeholder(tf.float32, [4, 6], name="x")
    parts = raw.Split(axis=1, value=x, num_split=3)
    raw.SplitV(value=x, size_splits=tf.constant([1, 2, 3], tf.int64), axis=1, num_split=3)
    raw.ConcatV2(values=parts, axis=1)
    raw.Pack(values=[1, 2, 3])
    raw.IdentityN(input=[x, tf.constant(3), "text"])
    raw.Unpack(value=x, num=4)
    raw.ShapeN(input=[x, x], out_type=tf.int64)
    raw.AddN(inputs=parts)
    raw.DynamicPartition(data=x, partitions=[0, 1, 0, 2], num_partitions=3)
    raw.Assert(condition=True, data=[x, 1, "text"])
    tf1.no_op()


def several_outputs() -> None:
    x = tf1.placeholder(tf.float64, [2, 3, 3], name="x")
    raw.Unique(x=tf.constant([1.5, 2.5]))
    raw.UniqueWithCounts(x=tf.constant(["a", "b"]), out_idx=tf.int64)
    raw.TopKV2(input=x, k=2)
    raw.Svd(input=x)
    raw.ArgMax(input=x, dimension=0)
    raw.ArgMax(input=x, dimension=0, output_type=tf.int32)
    raw.Shape(input=x)
    raw.Cast(x=x, DstT=tf.bfloat16)
    raw.Equal(x=x, y=x)
    raw.Rank(input=x)
    raw.FusedBatchNormV3(
        x=tf.zeros([1, 2, 2, 3], tf.half), scale=tf.ones([3]), offset=tf.ones([3]), mean=[], variance=[]
    )
    raw.QuantizeV2(input=tf.zeros([2]), min_range=0.0, max_range=1.0, T=tf.quint8)
    raw.QuantizedMatMul(
        a=raw.QuantizeV2(input=tf.zeros([2, 2]), min_range=0.0, max_range=1.0, T=tf.quint8).output,
        b=raw.QuantizeV2(input=tf.zeros([2, 2]), min_range=0.0, max_range=1.0, T=tf.qint8).output,
        min_a=0.0,
        max_a=1.0,
        min_b=0.0,
        max_b=1.0,
    )
    raw.CTCBeamSearchDecoder(inputs=tf.zeros([3, 2, 4]), sequence_length=[3, 3], beam_width=4, top_paths=2)
    raw.Switch(data=x, pred=True)
    raw.Merge(inputs=[x, x])


def parsing() -> None:
    features = {
        "a": tf.io.VarLenFeature(tf.int64),
        "b": tf.io.VarLenFeature(tf.string),
        "c": tf.io.FixedLenFeature([2], tf.float32),
        "d": tf.io.FixedLenFeature([], tf.string),
        "e": tf.io.RaggedFeature(tf.float32),
    }
    serialized = tf1.placeholder(tf.string, [None], name="serialized")
    tf.io.parse_example(serialized, features)
    tf.io.parse_single_example("", {"f": tf.io.FixedLenFeature([3], tf.int64)})
    raw.DecodeCSV(records=serialized, record_defaults=[tf.constant([1]), tf.constant(["a"]), tf.constant([1.0])])
    tf.io.decode_image("", expand_animations=False)


def references() -> None:
    v = tf1.Variable([1.0, 2.0], use_resource=False, name="v")
    tf1.assign(v, [3.0, 4.0])
    tf1.assign_add(v, [3.0, 4.0])
    tf1.scatter_update(v, [0], [5.0])
    raw.RefSwitch(data=v._ref(), pred=True)
    raw.RefMerge(inputs=[v._ref(), v._ref()])
    raw.RefIdentity(input=v._ref())
    raw.IsVariableInitialized(ref=v._ref())
    n = tf1.Variable(7, use_resource=False, dtype=tf.int64, name="n")
    raw.CountUpTo(ref=n._ref(), limit=9)
    tf1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(v * v), var_list=[v])
    queue = tf1.FIFOQueue(3, [tf.int32, tf.string], [[], [2]])
    queue.enqueue([1, ["a", "b"]])
    queue.dequeue_many(2)
    raw.QueueDequeue(handle=raw.FIFOQueue(component_types=[tf.bool, tf.uint8]), component_types=[tf.bool, tf.uint8])
    tf1.ConditionalAccumulator(tf.float32)
    tf1.train.Saver([v])


def resources() -> None:
    v = tf1.Variable([1.0, 2.0], use_resource=True, name="v")
    v.assign_add([1.0, 1.0])
    v.scatter_update(tf.IndexedSlices([3.0], [0]))
    array = tf.TensorArray(tf.int32, 3).unstack([[1], [2], [3]])
    array.concat()
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    table.lookup(tf.constant(["a"]))
    table.export()
    iterator = tf1.data.make_one_shot_iterator(tf1.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).batch(2))
    iterator.get_next()
    raw.TensorListPopBack(
        input_handle=raw.EmptyTensorList(element_shape=[2], max_num_elements=3, element_dtype=tf.half),
        element_shape=[2],
        element_dtype=tf.half,
    )


def control_flow(v2: bool) -> Any:
    def build() -> None:
        (tf1.enable_control_flow_v2 if v2 else tf1.disable_control_flow_v2)()
        x = tf1.placeholder(tf.float32, [], name="x")
        tf1.cond(x > 0.0, lambda: (x, 1), lambda: (x * 2.0, 2), name="branch")
        tf1.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x], name="loop")
        tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: -x, lambda: x + 1.0], name="case")
        tf.map_fn(lambda e: (e, tf.argmax([e, x])), tf.constant([1.0, 2.0]), fn_output_signature=(tf.float32, tf.int64))

    return build


def functions() -> None:
    @function.Defun(tf.float32, tf.int32, func_name="Both")
    def both(x: Any, n: Any) -> Any:
        values, indices = tf.math.top_k(x, n)
        parts = tf.split(values, 2, name="parts")
        return parts[1], indices, tf.identity_n([x, n], name="same")[1]

    @tf.function
    def outer(x: Any) -> Any:
        unique = tf.unique(x, name="unique")
        return inner(unique.y), unique.idx

    @tf.function
    def inner(x: Any) -> Any:
        u, s, v = tf.linalg.svd(tf.reshape(x, [1, -1]), name="svd")[:3]
        return u + v[0, 0], tf.raw_ops.IdentityN(input=[s, tf.shape(x)], name="pair")

    x = tf1.placeholder(tf.float32, [4], name="x")
    both(x, 2)
    outer(x)


GRAPHS = {
    "lists": lists,
    "several outputs": several_outputs,
    "parsing": parsing,
    "references": references,
    "resources": resources,
    "control flow of TF1": control_flow(False),
    "control flow of TF2": control_flow(True),
    "functions": functions,
}


def built() -> Iterator[tuple[dict[str, Any], Any]]:
    for name, build in GRAPHS.items():
        with tf.Graph().as_default() as graph:
            build()
        for title, stripped in ((name, False), (f"{name}, without defaults", True)):
            meta = tf1.MetaGraphDef(graph_def=graph.as_graph_def())
            if stripped:
                strip_graph_default_valued_attrs(meta)
            content = meta.graph_def.SerializeToString(deterministic=True)
            yield {"name": title, "graph": base64.b64encode(content).decode()}, meta.graph_def


def files(corpus: Path) -> Iterator[tuple[dict[str, Any], Any]]:
    for path in sorted(path for path in corpus.rglob("*") if path.is_file()):
        data = path.read_bytes()
        about: dict[str, Any] = {"name": str(path.relative_to(corpus)), "file": str(path.relative_to(corpus))}
        if path.match("*graph_run*.pbtxt"):
            yield about, text_format.Parse(data, tf1.GraphDef())
        elif path.suffix == ".meta":
            yield about, tf1.MetaGraphDef.FromString(data).graph_def
        elif path.name == "saved_model.pb":
            for meta in SavedModel.FromString(data).meta_graphs:
                yield about | {"tags": list(meta.meta_info_def.tags)}, meta.graph_def
        elif path.name == "frozen.pb":
            yield about, tf1.GraphDef.FromString(data)


# --- answers ---------------------------------------------------------------------------------------------------------


def types(graph_def: Any) -> list[Any]:
    with tf.Graph().as_default() as graph:
        tf1.import_graph_def(graph_def, name="")
    operations = (graph.get_operation_by_name(node.name) for node in graph_def.node)
    return [
        [
            [dtype.as_datatype_enum for dtype in operation._input_types],
            [output.dtype.as_datatype_enum for output in operation.outputs],
        ]
        for operation in operations
    ]


def in_functions(library: Any) -> Iterator[tuple[str, Any]]:
    for each in library.function:
        with tf.Graph().as_default() as graph:
            tf1.import_graph_def(tf1.GraphDef(library=library), name="")
            try:
                body, flat = function_def_to_graph_def(each)
                body.library.CopyFrom(library)
                found = types(body)
            except (ValueError, tf.errors.OpError):
                continue
        del graph
        by_name = {node.name: each for node, each in zip(body.node, found, strict=True)}
        ports = {name: int(tensor.rpartition(":")[2]) for name, tensor in flat.items() if name.count(":") == 2}
        yield each.signature.name, {"nodes": [by_name[node.name] for node in each.node_def], "ports": ports}


def rows(corpus: Path) -> Iterator[dict[str, Any]]:
    for about, graph_def in (*built(), *files(corpus)):
        try:
            found = types(graph_def)
        except (ValueError, tf.errors.OpError) as error:
            print(f"{about['name']}: TensorFlow does not import it: {str(error)[:100]}")
            continue
        yield about | {"nodes": found, "functions": dict(in_functions(graph_def.library))}


def main() -> None:
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=0) as file:
        for row in rows(Path(sys.argv[1])):
            print(row["name"], len(row["nodes"]), {name: len(each["nodes"]) for name, each in row["functions"].items()})
            file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")
    FILE.write_bytes(packed.getvalue())


if __name__ == "__main__":
    main()
