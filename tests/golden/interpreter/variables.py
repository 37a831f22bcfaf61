"""Programs with reference and resource variables: reads, changes, and their order.

Each function builds a graph and yields the feeds and fetches of successive runs. See answers.py.
"""

from __future__ import annotations

import tensorflow.compat.v1 as tf

F = tf.float32


def _variable(value, resource, name="v"):
    return tf.get_variable(name, initializer=tf.constant(value), use_resource=resource)


def _after(op, value):
    with tf.control_dependencies([op]):
        return value()


def _read_and_change(resource):
    v = _variable([1.0, 2.0], resource)
    x = tf.placeholder(F, [2], name="x")
    changed = _after(v.assign_add(x), v.read_value)
    yield {}, v.read_value()
    yield {x: [1, 1]}, changed
    yield {x: [2, 0]}, changed
    yield {}, v.read_value()


def ref_reads_and_changes():
    yield from _read_and_change(False)


def resource_reads_and_changes():
    yield from _read_and_change(True)


def _orders(resource):
    v = _variable(10.0, resource)
    before = v.read_value()
    with tf.control_dependencies([before]):
        add = v.assign_add(5.0)
    with tf.control_dependencies([add]):
        between = v.read_value() + 0.0  # values read from TensorFlow's ref variables may change later, or not
    with tf.control_dependencies([between]):
        sub = v.assign_sub(100.0)
    with tf.control_dependencies([sub]):
        after = v.read_value()
    yield {}, [tf.identity(before + 0), between, after] if resource else [between, after]
    yield {}, after
    yield {}, v.read_value()


def ref_orders():
    yield from _orders(False)


def resource_orders():
    yield from _orders(True)


def ref_assign_gives_the_new_value():
    v = _variable([1.0, 2.0], False)
    x = tf.placeholder(F, [2], name="x")
    y = v.assign(x) * 2
    yield {x: [3, 4]}, y
    yield {}, v


def ref_chain_of_assigns():
    v = _variable(1.0, False)
    y = tf.assign_add(tf.assign_add(tf.assign(v, 7.0), 1.0), 2.0)
    yield {}, y
    yield {}, v


def _scatters(resource):
    v = _variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], resource)
    x = tf.placeholder(F, [2, 2], name="x")
    i = tf.placeholder(tf.int32, [2], name="i")
    ops = [v.scatter_update, v.scatter_add, v.scatter_sub, v.scatter_mul, v.scatter_div, v.scatter_min, v.scatter_max]
    for op in ops:
        changed = _after(op(tf.IndexedSlices(x, i)), v.read_value)
        yield {x: [[1, 2], [4, -8]], i: [2, 0]}, changed
        yield {x: [[1, 2], [4, -8]], i: [1, 1]}, changed
    yield {x: [[1, 2], [4, -8]], i: [0, 3]}, changed
    yield {x: [[1, 2], [4, -8]], i: [-1, 0]}, changed  # the last run: TensorFlow may have changed a part then


def ref_scatters():
    yield from _scatters(False)


def resource_scatters():
    yield from _scatters(True)


def resource_gathers():
    v = _variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], True)
    i = tf.placeholder(tf.int32, [None], name="i")
    y = tf.raw_ops.ResourceGather(resource=v.handle, indices=i, dtype=F)
    z = tf.raw_ops.ResourceGatherNd(resource=v.handle, indices=tf.stack([i, i], 1), dtype=F)
    yield {i: [2, 0, 2]}, y
    yield {i: [1, 0]}, z
    yield {i: [3]}, y
    yield {i: [-1]}, y
    yield {i: [2]}, z
    yield {i: []}, [y, z]


def shapes_of_variables():
    v = _variable([[1.0, 2.0]], True)
    yield {}, [tf.raw_ops.VariableShape(input=v.handle), tf.raw_ops.VarIsInitializedOp(resource=v.handle)]


