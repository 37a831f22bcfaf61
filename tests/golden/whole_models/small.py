"""The small models of TensorFlow 2 in answers.tar.xz: frozen graphs and SavedModels; see answers.py.

Weights are random, with the magnitude of trained layers, so that every output depends on the input.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.python.saved_model.loader_impl import parse_saved_model

from ..freezing.recording import record

__all__ = ["MODELS", "frozen", "randomized", "saved", "values"]

MODELS = {}
K = tf.keras.layers


def model(function):
    MODELS[function.__name__] = function
    return function


def values(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(np.float32)


def ids(*shape, most=20):
    return np.random.default_rng([1, *shape]).integers(1, most, shape).astype(np.int32)


def randomized(keras):
    """A model of Keras, with weights as after training."""
    random = np.random.default_rng(7)
    for weight in keras.weights:
        if "variance" in weight.name or "gamma" in weight.name:
            value = random.uniform(0.5, 1.5, weight.shape)
        else:
            fan_in = max(np.prod(weight.shape[:-1]), 1)
            value = random.standard_normal(weight.shape) * (1.5 / fan_in) ** 0.5
        weight.assign(np.round(value * 256) / 256)  # which is packed in fewer bytes
    return keras


def frozen(folder, function, *feeds, lower=True, rtol=None):
    """Freeze a function of one or more tensors, and run it with each feed: a list of arrays."""
    arrays = map(np.asarray, feeds[0])
    specs = [tf.TensorSpec([None, *each.shape[1:]] if each.ndim else [], each.dtype) for each in arrays]
    concrete = tf.function(function).get_concrete_function(*specs)
    made = convert_variables_to_constants_v2(concrete, lower_control_flow=lower)
    (folder / "graph.pb").write_bytes(made.graph.as_graph_def().SerializeToString(deterministic=True))
    runs = []
    for each in feeds:
        given = made(*map(tf.constant, each))
        given = given if isinstance(given, (list, tuple)) else [given]
        named = {tensor.name: value for tensor, value in zip(made.inputs, each, strict=True)}
        runs.append((named, {tensor.name: value.numpy() for tensor, value in zip(made.outputs, given, strict=True)}))
    record(folder, runs, rtol=rtol)


def saved(folder, module, *feeds, signature="serving_default", signatures=None):
    """Save a module, load it again, and run its signature with each feed: a dict."""
    path = str(folder / "saved_model")
    tf.saved_model.save(module, path, signatures=signatures)
    assert parse_saved_model(path).meta_graphs[0].signature_def[signature].inputs
    loaded = tf.saved_model.load(path)
    call = loaded.signatures[signature]
    runs = []
    for each in feeds:
        given = call(**{name: tf.constant(value) for name, value in each.items()})
        runs.append((each, {name: value.numpy() for name, value in given.items()}))
    record(folder, runs, signature=signature)


# --- images ----------------------------------------------------------------------------------------------------------


def classifier(*layers, size=16):
    image = tf.keras.Input([size, size, 3], name="image")
    net = image
    for layer in layers:
        net = layer(net)
    net = K.Dense(7)(K.GlobalAveragePooling2D()(net))
    return randomized(tf.keras.Model(image, net))


def normalized(layer, activation="relu"):
    return lambda net: K.Activation(activation)(K.BatchNormalization()(layer(net)))


def inverted_residual(channels, expansion=3, strides=1):
    def block(net):
        inner = net.shape[-1] * expansion
        inside = normalized(K.Conv2D(inner, 1, use_bias=False), tf.nn.relu6)(net)
        if strides > 1:
            inside = K.ZeroPadding2D(((0, 1), (0, 1)))(inside)
        depthwise = K.DepthwiseConv2D(3, strides, "valid" if strides > 1 else "same", use_bias=False)
        inside = K.Conv2D(channels, 1, use_bias=False)(normalized(depthwise, tf.nn.relu6)(inside))
        inside = K.BatchNormalization()(inside)
        return inside + net if strides == 1 and net.shape[-1] == channels else inside

    return block


def squeezed(net):
    scale = K.Dense(4, activation="swish")(K.GlobalAveragePooling2D(keepdims=True)(net))
    return net * K.Dense(net.shape[-1], activation="sigmoid")(scale)


def dense_block(net):
    for _ in range(3):
        inside = K.Conv2D(8, 1)(K.ReLU()(K.BatchNormalization(epsilon=1.001e-5)(net)))
        net = K.concatenate([net, K.Conv2D(4, 3, padding="same")(inside)])
    return K.AveragePooling2D(2)(K.Conv2D(8, 1)(net))


def inception_block(net):
    row = normalized(K.Conv2D(6, (1, 5), padding="same"))(net)
    column = normalized(K.Conv2D(6, (5, 1), padding="same"))(row)
    pooled = K.Conv2D(4, 1)(K.AveragePooling2D(3, 1, "same")(net))
    return K.concatenate(
        [column, K.Conv2D(5, 3, padding="same", dilation_rate=2)(net), pooled, K.MaxPooling2D(3, 1, "same")(net)]
    )


@model
def mobile(folder):
    net = classifier(
        normalized(K.Conv2D(8, 3, 2, "same", use_bias=False)),
        inverted_residual(8),
        inverted_residual(12, strides=2),
        inverted_residual(12),
    )
    frozen(folder, net, [values(2, 16, 16, 3)], [values(1, 16, 16, 3)])


@model
def residual(folder):
    def block(net):
        inside = normalized(K.Conv2D(6, 3, padding="same"))(normalized(K.Conv2D(6, 1))(net))
        return K.ReLU()(K.add([net, K.BatchNormalization()(K.Conv2D(10, 1)(inside))]))

    frozen(
        folder,
        classifier(K.ZeroPadding2D(3), K.Conv2D(10, 7, 2), K.MaxPooling2D(3, 2), block, block),
        [values(2, 16, 16, 3)],
    )


@model
def squeeze_and_excite(folder):
    net = classifier(
        K.Rescaling(0.5, 0.1),
        K.Normalization(mean=[0.1, 0.2, 0.3], variance=[1.0, 2.0, 3.0]),
        normalized(K.Conv2D(8, 3, 2), "swish"),
        squeezed,
        K.SeparableConv2D(12, 5),
        squeezed,
        K.PReLU(),
    )
    frozen(folder, net, [values(2, 16, 16, 3)])


@model
def concatenations(folder):
    frozen(folder, classifier(K.Conv2D(8, 3), dense_block, inception_block, dense_block), [values(2, 16, 16, 3)])


@model
def segmentation(folder):
    """Down, up again by three ways, and the class of each pixel."""
    image = tf.keras.Input([12, 12, 3])
    down = K.Conv2D(6, 3, 2, "same", activation="elu")(image)
    net = K.LeakyReLU(0.1)(K.Conv2D(8, 3, 2, "same")(down))
    smooth = K.UpSampling2D(2, interpolation="bilinear")(net)
    net = K.concatenate([K.Conv2DTranspose(6, 3, 2, "same")(net), down, smooth])
    net = K.Conv2D(4, 1)(K.UpSampling2D(2)(net))
    net = randomized(tf.keras.Model(image, net))
    resized = lambda x: tf.image.resize(net(x), [17, 15], "bicubic")  # noqa: E731  an output of one expression
    frozen(folder, lambda x: (resized(x), tf.argmax(resized(x), -1)), [values(2, 12, 12, 3)])


@model
def channels_first(folder):
    """NCHW, as far as TensorFlow has it without a GPU."""
    weights, moved = values(3, 3, 3, 8), [0, 3, 1, 2]

    def net(x):
        y = tf.transpose(tf.nn.conv2d(tf.transpose(x, [0, 2, 3, 1]), weights, 2, "SAME"), moved)
        y = tf.nn.relu(tf.nn.bias_add(y, values(8), "NCHW"))
        y, *_ = tf.raw_ops.FusedBatchNormV3(
            x=y,
            scale=values(8) + 2,
            offset=values(8, seed=1),
            mean=values(8, seed=2),
            variance=values(8) ** 2 + 1,
            data_format="NCHW",
            is_training=False,
        )
        return tf.reduce_mean(y, [2, 3]), tf.pad(y, [[0, 0], [0, 0], [1, 1], [1, 2]], "REFLECT")

    frozen(folder, net, [values(2, 3, 10, 8)])


@model
def volumes(folder):
    net = randomized(
        tf.keras.Sequential(
            [
                tf.keras.Input([6, 7, 8, 2]),
                K.Conv3D(4, 3, activation="relu"),
                K.MaxPooling3D((1, 2, 2)),
                K.BatchNormalization(),
                K.Reshape([-1, 4]),
                K.Conv1D(5, 3, padding="causal"),
                K.AveragePooling1D(2),
                K.Cropping1D(1),
                K.Flatten(),
                K.Dense(3, activation="softmax"),
            ]
        )
    )
    frozen(folder, net, [values(2, 6, 7, 8, 2)])


# --- narrow types ----------------------------------------------------------------------------------------------------


def _narrow(folder, policy, build, rtol):
    tf.keras.mixed_precision.set_global_policy(policy)
    try:
        net = classifier(*build(), size=12)
        frozen(folder, lambda x: tf.cast(net(x), tf.float32), [values(2, 12, 12, 3)], rtol=rtol)
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")


@model
def half(folder):
    layers = lambda: [normalized(K.Conv2D(8, 3, 2)), K.DepthwiseConv2D(3), K.LayerNormalization()]  # noqa: E731  made later
    _narrow(folder, "mixed_float16", layers, 4e-3)


@model
def bfloat16(folder):
    """TensorFlow's plain kernels have no batch norm for these."""
    layers = lambda: [K.Conv2D(8, 3, 2, activation="relu"), K.DepthwiseConv2D(3), K.ELU()]  # noqa: E731  made later
    _narrow(folder, "mixed_bfloat16", layers, 3e-2)


