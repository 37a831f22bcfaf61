"""The models of TensorFlow 1 in answers.tar.xz: loops, checkpoints, detection, quantized; see answers.py."""

from __future__ import annotations

import base64

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import rewriter_config_pb2

from ..freezing.recording import record, tf1
from ..transforms.corpus import corpus_model
from ..transforms.tool_answers import ask
from .small import ids, values

__all__ = ["MODELS", "corpus_file"]

MODELS = {}
raw = tf.raw_ops
AS_IT_IS = tf1.ConfigProto(
    graph_options=tf1.GraphOptions(rewrite_options=rewriter_config_pb2.RewriterConfig(disable_meta_optimizer=True))
)
"""Grappler breaks the loops of beam_search."""


def model(function):
    def in_a_graph(folder):
        tf1.disable_control_flow_v2()
        with tf1.Graph().as_default():
            tf1.set_random_seed(3)
            function(folder)

    MODELS[function.__name__] = in_a_graph
    return function


def _run(session, outputs, feeds):
    names = [tensor.name for tensor in outputs]
    return [(each, dict(zip(names, session.run(names, each), strict=True))) for each in feeds]


def frozen(folder, outputs, *feeds, rtol=None, change=None):
    """Freeze the graph; `change` makes another one of it."""
    graph = tf1.get_default_graph()
    with tf1.Session(graph=graph, config=AS_IT_IS) as session:
        session.run(tf1.global_variables_initializer())
        names = [tensor.op.name for tensor in outputs]
        made = tf1.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), names)
    made = change(made) if change else made
    (folder / "graph.pb").write_bytes(made.SerializeToString(deterministic=True))
    with tf1.Graph().as_default(), tf1.Session(config=AS_IT_IS) as session:
        tf1.import_graph_def(made, name="")
        record(folder, _run(session, outputs, feeds), rtol=rtol)


def checkpointed(folder, outputs, *feeds):
    """Save the graph and its variables, and run what is restored."""
    with tf1.Session(config=AS_IT_IS) as session:
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver().save(session, str(folder / "model"))
    with tf1.Graph().as_default(), tf1.Session(config=AS_IT_IS) as session:
        tf1.train.import_meta_graph(str(folder / "model.meta")).restore(session, str(folder / "model"))
        record(folder, _run(session, outputs, feeds))


def corpus_file(folder, corpus, name):
    """Record the values of a frozen graph of the corpus without copying the graph."""
    folder.mkdir()
    graph = corpus_model(corpus, name)
    feeds = {f"{key}:0": value for key, value in graph.feeds.items()}
    with tf1.Graph().as_default() as made, tf1.Session(config=AS_IT_IS) as session:
        tf1.import_graph_def(tf1.GraphDef.FromString(graph.data), name="")
        outputs = [made.get_tensor_by_name(f"{graph.outputs}:0")]
        record(folder, _run(session, outputs, [feeds]), corpus=name)


def variable(name, *shape, scale=0.5):
    return tf1.get_variable(name, initializer=tf.constant(values(*shape, seed=len(name)) * np.float32(scale)))


# --- loops -----------------------------------------------------------------------------------------------------------


def _recurrent():
    words, lengths = tf1.placeholder(tf.int32, [None, None], "words"), tf1.placeholder(tf.int32, [None], "lengths")
    embedded = tf.gather(variable("embedding", 20, 4), words)
    cells = [tf1.nn.rnn_cell.BasicLSTMCell(5), tf1.nn.rnn_cell.GRUCell(3)]
    outputs, state = tf1.nn.dynamic_rnn(tf1.nn.rnn_cell.MultiRNNCell(cells), embedded, lengths, dtype=tf.float32)
    both, _ = tf1.nn.bidirectional_dynamic_rnn(
        tf1.nn.rnn_cell.LSTMCell(3, use_peepholes=True), tf1.nn.rnn_cell.LSTMCell(3), outputs, lengths, dtype=tf.float32
    )
    return tf.identity(tf.concat(both, 2), "y"), tf.identity(state[0].c, "state")


