"""The nets that answers.py makes in TensorFlow: small trained ones, and large ones with random weights.

Only trained nets show the cost of a recipe. A net is frozen as it was trained, with its batch norms, and takes one
input: `image`, `vector` or `words`.
"""

from __future__ import annotations

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from ..whole_models.keras import SIZES
from ..whole_models.small import frozen, randomized, values
from .problems import CLASSES, PROBLEMS

__all__ = ["NETS", "large", "trained"]

K = tf.keras.layers
EXAMPLES = 5000


def _normalized(layer, net):
    return K.ReLU(6.0)(K.BatchNormalization(momentum=0.9)(layer(net)))


def convnet():
    image = tf.keras.Input([16, 16, 3], name="image")
    net = _normalized(K.Conv2D(12, 3, padding="same", use_bias=False), image)
    net = K.MaxPooling2D(2)(_normalized(K.Conv2D(16, 3, padding="same", use_bias=False), net))
    net = K.MaxPooling2D(2)(_normalized(K.Conv2D(24, 3, padding="same", use_bias=False), net))
    net = K.GlobalAveragePooling2D()(_normalized(K.Conv2D(32, 3), net))
    return image, K.Dense(CLASSES)(net)


def separable():
    """Inverted residuals, as those of MobileNetV2."""
    image = tf.keras.Input([16, 16, 3], name="image")
    net = _normalized(K.Conv2D(16, 3, 2, "same", use_bias=False), image)
    for strides, channels in ((1, 16), (2, 24), (1, 24)):
        inside = _normalized(K.Conv2D(net.shape[-1] * 4, 1, use_bias=False), net)
        inside = _normalized(K.DepthwiseConv2D(3, strides, "same", use_bias=False), inside)
        inside = K.BatchNormalization(momentum=0.9)(K.Conv2D(channels, 1, use_bias=False)(inside))
        net = inside + net if inside.shape == net.shape else inside
    net = K.GlobalAveragePooling2D()(_normalized(K.Conv2D(64, 1, use_bias=False), net))
    return image, K.Dense(CLASSES)(net)


def perceptron():
    vector = tf.keras.Input([24], name="vector")
    net = K.Dense(64, activation="relu")(K.Dense(96, activation="relu")(vector))
    return vector, K.Dense(CLASSES)(net)


def recurrent():
    """A loop over words, as Keras writes it."""
    words = tf.keras.Input([14], dtype=tf.int32, name="words")
    return words, K.Dense(CLASSES)(K.GRU(40)(K.Embedding(20, 16)(words)))


NETS = {convnet: ("images", 6), separable: ("images", 6), perceptron: ("vectors", 12), recurrent: ("words", 12)}
"""The problem that each net learns, and the number of epochs."""


def trained(build):
    """A frozen net in bytes, with the names of its input and its output."""
    problem, epochs = NETS[build]
    tf.keras.backend.clear_session()
    tf.keras.utils.set_random_seed(5)
    given, scores = build()
    net = tf.keras.Model(given, scores)
    steps = tf.keras.optimizers.schedules.CosineDecay(4e-3, epochs * EXAMPLES // 50)
    net.compile(tf.keras.optimizers.Adam(steps), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    net.fit(*PROBLEMS[problem](EXAMPLES, 0), batch_size=50, epochs=epochs, verbose=0)
    spec = tf.TensorSpec([None, *given.shape[1:]], given.dtype, name=given.name)
    called = tf.function(lambda x: net(x, training=False))
    made = convert_variables_to_constants_v2(called.get_concrete_function(spec), lower_control_flow=True)
    graph = made.graph.as_graph_def()
    for node in graph.node:
        node.attr.pop("_output_shapes", None)
        node.name = "scores" if node.name == made.outputs[0].op.name else node.name
    return graph.SerializeToString(deterministic=True), made.inputs[0].name, "scores:0"


def large(folder):
    """A large model of Keras, called like its folder, frozen there. Its weights are random, and no two are alike."""
    net = randomized(getattr(tf.keras.applications, folder.name)(weights=None, classifier_activation=None))
    random = np.random.default_rng(8)
    for weight in net.weights:
        weight.assign(weight * random.uniform(0.99, 1.01, weight.shape))
    size = SIZES[folder.name]
    frozen(folder, net, [values(2, size, size, 3)])
