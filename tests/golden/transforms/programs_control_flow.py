"""Programs with loops, conditionals, functions, variables, queues and tables; see programs.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from .programs import Given, Weights, numbers, program, tf1

__all__: list[str] = []

raw = tf.raw_ops
TWO = {"x": numbers(2)}
LIVE = ("frozen", "ref", "resource")


def start(*shape: int) -> Any:
    return tf1.placeholder(tf.float32, shape or (2,), name="x")


def repeat(body: Any, value: Any, times: int = 3, **more: Any) -> Any:
    return tf1.while_loop(lambda i, v: i < times, lambda i, v: (i + 1, body(v)), [0, value], **more)[1]


def side(value: Any, yes: Any, no: Any, **more: Any) -> Any:
    return tf1.cond(tf.reduce_sum(value) > 0.1, yes, no, **more)


@program(*LIVE)
def loops(weight: Weights) -> Given:
    """Loops in a loop. The Identity in one body is all that makes a constant wait for its turn."""
    x, w = start(), weight("w", 2)
    y = repeat(lambda v: repeat(lambda u: tf.tanh(u) * w + tf.constant([0.5, 1.0]), v, name="inner"), x, name="outer")
    tf.identity(repeat(lambda v: tf.identity(v, name="same") + 1.0, y), name="y")
    return Given("x", "y", TWO, weight.before())


@program()
def doubled(weight: Weights) -> Given:
    """A loop that adds a tensor to itself, which TensorFlow's optimizer makes a product of."""
    tf.identity(repeat(lambda v: tf.add(v, v), start()), name="y")
    return Given("x", "y", TWO)


@program(*LIVE)
def conditionals(weight: Weights) -> Given:
    """Conditionals in a conditional; one side is a constant, the other what came in."""
    x, w = start(), weight("w", 2)
    y = side(x, lambda: side(x - 1.0, lambda: x * w, lambda: tf.constant([1.0, 2.0])), lambda: tf.exp(x), name="outer")
    z = side(y, lambda: tf.identity(y), lambda: tf.constant([3.0, 4.0]), name="plain")
    p = tf1.placeholder(tf.bool, [], name="p")
    both = tf1.cond(p, lambda: (z, tf.identity(x)), lambda: (tf.zeros([2]), w + 0.0), name="pair")
    tf.add(both[0], both[1], name="y")
    return Given("x,p", "y", TWO | {"p": True}, weight.before())


@program(*LIVE)
def conditionals_in_loops(weight: Weights) -> Given:
    x, w = start(), weight("w", 2)
    y = repeat(lambda v: side(v, lambda: v * 0.5, lambda: side(v, lambda: v + x, lambda: w - v)), x, times=4)
    tf.identity(side(y, lambda: repeat(lambda v: v * 2.0, y), lambda: tf.identity(y)), name="y")
    return Given("x", "y", TWO, weight.before())


@program()
def gradients(weight: Weights) -> Given:
    """The gradient of a loop, and that of a conditional in it: stacks."""
    x = start()
    y = repeat(lambda v: side(v, lambda: tf.tanh(v) * x, lambda: v * v), x)
    tf.identity(tf1.gradients(y, x)[0], name="y")
    return Given("x", "y", TWO)