SENTENCES = ({"words:0": ids(2, 6), "lengths:0": np.int32([6, 3])}, {"words:0": ids(1, 4), "lengths:0": np.int32([2])})


@model
def dynamic_rnn(folder):
    frozen(folder, _recurrent(), *SENTENCES)


@model
def checkpoint_of_references(folder):
    tf1.get_variable_scope().set_use_resource(False)
    checkpointed(folder, _recurrent(), *SENTENCES)


@model
def checkpoint_of_resources(folder):
    tf1.get_variable_scope().set_use_resource(True)
    checkpointed(folder, _recurrent(), *SENTENCES)


@model
def beam_search(folder):
    """A decoder that keeps the three best beginnings, word by word, until all have ended or it has twelve words."""
    beams, words, width, longest = 3, 9, 6, 12
    tf1.get_variable_scope().set_use_resource(False)  # which freezing in TensorFlow needs here
    start = tf1.placeholder(tf.float32, [None, width], "start")
    batch = tf.shape(start)[0]
    table, inner = variable("table", words, width), variable("inner", width, width)
    outer = variable("outer", width, words)

    def step(time, state, scores, ended, last, chosen, parents):
        state = tf.tanh(tf.gather(table, last) + tf.tensordot(state, inner, 1))
        steps = tf.nn.log_softmax(tf.tensordot(state, outer, 1) * 2.0)
        only_end = tf.one_hot(tf.zeros_like(last), words, 0.0, -1e9)
        steps = tf.where(tf.tile(ended[..., None], [1, 1, words]), only_end, steps)
        scores, places = tf.nn.top_k(tf.reshape(scores[..., None] + steps, [batch, -1]), beams)
        parent, last = places // words, places % words
        state = tf.gather(state, parent, batch_dims=1)
        ended = tf.logical_or(tf.gather(ended, parent, batch_dims=1), tf.equal(last, 0))
        return time + 1, state, scores, ended, last, chosen.write(time, last), parents.write(time, parent)

    def going_on(time, state, scores, ended, *rest):
        return tf.logical_and(time < longest, tf.logical_not(tf.reduce_all(ended)))

    first = tf.tile([[0.0, -1e9, -1e9]], [batch, 1])
    arrays = [tf.TensorArray(tf.int32, 0, dynamic_size=True, infer_shape=False) for _ in range(2)]
    before = [
        0,
        tf.tile(start[:, None], [1, beams, 1]),
        first,
        tf.zeros([batch, beams], tf.bool),
        tf.ones([batch, beams], tf.int32),
        *arrays,
    ]
    time, _, scores, *_, chosen, parents = tf1.while_loop(going_on, step, before)
    chosen, parents = (tf.ensure_shape(each.stack(), [None, None, beams]) for each in (chosen, parents))

    def back(i, beam, found):
        word = tf.gather(chosen[i], beam, batch_dims=1)
        return i - 1, tf.gather(parents[i], beam, batch_dims=1), found.write(i, word)

    begin = tf.tile(tf.range(beams)[None], [batch, 1])
    found = tf1.while_loop(lambda i, *rest: i >= 0, back, [time - 1, begin, tf.TensorArray(tf.int32, time)])[2].stack()
    frozen(
        folder,
        [tf.identity(tf.transpose(found, [1, 2, 0]), "words"), tf.identity(scores, "scores")],
        {"start:0": values(2, width)},
        {"start:0": values(1, width, seed=4) * 3},
    )


# --- detection -------------------------------------------------------------------------------------------------------


