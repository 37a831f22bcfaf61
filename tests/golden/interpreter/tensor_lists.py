"""Programs with lists of tensors: in loops made of functions, and op by op.

Each function builds a graph and yields the feeds and fetches of successive runs. See answers.py.
"""

from __future__ import annotations

import random

import tensorflow.compat.v1 as tf

F, I32 = tf.float32, tf.int32
RAW = tf.raw_ops
ANY = -1
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def _version_2(build):
    build.version_2 = True
    return build


def _x(shape=(), dtype=F, name="x"):
    return tf.placeholder(dtype, shape, name=name)


def _shape(shape):
    """A shape that is not known before the graph runs: what does not fit fails then."""
    return tf.placeholder_with_default(tf.constant(shape, I32), None)


def _list(shape=ANY, size=3, *pairs):
    """A list with this number of elements, some of them set."""
    handle = RAW.TensorListReserve(element_shape=_shape(shape), num_elements=size, element_dtype=F)
    for index, item in pairs:
        handle = RAW.TensorListSetItem(input_handle=handle, index=index, item=item)
    return handle


def _stack(handle, shape=ANY, **attributes):
    return RAW.TensorListStack(input_handle=handle, element_shape=_shape(shape), element_dtype=F, **attributes)


def _get(handle, index, shape=ANY):
    return RAW.TensorListGetItem(input_handle=handle, index=index, element_shape=_shape(shape), element_dtype=F)


def _length(handle):
    return RAW.TensorListLength(input_handle=handle)


@_version_2
def loop_that_gathers():
    x, n = _x([2]), _x(dtype=I32, name="n")
    array = tf.TensorArray(F, n, element_shape=[2])
    _, array = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, x * tf.cast(i, F))), [0, array])
    for count in (0, 1, 5):
        yield {x: [1, 2], n: count}, [array.stack(), array.size()]


@_version_2
def loop_that_grows():
    n = _x(dtype=I32, name="n")
    array = tf.TensorArray(I32, 0, dynamic_size=True, element_shape=[])
    _, array = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, i * i)), [0, array])
    yield {n: 5}, array.stack()


@_version_2
def lists_map_scan_and_fold():
    x = _x([None, 2])
    mapped = tf.map_fn(lambda row: row * 2 + 1, x)
    scanned = tf.scan(lambda total, row: total + row, x)
    for rows in (ROWS, ROWS[:1]):
        yield {x: rows}, [mapped, scanned]


@_version_2
def lists_recurrent_layer():
    random.seed(1)  # from which Keras takes that of the weights
    x = _x([2, None, 3])
    cell = tf.nn.rnn_cell.BasicRNNCell(4)
    y, state = tf.nn.dynamic_rnn(cell, x, sequence_length=[1, 2], dtype=F)
    yield {x: [[[1, 2, 3], [4, 5, 6]], [[0, 1, 0], [-1, 0, 1]]]}, [y, state]


@_version_2
def list_in_a_conditional():
    x, p = _x(), _x(dtype=tf.bool, name="p")
    handle = _list([], 2)

    def item(index, value):
        return RAW.TensorListSetItem(input_handle=handle, index=index, item=value)

    y = _stack(tf.cond(p, lambda: item(0, x), lambda: item(1, x * 2)), [])
    yield {x: 3, p: True}, y
    yield {x: 3, p: False}, y


def lists_are_values():
    x = _x()
    old = _list([], 2, (0, x))
    new = RAW.TensorListSetItem(input_handle=old, index=0, item=x * 10)
    newer = RAW.TensorListSetItem(input_handle=new, index=1, item=x * 100)
    other = RAW.TensorListSetItem(input_handle=old, index=1, item=-x)
    yield {x: 1}, [_stack(each) for each in (newer, old, other, new)]
    yield {x: 2}, [_stack(each) for each in (old, other, new, newer)]