@model
def half_weights(folder):
    """Weights that are stored as half and bfloat16, and used as float32."""
    a, b = tf.constant(values(6, 8), tf.float16), tf.constant(values(8, 3), tf.bfloat16)
    frozen(folder, lambda x: tf.nn.relu(x @ tf.cast(a, tf.float32)) @ tf.cast(b, tf.float32), [values(3, 6)])


# --- sequences -------------------------------------------------------------------------------------------------------


def _bidirectional():
    return randomized(
        tf.keras.Sequential(
            [
                tf.keras.Input([9], dtype=tf.int32),
                K.Embedding(20, 6, mask_zero=True),
                K.Bidirectional(K.LSTM(5, return_sequences=True)),
                K.Bidirectional(K.GRU(4)),
                K.Dense(3),
            ]
        )
    )


WORDS = np.where(np.arange(9) < [[9], [4]], ids(2, 9), 0).astype(np.int32)


@model
def bidirectional(folder):
    frozen(folder, _bidirectional(), [WORDS], [WORDS[:1]])


@model
def bidirectional_with_functions(folder):
    """While and If as ops that call functions."""
    frozen(folder, _bidirectional(), [WORDS], [WORDS[:1]], lower=False)


def _branches(x):
    def grow(i, y):
        return i + 1, tf.cond(tf.reduce_sum(y) > 3.0, lambda: y * 0.5, lambda: tf.tanh(y) + y * 2.0)

    y = tf.while_loop(lambda i, y: i < 5, grow, [0, x])[1]
    which = tf.cast(tf.reduce_max(y) * 2.0, tf.int32) % 3
    z = tf.switch_case(which, [lambda: y, lambda: tf.sort(y), lambda: tf.cumsum(y, 1)])
    return z, tf.scan(lambda a, each: a * 0.5 + each, tf.transpose(z))