@program(*LIVE)
def lstm(weight: Weights) -> Given:
    """A recurrent network as TensorFlow 1 makes it: a loop over tensor arrays."""
    x = start(2, 4, 3)
    w, b = weight("kernel", 5, 8), weight("bias", 8)

    def cell(number: Any, c: Any, h: Any, out: Any) -> Any:
        i, j, f, o = tf.split(tf.concat([inputs.read(number), h], 1) @ w + b, 4, axis=1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return number + 1, c, h, out.write(number, h)

    inputs = tf1.TensorArray(tf.float32, 4, name="inputs").unstack(tf.transpose(x, [1, 0, 2]))
    results = tf1.TensorArray(tf.float32, 4, name="results")
    last = tf1.while_loop(lambda n, *_: n < 4, cell, [0, tf.zeros([2, 2]), tf.zeros([2, 2]), results])
    tf.transpose(last[3].stack(), [1, 0, 2], name="y")
    return Given("x", "y", {"x": numbers(2, 4, 3)}, weight.before())


@program()
def tensor_arrays(weight: Weights) -> Given:
    """Every op on tensor arrays that has a version 2."""
    x = start(4)
    array = tf1.TensorArray(tf.float32, 4, clear_after_read=False, name="array").unstack(x)
    y = array.read(1) + tf.reduce_sum(array.gather([0, 2])) + tf.cast(array.size(), tf.float32)
    parts = tf1.TensorArray(tf.float32, 2, infer_shape=False, name="parts").split(x, [1, 3])
    one = tf1.TensorArray(tf.float32, 1, name="one").write(0, y)
    y = parts.concat() * one.read(0)
    handle, flow = array.handle, array.flow
    done = raw.TensorArrayCloseV3(handle=raw.TensorArrayV3(size=1, dtype=tf.float32, name="closed")[0], name="close")
    with tf1.control_dependencies([done]):
        tf.add(y, tf1.gradients(y, x)[0], name="y")
    assert handle is not None and flow is not None
    return Given("x", "y", {"x": numbers(4)})


@program(*LIVE)
def calls(weight: Weights) -> Given:
    """Calls of functions: of one in another, with two results, of one that gives back its argument, with order."""
    x, w = start(2, 4), weight("w", 4)

    @tf.function
    def inner(a: Any, b: Any) -> Any:
        with tf.control_dependencies([a]):
            return tf.nn.relu(a) * b, a

    @tf.function
    def outer(a: Any, b: Any) -> Any:
        first, second = tf.split(a, 2, axis=1)
        y, z = inner(first, second)
        values, places = tf.nn.top_k(a, 2)
        return tf.concat([y, z], 1) * b, values + tf.cast(places, tf.float32), a

    y, z, same = outer(x, w + 0.0)
    tf.add(tf.concat([z, z], 1) + same, tf1.raw_ops.Identity(input=y), name="y")
    return Given("x", "y", {"x": numbers(2, 4)}, weight.before())


@program()
def calls_of_many(weight: Weights) -> Given:
    """A function whose results are outputs other than the first of their nodes."""
    x = start(1, 2, 2, 2)

    @tf.function
    def norm(a: Any) -> Any:
        y, mean, variance = raw.FusedBatchNormV3(
            x=a, scale=[1.0, 2.0], offset=[0.0, 1.0], mean=[], variance=[], is_training=True
        )[:3]
        return y, variance, mean + tf.unstack(variance)[1]

    y, variance, mean = norm(x)
    tf.identity(y * variance + mean, name="y")
    return Given("x", "y", {"x": numbers(1, 2, 2, 2)})


@program("resource")
def stateful_calls(weight: Weights) -> Given:
    """Two functions: one changes a variable, the other only reads it."""
    x, w = start(), weight("w", 2)

    @tf.function
    def add(a: Any) -> Any:
        w.assign_add(a)
        return w.read_value() * a

    @tf.function
    def pure(a: Any) -> Any:
        return a * 2.0 + 1.0

    tf.identity(pure(add(x)), name="y")
    return Given("x", "y", TWO, weight.before())


@program("frozen", "resource")
def functional_flow(weight: Weights) -> Given:
    """While and If of TensorFlow 2, which call functions."""
    tf1.enable_control_flow_v2()
    try:
        x, w = start(), weight("w", 2)
        y = repeat(lambda v: side(v, lambda: v * w, lambda: v + x), x)
        tf.identity(y, name="y")
    finally:
        tf1.disable_control_flow_v2()
    return Given("x", "y", TWO, weight.before())


@program("ref", "resource")
def training(weight: Weights) -> Given:
    """A graph that learns: gradients, momentum, Print, CheckNumerics, dropout, a summary, order by control inputs."""
    x = start(3, 2)
    w, b = weight("w", 2, 4), weight("b", 4)
    y = tf1.nn.dropout(tf.nn.relu(x @ w + b), rate=0.25, seed=3)
    y = tf1.Print(tf1.debugging.check_numerics(y, "bad"), [tf.shape(y)], "shape", first_n=0)
    loss = tf.reduce_mean(tf.square(y - 1.0), name="loss")
    step = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, name="step")
    with tf1.control_dependencies([step]):
        tf.identity(tf.identity(loss, name="after"), name="y")
        tf.identity(w.read_value() if hasattr(w, "read_value") else w, name="learned")
    tf1.summary.scalar("loss_summary", loss)
    return Given("x", "y,learned", {"x": numbers(3, 2)}, (tf1.global_variables_initializer().name,))


@program("ref", "resource")
def assignments(weight: Weights) -> Given:
    """A variable that is read before and after it is assigned to: only control inputs say which comes first."""
    x, w = start(), weight("w", 2)
    old = tf.identity(w + 0.0, name="old")
    with tf1.control_dependencies([old]):
        change = tf1.assign(w, x * 2.0)
    with tf1.control_dependencies([change]):
        done = tf.identity(x, name="done")
    with tf1.control_dependencies([done]):
        new = tf.identity(w.read_value(), name="new")
    tf.add(tf.stack([old, new]), 0.0, name="y")
    return Given("x", "y", TWO, weight.before())


@program()
def queue(weight: Weights) -> Given:
    x = start()
    line = tf1.FIFOQueue(4, [tf.float32], shapes=[[2]], name="line")
    with tf1.control_dependencies([line.enqueue(x * 2.0), line.enqueue(x * 2.0)]):
        first = line.dequeue(name="first")
    with tf1.control_dependencies([first]):
        tf.add(first, tf.identity(line.dequeue(name="second")), name="y")
    return Given("x", "y", TWO)


@program("frozen", "resource")
def string_table(weight: Weights) -> Given:
    """A table of strings that is filled from constants, and one of numbers."""
    words = tf1.placeholder(tf.string, [3], name="x")
    keys, values = tf.constant(["one", "two", "three"]), tf.constant([1, 2, 3], tf.int64)
    table = tf1.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="words", name="table")
    fill = tf1.raw_ops.LookupTableImportV2(table_handle=table, keys=keys, values=values, name="fill")
    found = tf1.raw_ops.LookupTableFindV2(table_handle=table, keys=words, default_value=np.int64(0), name="found")
    tf.gather(weight("embedding", 4, 2), tf.identity(found), name="y")
    return Given("x", "y", {"x": [b"two", b"none", b"one"]}, (*weight.before(), fill.name))