def pushed_and_popped():
    x = _x([2])
    empty = RAW.EmptyTensorList(element_shape=_shape([2]), max_num_elements=2, element_dtype=F)
    one = RAW.TensorListPushBack(input_handle=empty, tensor=x)
    two = RAW.TensorListPushBack(input_handle=one, tensor=x * 2)
    other = RAW.TensorListPushBack(input_handle=one, tensor=x * 3)
    three = RAW.TensorListPushBack(input_handle=two, tensor=x)

    def pop(handle):
        return RAW.TensorListPopBack(input_handle=handle, element_shape=_shape(ANY), element_dtype=F)

    rest, last = pop(two)
    yield {x: [1, 2]}, [_stack(two), _stack(other), _stack(one), _stack(empty, [2]), last, _stack(rest)]
    yield {x: [1, 2]}, [_length(empty), _length(two), _length(rest)]
    yield {x: [1, 2]}, _length(three)
    yield {}, _length(pop(empty)[0])


def popped_before_it_was_set():
    for shape, wanted in (([2], ANY), (ANY, [2]), (ANY, ANY), ([-1], ANY)):
        handle = _list(shape, 2, (0, [1.0, 2.0]))
        rest, item = RAW.TensorListPopBack(input_handle=handle, element_shape=_shape(wanted), element_dtype=F)
        yield {}, [item, _length(rest)]


def read_by_index():
    i = _x(dtype=I32, name="i")
    for shape, wanted in (([2], ANY), (ANY, ANY), (ANY, [2]), (ANY, [3]), ([-1], [2])):
        y = _get(_list(shape, 3, (1, [1.0, 2.0])), i, wanted)
        for index in (0, 1, 3, -1):
            yield {i: index}, y


def read_where_nothing_was_set():
    for shape, wanted in (([2], ANY), (ANY, ANY), (ANY, [2]), ([-1], [2]), ([3], [2])):
        handle = _list(shape, 2)
        yield {}, _get(handle, 0, wanted)
        yield {}, _stack(handle, wanted)


def set_beyond_the_end():
    i = _x(dtype=I32, name="i")
    y = _stack(_list([], 3, (i, 1.0)))
    for index in (0, 2, 3, -1):
        yield {i: index}, y


def shapes_that_do_not_fit():
    x = _x(None)
    for shape in ([2], [-1], ANY, []):
        handle = _list(shape, 1, (0, x))
        pushed = RAW.TensorListPushBack(input_handle=_list(shape, 0), tensor=x)
        for value in ([1, 2], [1, 2, 3], 1):
            yield {x: value}, _stack(handle)
            yield {x: value}, _length(pushed)


def stacks_of_unequal_shapes():
    x = _x(None)
    for wanted in (ANY, [2], [-1], [3]):
        y = _stack(_list(ANY, 2, (0, x), (1, [1.0, 2.0])), wanted)
        for value in ([1, 2], [1, 2, 3]):
            yield {x: value}, y


def stacks_of_a_number_of_elements():
    for count in (-1, 2, 3):
        yield {}, _stack(_list([], 2), num_elements=count)


def stacks_of_nothing():
    for shape, wanted in (([2], ANY), (ANY, [2]), (ANY, ANY), ([-1], ANY)):
        yield {}, _stack(_list(shape, 0), wanted)


def lists_shapes_of_elements():
    for shape in (ANY, [], [2, -1], [-1]):
        for dtype in (I32, tf.int64):
            yield {}, RAW.TensorListElementShape(input_handle=_list(shape), shape_type=dtype)


def from_a_tensor():
    x = _x(None)
    for shape in ([2], ANY, [-1], [3]):
        handle = RAW.TensorListFromTensor(tensor=x, element_shape=_shape(shape))
        for value in (ROWS, 1.0):
            yield {x: value}, [_length(handle), _stack(handle)]
    handle = RAW.TensorListFromTensor(tensor=x, element_shape=_shape([2]))
    yield {x: [[1, 2, 3]]}, _length(handle)


def gathered():
    i = _x([None], I32, "i")
    handle = _list([2], 3, (0, [1.0, 2.0]), (2, [3.0, 4.0]))
    for wanted in (ANY, [2], [3]):
        y = RAW.TensorListGather(input_handle=handle, indices=i, element_shape=_shape(wanted), element_dtype=F)
        for indices in ([0, 2, 0], [1], [], [3], [-1]):
            yield {i: indices}, y


def scattered():
    i = _x([None], I32, "i")
    x = _x([None, 2])
    for size in (-1, 4, 2, -2):
        handle = RAW.TensorListScatterV2(tensor=x, indices=i, element_shape=_shape([2]), num_elements=size)
        for indices in ([0, 2, 1], [3, 0, 0], [0], [0, -1, 1], [0, 1, 9]):
            yield {x: ROWS, i: indices}, [_length(handle), _stack(handle)]
    handle = RAW.TensorListScatter(tensor=x, indices=i, element_shape=_shape(ANY))
    yield {x: ROWS, i: [4, 0, 2]}, _stack(handle)


