"""The models of answers.py: those of cases.py, loops and conditionals, and lookups in variables."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.tfmodel.transforms.graph_notation import graph as graph_of
from tfmodel.messages import AttrValue, VersionDef
from tfmodel.values.tensors import from_ndarray

from ..transforms import models as transform_models
from . import cases as quantizing_cases

__all__ = ["Model", "cases", "from_elsewhere", "made_models"]


class Model(NamedTuple):
    """A graph and how to run it. `files` are those of a checkpoint."""

    name: str
    data: bytes
    inputs: str
    outputs: str
    before: tuple[str, ...]
    feeds: dict[str, Any]
    files: dict[str, bytes] = {}


def from_elsewhere(name: str) -> Model:
    """A model of models.tar.xz."""
    model = transform_models.models()[name]
    return Model(name, model.data, model.inputs, model.declared, tuple(model.before), model.feeds)


def made_models() -> Iterator[Model]:
    """Return all other models. Those with variables are run to make their checkpoint."""
    yield from _written_models()
    yield from _flow_models()
    yield from _variable_models()


def _written_models() -> Iterator[Model]:
    for name, written in quantizing_cases.MODELS.items():
        graph = graph_of(written.text)
        graph.versions = VersionDef(producer=1286)
        for node in graph.node:
            if node.name in written.arrays:
                node.attr["value"] = AttrValue(tensor=from_ndarray(written.arrays[node.name]))
        feeds = {key: np.asarray(value) for key, value in written.feeds.items()}
        yield Model(name, graph.to_bytes(deterministic=True), written.inputs, "y", (), feeds)


def _flow() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Conditionals and loops of TensorFlow 1, with weights and layers within them, and around."""
    import tensorflow as tf

    tf1 = tf.compat.v1
    some, more = quantizing_cases.numbers(4, 4), quantizing_cases.numbers(5, 4)[:4]

    def branches(x: Any) -> Any:
        positive = tf.reduce_sum(x) > 0
        return tf1.cond(
            positive,
            lambda: tf.nn.relu(tf.matmul(x, tf.constant(some))),
            lambda: tf.raw_ops.Mul(x=x, y=tf.constant(more)[0]),
        )

    def loop(x: Any) -> Any:
        def body(i: Any, value: Any) -> Any:
            return i + 1, tf.nn.relu(tf.matmul(value, tf.constant(some)) * 0.7)

        return tf1.while_loop(lambda i, _: i < 3, body, [0, x])[1]

    def around(x: Any) -> Any:
        outside = tf.constant(some)

        def body(i: Any, value: Any) -> Any:
            return i + 1, tf.nn.relu6(tf.raw_ops.Add(x=tf.matmul(value, outside), y=value))

        return tf.nn.relu(tf1.while_loop(lambda i, _: i < 2, body, [0, tf.nn.relu(x)])[1])

    def both(x: Any) -> Any:
        def body(i: Any, value: Any) -> Any:
            wide = tf1.cond(i > 0, lambda: tf.nn.relu(value), lambda: tf.matmul(value, tf.constant(some)))
            return i + 1, wide

        return tf1.while_loop(lambda i, _: i < 3, body, [0, x])[1]

    def faked(x: Any) -> Any:
        def body(i: Any, value: Any) -> Any:
            product = tf.nn.relu(tf.matmul(value, tf.constant(some)))
            return i + 1, tf.quantization.fake_quant_with_min_max_args(product, -1, 2) * 0.5

        return tf1.while_loop(lambda i, _: i < 3, body, [0, x])[1]

    yield from {"branches": branches, "loop": loop, "around": around, "both": both, "faked": faked}.items()


def _flow_models() -> Iterator[Model]:
    import tensorflow as tf

    tf1 = tf.compat.v1
    tf1.disable_control_flow_v2()
    for name, build in _flow():
        with tf1.Graph().as_default() as graph:
            x = tf1.placeholder(tf.float32, (3, 4), "x")
            tf.identity(build(x), name="y")
        feeds = {"x": quantizing_cases.MATRIX}
        yield Model(f"flow_{name}", graph.as_graph_def().SerializeToString(deterministic=True), "x", "y", (), feeds)


def _variable_models() -> Iterator[Model]:
    import tensorflow as tf

    tf1 = tf.compat.v1
    tf1.disable_resource_variables()
    kinds = {
        "alone": (None, False),
        "parts": (tf1.fixed_size_partitioner(2), False),
        "beside": (None, True),
        "parts_beside": (tf1.fixed_size_partitioner(2), True),
    }
    for name, (partitioner, beside) in kinds.items():
        with tf1.Graph().as_default() as graph, tempfile.TemporaryDirectory() as folder:
            ids = tf1.placeholder(tf.int64, [None], "ids")
            shape = quantizing_cases.TABLE.shape
            made = tf1.get_variable("v/w", shape=shape, initializer=_table_part, partitioner=partitioner)
            weights = list(made) if partitioner else [made]
            wanted = [tf.raw_ops.GatherV2(params=w, indices=ids % w.shape[0], axis=0) for w in weights]
            if beside:
                other = tf1.get_variable("other", initializer=np.float32(0.5))
                wanted.append(tf.ones_like(wanted[0]) * other)
            tf.identity(tf.add_n(wanted), name="y")
            saver = tf1.train.Saver()
            init = tf1.global_variables_initializer()
            with tf1.Session() as session:
                session.run(init)
                saver.save(session, f"{folder}/model", write_meta_graph=False)
            files = {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.name != "checkpoint"}
        data = graph.as_graph_def().SerializeToString(deterministic=True)
        outputs = f"y,{init.name},save/control_dependency"
        feeds = {"ids": quantizing_cases.IDS}
        yield Model(f"variable_{name}", data, "ids", outputs, (init.name,), feeds, files)


def _table_part(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    import tensorflow as tf

    start = partition_info.var_offset[0] if partition_info is not None else 0
    return tf.constant(quantizing_cases.TABLE[start : start + shape[0]], dtype)


def cases(models: dict[str, Model]) -> Iterator[tuple[Model, str]]:
    """Yield all models, each with all of its transform lists."""
    for names, lists in quantizing_cases.LISTS:
        for name in names.split() if isinstance(names, str) else names:
            yield from ((models[name], steps) for steps in lists)
    for name, model in models.items():
        if name.startswith("flow"):
            yield from ((model, steps) for steps in quantizing_cases.EVERYWHERE)
        if name.startswith("variable"):
            for more in ("", ", group_init_node=init"):
                yield model, f'sparsify_gather(input_checkpoint="{{CHECKPOINT}}"{more})'
            yield model, "sparsify_gather"
    for name in transform_models.models():
        yield from ((from_elsewhere(name), steps) for steps in quantizing_cases.EVERYWHERE)
