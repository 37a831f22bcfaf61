"""Make answers.tar.xz: batch norms of training, and their results with moving averages.

    python -m tests.golden.training_norms.answers        # with a Python that has TensorFlow 2.12

Each model is built twice with the same variables: as a training graph, which is saved, and as the graph that its author
would deploy. The moving averages are updated by three batches.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.golden.packing import files_in, pack

__all__ = ["ARCHIVE"]

ARCHIVE = Path(__file__).with_name("answers.tar.xz")

if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()

    def layers(x: tf.Tensor, training: bool, **options: bool) -> tf.Tensor:
        return tf.layers.batch_normalization(x, training=training, momentum=0.6, name="norm", **options)

    def unfused(x: tf.Tensor, training: bool) -> tf.Tensor:
        return layers(x, training, fused=False)

    def resource(x: tf.Tensor, training: bool) -> tf.Tensor:
        with tf.variable_scope("", use_resource=True):
            return layers(x, training)

    def keras(x: tf.Tensor, training: bool) -> tf.Tensor:
        layer = tf.keras.layers.BatchNormalization(momentum=0.6, name="norm")
        y = layer(x, training=training)
        for update in layer.updates if training else ():
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        return y

    def by_hand(x: tf.Tensor, training: bool) -> tf.Tensor:
        with tf.variable_scope("norm"):
            mean = tf.get_variable("mean", [3], initializer=tf.zeros_initializer(), trainable=False)
            variance = tf.get_variable("variance", [3], initializer=tf.ones_initializer(), trainable=False)
            statistics = (mean, variance)
            if training:
                statistics = tf.nn.moments(x, [0, 1, 2])
                averages = zip((mean, variance), statistics, strict=True)
                updates = [tf.assign(old, old * 0.6 + new * 0.4) for old, new in averages]
                with tf.control_dependencies(updates):  # as in code without UPDATE_OPS
                    return tf.nn.batch_normalization(x, *statistics, None, None, 1e-3)
            return tf.nn.batch_normalization(x, *statistics, None, None, 1e-3)

    def averaged(x: tf.Tensor, training: bool) -> tf.Tensor:
        with tf.variable_scope("norm"):
            statistics = tf.nn.moments(x, [0, 1, 2])
            averages = tf.train.ExponentialMovingAverage(0.6)
            update = averages.apply(statistics)
            if training:
                with tf.control_dependencies([update]):
                    statistics = [*map(tf.identity, statistics)]
            else:
                statistics = [*map(averages.average, statistics)]
            return tf.nn.batch_normalization(x, *statistics, None, None, 1e-3)

    forms: list[Callable[[tf.Tensor, bool], tf.Tensor]] = [layers, unfused, resource, keras, by_hand, averaged]

    def graph_of(form: Callable[[tf.Tensor, bool], tf.Tensor], training: bool) -> tf.Graph:
        graph = tf.Graph()
        with graph.as_default():
            x = tf.placeholder(tf.float32, [None, 4, 4, 3], name="x")
            tf.reduce_sum(tf.nn.relu(form(x, training)), [1, 2], name="y")
        return graph

    def values_of(form: Callable[[tf.Tensor, bool], tf.Tensor], prefix: str) -> dict[str, np.ndarray]:
        """Train a model, save it, and return what it computes in training and in use."""
        random = np.random.RandomState(1)
        x = random.standard_normal((2, 4, 4, 3)).astype("f4")
        with graph_of(form, True).as_default() as graph, tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                batch = random.standard_normal((5, 4, 4, 3)) * [1, 2, 3] + [3, 2, 1]
                session.run(["y:0", tf.get_collection(tf.GraphKeys.UPDATE_OPS)], {"x:0": batch})
            tf.train.Saver().save(session, prefix)
            trained = session.run(graph.get_tensor_by_name("y:0"), {"x:0": x})
        with graph_of(form, False).as_default(), tf.Session() as session:
            tf.train.Saver().restore(session, prefix)
            return {"x": x, "trained": trained, "deployed": session.run("y:0", {"x:0": x})}

    with tempfile.TemporaryDirectory() as temporary:
        for form in forms:
            folder = Path(temporary, form.__name__)
            folder.mkdir()
            np.savez(folder / "values.npz", **values_of(form, f"{folder}/model"))
            (folder / "checkpoint").unlink()
        pack(ARCHIVE, files_in(Path(temporary)))
    print(f"{len(forms)} models, {ARCHIVE.stat().st_size:,} bytes")