@model
def detection(folder):
    """The postprocessing of an SSD: boxes from anchors, the best of each class, image by image."""
    count, classes, most = 40, 4, 10
    codes = tf1.placeholder(tf.float32, [None, count, 4], "codes")
    logits = tf1.placeholder(tf.float32, [None, count, classes], "logits")
    anchors = tf.constant(np.random.default_rng(2).uniform(0.2, 0.8, (count, 4)).astype(np.float32))
    y, x, height, width = tf.unstack(anchors, axis=1)
    ty, tx, th, tw = tf.unstack(codes * 0.1, axis=2)
    half_height, half_width = tf.exp(th) * height * 0.25, tf.exp(tw) * width * 0.25
    cy, cx = ty * height + y, tx * width + x
    boxes = tf.stack([cy - half_height, cx - half_width, cy + half_height, cx + half_width], 2)
    scores = tf.sigmoid(logits)

    def of_one(given):
        own_boxes, own_scores = given
        found = []
        for number in range(1, classes):
            kept = tf.image.non_max_suppression(own_boxes, own_scores[:, number], most, 0.4, 0.3)
            best = tf.gather(own_scores[:, number], kept)
            found.append((tf.gather(own_boxes, kept), best, tf.zeros_like(kept) + number))
        all_boxes, all_scores, all_classes = (tf.concat(each, 0) for each in zip(*found))  # noqa: B905  AutoGraph does not support strict=
        best, places = tf.nn.top_k(all_scores, tf.minimum(most, tf.size(all_scores)))
        missing = most - tf.size(best)
        rows = tf.gather_nd(tf.clip_by_value(all_boxes, 0.0, 1.0), places[:, None])
        return (
            tf.pad(rows, [[0, missing], [0, 0]]),
            tf.pad(best, [[0, missing]]),
            tf.pad(tf.gather(all_classes, places), [[0, missing]]),
            tf.size(best),
        )

    outputs = tf.map_fn(of_one, (boxes, scores), (tf.float32, tf.float32, tf.int32, tf.int32))
    kept, valid = tf.image.non_max_suppression_padded(boxes[0], scores[0, :, 1], most, pad_to_max_output_size=True)
    combined = tf.image.combined_non_max_suppression(boxes[:, :, None], scores, 5, 8, 0.5, 0.4)
    patches = tf.image.crop_and_resize(
        tf.reshape(scores[:, :36], [-1, 6, 6, classes]), boxes[:, 0], tf.range(tf.shape(boxes)[0]), [3, 3]
    )
    names = ["boxes", "scores", "classes", "count", "kept", "valid", *(f"combined_{n}" for n in range(4)), "patches"]
    tensors = [*outputs, kept, valid, *combined, patches]
    frozen(
        folder,
        [tf.identity(*each) for each in zip(tensors, names, strict=True)],
        {"codes:0": values(2, count, 4), "logits:0": values(2, count, classes)},
    )


