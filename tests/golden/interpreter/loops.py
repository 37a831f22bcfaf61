"""Programs with loops and conditionals of TensorFlow 1: nested, dead, never entered, or without effect.

Each function builds a graph and yields the feeds and fetches of successive runs. See answers.py.
"""

from __future__ import annotations

import numpy as np
import tensorflow.compat.v1 as tf

F = tf.float32


def _x(shape=(), dtype=F, name="x"):
    return tf.placeholder(dtype, shape, name=name)


def _flag(name="p"):
    return tf.placeholder(tf.bool, [], name=name)


def cond_both_sides():
    x, p = _x([2]), _flag()
    y = tf.cond(p, lambda: x * 2, lambda: x - 1)
    yield {x: [1, 2], p: True}, y
    yield {x: [1, 2], p: False}, y


def cond_of_two_results():
    x, p = _x(), _flag()
    a, b = tf.cond(p, lambda: (x + 1, tf.constant([1, 2])), lambda: (x - 1, tf.constant([3])))
    for value in (True, False):
        yield {x: 3, p: value}, [a, b]


def cond_in_cond():
    x, p, q = _x(), _flag(), _flag("q")
    y = tf.cond(p, lambda: tf.cond(q, lambda: x + 1, lambda: x + 2), lambda: tf.cond(q, lambda: x + 3, lambda: x + 4))
    for one in (True, False):
        for other in (True, False):
            yield {x: 10, p: one, q: other}, y


def cond_with_outer_tensor_only():
    x, p = _x(), _flag()
    y = tf.cond(p, lambda: tf.identity(x), lambda: tf.constant(7.0))
    yield {x: 1, p: True}, y
    yield {x: 1, p: False}, y


def switch_and_its_dead_side():
    x, p = _x(), _flag()
    off, on = tf.raw_ops.Switch(data=x, pred=p)
    a, b = tf.identity(off, name="off"), tf.identity(on, name="on")
    yield {x: 1, p: True}, b
    yield {x: 1, p: True}, a  # a dead tensor cannot be fetched
    yield {x: 1, p: False}, a


def merge_tells_which():
    x, p = _x(), _flag()
    off, on = tf.raw_ops.Switch(data=x, pred=p)
    y, which = tf.raw_ops.Merge(inputs=[off + 1, on * 2])
    yield {x: 5, p: True}, [y, which]
    yield {x: 5, p: False}, [which]


def merge_of_switches_of_each_kind():
    x, p, q = _x(), _flag(), _flag("q")
    _, a = tf.raw_ops.Switch(data=x, pred=p)
    b, _ = tf.raw_ops.Switch(data=x + 1, pred=q)
    y, which = tf.raw_ops.Merge(inputs=[a, b])
    yield {x: 5, p: True, q: True}, [y, which]
    yield {x: 5, p: False, q: False}, [y, which]
    yield {x: 5, p: False, q: True}, [y, which]


def dead_control_input():
    x, p = _x(), _flag()
    off, on = tf.raw_ops.Switch(data=x, pred=p)
    with tf.control_dependencies([tf.identity(on)]):
        waiting = tf.constant(1.0)
    with tf.control_dependencies([tf.identity(off)]):
        other = tf.constant(2.0)
    y, which = tf.raw_ops.Merge(inputs=[waiting, other])
    for value in (True, False):
        yield {x: 1, p: value}, [y, which]
    yield {x: 1, p: False}, waiting


def loop_counts():
    n = _x(dtype=tf.int32)
    i = tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])
    for count in (0, 1, 7):
        yield {n: count}, i


def loop_of_several():
    x, n = _x([2]), _x(dtype=tf.int32, name="n")
    i, y, z = tf.while_loop(lambda i, y, z: i < n, lambda i, y, z: (i + 1, y * x, y + z), [0, x, tf.zeros([2])])
    for count in (0, 3):
        yield {x: [2, 3], n: count}, [i, y, z]
    yield {x: [2, 3], n: 2}, z


