"""Graphs of a few nodes whose sizes, places and steps are computed: ONNX gives what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernel_cases import attribute
from tests.tfmodel.export.onnx.sweep import session
from tfmodel.export.onnx.export import convert
from tfmodel.export.onnx.writer import model_proto
from tfmodel.messages import AttrValue, DataType, GraphDef, NodeDef, VersionDef
from tfmodel.values.dtypes import natural_dtype
from tfmodel.values.tensors import from_ndarray

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

FLOAT, INT32 = DataType.DT_FLOAT, DataType.DT_INT32


def const(name: str, array: Any) -> NodeDef:
    array = np.asarray(array)
    row = natural_dtype(array.dtype)
    assert row is not None
    value = AttrValue(tensor=from_ndarray(array, row.number))
    return NodeDef(name=name, op="Const", attr={"dtype": AttrValue(type=row.number), "value": value})


def fed(name: str, dtype: DataType, shape: Any) -> NodeDef:
    return NodeDef(
        name=name, op="Placeholder", attr={"dtype": AttrValue(type=dtype), "shape": attribute(shape, "shape")}
    )


def run(nodes: list[NodeDef], feeds: dict[str, Any], *outputs: str) -> tuple[list[Any], list[str]]:
    """Return the outputs of a graph as ONNX, and its operators."""
    exported = convert(GraphDef(node=nodes, versions=VersionDef(producer=1286)), list(feeds), list(outputs))
    content = model_proto(exported.graph, 17, {}).to_bytes()
    results = session(content).run([each.removesuffix(":0") for each in outputs], feeds)
    return results, [node.op for node in exported.graph.nodes]


@pytest.mark.parametrize("place", [1, 0, -1])
def test_an_element_at_a_computed_place_is_taken_between_slices(place: int) -> None:
    """x[..., 0:2, place, 1:]: the end that belongs to the place is not used."""
    types = {"T": AttrValue(type=FLOAT), "Index": AttrValue(type=INT32)}
    masks = {name: AttrValue(i=value) for name, value in (
        ("begin_mask", 0), ("end_mask", 8), ("ellipsis_mask", 1), ("new_axis_mask", 0), ("shrink_axis_mask", 4))
    }  # fmt: skip
    pack = {"T": AttrValue(type=INT32), "N": AttrValue(i=4), "axis": AttrValue(i=0)}
    nodes = [
        fed("x", FLOAT, [2, 3, 4, 5]),
        fed("place", INT32, []),
        const("zero", np.int32(0)),
        const("one", np.int32(1)),
        NodeDef(name="begin", op="Pack", input=["zero", "zero", "place", "one"], attr=pack),
        const("end", np.array([0, 2, 0, 0], np.int32)),
        const("step", np.array([1, 1, 1, 1], np.int32)),
        NodeDef(name="y", op="StridedSlice", input=["x", "begin", "end", "step"], attr={**types, **masks}),
    ]
    x = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
    (y,), _ = run(nodes, {"x": x, "place": np.array(place, np.int32)}, "y")
    np.testing.assert_array_equal(y, x[..., 0:2, place, 1:])


def test_equal_outputs_stay_two() -> None:
    types = {"T": AttrValue(type=FLOAT)}
    nodes = [
        fed("x", FLOAT, [None]),
        NodeDef(name="a", op="Tanh", input=["x"], attr=types),
        NodeDef(name="b", op="Tanh", input=["x"], attr=types),
    ]
    (a, b), _ = run(nodes, {"x": np.float32([1, 2])}, "a", "b")
    np.testing.assert_array_equal(a, b)


def test_computed_padding_goes_into_blocks_and_back() -> None:
    """SpaceToBatchND and BatchToSpaceND with fed padding, as around a convolution with dilations."""
    types = {"T": AttrValue(type=FLOAT), "Tblock_shape": AttrValue(type=INT32)}
    nodes = [
        fed("x", FLOAT, [None, None, None, 2]),
        fed("pads", INT32, [2, 2]),
        const("blocks", np.array([2, 2], np.int32)),
        NodeDef(name="batches", op="SpaceToBatchND", input=["x", "blocks", "pads"],
                attr={**types, "Tpaddings": AttrValue(type=INT32)}),
        NodeDef(name="y", op="BatchToSpaceND", input=["batches", "blocks", "pads"],
                attr={**types, "Tcrops": AttrValue(type=INT32)}),
    ]  # fmt: skip
    x = np.arange(60, dtype=np.float32).reshape(1, 5, 6, 2)
    (batches, y), _ = run(nodes, {"x": x, "pads": np.array([[1, 2], [0, 2]], np.int32)}, "batches", "y")
    assert batches.shape == (4, 4, 4, 2)
    np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_a_condition_of_unknown_rank_chooses_rows_or_elements(shape: tuple[int, ...]) -> None:
    nodes = [
        fed("test", DataType.DT_BOOL, None),
        fed("a", FLOAT, [2, 3]),
        fed("b", FLOAT, None),
        NodeDef(name="y", op="Select", input=["test", "a", "b"], attr={"T": AttrValue(type=FLOAT)}),
    ]
    test = np.asarray(np.arange(np.prod(shape)).reshape(shape) % 2 == 0)
    a, b = np.ones([2, 3], np.float32), np.zeros([2, 3], np.float32)
    (y,), _ = run(nodes, {"test": test, "a": a, "b": b}, "y")
    np.testing.assert_array_equal(y, np.where(test[:, None] if test.ndim == 1 else test, a, b))


def test_a_filter_of_unknown_sizes() -> None:
    attributes = {
        "T": AttrValue(type=FLOAT), "padding": AttrValue(s=b"VALID"), "data_format": AttrValue(s=b"NHWC"),
        "strides": attribute([1, 1, 1, 1], "list(int)"),
    }  # fmt: skip
    nodes = [
        fed("x", FLOAT, [1, 4, 4, 2]),
        fed("filter", FLOAT, None),
        NodeDef(name="y", op="Conv2D", input=["x", "filter"], attr=attributes),
    ]
    x = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2)
    (y,), _ = run(nodes, {"x": x, "filter": np.ones([3, 2, 2, 1], np.float32)}, "y")
    sums = [[x[0, row : row + 3, column : column + 2].sum() for column in range(3)] for row in range(2)]
    np.testing.assert_allclose(y[0, :, :, 0], sums)