def scattered_into_another():
    i = _x([None], I32, "i")
    x = _x([None, 2])
    old = _list([2], 3, (1, [9.0, 9.0]))
    new = RAW.TensorListScatterIntoExistingList(input_handle=old, tensor=x, indices=i)
    for indices in ([0, 2, 1], [2, 0, 0], [0]):  # TensorFlow dies of negative ones
        yield {x: ROWS, i: indices}, [_length(new), _stack(new), _stack(old)]
    yield {x: ROWS, i: [5, 0, 0]}, _length(new)  # the elements between are whatever was in memory


def lists_split_and_concatenated():
    x, sizes = _x(None), _x([None], tf.int64, "sizes")
    for shape in (ANY, [-1, 2], [-1, 3], [1, 2], []):
        handle = RAW.TensorListSplit(tensor=x, element_shape=_shape(shape), lengths=sizes)
        y, lengths = RAW.TensorListConcatV2(
            input_handle=handle, element_shape=_shape(ANY), leading_dims=tf.zeros([0], tf.int64), element_dtype=F
        )
        for parts in ([1, 2], [3], [1, 0, 2], [1, 1]):  # TensorFlow dies of negative ones
            yield {x: ROWS, sizes: parts}, [_length(handle), y, lengths]
    yield {x: 1.0, sizes: [1]}, _length(handle)


def concatenated():
    x = _x(None)
    leading = _x([None], tf.int64, "leading")
    for shape in (ANY, [-1, 2], [1, 2]):
        for wanted in (ANY, [-1, 2], [2, 2]):
            handle = _list(shape, 2, (0, x))
            y, lengths = RAW.TensorListConcatV2(
                input_handle=handle, element_shape=_shape(wanted), leading_dims=leading, element_dtype=F
            )
            for rows in (ROWS[:1], ROWS[:2]):
                for dims in ([], [7, 1], [2, 2], [1]):
                    yield {x: rows, leading: dims}, [y, lengths]
    y, lengths = RAW.TensorListConcat(input_handle=_list(ANY, 2, (0, x), (1, x * 2)), element_dtype=F)
    for value in (ROWS, [1, 2], 1.0):
        yield {x: value}, [y, lengths]


def joined():
    one = _list([2], 1, (0, [1.0, 2.0]))
    for shape in ([2], ANY, [3]):
        y = RAW.TensorListConcatLists(input_a=one, input_b=_list(shape, 2), element_dtype=F)
        yield {}, [_stack(y), _length(y), _stack(one)]


def resized():
    n = _x(dtype=I32, name="n")
    handle = RAW.TensorListResize(input_handle=_list([], 3, (0, 1.0), (2, 3.0)), size=n)
    for size in (5, 1, 3, 0, -1):
        yield {n: size}, [_length(handle), _stack(handle, [])]


def lists_of_strings():
    handle = RAW.TensorListReserve(element_shape=_shape([]), num_elements=2, element_dtype=tf.string)
    handle = RAW.TensorListSetItem(input_handle=handle, index=1, item="word")
    yield {}, RAW.TensorListStack(input_handle=handle, element_shape=_shape([]), element_dtype=tf.string)


def shapes_that_make_no_sense():
    shape = _x(None, I32, "shape")
    handle = RAW.TensorListReserve(element_shape=shape, num_elements=1, element_dtype=F)
    for value in (-1, 2, [2], [-1], [-2], [[2]]):
        yield {shape: value}, _length(handle)


def reserved_for_a_number():
    n = _x(dtype=I32, name="n")
    handle = RAW.TensorListReserve(element_shape=_shape([]), num_elements=n, element_dtype=F)
    for size in (0, 4, -1):
        yield {n: size}, _length(handle)


@_version_2
def lists_gradients_of_a_loop():
    x, n = _x([2]), _x(dtype=I32, name="n")
    y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, x])[1]
    [slope] = tf.gradients(y, x)
    for count in (0, 3):
        yield {x: [2, 3], n: count}, [y, slope]
