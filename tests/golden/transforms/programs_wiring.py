"""Programs that test wiring: ports, duplicates, order, colocation; see programs.py."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from .programs import Given, Weights, numbers, program, tf1

__all__: list[str] = []

raw = tf.raw_ops
TWO = {"x": numbers(2)}


def start(*shape: int) -> Any:
    return tf1.placeholder(tf.float32, shape or (2,), name="x")


@program()
def duplicates(weight: Weights) -> Given:
    """Equal constants, equal sums of them, equal sums of those; random numbers that only look equal."""
    x = start()
    a, b = tf.constant([1.0, 2.0], name="a"), tf.constant([1.0, 2.0], name="b")
    one, two = tf.add(x, a, name="one"), tf.add(x, b, name="two")
    three, four = tf.tanh(one, name="three"), tf.tanh(two, name="four")
    noise = [tf.random.uniform([2], seed=7, name=f"noise{i}") for i in range(2)]
    with tf1.control_dependencies([three]):
        late = [tf.identity(x, name=f"late{i}") for i in range(2)]
    tf.concat([three + four, noise[0] - noise[1], late[0] * late[1], tf.add(x, a, name="kept")], 0, name="y")
    return Given("x", "y,kept", TWO)


@program()
def twins(weight: Weights) -> Given:
    """Placeholders that look equal, attributes of equal values under other names, variables."""
    inputs = [tf1.placeholder(tf.float32, [2], name=name) for name in ("x", "u", "v")]
    w = [tf1.get_variable(f"w{i}", initializer=tf.constant([1.0, 2.0]), use_resource=False) for i in range(2)]
    arg = raw.ArgMax(input=tf.stack(inputs), dimension=0), raw.ArgMin(input=tf.stack(inputs), dimension=0)
    sums = raw.Sum(input=tf.stack(inputs), axis=0, keep_dims=True), raw.Sum(input=tf.stack(inputs), axis=0)
    changed = tf1.assign_add(w[0], inputs[1])
    y = inputs[0] - inputs[1] * inputs[2] + changed - w[1] + sums[0][0] + sums[1]
    tf.add(y, tf.cast(arg[0] - arg[1], tf.float32), name="y")
    feeds = {"x": numbers(2), "u": numbers(2, offset=1), "v": numbers(2, offset=2)}
    return Given("x,u,v", "y", feeds, tuple(variable.initializer.name for variable in w))


@program()
def attributes(weight: Weights) -> Given:
    """Nodes that differ in nothing but which of two attributes has which value."""
    x = start(2, 2)
    y = raw.MatMul(a=x, b=x, transpose_a=True, transpose_b=False, name="left")
    z = raw.MatMul(a=x, b=x, transpose_a=False, transpose_b=True, name="right")
    graph = tf1.get_default_graph()
    for name in ("left", "right"):
        graph.get_operation_by_name(name)._clear_attr("grad_a")
    tf.subtract(y, z, name="y")
    return Given("x", "y", {"x": numbers(2, 2)})


@program()
def colocation(weight: Weights) -> Given:
    """Nodes that have to be where others are."""
    x = start()
    a = tf.identity(x, name="a")
    with tf1.colocate_with(a):
        b, c = tf.tanh(a, name="b"), tf.tanh(a, name="c")
    with tf1.colocate_with(b):
        d = tf.identity(b + c, name="d")
        with tf1.colocate_with(x.op):
            e = tf.identity(d, name="e")
    with tf1.device("/device:CPU:0"):
        tf.add(e, tf.constant([1.0, 1.0], name="one"), name="y")
    return Given("x", "y", TWO)


@program()
def outputs(weight: Weights) -> Given:
    """Nodes with several outputs, and Identities behind them."""
    x = start(2, 4)
    parts = tf.split(x, 2, axis=1, name="parts")
    rows = [tf.identity(row, name=f"row{i}") for i, row in enumerate(tf.unstack(parts[1], name="rows"))]
    values, places = tf.nn.top_k(tf.identity(parts[1], name="passed"), 2, name="top")
    counts = tf.unique_with_counts(tf.reshape(places, [-1]), name="counts")
    y = values[0] * rows[1] + rows[0] + tf.cast(counts.count[1] + tf.identity(counts.y)[0], tf.float32)
    with tf1.control_dependencies([rows[0], parts[0]]):
        tf.add(tf1.debugging.check_numerics(y, "bad"), parts[0][1], name="y")
    return Given("x", "y,top:1,parts:1", {"x": numbers(2, 4)})


@program()
def identities(weight: Weights) -> Given:
    """Chains of nodes that do nothing, of which some are outputs, wait, are waited for, or are read as `node:0`."""
    x = start()
    a = tf.identity(x, name="a")
    b = tf.identity(tf.identity(tf.identity(a, name="a1"), name="a2"), name="b")
    c = tf.identity(tf.stop_gradient(b, name="stop"), name="c")
    many = tf.identity_n([b, c], name="many")
    with tf1.control_dependencies([c]):
        d = tf.identity(many[1], name="d")
    with tf1.control_dependencies([d]):
        e = tf.tanh(c, name="e")
    waited = tf.group(e, d, name="waited")
    with tf1.control_dependencies([waited]):
        f = tf.identity(tf.add(e, e, name="twice") + many[0], name="f")
    tf.identity(tf.add_n([f, tf1.debugging.check_numerics(f, "bad", name="check")]), name="y")
    return Given("x", "y,b", TWO)


@program()
def default_inputs(weight: Weights) -> Given:
    """Placeholders with defaults, for one of which there is a feed; an input that nothing uses; one in the middle."""
    x = start()
    rate = tf1.placeholder_with_default(tf.constant(0.5), [], name="rate")
    other = tf1.placeholder_with_default(tf.constant([1.0, 2.0]), [2], name="other")
    tf1.placeholder(tf.int32, [None, 3], name="unused")
    middle = tf.tanh(x * rate, name="middle")
    tf.add(middle, other, name="y")
    tf.exp(middle, name="not_wanted")
    return Given("x,rate,unused", "y", TWO | {"rate": 0.25})


@program()
def cut(weight: Weights) -> Given:
    """The inputs are tensors in the middle: the second output of a node, a node that others wait for."""
    x = start(4)
    halves = tf.split(x, 2, name="halves")
    middle = tf.tanh(halves[0], name="middle")
    with tf1.control_dependencies([middle]):
        tf.add(middle * 2.0, tf.constant([1.0, 2.0]), name="y")
    return Given("middle", "y", {"middle": numbers(2), "x": numbers(4)})


@program()
def small_floats(weight: Weights) -> Given:
    """Half and bfloat16 in the middle, and what else there is of types."""
    x = start()
    y = tf.cast(x, tf.float16) * tf.constant([0.5, 3.0], tf.float16) + tf.constant(1.0, tf.float16)
    z = tf.cast(x, tf.bfloat16) * tf.constant([0.5, 3.0], tf.bfloat16)
    c = tf1.real(tf.cast(x, tf.complex64) * tf.constant(1 + 2j, tf.complex64))
    n = tf.cast(tf.bitwise.invert(tf.constant([1, 2], tf.uint8)), tf.float32)
    words = tf.cast(tf.strings.length(tf.strings.join([tf.as_string(x), "\u00e4"])), tf.float32)
    tf.add_n([tf.cast(y, tf.float32), tf.cast(z, tf.float32), c, n, words], name="y")
    return Given("x", "y", TWO)


@program()
def image_branches(weight: Weights) -> Given:
    """An Inception block with pools, norms and devices, and the losses that were left behind."""
    x = tf1.placeholder(tf.float32, (None, 6, 6, 2), name="x")
    with tf1.device("/device:CPU:0"):
        one = tf.nn.relu(tf.nn.conv2d(x, weight("one", 1, 1, 2, 2), 1, "SAME"))
        three = tf.nn.relu(tf.nn.conv2d(x, weight("three", 3, 3, 2, 2), 1, "SAME"))
    pooled = tf.nn.avg_pool2d(x, 3, 1, "SAME")
    y = tf.reduce_mean(tf.concat([one, three, pooled], 3), [1, 2])
    logits = tf.identity(y @ weight("dense", 6, 3), name="logits")
    labels = tf1.placeholder(tf.int64, [None], name="labels")
    tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits), name="loss")
    tf.nn.softmax(logits, name="y")
    return Given("x", "y", {"x": numbers(1, 6, 6, 2)})


@program()
def same_shapes(weight: Weights) -> Given:
    """Nodes of two inputs that pass the first one on, and a second one that is used elsewhere, too."""
    x = start()
    shape = tf.constant([2], name="shape")
    y = tf.reshape(tf.abs(tf.reshape(x, shape, name="one")), shape, name="two")
    y = tf.maximum(y, y, name="three") + tf.cast(shape, tf.float32)
    tf.identity(tf.maximum(y, tf.constant(-9.0), name="four"), name="y")
    return Given("x", "y", TWO)
