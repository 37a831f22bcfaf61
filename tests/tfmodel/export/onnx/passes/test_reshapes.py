"""Sizes that are open but equal: a Reshape copies them, and one that changes nothing goes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tfmodel.export.onnx.test_converters import FLOAT, INT32, const, fed, run
from tfmodel.interpreter.session import Session
from tfmodel.messages import AttrValue, GraphDef, NodeDef, VersionDef

T = {"T": AttrValue(type=FLOAT)}
INDEX = {"T": AttrValue(type=INT32)}


def size_of(tensor: str, axis: int, name: str) -> list[NodeDef]:
    """Return nodes that compute one size of a tensor as a scalar."""
    masks = {"shrink_axis_mask": AttrValue(i=1)}
    places = [const(f"{name}/{part}", np.int32([place])) for part, place in (("from", axis), ("to", axis + 1))]
    return [
        NodeDef(name=f"{name}/shape", op="Shape", input=[tensor], attr={**T, "out_type": AttrValue(type=INT32)}),
        *places,
        const(f"{name}/step", np.int32([1])),
        NodeDef(
            name=name,
            op="StridedSlice",
            input=[f"{name}/shape", f"{name}/from", f"{name}/to", f"{name}/step"],
            attr={**INDEX, "Index": AttrValue(type=INT32), **masks},
        ),
    ]


def reshape(x: str, sizes: list[str | int], name: str) -> list[NodeDef]:
    """Return nodes that give a tensor sizes, each of them a number or the name of a scalar."""
    parts = [size if isinstance(size, str) else f"{name}/{place}" for place, size in enumerate(sizes)]
    numbers = [const(part, np.int32(size)) for part, size in zip(parts, sizes, strict=True) if isinstance(size, int)]
    pack = {**INDEX, "N": AttrValue(i=len(sizes)), "axis": AttrValue(i=0)}
    return [
        *numbers,
        NodeDef(name=f"{name}/sizes", op="Pack", input=parts, attr=pack),
        NodeDef(name=name, op="Reshape", input=[x, f"{name}/sizes"], attr={**T, "Tshape": AttrValue(type=INT32)}),
    ]


def dense(x: str, weights: Any, name: str) -> list[NodeDef]:
    """Return what Keras writes for a dense layer on a tensor of rank 3."""
    rows, columns = weights.shape
    return [
        *reshape(x, [-1, rows], f"{name}/flat"),
        const(f"{name}/weights", weights),
        NodeDef(name=f"{name}/product", op="MatMul", input=[f"{name}/flat", f"{name}/weights"], attr=T),
        *size_of(x, 0, f"{name}/batch"),
        *size_of(x, 1, f"{name}/steps"),
        *reshape(f"{name}/product", [f"{name}/batch", f"{name}/steps", columns], name),
    ]


def test_a_dense_layer_of_rank_3_is_one_product() -> None:
    weights = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    (y,), ops = run([fed("x", FLOAT, [None, None, 3]), *dense("x", weights, "y")], {"x": x}, "y")
    np.testing.assert_allclose(y, x @ weights)
    assert ops == ["MatMul"]


def test_heads_are_split_by_a_constant() -> None:
    x = np.arange(2 * 3 * 8, dtype=np.float32).reshape(2, 3, 8)
    nodes = [fed("x", FLOAT, [None, None, 8]), *size_of("x", 0, "batch"), *reshape("x", ["batch", -1, 2, 4], "y")]
    (y,), ops = run(nodes, {"x": x}, "y")
    np.testing.assert_array_equal(y, x.reshape(2, 3, 2, 4))
    assert ops == ["Reshape"]


@pytest.mark.parametrize("batches", [(4, 8), (8, 4), (1, 2)])
def test_batches_of_two_inputs_are_not_taken_for_equal(batches: tuple[int, int]) -> None:
    x, other = (np.arange(batch * 6, dtype=np.float32).reshape(batch, 6) for batch in batches)
    nodes = [
        fed("x", FLOAT, [None, 6]),
        fed("other", FLOAT, [None, 6]),
        *size_of("other", 0, "batch"),
        *reshape("x", ["batch", -1], "y"),
    ]
    (y,), _ = run(nodes, {"x": x, "other": other}, "y")
    np.testing.assert_array_equal(y, x.reshape(batches[1], -1))


def test_a_product_with_another_use_stays_a_matrix() -> None:
    weights = np.ones((3, 4), np.float32)
    nodes = [
        fed("x", FLOAT, [None, None, 3]),
        *dense("x", weights, "y"),
        NodeDef(name="rows", op="Tanh", input=["y/product"], attr=T),
    ]
    x = np.arange(30, dtype=np.float32).reshape(2, 5, 3)
    (y, rows), _ = run(nodes, {"x": x}, "y", "rows")
    np.testing.assert_allclose(y, x @ weights)
    assert rows.shape == (10, 4)


STEPS = ("turn", "tanh", "twice", "split", "join", "dense", "swap")


@settings(max_examples=40, deadline=None)
@given(
    steps=st.lists(st.sampled_from(STEPS), min_size=1, max_size=6), batch=st.integers(1, 3), length=st.integers(1, 3)
)
def test_chains_of_reshapes_give_what_numpy_gives(steps: list[str], batch: int, length: int) -> None:
    """Each step takes a tensor of rank 3 whose first sizes are open, and gives one."""
    nodes = [fed("x", FLOAT, [None, None, 6])]
    last = "x"
    for number, step in enumerate(steps):
        name = f"{step}{number}"
        batch_of, steps_of = size_of(last, 0, f"{name}/n"), size_of(last, 1, f"{name}/m")
        match step:
            case "turn":
                nodes += [
                    const(f"{name}/order", np.int32([1, 0, 2])),
                    NodeDef(
                        name=name,
                        op="Transpose",
                        input=[last, f"{name}/order"],
                        attr={**T, "Tperm": AttrValue(type=INT32)},
                    ),
                ]
            case "tanh":
                nodes.append(NodeDef(name=name, op="Tanh", input=[last], attr=T))
            case "twice":
                nodes.append(NodeDef(name=name, op="AddV2", input=[last, last], attr=T))
            case "split":
                nodes += [*batch_of, *reshape(last, [f"{name}/n", -1, 2, 3], f"{name}/four")]
                nodes += [*steps_of, *reshape(f"{name}/four", [-1, f"{name}/m", 6], name)]
            case "join":
                nodes += [*reshape(last, [-1, 6], f"{name}/two"), *steps_of]
                nodes += reshape(f"{name}/two", [-1, f"{name}/m", 6], name)
            case "dense":
                nodes += dense(last, np.eye(6, k=1, dtype=np.float32), name)
            case "swap":
                nodes += [*batch_of, *steps_of, *reshape(last, [f"{name}/m", f"{name}/n", 6], name)]
        last = name
    x = np.linspace(-1, 1, batch * length * 6, dtype=np.float32).reshape(batch, length, 6)
    (y,), _ = run(nodes, {"x": x}, last)
    graph = GraphDef(node=nodes, versions=VersionDef(producer=1286))
    expected = Session(graph).run({"x": x}, [f"{last}:0"])[f"{last}:0"]
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


def test_a_number_that_is_fed_may_be_the_size_that_is_inferred() -> None:
    """It is -1 in both Reshapes, and stands for another size in each."""
    nodes = [
        fed("x", FLOAT, [None, 6]),
        fed("rows", INT32, []),
        *reshape("x", ["rows", 6], "same"),
        *reshape("same", ["rows", 3], "y"),
    ]
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    (y,), _ = run(nodes, {"x": x, "rows": np.array(-1, np.int32)}, "y")
    np.testing.assert_array_equal(y, x.reshape(-1, 3))