def loop_of_parallel_iterations():
    n = _x(dtype=tf.int32)
    i, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2 + i), [0, 1], parallel_iterations=1)
    j, z = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 2, y + i), [0, y], parallel_iterations=32)
    yield {n: 9}, [i, y, j, z]


def loop_in_loop():
    n = _x(dtype=tf.int32)

    def body(i, total):
        _, inner = tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + i * j), [0, 0])
        return i + 1, total + inner

    i, total = tf.while_loop(lambda i, t: i < n, body, [0, 0])
    for count in (0, 1, 5):
        yield {n: count}, [i, total]


def loop_in_loop_in_loop():
    n = _x(dtype=tf.int32)

    def nested(depth, start):
        def body(i, s):
            return i + 1, nested(depth - 1, s) if depth else s + i

        return tf.while_loop(lambda i, s: i < n, body, [0, start])[1]

    y = nested(2, tf.constant(1))
    for count in (0, 1, 3):
        yield {n: count}, y


def cond_in_loop():
    n = _x(dtype=tf.int32)

    def body(i, s):
        return i + 1, tf.cond(tf.equal(i % 3, 0), lambda: s * 2, lambda: tf.cond(i > 4, lambda: s - i, lambda: s + i))

    i, s = tf.while_loop(lambda i, s: i < n, body, [0, 1])
    for count in (0, 1, 8):
        yield {n: count}, [i, s]


def loop_in_cond():
    x, p, n = _x(), _flag(), _x(dtype=tf.int32, name="n")
    y = tf.cond(p, lambda: tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2), [0, x])[1], lambda: x - 1)
    for value in (True, False):
        for count in (0, 3):
            yield {x: 1.5, p: value, n: count}, y


def loop_in_cond_in_loop():
    n = _x(dtype=tf.int32)

    def inner(s):
        return tf.while_loop(lambda j, t: j < 3, lambda j, t: (j + 1, t + j), [0, s])[1]

    def body(i, s):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: inner(s), lambda: s * 2)

    y = tf.while_loop(lambda i, s: i < n, body, [0, 1])
    for count in (0, 1, 4):
        yield {n: count}, list(y)


def dead_loop_in_dead_cond_in_loop():
    n, p = _x(dtype=tf.int32), _flag()

    def inner(s):
        step = lambda j, t: (j + 1, tf.cond(p, lambda: t + 1, lambda: t * 3))  # noqa: E731  one expression, like its siblings
        return tf.while_loop(lambda j, t: j < 2, step, [0, s])[1]

    def body(i, s):
        return i + 1, tf.cond(i > 100, lambda: inner(s), lambda: tf.cond(p, lambda: inner(s), lambda: s))

    y = tf.while_loop(lambda i, s: i < n, body, [0, 1])[1]
    for value in (True, False):
        yield {n: 3, p: value}, y


def loop_with_invariants():
    x, n = _x([3]), _x(dtype=tf.int32, name="n")
    scale = tf.constant([1.0, 2.0, 3.0])

    def body(i, y):
        return i + 1, y + tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z + scale * x), [0, tf.zeros([3])])[1]

    y = tf.while_loop(lambda i, y: i < n, body, [0, x])[1]
    for count in (0, 4):
        yield {x: [1, -1, 0.5], n: count}, y


def loop_with_controls():
    n = _x(dtype=tf.int32)

    def body(i, s):
        first = s * 3
        with tf.control_dependencies([first]):
            step = tf.constant(1)
        with tf.control_dependencies([step]):
            return i + step, tf.identity(s) + 1

    y = tf.while_loop(lambda i, s: i < n, body, [0, 0])
    yield {n: 4}, list(y)


def controls_on_a_loop():
    n = _x(dtype=tf.int32)
    i = tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])
    with tf.control_dependencies([i]):
        late = tf.constant(5)
        nothing = tf.no_op(name="nothing")
    yield {n: 3}, [late, nothing]


