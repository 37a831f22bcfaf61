"""Lists and arrays of tensors: cases that TensorFlow's answers (tests/golden/interpreting) do not cover.

TensorFlow dies of some of the inputs here, and gives whatever was in memory for others.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tfmodel.transforms.graph_notation import graph
from tfmodel.errors import RunError
from tfmodel.interpreter import run
from tfmodel.kernels.data_flow.variants import TensorList
from tfmodel.kernels.runtime import evaluate
from tfmodel.messages import DataType

FLOAT = DataType.DT_FLOAT


def changed(old: TensorList, change: str, place: int, value: int) -> tuple[TensorList, list[Any]]:
    """A list that is made of another one, and the elements that it must have."""
    expected = list(old.items)
    if change == "push":
        return old.with_change(lambda them: them.append(value), lambda them: them.pop()), [*expected, value]
    if not expected:
        return old, expected
    if change == "pop":
        last = expected.pop()
        return old.with_change(lambda them: them.pop(), lambda them: them.append(last)), expected
    index = place % len(expected)
    before, expected[index] = expected[index], value
    new = old.with_change(
        lambda them: operator.setitem(them, index, value), lambda them: operator.setitem(them, index, before)
    )
    return new, expected


@given(st.lists(st.tuples(st.integers(0, 99), st.sampled_from(["push", "pop", "set"]), st.integers(0, 9))))
def test_lists_stay_as_they_are_when_others_are_made_of_them(steps: list[tuple[int, str, int]]) -> None:
    lists = [(TensorList(FLOAT, (), [None, None]), [None, None])]
    for number, (source, change, place) in enumerate(steps):
        old, _ = lists[source % len(lists)]
        lists.append(changed(old, change, place, number))
    for held, expected in lists:
        assert held.items == expected


def test_a_step_takes_no_copy_of_the_list() -> None:
    held = TensorList(FLOAT, (), [None] * 5)
    items = held.items
    for step in range(5):
        held, _ = changed(held, "set", step, step)
    assert held.items is items
    assert items == [0, 1, 2, 3, 4]


LISTS = """
    shape = Const[dtype=int32, value=int32{}]
    two = Const[dtype=int32, value=int32{2}]
    any = Const[dtype=int32, value=int32{-1}()]
    size = Placeholder[dtype=int32]
    index = Placeholder[dtype=int32]
    sizes = Placeholder[dtype=int64]
    x = Placeholder[dtype=float]
    reserved = TensorListReserve(shape, size)[element_dtype=float, shape_type=int32]
    length = TensorListLength(reserved)
    item = TensorListGetItem(reserved, index, any)[element_dtype=int32]
    resized = TensorListResize(reserved, index)
    resized_length = TensorListLength(resized)
    set = TensorListSetItem(reserved, index, x)[element_dtype=float, resize_if_index_out_of_bounds=true]
    stack = TensorListStack(set, any)[element_dtype=float, num_elements=-1]
    rows = TensorListSplit(x, any, sizes)[element_dtype=float, shape_type=int32]
    rows_length = TensorListLength(rows)
    put = TensorListScatterIntoExistingList(reserved, x, index)[element_dtype=float]
    put_stack = TensorListStack(put, any)[element_dtype=float, num_elements=-1]
    no_list = TensorListLength(x)
