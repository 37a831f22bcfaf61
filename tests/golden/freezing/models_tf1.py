"""The TF1 graphs of answers.tar.xz, with their checkpoints; see models.py."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

from .recording import case, numbers, record, tf1


class Session:
    """A TF1 graph that is built, initialised, saved, restored, run once and frozen."""

    def __init__(self, folder, *, resource=False, control_flow_v2=False, version=2, saver=True):
        self.folder = folder
        self.resource = resource
        self.v2 = control_flow_v2
        self.version = version
        self.saver = saver

    def __enter__(self):
        self._graph = tf1.Graph().as_default()
        self._graph.__enter__()
        tf1.set_random_seed(5)
        (tf1.enable_control_flow_v2 if self.v2 else tf1.disable_control_flow_v2)()
        tf1.get_variable_scope().set_use_resource(self.resource)
        return self

    def __exit__(self, *error):
        tf1.disable_control_flow_v2()

    def variable(self, name, value, **more):
        value = np.asarray(value, np.float32) if not isinstance(value, np.ndarray) else value
        more.setdefault("use_resource", self.resource)
        return tf1.get_variable(name, initializer=tf.constant(value), **more)

    def finish(self, outputs, *feeds, reference=True, training=(), initializers=(), filling=(), var_list=None):
        """`initializers` have to run after a restore; `filling`, in the frozen graph only."""
        prefix = str(self.folder / "model")
        graph = tf1.get_default_graph()
        fetches = [name if ":" in name else f"{name}:0" for name in outputs]
        if self.saver:
            write_version = {1: tf1.train.SaverDef.V1, 2: tf1.train.SaverDef.V2}[self.version]
            saver = tf1.train.Saver(var_list, write_version=write_version)
        with tf1.Session(graph=graph) as session:
            session.run(tf1.global_variables_initializer())
            session.run(tf1.tables_initializer())
            for op in training:
                session.run(op, feeds[0])
            if self.saver:
                saver.save(session, prefix)
            else:
                values = {v.op.name: session.run(v) for v in tf1.global_variables()}
                tf1.train.export_meta_graph(prefix + ".meta", clear_extraneous_savers=True)
                with tf1.Graph().as_default(), tf1.Session() as other:
                    saved = [tf1.get_variable(name, initializer=value) for name, value in values.items()]
                    other.run(tf1.global_variables_initializer())
                    tf1.train.Saver(saved).save(other, prefix, write_meta_graph=False)
        (self.folder / "checkpoint").unlink(missing_ok=True)
        if not self.saver:
            with tf1.Session(graph=graph) as session:
                for variable in tf1.global_variables():
                    variable.load(values[variable.op.name], session)
                runs = [(each, dict(zip(fetches, session.run(fetches, each), strict=True))) for each in feeds]
        else:
            with tf1.Graph().as_default(), tf1.Session() as session:
                saver = tf1.train.import_meta_graph(prefix + ".meta")
                runs = []
                for each in feeds:
                    saver.restore(session, prefix)
                    session.run(list(initializers))
                    runs.append((each, dict(zip(fetches, session.run(fetches, each), strict=True))))
                if reference:
                    self._reference(session, outputs)
        record(self.folder, runs, outputs=list(outputs), initializers=[*initializers, *filling])

    def _reference(self, session, outputs):
        nodes = [name.partition(":")[0] for name in outputs]
        frozen = tf1.graph_util.convert_variables_to_constants(session, session.graph.as_graph_def(), nodes)
        (self.folder / "reference.pb").write_bytes(frozen.SerializeToString(deterministic=True))


@case
def ref_variables(folder):
    with Session(folder) as model:
        x = tf1.placeholder(tf.float32, [None, 3], "x")
        w, b = model.variable("w", numbers(3, 4)), model.variable("b", numbers(4))
        tf.nn.relu(x @ w + b, name="y")
        model.finish(["y"], {"x:0": numbers(2, 3)})


@case
def variable_of_the_first_op(folder):
    """The op Variable, before there was VariableV2."""
    with Session(folder, saver=False) as model:
        x = tf1.placeholder(tf.float32, [2], "x")
        w = model.variable("w", numbers(2))
        tf.add(x, w, name="y")
        model.finish(["y"], {"x:0": numbers(2, offset=1)})
    meta = tf1.MetaGraphDef.FromString((folder / "model.meta").read_bytes())
    for node in meta.graph_def.node:
        if node.op == "VariableV2":
            node.op = "Variable"
    (folder / "model.meta").write_bytes(meta.SerializeToString(deterministic=True))


@case
def resource_variables(folder):
    with Session(folder, resource=True) as model:
        x = tf1.placeholder(tf.float32, [None, 3], "x")
        w, b = model.variable("scope/w", numbers(3, 4)), model.variable("scope/b", numbers(4))
        tf.identity(tf.nn.relu(x @ w + b) * tf.cast(tf.shape(w)[0], tf.float32), name="y")
        model.finish(["y"], {"x:0": numbers(2, 3)})


@case
def resource_shape_and_initialized(folder):
    with Session(folder, resource=True) as model:
        w = model.variable("w", numbers(3, 4))
        tf.raw_ops.VariableShape(input=w.handle, out_type=tf.int64, name="shape")
        tf.raw_ops.VarIsInitializedOp(resource=w.handle, name="there")
        model.finish(["shape", "there"], {}, reference=False)


@case
def types(folder):
    """A variable of every type that has one."""
    with Session(folder) as model:
        values = {
            "half": np.array([1.5, -2, 3], np.float16),
            "double": np.array([[1.25]]),
            "int64": np.arange(3),
            "int8": np.array([-1, 2], np.int8),
            "bool": np.array([True, False, True]),
            "complex": np.array([1 + 2j, 3], np.complex64),
            "empty": np.zeros((0, 2), np.float32),
            "scalar": np.float64(2.5) * np.ones(()),
            "same": np.full((4, 4), 7, np.int32),
        }
        for name, value in values.items():
            tf.identity(model.variable(f"v_{name}", value, trainable=False), name=name)
        strings = tf1.get_variable("v_string", initializer=tf.constant([b"one", b"\xff\x00"]), use_resource=True)
        tf.strings.length(strings, name="string")
        small = tf1.get_variable("v_bfloat16", initializer=tf.cast([1.5, 300.25], tf.bfloat16), use_resource=True)
        tf.cast(small, tf.float32, name="bfloat16")
        model.finish([*values, "string", "bfloat16"], {})


@case
def partitioned_rows(folder):
    with Session(folder) as model:
        ids = tf1.placeholder(tf.int64, [None], "ids")
        table = tf1.get_variable(
            "table",
            [7, 3],
            initializer=tf1.random_normal_initializer(seed=1),
            partitioner=tf1.fixed_size_partitioner(3),
        )
        tf1.nn.embedding_lookup(table, ids, partition_strategy="div", name="y")
        tf.identity(table, name="whole")
        model.finish(["y", "whole"], {"ids:0": np.array([6, 0, 3, 3, 5])})


@case
def partitioned_columns_resource(folder):
    with Session(folder, resource=True) as model:
        x = tf1.placeholder(tf.float32, [None, 3], "x")
        table = tf1.get_variable(
            "table",
            [3, 8],
            initializer=tf1.random_normal_initializer(seed=1),
            partitioner=tf1.fixed_size_partitioner(4, axis=1),
        )
        tf.matmul(x, table, name="y")
        model.finish(["y"], {"x:0": numbers(2, 3)})


@case
def partitioned_without_saver(folder):
    """Only the names of the parts identify their variable."""
    with Session(folder) as model:
        x = tf1.placeholder(tf.float32, [None, 7], "x")
        table = tf1.get_variable(
            "table",
            [7, 3],
            initializer=tf1.random_normal_initializer(seed=1),
            partitioner=tf1.fixed_size_partitioner(3),
        )
        tf.matmul(x, table, name="y")
        model.finish(["y"], {"x:0": numbers(2, 7)})
    meta = tf1.MetaGraphDef.FromString((folder / "model.meta").read_bytes())
    kept = [node for node in meta.graph_def.node if not node.name.startswith("save/")]
    del meta.graph_def.node[:]
    meta.graph_def.node.extend(kept)
    meta.collection_def.clear()
    meta.ClearField("saver_def")
    (folder / "model.meta").write_bytes(meta.SerializeToString(deterministic=True))


def _batch_norm(model, training):
    x = tf1.placeholder(tf.float32, [None, 4, 4, 3], "x")
    kernel = model.variable("kernel", numbers(3, 3, 3, 2))
    net = tf.nn.conv2d(x, kernel, 1, "SAME")
    net = tf1.layers.batch_normalization(net, training=training, name="bn")
    with tf.control_dependencies(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS)):
        return tf.nn.relu(net, name="y"), x


@case
def batch_norm_in_training(folder):
    """The moving averages are updated before the output is computed."""
    with Session(folder) as model:
        _batch_norm(model, True)
        model.finish(["y"], {"x:0": numbers(2, 4, 4, 3)}, reference=False)


@case
def batch_norm_in_training_resource(folder):
    with Session(folder, resource=True) as model:
        _batch_norm(model, True)
        model.finish(["y"], {"x:0": numbers(2, 4, 4, 3)}, reference=False)


def _switched_batch_norm(folder, **how):
    with Session(folder, **how) as model:
        training = tf1.placeholder_with_default(False, [], "training")
        y, x = _batch_norm(model, training)
        loss = tf.reduce_sum(y, name="loss")
        train = tf1.train.AdamOptimizer(0.1).minimize(loss)
        x = numbers(2, 4, 4, 3)
        model.finish(
            ["y", "loss"], {"x:0": x}, {"x:0": x, "training:0": np.array(True)}, reference=False, training=[train.name]
        )


@case
def batch_norm_cond_v1(folder):
    _switched_batch_norm(folder)


@case
def batch_norm_cond_v1_resource(folder):
    _switched_batch_norm(folder, resource=True)


@case
def batch_norm_cond_v2(folder):
    _switched_batch_norm(folder, resource=True, control_flow_v2=True)


@case
def batch_norm_inference(folder):
    with Session(folder) as model:
        _batch_norm(model, False)
        model.finish(["y"], {"x:0": numbers(2, 4, 4, 3)})


@case
def ref_switch(folder):
    """A reference variable that one of two branches assigns to."""
    with Session(folder) as model:
        grow = tf1.placeholder(tf.bool, [], "grow")
        v = model.variable("v", numbers(3))
        grown = tf1.cond(grow, lambda: tf1.assign_add(v, [1.0, 2, 3]), lambda: tf1.assign_sub(v, [4.0, 5, 6]))
        tf.identity(grown * 2, name="y")
        model.finish(["y"], {"grow:0": np.array(True)}, {"grow:0": np.array(False)}, reference=False)


@case
def ref_assigned(folder):
    """The result of an assignment, and of a read after it."""
    with Session(folder) as model:
        x = tf1.placeholder(tf.float32, [3], "x")
        v = model.variable("v", numbers(3))
        added = tf.add(tf1.assign_add(v, x), 0.0, name="added")
        with tf.control_dependencies([added]):
            assigned = tf1.assign_sub(v, [0.5, 0.25, 0.125])
        with tf.control_dependencies([assigned]):
            tf.multiply(v.read_value(), 2.0, name="after")
        u = model.variable("u", numbers(2))
        with tf.control_dependencies([tf1.assign(u, x[:2])]):
            tf.identity(u.read_value(), name="replaced")
        model.finish(["added", "after", "replaced"], {"x:0": numbers(3)}, reference=False)


@case
def resource_assigned(folder):
    with Session(folder, resource=True) as model:
        x = tf1.placeholder(tf.float32, [3], "x")
        v = model.variable("v", numbers(3))
        with tf.control_dependencies([v.read_value()]):
            tf.identity(v.read_value(), name="before")
        u = model.variable("u", numbers(3))
        with tf.control_dependencies([u.assign_add(x, read_value=False)]):
            after = u.read_value()
        with tf.control_dependencies([after]), tf.control_dependencies([u.assign(after * 3, read_value=False)]):
            tf.identity(u.read_value(), name="after")
        model.finish(["before", "after"], {"x:0": numbers(3)}, reference=False)


def _cond(model):
    x = tf1.placeholder(tf.float32, [2, 3], "x")
    p = tf1.placeholder(tf.bool, [], "p")
    w, u = model.variable("w", numbers(3, 2)), model.variable("u", numbers(2))
    inner = lambda: tf1.cond(u[0] > 0, lambda: x[:, :2] + u, lambda: x[:, 1:])  # noqa: E731  a branch of one expression
    chosen = tf1.cond(p, lambda: tf.matmul(x, w) + u, inner)
    tf.identity(chosen, name="y")
    x = numbers(2, 3)
    model.finish(["y"], {"x:0": x, "p:0": np.array(True)}, {"x:0": x, "p:0": np.array(False)})


@case
def cond_v1(folder):
    with Session(folder) as model:
        _cond(model)


@case
def cond_v1_resource(folder):
    with Session(folder, resource=True) as model:
        _cond(model)


@case
def cond_v2(folder):
    with Session(folder, resource=True, control_flow_v2=True) as model:
        _cond(model)


def _while(model):
    x = tf1.placeholder(tf.float32, [2, 3], "x")
    w = model.variable("w", numbers(3, 3, scale=0.3))
    table = model.variable("table", numbers(5, 3))
    steps = model.variable("steps", np.array(4, np.int32), trainable=False)

    def body(i, h):
        row = tf.gather(table, tf.math.floormod(i * 2, 5))
        return i + 1, tf.tanh(tf.matmul(h, w)) + row

    _, h = tf1.while_loop(lambda i, h: i < steps, body, [tf.constant(0), x])
    tf.identity(h, name="y")
    model.finish(["y"], {"x:0": numbers(2, 3)})


@case
def while_v1(folder):
    with Session(folder) as model:
        _while(model)


@case
def while_v1_resource(folder):
    with Session(folder, resource=True) as model:
        _while(model)


@case
def while_v2(folder):
    with Session(folder, resource=True, control_flow_v2=True) as model:
        _while(model)


@case
def embeddings(folder):
    """Gathers of resource variables: ResourceGather with batch dimensions too, ResourceGatherNd."""
    with Session(folder, resource=True) as model:
        ids = tf1.placeholder(tf.int32, [None], "ids")
        table = model.variable("table", numbers(6, 4))
        tf.nn.embedding_lookup(table, ids, name="y")
        tf.gather_nd(table, tf.stack([ids, ids % 4], 1), name="cells")
        indices = tf.constant([[0, 1], [1, 3], [2, 2], [0, 0], [1, 1], [3, 0]])
        tf.raw_ops.ResourceGather(
            resource=table.handle, indices=indices, dtype=tf.float32, batch_dims=1, name="batched"
        )
        model.finish(["y", "cells", "batched"], {"ids:0": np.array([5, 0, 2], np.int32)}, reference=False)


@case
def slots(folder):
    """A trained model: the checkpoint has more than the graph needs."""
    with Session(folder) as model:
        x = tf1.placeholder(tf.float32, [None, 3], "x")
        w = model.variable("w", numbers(3, 1))
        y = tf.matmul(x, w, name="y")
        average = tf1.train.ExponentialMovingAverage(0.9)
        step = tf1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(y * y))
        with tf.control_dependencies([step]):
            training = average.apply([w])
        tf.matmul(x, average.average(w), name="averaged")
        model.finish(["y", "averaged"], {"x:0": numbers(4, 3)}, training=[training.name] * 2)


@case
def other_keys(folder):
    """The checkpoint has other names for the variables; only the restore nodes have them."""
    with Session(folder) as model:
        x = tf1.placeholder(tf.float32, [2], "x")
        a, b = model.variable("a", numbers(2)), model.variable("b", numbers(2, offset=5), use_resource=True)
        tf.identity(x * a + b, name="y")
        model.finish(["y"], {"x:0": numbers(2)}, var_list={"b": a, "nobody/else": b})


@case
def format_v1(folder):
    """A checkpoint of version 1."""
    with Session(folder, version=1) as model:
        x = tf1.placeholder(tf.float32, [None, 3], "x")
        w = model.variable("w", numbers(3, 4))
        part = tf1.get_variable(
            "part", [4, 2], initializer=tf1.random_normal_initializer(seed=1), partitioner=tf1.fixed_size_partitioner(2)
        )
        tf.matmul(tf.matmul(x, w), part, name="y")
        model.finish(["y"], {"x:0": numbers(2, 3)})


@case
def called_functions(folder):
    """Functions that are given variables: called by their names, and through PartitionedCall."""
    from tensorflow.python.framework import function as defun

    with Session(folder, resource=True) as model:
        x = tf1.placeholder(tf.float32, [2, 3], "x")
        w, b = model.variable("w", numbers(3, 3)), model.variable("b", numbers(3))

        @defun.Defun(tf.float32, tf.float32)
        def halves(left, right):
            both = tf.concat([left, right], 1)
            return tf.split(both, 2, 1)[1], tf.nn.top_k(both, 2)[1]

        @tf.function
        def layer(x, reverse):
            values, places = tf.nn.top_k(tf.matmul(x, w) + b, 2)
            return places, values, x

        places, values, same = layer(x, False)
        left, top = halves(values, tf.cast(places, tf.float32))
        tf.identity(left + values, name="y")
        tf.identity(top, name="top")
        tf.identity(same, name="same")
        model.finish(["y", "top", "same"], {"x:0": numbers(2, 3)}, reference=False)


@case
def tables_v1(folder):
    """A lookup table stays a table, with its initializer."""
    with Session(folder) as model:
        words = tf1.placeholder(tf.string, [None], "words")
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer([b"cat", b"dog"], [0, 1], tf.string, tf.int64), 2
        )
        embedding = model.variable("embedding", numbers(3, 2))
        tf.gather(embedding, table.lookup(words), name="y")
        model.finish(
            ["y"],
            {"words:0": np.array([b"dog", b"bird", b"cat"], object)},
            reference=False,
            initializers=["init_all_tables"],
        )


@case
def table_in_the_checkpoint(folder):
    """A mutable table is saved with the variables."""
    with Session(folder) as model:
        words = tf1.placeholder(tf.string, [None], "words")
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="table")
        insert = table.insert([b"cat", b"dog"], [1, 0])
        embedding = model.variable("embedding", numbers(2, 2))
        tf.gather(embedding, tf.maximum(table.lookup(words), 0), name="y")
        tf.identity(table.lookup(words), name="ids")
        feeds = {"words:0": np.array([b"dog", b"bird", b"cat"], object)}
        model.finish(
            ["y", "ids"],
            feeds,
            reference=False,
            training=[insert],
            filling=["save/table_table_restore/LookupTableImportV2"],
            var_list=[embedding, *tf1.get_collection(tf1.GraphKeys.SAVEABLE_OBJECTS)],
        )


@case
def no_saver(folder):
    """Neither restore nodes nor a SaverDef: only the names identify the values."""
    with Session(folder, resource=True, saver=False) as model:
        x = tf1.placeholder(tf.float32, [2], "x")
        tf.identity(x * model.variable("a", numbers(2)) + model.variable("s/b", numbers(2)), name="y")
        model.finish(["y"], {"x:0": numbers(2)})
