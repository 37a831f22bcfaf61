"""Properties of all sliding windows: gradients, layouts and blocks; and refused arguments."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel_cases import Case, i32, numbers
from tests.support.effort import scaled
from tfmodel.errors import Error, RunError
from tfmodel.kernels.nn import convolutions
from tfmodel.kernels.nn.windows import blocks
from tfmodel.kernels.runtime import evaluate

few = settings(max_examples=scaled(60))


def run(op: str, inputs: list[Any], **attributes: Any) -> np.ndarray[Any, Any]:
    case = Case(op, inputs, **attributes)
    return np.asarray(evaluate(case.node, case.arrays)[0])


@st.composite
def windows(draw: st.DrawFn, space: int = 2) -> dict[str, Any]:
    """The sizes of a convolution that has a window at the least, and its attributes for channels-last images."""
    kernel = [draw(st.integers(1, 3)) for _ in range(space)]
    dilations = [draw(st.integers(1, 3)) for _ in range(space)] if space == 2 else [1] * space
    sizes = [draw(st.integers((k - 1) * d + 1, 8)) for k, d in zip(kernel, dilations, strict=True)]
    strides = [draw(st.integers(1, 4)) for _ in range(space)]
    padding = draw(st.sampled_from(["SAME", "VALID", "EXPLICIT"] if space == 2 else ["SAME", "VALID"]))
    attributes: dict[str, Any] = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "padding": padding}
    if padding == "EXPLICIT":
        attributes["explicit_paddings"] = [0, 0, *(draw(st.integers(0, 4)) for _ in range(4)), 0, 0]
    return {"kernel": kernel, "space": sizes, "attributes": attributes, "batch": draw(st.integers(1, 2))}


def images(sizes: dict[str, Any], channels: int) -> np.ndarray[Any, Any]:
    return numbers((sizes["batch"], *sizes["space"], channels), np.int64)


@few
@given(windows(), st.integers(1, 3), st.integers(1, 2), st.integers(1, 2))
def test_the_gradients_of_a_convolution_are_its_adjoints(
    sizes: dict[str, Any], groups: int, depth: int, out: int
) -> None:
    image, filter = images(sizes, groups * depth), numbers((*sizes["kernel"], depth, groups * out), np.int64)
    forward = run("Conv2D", [image, filter], **sizes["attributes"])
    given_back = numbers(forward.shape, np.int64)
    of_image = run("Conv2DBackpropInput", [i32(image.shape), filter, given_back], **sizes["attributes"])
    of_filter = run("Conv2DBackpropFilter", [image, i32(filter.shape), given_back], **sizes["attributes"])
    assert (forward * given_back).sum() == (of_image * image).sum() == (of_filter * filter).sum()


@few
@given(windows(), st.integers(1, 3), st.integers(1, 2))
def test_the_gradients_of_a_depthwise_convolution_are_its_adjoints(
    sizes: dict[str, Any], channels: int, multiplier: int
) -> None:
    image, filter = images(sizes, channels), numbers((*sizes["kernel"], channels, multiplier), np.int64)
    forward = run("DepthwiseConv2dNative", [image, filter], **sizes["attributes"])
    given_back = numbers(forward.shape, np.int64)
    inputs = [i32(image.shape), filter, given_back]
    of_image = run("DepthwiseConv2dNativeBackpropInput", inputs, **sizes["attributes"])
    inputs = [image, i32(filter.shape), given_back]
    of_filter = run("DepthwiseConv2dNativeBackpropFilter", inputs, **sizes["attributes"])
    assert (forward * given_back).sum() == (of_image * image).sum() == (of_filter * filter).sum()


@few
@given(windows(), st.integers(1, 3), st.integers(1, 3))
def test_a_depthwise_convolution_is_one_of_as_many_groups_as_channels(
    sizes: dict[str, Any], channels: int, multiplier: int
) -> None:
    image, filter = images(sizes, channels), numbers((*sizes["kernel"], channels, multiplier), np.int64)
    depthwise = run("DepthwiseConv2dNative", [image, filter], **sizes["attributes"])
    grouped = run("Conv2D", [image, filter.reshape(*sizes["kernel"], 1, -1)], **sizes["attributes"])
    np.testing.assert_array_equal(depthwise, grouped)


@few
@given(windows(space=3))
def test_a_convolution_of_three_dimensions_is_a_sum_of_those_of_two(sizes: dict[str, Any]) -> None:
    """One image of depth d with a filter of depth k, slice by slice, where slices are as they are."""
    attributes = {**sizes["attributes"], "padding": "VALID", "strides": [1, 1, 1, 1, 1]}
    image, filter = images(sizes, 2), numbers((*sizes["kernel"], 2, 3), np.int64)
    flat = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    output = run("Conv3D", [image, filter], **attributes)
    for place in range(output.shape[1]):
        slices = [run("Conv2D", [image[:, place + k], filter[k]], **flat) for k in range(len(filter))]
        np.testing.assert_array_equal(output[:, place], sum(slices))


@few
@given(windows(), st.sampled_from(["Conv2D", "DepthwiseConv2dNative"]))
def test_channels_may_come_first(sizes: dict[str, Any], op: str) -> None:
    image, filter = images(sizes, 3), numbers((*sizes["kernel"], 3, 2), np.int64)
    last = run(op, [image, filter], **sizes["attributes"])
    first = {name: numbers_first(value) for name, value in sizes["attributes"].items()}
    output = run(op, [np.ascontiguousarray(np.moveaxis(image, -1, 1)), filter], data_format="NCHW", **first)
    np.testing.assert_array_equal(np.moveaxis(output, 1, -1), last)


def numbers_first(value: Any) -> Any:
    if isinstance(value, str):
        return value
    quarter = len(value) // 4
    return value[:quarter] + value[-quarter:] + value[quarter:-quarter]


@pytest.mark.parametrize("groups", [1, 2])
def test_blocks_of_windows_change_nothing(groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    image, filter = numbers((3, 6, 7, 4), np.int64), numbers((3, 2, 4 // groups, 4), np.int64)
    attributes = {"strides": [1, 1, 2, 1], "padding": "SAME"}
    given_back = numbers((3, 6, 4, 4), np.int64)
    calls = [
        ("Conv2D", [image, filter]),
        ("Conv2DBackpropInput", [i32(image.shape), filter, given_back]),
        ("Conv2DBackpropFilter", [image, i32(filter.shape), given_back]),
    ]
    whole = [run(op, inputs, **attributes) for op, inputs in calls]
    monkeypatch.setattr(convolutions, "BLOCK_BYTES", 1)
    for rows in (1, 5, 30):
        monkeypatch.setattr(convolutions, "MIN_ROWS", rows)
        for (op, inputs), expected in zip(calls, whole, strict=True):
            np.testing.assert_array_equal(run(op, inputs, **attributes), expected)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.integers(1, 40))
def test_blocks_are_everything_once(shape: list[int], limit: int) -> None:
    seen = np.zeros(shape, int)
    for block in blocks(shape, limit):
        assert seen[block].size <= max(limit, 1)
        assert seen[block].flags.c_contiguous
        seen[block] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("MaxPool", {"ksize": [1, 10**9, 10**9, 1]}),
        ("AvgPool", {"ksize": [1, 10**9, 10**9, 1]}),
        ("Conv2D", {"dilations": [1, 10**9, 10**9, 1]}),
        ("DepthwiseConv2dNative", {"dilations": [1, 10**9, 10**9, 1]}),
    ],
)
def test_windows_far_larger_than_the_image_cost_nothing(op: str, attributes: dict[str, Any]) -> None:
    inputs = [numbers((1, 4, 5, 2))] if "Pool" in op else [numbers((1, 4, 5, 2)), numbers((3, 3, 2, 2))]
    begin = time.perf_counter()
    assert run(op, inputs, strides=[1, 1, 1, 1], padding="SAME", **attributes).shape[:3] == (1, 4, 5)
    assert time.perf_counter() - begin < 1


CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}


@pytest.mark.parametrize(
    ("op", "shapes", "attributes", "words"),
    [
        ("Conv2D", [(1, 5, 5, 2), (3, 3, 2)], CONV, "its filter must be of rank 4, and is of shape [3, 3, 2]"),
        ("Conv2D", [(5, 5, 2), (3, 3, 2, 1)], CONV, "its input must be of rank 4, and is of shape [5, 5, 2]"),
        ("Conv2D", [(1, 5, 5, 4), (3, 3, 3, 1)], CONV, "takes 3 channels, and the input has 4"),
        ("Conv2D", [(1, 5, 5, 4), (3, 3, 2, 3)], CONV, "has 3 output channels, which 2 groups do not divide"),
        ("Conv2D", [(1, 5, 5, 2), (3, 3, 2, 1)], {**CONV, "strides": [1, 1]}, "its strides must be 4 numbers"),
        ("Conv2D", [(1, 5, 5, 2), (3, 3, 2, 1)], {**CONV, "strides": [1, 0, 1, 1]}, "its strides must be positive"),
        ("Conv2D", [(1, 2, 2, 2), (5, 5, 2, 1)], {**CONV, "padding": "VALID"}, "a window of 5 does not fit into 2"),
        ("Conv2D", [(1, 2, 2, 2), (1, 1, 2, 1)], {**CONV, "padding": "\x1b"}, 'padding" is "\\x1b", not one of "SAME"'),
        ("Conv2D", [(1, 2, 2, 2), (1, 1, 2, 1)], {**CONV, "data_format": "NC"}, 'is "NC", not one of "NHWC", "NCHW"'),
        ("Conv3D", [(1, 5, 5, 2), (3, 3, 2, 1)], {**CONV, "strides": [1] * 5}, "its input must be of rank 5"),
        ("DepthwiseConv2dNative", [(1, 5, 5, 2), (3, 3, 3, 1)], CONV, "takes 3 channels, and the input has 2"),
        ("MaxPool", [(1, 5, 5, 2)], {**CONV, "ksize": [1, 0, 1, 1]}, "its ksize must be positive"),
        ("MaxPool", [(1, 5, 5, 2)], {**CONV, "ksize": [1, 2]}, '"ksize" has 2 elements, less than 4'),
    ],
)
def test_invalid_arguments_are_refused_with_a_reason(
    op: str, shapes: list[tuple[int, ...]], attributes: dict[str, Any], words: str
) -> None:
    with pytest.raises(Error) as refusal:
        run(op, [numbers(shape) for shape in shapes], **attributes)
    assert words in str(refusal.value)
    assert str(refusal.value).startswith(f'{op} "it": ')


@pytest.mark.parametrize("sizes", [[1, 6, 6], [1, -6, 6, 2], [1, 9, 6, 2], [1, 6, 6, 3], [2, 6, 6, 2]])
def test_sizes_that_a_gradient_does_not_fit_are_refused(sizes: list[int]) -> None:
    attributes = {"strides": [1, 2, 2, 1], "padding": "SAME"}
    with pytest.raises(RunError):
        run("Conv2DBackpropInput", [i32(sizes), numbers((3, 3, 2, 4)), numbers((1, 3, 3, 4))], **attributes)