@model
def branches(folder):
    frozen(folder, _branches, *([values(2, 3, seed=seed)] for seed in range(4)))


@model
def branches_with_functions(folder):
    frozen(folder, _branches, *([values(2, 3, seed=seed)] for seed in range(4)), lower=False)


@model
def recurrent_cells(folder):
    """Recurrent layers of Keras other than LSTM and GRU, and stacks of cells."""
    image = tf.keras.Input([5, 6, 6, 2])
    net = K.ConvLSTM2D(3, 3, padding="same", return_sequences=True)(image)
    net = K.TimeDistributed(K.Flatten())(net)
    net = K.RNN([K.LSTMCell(4), K.GRUCell(3, reset_after=False)], return_sequences=True)(net)
    net = K.SimpleRNN(4, go_backwards=True)(net)
    frozen(folder, randomized(tf.keras.Model(image, net)), [values(2, 5, 6, 6, 2)])


class Encoder(tf.keras.Model):
    """A Transformer's encoder, with positions and a mask."""

    def __init__(self, layers=2, width=16, heads=4):
        super().__init__()
        self.words, self.places = K.Embedding(20, width), K.Embedding(12, width)
        self.parts = [
            (
                K.MultiHeadAttention(heads, width // heads),
                K.LayerNormalization(),
                K.Dense(24, "gelu"),
                K.Dense(width),
                K.LayerNormalization(),
            )
            for _ in range(layers)
        ]
        self.last = K.Dense(5)

    def call(self, x):
        mask = tf.not_equal(x, 0)
        net = self.words(x) + self.places(tf.range(tf.shape(x)[1]))
        for attend, first, wide, narrow, second in self.parts:
            net = first(net + attend(net, net, attention_mask=mask[:, tf.newaxis]))
            net = second(net + narrow(wide(net)))
        kept = tf.cast(mask, tf.float32)[..., tf.newaxis]
        return tf.nn.log_softmax(self.last(tf.reduce_sum(net * kept, 1) / tf.reduce_sum(kept, 1)))


@model
def transformer(folder):
    net = Encoder()
    net(WORDS)
    frozen(folder, randomized(net), [WORDS], [ids(1, 9)])


@model
def text_recognition(folder):
    """Columns of an image, read by a recurrent layer and a CTC decoder."""
    image = tf.keras.Input([12, 32, 1])
    net = K.MaxPooling2D(2)(K.Conv2D(6, 3, padding="same", activation="relu")(image))
    net = K.Permute([2, 1, 3])(K.MaxPooling2D((2, 1))(K.Conv2D(8, 3, padding="same", activation="relu")(net)))
    net = K.Dense(11)(K.Bidirectional(K.LSTM(6, return_sequences=True))(K.Reshape([16, 24])(net)))
    net = randomized(tf.keras.Model(image, net))

    def read(x):
        scores = tf.transpose(net(x) * 9.0, [1, 0, 2])
        lengths = tf.fill([tf.shape(x)[0]], 16)
        (found,), log_probability = tf.nn.ctc_greedy_decoder(scores, lengths)
        return scores, tf.sparse.to_dense(found, -1), log_probability

    frozen(folder, read, [values(3, 12, 32, 1)])


# --- SavedModels -----------------------------------------------------------------------------------------------------


@model
def saved_keras(folder):
    image = tf.keras.Input([10, 10, 3], name="image")
    extra = tf.keras.Input([4], name="extra")
    net = K.Flatten()(inverted_residual(8, strides=2)(normalized(K.Conv2D(6, 3))(image)))
    net = K.Dropout(0.5)(K.concatenate([K.GaussianNoise(1.0)(net), K.Dense(5, activation="tanh")(extra)]))
    outputs = {"classes": K.Dense(4, activation="softmax", name="classes")(net), "box": K.Dense(2, name="box")(net)}
    saved(
        folder,
        randomized(tf.keras.Model([image, extra], outputs)),
        {"image": values(2, 10, 10, 3), "extra": values(2, 4)},
    )


@model
def saved_text_classifier(folder):
    """Strings are cleaned, cut and looked up in a table that is filled from an asset; a counter counts."""
    words = folder / "words.txt"
    words.write_text("good\nbad\nvery\nfilm\nnot\n")
    module = tf.Module()
    initializer = tf.lookup.TextFileInitializer(
        str(words), tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
    )
    module.table = tf.lookup.StaticHashTable(initializer, 5)
    module.embedding = tf.Variable(values(6, 3))
    module.seen = tf.Variable(0, dtype=tf.int64)
    module.longest = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    module.names = tf.constant(["bad", "neutral", "good"])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    def classify(text):
        module.seen.assign_add(tf.size(text, tf.int64))
        clean = tf.strings.regex_replace(tf.strings.lower(tf.strings.strip(text)), "[^a-z ]+", "")
        tokens = tf.strings.split(clean)
        found = module.table.lookup(tokens.flat_values)
        vectors = tf.math.unsorted_segment_mean(
            tf.gather(module.embedding, found), tokens.value_rowids(), tokens.nrows()
        )
        before = module.longest.lookup(clean)
        module.longest.insert(clean, tf.cast(tf.strings.length(text), tf.int64))
        best = tf.argmax(vectors, 1)
        label = tf.strings.join([tf.gather(module.names, best), tf.as_string(vectors[:, 0], 3)], ":")
        return {
            "label": label,
            "scores": tf.nn.softmax(vectors),
            "seen": module.seen + 0,
            "before": before,
            "buckets": tf.strings.to_hash_bucket_fast(clean, 1000),
            "first": tf.strings.substr(text, 0, 3),
        }

    texts = [
        np.array([b" A very GOOD film!", b"not bad, not good", b"Nothing known here 42"], object),
        np.array([b"bad bad film", b"not bad, not good"], object),
    ]
    saved(folder, module, *({"text": text} for text in texts), signatures=classify)
    words.unlink()
