"""Programs with TensorArrays of TensorFlow 1 and their stacks.

Each function builds a graph and yields the feeds and fetches of successive runs. See answers.py.
"""

from __future__ import annotations

import random

import tensorflow.compat.v1 as tf

F, I32 = tf.float32, tf.int32
RAW = tf.raw_ops


def _x(shape=(), dtype=F, name="x"):
    return tf.placeholder(dtype, shape, name=name)


def written_in_a_loop():
    x, n = _x([2]), _x(dtype=I32, name="n")
    array = tf.TensorArray(F, n)
    _, array = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, x * tf.cast(i, F))), [0, array])
    y = array.stack()
    for count in (1, 4):
        yield {x: [1, 2], n: count}, [y, array.size()]
    yield {x: [1, 2], n: 0}, array.size()


def decoder():
    """Reads one array, writes another, and carries a state."""
    x = _x([None, 3])
    steps = tf.shape(x)[0]
    inputs = tf.TensorArray(F, steps).unstack(x)
    outputs = tf.TensorArray(F, 0, dynamic_size=True, infer_shape=False)

    def body(i, state, out):
        state = tf.tanh(state + inputs.read(i))
        return i + 1, state, out.write(i, state * 2)

    _, state, out = tf.while_loop(lambda i, *_: i < steps, body, [0, tf.zeros([3]), outputs])
    yield {x: [[1, 2, 3], [0, -1, 0.5]]}, [state, out.stack(), out.size()]
    yield {x: [[1, 1, 1]]}, [state, out.concat()]


def gathered_and_scattered():
    x, i = _x([3, 2]), _x([None], I32, "i")
    array = tf.TensorArray(F, 4, clear_after_read=False).scatter([3, 0, 1], x)
    y = array.gather(i)
    yield {x: [[1, 2], [3, 4], [5, 6]], i: [0, 3, 0]}, y
    yield {x: [[1, 2], [3, 4], [5, 6]], i: [2]}, y
    yield {x: [[1, 2], [3, 4], [5, 6]], i: [4]}, y
    yield {x: [[1, 2], [3, 4], [5, 6]], i: [-1]}, y
    yield {x: [[1, 2], [3, 4], [5, 6]], i: []}, y


def split_and_concatenated():
    x, sizes = _x([None, 2]), _x([None], tf.int64, "sizes")
    array = tf.TensorArray(F, 3, infer_shape=False).split(x, sizes)
    y, lengths = RAW.TensorArrayConcatV3(handle=array.handle, flow_in=array.flow, dtype=F)
    rows = [[1, 2], [3, 4], [5, 6]]
    yield {x: rows, sizes: [1, 0, 2]}, [y, lengths]
    yield {x: rows, sizes: [1, 2]}, y
    yield {x: rows, sizes: [1, 1, 2]}, y


def _array(shape=None, **attributes):
    """A handle and a flow: raw, so that Python does not check what TensorFlow does."""
    size = attributes.pop("size", 3)
    return RAW.TensorArrayV3(size=size, dtype=F, element_shape=shape, **attributes)


def _written(handle, flow, *pairs):
    for index, value in pairs:
        flow = RAW.TensorArrayWriteV3(handle=handle, index=index, value=value, flow_in=flow)
    return flow


def _read(handle, flow, index):
    return RAW.TensorArrayReadV3(handle=handle, index=index, flow_in=flow, dtype=F)


def written_twice():
    x, i = _x(), _x(dtype=I32, name="i")
    handle, flow = _array()
    flow = _written(handle, flow, (0, x), (i, x))
    yield {x: 1, i: 1}, flow
    yield {x: 1, i: 0}, flow
    yield {x: 1, i: 3}, flow
    yield {x: 1, i: -1}, flow


def read_twice():
    x = _x()
    for clear in (True, False):
        handle, flow = _array(clear_after_read=clear)
        flow = _written(handle, flow, (0, x))
        first = _read(handle, flow, 0)
        with tf.control_dependencies([first]):
            second = _read(handle, flow, 0) + first
        yield {x: 2}, first
        yield {x: 2}, second


def written_after_it_was_read():
    x = _x()
    for shape in (None, []):
        handle, flow = _array(shape)
        flow = _written(handle, flow, (0, x))
        with tf.control_dependencies([_read(handle, flow, 0)]):
            again = _written(handle, tf.identity(flow), (0, x))
        yield {x: 2}, again


def read_before_it_was_written():
    i = _x(dtype=I32, name="i")
    for shape in ([2], [None], None):
        handle, flow = _array(shape)
        flow = _written(handle, flow, (1, [1.0, 2.0]))
        y = _read(handle, flow, i)
        for index in (1, 0, 5, -1):
            yield {i: index}, y


def shapes_of_elements():
    x = _x(None)
    for shape, same in (([2], False), ([None], False), (None, False), (None, True)):
        handle, flow = _array(shape, identical_element_shapes=same)
        flow = _written(handle, flow, (0, x), (1, [5.0, 6.0]))
        y = RAW.TensorArrayGatherV3(handle=handle, indices=[0, 1], flow_in=flow, dtype=F)
        for value in ([1, 2], [1, 2, 3], 1):
            yield {x: value}, flow
            yield {x: value}, y