def loop_of_changing_shape():
    n = _x(dtype=tf.int32)
    grown = tf.while_loop(
        lambda i, y: i < n,
        lambda i, y: (i + 1, tf.concat([y, [i, i]], 0)),
        [0, tf.zeros([0], tf.int32)],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    for count in (0, 3):
        yield {n: count}, list(grown)


def loop_with_a_condition_of_data():
    x = _x()
    y, steps = tf.while_loop(lambda y, s: y > 1, lambda y, s: (y / 2, s + 1), [x, 0])
    for value in (0.5, 100):
        yield {x: value}, [y, steps]


def loops_one_after_the_other():
    x = _x(dtype=tf.int32)
    a = tf.while_loop(lambda i: i < 5, lambda i: i + x, [0])
    b = tf.while_loop(lambda i, j: i < 20, lambda i, j: (i + j, j + 1), [a, a])
    yield {x: 2}, [a, *b]


def loop_with_an_unused_variable():
    n = _x(dtype=tf.int32)
    i, unused, fixed = tf.while_loop(lambda i, u, f: i < n, lambda i, u, f: (i + 1, u * 2, f), [0, 1, 42])
    yield {n: 3}, [i, fixed]
    yield {n: 3}, [unused]


def fed_inside_of_a_conditional():
    x, p = _x(), _flag()
    inside = []
    y = tf.cond(p, lambda: inside.append(tf.square(x, name="square")) or inside[-1] + 1, lambda: x)
    yield {x: 3, p: True}, y
    yield {p: True, inside[0]: 100, x: 3}, y


def fed_in_the_middle():
    x = _x([2])
    middle = tf.square(x, name="middle")
    y = middle + 1
    yield {x: [1, 2]}, [y, middle]
    yield {middle: [5, 6]}, [y, middle]
    yield {middle: [5, 6], x: [1, 1]}, [y, x]


def fed_one_of_two_outputs():
    x = _x([4])
    a, b = tf.split(x, 2)
    y = a - b
    yield {x: [1, 2, 3, 4], b: [10, 10]}, [y, a, b]
    yield {x: [1, 2, 3, 4]}, y


def nodes_without_outputs():
    x = _x()
    check = tf.debugging.assert_positive(x)
    with tf.control_dependencies([check]):
        y = x + 1
        nothing = tf.no_op(name="nothing")
    yield {x: 1}, [y, nothing]
    yield {x: -1}, [y]
    yield {x: -1}, [nothing]


def placeholder_with_default():
    default = tf.constant([1.0, 2.0])
    x = tf.placeholder_with_default(default, [2], name="x")
    y = x * 3
    yield {}, y
    yield {x: [5, 5]}, y
    yield {default: [7, 7]}, y


def errors_in_the_side_not_taken():
    x, p = _x([2], tf.int32), _flag()
    y = tf.cond(p, lambda: tf.gather(x, 5), lambda: x[0])
    yield {x: [1, 2], p: False}, y
    yield {x: [1, 2], p: True}, y


def strings_in_a_loop():
    n = _x(dtype=tf.int32)
    y = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.strings.join([s, tf.as_string(i)])), [0, "<"])[1]
    yield {n: 4}, y


def fibonacci_until():
    most = _x(dtype=tf.int64)
    a, b = tf.while_loop(lambda a, b: b < most, lambda a, b: (b, a + b), [np.int64(0), np.int64(1)])
    yield {most: 1000}, [a, b]


def case_of_three():
    x = _x()
    y = tf.case([(x < 0, lambda: -x), (x > 10, lambda: x / 2)], default=lambda: x + 100, exclusive=False)
    for value in (-3, 20, 5):
        yield {x: value}, y


def switch_case():
    x, k = _x(), _x(dtype=tf.int32, name="k")
    y = tf.switch_case(k, [lambda: x, lambda: x * 2, lambda: x * 3])
    for value in (0, 1, 2, 7, -1):
        yield {x: 5, k: value}, y