"""


@pytest.mark.parametrize(
    ("feeds", "fetch", "message"),
    [
        ({"size": 2**31 - 1}, "length", "num_elements must be from 0 to 16777216, got 2147483647"),
        ({"size": -1}, "length", "num_elements must be from 0 to 16777216, got -1"),
        ({"size": 1, "index": 0}, "item", "the list has elements of DT_FLOAT, not DT_INT32"),
        ({"size": 1, "index": 2**30}, "resized_length", "size must be from 0 to 16777216, got 1073741824"),
        ({"size": 1, "index": 2**30, "x": 1.0}, "stack", "a list of 1073741825 elements is too long"),
        ({"sizes": [4, -1], "x": [1.0, 2.0, 3.0]}, "rows_length", "lengths must not be negative, got -1"),
        ({"size": 3, "index": [0, -1], "x": [1.0, 2.0]}, "put_stack", "indices must not be negative, got -1"),
        ({"x": 1.0}, "no_list", "its input 0 must be a variant, and is float32"),
    ],
)
def test_invalid_arguments_are_refused(feeds: dict[str, Any], fetch: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        run(graph(LISTS), feeds, [fetch])


@pytest.mark.parametrize(
    ("feeds", "fetch", "expected"),
    [
        ({"size": 1, "index": 2, "x": 5.0}, "stack", [0, 0, 5]),
        ({"size": 1, "index": [3, 1], "x": [5.0, 6.0]}, "put_stack", [0, 6, 0, 5]),
    ],
)
def test_lists_grow_where_they_may(feeds: dict[str, Any], fetch: str, expected: list[float]) -> None:
    assert run(graph(LISTS), feeds, [fetch])[fetch].tolist() == expected


ARRAYS = """
    size = Placeholder[dtype=int32]
    x = Placeholder[dtype=float]
    sizes = Placeholder[dtype=int64]
    zero = Const[dtype=float, value=float{0}()]
    handle = TensorArrayV3(size)[dtype=float]
    read = TensorArraySizeV3(handle, handle:1)
    flow = TensorArraySplitV3(handle, x, sizes, handle:1)[T=float]
    old = TensorArrayV2(size)[dtype=float]
    first = Const[dtype=int32, value=int32{0}()]
    written = TensorArrayWriteV2(old, first, x, zero)[T=float]
    again = TensorArrayReadV2(old, first, written)[dtype=float]
    oldest = TensorArray(size)[dtype=float]
    unpacked = TensorArrayUnpack(oldest, x, zero)[T=float]
    packed = TensorArrayPack(oldest, unpacked)[dtype=float]
    no_array = TensorArraySizeV3(size, zero)
    other_array = TensorArraySizeV3(variable, zero)
    variable = VarHandleOp[dtype=float, shape=()]
"""


@pytest.mark.parametrize(
    ("feeds", "fetch", "message"),
    [
        ({"size": 2**31 - 1}, "read", "size must be from 0 to 16777216, got 2147483647"),
        ({"size": 2, "sizes": [4, -1], "x": [1.0, 2.0, 3.0]}, "flow", "lengths must not be negative, got -1"),
        ({"size": 3, "x": [[1.0], [2.0]]}, "packed", "there are 2 rows for the elements of the array oldest of 3"),
        ({"size": 1}, "no_array", "its input 0 must be a handle, and is int32"),
        ({"size": 1}, "other_array", "its first input is not the handle of a TensorArray"),
    ],
)
def test_arrays_are_refused_what_makes_no_sense(feeds: dict[str, Any], fetch: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        run(graph(ARRAYS), feeds, [fetch])


def test_arrays_of_older_versions() -> None:
    assert run(graph(ARRAYS), {"size": 1, "x": [1.0, 2.0]}, ["again"])["again"].tolist() == [1, 2]
    assert run(graph(ARRAYS), {"size": 2, "x": [[1.0], [2.0]]}, ["packed"])["packed"].tolist() == [[1], [2]]


def test_one_row_is_pushed_to_each_of_several_lists() -> None:
    lists = np.array([TensorList(FLOAT, (), [np.float32(number)]) for number in (10, 20)], object)
    [node] = graph("y = TensorListPushBackBatch(lists, x)[element_dtype=float]").node
    [pushed] = evaluate(node, [lists, np.array([1, 2], np.float32)])
    assert [tensor_list.items for tensor_list in pushed] == [[10, 1], [20, 2]]
    assert [tensor_list.items for tensor_list in lists] == [[10], [20]]
