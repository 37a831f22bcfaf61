"""Check that TensorFlow restores the checkpoints that tfmodel writes.

    python -m tests.golden.checkpoints.restoring        # with a Python that has TensorFlow 2.12 and NumPy

Each checkpoint of answers.tar.xz is rewritten by tfmodel and read by TensorFlow in three ways:
`tf.train.load_checkpoint`, the op that `tf.train.Saver` uses, and, for a model of each kind,
`tf.compat.v1.train.Saver` and `tf.train.Checkpoint`, also after `rewrite_checkpoint`. Prints a line for each
checkpoint; the exit status is 1 if anything differs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

from tests.tfmodel.files.checkpoints.golden import NAMES, golden
from tfmodel.files.checkpoints.checkpoint import Checkpoint
from tfmodel.files.checkpoints.writing import write_checkpoint
from tfmodel.parameters.rewriting import rewrite_checkpoint

tf1 = tf.compat.v1


def same(restored: tf.Tensor, expected: np.ndarray) -> bool:
    if restored.dtype == tf.bfloat16:
        restored = tf.cast(restored, tf.float32)
    elif restored.dtype.is_quantized:
        restored = tf.bitcast(restored, tf.as_dtype(expected.dtype))
    if expected.dtype == object:
        flat = tf.reshape(restored, [-1])
        return restored.shape == expected.shape and [value.numpy() for value in flat] == expected.reshape(-1).tolist()
    array = restored.numpy()
    return array.dtype == expected.dtype and array.shape == expected.shape and array.tobytes() == expected.tobytes()


def differences(name: str, prefix: str) -> list[str]:
    """The tensors of a golden checkpoint that TensorFlow does not restore as they were, once we have written them."""
    expected = golden(name).tensors
    with Checkpoint(golden(name).path) as checkpoint:
        dtypes = {key: checkpoint.entries[key].dtype for key in expected}
    write_checkpoint(prefix, expected, dtypes=dtypes)
    reader = tf.train.load_checkpoint(prefix)
    stored_dtypes = reader.get_variable_to_dtype_map()
    wrong = sorted(stored_dtypes.keys() ^ expected.keys())
    for key, array in expected.items():
        restored = tf.raw_ops.RestoreV2(
            prefix=prefix, tensor_names=[key], shape_and_slices=[""], dtypes=[stored_dtypes[key]]
        )[0]
        if stored_dtypes[key] != int(dtypes[key]) or not same(restored, array):
            wrong.append(key)
        elif array.dtype.kind in "fiub" and not stored_dtypes[key].is_quantized and stored_dtypes[key] != tf.bfloat16:
            wrong += [key] * (reader.get_tensor(key).tobytes() != array.tobytes())
    return wrong


def saver_differs(prefix: str) -> bool:
    """A TF1 graph whose variables come from us, and are saved again by TensorFlow."""
    values = {"dense/kernel": np.float32([[1, 2], [3, 4]]), "dense/bias": np.float32([5, 6]), "step": np.int64(7)}
    write_checkpoint(prefix, values)
    with tf.Graph().as_default(), tf1.Session() as session:
        variables = {name: tf1.get_variable(name, initializer=np.zeros_like(value)) for name, value in values.items()}
        saver = tf1.train.Saver()
        saver.restore(session, prefix)
        restored = session.run(variables)
        saver.save(session, f"{prefix}-again", write_meta_graph=False, write_state=False)
    files = [".index", ".data-00000-of-00001"]
    ours, theirs = ([Path(start + file).read_bytes() for file in files] for start in (prefix, f"{prefix}-again"))
    return ours != theirs or any(restored[name].tobytes() != value.tobytes() for name, value in values.items())


def objects_differ(prefix: str) -> bool:
    """A TF2 checkpoint, read and written by us with other values, restored into objects."""
    saved = tf.train.Checkpoint(step=tf.Variable(1, dtype=tf.int64), layers=[tf.Variable([1.0, 2.0])])
    saved.write(prefix)
    with Checkpoint(prefix) as checkpoint:
        graph = checkpoint.object_graph
        assert graph is not None
        changed = dict(checkpoint) | {graph.names["layers/0"]: np.float32([8, 9])}
    write_checkpoint(f"{prefix}-changed", changed)
    restored = tf.train.Checkpoint(step=tf.Variable(0, dtype=tf.int64), layers=[tf.Variable([0.0, 0.0])])
    restored.read(f"{prefix}-changed").assert_consumed()
    return restored.step.numpy() != 1 or restored.layers[0].numpy().tolist() != [8, 9]


def rewritten_saver_differs(prefix: str) -> bool:
    """A TF1 graph with Adam whose checkpoint `rewrite_checkpoint` gave another scope, without the optimizer."""
    with tf.Graph().as_default(), tf1.Session() as session:
        kernel = tf1.get_variable("encoder/kernel", initializer=np.float32([[1, 2], [3, 4]]))
        tf1.train.AdamOptimizer().minimize(tf1.reduce_sum(kernel * kernel))
        session.run(tf1.global_variables_initializer())
        tf1.train.Saver().save(session, prefix)
    rewrite_checkpoint(prefix, f"{prefix}-new", rename={"^encoder/": "bert/encoder/"}, optimizer=False, cast="float64")
    with tf.Graph().as_default(), tf1.Session() as session:
        kernel = tf1.get_variable("bert/encoder/kernel", initializer=np.zeros((2, 2)))
        tf1.train.Saver().restore(session, f"{prefix}-new")
        restored = session.run(kernel).tolist()
    return restored != [[1, 2], [3, 4]] or len(tf.train.list_variables(f"{prefix}-new")) != 1


def rewritten_objects_differ(prefix: str) -> bool:
    """Objects with an optimizer, restored from checkpoints with other keys: with their slots, and without."""

    def objects(value: float) -> tuple[tf.Variable, tf.train.Checkpoint]:
        kernel, optimizer = tf.Variable([value, value]), tf.keras.optimizers.legacy.Adam()
        optimizer.apply_gradients([(tf.constant([value, value]), kernel)])
        return kernel, tf.train.Checkpoint(kernel=kernel, optimizer=optimizer)

    kernel, saved = objects(1.0)
    saved.write(prefix)
    rewrite_checkpoint(prefix, f"{prefix}-renamed", rename={"^kernel/": "net/w/", "^optimizer/": "adam/"})
    rewrite_checkpoint(prefix, f"{prefix}-small", rename={"^kernel/": "net/w/"}, optimizer=False)
    wrong = False
    for new in (f"{prefix}-renamed", f"{prefix}-small"):
        restored, target = objects(0.0)
        status = target.read(new).assert_existing_objects_matched() if new.endswith("renamed") else target.read(new)
        status.expect_partial()
        slot = target.optimizer.get_slot(restored, "m").numpy().tolist()
        expected = saved.optimizer.get_slot(kernel, "m").numpy().tolist() if new.endswith("renamed") else [0, 0]
        wrong |= restored.numpy().tolist() != kernel.numpy().tolist() or slot != expected
    return wrong


def main() -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            different = differences(name, f"{folder}/{name}")
            wrong += bool(different)
            verdict = f"{', '.join(different)} differ" if different else "the same"
            print(f"{name}: {len(golden(name).tensors)} tensors, {verdict}")
        for what, differs in (
            ("Saver", saver_differs),
            ("tf.train.Checkpoint", objects_differ),
            ("Saver, rewritten", rewritten_saver_differs),
            ("tf.train.Checkpoint, rewritten", rewritten_objects_differ),
        ):
            bad = differs(f"{folder}/{what}")
            wrong += bad
            print(f"{what}: {'differs' if bad else 'the same'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
