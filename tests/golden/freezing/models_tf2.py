"""The SavedModels of answers.tar.xz; see models.py."""

from __future__ import annotations

import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.saved_model.loader_impl import parse_saved_model

from .recording import case, numbers, record, tf1


@case
def saved_model_v1(folder):
    """Several signatures, two sets of tags, an asset, a table that is filled from it."""
    (folder / "words.txt").write_text("cat\ndog\nbird\n")
    tf1.disable_control_flow_v2()
    builder = tf1.saved_model.Builder(str(folder / "saved_model"))
    with tf1.Graph().as_default(), tf1.Session() as session:
        words = tf1.placeholder(tf.string, [None], "words")
        x = tf1.placeholder(tf.float32, [None], "x")
        initializer = tf.lookup.TextFileInitializer(
            str(folder / "words.txt"),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        )
        table = tf.lookup.StaticHashTable(initializer, 2)
        embedding = tf1.get_variable("embedding", initializer=tf.constant(numbers(3, 2)), use_resource=False)
        y = tf.gather(embedding, table.lookup(words), name="y")
        z = tf.multiply(x, embedding[0, 0], name="z")
        session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
        signature = tf1.saved_model.predict_signature_def
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"words": signature({"words": words}, {"vectors": y}), "scale": signature({"x": x}, {"z": z})},
            assets_collection=tf1.get_collection(tf1.GraphKeys.ASSET_FILEPATHS),
            main_op=tf1.tables_initializer(),
        )
        builder.add_meta_graph(["serve", "gpu"], {"scale": signature({"x": x}, {"z": z})})
    builder.save()
    (folder / "words.txt").unlink()
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.saved_model.load(session, ["serve"], str(folder / "saved_model"))
        feeds = {"words:0": np.array([b"dog", b"bird"], object)}
        record(
            folder,
            [(feeds, {"y:0": session.run("y:0", feeds)})],
            signature="words",
            tags="serve",
            initializers=["init_all_tables_1"],
        )


def _save(folder, module, *feeds, signature="serving_default", signatures=None, initializers=(), tags=""):
    """Save a TF2 module; `feeds` are by argument, once for every run."""
    path = str(folder / "saved_model")
    tf.saved_model.save(module, path, signatures=signatures)
    (folder / "saved_model" / "fingerprint.pb").unlink(missing_ok=True)
    definition = parse_saved_model(path).meta_graphs[0].signature_def[signature]
    runs = []
    for each in feeds:
        loaded = tf.saved_model.load(path)
        got = loaded.signatures[signature](**{name: tf.constant(value) for name, value in each.items()})
        runs.append(
            (
                {definition.inputs[name].name: value for name, value in each.items()},
                {definition.outputs[name].name: value.numpy() for name, value in got.items()},
            )
        )
    record(folder, runs, signature=signature, initializers=list(initializers), tags=tags)
    try:
        loaded = tf.saved_model.load(path)
        frozen = convert_variables_to_constants_v2(loaded.signatures[signature])
    except Exception as error:  # any exception is an answer
        print(f"{folder.name}: the reference tool fails: {str(error).splitlines()[0][:150]}", file=sys.stderr)
        return
    (folder / "reference.pb").write_bytes(frozen.graph.as_graph_def().SerializeToString(deterministic=True))


@case
def keras_dense(folder):
    inputs = tf.keras.Input([4], name="features")
    net = tf.keras.layers.Dense(3, activation="relu")(inputs)
    net = tf.keras.layers.BatchNormalization()(net)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, activation="softmax", name="scores")(net))
    model.compile("adam", "mse")
    model.fit(numbers(8, 4), numbers(8, 2), verbose=0)
    _save(folder, model, {"features": numbers(3, 4)})


@case
def keras_convolutions(folder):
    model = tf.keras.Sequential(
        [
            tf.keras.Input([8, 8, 2], name="image"),
            tf.keras.layers.Conv2D(3, 3, padding="same", use_bias=False),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.ReLU(6.0),
            tf.keras.layers.DepthwiseConv2D(3),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(2),
        ]
    )
    _save(folder, model, {"image": numbers(2, 8, 8, 2)})


@case
def keras_lstm(folder):
    """A loop whose body is given variables."""
    model = tf.keras.Sequential(
        [
            tf.keras.Input([5], dtype=tf.int32, name="ids"),
            tf.keras.layers.Embedding(9, 3, mask_zero=True),
            tf.keras.layers.LSTM(4, recurrent_activation="sigmoid", recurrent_dropout=0.1),
            tf.keras.layers.Dense(1),
        ]
    )
    _save(folder, model, {"ids": np.array([[1, 2, 3, 0, 0], [4, 5, 6, 7, 8]], np.int32)})


class _Module(tf.Module):
    pass


