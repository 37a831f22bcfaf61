"""Programs with ragged tensors in variants: packed and unpacked, in loops, and their gradients.

Each function builds a graph and yields the feeds and fetches of successive runs. See answers.py.
"""

from __future__ import annotations

import random

import numpy as np
import tensorflow.compat.v1 as tf

F, I32, I64, S = tf.float32, tf.int32, tf.int64, tf.string
RAW = tf.raw_ops


def _version_2(build):
    build.version_2 = True
    return build


def _fed(dtype, name, shape=None):
    return tf.placeholder(dtype, shape, name=name)


def _splits(rank, dtype=I64):
    return [_fed(dtype, f"splits{level}") for level in range(rank)]


def _random(rows, rank, chance):
    """Random splits of a ragged tensor, and the number of its values."""
    splits = []
    for _ in range(rank):
        ends = [0]
        for _ in range(rows):
            ends.append(ends[-1] + chance.choice([0, 0, 1, 2, 3]))
        splits.append(ends)
        rows = ends[-1]
    return splits, rows


def _unpack(variants, rank, input_rank=-1, values=F, dtype=I64):
    splits, flat = RAW.RaggedTensorFromVariant(
        encoded_ragged=variants, input_ragged_rank=input_rank, output_ragged_rank=rank, Tvalues=values, Tsplits=dtype
    )
    return [*splits, flat]


def _there_and_back(rank, batched, dtype=I64, inner=(), seed=0):
    """Pack random ragged tensors of a rank, and unpack them."""
    chance = random.Random(seed)
    splits, x = _splits(rank, dtype), _fed(F, "x")
    packed = RAW.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=x, batched_input=batched)
    fetches = [*_unpack(packed, rank, dtype=dtype), tf.shape(packed)]
    for rows in (0, 1, 2, 3, 5, 5):
        ends, count = _random(rows, rank, chance)
        values = [[float(row * 10 + place) for place in range(2)] if inner else float(row) for row in range(count)]
        yield {**dict(zip(splits, ends, strict=True)), x: _array(values, inner)}, fetches


def _array(values, inner):
    return np.array(values, np.float32).reshape(len(values), *inner)


def rows_of_rank_1():
    yield from _there_and_back(1, True)


def rows_of_rank_2():
    yield from _there_and_back(2, True, seed=1)


def rows_of_rank_3():
    yield from _there_and_back(3, True, I32, seed=2)


def rows_of_vectors():
    yield from _there_and_back(2, True, inner=(2,), seed=3)


def whole_tensors():
    yield from _there_and_back(1, False)


def whole_tensors_of_rank_2():
    yield from _there_and_back(2, False, I32, inner=(2,), seed=4)


def dense_rows():
    x = _fed(I32, "x")
    rows = RAW.RaggedTensorToVariant(rt_nested_splits=[], rt_dense_values=x, batched_input=True)
    whole = RAW.RaggedTensorToVariant(rt_nested_splits=[], rt_dense_values=x, batched_input=False)
    fetches = [*_unpack(rows, 1, values=I32), *_unpack(whole, 0, values=I32)]
    for value in ([[1, 2], [3, 4], [5, 6]], [[7]], [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]):
        yield {x: value}, fetches
    for value in ([1, 2, 3], 3):  # the rows are scalars
        yield {x: value}, fetches
    yield {x: [1, 2, 3]}, fetches[2:]
    yield {x: 3}, tf.shape(whole)
    yield {x: 3}, tf.shape(rows)


def strings_in_rows():
    x, splits = _fed(S, "x"), _splits(1)
    rows = RAW.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=x, batched_input=True)
    back = _unpack(rows, 1, values=S)
    yield {x: ["a", "", "bcd"], splits[0]: [0, 2, 3]}, back


def rows_picked_and_stacked():
    x, splits, pick = _fed(F, "x"), _splits(2), _fed(I32, "pick")
    rows = RAW.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=x, batched_input=True)
    chosen = tf.gather(rows, pick)
    fetches = [*_unpack(chosen, 2), *_unpack(tf.stack([chosen, chosen]), 3), *_unpack(chosen[:0], 2)]
    one = _unpack(rows[1], 1)
    feeds = {x: [1, 2, 3, 4], splits[0]: [0, 2, 2, 3], splits[1]: [0, 1, 3, 4]}
    for picked in ([0], [2, 0, 0], [1, 1], []):
        yield {**feeds, pick: picked}, fetches
    yield feeds, one


def wrong_requests():
    x, splits = _fed(F, "x"), _splits(2)
    rows = RAW.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=x, batched_input=True)
    feeds = {x: [1, 2, 3, 4], splits[0]: [0, 2, 2, 3], splits[1]: [0, 1, 3, 4]}
    yield feeds, _unpack(rows, 2, 1)
    yield feeds, _unpack(rows, 1)
    yield feeds, _unpack(rows, 3)
    yield feeds, _unpack(rows, 2, values=I32)
    yield feeds, _unpack(rows, 2, dtype=I32)
    number = RAW.EmptyTensorList(element_shape=-1, max_num_elements=-1, element_dtype=F)
    yield feeds, _unpack(number, 0)


@_version_2
def map_over_rows():
    x, splits = _fed(F, "x", [None]), _fed(I64, "splits", [None])
    ragged = tf.RaggedTensor.from_row_splits(x, splits, validate=False)
    doubled = tf.map_fn(lambda row: row * 2 + 1, ragged)
    sums = tf.map_fn(tf.reduce_sum, ragged, fn_output_signature=F)
    for ends in ([0, 2, 2, 3], [0, 3], [0, 0, 3]):
        yield {x: [1, 2, 3], splits: ends}, [doubled.row_splits, doubled.flat_values, sums]


@_version_2
def map_that_makes_rows():
    n = _fed(I32, "n", [None])
    rows = tf.map_fn(tf.range, n, fn_output_signature=tf.RaggedTensorSpec([None], I32))
    for counts in ([2, 0, 3], [1], [0, 0]):
        yield {n: counts}, [rows.row_splits, rows.flat_values]


def gradients():
    x, splits, shape = _fed(F, "x"), _fed(I64, "splits"), _fed(I32, "shape")
    rows = RAW.RaggedTensorToVariant(rt_nested_splits=[splits], rt_dense_values=x, batched_input=True)
    gradient = RAW.RaggedTensorToVariantGradient(
        encoded_ragged_grad=rows, row_splits=splits, dense_values_shape=shape, Tvalues=F
    )
    for value, ends in (([1, 2, 3], [0, 2, 2, 3]), ([1, 2], [0, 2]), ([[1, 2], [3, 4]], [0, 1, 1, 2]), ([], [0, 0, 0])):
        array = _array(value, (2,) if len(value) == 2 and ends[-1] == 2 and isinstance(value[0], list) else ())
        yield {x: array, splits: ends, shape: array.shape}, gradient
    yield {x: [1, 2], splits: [0, 2], shape: [7]}, gradient  # of one variant, whose values are returned


@_version_2
def gradient_of_a_map():
    x, splits = _fed(F, "x", [None]), _fed(I64, "splits", [None])
    ragged = tf.RaggedTensor.from_row_splits(x, splits, validate=False)
    squares = tf.map_fn(lambda row: row * row, ragged)
    yield {x: [1, 2, 3], splits: [0, 2, 2, 3]}, tf.gradients(squares.flat_values, x)
