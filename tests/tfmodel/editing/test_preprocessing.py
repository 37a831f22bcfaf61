"""`append_preprocessing`: the steps compute what NumPy computes, and the input keeps its name."""

from __future__ import annotations

import numpy as np
import pytest

import tfmodel
from tests.tfmodel.transforms.graph_notation import graph
from tfmodel import GraphError, Model
from tfmodel.messages import VersionDef

GRAPH = """
    image = Placeholder[dtype=float, shape=(-1, 4, 4, 3)]
    y = Identity(image)[T=float]
"""
PICTURE = np.random.default_rng(0).integers(0, 256, (2, 4, 4, 3), np.uint8)
FLOATS = PICTURE.astype(np.float32)


@pytest.mark.parametrize(
    ("steps", "fed", "expected"),
    [
        ("uint8", PICTURE, FLOATS),
        ("uint8 divide=255", PICTURE, FLOATS / np.float32(255)),
        ("uint8 multiply=1/4 add=1", PICTURE, FLOATS / 4 + 1),
        ("divide=127.5 subtract=1", FLOATS, FLOATS / np.float32(127.5) - 1),
        ("mean=1,2,3 std=2,4,8", FLOATS, (FLOATS - np.float32([1, 2, 3])) / np.float32([2, 4, 8])),
        ("uint8 bgr", PICTURE, FLOATS[..., ::-1]),
        (["uint8", "bgr divide=2"], PICTURE, FLOATS[..., ::-1] / 2),
        ("resize=4x4", FLOATS[:, :2, :2], None),
    ],
)
def test_the_steps_are_applied_in_order(steps, fed, expected):
    model = tfmodel.append_preprocessing(graph(GRAPH), "image", steps)
    result = model.run({"image": fed}, "y")["y"]
    assert result.shape == FLOATS.shape
    if expected is not None:
        np.testing.assert_allclose(result, expected, rtol=1e-6)
    assert tfmodel.check(model).is_clean


@pytest.mark.parametrize(
    ("steps", "dtype", "shape"),
    [
        ("uint8 divide=255", "uint8", (None, 4, 4, 3)),
        ("half", "float16", (None, 4, 4, 3)),
        ("resize=4x4", "float32", (None, None, None, 3)),
        ("decode=3 resize=4x4 divide=255", "string", ()),
    ],
)
def test_type_and_shape_of_the_input_follow_from_the_steps(steps, dtype, shape):
    given = graph(GRAPH)
    given.versions = VersionDef(producer=1395)  # in graphs of before 22, a scalar Placeholder may have any shape
    model = Model(given).append_preprocessing("image", steps)
    assert [(end.tensor, end.dtype, end.shape) for end in model.inputs] == [("image:0", dtype, shape)]


def test_pictures_for_a_model_with_channels_first():
    first = graph("    image = Placeholder[dtype=float, shape=(-1, 3, 4, 4)]\n    y = Identity(image)[T=float]")
    model = tfmodel.append_preprocessing(first, "image", "nchw")
    assert model.inputs[0].shape == (None, 4, 4, 3)
    np.testing.assert_array_equal(model.run({"image": FLOATS}, "y")["y"], FLOATS.transpose(0, 3, 1, 2))


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ("", "name some steps"),
        ("div=2", 'there is no step "div"'),
        ("uint9", 'there is no step "uint9"'),
        ("divide", "needs a value"),
        ("bgr=1", "takes no value"),
        ("mean=1,2", '2 numbers, and "image" has 3 channels'),
        ("mean=a", "is not a number"),
        ("divide=1/0", "is not a number"),
        ("resize=0x4", "HEIGHTxWIDTH"),
        ("decode=5", "the number of channels"),
        ("divide=2 decode=3", "decode is the first step"),
    ],
)
def test_steps_that_are_refused(steps, problem):
    with pytest.raises(GraphError, match=problem):
        tfmodel.append_preprocessing(graph(GRAPH), "image", steps)


def test_only_inputs_are_preprocessed():
    with pytest.raises(GraphError, match='"y" is a Identity'):
        tfmodel.append_preprocessing(graph(GRAPH), "y", "divide=2")