@case
def tf_function_signatures(folder):
    """Several signatures with several inputs and outputs, and two variables of the same name."""
    module = _Module()
    module.a = tf.Variable(numbers(3, 2), name="v")
    module.b = tf.Variable(numbers(2), name="v")
    module.c = tf.Variable(numbers(2, offset=9), name="v")
    module.constant = tf.constant(numbers(2, scale=3))

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="x"), tf.TensorSpec([2], name="shift")])
    def first(x, shift):
        values, places = tf.nn.top_k(x @ module.a + module.b + shift * module.constant, 1)
        return {"values": values, "places": places, "shift": shift}

    @tf.function(input_signature=[tf.TensorSpec([None, 2], name="x")])
    def second(x):
        return {"out": x * module.c}

    _save(
        folder,
        module,
        {"x": numbers(4, 3), "shift": numbers(2)},
        signature="first",
        signatures={"first": first, "second": second},
    )


@case
def tf_function_if_and_case(folder):
    module = _Module()
    module.w = tf.Variable(numbers(3, 3), name="w")
    module.b = tf.Variable(numbers(3), name="b")

    @tf.function(input_signature=[tf.TensorSpec([3, 3], name="x"), tf.TensorSpec([], tf.int32, name="which")])
    def run(x, which):
        if which > 0:
            net = tf.matmul(x, module.w)
        elif which < -2:
            net = x + module.b
        else:
            net = x * 2.0
        branches = [lambda: net + module.b, lambda: net * tf.nn.relu(module.w), lambda: net]
        return {"y": tf.switch_case(which, branches)}

    feeds = [{"x": numbers(3, 3), "which": np.int32(which)} for which in (-3, -1, 0, 1, 2)]
    _save(folder, module, *feeds, signatures=run)


@case
def tf_function_while(folder):
    """A loop in a branch in a loop, and calls in each."""
    module = _Module()
    module.w = tf.Variable(numbers(3, 3, scale=0.4), name="w")
    module.steps = tf.Variable(3, name="steps")
    module.table = tf.Variable(numbers(5, 3), name="table")

    @tf.function
    def row(i):
        return tf.gather(module.table, i % 5)

    @tf.function
    def inner(h, i):
        if i > 0:
            for k in tf.range(i):
                h = tf.tanh(h @ module.w) + row(k)
        else:
            h += row(i)
        return h

    @tf.function(input_signature=[tf.TensorSpec([2, 3], name="x")])
    def run(x):
        i = 0
        while i < module.steps:
            x = inner(x, i)
            i += 1
        return {"y": x, "count": tf.convert_to_tensor(i)}

    _save(folder, module, {"x": numbers(2, 3)}, signatures=run)


@case
def tf_function_counter(folder):
    """A variable that changes while the function runs."""
    module = _Module()
    module.total = tf.Variable(numbers(2), name="total")
    module.calls = tf.Variable(7, name="calls", dtype=tf.int64)

    @tf.function(input_signature=[tf.TensorSpec([2], name="x")])
    def run(x):
        before = module.total.read_value()
        module.total.assign_add(x)
        module.calls.assign_sub(2)
        middle = module.total * 2.0
        module.total.assign(middle + before)
        return {"before": before, "middle": middle, "after": module.total.read_value(), "calls": module.calls + 0}

    _save(folder, module, {"x": numbers(2, offset=3)}, signatures=run)


@case
def tf_function_table(folder):
    """A table that is filled from a file of the model."""
    (folder / "words.txt").write_text("cat\ndog\nbird\n")
    module = _Module()
    initializer = tf.lookup.TextFileInitializer(
        str(folder / "words.txt"),
        tf.string,
        tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER,
    )
    module.table = tf.lookup.StaticVocabularyTable(initializer, 2)
    counts = tf.lookup.KeyValueTensorInitializer([0, 1, 2], [5, 6, 7], tf.int64, tf.int64)
    module.counts = tf.lookup.StaticHashTable(counts, -1)
    module.embedding = tf.Variable(numbers(5, 2), name="embedding")

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def run(words):
        ids = module.table.lookup(words)
        return {"y": tf.gather(module.embedding, ids), "counts": module.counts.lookup(ids)}

    _save(folder, module, {"words": np.array([b"dog", b"bird", b"cat"], object)}, signatures=run, initializers=["NoOp"])
    (folder / "words.txt").unlink()


@case
def tf_function_without_variables(folder):
    module = _Module()

    @tf.function(input_signature=[tf.TensorSpec([2], name="x")])
    def run(x):
        return {"same": x, "double": x * 2.0, "constant": tf.constant([3.0])}

    _save(folder, module, {"x": numbers(2)}, signatures=run)


@case
def tf_function_batch_norm_update(folder):
    """Keras in training mode: moving averages are updated and not read."""
    module = _Module()
    module.layer = tf.keras.layers.BatchNormalization()
    module.layer.build([None, 3])
    module.layer.moving_mean.assign(numbers(3))

    @tf.function(input_signature=[tf.TensorSpec([4, 3], name="x")])
    def run(x):
        return {"y": module.layer(x, training=True)}

    _save(folder, module, {"x": numbers(4, 3)}, signatures=run)