def never_initialised():
    handle = tf.raw_ops.VarHandleOp(dtype=F, shape=[2], shared_name="nobody")
    ref = tf.raw_ops.VariableV2(shape=[2], dtype=F, shared_name="", container="")
    x = tf.placeholder(F, [2], name="x")
    yield {}, tf.raw_ops.VarIsInitializedOp(resource=handle)
    yield {}, tf.raw_ops.IsVariableInitialized(ref=ref)
    yield {}, tf.raw_ops.ReadVariableOp(resource=handle, dtype=F)
    yield {}, tf.identity(ref)
    read = tf.raw_ops.ReadVariableOp
    assigned = tf.raw_ops.AssignVariableOp(resource=handle, value=x)
    yield {x: [1, 2]}, _after(assigned, lambda: read(resource=handle, dtype=F))
    yield {}, read(resource=handle, dtype=F)
    yield {x: [3, 4]}, tf.raw_ops.Assign(ref=ref, value=x)
    yield {}, [tf.identity(ref), tf.raw_ops.IsVariableInitialized(ref=ref)]


def shared_between_nodes():
    one = tf.raw_ops.VarHandleOp(dtype=F, shape=[], shared_name="both")
    other = tf.raw_ops.VarHandleOp(dtype=F, shape=[], shared_name="both")
    apart = tf.raw_ops.VarHandleOp(dtype=F, shape=[], shared_name="apart")
    set_it = tf.raw_ops.AssignVariableOp(resource=one, value=3.0)
    yield {}, _after(set_it, lambda: tf.raw_ops.ReadVariableOp(resource=other, dtype=F))
    yield {}, [tf.raw_ops.VarIsInitializedOp(resource=apart), tf.raw_ops.VarIsInitializedOp(resource=other)]


def _in_conditional(resource):
    v = _variable(1.0, resource)
    p = tf.placeholder(tf.bool, [], name="p")
    y = tf.cond(p, lambda: tf.identity(v.assign_add(10.0)), lambda: tf.identity(v.assign_sub(1.0)))
    for value in (True, False, False):
        yield {p: value}, y
    yield {}, v.read_value()


def ref_in_conditional():
    yield from _in_conditional(False)


def resource_in_conditional():
    yield from _in_conditional(True)


def _in_loop(resource):
    v = _variable(1.0, resource)
    n = tf.placeholder(tf.int32, [], name="n")

    def body(i, s):
        with tf.control_dependencies([v.assign_add(tf.cast(i, F))]):
            return i + 1, s + v.read_value()

    y = tf.while_loop(lambda i, s: i < n, body, [0, 0.0], parallel_iterations=1)
    yield {n: 4}, list(y)
    yield {n: 0}, list(y)
    yield {}, v.read_value()


def resource_in_loop():
    yield from _in_loop(True)


def what_was_read_stays():
    v = _variable([1.0, 2.0], True)
    old = v.read_value()
    with tf.control_dependencies([old]):
        assign = v.assign([9.0, 9.0])
    with tf.control_dependencies([assign]):
        new = v.read_value()
        both = old + 0.0
    yield {}, [both, new]


def wrong_shapes():
    v = _variable([1.0, 2.0], True)
    r = _variable([1.0, 2.0], False, "r")
    x = tf.placeholder(F, None, name="x")
    add = tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=x)
    assign = tf.raw_ops.Assign(ref=r._ref(), value=x, validate_shape=True)
    loose = tf.raw_ops.Assign(ref=r._ref(), value=x, validate_shape=False)
    for value in ([1.0, 1.0, 1.0], 1.0, [2.0, 2.0]):
        yield {x: value}, [add]
        yield {x: value}, assign
    yield {x: [1.0, 1.0, 1.0]}, loose
    yield {}, [v.read_value(), r.read_value()]


def temporary():
    x = tf.placeholder(F, [2], name="x")
    t = tf.raw_ops.TemporaryVariable(shape=[2], dtype=F, var_name="t")
    a = tf.raw_ops.Assign(ref=t, value=x)
    b = tf.raw_ops.AssignAdd(ref=a, value=x)
    y = tf.raw_ops.DestroyTemporaryVariable(ref=b, var_name="t")
    yield {x: [1, 2]}, y
    yield {x: [3, 4]}, y


def counting_up_to():
    v = _variable(0, False)
    y = tf.count_up_to(v, 2)
    for _ in range(3):
        yield {}, y


def fed_variable():
    v = _variable([1.0, 2.0], False)
    y = tf.identity(v) * 2
    yield {"v/read:0": [10, 10]}, v * 2
    yield {}, y