def grown_and_not():
    i = _x(dtype=I32, name="i")
    for dynamic in (True, False):
        handle, flow = _array([], dynamic_size=dynamic, size=1)
        flow = _written(handle, flow, (i, 7.0))
        y = RAW.TensorArrayGatherV3(handle=handle, indices=tf.range(i + 1), flow_in=flow, dtype=F)
        size = RAW.TensorArraySizeV3(handle=handle, flow_in=flow)
        for index in (0, 2):
            yield {i: index}, [size, y]


def nothing_in_it():
    for shape in ([2], None):
        handle, flow = _array(shape, size=0)
        yield {}, RAW.TensorArrayGatherV3(handle=handle, indices=tf.zeros([0], I32), flow_in=flow, dtype=F)
        yield {}, RAW.TensorArrayConcatV3(handle=handle, flow_in=flow, dtype=F, element_shape_except0=shape)[0]
        yield {}, RAW.TensorArraySizeV3(handle=handle, flow_in=flow)


def closed():
    handle, flow = _array()
    close = RAW.TensorArrayCloseV3(handle=handle)
    with tf.control_dependencies([close]):
        size = RAW.TensorArraySizeV3(handle=handle, flow_in=flow)
    yield {}, [close]
    yield {}, size


def of_another_type():
    handle, flow = _array()
    yield {}, RAW.TensorArrayWriteV3(handle=handle, index=0, value=1, flow_in=flow)
    yield {}, RAW.TensorArrayReadV3(handle=handle, index=0, flow_in=flow, dtype=I32)


def scalars_cannot_be_concatenated():
    handle, flow = _array()
    flow = _written(handle, flow, (0, 1.0), (1, 1.0), (2, 1.0))
    yield {}, RAW.TensorArrayConcatV3(handle=handle, flow_in=flow, dtype=F)[0]


def unequal_rows():
    x = _x(None)
    handle, flow = _array(size=2)
    flow = _written(handle, flow, (0, x), (1, [[5.0, 6.0]]))
    y, lengths = RAW.TensorArrayConcatV3(handle=handle, flow_in=flow, dtype=F)
    for value in ([[1, 2], [3, 4]], [[1], [2]], [1, 2]):
        yield {x: value}, [y, lengths]


def in_both_sides_of_a_conditional():
    x, p = _x(), _x(dtype=tf.bool, name="p")
    array = tf.TensorArray(F, 2, element_shape=[])
    flow = tf.cond(p, lambda: array.write(0, x).flow, lambda: array.write(1, x * 2).flow)
    y = RAW.TensorArrayGatherV3(handle=array.handle, indices=[0, 1], flow_in=flow, dtype=F)
    yield {x: 3, p: True}, y
    yield {x: 3, p: False}, y


def made_anew_in_each_iteration():
    n = _x(dtype=I32, name="n")

    def body(i, s):
        array = tf.TensorArray(I32, i + 1, element_shape=[]).write(i, i * 10)
        return i + 1, s + tf.reduce_sum(array.stack())

    y = tf.while_loop(lambda i, s: i < n, body, [0, 0])[1]
    yield {n: 4}, y


def map_scan_and_fold():
    x = _x([None, 2])
    mapped = tf.map_fn(lambda row: row * 2 + 1, x)
    scanned = tf.scan(lambda total, row: total + row, x)
    folded = tf.foldl(lambda total, row: total * row, x)
    for rows in ([[1, 2], [3, 4], [5, 6]], [[1, 2]]):
        yield {x: rows}, [mapped, scanned, folded]


def recurrent_layer():
    random.seed(1)  # from which Keras takes that of the weights
    x = _x([2, None, 3])
    cell = tf.nn.rnn_cell.BasicRNNCell(4)
    y, state = tf.nn.dynamic_rnn(cell, x, sequence_length=[1, 2], dtype=F)
    yield {x: [[[1, 2, 3], [4, 5, 6]], [[0, 1, 0], [-1, 0, 1]]]}, [y, state]


def stacks():
    x = _x()
    handle = RAW.StackV2(max_size=2, elem_type=F)
    one = RAW.StackPushV2(handle=handle, elem=x)
    with tf.control_dependencies([one]):
        two = RAW.StackPushV2(handle=handle, elem=x * 2)
    with tf.control_dependencies([two]):
        last = RAW.StackPopV2(handle=handle, elem_type=F)
        full = RAW.StackPushV2(handle=handle, elem=x * 3)
    with tf.control_dependencies([last]):
        first = RAW.StackPopV2(handle=handle, elem_type=F)
    with tf.control_dependencies([first]):
        empty = RAW.StackPopV2(handle=handle, elem_type=F)
    yield {x: 5}, [one, last, first]
    yield {x: 5}, [two, full]
    yield {x: 5}, empty


def gradients_of_a_loop():
    x, n = _x([2]), _x(dtype=I32, name="n")
    y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, x])[1]
    [slope] = tf.gradients(y, x)
    for count in (0, 3):
        yield {x: [2, 3], n: count}, [y, slope]