@model
def preprocessing(folder):
    """Serialized examples with encoded features, cut and scaled, in batches."""
    serialized = tf1.placeholder(tf.string, [None], "serialized")
    parsed = tf1.io.parse_example(
        tf1.io.decode_base64(serialized),
        {
            "pixels": tf1.io.FixedLenFeature([], tf.string),
            "label": tf1.io.FixedLenFeature([1], tf.int64, -1),
            "tags": tf1.io.VarLenFeature(tf.string),
        },
    )
    image = tf.map_fn(lambda each: tf.reshape(tf1.io.decode_raw(each, tf.uint8), [6, 5, 3]), parsed["pixels"], tf.uint8)
    image = tf1.image.resize_bilinear(tf1.image.convert_image_dtype(image, tf.float32), [8, 8], align_corners=True)
    image = tf.image.central_crop(tf.image.adjust_saturation(image, 0.5), 0.75)
    tags = tf1.sparse.to_dense(parsed["tags"], b"none")
    joined = tf1.strings.reduce_join(tf.strings.upper(tags), 1, separator="+")
    outputs = [tf.identity(image, "image"), tf.identity(parsed["label"], "label"), tf.identity(joined, "tags")]
    examples = []
    for number, tagged in enumerate([[b"a", b"bc"], [], [b"d"]]):
        pixels = np.random.default_rng(number).integers(0, 256, 90, np.uint8).tobytes()
        features = {
            "pixels": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels])),
            "tags": tf.train.Feature(bytes_list=tf.train.BytesList(value=tagged)),
        }
        if number:
            features["label"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
        example = tf.train.Example(features=tf.train.Features(feature=features))
        examples.append(base64.urlsafe_b64encode(example.SerializeToString(deterministic=True)).rstrip(b"="))
    frozen(folder, outputs, {"serialized:0": np.array(examples, object)})


# --- as the C++ tool leaves them -------------------------------------------------------------------------------------


def _convolutions():
    x = tf1.placeholder(tf.float32, [2, 10, 10, 3], "x")
    net = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, variable("first", 3, 3, 3, 8), 1, "SAME"), variable("bias", 8)))
    net = tf.nn.max_pool2d(tf.nn.relu6(tf.nn.conv2d(net, variable("second", 3, 3, 8, 16), 2, "VALID")), 2, 2, "VALID")
    return tf.nn.bias_add(tf.reshape(net, [2, 64]) @ variable("dense", 64, 16), variable("biases", 16), name="y")


def _transformed(transforms):
    return lambda graph: tf1.GraphDef.FromString(ask(graph.SerializeToString(), "x", "y", transforms)["graph"])


@model
def quantized_weights(folder):
    change = _transformed("quantize_weights(minimum_size=16)")
    frozen(folder, [_convolutions()], {"x:0": values(2, 10, 10, 3)}, change=change)


@model
def quantized_nodes(folder):
    change = _transformed("quantize_weights(minimum_size=16) quantize_nodes")
    frozen(folder, [_convolutions()], {"x:0": values(2, 10, 10, 3)}, change=change)


@model
def fake_quantized(folder):
    """A model trained with fake quantization for eight bits."""
    x = tf1.placeholder(tf.float32, [2, 8, 8, 3], "x")
    fake = tf.quantization.fake_quant_with_min_max_args
    weights = tf.quantization.fake_quant_with_min_max_vars_per_channel(
        variable("weights", 3, 3, 3, 6), tf.fill([6], -1.0), tf.fill([6], 1.0)
    )
    y = fake(tf.nn.relu6(tf.nn.conv2d(fake(x, -3, 3), weights, 1, "SAME")), 0, 6)
    y = fake(tf.nn.depthwise_conv2d(y, variable("depth", 3, 3, 6, 2), [1, 2, 2, 1], "SAME"), -8, 8)
    frozen(folder, [tf.identity(y, "y")], {"x:0": values(2, 8, 8, 3)}, rtol=1e-2)


@model
def folded(folder):
    """Batch norms and padding folded into convolutions, which TensorFlow computes right for one image only."""
    x = tf1.placeholder(tf.float32, [1, 10, 10, 3], "x")
    padded = tf.pad(x, [[0, 0], [2, 2], [2, 2], [0, 0]], "REFLECT")
    net = tf.nn.conv2d(padded, variable("first", 3, 3, 3, 8), 2, "VALID")
    net = raw.FusedBatchNorm(
        x=net,
        scale=variable("scale", 8) + 1,
        offset=variable("offset", 8),
        mean=variable("mean", 8),
        variance=variable("var", 8) ** 2 + 1,
        is_training=False,
    )[0]
    net = tf.nn.conv2d(tf1.image.resize_bilinear(net, [12, 12]), variable("second", 3, 3, 8, 4), 1, "VALID")
    change = _transformed(
        "fold_constants fold_old_batch_norms fuse_pad_and_conv fuse_resize_and_conv "
        "round_weights(num_steps=64) obfuscate_names"
    )
    frozen(folder, [tf.nn.softmax(net, name="y")], {"x:0": values(1, 10, 10, 3)}, change=change)
